/* SPDX-License-Identifier: Apache-2.0 */
/* transport_stand_in.c: exchanges through the host, until the library has
 * them. */
#include "base/mem.h"
#include "ranks/device/transport.h"

struct transport {
    struct comm *comm;
    void *sent, *got;
};

farsum_status transport_create(struct comm *comm, struct device *device,
                               const char *name, struct transport **transport)
{
    (void)device, (void)name;
    TRY(MEM_NEW(*transport, 1));
    (*transport)->comm = comm;
    return FARSUM_OK;
}

void transport_destroy(struct transport *t)
{
    if (t) {
        mem_free(t->sent);
        mem_free(t->got);
    }
    mem_free(t);
}

farsum_status transport_reserve(struct transport *t, int64_t sent,
                                int64_t received)
{
    mem_free(t->sent);
    mem_free(t->got);
    t->sent = t->got = NULL;
    TRY(mem_alloc(&t->sent, sent, 1, 0));
    return mem_alloc(&t->got, received, 1, 0);
}

farsum_status transport_trade(struct transport *t, enum comm_part part,
                              const struct buf *send, const int64_t *to,
                              struct buf *got, const int64_t *from)
{
    int64_t out = 0, in = 0;
    farsum_status status = FARSUM_OK;
    for (int r = 0; r < t->comm->size; r++) {
        out += to[r];
        in += from[r];
    }
    KEEP_ON(buf_download(send, 0, t->sent, out));
    KEEP_ON(comm_trade(t->comm, part, t->sent, to, t->got, from));
    KEEP_ON(buf_upload(got, 0, t->got, in));
    return status;
}
