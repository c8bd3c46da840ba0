/* SPDX-License-Identifier: Apache-2.0 */
/* cells.c: tests of sparse trees in periodic cells.  Sums of high order equal
 * those of Ewald and of a dense tree wherever points are clustered, including
 * the constant of potentials. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "fmm/fmm.h"

/* Positions of n points in fractions of the cell. */
enum places { UNIFORM, CLUSTERS, CORNER, FACE, SLAB, ONE_BOX, PLACES };
static const char *const names[PLACES] = {"uniform",   "clusters", "a corner",
                                          "on a face", "a slab",   "one box"};

static double random_at(uint64_t *seed)
{
    return (double)(random_next(seed) >> 11) * 0x1p-53;
}

/* A sum of four is nearly normal, with variance 1/3. */
static double random_bell(uint64_t *seed)
{
    double sum = -2;
    for (int k = 0; k < 4; k++)
        sum += random_at(seed);
    return sum;
}

static void place(enum places where, int64_t i, uint64_t *seed, double f[3])
{
    static const double centre[3][3] = {
        {0.02, 0.51, 0.97}, {0.3, 0.33, 0.31}, {0.71, 0.06, 0.4}};
    for (int d = 0; d < 3; d++) {
        double u = random_at(seed), g = random_bell(seed);
        f[d] = u;
        if (where == CLUSTERS && i % 8)
            f[d] = centre[i % 3][d] + 0.02 * g;
        else if (where == CORNER && i % 16)
            f[d] = 0.004 * g; /* of all eight */
        else if (where == FACE && i % 16)
            f[d] = (d == 1 ? 1 : 0.37) + 0.003 * g;
        else if (where == SLAB && d == 2)
            f[d] = 0.5 + 0.01 * g;
        else if (where == ONE_BOX)
            f[d] = 0.61 + 1e-4 * u;
    }
}

/* One case. */
struct cell_case {
    int64_t n, m; /* m > 0: separate targets, some at sources */
    double edge[3], charge; /* added to each */
    int vacuum, exclude;
    int64_t boxes[3]; /* the sparse tree's root boxes; 0: chosen */
    int64_t leaf;
    int depth; /* levels of the dense tree */
};

static const struct cell_case cases[] = {
    {200, 0, {2, 2, 2}, 0, 0, 0, {0}, 9, 2},
    {150, 0, {3, 4, 5}, 0.7, 0, 0, {3, 4, 5}, 6, 1},
    {150, 40, {2, 2, 2}, 0.4, 1, 0, {2, 2, 2}, 7, 2},
    {200, 0, {2, 2, 5}, 0, 1, 1, {0}, 8, 1},
    {120, 40, {2.2, 2, 2.1}, 0, 0, 1, {1, 1, 1}, 6, 2},
};
enum { CASES = sizeof cases / sizeof *cases, EXCLUDED = 24 };

struct cell_sums {
    double *potential, *field, energy; /* the first owns both */
    farsum_plan_info info;
};

/* Points, targets and strengths of a case. */
struct cell_points {
    farsum_problem p;
    double *x, *y, *q; /* owned */
    int64_t pairs[2 * EXCLUDED];
    double factors[EXCLUDED];
};

static void points_make(const struct cell_case *c, enum places where,
                        struct cell_points *s)
{
    uint64_t seed = 17 + (uint64_t)where;
    memset(s, 0, sizeof *s);
    s->p = (farsum_problem)FARSUM_PROBLEM_INIT;
    s->x = check_memory(3 * (size_t)c->n, sizeof *s->x);
    s->y = check_memory(3 * (size_t)c->m + 1, sizeof *s->y);
    s->q = check_memory((size_t)c->n, sizeof *s->q);
    for (int64_t i = 0; i < c->n + c->m; i++) {
        double f[3], *to = i < c->n ? s->x + 3 * i : s->y + 3 * (i - c->n);
        place(where, i, &seed, f);
        for (int d = 0; d < 3; d++)
            to[d] = f[d] * c->edge[d];
        if (i >= c->n && i % 9 == 0) /* at a source, which it excludes */
            memcpy(to, s->x + 3 * (i - c->n), 3 * sizeof *to);
    }
    for (int64_t i = 0; i < c->n; i++)
        s->q[i] = (i % 2 ? -1 : 1) * (0.5 + random_at(&seed)) + c->charge;
    for (int k = 0; k < EXCLUDED; k++) {
        s->pairs[2 * k] = c->m > 0 ? k : 5 * k;
        s->pairs[2 * k + 1] = c->m > 0 ? 5 * k : 5 * k + 1 + k % 3;
        s->factors[k] = k % 3 ? 0 : 0.5;
    }
    for (int d = 0; d < 3; d++) {
        s->p.cell[4 * d] = c->edge[d];
        s->p.periodic[d] = 1;
    }
    s->p.n_sources = c->n;
    s->p.n_targets = c->m;
    s->p.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    s->p.outputs |= c->m > 0 ? 0 : FARSUM_ENERGY;
    s->p.surface = c->vacuum ? FARSUM_VACUUM : FARSUM_TINFOIL;
    s->p.sample_x = s->x;
    s->p.sample_q = s->q;
    if (c->exclude) {
        s->p.n_exclusions = EXCLUDED;
        s->p.exclusions = s->pairs;
        s->p.exclusion_factors = s->factors;
    }
}

