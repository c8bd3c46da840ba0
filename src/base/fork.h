/* SPDX-License-Identifier: Apache-2.0 */
/* fork.h: locks and threads after fork.
 *
 * A child process has only the thread that called fork.  A team of threads that
 * the parent had does not exist in the child, and a lock that another thread
 * held stays locked.  The locks of this file are free in a child, because fork
 * waits for them.  A thread that holds one of them must not take another. */
#ifndef FARSUM_BASE_FORK_H
#define FARSUM_BASE_FORK_H

#include <pthread.h>

/* A lock of the process; static, initialised by FORK_LOCK. */
struct fork_lock {
    pthread_mutex_t mutex;
    struct fork_lock *next; /* next lock that fork waits for */
    int known;              /* 1: the lock is in that list */
};
#define FORK_LOCK {.mutex = PTHREAD_MUTEX_INITIALIZER}

void fork_lock(struct fork_lock *lock);
void fork_unlock(struct fork_lock *lock);

/* Returns 1 if this process was forked from one with several threads. */
int fork_alone(void);
/* Returns the number of forks between the first process and this one.
 * Something that was made at another count belongs to the parent. */
int fork_count(void);
#endif
