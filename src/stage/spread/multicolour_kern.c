/* SPDX-License-Identifier: Apache-2.0 */
/* multicolour_kern.c: adds points directly to the mesh.  A row of mesh points
 * is written in whole vectors and shorter pieces up to its last point exactly,
 * because another thread may write to the next point simultaneously. */
#include "stage/spread/multicolour_kern.h"

#include "math/window_simd.h"

enum { BATCH = 64, MOST = WINDOW_VECTORS_MAX, ROW_MOST = 2 * WINDOW_MAX };
#define LANES (SIMD_BYTES * 8 / FARSUM_BITS)

struct batch {
    int n;
    double s[3][BATCH];
    int64_t order[BATCH];
    real t[3][BATCH];
    int32_t at[3][BATCH];
};

/* Two, four or eight reals for the end of a row. */
#define PIECE(n)                                                               \
    typedef real v##n __attribute__((vector_size(n * sizeof(real)),            \
                                     aligned(sizeof(real)), may_alias))
#if LANES > 2
PIECE(2);
#endif
#if LANES > 4
PIECE(4);
#endif
#if LANES > 8
PIECE(8);
#endif

/* The weights of a row times its prefactor. */
struct row {
    vreal full[ROW_MOST / LANES + 1];
#if LANES > 2
    v2 two;
#endif
#if LANES > 4
    v4 four;
#endif
#if LANES > 8
    v8 eight;
#endif
    real one;
};

/* Sets `n` reals, a constant: whole vectors, then pieces. */
SIMD_FN void row_set(int n, struct row *row, const real *z, real w)
{
    int at = n / W * W;
#pragma GCC unroll 16
    for (int v = 0; v < n / W; v++)
        row->full[v] = v_load(z + v * W) * v_set(w);
#if LANES > 8
    if (n & 8) {
        row->eight = *(const v8 *)(z + at) * w;
        at += 8;
    }
#endif
#if LANES > 4
    if (n & 4) {
        row->four = *(const v4 *)(z + at) * w;
        at += 4;
    }
#endif
#if LANES > 2
    if (n & 2) {
        row->two = *(const v2 *)(z + at) * w;
        at += 2;
    }
#endif
    if (n & 1)
        row->one = z[at] * w;
}

SIMD_FN void row_add(int n, real *to, const struct row *row, real w)
{
    int at = n / W * W;
#pragma GCC unroll 16
    for (int v = 0; v < n / W; v++)
        v_store(to + v * W, v_load(to + v * W) + row->full[v] * v_set(w));
#if LANES > 8
    if (n & 8) {
        *(v8 *)(to + at) += row->eight * w;
        at += 8;
    }
#endif
#if LANES > 4
    if (n & 4) {
        *(v4 *)(to + at) += row->four * w;
        at += 4;
    }
#endif
#if LANES > 2
    if (n & 2) {
        *(v2 *)(to + at) += row->two * w;
        at += 2;
    }
#endif
    if (n & 1)
        to[at] += row->one * w;
}

/* Weights of a point along the axes, and their mesh indices. */
struct stencil {
    real x[MOST * W], y[MOST * W], z[MOST * W];
    const int64_t *at[3];
};

/* z[P parts]: weights along axis 2 times one strength. */
SIMD_FN void strength_set(int P, int parts, const struct stencil *s,
                          const real *q, real *z)
{
#pragma GCC unroll 32
    for (int j = 0; j < P * parts; j++)
        z[j] = s->z[j / parts] * q[j % parts];
}

/* Adds the rows of a window that is contiguous on the mesh. */
SIMD_FN void add_inside(int P, int parts, const struct stencil *s,
                        const real *q, real *mesh)
{
    real z[ROW_MOST];
    strength_set(P, parts, s, q, z);
    mesh += s->at[2][0];
    for (int a = 0; a < P; a++) {
        struct row row;
        real *plane = mesh + s->at[0][a];
        row_set(P * parts, &row, z, s->x[a]);
#pragma GCC unroll 16
        for (int b = 0; b < P; b++)
            row_add(P * parts, plane + s->at[1][b], &row, s->y[b]);
    }
}

/* Adds the rows of a wrapped window; nothing is dropped. */
SIMD_FN void add_wrapped(int P, int parts, const struct stencil *s,
                         const real *q, real *mesh)
{
    real z[ROW_MOST], row[ROW_MOST];
    strength_set(P, parts, s, q, z);
    for (int a = 0; a < P; a++) {
#pragma GCC unroll 32
        for (int j = 0; j < P * parts; j++)
            row[j] = z[j] * s->x[a];
        for (int b = 0; b < P; b++) {
            real *to = mesh + s->at[0][a] + s->at[1][b], w = s->y[b];
#pragma GCC unroll 32
            for (int j = 0; j < P * parts; j++)
                to[s->at[2][j / parts] + j % parts] += row[j] * w;
        }
    }
}

