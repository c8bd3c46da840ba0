/* SPDX-License-Identifier: Apache-2.0 */
/* host_tile_kern.c: reads points from a tile.  For each channel the P^2 rows of
 * a point are summed over axis 1, then 0, in vectors along axis 2.  With the
 * field every row is multiplied twice (weight and slope of axis 1); the other
 * two slopes cost one product per plane.  Loads bound it. */
#include "stage/interp/host_tile_kern.h"

#include "math/window_simd.h"

enum { BATCH = INTERP_BATCH, MOST = WINDOW_VECTORS_MAX };

struct batch {
    double s[3][BATCH];
    real t[3][BATCH];
    int32_t at[BATCH];
    int64_t order[BATCH];
};

typedef real vnarrow __attribute__((vector_size(16)));

/* Adds half of the lanes to the other half, down to 16 bytes. */
SIMD_FN vnarrow narrow(vreal x)
{
    vnarrow part[SIMD_BYTES / 16];
    memcpy(part, &x, sizeof x);
#if SIMD_BYTES > 32
    part[0] += part[2];
    part[1] += part[3];
#endif
#if SIMD_BYTES > 16
    part[0] += part[1];
#endif
    return part[0];
}

SIMD_FN void sum_four(const vreal x[4], real out[4])
{
    vnarrow a = narrow(x[0]), b = narrow(x[1]);
    vnarrow c = narrow(x[2]), d = narrow(x[3]);
#if FARSUM_BITS == 64
    vnarrow low = SHUFFLE(a, b, 0, 2) + SHUFFLE(a, b, 1, 3);
    vnarrow high = SHUFFLE(c, d, 0, 2) + SHUFFLE(c, d, 1, 3);
    memcpy(out, &low, sizeof low);
    memcpy(out + 2, &high, sizeof high);
#else
    a = SHUFFLE(a, b, 0, 4, 1, 5) + SHUFFLE(a, b, 2, 6, 3, 7);
    c = SHUFFLE(c, d, 0, 4, 1, 5) + SHUFFLE(c, d, 2, 6, 3, 7);
    a = SHUFFLE(a, c, 0, 1, 4, 5) + SHUFFLE(a, c, 2, 3, 6, 7);
    memcpy(out, &a, sizeof a);
#endif
}

/* Keeps x in a register, so that two products of one load do not load it
 * twice. */
#if FARSUM_HAVE_X86
#define KEEP(x) __asm__("" : "+v"(x))
#else
#define KEEP(x) (void)(x)
#endif

#define EACH_VECTOR _Pragma("GCC unroll 8") for (int v = 0; v < V; v++)

/* Prefetches results, which are written after all sums of a batch. */
SIMD_FN void ahead(const struct interp_job *job, const struct batch *batch,
                   int i)
{
    const real *potential = job->potential, *field = job->field;
    int64_t at = batch->order[i] * job->parts;
    for (int ch = 0; ch < job->channels; ch++) {
        if (potential)
            __builtin_prefetch(potential + ch * job->potential_channel + at, 1);
        if (field) {
            const real *e = field + ch * job->field_channel + 3 * at;
            __builtin_prefetch(e, 1);
            __builtin_prefetch(e + 3 * job->parts - 1, 1);
        }
    }
}

/* out[0]: the potential. */
SIMD_FN void point_potential(int P, const struct interp_job *job,
                             const real *plane, const real *wx, const real *wy,
                             const vreal *wz, real out[4])
{
    int V = WINDOW_VECTORS(P), sx = job->stride[0], sy = job->stride[1];
    vreal sum[MOST], part[MOST], all = {0};
    EACH_VECTOR sum[v] = (vreal){0};
    for (int a = 0; a < P; a++) {
        const real *row = plane;
        EACH_VECTOR part[v] = v_load(row + v * W) * v_set(wy[0]);
#pragma GCC unroll 16
        for (int b = 1; b < P; b++) {
            row += sy;
            EACH_VECTOR part[v] += v_load(row + v * W) * v_set(wy[b]);
        }
        EACH_VECTOR sum[v] += part[v] * v_set(wx[a]);
        plane += sx;
    }
    EACH_VECTOR all += sum[v] * wz[v];
    sum_four((vreal[4]){all}, out);
}

