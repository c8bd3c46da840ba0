/* SPDX-License-Identifier: Apache-2.0 */
/* designs.c: tests that data cached for the process, and shortcuts to it, equal
 * the data computed without them. */
#include "check.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/par.h"
#include "stage/lattice/fft_symbol.h"
#include "stage/lattice/image_fields.h"
#include "math/quick.h"
#include "tune/designs.h"
#include "tune/error_shared.h"
#include "task/sample_bins.h"

/* 1: window and alias for a key equal newly made ones. */
static int as_made(const char *name, int support, double shape, double sigma)
{
    struct window found, wanted;
    struct alias there, made;
    memset(&found, 0, sizeof found);
    memset(&wanted, 0, sizeof wanted);
    if (design_window(&found, &there, name, support, shape, sigma, 0)
            != FARSUM_OK
        || window_set(&wanted, name, support, shape, sigma, 0) != FARSUM_OK)
        return 0;
    alias_set(&made, &wanted);
    size_t used = (size_t)wanted.n_quad * sizeof(double);
    return found.support == wanted.support && found.shape == wanted.shape
           && found.kind == wanted.kind && found.n_quad == wanted.n_quad
           && memcmp(found.node, wanted.node, used) == 0
           && memcmp(found.value, wanted.value, used) == 0
           && memcmp(&there, &made, sizeof made) == 0;
}

static uint64_t made_so_far(void)
{
    uint64_t there, made;
    design_counts(&there, &made);
    return made;
}

/* Each name, support, shape and upsampling has its own entry.  Equal ones are
 * made once, also if an upsampling implies the shape. */
static void keys_are_told_apart(void)
{
    uint64_t before = made_so_far();
    for (int twice = 0; twice < 2; twice++)
        for (int k = 0; window_names[k]; k++)
            for (int support = 4; support < 7; support++) {
                CHECK(as_made(window_names[k], support, 0, 1.4), "by 1.4");
                CHECK(as_made(window_names[k], support, 0, 1.6), "by 1.6");
                CHECK(as_made(window_names[k], support, 9.5, 1.6), "by shape");
                CHECK(as_made(window_names[k], support, 9.5, 2), "the same");
            }
    CHECK(made_so_far() - before == 5 * 3 * 3, "%d were made",
          (int)(made_so_far() - before));
    struct window window;
    struct alias alias;
    CHECK_FAILS(design_window(&window, &alias, "a window of no such name", 4, 0,
                              2, 0),
                FARSUM_ERR_UNKNOWN);
    CHECK_FAILS(design_window(&window, &alias, "prolate", 99, 0, 2, 0),
                FARSUM_ERR_ARGUMENT);
}

/* At most DESIGNS are kept: those used last. */
static void they_are_bounded(void)
{
    enum { MORE = DESIGNS + 40 };
    uint64_t before = made_so_far();
    for (int k = 0; k < MORE; k++) {
        CHECK(as_made("es", 4, 5 + k / 64.0, 1), "shape %d", k);
        CHECK(as_made("es", 4, 5, 1), "the first");
    }
    CHECK(made_so_far() - before == MORE, "%d were made",
          (int)(made_so_far() - before));
    before = made_so_far();
    CHECK(as_made("es", 4, 5 + (MORE - 1) / 64.0, 1), "the last");
    CHECK(made_so_far() == before, "the last one is there");
    CHECK(as_made("es", 4, 5 + 1 / 64.0, 1), "the second");
    CHECK(made_so_far() == before + 1, "the second one has made room");
}

static void threads_may_ask(void)
{
    int good = 0;
    enum { ASKED = 4000 };
    PAR_FOR(4, schedule(dynamic) reduction(+ : good))
    for (int k = 0; k < ASKED; k++)
        good += as_made("kaiser_bessel", 2 + k % 3, 4 + k * 7 % 300 / 32.0, 1);
    CHECK(good == ASKED, "%d of %d", good, ASKED);
}

