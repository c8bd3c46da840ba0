/* SPDX-License-Identifier: Apache-2.0 */
/* near_skin.c: tests of lists that are reused while points move less than a
 * skin, against the formulas at every step, and of moves that require new
 * lists. */
#include "unit/near_got.h"

extern const struct variant near_plain, near_host_cluster;

static const unsigned all =
    FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY | FARSUM_VIRIAL;
static const unsigned apart = FARSUM_POTENTIAL | FARSUM_FIELD;

static const double cubic[9] = {3.7, 0, 0, 0, 3.7, 0, 0, 0, 3.7};
static const double rod[9] = {1.6, 0, 0, 0, 1.6, 0, 0, 0, 16};
static const double tilted[9] = {2.1, 1.4, -0.9, -1.6, 2.4,
                                 1.3, 0.4, -1.7, 2.9};
static const double flat[9] = {5, 0.3, 0, 2.3, 4.1, 0, 0.9, 0.4, 0.7};
static const double tiny[9] = {0.31, 0, 0, 0.14, 0.35, 0, -0.1, 0.13, 0.43};

/* Moves point i by a vector, and back into the cell. */
static void move(struct points *p, const struct cell *cell, int64_t i,
                 const double by[3])
{
    for (int d = 0; d < 3; d++)
        p->s[d][i] =
            cell_wrap(p->s[d][i] + by[0] * cell->inv[d]
                      + by[1] * cell->inv[3 + d] + by[2] * cell->inv[6 + d]);
}

/* Moves every point this far, in a direction that depends on `seed` and its
 * index. */
static void move_all(struct points *p, const struct cell *cell, double far,
                     uint64_t seed)
{
    for (int64_t i = 0; i < p->n; i++) {
        double by[3], square = 0;
        for (int d = 0; d < 3; d++) {
            by[d] = case_random(&seed) - 0.5;
            square += by[d] * by[d];
        }
        for (int d = 0; d < 3; d++)
            by[d] *= far / sqrt(square);
        move(p, cell, i, by);
    }
}

static void *skin_state(const struct near_args *args)
{
    void *s = NULL;
    assert_int_equal(near_host_cluster.create(args, &s), FARSUM_OK);
    return s;
}

static farsum_status skin_set(void *s, const struct near_case *c)
{
    return near_host_cluster.set(s, &c->sources,
                                 c->targets.n ? &c->targets : NULL);
}

/* Sets the points and compares all sums with the formulas. */
static void step(void *s, struct near_case *c, const struct near_args *args)
{
    struct got got;
    unsigned outputs = c->targets.n ? apart : all;
    case_sum(c, args);
    assert_int_equal(skin_set(s, c), FARSUM_OK);
    state_run(&near_host_cluster, s, c, args, outputs, &got);
    double worst = worst_of(c, args, outputs, &got, 0);
    got_clear(&got);
    if (!(worst <= 1))
        fail_msg("f%d %s threads %d, %lld sources, %lld targets, cell %g %g "
                 "%g, skin %g, made %lld, kept %lld: %g of what rounding "
                 "allows",
                 args->precision == FARSUM_F32 ? 32 : 64, isa_name(args->isa),
                 args->threads, (long long)c->sources.n,
                 (long long)c->targets.n, c->cell.a[0], c->cell.a[4],
                 c->cell.a[8], args->skin, (long long)args->lists->made,
                 (long long)args->lists->kept, worst);
}

/* Points move out and back, across faces of the cell, some up to half a skin
 * from their listed positions; then farther, and on. */
static void walk(struct near_case *c, struct near_args *args)
{
    struct near_lists lists = {0};
    args->lists = &lists;
    void *s = skin_state(args);
    step(s, c, args);
    for (int k = 0; k < 4; k++) {
        move_all(&c->sources, &c->cell, args->skin * 0.12, 3 + (uint64_t)k);
        if (c->targets.n)
            move_all(&c->targets, &c->cell, args->skin * 0.12, 9);
        step(s, c, args);
    }
    assert_int_equal(lists.made, 1);
    assert_int_equal(lists.kept, 4);
    move_all(&c->sources, &c->cell, args->skin * 1.2, 77);
    step(s, c, args);
    assert_int_equal(lists.made, 2);
    move_all(&c->sources, &c->cell, args->skin * 0.45, 78);
    step(s, c, args);
    assert_int_equal(lists.made, 2);
    assert_int_equal(lists.kept, 5);
    near_host_cluster.destroy(s);
}

