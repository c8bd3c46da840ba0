/* SPDX-License-Identifier: Apache-2.0 */
/* expose.c: memory of other ranks' devices, used directly. */
#include <stdatomic.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/mem.h"
#include "device/driver/driver.h"
#include "ranks/device/transport_inside.h"

/* Memory of another process. */
struct mapping {
    struct mapping *next;
    void *address; /* of the buffer in it */
    void *mapped;  /* what driver_peer_close expects */
};

/* What ranks tell each other. */
struct exposed {
    char machine[128];
    uint64_t process[2];
    struct driver_peer peer;
};

/* Containers number their processes alike, and forked processes have the same
 * random number. */
static void name_process(uint64_t process[2])
{
    static _Atomic uint64_t number;
    uint64_t none = 0, random = 1;
    if (getrandom(&random, sizeof random, 0) == (ssize_t)sizeof random)
        (void)!atomic_compare_exchange_strong(&number, &none, random | 1);
    process[0] = (uint64_t)getpid();
    process[1] = atomic_load(&number);
}

static void unmap(struct transport *t, struct mapping **at)
{
    struct mapping *m = *at;
    *at = m->next;
    driver_peer_close(t->device, m->mapped);
    mem_free(m);
}

void transport_unmap(struct transport *transport)
{
    while (transport->mappings)
        unmap(transport, &transport->mappings);
}

static farsum_status map(struct transport *t, const struct exposed *theirs,
                         const struct exposed *mine, struct buf *peer)
{
    void *address = NULL, *mapped = NULL;
    struct mapping *m = NULL;
    if (strcmp(theirs->machine, mine->machine) != 0)
        FAIL(ERR_UNSUPPORTED, "another rank is on another machine");
    TRY(MEM_NEW(m, 1));
    int same = theirs->process[0] == mine->process[0]
               && theirs->process[1] == mine->process[1];
    farsum_status status =
        driver_peer_open(t->device, &theirs->peer, same, &address, &mapped);
    if (status != FARSUM_OK || !mapped) {
        mem_free(m);
    } else {
        *m = (struct mapping){t->mappings, address, mapped};
        t->mappings = m;
    }
    TRY(status);
    buf_borrow(peer, t->device, address, theirs->peer.bytes);
    return FARSUM_OK;
}

farsum_status transport_expose(struct transport *t, const struct buf *own,
                               struct buf *peers)
{
    farsum_status status = FARSUM_OK;
    int size = t->comm->size, me = t->comm->rank;
    struct exposed mine = {.process = {0}}, *all = NULL;
    name_process(mine.process);
    memcpy(mine.machine, t->machine, sizeof mine.machine);
    memset(peers, 0, (size_t)size * sizeof *peers);
    KEEP_ON(MEM_NEW(all, size));
    if (status == FARSUM_OK)
        status = driver_peer_give(own, &mine.peer);
    GO(comm_agree(t->comm, status));
    KEEP_ON(comm_gather(t->comm, &mine, all, sizeof mine));
    GO(comm_agree(t->comm, status));
    for (int r = 0; r < size && status == FARSUM_OK; r++)
        if (r != me)
            status = map(t, &all[r], &mine, &peers[r]);
    buf_borrow(&peers[me], t->device, own->handle, own->bytes);
    status = comm_agree(t->comm, status);
    if (status != FARSUM_OK)
        transport_hide(t, peers);
done:
    mem_free(all);
    return status;
}

void transport_hide(struct transport *t, struct buf *peers)
{
    for (int r = 0; r < t->comm->size; r++) {
        struct mapping **at = &t->mappings;
        while (*at && (*at)->address != peers[r].handle)
            at = &(*at)->next;
        if (*at && r != t->comm->rank)
            unmap(t, at);
        peers[r] = (struct buf){0};
    }
}
