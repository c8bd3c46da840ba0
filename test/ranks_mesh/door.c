/* SPDX-License-Identifier: Apache-2.0 */
/* door.c: tests of meshes and NUFFTs of farsum/mpi.h, with the shared
 * libraries.
 *
 *     mpiexec -n N test_ranks_mesh_door DEVICE N      DEVICE "host": the host
 *
 * Each rank computes the same by its own process, and compares. */
#include "farsum/mpi.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { MANY = 400, M0 = 12, M1 = 10, M2 = 9, PLANE = M1 * M2 };
enum { N0 = 5, N1 = 6, N2 = 7, ROW = N1 * N2 };

static int ranks, rank;
static const char *device;
static double x[3 * MANY], q[2 * MANY]; /* of all ranks */
static int64_t first, n;                /* this rank's points */

static double uniform(void)
{
    static uint64_t state = 5;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ldexp((double)(state >> 11), -53);
}

/* The largest difference over the largest value. */
static double apart(const double *found, const double *right, int64_t count)
{
    double most = 0, largest = 1e-300;
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(found[i])) /* which fmax would leave out */
            return INFINITY;
        most = fmax(most, fabs(found[i] - right[i]));
        largest = fmax(largest, fabs(right[i]));
    }
    return most / largest;
}

static farsum_mesh_problem mesh_problem(void)
{
    farsum_mesh_problem p = FARSUM_MESH_PROBLEM_INIT;
    const double cell[9] = {6.5, 0, 0, 1, 7, 0, 0.5, -1, 6.6};
    memcpy(p.cell, cell, sizeof cell);
    for (int d = 0; d < 3; d++)
        p.periodic[d] = 1;
    p.mesh[0] = M0;
    p.mesh[1] = M1;
    p.mesh[2] = M2;
    p.tolerance = 1e-8;
    return p;
}

static farsum_mesh_options one_thread(void)
{
    farsum_mesh_options o = FARSUM_MESH_OPTIONS_INIT;
    o.threads = 1;
    return o;
}

static const double *own_x(void)
{
    return n > 0 ? x + 3 * first : NULL;
}

static void test_mesh(void)
{
    static double grid[M0 * PLANE], all[M0 * PLANE], value[MANY], right[MANY];
    static double gradient[3 * MANY], slopes[3 * MANY];
    farsum_mesh_problem p = mesh_problem();
    farsum_mesh_options o = one_thread();
    farsum_mpi_info info = FARSUM_MPI_INFO_INIT;
    farsum_mesh *mesh = NULL, *alone = NULL;
    int64_t begin, own, planes = 0, points = 0, sent = 0;
    CHECK_OK(farsum_mesh_create(&p, &o, &alone));
    CHECK_OK(farsum_mesh_set_points(alone, MANY, x));
    CHECK_OK(farsum_mesh_spread(alone, q, all));
    CHECK_OK(farsum_mesh_interp(alone, all, right, slopes));
    p.n_points = n;
    o.device = device;
    CHECK_OK(farsum_mpi_mesh_create(&p, &o, NULL, MPI_COMM_WORLD, &mesh));
    CHECK_OK(farsum_mpi_mesh_planes(mesh, &begin, &own));
    CHECK_OK(farsum_mesh_set_points(mesh, n, own_x()));
    CHECK_OK(farsum_mesh_spread(mesh, n > 0 ? q + first : NULL, grid));
    CHECK_NEAR(apart(grid, all + begin * PLANE, own * PLANE), 0, 1e-12);
    CHECK_OK(farsum_mesh_interp(mesh, grid, n > 0 ? value : NULL,
                                n > 0 ? gradient : NULL));
    CHECK_OK(farsum_mesh_finish(mesh));
    CHECK_NEAR(apart(value, right + first, n), 0, 1e-12);
    CHECK_NEAR(apart(gradient, slopes + 3 * first, 3 * n), 0, 1e-11);
    CHECK_OK(farsum_mpi_mesh_get_info(mesh, &info));
    MPI_Allreduce(&own, &planes, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&info.own, &points, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&info.bytes_route, &sent, 1, MPI_INT64_T, MPI_SUM,
                  MPI_COMM_WORLD);
    CHECK(planes == M0 && points == MANY && info.rank == rank
              && info.ranks == ranks && info.imbalance >= 1,
          "%lld planes, %lld points, imbalance %g", (long long)planes,
          (long long)points, info.imbalance);
    CHECK((*info.transport != 0) == (strcmp(device, "host") != 0),
          "transport %s", info.transport);
    CHECK((info.bytes_planes > 0) == (ranks > 1) && (sent > 0) == (ranks > 1)
              && info.bytes_transform == 0
              && info.bytes_sent >= info.bytes_route + info.bytes_planes,
          "%lld bytes of planes, %lld of points", (long long)info.bytes_planes,
          (long long)sent);
    farsum_mesh_destroy(mesh);
    farsum_mesh_destroy(alone);
}

