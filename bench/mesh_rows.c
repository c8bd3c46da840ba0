/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_rows.c: all variants of spread and interp that support a case, timed on
 * one device and compared with the first variant; one CSV line each.
 *
 *     mesh_rows DEVICE PRECISION SUPPORT CHANNELS MESH N DIST [WHAT...]
 *
 *     mesh_rows cuda:0 f64 8 3 216 1e6 uniform
 *     mesh_rows cuda:0 f32 6 1 216 1e7 uniform gpu_stream gpu_particle
 *     mesh_rows cuda:0 f32 6 1 128 1e6 uniform window=bspline stage=spread \
 *         gpu_single:unit=8 gpu_group:group=128 gpu_particle_shadow
 *
 * MESH: points along each axis.  DIST: uniform, clustered (half of the points
 * in a ball whose radius is a tenth of the edge), shell (all on a sphere),
 * gauss (a normal distribution, its width an eighth of the edge), cell (all
 * within one mesh cell).  WHAT: variants, in that order, or "all" (default);
 *     window=NAME
 *     parts=2       complex strengths
 *     repeats=R     runs that variants should expect
 *     stage=         spread or interp
 *     field=1       interp computes the field and the potential; only the
 *                   potential is compared
 *     header=1      first the names of columns, and the line of room "points",
 *                   the time to accept positions
 * gpu_particle_shadow is gpu_particle without atomics.  Its sums are wrong; its
 * time shows the cost of atomics.
 *
 * set is a variant's time for new positions (sorts, lists, matrices), run the
 * time for new strengths.  Positions are already on the device. */
#include "mesh_case.h"

#include "base/clock.h"
#include "base/isa.h"
#include "base/mem.h"
#include "stage/spread/gpu_particle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Timed runs; fewer if they would take more than LONG seconds in total. */
enum { REPEATS = 9, REPEATS_LEAST = 3 };
#define LONG 1.0

static void start(const struct bench *b, struct stopwatch *watch, double *at)
{
    if (b->device)
        bench_need(stopwatch_start(watch));
    *at = clock_seconds();
}

