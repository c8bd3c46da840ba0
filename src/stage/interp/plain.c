/* SPDX-License-Identifier: Apache-2.0 */
/* plain: reference variant.  Sums each point over its P^3 mesh points by the
 * formula, in double, in one thread.  Never the fastest. */
#include "base/mem.h"
#include "points/tiles.h"
#include "stage/device.h"
#include "stage/interp/interp.h"

#include <math.h>

struct state {
    struct interp_args args;
    const struct points *points; /* borrowed */
    int channels, parts;
};

/* Weights and mesh indices of a point along one axis. */
struct axis {
    int64_t m[WINDOW_MAX]; /* mesh indices; -1: off an open axis */
    double w[WINDOW_MAX];  /* weights */
    double dw[WINDOW_MAX]; /* their derivatives by u */
    double bend[WINDOW_MAX]; /* and second derivatives */
    double jolt[WINDOW_MAX]; /* and third ones */
};

static farsum_status fits(const void *a)
{
    const struct interp_args *args = a;
    TRY(gpu_not_wanted(args->device));
    if (interp_parts(args) > 2)
        FAIL(ERR_UNSUPPORTED, "parts is %d; use 1 (real) or 2 (complex)",
             args->parts);
    return FARSUM_OK;
}

static double cost(const void *a)
{
    const struct interp_args *args = a;
    double p = args->window->support;
    return (args->outputs & FARSUM_THIRD      ? 4e-8
            : args->outputs & FARSUM_GRADIENT ? 2e-8
            : args->outputs & FARSUM_FIELD    ? 8e-9
                                              : 4e-9)
           * (double)args->n * interp_channels(args) * interp_parts(args) * p
           * p * p;
}

static int64_t bytes(const void *a)
{
    (void)a;
    return (int64_t)sizeof(struct state);
}

static void destroy(void *state)
{
    mem_free(state);
}

static farsum_status create(const void *a, void **state)
{
    struct state *s;
    TRY(MEM_NEW(s, 1));
    s->args = *(const struct interp_args *)a;
    s->channels = interp_channels(a);
    s->parts = interp_parts(a);
    *state = s;
    return FARSUM_OK;
}

static farsum_status set(void *state, const struct points *sources,
                         const struct points *targets)
{
    struct state *s = state;
    s->points = targets ? targets : sources;
    return FARSUM_OK;
}

static void axis_set(struct axis *axis, const struct interp_args *args, int d,
                     double x)
{
    const struct window *window = args->window;
    int64_t mesh = args->mesh[d];
    double v = x * (double)mesh - 0.5 * window->support, first = ceil(v);
    double t = 2 * (first - v) - 1;
    for (int j = 0; j < window->support; j++) {
        int64_t m = (int64_t)first + j;
        double w = 0, slope = 0, bend = 0, jolt = 0;
        for (int k = window->degree; k >= 0; k--) {
            jolt = jolt * t + bend;
            bend = bend * t + slope;
            slope = slope * t + w;
            w = w * t + window->coef[k][j];
        }
        if (!args->open[d])
            m = tiles_wrap(m, mesh);
        axis->m[j] = m < mesh && m >= 0 ? m : -1;
        axis->w[j] = w;
        axis->dw[j] = -2 * slope;
        axis->bend[j] = 8 * bend; /* Horner's rule gives a half */
        axis->jolt[j] = -48 * jolt; /* and a sixth */
    }
}

static double get(const struct state *s, const void *array, int64_t k)
{
    return s->args.precision == FARSUM_F32 ? (double)((const float *)array)[k]
                                           : ((const double *)array)[k];
}

static void add_to(const struct state *s, void *array, int64_t k, double x)
{
    if (s->args.precision == FARSUM_F32)
        ((float *)array)[k] += (float)x;
    else
        ((double *)array)[k] += x;
}

/* out: the potential and its gradient by u along the mesh axes, of one part of
 * one channel, whose mesh begins at real `at`. */
static void sum_point(const struct state *s, const void *mesh, int64_t at,
                      const struct axis ax[3], double out[4])
{
    int P = s->args.window->support;
    for (int k = 0; k < 4; k++)
        out[k] = 0;
    for (int a = 0; a < P; a++)
        for (int b = 0; b < P; b++)
            for (int c = 0; c < P; c++) {
                int64_t x = ax[0].m[a], y = ax[1].m[b], z = ax[2].m[c];
                if (x < 0 || y < 0 || z < 0)
                    continue;
                int64_t k = (x * s->args.mesh[1] + y) * s->args.ldz + z;
                double f = get(s, mesh, at + k * s->parts);
                out[0] += f * ax[0].w[a] * ax[1].w[b] * ax[2].w[c];
                out[1] += f * ax[0].dw[a] * ax[1].w[b] * ax[2].w[c];
                out[2] += f * ax[0].w[a] * ax[1].dw[b] * ax[2].w[c];
                out[3] += f * ax[0].w[a] * ax[1].w[b] * ax[2].dw[c];
            }
}

