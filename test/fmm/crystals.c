/* SPDX-License-Identifier: Apache-2.0 */
/* crystals.c: Madelung constants and plasmas on lattices by the method fmm, to
 * 1e-12 at high order; unit cells and few points at orders that the method
 * chooses. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "crystal.h"
#include "fmm/fmm.h"

/* Potentials at the first ion, for lattice constant 1 (laws_crystals.c has the
 * sources), and at the last kind of ion if it is not the opposite. */
static const struct {
    const char *name;
    double first, last;
} known[] = {
    {"nacl", -3.4951291892663643812, 3.4951291892663643812},
    {"cscl", -2.0353615094525953181, 2.0353615094525953181},
    {"zns", -3.7829261040857775088, 3.7829261040857775088},
    {"caf2", -7.5658522081715550175, 4.0707230189051906363},
};

static farsum_options high(int k)
{
    farsum_options o = fmm_options();
    o.fmm.separation = 2;
    o.fmm.order = 24;
    o.fmm.levels = 1 + k / 2;
    o.fmm.boxes[0] = o.fmm.boxes[1] = o.fmm.boxes[2] = 1 + k % 2;
    return o;
}

/* A crystal of this many cells along x, y, z. */
static int crystal_of(struct system *s, const char *name, int64_t k, int64_t kz)
{
    char error[200] = "";
    const int64_t cells[3] = {k, k, kz};
    memset(s, 0, sizeof *s);
    snprintf(s->name, sizeof s->name, "%s", name);
    return CHECK(crystal_make(crystal_find(name), cells, 0, &s->p, NULL, error,
                              sizeof error)
                     == 0,
                 "%s", error);
}

/* Displaces each coordinate by up to `amplitude`. */
static void warm(struct system *s, double amplitude, uint64_t *state)
{
    for (int64_t i = 0; i < 3 * s->p.n; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        double u = (double)(*state >> 40) / 8388608 - 1;
        s->p.x[i] += amplitude * u;
    }
}

/* Bound of a relative error; above (10.40) for a device. */
static double most(void)
{
    return fmm_device() ? 1e-11 : 1e-12;
}

static void madelung(void)
{
    for (size_t c = 0; c < sizeof known / sizeof *known; c++)
        for (int64_t k = 1; k <= 2; k++) {
            struct system s;
            struct fmm_sums a;
            if (!crystal_of(&s, known[c].name, k, k))
                continue;
            farsum_problem p = fmm_problem(&s, 0.9);
            farsum_options o = high((int)(c + (size_t)k) % 4);
            if (fmm_do(&s, &p, &o, &a)) {
                double phi[2] = {a.potential[0], a.potential[s.p.n - 1]};
                double far = fabs(phi[0] / known[c].first - 1)
                             + fabs(phi[1] / known[c].last - 1);
                CHECK(far <= most(),
                      "%s, %lld cells, order %d, ws %d, %d levels"
                      ": potentials %.17g %.17g: %.2g",
                      s.name, (long long)k, o.fmm.order, o.fmm.separation,
                      o.fmm.levels, phi[0], phi[1], far);
            }
            fmm_free(&a);
            system_free(&s);
        }
}

/* Charges of one sign on a lattice in a background: energy per charge over q^2
 * times the radius of a charge's sphere. */
static void plasmas(void)
{
    static const double sites[3][4][3] = {
        {{0, 0, 0}},
        {{0, 0, 0}, {0.5, 0.5, 0.5}},
        {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}}};
    static const double energies[] = {-0.8800594421117163191,
                                      -0.89592925568176528917,
                                      -0.8958736151951084599};
    static const char *const names[] = {"sc", "bcc", "fcc"};
    for (int l = 0; l < 3; l++)
        for (int k = 1; k <= 2; k++) {
            struct system s = {.p = {.strengths = 1}};
            struct fmm_sums a;
            int basis = 1 << l, at = 0;
            s.p.n = (int64_t)k * k * k * basis;
            s.p.x = check_memory(3 * (size_t)s.p.n, sizeof *s.p.x);
            s.p.q = check_memory((size_t)s.p.n, sizeof *s.p.q);
            snprintf(s.name, sizeof s.name, "%s", names[l]);
            for (int d = 0; d < 3; d++) {
                s.p.cell[4 * d] = k;
                s.p.periodic[d] = 1;
            }
            for (int i = 0; i < k * k * k * basis; i++, at++) {
                int cell = i / basis, place[3] = {cell / k / k, cell / k % k,
                                                  cell % k};
                for (int d = 0; d < 3; d++)
                    s.p.x[3 * at + d] = place[d] + sites[l][i % basis][d] + 0.1;
                s.p.q[at] = 1;
            }
            farsum_problem p = fmm_problem(&s, 0.9);
            farsum_options o = high((l + k) % 4);
            if (fmm_do(&s, &p, &o, &a)) {
                double radius = cbrt(3 / (4 * M_PI * basis));
                double u = a.energy / (double)s.p.n * radius;
                CHECK(fabs(u / energies[l] - 1) <= most(),
                      "%s, %d cells, order %d, ws %d, %d levels: %.17g, not "
                      "%.17g: %.2g",
                      s.name, k, o.fmm.order, o.fmm.separation, o.fmm.levels, u,
                      energies[l], u / energies[l] - 1);
            }
            fmm_free(&a);
            system_free(&s);
        }
}

