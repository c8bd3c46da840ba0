/* SPDX-License-Identifier: Apache-2.0 */
/* host_rotation_make.c: tables of the host variants by rotation, and their
 * tiles. */
#include "stage/m2l/rotation/host_rotation_make.h"

#include <math.h>
#include <string.h>

#include "base/hypot.h"
#include "base/mem.h"
#include "base/par.h"
#include "points/wrap.h"
#include "stage/m2l/rotation/counts.h"

#define QUARTER 1.5707963267948966 /* a quarter turn */

ISA_TABLE(struct rotation_kern, m2l_host_rotation)

/* Workspace of one thread; owned. */
struct host_thread {
    void *x, *sum; /* [size][tile] */
    int64_t *at;   /* [offset][tile]: source, -1: none */
    struct tree_far *list;
};

struct host_rotation {
    struct boxes_args args;
    const struct rotation_kern *kern;
    struct rotation_tables tables;
    void *swap, *shift, *turn, *whole; /* owned; turn: [offset] */
    int64_t *angle;             /* owned: [offset], index of its matrices in
                                   whole */
    int64_t angles, matrix;     /* elements of one matrix, there or back */
    struct host_thread *thread; /* owned, [threads] */
    int64_t *order, have_order; /* owned: boxes of a level by octant */
    int64_t begin[TREE_DEPTH + 2][9]; /* begin of each octant in order */
};

static int64_t rotation_offsets(const struct boxes_args *a)
{
    int64_t side = boxes_far_side(a->ws);
    return side * side * side;
}

/* Number of real and imaginary parts of all degrees. */
static int64_t rotation_matrix(int p)
{
    int64_t all = 0;
    for (int64_t n = 0; n <= p; n++)
        all += (n + 1) * (n + 1) + n * n;
    return all;
}

/* Converts numbers to the precision; the caller owns the result. */
static farsum_status rotation_take(const struct boxes_args *a, int64_t n,
                                   const double *from, void **to)
{
    TRY(mem_alloc(to, n, (size_t)boxes_real(a), 1));
    for (int64_t i = 0; i < n; i++)
        boxes_set(a, *to, i, from[i]);
    return FARSUM_OK;
}

/* In the kernel's order: elements that are not zero by symmetry. */
static void rotation_swap_table(int n, const double *b, double **to)
{
    int wide = 2 * n + 1;
    for (int m = 0; m <= n; m++)
        for (int l = (n + m) % 2; l <= n; l += 2)
            *(*to)++ = b[(n + m) * wide + n + l];
    for (int m = 1; m <= n; m++)
        for (int l = (n + m) % 2 ? 2 : 1; l <= n; l += 2)
            *(*to)++ = b[(n - m) * wide + n - l];
}

/* Multiplies a degree's coefficients by e^(i m angle). */
static void rotation_about_z(int n, double angle, double *x)
{
    for (int m = 1; m <= n; m++) {
        double c = cos(m * angle), t = sin(m * angle);
        double re = x[n + m], im = x[n - m];
        x[n + m] = c * re - t * im;
        x[n - m] = t * re + c * im;
    }
}

static void rotation_exchange(int n, const double *b, double *x)
{
    double y[ROTATION_COLUMN];
    for (int i = 0; i <= 2 * n; i++) {
        y[i] = 0;
        for (int j = 0; j <= 2 * n; j++)
            y[i] += b[i * (2 * n + 1) + j] * x[j];
    }
    memcpy(x, y, (size_t)(2 * n + 1) * sizeof *x);
}

/* The rotation of a degree about y.  Two swaps rotate about x, so a quarter
 * turn about z is applied before and after.  t: workspace for a matrix. */
static void rotation_whole(int n, const double *b, double beta, double *t,
                           double **to)
{
    int wide = 2 * n + 1;
    for (int j = 0; j < wide; j++) {
        double x[ROTATION_COLUMN] = {0};
        x[j] = 1;
        rotation_about_z(n, QUARTER, x);
        rotation_exchange(n, b, x);
        rotation_about_z(n, beta, x);
        rotation_exchange(n, b, x);
        rotation_about_z(n, -QUARTER, x);
        for (int i = 0; i < wide; i++)
            t[i * wide + j] = x[i];
    }
    for (int m = 0; m <= n; m++)
        for (int l = 0; l <= n; l++)
            *(*to)++ = t[(n + m) * wide + n + l];
    for (int m = 1; m <= n; m++)
        for (int l = 1; l <= n; l++)
            *(*to)++ = t[(n - m) * wide + n - l];
}

