/* SPDX-License-Identifier: Apache-2.0 */
/* transport.c: the choice of a transport, and the common part of exchanges. */
#include "ranks/device/transport_inside.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "device/driver/driver.h"
#include "device/graph.h"

/* The first that works is chosen. */
static const struct transport_calls *const known[] = {&transport_nccl,
                                                      &transport_staged};
enum { KNOWN = sizeof known / sizeof *known, ANY = -1, WORDS = 64 };

/* What ranks tell each other before they choose. */
struct place {
    char machine[2 * WORDS]; /* host name and boot number */
    char device[WORDS];      /* on the machine */
    int64_t wanted;          /* index into `known`, or ANY */
    int64_t fits[KNOWN];
};

/* Containers may share a name, and machines of a cluster do not share a boot
 * number. */
static void name_machine(char machine[2 * WORDS])
{
    char boot[WORDS] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file && !fgets(boot, sizeof boot, file))
        boot[0] = 0;
    if (file)
        fclose(file);
    gethostname(machine, WORDS - 1);
    size_t n = strlen(machine);
    snprintf(machine + n, 2 * WORDS - n, " %s", boot);
}

/* The index of the wanted transport. */
static farsum_status find(const char *name, int64_t *wanted)
{
    const char *names[KNOWN + 1] = {0};
    *wanted = ANY;
    for (int k = 0; k < KNOWN; k++) {
        names[k] = known[k]->name;
        if (name && strcmp(names[k], name) == 0)
            *wanted = k;
    }
    return name && *wanted == ANY ? text_unknown("transport", name, names)
                                  : FARSUM_OK;
}

/* The wanted transport's reason for not working is this rank's failure.  One
 * rank only copies on its device, so it opens no library. */
static farsum_status describe(const struct device *device, const char *name,
                              int size, struct place *place)
{
    TRY(find(name, &place->wanted));
    name_machine(place->machine);
    driver_place(device, place->device, sizeof place->device);
    for (int k = size == 1 && !name ? KNOWN - 1 : 0; k < KNOWN; k++) {
        if (place->wanted != ANY && place->wanted != k)
            continue;
        farsum_status status = known[k]->fits(device);
        if (status != FARSUM_OK && place->wanted == k)
            return status;
        place->fits[k] = status == FARSUM_OK;
    }
    return FARSUM_OK;
}

static farsum_status check_apart(const struct place *places, int size)
{
    for (int b = 1; b < size; b++)
        for (int a = 0; a < b; a++)
            if (strcmp(places[a].machine, places[b].machine) == 0
                && strcmp(places[a].device, places[b].device) == 0)
                FAIL(ERR_UNSUPPORTED, "ranks %d and %d use the same device, "
                     "%s; give each rank its own", a, b, places[a].device);
    return FARSUM_OK;
}

/* Fails if the k-th does not work on all ranks, alike on all of them. */
static farsum_status works(const struct place *places, int size, int64_t k)
{
    for (int r = 0; r < size; r++)
        if (!places[r].fits[k])
            FAIL(ERR_UNSUPPORTED, "transport %s does not work on rank %d",
                 known[k]->name, r);
    if (known[k]->apart) {
        farsum_status status = check_apart(places, size);
        if (status != FARSUM_OK)
            return status_prefix(status, "transport %s", known[k]->name);
    }
    return FARSUM_OK;
}

static farsum_status check_wanted(const struct place *places, int size)
{
    for (int r = 1; r < size; r++)
        if (places[r].wanted != places[0].wanted)
            FAIL(ERR_ARGUMENT, "ranks 0 and %d give different names of a "
                 "transport; all ranks must give the same", r);
    return FARSUM_OK;
}

/* Tries the wanted transport, or all.  Its decisions are the same on all
 * ranks, because `places` is. */
static farsum_status choose(struct transport *t, const struct place *places)
{
    int size = t->comm->size;
    int64_t wanted = places[0].wanted;
    farsum_status status = FARSUM_OK;
    TRY(check_wanted(places, size));
    for (int64_t k = 0; k < KNOWN; k++) {
        if (wanted != ANY && wanted != k)
            continue;
        status = works(places, size, k);
        if (status != FARSUM_OK)
            continue;
        t->calls = known[k];
        status = t->calls->create(t);
        if (status == FARSUM_OK)
            return FARSUM_OK;
        t->calls->destroy(t);
        t->calls = NULL;
        if (t->comm->broken)
            return status;
    }
    return status;
}

static farsum_status watches_create(struct transport_watches *w,
                                    struct device *device)
{
    for (; w->made < TRANSPORT_WATCHES; w->made++)
        TRY(stopwatch_create(&w->watch[w->made], device));
    return FARSUM_OK;
}

static void watches_clear(struct transport_watches *w)
{
    for (int k = 0; k < w->made; k++)
        stopwatch_clear(&w->watch[k]);
}

static farsum_status start(struct transport *t, struct comm *comm,
                           struct device *device)
{
    t->comm = comm;
    t->device = device;
    TRY(watches_create(&t->within, device));
    return watches_create(&t->outside, device);
}

farsum_status transport_create(struct comm *comm, struct device *device,
                               const char *name, struct transport **transport)
{
    farsum_status status = FARSUM_OK;
    struct transport *t = NULL;
    struct place mine = {0}, *places = NULL;
    KEEP_ON(MEM_NEW(t, 1));
    KEEP_ON(MEM_NEW(places, comm->size));
    if (status == FARSUM_OK)
        status = describe(device, name, comm->size, &mine);
    if (status == FARSUM_OK)
        status = start(t, comm, device);
    GO(comm_agree(comm, status));
    KEEP_ON(comm_gather(comm, &mine, places, sizeof mine));
    GO(comm_agree(comm, status));
    GO(choose(t, places));
    *transport = t;
    t = NULL;
done:
    mem_free(places);
    transport_destroy(t);
    return status;
}