SIMD_FN void batch_potential(int P, const struct interp_job *job,
                             struct batch *batch, int n)
{
    int V = WINDOW_VECTORS(P), tiles = job->channels * job->parts;
    for (int i = 0; i < n; i++) {
        ahead(job, batch, i);
        real t[3] = {batch->t[0][i], batch->t[1][i], batch->t[2][i]};
        vreal w[3 * MOST];
        real wx[MOST * W], wy[MOST * W];
        const real *tile = (const real *)job->tile + batch->at[i];
        real *out = (real *)job->out + 4 * i;
        window_weights(P, 3, job->coef, job->degree, t, w);
        EACH_VECTOR
        {
            v_store(wx + v * W, w[v]);
            v_store(wy + v * W, w[V + v]);
        }
        for (int c = 0; c < tiles; c++) {
            point_potential(P, job, tile, wx, wy, w + 2 * V, out);
            tile += job->tile_step;
            out += 4 * BATCH;
        }
    }
}

/* Weights and slopes of the axes. */
struct slopes {
    real x[2][MOST * W], y[2][MOST * W];
    vreal z[2][MOST];
};

/* out: the potential and its slopes along t. */
SIMD_FN void point_field(int P, const struct interp_job *job, const real *plane,
                         const struct slopes *w, real out[4])
{
    int V = WINDOW_VECTORS(P), sx = job->stride[0], sy = job->stride[1];
    vreal sum[MOST], gx[MOST], gy[MOST], part[MOST], slope[MOST];
    EACH_VECTOR sum[v] = gx[v] = gy[v] = (vreal){0};
    for (int a = 0; a < P; a++) {
        const real *row = plane;
        EACH_VECTOR
        {
            vreal m = v_load(row + v * W);
            KEEP(m);
            part[v] = m * v_set(w->y[0][0]);
            slope[v] = m * v_set(w->y[1][0]);
        }
#pragma GCC unroll 16
        for (int b = 1; b < P; b++) {
            row += sy;
            EACH_VECTOR
            {
                vreal m = v_load(row + v * W);
                KEEP(m);
                part[v] += m * v_set(w->y[0][b]);
                slope[v] += m * v_set(w->y[1][b]);
            }
        }
        EACH_VECTOR
        {
            sum[v] += part[v] * v_set(w->x[0][a]);
            gx[v] += part[v] * v_set(w->x[1][a]);
            gy[v] += slope[v] * v_set(w->x[0][a]);
        }
        plane += sx;
    }
    vreal all[4] = {{0}};
    EACH_VECTOR
    {
        all[0] += sum[v] * w->z[0][v];
        all[1] += gx[v] * w->z[0][v];
        all[2] += gy[v] * w->z[0][v];
        all[3] += sum[v] * w->z[1][v];
    }
    sum_four(all, out);
}

SIMD_FN void batch_field(int P, const struct interp_job *job,
                         struct batch *batch, int n)
{
    int V = WINDOW_VECTORS(P), tiles = job->channels * job->parts;
    for (int i = 0; i < n; i++) {
        ahead(job, batch, i);
        real t[3] = {batch->t[0][i], batch->t[1][i], batch->t[2][i]};
        vreal w[3 * MOST], dw[3 * MOST];
        struct slopes slopes;
        const real *tile = (const real *)job->tile + batch->at[i];
        real *out = (real *)job->out + 4 * i;
        window_weights_slopes(P, 3, job->coef, job->degree, t, w, dw);
        EACH_VECTOR
        {
            v_store(slopes.x[0] + v * W, w[v]);
            v_store(slopes.x[1] + v * W, dw[v]);
            v_store(slopes.y[0] + v * W, w[V + v]);
            v_store(slopes.y[1] + v * W, dw[V + v]);
            slopes.z[0][v] = w[2 * V + v];
            slopes.z[1][v] = dw[2 * V + v];
        }
        for (int c = 0; c < tiles; c++) {
            point_field(P, job, tile, &slopes, out);
            tile += job->tile_step;
            out += 4 * BATCH;
        }
    }
}

