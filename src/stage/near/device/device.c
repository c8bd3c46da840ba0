/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: common host code of the near variants on devices. */
#include "stage/near/device/device.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hypot.h"
#include "base/mem.h"
#include "points/device/ordering.h"
#include "stage/device.h"
#include "cost/expected_rates.h"

enum {
    UNIT_BITS = 29, /* f32: log2 of the most raw units per cutoff */
    CELLS_A_POINT = 16,
    CELLS_LEAST = 4096,
    CELLS_TRIED = 4, /* cells per cutoff */
};

_Static_assert(sizeof(struct near_cells) == 168,
               "must match stage/near/device/cells.kh");
_Static_assert(FARSUM_POTENTIAL == 1 && FARSUM_FIELD == 2 && FARSUM_ENERGY == 4
                   && FARSUM_VIRIAL == 8 && FARSUM_GRADIENT == 32,
               "must match stage/near/device/cells.kh");

farsum_status near_gpu_fits(const void *args)
{
    const struct near_args *a = args;
    if (a->team[0] != 0 || a->team[1] != 0)
        FAIL(ERR_UNSUPPORTED, "does not accept near_team");
    return near_gpu_teams_fit(a);
}

farsum_status near_gpu_teams_fit(const struct near_args *a)
{
    if (a->cells < 0 || a->cells > NEAR_CELLS)
        FAIL(ERR_UNSUPPORTED,
             "%d cells per cutoff; use 1 to %d, or 0 for the variant's choice",
             a->cells, NEAR_CELLS);
    return gpu_wanted(a->device);
}

void near_gpu_density(const struct near_args *args, const double own[3],
                      double a_cutoff[3])
{
    for (int d = 0; d < 3; d++)
        a_cutoff[d] = args->cells ? args->cells * own[d] / own[0] : own[d];
}

/* Finer cells must save a twentieth, since sorting into them takes longer. */
#define WORTH 0.95

int near_gpu_best(const struct near_args *args,
                  double (*seconds)(const struct near_args *args, int cells))
{
    int best = args->cells ? args->cells : 1;
    double least = INFINITY;
    for (int cells = 1; !args->cells && cells <= CELLS_TRIED; cells++) {
        double here = seconds(args, cells);
        if (here < WORTH * least) {
            least = here;
            best = cells;
        }
    }
    return best;
}

void near_gpu_says(int cells, char *text, size_t size)
{
    snprintf(text, size, "%d cell%s per cutoff", cells, cells == 1 ? "" : "s");
}

double near_gpu_busy(const struct near_args *a, double operations, double share)
{
    double n = (double)(a->n_targets ? a->n_targets : a->n_sources);
    return n * operations / (share * gpu_rates(a->device, a->precision).flops);
}

double near_gpu_seconds(const struct near_args *a, double operations,
                        double share)
{
    return near_gpu_busy(a, operations, share) + 2e-5;
}

double near_gpu_alone(const struct near_args *args, double times)
{
    const struct device_properties *properties = &args->device->properties;
    return properties->subgroup > 1 || properties->integrated ? 1 : times;
}

double near_gpu_waiting(const struct near_args *a, double steps, double seconds)
{
    return hypot_of(seconds, steps * gpu_rates(a->device, a->precision).wait);
}

