/* SPDX-License-Identifier: Apache-2.0 */
/* fork.h: what a forked child may still use.
 *
 * A child has the thread that called fork and no other, so a team of threads
 * that its parent had never answers, and a lock that another thread held stays
 * locked.  Locks of this kind are free in a child: fork waits for them.  Who
 * holds one takes no other. */
#ifndef FARSUM_BASE_FORK_H
#define FARSUM_BASE_FORK_H

#include <pthread.h>

/* A lock of the process: static, from FORK_LOCK. */
struct fork_lock {
    pthread_mutex_t mutex;
    struct fork_lock *next; /* of those that fork waits for */
    int known;              /* 1: it is among them */
};
#define FORK_LOCK {.mutex = PTHREAD_MUTEX_INITIALIZER}

void fork_lock(struct fork_lock *lock);
void fork_unlock(struct fork_lock *lock);

/* 1: this process is the child of one that had several threads. */
int fork_alone(void);
/* Forks that lead here: what is made at another number is the parent's. */
int fork_count(void);
#endif
