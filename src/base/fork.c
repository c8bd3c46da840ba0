/* SPDX-License-Identifier: Apache-2.0 */
/* fork.c: locks and threads after fork. */
#include "base/fork.h"

#include <sys/stat.h>

/* Guards the list of locks. */
static pthread_mutex_t list = PTHREAD_MUTEX_INITIALIZER;
static struct fork_lock *first;
/* written while the process has a single thread */
static int alone, count;
static int threads_ran; /* during the current fork: 1 if the parent has several
                           threads */

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

/* Returns 1 if the process has several threads.  A folder has two links more
 * than it has subfolders. */
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
