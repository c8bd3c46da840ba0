/* SPDX-License-Identifier: Apache-2.0 */
/* near_rows.c: variants of the near field, timed on one device and compared
 * with the first variant; one CSV line each.
 *
 *     near_rows DEVICE PRECISION KERNEL N S [WHAT...]
 *
 *     near_rows cuda:0 f64 stokeslet 1e6 256
 *     near_rows cuda:0 f64 stokeslet 4e6 224 split=gaussian tolerance=1e-9 \
 *         whole=1 gpu_cells gpu_cells:cells=3 gm_1d sm_2d:team=64x2 \
 *         gpu_verlet:skin=0.1
 *
 * PRECISION: f64, f32 or mixed (pairs in f32, results in f64).  N points,
 * uniform in a cubic cell, are sources and targets.  S: mean number of them in
 * a cube whose edge is the cutoff.  WHAT: variants, in that order (default: the
 * table's);
 *     split=        prolate or gaussian
 *     tolerance=E
 *     c=C           bandwidth of the split (default: from E; gaussian
 *                   exp(-xi^2 rc^2) = E, prolate E'(rc) rc = 2 E)
 *     repeats=R     maximum number of timed runs
 *     threads=T     on the host
 *     kappa=K       screening in 1/cutoff (yukawa, yukawa_dipole; default: 0)
 *     header=0      no names of columns
 *     whole=1       changes N so that the edge is a whole number of cutoffs
 * A pair may have an error of a tenth of E.
 *
 * set is a variant's time for new positions (sorts, lists).  With skin=W, in
 * cutoffs, variants that reuse lists get positions near the last ones.  run is
 * the time for new strengths.  Both are minima; positions are already on the
 * device.  off is the root mean square difference from the first variant over
 * that of its values; for laplace, potential and field are summed. */
#include "mesh_case.h"

#include "base/clock.h"
#include "base/isa.h"
#include "base/mem.h"
#include "stage/near/near.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 7, REPEATS_LEAST = 2 };
#define LONG 1.0 /* seconds for all runs of a variant */

struct near_bench {
    struct near_args args;
    struct cell cell;
    struct split split;
    struct near_poly poly;
    struct pair pair;
    struct points points;
    int64_t n, parts, out_reals; /* parts: numbers per target */
    double s, tolerance;
    int repeats;
    void *q, *out;     /* on the host */
    double *reference; /* results of the first variant */
    struct buf x_there, q_there, value_there, field_there;
};

static int is_f32(const struct near_bench *b)
{
    return b->args.precision == FARSUM_F32;
}

static int64_t real_bytes(const struct near_bench *b)
{
    return is_f32(b) ? 4 : 8;
}

static int64_t out_bytes(const struct near_bench *b)
{
    return is_f32(b) && !b->args.wide ? 4 : 8;
}

/* Sets the same positions as if they were new. */
static void points_again(struct near_bench *b)
{
    if (!b->args.device)
        return;
    bench_need(points_gpu_set_device(b->points.gpu, &b->cell, b->n, &b->x_there,
                                     FARSUM_F64, "source"));
    /* sorting from an old order would be too cheap */
    for (struct gpu_ordering *o = b->points.gpu->orderings; o; o = o->next)
        o->path = GPU_SORT_NONE;
}

static void take_points(struct near_bench *b, double edge)
{
    double *x = NULL;
    uint64_t seed = 1;
    struct device *device = b->args.device;
    bench_need(MEM_RAW(x, 3 * b->n));
    for (int64_t i = 0; i < 3 * b->n; i++)
        x[i] = edge * bench_number(&seed);
    if (device) {
        b->points.n = b->n;
        bench_need(points_gpu_create(device, &b->points.gpu));
        bench_need(buf_alloc(&b->x_there, device, 24 * b->n));
        bench_need(buf_upload(&b->x_there, 0, x, 24 * b->n));
        points_again(b);
    } else {
        bench_need(points_set(&b->points, &b->cell, b->n, x, FARSUM_F64,
                              "source", b->args.threads));
    }
    mem_free(x);
}