static farsum_status rotation_operators(struct host_rotation *s)
{
    const struct boxes_args *a = &s->args;
    int p = a->p;
    farsum_status status = FARSUM_OK;
    double *b = NULL, *table = NULL, *to;
    GO(MEM_RAW(b, ROTATION_COLUMN * ROTATION_COLUMN));
    GO(MEM_RAW(table, multipole_swaps(p) + rotation_shifts(p)));
    to = table;
    for (int n = 0; n <= p; n++) {
        multipole_swap(n, b);
        rotation_swap_table(n, b, &to);
    }
    GO(rotation_take(a, multipole_swaps(p), table, &s->swap));
    to = table;
    for (int m = 0; m <= p; m++)
        for (int n = m; n <= p; n++)
            for (int k = m; k <= p; k++)
                *to++ = ((n + m) % 2 ? -1 : 1) * multipole_factor(n, m, k, -m);
    GO(rotation_take(a, rotation_shifts(p), table, &s->shift));
    s->tables = (struct rotation_tables){p, s->swap, s->shift};
done:
    mem_free(b);
    mem_free(table);
    return status;
}

/* Offset number `at` of the cube of offsets; returns 1 if it is a far one. */
static int rotation_offset(const struct boxes_args *a, int64_t at, double r[3])
{
    int64_t side = boxes_far_side(a->ws);
    int32_t d[3], half = 2 * a->ws + 1;
    for (int x = 0; x < 3; x++) {
        d[x] = (int32_t)(at % side) - half;
        at /= side;
        r[x] = d[x] * a->box[x];
    }
    return boxes_far(a->ws, d);
}

/* Rotations of all vectors; beta: of each. */
static farsum_status rotation_turns(struct host_rotation *s, int whole,
                                    double *beta)
{
    const struct boxes_args *a = &s->args;
    int64_t n = rotation_offsets(a), one = rotation_turn(a->p);
    int p = a->p;
    farsum_status status = FARSUM_OK;
    double *turn = NULL, r[3];
    GO(MEM_NEW(turn, n * one));
    for (int64_t i = 0; i < n; i++) {
        double *t = turn + i * one;
        beta[i] = -1;
        if (!rotation_offset(a, i, r))
            continue;
        double rho = hypot_of(r[0], r[1]), radius = hypot_of(rho, r[2]);
        double alpha = atan2(r[0], r[1]) - (whole ? QUARTER : 0);
        beta[i] = atan2(rho, r[2]);
        for (int m = 0; m <= p; m++) {
            t[2 * m] = cos(m * alpha);
            t[2 * m + 1] = sin(m * alpha);
            t[2 * (p + 1 + m)] = cos(m * beta[i]);
            t[2 * (p + 1 + m) + 1] = sin(m * beta[i]);
        }
        for (int k = 0; k <= p + 1; k++)
            t[4 * (p + 1) + k] = pow(radius, -k);
    }
    GO(rotation_take(a, n * one, turn, &s->turn));
done:
    mem_free(turn);
    return status;
}

/* Numbers the angles; computes two matrices for each, there and back. */
static farsum_status rotation_angles(struct host_rotation *s,
                                     const double *beta)
{
    const struct boxes_args *a = &s->args;
    int64_t n = rotation_offsets(a), one = rotation_matrix(a->p);
    farsum_status status = FARSUM_OK;
    double *found = NULL, *b = NULL, *t = NULL, *table = NULL, *to;
    GO(MEM_RAW(found, n));
    GO(MEM_RAW(b, ROTATION_COLUMN * ROTATION_COLUMN));
    GO(MEM_RAW(t, ROTATION_COLUMN * ROTATION_COLUMN));
    for (int64_t i = 0; i < n; i++) {
        int64_t k = 0;
        while (k < s->angles && fabs(found[k] - beta[i]) > 1e-14)
            k++;
        if (k == s->angles && beta[i] >= 0)
            found[s->angles++] = beta[i];
        s->angle[i] = k;
    }
    s->matrix = one;
    GO(MEM_RAW(table, 2 * one * s->angles));
    to = table;
    for (int64_t k = 0; k < 2 * s->angles; k++)
        for (int m = 0; m <= a->p; m++) {
            multipole_swap(m, b);
            rotation_whole(m, b, k % 2 ? found[k / 2] : -found[k / 2], t, &to);
        }
    GO(rotation_take(a, 2 * one * s->angles, table, &s->whole));
done:
    mem_free(found);
    mem_free(b);
    mem_free(t);
    mem_free(table);
    return status;
}