static void points_free(struct cell_points *s)
{
    free(s->x);
    free(s->y);
    free(s->q);
}

static int cell_sum(const struct cell_points *s, double tolerance,
                    const farsum_options *o, struct cell_sums *out)
{
    farsum_problem p = s->p;
    farsum_result r = FARSUM_RESULT_INIT;
    int64_t m = p.n_targets > 0 ? p.n_targets : p.n_sources;
    p.tolerance = tolerance;
    memset(out, 0, sizeof *out);
    out->potential = check_memory(4 * (size_t)m, sizeof *out->potential);
    out->field = out->potential + m;
    out->info = (farsum_plan_info)FARSUM_PLAN_INFO_INIT;
    r.potential = out->potential;
    r.field = out->field;
    r.energy = p.outputs & FARSUM_ENERGY ? &out->energy : NULL;
    return CHECK_OK(sum_once(&p, o, p.n_sources, s->x, p.n_targets,
                             p.n_targets > 0 ? s->y : NULL, s->q, &r,
                             &out->info));
}

static void differ(const char *what, const struct cell_points *s,
                   const struct cell_sums *a, const struct cell_sums *b,
                   double most)
{
    int64_t m = s->p.n_targets > 0 ? s->p.n_targets : s->p.n_sources;
    double phi = fmm_gap(m, a->potential, b->potential);
    double e = fmm_gap(3 * m, a->field, b->field);
    CHECK(phi <= most && e <= most,
          "%s: potentials differ by %.3g, fields by %.3g, above %.3g", what,
          phi, e, most);
    if (s->p.outputs & FARSUM_ENERGY)
        CHECK_NEAR(a->energy / b->energy, 1, 10 * most);
}

/* On a device, where kernels are compiled for each order, order 6 is compared
 * with the host. */
static void cell_one(const struct cell_case *c, enum places where)
{
    struct cell_points s;
    struct cell_sums sparse, dense = {0}, ewald = {0};
    farsum_options o = fmm_options(), other = fmm_options();
    char what[80];
    points_make(c, where, &s);
    o.fmm.tree = "sparse";
    o.fmm.order = fmm_device() ? 6 : 20;
    o.fmm.separation = fmm_device() ? 1 : 2;
    o.fmm.leaf = c->leaf;
    memcpy(o.fmm.boxes, c->boxes, sizeof o.fmm.boxes);
    snprintf(what, sizeof what, "%s, %d points in %g x %g x %g", names[where],
             (int)c->n, c->edge[0], c->edge[1], c->edge[2]);
    if (fmm_device())
        o.fmm.m2l = "gpu_dense";
    int done = cell_sum(&s, 0.9, &o, &sparse);
    CHECK(strcmp(sparse.info.tree, "sparse") == 0, "%s: a %s tree", what,
          sparse.info.tree);
    if (fmm_device()) {
        o.device.handle = NULL;
        o.fmm.m2l = "host_dense";
        memcpy(o.fmm.boxes, sparse.info.boxes, sizeof o.fmm.boxes);
        if (done && cell_sum(&s, 0.9, &o, &dense))
            /* positions are fractions of the cell: in a ten thousandth of it
             * pairs have four digits less */
            differ(what, &s, &sparse, &dense, where == ONE_BOX ? 1e-9 : 1e-11);
        free(dense.potential);
        free(sparse.potential);
        points_free(&s);
        return;
    }
    other.method = "ewald";
    if (done && cell_sum(&s, 1e-13, &other, &ewald))
        differ(what, &s, &sparse, &ewald, 1e-10);
    other = o;
    other.fmm.tree = "dense";
    other.fmm.leaf = 0;
    other.fmm.levels = c->depth;
    for (int d = 0; d < 3; d++)
        other.fmm.boxes[d] = sparse.info.boxes[d];
    if (done && cell_sum(&s, 0.9, &other, &dense))
        differ(what, &s, &sparse, &dense, 1e-10);
    free(dense.potential);
    free(ewald.potential);
    free(sparse.potential);
    points_free(&s);
}