static void take_arrays(struct near_bench *b)
{
    const struct pair *pair = b->args.pair;
    int64_t real = real_bytes(b), reals = pair->strengths * b->n;
    uint64_t seed = 7;
    b->parts = pair->values + (pair->kind->gradient ? 3 : 0);
    b->out_reals = b->parts * b->n;
    bench_need(mem_alloc(&b->q, reals, (size_t)real, 0));
    bench_need(mem_alloc(&b->out, b->out_reals, (size_t)out_bytes(b), 0));
    for (int64_t i = 0; i < reals; i++) {
        double v = bench_number(&seed) - 0.5;
        if (is_f32(b))
            ((float *)b->q)[i] = (float)v;
        else
            ((double *)b->q)[i] = v;
    }
    if (!b->args.device)
        return;
    bench_need(buf_alloc(&b->q_there, b->args.device, real * reals));
    bench_need(buf_upload(&b->q_there, 0, b->q, real * reals));
    bench_need(buf_alloc(&b->value_there, b->args.device,
                         out_bytes(b) * pair->values * b->n));
    bench_need(
        buf_alloc(&b->field_there, b->args.device, out_bytes(b) * 3 * b->n));
}

static void zero(struct near_bench *b)
{
    if (b->args.device) {
        bench_need(buf_fill(&b->value_there, 0));
        bench_need(buf_fill(&b->field_there, 0));
    } else {
        memset(b->out, 0, (size_t)(b->out_reals * out_bytes(b)));
    }
}

/* RMS difference of `out` from the first variant's, relative. */
static double difference(struct near_bench *b)
{
    int64_t values = b->args.pair->values * b->n;
    double sum = 0, norm = 0;
    int first = !b->reference;
    if (b->args.device) {
        int64_t bytes = values * out_bytes(b);
        bench_need(buf_download(&b->value_there, 0, b->out, bytes));
        if (b->out_reals > values)
            bench_need(buf_download(&b->field_there, 0, (char *)b->out + bytes,
                                    3 * b->n * out_bytes(b)));
    }
    if (first)
        bench_need(MEM_RAW(b->reference, b->out_reals));
    for (int64_t i = 0; i < b->out_reals; i++) {
        double v = out_bytes(b) == 4 ? (double)((const float *)b->out)[i]
                                     : ((const double *)b->out)[i];
        if (first)
            b->reference[i] = v;
        double r = b->reference[i];
        sum += (v - r) * (v - r);
        norm += r * r;
    }
    return norm > 0 ? sqrt(sum / norm) : sqrt(sum);
}

static double seconds_of(const struct near_bench *b, struct stopwatch *watch,
                         double at)
{
    double seconds = clock_seconds() - at;
    if (b->args.device) {
        bench_need(stopwatch_stop(watch));
        bench_need(stopwatch_seconds(watch, &seconds));
    }
    return seconds;
}

static double begin(const struct near_bench *b, struct stopwatch *watch)
{
    if (b->args.device)
        bench_need(stopwatch_start(watch));
    return clock_seconds();
}

struct measured {
    double set, run, off;
};

static farsum_status measure(struct near_bench *b, const struct variant *v,
                             void *state, struct stopwatch *watch,
                             struct measured *m)
{
    const struct device *device = b->args.device;
    int64_t values = b->args.pair->values * b->n * out_bytes(b);
    void *field = device ? (void *)&b->field_there : (char *)b->out + values;
    struct near_io io = {
        .q = device ? (void *)&b->q_there : b->q,
        .potential = device ? (void *)&b->value_there : b->out,
        .field = b->args.pair->kind->gradient ? field : NULL,
    };
    double all = 0;
    for (int k = 0; k < 2; k++) { /* the first one allocates */
        points_again(b);
        double at = begin(b, watch);
        TRY(v->set(state, &b->points, &b->points));
        m->set = seconds_of(b, watch, at);
    }
    zero(b);
    TRY(v->run(state, &io));
    m->off = difference(b);
    m->run = INFINITY;
    for (int k = 0; k < b->repeats && (k < REPEATS_LEAST || all < LONG); k++) {
        double at = begin(b, watch);
        TRY(v->run(state, &io));
        double run = seconds_of(b, watch, at);
        m->run = fmin(m->run, run);
        all += run;
    }
    return FARSUM_OK;
}

