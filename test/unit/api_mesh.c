/* SPDX-License-Identifier: Apache-2.0 */
/* api_mesh.c: tests of the public mesh: its results and refusals. */
#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "mesh_case.h"

static uint64_t seed = 11;
static double random_unit(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}
static void randoms(double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = random_unit() - 0.5;
}

/* x from fractions. */
static void place(const farsum_mesh_problem *p, const double s[3], double *x)
{
    for (int j = 0; j < 3; j++)
        x[j] =
            s[0] * p->cell[j] + s[1] * p->cell[3 + j] + s[2] * p->cell[6 + j];
}

static farsum_mesh *made(const farsum_mesh_problem *p, int64_t n, const void *x)
{
    farsum_mesh *mesh = NULL;
    farsum_mesh_options o = FARSUM_MESH_OPTIONS_INIT;
    o.threads = 2;
    if (farsum_mesh_create(p, &o, &mesh) != FARSUM_OK)
        check_stop("no mesh: %s", farsum_message());
    if (farsum_mesh_set_points(mesh, n, x) != FARSUM_OK)
        check_stop("no points: %s", farsum_message());
    return mesh;
}

/* Mesh point m is at its fractions: a hat function there touches no other
 * point. */
static void meaning(void)
{
    farsum_mesh_problem p = skewed();
    static double grid[7 * 10 * 9], value, gradient[3];
    double x[3], q = 2.5, s[3] = {3.0 / 7, 4.0 / 10, 5.0 / 9};
    int64_t at = (3 * 10 + 4) * 9 + 5;
    p.window = "bspline";
    p.support = 2;
    place(&p, s, x);
    farsum_mesh *mesh = made(&p, 1, x);
    memset(grid, 0xff, sizeof grid); /* set, not added to */
    CHECK_OK(farsum_mesh_spread(mesh, &q, grid));
    CHECK_NEAR(grid[at], 2.5, 1e-12);
    for (int64_t m = 0; m < 7 * 10 * 9; m++)
        if (m != at)
            CHECK_NEAR(grid[m], 0, 1e-12);
    value = gradient[0] = gradient[1] = gradient[2] = NAN;
    CHECK_OK(farsum_mesh_interp(mesh, grid, &value, gradient));
    CHECK_NEAR(value, 2.5, 1e-12);
    CHECK_NEAR(farsum_mesh_hat(mesh, 0), 1, 1e-14);
    farsum_mesh_destroy(mesh);
}

/* <spread q, g> = <q, interp g>: channels and parts separate, padding of rows
 * left out, open axes, any support on any mesh. */
static void adjoint_of(farsum_mesh_problem *p)
{
    enum { N = 40 };
    int parts = p->is_complex ? 2 : 1, C = p->channels ? p->channels : 1;
    int64_t ldz = p->ldz ? p->ldz : p->mesh[2];
    int64_t rows = p->mesh[0] * p->mesh[1], all = C * rows * ldz * parts;
    double x[N][3], *q = check_memory((size_t)(C * N * parts), sizeof *q);
    double *v = check_memory((size_t)(C * N * parts), sizeof *v);
    double *g = check_memory((size_t)all, sizeof *g);
    double *rho = check_memory((size_t)all, sizeof *rho);
    for (int i = 0; i < N; i++) {
        double s[3] = {random_unit(), random_unit(), random_unit()};
        place(p, s, x[i]);
    }
    randoms(q, C * N * parts);
    randoms(g, all);
    farsum_mesh *mesh = made(p, N, x);
    CHECK_OK(farsum_mesh_spread(mesh, q, rho));
    CHECK_OK(farsum_mesh_interp(mesh, g, v, NULL));
    for (int ch = 0; ch < C; ch++)
        for (int part = 0; part < parts; part++) {
            double left = 0, right = 0, size = 0;
            for (int64_t r = 0; r < rows; r++)
                for (int64_t z = 0; z < p->mesh[2]; z++) {
                    int64_t k = ((ch * rows + r) * ldz + z) * parts + part;
                    left += rho[k] * g[k];
                    size += fabs(rho[k] * g[k]);
                }
            for (int i = 0; i < N; i++) {
                int64_t k = (ch * N + i) * parts + part;
                right += q[k] * v[k];
            }
            CHECK_NEAR(left, right, 1e-13 * size + 1e-300);
            CHECK(size > 0, "a channel is empty");
        }
    farsum_mesh_destroy(mesh);
    free(q);
    free(v);
    free(g);
    free(rho);
}