static farsum_status rotation_threads(struct host_rotation *s)
{
    const struct boxes_args *a = &s->args;
    int64_t near = 2 * a->ws + 1, tile = s->kern->tile;
    TRY(MEM_NEW(s->thread, a->threads));
    for (int t = 0; t < a->threads; t++) {
        struct host_thread *h = &s->thread[t];
        TRY(mem_alloc(&h->x, multipole_size(a->p) * tile, (size_t)boxes_real(a),
                      1));
        TRY(mem_alloc(&h->sum, multipole_size(a->p) * tile,
                      (size_t)boxes_real(a), 1));
        TRY(MEM_RAW(h->at, rotation_offsets(a) * tile));
        TRY(MEM_RAW(h->list, 7 * near * near * near));
    }
    return FARSUM_OK;
}

void stacked_destroy(void *state)
{
    struct host_rotation *s = state;
    if (!s)
        return;
    for (int t = 0; s->thread && t < s->args.threads; t++) {
        mem_free(s->thread[t].x);
        mem_free(s->thread[t].sum);
        mem_free(s->thread[t].at);
        mem_free(s->thread[t].list);
    }
    mem_free(s->thread);
    mem_free(s->swap);
    mem_free(s->shift);
    mem_free(s->turn);
    mem_free(s->whole);
    mem_free(s->angle);
    mem_free(s->order);
    mem_free(s);
}

farsum_status stacked_create(const struct boxes_args *args, int whole,
                             void **state)
{
    farsum_status status = FARSUM_OK;
    struct host_rotation *s = NULL;
    double *beta = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *args;
    s->kern = isa_m2l_host_rotation[args->isa][args->precision == FARSUM_F32];
    GO(MEM_RAW(beta, rotation_offsets(args)));
    GO(MEM_RAW(s->angle, rotation_offsets(args)));
    GO(rotation_operators(s));
    GO(rotation_turns(s, whole, beta));
    if (whole)
        GO(rotation_angles(s, beta));
    GO(rotation_threads(s));
    *state = s;
    s = NULL;
done:
    mem_free(beta);
    stacked_destroy(s);
    return status;
}

/* Loads multipoles of the tile's sources at an offset; 0 for boxes without
 * one. */
static void tile_gather(const struct host_rotation *s,
                        const struct boxes_io *io, const int64_t *at, void *x)
{
    const struct boxes_args *a = &s->args;
    int tile = s->kern->tile, k = multipole_size(a->p), whole = at[0] >= 0;
    for (int i = 1; i < tile; i++)
        whole = whole && at[i] == at[0] + i;
    for (int j = 0; j < k; j++) {
        int64_t from = j * io->stride, to = (int64_t)j * tile;
        if (whole && a->precision == FARSUM_F32)
            memcpy((float *)x + to, (const float *)io->multipole + from + at[0],
                   (size_t)tile * 4);
        else if (whole)
            memcpy((double *)x + to,
                   (const double *)io->multipole + from + at[0],
                   (size_t)tile * 8);
        for (int i = 0; i < tile && !whole; i++)
            boxes_set(a, x, to + i,
                      at[i] < 0 ? 0
                                : boxes_number(a, io->multipole, from + at[i]));
    }
}

static void rotation_tile(const struct host_rotation *s,
                          const struct boxes_io *io, int level,
                          const int64_t *box, int n, struct host_thread *h)
{
    const struct boxes_args *a = &s->args;
    int tile = s->kern->tile, k = multipole_size(a->p);
    int64_t offsets = rotation_offsets(a);
    size_t real = (size_t)boxes_real(a);
    memset(h->at, 0xff, (size_t)(offsets * tile) * sizeof *h->at);
    memset(h->sum, 0, (size_t)(k * tile) * real);
    for (int i = 0; i < n; i++) {
        int64_t far = tree_far(io->tree, level, box[i], h->list);
        for (int64_t l = 0; l < far; l++)
            h->at[boxes_far_number(a->ws, h->list[l].d) * tile + i] =
                h->list[l].box;
    }
    for (int64_t o = 0; o < offsets; o++) {
        const int64_t *at = h->at + o * tile;
        struct rotation_vector v = {
            .turn = (char *)s->turn + (size_t)(o * rotation_turn(a->p)) * real};
        int any = 0;
        for (int i = 0; i < n; i++)
            any |= at[i] >= 0;
        if (!any)
            continue;
        if (s->whole) {
            size_t one = (size_t)s->matrix * real;
            v.there = (char *)s->whole + (size_t)s->angle[o] * 2 * one;
            v.back = (const char *)v.there + one;
        }
        tile_gather(s, io, at, h->x);
        s->kern->pair(&s->tables, &v, h->x, h->sum);
    }
    for (int j = 0; j < k; j++)
        for (int i = 0; i < n; i++)
            boxes_set(a, io->local, j * io->stride + box[i],
                      boxes_number(a, h->sum, (int64_t)j * tile + i));
}

