/* SPDX-License-Identifier: Apache-2.0 */
/* rotation_kern.c: loops of the host variants that translate axis by axis, for
 * each instruction set and precision. */
#include "stage/shift/rotation.h"

#include "base/simd.h"

enum { V = AXES_VECTORS, TILE = V * W, COLUMN = MULTIPOLE_MOST + 1 };
_Static_assert((int)TILE <= (int)AXES_TILE_MOST,
               "must match stage/shift/rotation.h");

/* One expansion of each box of a tile: in a family's array, or, if boxes is
 * NULL, in the workspace. */
struct place {
    real *x;
    int64_t stride;
    const struct axes_boxes *boxes;
};

/* Degrees of one order: real and imaginary parts. */
struct column {
    vreal v[COLUMN][2][V];
};

SIMD_FN struct place in_workspace(void *workspace, int p, int number)
{
    return (struct place){(real *)workspace
                              + (int64_t)number * multipole_size(p) * TILE,
                          TILE, NULL};
}

SIMD_FN struct place in_array(const struct axes_family *f, int number)
{
    return (struct place){f->array, f->stride, &f->boxes[number]};
}

/* x[at[i]], 0 for missing boxes. */
SIMD_FN vreal gather(const real *x, const int32_t *at, const int32_t *is)
{
    typedef int32_t numbers __attribute__((vector_size(4 * W)));
    vreal v = v_set(0);
    numbers n;
    memcpy(&n, is, sizeof n);
    for (int i = 0; i < W; i++)
        v[i] = x[at[i]];
    return v_where(__builtin_convertvector(n, vmask), v);
}

SIMD_FN void load(const struct place *from, int number, vreal v[V])
{
    const struct axes_boxes *o = from->boxes;
    const real *x = from->x + number * from->stride;
    if (o && o->first < 0) {
        for (int b = 0; b < V; b++)
            v[b] = v_set(0);
        return;
    }
    x += o ? o->first : 0;
    if (!o || o->run) {
        for (int b = 0; b < V; b++)
            v[b] = v_load(x + b * W);
        return;
    }
    for (int b = 0; b < V; b++)
        v[b] = gather(x, o->at + b * W, o->is + b * W);
}

/* add: 1: adds to the existing value. */
SIMD_FN void store(const struct place *to, int number, const vreal v[V],
                   const int add)
{
    const struct axes_boxes *o = to->boxes;
    real *x = to->x + number * to->stride;
    if (o && o->first < 0)
        return;
    x += o ? o->first : 0;
    if (!o || o->run) {
        for (int b = 0; b < V; b++)
            v_store(x + b * W, add ? v_load(x + b * W) + v[b] : v[b]);
        return;
    }
    real part[TILE];
    for (int b = 0; b < V; b++)
        v_store(part + b * W, v[b]);
    for (int i = 0; i < o->count; i++) {
        int which = o->which[i];
        x[o->at[which]] = (add ? x[o->at[which]] : 0) + part[which];
    }
}

/* Stores the real and imaginary part of degree n, order m; turn: x and y
 * exchanged. */
SIMD_FN void store_order(const struct place *to, int n, int m, const int sides,
                         vreal v[2][V], const int turn, const int add)
{
    for (int side = 0; side < sides; side++) {
        int number = multipole_at(n, side ? -m : m);
        if (turn) {
            int sign;
            number = axes_exchanged(n, m, side, &sign);
            for (int b = 0; b < V; b++)
                v[side][b] *= v_set(R(sign));
        }
        store(to, number, v[side], add);
    }
}

/* Several rows of a product: to[r] = sum of t[r terms + i] x[i]. */
SIMD_FN const real *swap_rows(const int rows, const real *t, int terms,
                              const real *x, int64_t step, real *to)
{
    vreal sum[4][V];
    for (int r = 0; r < rows; r++)
        for (int b = 0; b < V; b++)
            sum[r][b] = v_set(0);
    for (int i = 0; i < terms; i++, x += step)
        for (int b = 0; b < V; b++) {
            vreal v = v_load(x + b * W);
            for (int r = 0; r < rows; r++)
                sum[r][b] += v_set(t[r * terms + i]) * v;
        }
    for (int r = 0; r < rows; r++)
        for (int b = 0; b < V; b++)
            v_store(to + r * step + b * W, sum[r][b]);
    return t + rows * terms;
}

/* As many rows as terms. */
static const real *swap_block(int terms, const real *t, const real *x,
                              int64_t step, real *to)
{
    int rows = terms;
    for (; rows >= 4; rows -= 4, to += 4 * step)
        t = swap_rows(4, t, terms, x, step, to);
    if (rows >= 2) {
        t = swap_rows(2, t, terms, x, step, to);
        to += 2 * step;
    }
    return rows % 2 ? swap_rows(1, t, terms, x, step, to) : t;
}