static void adjoint(void)
{
    for (int i = 0; i < 16; i++) {
        farsum_mesh_problem p = skewed();
        p.support = i;
        if (i < 2)
            p.support = 16;
        if (i % 3 == 0) /* narrower than the window, and thin */
            p.mesh[0] = 2, p.mesh[1] = 5, p.mesh[2] = 1;
        if (i % 4 == 1)
            p.periodic[i % 3] = 0;
        if (i == 7)
            p.periodic[0] = p.periodic[1] = p.periodic[2] = 0;
        p.is_complex = i / 2 % 2;
        p.channels = i % 5;
        p.ldz = i % 2 ? p.mesh[2] + 3 : 0;
        adjoint_of(&p);
    }
}

/* Central differences along x, y, z of a sheared cell. */
static void gradients(void)
{
    farsum_mesh_problem p = skewed();
    static double grid[2][7 * 10 * 9][2];
    const double h = 1e-5;
    double x[3] = {2.1, -3.3, 14.7}, gradient[2][3][2];
    p.is_complex = 1;
    p.channels = 2;
    p.support = 8;
    randoms(&grid[0][0][0], sizeof grid / sizeof(double));
    farsum_mesh *mesh = made(&p, 1, x);
    CHECK_OK(farsum_mesh_interp(mesh, grid, NULL, gradient));
    for (int j = 0; j < 3; j++) {
        double v[2][2][2]; /* [side][channel][part] */
        for (int side = 0; side < 2; side++) {
            double y[3] = {x[0], x[1], x[2]};
            y[j] += side ? h : -h;
            CHECK_OK(farsum_mesh_set_points(mesh, 1, y));
            CHECK_OK(farsum_mesh_interp(mesh, grid, v[side], NULL));
        }
        for (int ch = 0; ch < 2; ch++)
            for (int part = 0; part < 2; part++)
                CHECK_NEAR(gradient[ch][j][part],
                           (v[1][ch][part] - v[0][ch][part]) / (2 * h), 1e-7);
    }
    farsum_mesh_destroy(mesh);
}

/* An open axis is a part of a longer periodic one; the rest is dropped. */
static void open_axis(void)
{
    farsum_mesh_problem p = FARSUM_MESH_PROBLEM_INIT, longer;
    static double piece[8 * 4 * 4], whole[32 * 4 * 4];
    double x[2][3] = {{0.3, 1, 2}, {7.9, 3.5, 0.2}}, q[2] = {1, -2}, sum = 0;
    for (int d = 0; d < 3; d++) {
        p.cell[4 * d] = p.mesh[d] = d ? 4 : 8;
        p.periodic[d] = d > 0;
    }
    p.window = "kaiser_bessel";
    p.support = 7;
    longer = p;
    longer.cell[0] = longer.mesh[0] = 32;
    longer.periodic[0] = 1;
    farsum_mesh *a = made(&p, 2, x), *b = made(&longer, 2, x);
    CHECK_OK(farsum_mesh_spread(a, q, piece));
    CHECK_OK(farsum_mesh_spread(b, q, whole));
    for (int m = 0; m < 8 * 4 * 4; m++) {
        CHECK_NEAR(piece[m], whole[m], 1e-12);
        sum += fabs(piece[m]);
    }
    CHECK(sum > 1, "nothing was spread");
    x[1][0] = 8.5;
    CHECK_FAILS(farsum_mesh_set_points(a, 2, x), FARSUM_ERR_POSITION);
    CHECK_SAYS("point 1");
    CHECK_SAYS("open axis 0");
    CHECK_FAILS(farsum_mesh_spread(a, q, piece), FARSUM_ERR_STATE);
    farsum_mesh_destroy(a);
    farsum_mesh_destroy(b);
}

