/* SPDX-License-Identifier: Apache-2.0 */
/* slab_ranks.c: slabs over ranks of hosts against one process, with the same
 * parameters.  With the argument `device`: over ranks of devices. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "geometry/slab_case.h"
#include "geometry/sums.h"
#include "plan/ranks.h"
#include "ranks/comm_threads.h"
#include "ranks_device/rank_device.h"

enum { N = SLAB_POINTS, M = SLAB_TARGETS };

struct all {
    struct slab s;
    double potential[N], field[3 * N], energy, virial[9];
};

static int devices; /* 1: each rank has one */

/* A rank gives and gets the points begin to end; the last one of four none. */
static int64_t begin(int rank, int size, int64_t n)
{
    int parts = size == 4 ? 3 : size;
    return rank < parts ? n * rank / parts : n;
}

static void near(const double *a, const double *b, int64_t n, double size,
                 const char *what)
{
    double off = 0;
    for (int64_t k = 0; k < n; k++)
        off = fmax(off, a[k] == a[k] ? fabs(a[k] - b[k]) : INFINITY);
    CHECK(off <= (devices ? 1e-11 : 1e-12) * size, "%s: off by %g of %g", what,
          off, size);
}

static double largest(const double *v, int64_t n)
{
    double most = 0;
    for (int64_t k = 0; k < n; k++)
        most = fmax(most, fabs(v[k]));
    return most;
}

static farsum_status one_rank(struct comm *comm, void *data)
{
    const struct all *all = data;
    const struct slab *s = &all->s;
    double potential[N], field[3 * N], energy, virial[9];
    int64_t n = s->m ? M : N, first = begin(comm->rank, comm->size, N);
    int64_t own = begin(comm->rank + 1, comm->size, N) - first;
    int64_t at = s->m ? begin(comm->rank, comm->size, M) : first;
    int64_t count = s->m ? begin(comm->rank + 1, comm->size, M) - at : own;
    farsum_problem p = s->problem;
    farsum_options o = s->options;
    farsum_result r = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    p.n_sources = own;
    if (devices)
        CHECK_OK(rank_device_public(comm->rank, &o.device.handle));
    p.n_targets = s->m ? count : 0;
    if (comm->rank > 0) /* rank 0 gives all */
        p.n_exclusions = 0;
    r.potential = potential;
    r.field = field;
    r.energy = s->m ? NULL : &energy;
    r.virial = s->m ? NULL : virial;
    if (!CHECK_OK(plan_over_ranks(comm, &p, &o, &plan)))
        return FARSUM_OK;
    for (int k = 0; k < 2; k++) {
        CHECK_OK(farsum_plan_set_points(plan, own, s->x + 3 * first,
                                        p.n_targets,
                                        p.n_targets ? s->y + 3 * at : NULL));
        CHECK_OK(farsum_plan_execute(plan, 1, s->q + first, &r));
    }
    near(potential, all->potential + at, count, largest(all->potential, n),
         "potential");
    near(field, all->field + 3 * at, 3 * count, largest(all->field, 3 * n),
         "field");
    if (!s->m) {
        near(&energy, &all->energy, 1, largest(&all->energy, 1), "energy");
        near(virial, all->virial, 9, largest(all->virial, 9), "virial");
    }
    farsum_plan_destroy(plan);
    farsum_device_close(o.device.handle);
    return FARSUM_OK;
}

static void compare(struct all *all)
{
    struct slab *s = &all->s;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_plan *plan = NULL;
    farsum_result r = FARSUM_RESULT_INIT;
    farsum_problem p = s->problem;
    p.n_targets = s->m;
    r.potential = all->potential;
    r.field = all->field;
    r.energy = &all->energy;
    r.virial = all->virial;
    CHECK_OK(farsum_plan_create(&p, &s->options, &plan));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    farsum_plan_destroy(plan);
    s->options.cutoff = info.cutoff;
    s->options.spectral.bandwidth = info.bandwidth;
    s->options.spectral.support = info.support;
    s->options.spectral.shape = info.shape;
    memcpy(s->options.spectral.mesh, info.mesh, sizeof info.mesh);
    s->problem.tolerance *= 10; /* a share of the points may estimate more */
    CHECK_OK(geometry_sum(&s->problem, &s->options, N, s->x, s->q, s->m, s->y,
                          r, NULL));
    for (int size = devices ? 4 : 1; size <= 4; size++)
        CHECK(ranks_run(size, NULL, one_rank, all) == 0, "a rank failed");
}

static void all_axes(void)
{
    static const double kappas[] = {0, 0.3, 1e-4};
    for (int open = 0; open < 3; open++) {
        static struct all all;
        slab_make(&all.s, open, 4, open == 1 ? 0 : 3, 1e-12);
        if (kappas[open] > 0)
            all.s.problem.kernel = "yukawa";
        all.s.problem.kappa = kappas[open];
        all.s.options.verify = open == 0 ? 1 : FARSUM_VERIFY_OFF;
        compare(&all);
    }
}

static void targets(void)
{
    static struct all all;
    slab_make(&all.s, 2, 4, 2, 1e-12);
    all.s.problem.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    all.s.m = M;
    all.s.options.verify = FARSUM_VERIFY_OFF;
    compare(&all);
}

/* Also of pairs whose particles are far apart along the open axis. */
static void exclusions(void)
{
    static const int64_t pairs[] = {0, 1, 5, 200, 7, 299};
    static const double factors[] = {0, 0.5, 0};
    static struct all all;
    slab_make(&all.s, 0, 4, 2, 1e-12);
    all.s.problem.n_exclusions = 3;
    all.s.problem.exclusions = pairs;
    all.s.problem.exclusion_factors = factors;
    all.s.options.verify = FARSUM_VERIFY_OFF;
    compare(&all);
}

/* The last of four ranks gives no points. */
static void on_devices(void)
{
    static struct all all;
    slab_make(&all.s, 1, 4, 3, 1e-12);
    all.s.options.verify = FARSUM_VERIFY_OFF;
    compare(&all);
}

int main(int argc, char **argv)
{
    devices = argc > 1 && strcmp(argv[1], "device") == 0;
    if (devices) {
        farsum_device *device = NULL;
        if (farsum_device_open(rank_device_name(), &device) != FARSUM_OK) {
            printf("skipped: %s\n", farsum_message());
            return 77;
        }
        farsum_device_close(device);
        RUN(on_devices);
        RUN(targets);
        if (argc > 2) /* --full */
            RUN(exclusions);
        return check_end();
    }
    RUN(all_axes);
    RUN(targets);
    RUN(exclusions);
    return check_end();
}
