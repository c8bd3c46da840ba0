/* SPDX-License-Identifier: Apache-2.0 */
/* comm_threads.c: ranks as threads of one process. */
#include "ranks/comm_threads.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/random.h"
#include "check.h"
#include "cost/links.h"

enum call_kind { GATHER, COUNTS, TRADE };
static const char *const call_names[] = {"gather", "counts", "trade"};

/* The arguments of a rank's call. */
struct call {
    enum call_kind kind;
    const void *send;
    const int64_t *to, *from; /* of trade; counts has only to */
    int64_t bytes;            /* of gather */
};

/* A call whose arrays are copies, so that the rank may go on while others read
 * them. */
struct slot {
    struct call call;
    int64_t capacity;
    char *memory; /* owned */
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
    int64_t *at;        /* [size]: barriers that each rank has reached */
    struct slot *slots; /* [2][size]: of calls with odd and even numbers.  A
                           rank that is in the call after the next one has
                           read them */
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

/* The time at which patience ends. */
static struct timespec deadline(double patience)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    double end = (double)t.tv_nsec * 1e-9 + patience;
    t.tv_sec += (time_t)end;
    t.tv_nsec = (long)((end - floor(end)) * 1e9);
    return t;
}

/* Waits for a change.  Returns 0 if patience ended. */
static int team_changed(struct team *t, const struct timespec *end)
{
    if (t->play->patience == 0)
        return pthread_cond_wait(&t->changed, &t->mutex) == 0;
    return pthread_cond_timedwait(&t->changed, &t->mutex, end) == 0;
}

static farsum_status team_lose(struct team *t, struct comm *comm, int64_t now)
{
    char who[96] = "ranks";
    for (int r = 0; r < t->size; r++)
        if (t->at[r] <= now && strlen(who) < 64)
            snprintf(who + strlen(who), 32, " %d", r);
    return comm_lose(comm, who);
}

