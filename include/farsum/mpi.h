/* SPDX-License-Identifier: Apache-2.0 */
/* mpi.h: sums over the ranks of MPI, in the library libfarsum_mpi.
 *
 *     MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
 *     problem.n_sources = n;                     this rank's own, 0 is legal
 *     farsum_mpi_plan_create(&problem, NULL, NULL, MPI_COMM_WORLD, &plan);
 *     farsum_plan_set_points(plan, n, x, 0, NULL);    any points, on any rank
 *     farsum_plan_execute(plan, 1, q, &result);       results of these points
 *     farsum_plan_destroy(plan);
 *     MPI_Finalize();
 *
 * A call that is collective must be made by all ranks of the communicator, in
 * the same order.  Collective are farsum_mpi_plan_create, and for its plan
 * farsum_plan_set_points, execute, set_cell, set_exclusions and destroy, and
 * with device arrays finish.  Not collective are farsum_mpi_domain,
 * farsum_mpi_get_info, farsum_plan_get_info, get_options and print.  For meshes
 * and NUFFTs collective are create, set_points, spread, interp, execute and
 * destroy; all other calls are not.
 *
 * A collective call that fails on one rank fails on all, with the same status
 * and with a message that names the rank ("rank 3: ...").  These fail on their
 * rank only, and the others may wait for ever: a NULL plan, mesh or NUFFT, an
 * invalid communicator, and MPI that is not running.  With
 * farsum_mpi_options.patience a rank that has waited too long fails alone, with
 * FARSUM_ERR_COMM, and refuses all later calls.  Farsum does not survive the
 * end of a process: MPI then ends the job.
 *
 * The library's MPI must be that of the program.  This header is the only one
 * that includes mpi.h.  docs/cluster.md explains more. */
#ifndef FARSUM_MPI_H
#define FARSUM_MPI_H

#include <mpi.h>

#include "farsum/farsum.h"
#include "farsum/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How ranks exchange data.  Start from FARSUM_MPI_OPTIONS_INIT.  The same on
 * all ranks. */
typedef struct farsum_mpi_options {
    size_t size;           /* sizeof(farsum_mpi_options), set by the macro */
    int64_t message_bytes; /* longest message; longer ones travel in parts.  1
                              .. 2^30 (default: 2^30) */
    const char *transport; /* between devices: "nccl" copies from GPU to GPU,
                              "staged" through the host.  Read during create
                              (default: the first that works on all ranks) */
    double patience;       /* seconds that a call waits for other ranks, their
                              work included, before it fails with
                              FARSUM_ERR_COMM (default: 0, for ever) */
    int domain[2];         /* plans of method spectral on hosts: ranks along
                              axes 0 and 1 of the cell.  {p, 1}: slabs; {p1,
                              p2}: pencils, p1 p2 = p, the number of ranks; a
                              single 0 follows from the other number (default:
                              {0, 0}, with the fewest expected seconds).  All
                              others have slabs (docs/cluster.md) */
    int accept_single;     /* 1: MPI_Init without a level of threads suffices.
                              Farsum's threads make no calls of MPI; MPICH and
                              Open MPI then need no level (default: 0) */
} farsum_mpi_options;
#define FARSUM_MPI_OPTIONS_INIT {.size = sizeof(farsum_mpi_options)}

