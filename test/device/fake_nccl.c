/* SPDX-License-Identifier: Apache-2.0 */
/* fake_nccl.c: simulated NCCL or RCCL among threads. */
#include "device/fake_nccl.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "device/fake.h"

#define EXPORT __attribute__((visibility("default")))

enum { OK, INTERNAL = 3, USAGE = 5, IN_PROGRESS = 7 };
enum { RANKS = 8, OPS = 4 * RANKS, WORLDS = 64, POLLS = 3 };

struct nccl_id {
    char bytes[128];
};
struct nccl_config {
    size_t size;
    unsigned magic, version;
    int blocking;
};

struct message {
    struct message *next;
    size_t bytes;
    char data[];
};
struct op {
    int send, peer;
    char *at;
    size_t bytes;
};
struct world;
struct fake_comm {
    struct world *world;
    int rank, device;
    int polls;       /* that still say "in progress" */
    int finalized;
    struct op op[OPS]; /* of the group, then the receives that are open */
    int n;
    struct message *in[RANKS]; /* from each rank */
};
struct world {
    struct nccl_id id;
    int size, joined, finalized;
    struct fake_comm *comm[RANKS];
};

static struct fake_nccl state = {.version = 22809};
static struct world worlds[WORLDS];
static int ids;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int depth;
static _Thread_local struct fake_comm *grouped;

EXPORT struct fake_nccl *fake_nccl_state(void)
{
    return &state;
}

static int fails(const struct fake_comm *c, const char *word)
{
    return c && c->rank == state.fail_rank && strcmp(word, state.fail) == 0
               ? state.error
               : 0;
}

/* The thread's current device must be the communicator's. */
static void check_current(const struct fake_comm *c)
{
    int device = -1;
    if (state.current)
        state.current(&device);
    state.bad += state.current && device != c->device;
}

EXPORT const char *ncclGetErrorString(int error)
{
    return error == INTERNAL ? "internal error" : "some error";
}
EXPORT const char *ncclGetLastError(void *comm)
{
    return comm ? "" : "it is told to fail\nand more";
}
EXPORT int ncclGetVersion(int *version)
{
    *version = state.version;
    return OK;
}
EXPORT int ncclGetUniqueId(struct nccl_id *id)
{
    pthread_mutex_lock(&mutex);
    memset(id, 0x5a, sizeof *id);
    memcpy(id->bytes + 100, &ids, sizeof ids);
    int error = ids < WORLDS ? OK : INTERNAL;
    if (error == OK)
        worlds[ids++].id = *id;
    pthread_mutex_unlock(&mutex);
    return error;
}

EXPORT int ncclCommInitRankConfig(void **comm, int size, struct nccl_id id,
                                  int rank, struct nccl_config *config)
{
    struct world *w = NULL;
    struct fake_comm *c = calloc(1, sizeof *c);
    if (config->size < 24 || config->magic != 0xcafebeef
        || config->version < 21400 || config->blocking != 0 || size > RANKS)
        abort();
    pthread_mutex_lock(&mutex);
    for (int k = 0; k < ids; k++)
        if (memcmp(&worlds[k].id, &id, sizeof id) == 0)
            w = &worlds[k];
    c->rank = rank;
    int error = !w || w->comm[rank] ? USAGE : fails(c, "init");
    if (error) {
        free(c);
        c = NULL;
    } else {
        state.comms++;
        c->world = w;
        c->polls = POLLS;
        if (state.current)
            state.current(&c->device);
        w->size = size;
        w->joined++;
        w->comm[rank] = c;
        error = IN_PROGRESS;
    }
    *comm = c;
    pthread_mutex_unlock(&mutex);
    return error;
}

/* Receives what has arrived.  Returns an error. */
static int progress(struct fake_comm *c)
{
    int left = 0;
    for (int k = 0; k < c->n; k++) {
        struct op o = c->op[k];
        struct message *m = c->in[o.peer];
        if (!m) {
            if (!state.loose)
                c->op[left++] = o;
            continue;
        }
        if (m->bytes != o.bytes)
            return INTERNAL;
        memcpy(o.at, m->data, m->bytes);
        c->in[o.peer] = m->next;
        free(m);
    }
    c->n = left;
    return left > 0 ? IN_PROGRESS : OK;
}

