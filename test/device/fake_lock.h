/* SPDX-License-Identifier: Apache-2.0 */
/* fake_lock.h: a lock of the simulated driver. */
#ifndef FARSUM_TEST_DEVICE_FAKE_LOCK_H
#define FARSUM_TEST_DEVICE_FAKE_LOCK_H

#include <pthread.h>

/* Ranks are threads.  LOCKED holds the lock until the function returns. */
static pthread_mutex_t mutex;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void mutex_make(void)
{
    pthread_mutexattr_t how;
    pthread_mutexattr_init(&how);
    pthread_mutexattr_settype(&how, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &how);
}
static int lock(void)
{
    pthread_once(&once, mutex_make);
    return pthread_mutex_lock(&mutex);
}
static void unlock(const int *locked)
{
    (void)locked;
    pthread_mutex_unlock(&mutex);
}
#define LOCKED __attribute__((cleanup(unlock), unused)) int locked = lock()
#endif