/* Returns FARSUM_OK when all ranks have arrived. */
static farsum_status team_wait(struct team *t, struct comm *comm,
                               const char *call)
{
    farsum_status status = FARSUM_OK;
    double patience = t->play->patience;
    const struct timespec end = deadline(patience);
    pthread_mutex_lock(&t->mutex);
    int64_t now = t->barriers;
    t->at[comm->rank] = now + 1;
    if ((!t->gone || patience > 0) && ++t->arrived == t->size) {
        t->arrived = 0;
        t->barriers++;
        pthread_cond_broadcast(&t->changed);
    }
    int waits = 1;
    while (t->barriers == now && (!t->gone || patience > 0) && waits)
        waits = team_changed(t, &end);
    if (t->barriers == now && !waits)
        status = team_lose(t, comm, now);
    else if (t->barriers == now)
        status = status_fail(FARSUM_ERR_COMM, "rank %d ended before this %s",
                             t->gone - 1, call);
    pthread_mutex_unlock(&t->mutex);
    return status;
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

static int64_t sum_of(const int64_t *values, int n)
{
    int64_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

/* Copies bytes to the slot's memory, and returns the copy. */
static void *slot_copy(struct slot *s, int64_t *used, const void *from,
                       int64_t bytes)
{
    char *to = s->memory + *used;
    if (from && bytes > 0)
        memcpy(to, from, (size_t)bytes);
    *used += (bytes + 7) / 8 * 8;
    return to;
}

static void slot_fill(struct slot *s, struct call call, int size)
{
    int64_t lists = 8 * (int64_t)size, used = 0;
    int64_t bytes = call.kind == GATHER  ? call.bytes
                    : call.kind == TRADE ? sum_of(call.to, size)
                                         : 0;
    bytes = bytes > 0 ? bytes : 0;
    if (s->capacity < 2 * lists + bytes + 8) {
        free(s->memory);
        s->capacity = 2 * (2 * lists + bytes + 8);
        s->memory = check_memory((size_t)s->capacity, 1);
    }
    s->call = call;
    if (call.to)
        s->call.to = slot_copy(s, &used, call.to, lists);
    if (call.from)
        s->call.from = slot_copy(s, &used, call.from, lists);
    s->call.send = slot_copy(s, &used, call.send, bytes);
}

/* All ranks compare all calls, so that all fail if one differs. */
static farsum_status team_compare(const struct slot *s, int size)
{
    const struct call *first = &s[0].call;
    for (int r = 1; r < size; r++) {
        const struct call *c = &s[r].call;
        if (c->kind != first->kind)
            FAIL(ERR_INTERNAL, "rank 0 calls %s, rank %d calls %s",
                 call_names[first->kind], r, call_names[c->kind]);
        if (c->bytes != first->bytes)
            FAIL(ERR_INTERNAL, "rank 0 gathers %lld bytes, rank %d %lld",
                 (long long)first->bytes, r, (long long)c->bytes);
    }
    for (int a = 0; first->kind == TRADE && a < size; a++)
        for (int b = 0; b < size; b++) {
            int64_t to = s[a].call.to[b], from = s[b].call.from[a];
            if (to != from || to < 0)
                FAIL(ERR_INTERNAL, "rank %d sends %lld bytes to rank %d, which "
                     "receives %lld", a, (long long)to, b, (long long)from);
        }
    return FARSUM_OK;
}

/* Copies the other ranks' data to `got`. */
static void copy_parts(const struct slot *slots, int size, int rank, void *got)
{
    char *at = got;
    for (int r = 0; r < size; r++) {
        const struct call *c = &slots[r].call;
        const char *part = c->send;
        int64_t bytes = c->bytes;
        if (c->kind == COUNTS) {
            part = (const char *)(c->to + rank);
            bytes = 8;
        } else if (c->kind == TRADE) {
            part += sum_of(c->to, rank);
            bytes = c->to[rank];
        }
        if (bytes > 0)
            memcpy(at, part, (size_t)bytes);
        at += bytes;
    }
}

static farsum_status rank_call(struct comm *comm, struct call mine, void *got)
{
    struct rank *me = *(struct rank **)comm->inside;
    struct team *t = me->team;
    const struct ranks_play *play = t->play;
    struct slot *slots = t->slots + me->calls++ % 2 * t->size;
    rank_delay(me);
    if (comm->rank == play->late_rank && me->calls == play->late_call)
        usleep((useconds_t)(1e6 * play->late));
    slot_fill(&slots[comm->rank], mine, t->size);
    TRY(team_wait(t, comm, call_names[mine.kind]));
    rank_delay(me);
    farsum_status status = team_compare(slots, t->size);
    if (status == FARSUM_OK)
        copy_parts(slots, t->size, comm->rank, got);
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
    return rank_call(comm, (struct call){GATHER, one, NULL, NULL, bytes}, all);
}

static farsum_status threads_counts(struct comm *comm, const int64_t *to,
                                    int64_t *from)
{
    return rank_call(comm, (struct call){COUNTS, NULL, to, NULL, 0}, from);
}

static farsum_status threads_trade(struct comm *comm, const void *send,
                                   const int64_t *to, void *got,
                                   const int64_t *from)
{
    return rank_call(comm, (struct call){TRADE, send, to, from, 0}, got);
}

static const struct comm_calls threads_calls = {
    .gather = threads_gather,
    .counts = threads_counts,
    .trade = threads_trade};

static void *rank_main(void *data)
{
    struct rank *me = data;
    struct team *t = me->team;
    me->status = t->work(me->comm, t->data);
    team_leave(t, me->comm->rank);
    return NULL;
}

/* Exchanges that cost nothing: so rank 0 chooses as one process does, with
 * which tests compare. */
static struct links links_free(int size)
{
    struct links links = links_expected(LINKS_HOST, size, 1);
    links.within = links.between = (struct link){0, INFINITY};
    return links;
}

int ranks_run(int size, const struct ranks_play *play,
              farsum_status (*work)(struct comm *, void *), void *data)
{
    static const struct ranks_play quiet;
    const struct links links = links_free(size);
    struct team team = {.size = size, .play = play ? play : &quiet,
                        .work = work, .data = data};
    struct rank *ranks = check_memory((size_t)size, sizeof *ranks);
    team.slots = check_memory(2 * (size_t)size, sizeof *team.slots);
    team.at = check_memory((size_t)size, sizeof *team.at);
    pthread_mutex_init(&team.mutex, NULL);
    pthread_cond_init(&team.changed, NULL);
    for (int r = 0; r < size; r++) {
        ranks[r].team = &team;
        ranks[r].random = team.play->seed + 1000003 * (uint64_t)r;
        if (comm_create(r, size, "threads", &threads_calls, sizeof(void *),
                        &ranks[r].comm) != FARSUM_OK)
            check_stop("%s", farsum_message());
        *(struct rank **)ranks[r].comm->inside = &ranks[r];
        ranks[r].comm->links = &links;
        ranks[r].comm->patience = team.play->patience;
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
    for (int r = 0; r < 2 * size; r++)
        free(team.slots[r].memory);
    free(team.slots);
    free(team.at);
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

int ranks_fail_is_left(int64_t at)
{
    farsum_status status = FARSUM_OK;
    for (int64_t k = 0; k < at && status == FARSUM_OK; k++) {
        void *p;
        status = mem_alloc(&p, 1, 1, 0);
        mem_free(p);
    }
    mem_fail_at(0);
    return status != FARSUM_OK;
}