EXPORT int ncclCommGetAsyncError(void *comm, int *error)
{
    struct fake_comm *c = comm;
    pthread_mutex_lock(&mutex);
    check_current(c);
    *error = fails(c, "poll");
    if (*error == 0 && (c->polls-- > 0 || c->world->joined < c->world->size
                        || (c->finalized
                            && c->world->finalized < c->world->size)))
        *error = IN_PROGRESS;
    else if (*error == 0)
        *error = progress(c);
    pthread_mutex_unlock(&mutex);
    return OK;
}

static void comm_end(struct fake_comm *c)
{
    for (int r = 0; r < RANKS; r++)
        while (c->in[r]) {
            struct message *m = c->in[r];
            c->in[r] = m->next;
            free(m);
        }
    c->world->comm[c->rank] = NULL;
    state.comms--;
    free(c);
}

EXPORT int ncclCommFinalize(void *comm)
{
    struct fake_comm *c = comm;
    pthread_mutex_lock(&mutex);
    check_current(c);
    c->finalized = 1;
    c->world->finalized++;
    c->polls = POLLS;
    pthread_mutex_unlock(&mutex);
    return IN_PROGRESS;
}
EXPORT int ncclCommDestroy(void *comm)
{
    struct fake_comm *c = comm;
    pthread_mutex_lock(&mutex);
    check_current(c);
    state.bad += !c->finalized || c->n > 0;
    state.destroyed++;
    comm_end(c);
    pthread_mutex_unlock(&mutex);
    return OK;
}
EXPORT int ncclCommAbort(void *comm)
{
    pthread_mutex_lock(&mutex);
    check_current(comm);
    state.aborted++;
    if (state.busy)
        *state.busy = 0;
    comm_end(comm);
    pthread_mutex_unlock(&mutex);
    return OK;
}

EXPORT int ncclGroupStart(void)
{
    grouped = NULL;
    pthread_mutex_lock(&mutex);
    state.bad += depth++ != 0;
    pthread_mutex_unlock(&mutex);
    return OK;
}

static int add(void *comm, const void *stream, struct op op, const char *word)
{
    struct fake_comm *c = comm;
    const struct fake_stream *s = stream;
    int error = fails(c, word);
    pthread_mutex_lock(&mutex);
    check_current(c);
    state.bad += depth != 1 || s->device != c->device || op.peer == c->rank
                 || op.bytes == 0 || c->n == OPS;
    pthread_mutex_unlock(&mutex);
    grouped = c;
    if (error == 0 && c->n < OPS)
        c->op[c->n++] = op;
    return error;
}
EXPORT int ncclSend(const void *send, size_t count, int type, int to,
                    void *comm, void *stream)
{
    state.queue[((struct fake_comm *)comm)->rank] = stream;
    struct op op = {1, to, (char *)(uintptr_t)send, count};
    return type == 0 ? add(comm, stream, op, "send") : USAGE;
}
EXPORT int ncclRecv(void *got, size_t count, int type, int from, void *comm,
                    void *stream)
{
    struct op op = {0, from, got, count};
    return type == 0 ? add(comm, stream, op, "receive") : USAGE;
}

static void deliver(const struct fake_comm *c, struct op o)
{
    struct fake_comm *peer = c->world->comm[o.peer];
    struct message *m = malloc(sizeof *m + o.bytes);
    struct message **end = peer ? &peer->in[c->rank] : NULL;
    state.sends++;
    m->next = NULL;
    m->bytes = o.bytes;
    memcpy(m->data, o.at, o.bytes);
    while (end && *end)
        end = &(*end)->next;
    if (end)
        *end = m;
    else
        free(m);
}

EXPORT int ncclGroupEnd(void)
{
    struct fake_comm *c = grouped;
    int n = 0, error = fails(c, "end");
    pthread_mutex_lock(&mutex);
    state.bad += depth-- != 1;
    for (int k = 0; c && k < c->n; k++)
        if (!c->op[k].send)
            c->op[n++] = c->op[k];
        else if (error == 0)
            deliver(c, c->op[k]);
    if (c) {
        c->n = n;
        c->polls = POLLS;
    }
    pthread_mutex_unlock(&mutex);
    return error != 0 ? error : IN_PROGRESS;
}