void near_gpu_begin(struct near_gpu *g, const struct near_args *args,
                    const char *file, int group)
{
    const struct pair *pair = near_kernel(args);
    struct jit *jit = &g->jit;
    g->args = *args;
    g->range = 1;
    jit_begin(jit, args->device, file, args->precision);
    jit_define(jit, "GROUP", "%d", group);
    jit_define(jit, "PAIR", "%s", pair->name);
    jit_define(jit, "STRENGTHS", "%d", pair->strengths);
    jit_define(jit, "VALUES", "%d", pair->values);
    for (int k = 0; k < pair->polys; k++) {
        int terms = near_terms(args->poly, k);
        char name[24];
        snprintf(name, sizeof name, "TERMS_%d", k);
        jit_define(jit, name, "%d", terms);
        snprintf(name, sizeof name, "NEAR_%d", k);
        jit_define_table(jit, name, args->poly->c[k], terms);
    }
    jit_define_real(jit, "SOFT", args->soft > near_skip(args) ? args->soft : 0);
    unsigned values = FARSUM_POTENTIAL | FARSUM_ENERGY | FARSUM_VELOCITY;
    int moments = pair->kind->moments;
    jit_define(jit, "MOMENTS", "%d", moments);
    jit_define_real(jit, "KAPPA", moments ? pair->kappa : 0);
    jit_define(jit, "POT", "%d", moments || (args->outputs & values) != 0);
    unsigned fields = FARSUM_FIELD | FARSUM_VIRIAL;
    jit_define(jit, "FIELD", "%d", moments || (args->outputs & fields) != 0);
    jit_define(jit, "GRADIENT", "%d", (args->outputs & FARSUM_GRADIENT) != 0);
    jit_define(jit, "VIRIAL", "%d", (args->outputs & FARSUM_VIRIAL) != 0);
    jit_define(jit, "WIDE", "%d", args->wide);
    jit_begin(&g->cells_jit, args->device, "stage/near/device/cells.k",
              args->precision);
    jit_define(&g->cells_jit, "GROUP", "%d", group);
    jit_define(&g->cells_jit, "STRENGTHS", "%d", pair->strengths);
}

farsum_status near_gpu_build(struct near_gpu *g, int group)
{
    struct jit *cells = &g->cells_jit;
    TRY(jit_build(&g->jit));
    TRY(jit_build(cells));
    TRY(jit_kernel(cells, "near_place", group, 0, &g->place));
    TRY(jit_kernel(cells, "near_charges", group, 0, &g->charges));
    TRY(jit_kernel(cells, "near_fold", group, 0, &g->fold));
    return jit_kernel(cells, "near_total", group, 0, &g->total);
}

farsum_status near_gpu_sums(struct near_gpu *g, const char *name, int group)
{
    char longer[40];
    TRY(jit_kernel(&g->jit, name, group, 0, &g->sum));
    if (!(g->args.outputs & FARSUM_VIRIAL))
        return FARSUM_OK;
    snprintf(longer, sizeof longer, "%s_virial", name);
    return jit_kernel(&g->jit, longer, group, 0, &g->sum_virial);
}

static void placed_clear(struct near_placed *p)
{
    buf_clear(&p->x);
    buf_clear(&p->cell);
    gpu_ordering_release(&p->sort);
    buf_clear(&p->more);
}

void near_gpu_destroy(void *state)
{
    struct near_gpu *g = state;
    if (!g)
        return;
    placed_clear(&g->source);
    placed_clear(&g->target);
    buf_clear(&g->q);
    buf_clear(&g->q_target);
    buf_clear(&g->record);
    buf_clear(&g->folded);
    if (g->jit.device)
        jit_clear(&g->jit);
    if (g->cells_jit.device)
        jit_clear(&g->cells_jit);
    mem_free(g);
}

/* Sets the cells along each axis, fewer than requested if there would be many
 * for n points; returns their total number. */
static double near_count(const struct cell *cell, const double a_cutoff[3],
                         int64_t n, int32_t nb[3])
{
    double most = (double)CELLS_A_POINT * (double)n + CELLS_LEAST, all = most;
    for (double part = 1; all >= most; part *= 0.9) {
        all = 1;
        for (int d = 0; d < 3; d++) {
            double wide = floor(fmin(part * a_cutoff[d] * cell->height[d],
                                     1e9));
            nb[d] = wide > 1 ? (int32_t)wide : 1;
            all *= nb[d];
        }
    }
    return all;
}

static void near_grid(struct near_gpu *g, const double a_cutoff[3], int64_t n)
{
    const struct cell *cell = g->args.cell;
    struct near_cells *c = &g->cells;
    near_count(cell, a_cutoff, n, c->nb);
    for (int d = 0; d < 3; d++)
        c->reach[d] = (int32_t)ceil(c->nb[d] * g->range / cell->height[d]);
}

