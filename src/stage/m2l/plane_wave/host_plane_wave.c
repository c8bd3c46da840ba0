/* SPDX-License-Identifier: Apache-2.0 */
/* host_plane_wave: plane waves along the axes, as in gpu_plane_wave.c; SIMD
 * over waves, one thread per parent; any tree.  Adds an error of an eighth of
 * the order's truncation error; wins wherever that is acceptable. */
#include "stage/m2l/plane_wave/host_plane_wave_kern.h"

#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "points/wrap.h"

ISA_TABLE(struct wave_kern, m2l_host_plane_wave)

struct state {
    struct boxes_args args;
    const struct wave_kern *kern;
    struct plane_waves waves;
    struct wave_plan plan; /* owned: its arrays */
    void **workspace;      /* owned, [threads], for the kernels */
    void **row;            /* owned, [threads]: an expansion of eight
                              children */
    int64_t **near;        /* owned, [threads]: rows of the near parents */
    void *merged;          /* owned: waves of a level's parents */
    int64_t have_merged;
    int64_t *parent;       /* owned: boxes with children, by level */
    int64_t *row_of;       /* owned, [n_boxes]: row of a box's waves */
    int64_t have_parent, have_row_of;
    int64_t begin[TREE_DEPTH + 2]; /* of a level, in parent */
};

static farsum_status wave_choose(const struct boxes_args *a,
                                 struct plane_waves *waves)
{
    return plane_waves_choose(a->ws, a->box, plane_waves_field(a->p, a->ws),
                              waves);
}

static int64_t wave_places(const struct plane_waves *waves)
{
    return (waves->quarter + WAVE_LANES - 1) / WAVE_LANES * WAVE_LANES;
}

static farsum_status wave_fits(const void *args)
{
    struct plane_waves waves;
    TRY(boxes_host_fits(args));
    return wave_choose(args, &waves);
}

/* A model: products, phases and sums at about 4e9 SIMD multiply-adds per second
 * and thread. */
static double wave_cost(const void *args)
{
    const struct boxes_args *a = args;
    struct plane_waves waves;
    if (wave_choose(a, &waves) != FARSUM_OK)
        return 1e30;
    double side = 2 * a->ws + 1, wide = side + 1;
    double reads = a->ws
                   * (4 * side * side + 8 * side * wide + 16 * wide * wide);
    /* out of all parents, into those whose children's locals are needed */
    double out = 3 * multipole_size(a->p) + 30;
    double per_wave = out + boxes_aims(a) * (out + reads * 1.5);
    /* a parent costs as much as eight children, even if fewer exist */
    double boxes =
        a->n_parents > 0 ? 8 * (double)a->n_parents : (double)a->n_boxes;
    return boxes * (double)wave_places(&waves) * per_wave / boxes_lanes(a)
               / 1.1e9 / a->threads
           + 1e-5;
}

static int64_t wave_bytes(const void *args)
{
    const struct boxes_args *a = args;
    struct plane_waves waves;
    if (wave_choose(a, &waves) != FARSUM_OK)
        return 0;
    int64_t n = wave_places(&waves), size = multipole_size(a->p);
    int64_t parents = a->n_boxes / 8; /* upper bound for a level */
    if (a->dense)
        parents = a->depth > 0 ? a->n_leaves / 8 : 0;
    int64_t numbers = 3 * n * (2 * size + 20 * a->ws + 9)
                      + a->threads * (64 * n + 16 * size)
                      + parents * WAVE_GROUPS * 4 * n;
    return numbers * boxes_real(a) + 2 * 8 * a->n_boxes;
}

static double wave_error(const void *args)
{
    struct plane_waves waves;
    return wave_choose(args, &waves) == FARSUM_OK ? plane_waves_error(&waves)
                                                  : 0;
}

static void wave_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    for (int axis = 0; axis < 3; axis++) {
        mem_free(s->plan.out[axis]);
        mem_free(s->plan.in[axis]);
        mem_free(s->plan.power[axis]);
        mem_free(s->plan.damp[axis]);
    }
    for (int t = 0; t < s->args.threads; t++) {
        if (s->workspace)
            mem_free(s->workspace[t]);
        if (s->row)
            mem_free(s->row[t]);
        if (s->near)
            mem_free(s->near[t]);
    }
    mem_free(s->plan.number);
    mem_free(s->workspace);
    mem_free(s->row);
    mem_free(s->near);
    mem_free(s->merged);
    mem_free(s->parent);
    mem_free(s->row_of);
    mem_free(s);
}

