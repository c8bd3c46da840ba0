/* SPDX-License-Identifier: Apache-2.0 */
/* near_host.c: both near variants of the host against the formulas, over
 * precisions, instruction sets, threads, cells, distributions and outputs. */
#include "unit/near_got.h"

extern const struct variant near_plain, near_host_cluster;

static void row_run(const struct variant *row, const struct near_case *c,
                    const struct near_args *args, unsigned outputs,
                    struct got *got)
{
    void *state = NULL;
    assert_true(!row->fits || row->fits(args) == FARSUM_OK);
    assert_true(row->cost(args) > 0);
    assert_int_equal(row->create(args, &state), FARSUM_OK);
    assert_int_equal(
        row->set(state, &c->sources, c->targets.n ? &c->targets : NULL),
        FARSUM_OK);
    state_run(row, state, c, args, outputs, got);
    row->destroy(state);
}

static void expect(const struct near_case *c, const struct variant *row,
                   const struct near_args *args, unsigned outputs, double root)
{
    struct got got;
    row_run(row, c, args, outputs, &got);
    double worst = worst_of(c, args, outputs, &got, root);
    got_clear(&got);
    if (!(worst <= 1))
        fail_msg("%s f%d %s threads %d, %lld sources, %lld targets, cell %g %g "
                 "%g %g %g %g %g %g %g, outputs %u, %d coefficients: %g of "
                 "what rounding allows",
                 row == &near_plain ? "plain" : "host_cluster",
                 args->precision == FARSUM_F32 ? 32 : 64, isa_name(args->isa),
                 args->threads, (long long)c->sources.n,
                 (long long)c->targets.n, c->cell.a[0], c->cell.a[1],
                 c->cell.a[2], c->cell.a[3], c->cell.a[4], c->cell.a[5],
                 c->cell.a[6], c->cell.a[7], c->cell.a[8], outputs, c->poly.n,
                 worst);
}

/* plain, then host_cluster with every instruction set and 1 .. 3 threads. */
static void expect_all(struct near_case *c, unsigned outputs)
{
    for (int f = FARSUM_F64; f <= FARSUM_F32; f++) {
        struct near_args args = case_args(c, (farsum_precision)f);
        case_sum(c, &args);
        expect(c, &near_plain, &args, outputs, 0);
        for (int isa = ISA_BASE; isa <= (int)isa_best(); isa++)
            for (args.threads = 1; args.threads <= 3; args.threads++) {
                args.isa = (enum isa)isa;
                expect(c, &near_host_cluster, &args, outputs, 0);
            }
    }
}

static const unsigned all = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY
                            | FARSUM_VIRIAL;
static const unsigned apart = FARSUM_POTENTIAL | FARSUM_FIELD;

static const double cubic[9] = {3.7, 0, 0, 0, 3.7, 0, 0, 0, 3.7};
static const double rod[9] = {1.6, 0, 0, 0, 1.6, 0, 0, 0, 16};
/* rotated in space; tilted almost as far as a reduced cell may be */
static const double tilted[9] = {2.1, 1.4,  -0.9, -1.6, 2.4,
                                 1.3, 0.4, -1.7, 2.9};
static const double flat[9] = {5, 0.3, 0, 2.3, 4.1, 0, 0.9, 0.4, 0.7};
static const double tiny[9] = {0.31, 0, 0, 0.14, 0.35, 0, -0.1, 0.13, 0.43};

static void test_cells(void **state)
{
    (void)state;
    const double *cells[] = {cubic, rod, tilted, flat, tiny};
    for (int k = 0; k < 5; k++)
        for (int dist = UNIFORM; dist <= CLUSTERED; dist++)
            for (int64_t m = 0; m <= 130; m += 130) {
                struct near_case c;
                int64_t n = cells[k] == tiny ? 9 : 250;
                case_make(&c, cells[k], n, cells[k] == tiny ? m / 20 : m,
                          (enum dist)dist);
                expect_all(&c, m ? apart : all);
                case_clear(&c);
            }
}

static void test_few(void **state)
{
    (void)state;
    static const double wide[9] = {900, 0, 0, 0, 1100, 0, 200, 0, 1000};
    const double *cells[] = {cubic, tiny, wide};
    for (int k = 0; k < 3; k++)
        for (int64_t n = 1; n <= 3; n++)
            for (int64_t m = 0; m <= 1; m++) {
                struct near_case c;
                case_make(&c, cells[k], n, m, CLUSTERED);
                expect_all(&c, m ? apart : all);
                case_clear(&c);
            }
}

/* A wide, nearly empty cell with two dense drops: long clusters and few
 * columns.  In f32, differences of coordinates overflow if not guarded. */