/* Sets raw units, as many as keep the difference of any two tested points below
 * 2^31 of them. */
static void near_units(struct near_gpu *g)
{
    const struct cell *cell = g->args.cell;
    struct near_cells *c = &g->cells;
    double unit = 1, skip = near_skip(&g->args);
    if (g->args.precision == FARSUM_F32) {
        /* listed pairs may separate by as much as the lists reach beyond the
         * cutoff */
        double far = 2 * g->range - 1;
        for (int j = 0; j < 3; j++) {
            double x = 0;
            for (int d = 0; d < 3; d++)
                x += fabs(cell->a[3 * d + j]) * (c->reach[d] + 1) / c->nb[d];
            far = fmax(far, x);
        }
        unit = ldexp(1, UNIT_BITS);
        while (far * unit >= 0x1p31)
            unit /= 2;
    }
    for (int k = 0; k < 9; k++) {
        c->a[k] = unit * cell->a[k];
        c->image[k] = unit > 1 ? (int32_t)(uint32_t)llrint(c->a[k]) : 0;
    }
    c->per_raw = 1 / unit;
    c->skip = skip * skip;
}

static farsum_status near_place(struct near_gpu *g, const struct points *points,
                                struct near_placed *p)
{
    struct device *device = g->args.device;
    int64_t real = gpu_real(g->args.precision);
    if (!points->gpu)
        FAIL(ERR_INTERNAL, "near: the points are not on the plan's device");
    TRY(gpu_ordering_sort(points->gpu, g->cells.nb, 1, &p->sort));
    p->n = points->n;
    TRY(buf_reserve(&p->x, device, 3 * p->n * real));
    TRY(buf_reserve(&p->cell, device, 4 * p->n));
    if (g->cells.more)
        TRY(buf_reserve(&p->more, device, 24 * p->n));
    g->cells.n = p->n;
    return LAUNCH(&g->place, kernel_groups(&g->place, p->n),
                  ARG_BUF(&p->sort->s), ARG_BUF(&p->x), ARG_BUF(&p->cell),
                  ARG_BUF(g->cells.more ? &p->more : &p->x),
                  ARG_STRUCT(g->cells));
}

/* Bytes of the sorted strengths of n points. */
static int64_t near_q_bytes(const struct near_args *args, int64_t n)
{
    return n * near_kernel(args)->strengths * gpu_real(args->precision);
}

/* Whether targets apart from the sources need their strengths. */
static int near_totals(const struct near_args *args)
{
    return (args->outputs & (FARSUM_ENERGY | FARSUM_VIRIAL)) != 0;
}

farsum_status near_gpu_set(struct near_gpu *g, const double a_cutoff[3],
                           int more, const struct points *sources,
                           const struct points *targets)
{
    g->ready = 0;
    g->same = !targets || targets == sources;
    g->cells.more = more;
    near_grid(g, a_cutoff, sources->n);
    near_units(g);
    TRY(near_place(g, sources, &g->source));
    if (!g->same)
        TRY(near_place(g, targets, &g->target));
    TRY(buf_reserve(&g->q, g->args.device, near_q_bytes(&g->args, sources->n)));
    if (!g->same && near_totals(&g->args))
        TRY(buf_reserve(&g->q_target, g->args.device,
                        near_q_bytes(&g->args, targets->n)));
    g->ready = 1;
    return FARSUM_OK;
}

farsum_status near_gpu_records(struct near_gpu *g, int64_t groups)
{
    struct device *device = g->args.device;
    TRY(buf_reserve(&g->record, device, 8 * NEAR_RECORD * groups));
    return buf_reserve(&g->folded, device, 8 * NEAR_RECORD * NEAR_FOLDED);
}

