/* plain: one thread, each point's sum over its P^3 mesh points as the formula
 * says, in double.  The reference; never the fast one. */
#include "base/mem.h"
#include "points/tiles.h"
#include "stage/interp/interp.h"

#include <math.h>

struct state {
    struct interp_args args;
    const struct points *points; /* borrowed */
};

/* What one axis gives a point. */
struct axis {
    int64_t m[WINDOW_MAX]; /* wrapped mesh indices */
    double w[WINDOW_MAX];  /* weights */
    double dw[WINDOW_MAX]; /* their derivatives by u */
};

static double cost(const void *a)
{
    const struct interp_args *args = a;
    double p = args->window->support;
    return (args->outputs & FARSUM_FIELD ? 8e-9 : 4e-9) * (double)args->n * p
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

static void axis_set(struct axis *axis, const struct window *window, double x,
                     int64_t mesh)
{
    double v = x * (double)mesh - 0.5 * window->support, first = ceil(v);
    double t = 2 * (first - v) - 1;
    for (int j = 0; j < window->support; j++) {
        double w = 0, slope = 0;
        for (int d = window->degree; d >= 0; d--) {
            slope = slope * t + w;
            w = w * t + window->coef[d][j];
        }
        axis->m[j] = tiles_wrap((int64_t)first + j, mesh);
        axis->w[j] = w;
        axis->dw[j] = -2 * slope;
    }
}

static double mesh_at(const struct state *s, const void *mesh, int64_t x,
                      int64_t y, int64_t z)
{
    int64_t k = (x * s->args.mesh[1] + y) * s->args.ldz + z;
    return s->args.precision == FARSUM_F32 ? (double)((const float *)mesh)[k]
                                           : ((const double *)mesh)[k];
}

/* out: the potential and its gradient along the mesh axes, by u. */
static void sum_point(const struct state *s, const void *mesh, int64_t i,
                      double out[4])
{
    struct axis ax[3];
    int P = s->args.window->support;
    for (int d = 0; d < 3; d++)
        axis_set(&ax[d], s->args.window, s->points->s[d][i], s->args.mesh[d]);
    for (int k = 0; k < 4; k++)
        out[k] = 0;
    for (int a = 0; a < P; a++)
        for (int b = 0; b < P; b++)
            for (int c = 0; c < P; c++) {
                double f =
                    mesh_at(s, mesh, ax[0].m[a], ax[1].m[b], ax[2].m[c]);
                out[0] += f * ax[0].w[a] * ax[1].w[b] * ax[2].w[c];
                out[1] += f * ax[0].dw[a] * ax[1].w[b] * ax[2].w[c];
                out[2] += f * ax[0].w[a] * ax[1].dw[b] * ax[2].w[c];
                out[3] += f * ax[0].w[a] * ax[1].w[b] * ax[2].dw[c];
            }
}

static void add_to(const struct state *s, void *array, int64_t k, double x)
{
    if (s->args.precision == FARSUM_F32)
        ((float *)array)[k] += (float)x;
    else
        ((double *)array)[k] += x;
}

static farsum_status run(void *state, const void *a)
{
    const struct state *s = state;
    const struct interp_io *io = a;
    for (int64_t i = 0; i < s->points->n; i++) {
        double out[4];
        sum_point(s, io->mesh, i, out);
        if (io->potential)
            add_to(s, io->potential, i, out[0]);
        for (int j = 0; j < 3 && io->field; j++) {
            double e = 0;
            for (int d = 0; d < 3; d++)
                e -= out[1 + d] * (double)s->args.mesh[d]
                     * s->args.cell->inv[3 * j + d];
            add_to(s, io->field, 3 * i + j, e);
        }
    }
    return FARSUM_OK;
}

const struct variant interp_plain = {.cost = cost,
                                     .bytes = bytes,
                                     .create = create,
                                     .set = set,
                                     .run = run,
                                     .destroy = destroy,
                                     .deterministic = 1,
                                     .needs = ""};