static void test_sparse(void **state)
{
    (void)state;
    static const double wide[9] = {300, 0, 0, 0, 200, 0, 0, 30, 4000};
    struct near_case c;
    case_make(&c, wide, 300, 0, UNIFORM);
    uint64_t seed = 11;
    for (int64_t i = 0; i < 250; i++)
        for (int d = 0; d < 3; d++)
            c.sources.s[d][i] = (i % 2 ? 0.5 : 0.99)
                                + 0.01 * pow(case_random(&seed), 3);
    for (int64_t i = 0; i < 250; i++)
        for (int d = 0; d < 3; d++)
            c.sources.s[d][i] = cell_wrap(c.sources.s[d][i]);
    expect_all(&c, all);
    case_clear(&c);
}

static void test_outputs(void **state)
{
    (void)state;
    struct near_case c;
    case_make(&c, tilted, 200, 0, UNIFORM);
    for (unsigned outputs = 0; outputs <= all; outputs++)
        for (int f = FARSUM_F64; f <= FARSUM_F32; f++) {
            struct near_args args = case_args(&c, (farsum_precision)f);
            args.isa = isa_best();
            args.outputs = outputs;
            case_sum(&c, &args);
            expect(&c, &near_plain, &args, outputs, 0);
            expect(&c, &near_host_cluster, &args, outputs, 0);
        }
    case_clear(&c);
}

/* Every number of coefficients; a polynomial with error 1e-8 may have its roots
 * at 1e-9. */
static void test_coefficients(void **state)
{
    (void)state;
    struct near_case c;
    case_make(&c, cubic, 120, 0, UNIFORM);
    for (int n = 1; n <= NEAR_MAX; n++)
        for (int f = FARSUM_F64; f <= FARSUM_F32; f++)
            for (int isa = ISA_BASE; isa <= (int)isa_best(); isa++) {
                struct near_args args = case_args(&c, (farsum_precision)f);
                args.isa = (enum isa)isa;
                case_poly(&c.poly, n, 0);
                case_sum(&c, &args);
                expect(&c, &near_host_cluster, &args, all, 0);
                expect(&c, &near_host_cluster, &args, FARSUM_FIELD, 0);
                c.poly.error = 1e-8;
                expect(&c, &near_host_cluster, &args, all, 1e-9);
            }
    case_clear(&c);
}

/* Coincident sources, and targets at them: singular parts vanish, the rest
 * stays.  Charges of any size, zero, and only zero. */
static void test_coincident(void **state)
{
    (void)state;
    for (int64_t m = 0; m <= 60; m += 60)
        for (int charges = 0; charges < 4; charges++) {
            struct near_case c;
            case_make(&c, cubic, 160, m, UNIFORM);
            for (int64_t j = 0; j < 160; j += 4)
                for (int64_t k = 1; k < 1 + j % 3; k++)
                    for (int d = 0; d < 3; d++)
                        c.sources.s[d][j + k] = c.sources.s[d][j];
            for (int64_t j = 0; j < 160; j++)
                c.q[j] *= charges == 0   ? 1
                          : charges == 1 ? 0x1p-100
                          : charges == 2 ? 0
                                         : (j % 2 ? 0x1p20 : 0x1p-20);
            expect_all(&c, m ? apart : all);
            case_clear(&c);
        }
}

/* Root of the mean square of a difference, relative. */
static double distance(const double *x, const double *y, int64_t n)
{
    double off = 0, size = 0;
    for (int64_t k = 0; k < n; k++) {
        off += (x[k] - y[k]) * (x[k] - y[k]);
        size += y[k] * y[k];
    }
    return sqrt(off / size);
}

static double most(const double *x, int64_t n)
{
    double s = 0;
    for (int64_t k = 0; k < n; k++)
        s = fmax(s, fabs(x[k]));
    return s;
}

/* Many points: lists longer than a block, rows that continue in another; one
 * dense drop among few others. */