/* Weights of the axes, their derivatives and half of the second ones. */
struct bends {
    real x[3][MOST * W], y[3][MOST * W];
    vreal z[3][MOST];
};

/* out: as INTERP_GRADIENT, along t; of xx, yy and zz a half. */
SIMD_FN void point_gradient(int P, const struct interp_job *job,
                            const real *plane, const struct bends *w, real *out)
{
    int V = WINDOW_VECTORS(P), sx = job->stride[0], sy = job->stride[1];
    vreal sum[MOST], gx[MOST], gy[MOST], xx[MOST], xy[MOST], yy[MOST];
    EACH_VECTOR sum[v] = gx[v] = gy[v] = xx[v] = xy[v] = yy[v] = (vreal){0};
    for (int a = 0; a < P; a++) {
        vreal part[MOST], slope[MOST], bend[MOST];
        const real *row = plane;
        EACH_VECTOR part[v] = slope[v] = bend[v] = (vreal){0};
#pragma GCC unroll 16
        for (int b = 0; b < P; b++) {
            EACH_VECTOR
            {
                vreal m = v_load(row + v * W);
                KEEP(m);
                part[v] += m * v_set(w->y[0][b]);
                slope[v] += m * v_set(w->y[1][b]);
                bend[v] += m * v_set(w->y[2][b]);
            }
            row += sy;
        }
        EACH_VECTOR
        {
            sum[v] += part[v] * v_set(w->x[0][a]);
            gx[v] += part[v] * v_set(w->x[1][a]);
            xx[v] += part[v] * v_set(w->x[2][a]);
            gy[v] += slope[v] * v_set(w->x[0][a]);
            xy[v] += slope[v] * v_set(w->x[1][a]);
            yy[v] += bend[v] * v_set(w->x[0][a]);
        }
        plane += sx;
    }
    vreal all[INTERP_GRADIENT] = {{0}};
    EACH_VECTOR
    {
        all[0] += sum[v] * w->z[0][v];
        all[1] += gx[v] * w->z[0][v];
        all[2] += gy[v] * w->z[0][v];
        all[3] += sum[v] * w->z[1][v];
        all[4] += xx[v] * w->z[0][v];
        all[5] += xy[v] * w->z[0][v];
        all[6] += yy[v] * w->z[0][v];
        all[7] += gx[v] * w->z[1][v];
        all[8] += gy[v] * w->z[1][v];
        all[9] += sum[v] * w->z[2][v];
    }
    for (int k = 0; k < INTERP_GRADIENT; k += 4)
        sum_four(all + k, out + k);
}

SIMD_FN void batch_gradient(int P, const struct interp_job *job,
                            struct batch *batch, int n)
{
    int V = WINDOW_VECTORS(P);
    for (int i = 0; i < n; i++) {
        ahead(job, batch, i);
        real t[3] = {batch->t[0][i], batch->t[1][i], batch->t[2][i]};
        vreal w[3 * MOST], dw[3 * MOST], bend[3 * MOST];
        struct bends b;
        window_weights_bends(P, 3, job->coef, job->degree, t, w, dw, bend);
        EACH_VECTOR
        {
            const vreal *of[3] = {w, dw, bend};
            for (int k = 0; k < 3; k++) {
                v_store(b.x[k] + v * W, of[k][v]);
                v_store(b.y[k] + v * W, of[k][V + v]);
                b.z[k][v] = of[k][2 * V + v];
            }
        }
        point_gradient(P, job, (const real *)job->tile + batch->at[i], &b,
                       (real *)job->out + INTERP_GRADIENT * i);
    }
}

typedef void batch_fn(const struct interp_job *job, struct batch *batch, int n);

#define BOTH(P)                                                                \
    static void potential_##P(const struct interp_job *job,                    \
                              struct batch *batch, int n)                      \
    {                                                                          \
        batch_potential(P, job, batch, n);                                     \
    }                                                                          \
    static void field_##P(const struct interp_job *job, struct batch *batch,   \
                          int n)                                               \
    {                                                                          \
        batch_field(P, job, batch, n);                                         \
    }                                                                          \
    static void gradient_##P(const struct interp_job *job,                     \
                             struct batch *batch, int n)                       \
    {                                                                          \
        batch_gradient(P, job, batch, n);                                      \
    }