/* Exchanges x and z: for each degree four blocks, each with every other row and
 * column. */
static void swap(const struct axes_tables *tables, const struct place *from,
                 const struct place *to)
{
    const real *t = tables->swap;
    for (int n = 0; n <= tables->p; n++) {
        const real *x = from->x + (int64_t)multipole_at(n, 0) * TILE;
        real *y = to->x + (int64_t)multipole_at(n, 0) * TILE;
        for (int64_t row = 0; row <= 1 && row <= n; row++) {
            int64_t column = (n + row) % 2;
            t = swap_block((n - (int)row) / 2 + 1, t, x + column * TILE,
                           2 * TILE, y + row * TILE);
        }
        for (int64_t row = 1; row <= 2 && row <= n; row++) {
            int64_t column = 2 - (n + row + 1) % 2;
            t = swap_block((n - (int)row) / 2 + 1, t, x - column * TILE,
                           -2 * TILE, y - row * TILE);
        }
    }
}

/* Rows i and i + 2, or only i if not two, of one order's lower triangle. */
SIMD_FN void merge_rows(const real *t, const struct column *u, int i,
                        const int two, const int sides, vreal to[2][2][V])
{
    const real *row = t + i * (i + 1) / 2;
    const real *other = t + (i + 2) * (i + 3) / 2;
    for (int r = 0; r <= two; r++)
        for (int s = 0; s < sides; s++)
            for (int b = 0; b < V; b++)
                to[r][s][b] = v_set(0);
    for (int k = 0; k <= i; k++)
        for (int s = 0; s < sides; s++)
            for (int b = 0; b < V; b++) {
                to[0][s][b] += v_set(row[k]) * u->v[k][s][b];
                if (two)
                    to[1][s][b] += v_set(other[k]) * u->v[k][s][b];
            }
    for (int k = i + 1; k <= i + 2 && two; k++)
        for (int s = 0; s < sides; s++)
            for (int b = 0; b < V; b++)
                to[1][s][b] += v_set(other[k]) * u->v[k][s][b];
}

/* Merges order m of two children. */
SIMD_FN void merge_order(int p, int m, const real *t,
                         const struct place from[2], const struct place *to,
                         const int sides, const int turn)
{
    struct column u[2]; /* used by rows of even, odd n - m */
    for (int k = m; k <= p; k++)
        for (int s = 0; s < sides; s++) {
            vreal minus[V], plus[V];
            load(&from[0], multipole_at(k, s ? -m : m), minus);
            load(&from[1], multipole_at(k, s ? -m : m), plus);
            for (int b = 0; b < V; b++) {
                u[(k - m) % 2].v[k - m][s][b] = plus[b] + minus[b];
                u[(k - m + 1) % 2].v[k - m][s][b] = plus[b] - minus[b];
            }
        }
    for (int first = 0; first <= 1; first++)
        for (int i = first; i <= p - m; i += 4) {
            vreal sum[2][2][V];
            if (i + 2 > p - m) {
                merge_rows(t, &u[first], i, 0, sides, sum);
                store_order(to, m + i, m, sides, sum[0], turn, 0);
                continue;
            }
            merge_rows(t, &u[first], i, 1, sides, sum);
            store_order(to, m + i, m, sides, sum[0], turn, 0);
            store_order(to, m + i + 2, m, sides, sum[1], turn, 0);
        }
}

/* Merges two children on an axis, minus and plus, at the point between them. */
SIMD_FN void merge(int p, const real *t, const struct place from[2],
                   const struct place *to, const int turn)
{
    merge_order(p, 0, t, from, to, 1, turn);
    for (int m = 1; m <= p; m++) {
        t += (p - m + 2) * (p - m + 3) / 2;
        merge_order(p, m, t, from, to, 2, turn);
    }
}