/* Adds a window of which some part is off the mesh. */
static __attribute__((noinline)) void
add_edge(int P, int parts, const struct stencil *s, const real *q, real *mesh)
{
    real z[ROW_MOST];
    strength_set(P, parts, s, q, z);
    for (int a = 0; a < P; a++)
        for (int b = 0; b < P; b++) {
            if (s->at[0][a] < 0 || s->at[1][b] < 0)
                continue;
            real *row = mesh + s->at[0][a] + s->at[1][b];
            real w = s->x[a] * s->y[b];
            for (int j = 0; j < P * parts; j++)
                if (s->at[2][j / parts] >= 0)
                    row[s->at[2][j / parts] + j % parts] += w * z[j];
        }
}

enum place { EDGE, WRAPPED, INSIDE };

SIMD_FN enum place place_of(int P, int parts, const struct stencil *s)
{
    const int64_t *x = s->at[0], *y = s->at[1], *z = s->at[2];
    if ((x[0] | x[P - 1] | y[0] | y[P - 1] | z[0] | z[P - 1]) < 0)
        return EDGE;
    return z[P - 1] == z[0] + (P - 1) * parts ? INSIDE : WRAPPED;
}

SIMD_FN void batch_add(int P, int parts, const struct multicolour_job *job,
                       const struct batch *batch)
{
    int V = WINDOW_VECTORS(P);
    for (int i = 0; i < batch->n; i++) {
        real t[3] = {batch->t[0][i], batch->t[1][i], batch->t[2][i]};
        vreal w[3 * MOST];
        struct stencil s;
        window_weights(P, 3, job->coef, job->degree, t, w);
#pragma GCC unroll 8
        for (int v = 0; v < V; v++) {
            v_store(s.x + v * W, w[v]);
            v_store(s.y + v * W, w[V + v]);
            v_store(s.z + v * W, w[2 * V + v]);
        }
        for (int d = 0; d < 3; d++)
            s.at[d] = job->place[d] + batch->at[d][i];
        enum place place = place_of(P, parts, &s);
        const real *q =
            (const real *)job->q + batch->order[i] * job->q_point;
        real *mesh = job->mesh;
        for (int ch = 0; ch < job->channels; ch++) {
            if (place == INSIDE)
                add_inside(P, parts, &s, q, mesh);
            else if (place == WRAPPED)
                add_wrapped(P, parts, &s, q, mesh);
            else
                add_edge(P, parts, &s, q, mesh);
            q += job->q_channel;
            mesh += job->mesh_channel;
        }
    }
}

typedef void batch_fn(const struct multicolour_job *job,
                      const struct batch *batch);

#define ADD(P)                                                                 \
    static void real_##P(const struct multicolour_job *job,                    \
                         const struct batch *batch)                            \
    {                                                                          \
        batch_add(P, 1, job, batch);                                           \
    }                                                                          \
    static void complex_##P(const struct multicolour_job *job,                 \
                            const struct batch *batch)                         \
    {                                                                          \
        batch_add(P, 2, job, batch);                                           \
    }
WINDOW_SUPPORTS(ADD)

static batch_fn *const add_fn[WINDOW_MAX + 1][2] = {
#define ROW(P) [P] = {real_##P, complex_##P},
    WINDOW_SUPPORTS(ROW)};

static void batch_run(const struct multicolour_job *job, struct batch *batch)
{
    memset(batch->at, 0, sizeof batch->at);
    for (int d = 0; d < 3; d++)
        window_place(batch->n, batch->s[d], job->size[d], job->support,
                     -WINDOW_MAX, 1, batch->at[d], batch->t[d]);
    add_fn[job->support][job->parts - 1](job, batch);
    batch->n = 0;
}

/* Strengths are scattered over memory, so they are prefetched while a batch
 * fills. */
static void points(const struct multicolour_job *job, int n,
                   const struct tiles_range *range)
{
    struct batch batch;
    batch.n = 0;
    for (int r = 0; r < n; r++)
        for (int64_t k = range[r].from; k < range[r].to; k++) {
            __builtin_prefetch((const real *)job->q
                               + job->order[k] * job->q_point);
            for (int d = 0; d < 3; d++)
                batch.s[d][batch.n] = job->s[d][k];
            batch.order[batch.n++] = job->order[k];
            if (batch.n == BATCH)
                batch_run(job, &batch);
        }
    batch_run(job, &batch);
}

extern const struct multicolour_kern ISA_NAME(spread_multicolour);
const struct multicolour_kern ISA_NAME(spread_multicolour) = {W, points};
