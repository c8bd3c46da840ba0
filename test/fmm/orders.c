/* SPDX-License-Identifier: Apache-2.0 */
/* orders.c: errors of the method fmm by order, between bounds on both sides,
 * and the limit of f32; sums in trees of many levels. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fmm/fmm.h"

/* Relative RMS errors of forces and potentials of a uniform neutral system, ws
 * = 1.  Measured once by a separate program for 30 000 points in open space in
 * boxes of 60 (math.md 10.16 describes the decay). */
static const struct {
    int order;
    double force, potential;
} table[] = {
    {2, 4.4e-3, 4.5e-3},  {4, 6.3e-4, 5.0e-4},  {6, 1.1e-4, 6.0e-5},
    {8, 2.0e-5, 9.5e-6},  {10, 4.2e-6, 1.7e-6}, {12, 1.0e-6, 3.7e-7},
    {14, 2.7e-7, 7.8e-8}, {16, 7.9e-8, 2.0e-8}, {18, 2.1e-8, 5.3e-9},
    {20, 6.7e-9, 1.5e-9},
};
enum { ORDERS = sizeof table / sizeof *table };

/* 64 leaves of 60. */
static farsum_options sixty(int order)
{
    farsum_options o = fmm_options();
    o.fmm.tree = "dense";
    o.fmm.levels = 3;
    o.fmm.boxes[0] = o.fmm.boxes[1] = o.fmm.boxes[2] = 1;
    o.fmm.separation = 1;
    o.fmm.order = order;
    return o;
}

static int error_of(const struct system *s, int order, farsum_precision type,
                    double *force, double *potential)
{
    farsum_problem p = fmm_problem(s, 0.5);
    farsum_options o = sixty(order);
    struct fmm_sums sums;
    p.precision = type;
    int done = fmm_do(s, &p, &o, &sums);
    *force = fmm_force_gap(s, sums.field, s->field);
    *potential = fmm_gap(s->p.n, sums.potential, s->potential);
    fmm_free(&sums);
    return done;
}

static void falls_as_the_table(void)
{
    struct system s;
    fmm_system(&s, "uniform", "laplace n=3840 cell=open seed=11", 0);
    system_reference(&s);
    for (int k = 0; k < ORDERS; k++) {
        double e, phi;
        if (!error_of(&s, table[k].order, FARSUM_F64, &e, &phi))
            continue;
        printf("order %2d: forces %.2e, %.2f of the table; potentials %.2e, "
               "%.2f\n",
               table[k].order, e, e / table[k].force, phi,
               phi / table[k].potential);
        CHECK(e > table[k].force / 2.5 && e < 2.5 * table[k].force,
              "order %d: forces off by %.3g, the table has %.3g",
              table[k].order, e, table[k].force);
        CHECK(phi > table[k].potential / 2.5 && phi < 2.5 * table[k].potential,
              "order %d: potentials off by %.3g, the table has %.3g",
              table[k].order, phi, table[k].potential);
    }
    system_free(&s);
}

/* f32: as f64 up to order 8.  From order 16 on the error is only rounding,
 * mainly of the closest pairs' positions, and has the size that f32 implies. */
static void f32_ends(void)
{
    struct system s;
    double e, phi, wide, wide_phi;
    fmm_system(&s, "uniform", "laplace n=3840 cell=open seed=12", 0);
    system_reference(&s);
    if (error_of(&s, 8, FARSUM_F32, &e, &phi)
        && error_of(&s, 8, FARSUM_F64, &wide, &wide_phi))
        CHECK(fabs(e / wide - 1) < 0.05 && fabs(phi / wide_phi - 1) < 0.05,
              "order 8: f32 %.3g %.3g, f64 %.3g %.3g", e, phi, wide, wide_phi);
    if (error_of(&s, 16, FARSUM_F32, &e, &phi)
        && error_of(&s, 20, FARSUM_F32, &wide, &wide_phi)) {
        printf("f32: orders 16, 20: forces %.2e %.2e, potentials %.2e %.2e\n",
               e, wide, phi, wide_phi);
        /* on a device each order has its own kernels and rounding */
        double apart = fmm_device() ? 0.2 : 0.1;
        CHECK(fabs(wide / e - 1) < apart && fabs(wide_phi / phi - 1) < apart,
              "f32: beyond order 16 errors go from %.3g %.3g to %.3g %.3g", e,
              phi, wide, wide_phi);
        CHECK(e > 1e-7 && e < 3e-6, "f32 ends at forces off by %.3g", e);
        CHECK(phi > 5e-8 && phi < 5e-7, "f32 ends at potentials off by %.3g",
              phi);
    }
    system_free(&s);
}