/* A forked child goes on, whatever the parent's threads were doing. */
static void a_child_goes_on(void)
{
    int status = 1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct band band;
        _exit(!as_made("gaussian", 6, 7, 1)
              || !band_table(&band, 50, pair_find("laplace")));
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child, "no child");
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
}

static void near_all(const char *what, double c, const double *found,
                     const double *wanted, int n, double part, double floor)
{
    for (int i = 0; i < n; i++)
        CHECK(fabs(found[i] - wanted[i]) <= part * fabs(wanted[i]) + floor,
              "%s %d at c = %g: %.17g, not %.17g", what, i, c, found[i],
              wanted[i]);
}

/* Error integrals from polynomials equal those from series, except for the
 * rounding of the latter: about 1e-16 of the transform. */
static void bands_are_tabulated(void)
{
    static const char *const names[] = {"laplace", "stokeslet", "rotlet"};
    for (int k = 0; k < 3; k++)
        for (double c = 4; c < 60; c *= 1.0173) {
            const struct pair *pair = pair_find(names[k]);
            struct split split;
            struct band found, wanted;
            CHECK_OK(split_set(&split, "prolate", c));
            band_set(&wanted, &split, pair);
            if (!CHECK(band_table(&found, c, pair), "none at %g", c))
                continue;
            double grow = c * c; /* factor of flows' tails */
            near_all("k", c, found.k, wanted.k, BAND_NODES, 0, 0);
            near_all("tail_k", c, found.tail_k, wanted.tail_k, TAIL_NODES, 0,
                     0);
            near_all("gamma", c, found.gamma, wanted.gamma, BAND_NODES, 1e-12,
                     1e-16 * grow);
            near_all("tail_g", c, found.tail_g, wanted.tail_g, TAIL_NODES,
                     1e-12, 1e-16);
            near_all("tail", c, found.tail, wanted.tail, TAIL_NODES, 1e-12,
                     1e-16 * grow);
            near_all("tail_sum", c, found.tail_sum, wanted.tail_sum, TAIL_NODES,
                     1e-12, 1e-16);
            near_all("edge", c, &found.edge, &wanted.edge, 1, 1e-12, 1e-15);
            near_all("centre", c, &found.centre, &wanted.centre, 1, 1e-12, 0);
            near_all("self", c, &found.self, &wanted.self, 1, 1e-12,
                     1e-15 * grow);
            for (int p = 0; p < 2; p++) {
                double root = sqrt(found.cut_far[p]);
                double right = sqrt(wanted.cut_far[p]);
                near_all("cut_far", c, &root, &right, 1, 1e-9, 1e-14 * grow);
            }
        }
    struct band band;
    CHECK(!band_table(&band, 10, pair_find("yukawa")), "kappa counts too");
    CHECK(!band_table(&band, 97.5, pair_find("laplace")), "beyond the pieces");
    CHECK(!band_table(&band, 3.9, pair_find("laplace")), "below the pieces");
}

/* The transform in long double. */
static double hat_of(const struct window *window, int i, int m)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    long double sum = 0;
    long double at = pi * i / (ALIAS_NODES - 1) + 2 * pi * m;
    for (int q = 0; q < window->n_quad; q++)
        sum += window->value[q] * cosl(at * window->node[q]);
    return (double)sum;
}

static void aliases_are_right(void)
{
    static const char *const names[] = {"prolate", "kaiser_bessel", "es",
                                        "gaussian"};
    for (int k = 0; k < 4; k++)
        for (int support = 3; support <= WINDOW_MAX; support++) {
            struct window window;
            struct alias alias;
            CHECK_OK(window_set(&window, names[k], support, 0, 1.5, 0));
            alias_set(&alias, &window);
            for (int i = 0; i < ALIAS_NODES; i += 4) {
                double own = hat_of(&window, i, 0), sum = 0;
                int reach = window_reach(&window);
                for (int m = -reach; m <= reach; m++)
                    sum += m ? pow(hat_of(&window, i, m) / own, 2) : 0;
                double found = exp(alias.log0[i] / 2);
                CHECK(fabs(found - sqrt(sum)) <= 1e-12 * sqrt(sum)
                                                     + 2e-15 / own,
                      "%s %d, node %d: %g, not %g", names[k], support, i, found,
                      sqrt(sum));
            }
        }
}

