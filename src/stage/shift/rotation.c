/* SPDX-License-Identifier: Apache-2.0 */
/* rotation.c: tables and tiles of the host variants that translate axis by
 * axis. */
#include "stage/shift/rotation.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"

ISA_TABLE(struct axes_kern, boxes_axes)

struct axes {
    struct boxes_args args;
    const struct axes_kern *kern;
    struct axes_tables tables;
    void *table[4];             /* owned: exchange matrices, and the
                                   translations of each axis */
    void *workspace;            /* owned: [threads][AXES_CAPACITY][size]
                                   [tile] */
    struct axes_family *family; /* owned: [threads] */
    int up;
};

int64_t axes_shifts(int p)
{
    int64_t all = 0;
    for (int64_t n = 1; n <= p + 1; n++)
        all += n * (n + 1) / 2;
    return all;
}

static const struct axes_kern *axes_kern(const struct boxes_args *a)
{
    return isa_boxes_axes[a->isa][a->precision == FARSUM_F32];
}

/* Seven translations of real and imaginary parts, and seven exchanges. */
double axes_work(int p)
{
    return 7.0 * (double)(2 * axes_shifts(p) - (p + 1) * (p + 2) / 2)
           + 7.0 * (double)multipole_swaps(p);
}

void axes_ops(const void *args, struct work *work)
{
    const struct boxes_args *a = args;
    double parents = (double)(a->n_boxes - a->n_leaves);
    double real = (double)boxes_real(a), k = multipole_size(a->p);
    count_calls(&work->count, COUNT_FMA, parents * axes_work(a->p));
    work->read += real * (double)a->n_boxes * k;
    work->written += real * (double)a->n_boxes * k;
    work->launches += a->device ? a->depth : 0;
}

/* As measured on one core of an Intel Xeon (AVX-512): multiply-adds;
 * coefficients read and written, for a sparse tree one by one; and a constant
 * per parent. */
double axes_cost(const void *args)
{
    const struct boxes_args *a = args;
    double parents = (double)(a->n_boxes - a->n_leaves);
    double lanes = boxes_lanes(a), size = multipole_size(a->p);
    return parents
               * (axes_work(a->p) * 0.75e-9 / lanes
                  + 9 * size * (a->dense ? 3.2e-9 / lanes : 2.3e-9) + 1e-7)
               / a->threads
           + 1e-6;
}

/* Workspace of a thread, in reals. */
static int64_t axes_capacity(const struct boxes_args *a)
{
    return AXES_CAPACITY * (int64_t)multipole_size(a->p) * axes_kern(a)->tile;
}

int64_t axes_bytes(const void *args)
{
    const struct boxes_args *a = args;
    return boxes_real(a)
               * (multipole_swaps(a->p) + 3 * axes_shifts(a->p)
                  + a->threads * axes_capacity(a))
           + a->threads * (int64_t)sizeof(struct axes_family);
}

/* n! / (k! (n - k)!) */
static double choices(int n, int k)
{
    long double all = 1;
    for (int i = 1; i <= k; i++)
        all = all * (n - k + i) / i;
    return (double)all;
}

/* The elements of (10.11) that the kernel reads, in its order: rows m, m + 2,
 * .. from m = 0 and 1, for imaginary parts from 1 and 2. */
static double *swap_table(int n, const double *b, double *to)
{
    int wide = 2 * n + 1;
    for (int sign = 1; sign >= -1; sign -= 2)
        for (int begin = sign < 0; begin <= 1 + (sign < 0); begin++)
            for (int m = begin; m <= n; m += 2) {
                int l = (n + m) % 2 + (sign < 0);
                for (; l <= n; l += 2)
                    *to++ = b[(n + sign * m) * wide + n + sign * l];
            }
    return to;
}

/* The translation from a child (10.6) has a factor 2^-k, that to a child (10.8)
 * 2^-(n + 1); it is applied along z. */
double axes_shift(const struct boxes_args *a, int up, int axis, int n, int m,
                  int k)
{
    int high = up ? n : k, low = up ? k : n;
    double d[3];
    boxes_child(a, 7, d);
    return sqrt(choices(high - m, low - m) * choices(high + m, low + m))
           * pow(d[axis], high - low)
           * (axis == 2 ? ldexp(1, up ? -k : -n - 1) : 1);
}

static void shift_table(const struct boxes_args *a, int up, int axis,
                        double *to)
{
    for (int m = 0; m <= a->p; m++)
        for (int n = m; n <= a->p; n++)
            for (int k = up ? m : n; k <= (up ? n : a->p); k++)
                *to++ = axes_shift(a, up, axis, n, m, k);
}

