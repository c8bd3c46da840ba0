/* plain: one thread, each point added to its P^3 mesh points as the formula
 * says, in double.  The reference; never the fast one. */
#include "base/mem.h"
#include "points/tiles.h"
#include "stage/spread/spread.h"

#include <math.h>

struct state {
    struct spread_args args;
    const struct points *points; /* borrowed */
    double *sum;                 /* owned, [mesh0][mesh1][mesh2] */
};

static double cost(const void *a)
{
    const struct spread_args *args = a;
    double p = args->window->support;
    double mesh =
        (double)args->mesh[0] * (double)args->mesh[1] * (double)args->mesh[2];
    return 3e-9 * (double)args->n * p * p * p + 3e-9 * mesh;
}

static int64_t bytes(const void *a)
{
    const struct spread_args *args = a;
    return args->mesh[0] * args->mesh[1] * args->mesh[2] * 8;
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
    GO(MEM_RAW(s->sum, bytes(a) / 8));
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

/* Wrapped mesh indices m[P] that a point at fractional coordinate x touches,
 * and their weights w[P]. */
static void weights(const struct window *window, double x, int64_t mesh,
                    int64_t *m, double *w)
{
    double v = x * (double)mesh - 0.5 * window->support, first = ceil(v);
    double t = 2 * (first - v) - 1;
    for (int j = 0; j < window->support; j++) {
        m[j] = tiles_wrap((int64_t)first + j, mesh);
        w[j] = 0;
        for (int d = window->degree; d >= 0; d--)
            w[j] = w[j] * t + window->coef[d][j];
    }
}

static void add_point(struct state *s, int64_t i, double q)
{
    const int64_t *mesh = s->args.mesh;
    int P = s->args.window->support;
    int64_t m[3][WINDOW_MAX];
    double w[3][WINDOW_MAX];
    for (int d = 0; d < 3; d++)
        weights(s->args.window, s->points->s[d][i], mesh[d], m[d], w[d]);
    for (int a = 0; a < P; a++)
        for (int b = 0; b < P; b++) {
            double *row = s->sum + (m[0][a] * mesh[1] + m[1][b]) * mesh[2];
            for (int c = 0; c < P; c++)
                row[m[2][c]] += q * w[0][a] * w[1][b] * w[2][c];
        }
}

static farsum_status run(void *state, const void *a)
{
    struct state *s = state;
    const struct spread_io *io = a;
    const int64_t *mesh = s->args.mesh;
    int f32 = s->args.precision == FARSUM_F32;
    for (int64_t k = 0; k < mesh[0] * mesh[1] * mesh[2]; k++)
        s->sum[k] = 0;
    for (int64_t i = 0; i < s->points->n; i++)
        add_point(s, i, f32 ? (double)((const float *)io->q)[i]
                            : ((const double *)io->q)[i]);
    for (int64_t r = 0; r < mesh[0] * mesh[1]; r++)
        for (int64_t z = 0; z < mesh[2]; z++)
            if (f32)
                ((float *)io->mesh)[r * s->args.ldz + z] =
                    (float)s->sum[r * mesh[2] + z];
            else
                ((double *)io->mesh)[r * s->args.ldz + z] =
                    s->sum[r * mesh[2] + z];
    return FARSUM_OK;
}

const struct variant spread_plain = {.cost = cost,
                                     .bytes = bytes,
                                     .create = create,
                                     .set = set,
                                     .run = run,
                                     .destroy = destroy,
                                     .deterministic = 1,
                                     .needs = ""};