static void quick_functions(void)
{
    for (double x = -700; x < 700; x += 0.0371) {
        long double sine = sinl(x), power = expl(x);
        CHECK(fabsl(quick_sin(x) - sine) <= 4e-16L, "sin %.17g", x);
        if (fabs(x) < 600)
            CHECK(fabsl(quick_exp(x) - power) <= 5e-16L * power, "exp %.17g",
                  x);
    }
    CHECK_NEAR(quick_sin(1e-9), 1e-9, 1e-24);
    CHECK_NEAR(quick_sin(0), 0, 0);
    CHECK_NEAR(quick_exp(0), 1, 0);
}

/* Bins from squares equal those from logarithms, except where these round at a
 * limit.  A limit belongs to its bin. */
static void bins_are_those_of_logarithms(void)
{
    const double base = log(0.037), inverse = 1 / log(1.31);
    struct sample_bins bins;
    sample_bins_set(&bins, base, inverse, 40);
    for (int k = 0; k < 40; k++) {
        double limit = bins.limit[k];
        for (int step = -2000; step <= 2000; step++) {
            double far = step * (step % 2 ? 1e-4 : 1e-15);
            double r2 = limit * (1 + far);
            double at = ceil((0.5 * log(r2) - base) * inverse);
            int wanted = (int)fmin(fmax(at, 0), 40);
            int bin = sample_bins_of(&bins, r2);
            CHECK(bin == wanted || fabs(far) < 1e-11, "r^2 %.17g: %d, not %d",
                  r2, bin, wanted);
        }
        CHECK(sample_bins_of(&bins, limit) == k, "at limit %d", k);
        CHECK(sample_bins_of(&bins, nextafter(limit, INFINITY)) == k + 1,
              "beyond limit %d", k);
    }
    static const double ends[] = {0, 1e-300, 1e-9, 1e9, 1e300};
    for (int i = 0; i < 5; i++)
        CHECK(sample_bins_of(&bins, ends[i]) == (i < 3 ? 0 : 40), "%g is in %d",
              ends[i], sample_bins_of(&bins, ends[i]));
}

/* Makes a plan for `n` charges in a cell of edge `edge`; returns how many
 * windows it made. */
static int made_by_plan(int n, double edge)
{
    enum { MOST = 1100 };
    static double x[3 * MOST], q[MOST];
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_options options = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    uint64_t before = made_so_far(), seed = 3;
    for (int i = 0; i < 3 * n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = edge * ldexp((double)(seed >> 11), -53);
        q[i / 3] = i / 3 % 2 ? 1 : -1;
    }
    for (int d = 0; d < 3; d++) {
        problem.cell[4 * d] = edge;
        problem.periodic[d] = 1;
    }
    problem.tolerance = 1e-5;
    problem.precision = problem.arrays = FARSUM_F64;
    problem.n_sources = n;
    problem.sample_x = x;
    problem.sample_q = q;
    options.method = "spectral";
    options.threads = 1;
    CHECK_OK(farsum_plan_create(&problem, &options, &plan));
    farsum_plan_destroy(plan);
    return (int)(made_so_far() - before);
}

/* Plans of similar size try the same windows: without reuse of shapes, ten
 * plans would find a hundred. */
static void plans_share_windows(void)
{
    int first = made_by_plan(1000, 10), again = made_by_plan(1000, 10);
    int others = 0;
    for (int k = 1; k <= 10; k++)
        others += made_by_plan(1000 + 4 * k, 10 + 0.013 * k);
    CHECK(again == 0, "the same plan made %d windows more", again);
    CHECK(others <= 40, "the first plan made %d, ten others %d", first, others);
}

/* The field between roots is computed once per order and shape, whatever
 * scale and precision its users want. */
