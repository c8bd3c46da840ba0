/* SPDX-License-Identifier: Apache-2.0 */
/* door.c: tests of farsum/mpi.h, with the shared libraries.
 *
 *     mpiexec -n N test_ranks_door cases N
 *     mpiexec -n N test_ranks_door single N   MPI without threads
 *
 * Each rank computes the same sums by a plan of its own process, and
 * compares. */
#include "ranks/door.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

int ranks, rank, last;
double x[3 * MANY], q[WIDTH * MANY];
int64_t first, n;

static int after_end; /* calls of MPI after MPI_Finalize */

int MPI_Comm_free(MPI_Comm *comm)
{
    int over;
    PMPI_Finalized(&over);
    after_end += over;
    return over ? MPI_SUCCESS : PMPI_Comm_free(comm);
}

static double uniform(void)
{
    static uint64_t state = 5;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ldexp((double)(state >> 11), -53);
}

const double straight[9] = {2, 0, 0, 0, 2.2, 0, 0, 0, 1.9};
/* Rows that a shorter basis replaces. */
static const double tilted[9] = {2, 0, 0, 1.7, 2, 0, 5, -0.5, 1.6};

farsum_problem problem_of(const char *kernel, const double cell[9])
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    p.kernel = kernel;
    p.tolerance = 1e-6;
    memcpy(p.cell, cell, sizeof p.cell);
    for (int d = 0; d < 3; d++)
        p.periodic[d] = 1;
    return p;
}

farsum_options one_thread(void)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    o.threads = 1;
    o.verify = FARSUM_VERIFY_OFF;
    return o;
}

farsum_plan *plan_of(farsum_problem p, const farsum_mpi_options *mpi)
{
    farsum_options o = one_thread();
    farsum_plan *plan = NULL;
    p.n_sources = n;
    p.sample_x = n > 0 ? x + 3 * first : NULL;
    p.sample_q = n > 0 ? q + first : NULL;
    if (p.kernel && strcmp(p.kernel, "stokeslet") == 0)
        p.sample_q = n > 0 ? q + 3 * first : NULL;
    if (farsum_mpi_plan_create(&p, &o, mpi, MPI_COMM_WORLD, &plan)
            != FARSUM_OK
        || farsum_plan_set_points(plan, n, n > 0 ? x + 3 * first : NULL, 0,
                                  NULL) != FARSUM_OK)
        check_stop("rank %d: %s", rank, farsum_message());
    return plan;
}

void sums_of(farsum_plan *plan, int flow, struct sums *sums)
{
    farsum_result result = FARSUM_RESULT_INIT;
    int width = flow ? 3 : 1;
    if (flow) {
        result.velocity = sums->vector;
    } else {
        result.potential = sums->potential;
        result.field = sums->vector;
        result.energy = &sums->energy;
    }
    CHECK_OK(farsum_plan_execute(plan, 1, n > 0 ? q + width * first : NULL,
                                 &result));
}

/* The same by one process, with the parameters of a plan over ranks: all
 * points. */
static void sums_alone(farsum_problem p, const farsum_plan *like, int flow,
                       struct sums *sums)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    farsum_result result = FARSUM_RESULT_INIT;
    CHECK_OK(farsum_plan_get_options(like, &o));
    o.threads = 1;
    o.verify = FARSUM_VERIFY_OFF;
    p.n_sources = MANY;
    p.sample_x = x;
    p.sample_q = q;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(farsum_plan_set_points(plan, MANY, x, 0, NULL));
    if (flow) {
        result.velocity = sums->vector;
    } else {
        result.potential = sums->potential;
        result.field = sums->vector;
        result.energy = &sums->energy;
    }
    CHECK_OK(farsum_plan_execute(plan, 1, q, &result));
    farsum_plan_destroy(plan);
}

static double apart(const double *found, const double *right, int64_t count)
{
    double most = 0;
    for (int64_t i = 0; i < count; i++)
        most = fmax(most, fabs(found[i] - right[i]));
    return most;
}

static double largest(const double *values, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(values[i]));
    return most;
}

/* Options that ask for pencils: a prime number of ranks is cut along axis 1. */
static farsum_mpi_options pencils(void)
{
    farsum_mpi_options mpi = FARSUM_MPI_OPTIONS_INIT;
    mpi.domain[1] = ranks > 1 ? 2 : 1;
    while (ranks % mpi.domain[1] != 0)
        mpi.domain[1]++;
    return mpi;
}

