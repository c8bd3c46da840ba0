/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_sum.c: whole sums over ranks, compared with one process.
 *
 *     OMP_NUM_THREADS=1 mpirun -n 2 ranks_sum laplace 100000 1e-5
 *     OMP_NUM_THREADS=2 mpirun -n 1 ranks_sum laplace 100000 1e-5 alone
 *     mpirun -n 2 ranks_sum stokeslet 8000000 1e-9 device=cuda
 *
 * N random points in a periodic cube; each rank gives an equal part of them,
 * from everywhere in the cube.  alone: a plan without ranks.  f32: the
 * precision.  fmm: that method; else spectral.  clustered: half of the points
 * are in a cube of a tenth of the width.  none: rank 0 gives no points.
 * here: each rank gives points of its own slab, as a program does
 * that moves its particles to their owners.  again: the points stay, and graphs
 * of devices are replayed.  mesh=POINTS: of each axis.  queues=N: of the
 * device.  levels=N, boxes=N (root boxes along each axis), lattice=NAME (a
 * variant): choices that fmm would make.  runs=N: sums (default: 15).
 * device=NAME: each rank sums on a device, with arrays there.
 *
 * One line: minimum milliseconds of set_points and of execute, on the slowest
 * rank; milliseconds of rank 0's exchanges in the fastest execute, and
 * megabytes that it sends; minimum milliseconds of each exchange: route,
 * ghosts, planes, transform, and waiting in agreements and sums; megabytes of
 * the first four.  A rank waits for others in exchanges, too; in a minimum it
 * waits little.  Then with a device the precision and, for each stage, its
 * name, its variant and rank 0's milliseconds, which may overlap; how uneven
 * the ranks' work is, if the points are clustered; and the boxes of fmm.
 * model: one more line with the predictions of `farsum tune --ranks` for this
 * sum, for the rank with the most planes, and with the milliseconds of
 * exchanges that near pairs hide. */
#include "ranks_case.h"

#include "base/clock.h"
#include "farsum/mpi.h"
#include "plan/exported.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the command line asks for. */
struct asked {
    int alone, flow, here, again, clustered, none, model;
    const char *method;
    const char *device; /* NULL: the host */
    int64_t mesh;       /* points of each axis; 0: chosen */
    int levels;         /* fmm only; 0: chosen */
    int queues;         /* of the device; 0: chosen */
    int runs;
    int64_t boxes;      /* fmm only: root boxes along each axis; 0: chosen */
    const char *lattice; /* fmm only: variant; NULL: chosen */
    farsum_precision precision;
};

static void ask(int argc, char **argv, struct asked *asked)
{
    asked->flow = strcmp(argv[1], "stokeslet") == 0;
    asked->precision = FARSUM_F64;
    asked->method = "spectral";
    asked->runs = 15;
    for (int k = 4; k < argc; k++) {
        if (strcmp(argv[k], "alone") == 0)
            asked->alone = 1;
        else if (strcmp(argv[k], "f32") == 0)
            asked->precision = FARSUM_F32;
        else if (strcmp(argv[k], "here") == 0)
            asked->here = 1;
        else if (strcmp(argv[k], "again") == 0)
            asked->again = 1;
        else if (strcmp(argv[k], "fmm") == 0)
            asked->method = "fmm";
        else if (strcmp(argv[k], "clustered") == 0)
            asked->clustered = 1;
        else if (strcmp(argv[k], "none") == 0)
            asked->none = 1;
        else if (strcmp(argv[k], "model") == 0)
            asked->model = 1;
        else if (strncmp(argv[k], "device=", 7) == 0)
            asked->device = argv[k] + 7;
        else if (strncmp(argv[k], "mesh=", 5) == 0)
            asked->mesh = atoll(argv[k] + 5);
        else if (strncmp(argv[k], "levels=", 7) == 0)
            asked->levels = atoi(argv[k] + 7);
        else if (strncmp(argv[k], "queues=", 7) == 0)
            asked->queues = atoi(argv[k] + 7);
        else if (strncmp(argv[k], "runs=", 5) == 0)
            asked->runs = atoi(argv[k] + 5);
        else if (strncmp(argv[k], "boxes=", 6) == 0)
            asked->boxes = atoll(argv[k] + 6);
        else if (strncmp(argv[k], "lattice=", 8) == 0)
            asked->lattice = argv[k] + 8;
    }
}