/* A window by tolerance: modes of a spread mesh over the window's transform. */
static void tolerances(void)
{
    enum { M = 16, N = 30 };
    static double rho[M][M][M];
    for (double tol = 1e-2; tol > 0.5e-12; tol /= 100) {
        farsum_mesh_problem p = FARSUM_MESH_PROBLEM_INIT;
        farsum_mesh_info info = FARSUM_MESH_INFO_INIT;
        double x[N][3], q[N], off = 0, all = 0;
        for (int d = 0; d < 3; d++) {
            p.cell[4 * d] = 2 * M_PI;
            p.mesh[d] = M;
            p.periodic[d] = 1;
        }
        p.tolerance = tol;
        p.n_points = N;
        for (int i = 0; i < N; i++) {
            q[i] = random_unit();
            for (int d = 0; d < 3; d++)
                x[i][d] = 6 * random_unit();
        }
        farsum_mesh *mesh = made(&p, N, x);
        CHECK_OK(farsum_mesh_spread(mesh, q, rho));
        for (int k = 0; k < 64; k++) {
            int n[3] = {k % 4 + 1, k / 4 % 4, k / 16 + 1};
            double complex got = 0, want = 0;
            double h = 2 * M_PI / M, hat = 1;
            for (int m = 0; m < M * M * M; m++)
                got += rho[m / M / M][m / M % M][m % M]
                       * cexp(-I * h
                              * (n[0] * (m / M / M) + n[1] * (m / M % M)
                                 + n[2] * (m % M)));
            for (int d = 0; d < 3; d++)
                hat *= farsum_mesh_hat(mesh, h * n[d]);
            for (int i = 0; i < N; i++)
                want += q[i]
                        * cexp(-I
                               * (n[0] * x[i][0] + n[1] * x[i][1]
                                  + n[2] * x[i][2]));
            off += pow(cabs(got / hat - want), 2);
            all += pow(cabs(want), 2);
        }
        CHECK(sqrt(off / all) <= tol, "tolerance %g: %g", tol, sqrt(off / all));
        CHECK_OK(farsum_mesh_get_info(mesh, &info));
        CHECK(info.tolerance == tol && info.upsampling == 2
                  && strcmp(info.window, "prolate") == 0,
              "%g %g %s", info.tolerance, info.upsampling, info.window);
        farsum_mesh_destroy(mesh);
    }
}

/* f32 arrays, and every number of points. */
static void single(void)
{
    farsum_mesh_problem p = skewed();
    static float grid[7 * 10 * 9];
    float x[2][3] = {{0.1f, 0.2f, 0.3f}, {1, 2, 3}}, q[2] = {1, 3}, v[2];
    double sum = 0;
    p.precision = FARSUM_F32;
    p.window = "bspline";
    p.support = 5;
    farsum_mesh *mesh = made(&p, 2, x);
    CHECK_OK(farsum_mesh_spread(mesh, q, grid));
    for (int m = 0; m < 7 * 10 * 9; m++) {
        sum += (double)grid[m];
        grid[m] = 1;
    }
    CHECK_NEAR(sum, 4, 1e-5);
    CHECK_OK(farsum_mesh_interp(mesh, grid, v, NULL));
    CHECK_NEAR((double)v[0], 1, 1e-5);
    CHECK_NEAR((double)v[1], 1, 1e-5);
    CHECK_OK(farsum_mesh_set_points(mesh, 0, NULL));
    CHECK_OK(farsum_mesh_spread(mesh, NULL, grid));
    for (int m = 0; m < 7 * 10 * 9; m++)
        CHECK(grid[m] == 0, "no points leave %g", (double)grid[m]);
    CHECK_OK(farsum_mesh_interp(mesh, grid, NULL, NULL));
    farsum_mesh_destroy(mesh);
}

static void count_lines(const char *line, void *data)
{
    *(int *)data += strlen(line) > 0;
}

static void reports(void)
{
    farsum_mesh_problem p = skewed();
    farsum_mesh_options o = FARSUM_MESH_OPTIONS_INIT;
    farsum_mesh_info info = FARSUM_MESH_INFO_INIT, old = {.size = 7};
    farsum_mesh *mesh = NULL;
    char text[1000] = "";
    int lines = 0;
    o.spread = "plain";
    o.deterministic = 1;
    o.log = count_lines;
    o.log_data = &lines;
    CHECK_OK(farsum_mesh_create(&p, &o, &mesh));
    CHECK(lines == 2, "%d lines in the log", lines);
    CHECK_FAILS(farsum_mesh_get_info(mesh, &old), FARSUM_ERR_ARGUMENT);
    CHECK_OK(farsum_mesh_get_info(mesh, &info));
    CHECK(info.n_stages == 2 && strcmp(info.stages[0].stage, "spread") == 0
              && strcmp(info.stages[0].variant, "plain") == 0
              && strcmp(info.stages[1].stage, "interp") == 0
              && info.support == 6 && info.bytes > 0 && info.integral > 1,
          "%d stages", info.n_stages);
    FILE *out = tmpfile();
    if (!out)
        check_stop("no temporary file");
    farsum_mesh_print(mesh, out);
    rewind(out);
    CHECK(fread(text, 1, sizeof text - 1, out) > 50
              && strstr(text, "window prolate, support 6")
              && strstr(text, "spread: plain (named)"),
          "printed: %s", text);
    fclose(out);
    farsum_mesh_destroy(mesh);
    farsum_mesh_destroy(NULL);
    farsum_mesh_print(NULL, stdout);
    p.uses = FARSUM_MESH_VALUE;
    mesh = made(&p, 0, NULL);
    CHECK_FAILS(farsum_mesh_spread(mesh, text, text), FARSUM_ERR_STATE);
    CHECK_FAILS(farsum_mesh_interp(mesh, text, NULL, text), FARSUM_ERR_STATE);
    CHECK_SAYS("gradient");
    farsum_mesh_destroy(mesh);
}

