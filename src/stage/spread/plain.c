/* SPDX-License-Identifier: Apache-2.0 */
/* plain: reference variant.  Adds each point to its P^3 mesh points by the
 * formula, in double, in one thread.  Never the fastest. */
#include "base/mem.h"
#include "points/tiles.h"
#include "stage/device.h"
#include "stage/spread/spread.h"

#include <math.h>

struct state {
    struct spread_args args;
    const struct points *points; /* borrowed */
    int channels, parts;
    double *sum; /* owned, [channel][mesh0][mesh1][mesh2][part] */
};

/* Weights and mesh indices of a point along one axis. */
struct axis {
    int64_t m[WINDOW_MAX]; /* mesh indices; -1: off an open axis */
    double w[WINDOW_MAX];  /* weights */
    double dw[WINDOW_MAX]; /* their derivatives by u */
    double bend[WINDOW_MAX]; /* and second derivatives */
};

static farsum_status fits(const void *a)
{
    const struct spread_args *args = a;
    TRY(gpu_not_wanted(args->device));
    if (spread_parts(args) > 2)
        FAIL(ERR_UNSUPPORTED, "parts is %d; use 1 (real) or 2 (complex)",
             args->parts);
    return FARSUM_OK;
}

static double mesh_points(const struct spread_args *args)
{
    return (double)args->mesh[0] * (double)args->mesh[1]
           * (double)args->mesh[2];
}

static double cost(const void *a)
{
    const struct spread_args *args = a;
    double p = args->window->support;
    return 3e-9 * spread_channels(args) * spread_parts(args)
           * ((double)args->n * p * p * p + mesh_points(args));
}

static int64_t bytes(const void *a)
{
    const struct spread_args *args = a;
    return args->mesh[0] * args->mesh[1] * args->mesh[2]
           * spread_channels(args) * spread_parts(args)
           * (int64_t)sizeof(double);
}

static void destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    mem_free(s->sum);
    mem_free(s);
}

static farsum_status create(const void *a, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    TRY(MEM_NEW(s, 1));
    s->args = *(const struct spread_args *)a;
    s->channels = spread_channels(a);
    s->parts = spread_parts(a);
    GO(MEM_RAW(s->sum, bytes(a) / (int64_t)sizeof *s->sum));
    *state = s;
done:
    if (status != FARSUM_OK)
        destroy(s);
    return status;
}

static farsum_status set(void *state, const struct points *sources,
                         const struct points *targets)
{
    struct state *s = state;
    (void)targets;
    s->points = sources;
    return FARSUM_OK;
}

/* Sets them for a point at fractional coordinate x along axis d. */
static void axis_set(struct axis *axis, const struct spread_args *args, int d,
                     double x)
{
    const struct window *window = args->window;
    int64_t mesh = args->mesh[d];
    double v = x * (double)mesh - 0.5 * window->support, first = ceil(v);
    double t = 2 * (first - v) - 1;
    for (int j = 0; j < window->support; j++) {
        int64_t m = (int64_t)first + j;
        if (!args->open[d])
            m = tiles_wrap(m, mesh);
        axis->m[j] = m < mesh && m >= 0 ? m : -1;
        double w = 0, slope = 0, bend = 0;
        for (int k = window->degree; k >= 0; k--) {
            bend = bend * t + slope;
            slope = slope * t + w;
            w = w * t + window->coef[k][j];
        }
        axis->w[j] = w;
        axis->dw[j] = -2 * slope;
        axis->bend[j] = 8 * bend; /* Horner's rule gives a half */
    }
}

static double get(const struct state *s, const void *array, int64_t k)
{
    return s->args.precision == FARSUM_F32 ? (double)((const float *)array)[k]
                                           : ((const double *)array)[k];
}