static void test_walks(void **state)
{
    (void)state;
    const double *cells[] = {cubic, rod, tilted, flat, tiny};
    int turn = 0;
    for (int k = 0; k < 5; k++)
        for (int f = FARSUM_F64; f <= FARSUM_F32; f++)
            for (int isa = ISA_BASE; isa <= (int)isa_best(); isa++)
                for (int64_t m = 0; m <= 60; m += 60) {
                    struct near_case c;
                    static const double skins[] = {0.02, 0.2, 0.7};
                    case_make(&c, cells[k], cells[k] == tiny ? 9 : 120,
                              cells[k] == tiny ? m / 20 : m,
                              turn % 2 ? CLUSTERED : UNIFORM);
                    struct near_args args = case_args(&c, (farsum_precision)f);
                    args.isa = (enum isa)isa;
                    args.threads = 1 + turn % 3;
                    /* a skin of many cells would list many images of one
                     * point */
                    args.skin = cells[k] == tiny ? 0.1 : skins[turn % 3];
                    turn++;
                    walk(&c, &args);
                    case_clear(&c);
                }
}

/* Pairs that enter the cutoff count from the first step on; those that leave it
 * do not. */
static void test_cutoff(void **state)
{
    (void)state;
    static const double wide[9] = {9, 0, 0, 0, 9, 0, 0, 0, 9};
    for (int f = FARSUM_F64; f <= FARSUM_F32; f++) {
        struct near_case c;
        struct near_lists lists = {0};
        case_make(&c, wide, 2, 0, UNIFORM);
        struct near_args args = case_args(&c, (farsum_precision)f);
        args.skin = 0.3;
        args.lists = &lists;
        void *s = skin_state(&args);
        const double along[3] = {-0.01, 0, 0}, back[3] = {0.01, 0, 0};
        for (int d = 0; d < 3; d++)
            for (int i = 0; i < 2; i++)
                c.sources.s[d][i] = 0.5;
        c.sources.s[0][0] = 0.01 / 9; /* the one at a face, 1.25 apart */
        c.sources.s[0][1] = 1 - 1.24 / 9;
        c.q[0] = 1, c.q[1] = -1;
        step(s, &c, &args);
        assert_true(c.energy == c.energy && lists.made == 1);
        double far = c.energy;
        for (int k = 0; k < 14; k++) {
            move(&c.sources, &c.cell, 0, along);
            move(&c.sources, &c.cell, 1, back);
            step(s, &c, &args);
        }
        assert_int_equal(lists.made, 1);
        assert_int_equal(lists.kept, 14);
        assert_true(fabs(c.energy - far) > 1e-3); /* 0.97 apart: a pair */
        near_host_cluster.destroy(s);
        case_clear(&c);
    }
}

