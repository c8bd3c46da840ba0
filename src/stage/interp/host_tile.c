/* host_tile: each tile of the mesh is copied with its halo, unwrapped and
 * compact, then its points are summed from the copy; results go to the
 * caller's order, one writer each.  Wins wherever it fits. */
#include "stage/interp/host_tile_kern.h"

#include "base/mem.h"
#include "base/par.h"
#include "stage/interp/interp.h"

#include <string.h>

ISA_TABLE(struct interp_kern, interp_host_tile)

/* Follows from the args. */
struct shape {
    struct tiles tiles;
    const struct interp_kern *kern;
    int real_size, stride[3];
    int64_t tile_bytes;
};

struct state {
    struct interp_args args;
    struct shape shape;
    void *coef;  /* owned, [degree + 1][WINDOW_MAX], real */
    char *tiles; /* owned, [thread] tiles */
    const struct points *points; /* borrowed */
    struct tiles_tasks tasks;
};

static void shape_set(struct shape *s, const struct interp_args *args)
{
    tiles_set(&s->tiles, args->mesh, args->window->support);
    s->kern = isa_interp_host_tile[args->isa][args->precision == FARSUM_F32];
    s->real_size = args->precision == FARSUM_F32 ? 4 : 8;
    const int32_t *size = s->tiles.size;
    int lanes = s->kern->lanes, support = s->tiles.support;
    /* the last vector of a row may reach past the window */
    int row = size[2] + (lanes - support % lanes) % lanes;
    s->stride[2] = 1;
    s->stride[1] = (row + 3) / 4 * 4;
    s->stride[0] = s->stride[1] * size[1];
    s->tile_bytes = (int64_t)s->stride[0] * size[0] * s->real_size;
    s->tile_bytes = (s->tile_bytes + 63) / 64 * 64;
}

static farsum_status fits(const void *a)
{
    const struct interp_args *args = a;
    for (int d = 0; d < 3; d++)
        if (args->mesh[d] > 1 << 30)
            FAIL(ERR_UNSUPPORTED, "host_tile: a mesh of %lld points along axis "
                 "%d, at most %d", (long long)args->mesh[d], d, 1 << 30);
    return FARSUM_OK;
}

/* Nanoseconds on one core of a Zen 3 at 3.2 GHz: a point's place and weights,
 * its P^2 rows, and the copies of the tiles. */
static double cost(const void *a)
{
    const struct interp_args *args = a;
    struct shape s;
    shape_set(&s, args);
    int field = (args->outputs & FARSUM_FIELD) != 0;
    double p = s.tiles.support;
    double vectors = (s.tiles.support + s.kern->lanes - 1) / s.kern->lanes;
    double tiles = (double)s.tiles.count[0] * s.tiles.count[1]
                   * s.tiles.count[2];
    double point = 12 + (field ? 3 : 1.2) * vectors * args->window->degree
                   + (field ? 0.9 : 0.4) * vectors * p * p;
    double tile = 0.1 * (double)s.tile_bytes;
    return 1e-9 * (point * (double)args->n + tile * tiles) / args->threads;
}

static int64_t bytes(const void *a)
{
    const struct interp_args *args = a;
    struct shape s;
    shape_set(&s, args);
    return args->threads * s.tile_bytes;
}

static void destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    tiles_tasks_clear(&s->tasks);
    mem_free(s->coef);
    mem_free(s->tiles);
    mem_free(s);
}

static farsum_status create_coef(struct state *s)
{
    const struct window *w = s->args.window;
    int64_t n = (int64_t)(w->degree + 1) * WINDOW_MAX;
    char *coef;
    TRY(MEM_RAW(coef, n * s->shape.real_size));
    s->coef = coef;
    for (int64_t i = 0; i < n; i++)
        if (s->args.precision == FARSUM_F32)
            ((float *)s->coef)[i] = (float)w->coef[i / WINDOW_MAX][i % WINDOW_MAX];
        else
            ((double *)s->coef)[i] = w->coef[i / WINDOW_MAX][i % WINDOW_MAX];
    return FARSUM_OK;
}

