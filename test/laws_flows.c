/* SPDX-License-Identifier: Apache-2.0 */
/* laws_flows.c: invariants of periodic flows summed by `spectral`
 * (unit/flow_laws.c: of its reference): adjointness, no divergence, a torque's
 * flow as half a curl, closed surfaces, equivalent cells, several sets of
 * strengths in one call.  Runs on FARSUM_TEST_DEVICE (default: the host).
 * test_laws_flows device: only the last of these (default: on opencl:0). */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "cases.h"
#include "check.h"
#include "ellipsoid.h"

static const double tilted[9] = {1.1, 0.1, -0.2, 0.4, 0.9, 0.3, -0.3, 0.2, 1.3};
static const char *const kernels[3] = {"stokeslet", "rotlet", "stresslet"};
enum { N = 300, STOKESLET = 0, ROTLET, STRESSLET };

static double between(uint64_t *seed) /* -1 .. 1 */
{
    return (double)(random_next(seed) >> 11) * 0x1p-52 - 1;
}

static int width(int kernel)
{
    return kernel == STRESSLET ? 6 : 3;
}

/* Particles whose totals are all nonzero. */
static void cloud(int64_t n, int kernel, double *x, double *q)
{
    uint64_t seed = 31;
    for (int64_t i = 0; i < n; i++) {
        double u[3] = {between(&seed), between(&seed), between(&seed)};
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = 0.5
                           * (u[0] * tilted[d] + u[1] * tilted[3 + d]
                              + u[2] * tilted[6 + d]);
    }
    for (int64_t i = 0; i < width(kernel) * n; i++)
        q[i] = between(&seed) + 0.2;
}

struct flow {
    int kernel;
    double cell[9], tolerance;
    const char *split; /* NULL: chosen */
};

static struct flow flow_of(int kernel, double tolerance)
{
    struct flow f = {.kernel = kernel, .tolerance = tolerance};
    memcpy(f.cell, tilted, sizeof tilted);
    return f;
}

static farsum_problem flow_problem(const struct flow *f, int64_t n, int64_t m)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    p.kernel = kernels[f->kernel];
    p.tolerance = f->tolerance;
    p.n_sources = n;
    p.n_targets = m;
    p.precision = p.arrays = FARSUM_F64;
    p.outputs = FARSUM_VELOCITY;
    memcpy(p.cell, f->cell, sizeof p.cell);
    for (int d = 0; d < 3; d++)
        p.periodic[d] = 1;
    return p;
}

/* v [m][3] at y, or [n][3] at the sources where y is NULL. */
static int flow_sum(const struct flow *f, int64_t n, const double *x, int64_t m,
                    const double *y, const double *q, double *v)
{
    farsum_problem p = flow_problem(f, n, m);
    farsum_options o = cases_options();
    farsum_result r = FARSUM_RESULT_INIT;
    o.method = "spectral";
    o.spectral.split = f->split;
    o.threads = 2;
    r.velocity = v;
    return CHECK_OK(sum_once(&p, &o, n, x, m, y, q, &r, NULL));
}

/* RMS of a - b over that of b. */
static double gap(int64_t n, const double *a, const double *b)
{
    double off = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        off += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return sqrt(off / size);
}

/* g.(S f) = f.(S g). */
static void adjoint(void)
{
    static double x[3 * N], q[3 * N], g[3 * N], sq[3 * N], sg[3 * N];
    struct flow f = flow_of(STOKESLET, 1e-6);
    double left = 0, right = 0, size = 0;
    cloud(N, STOKESLET, x, q);
    for (int i = 0; i < 3 * N; i++)
        g[i] = q[(7 * i + 5) % (3 * N)];
    if (!flow_sum(&f, N, x, 0, NULL, q, sq)
        || !flow_sum(&f, N, x, 0, NULL, g, sg))
        return;
    for (int i = 0; i < 3 * N; i++) {
        left += g[i] * sq[i];
        right += q[i] * sg[i];
        size += fabs(g[i] * sq[i]);
    }
    printf("adjoint to %.2g of its terms\n", fabs(left - right) / size);
    CHECK(fabs(left) > 1e-3 * size, "%.3g of %.3g tests nothing", left, size);
    /* a pair is the same both ways, and so is the mesh */
    CHECK(fabs(left - right) < 1e-12 * size, "adjoint to %.3g",
          fabs(left - right) / size);
}

