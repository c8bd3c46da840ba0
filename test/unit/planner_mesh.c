/* SPDX-License-Identifier: Apache-2.0 */
/* planner_mesh.c: tests of the variants that meshes choose, before and after
 * points are set. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "farsum/mesh.h"
#include "cost/kept_times.h"
#include "planner.h"

/* The choice that a mesh reports is that of choose(). */
void mesh_tunes(void)
{
    farsum_mesh_problem p = FARSUM_MESH_PROBLEM_INIT;
    farsum_mesh_info info = FARSUM_MESH_INFO_INIT;
    farsum_mesh_options o = FARSUM_MESH_OPTIONS_INIT;
    struct choose_options none = {.name = NULL};
    struct choice choice;
    int names = 0;
    const char *last = "";
    for (int d = 0; d < 3; d++) {
        p.cell[4 * d] = 1;
        p.periodic[d] = 1;
        p.mesh[d] = 40;
    }
    p.precision = FARSUM_F32;
    p.window = "prolate";
    p.support = 6;
    p.uses = FARSUM_MESH_SPREAD;
    o.threads = 1;
    kept_times_clear();
    for (int64_t n = 10; n < 10000000; n *= 7)
        for (int clustering = 1; clustering < 1000; clustering *= 30) {
            struct spread_args args = args_of(NULL, n, 40);
            farsum_mesh *mesh = NULL;
            p.n_points = n;
            p.crowding = args.clustering = clustering;
            p.repeats = args.repeats = 20;
            CHECK_OK(farsum_mesh_tune(&p, &o, &mesh));
            CHECK_OK(farsum_mesh_get_info(mesh, &info));
            CHECK_OK(choose(&spread_stage, &args, &none, &choice));
            CHECK(strcmp(info.stages[0].variant, choice.row->name) == 0
                      && strcmp(info.stages[0].reason, choice.reason) == 0,
                  "%s (%s), choose %s (%s)", info.stages[0].variant,
                  info.stages[0].reason, choice.row->name, choice.reason);
            names += strcmp(last, choice.row->name) != 0;
            last = choice.row->name;
            CHECK_FAILS(farsum_mesh_set_points(mesh, 0, NULL),
                        FARSUM_ERR_STATE);
            farsum_mesh_destroy(mesh);
        }
    CHECK(names > 1, "always the same");
    CHECK_FAILS(farsum_mesh_tune(&p, &o, NULL), FARSUM_ERR_ARGUMENT);
    p.crowding = -1;
    farsum_mesh *none_such = NULL;
    CHECK_FAILS(farsum_mesh_tune(&p, &o, &none_such), FARSUM_ERR_ARGUMENT);
}

/* A mesh inspects its points when it gets them. */
void mesh_points(void)
{
    enum { N = 20000 };
    farsum_mesh_problem p = FARSUM_MESH_PROBLEM_INIT;
    farsum_mesh_info info = FARSUM_MESH_INFO_INIT;
    farsum_mesh_options o = FARSUM_MESH_OPTIONS_INIT;
    farsum_mesh *mesh = NULL;
    double *even = cloud(N, 0), *clustered = cloud(N, 1);
    for (int d = 0; d < 3; d++) {
        p.cell[4 * d] = 1;
        p.periodic[d] = 1;
        p.mesh[d] = 64;
    }
    p.n_points = N;
    kept_times_clear();
    CHECK_OK(farsum_mesh_create(&p, &o, &mesh));
    CHECK_OK(farsum_mesh_set_points(mesh, N, even));
    CHECK_OK(farsum_mesh_get_info(mesh, &info));
    CHECK(strstr(info.stages[0].reason, "crowding 1,"), "%s",
          info.stages[0].reason);
    CHECK_OK(farsum_mesh_set_points(mesh, N, clustered));
    CHECK_OK(farsum_mesh_get_info(mesh, &info));
    CHECK(!strstr(info.stages[0].reason, "crowding 1,"), "%s",
          info.stages[0].reason);
    CHECK_OK(farsum_mesh_set_points(mesh, N / 4, clustered));
    CHECK_OK(farsum_mesh_get_info(mesh, &info));
    CHECK(strstr(info.stages[0].reason, "0.0191 points"), "%s",
          info.stages[0].reason);
    farsum_mesh_destroy(mesh);
    o.spread = "plain";
    o.interp = "host_tile";
    CHECK_OK(farsum_mesh_create(&p, &o, &mesh));
    CHECK_OK(farsum_mesh_set_points(mesh, N, clustered));
    CHECK_OK(farsum_mesh_get_info(mesh, &info));
    CHECK(strcmp(info.stages[0].variant, "plain") == 0
              && strcmp(info.stages[0].reason, "named") == 0,
          "%s: %s", info.stages[0].variant, info.stages[0].reason);
    farsum_mesh_destroy(mesh);
    free(even);
    free(clustered);
}

/* On a device too; later results equal plain's mesh. */
void mesh_on_device(void)
{
    enum { N = 4000, M = 32, POINTS = M * M * M };
    farsum_mesh_problem p = FARSUM_MESH_PROBLEM_INIT;
    farsum_mesh_info info = FARSUM_MESH_INFO_INIT;
    farsum_mesh_options o = FARSUM_MESH_OPTIONS_INIT;
    const char *name = getenv("FARSUM_TEST_DEVICE");
    struct device *device = NULL;
    farsum_mesh *mesh = NULL, *host = NULL;
    if (device_open(name ? name : "opencl:0", &device) != FARSUM_OK)
        return;
    device_close(device);
    double *x = cloud(N, 1), *q = cloud(N, 0);
    double *got = check_memory(POINTS, sizeof *got);
    double *wanted = check_memory(POINTS, sizeof *wanted);
    for (int d = 0; d < 3; d++) {
        p.cell[4 * d] = 1;
        p.periodic[d] = 1;
        p.mesh[d] = M;
    }
    p.uses = FARSUM_MESH_SPREAD;
    p.window = "bspline";
    p.support = 4;
    p.n_points = N;
    o.spread = "plain";
    CHECK_OK(farsum_mesh_create(&p, &o, &host));
    o.spread = NULL;
    o.device = name ? name : "opencl:0";
    CHECK_OK(farsum_mesh_create(&p, &o, &mesh));
    for (int64_t n = N; n > 100; n /= 5) { /* the second has far fewer points */
        CHECK_OK(farsum_mesh_set_points(mesh, n, x));
        CHECK_OK(farsum_mesh_get_info(mesh, &info));
        CHECK(!strstr(info.stages[0].reason, "crowding 1,"), "%s",
              info.stages[0].reason);
        CHECK_OK(farsum_mesh_spread(mesh, q, got));
        CHECK_OK(farsum_mesh_set_points(host, n, x));
        CHECK_OK(farsum_mesh_spread(host, q, wanted));
        double off = 0;
        for (int64_t i = 0; i < POINTS; i++)
            off = fmax(off, fabs(got[i] - wanted[i]));
        CHECK(off < 1e-10, "%lld points: %s is off by %g", (long long)n,
              info.stages[0].variant, off);
    }
    farsum_mesh_destroy(mesh);
    farsum_mesh_destroy(host);
    free(x);
    free(q);
    free(got);
    free(wanted);
}