/* Random cells, neutral and charged, both boundary conditions: potentials with
 * their constant agree with Ewald's. */
static void potentials_are_ewald(void)
{
    static const char *const what[] = {
        "laplace n=200 cell=cubic dist=uniform seed=91",
        "laplace n=200 cell=4x3x5 dist=clustered seed=92"};
    for (int i = 0; i < 4; i++) {
        /* each pair of cell, charge and boundary condition */
        int k = (int[]){0, 3, 5, 6}[i];
        struct system s;
        struct fmm_sums a, b;
        fmm_system(&s, "random", what[k % 2], 0);
        for (int64_t j = 0; k / 2 % 2 && j < s.p.n; j++)
            s.p.q[j] += 0.7;
        farsum_problem p = fmm_problem(&s, 0.9);
        farsum_options o = high(k % 4), e = FARSUM_OPTIONS_INIT;
        p.surface = k / 4 ? FARSUM_VACUUM : FARSUM_TINFOIL;
        if (k % 2) { /* bricks that are nearly cubes */
            o.fmm.boxes[0] = 4, o.fmm.boxes[1] = 3, o.fmm.boxes[2] = 5;
            o.fmm.levels = 1;
        }
        if (fmm_do(&s, &p, &o, &a)) {
            p.tolerance = 1e-13;
            e.method = "ewald";
            if (fmm_do(&s, &p, &e, &b)) {
                double gap[2] = {fmm_gap(s.p.n, a.potential, b.potential),
                                 fmm_force_gap(&s, a.field, b.field)};
                CHECK(gap[0] < 1e-10 && gap[1] < 1e-10,
                      "case %d: potentials differ by %.3g, forces by %.3g", k,
                      gap[0], gap[1]);
                CHECK_NEAR(a.energy / b.energy, 1, 1e-10);
            }
            fmm_free(&b);
        }
        fmm_free(&a);
        system_free(&s);
    }
}

static const struct {
    double tolerance;
    farsum_precision precision;
} asked[] = {{1e-6, FARSUM_F64},
             {1e-10, FARSUM_F64},
             {3e-6, FARSUM_F32},
             {1e-4, FARSUM_F64},
             {1e-3, FARSUM_F64}};

/* Forces, or potentials, agree with Ewald's within the first tolerances; the
 * estimate for correlated points is not below the error. */
static void within(const struct system *s, int tolerances, int potentials)
{
    struct fmm_sums a, b;
    farsum_problem p = fmm_problem(s, 1e-13);
    farsum_options o = FARSUM_OPTIONS_INIT;
    o.method = "ewald";
    if (fmm_do(s, &p, &o, &b)) {
        p.error = potentials ? FARSUM_ERROR_POTENTIAL : p.error;
        for (int t = 0; t < tolerances; t++) {
            o = fmm_options();
            p.precision = asked[t].precision;
            p.tolerance = asked[t].tolerance;
            if (fmm_device() && p.precision == FARSUM_F32)
                p.tolerance *= 10; /* its near sums have larger errors */
            if (fmm_do(s, &p, &o, &a)) {
                double gap = potentials
                                 ? fmm_gap(s->p.n, a.potential, b.potential)
                                 : fmm_force_gap(s, a.field, b.field);
                double most = s->p.n <= 32 ? a.info.estimated_error : 1;
                CHECK(gap <= fmin(p.tolerance, most) && a.info.bound == 0
                          && a.info.estimated_error <= p.tolerance,
                      "%s, %lld points, requested %g of %s: order %d, ws %d, "
                      "%d levels: estimated %.3g, bound %.3g, off by %.3g",
                      s->name, (long long)s->p.n, p.tolerance,
                      potentials ? "potentials" : "forces", a.info.order,
                      a.info.separation, a.info.levels, a.info.estimated_error,
                      a.info.bound, gap);
            }
            fmm_free(&a);
        }
    }
    fmm_free(&b);
}

