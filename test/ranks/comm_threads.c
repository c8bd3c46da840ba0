/* SPDX-License-Identifier: Apache-2.0 */
/* comm_threads.c: ranks as threads of one process. */
#include "ranks/comm_threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "check.h"

enum { YIELDS = 50 }; /* before a thread sleeps */
enum call_kind { GATHER, COUNTS, TRADE };
static const char *const call_names[] = {"gather", "counts", "trade"};

/* The arguments of a rank's current call. */
struct slot {
    enum call_kind kind;
    const void *send;
    const int64_t *to, *from; /* of trade; counts has only to */
    int64_t bytes;            /* of gather */
};

struct team {
    int size;
    const struct ranks_play *play;
    farsum_status (*work)(struct comm *, void *);
    void *data;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int arrived, gone; /* gone: 1 + the first rank whose work ended, or 0 */
    int64_t barriers;
    struct slot *slots;
};

struct rank {
    struct team *team;
    pthread_t thread;
    struct comm *comm;
    farsum_status status;
    int64_t calls;
    uint64_t random;
};

static int64_t most_calls;

/* Returns 0 when all ranks have arrived, else 1 + a rank whose work ended. */
static int team_wait(struct team *t)
{
    pthread_mutex_lock(&t->mutex);
    int64_t now = t->barriers;
    if (!t->gone && ++t->arrived == t->size) {
        t->arrived = 0;
        t->barriers++;
        pthread_cond_broadcast(&t->changed);
    }
    for (int k = 0; k < YIELDS && t->barriers == now && !t->gone; k++) {
        pthread_mutex_unlock(&t->mutex);
        sched_yield();
        pthread_mutex_lock(&t->mutex);
    }
    while (t->barriers == now && !t->gone)
        pthread_cond_wait(&t->changed, &t->mutex);
    int gone = t->barriers == now ? t->gone : 0;
    pthread_mutex_unlock(&t->mutex);
    return gone;
}

static void team_leave(struct team *t, int rank)
{
    pthread_mutex_lock(&t->mutex);
    if (!t->gone)
        t->gone = 1 + rank;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->mutex);
}

static void rank_delay(struct rank *me)
{
    int most = me->team->play->delay;
    if (most > 0)
        usleep((useconds_t)(random_next(&me->random) % (uint64_t)(most + 1)));
}

/* All ranks compare all slots, so that all fail if one differs. */
static farsum_status team_compare(const struct team *t)
{
    const struct slot *s = t->slots;
    for (int r = 1; r < t->size; r++) {
        if (s[r].kind != s[0].kind)
            FAIL(ERR_INTERNAL, "rank 0 calls %s, rank %d calls %s",
                 call_names[s[0].kind], r, call_names[s[r].kind]);
        if (s[r].bytes != s[0].bytes)
            FAIL(ERR_INTERNAL, "rank 0 gathers %lld bytes, rank %d %lld",
                 (long long)s[0].bytes, r, (long long)s[r].bytes);
    }
    for (int a = 0; s[0].kind == TRADE && a < t->size; a++)
        for (int b = 0; b < t->size; b++)
            if (s[a].to[b] != s[b].from[a] || s[a].to[b] < 0)
                FAIL(ERR_INTERNAL, "rank %d sends %lld bytes to rank %d, which "
                     "receives %lld", a, (long long)s[a].to[b], b,
                     (long long)s[b].from[a]);
    return FARSUM_OK;
}

