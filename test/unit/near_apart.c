/* SPDX-License-Identifier: Apache-2.0 */
/* near_apart.c: energy and virial between separate targets and sources on
 * FARSUM_TEST_DEVICE (default: opencl:0), against `plain`.  As over ranks, the
 * targets are some of the sources, in another order. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device/buf.h"
#include "points/device/set.h"
#include "stage/near/near.h"

enum {
    SOURCES = 400,
    TARGETS = 170,
    TOTALS = 10, /* energy, virial */
    WANTED = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY | FARSUM_VIRIAL
};

static struct device *device;

struct setting {
    struct cell cell;
    struct pair pair;
    struct split split;
    struct near_poly poly;
    struct points sources, targets;
    double x[3 * SOURCES], y[3 * TARGETS], q[SOURCES], q_targets[TARGETS];
};

/* Results of a run, in f64. */
struct sums {
    double potential[TARGETS], field[3 * TARGETS], total[TOTALS];
};

static double number(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static void place(struct points *points, const struct cell *cell, int64_t n,
                  const double *x)
{
    CHECK_OK(points_set(points, cell, n, x, FARSUM_F64, "point", 1));
    if (!points->gpu)
        CHECK_OK(points_gpu_create(device, &points->gpu));
    CHECK_OK(points_gpu_set(points->gpu, cell, n, x, FARSUM_F64, "point"));
}

static void setting_make(struct setting *s, const char *kernel, double volume)
{
    const double edge = cbrt(volume);
    const double rows[9] = {edge, 0,           0,          0.3 * edge, edge,
                            0,    -0.2 * edge, 0.4 * edge, edge};
    uint64_t seed = 3;
    memset(s, 0, sizeof *s);
    s->pair = *pair_find(kernel);
    s->pair.kappa = s->pair.kind->screened ? 2 : 0;
    CHECK_OK(cell_set(&s->cell, rows, 1));
    CHECK_OK(split_set(&s->split, "gaussian", 20));
    CHECK_OK(pair_near_poly(&s->pair, &s->split,
                            strcmp(kernel, "r6") == 0 ? 1e-6 : 1e-13,
                            &s->poly));
    for (int i = 0; i < 3 * SOURCES; i++)
        s->x[i] = edge * number(&seed);
    for (int i = 0; i < SOURCES; i++)
        s->q[i] = (float)(2 * number(&seed) - 1);
    for (int i = 0; i < TARGETS; i++) {
        int from = 7 * i % SOURCES;
        memcpy(s->y + 3 * i, s->x + 3 * from, 3 * sizeof *s->x);
        s->q_targets[i] = s->q[from];
    }
    place(&s->sources, &s->cell, SOURCES, s->x);
    place(&s->targets, &s->cell, TARGETS, s->y);
}

static void setting_free(struct setting *s)
{
    points_clear(&s->sources);
    points_clear(&s->targets);
}

static struct near_args args_of(const struct setting *s,
                                farsum_precision precision, int wide)
{
    return (struct near_args){
        .precision = precision,
        .isa = isa_best(),
        .threads = 1,
        .outputs = WANTED,
        .cell = &s->cell,
        .poly = &s->poly,
        .n_sources = SOURCES,
        .n_targets = TARGETS,
        .neighbours = 4.19 * SOURCES / s->cell.volume,
        .device = device,
        .pair = &s->pair,
        .split = &s->split,
        .wide = wide,
    };
}

/* A buffer of numbers with an array's precision. */
static void upload(struct buf *buf, const double *from, int64_t n, int f32)
{
    float narrow[SOURCES];
    for (int64_t i = 0; f32 && i < n; i++)
        narrow[i] = (float)from[i];
    CHECK_OK(buf_alloc(buf, device, n * (f32 ? 4 : 8)));
    CHECK_OK(
        buf_upload(buf, 0, f32 ? (void *)narrow : from, n * (f32 ? 4 : 8)));
}

static void download(const struct buf *buf, double *to, int64_t n, int f32)
{
    float narrow[3 * SOURCES];
    CHECK_OK(
        buf_download(buf, 0, f32 ? (void *)narrow : to, n * (f32 ? 4 : 8)));
    for (int64_t i = 0; f32 && i < n; i++)
        to[i] = (double)narrow[i];
}

static struct sums plain_of(const struct setting *s, struct near_args args)
{
    struct sums sums = {0};
    struct near_io io = {.q = s->q,
                         .potential = sums.potential,
                         .field = sums.field,
                         .energy = sums.total,
                         .virial = sums.total + 1,
                         .q_targets = s->q_targets};
    const struct variant *plain = near_stage.rows->variant;
    void *state = NULL;
    args.device = NULL;
    args.precision = FARSUM_F64;
    args.wide = 0;
    CHECK_OK(plain->create(&args, &state));
    CHECK_OK(plain->set(state, &s->sources, &s->targets));
    CHECK_OK(plain->run(state, &io));
    plain->destroy(state);
    return sums;
}

/* Runs a state on the device, after its set. */
static struct sums run(const struct variant *v, void *state,
                       const struct near_args *args, const struct setting *s)
{
    enum { Q, Q_TARGETS, POTENTIAL, FIELD, TOTAL, VIRIAL, BUFFERS };
    const int f32 = args->precision == FARSUM_F32, narrow = f32 && !args->wide;
    struct sums sums = {0};
    struct buf b[BUFFERS] = {0};
    upload(&b[Q], s->q, SOURCES, f32);
    upload(&b[Q_TARGETS], s->q_targets, TARGETS, f32);
    for (int k = POTENTIAL; k < BUFFERS; k++) {
        CHECK_OK(buf_alloc(&b[k], device, 24 * TARGETS));
        CHECK_OK(buf_fill(&b[k], 0));
    }
    struct near_io io = {.q = &b[Q],
                         .potential = &b[POTENTIAL],
                         .field = &b[FIELD],
                         .energy = &b[TOTAL],
                         .virial = &b[VIRIAL],
                         .q_targets = &b[Q_TARGETS]};
    CHECK_OK(v->run(state, &io));
    download(&b[POTENTIAL], sums.potential, TARGETS, narrow);
    download(&b[FIELD], sums.field, 3 * TARGETS, narrow);
    download(&b[TOTAL], sums.total, 1, 0);
    download(&b[VIRIAL], sums.total + 1, 9, 0);
    for (int k = 0; k < BUFFERS; k++)
        buf_clear(&b[k]);
    return sums;
}

static double rms(const double *v, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum / (double)n);
}

