/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c: a system, its sums by parts, and a pair loop as a caller's. */
#include "parts/parts.h"

#include <string.h>

#include "base/random.h"

enum { SIDE = 5 };

static double unit(uint64_t *random)
{
    return ldexp((double)(random_next(random) >> 11), -53);
}

int parts_flow(const struct parts_case *c)
{
    const char *k = c->problem.kernel;
    return strcmp(k, "stokeslet") == 0 || strcmp(k, "rotlet") == 0
           || strcmp(k, "stresslet") == 0;
}

static int dipoles(const struct parts_case *c)
{
    return strcmp(c->problem.kernel, "charge_dipole") == 0;
}

/* A jittered grid: no pair is much nearer than others. */
static void place(const struct parts_case *c, double *x, double shift,
                  uint64_t *random)
{
    for (int i = 0; i < PARTS_N; i++) {
        const int site[3] = {i / (SIDE * SIDE), i / SIDE % SIDE, i % SIDE};
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = 0;
        for (int d = 0; d < 3; d++)
            for (int k = 0; k < 3; k++)
                x[3 * i + k] += (site[d] + shift + 0.4 * unit(random)) / SIDE
                                * c->problem.cell[3 * d + k];
    }
}

void parts_system(struct parts_case *c, const char *kernel, int seed)
{
    static const double cell[9] = {2, 0, 0, 0.3, 1.8, 0, -0.4, 0.5, 1.6};
    uint64_t random = (uint64_t)seed;
    *c = (struct parts_case){.problem = FARSUM_PROBLEM_INIT,
                             .options = FARSUM_OPTIONS_INIT};
    farsum_problem *p = &c->problem;
    p->kernel = kernel;
    p->kappa = strcmp(kernel, "yukawa") == 0 ? 3 : 0;
    p->coulomb = 1.7;
    p->n_sources = PARTS_N;
    memcpy(p->cell, cell, sizeof cell);
    for (int d = 0; d < 3; d++)
        p->periodic[d] = 1;
    p->outputs = parts_flow(c) ? FARSUM_VELOCITY
                               : FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY
                                     | FARSUM_VIRIAL;
    if (dipoles(c))
        p->outputs |= FARSUM_GRADIENT;
    place(c, c->x, 0, &random);
    place(c, c->y, 0.5, &random);
    for (int i = 0; i < PARTS_WIDTH * PARTS_N; i++)
        c->q[i] = 2 * unit(&random) - (dipoles(c) ? 1.0 : 0.9);
    p->tolerance = 1e-6;
    c->options.method = "spectral";
}

void parts_exclude(struct parts_case *c)
{
    for (int k = 0; k < PARTS_PAIRS; k++) {
        c->pair[2 * k] = 3 * k;
        c->pair[2 * k + 1] = (5 * k + 1) % PARTS_N; /* near and far ones */
        c->factor[k] = 0.25 * (k % 4);
        if (c->pair[2 * k] == c->pair[2 * k + 1])
            c->pair[2 * k + 1]++;
    }
    c->problem.n_exclusions = PARTS_PAIRS;
}

farsum_plan *parts_plan(const struct parts_case *c, farsum_part part,
                        const farsum_plan *like)
{
    farsum_problem p = c->problem;
    farsum_options o = c->options;
    farsum_plan *plan = NULL;
    p.part = part;
    p.sample_x = c->x;
    p.sample_q = c->q;
    p.n_targets = c->m;
    if (c->m > 0)
        p.outputs &= ~(unsigned)(FARSUM_ENERGY | FARSUM_VIRIAL);
    p.exclusions = p.n_exclusions ? c->pair : NULL;
    p.exclusion_factors = p.n_exclusions ? c->factor : NULL;
    if (like) {
        CHECK_OK(farsum_plan_get_options(like, &o));
        o.verify = FARSUM_VERIFY_OFF;
    }
    if (!CHECK_OK(farsum_plan_create(&p, &o, &plan)))
        check_stop("no plan: %s", farsum_message());
    return plan;
}

void parts_fix(struct parts_case *c, const farsum_plan *plan)
{
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    CHECK_OK(farsum_plan_get_info(plan, &info));
    c->options = (farsum_options)FARSUM_OPTIONS_INIT;
    c->options.method = "spectral";
    c->options.cutoff = info.cutoff;
    c->options.spectral.bandwidth = info.bandwidth;
    c->options.spectral.support = info.support;
    c->options.spectral.shape = info.shape;
    memcpy(c->options.spectral.mesh, info.mesh, sizeof info.mesh);
    c->problem.tolerance *= 100; /* a device may estimate more */
}