/* Low order: a level that is left out, or counted twice, changes the sum by a
 * tenth. */
static void level(struct system *s, int levels, int order)
{
    farsum_problem p = fmm_problem(s, 0.5);
    farsum_options o = sixty(order);
    struct fmm_sums sums;
    o.fmm.levels = levels;
    if (fmm_do(s, &p, &o, &sums)) {
        double e = fmm_force_gap(s, sums.field, s->field);
        double phi = fmm_gap(s->p.n, sums.potential, s->potential);
        printf("%s, %d levels, order %d: forces %.2e, potentials %.2e\n",
               s->name, levels, order, e, phi);
        CHECK(sums.info.levels == levels, "%d levels, not %d",
              sums.info.levels, levels);
        CHECK(e < 1e-2 && phi < 2e-3,
              "%s, %d levels, order %d: forces off by %.3g, potentials %.3g",
              s->name, levels, order, e, phi);
    }
    fmm_free(&sums);
}

static void many_levels(void)
{
    for (int open = 0; open < 2; open++) {
        struct system s;
        fmm_system(&s, open ? "open" : "periodic",
                   open ? "laplace n=200 cell=open seed=13"
                        : "laplace n=200 seed=14",
                   0);
        system_reference(&s);
        for (int levels = 1; levels <= 6; levels++)
            level(&s, levels, 5);
        if (open || fmm_all())
            level(&s, 7, 6);
        for (int levels = 8; fmm_device() && fmm_all() && levels <= 9; levels++)
            level(&s, levels, 6);
        system_free(&s);
    }
}

/* Orders above the table's, boxes farther apart.  The error is a property of
 * these points and boxes, mainly of few pairs in corners, and not of the
 * variant.  Measured on a processor; 0: only rounding. */
static const struct {
    int ws, order, always;
    double force[2]; /* periodic, open */
} high_cases[] = {
    {1, 21, 0, {6.29e-9, 4.55e-9}},
    {1, 26, 1, {3.19e-10, 3.40e-10}},
    {1, 33, 0, {2.54e-10, 2.03e-11}},
    {1, 40, 0, {2.16e-11, 7.09e-13}},
    {2, 21, 1, {9.58e-14, 7.53e-14}},
    {2, 28, 0, {0, 0}},
    {2, 40, 0, {0, 0}},
    {3, 9, 1, {6.90e-9, 3.44e-9}},
    {3, 21, 0, {0, 0}},
    {4, 7, 1, {2.54e-8, 1.22e-8}},
    {4, 21, 0, {0, 0}},
};

static void high_order(const struct system *s, size_t k, int open)
{
    double wanted = high_cases[k].force[open], floor = 5e-14;
    farsum_problem p = fmm_problem(s, 0.5);
    farsum_options o = sixty(high_cases[k].order);
    struct fmm_sums sums;
    o.fmm.separation = high_cases[k].ws;
    o.fmm.levels = 4;
    if (fmm_do(s, &p, &o, &sums)) {
        double e = fmm_force_gap(s, sums.field, s->field);
        printf("%s, ws %d, order %d: forces %.2e, %.2e on a processor\n",
               s->name, o.fmm.separation, o.fmm.order, e, wanted);
        CHECK(e < 1.2 * wanted + floor && e > wanted / 1.2 - floor,
              "%s, ws %d, order %d: forces off by %.3g, not %.3g", s->name,
              o.fmm.separation, o.fmm.order, e, wanted);
    }
    fmm_free(&sums);
}