static void test_many(void **state)
{
    (void)state;
    static const double box[9] = {9, 0, 0, 2, 9, 0, -3, 1, 9};
    for (int k = 0; k < 3; k++)
        for (int f = FARSUM_F64; f <= FARSUM_F32; f++) {
            struct near_case c;
            struct got want, got, again;
            int64_t n = k == 1 ? 3000 : 12000, m = k == 2 ? 5000 : 0;
            case_make(&c, box, n, m, UNIFORM);
            uint64_t seed = 5;
            for (int64_t i = 0; k == 1 && i < n; i++)
                for (int d = 0; d < 3 && i % 10; d++)
                    c.sources.s[d][i] = 0.4 + 0.08 * case_random(&seed);
            struct near_args args = case_args(&c, (farsum_precision)f);
            args.isa = isa_best();
            unsigned outputs = m ? apart : all;
            row_run(&near_plain, &c, &args, outputs, &want);
            args.threads = 1 + k;
            row_run(&near_host_cluster, &c, &args, outputs, &got);
            double allow = f == FARSUM_F32 ? 3e-6 : 1e-12, e = 0;
            assert_true(distance(got.potential, want.potential,
                                 case_targets(&c)) < allow);
            /* the closest pair dominates, and its distance has lost digits */
            assert_true(distance(got.field, want.field, 3 * case_targets(&c))
                        < (f == FARSUM_F32 ? 1e-4 : 1e-11));
            for (int a = 0; a < 9; a++)
                e = fmax(e, fabs(want.virial[a]));
            if (!m) {
                assert_true(fabs(got.energy - want.energy)
                            < allow * fabs(want.energy));
                /* from x F: rounding of the largest force times the cell */
                for (int a = 0; a < 9; a++)
                    assert_true(fabs(got.virial[a] - want.virial[a])
                                < allow * (e + 30 * most(want.field, 3 * n)));
            }
            /* once more: equal bit for bit */
            row_run(&near_host_cluster, &c, &args, outputs, &again);
            assert_memory_equal(got.potential, again.potential,
                                (size_t)case_targets(&c) * sizeof(double));
            assert_memory_equal(got.field, again.field,
                                3 * (size_t)case_targets(&c) * sizeof(double));
            assert_memory_equal(got.virial, again.virial, sizeof got.virial);
            assert_true(got.energy == again.energy);
            got_clear(&want);
            got_clear(&got);
            got_clear(&again);
            case_clear(&c);
        }
}

/* One state, new points and another cell; no more memory than predicted. */
static void test_again(void **state)
{
    (void)state;
    struct near_case c, other;
    void *s = NULL;
    int64_t before = mem_bytes();
    case_make(&c, cubic, 3000, 0, UNIFORM);
    int64_t points = mem_bytes() - before;
    struct near_args args = case_args(&c, FARSUM_F64);
    args.isa = isa_best();
    args.threads = 2;
    assert_int_equal(near_host_cluster.create(&args, &s), FARSUM_OK);
    const struct near_io none = {.q = c.q, .energy = &c.energy};
    assert_int_equal(near_host_cluster.run(s, &none), FARSUM_ERR_STATE);
    assert_int_equal(near_host_cluster.set(s, &c.sources, &c.sources),
                     FARSUM_OK);
    double said = (double)near_host_cluster.bytes(&args);
    double has = (double)(mem_bytes() - before - points);
    assert_true(has < 1.5 * said && said < 2 * has);
    for (int64_t n = 200; n > 20; n -= 90) {
        case_make(&other, tilted, n, 0, CLUSTERED);
        struct got got;
        struct cell keep = c.cell;
        c.cell = other.cell; /* borrowed by the state */
        case_sum(&other, &args);
        assert_int_equal(near_host_cluster.set(s, &other.sources, NULL),
                         FARSUM_OK);
        state_run(&near_host_cluster, s, &other, &args, all, &got);
        assert_true(worst_of(&other, &args, all, &got, 0) <= 1);
        got_clear(&got);
        c.cell = keep;
        case_clear(&other);
    }
    near_host_cluster.destroy(s);
    near_host_cluster.destroy(NULL);
    near_plain.destroy(NULL);
    case_clear(&c);
    assert_int_equal(mem_bytes(), before);
}

/* Unsupported requests are refused, and every allocation may fail. */
static void test_refused(void **state)
{
    (void)state;
    const struct variant *rows[] = {&near_plain, &near_host_cluster};
    for (int r = 0; r < 2; r++)
        for (int64_t m = 0; m <= 40; m += 40) {
            struct near_case c;
            case_make(&c, cubic, 50, m, UNIFORM);
            struct near_args args = case_args(&c, FARSUM_F64);
            int64_t before = mem_bytes(), fail = 1;
            void *s = NULL;
            for (;; fail++) {
                mem_fail_at(fail);
                farsum_status status = rows[r]->create(&args, &s);
                if (status == FARSUM_OK)
                    status = rows[r]->set(s, &c.sources,
                                          m ? &c.targets : NULL);
                mem_fail_at(0);
                if (status == FARSUM_OK)
                    break;
                assert_int_equal(status, FARSUM_ERR_MEMORY);
                rows[r]->destroy(s);
                s = NULL;
                assert_int_equal(mem_bytes(), before);
            }
            assert_true(fail > 2);
            double e = 0;
            const struct near_io io = {.q = c.q, .energy = &e};
            assert_int_equal(rows[r]->run(s, &io),
                             m ? FARSUM_ERR_ARGUMENT : FARSUM_OK);
            rows[r]->destroy(s);
            case_clear(&c);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few),          cmocka_unit_test(test_cells),
        cmocka_unit_test(test_sparse),       cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_coefficients), cmocka_unit_test(test_coincident),
        cmocka_unit_test(test_many),         cmocka_unit_test(test_again),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