void transport_destroy(struct transport *transport)
{
    if (!transport)
        return;
    if (transport->calls)
        transport->calls->destroy(transport);
    watches_clear(&transport->within);
    watches_clear(&transport->outside);
    mem_free(transport);
}

const char *transport_name(const struct transport *transport)
{
    return transport->calls->name;
}

farsum_status transport_reserve(struct transport *transport, int64_t sent,
                                int64_t received)
{
    if (!transport->calls->reserve)
        return FARSUM_OK;
    return transport->calls->reserve(transport, sent, received);
}

farsum_status transport_own(const struct transport *t, const struct buf *send,
                            const int64_t *to, struct buf *got,
                            const int64_t *from)
{
    int me = t->comm->rank;
    if (to[me] != from[me])
        FAIL(ERR_INTERNAL, "a rank sends itself %lld bytes and receives %lld",
             (long long)to[me], (long long)from[me]);
    if (to[me] == 0)
        return FARSUM_OK;
    return buf_copy(got, transport_before(from, me), send,
                    transport_before(to, me), to[me]);
}

/* Returns 1 if the device only records and the call is noted. */
static int notes(const struct transport *t, const struct buf *send,
                 const int64_t *to, const struct buf *got, const int64_t *from)
{
    const void *call[] = {t, send ? send->handle : NULL,
                          got ? got->handle : NULL};
    int64_t bytes = (int64_t)sizeof *to * t->comm->size;
    if (!graph_notes(t->device, call, sizeof call))
        return 0;
    (void)graph_notes(t->device, to, bytes);
    (void)graph_notes(t->device, from, bytes);
    return 1;
}

static void count(struct transport *t, enum comm_part part, int64_t bytes)
{
    t->comm->spent[part].bytes += bytes;
    t->counted[part] += bytes;
}

static struct transport_watches *watches(struct transport *t)
{
    return t->in_sequence ? &t->within : &t->outside;
}

/* A queue that cannot time is no failure: the seconds are then missing. */
static void time_start(struct transport *t, enum comm_part part)
{
    struct transport_watches *w = watches(t);
    if (!t->calls->captured || w->used == w->made)
        return;
    w->part[w->used] = part;
    if (stopwatch_start(&w->watch[w->used]) != FARSUM_OK)
        w->part[w->used] = COMM_PARTS;
}

static void time_stop(struct transport *t)
{
    struct transport_watches *w = watches(t);
    if (!t->calls->captured || w->used == w->made)
        return;
    if (w->part[w->used] == COMM_PARTS
        || stopwatch_stop(&w->watch[w->used]) == FARSUM_OK)
        w->used++;
}

farsum_status transport_trade(struct transport *t, enum comm_part part,
                              const struct buf *send, const int64_t *to,
                              struct buf *got, const int64_t *from)
{
    int size = t->comm->size;
    if (!t->calls->captured)
        TRY(graph_refuses(t->device, "an exchange through the host"));
    else
        count(t, part, transport_before(to, size) - to[t->comm->rank]);
    time_start(t, part);
    if (!notes(t, send, to, got, from))
        comm_remember(t->comm, t->calls->trade(t, part, send, to, got, from));
    time_stop(t);
    return FARSUM_OK;
}

farsum_status transport_gather(struct transport *t, const struct buf *one,
                               struct buf *all, int64_t bytes)
{
    const int64_t call[] = {(int64_t)(uintptr_t)t,
                            (int64_t)(uintptr_t)one->handle,
                            (int64_t)(uintptr_t)all->handle, bytes};
    if (bytes == 0)
        return FARSUM_OK;
    if (!t->calls->captured)
        TRY(graph_refuses(t->device, "an exchange through the host"));
    else
        count(t, COMM_TALK, bytes * (t->comm->size - 1));
    time_start(t, COMM_TALK);
    if (!graph_notes(t->device, call, sizeof call))
        comm_remember(t->comm, t->calls->gather(t, one, all, bytes));
    time_stop(t);
    return FARSUM_OK;
}

int transport_enqueues(const struct transport *t)
{
    return t->calls->captured;
}

/* A second call of the work counts instead of the first. */
void transport_begin(struct transport *t)
{
    for (int p = 0; p < COMM_PARTS; p++) {
        if (t->in_sequence)
            t->comm->spent[p].bytes -= t->counted[p];
        t->counted[p] = 0;
    }
    t->in_sequence = 1;
    t->within.used = 0;
}

void transport_end(struct transport *t)
{
    t->sequences += t->in_sequence;
    t->in_sequence = 0;
}

static void settle(const struct transport *t, struct transport_watches *w,
                   int64_t times)
{
    for (int k = 0; k < w->used && times > 0; k++) {
        double seconds = 0;
        if (w->part[k] < COMM_PARTS
            && stopwatch_seconds(&w->watch[k], &seconds) == FARSUM_OK)
            t->comm->spent[w->part[k]].seconds += seconds * (double)times;
    }
    w->used = 0;
}

void transport_settle(struct transport *t)
{
    settle(t, &t->within, t->sequences);
    settle(t, &t->outside, 1);
    t->sequences = 0;
}