static void symbols_are_kept(void)
{
    enum { P = 2, EDGE = 4, SIZE = 27 * (2 * P + 1) * (2 * P + 1) };
    static double first[SIZE], again[SIZE], other[SIZE];
    static float single[SIZE];
    struct boxes_args args = {.precision = FARSUM_F64,
                              .threads = 1,
                              .p = P,
                              .ws = 1,
                              .periodic = {1, 1, 1},
                              .root = {EDGE, EDGE, EDGE},
                              .box = {1, 1, 1}};
    const int64_t mesh[3] = {EDGE, EDGE, EDGE};
    uint64_t there[2], made[2];
    lattice_symbol_counts(&there[0], &made[0]);
    CHECK_OK(lattice_symbol(&args, mesh, 0, 3, 1, first));
    CHECK_OK(lattice_symbol(&args, mesh, 0, 3, 2, again));
    args.precision = FARSUM_F32;
    CHECK_OK(lattice_symbol(&args, mesh, 0, 3, 2, single));
    for (int k = 0; k < SIZE; k++)
        CHECK(again[k] == 2 * first[k] && single[k] == (float)again[k],
              "number %d: %g, %g and %g", k, first[k], again[k], single[k]);
    lattice_symbol_counts(&there[1], &made[1]);
    CHECK(there[1] - there[0] == 2 && made[1] - made[0] == 1,
          "%d were there, %d were made", (int)(there[1] - there[0]),
          (int)(made[1] - made[0]));
    args.precision = FARSUM_F64;
    args.box[1] = 0.75; /* other numbers and a key of their own */
    CHECK_OK(lattice_symbol(&args, mesh, 0, 3, 1, other));
    CHECK(memcmp(first, other, sizeof first) != 0, "the box's shape is lost");
    args.box[1] = 1;
    CHECK_OK(lattice_symbol(&args, mesh, 1, 2, 1, other)); /* a rank's rows */
    for (int z = 0, n = SIZE / 9; z < 3; z++)
        CHECK(memcmp(other + z * n, first + (3 * z + 1) * n,
                     (size_t)n * sizeof *first)
                  == 0,
              "plane %d of a rank", z);
    lattice_symbol_counts(&there[1], &made[1]);
    CHECK(made[1] - made[0] == 3, "%d were made", (int)(made[1] - made[0]));
}

/* So are the sums over images, by both variants that use them. */
static void image_fields_are_kept(void)
{
    struct boxes_args args = {.precision = FARSUM_F64,
                              .threads = 2,
                              .p = 3,
                              .ws = 1,
                              .periodic = {0, 1, 0},
                              .root = {3, 4, 5},
                              .box = {1, 1, 1}};
    const int64_t d[3] = {2, 1, 4};
    struct image_fields a, b;
    uint64_t there[2], made[2];
    image_fields_counts(&there[0], &made[0]);
    CHECK_OK(image_fields_make(&args, &a));
    CHECK_OK(image_fields_make(&args, &b));
    image_fields_counts(&there[1], &made[1]);
    CHECK(there[1] - there[0] == 1 && made[1] - made[0] == 1,
          "%d were there, %d were made", (int)(there[1] - there[0]),
          (int)(made[1] - made[0]));
    CHECK(memcmp(image_field(&a, d), image_field(&b, d),
                 (size_t)a.size * sizeof(double))
              == 0,
          "kept fields differ");
    image_fields_clear(&b);
    args.ws = 2;
    CHECK_OK(image_fields_make(&args, &b));
    CHECK(memcmp(a.field, b.field, (size_t)a.size * sizeof(double)) != 0,
          "the separation is lost");
    image_fields_clear(&a);
    image_fields_clear(&b);
}

int main(void)
{
    RUN(keys_are_told_apart);
    RUN(plans_share_windows);
    RUN(they_are_bounded);
    RUN(symbols_are_kept);
    RUN(image_fields_are_kept);
    RUN(threads_may_ask);
    RUN(a_child_goes_on);
    RUN(bands_are_tabulated);
    RUN(aliases_are_right);
    RUN(quick_functions);
    RUN(bins_are_those_of_logarithms);
    return check_end();
}