/* Errors relative to the RMS.  Those of energy and virial, whose terms have
 * both signs, are relative to a random walk of the targets' terms. */
static void compare(const char *what, const struct sums *found,
                    const struct sums *wanted, double bound)
{
    double e[3 * TARGETS];
    double unit = fmax(rms(wanted->potential, TARGETS), 1);
    for (int i = 0; i < TARGETS; i++)
        e[i] = found->potential[i] - wanted->potential[i];
    CHECK(rms(e, TARGETS) <= bound * unit,
          "%s: potential has an error of %.3g of %.3g", what, rms(e, TARGETS),
          unit);
    for (int i = 0; i < 3 * TARGETS; i++)
        e[i] = found->field[i] - wanted->field[i];
    double slope = fmax(rms(wanted->field, 3 * TARGETS), 1);
    CHECK(rms(e, 3 * TARGETS) <= bound * slope,
          "%s: field has an error of %.3g of %.3g", what, rms(e, 3 * TARGETS),
          slope);
    for (int i = 0; i < TOTALS; i++) {
        double most = bound * sqrt(TARGETS) * (i == 0 ? unit : slope);
        CHECK(fabs(found->total[i] - wanted->total[i]) <= most,
              "%s: total %d is %.17g, plain gives %.17g", what, i,
              found->total[i], wanted->total[i]);
        CHECK(fabs(wanted->total[i]) > most, "total %d is only %g", i,
              wanted->total[i]);
    }
}

/* precision: f32, f32 with f64 sums, f64. */
static void one(const struct variant_row *row, const struct setting *s,
                const struct sums *plain, int precision)
{
    static const double bounds[] = {2e-6, 2e-6, 2e-13};
    struct near_args args =
        args_of(s, precision < 2 ? FARSUM_F32 : FARSUM_F64, precision == 1);
    const struct variant *v = row->variant;
    void *state = NULL;
    char what[80];
    if (v->fits(&args) != FARSUM_OK)
        return;
    snprintf(what, sizeof what, "%s %s precision %d", row->name, s->pair.name,
             precision);
    CHECK_OK(v->create(&args, &state));
    CHECK_OK(v->set(state, &s->sources, &s->targets));
    struct sums sums = run(v, state, &args, s);
    compare(what, &sums, plain, bounds[precision] * s->pair.kind->power);
    v->destroy(state);
}

static void some_sources_are_targets(void)
{
    static const char *const kernels[] = {"laplace", "yukawa", "r6"};
    for (int k = 0; k < 3; k++) {
        static struct setting s;
        setting_make(&s, kernels[k], k == 1 ? 3 : 40);
        struct sums plain = plain_of(&s, args_of(&s, FARSUM_F64, 0));
        for (const struct variant_row *row = near_stage.rows; row->name; row++)
            for (int precision = 0; precision < 3; precision++)
                one(row, &s, &plain, precision);
        setting_free(&s);
    }
}

/* Two sets of targets that together are all sources: their totals add up to
 * those of a sum whose targets are the sources. */