void parts_sum(const struct parts_case *c, farsum_plan *plan,
               struct parts_sums *sums)
{
    farsum_result r = FARSUM_RESULT_INIT;
    memset(sums, 0, sizeof *sums);
    CHECK_OK(
        farsum_plan_set_points(plan, PARTS_N, c->x, c->m, c->m ? c->y : NULL));
    if (parts_flow(c)) {
        r.velocity = sums->potential;
    } else {
        r.potential = sums->potential;
        r.field = sums->field;
        r.gradient = dipoles(c) ? sums->gradient : NULL;
        r.energy = c->m ? NULL : &sums->energy;
        r.virial = c->m ? NULL : sums->virial;
    }
    CHECK_OK(farsum_plan_execute(plan, 1, c->q, &r));
}

/* The factor of sources i and j at their nearest image. */
static double factor(const struct parts_case *c, int64_t i, int64_t j)
{
    for (int k = 0; k < c->problem.n_exclusions; k++) {
        int64_t a = c->pair[2 * k], b = c->pair[2 * k + 1];
        if (c->m == 0 ? (a == i && b == j) || (a == j && b == i)
                      : a == i && b == j)
            return c->factor[k];
    }
    return 1;
}

static void image(const struct parts_case *c, int64_t i, int64_t j, int n,
                  double *d)
{
    const double *to = c->m ? c->y : c->x, *a = c->problem.cell;
    const int s[3] = {n / 25 - 2, n / 5 % 5 - 2, n % 5 - 2};
    for (int k = 0; k < 3; k++)
        d[k] = to[3 * i + k] - c->x[3 * j + k] + s[0] * a[k] + s[1] * a[3 + k]
               + s[2] * a[6 + k];
}

static double square(const double *d)
{
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

static void add_pair(const struct parts_case *c, const farsum_plan *plan,
                     int64_t i, int64_t j, struct parts_sums *sums)
{
    double r2[125], u[125], du[125], d[3], k = c->problem.coulomb;
    int nearest = 0, apart = c->m > 0;
    for (int n = 0; n < 125; n++) {
        image(c, i, j, n, d);
        r2[n] = square(d);
        nearest = r2[n] < r2[nearest] ? n : nearest;
    }
    CHECK_OK(farsum_plan_near(plan, 125, r2, u, du));
    for (int n = 0; n < 125; n++) {
        double w = n == nearest ? factor(c, i, j) : 1;
        if (!apart && i == j && n == nearest)
            continue;
        image(c, i, j, n, d);
        sums->potential[i] += w * k * c->q[j] * u[n];
        for (int a = 0; a < 3; a++)
            sums->field[3 * i + a] -= w * 2 * k * c->q[j] * du[n] * d[a];
        if (apart)
            continue;
        sums->energy += 0.5 * w * k * c->q[i] * c->q[j] * u[n];
        for (int a = 0; a < 9; a++)
            sums->virial[a] -=
                w * k * c->q[i] * c->q[j] * du[n] * d[a / 3] * d[a % 3];
    }
}

void parts_loop(const struct parts_case *c, const farsum_plan *plan,
                struct parts_sums *sums)
{
    for (int64_t i = 0; i < (c->m ? c->m : PARTS_N); i++)
        for (int64_t j = 0; j < PARTS_N; j++)
            add_pair(c, plan, i, j, sums);
}

void parts_add(struct parts_sums *a, const struct parts_sums *b)
{
    double *to = (double *)a;
    const double *from = (const double *)b;
    for (size_t i = 0; i < sizeof *a / sizeof *to; i++)
        to[i] += from[i];
}

static void same(const double *a, const double *b, int n, double most,
                 const char *what, const char *of)
{
    double size = 0, off = 0;
    for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(b[i]));
        off = isfinite(a[i]) ? fmax(off, fabs(a[i] - b[i])) : INFINITY;
    }
    CHECK(off <= most * size, "%s: %s is off by %g of %g", what, of, off, size);
}

void parts_same(const struct parts_case *c, const struct parts_sums *a,
                const struct parts_sums *b, double most, const char *what)
{
    int n = c->m ? c->m : PARTS_N, width = parts_flow(c) ? 3 : 1;
    same(a->potential, b->potential, width * n, most, what, "potential");
    if (parts_flow(c))
        return;
    same(a->field, b->field, 3 * n, most, what, "field");
    if (dipoles(c))
        same(a->gradient, b->gradient, 6 * n, most, what, "gradient");
    if (c->m)
        return;
    same(&a->energy, &b->energy, 1, most, what, "energy");
    same(a->virial, b->virial, 9, most, what, "virial");
}