/* Creates a plan over the ranks of `comm`, which is duplicated; the plan frees
 * the duplicate.  Collective.
 *
 * problem: n_sources, n_targets, samples and exclusions are this rank's own;
 * exclusions name particles of any rank (docs/api.md, 11).  n_sources = 0 is
 * legal if another rank has sources.  The sample is used if all ranks with
 * sources give theirs.  All other fields must be the same on all ranks.
 * options: NULL or how to sum; the same on all ranks, except for threads, isa,
 * memory_limit, log, progress and the device; only its back end must be the
 * same.  device.name without a number ("cuda"): the ranks of a machine take its
 * devices in turn.  device.handle: each rank's own.  mpi: NULL or how to
 * exchange data.  plan: out; the caller owns *plan and frees it with
 * farsum_plan_destroy().  All functions of a plan accept it.  On failure *plan
 * is unchanged.
 *
 * Energy, virial, estimates and statuses are the same on all ranks.  With the
 * same ranks and the same input, results repeat bitwise as far as
 * options.deterministic says.
 *
 * Errors: those of farsum_plan_create; ERR_STATE if MPI is not running, or was
 * initialised without MPI_THREAD_FUNNELED (but see accept_single), or with
 * FUNNELED by another thread, or if libfarsum has another version;
 * ERR_ARGUMENT for MPI_COMM_NULL, an intercommunicator, a field that differs,
 * or a domain of another number of ranks; ERR_UNKNOWN for an unknown transport;
 * ERR_UNSUPPORTED for a transport on the host or one that does not work on all
 * ranks, for methods except spectral and fmm, for pencils on devices or with
 * fmm, and for options that fmm lacks over ranks (docs/cluster.md); ERR_DEVICE
 * if a device does not work; ERR_COMM if MPI or NCCL fails. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_mpi_plan_create(const farsum_problem *problem,
                       const farsum_options *options,
                       const farsum_mpi_options *mpi, MPI_Comm comm,
                       farsum_plan **plan);
/* The same for Fortran's handle of a communicator (comm%MPI_VAL of mpi_f08). */
FARSUM_API FARSUM_MUST_CHECK farsum_status farsum_mpi_plan_create_fortran(
    const farsum_problem *problem, const farsum_options *options,
    const farsum_mpi_options *mpi, MPI_Fint comm, farsum_plan **plan);

/* Gets the part of the cell whose points this rank owns and sums.  A program
 * that keeps its points there makes set_points and execute send fewer bytes.
 * The part may change in set_cell, and in set_points if the points are
 * clustered (docs/cluster.md).  In open space it is a part of a box around all
 * points, which set_points determines; before that it is empty.  cell: out,
 * rows a, b, c of a basis of the lattice, in the caller's length: those of the
 * problem's cell, unless it is strongly tilted or left-handed; NULL: not
 * returned.  low, high: out, fractions along these rows; the part is low <= s <
 * high, and empty if low[0] = high[0].  Errors: ERR_ARGUMENT, also for a plan
 * of farsum_plan_create. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_mpi_domain(const farsum_plan *plan, double cell[9], double low[3],
                  double high[3]);

/* The work of this rank.  Bytes and seconds accumulate from create on: subtract
 * two readings to get those of the calls between them.  Bytes are those sent to
 * other ranks.  Seconds are those within calls of MPI, waiting included; with
 * transport "nccl" also the device's seconds in exchanges, which
 * farsum_plan_finish adds, for the first 64 exchanges of an execute. */