static void compare(const char *kernel, const double cell[9],
                    const farsum_mpi_options *mpi)
{
    static struct sums found, right;
    farsum_problem p = problem_of(kernel, cell);
    int flow = strcmp(kernel, "stokeslet") == 0;
    farsum_plan *plan = plan_of(p, mpi);
    sums_of(plan, flow, &found);
    sums_alone(p, plan, flow, &right);
    farsum_plan_destroy(plan);
    double vectors = apart(found.vector, right.vector + 3 * first, 3 * n)
                     / largest(right.vector, 3 * MANY);
    CHECK(vectors <= 1e-12, "%s: vectors differ by %g", kernel, vectors);
    if (flow)
        return;
    double potentials = apart(found.potential, right.potential + first, n)
                        / largest(right.potential, MANY);
    double energies = fabs(found.energy / right.energy - 1);
    CHECK(potentials <= 1e-12 && energies <= 1e-12,
          "%s: potentials differ by %g, energies by %g", kernel, potentials,
          energies);
}

static void test_sums(void)
{
    const farsum_mpi_options mpi = pencils();
    compare("laplace", straight, NULL);
    compare("laplace", tilted, NULL);
    compare("stokeslet", straight, NULL);
    compare("laplace", tilted, &mpi);
    compare("stokeslet", straight, &mpi);
}

/* Short messages and patience give the same bits; two plans on one
 * communicator, and a third one on a part of its ranks, do not disturb each
 * other. */
static void test_plans(void)
{
    static struct sums one, two;
    farsum_mpi_options short_ones = FARSUM_MPI_OPTIONS_INIT;
    short_ones.message_bytes = 1000;
    short_ones.patience = 1000;
    farsum_problem p = problem_of("laplace", straight);
    farsum_plan *a = plan_of(p, NULL), *b = plan_of(p, &short_ones);
    sums_of(b, 0, &two);
    sums_of(a, 0, &one);
    CHECK(memcmp(one.potential, two.potential, (size_t)n * 8) == 0
              && memcmp(one.vector, two.vector, (size_t)n * 24) == 0
              && one.energy == two.energy,
          "short messages change the sums");
    farsum_plan_destroy(a);
    memset(&one, 0, sizeof one);
    sums_of(b, 0, &one);
    CHECK(memcmp(one.potential, two.potential, (size_t)n * 8) == 0,
          "a repeated sum differs");
    farsum_plan_destroy(b);
}

/* The number of points within fractions low .. high of a cell. */
static int64_t inside(const double cell[9], const double low[3],
                      const double high[3])
{
    int64_t count = 0;
    double inv[9], det = 0;
    for (int d = 0; d < 3; d++) { /* columns of the inverse */
        const double *b = cell + 3 * ((d + 1) % 3);
        const double *c = cell + 3 * ((d + 2) % 3);
        for (int k = 0; k < 3; k++)
            inv[3 * k + d] = b[(k + 1) % 3] * c[(k + 2) % 3]
                             - b[(k + 2) % 3] * c[(k + 1) % 3];
    }
    for (int k = 0; k < 3; k++)
        det += cell[k] * inv[3 * k];
    for (int i = 0; i < MANY; i++) {
        int in = 1;
        for (int d = 0; d < 3; d++) {
            double s = 0;
            for (int k = 0; k < 3; k++)
                s += x[3 * i + k] * inv[3 * k + d] / det;
            s -= floor(s);
            in &= s >= low[d] && s < high[d];
        }
        count += in;
    }
    return count;
}

static void info_of(const farsum_plan *plan, farsum_mpi_info *info)
{
    *info = (farsum_mpi_info)FARSUM_MPI_INFO_INIT;
    CHECK_OK(farsum_mpi_get_info(plan, info));
}