/* A sum's exchanges: route, ghosts, planes, transform; waiting sends little. */
enum { EXCHANGES = 5 };
struct spent {
    double seconds[EXCHANGES], bytes[EXCHANGES], all_bytes;
};

static struct spent spent(const farsum_mpi_info *a, const farsum_mpi_info *b)
{
    return (struct spent){{b->seconds_route - a->seconds_route,
                           b->seconds_ghosts - a->seconds_ghosts,
                           b->seconds_planes - a->seconds_planes,
                           b->seconds_transform - a->seconds_transform,
                           b->seconds_waiting - a->seconds_waiting},
                          {(double)(b->bytes_route - a->bytes_route),
                           (double)(b->bytes_ghosts - a->bytes_ghosts),
                           (double)(b->bytes_planes - a->bytes_planes),
                           (double)(b->bytes_transform - a->bytes_transform),
                           0},
                          (double)(b->bytes_sent - a->bytes_sent)};
}

/* Seconds of a sum's exchanges without waiting. */
static double exchanged(const struct spent *spent)
{
    double seconds = 0;
    for (int k = 0; k < EXCHANGES - 1; k++)
        seconds += spent->seconds[k];
    return seconds;
}

/* all: seconds of all exchanges. */
static void print_exchanges(const struct spent *spent, double all)
{
    printf(",%.3f,%.3f", 1e3 * all, 1e-6 * spent->all_bytes);
    for (int k = 0; k < EXCHANGES; k++)
        printf(",%.3f", 1e3 * spent->seconds[k]);
    for (int k = 0; k < EXCHANGES - 1; k++)
        printf(",%.3f", 1e-6 * spent->bytes[k]);
}

static void print_start(const char *plan, int ranks, const farsum_problem *p,
                        const farsum_plan_info *info)
{
    printf("%s,%d,%d,%s,%lld,%g,%lldx%lldx%lld", plan, ranks, info->threads,
           p->kernel, (long long)p->n_sources, p->tolerance,
           (long long)info->mesh[0], (long long)info->mesh[1],
           (long long)info->mesh[2]);
}

static void print_boxes(const farsum_plan_info *info)
{
    if (strcmp(info->method, "fmm") == 0)
        printf(",%lldx%lldx%lld boxes levels %d order %d separation %d",
               (long long)info->boxes[0], (long long)info->boxes[1],
               (long long)info->boxes[2], info->levels, info->order,
               info->separation);
    printf("\n");
}

/* The line of the model, for the points of all ranks. */
static void print_model(const farsum_problem *p, const farsum_options *o,
                        int ranks)
{
    static const int parts[EXCHANGES] = {COMM_ROUTE, COMM_GHOSTS, COMM_PLANES,
                                         COMM_TRANSFORM, COMM_TALK};
    const struct ranks_shape any = {{0, 0}};
    struct spent spent = {{0}, {0}, 0};
    struct links links;
    struct ranks_model m;
    farsum_plan *plan = NULL;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    ranks_need(farsum_ranks_links(o, ranks, 1, &links));
    ranks_need(farsum_ranks_tune(p, o, &links, &any, &plan));
    ranks_need(farsum_ranks_model(plan, &links, &m));
    ranks_need(farsum_plan_get_info(plan, &info));
    farsum_plan_destroy(plan);
    for (int k = 0; k < EXCHANGES; k++) {
        spent.seconds[k] = m.exchange[parts[k]];
        spent.bytes[k] = m.bytes[parts[k]];
        spent.all_bytes += spent.bytes[k];
    }
    print_start("model", ranks, p, &info);
    printf(",,%.3f", 1e3 * ranks_model_seconds(&m));
    print_exchanges(&spent, exchanged(&spent));
    printf(",hidden %.3f", 1e3 * m.hidden);
    print_boxes(&info);
}

