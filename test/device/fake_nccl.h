/* SPDX-License-Identifier: Apache-2.0 */
/* fake_nccl.h: simulated NCCL or RCCL among threads, on the simulated driver.
 *
 * Calls return "in progress", and ncclCommGetAsyncError does the work, after a
 * few calls.  A receive waits for the other rank's send, for ever if that does
 * not come. */
#ifndef FARSUM_TEST_DEVICE_FAKE_NCCL_H
#define FARSUM_TEST_DEVICE_FAKE_NCCL_H

#include <stddef.h>

struct fake_nccl {
    /* The test sets: the call `fail` of rank fail_rank returns `error`; ""
     * none.  The words are "init", "poll", "send", "receive", "end". */
    char fail[16];
    int fail_rank, error;
    int version; /* that the library reports */
    int loose;   /* 1: receives do not wait, and leave their buffers as they
                    are */
    /* fake_current, or NULL: calls are then not checked. */
    void *(*current)(int *device);
    int *busy; /* set to 0 by an abort; NULL is legal */
    /* The library sets: */
    int comms;      /* existing now */
    int aborted, destroyed, sends;
    int bad;        /* calls that the real library forbids */
    void *queue[8]; /* of each rank's last send */
};

/* Exported. */
struct fake_nccl *fake_nccl_state(void);
#endif
