/* SPDX-License-Identifier: Apache-2.0 */
/* dynamics.c: a warm salt, integrated by velocity Verlet.  One plan, new points
 * in every step, and a box that is compressed half way.  Charges and masses are
 * 1, the repulsion is 0.0324 / r^9.  The total energy is conserved while the
 * box is constant. */
#include <farsum/farsum.h>
#include <math.h>

enum { SIDE = 6, N = SIDE * SIDE * SIDE, STEPS = 100 };
static double x[3 * N], v[3 * N], f[3 * N], q[N], cell[9];

static double repel(void) /* adds to f; returns the energy */
{
    double energy = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++) {
            double d[3], r2 = 0;
            for (int k = 0; k < 3; r2 += d[k] * d[k], k++)
                d[k] = remainder(x[3 * i + k] - x[3 * j + k], cell[4 * k]);
            double u = 0.0324 * pow(r2, -4.5);
            energy += u;
            for (int k = 0; k < 3; k++)
                d[k] *= 9 * u / r2, f[3 * i + k] += d[k], f[3 * j + k] -= d[k];
        }
    return energy;
}

static double forces(farsum_plan *plan) /* the energy; NaN: failure */
{
    double energy = NAN;
    farsum_result result = FARSUM_RESULT_INIT;
    result.field = f, result.energy = &energy;
    if (farsum_plan_set_points(plan, N, x, 0, NULL) != FARSUM_OK
        || farsum_plan_execute(plan, 1, q, &result) != FARSUM_OK)
        return fprintf(stderr, "%s\n", farsum_message()), NAN;
    for (int i = 0; i < 3 * N; i++)
        f[i] *= q[i / 3];
    return energy + repel();
}

static double run(farsum_plan *plan) /* drift of the total energy */
{
    double dt = 0.02, first = 0, total = 0, potential = forces(plan);
    for (int step = 0; step <= STEPS; step++) {
        total = potential;
        for (int i = 0; i < 3 * N; i++) {
            total += v[i] * v[i] / 2;
            x[i] += dt * (v[i] += dt / 2 * f[i]);
        }
        first = step ? first : total;
        potential = forces(plan);
        for (int i = 0; i < 3 * N; i++)
            v[i] += dt / 2 * f[i];
    }
    return fabs(total - first) / N;
}

int main(void)
{
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_options options = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    double drift = NAN, after = NAN;
    for (int i = 0; i < 3 * N; i++) {
        int n = i / 3, at[3] = {n % SIDE, n / SIDE % SIDE, n / SIDE / SIDE};
        x[i] = at[i % 3], v[i] = 0.3 * sin(12.9898 * i * i);
        q[n] = (at[0] + at[1] + at[2]) % 2 ? -1 : 1;
    }
    for (int d = 0; d < 3; d++)
        problem.cell[4 * d] = cell[4 * d] = SIDE, problem.periodic[d] = 1;
    problem.n_sources = N, problem.sample_x = x, problem.sample_q = q;
    problem.tolerance = 1e-4;
    options.threads = 1; /* too little work to share */
    if (farsum_plan_create(&problem, &options, &plan) == FARSUM_OK)
        drift = run(plan);
    for (int i = 0; i < 3 * N; i++)
        x[i] *= 0.998, cell[i % 9] *= i < 9 ? 0.998 : 1;
    /* keep the plan while its error permits it; else make a new one */
    if (plan && farsum_plan_set_cell(plan, cell) == FARSUM_OK)
        after = run(plan);
    farsum_plan_destroy(plan);
    printf("drift of the energy a particle: %.1e, pressed: %.1e\n", drift,
           after);
    return drift < 1e-3 && after < 1e-3 ? 0 : 1;
}