static void parts_add_up(void)
{
    static struct setting s;
    setting_make(&s, "laplace", 40);
    const struct variant_row *row = near_stage.rows;
    while (strcmp(row->name, "gpu_cells") != 0)
        row++;
    double total[2][TOTALS] = {{0}};
    struct near_args args = args_of(&s, FARSUM_F64, 0);
    for (int part = 0; part < 3; part++) {
        int begin = part * TARGETS, n = SOURCES - begin;
        void *state = NULL;
        n = n < TARGETS ? n : TARGETS;
        memset(s.q_targets, 0, sizeof s.q_targets);
        memcpy(s.q_targets, s.q + begin, (size_t)n * sizeof *s.q);
        memcpy(s.y, s.x + 3 * begin, 3 * (size_t)n * sizeof *s.x);
        place(&s.targets, &s.cell, n, s.y);
        CHECK_OK(row->variant->create(&args, &state));
        CHECK_OK(row->variant->set(state, &s.sources, &s.targets));
        struct sums sums = run(row->variant, state, &args, &s);
        row->variant->destroy(state);
        for (int i = 0; i < TOTALS; i++)
            total[0][i] += sums.total[i];
    }
    struct near_io io = {.q = s.q, .energy = total[1], .virial = total[1] + 1};
    void *state = NULL;
    args.device = NULL;
    args.n_targets = 0;
    CHECK_OK(near_stage.rows->variant->create(&args, &state));
    CHECK_OK(near_stage.rows->variant->set(state, &s.sources, NULL));
    CHECK_OK(near_stage.rows->variant->run(state, &io));
    near_stage.rows->variant->destroy(state);
    for (int i = 0; i < TOTALS; i++)
        CHECK_NEAR(total[0][i], total[1][i], 1e-12 * fabs(total[1][0]));
    setting_free(&s);
}

/* Lists that are reused, and strengths of a later run. */
static void lists_are_reused(void)
{
    static struct setting s;
    struct near_lists lists = {0};
    setting_make(&s, "laplace", 40);
    const struct variant_row *row = near_stage.rows;
    while (strcmp(row->name, "gpu_verlet") != 0)
        row++;
    struct near_args args = args_of(&s, FARSUM_F64, 0);
    void *state = NULL;
    args.skin = 0.2;
    args.lists = &lists;
    CHECK_OK(row->variant->create(&args, &state));
    for (int step = 0; step < 3; step++) {
        for (int i = 0; i < TARGETS; i++)
            s.q_targets[i] = s.q[7 * i % SOURCES] *= 1.25;
        for (int i = 0; i < 3 * SOURCES; i++)
            s.x[i] += 0.003 * (i % 5);
        for (int i = 0; i < 3 * TARGETS; i++)
            s.y[i] = s.x[3 * (7 * (i / 3) % SOURCES) + i % 3];
        place(&s.sources, &s.cell, SOURCES, s.x);
        place(&s.targets, &s.cell, TARGETS, s.y);
        CHECK_OK(row->variant->set(state, &s.sources, &s.targets));
        struct sums plain = plain_of(&s, args);
        struct sums sums = run(row->variant, state, &args, &s);
        compare("gpu_verlet with a skin", &sums, &plain, 2e-13);
    }
    CHECK(lists.made == 1 && lists.kept == 2, "lists made %lld, kept %lld",
          (long long)lists.made, (long long)lists.kept);
    row->variant->destroy(state);
    setting_free(&s);
}

/* Without strengths of the targets, or if the outputs did not say so. */
static void refusals(void)
{
    static struct setting s;
    setting_make(&s, "laplace", 40);
    for (const struct variant_row *row = near_stage.rows; row->name; row++)
        for (int k = 0; k < 2; k++) {
            struct near_args args = args_of(&s, FARSUM_F64, 0);
            struct buf q = {0}, energy = {0};
            struct near_io io = {
                .q = &q, .energy = &energy, .q_targets = k ? &q : NULL};
            void *state = NULL;
            args.outputs = k ? FARSUM_POTENTIAL : WANTED;
            if (row->variant->fits(&args) != FARSUM_OK)
                continue;
            upload(&q, s.q, SOURCES, 0);
            CHECK_OK(buf_alloc(&energy, device, 8));
            CHECK_OK(row->variant->create(&args, &state));
            CHECK_OK(row->variant->set(state, &s.sources, &s.targets));
            CHECK_FAILS(row->variant->run(state, &io), FARSUM_ERR_ARGUMENT);
            CHECK_SAYS("q_targets");
            row->variant->destroy(state);
            buf_clear(&q);
            buf_clear(&energy);
        }
    setting_free(&s);
}

int main(void)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    if (device_open(name ? name : "opencl:0", &device) != FARSUM_OK) {
        printf("skipped: %s\n", farsum_message());
        return CHECK_SKIPPED;
    }
    RUN(some_sources_are_targets);
    RUN(parts_add_up);
    RUN(lists_are_reused);
    RUN(refusals);
    device_close(device);
    return check_end();
}
