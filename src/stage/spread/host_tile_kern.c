/* SPDX-License-Identifier: Apache-2.0 */
/* host_tile_kern.c: adds points to a tile.  For each point and channel, P^2
 * rows of P mesh points are loaded, updated and stored.  The stores limit the
 * speed. */
#include "stage/spread/host_tile_kern.h"

#include "math/window_simd.h"

enum { BATCH = 64 };

struct batch {
    int n;
    double s[3][BATCH];
    int64_t order[BATCH];
    real t[3][BATCH];
    int32_t at[BATCH];
};

typedef real vnarrow
    __attribute__((vector_size(16), aligned(sizeof(real)), may_alias));
enum { NARROW = 16 / (int)sizeof(real) };

/* row[0..P) += z w; the last vector is narrow where that suffices. */
SIMD_FN void row_add(int P, real *row, const vreal *z, real w)
{
    vreal wide = v_set(w);
    int tail = P % W, narrow = tail > 0 && tail <= NARROW && W > NARROW;
    int full = narrow ? P / W : WINDOW_VECTORS(P);
#pragma GCC unroll 8
    for (int v = 0; v < full; v++)
        v_store(row + v * W, v_load(row + v * W) + z[v] * wide);
#if SIMD_BYTES > 16
    if (narrow) {
        vnarrow x, y;
        memcpy(&x, &z[full], sizeof x);
        memcpy(&y, &wide, sizeof y);
        *(vnarrow *)(row + full * W) += x * y;
    }
#endif
}

/* Adds one point; tile: one channel at the point's first mesh point; z: the
 * weights along axis 2 times its strength. */
SIMD_FN void point_add(int P, const struct spread_job *job, real *tile,
                       const real *wx, const real *wy, const vreal *wz)
{
    int V = WINDOW_VECTORS(P), sx = job->stride[0], sy = job->stride[1];
    for (int a = 0; a < P; a++) {
        vreal z[WINDOW_VECTORS_MAX];
        real *row = tile;
#pragma GCC unroll 8
        for (int v = 0; v < V; v++)
            z[v] = wz[v] * v_set(wx[a]);
#pragma GCC unroll 16
        for (int b = 0; b < P; b++) {
            row_add(P, row, z, wy[b]);
            row += sy;
        }
        tile += sx;
    }
}

/* row[0..P) += z w + y dw. */
SIMD_FN void row_add_two(int P, real *row, const vreal *z, real w,
                         const vreal *y, real dw)
{
    vreal wide = v_set(w), slope = v_set(dw);
#pragma GCC unroll 8
    for (int v = 0; v < WINDOW_VECTORS(P); v++)
        v_store(row + v * W,
                v_load(row + v * W) + (z[v] * wide + y[v] * slope));
}

/* Weights along an axis, and their derivatives by t. */
struct slopes {
    real x[2][WINDOW_VECTORS_MAX * W], y[2][WINDOW_VECTORS_MAX * W];
    vreal z[2][WINDOW_VECTORS_MAX];
};

/* Adds one point with slopes; q: its charge, and slopes by t. */
SIMD_FN void point_slopes(int P, const struct spread_job *job, real *tile,
                          const struct slopes *w, const real q[4])
{
    int V = WINDOW_VECTORS(P), sx = job->stride[0], sy = job->stride[1];
    for (int a = 0; a < P; a++) {
        vreal z[WINDOW_VECTORS_MAX], y[WINDOW_VECTORS_MAX];
        real *row = tile;
        vreal of = v_set(q[0] * w->x[0][a] + q[1] * w->x[1][a]);
        vreal along = v_set(q[3] * w->x[0][a]);
        vreal across = v_set(q[2] * w->x[0][a]);
#pragma GCC unroll 8
        for (int v = 0; v < V; v++) {
            z[v] = w->z[0][v] * of + w->z[1][v] * along;
            y[v] = w->z[0][v] * across;
        }
#pragma GCC unroll 16
        for (int b = 0; b < P; b++) {
            row_add_two(P, row, z, w->y[0][b], y, w->y[1][b]);
            row += sy;
        }
        tile += sx;
    }
}

/* Adds a batch of points with slopes. */
SIMD_FN void batch_slopes(int P, const struct spread_job *job,
                          const struct batch *batch, const struct batch *next)
{
    enum { MOST = WINDOW_VECTORS_MAX };
    int V = WINDOW_VECTORS(P);
    for (int i = 0; i < batch->n; i++) {
        const real *q = (const real *)job->q + next->order[i] * job->q_point;
        __builtin_prefetch(q);
        real t[3] = {batch->t[0][i], batch->t[1][i], batch->t[2][i]};
        vreal w[3 * MOST], dw[3 * MOST];
        struct slopes s;
        window_weights_slopes(P, 3, job->coef, job->degree, t, w, dw);
#pragma GCC unroll 8
        for (int v = 0; v < V; v++) {
            v_store(s.x[0] + v * W, w[v]);
            v_store(s.x[1] + v * W, dw[v]);
            v_store(s.y[0] + v * W, w[V + v]);
            v_store(s.y[1] + v * W, dw[V + v]);
            s.z[0][v] = w[2 * V + v];
            s.z[1][v] = dw[2 * V + v];
        }
        q = (const real *)job->q + batch->order[i] * job->q_point;
        real by_t[4] = {q[0], -2 * q[1], -2 * q[2], -2 * q[3]};
        point_slopes(P, job, (real *)job->tile + batch->at[i], &s, by_t);
    }
}