static farsum_status wave_numbers(struct state *s)
{
    struct wave_plan *plan = &s->plan;
    int at = 0;
    TRY(MEM_RAW(plan->number, plan->size));
    for (int c = 0; c < 8; c++) {
        int begin = at;
        for (int n = 0; n <= s->args.p; n++)
            for (int m = -n; m <= n; m++)
                if (plane_waves_signs(n, m) == c)
                    plan->number[at++] = multipole_at(n, m);
        for (int axis = 0; axis < 3; axis++) {
            int *range = plan->range[axis][plane_waves_class(axis, c)];
            range[0] = begin;
            range[1] = at;
        }
    }
    return FARSUM_OK;
}

/* Powers of the phases and of the decay. */
static void wave_powers(const struct state *s, const double *shift, int axis)
{
    const struct boxes_args *a = &s->args;
    int64_t n = s->waves.quarter, most = 4 * a->ws + 1;
    for (int64_t q = 0; q < n; q++) {
        double damp = 1;
        for (int which = 0; which < 2; which++) {
            double c = shift[2 * which * n + q];
            double d = shift[(2 * which + 1) * n + q], re = 1, im = 0;
            for (int64_t j = 0; j < most; j++) {
                int64_t at = 2 * (which * most + j) * s->plan.waves + q;
                double next = re * c - im * d;
                boxes_set(a, s->plan.power[axis], at, re);
                boxes_set(a, s->plan.power[axis], at + s->plan.waves, im);
                im = re * d + im * c;
                re = next;
            }
        }
        for (int j = 0; j <= a->ws; j++) {
            boxes_set(a, s->plan.damp[axis], j * s->plan.waves + q, damp);
            damp *= shift[4 * n + q];
        }
    }
}

static farsum_status wave_axis(struct state *s, int axis, double *out,
                               double *in, double *shift)
{
    const struct boxes_args *a = &s->args;
    struct wave_plan *plan = &s->plan;
    size_t real = (size_t)boxes_real(a);
    TRY(plane_waves_operators(&s->waves, a->p, a->ws, a->box, axis, out, in));
    TRY(mem_alloc(&plan->out[axis], plan->size * plan->waves, real, 1));
    TRY(mem_alloc(&plan->in[axis], plan->size * plan->waves, real, 1));
    TRY(mem_alloc(&plan->power[axis], 4 * (4 * a->ws + 1) * plan->waves, real,
                  1));
    TRY(mem_alloc(&plan->damp[axis], (a->ws + 1) * plan->waves, real, 1));
    for (int64_t q = 0; q < s->waves.quarter; q++)
        for (int64_t k = 0; k < plan->size; k++) {
            int64_t from = q * plan->size + plan->number[k];
            boxes_set(a, plan->out[axis], k * plan->waves + q, out[from]);
            boxes_set(a, plan->in[axis], k * plan->waves + q, in[from]);
        }
    plane_waves_shifts(&s->waves, a->ws, a->box, axis, shift);
    wave_powers(s, shift, axis);
    return FARSUM_OK;
}

static farsum_status wave_prepare(struct state *s)
{
    int64_t n = s->waves.quarter, size = s->plan.size;
    int64_t side = 2 * s->args.ws + 1;
    size_t real = (size_t)boxes_real(&s->args);
    farsum_status status = FARSUM_OK;
    double *out = NULL, *in = NULL, *shift = NULL;
    GO(MEM_RAW(out, n * size));
    GO(MEM_RAW(in, n * size));
    GO(MEM_RAW(shift, 5 * n));
    GO(wave_numbers(s));
    for (int axis = 0; axis < 3; axis++)
        GO(wave_axis(s, axis, out, in, shift));
    GO(MEM_NEW(s->workspace, s->args.threads));
    GO(MEM_NEW(s->row, s->args.threads));
    GO(MEM_NEW(s->near, s->args.threads));
    for (int t = 0; t < s->args.threads; t++) {
        GO(mem_alloc(&s->workspace[t], 64 * s->plan.waves, real, 1));
        GO(mem_alloc(&s->row[t], 8 * size, real, 1));
        GO(MEM_RAW(s->near[t], side * side * side));
    }
done:
    mem_free(out);
    mem_free(in);
    mem_free(shift);
    return status;
}

static farsum_status wave_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *(const struct boxes_args *)args;
    s->kern = isa_m2l_host_plane_wave[s->args.isa][s->args.precision
                                                   == FARSUM_F32];
    GO(wave_choose(&s->args, &s->waves));
    s->plan.size = multipole_size(s->args.p);
    s->plan.ws = s->args.ws;
    s->plan.waves = wave_places(&s->waves);
    GO(wave_prepare(s));
    *state = s;
    s = NULL;
done:
    wave_destroy(s);
    return status;
}

