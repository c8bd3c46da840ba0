/* SPDX-License-Identifier: Apache-2.0 */
/* comm_threads.h: ranks as threads of one process.
 *
 * Each rank has its own struct comm.  A call copies its arrays, waits for the
 * other ranks, and reads their copies.  It fails if the ranks call different
 * functions, or state different sizes.  If a rank's work ends, the other ranks'
 * next call fails with FARSUM_ERR_COMM, so a test never hangs; with patience
 * they wait for it instead, as for a process that died unnoticed.
 *
 *     static farsum_status work(struct comm *comm, void *data) { ... }
 *     CHECK(ranks_run(3, NULL, work, &data) == 0, "a rank failed"); */
#ifndef FARSUM_TEST_COMM_THREADS_H
#define FARSUM_TEST_COMM_THREADS_H

#include "comm/comm.h"

/* Disturbances; all 0: none. */
struct ranks_play {
    int delay; /* longest random delay before and within a call, microseconds */
    uint64_t seed;
    /* Rank fail_rank takes part in its fail_call-th call (1: the first), but
     * this call overwrites its results with nonsense and returns fail_status
     * (0: FARSUM_ERR_COMM), "call K of rank R is made to fail". */
    int fail_rank;
    int64_t fail_call; /* 0: none */
    farsum_status fail_status;
    double patience; /* of all ranks (comm.h) */
    /* Rank late_rank sleeps before its late_call-th call. */
    int late_rank;
    int64_t late_call; /* 0: never */
    double late;       /* seconds */
};

/* Runs work(comm, data) on `size` threads.  Returns the number of ranks whose
 * work did not return FARSUM_OK.  play may be NULL. */
int ranks_run(int size, const struct ranks_play *play,
              farsum_status (*work)(struct comm *, void *), void *data);
/* The number of calls that this rank has made so far. */
int64_t ranks_calls_of(const struct comm *comm);
/* The largest number of calls that a rank made in the last ranks_run: a test
 * lets each of them fail. */
int64_t ranks_calls(void);
/* 1: the allocation of this thread that was to fail, the at-th, has not been
 * reached.  None fails afterwards. */
int ranks_fail_is_left(int64_t at);
#endif