typedef struct farsum_mpi_info {
    size_t size;         /* set by FARSUM_MPI_INFO_INIT */
    int ranks, rank;     /* of the plan's communicator */
    int64_t own;         /* sources in its part of the cell, after set_points */
    int64_t ghosts;      /* copies of other ranks' points and of images */
    double imbalance;    /* largest `own` of a rank over the mean, >= 1 */
    int64_t bytes_sent;  /* all bytes; the next four are parts of them */
    int64_t bytes_route; /* points, strengths and results between the ranks
                            that pass them and those that sum them */
    int64_t bytes_ghosts, bytes_planes; /* ghosts; halo planes of the mesh */
    int64_t bytes_transform; /* columns of the Fourier transform */
    double seconds_route, seconds_ghosts, seconds_planes, seconds_transform;
    double seconds_waiting; /* in all other exchanges: sums and agreements, in
                               which ranks wait for the slowest.  In create
                               also the samples, and while rank 0 chooses */
    const char *transport;  /* between devices: "nccl", "staged"; "": the host;
                               static */
    double work_imbalance;  /* largest modelled seconds of a rank over the mean,
                               when set_points last counted (docs/cluster.md);
                               slabs of spectral, and fmm on hosts, else 0 */
    int64_t recuts;         /* times that set_points has changed the ranks'
                               parts */
    int domain[2];          /* ranks along axes 0 and 1 of the cell; {ranks, 1}:
                               slabs */
} farsum_mpi_info;
#define FARSUM_MPI_INFO_INIT {.size = sizeof(farsum_mpi_info)}
/* Gets the work of this rank.  info: start from FARSUM_MPI_INFO_INIT.  Errors:
 * ERR_ARGUMENT, also for a plan of farsum_plan_create. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_mpi_get_info(const farsum_plan *plan, farsum_mpi_info *info);

/* Creates a mesh over the ranks of `comm`, which is duplicated.  Collective.
 * Each rank passes any points, or none, and gets their values; its `grid` is
 * its own planes of the mesh along axis 0: [channel][own planes][mesh1][ldz].
 *
 * problem: n_points is the number that this rank expects to pass.  All other
 * fields, and the options except threads, isa, log and the device, must be the
 * same on all ranks.  Each rank may have a device, all of one back end:
 * on_device is its own, and "cuda" as for farsum_mpi_plan_create.  Calls wait
 * for the devices.  Rank 0 chooses the window and the variants, once for all
 * points.  mesh: out; the caller owns *mesh and frees it with
 * farsum_mesh_destroy().  All functions of a mesh accept it.  All ranks with
 * points request the same outputs.  A rank without planes may pass NULL as
 * grid.  After a failed spread or interp the results are undefined.
 *
 * Errors: those of farsum_mesh_create, and those of communicators, transports
 * and devices in farsum_mpi_plan_create; ERR_UNSUPPORTED for a domain that is
 * not one of slabs. */
FARSUM_API FARSUM_MUST_CHECK farsum_status farsum_mpi_mesh_create(
    const farsum_mesh_problem *problem, const farsum_mesh_options *options,
    const farsum_mpi_options *mpi, MPI_Comm comm, farsum_mesh **mesh);
/* Gets this rank's planes: *first <= m_0 < *first + *count.  They do not
 * change.  Errors: ERR_ARGUMENT, also for a mesh of farsum_mesh_create. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_mpi_mesh_planes(const farsum_mesh *mesh, int64_t *first, int64_t *count);

/* Creates a NUFFT over the ranks of `comm`, which is duplicated.  Collective.
 * Each rank passes any points, none too: c is [channel][n].  f has the rank's
 * own modes along axis 0: [channel][own modes][N_1][N_2].
 *
 * problem, options, nufft and errors: as for farsum_mpi_mesh_create.  Results
 * are complete when execute returns, also those on devices. */
FARSUM_API FARSUM_MUST_CHECK farsum_status farsum_mpi_nufft_create(
    const farsum_nufft_problem *problem, const farsum_mesh_options *options,
    const farsum_mpi_options *mpi, MPI_Comm comm, farsum_nufft **nufft);
/* Gets this rank's modes: *first <= k_0 + N_0/2 < *first + *count.  They do not
 * change.  Errors: ERR_ARGUMENT, also for a NUFFT of farsum_nufft_create. */
FARSUM_API FARSUM_MUST_CHECK farsum_status farsum_mpi_nufft_modes(
    const farsum_nufft *nufft, int64_t *first, int64_t *count);

/* Get the work of this rank, as farsum_mpi_get_info does: own is the number of
 * points in its planes; there are no ghosts.  bytes_transform includes the
 * modes on their way to and from f. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_mpi_mesh_get_info(const farsum_mesh *mesh, farsum_mpi_info *info);
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_mpi_nufft_get_info(const farsum_nufft *nufft, farsum_mpi_info *info);

/* Returns "MAJOR.MINOR.PATCH" of the running libfarsum_mpi, a static text. */
FARSUM_API const char *farsum_mpi_version(void);

#ifdef __cplusplus
}
#endif
#endif