farsum_status near_gpu_ends(struct near_gpu *g, const struct near_io *io,
                            struct near_ends *ends)
{
    const struct near_placed *source = &g->source;
    const struct buf *none = &g->source.sort->start;
    if (!g->ready)
        FAIL(ERR_STATE, "near: no points are set; set them before a sum");
    if (!g->same && (io->energy || io->virial)
        && !(io->q_targets && near_totals(&g->args)))
        FAIL(ERR_ARGUMENT, "near: energy and virial require targets that are "
                           "the sources, or q_targets and outputs that "
                           "include them");
    if (io->gradient && !(g->args.outputs & FARSUM_GRADIENT))
        FAIL(ERR_INTERNAL, "near: the gradient is not among the plan's "
                           "outputs");
    *ends = (struct near_ends){
        .source = source,
        .target = near_gpu_placed(g),
        .q_target = g->same                 ? &g->q
                    : near_totals(&g->args) ? &g->q_target
                                            : none,
        .potential = io->potential ? io->potential : none,
        .field = io->field ? io->field : none,
        .gradient = io->gradient ? io->gradient : none,
        .record = &g->record,
    };
    g->cells.n = ends->target->n;
    g->cells.want =
        (io->potential ? FARSUM_POTENTIAL : 0) | (io->field ? FARSUM_FIELD : 0)
        | (io->energy ? FARSUM_ENERGY : 0) | (io->virial ? FARSUM_VIRIAL : 0)
        | (io->gradient ? FARSUM_GRADIENT : 0);
    return FARSUM_OK;
}

static farsum_status near_sort(struct near_gpu *g, const void *q,
                               const struct near_placed *of, struct buf *sorted)
{
    return LAUNCH(&g->charges, kernel_groups(&g->charges, of->n), ARG_BUF(q),
                  ARG_BUF(&of->sort->item), ARG_BUF(sorted), ARG_I64(of->n));
}

/* Sorts the strengths of targets apart from the sources, if they are needed. */
static farsum_status near_sort_targets(struct near_gpu *g,
                                       const struct near_io *io)
{
    if (g->same || (!io->energy && !io->virial))
        return FARSUM_OK;
    return near_sort(g, io->q_targets, &g->target, &g->q_target);
}

farsum_status near_gpu_strengths(struct near_gpu *g, const struct near_io *io,
                                 struct near_ends *ends)
{
    TRY(near_gpu_ends(g, io, ends));
    TRY(near_sort_targets(g, io));
    return near_sort(g, io->q, &g->source, &g->q);
}

int64_t near_side_bytes(const struct near_args *args)
{
    int strengths = near_kernel(args)->strengths;
    return 16
           * (int64_t)(args->precision == FARSUM_F32 ? (strengths + 6) / 4
                                                     : (strengths + 4) / 2);
}

farsum_status near_side_create(struct near_side *side, struct near_gpu *g,
                               int group)
{
    return jit_kernel(&g->jit, "near_pack", group, 0, &side->pack);
}

farsum_status near_side_set(struct near_side *side, struct near_gpu *g)
{
    return buf_reserve(&side->at, g->args.device,
                       near_side_bytes(&g->args) * g->source.n);
}

farsum_status near_side_run(struct near_side *side, struct near_gpu *g,
                            const struct near_io *io, struct near_ends *ends)
{
    TRY(near_gpu_ends(g, io, ends));
    TRY(near_sort_targets(g, io));
    return LAUNCH(&side->pack, kernel_groups(&side->pack, g->source.n),
                  ARG_BUF(io->q), ARG_BUF(&g->source.sort->item),
                  ARG_BUF(&g->source.x), ARG_BUF(&g->q), ARG_BUF(&side->at),
                  ARG_I64(g->source.n));
}

int near_gpu_share(const struct near_args *args, int least, int most)
{
    double n = near_targets(args);
    double full = gpu_threads(args->device);
    const int step = args->device->properties.subgroup;
    int share = least < step ? least : step;
    if (step <= 1)
        return 1;
    if (args->team[1] != 0)
        return args->team[1];
    while (share < most && share < step && share * n < full)
        share *= 2;
    return share;
}