/* Derivatives by fourth-order central differences. */
static const double steps[4] = {-2, -1, 1, 2};
static const double weights[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
enum { POINTS = 12 }; /* 4 along each axis */

/* g[a][b] = d v_a / d y_b at y. */
static int gradient(const struct flow *f, int64_t n, const double *x,
                    const double *q, const double y[3], double g[3][3])
{
    const double h = 4e-3;
    double at[3 * POINTS], v[3 * POINTS];
    for (int p = 0; p < POINTS; p++)
        for (int d = 0; d < 3; d++)
            at[3 * p + d] = y[d] + (d == p / 4 ? h * steps[p % 4] : 0);
    int done = flow_sum(f, n, x, POINTS, at, q, v);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            g[a][b] = 0;
            for (int p = 0; p < 4; p++)
                g[a][b] += weights[p] / h * v[3 * (4 * b + p) + a];
        }
    return done;
}

/* Flows of forces and torques are incompressible; a torque's flow is half the
 * curl of the force's. */
static void derivatives(void)
{
    enum { FEW = 7 };
    static const double y[3] = {0.31, 0.52, 0.23};
    double x[3 * FEW], q[3 * FEW], g[3][3], rotlet[3], size = 0, off = 0;
    struct flow f = flow_of(ROTLET, 1e-10);
    cloud(FEW, STOKESLET, x, q);
    if (!flow_sum(&f, FEW, x, 1, y, q, rotlet))
        return;
    for (f.kernel = STOKESLET; f.kernel <= ROTLET; f.kernel++) {
        double most = 0, div = 0;
        if (!gradient(&f, FEW, x, q, y, g))
            return;
        for (int a = 0; a < 9; a++)
            most = fmax(most, fabs(g[a / 3][a % 3]));
        div = fabs(g[0][0] + g[1][1] + g[2][2]);
        printf("%s: divergence %.2g of the largest slope\n", kernels[f.kernel],
               div / most);
        CHECK(most > 0.1 && div < 1e-5 * most,
              "%s: divergence %.3g, slopes "
              "%.3g",
              kernels[f.kernel], div, most);
        for (int a = 0; a < 3 && f.kernel == STOKESLET; a++) {
            double curl =
                g[(a + 2) % 3][(a + 1) % 3] - g[(a + 1) % 3][(a + 2) % 3];
            off = fmax(off, fabs(rotlet[a] - 0.5 * curl));
            size = fmax(size, fabs(rotlet[a]));
        }
    }
    CHECK(off < 1e-5 * size,
          "a torque's flow is off half a curl by %.3g of "
          "%.3g",
          off, size);
}

enum { FEW_SOURCES = 5, SIDE = 16, PLANES = 9 };

/* Mean flows over planes across each axis, away from the sources, which lie
 * around the origin: slope and bend, [a][b] of component a along axis b. */
static int planes(const struct flow *f, const double *x, const double *q,
                  double slope[3][3], double bend[3][3])
{
    static double y[3 * PLANES * SIDE * SIDE], v[3 * PLANES * SIDE * SIDE];
    const double edge = f->cell[0], apart = 0.15;
    double mean[PLANES][3] = {{0}};
    for (int k = 0; k < PLANES * SIDE * SIDE; k++) {
        int plane = k / (SIDE * SIDE), b = plane / 3;
        y[3 * k + b] = edge * (0.5 + apart * (plane % 3 - 1));
        y[3 * k + (b + 1) % 3] = edge * (k % SIDE) / SIDE;
        y[3 * k + (b + 2) % 3] = edge * (k / SIDE % SIDE) / SIDE;
    }
    int done = flow_sum(f, FEW_SOURCES, x, PLANES * SIDE * SIDE, y, q, v);
    for (int k = 0; k < PLANES * SIDE * SIDE; k++)
        for (int a = 0; a < 3; a++)
            mean[k / (SIDE * SIDE)][a] += v[3 * k + a] / (SIDE * SIDE);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            const double at[3] = {mean[3 * b][a], mean[3 * b + 1][a],
                                  mean[3 * b + 2][a]};
            slope[a][b] = (at[2] - at[0]) / (2 * apart * edge);
            bend[a][b] =
                (at[2] - 2 * at[1] + at[0]) / (apart * apart * edge * edge);
        }
    return done;
}