static double stop(const struct bench *b, struct stopwatch *watch, double at)
{
    double seconds = clock_seconds() - at;
    if (b->device) {
        bench_need(stopwatch_stop(watch));
        bench_need(stopwatch_seconds(watch, &seconds));
    }
    return seconds;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int64_t bytes_now(const struct bench *b)
{
    return b->device ? b->device->bytes : mem_bytes();
}

struct measured {
    double set, least, median, off, cost;
    int64_t bytes;
};

static void print(const struct bench *b, const char *stage, const char *name,
                  const struct measured *m)
{
    printf("%s,%s,%s,%s,%d,%d,%lld,%lld,%s,%.5g,%.5g,%.5g,%.5g,%.3g,%lld,%.4g,"
           "%s,%d\n",
           stage, name, b->device ? b->device->name : "host",
           bench_f32(b) ? "f32" : "f64", b->window.support, b->spread.channels,
           (long long)b->spread.mesh[0], (long long)b->n, b->dist, 1e3 * m->set,
           1e3 * m->least, 1e3 * m->median, 1e-6 * (double)b->n / m->least,
           m->off, (long long)m->bytes, 1e3 * m->cost, window_name(&b->window),
           spread_parts(&b->spread));
    fflush(stdout);
}

/* Sorts count times. */
static void summary(double *run, int count, struct measured *m)
{
    qsort(run, (size_t)count, sizeof *run, by_value);
    m->least = run[0];
    m->median = run[count / 2];
}

/* Runs a variant whose state has its points. */
static farsum_status run_all(struct bench *b, int stage,
                             const struct variant *v, void *state,
                             struct stopwatch *watch, struct measured *m)
{
    struct spread_io spread = {.q = b->device ? (void *)&b->q_there : b->q,
                               .mesh =
                                   b->device ? (void *)&b->out_there : b->out};
    struct interp_io interp = {
        .mesh = b->device ? (void *)&b->mesh_there : b->mesh,
        .potential = b->device ? (void *)&b->out_there : b->out,
        .field = !b->field   ? NULL
                 : b->device ? (void *)&b->field_there
                             : b->field_out};
    const void *io = stage ? (const void *)&interp : (const void *)&spread;
    double at, run[REPEATS], all = 0;
    int count = 0;
    bench_out_zero(b);
    TRY(v->run(state, io));
    m->off = bench_difference(b, stage);
    while (count < REPEATS && (count < REPEATS_LEAST || all < LONG)) {
        start(b, watch, &at);
        TRY(v->run(state, io));
        run[count] = stop(b, watch, at);
        all += run[count++];
    }
    summary(run, count, m);
    return FARSUM_OK;
}

/* Creates a variant's state, sets points twice, runs it, and prints its
 * line. */
static void row(struct bench *b, int stage, const char *name,
                const struct variant *v)
{
    const void *args =
        stage ? (const void *)&b->interp : (const void *)&b->spread;
    struct stopwatch watch = {0};
    struct measured m = {0};
    void *state = NULL;
    double at;
    if ((v->fits && v->fits(args) != FARSUM_OK)
        || v->create(args, &state) != FARSUM_OK) {
        fprintf(stderr, "# %s %s: %s\n", stage ? "interp" : "spread", name,
                farsum_message());
        return;
    }
    if (b->device)
        bench_need(stopwatch_create(&watch, b->device));
    int64_t before = bytes_now(b);
    for (int k = 0; k < 2; k++) { /* the first one allocates */
        if (b->device)
            bench_points_again(b);
        start(b, &watch, &at);
        if (v->set && v->set(state, &b->points, &b->points) != FARSUM_OK) {
            fprintf(stderr, "# %s: %s\n", name, farsum_message());
            goto done;
        }
        m.set = stop(b, &watch, at);
    }
    m.bytes = bytes_now(b) - before;
    m.cost = v->cost(args);
    if (run_all(b, stage, v, state, &watch, &m) == FARSUM_OK)
        print(b, stage ? "interp" : "spread", name, &m);
    else
        fprintf(stderr, "# %s: %s\n", name, farsum_message());
done:
    v->destroy(state);
    stopwatch_clear(&watch);
}

/* Prints the line of the cost of taking positions. */
static void points_line(struct bench *b)
{
    struct stopwatch watch = {0};
    struct measured m = {0};
    double at, run[REPEATS];
    if (!b->device)
        return;
    bench_need(stopwatch_create(&watch, b->device));
    for (int k = 0; k < REPEATS; k++) {
        start(b, &watch, &at);
        bench_points_again(b);
        run[k] = stop(b, &watch, at);
    }
    summary(run, REPEATS, &m);
    print(b, "points", "set", &m);
    stopwatch_clear(&watch);
}

static void all_rows(struct bench *b, int stage)
{
    const struct variant_row *r = stage ? interp_stage.rows : spread_stage.rows;
    b->spread.unit = b->spread.group = 0;
    for (; r->name; r++)
        row(b, stage, r->name, r->variant);
}

/* Runs a variant as named: NAME[:unit=U][:group=G], or all. */
static int asked(struct bench *b, int stage, const char *text)
{
    const struct variant_row *r = stage ? interp_stage.rows : spread_stage.rows;
    size_t length = strcspn(text, ":");
    const char *unit = strstr(text, ":unit="), *group = strstr(text, ":group=");
    if (strcmp(text, "all") == 0) {
        all_rows(b, stage);
        return 1;
    }
    b->spread.unit = unit ? atoi(unit + strlen(":unit=")) : 0;
    b->spread.group = group ? atoi(group + strlen(":group=")) : 0;
    if (!stage && strcmp(text, "gpu_particle_shadow") == 0) {
        if (b->device)
            row(b, stage, text, &spread_gpu_particle_shadow);
        return 1;
    }
    for (; r->name; r++)
        if (strlen(r->name) == length && memcmp(r->name, text, length) == 0) {
            row(b, stage, text, r->variant);
            return 1;
        }
    return 0;
}

struct wanted {
    const char *window, *stage;
    int header, rows; /* rows: number of named variants, in front */
    char **row;
};

static const char *value(const char *word, const char *name)
{
    size_t length = strlen(name);
    return strncmp(word, name, length) == 0 ? word + length : NULL;
}

/* Removes the options from the words; the names of variants remain. */
static void options(struct bench *b, struct wanted *w, int count, char **word)
{
    w->row = word;
    for (int i = 0; i < count; i++) {
        const char *v;
        if ((v = value(word[i], "window=")))
            w->window = v;
        else if ((v = value(word[i], "stage=")))
            w->stage = v;
        else if ((v = value(word[i], "parts=")))
            b->spread.parts = atoi(v);
        else if ((v = value(word[i], "field=")))
            b->field = atoi(v);
        else if ((v = value(word[i], "repeats=")))
            b->spread.repeats = atof(v);
        else if ((v = value(word[i], "header=")))
            w->header = atoi(v);
        else
            word[w->rows++] = word[i];
    }
}

static void stages(struct bench *b, const struct wanted *w)
{
    static const char *const names[2] = {"spread", "interp"};
    int *found = NULL;
    bench_need(MEM_NEW(found, w->rows + 1));
    for (int stage = 0; stage < 2; stage++) {
        if (w->stage && strcmp(w->stage, names[stage]) != 0)
            continue;
        if (w->rows == 0)
            all_rows(b, stage);
        for (int i = 0; i < w->rows; i++)
            found[i] |= asked(b, stage, w->row[i]);
    }
    for (int i = 0; i < w->rows; i++)
        if (!found[i])
            fprintf(stderr, "# no row %s\n", w->row[i]);
    mem_free(found);
}

int main(int argc, char **argv)
{
    static struct bench b;
    struct wanted w = {.window = "prolate"};
    if (argc < 8) {
        fprintf(stderr, "usage: mesh_rows DEVICE PRECISION SUPPORT CHANNELS "
                        "MESH N DIST [WHAT...]\n");
        return 2;
    }
    if (!device_is_host(argv[1]))
        bench_need(device_open(argv[1], &b.device));
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
    options(&b, &w, argc - 8, argv + 8);
    bench_need(window_set(&b.window, w.window, atoi(argv[3]), 0, 1.5,
                          bench_f32(&b) ? 1e-8 : 1e-14));
    if (w.header)
        printf("room,row,device,precision,P,channels,K,N,dist,set_ms,"
               "run_min_ms,run_median_ms,per_us,off,bytes,cost_ms,window,"
               "parts\n");
    bench_create(&b);
    if (w.header)
        points_line(&b);
    stages(&b, &w);
    bench_clear(&b);
    return 0;
}