static int wave_has_children(const struct tree *tree, int64_t box)
{
    return tree->dense || tree->child[box + 1] > tree->child[box];
}

static farsum_status wave_set(void *state, const struct points *sources,
                              const struct points *targets)
{
    struct state *s = state;
    const struct tree *tree = sources->tree;
    int64_t n = tree->first[tree->depth], at = 0, most = 0;
    (void)targets;
    TRY(MEM_RESERVE(s->row_of, &s->have_row_of, n + 1));
    TRY(MEM_RESERVE(s->parent, &s->have_parent, n + 1));
    for (int level = 0; level < tree->depth; level++) {
        s->begin[level] = at;
        for (int64_t b = tree->first[level]; b < tree->first[level + 1]; b++) {
            int there = wave_has_children(tree, b);
            s->row_of[b] = there ? at - s->begin[level] : -1;
            if (there)
                s->parent[at++] = b;
        }
        most = at - s->begin[level] > most ? at - s->begin[level] : most;
    }
    s->begin[tree->depth] = at;
    return mem_reserve(&s->merged, &s->have_merged,
                       most * WAVE_GROUPS * 4 * s->plan.waves,
                       (size_t)boxes_real(&s->args));
}

/* Copies children's coefficients into a row [coefficient][octant]; zeros for
 * missing children. */
static void wave_row(const struct state *s, const struct boxes_io *io,
                     int level, int64_t parent, void *row)
{
    for (int octant = 0; octant < 8; octant++) {
        int64_t box = tree_child(io->tree, level, parent, octant);
        for (int k = 0; k < s->plan.size; k++)
            boxes_set(&s->args, row, 8 * k + octant,
                      box < 0 ? 0
                              : boxes_number(&s->args, io->multipole,
                                             s->plan.number[k] * io->stride
                                                 + box));
    }
}

static void wave_give(const struct state *s, const struct boxes_io *io,
                      int level, int64_t parent, const void *row)
{
    for (int octant = 0; octant < 8; octant++) {
        int64_t box = tree_child(io->tree, level, parent, octant);
        for (int k = 0; box >= 0 && k < s->plan.size; k++)
            boxes_set(&s->args, io->local,
                      s->plan.number[k] * io->stride + box,
                      boxes_number(&s->args, row, 8 * k + octant));
    }
}

static void wave_near(const struct state *s, const struct tree *tree,
                      int level, int64_t parent, int64_t *near)
{
    int64_t place[3], to[3], ws = s->args.ws;
    tree_place(tree, level, parent, place);
    for (to[2] = place[2] - ws; to[2] <= place[2] + ws; to[2]++)
        for (to[1] = place[1] - ws; to[1] <= place[1] + ws; to[1]++)
            for (to[0] = place[0] - ws; to[0] <= place[0] + ws; to[0]++) {
                int64_t box = tree_find(tree, level, to);
                *near++ = box < 0 ? -1 : s->row_of[box];
            }
}

static void wave_level(const struct state *s, const struct boxes_io *io,
                       int level)
{
    int64_t first = s->begin[level], n = s->begin[level + 1] - first;
    int64_t row = WAVE_GROUPS * 4 * s->plan.waves;
    size_t real = (size_t)boxes_real(&s->args);
    int threads = s->args.threads;
    PAR_FOR(threads, schedule(dynamic, 8))
    for (int64_t i = 0; i < n; i++) {
        int t = omp_get_thread_num();
        wave_row(s, io, level, s->parent[first + i], s->row[t]);
        s->kern->out(&s->plan, s->row[t],
                     (char *)s->merged + (size_t)(i * row) * real,
                     s->workspace[t]);
    }
    PAR_FOR(threads, schedule(dynamic, 8))
    for (int64_t i = 0; i < n; i++) {
        int t = omp_get_thread_num();
        if (!tree_aim(io->tree, level, s->parent[first + i]))
            continue;
        wave_near(s, io->tree, level, s->parent[first + i], s->near[t]);
        s->kern->in(&s->plan, s->merged, s->near[t], s->row[t],
                    s->workspace[t]);
        wave_give(s, io, level, s->parent[first + i], s->row[t]);
    }
}

static farsum_status wave_run(void *state, const void *io)
{
    const struct boxes_io *boxes = io;
    for (int level = 0; level < boxes->tree->depth; level++)
        wave_level(state, boxes, level);
    return FARSUM_OK;
}

const struct variant m2l_host_plane_wave = {
    .fits = wave_fits,
    .cost = wave_cost,
    .bytes = wave_bytes,
    .create = wave_create,
    .set = wave_set,
    .run = wave_run,
    .destroy = wave_destroy,
    .deterministic = 1,
    .needs = "",
    .error = wave_error,
};
