/* mesh_rows.c: every row of spread and interp that fits, timed on one device
 * and compared with the first of them; a CSV line each.
 *
 *     mesh_rows DEVICE PRECISION SUPPORT CHANNELS MESH N DIST [ROW...]
 *
 *     mesh_rows cuda:0 f64 8 3 216 1e6 uniform
 *     mesh_rows cuda:0 f32 6 1 216 1e7 uniform gpu_stream gpu_particle
 *
 * MESH: points along each axis.  DIST: uniform, clustered (half of the points
 * in a ball whose radius is a tenth of the edge), shell (all on a sphere),
 * gauss (a normal distribution, its width an eighth of the edge), cell (all
 * within one mesh cell).  set is what new positions cost, run what new
 * strengths cost; positions are on the device already.
 */
#include "base/clock.h"
#include "base/isa.h"
#include "base/mem.h"
#include "points/bins.h"
#include "points/gpu.h"
#include "stage/interp/interp.h"
#include "stage/spread/spread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 9 };

struct bench {
    struct device *device; /* NULL: the host */
    const char *dist;
    struct spread_args spread;
    struct interp_args interp;
    struct window window;
    struct cell cell;
    struct points points;
    int64_t n, mesh_reals, q_reals;
    void *q, *mesh, *out;                /* the host's */
    struct buf q_there, mesh_there, out_there;
    double *reference[2];                /* of spread, interp */
};

static int f32(const struct bench *b)
{
    return b->spread.precision == FARSUM_F32;
}

static void need(farsum_status status)
{
    if (status == FARSUM_OK)
        return;
    fprintf(stderr, "mesh_rows: %s\n", farsum_message());
    exit(1);
}

