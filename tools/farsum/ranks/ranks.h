/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.h: copies of the command that one launcher of MPI started.
 *
 * The command does not link MPI.  It opens libfarsum_mpi at run time.  All
 * functions with a struct ranks are collective: all copies call them in the
 * same order.  With ranks NULL, which is one process, sums and agreements
 * change nothing. */
#ifndef FARSUM_TOOLS_RANKS_H
#define FARSUM_TOOLS_RANKS_H

#include <stddef.h>
#include <stdint.h>

#include <farsum/farsum.h>

#include "mpi/world.h"

/* --- marks.c: what a launcher leaves in the environment --- */

struct ranks_marks {
    int size;         /* copies; 0: unknown, 1: no launcher */
    int rank, local;  /* local: among the copies of this node */
    const char *name; /* of the variable; NULL: no launcher */
};
struct ranks_marks ranks_marks(void);
/* 1: a launcher started several copies, or an unknown number. */
int ranks_are_marked(const struct ranks_marks *marks);

/* --- launch.c --- */

/* Starts the command as `ranks` copies, with the launcher that belongs to the
 * MPI of libfarsum_mpi.  Returns only on failure, the exit status. */
int ranks_launch(int ranks, int argc, char **argv);

/* --- library.c --- */

/* libfarsum_mpi's functions. */
struct ranks_library {
    farsum_mpi_world_fn *world;
    farsum_mpi_world_end_fn *world_end;
    farsum_mpi_world_abort_fn *world_abort;
    int (*mpi_version)(char *text, int *length); /* NULL: not found */
};
/* Opens it: next to libfarsum, next to the command, or where the loader finds
 * it.  Returns 0, or -1 with the reason.  It stays open. */
int ranks_library(struct ranks_library *library, char *error, size_t size);

/* --- ranks.c --- */

struct ranks;
/* command: the subcommand's name.  Returns 0, or an exit status after the
 * reason was printed. */
int ranks_open(const struct ranks_marks *marks, const char *command,
               struct ranks **ranks);
void ranks_close(struct ranks *ranks); /* NULL is legal */
int ranks_rank(const struct ranks *ranks); /* NULL: 0 */
int ranks_size(const struct ranks *ranks); /* NULL: 1 */
/* A communicator for another plan; NULL: failed, on all ranks, with the
 * library's message. */
struct comm *ranks_comm(struct ranks *ranks);
/* Sets the seconds that a copy waits for others from now on; 0: for ever. */
void ranks_patience(struct ranks *ranks, double seconds);
/* Returns the status of a plan's call.  But with patience it ends all copies,
 * with the library's message, if this one has lost the others: it cannot agree
 * with them.  Not collective. */
farsum_status ranks_end(struct ranks *ranks, farsum_status status);
/* Threads of this copy, so that the copies of a node share its processors. */
int ranks_threads(struct ranks *ranks);

/* status: of this copy; 0: it did not fail.  Returns the status of the lowest
 * copy that failed, or 0.  Rank 0 prints that copy's error. */
int ranks_agree(struct ranks *ranks, int status);
/* The same without words: 1 if a copy failed. */
int ranks_any(struct ranks *ranks, int failed);
/* all [size][bytes]: what each copy gives. */
void ranks_gather(struct ranks *ranks, const void *one, void *all,
                  size_t bytes);
/* from[r]: the number that copy r gives for this one in its `to`. */
void ranks_counts(struct ranks *ranks, const int64_t *to, int64_t *from);
/* Moves to[r] bytes to each copy r. */
void ranks_trade(struct ranks *ranks, const void *send, const int64_t *to,
                 void *got, const int64_t *from);
/* Sums and largest values over the copies, the same on all. */
void ranks_sum(struct ranks *ranks, double *values, int n);
void ranks_max(struct ranks *ranks, double *values, int n);
#endif
