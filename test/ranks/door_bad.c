/* SPDX-License-Identifier: Apache-2.0 */
/* door_bad.c: bad arguments on one rank fail on all. */
#include "ranks/door.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

/* The status and the message are those wanted, and the same on all ranks. */
static void fails_alike(farsum_status found, farsum_status wanted,
                        const char *says)
{
    char words[1024], of_0[1024];
    snprintf(words, sizeof words, "%s", farsum_message());
    CHECK(found == wanted && strstr(words, says), "status %d, %s", found,
          words);
    memcpy(of_0, words, sizeof of_0);
    MPI_Bcast(of_0, sizeof of_0, MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK(strcmp(words, of_0) == 0, "rank %d: %s; rank 0: %s", rank, words,
          of_0);
}

/* "rank 3: words" of the last rank. */
static const char *of_last(const char *words)
{
    static char text[256];
    snprintf(text, sizeof text, "rank %d: %s", last, words);
    return ranks > 1 ? text : words;
}

struct call {
    farsum_problem problem;
    farsum_options options;
    farsum_mpi_options mpi;
};

static struct call call_good(void)
{
    struct call c = {problem_of("laplace", straight), one_thread(),
                     FARSUM_MPI_OPTIONS_INIT};
    c.problem.n_sources = n;
    return c;
}

static farsum_status create(const struct call *c, farsum_plan **plan)
{
    return farsum_mpi_plan_create(&c->problem, &c->options, &c->mpi,
                                  MPI_COMM_WORLD, plan);
}

/* The last rank passes another value. */
#define DIFFERS(member, value, says)                                           \
    do {                                                                       \
        struct call c = call_good();                                           \
        if (rank == last)                                                      \
            c.member = value;                                                  \
        fails_alike(create(&c, &plan), FARSUM_ERR_ARGUMENT, says);             \
        CHECK(!plan, "a plan was made");                                       \
    } while (0)

void test_different(void)
{
    farsum_plan *plan = NULL;
    char words[96];
    if (ranks == 1)
        return;
    snprintf(words, sizeof words,
             "tolerance is 1e-06 on rank 0 and 1e-05 on rank %d; set the same",
             last);
    DIFFERS(problem.tolerance, 1e-5, words);
    DIFFERS(problem.kernel, "r6", "kernel is laplace on rank 0 and r6");
    DIFFERS(problem.cell[4], 2.25, "cell[4] is 2.2 on rank 0 and 2.25");
    DIFFERS(problem.periodic[1], 0, "periodic[1] is 1 on rank 0 and 0");
    DIFFERS(problem.precision, FARSUM_F32, "precision is 0 on rank 0 and 2");
    DIFFERS(problem.outputs, FARSUM_FIELD, "outputs is 0 on rank 0 and 2");
    DIFFERS(problem.error, FARSUM_ERROR_EACH, "error is 0 on rank 0 and 7");
    DIFFERS(options.cutoff, 0.7, "cutoff is not set on rank 0 and 0.7");
    DIFFERS(options.spectral.window, "es",
            "window is not set on rank 0 and es");
    DIFFERS(options.deterministic, 1, "deterministic is not set on rank 0");
    DIFFERS(mpi.message_bytes, 77, "message_bytes is 0 on one rank and 77");
    DIFFERS(mpi.domain[1], ranks, "domain is 0 x 0 on rank 0 and 1 x ");
    DIFFERS(mpi.patience, 0.5, "patience is 0 on one rank and 0.5 on another");
}

void test_bad(void)
{
    farsum_plan *plan = NULL;
    struct call good = call_good(), c = good;
    int here = rank == last;
    fails_alike(farsum_mpi_plan_create(here ? NULL : &good.problem, NULL, NULL,
                                       MPI_COMM_WORLD, &plan),
                FARSUM_ERR_ARGUMENT, of_last("problem is NULL"));
    fails_alike(farsum_mpi_plan_create(&good.problem, NULL, NULL,
                                       MPI_COMM_WORLD, here ? NULL : &plan),
                FARSUM_ERR_ARGUMENT, of_last("plan is NULL"));
    CHECK_FAILS(farsum_mpi_plan_create(&good.problem, NULL, NULL,
                                       MPI_COMM_NULL, &plan),
                FARSUM_ERR_ARGUMENT);
    c.mpi.size = here ? 3 : sizeof c.mpi;
    fails_alike(create(&c, &plan), FARSUM_ERR_ARGUMENT,
                of_last("a struct's size is 3"));
    c = good;
    c.options.size = here ? 3 : sizeof c.options;
    fails_alike(create(&c, &plan), FARSUM_ERR_ARGUMENT,
                of_last("a struct's size is 3"));
    c = good;
    c.problem.n_sources = here ? -1 : 5;
    fails_alike(create(&c, &plan), FARSUM_ERR_ARGUMENT,
                of_last("n_sources is -1"));
    c = good;
    c.problem.n_sources = 0;
    fails_alike(create(&c, &plan), FARSUM_ERR_ARGUMENT, "n_sources is 0");
    c = good;
    c.mpi.message_bytes = -1;
    fails_alike(create(&c, &plan), FARSUM_ERR_ARGUMENT,
                "message_bytes is -1, not 0 .. 1073741824");
    c = good;
    c.mpi.patience = here ? -1 : 0;
    fails_alike(create(&c, &plan), FARSUM_ERR_ARGUMENT,
                of_last("patience is -1, not 0 or seconds > 0"));
    c = good;
    c.options.method = "ewald";
    fails_alike(create(&c, &plan), FARSUM_ERR_UNSUPPORTED, "method ewald: ");
    c = good;
    c.options.device.name = "opencl:7000";
    fails_alike(create(&c, &plan), FARSUM_ERR_DEVICE, "device opencl:7000");
    c = good;
    c.mpi.transport = here ? "pigeon" : NULL;
    fails_alike(create(&c, &plan), FARSUM_ERR_UNKNOWN,
                of_last("transport \"pigeon\" is not known"));
    c.mpi.transport = here ? "staged" : NULL;
    fails_alike(create(&c, &plan), FARSUM_ERR_UNSUPPORTED,
                of_last("transport \"staged\" is between devices"));
    c = good;
    c.mpi.domain[0] = here ? ranks + 1 : 0;
    fails_alike(create(&c, &plan), FARSUM_ERR_ARGUMENT, of_last("domain is "));
    c = good;
    c.options.method = "auto";
    CHECK_OK(create(&c, &plan));
    farsum_plan_destroy(plan);
}

/* Calls of a plan with a bad argument on the last rank; the plan still works
 * afterwards. */
void test_bad_calls(void)
{
    static struct sums sums, again;
    farsum_result result = FARSUM_RESULT_INIT;
    int here = rank == last;
    farsum_plan *plan = plan_of(problem_of("laplace", straight), NULL);
    result.potential = sums.potential;
    result.field = sums.vector;
    result.energy = &sums.energy;
    sums_of(plan, 0, &again);
    const double *own = n > 0 ? q + first : NULL;
    fails_alike(farsum_plan_execute(plan, 1, here ? NULL : own, &result),
                FARSUM_ERR_ARGUMENT, of_last("q is NULL"));
    fails_alike(farsum_plan_execute(plan, 1, own, here ? NULL : &result),
                FARSUM_ERR_ARGUMENT, of_last("result is NULL"));
    result.size = here ? 3 : sizeof result;
    fails_alike(farsum_plan_execute(plan, 1, own, &result),
                FARSUM_ERR_ARGUMENT, of_last("a struct's size is 3"));
    result.size = sizeof result;
    fails_alike(farsum_plan_set_points(plan, here ? -1 : n,
                                       n > 0 ? x + 3 * first : NULL, 0, NULL),
                FARSUM_ERR_ARGUMENT, of_last("-1 sources"));
    sums_of(plan, 0, &sums);
    CHECK(memcmp(sums.potential, again.potential, (size_t)n * 8) == 0,
          "the sum differs after failures");
    farsum_plan_destroy(plan);
}

static int stop(int64_t done, int64_t all, const char *what, void *data)
{
    (void)done, (void)all, (void)what;
    return *(int *)data;
}

/* Waits until the next report of progress is due. */
static void until_due(void)
{
    usleep(120000);
}

/* Only the last rank watches the progress, and stops calls. */
void test_stopped(void)
{
    static struct sums sums, again;
    farsum_result result = FARSUM_RESULT_INIT;
    struct call c = call_good();
    farsum_plan *plan = NULL;
    int stops = 1;
    if (rank == last) {
        c.options.progress = stop;
        c.options.progress_data = &stops;
    }
    result.potential = sums.potential;
    fails_alike(create(&c, &plan), FARSUM_ERR_STATE, "stopped");
    stops = 0;
    CHECK_OK(create(&c, &plan));
    stops = 1;
    until_due();
    const double *own = n > 0 ? x + 3 * first : NULL;
    fails_alike(farsum_plan_set_points(plan, n, own, 0, NULL),
                FARSUM_ERR_STATE, "stopped");
    stops = 0;
    CHECK_OK(farsum_plan_set_points(plan, n, own, 0, NULL));
    stops = 1;
    until_due();
    sums.potential[0] = 7;
    fails_alike(farsum_plan_execute(plan, 1, n > 0 ? q + first : NULL, &result),
                FARSUM_ERR_STATE, "stopped");
    CHECK(sums.potential[0] == 7, "a result was written");
    stops = 0;
    sums_of(plan, 0, &sums);
    farsum_plan_destroy(plan);
    plan = plan_of(c.problem, NULL);
    sums_of(plan, 0, &again);
    CHECK(n == 0 || fabs(sums.energy / again.energy - 1) < 1e-5,
          "energies %g and %g", sums.energy, again.energy);
    farsum_plan_destroy(plan);
}

static void *create_elsewhere(void *data)
{
    struct call c = call_good();
    farsum_plan *plan = NULL;
    (void)data;
    fails_alike(create(&c, &plan), FARSUM_ERR_STATE,
                "this thread did not initialise MPI");
    return NULL;
}

/* With MPI_THREAD_FUNNELED only one thread may call MPI. */
void test_thread(void)
{
    pthread_t thread;
    int level;
    MPI_Query_thread(&level);
    if (level != MPI_THREAD_FUNNELED)
        return;
    if (pthread_create(&thread, NULL, create_elsewhere, NULL) != 0)
        check_stop("no thread");
    pthread_join(thread, NULL);
}
