/* SPDX-License-Identifier: Apache-2.0 */
/* host_dense: dense operators with mirror symmetry, (10.15).  The boxes at
 * (+-a0, +-a1, +-a2) share one operator.  Each of its blocks of even and odd
 * coefficients is applied once, to a signed sum of the eight.  39.5 of 189
 * products remain; tiles of adjacent boxes.  Wins at low orders. */
#include "stage/m2l/dense/host_dense.h"

#include <string.h>

#include "base/mem.h"
#include "points/wrap.h"

ISA_TABLE(struct dense_kern, m2l_host_dense)

static int64_t dense_tile(const struct boxes_args *a)
{
    return isa_m2l_host_dense[a->isa][a->precision == FARSUM_F32]->tile;
}

/* A thread's tile: x, local, and for a sparse tree the far lists. */
static int64_t dense_tile_bytes(const struct boxes_args *a)
{
    int64_t size = multipole_size(a->p), padded = size + 8 * DENSE_ROWS;
    return dense_tile(a) * boxes_real(a) * (8 * size + padded);
}

static double dense_cost(const void *args)
{
    const struct boxes_args *a = args;
    double size = multipole_size(a->p), side = 2 * a->ws + 1;
    double lanes = boxes_lanes(a);
    double list = 7 * side * side * side;
    /* products, and their reads and transforms; a fixed cost to read the
     * operators */
    double products = 0.21 * list * size * size;
    return boxes_aims(a) * (double)a->n_boxes
               * (products * 0.6e-9 + list * size * 2.6e-9) / lanes / a->threads
           + 1e-4;
}

static int64_t dense_bytes(const void *args)
{
    const struct boxes_args *a = args;
    int64_t size = multipole_size(a->p), most = 2 * a->ws + 2;
    return most * most * most * size * (size + 8 * DENSE_ROWS) * boxes_real(a)
           + a->threads * dense_tile_bytes(a)
           + 2 * a->n_boxes * size * boxes_real(a);
}

static void dense_destroy(void *state)
{
    struct dense *s = state;
    if (!s)
        return;
    for (int g = 0; g < s->n_groups; g++)
        mem_free(s->group[g].matrix);
    for (int t = 0; s->thread && t < s->args.threads; t++) {
        mem_free(s->thread[t].x);
        mem_free(s->thread[t].local);
        mem_free(s->thread[t].at);
        mem_free(s->thread[t].list);
    }
    mem_free(s->group);
    mem_free(s->thread);
    mem_free(s->classes.number);
    mem_free(s->copy);
    mem_free(s->lane);
    mem_free(s->parent);
    mem_free(s);
}

/* Bit mask of the mirrors of x, y, z under which coefficient (n, m) changes
 * sign. */
static int dense_class(int n, int m)
{
    int x = m < 0 ? m + 1 : m;
    return (x & 1) | (m < 0) << 1 | ((n + m) & 1) << 2;
}

static farsum_status dense_classes(struct dense *s)
{
    struct dense_classes *c = &s->classes;
    int at = 0, padded = 0;
    c->size = multipole_size(s->args.p);
    TRY(MEM_RAW(c->number, c->size));
    for (int k = 0; k < DENSE_CLASSES; k++) {
        c->begin[k] = at;
        c->padded[k] = padded;
        for (int n = 0; n <= s->args.p; n++)
            for (int m = -n; m <= n; m++)
                if (dense_class(n, m) == k)
                    c->number[at++] = multipole_at(n, m);
        padded += (at - c->begin[k] + DENSE_ROWS - 1) / DENSE_ROWS
                  * DENSE_ROWS;
    }
    c->begin[DENSE_CLASSES] = at;
    c->padded[DENSE_CLASSES] = padded;
    return FARSUM_OK;
}

/* Packs the operator t in the order of struct dense_group; returns the number
 * of its elements.  to NULL: only counts them. */
static int64_t dense_pack(const struct dense *s, const struct dense_group *g,
                          const double *t, void *to)
{
    const struct dense_classes *c = &s->classes;
    int64_t at = 0;
    for (int into = 0; into < DENSE_CLASSES; into++)
        for (int i = c->begin[into]; i < c->begin[into + 1]; i += DENSE_ROWS)
            for (int from = 0; from < DENSE_CLASSES; from++) {
                if ((into ^ from) & g->zero)
                    continue;
                for (int j = c->begin[from]; j < c->begin[from + 1]; j++)
                    for (int r = 0; r < DENSE_ROWS; r++, at++) {
                        int in = i + r < c->begin[into + 1];
                        if (to)
                            boxes_set(&s->args, to, at,
                                      in ? t[(int64_t)c->number[i + r]
                                                 * c->size
                                             + c->number[j]]
                                         : 0);
                    }
            }
    return at;
}