int main(int argc, char **argv)
{
    int threads, rank, ranks;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    struct asked asked = {0};
    if (argc >= 4)
        ask(argc, argv, &asked);
    if (argc < 4 || (asked.alone && ranks > 1)) {
        if (rank == 0)
            fprintf(stderr, "ranks_sum KERNEL POINTS TOLERANCE [alone] [f32] "
                            "[here] [again] [fmm] [clustered] [none] [model] "
                            "[device=NAME] [queues=N] [mesh=POINTS] "
                            "[levels=N] [boxes=N] [lattice=NAME] [runs=N]\n");
        MPI_Finalize();
        return 2;
    }
    int alone = asked.alone, flow = asked.flow;
    int64_t total = atoll(argv[2]), width = flow ? 3 : 1;
    int givers = asked.none && ranks > 1 ? ranks - 1 : ranks;
    int64_t n = givers < ranks && rank == 0 ? 0 : total / givers;
    farsum_device *device = ranks_open(asked.device, rank);
    uint64_t state = 17 + (uint64_t)rank;
    const struct ranks_range unit = {0, 1}, charge = {-1, 1};
    const struct ranks_range slab = {(double)rank / ranks,
                                     (rank + 1.0) / ranks};
    farsum_precision type = asked.precision;
    void *x = ranks_array(device, type, n, 3, asked.here ? slab : unit, unit,
                          asked.clustered, &state);
    void *q = ranks_array(device, type, n, width, charge, charge, 0, &state);
    void *values = ranks_array(device, type, n, width, unit, unit, 0, &state);
    void *field = ranks_array(device, type, n, 3, unit, unit, 0, &state);
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    p.kernel = argv[1];
    p.n_sources = n;
    p.tolerance = atof(argv[3]);
    p.precision = p.arrays = type;
    p.memory = device ? FARSUM_DEVICE : FARSUM_HOST;
    p.outputs = flow ? FARSUM_VELOCITY : FARSUM_POTENTIAL | FARSUM_FIELD;
    for (int d = 0; d < 3; d++) {
        p.periodic[d] = 1;
        p.cell[4 * d] = 1;
    }
    o.method = asked.method;
    o.verify = FARSUM_VERIFY_OFF;
    o.device.handle = device;
    for (int d = 0; d < 3; d++)
        o.spectral.mesh[d] = asked.mesh, o.fmm.boxes[d] = asked.boxes;
    o.fmm.levels = asked.levels;
    o.device.queues = asked.queues;
    o.fmm.lattice = asked.lattice;
    ranks_need(
        alone ? farsum_plan_create(&p, &o, &plan)
              : farsum_mpi_plan_create(&p, &o, NULL, MPI_COMM_WORLD, &plan));
    farsum_result result = FARSUM_RESULT_INIT;
    farsum_mpi_info before = FARSUM_MPI_INFO_INIT, after = before;
    struct spent least = {{0}, {0}, 0};
    double set = INFINITY, sum = INFINITY, exchange = 0;
    result.potential = flow ? NULL : values;
    result.field = flow ? NULL : field;
    result.velocity = flow ? values : NULL;
    for (int k = 0; k < asked.runs; k++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = clock_seconds(), took;
        if (k < 2 || !asked.again) {
            ranks_need(farsum_plan_set_points(plan, n, x, 0, NULL));
            ranks_need(farsum_plan_finish(plan));
            took = ranks_slowest(clock_seconds() - start);
            set = took < set ? took : set;
        }
        if (!alone)
            ranks_need(farsum_mpi_get_info(plan, &before));
        start = clock_seconds();
        ranks_need(farsum_plan_execute(plan, 1, q, &result));
        ranks_need(farsum_plan_finish(plan));
        took = ranks_slowest(clock_seconds() - start);
        if (!alone)
            ranks_need(farsum_mpi_get_info(plan, &after));
        struct spent now = spent(&before, &after);
        if (took < sum) {
            sum = took;
            exchange = exchanged(&now);
        }
        for (int j = 0; j < EXCHANGES && k > 0; j++)
            now.seconds[j] = fmin(now.seconds[j], least.seconds[j]);
        least = now;
    }
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    ranks_need(farsum_plan_get_info(plan, &info));
    if (rank == 0) {
        p.n_sources = total;
        print_start(alone ? "alone" : "ranks", ranks, &p, &info);
        printf(",%.3f,%.3f", 1e3 * set, 1e3 * sum);
        print_exchanges(&least, exchange);
        if (device)
            printf(",%s", asked.precision == FARSUM_F32 ? "f32" : "f64");
        for (int k = 0; device && k < info.n_stages; k++)
            printf(",%s %s %.3f", info.stages[k].stage, info.stages[k].variant,
                   1e3 * info.stages[k].seconds);
        if (asked.clustered && !alone)
            printf(",work imbalance %.2f", after.work_imbalance);
        print_boxes(&info);
        if (asked.model)
            print_model(&p, &o, ranks);
    }
    farsum_plan_destroy(plan);
    ranks_array_free(device, x);
    ranks_array_free(device, q);
    ranks_array_free(device, values);
    ranks_array_free(device, field);
    farsum_device_close(device);
    MPI_Finalize();
    return 0;
}