/* A single point, and the step at which it exceeds half a skin. */
static void test_farthest(void **state)
{
    (void)state;
    struct near_case c;
    struct near_lists lists = {0};
    case_make(&c, tilted, 100, 40, UNIFORM);
    struct near_args args = case_args(&c, FARSUM_F64);
    args.skin = 0.2;
    args.lists = &lists;
    void *s = skin_state(&args);
    const double in[3] = {0.0999, 0, 0}, out[3] = {0, 0.1001, 0};
    assert_int_equal(skin_set(s, &c), FARSUM_OK);
    move(&c.sources, &c.cell, 57, in);
    step(s, &c, &args);
    assert_int_equal(lists.kept, 1);
    move(&c.targets, &c.cell, 39, in);
    step(s, &c, &args);
    assert_int_equal(lists.kept, 2);
    move(&c.targets, &c.cell, 3, out);
    step(s, &c, &args);
    assert_int_equal(lists.made, 2);
    move(&c.sources, &c.cell, 99, out);
    step(s, &c, &args);
    assert_int_equal(lists.made, 3);
    assert_int_equal(lists.kept, 2);
    /* roles, counts and the cell */
    c.targets.n = 39;
    step(s, &c, &args);
    assert_int_equal(lists.made, 4);
    int64_t m = c.targets.n;
    c.targets.n = 0;
    step(s, &c, &args);
    assert_int_equal(lists.made, 5);
    c.sources.n = 99;
    step(s, &c, &args);
    assert_int_equal(lists.made, 6);
    step(s, &c, &args);
    assert_int_equal(lists.kept, 3);
    cell_scale(&c.cell, &c.cell, 1.001);
    step(s, &c, &args);
    assert_int_equal(lists.made, 7);
    c.sources.n = 100;
    c.targets.n = m;
    near_host_cluster.destroy(s);
    case_clear(&c);
}

/* Points that come to coincide, and separate again: across the cell's face, in
 * one cluster or in two, sources and targets. */
static void test_meetings(void **state)
{
    (void)state;
    for (int f = FARSUM_F64; f <= FARSUM_F32; f++)
        for (int64_t m = 0; m <= 30; m += 30) {
            struct near_case c;
            struct near_lists lists = {0};
            case_make(&c, tilted, 160, m, UNIFORM);
            struct near_args args = case_args(&c, (farsum_precision)f);
            args.isa = isa_best();
            args.skin = 0.2;
            args.lists = &lists;
            struct points *with = m ? &c.targets : &c.sources;
            for (int64_t i = 0; i < m; i++) /* apart at first */
                for (int d = 0; d < 3; d++)
                    with->s[d][i] = cell_wrap(with->s[d][i] + 0.0123);
            with->s[0][7] = 1e-3, with->s[1][7] = 1e-3;
            for (int d = 0; d < 3; d++) {
                double off = d == 2 ? 0.011 : -3e-3;
                c.sources.s[d][110] = cell_wrap(with->s[d][7] + off);
            }
            void *s = skin_state(&args);
            double home[3];
            step(s, &c, &args);
            for (int d = 0; d < 3; d++) {
                home[d] = c.sources.s[d][110];
                c.sources.s[d][110] = with->s[d][7];
            }
            step(s, &c, &args);
            for (int d = 0; d < 3; d++)
                c.sources.s[d][110] = home[d];
            step(s, &c, &args);
            assert_int_equal(lists.made + lists.kept, 3);
            assert_true(lists.made <= 2 && lists.kept >= 1);
            near_host_cluster.destroy(s);
            case_clear(&c);
        }
}

/* Coincident sources are found by both variants, in new and in reused lists;
 * pairs that are only close are not reported. */
static void test_distinct(void **state)
{
    (void)state;
    const struct variant *rows[] = {&near_plain, &near_host_cluster};
    for (int r = 0; r < 2; r++)
        for (int f = FARSUM_F64; f <= FARSUM_F32; f++)
            for (int64_t m = 0; m <= 30; m += 30)
                for (int64_t twin = 0; twin < 100; twin += 11) {
                    struct near_case c;
                    struct near_lists lists = {0};
                    case_make(&c, flat, 100, m, UNIFORM);
                    struct near_args args = case_args(&c, (farsum_precision)f);
                    args.isa = isa_best();
                    args.distinct = 1;
                    args.skin = twin % 2 ? 0.4 : 0;
                    args.lists = &lists;
                    void *s = NULL;
                    int64_t other = (twin + 50) % 100;
                    double home[3];
                    for (int d = 0; d < 3; d++)
                        c.sources.s[d][other] =
                            cell_wrap(c.sources.s[d][twin] + 0.01);
                    assert_int_equal(rows[r]->create(&args, &s), FARSUM_OK);
                    assert_int_equal(
                        rows[r]->set(s, &c.sources, m ? &c.targets : NULL),
                        FARSUM_OK);
                    for (int d = 0; d < 3; d++) {
                        home[d] = c.sources.s[d][other];
                        c.sources.s[d][other] = c.sources.s[d][twin];
                    }
                    assert_int_equal(
                        rows[r]->set(s, &c.sources, m ? &c.targets : NULL),
                        FARSUM_ERR_COINCIDENT);
                    c.sources.s[0][other] += 1e-14; /* close, not coincident */
                    assert_int_equal(
                        rows[r]->set(s, &c.sources, m ? &c.targets : NULL),
                        FARSUM_OK);
                    for (int d = 0; d < 3; d++)
                        c.sources.s[d][other] = home[d];
                    assert_int_equal(
                        rows[r]->set(s, &c.sources, m ? &c.targets : NULL),
                        FARSUM_OK);
                    rows[r]->destroy(s);
                    case_clear(&c);
                }
}