static double number(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* In the ball of radius 1, uniformly. */
static double in_ball(uint64_t *seed, double *x)
{
    double r2;
    do {
        r2 = 0;
        for (int d = 0; d < 3; d++) {
            x[d] = 2 * number(seed) - 1;
            r2 += x[d] * x[d];
        }
    } while (r2 > 1 || r2 == 0);
    return sqrt(r2);
}

static void position(const struct bench *b, int64_t i, uint64_t *seed,
                     double *x)
{
    double edge = 1, scale = 0;
    if (strcmp(b->dist, "cell") == 0)
        edge = 1.0 / (double)b->spread.mesh[0];
    for (int d = 0; d < 3; d++)
        x[d] = 0.3 * (edge < 1) + edge * number(seed);
    if (strcmp(b->dist, "clustered") == 0 && i % 2 == 0) {
        in_ball(seed, x);
        scale = 0.1;
    } else if (strcmp(b->dist, "shell") == 0) {
        scale = 0.4 / in_ball(seed, x);
    } else if (strcmp(b->dist, "gauss") == 0) {
        for (int d = 0; d < 3; d++) /* Box and Muller */
            x[d] = sqrt(-2 * log(1 - number(seed)))
                   * cos(2 * M_PI * number(seed));
        scale = 0.125;
    }
    for (int d = 0; d < 3 && scale > 0; d++)
        x[d] = 0.5 + scale * x[d];
}

static void put(const struct bench *b, void *to, int64_t i, double v)
{
    if (f32(b))
        ((float *)to)[i] = (float)v;
    else
        ((double *)to)[i] = v;
}

static double get(const struct bench *b, const void *from, int64_t i)
{
    return f32(b) ? (double)((const float *)from)[i]
                  : ((const double *)from)[i];
}

static void points(struct bench *b)
{
    double *x = NULL;
    uint64_t seed = 1;
    const double cell[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    need(cell_set(&b->cell, cell, 1));
    need(MEM_RAW(x, 3 * b->n));
    for (int64_t i = 0; i < b->n; i++)
        position(b, i, &seed, x + 3 * i);
    if (b->device) {
        need(points_gpu_create(b->device, &b->points.gpu));
        need(points_gpu_set(b->points.gpu, &b->cell, b->n, x, FARSUM_F64,
                            "source"));
        b->points.n = b->n;
    } else {
        int32_t nb[3];
        need(points_set(&b->points, &b->cell, b->n, x, FARSUM_F64, "source",
                        b->spread.threads));
        spread_tiles(&b->spread, nb);
        need(bins_build(&b->points, nb, b->spread.threads));
    }
    mem_free(x);
}

static void arrays(struct bench *b)
{
    uint64_t seed = 7;
    int size = f32(b) ? 4 : 8;
    int64_t most = b->q_reals > b->mesh_reals ? b->q_reals : b->mesh_reals;
    need(mem_alloc(&b->q, b->q_reals, (size_t)size, 0));
    need(mem_alloc(&b->mesh, b->mesh_reals, (size_t)size, 0));
    need(mem_alloc(&b->out, most, (size_t)size, 0));
    for (int64_t i = 0; i < b->q_reals; i++)
        put(b, b->q, i, number(&seed) - 0.5);
    for (int64_t i = 0; i < b->mesh_reals; i++)
        put(b, b->mesh, i, number(&seed) - 0.5);
    if (!b->device)
        return;
    need(buf_alloc(&b->q_there, b->device, size * b->q_reals));
    need(buf_alloc(&b->mesh_there, b->device, size * b->mesh_reals));
    need(buf_alloc(&b->out_there, b->device, size * most));
    need(buf_upload(&b->q_there, 0, b->q, size * b->q_reals));
    need(buf_upload(&b->mesh_there, 0, b->mesh, size * b->mesh_reals));
}

static void start(const struct bench *b, struct stopwatch *watch, double *at)
{
    if (b->device)
        need(stopwatch_start(watch));
    *at = clock_seconds();
}

static double stop(const struct bench *b, struct stopwatch *watch, double at)
{
    double seconds = clock_seconds() - at;
    if (b->device) {
        need(stopwatch_stop(watch));
        need(stopwatch_seconds(watch, &seconds));
    }
    return seconds;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Relative to the reference; the first row becomes it. */
static double difference(struct bench *b, int room, int64_t count)
{
    double sum = 0, norm = 0;
    int first = !b->reference[room];
    if (b->device)
        need(buf_download(&b->out_there, 0, b->out,
                          count * (f32(b) ? 4 : 8)));
    if (first)
        need(MEM_RAW(b->reference[room], count));
    for (int64_t i = 0; i < count; i++) {
        double v = get(b, b->out, i);
        if (first)
            b->reference[room][i] = v;
        double r = b->reference[room][i];
        sum += (v - r) * (v - r);
        norm += r * r;
    }
    return norm > 0 ? sqrt(sum / norm) : sqrt(sum);
}

static void clear(struct bench *b)
{
    int64_t most = b->q_reals > b->mesh_reals ? b->q_reals : b->mesh_reals;
    if (b->device)
        need(buf_fill(&b->out_there, 0));
    else
        memset(b->out, 0, (size_t)most * (f32(b) ? 4 : 8));
}

/* Creates, sets twice and runs a row; prints its line. */
static void row(struct bench *b, int room, const struct variant_row *r)
{
    const struct variant *v = r->variant;
    const void *args = room ? (const void *)&b->interp
                            : (const void *)&b->spread;
    struct spread_io spread = {
        .q = b->device ? (void *)&b->q_there : b->q,
        .mesh = b->device ? (void *)&b->out_there : b->out};
    struct interp_io interp = {
        .mesh = b->device ? (void *)&b->mesh_there : b->mesh,
        .potential = b->device ? (void *)&b->out_there : b->out};
    const void *io = room ? (const void *)&interp : (const void *)&spread;
    struct stopwatch watch = {0};
    void *state = NULL;
    double at, set = 0, run[REPEATS];
    if ((v->fits && v->fits(args) != FARSUM_OK)
        || v->create(args, &state) != FARSUM_OK) {
        fprintf(stderr, "# %s %s: %s\n", room ? "interp" : "spread", r->name,
                farsum_message());
        return;
    }
    if (b->device)
        need(stopwatch_create(&watch, b->device));
    int64_t before = b->device ? b->device->bytes : mem_bytes();
    for (int k = 0; k < 2; k++) { /* the first takes memory */
        start(b, &watch, &at);
        if (v->set && v->set(state, &b->points, &b->points) != FARSUM_OK) {
            fprintf(stderr, "# %s: %s\n", r->name, farsum_message());
            goto done;
        }
        set = stop(b, &watch, at);
    }
    int64_t held = (b->device ? b->device->bytes : mem_bytes()) - before;
    clear(b);
    need(v->run(state, io));
    double off = difference(b, room, room ? b->q_reals : b->mesh_reals);
    for (int k = 0; k < REPEATS; k++) {
        start(b, &watch, &at);
        need(v->run(state, io));
        run[k] = stop(b, &watch, at);
    }
    qsort(run, REPEATS, sizeof *run, by_value);
    printf("%s,%s,%s,%s,%d,%d,%lld,%lld,%s,%.5g,%.5g,%.5g,%.5g,%.3g,%lld,%.4g"
           "\n",
           room ? "interp" : "spread", r->name,
           b->device ? b->device->name : "host", f32(b) ? "f32" : "f64",
           b->window.support, b->spread.channels,
           (long long)b->spread.mesh[0], (long long)b->n, b->dist, 1e3 * set,
           1e3 * run[0], 1e3 * run[REPEATS / 2], 1e-6 * (double)b->n / run[0],
           off, (long long)held, 1e3 * v->cost(args));
    fflush(stdout);
done:
    v->destroy(state);
    stopwatch_clear(&watch);
}

static int wanted(const char *name, int n, char **names)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return 1;
    return n == 0;
}

int main(int argc, char **argv)
{
    static struct bench b;
    if (argc < 8) {
        fprintf(stderr, "usage: mesh_rows DEVICE PRECISION SUPPORT CHANNELS "
                        "MESH N DIST [ROW...]\n");
        return 2;
    }
    if (!device_is_host(argv[1]))
        need(device_open(argv[1], &b.device));
    int64_t mesh = atoll(argv[5]);
    b.n = (int64_t)atof(argv[6]);
    b.dist = argv[7];
    b.spread = (struct spread_args){
        .precision = strcmp(argv[2], "f32") == 0 ? FARSUM_F32 : FARSUM_F64,
        .device = b.device,
        .isa = isa_best(),
        .threads = 16,
        .mesh = {mesh, mesh, mesh},
        .ldz = mesh,
        .channels = atoi(argv[4]),
        .window = &b.window,
        .n = b.n};
    need(window_set(&b.window, "prolate", atoi(argv[3]), 0, 1.5,
                    f32(&b) ? 1e-8 : 1e-14));
    b.interp = (struct interp_args){.precision = b.spread.precision,
                                    .device = b.device,
                                    .isa = b.spread.isa,
                                    .threads = 16,
                                    .outputs = FARSUM_POTENTIAL,
                                    .mesh = {mesh, mesh, mesh},
                                    .ldz = mesh,
                                    .channels = b.spread.channels,
                                    .window = &b.window,
                                    .cell = &b.cell,
                                    .n = b.n};
    b.mesh_reals = b.spread.channels * mesh * mesh * mesh;
    b.q_reals = b.spread.channels * b.n;
    points(&b);
    arrays(&b);
    for (int room = 0; room < 2; room++) {
        const struct variant_row *rows
            = room ? interp_stage.rows : spread_stage.rows;
        for (int i = 0; rows[i].name; i++)
            if (wanted(rows[i].name, argc - 8, argv + 8))
                row(&b, room, &rows[i]);
    }
    buf_clear(&b.q_there);
    buf_clear(&b.mesh_there);
    buf_clear(&b.out_there);
    points_gpu_destroy(b.points.gpu);
    device_close(b.device);
    return 0;
}
