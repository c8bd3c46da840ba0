/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_finite.c: tests that meshes and NUFFTs fail if their results are not
 * finite. */
#include "check.h"

#include "mesh_case.h"

/* A result that is not finite never comes with success. */
static void not_finite(void)
{
    farsum_mesh_problem p = skewed();
    farsum_nufft_problem np = FARSUM_NUFFT_PROBLEM_INIT;
    static double grid[7 * 10 * 9], v[2], g[6], c[2][2], f[5 * 4 * 3][2];
    const double x[2][3] = {{0, 0, 0}, {1, 2, 0}}, wrong[] = {NAN, INFINITY,
                                                              -INFINITY};
    double q[2] = {1, 2};
    farsum_mesh *mesh = NULL;
    if (!CHECK_OK(farsum_mesh_create(&p, NULL, &mesh))
        || !CHECK_OK(farsum_mesh_set_points(mesh, 2, x)))
        return;
    for (int k = 0; k < 3; k++) {
        CHECK_OK(farsum_mesh_spread(mesh, q, grid));
        CHECK_OK(farsum_mesh_interp(mesh, grid, v, g));
        double kept = grid[0];
        CHECK_FAILS(farsum_mesh_spread(mesh, (double[]){1, wrong[k]}, grid),
                    FARSUM_ERR_STRENGTH);
        CHECK(grid[0] == kept, "the mesh was touched");
        grid[0] = wrong[k];
        CHECK_FAILS(farsum_mesh_interp(mesh, grid, v, NULL),
                    FARSUM_ERR_STRENGTH);
        CHECK_FAILS(farsum_mesh_interp(mesh, grid, NULL, g),
                    FARSUM_ERR_STRENGTH);
    }
    q[0] = 1e308; /* finite, and its sums may be */
    CHECK_OK(farsum_mesh_spread(mesh, q, grid));
    for (int i = 0; i < 7 * 10 * 9; i++)
        CHECK(isfinite(grid[i]), "%d: %g", i, grid[i]);
    farsum_mesh_destroy(mesh);
    np.sign = 1;
    np.modes[0] = 5, np.modes[1] = 4, np.modes[2] = 3;
    for (np.type = 1; np.type <= 2; np.type++) {
        farsum_nufft *nufft = NULL;
        if (!CHECK_OK(farsum_nufft_create(&np, NULL, &nufft))
            || !CHECK_OK(farsum_nufft_set_points(nufft, 2, x)))
            return;
        memset(c, 0, sizeof c);
        memset(f, 0, sizeof f);
        CHECK_OK(farsum_nufft_execute(nufft, c, f));
        c[1][1] = f[3][0] = INFINITY;
        CHECK_FAILS(farsum_nufft_execute(nufft, c, f), FARSUM_ERR_STRENGTH);
        c[0][0] = c[1][0] = c[1][1] = 1.7e308; /* 3.4e308 in all */
        for (int i = 0; i < 5 * 4 * 3; i++)
            f[i][0] = f[i][1] = 1.7e308;
        CHECK_FAILS(farsum_nufft_execute(nufft, c, f), FARSUM_ERR_STRENGTH);
        farsum_nufft_destroy(nufft);
    }
}

/* Padding between rows belongs to the caller and may hold anything; both parts
 * of a complex mesh count. */
static void padding(void)
{
    enum { LDZ = 9 + 3, SIZE = 2 * 7 * 10 * LDZ };
    farsum_mesh_problem p = skewed();
    static double grid[SIZE];
    const double x[2][3] = {{0, 0, 0}, {0, 0, 0}};
    double q[4] = {1e300, 1e300, 1e300, 1e300};
    farsum_mesh *mesh = NULL;
    p.is_complex = 1;
    p.ldz = LDZ;
    for (int i = 0; i < SIZE; i++)
        grid[i] = NAN;
    if (!CHECK_OK(farsum_mesh_create(&p, NULL, &mesh))
        || !CHECK_OK(farsum_mesh_set_points(mesh, 2, x)))
        return;
    CHECK_OK(farsum_mesh_spread(mesh, q, grid));
    for (int part = 0; part < 2; part++) {
        q[part] = q[2 + part] = 1.7e308; /* 3.4e308 in all */
        CHECK_FAILS(farsum_mesh_spread(mesh, q, grid), FARSUM_ERR_STRENGTH);
        q[part] = q[2 + part] = 1e300;
    }
    farsum_mesh_destroy(mesh);
}

int main(void)
{
    RUN(not_finite);
    RUN(padding);
    return check_end();
}