/* Adds a point with slopes, or with second slopes. */
static void add_slopes(struct state *s, const struct spread_io *io, int64_t i,
                       const struct axis *x, const struct axis *y,
                       const struct axis *z)
{
    const int64_t *mesh = s->args.mesh, at = i * io->q_point;
    int P = s->args.window->support;
    double q = get(s, io->q, at), g[3], h[6] = {0};
    for (int d = 0; d < 3; d++)
        g[d] = get(s, io->q, at + 1 + d);
    for (int d = 0; d < 6 && s->args.slopes > 1; d++)
        h[d] = get(s, io->q, at + 4 + d);
    for (int a = 0; a < P; a++)
        for (int b = 0; b < P; b++)
            for (int c = 0; c < P; c++) {
                if (x->m[a] < 0 || y->m[b] < 0 || z->m[c] < 0)
                    continue;
                int64_t k = (x->m[a] * mesh[1] + y->m[b]) * mesh[2] + z->m[c];
                double flat =
                    q * x->w[a] * y->w[b] + g[0] * x->dw[a] * y->w[b]
                    + g[1] * x->w[a] * y->dw[b] + h[0] * x->bend[a] * y->w[b]
                    + h[1] * x->dw[a] * y->dw[b] + h[3] * x->w[a] * y->bend[b];
                double slope = g[2] * x->w[a] * y->w[b]
                               + h[2] * x->dw[a] * y->w[b]
                               + h[4] * x->w[a] * y->dw[b];
                s->sum[k] += flat * z->w[c] + slope * z->dw[c]
                             + h[5] * x->w[a] * y->w[b] * z->bend[c];
            }
}

static void add_point(struct state *s, const struct spread_io *io, int64_t i)
{
    const int64_t *mesh = s->args.mesh;
    int64_t size = mesh[0] * mesh[1] * mesh[2];
    int P = s->args.window->support;
    struct axis x, y, z;
    axis_set(&x, &s->args, 0, s->points->s[0][i]);
    axis_set(&y, &s->args, 1, s->points->s[1][i]);
    axis_set(&z, &s->args, 2, s->points->s[2][i]);
    if (s->args.slopes) {
        add_slopes(s, io, i, &x, &y, &z);
        return;
    }
    for (int ch = 0; ch < s->channels; ch++)
        for (int part = 0; part < s->parts; part++) {
            double q = get(s, io->q,
                           ch * io->q_channel + i * io->q_point + part);
            for (int a = 0; a < P; a++)
                for (int b = 0; b < P; b++)
                    for (int c = 0; c < P; c++) {
                        if (x.m[a] < 0 || y.m[b] < 0 || z.m[c] < 0)
                            continue;
                        int64_t k =
                            (x.m[a] * mesh[1] + y.m[b]) * mesh[2] + z.m[c];
                        s->sum[(ch * size + k) * s->parts + part] +=
                            q * x.w[a] * y.w[b] * z.w[c];
                    }
        }
}

static void put(const struct state *s, const struct spread_io *io)
{
    const int64_t *mesh = s->args.mesh;
    int64_t rows = mesh[0] * mesh[1], reals = mesh[2] * s->parts;
    for (int ch = 0; ch < s->channels; ch++)
        for (int64_t r = 0; r < rows; r++)
            for (int64_t k = 0; k < reals; k++) {
                double v = s->sum[(ch * rows + r) * reals + k];
                int64_t to = ch * io->mesh_channel
                             + r * s->args.ldz * s->parts + k;
                if (s->args.precision == FARSUM_F32)
                    ((float *)io->mesh)[to] = (float)v;
                else
                    ((double *)io->mesh)[to] = v;
            }
}

static farsum_status run(void *state, const void *a)
{
    struct state *s = state;
    struct spread_io io = spread_strides(&s->args, a, s->points->n);
    int64_t size = bytes(&s->args) / (int64_t)sizeof *s->sum;
    for (int64_t k = 0; k < size; k++)
        s->sum[k] = 0;
    for (int64_t i = 0; i < s->points->n; i++)
        add_point(s, &io, i);
    put(s, &io);
    return FARSUM_OK;
}

const struct variant spread_plain = {.fits = fits,
                                     .cost = cost,
                                     .bytes = bytes,
                                     .create = create,
                                     .set = set,
                                     .run = run,
                                     .destroy = destroy,
                                     .deterministic = 1,
                                     .needs = ""};
