/* SPDX-License-Identifier: Apache-2.0 */
/* near_wide.c: sums of many near pairs of one sign.  Pairs in f32 have
 * independent rounding errors: the error of a sum of n is their root mean
 * square over sqrt(n).  The error of sums in f32 grows with the number of
 * terms; that of f64 sums (`wide`) does not.  On the host and on
 * FARSUM_TEST_DEVICE (default: opencl:0). */
#include "unit/near_case.h"

#include "device/device.h"
#include "points/device/set.h"
#include "stage/stage.h"

extern const struct variant near_plain, near_host_cluster, near_gpu_cells,
    near_gpu_clusters, near_gpu_lanes, near_gpu_pairs, near_gpu_verlet;

/* LOOKED of the sources are targets. */
enum { FEW = 300, MANY = 10000, LOOKED = 150 };

struct wide_case {
    struct cell cell;
    struct near_poly poly;
    struct split split;
    struct points points, targets;
    struct device *device; /* borrowed; NULL: the host */
    int64_t n;
    float *q;
    double value[LOOKED], field[3 * LOOKED]; /* results of plain, in f64 */
};

/* Makes `neighbours` points within a cutoff of each, uniform; if crowded, half
 * of them are in a corner of the cell.  Positions and coefficients are exact in
 * f32, so only pairs and sums are rounded. */
static void wide_make(struct wide_case *c, double neighbours, int clustered,
                      struct device *device)
{
    const double edge = 2.5, rows[9] = {edge, 0, 0, 0, edge, 0, 0, 0, edge};
    uint64_t seed = 5;
    memset(c, 0, sizeof *c);
    c->device = device;
    c->n = (int64_t)(neighbours * edge * edge * edge / 4.18879);
    assert_int_equal(cell_set(&c->cell, rows, 1), FARSUM_OK);
    assert_int_equal(split_set(&c->split, "gaussian", 40), FARSUM_OK);
    case_poly(&c->poly, 12, 0);
    for (int k = 0; k < c->poly.n; k++) {
        c->poly.p[k] = (double)(float)c->poly.p[k];
        c->poly.g[k] = (double)(float)c->poly.g[k];
    }
    double *x = case_new(3 * c->n, sizeof *x);
    for (int64_t i = 0; i < 3 * c->n; i++) {
        double part = clustered && i / 3 % 2 ? 0.4 : 1;
        x[i] = floor(0x1p20 * edge * part * case_random(&seed)) * 0x1p-20;
    }
    c->q = case_new(c->n, sizeof *c->q);
    for (int64_t i = 0; i < c->n; i++)
        c->q[i] = (float)(1 + 0.5 * case_random(&seed));
    const struct {
        struct points *to;
        int64_t n;
    } sets[] = {{&c->points, c->n}, {&c->targets, LOOKED}};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(points_set(sets[k].to, &c->cell, sets[k].n, x,
                                    FARSUM_F64, "point", 2),
                         FARSUM_OK);
        if (!device)
            continue;
        assert_int_equal(points_gpu_create(device, &sets[k].to->gpu),
                         FARSUM_OK);
        assert_int_equal(points_gpu_set(sets[k].to->gpu, &c->cell, sets[k].n, x,
                                        FARSUM_F64, "point"),
                         FARSUM_OK);
    }
    free(x);
}

static void wide_clear(struct wide_case *c)
{
    points_clear(&c->points);
    points_clear(&c->targets);
    free(c->q);
}

static struct near_args wide_args(const struct wide_case *c, int apart)
{
    return (struct near_args){
        .precision = FARSUM_F32,
        .isa = isa_best(),
        .threads = 2,
        .outputs = FARSUM_POTENTIAL | FARSUM_FIELD,
        .cell = &c->cell,
        .poly = &c->poly,
        .split = &c->split,
        .n_sources = c->n,
        .n_targets = apart ? LOOKED : 0,
        .neighbours = 4.19 * (double)c->n / c->cell.volume,
        .device = c->device,
    };
}

/* One run on host or device: potentials and fields of the first points. */
static void wide_sum(const struct wide_case *c, const struct variant *row,
                     const struct near_args *args, const void *q, double *value,
                     double *field)
{
    const int apart = args->n_targets > 0;
    const int f32 = args->precision == FARSUM_F32 && !args->wide;
    const int64_t size = f32 ? 4 : 8, m = apart ? LOOKED : c->n;
    struct buf there[3] = {{0}, {0}, {0}};
    void *state = NULL, *to[2] = {case_new(m, 8), case_new(3 * m, 8)};
    struct near_io io = {.q = q, .potential = to[0], .field = to[1]};
    for (int k = 0; args->device && k < 3; k++) {
        const int64_t bytes[3] = {size * m, 3 * size * m, 4 * c->n};
        assert_int_equal(buf_alloc(&there[k], args->device, bytes[k]),
                         FARSUM_OK);
        assert_int_equal(k < 2 ? buf_fill(&there[k], 0)
                               : buf_upload(&there[k], 0, q, bytes[k]),
                         FARSUM_OK);
    }
    if (args->device)
        io = (struct near_io){
            .q = &there[2], .potential = &there[0], .field = &there[1]};
    assert_int_equal(row->create(args, &state), FARSUM_OK);
    assert_int_equal(
        row->set(state, &c->points, apart ? &c->targets : &c->points),
        FARSUM_OK);
    assert_int_equal(row->run(state, &io), FARSUM_OK);
    for (int k = 0; args->device && k < 2; k++)
        assert_int_equal(
            buf_download(&there[k], 0, to[k], (k ? 3 : 1) * size * LOOKED),
            FARSUM_OK);
    row->destroy(state);
    for (int k = 0; k < 3 * LOOKED; k++) {
        double e = f32 ? (double)((float *)to[1])[k] : ((double *)to[1])[k];
        double v =
            f32 ? (double)((float *)to[0])[k / 3] : ((double *)to[0])[k / 3];
        field[k] = e;
        value[k / 3] = v;
    }
    for (int k = 0; k < 3; k++)
        buf_clear(&there[k]);
    free(to[0]);
    free(to[1]);
}

