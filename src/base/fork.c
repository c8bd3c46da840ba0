/* SPDX-License-Identifier: Apache-2.0 */
/* fork.c: what a forked child may still use. */
#include "base/fork.h"

#include <sys/stat.h>

/* Guards the list of locks. */
static pthread_mutex_t list = PTHREAD_MUTEX_INITIALIZER;
static struct fork_lock *first;
/* Written while there is one thread only. */
static int alone, count;
static int threads_ran; /* at the fork that is going on */

void fork_lock(struct fork_lock *lock)
{
    pthread_mutex_lock(&list);
    if (!lock->known) {
        lock->known = 1;
        lock->next = first;
        first = lock;
    }
    pthread_mutex_unlock(&list);
    pthread_mutex_lock(&lock->mutex);
}

void fork_unlock(struct fork_lock *lock)
{
    pthread_mutex_unlock(&lock->mutex);
}

int fork_alone(void)
{
    return alone;
}

int fork_count(void)
{
    return count;
}

/* Threads that the process has; a folder has two links more than folders. */
static int several_threads(void)
{
    struct stat tasks;
    return stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink != 3;
}

static void before(void)
{
    pthread_mutex_lock(&list);
    for (struct fork_lock *l = first; l; l = l->next)
        pthread_mutex_lock(&l->mutex);
    threads_ran = several_threads();
}

static void release(void)
{
    for (struct fork_lock *l = first; l; l = l->next)
        pthread_mutex_unlock(&l->mutex);
    pthread_mutex_unlock(&list);
}

static void after_in_child(void)
{
    alone |= threads_ran;
    count++;
    release();
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before, release, after_in_child);
}