WINDOW_SUPPORTS(BOTH)

static batch_fn *const fn[WINDOW_MAX + 1][3] = {
#define ROW(P) [P] = {potential_##P, field_##P, gradient_##P},
    WINDOW_SUPPORTS(ROW)};

/* Adds to_field_jd to_field_ke times the second derivatives by t_d and t_e. */
static void gradient_put(const struct interp_job *job,
                         const struct batch *batch, int n)
{
    for (int i = 0; i < n; i++) {
        const real *h = (const real *)job->out + INTERP_GRADIENT * i + 4;
        real *to = (real *)job->gradient + 6 * batch->order[i];
        const double all[3][3] = {
            {2 * (double)h[0], (double)h[1], (double)h[3]},
            {(double)h[1], 2 * (double)h[2], (double)h[4]},
            {(double)h[3], (double)h[4], 2 * (double)h[5]}};
        for (int j = 0, at = 0; j < 3; j++) {
            double row[3] = {0};
            for (int d = 0; d < 3; d++)
                for (int e = 0; e < 3; e++)
                    row[e] += job->to_field[j][d] * all[d][e];
            for (int k = j; k < 3; k++, at++)
                to[at] += (real)(row[0] * job->to_field[k][0]
                                 + row[1] * job->to_field[k][1]
                                 + row[2] * job->to_field[k][2]);
        }
    }
}

/* Writes one part of one channel in the caller's order. */
static void batch_put(const struct interp_job *job, const struct batch *batch,
                      int n, int channel, int part)
{
    int64_t parts = job->parts, step = job->gradient ? INTERP_GRADIENT : 4;
    const real *out =
        (const real *)job->out + (channel * parts + part) * step * BATCH;
    if (job->potential) {
        real *potential = (real *)job->potential
                          + channel * job->potential_channel + part;
        for (int i = 0; i < n; i++)
            potential[batch->order[i] * parts] += out[step * i];
    }
    if (job->field) {
        real *field =
            (real *)job->field + channel * job->field_channel + part;
        real g[3][3];
        for (int k = 0; k < 9; k++)
            g[k / 3][k % 3] = (real)job->to_field[k / 3][k % 3];
        for (int i = 0; i < n; i++) {
            const real *slope = &out[step * i + 1];
            real *e = field + 3 * batch->order[i] * parts;
            for (int j = 0; j < 3; j++)
                e[j * parts] += g[j][0] * slope[0] + g[j][1] * slope[1]
                                + g[j][2] * slope[2];
        }
    }
}

static void batch_run(const struct interp_job *job, struct batch *batch, int n)
{
    for (int i = 0; i < n; i++)
        batch->at[i] = 0;
    for (int d = 0; d < 3; d++)
        window_place(n, batch->s[d], job->mesh[d], job->support, job->lo[d],
                     job->stride[d], batch->at, batch->t[d]);
    fn[job->support][job->gradient ? 2 : job->field != NULL](job, batch, n);
    for (int channel = 0; channel < job->channels; channel++)
        for (int part = 0; part < job->parts; part++)
            batch_put(job, batch, n, channel, part);
    if (job->gradient)
        gradient_put(job, batch, n);
}

static void points(const struct interp_job *job)
{
    struct batch batch;
    int n = 0;
    for (int r = 0; r < job->n_ranges; r++)
        for (int64_t k = job->range[r].from; k < job->range[r].to; k++) {
            for (int d = 0; d < 3; d++)
                batch.s[d][n] = job->s[d][k];
            batch.order[n++] = job->order[k];
            if (n == BATCH) {
                batch_run(job, &batch, n);
                n = 0;
            }
        }
    batch_run(job, &batch, n);
}

extern const struct interp_kern ISA_NAME(interp_host_tile);
const struct interp_kern ISA_NAME(interp_host_tile) = {W, points};