/* All points are alike in their boxes: at corners, or displaced elsewhere. */
static void unit_cells(void)
{
    static const char *const names[] = {"nacl", "cscl", "caf2", "zns",
                                        "perovskite"};
    int tolerances = fmm_all() ? 5 : 3;
    int few = fmm_device() ? 1 : 3;
    for (int c = 0; c < (fmm_all() ? 5 : few); c++)
        for (int64_t k = 1; k <= (fmm_all() ? 5 : 2); k++) {
            struct system s;
            if (!crystal_of(&s, names[c], k, fmm_all() ? k : 1))
                continue;
            within(&s, tolerances, 0);
            for (int64_t i = 0; i < 3 * s.p.n; i++)
                s.p.x[i] += 0.13;
            if (k == 1 || fmm_all())
                within(&s, tolerances, k == 1);
            system_free(&s);
        }
}

static void few_points(void)
{
    static const int counts[] = {2, 5, 17, 20, 3, 8, 12, 16, 32, 33, 50};
    for (int i = 0; i < (fmm_all() ? 11 : 4); i++)
        for (int seed = 4; seed <= (fmm_all() ? 7 : 4); seed++) {
            struct system s;
            char what[100];
            snprintf(what, sizeof what,
                     "laplace n=%d dist=uniform seed=%d cell=%s", counts[i],
                     seed, i % 2 ? "4x3x5" : "cubic");
            fmm_system(&s, "few points", what, 0);
            within(&s, 5, i % 3 == 2);
            system_free(&s);
        }
}

/* Difference of forces by fmm in f32 or f64 from Ewald's with tolerance
 * `exact`; below 0: failure.  *info: of the former. */
static double forces_apart(const struct system *s, const farsum_options *o,
                           farsum_precision precision, double tolerance,
                           double exact, farsum_plan_info *info)
{
    struct fmm_sums a, b;
    farsum_problem p = fmm_problem(s, tolerance);
    farsum_options e = FARSUM_OPTIONS_INIT;
    double gap = -1;
    e.method = "ewald";
    p.precision = precision;
    if (fmm_do(s, &p, o, &a)) {
        *info = a.info;
        p.precision = FARSUM_F64;
        p.tolerance = exact;
        if (CHECK(fmm_do(s, &p, &e, &b), "no reference"))
            gap = fmm_force_gap(s, a.field, b.field);
        fmm_free(&b);
    }
    fmm_free(&a);
    return gap;
}

/* Boxes of a larger crystal are alike if there are as many as cells.  In a
 * small, slightly displaced crystal, orders for near boxes do not suffice. */
static void many_cells(void)
{
    struct system s;
    farsum_options o = fmm_options();
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    uint64_t state = 1;
    if (!crystal_of(&s, "caf2", 5, 5))
        return;
    double gap = forces_apart(&s, &o, FARSUM_F64, 1e-2, 1e-9, &info);
    CHECK(gap <= 1e-2, "order %d, %lld boxes: off by %.3g", info.order,
          (long long)(info.boxes[0] * info.boxes[1]), gap);
    system_free(&s);
    if (!crystal_of(&s, "nacl", 2, 2))
        return;
    warm(&s, 0.1, &state);
    within(&s, 2, 0);
    system_free(&s);
}

/* Ions near their sites at the corners of boxes of whole cells: rare for random
 * points, and most of the error. */
static void warm_crystals(void)
{
    static const struct {
        int64_t cells;
        int boxes;
        double amplitude, tolerance;
    } cases[] = {
        {3, 0, 0.1, 1e-3}, {6, 2, 0.02, 1e-7}, {2, 2, 0.1, 1e-3},
        {3, 0, 0.1, 1e-9}, {4, 2, 0.1, 1e-5},  {6, 2, 0.02, 1e-5},
        {6, 0, 0.1, 1e-5}, {8, 2, 0.02, 1e-7},
    };
    uint64_t state = 1;
    for (int k = 0; k < (fmm_all() ? 8 : 2); k++) {
        struct system s;
        farsum_options o = fmm_options();
        farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
        if (!crystal_of(&s, "nacl", cases[k].cells, cases[k].cells))
            return;
        warm(&s, cases[k].amplitude, &state);
        if (cases[k].boxes) {
            o.fmm.boxes[0] = o.fmm.boxes[1] = o.fmm.boxes[2] = cases[k].boxes;
            o.fmm.levels = 1;
        }
        double gap = forces_apart(&s, &o, FARSUM_F64, cases[k].tolerance, 1e-12,
                                  &info);
        CHECK(gap <= cases[k].tolerance && gap <= 4 * info.estimated_error,
              "%lld ions, requested %g: order %d, ws %d, %lld boxes along x: "
              "estimated %.3g, off by %.3g",
              (long long)s.p.n, cases[k].tolerance, info.order,
              info.separation, (long long)info.boxes[0], info.estimated_error,
              gap);
        system_free(&s);
    }
}

/* Ions of alternating sign: threads that take every other source sum one sign,
 * a thousand times the total. */