static farsum_status create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    TRY(MEM_NEW(s, 1));
    s->args = *(const struct interp_args *)args;
    shape_set(&s->shape, &s->args);
    GO(create_coef(s));
    /* zeroed: what pads a row is multiplied by a weight of 0 */
    GO(MEM_NEW(s->tiles, s->args.threads * s->shape.tile_bytes));
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
    const struct points *points = targets ? targets : sources;
    TRY(tiles_match(&s->shape.tiles, &points->bins));
    TRY(tiles_tasks_set(&s->tasks, &s->shape.tiles, &points->bins));
    s->points = points;
    return FARSUM_OK;
}

/* Tile b with its halo from the mesh. */
static void copy_tile(const struct state *s, const int32_t b[3],
                      const char *mesh, char *tile)
{
    const struct tiles *t = &s->shape.tiles;
    const int64_t *n = s->args.mesh;
    int real_size = s->shape.real_size;
    int64_t lo[3];
    for (int d = 0; d < 3; d++)
        lo[d] = tiles_lo(t, d, b[d]);
    for (int32_t x = 0; x < t->size[0]; x++)
        for (int32_t y = 0; y < t->size[1]; y++) {
            int64_t mx = tiles_wrap(lo[0] + x, n[0]);
            int64_t my = tiles_wrap(lo[1] + y, n[1]);
            const char *from = mesh + (mx * n[1] + my) * s->args.ldz * real_size;
            char *to = tile + (x * (int64_t)s->shape.stride[0]
                               + y * (int64_t)s->shape.stride[1]) * real_size;
            for (int64_t z = 0; z < t->size[2];) {
                int64_t mz = tiles_wrap(lo[2] + z, n[2]);
                int64_t len = t->size[2] - z;
                len = len < n[2] - mz ? len : n[2] - mz;
                memcpy(to + z * real_size, from + mz * real_size,
                       (size_t)(len * real_size));
                z += len;
            }
        }
}

/* E = -grad phi, u_d = mesh_d sum_j x_j inv[3j + d], dw/du = -2 dw/dt: the
 * signs cancel. */
static void job_field(const struct state *s, struct interp_job *job)
{
    const double *inv = s->args.cell->inv;
    for (int j = 0; j < 3; j++)
        for (int d = 0; d < 3; d++)
            job->to_field[j][d] =
                2 * (double)s->args.mesh[d] * inv[3 * j + d];
}

static void run_task(const struct state *s, const struct interp_io *io,
                     const struct tiles_task *task, char *tile)
{
    const struct bins *bins = &s->points->bins;
    struct tiles_range range[TILES_RANGES];
    struct interp_job job = {.support = s->shape.tiles.support,
                             .degree = s->args.window->degree,
                             .coef = s->coef,
                             .order = bins->order,
                             .tile = tile,
                             .range = range,
                             .potential = io->potential,
                             .field = io->field};
    for (int d = 0; d < 3; d++) {
        job.s[d] = bins->s[d];
        job.mesh[d] = (double)s->args.mesh[d];
        job.lo[d] = (int)tiles_lo(&s->shape.tiles, d, task->b[d]);
        job.stride[d] = s->shape.stride[d];
    }
    if (io->field)
        job_field(s, &job);
    job.n_ranges = tiles_ranges(&s->shape.tiles, bins, task, range);
    copy_tile(s, task->b, io->mesh, tile);
    s->shape.kern->points(&job);
}

static farsum_status run(void *state, const void *a)
{
    const struct state *s = state;
    const struct interp_io *io = a;
    if (!io->potential && !io->field)
        return FARSUM_OK;
#pragma omp parallel num_threads(s->args.threads)
    {
        char *tile = s->tiles + omp_get_thread_num() * s->shape.tile_bytes;
#pragma omp for schedule(dynamic, 1)
        for (int64_t k = 0; k < s->tasks.n; k++)
            run_task(s, io, &s->tasks.task[k], tile);
    }
    return FARSUM_OK;
}

const struct variant interp_host_tile = {.fits = fits,
                                         .cost = cost,
                                         .bytes = bytes,
                                         .create = create,
                                         .set = set,
                                         .run = run,
                                         .destroy = destroy,
                                         .deterministic = 1,
                                         .needs = ""};