static int octant_of(const struct tree *t, int level, int64_t box)
{
    int64_t place[3];
    tree_place(t, level, box, place);
    return (int)((place[0] & 1) | (place[1] & 1) << 1 | (place[2] & 1) << 2);
}

/* Sorts the boxes of a level whose locals are needed by octant; lists are alike
 * in an octant. */
farsum_status stacked_set(void *state, const struct points *sources,
                          const struct points *targets)
{
    struct host_rotation *s = state;
    const struct tree *t = sources->tree;
    (void)targets;
    TRY(MEM_RESERVE(s->order, &s->have_order, t->n_boxes));
    for (int level = 1; level <= t->depth; level++) {
        int64_t *begin = s->begin[level];
        memset(begin, 0, sizeof s->begin[level]);
        for (int64_t b = t->first[level]; b < t->first[level + 1]; b++)
            begin[octant_of(t, level, b) + 1] += tree_aim(t, level, b);
        begin[0] = t->first[level];
        for (int o = 0; o < 8; o++)
            begin[o + 1] += begin[o];
        int64_t next[8];
        memcpy(next, begin, sizeof next);
        for (int64_t b = t->first[level]; b < t->first[level + 1]; b++)
            if (tree_aim(t, level, b))
                s->order[next[octant_of(t, level, b)]++] = b;
    }
    return FARSUM_OK;
}

/* Number of tiles of the octants before o. */
static int64_t rotation_tiles(const struct host_rotation *s, int level, int o)
{
    int64_t tiles = 0;
    for (int k = 0; k < o; k++)
        tiles +=
            (s->begin[level][k + 1] - s->begin[level][k] + s->kern->tile - 1)
            / s->kern->tile;
    return tiles;
}

farsum_status stacked_run(void *state, const void *data)
{
    struct host_rotation *s = state;
    const struct boxes_io *io = data;
    for (int level = 1; level <= io->tree->depth; level++) {
        int64_t all = rotation_tiles(s, level, 8);
        PAR_FOR(s->args.threads, schedule(dynamic))
        for (int64_t i = 0; i < all; i++) {
            int o = 0;
            while (i >= rotation_tiles(s, level, o + 1))
                o++;
            int64_t from = s->begin[level][o]
                           + (i - rotation_tiles(s, level, o)) * s->kern->tile;
            int64_t n = s->begin[level][o + 1] - from;
            rotation_tile(s, io, level, s->order + from,
                          (int)(n < s->kern->tile ? n : s->kern->tile),
                          &s->thread[omp_get_thread_num()]);
        }
    }
    return FARSUM_OK;
}

/* Multiply-adds per pair. */
static double rotation_pair(int p, int whole)
{
    double k = multipole_size(p);
    return (whole ? 2 * (double)rotation_matrix(p)
                  : 4 * (double)multipole_swaps(p) + 4 * k)
           + 2 * (double)rotation_shifts(p) - (p + 1.0) * (p + 1.0) + 7 * k;
}

int64_t stacked_bytes(const struct boxes_args *a, int whole)
{
    int64_t offsets = rotation_offsets(a), near = 2 * a->ws + 1;
    int64_t tile =
        isa_m2l_host_rotation[a->isa][a->precision == FARSUM_F32]->tile;
    int64_t size = multipole_size(a->p), real = boxes_real(a);
    /* number of angles: at most half of the offsets */
    return real
               * (multipole_swaps(a->p) + rotation_shifts(a->p)
                  + offsets * rotation_turn(a->p)
                  + (whole ? offsets / 2 * rotation_matrix(a->p) : 0))
           + 8 * offsets
           + a->threads
                 * (2 * size * tile * real + 8 * offsets * tile
                    + 7 * near * near * near * (int64_t)sizeof(struct tree_far))
           + 8 * a->n_boxes;
}

/* A model: one SIMD multiply-add every fourth cycle, at 3 GHz. */
double stacked_cost(const struct boxes_args *a, int whole)
{
    double lanes = boxes_lanes(a);
    double far = 7 * pow(2 * a->ws + 1, 3);
    return boxes_aims(a) * (double)a->n_boxes * far * rotation_pair(a->p, whole)
           / (lanes * 1.7e9 * par_threads(a->threads));
}