/* e_abc t_c */
static double turned(int a, int b, const double t[3])
{
    return a == b ? 0 : (b - a + 3) % 3 == 1 ? t[3 - a - b] : -t[3 - a - b];
}

/* Away from the force, mean flows bend by 8 pi f / V.  They slope by the
 * force's first moment, whose antisymmetric half is a torque's: -8 pi sum f_a
 * x_b / V.  So a rotlet has no force and its torque, a stresslet neither. */
static void free_of_force_and_torque(void)
{
    const double edge = 1.3, volume = edge * edge * edge;
    double x[3 * FEW_SOURCES], q[6 * FEW_SOURCES], slope[3][3], bend[3][3];
    for (int k = 0; k < 4; k++) { /* forces, torques, stresslets, dipoles */
        struct flow f = flow_of(k % 3, 1e-9);
        double sum[3] = {0}, moment[3][3] = {{0}}, most = 0;
        memset(f.cell, 0, sizeof f.cell);
        f.cell[0] = f.cell[4] = f.cell[8] = edge;
        cloud(FEW_SOURCES, f.kernel, x, q);
        for (int i = 0; i < 3 * FEW_SOURCES; i++)
            x[i] *= 0.2;
        for (int d = 0; d < 3 && k == 3; d++)
            q[d] = -(q[3 + d] + q[6 + d] + q[9 + d] + q[12 + d]);
        for (int i = 0; i < FEW_SOURCES && k != STRESSLET; i++)
            for (int a = 0; a < 3; a++) {
                sum[a] += q[3 * i + a];
                for (int b = 0; b < 3; b++)
                    moment[a][b] += q[3 * i + a] * x[3 * i + b];
            }
        if (!planes(&f, x, q, slope, bend))
            return;
        for (int a = 0; a < 9; a++)
            most = fmax(most, fabs(slope[a / 3][a % 3]));
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) {
                double bends = k == STOKESLET && a != b ? sum[a] : 0;
                double slopes = k == ROTLET        ? turned(a, b, sum) / 2
                                : k == 3 && a != b ? -moment[a][b]
                                                   : 0;
                CHECK(fabs(bend[a][b] - 8 * M_PI * bends / volume)
                          < 1e-6 * most,
                      "%d: flow %d bends along %d by %.9g, forces by %.9g", k,
                      a, b, bend[a][b], 8 * M_PI * bends / volume);
                if (k == STRESSLET)
                    slopes = slope[b][a] * volume / (8 * M_PI);
                CHECK(k == STOKESLET
                          || fabs(slope[a][b] - 8 * M_PI * slopes / volume)
                                 < 1e-6 * most,
                      "%d: flow %d slopes along %d by %.9g, not %.9g", k, a, b,
                      slope[a][b], 8 * M_PI * slopes / volume);
            }
        CHECK(most > 0.1, "%d: slopes of %.3g say nothing", k, most);
    }
}

/* Stresslets of a constant density q on a closed surface: 8 pi q inside, zero
 * outside, also across the cell's faces. */
static void closed_surface(void)
{
    static const double density[3] = {1, -2, 0.5};
    static const double centre[3] = {0.02, -3, 8.1};
    static double x[3 * SURFACE], q[6 * SURFACE];
    double y[12], v[12];
    struct flow f = flow_of(STRESSLET, 1e-8);
    ellipsoid_make(centre, density, x, q);
    ellipsoid_targets(centre, tilted, y);
    if (!flow_sum(&f, SURFACE, x, 4, y, q, v))
        return;
    for (int p = 0; p < 12; p++) {
        double wanted = p < 6 ? 8 * M_PI * density[p % 3] : 0;
        CHECK(fabs(v[p] - wanted) < 1e-5, "target %d, axis %d: %.9g, not %.9g",
              p / 3, p % 3, v[p], wanted);
    }
}

/* The mean flow of stresslets depends on positions as they are given, math.md
 * (9.8): the flow that v lacks if they are elsewhere. */