static farsum_status axes_take(struct axes *s, int table, const double *from,
                               int64_t n)
{
    TRY(mem_alloc(&s->table[table], n, (size_t)boxes_real(&s->args), 0));
    for (int64_t i = 0; i < n; i++)
        boxes_set(&s->args, s->table[table], i, from[i]);
    return FARSUM_OK;
}

static farsum_status axes_make(struct axes *s)
{
    const struct boxes_args *a = &s->args;
    int64_t swaps = multipole_swaps(a->p), shifts = axes_shifts(a->p);
    int wide = 2 * a->p + 1;
    farsum_status status = FARSUM_OK;
    double *table = NULL, *b = NULL, *to;
    GO(MEM_RAW(b, wide * wide));
    GO(MEM_RAW(table, swaps > shifts ? swaps : shifts));
    to = table;
    for (int n = 0; n <= a->p; n++) {
        multipole_swap(n, b);
        to = swap_table(n, b, to);
    }
    GO(axes_take(s, 3, table, swaps));
    for (int axis = 0; axis < 3; axis++) {
        shift_table(a, s->up, axis, table);
        GO(axes_take(s, axis, table, shifts));
    }
    s->tables = (struct axes_tables){
        a->p, s->table[3], {s->table[0], s->table[1], s->table[2]}};
done:
    mem_free(table);
    mem_free(b);
    return status;
}

void axes_destroy(void *state)
{
    struct axes *s = state;
    if (!s)
        return;
    for (int i = 0; i < 4; i++)
        mem_free(s->table[i]);
    mem_free(s->workspace);
    mem_free(s->family);
    mem_free(s);
}

farsum_status axes_create(const void *args, int up, void **state)
{
    farsum_status status = FARSUM_OK;
    struct axes *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *(const struct boxes_args *)args;
    s->kern = axes_kern(&s->args);
    s->up = up;
    GO(axes_make(s));
    GO(mem_alloc(&s->workspace, s->args.threads * axes_capacity(&s->args),
                 (size_t)boxes_real(&s->args), 0));
    GO(MEM_NEW(s->family, s->args.threads));
    *state = s;
    s = NULL;
done:
    axes_destroy(s);
    return status;
}

static void boxes_of(const int64_t *box, int tile, struct axes_boxes *to)
{
    to->first = -1;
    to->run = 1;
    to->count = 0;
    for (int b = 0; b < tile; b++) {
        int is = box[b] >= 0;
        if (is && to->first < 0)
            to->first = box[b];
        if (is)
            to->which[to->count++] = b;
        to->is[b] = -is;
        to->at[b] = is ? (int32_t)(box[b] - to->first) : 0;
        to->run &= is && to->at[b] == b;
    }
}

/* Children of box b into child[octant][i]; returns their number. */
static int children_of(const struct tree *tree, int level, int64_t b, int i,
                       int64_t child[8][AXES_TILE_MOST])
{
    if (tree->dense) {
        for (int octant = 0; octant < 8; octant++)
            child[octant][i] = tree_child(tree, level, b, octant);
        return 8;
    }
    for (int64_t c = tree->child[b]; c < tree->child[b + 1]; c++)
        child[tree->key[c] & 7][i] = c;
    return (int)(tree->child[b + 1] - tree->child[b]);
}

/* Parents first .. first + n - 1 and their children; returns 0 if there are
 * none. */
static int family_of(const struct tree *tree, int level, int64_t first,
                     int64_t n, int tile, struct axes_family *f)
{
    int64_t parent[AXES_TILE_MOST], child[8][AXES_TILE_MOST];
    memset(child, 0xff, sizeof child);
    memset(parent, 0xff, sizeof parent);
    for (int i = 0; i < n; i++)
        if (children_of(tree, level, first + i, i, child) > 0)
            parent[i] = first + i;
    for (int octant = 0; octant < 8; octant++)
        boxes_of(child[octant], tile, &f->boxes[octant]);
    boxes_of(parent, tile, &f->boxes[AXES_PARENT]);
    return f->boxes[AXES_PARENT].first >= 0;
}

void axes_level(void *state, const struct boxes_io *io, int level, void *array)
{
    const struct axes *s = state;
    int64_t tile = s->kern->tile, end = io->tree->first[level + 1];
    size_t each = (size_t)(axes_capacity(&s->args) * boxes_real(&s->args));
    PAR_FOR(s->args.threads, schedule(dynamic))
    for (int64_t b = io->tree->first[level]; b < end; b += tile) {
        int thread = omp_get_thread_num();
        struct axes_family *f = &s->family[thread];
        void *workspace = (char *)s->workspace + (size_t)thread * each;
        int64_t n = end - b < tile ? end - b : tile;
        if (!family_of(io->tree, level, b, n, (int)tile, f))
            continue;
        f->array = array;
        f->stride = io->stride;
        (s->up ? s->kern->up : s->kern->down)(&s->tables, f, workspace);
    }
}
