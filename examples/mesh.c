/* SPDX-License-Identifier: Apache-2.0 */
/* mesh.c: one step of a particle-in-cell code.  Charges are spread to a mesh,
 * the mesh gives a field, and the field is interpolated at the particles.
 * There is one plane wave of charge density, so that the result is known.
 *
 *     mesh [DEVICE]        "host", "cuda:0", ..., see farsum list devices */
#include <farsum/mesh.h>
#include <math.h>

enum { N = 20000, M = 32 };
static double x[N][3], q[N], rho[M][M][M], phi[M][M][M], pot[N], grad[N][3];

/* The potential of the density's longest wave along x, -phi'' = rho. */
static void solve(const farsum_mesh *mesh, double edge)
{
    const double k = 2 * acos(-1) / edge, h = edge / M;
    /* the window blurs once in spread and once in interp: divide twice */
    double c = 0, s = 0,
           hat =
               farsum_mesh_hat(mesh, k * h) * pow(farsum_mesh_hat(mesh, 0), 2);
    for (int m = 0; m < M * M * M; m++) {
        c += (&rho[0][0][0])[m] * cos(k * h * (m / M / M));
        s += (&rho[0][0][0])[m] * sin(k * h * (m / M / M));
    }
    double scale = 2 / (k * k * edge * edge * edge * hat * hat);
    for (int m = 0; m < M * M * M; m++)
        (&phi[0][0][0])[m] =
            scale
            * (c * cos(k * h * (m / M / M)) + s * sin(k * h * (m / M / M)));
}

int main(int argc, char **argv)
{
    const double edge = 5, k = 2 * acos(-1) / edge;
    farsum_mesh_problem problem = FARSUM_MESH_PROBLEM_INIT;
    farsum_mesh_options options = FARSUM_MESH_OPTIONS_INIT;
    farsum_mesh *mesh = NULL;
    double state = 0.3172, worst = 0, c = 0, s = 0;
    for (int d = 0; d < 3; d++) {
        problem.cell[4 * d] = edge;
        problem.periodic[d] = 1;
        problem.mesh[d] = M;
    }
    problem.window = "bspline"; /* 2: cloud in cell, 3: triangles, ... */
    problem.support = 5;
    problem.n_points = N;
    options.device = argc > 1 ? argv[1] : "host";
    for (int i = 0; i < N; i++) {
        for (int d = 0; d < 3; d++) {
            state = fmod(16807 * state, 1);
            x[i][d] = edge * state;
        }
        q[i] = edge * edge * edge / N * (1 + 0.5 * cos(k * x[i][0]));
    }
    if (farsum_mesh_create(&problem, &options, &mesh) != FARSUM_OK
        || farsum_mesh_set_points(mesh, N, x) != FARSUM_OK
        || farsum_mesh_spread(mesh, q, rho) != FARSUM_OK)
        return fprintf(stderr, "%s\n", farsum_message()), 1;
    solve(mesh, edge);
    if (farsum_mesh_interp(mesh, phi, pot, grad) != FARSUM_OK)
        return fprintf(stderr, "%s\n", farsum_message()), 1;
    farsum_mesh_print(mesh, stdout);

    /* the same wave summed over the particles, without a mesh */
    for (int i = 0; i < N; i++) {
        c += q[i] * cos(k * x[i][0]);
        s += q[i] * sin(k * x[i][0]);
    }
    double scale = 2 / (k * edge * edge * edge), top = 0;
    for (int i = 0; i < N; i++) {
        double want = scale * (s * cos(k * x[i][0]) - c * sin(k * x[i][0]));
        worst = fmax(worst, fabs(grad[i][0] - want));
        top = fmax(top, fabs(want));
    }
    printf("field: largest %.4f, off by at most %.1e of it\n", top,
           worst / top);
    farsum_mesh_destroy(mesh);
    return !(worst <= 2e-4 * top);
}