static int64_t sum_of(const int64_t *values, int n)
{
    int64_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

/* Copies the other ranks' data to `got`. */
static void copy_parts(const struct team *t, int rank, void *got)
{
    int size = t->size;
    char *at = got;
    for (int r = 0; r < size; r++) {
        const struct slot *s = &t->slots[r];
        const char *part = s->send;
        int64_t bytes = s->bytes;
        if (s->kind == COUNTS) {
            part = (const char *)(s->to + rank);
            bytes = 8;
        } else if (s->kind == TRADE) {
            part += sum_of(s->to, rank);
            bytes = s->to[rank];
        }
        if (bytes > 0)
            memcpy(at, part, (size_t)bytes);
        at += bytes;
    }
}

static farsum_status rank_call(struct comm *comm, struct slot mine, void *got)
{
    struct rank *me = *(struct rank **)comm->inside;
    struct team *t = me->team;
    const struct ranks_play *play = t->play;
    me->calls++;
    rank_delay(me);
    t->slots[comm->rank] = mine;
    int gone = team_wait(t);
    if (gone)
        FAIL(ERR_COMM, "rank %d ended before this %s", gone - 1,
             call_names[mine.kind]);
    farsum_status status = team_compare(t);
    rank_delay(me);
    if (status == FARSUM_OK)
        copy_parts(t, comm->rank, got);
    team_wait(t); /* nobody can end here */
    if (comm->rank != play->fail_rank || me->calls != play->fail_call)
        return status;
    int64_t bytes = mine.kind == GATHER  ? mine.bytes * t->size
                    : mine.kind == TRADE ? sum_of(mine.from, t->size)
                                         : 8 * (int64_t)t->size;
    if (status == FARSUM_OK && bytes > 0)
        memset(got, 0xa5, (size_t)bytes);
    return status_fail(play->fail_status ? play->fail_status : FARSUM_ERR_COMM,
                       "call %lld of rank %d is made to fail",
                       (long long)me->calls, comm->rank);
}

static farsum_status threads_gather(struct comm *comm, const void *one,
                                    void *all, int64_t bytes)
{
    return rank_call(comm, (struct slot){GATHER, one, NULL, NULL, bytes}, all);
}

static farsum_status threads_counts(struct comm *comm, const int64_t *to,
                                    int64_t *from)
{
    return rank_call(comm, (struct slot){COUNTS, NULL, to, NULL, 0}, from);
}

static farsum_status threads_trade(struct comm *comm, const void *send,
                                   const int64_t *to, void *got,
                                   const int64_t *from)
{
    return rank_call(comm, (struct slot){TRADE, send, to, from, 0}, got);
}

static const struct comm_calls threads_calls = {
    threads_gather, threads_counts, threads_trade, NULL};

static void *rank_main(void *data)
{
    struct rank *me = data;
    struct team *t = me->team;
    me->status = t->work(me->comm, t->data);
    team_leave(t, me->comm->rank);
    return NULL;
}

int ranks_run(int size, const struct ranks_play *play,
              farsum_status (*work)(struct comm *, void *), void *data)
{
    static const struct ranks_play quiet;
    struct team team = {.size = size, .play = play ? play : &quiet,
                        .work = work, .data = data};
    struct rank *ranks = check_memory((size_t)size, sizeof *ranks);
    team.slots = check_memory((size_t)size, sizeof *team.slots);
    pthread_mutex_init(&team.mutex, NULL);
    pthread_cond_init(&team.changed, NULL);
    for (int r = 0; r < size; r++) {
        ranks[r].team = &team;
        ranks[r].random = team.play->seed + 1000003 * (uint64_t)r;
        if (comm_create(r, size, "threads", &threads_calls, sizeof(void *),
                        &ranks[r].comm) != FARSUM_OK)
            check_stop("%s", farsum_message());
        *(struct rank **)ranks[r].comm->inside = &ranks[r];
    }
    for (int r = 0; r < size; r++)
        if (pthread_create(&ranks[r].thread, NULL, rank_main, &ranks[r]) != 0)
            check_stop("no thread for rank %d", r);
    int failed = 0;
    most_calls = 0;
    for (int r = 0; r < size; r++) {
        pthread_join(ranks[r].thread, NULL);
        failed += ranks[r].status != FARSUM_OK;
        if (ranks[r].calls > most_calls)
            most_calls = ranks[r].calls;
        comm_destroy(ranks[r].comm);
    }
    pthread_mutex_destroy(&team.mutex);
    pthread_cond_destroy(&team.changed);
    free(team.slots);
    free(ranks);
    return failed;
}

int64_t ranks_calls_of(const struct comm *comm)
{
    return (*(struct rank **)comm->inside)->calls;
}

int64_t ranks_calls(void)
{
    return most_calls;
}