/* Adds a batch.  next: the batch whose strengths, scattered over memory, are
 * prefetched.  one: one channel of one part; a constant, since loops around
 * point_add would cost registers. */
SIMD_FN void batch_add(int P, int one, const struct spread_job *job,
                       const struct batch *batch, const struct batch *next)
{
    enum { MOST = WINDOW_VECTORS_MAX };
    int V = WINDOW_VECTORS(P);
    int channels = one ? 1 : job->channels, parts = one ? 1 : job->parts;
    for (int i = 0; i < batch->n; i++) {
        const real *q = (const real *)job->q + next->order[i] * job->q_point;
        for (int ch = 0; ch < channels; ch++)
            __builtin_prefetch(q + ch * job->q_channel);
        real t[3] = {batch->t[0][i], batch->t[1][i], batch->t[2][i]};
        vreal w[3 * MOST], z[MOST];
        real wx[MOST * W], wy[MOST * W];
        window_weights(P, 3, job->coef, job->degree, t, w);
#pragma GCC unroll 8
        for (int v = 0; v < V; v++) {
            v_store(wx + v * W, w[v]);
            v_store(wy + v * W, w[V + v]);
        }
        q = (const real *)job->q + batch->order[i] * job->q_point;
        real *tile = (real *)job->tile + batch->at[i];
        for (int ch = 0; ch < channels; ch++, q += job->q_channel)
            for (int part = 0; part < parts; part++) {
#pragma GCC unroll 8
                for (int v = 0; v < V; v++)
                    z[v] = w[2 * V + v] * v_set(q[part]);
                point_add(P, job, tile, wx, wy, z);
                tile += job->tile_step;
            }
    }
}

typedef void batch_fn(const struct spread_job *job, const struct batch *batch,
                      const struct batch *next);

#define ADD(P)                                                                 \
    static void one_##P(const struct spread_job *job,                          \
                        const struct batch *batch, const struct batch *next)   \
    {                                                                          \
        batch_add(P, 1, job, batch, next);                                     \
    }                                                                          \
    static void many_##P(const struct spread_job *job,                         \
                         const struct batch *batch, const struct batch *next)  \
    {                                                                          \
        batch_add(P, 0, job, batch, next);                                     \
    }                                                                          \
    static void slopes_##P(const struct spread_job *job,                       \
                           const struct batch *batch,                          \
                           const struct batch *next)                           \
    {                                                                          \
        batch_slopes(P, job, batch, next);                                     \
    }
WINDOW_SUPPORTS(ADD)

static batch_fn *const add_fn[WINDOW_MAX + 1][3] = {
#define ROW(P) [P] = {many_##P, one_##P, slopes_##P},
    WINDOW_SUPPORTS(ROW)};

static void batch_run(const struct spread_job *job, struct batch *batch,
                      const struct batch *next)
{
    int n = batch->n;
    for (int i = 0; i < n; i++)
        batch->at[i] = 0;
    for (int d = 0; d < 3; d++)
        window_place(n, batch->s[d], job->mesh[d], job->support, job->lo[d],
                     job->stride[d], batch->at, batch->t[d]);
    int one = job->channels * job->parts == 1;
    add_fn[job->support][job->slopes ? 2 : one](job, batch, next);
    batch->n = 0;
}

/* A batch is added when the next one is full. */
static void points(const struct spread_job *job)
{
    struct batch batch[2];
    int now = 0;
    memset(batch, 0, sizeof batch);
    for (int r = 0; r < job->n_ranges; r++)
        for (int64_t k = job->range[r].from; k < job->range[r].to; k++) {
            struct batch *b = &batch[now];
            for (int d = 0; d < 3; d++)
                b->s[d][b->n] = job->s[d][k];
            b->order[b->n++] = job->order[k];
            if (b->n == BATCH) {
                now = !now;
                batch_run(job, &batch[now], b);
            }
        }
    batch_run(job, &batch[!now], &batch[now]);
    batch_run(job, &batch[now], &batch[!now]);
}

/* The number of sources and the step are constant in each call. */
SIMD_FN void add_rows(int64_t n, int sources, const void *const *source,
                      int step, real *restrict row)
{
    for (int64_t i = 0; i < n; i++) {
        real sum = row[i * step];
        for (int k = 0; k < sources; k++)
            sum += ((const real *)source[k])[i];
        row[i * step] = sum;
    }
}

SIMD_FN void add_step(int64_t n, int sources, const void *const *source,
                      int step, real *restrict row)
{
    switch (sources) {
    case 4:
        add_rows(n, 4, source, step, row);
        break;
    case 3:
        add_rows(n, 3, source, step, row);
        break;
    case 2:
        add_rows(n, 2, source, step, row);
        break;
    default:
        add_rows(n, 1, source, step, row);
    }
}

static void add(int64_t n, int sources, const void *const *source, int step,
                void *row)
{
    if (step == 1)
        add_step(n, sources, source, 1, row);
    else
        add_step(n, sources, source, 2, row);
}

extern const struct spread_kern ISA_NAME(spread_host_tile);
const struct spread_kern ISA_NAME(spread_host_tile) = {W, points, add};