static farsum_status dense_group(struct dense *s, const int a[3], double *t)
{
    struct dense_group *g = &s->group[s->n_groups++];
    double d[3], field[MULTIPOLE_FIELD];
    int most = 2 * s->args.ws;
    for (int k = 0; k < 3; k++) {
        g->a[k] = a[k];
        d[k] = a[k] * s->args.box[k];
        g->zero |= (a[k] == 0) << k;
        g->two |= (a[k] > 0 && a[k] <= most) << k;
    }
    multipole_singular(2 * s->args.p, d, field);
    multipole_m2l(s->args.p, field, t);
    TRY(mem_alloc(&g->matrix, dense_pack(s, g, t, NULL),
                  (size_t)boxes_real(&s->args), 0));
    dense_pack(s, g, t, g->matrix);
    return FARSUM_OK;
}

static farsum_status dense_groups(struct dense *s)
{
    farsum_status status = FARSUM_OK;
    int most = 2 * s->args.ws + 1, a[3];
    int64_t size = s->classes.size;
    double *t = NULL;
    GO(MEM_NEW(s->group, (most + 1) * (most + 1) * (most + 1)));
    GO(MEM_RAW(t, size * size));
    for (a[2] = 0; a[2] <= most; a[2]++)
        for (a[1] = 0; a[1] <= most; a[1]++)
            for (a[0] = 0; a[0] <= most; a[0]++)
                if (a[0] > s->args.ws || a[1] > s->args.ws
                    || a[2] > s->args.ws)
                    GO(dense_group(s, a, t));
done:
    mem_free(t);
    return status;
}

static farsum_status dense_threads(struct dense *s)
{
    const struct boxes_args *a = &s->args;
    int64_t side = boxes_far_side(a->ws), near = 2 * a->ws + 1;
    size_t real = (size_t)boxes_real(a);
    TRY(MEM_NEW(s->thread, a->threads));
    for (int t = 0; t < a->threads; t++) {
        struct dense_thread *thread = &s->thread[t];
        TRY(mem_alloc(&thread->x, 8 * s->classes.size * dense_tile(a), real,
                      1));
        TRY(mem_alloc(&thread->local,
                      s->classes.padded[DENSE_CLASSES] * dense_tile(a), real,
                      1));
        TRY(MEM_RAW(thread->at,
                    (a->dense ? 1 : side * side * side) * dense_tile(a)));
        if (!a->dense)
            TRY(MEM_RAW(thread->list, 7 * near * near * near));
    }
    return FARSUM_OK;
}

static farsum_status dense_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct dense *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *(const struct boxes_args *)args;
    s->kern = isa_m2l_host_dense[s->args.isa][s->args.precision
                                              == FARSUM_F32];
    GO(dense_classes(s));
    GO(dense_groups(s));
    GO(dense_threads(s));
    *state = s;
    s = NULL;
done:
    dense_destroy(s);
    return status;
}

static farsum_status dense_set(void *state, const struct points *sources,
                               const struct points *targets)
{
    struct dense *s = state;
    const struct tree *tree = sources->tree;
    int64_t most = 0, lanes = 0, cells = 0;
    (void)targets;
    for (int level = 1; level <= tree->depth; level++) {
        int64_t copied = dense_level_cells(s, tree, level);
        most = copied > most ? copied : most;
    }
    most *= tree->dense ? 8 : 1;
    TRY(mem_reserve(&s->copy, &s->have_copy, most * s->classes.size,
                    (size_t)boxes_real(&s->args)));
    for (int level = 1; level <= tree->depth; level++) {
        lanes += tree->dense ? tree_boxes(tree, level - 1)
                             : tree_boxes(tree, level);
        cells += tree->dense ? dense_level_cells(s, tree, level) : 0;
    }
    TRY(MEM_RESERVE(s->lane, &s->have_lane, lanes));
    TRY(MEM_RESERVE(s->parent, &s->have_parent, cells));
    dense_lanes(s, tree);
    return FARSUM_OK;
}

static farsum_status dense_run(void *state, const void *io)
{
    const struct boxes_io *boxes = io;
    for (int level = 1; level <= boxes->tree->depth; level++)
        dense_level(state, boxes, level);
    return FARSUM_OK;
}

const struct variant m2l_host_dense = {
    .fits = boxes_host_fits,
    .cost = dense_cost,
    .bytes = dense_bytes,
    .create = dense_create,
    .set = dense_set,
    .run = dense_run,
    .destroy = dense_destroy,
    .deterministic = 1,
    .needs = "",
};