static void nufft_of(int type)
{
    static double f[2 * N0 * ROW], all[2 * N0 * ROW], c[2 * MANY],
        right[2 * MANY];
    farsum_nufft_problem p = FARSUM_NUFFT_PROBLEM_INIT;
    farsum_mesh_options o = one_thread();
    farsum_mpi_options mpi = FARSUM_MPI_OPTIONS_INIT;
    farsum_mpi_info info = FARSUM_MPI_INFO_INIT;
    farsum_nufft *nufft = NULL, *alone = NULL;
    int64_t begin, own;
    o.upsampling = 2;
    mpi.message_bytes = 1000;
    p.type = type;
    p.sign = 1;
    p.modes[0] = N0;
    p.modes[1] = N1;
    p.modes[2] = N2;
    p.tolerance = 1e-9;
    for (int i = 0; i < 2 * N0 * ROW; i++)
        all[i] = sin(i);
    memcpy(right, q, sizeof right);
    memcpy(c, q + 2 * first, (size_t)(2 * n) * sizeof *c);
    CHECK_OK(farsum_nufft_create(&p, &o, &alone));
    CHECK_OK(farsum_nufft_set_points(alone, MANY, x));
    p.n_points = n;
    o.device = device;
    CHECK_OK(farsum_mpi_nufft_create(&p, &o, &mpi, MPI_COMM_WORLD, &nufft));
    CHECK_OK(farsum_mpi_nufft_modes(nufft, &begin, &own));
    memcpy(f, all + 2 * begin * ROW, (size_t)(2 * own * ROW) * sizeof *f);
    CHECK_OK(farsum_nufft_set_points(nufft, n, own_x()));
    CHECK_OK(farsum_nufft_execute(nufft, n > 0 ? c : NULL, f));
    CHECK_OK(farsum_nufft_finish(nufft));
    CHECK_OK(farsum_nufft_execute(alone, right, all));
    CHECK_NEAR(apart(f, all + 2 * begin * ROW, 2 * own * ROW), 0, 1e-12);
    CHECK_NEAR(apart(c, right + 2 * first, 2 * n), 0, 1e-12);
    CHECK_OK(farsum_mpi_nufft_get_info(nufft, &info));
    CHECK((info.bytes_transform > 0) == (ranks > 1),
          "%lld bytes of the transform", (long long)info.bytes_transform);
    CHECK((*info.transport != 0) == (strcmp(device, "host") != 0),
          "transport %s", info.transport);
    farsum_nufft_destroy(nufft);
    farsum_nufft_destroy(alone);
}

static void test_nufft(void)
{
    nufft_of(1);
    nufft_of(2);
}