static void signs_by_turns(void)
{
    struct system s;
    farsum_options o = fmm_options();
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    if (!crystal_of(&s, "nacl", 2, 2))
        return;
    o.fmm.order = 13;
    o.fmm.separation = 3;
    o.fmm.boxes[0] = o.fmm.boxes[1] = o.fmm.boxes[2] = 1;
    o.fmm.levels = 1;
    double gap = forces_apart(&s, &o, FARSUM_F32, 1e-4, 1e-12, &info);
    CHECK(gap >= 0 && gap <= 8e-6, "%lld ions: off by %.3g", (long long)s.p.n,
          gap);
    system_free(&s);
}

/* More points than the plan samples at each move: values seen in the same boxes
 * represent the others. */
static void moves(void)
{
    struct system s;
    farsum_plan *plan = NULL;
    farsum_plan_info first = FARSUM_PLAN_INFO_INIT;
    farsum_plan_info next = FARSUM_PLAN_INFO_INIT;
    farsum_options o = fmm_options();
    uint64_t state = 1;
    if (!crystal_of(&s, "nacl", 14, 14))
        return;
    warm(&s, 0.05, &state);
    farsum_problem p = fmm_problem(&s, 1e-5);
    o.fmm.boxes[0] = o.fmm.boxes[1] = o.fmm.boxes[2] = 7;
    o.fmm.levels = 1;
    if (CHECK(farsum_plan_create(&p, &o, &plan) == FARSUM_OK
                  && farsum_plan_set_points(plan, s.p.n, s.p.x, 0, NULL)
                         == FARSUM_OK
                  && farsum_plan_get_info(plan, &first) == FARSUM_OK,
              "%s", farsum_message())) {
        warm(&s, 0.01, &state);
        CHECK(farsum_plan_set_points(plan, s.p.n, s.p.x, 0, NULL) == FARSUM_OK
                  && farsum_plan_get_info(plan, &next) == FARSUM_OK,
              "%s", farsum_message());
        CHECK(abs(next.order - first.order) <= 1
                  && fabs(next.estimated_error / first.estimated_error - 1)
                         < (next.order == first.order ? 0.1 : 0.7),
              "order %d, estimated %.3g, then %d, %.3g", first.order,
              first.estimated_error, next.order, next.estimated_error);
    }
    farsum_plan_destroy(plan);
    system_free(&s);
}

/* Strengths of another size change only the absolute error.  A separation whose
 * bounds all exceed the tolerance is refused. */
static void other_strengths(void)
{
    struct system s;
    struct fmm_sums a;
    if (!crystal_of(&s, "nacl", 1, 1))
        return;
    farsum_problem p = fmm_problem(&s, 1e-6);
    farsum_options o = fmm_options();
    double x[24], q[8], phi[8], said[3];
    farsum_plan *plan = NULL;
    memcpy(x, s.p.x, sizeof x);
    p.sample_x = x;
    p.sample_q = s.p.q;
    p.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    if (CHECK(farsum_plan_create(&p, &o, &plan) == FARSUM_OK
                  && farsum_plan_set_points(plan, 8, x, 0, NULL) == FARSUM_OK,
              "%s", farsum_message()))
        for (int k = 0; k < 3; k++) {
            farsum_result r = FARSUM_RESULT_INIT;
            farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
            double field[24];
            r.potential = phi;
            r.field = field;
            for (int i = 0; i < 8; i++)
                q[i] = pow(100, k - 1) * s.p.q[i];
            CHECK(farsum_plan_execute(plan, 1, q, &r) == FARSUM_OK, "%s",
                  farsum_message());
            CHECK(farsum_plan_get_info(plan, &info) == FARSUM_OK, "%s",
                  farsum_message());
            said[k] = info.estimated_error;
            CHECK(said[k] > 0 && fabs(said[k] / said[0] - 1) < 1e-6,
                  "charges of %g: estimated %.3g, of 0.01 %.3g",
                  pow(100, k - 1), said[k], said[0]);
        }
    farsum_plan_destroy(plan);
    o = fmm_options();
    o.fmm.separation = 1;
    farsum_status status = fmm_try(&s, &p, &o, &a);
    CHECK(status == FARSUM_ERR_TOLERANCE
              && strstr(farsum_message(), "with separation 1"),
          "separation 1: %d, %s", (int)status, farsum_message());
    fmm_free(&a);
    system_free(&s);
}

void fmm_crystals(void)
{
    RUN(many_cells);
    RUN(warm_crystals);
    RUN(signs_by_turns);
    RUN(moves);
    RUN(other_strengths);
    RUN(unit_cells);
    if (fmm_device() && !fmm_all())
        return;
    RUN(few_points);
    RUN(madelung);
    RUN(plasmas);
    RUN(potentials_are_ewald);
}
