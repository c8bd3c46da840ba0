/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_transform.c: the real transform of a mesh that is cut over ranks
 * (ranks/slab.h), compared with FFTW-MPI's, which leaves its axes exchanged
 * too.  Each rank is a process with one thread.
 *
 *     mpirun -n 4 ranks_transform [patient] 64 128 256 >ranks_transform.csv
 *
 * One line per mesh N^3 and code: minimum milliseconds, forward and backward,
 * of runs that alternate between the codes.  slab: all columns.  pruned: those
 * within a disc of radius 0.48 N, as a plan with a mesh just finer than its
 * band needs.  patient: both codes plan by measurement. */
#include <fftw3-mpi.h>

#include "base/clock.h"
#include "base/mem.h"
#include "mpi/comm_mpi.h"
#include "ranks/slab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALL, PRUNED, FFTW_MPI, CODES, RUNS = 20 };
#define DISC 0.48

static struct comm *comm;

static void need(farsum_status status)
{
    if (status == FARSUM_OK)
        return;
    fprintf(stderr, "ranks_transform: %s\n", farsum_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* One code's transform of one mesh. */
struct code {
    const char *name;
    struct slab *slab;
    struct slab_io io;
    double *mesh;
    int64_t reals; /* of mesh */
    fftw_plan plan[2];
    double best[2];
};

static void values(struct code *c, int64_t reals)
{
    c->reals = reals;
    need(mem_alloc((void **)&c->mesh, reals + 8, sizeof(double), 1));
    for (int64_t i = 0; i < reals; i++)
        c->mesh[i] = 1e-3 * (double)(i * 7919 % 1001);
}

static void slab_code(struct code *c, int64_t n, int pruned, int patient)
{
    int64_t *begin = NULL, *columns = NULL;
    need(MEM_NEW(begin, comm->size + 1));
    need(MEM_NEW(columns, n));
    for (int r = 0; r <= comm->size; r++)
        begin[r] = n * r / comm->size;
    for (int64_t k = 0; k < n; k++) {
        double y = (double)(2 * k > n ? n - k : k) / (DISC * (double)n);
        columns[k] =
            y < 1 ? (int64_t)(sqrt(1 - y * y) * DISC * (double)n) + 1 : 0;
    }
    const struct slab_args args = {.comm = comm,
                                   .begin0 = begin,
                                   .begin1 = begin,
                                   .columns = pruned ? columns : NULL,
                                   .mesh = {n, n, n},
                                   .ldz = 2 * (n / 2 + 1),
                                   .precision = FARSUM_F64,
                                   .threads = 1,
                                   .patient = patient,
                                   .choose = {.name = "fftw"}};
    c->name = pruned ? "pruned" : "slab";
    need(slab_create(&args, &c->slab));
    int64_t planes = begin[comm->rank + 1] - begin[comm->rank];
    values(c, planes * n * args.ldz);
    c->io = (struct slab_io){.mesh = c->mesh, .channels = 1};
    need(mem_alloc(&c->io.spectrum, c->reals + 8, sizeof(double), 1));
    mem_free(begin);
    mem_free(columns);
}

static void fftw_code(struct code *c, ptrdiff_t n, int patient)
{
    ptrdiff_t n0, first0, n1, first1;
    unsigned flags = patient ? FFTW_MEASURE : FFTW_ESTIMATE;
    c->name = "fftw_mpi";
    ptrdiff_t complexes = fftw_mpi_local_size_3d_transposed(
        n, n, n / 2 + 1, MPI_COMM_WORLD, &n0, &first0, &n1, &first1);
    values(c, 2 * complexes);
    fftw_complex *spectrum = (fftw_complex *)c->mesh;
    c->plan[0] =
        fftw_mpi_plan_dft_r2c_3d(n, n, n, c->mesh, spectrum, MPI_COMM_WORLD,
                                 flags | FFTW_MPI_TRANSPOSED_OUT);
    c->plan[1] =
        fftw_mpi_plan_dft_c2r_3d(n, n, n, spectrum, c->mesh, MPI_COMM_WORLD,
                                 flags | FFTW_MPI_TRANSPOSED_IN);
    if (!c->plan[0] || !c->plan[1])
        need(status_fail(FARSUM_ERR_INTERNAL, "FFTW-MPI makes no plan"));
}

/* Seconds of one direction on the slowest rank. */
static double run(struct code *c, int backward)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = clock_seconds();
    if (!c->slab)
        fftw_execute(c->plan[backward]);
    else
        need(backward ? slab_backward(c->slab, &c->io)
                      : slab_forward(c->slab, &c->io));
    double seconds = clock_seconds() - start;
    need(comm_max(comm, &seconds, 1));
    return seconds;
}

static void measure(int64_t n, int patient)
{
    struct code codes[CODES] = {{0}};
    slab_code(&codes[ALL], n, 0, patient);
    slab_code(&codes[PRUNED], n, 1, patient);
    fftw_code(&codes[FFTW_MPI], (ptrdiff_t)n, patient);
    for (int k = 0; k < RUNS; k++)
        for (int i = 0; i < CODES; i++)
            for (int backward = 0; backward < 2; backward++) {
                struct code *c = &codes[i];
                double *best = &c->best[backward], found = run(c, backward);
                *best = k == 0 || found < *best ? found : *best;
                /* the transforms do not normalise */
                for (int64_t j = 0; backward && j < c->reals; j++)
                    c->mesh[j] /= (double)n * (double)n * (double)n;
            }
    for (int i = 0; i < CODES; i++) {
        struct code *c = &codes[i];
        if (comm->rank == 0)
            printf("%d,%lld,%s,%d,%.3f,%.3f\n", comm->size, (long long)n,
                   c->name, patient, 1e3 * c->best[0], 1e3 * c->best[1]);
        slab_destroy(c->slab);
        for (int d = 0; d < 2; d++)
            if (c->plan[d])
                fftw_destroy_plan(c->plan[d]);
        mem_free(c->io.spectrum);
        mem_free(c->mesh);
    }
}

int main(int argc, char **argv)
{
    int patient = argc > 1 && strcmp(argv[1], "patient") == 0;
    int threads;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
    fftw_mpi_init();
    need(comm_mpi(MPI_COMM_WORLD, 0, &comm));
    if (comm->rank == 0)
        printf("ranks,mesh,code,patient,forward_ms,backward_ms\n");
    for (int i = 1 + patient; i < argc; i++)
        measure(atoll(argv[i]), patient);
    comm_destroy(comm);
    MPI_Finalize();
    return 0;
}