static void domains(const double rows[9], const farsum_mpi_options *mpi)
{
    static struct sums sums;
    farsum_plan *plan = plan_of(problem_of("laplace", rows), mpi);
    farsum_mpi_info info, later;
    double cell[9], low[3], high[3], volumes, volume = 1;
    CHECK_OK(farsum_mpi_domain(plan, cell, low, high));
    CHECK_OK(farsum_mpi_domain(plan, NULL, low, high));
    info_of(plan, &info);
    CHECK(info.size == sizeof info && info.ranks == ranks && info.rank == rank,
          "rank %d of %d", info.rank, info.ranks);
    CHECK(*info.transport == '\0', "transport %s", info.transport);
    CHECK(info.domain[0] * info.domain[1] == ranks
              && (!mpi || info.domain[1] == mpi->domain[1]),
          "domain %d x %d", info.domain[0], info.domain[1]);
    int64_t in = inside(cell, low, high), all = 0, most = 0;
    CHECK(info.own == in, "rank %d owns %lld points, its domain has %lld", rank,
          (long long)info.own, (long long)in);
    MPI_Allreduce(&info.own, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&info.own, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    for (int d = 0; d < 3; d++)
        volume *= high[d] - low[d];
    MPI_Allreduce(&volume, &volumes, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all == MANY && fabs(volumes - 1) < 1e-14, "%lld points, volume %.17g",
          (long long)all, volumes);
    CHECK(fabs(info.imbalance - (double)(most * ranks) / MANY) < 1e-14,
          "imbalance %g", info.imbalance);
    CHECK(info.ghosts > 0, "no ghosts");
    sums_of(plan, 0, &sums);
    info_of(plan, &later);
    CHECK((later.bytes_transform > info.bytes_transform) == (ranks > 1)
              && (later.bytes_planes > info.bytes_planes) == (ranks > 1)
              && (later.bytes_ghosts > info.bytes_ghosts) == (ranks > 1)
              && later.seconds_transform > info.seconds_transform,
          "the sum sent %lld bytes of the transform in %g s",
          (long long)(later.bytes_transform - info.bytes_transform),
          later.seconds_transform - info.seconds_transform);
    /* strength there; potential and field back to this rank's points, which
     * others send */
    int64_t sent = later.bytes_route - info.bytes_route, sum = 0;
    MPI_Allreduce(&sent, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum <= MANY * 5 * 8 && (sum > 0) == (ranks > 1),
          "%lld bytes for strengths and results", (long long)sum);
    int64_t parts = later.bytes_route + later.bytes_ghosts
                    + later.bytes_planes + later.bytes_transform;
    CHECK((later.bytes_sent > parts) == (ranks > 1),
          "%lld bytes, %lld in parts",
          (long long)later.bytes_sent, (long long)parts);
    farsum_plan_destroy(plan);
}

static void test_domains(void)
{
    const farsum_mpi_options mpi = pencils();
    domains(straight, NULL);
    domains(tilted, NULL);
    domains(straight, &mpi);
}

/* After set_cell the domain follows, and sums are those of the new cell. */
static void test_cell(void)
{
    static struct sums found, right;
    farsum_problem p = problem_of("laplace", tilted);
    farsum_plan *plan = plan_of(p, NULL), *alone = NULL;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_result result = FARSUM_RESULT_INIT;
    double before[9], cell[9], low[3], high[3];
    CHECK_OK(farsum_mpi_domain(plan, before, low, high));
    p.n_sources = MANY;
    p.sample_x = x;
    p.sample_q = q;
    CHECK_OK(farsum_plan_get_options(plan, &o));
    o.threads = 1;
    o.verify = FARSUM_VERIFY_OFF;
    CHECK_OK(farsum_plan_create(&p, &o, &alone));
    for (int i = 0; i < 9; i++)
        p.cell[i] *= 1.01;
    CHECK_OK(farsum_plan_set_cell(plan, p.cell));
    CHECK_OK(farsum_plan_set_cell(alone, p.cell));
    CHECK_OK(farsum_plan_set_points(plan, n, n > 0 ? x + 3 * first : NULL, 0,
                                    NULL));
    CHECK_OK(farsum_plan_set_points(alone, MANY, x, 0, NULL));
    CHECK_OK(farsum_mpi_domain(plan, cell, low, high));
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(cell[i], 1.01 * before[i], 1e-14);
    result.potential = right.potential;
    CHECK_OK(farsum_plan_execute(alone, 1, q, &result));
    sums_of(plan, 0, &found);
    double error = apart(found.potential, right.potential + first, n)
                   / largest(right.potential, MANY);
    CHECK(error <= 1e-12, "potentials differ by %g", error);
    farsum_plan_destroy(alone);
    farsum_plan_destroy(plan);
}

static void test_queries(void)
{
    farsum_plan *alone = NULL;
    farsum_problem p = problem_of("laplace", straight);
    farsum_mpi_info info = FARSUM_MPI_INFO_INIT;
    double low[3], high[3];
    p.n_sources = MANY;
    farsum_options o = one_thread();
    CHECK_OK(farsum_plan_create(&p, &o, &alone));
    CHECK_FAILS(farsum_mpi_get_info(alone, &info), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("farsum_mpi_plan_create");
    CHECK_FAILS(farsum_mpi_domain(alone, NULL, low, high),
                FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_mpi_get_info(NULL, &info), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_mpi_get_info(alone, NULL), FARSUM_ERR_ARGUMENT);
    farsum_plan_destroy(alone);
    farsum_plan *plan = plan_of(p, NULL);
    farsum_plan_info plan_info = FARSUM_PLAN_INFO_INIT;
    CHECK_OK(farsum_plan_get_info(plan, &plan_info));
    CHECK(plan_info.threads == 1, "%d threads", plan_info.threads);
    CHECK_FAILS(farsum_mpi_domain(plan, NULL, NULL, high),
                FARSUM_ERR_ARGUMENT);
    info.size = 1;
    CHECK_FAILS(farsum_mpi_get_info(plan, &info), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("FARSUM_MPI_INFO_INIT");
    farsum_plan_destroy(plan);
}

/* A plan over a part of the ranks, whose order is reversed. */
static void test_part(void)
{
    MPI_Comm half;
    farsum_plan *plan = NULL;
    farsum_problem p = problem_of("laplace", straight);
    farsum_options o = one_thread();
    farsum_result result = FARSUM_RESULT_INIT;
    static struct sums right;
    double phi[MANY];
    int of_half, size;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_rank(half, &of_half);
    MPI_Comm_size(half, &size);
    int64_t begin = MANY * of_half / size;
    p.n_sources = MANY * (of_half + 1) / size - begin;
    p.sample_x = x + 3 * begin;
    p.sample_q = q + begin;
    CHECK_OK(farsum_mpi_plan_create(&p, &o, NULL, half, &plan));
    MPI_Comm_free(&half); /* the plan has a duplicate */
    CHECK_OK(farsum_plan_set_points(plan, p.n_sources, p.sample_x, 0, NULL));
    result.potential = phi;
    CHECK_OK(farsum_plan_execute(plan, 1, q + begin, &result));
    sums_alone(p, plan, 0, &right);
    double error = apart(phi, right.potential + begin, p.n_sources)
                   / largest(right.potential, MANY);
    CHECK(error <= 1e-12, "potentials differ by %g", error);
    farsum_plan_destroy(plan);
}

int main(int argc, char **argv)
{
    farsum_plan *plan = NULL;
    int level;
    farsum_problem p = problem_of("laplace", straight);
    if (argc != 3)
        check_stop("the arguments are WHAT and the number of ranks");
    p.n_sources = 8;
    CHECK_FAILS(farsum_mpi_plan_create(&p, NULL, NULL, MPI_COMM_WORLD, &plan),
                FARSUM_ERR_STATE);
    int funneled = strcmp(argv[1], "single") != 0;
    MPI_Init_thread(&argc, &argv,
                    funneled ? MPI_THREAD_FUNNELED : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != atoi(argv[2]))
        check_stop("%d ranks instead of %s", ranks, argv[2]);
    last = ranks - 1;
    first = ranks > 1 ? (int64_t)MANY * (rank > 0 ? rank - 1 : 0) / last : 0;
    n = ranks > 1 ? (int64_t)MANY * rank / last - first : MANY;
    for (int i = 0; i < 3 * MANY; i++)
        x[i] = 2 * uniform();
    for (int i = 0; i < WIDTH * MANY; i++)
        q[i] = 2 * uniform() - 1;
    if (funneled) {
        RUN(test_sums);
        RUN(test_plans);
        RUN(test_part);
        RUN(test_domains);
        RUN(test_cell);
        RUN(test_queries);
        RUN(test_different);
        RUN(test_bad);
        RUN(test_bad_calls);
        RUN(test_stopped);
        RUN(test_thread);
        plan = plan_of(p, NULL);
    } else if (level < MPI_THREAD_FUNNELED) {
        CHECK_FAILS(farsum_mpi_plan_create(&p, NULL, NULL, MPI_COMM_WORLD,
                                           &plan),
                    FARSUM_ERR_STATE);
        CHECK_SAYS("MPI_THREAD_FUNNELED");
        farsum_mpi_options any = FARSUM_MPI_OPTIONS_INIT;
        any.accept_single = 1;
        plan = plan_of(p, &any);
    }
    MPI_Finalize();
    farsum_plan_destroy(plan);
    CHECK(after_end == 0, "a call of MPI after MPI_Finalize");
    return check_end();
}