static void print(const struct near_bench *b, const char *name, double cost,
                  const struct measured *m)
{
    printf("%s,%s,%s,%s,%s,%.4g,%lld,%.5g,%g,%.5g,%.5g,%.5g,%.3g,%.5g\n",
           b->args.device ? b->args.device->name : "host", name,
           b->args.pair->name,
           b->args.wide ? "mixed"
           : is_f32(b)  ? "f32"
                        : "f64",
           split_name(&b->split), b->split.c, (long long)b->n, b->s,
           b->tolerance, 1e3 * m->set, 1e3 * m->run,
           1e-6 * (double)b->n / m->run, m->off, 1e3 * cost);
    fflush(stdout);
}

static void row(struct near_bench *b, const char *name, const struct variant *v)
{
    struct stopwatch watch = {0};
    struct measured m = {0};
    void *state = NULL;
    if ((v->fits && v->fits(&b->args) != FARSUM_OK)
        || v->create(&b->args, &state) != FARSUM_OK) {
        fprintf(stderr, "# %s: %s\n", name, farsum_message());
        return;
    }
    if (b->args.device)
        bench_need(stopwatch_create(&watch, b->args.device));
    if (measure(b, v, state, &watch, &m) == FARSUM_OK)
        print(b, name, v->cost(&b->args), &m);
    else
        fprintf(stderr, "# %s: %s\n", name, farsum_message());
    v->destroy(state);
    stopwatch_clear(&watch);
}

/* Runs a variant as named: NAME[:team=XxY][:cells=K][:skin=W]. */
static void asked(struct near_bench *b, const char *text)
{
    size_t length = strcspn(text, ":");
    const char *team = strstr(text, ":team=");
    const char *cells = strstr(text, ":cells=");
    const char *skin = strstr(text, ":skin=");
    int *t = b->args.team;
    t[0] = t[1] = 0;
    b->args.cells = cells ? atoi(cells + 7) : 0;
    b->args.skin = skin ? atof(skin + 6) : 0;
    if (team && sscanf(team, ":team=%dx%d", &t[0], &t[1]) != 2) {
        fprintf(stderr, "# %s: a team is written as 64x2\n", text);
        return;
    }
    for (const struct variant_row *r = near_stage.rows; r->name; r++)
        if (strlen(r->name) == length && memcmp(r->name, text, length) == 0) {
            row(b, text, r->variant);
            return;
        }
    fprintf(stderr, "# no row %s\n", text);
}

/* The smallest bandwidth for which the split meets the tolerance at its end. */
static void bandwidth(struct near_bench *b, const char *split, double c)
{
    double low = 1, high = 100;
    if (c > 0) {
        bench_need(split_set(&b->split, split, c));
        return;
    }
    for (int k = 0; k < 40; k++) {
        double middle = 0.5 * (low + high);
        bench_need(split_set(&b->split, split, middle));
        double end = b->split.xi > 0 ? exp(-b->split.xi * b->split.xi)
                                     : 0.5 * split_de(&b->split, 1);
        if (end > b->tolerance)
            low = middle;
        else
            high = middle;
    }
    bench_need(split_set(&b->split, split, high));
}

static const char *value(const char *word, const char *name)
{
    size_t length = strlen(name);
    return strncmp(word, name, length) == 0 ? word + length : NULL;
}

struct wanted {
    const char *split;
    double c;
    int whole, header, rows; /* rows: number of named variants */
};