static void high_orders(void)
{
    for (int open = 0; open < 2; open++) {
        struct system s;
        fmm_system(&s, open ? "open" : "periodic",
                   open ? "laplace n=1500 cell=open seed=21"
                        : "laplace n=1500 seed=22",
                   0);
        system_reference(&s);
        for (size_t k = 0; k < sizeof high_cases / sizeof *high_cases; k++)
            if (high_cases[k].always || fmm_all())
                high_order(&s, k, open);
        system_free(&s);
    }
}

/* Points closer and closer together: a leaf at each level, down to the 18th. */
static void deep(void)
{
    struct system s = {.p = {.strengths = 1}};
    struct fmm_sums sums;
    enum { HALVES = 18, EACH = 6 };
    uint64_t seed = 5;
    snprintf(s.name, sizeof s.name, "ever closer");
    s.p.n = HALVES * EACH;
    s.p.x = check_memory(3 * (size_t)s.p.n, sizeof *s.p.x);
    s.p.q = check_memory((size_t)s.p.n, sizeof *s.p.q);
    for (int d = 0; d < 3; d++)
        s.p.cell[4 * d] = 1;
    for (int64_t i = 0; i < s.p.n; i++) {
        s.p.q[i] = ldexp(i % 2 ? -1 : 1.5, -(int)(i / EACH));
        for (int d = 0; d < 3; d++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            s.p.x[3 * i + d] = 0.3
                               + ldexp((double)(seed >> 40) * 0x1p-24 - 0.5,
                                       -(int)(i / EACH));
        }
    }
    system_reference(&s);
    farsum_problem p = fmm_problem(&s, 0.5);
    farsum_options o = fmm_options();
    o.fmm.tree = "sparse";
    o.fmm.leaf = 3;
    o.fmm.order = 12;
    if (fmm_do(&s, &p, &o, &sums)) {
        double e = 0, phi = fmm_gap(s.p.n, sums.potential, s.potential);
        /* each at its own scale: the closest would dominate an RMS */
        for (int h = 0; h < HALVES; h++) {
            double gap = 0, size = 0;
            for (int i = 3 * EACH * h; i < 3 * EACH * (h + 1); i++) {
                gap += pow(sums.field[i] - s.field[i], 2);
                size += pow(s.field[i], 2);
            }
            e = fmax(e, sqrt(gap / size));
        }
        printf("%d levels: fields %.2e, potentials %.2e\n", sums.info.levels,
               e, phi);
        CHECK(sums.info.levels >= 16, "%d levels", sums.info.levels);
        CHECK(e < 1e-4 && phi < 1e-6, "fields off by %.3g, potentials %.3g", e,
              phi);
    }
    fmm_free(&sums);
    system_free(&s);
}

enum { ZERO = 400 };

/* Points in the unit cube, which the first two fill, so its 64 boxes are
 * known. */
static void zero_system(struct system *s)
{
    fmm_system(s, "order 0", "laplace n=400 cell=open seed=5 net=0.3", 0);
    double low[3], high[3];
    for (int d = 0; d < 3; d++) {
        low[d] = high[d] = s->p.x[d];
        for (int i = 0; i < ZERO; i++) {
            low[d] = fmin(low[d], s->p.x[3 * i + d]);
            high[d] = fmax(high[d], s->p.x[3 * i + d]);
        }
        for (int i = 0; i < ZERO; i++)
            s->p.x[3 * i + d] =
                0.01 + 0.98 * (s->p.x[3 * i + d] - low[d]) / (high[d] - low[d]);
        s->p.x[d] = 0;
        s->p.x[3 + d] = 1;
    }
}

