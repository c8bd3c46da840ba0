/* SPDX-License-Identifier: Apache-2.0 */
/* parallel.c: texts compiled by several threads. */
#include "device/compile/parallel.h"

#include "base/c_locale.h"
#include "base/fork.h"
#include "base/fpenv.h"
#include "base/mem.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PARTS = 4 };
enum state { WAITS, RUNS, DONE };

/* Its memory does not come from mem_alloc, which counts per thread. */
struct compile {
    struct compile *next;
    struct device *device; /* borrowed from the first requester */
    struct cache_key key;
    char *text[PARTS];     /* owned; the key's parts */
    int users;
    enum state state;
    farsum_status status;
    char message[1024];
    void *binary;          /* owned */
    int64_t bytes;
    int cached;
};

enum thread_state { FREE, BUSY, JOINS };
static struct fork_lock lock = FORK_LOCK;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
/* Protected by the lock: */
static struct compile *all; /* in the order of the requests */
static struct {
    pthread_t thread;
    enum thread_state state;
} threads[COMPILE_THREADS];
static int forks; /* fork_count() of the process that made these threads */

static void compile_free(struct compile *one)
{
    for (int p = 0; p < PARTS; p++)
        free(one->text[p]);
    free(one->binary);
    free(one);
}

static farsum_status compile_copy(struct compile *one, const void *binary,
                                  int64_t bytes)
{
    one->binary = malloc((size_t)bytes);
    if (!one->binary)
        FAIL(ERR_MEMORY, "%lld bytes could not be allocated",
             (long long)bytes);
    memcpy(one->binary, binary, (size_t)bytes);
    one->bytes = bytes;
    return FARSUM_OK;
}

farsum_status compile_again(const struct compile *one, struct device *device,
                            void **binary, int64_t *bytes)
{
    TRY(device->backend->compile(device, one->text[PARTS - 1], binary, bytes));
    /* a cache that cannot be written only costs time later */
    (void)!cache_put(&one->key, *binary, *bytes);
    return FARSUM_OK;
}

/* Call without the lock.  Only this thread accesses the fields that it
 * writes. */
static void compile_run(struct compile *one)
{
    farsum_status status = FARSUM_OK;
    void *binary = NULL;
    int64_t bytes = 0;
    void *words = c_locale_enter();
    fp_hold();
    one->cached = cache_get(&one->key, &binary, &bytes);
    if (!one->cached)
        GO(compile_again(one, one->device, &binary, &bytes));
    GO(compile_copy(one, binary, bytes));
done:
    mem_free(binary);
    one->status = status;
    if (status != FARSUM_OK)
        snprintf(one->message, sizeof one->message, "%s", farsum_message());
    fp_release();
    c_locale_leave(words);
}

/* Call with the lock, which is released during the compilation. */
static void compile_now(struct compile *one)
{
    one->state = RUNS;
    fork_unlock(&lock);
    compile_run(one);
    fork_lock(&lock);
    one->state = DONE;
    pthread_cond_broadcast(&changed);
}

static struct compile *next_waiting(void)
{
    for (struct compile *one = all; one; one = one->next)
        if (one->state == WAITS)
            return one;
    return NULL;
}

static void *thread_run(void *unused)
{
    struct compile *one;
    (void)unused;
    fork_lock(&lock);
    while ((one = next_waiting()))
        compile_now(one);
    for (int t = 0; t < COMPILE_THREADS; t++)
        if (threads[t].state == BUSY
            && pthread_equal(threads[t].thread, pthread_self()))
            threads[t].state = JOINS;
    pthread_cond_broadcast(&changed);
    fork_unlock(&lock);
    return NULL;
}

static int processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n < COMPILE_THREADS ? (int)n : COMPILE_THREADS;
}

/* Call with the lock.  Starts one more thread if allowed.  Without any thread,
 * the waiting thread compiles. */
