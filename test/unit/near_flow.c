/* SPDX-License-Identifier: Apache-2.0 */
/* near_flow.c: the host's fast near variant against plain, for every flow
 * kernel of pair.def: numbers of coefficients, instruction sets, threads,
 * rotated cells, refusals. */
#include "unit/near_case.h"

extern const struct variant near_plain, near_host_cluster;

static const double cell[9] = {2.1, 1.4, -0.9, -1.6, 2.4, 1.3, 0.4, -1.7, 2.9};
/* heights in two orders that differ by one exchange: a frame of these axes is
 * right-handed for one and left-handed for the other */
static const double wide[9] = {1.3, 0, 0, 0.2, 2.6, 0, 0, 0.4, 4};
static const double deep[9] = {2.6, 0, 0, 0.2, 1.3, 0, 0, 0.4, 4};
static const double thin[9] = {0.7, 0, 0, 0.2, 9, 0, 0, 1, 3};

/* Velocities of one run, in double. */
static double *velocity(const struct variant *row, const struct near_case *c,
                        const struct near_args *args, const double *q)
{
    int f32 = args->precision == FARSUM_F32;
    int64_t n = 3 * case_targets(c);
    int64_t m = c->sources.n * args->pair->strengths;
    void *from = case_new(m, sizeof(double)), *to = case_new(n, sizeof(double));
    double *v = case_new(n, sizeof *v);
    void *state = NULL;
    for (int64_t k = 0; k < m; k++)
        if (f32)
            ((float *)from)[k] = (float)q[k];
        else
            ((double *)from)[k] = q[k];
    assert_int_equal(row->fits(args), FARSUM_OK);
    assert_true(row->cost(args) > 0);
    assert_int_equal(row->create(args, &state), FARSUM_OK);
    assert_int_equal(
        row->set(state, &c->sources, c->targets.n ? &c->targets : NULL),
        FARSUM_OK);
    const struct near_io io = {.q = from, .potential = to};
    int64_t before = mem_bytes();
    assert_int_equal(row->run(state, &io), FARSUM_OK);
    assert_int_equal(mem_bytes(), before);
    row->destroy(state);
    for (int64_t k = 0; k < n; k++)
        v[k] = f32 ? (double)((float *)to)[k] : ((double *)to)[k];
    free(from);
    free(to);
    return v;
}

static double distance(const double *x, const double *y, int64_t n)
{
    double off = 0, size = 0;
    for (int64_t k = 0; k < n; k++) {
        off += (x[k] - y[k]) * (x[k] - y[k]);
        size += y[k] * y[k];
    }
    return sqrt(off / (size + 1e-300));
}

static struct near_args case_args(const struct near_case *c,
                                  const struct pair *pair)
{
    return (struct near_args){
        .precision = FARSUM_F64,
        .isa = isa_best(),
        .threads = 1,
        .outputs = FARSUM_VELOCITY,
        .cell = &c->cell,
        .poly = &c->poly,
        .n_sources = c->sources.n,
        .n_targets = c->targets.n,
        .neighbours = 4.19 * (double)c->sources.n / c->cell.volume,
        .pair = pair,
    };
}

/* Strengths that are exact in f32. */
static double *strengths(int64_t n)
{
    uint64_t seed = 17;
    double *q = case_new(n, sizeof *q);
    for (int64_t k = 0; k < n; k++)
        q[k] = (double)(float)(2 * case_random(&seed) - 1);
    return q;
}

static void expect(const struct near_case *c, struct near_args *args,
                   const double *q, double root)
{
    int64_t n = 3 * case_targets(c);
    for (int f = FARSUM_F64; f <= FARSUM_F32; f++) {
        args->precision = (farsum_precision)f;
        double *want = velocity(&near_plain, c, args, q);
        double *got = velocity(&near_host_cluster, c, args, q);
        double *again = velocity(&near_host_cluster, c, args, q);
        double off = distance(got, want, n);
        /* f32: 1/r^5 of the closest pair, which has lost digits */
        if (!(off <= (f == FARSUM_F32 ? 2e-5 : 1e-12 + root)))
            fail_msg("%s f%d %s threads %d, %d coefficients, %lld targets: %g "
                     "from plain", args->pair->name, f == FARSUM_F32 ? 32 : 64,
                     isa_name(args->isa), args->threads, c->poly.n,
                     (long long)c->targets.n, off);
        assert_memory_equal(got, again, (size_t)n * sizeof *got);
        free(want);
        free(got);
        free(again);
    }
}

static void test_cells(void **state)
{
    (void)state;
    const double *cells[] = {cell, wide, deep, thin};
    for (int k = 0; k < 4; k++)
        for (int64_t m = 0; m <= 70; m += 70)
            for (const struct pair *pair = pair_rows; pair->name; pair++) {
                struct near_case c;
                if (pair->kind->gradient)
                    continue;
                case_make(&c, cells[k], 160, m, UNIFORM);
                double *q = strengths(160 * pair->strengths);
                struct near_args args = case_args(&c, pair);
                for (int isa = ISA_BASE; isa <= (int)isa_best(); isa++)
                    for (args.threads = 1; args.threads <= 3; args.threads++) {
                        args.isa = (enum isa)isa;
                        expect(&c, &args, q, 0);
                    }
                free(q);
                case_clear(&c);
            }
}

/* Every number of coefficients: all nonzero, or the last one nonzero in only
 * one polynomial.  A polynomial with error 1e-8 may have its roots at 1e-10. */
static void test_coefficients(void **state)
{
    (void)state;
    for (const struct pair *pair = pair_rows; pair->name; pair++) {
        struct near_case c;
        if (pair->kind->gradient)
            continue;
        case_make(&c, cell, 90, 0, UNIFORM);
        double *q = strengths(90 * pair->strengths);
        for (int n = 1; n <= NEAR_MAX; n++) {
            struct near_args args = case_args(&c, pair);
            case_poly(&c.poly, n, 0);
            expect(&c, &args, q, 0);
            if (n % 2)
                c.poly.c[1][n - 1] = 0.125;
            else
                c.poly.c[0][n - 1] = 0;
            expect(&c, &args, q, 0);
            c.poly.error = 1e-8;
            expect(&c, &args, q, 1e-9);
        }
        free(q);
        case_clear(&c);
    }
}

/* A flow has no field, energy or virial. */
static void test_refused(void **state)
{
    (void)state;
    struct near_case c;
    case_make(&c, cell, 30, 0, UNIFORM);
    double *q = strengths(90), *to = case_new(90, sizeof *to);
    struct near_args args = case_args(&c, pair_find("stokeslet"));
    void *s = NULL;
    assert_int_equal(near_host_cluster.create(&args, &s), FARSUM_OK);
    const struct near_io wrong[] = {
        {.q = q, .potential = to, .field = to},
        {.q = q, .potential = to, .energy = to},
        {.q = q, .potential = to, .virial = to},
    };
    assert_int_equal(near_host_cluster.set(s, &c.sources, NULL), FARSUM_OK);
    for (int k = 0; k < 3; k++)
        assert_int_equal(near_host_cluster.run(s, &wrong[k]),
                         FARSUM_ERR_ARGUMENT);
    near_host_cluster.destroy(s);
    free(q);
    free(to);
    case_clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_coefficients),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