farsum_status near_gpu_sources_fit(const struct near_args *a)
{
    TRY(near_gpu_teams_fit(a));
    int share = near_gpu_share(a, 1, 1), step = a->device->properties.subgroup;
    step = step > 1 ? step : 1;
    if (a->team[0] != 0)
        FAIL(ERR_UNSUPPORTED,
             "near_team is %d x %d; only threads over sources can be set, "
             "such as 0 x 16",
             a->team[0], a->team[1]);
    if (share < 1 || share > step || (share & (share - 1)) != 0)
        FAIL(ERR_UNSUPPORTED,
             "%d threads per target; use a power of two up to %d, or 0 for "
             "the variant's choice",
             share, step);
    return FARSUM_OK;
}

farsum_status near_gpu_total(struct near_gpu *g, const struct near_io *io,
                             int64_t groups)
{
    int32_t want = g->cells.want;
    const struct buf *from = &g->record;
    if (!io->energy && !io->virial)
        return FARSUM_OK;
    if (groups > NEAR_FOLDED) {
        TRY(LAUNCH(&g->fold, NEAR_FOLDED, ARG_BUF(&g->record),
                   ARG_BUF(&g->folded), ARG_I64(groups), ARG_I32(want)));
        groups = NEAR_FOLDED;
        from = &g->folded;
    }
    /* unused outputs are not written */
    return LAUNCH(&g->total, 1, ARG_BUF(from),
                  ARG_BUF(io->energy ? io->energy : from),
                  ARG_BUF(io->virial ? io->virial : from), ARG_I64(groups),
                  ARG_I32(want));
}

int64_t near_gpu_bytes(const struct near_args *args, const double a_cutoff[3],
                       int more, int64_t records)
{
    int32_t nb[3];
    double cells = near_count(args->cell, a_cutoff, args->n_sources, nb);
    int64_t real = gpu_real(args->precision);
    int64_t n = args->n_sources + args->n_targets;
    int apart = args->n_targets > 0;
    return n * (3 * real + 4 + 24 * more)
           + gpu_ordering_bytes(n, (1 + apart) * (int64_t)cells, 0)
           + near_q_bytes(args, args->n_sources
                                    + (near_totals(args) ? args->n_targets : 0))
           + records * 8 * NEAR_RECORD;
}

void near_gpu_looks(const struct near_args *args, const double a_cutoff[3],
                    double *looked, double *summed)
{
    const struct cell *cell = args->cell;
    const double ball = 4 * M_PI / 3;
    int32_t nb[3];
    double e[3], all = near_count(cell, a_cutoff, args->n_sources, nb);
    double around = cell->volume / all;
    for (int d = 0; d < 3; d++) {
        e[d] = cell->height[d] / nb[d];
        around *= 2 * ceil(nb[d] / cell->height[d]) + 1;
    }
    /* the ball around every point of a box */
    double box = e[0] * e[1] * e[2]
                 + 2 * (e[0] * e[1] + e[1] * e[2] + e[2] * e[0])
                 + M_PI * (e[0] + e[1] + e[2]) + ball;
    *looked = around / ball;
    *summed =
        args->device->properties.subgroup > 1 ? fmin(box, around) / ball : 1;
}

double near_gpu_ops(const struct near_args *args, const double a_cutoff[3],
                    struct work *work)
{
    double n = near_targets(args) * args->neighbours, looked, summed;
    near_gpu_looks(args, a_cutoff, &looked, &summed);
    near_ops_looked(args, n * looked, work);
    if (args->precision != FARSUM_F32) /* from raw units, as in f32 */
        count_calls(&work->count, COUNT_MUL, 3 * n * looked);
    near_ops_arrays(args, work);
    work->launches++; /* the launch that sorts the strengths */
    work->read += 4 * (double)args->n_sources;
    return n * summed;
}

double near_work(const struct near_args *args)
{
    const struct pair *pair = near_kernel(args);
    double coefficients = pair->polys * (double)args->poly->n;
    if (pair->kind->moments) { /* f_3 is only for second derivatives */
        int virial = (args->outputs & FARSUM_VIRIAL) != 0;
        int gradient = (args->outputs & FARSUM_GRADIENT) != 0;
        return 62 + 30 * pair->kind->screened + 29 * gradient + 60 * virial
               + (3 + (gradient || virial)) * (double)args->poly->n;
    }
    return 25 + coefficients + 6 * (pair->strengths - 1);
}
