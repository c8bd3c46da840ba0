/* SPDX-License-Identifier: Apache-2.0 */
/* edges_meshes.c: tests of user-specified meshes: prime, tiny, smaller than the
 * window.  Results are accurate, or the mesh is refused with the error that it
 * reaches. */
#include <stdlib.h>
#include <string.h>

#include "edges.h"

static const int64_t meshes[][3] = {
    {2, 2, 2},   {3, 2, 5},    {7, 7, 7},   {11, 13, 17},
    {31, 2, 31}, {37, 41, 43}, {64, 3, 64},
};
enum { MESHES = sizeof meshes / sizeof *meshes };

/* The estimate is within the plan's tolerance, whatever its value; so is the
 * measured error. */
static int right_or_refused(const struct edge *e, const struct edge_sum *b,
                            const char *what)
{
    struct edge_sum a;
    farsum_status status = edge_run(e, &a);
    if (status != FARSUM_OK) {
        CHECK(status == FARSUM_ERR_TOLERANCE
                  || status == FARSUM_ERR_UNSUPPORTED,
              "%s, %s: %s", e->kernel, what, farsum_message());
        CHECK(strlen(farsum_message()) > 20, "%s, %s: refused with \"%s\"",
              e->kernel, what, farsum_message());
        return 0;
    }
    CHECK(memcmp(a.info.mesh, e->options.spectral.mesh, sizeof a.info.mesh)
              == 0,
          "%s, %s: the mesh became %lld x %lld x %lld", e->kernel, what,
          (long long)a.info.mesh[0], (long long)a.info.mesh[1],
          (long long)a.info.mesh[2]);
    /* the estimate, which a given mesh must meet, is right up to a factor */
    edge_same(what, e, &a, b,
              fmax(e->problem.tolerance, 5 * a.info.estimated_error));
    edge_sum_free(&a);
    return 1;
}

static void given(void)
{
    static const double tolerances[] = {1e-2, 1e-5};
    for (int k = 0; k < EDGE_KERNELS; k++) {
        int done = 0;
        struct edge e;
        struct edge_sum want;
        edge_make(&e, k, 20, NULL, 41);
        e.options.spectral.split = k % 2 ? "gaussian" : "prolate";
        CHECK_OK(edge_reference(&e, &want));
        for (int m = k % 2; m < MESHES; m += 2) {
            char what[80];
            memcpy(e.options.spectral.mesh, meshes[m], sizeof meshes[m]);
            e.problem.tolerance = tolerances[m / 2 % 2];
            snprintf(what, sizeof what, "mesh %lld x %lld x %lld at %g",
                     (long long)meshes[m][0], (long long)meshes[m][1],
                     (long long)meshes[m][2], e.problem.tolerance);
            done += right_or_refused(&e, &want, what);
        }
        CHECK(done >= 1, "%s: %d of %d given meshes were summed on",
              e.kernel, done, MESHES);
        edge_sum_free(&want);
        edge_free(&e);
    }
}

/* A window that is longer than the mesh wraps around it. */
static void wide_windows(void)
{
    for (int k = 0; k < EDGE_KERNELS; k++) {
        int done = 0;
        struct edge e;
        struct edge_sum want;
        edge_make(&e, k, 20, NULL, 42);
        CHECK_OK(edge_reference(&e, &want));
        for (int m = !(k % 2); m < MESHES; m += 2) {
            char what[80];
            int support = 4 + 6 * ((m / 2 + k) % 3);
            memcpy(e.options.spectral.mesh, meshes[m], sizeof meshes[m]);
            e.options.spectral.support = support;
            e.options.cutoff = 1.2;
            e.problem.tolerance = support == 4 ? 0.1 : 1e-3;
            snprintf(what, sizeof what, "mesh %lld x %lld x %lld, window of %d",
                     (long long)meshes[m][0], (long long)meshes[m][1],
                     (long long)meshes[m][2], support);
            done += right_or_refused(&e, &want, what);
        }
        CHECK(done >= 1, "%s: %d of %d wide windows were summed with",
              e.kernel, done, MESHES);
        edge_sum_free(&want);
        edge_free(&e);
    }
}

void edges_meshes(void)
{
    RUN(given);
    RUN(wide_windows);
}