/* Splits order m to two children, the reverse. */
SIMD_FN void split_order(int p, int m, const real *t, const struct place *from,
                         const struct place to[2], const int sides,
                         const int turn, const int add)
{
    struct column u;
    for (int k = m; k <= p; k++)
        for (int s = 0; s < sides; s++)
            load(from, multipole_at(k, s ? -m : m), u.v[k - m][s]);
    for (int i = 0; i <= p - m; i++) {
        vreal sum[2][2][V]; /* of k - n even, odd */
        for (int s = 0; s < sides; s++)
            for (int b = 0; b < V; b++)
                sum[0][s][b] = sum[1][s][b] = v_set(0);
        int k = i;
        for (; k < p - m; k += 2, t += 2)
            for (int s = 0; s < sides; s++)
                for (int b = 0; b < V; b++) {
                    sum[0][s][b] += v_set(t[0]) * u.v[k][s][b];
                    sum[1][s][b] += v_set(t[1]) * u.v[k + 1][s][b];
                }
        vreal last = v_set(k == p - m ? *t++ : 0);
        for (int s = 0; s < sides; s++)
            for (int b = 0; b < V; b++) {
                vreal odd = sum[1][s][b];
                if (k == p - m)
                    sum[0][s][b] += last * u.v[k][s][b];
                sum[1][s][b] = sum[0][s][b] + odd;
                sum[0][s][b] -= odd;
            }
        for (int side = 0; side <= 1; side++)
            store_order(&to[side], m + i, m, sides, sum[side], turn, add);
    }
}

SIMD_FN void split(int p, const real *t, const struct place *from,
                   const struct place to[2], const int turn, const int add)
{
    split_order(p, 0, t, from, to, 1, turn, add);
    for (int m = 1; m <= p; m++) {
        t += (p - m + 2) * (p - m + 3) / 2;
        split_order(p, m, t, from, to, 2, turn, add);
    }
}

/* Not inlined: called three times. */
static void merge_turned(int p, const real *t, const struct place from[2],
                         const struct place *to)
{
    merge(p, t, from, to, 1);
}

static void split_turned(int p, const real *t, const struct place *from,
                         const struct place to[2])
{
    split(p, t, from, to, 1, 0);
}

/* From or to the parents: exchanges x and y. */
SIMD_FN void parents(int p, const struct place *from, const struct place *to)
{
    for (int n = 0; n <= p; n++)
        for (int m = 0; m <= n; m++)
            for (int side = 0; side <= (m > 0); side++) {
                vreal v[V];
                int sign, number = axes_exchanged(n, m, side, &sign);
                load(from, multipole_at(n, side ? -m : m), v);
                for (int b = 0; b < V; b++)
                    v[b] *= v_set(R(sign));
                store(to, number, v, 0);
            }
}

/* Order of the coordinates: x, y, z; after the swap z, y, x; exchanged y, z, x,
 * swapped x, z, y; exchanged z, x, y, swapped y, x, z; exchanged x, y, z. */
static void up(const struct axes_tables *tables, const struct axes_family *f,
               void *workspace)
{
    int p = tables->p;
    const struct place own = in_workspace(workspace, p, 0);
    const struct place pair[2] = {in_workspace(workspace, p, 1),
                                  in_workspace(workspace, p, 2)};
    const struct place half[2] = {in_workspace(workspace, p, 3),
                                  in_workspace(workspace, p, 4)};
    for (int y = 0; y < 2; y++) {
        for (int x = 0; x < 2; x++) {
            const struct place child[2] = {in_array(f, x + 2 * y),
                                           in_array(f, x + 2 * y + 4)};
            merge(p, tables->shift[2], child, &own, 0);
            swap(tables, &own, &pair[x]);
        }
        merge_turned(p, tables->shift[0], pair, &own);
        swap(tables, &own, &half[y]);
    }
    merge_turned(p, tables->shift[1], half, &own);
    swap(tables, &own, &pair[0]);
    const struct place parent = in_array(f, AXES_PARENT);
    parents(p, &pair[0], &parent);
}

static void down(const struct axes_tables *tables, const struct axes_family *f,
                 void *workspace)
{
    int p = tables->p;
    const struct place own = in_workspace(workspace, p, 0);
    const struct place pair[2] = {in_workspace(workspace, p, 1),
                                  in_workspace(workspace, p, 2)};
    const struct place half[2] = {in_workspace(workspace, p, 3),
                                  in_workspace(workspace, p, 4)};
    const struct place parent = in_array(f, AXES_PARENT);
    parents(p, &parent, &own);
    swap(tables, &own, &pair[0]);
    split_turned(p, tables->shift[1], &pair[0], half);
    for (int y = 0; y < 2; y++) {
        swap(tables, &half[y], &own);
        split_turned(p, tables->shift[0], &own, pair);
        for (int x = 0; x < 2; x++) {
            const struct place child[2] = {in_array(f, x + 2 * y),
                                           in_array(f, x + 2 * y + 4)};
            swap(tables, &pair[x], &own);
            split(p, tables->shift[2], &own, child, 0, 1);
        }
    }
}

extern const struct axes_kern ISA_NAME(boxes_axes);
const struct axes_kern ISA_NAME(boxes_axes) = {TILE, up, down};