static void thread_start(void)
{
    sigset_t none, before;
    int most = processors();
    for (int t = 0; t < most; t++) {
        if (threads[t].state == BUSY)
            continue;
        if (threads[t].state == JOINS) /* the thread has released the lock */
            pthread_join(threads[t].thread, NULL);
        sigfillset(&none);
        pthread_sigmask(SIG_SETMASK, &none, &before);
        int failed = pthread_create(&threads[t].thread, NULL, thread_run, NULL);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        threads[t].state = failed ? FREE : BUSY;
        return;
    }
}

static int threads_are(enum thread_state state)
{
    int n = 0;
    for (int t = 0; t < COMPILE_THREADS; t++)
        n += threads[t].state == state;
    return n;
}

/* Call with the lock, when no text is left.  Ends all threads, so that the
 * library may be unloaded. */
static void threads_end(void)
{
    while (!all && threads_are(BUSY) > 0)
        pthread_cond_wait(&changed, &lock.mutex);
    for (int t = 0; !all && t < COMPILE_THREADS; t++)
        if (threads[t].state == JOINS) {
            pthread_join(threads[t].thread, NULL);
            threads[t].state = FREE;
        }
}

static int compile_is(const struct compile *one, const struct cache_key *key)
{
    for (int p = 0; p < PARTS; p++)
        if (strcmp(one->text[p], key->parts[p]) != 0)
            return 0;
    return 1;
}

static struct compile *compile_new(struct device *device,
                                   const struct cache_key *key)
{
    struct compile *one = calloc(1, sizeof *one);
    for (int p = 0; one && p < PARTS; p++) {
        one->text[p] = strdup(key->parts[p]);
        if (!one->text[p]) {
            compile_free(one);
            return NULL;
        }
        one->key.parts[p] = one->text[p];
    }
    if (one)
        one->device = device;
    return one;
}

/* Call with the lock.  A forked child has none of its parent's threads and does
 * not own their work. */
static void compile_here(void)
{
    if (forks == fork_count())
        return;
    forks = fork_count();
    all = NULL;
    memset(threads, 0, sizeof threads);
    changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}

farsum_status compile_start(struct device *device, const struct cache_key *key,
                            struct compile **one)
{
    struct compile **at = &all;
    fork_lock(&lock);
    compile_here();
    while (*at && !compile_is(*at, key))
        at = &(*at)->next;
    if (!*at) {
        *at = compile_new(device, key);
        if (*at)
            thread_start();
    }
    *one = *at;
    if (*one)
        (*one)->users++;
    fork_unlock(&lock);
    if (!*one)
        FAIL(ERR_MEMORY, "no memory for a kernel's text");
    return FARSUM_OK;
}

int compile_done(struct compile *one)
{
    fork_lock(&lock);
    int done = one->state == DONE;
    fork_unlock(&lock);
    return done;
}

/* Call with the lock. */
static void compile_await(struct compile *one)
{
    if (one->state == WAITS)
        compile_now(one);
    while (one->state != DONE)
        pthread_cond_wait(&changed, &lock.mutex);
}

void compile_wait(struct compile *one)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    fork_lock(&lock);
    if (one->state == WAITS)
        compile_now(one);
    if (one->state != DONE)
        pthread_cond_timedwait(&changed, &lock.mutex, &until);
    fork_unlock(&lock);
}

farsum_status compile_result(const struct compile *one,
                             struct compile_result *result)
{
    if (one->status != FARSUM_OK)
        return status_fail(one->status, "%s", one->message);
    *result = (struct compile_result){one->binary, one->bytes, one->cached};
    return FARSUM_OK;
}

void compile_release(struct compile *one)
{
    struct compile **at = &all;
    if (!one)
        return;
    fork_lock(&lock);
    /* its device may be closed after this, whoever else waits */
    if (one->state == RUNS || (one->state == WAITS && one->users > 1))
        compile_await(one);
    if (--one->users == 0) {
        while (*at != one)
            at = &(*at)->next;
        *at = one->next;
        compile_free(one);
    }
    if (!all)
        threads_end();
    fork_unlock(&lock);
}