static void test_refused(void)
{
    farsum_mesh_problem p = mesh_problem();
    farsum_mesh_options o = one_thread();
    farsum_mpi_options mpi = FARSUM_MPI_OPTIONS_INIT;
    farsum_mpi_info info = FARSUM_MPI_INFO_INIT;
    farsum_mesh *mesh = NULL;
    farsum_nufft *nufft = NULL;
    farsum_nufft_problem np = FARSUM_NUFFT_PROBLEM_INIT;
    int64_t begin, own;
    CHECK_FAILS(farsum_mpi_mesh_create(&p, &o, NULL, MPI_COMM_NULL, &mesh),
                FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_mpi_mesh_create(&p, &o, NULL, MPI_COMM_WORLD, NULL),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("mesh is NULL");
    CHECK_FAILS(farsum_mpi_nufft_create(&np, &o, NULL, MPI_COMM_WORLD, NULL),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("nufft is NULL");
    CHECK_FAILS(farsum_mpi_nufft_create(&np, &o, NULL, MPI_COMM_WORLD, &nufft),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("type is 0");
    mpi.domain[1] = 2;
    CHECK_FAILS(farsum_mpi_mesh_create(&p, &o, &mpi, MPI_COMM_WORLD, &mesh),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("domain is 0 x 2; meshes and NUFFTs have only slabs");
    CHECK_FAILS(farsum_mpi_nufft_create(&np, &o, &mpi, MPI_COMM_WORLD, &nufft),
                FARSUM_ERR_UNSUPPORTED);
    mpi.domain[0] = ranks;
    mpi.domain[1] = 1;
    CHECK_OK(farsum_mpi_mesh_create(&p, &o, &mpi, MPI_COMM_WORLD, &mesh));
    CHECK_OK(farsum_mpi_mesh_get_info(mesh, &info));
    CHECK(info.domain[0] == ranks && info.domain[1] == 1, "domain %d x %d",
          info.domain[0], info.domain[1]);
    farsum_mesh_destroy(mesh);
    mesh = NULL;
    mpi.transport = "nccl";
    CHECK_FAILS(farsum_mpi_mesh_create(&p, &o, &mpi, MPI_COMM_WORLD, &mesh),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("transport \"nccl\"");
    np.type = 1;
    np.sign = 1;
    np.modes[0] = np.modes[1] = np.modes[2] = 4;
    CHECK_FAILS(farsum_mpi_nufft_create(&np, &o, &mpi, MPI_COMM_WORLD, &nufft),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("transport \"nccl\"");
    o.device = "opencl:9999";
    CHECK_FAILS(farsum_mpi_nufft_create(&np, &o, NULL, MPI_COMM_WORLD, &nufft),
                FARSUM_ERR_DEVICE);
    CHECK_SAYS("device opencl");
    o.device = NULL;
    o.fft = "plain";
    CHECK_FAILS(farsum_mpi_mesh_create(&p, &o, NULL, MPI_COMM_WORLD, &mesh),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("options of a NUFFT");
    CHECK(!mesh && !nufft, "a failed create sets its output");
    o.fft = NULL;
    CHECK_OK(farsum_mesh_create(&p, &o, &mesh));
    CHECK_FAILS(farsum_mpi_mesh_planes(mesh, &begin, &own),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("farsum_mpi_mesh_create");
    CHECK_FAILS(farsum_mpi_mesh_get_info(mesh, &info), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_mpi_mesh_get_info(mesh, NULL), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_mpi_nufft_modes(NULL, &begin, &own),
                FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_mpi_nufft_get_info(NULL, &info), FARSUM_ERR_ARGUMENT);
    farsum_mesh_destroy(mesh);
}

/* 1: the device exists. */
static int usable(void)
{
    farsum_mesh_problem p = mesh_problem();
    farsum_mesh_options o = one_thread();
    farsum_mesh *mesh = NULL;
    o.device = device;
    farsum_status status = farsum_mesh_tune(&p, &o, &mesh);
    farsum_mesh_destroy(mesh);
    return status == FARSUM_OK;
}

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 3 || ranks != atoi(argv[2]))
        check_stop("%d ranks; the arguments are a device and their number",
                   ranks);
    device = argv[1];
    if (!usable()) {
        MPI_Finalize();
        return CHECK_SKIPPED;
    }
    int last = ranks > 1 ? ranks - 1 : 1; /* rank 0 has no points */
    first = ranks > 1 && rank > 0 ? MANY * (rank - 1) / last : 0;
    n = ranks > 1 ? MANY * rank / last - first : MANY;
    for (int i = 0; i < 3 * MANY; i++)
        x[i] = 20 * uniform() - 10;
    for (int i = 0; i < 2 * MANY; i++)
        q[i] = 2 * uniform() - 1;
    RUN(test_mesh);
    RUN(test_nufft);
    RUN(test_refused);
    MPI_Finalize();
    return check_end();
}