/* out: the second derivatives by u, in the order of gradient. */
static void sum_bends(const struct state *s, const void *mesh,
                      const struct axis ax[3], double out[6])
{
    int P = s->args.window->support;
    for (int k = 0; k < 6; k++)
        out[k] = 0;
    for (int a = 0; a < P; a++)
        for (int b = 0; b < P; b++)
            for (int c = 0; c < P; c++) {
                int64_t x = ax[0].m[a], y = ax[1].m[b], z = ax[2].m[c];
                if (x < 0 || y < 0 || z < 0)
                    continue;
                double f =
                    get(s, mesh, (x * s->args.mesh[1] + y) * s->args.ldz + z);
                out[0] += f * ax[0].bend[a] * ax[1].w[b] * ax[2].w[c];
                out[1] += f * ax[0].dw[a] * ax[1].dw[b] * ax[2].w[c];
                out[2] += f * ax[0].dw[a] * ax[1].w[b] * ax[2].dw[c];
                out[3] += f * ax[0].w[a] * ax[1].bend[b] * ax[2].w[c];
                out[4] += f * ax[0].w[a] * ax[1].dw[b] * ax[2].dw[c];
                out[5] += f * ax[0].w[a] * ax[1].w[b] * ax[2].bend[c];
            }
}

/* Adds du_d/dx_j du_e/dx_k times the second derivatives by u. */
static void put_gradient(const struct state *s, const struct interp_io *io,
                         int64_t i, const double bend[6])
{
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const double *inv = s->args.cell->inv;
    for (int j = 0; j < 3; j++)
        for (int k = j; k < 3; k++) {
            double sum = 0;
            for (int d = 0; d < 3; d++)
                for (int e = 0; e < 3; e++)
                    sum += bend[at[d][e]] * (double)s->args.mesh[d]
                           * (double)s->args.mesh[e] * inv[3 * j + d]
                           * inv[3 * k + e];
            add_to(s, io->gradient, 6 * i + at[j][k], sum);
        }
}

/* Derivative number `order` of the weights along an axis. */
static const double *derivative(const struct axis *axis, int order)
{
    return order == 0   ? axis->w
           : order == 1 ? axis->dw
           : order == 2 ? axis->bend
                        : axis->jolt;
}

/* The third derivative by u_d, u_e and u_f. */
static double sum_jolt(const struct state *s, const void *mesh,
                       const struct axis ax[3], int d, int e, int f)
{
    const double *w[3];
    int P = s->args.window->support;
    double sum = 0;
    for (int k = 0; k < 3; k++)
        w[k] = derivative(&ax[k], (d == k) + (e == k) + (f == k));
    for (int a = 0; a < P; a++)
        for (int b = 0; b < P; b++) {
            int64_t x = ax[0].m[a], y = ax[1].m[b];
            double row = 0;
            for (int c = 0; c < P && x >= 0 && y >= 0; c++)
                if (ax[2].m[c] >= 0)
                    row += w[2][c]
                           * get(s, mesh,
                                 (x * s->args.mesh[1] + y) * s->args.ldz
                                     + ax[2].m[c]);
            sum += w[0][a] * w[1][b] * row;
        }
    return sum;
}

/* Adds the third derivatives by x. */
static void put_third(const struct state *s, const struct interp_io *io,
                      int64_t i, const struct axis ax[3])
{
    const double *inv = s->args.cell->inv;
    double jolt[27], by[3][3];
    for (int k = 0; k < 27; k++) {
        int d = k / 9, e = k / 3 % 3, f = k % 3;
        if (d <= e && e <= f)
            jolt[k] = sum_jolt(s, io->mesh, ax, d, e, f);
        for (int j = 0; j < 3; j++)
            by[d][j] = (double)s->args.mesh[d] * inv[3 * j + d];
    }
    for (int j = 0, to = 0; j < 3; j++)
        for (int k = j; k < 3; k++)
            for (int l = k; l < 3; l++, to++) {
                double sum = 0;
                for (int n = 0; n < 27; n++) {
                    int d = n / 9, e = n / 3 % 3, f = n % 3;
                    int low = d < e ? d : e, high = d < e ? e : d;
                    int least = low < f ? low : f, most = high > f ? high : f;
                    int middle = d + e + f - least - most;
                    sum += jolt[9 * least + 3 * middle + most] * by[d][j]
                           * by[e][k] * by[f][l];
                }
                add_to(s, io->third, 10 * i + to, sum);
            }
}

static void run_point(const struct state *s, const struct interp_io *io,
                      int64_t i)
{
    struct axis ax[3];
    double out[4];
    for (int d = 0; d < 3; d++)
        axis_set(&ax[d], &s->args, d, s->points->s[d][i]);
    if (io->gradient) {
        double bend[6];
        sum_bends(s, io->mesh, ax, bend);
        put_gradient(s, io, i, bend);
    }
    if (io->third)
        put_third(s, io, i, ax);
    for (int ch = 0; ch < s->channels; ch++)
        for (int part = 0; part < s->parts; part++) {
            sum_point(s, io->mesh, ch * io->mesh_channel + part, ax, out);
            if (io->potential)
                add_to(s, io->potential,
                       ch * io->potential_channel + i * s->parts + part,
                       out[0]);
            for (int j = 0; j < 3 && io->field; j++) {
                double e = 0;
                for (int d = 0; d < 3; d++)
                    e -= out[1 + d] * (double)s->args.mesh[d]
                         * s->args.cell->inv[3 * j + d];
                add_to(s, io->field,
                       ch * io->field_channel + (3 * i + j) * s->parts + part,
                       e);
            }
        }
}

static farsum_status run(void *state, const void *a)
{
    const struct state *s = state;
    struct interp_io io = interp_strides(&s->args, a, s->points->n);
    for (int64_t i = 0; i < s->points->n; i++)
        run_point(s, &io, i);
    return FARSUM_OK;
}

const struct variant interp_plain = {.fits = fits,
                                     .cost = cost,
                                     .bytes = bytes,
                                     .create = create,
                                     .set = set,
                                     .run = run,
                                     .destroy = destroy,
                                     .deterministic = 1,
                                     .needs = ""};