static void options(struct near_bench *b, struct wanted *w, int count,
                    char **word)
{
    for (int i = 0; i < count; i++) {
        const char *v;
        if ((v = value(word[i], "split=")))
            w->split = v;
        else if ((v = value(word[i], "tolerance=")))
            b->tolerance = atof(v);
        else if ((v = value(word[i], "c=")))
            w->c = atof(v);
        else if ((v = value(word[i], "repeats=")))
            b->repeats = atoi(v);
        else if ((v = value(word[i], "threads=")))
            b->args.threads = atoi(v);
        else if ((v = value(word[i], "kappa=")))
            b->pair.kappa = atof(v);
        else if ((v = value(word[i], "whole=")))
            w->whole = atoi(v);
        else if ((v = value(word[i], "header=")))
            w->header = atoi(v);
        else
            word[w->rows++] = word[i];
    }
}

static void prepare(struct near_bench *b, const struct wanted *w)
{
    struct near_args *a = &b->args;
    double edge = cbrt((double)b->n / b->s);
    if (w->whole) {
        edge = fmax(round(edge), 1);
        b->n = llround(edge * edge * edge * b->s);
    }
    const double rows[9] = {edge, 0, 0, 0, edge, 0, 0, 0, edge};
    bench_need(cell_set(&b->cell, rows, 1));
    bandwidth(b, w->split, w->c);
    double floor = is_f32(b) ? 1e-7 : 1e-14;
    bench_need(pair_near_poly(a->pair, &b->split,
                              fmax(0.1 * b->tolerance, floor), &b->poly));
    a->allowed = 0.1 * b->tolerance;
    a->isa = isa_best();
    a->cell = &b->cell;
    a->poly = &b->poly;
    a->split = &b->split;
    a->n_sources = b->n;
    a->neighbours = 4 * M_PI / 3 * b->s;
    a->outputs = a->pair->kind->gradient ? FARSUM_POTENTIAL | FARSUM_FIELD
                                         : FARSUM_VELOCITY;
    take_points(b, edge);
    take_arrays(b);
}

static void clear(struct near_bench *b)
{
    buf_clear(&b->x_there);
    buf_clear(&b->q_there);
    buf_clear(&b->value_there);
    buf_clear(&b->field_there);
    points_clear(&b->points);
    mem_free(b->q);
    mem_free(b->out);
    mem_free(b->reference);
    device_close(b->args.device);
}

int main(int argc, char **argv)
{
    static struct near_bench b = {.tolerance = 1e-9, .repeats = REPEATS};
    struct wanted w = {.split = "prolate", .header = 1};
    if (argc < 6) {
        fprintf(stderr, "usage: near_rows DEVICE PRECISION KERNEL N S "
                        "[WHAT...]\n");
        return 2;
    }
    b.args.threads = 16;
    if (!device_is_host(argv[1]))
        bench_need(device_open(argv[1], &b.args.device));
    b.args.precision = strcmp(argv[2], "f64") == 0 ? FARSUM_F64 : FARSUM_F32;
    b.args.wide = strcmp(argv[2], "mixed") == 0;
    const struct pair *found = pair_find(argv[3]);
    if (found) {
        b.pair = *found;
        b.pair.charge = b.pair.dipole = found->kind->moments;
        b.args.pair = &b.pair;
    }
    b.n = (int64_t)atof(argv[4]);
    b.s = atof(argv[5]);
    options(&b, &w, argc - 6, argv + 6);
    if (!b.args.pair || b.n < 1 || !(b.s > 0) || b.repeats < 1
        || !(b.tolerance > 0)) {
        fprintf(stderr,
                "near_rows: no kernel %s, or a number that is not "
                "above 0\n",
                argv[3]);
        return 2;
    }
    prepare(&b, &w);
    if (w.header)
        printf("device,row,kernel,precision,split,c,n,s,tolerance,set_ms,"
               "run_ms,targets_per_us,off,cost_ms\n");
    for (int i = 0; i < w.rows; i++)
        asked(&b, argv[6 + i]);
    for (const struct variant_row *r = near_stage.rows; !w.rows && r->name; r++)
        asked(&b, r->name);
    clear(&b);
    return 0;
}