/* Many points at one position are refused before lists are made. */
static void test_pile(void **state)
{
    (void)state;
    static const double box[9] = {9, 0, 0, 2, 9, 0, -3, 1, 9};
    struct near_case c;
    case_make(&c, box, 60000, 0, UNIFORM);
    for (int64_t i = 0; i < 59000; i++)
        for (int d = 0; d < 3; d++)
            c.sources.s[d][i] = 0.3;
    struct near_args args = case_args(&c, FARSUM_F64);
    args.distinct = 1;
    int64_t before = mem_bytes();
    void *s = skin_state(&args);
    assert_int_equal(skin_set(s, &c), FARSUM_ERR_COINCIDENT);
    assert_true(mem_bytes() - before < 60000 * 300); /* pairs are 1.8e9 */
    near_host_cluster.destroy(s);
    case_clear(&c);
}

/* Many points: lists longer than a block, also of watched points. */
static void test_many(void **state)
{
    (void)state;
    static const double box[9] = {9, 0, 0, 2, 9, 0, -3, 1, 9};
    for (int f = FARSUM_F64; f <= FARSUM_F32; f++) {
        struct near_case c;
        struct near_lists lists = {0};
        struct got want, got;
        case_make(&c, box, 12000, 0, UNIFORM);
        struct near_args args = case_args(&c, (farsum_precision)f);
        args.isa = isa_best();
        args.threads = 3;
        args.skin = 0.3;
        args.lists = &lists;
        void *s = skin_state(&args), *plain = NULL;
        struct near_args exact = args;
        exact.precision = FARSUM_F64;
        assert_int_equal(near_plain.create(&exact, &plain), FARSUM_OK);
        int64_t before = mem_bytes();
        assert_int_equal(skin_set(s, &c), FARSUM_OK);
        double said = (double)near_host_cluster.bytes(&args);
        assert_true((double)(mem_bytes() - before) < 1.5 * said);
        assert_true(said < 2 * (double)(mem_bytes() - before));
        move_all(&c.sources, &c.cell, 0.149, 5);
        assert_int_equal(skin_set(s, &c), FARSUM_OK);
        assert_int_equal(lists.kept, 1);
        assert_int_equal(near_plain.set(plain, &c.sources, NULL), FARSUM_OK);
        state_run(&near_plain, plain, &c, &exact, all, &want);
        state_run(&near_host_cluster, s, &c, &args, all, &got);
        double off = 0, size = 0, allow = f == FARSUM_F32 ? 3e-6 : 1e-12;
        for (int64_t i = 0; i < c.sources.n; i++) {
            off += pow(got.potential[i] - want.potential[i], 2);
            size += pow(want.potential[i], 2);
        }
        assert_true(sqrt(off / size) < allow);
        assert_true(fabs(got.energy - want.energy) < allow * fabs(want.energy));
        got_clear(&want);
        got_clear(&got);
        near_host_cluster.destroy(s);
        near_plain.destroy(plain);
        case_clear(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walks),    cmocka_unit_test(test_cutoff),
        cmocka_unit_test(test_farthest), cmocka_unit_test(test_meetings),
        cmocka_unit_test(test_distinct), cmocka_unit_test(test_pile),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