/* Near pairs exactly; for others the potential between the centres of their
 * boxes, and no field. */
static void zero_oracle(const struct system *s, double *phi, double *field)
{
    for (int i = 0; i < ZERO; i++) {
        phi[i] = field[3 * i] = field[3 * i + 1] = field[3 * i + 2] = 0;
        for (int j = 0; j < ZERO; j++) {
            double d[3], c[3], r2 = 0, c2 = 0;
            int far = 0;
            for (int a = 0; a < 3; a++) {
                double x = s->p.x[3 * i + a], y = s->p.x[3 * j + a];
                d[a] = x - y;
                c[a] = fmin(floor(4 * x), 3) - fmin(floor(4 * y), 3);
                far |= fabs(c[a]) > 1;
                r2 += d[a] * d[a];
                c2 += c[a] * c[a] / 16;
            }
            if (far)
                phi[i] += s->p.q[j] / sqrt(c2);
            if (far || r2 == 0)
                continue;
            phi[i] += s->p.q[j] / sqrt(r2);
            for (int a = 0; a < 3; a++)
                field[3 * i + a] += s->p.q[j] * d[a] / (r2 * sqrt(r2));
        }
    }
}

/* Every variant of every stage that accepts the problem. */
static void zero_rows(struct system *s, const farsum_options *plain,
                      const double *phi, const double *field)
{
    static const char *const stages[] = {"p2m",     "m2m", "m2l",
                                         "lattice", "l2l", "l2p"};
    int rows = 0;
    for (int capacity = 0; capacity < 6; capacity++)
        for (int k = 0;; k++) {
            farsum_variant_info v = FARSUM_VARIANT_INFO_INIT;
            farsum_problem p = fmm_problem(s, 0.5);
            farsum_options o = *plain;
            const char **const name[] = {&o.fmm.p2m, &o.fmm.m2m,
                                         &o.fmm.m2l, &o.fmm.lattice,
                                         &o.fmm.l2l, &o.fmm.l2p};
            struct fmm_sums sums;
            if (farsum_list_variants(stages[capacity], k, &v) != FARSUM_OK)
                break;
            *name[capacity] = v.name;
            farsum_status status = fmm_try(s, &p, &o, &sums);
            if (status == FARSUM_OK) {
                double e = fmm_gap(3 * ZERO, sums.field, field);
                double u = fmm_gap(ZERO, sums.potential, phi);
                /* plane waves have their own error, below the order's */
                double most = strstr(v.name, "plane_wave") ? 1e-3 : 1e-12;
                rows++;
                CHECK(e < 1e-12 && u < most && sums.info.order == 0,
                      "%s %s, order %d: fields off by %.3g, potentials %.3g",
                      stages[capacity], v.name, sums.info.order, e, u);
            } else {
                CHECK(status == FARSUM_ERR_UNSUPPORTED
                          || status == FARSUM_ERR_MEMORY,
                      "%s %s: %s", stages[capacity], v.name, farsum_message());
            }
            fmm_free(&sums);
        }
    printf("order 0: %d variants\n", rows);
    CHECK(rows >= 12, "only %d variants accept order 0", rows);
}

static void order_zero(void)
{
    struct system s;
    farsum_options o = sixty(FARSUM_ORDER_0);
    double *phi = check_memory(ZERO, sizeof *phi);
    double *field = check_memory(3 * ZERO, sizeof *field);
    zero_system(&s);
    zero_oracle(&s, phi, field);
    zero_rows(&s, &o, phi, field);
    free(phi);
    free(field);
    system_free(&s);
}

/* A plan that selects the order from the points, with 6^3 boxes or a sparse
 * tree. */