static void mean_flow(const double *x, const double *moved, const double *q,
                      double *v)
{
    double volume = cell_determinant(tilted), sum[3] = {0}, net = 0;
    for (int i = 0; i < N; i++) {
        const double *s = q + 6 * i;
        double out = s[0] * s[3] + s[1] * s[4] + s[2] * s[5];
        net += out;
        for (int d = 0; d < 3; d++)
            sum[d] += out * (moved[3 * i + d] - x[3 * i + d]);
    }
    for (int i = 0; i < 3 * N; i++)
        v[i] += 8 * M_PI / volume * (sum[i % 3] - net * (moved[i] - x[i]));
}

/* Points a few cells away, another basis of the same cell, the other split. */
static void same_cell(void)
{
    static double x[3 * N], q[6 * N], moved[3 * N], a[3 * N], b[3 * N];
    const double tolerance = 1e-7;
    for (int k = 0; k < 3; k++) {
        struct flow f = flow_of(k, tolerance), other = f, gauss = f;
        uint64_t seed = 8;
        cloud(N, k, x, q);
        for (int i = 0; i < N; i++)
            for (int c = 0; c < 3; c++) {
                double times = (double)(random_next(&seed) % 7) - 3;
                for (int d = 0; d < 3; d++)
                    moved[3 * i + d] =
                        (c ? moved : x)[3 * i + d] + times * tilted[3 * c + d];
            }
        for (int d = 0; d < 3; d++) {
            other.cell[3 + d] += other.cell[d];
            other.cell[6 + d] -= 2 * other.cell[d];
        }
        gauss.split = "gaussian";
        f.split = "prolate";
        if (!flow_sum(&f, N, x, 0, NULL, q, a))
            continue;
        const struct {
            const char *what;
            const struct flow *f;
            const double *x;
        } ways[] = {{"another basis", &other, x},
                    {"the other split", &gauss, x},
                    {"shift by cells", &f, moved}};
        for (int w = 0; w < 3; w++)
            if (flow_sum(ways[w].f, N, ways[w].x, 0, NULL, q, b)) {
                if (k == STRESSLET && w == 2)
                    mean_flow(x, moved, q, a);
                double off = gap(3 * N, b, a);
                CHECK(off <= 2 * tolerance, "%s, %s: velocities differ by %.3g",
                      kernels[k], ways[w].what, off);
            }
    }
}

/* Three right-hand sides in one call agree with single ones, at separate
 * targets and at the sources. */
static void sets(void)
{
    enum { SETS = 3, M = 70 };
    static double x[3 * N], q[SETS * 6 * N], one[3 * N], all[SETS * 3 * N];
    for (int k = 0; k < 6; k++) {
        struct flow f = flow_of(k / 2, 1e-7);
        int64_t m = k % 2 ? M : 0, values = 3 * (m ? m : N);
        int64_t strengths = width(f.kernel) * (int64_t)N;
        farsum_problem p = flow_problem(&f, N, m);
        farsum_options o = cases_options();
        farsum_result r = FARSUM_RESULT_INIT;
        farsum_plan *plan = NULL;
        uint64_t seed = 77;
        cloud(N, f.kernel, x, q);
        for (int64_t i = 0; i < (SETS - 1) * strengths; i++)
            q[strengths + i] = between(&seed);
        o.method = "spectral";
        r.velocity = all;
        if (CHECK_OK(farsum_plan_create(&p, &o, &plan))
            && CHECK_OK(farsum_plan_set_points(plan, N, x, m, m ? x : NULL))
            && CHECK_OK(farsum_plan_execute(plan, SETS, q, &r)))
            for (int s = 0; s < SETS; s++) {
                r.velocity = one;
                CHECK_OK(farsum_plan_execute(plan, 1, q + s * strengths, &r));
                double off = gap(values, all + s * values, one);
                CHECK(off <= 1e-13, "%s, set %d: velocities differ by %.3g",
                      kernels[f.kernel], s, off);
            }
        farsum_plan_destroy(plan);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "device") == 0) {
        setenv("FARSUM_TEST_DEVICE", "opencl:0", 0);
        RUN(sets);
        return check_end();
    }
    RUN(sets);
    RUN(adjoint);
    RUN(derivatives);
    RUN(free_of_force_and_torque);
    RUN(closed_surface);
    RUN(same_cell);
    return check_end();
}