#define REFUSED(change, wanted, ...)                                           \
    do {                                                                       \
        farsum_mesh_problem p = skewed();                                      \
        farsum_mesh_options o = FARSUM_MESH_OPTIONS_INIT;                      \
        farsum_mesh *none = NULL;                                              \
        const char *says[] = {__VA_ARGS__};                                    \
        change;                                                                \
        CHECK_FAILS(farsum_mesh_create(&p, &o, &none), FARSUM_##wanted);       \
        CHECK(!none, "a failed create wrote its output");                      \
        for (size_t w = 0; w < sizeof says / sizeof *says; w++)                \
            CHECK_SAYS(says[w]);                                               \
    } while (0)

static void refusals(void)
{
    REFUSED((p.size = 1, (void)o), ERR_ARGUMENT, "FARSUM_MESH_PROBLEM_INIT");
    REFUSED(o.size = 1, ERR_ARGUMENT, "FARSUM_MESH_OPTIONS_INIT");
    REFUSED(p.cell[4] = NAN, ERR_CELL, "vector 1, component 1 is nan");
    REFUSED(memset(p.cell, 0, sizeof p.cell), ERR_CELL, "vector 0 is zero");
    REFUSED(memcpy(p.cell + 3, p.cell, 24), ERR_CELL, "lie in a plane");
    REFUSED(p.periodic[2] = 7, ERR_ARGUMENT, "periodic[2] is 7");
    REFUSED(p.mesh[1] = 0, ERR_ARGUMENT, "7 x 0 x 9");
    REFUSED(p.mesh[0] = p.mesh[1] = 1 << 30, ERR_MEMORY, "beyond any memory");
    REFUSED(p.ldz = 8, ERR_ARGUMENT, "ldz is 8");
    REFUSED(p.channels = -1, ERR_ARGUMENT, "channels is -1");
    REFUSED(p.uses = 8, ERR_ARGUMENT, "uses is 8");
    REFUSED(p.n_points = -2, ERR_ARGUMENT, "is -2, below 0");
    REFUSED(p.precision = 5, ERR_ARGUMENT, "precision is 5");
    REFUSED(p.is_complex = 2, ERR_ARGUMENT, "is_complex is 2");
    REFUSED(p.window = "prolat", ERR_UNKNOWN, "did you mean prolate");
    REFUSED(p.support = 17, ERR_ARGUMENT, "support is 17", "2 .. 16");
    REFUSED(p.support = 0, ERR_ARGUMENT, "support is 0");
    REFUSED(p.shape = -1, ERR_ARGUMENT, "shape is -1");
    REFUSED(p.upsampling = 1, ERR_ARGUMENT, "upsampling is 1,");
    REFUSED(p.tolerance = 1e-3, ERR_ARGUMENT, "a tolerance and a window");
    REFUSED((p.window = NULL, p.support = 0, p.tolerance = 1e-15),
            ERR_TOLERANCE, "f64 reaches");
    REFUSED((p.window = NULL, p.support = 0, p.tolerance = 1e-13,
             p.upsampling = 1.25),
            ERR_TOLERANCE, "upsample more");
    REFUSED(o.device = "opencl:99", ERR_DEVICE, "opencl:99");
    REFUSED(o.device = "gpu", ERR_UNKNOWN, "gpu");
    REFUSED(o.isa = "avx3", ERR_UNKNOWN, "avx3");
    REFUSED(o.threads = -1, ERR_ARGUMENT, "threads is -1");
    REFUSED(o.spread = "host_tyle", ERR_UNKNOWN, "did you mean host_tile");
    REFUSED(o.interp = "plane", ERR_UNKNOWN, "did you mean plain");
    REFUSED(o.fft = "fftw", ERR_ARGUMENT, "of a NUFFT");
}

static void misuse(void)
{
    farsum_mesh_problem p = skewed();
    static double grid[7 * 10 * 9], q[2];
    double x[2][3] = {{0, 0, 0}, {0, NAN, 0}};
    farsum_mesh *mesh = NULL;
    CHECK_FAILS(farsum_mesh_create(&p, NULL, NULL), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_mesh_create(NULL, NULL, &mesh), FARSUM_ERR_ARGUMENT);
    CHECK_OK(farsum_mesh_create(&p, NULL, &mesh));
    CHECK_FAILS(farsum_mesh_spread(mesh, q, grid), FARSUM_ERR_STATE);
    CHECK_FAILS(farsum_mesh_interp(mesh, grid, q, NULL), FARSUM_ERR_STATE);
    CHECK_FAILS(farsum_mesh_set_points(mesh, -1, x), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_mesh_set_points(mesh, 2, NULL), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_mesh_set_points(NULL, 2, x), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_mesh_set_points(mesh, 2, x), FARSUM_ERR_POSITION);
    CHECK_SAYS("point 1: y = nan is not finite");
    x[1][1] = 1e300;
    CHECK_FAILS(farsum_mesh_set_points(mesh, 2, x), FARSUM_ERR_POSITION);
    x[1][1] = 1;
    CHECK_OK(farsum_mesh_set_points(mesh, 2, x));
    CHECK_FAILS(farsum_mesh_spread(mesh, NULL, grid), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_mesh_spread(mesh, q, NULL), FARSUM_ERR_ARGUMENT);
    CHECK_OK(farsum_mesh_spread(mesh, q, grid));
    farsum_mesh_destroy(mesh);
}

/* The n-th allocation fails, for all n; spread, interp and execute allocate
 * nothing. */
static void memory(void)
{
    farsum_mesh_problem p = skewed();
    farsum_nufft_problem np = FARSUM_NUFFT_PROBLEM_INIT;
    static double grid[7 * 10 * 9], v[4], c[2][2], f[5 * 4 * 3][2];
    double x[2][3] = {{0, 0, 0}, {1, 2, 0}};
    farsum_status status = FARSUM_ERR_MEMORY;
    np.type = 2;
    np.sign = 1;
    np.modes[0] = 5, np.modes[1] = 4, np.modes[2] = 3;
    for (int n = 1; n < 200 && status != FARSUM_OK; n++) {
        farsum_mesh *mesh = NULL;
        farsum_nufft *nufft = NULL;
        int64_t before = mem_bytes();
        mem_fail_at(n);
        status = farsum_mesh_create(&p, NULL, &mesh);
        if (status == FARSUM_OK)
            status = farsum_mesh_set_points(mesh, 2, x);
        if (status == FARSUM_OK)
            status = farsum_nufft_create(&np, NULL, &nufft);
        if (status == FARSUM_OK)
            status = farsum_nufft_set_points(nufft, 2, x);
        CHECK(status == FARSUM_OK || status == FARSUM_ERR_MEMORY,
              "allocation %d: %s", n, farsum_message());
        if (status == FARSUM_OK) {
            CHECK(n > 10, "%d allocations", n);
            mem_fail_at(1);
            CHECK_OK(farsum_mesh_spread(mesh, c, grid));
            CHECK_OK(farsum_mesh_interp(mesh, grid, v, NULL));
            CHECK_OK(farsum_nufft_execute(nufft, c, f));
        }
        mem_fail_at(0);
        farsum_mesh_destroy(mesh);
        farsum_nufft_destroy(nufft);
        CHECK(mem_bytes() == before, "%lld bytes are lost",
              (long long)(mem_bytes() - before));
    }
    CHECK(status == FARSUM_OK, "memory never sufficed");
}

int main(void)
{
    /* kept times are read only if memory allows, without a message */
    setenv("FARSUM_CACHE_DIR", "", 1);
    RUN(memory);
    RUN(meaning);
    RUN(adjoint);
    RUN(gradients);
    RUN(open_axis);
    RUN(tolerances);
    RUN(single);
    RUN(reports);
    RUN(refusals);
    RUN(misuse);
    return check_end();
}
