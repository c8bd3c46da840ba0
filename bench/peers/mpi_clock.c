/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_clock.c: a preloaded library that tells how much processor time a rank
 * spends in calls of MPI that wait.
 *
 *     mpicc -O2 -shared -fPIC bench/peers/mpi_clock.c -o mpi_clock.so
 *     LD_PRELOAD=$PWD/mpi_clock.so mpiexec -n 2 PROGRAM
 *
 * On a busy machine a rank waits mostly for a processor to run the other ranks,
 * and MPI polls meanwhile.  The processor time less that of these calls is the
 * work of the rank, copies of messages excluded.  For programs that call MPI
 * from one thread. */
#include <mpi.h>
#include <time.h>

static double inside;

/* Seconds in the calls below so far. */
double mpi_clock_inside(void);
double mpi_clock_inside(void)
{
    return inside;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* MPI_NAME calls PMPI_NAME. */
#define WRAP(name, parameters, arguments)                                      \
    int MPI_##name parameters                                                  \
    {                                                                          \
        double start = now();                                                  \
        int error = PMPI_##name arguments;                                     \
        inside += now() - start;                                               \
        return error;                                                          \
    }

#define DATA const void *a, int n, MPI_Datatype t
#define COPY                                                                   \
    const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u

WRAP(Wait, (MPI_Request * r, MPI_Status *s), (r, s))
WRAP(Waitall, (int n, MPI_Request *r, MPI_Status *s), (n, r, s))
WRAP(Waitany, (int n, MPI_Request *r, int *k, MPI_Status *s), (n, r, k, s))
WRAP(Barrier, (MPI_Comm c), (c))
WRAP(Bcast, (void *a, int n, MPI_Datatype t, int root, MPI_Comm c),
     (a, n, t, root, c))
WRAP(Send, (DATA, int to, int tag, MPI_Comm c), (a, n, t, to, tag, c))
WRAP(Rsend, (DATA, int to, int tag, MPI_Comm c), (a, n, t, to, tag, c))
WRAP(Recv,
     (void *a, int n, MPI_Datatype t, int from, int tag, MPI_Comm c,
      MPI_Status *s),
     (a, n, t, from, tag, c, s))
WRAP(Sendrecv,
     (DATA, int to, int tag, void *b, int m, MPI_Datatype u, int from,
      int other, MPI_Comm c, MPI_Status *s),
     (a, n, t, to, tag, b, m, u, from, other, c, s))
WRAP(Reduce,
     (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, int root,
      MPI_Comm c),
     (a, b, n, t, o, root, c))
WRAP(Allreduce,
     (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c),
     (a, b, n, t, o, c))
WRAP(Scan,
     (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c),
     (a, b, n, t, o, c))
WRAP(Reduce_scatter,
     (const void *a, void *b, const int n[], MPI_Datatype t, MPI_Op o,
      MPI_Comm c),
     (a, b, n, t, o, c))
WRAP(Gather, (COPY, int root, MPI_Comm c), (a, n, t, b, m, u, root, c))
WRAP(Allgather, (COPY, MPI_Comm c), (a, n, t, b, m, u, c))
WRAP(Allgatherv,
     (DATA, void *b, const int m[], const int at[], MPI_Datatype u, MPI_Comm c),
     (a, n, t, b, m, at, u, c))
WRAP(Alltoall, (COPY, MPI_Comm c), (a, n, t, b, m, u, c))
WRAP(Alltoallv,
     (const void *a, const int n[], const int from[], MPI_Datatype t, void *b,
      const int m[], const int at[], MPI_Datatype u, MPI_Comm c),
     (a, n, from, t, b, m, at, u, c))