static farsum_plan *by_points(const struct system *s, int sparse,
                              int deterministic)
{
    farsum_plan *plan = NULL;
    farsum_problem p = fmm_problem(s, 1e-4);
    farsum_options o = fmm_options();
    p.sample_x = p.sample_q = NULL;
    if (sparse) {
        o.fmm.tree = "sparse";
        o.fmm.leaf = 32;
    } else {
        o.fmm.tree = "dense";
        o.fmm.boxes[0] = o.fmm.boxes[1] = o.fmm.boxes[2] = 6;
        o.fmm.levels = 1;
    }
    o.deterministic = deterministic;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    return plan;
}

/* The order that a plan's workspace has after these points; potentials into
 * phi, unless it is NULL. */
static int order_of(farsum_plan *plan, const struct system *s, double *phi)
{
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_result r = FARSUM_RESULT_INIT;
    r.potential = phi;
    CHECK_OK(farsum_plan_set_points(plan, s->p.n, s->p.x, 0, NULL));
    if (phi)
        CHECK_OK(farsum_plan_execute(plan, 1, s->p.q, &r));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    return info.order;
}

/* Checks a plan's workspace when points that need one order less follow
 * others. */
static void order_after(const struct system *first, const struct system *then,
                        int order, int sparse, int deterministic)
{
    size_t n = (size_t)then->p.n;
    double *phi = check_memory(n, sizeof *phi), *alone = check_memory(n, 8);
    farsum_plan *plan = by_points(first, sparse, deterministic);
    farsum_plan *other = by_points(first, sparse, 1);
    if (plan && other) {
        int before = order_of(plan, first, NULL);
        int after = order_of(plan, then, phi);
        CHECK(before == order, "order %d, %d before", before, order);
        CHECK(after == order - deterministic, "order %d after %d%s", after,
              before, deterministic ? ", deterministic" : "");
        CHECK(order_of(other, then, alone) == order - 1,
              "points by themselves: not order %d", order - 1);
        double gap = fmm_gap(then->p.n, phi, alone);
        CHECK(deterministic && !sparse ? gap == 0 : gap < 2e-4,
              "potentials differ by %.3g", gap);
        /* not for ever */
        for (int k = 0; k < 64 && after == order; k++)
            after = order_of(plan, then, NULL);
        CHECK(after == order - 1, "order %d of points that need %d", after,
              order - 1);
    }
    farsum_plan_destroy(plan);
    farsum_plan_destroy(other);
    free(phi);
    free(alone);
}

/* Workspace for one order more is kept, so steps need not reallocate. */
static void order_stays_of(int sparse)
{
    enum { DRAWS = 12 };
    struct system s[DRAWS];
    int order[DRAWS], found = 0;
    for (int k = 0; k < DRAWS; k++) {
        char what[80];
        snprintf(what, sizeof what, "laplace n=2000 dist=clustered seed=%d",
                 k + 1);
        fmm_system(&s[k], "clustered", what, 0);
        farsum_plan *plan = by_points(&s[0], sparse, 1);
        order[k] = plan ? order_of(plan, &s[k], NULL) : 0;
        farsum_plan_destroy(plan);
    }
    for (int k = 0; k < DRAWS && !found; k++)
        for (int j = 0; j < DRAWS && !found; j++)
            if (order[j] == order[k] - 1) {
                order_after(&s[k], &s[j], order[k], sparse, 0);
                order_after(&s[k], &s[j], order[k], sparse, 1);
                found = 1;
            }
    CHECK(found, "no two of %d draws need orders that follow each other",
          DRAWS);
    for (int k = 0; k < DRAWS; k++)
        system_free(&s[k]);
}

static void order_stays(void)
{
    order_stays_of(0);
    order_stays_of(1);
}

void fmm_orders(void)
{
    RUN(order_zero);
    if (!fmm_device() || fmm_all()) /* kernels of several orders */
        RUN(order_stays);
    if (fmm_device() && !fmm_all()) /* the sweep covers these */
        return;
    RUN(high_orders);
    RUN(falls_as_the_table);
    RUN(f32_ends);
    RUN(many_levels);
    RUN(deep);
}