static void as_ewald(void)
{
    for (int k = 0; k < CASES; k++)
        for (int where = 0; where < PLACES; where++)
            if (fmm_all() || (k + where) % 3 == 0)
                cell_one(&cases[k], (enum places)where);
}

/* If points are clustered, a plan selects a sparse tree by itself, as for open
 * points, and a dense one otherwise.  One plan serves both. */
static void chosen(void)
{
    static const int orders[] = {UNIFORM, CLUSTERS, CORNER, UNIFORM};
    struct cell_case c = {6000, 0, {2, 2, 2}, 0, 0, 0, {0}, 0, 0};
    struct cell_points s, now;
    farsum_plan *plan = NULL;
    farsum_options o = fmm_options();
    points_make(&c, UNIFORM, &s);
    s.p.sample_x = s.p.sample_q = NULL;
    s.p.tolerance = 1e-4;
    s.p.outputs = FARSUM_POTENTIAL;
    o.fmm.order = fmm_device() ? 6 : 0;
    o.repeats = 1e4; /* the cost of set_points does not count */
    CHECK_OK(farsum_plan_create(&s.p, &o, &plan));
    double *phi = check_memory((size_t)c.n, sizeof *phi);
    for (int turn = 0; turn < 4 && plan; turn++) {
        farsum_result r = FARSUM_RESULT_INIT;
        farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
        int clustering = orders[turn] == CORNER;
        r.potential = phi;
        points_make(&c, (enum places)orders[turn], &now);
        CHECK_OK(farsum_plan_set_points(plan, c.n, now.x, 0, NULL));
        CHECK_OK(farsum_plan_execute(plan, 1, now.q, &r));
        CHECK_OK(farsum_plan_get_info(plan, &info));
        if (orders[turn] != CLUSTERS)
            CHECK(strcmp(info.tree, clustering ? "sparse" : "dense") == 0,
                  "turn %d, %s: a %s tree", turn, names[orders[turn]],
                  info.tree);
        points_free(&now);
    }
    farsum_plan_destroy(plan);
    free(phi);
    points_free(&s);
}

/* A tree chosen for points is chosen for them again, whatever other trees were
 * tried before.  Here a sparse tree and a dense one take about as long. */
static void same_again(void)
{
    enum { N = 3700 };
    static double x[3 * N], q[N], field[3][3 * N];
    for (uint64_t seed = 1; seed <= 6; seed++) {
        farsum_problem p = FARSUM_PROBLEM_INIT;
        farsum_options o = fmm_options();
        farsum_plan_info info[3];
        farsum_plan *plan = NULL;
        uint64_t random = seed;
        for (int i = 0; i < 3 * N; i++) {
            double u = 1 - random_at(&random), v = random_at(&random);
            x[i] = 0.4 + 0.015 * sqrt(-2 * log(u)) * cos(2 * M_PI * v);
            q[i / 3] = 1;
        }
        for (int d = 0; d < 3; d++)
            p.cell[4 * d] = p.periodic[d] = 1;
        p.precision = FARSUM_F64;
        p.tolerance = 1e-3;
        p.outputs = FARSUM_FIELD;
        p.n_sources = N;
        p.sample_x = x;
        p.sample_q = q;
        CHECK_OK(farsum_plan_create(&p, &o, &plan));
        for (int k = 0; plan && k < 3; k++) {
            farsum_result r = FARSUM_RESULT_INIT;
            r.field = field[k];
            info[k] = (farsum_plan_info)FARSUM_PLAN_INFO_INIT;
            CHECK_OK(farsum_plan_set_points(plan, N, x, 0, NULL));
            CHECK_OK(farsum_plan_execute(plan, 1, q, &r));
            CHECK_OK(farsum_plan_get_info(plan, &info[k]));
            CHECK(info[k].order == info[0].order
                      && info[k].levels == info[0].levels,
                  "seed %d, set %d: order %d and %d levels, before %d and %d",
                  (int)seed, k, info[k].order, info[k].levels, info[0].order,
                  info[0].levels);
            CHECK(fmm_device()
                      || memcmp(field[k], field[0], sizeof field[0]) == 0,
                  "seed %d: set %d gives other fields", (int)seed, k);
        }
        farsum_plan_destroy(plan);
    }
}

void fmm_cells(void)
{
    RUN(as_ewald);
    RUN(chosen);
    RUN(same_again);
}