static void wide_exact(struct wide_case *c)
{
    struct near_args args = wide_args(c, 1);
    double *q = case_new(c->n, sizeof *q);
    for (int64_t i = 0; i < c->n; i++)
        q[i] = (double)c->q[i];
    args.precision = FARSUM_F64;
    args.device = NULL;
    wide_sum(c, &near_plain, &args, q, c->value, c->field);
    free(q);
}

static double wide_off(const double *a, const double *b, int n)
{
    double off = 0, all = 0;
    for (int k = 0; k < n; k++) {
        off += (a[k] - b[k]) * (a[k] - b[k]);
        all += b[k] * b[k];
    }
    return sqrt(off / all);
}

/* Relative errors [wide][potential, field] of a variant. */
static void wide_errors(const struct wide_case *c, const struct variant *row,
                        int apart, enum isa isa, double off[2][2])
{
    for (int wide = 0; wide < 2; wide++) {
        struct near_args args = wide_args(c, apart);
        double value[LOOKED], field[3 * LOOKED];
        args.wide = wide;
        args.isa = isa;
        wide_sum(c, row, &args, c->q, value, field);
        off[wide][0] = wide_off(value, c->value, LOOKED);
        off[wide][1] = wide_off(field, c->field, 3 * LOOKED);
    }
}

/* few: FEW neighbours; many: MANY.  Wide (f64) sums do not lose accuracy with
 * more terms.
 *
 * Sums in f32 have larger errors: potentials by a factor 7 (SIMD lanes are
 * summed separately) to 75, fields by 1.8 to 19.
 *
 * A GPU's reciprocal roots may all deviate to one side, which no summation
 * corrects.  The error then ends at that of a pair, 1e-7.  f32 sums are 2.3 to
 * 3.2 times worse if many threads share a sum (H200, gpu_pairs,
 * gpu_clusters). */
static void wide_expect(const char *name, int roots, double few[2][2],
                        double many[2][2])
{
    print_message("%-22s %d: f32 %.2g %.2g wide %.2g %.2g, %d: f32 %.2g %.2g "
                  "wide %.2g %.2g\n",
                  name, FEW, few[0][0], few[0][1], few[1][0], few[1][1], MANY,
                  many[0][0], many[0][1], many[1][0], many[1][1]);
    assert_true(few[1][0] < 1e-7 && few[1][0] < few[0][0]);
    assert_true(many[1][0] < (roots ? 1e-7 : few[1][0]));
    assert_true(many[0][0] > (roots ? 2 : 6) * many[1][0]);
    assert_true(many[0][1] > 1.5 * many[1][1]);
}

static void on_the_host(void **state)
{
    static struct wide_case few, many;
    (void)state;
    for (int clustered = 0; clustered < 2; clustered++) {
        wide_make(&few, FEW, clustered, NULL);
        wide_make(&many, MANY, clustered, NULL);
        wide_exact(&few);
        wide_exact(&many);
        for (int isa = ISA_BASE; isa <= (int)isa_best(); isa++)
            for (int apart = 0; apart < 2; apart++) {
                double less[2][2], more[2][2];
                char name[40];
                snprintf(name, sizeof name, "host isa %d%s%s", isa,
                         apart ? " apart" : "", clustered ? " crowded" : "");
                wide_errors(&few, &near_host_cluster, apart, (enum isa)isa,
                            less);
                wide_errors(&many, &near_host_cluster, apart, (enum isa)isa,
                            more);
                wide_expect(name, 0, less, more);
            }
        wide_clear(&few);
        wide_clear(&many);
    }
}

static void on_a_device(void **state)
{
    static const struct {
        const char *name;
        const struct variant *row;
    } rows[] = {{"gpu_cells", &near_gpu_cells},
                {"gpu_clusters", &near_gpu_clusters},
                {"gpu_lanes", &near_gpu_lanes},
                {"gpu_pairs", &near_gpu_pairs},
                {"gpu_verlet", &near_gpu_verlet}};
    static struct wide_case few, many;
    const char *name = getenv("FARSUM_TEST_DEVICE");
    struct device *device = NULL;
    (void)state;
    if (device_open(name ? name : "opencl:0", &device) != FARSUM_OK) {
        print_message("no device: %s\n", farsum_message());
        skip();
    }
    wide_make(&few, FEW, 0, device);
    wide_make(&many, MANY, 0, device);
    wide_exact(&few);
    wide_exact(&many);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        double less[2][2], more[2][2];
        wide_errors(&few, rows[r].row, 1, isa_best(), less);
        wide_errors(&many, rows[r].row, 1, isa_best(), more);
        wide_expect(rows[r].name, 1, less, more);
    }
    wide_clear(&few);
    wide_clear(&many);
    device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_the_host),
        cmocka_unit_test(on_a_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
