/* SPDX-License-Identifier: Apache-2.0 */
/* stand_in.c: a transport through the host. */
#include "ranks/device/transport.h"

struct transport {
    struct comm *comm;
    struct device *device;
    char *sent, *got;
    int64_t sent_capacity, got_capacity;
};

farsum_status transport_create(struct comm *comm, struct device *device,
                               const char *name, struct transport **transport)
{
    (void)name;
    struct transport *t = NULL;
    farsum_status status = MEM_NEW(t, 1);
    if (status == FARSUM_OK)
        *t = (struct transport){.comm = comm, .device = device};
    *transport = t;
    return comm_agree(comm, status);
}

void transport_destroy(struct transport *t)
{
    if (!t)
        return;
    mem_free(t->sent);
    mem_free(t->got);
    mem_free(t);
}

const char *transport_name(const struct transport *t)
{
    (void)t;
    return "stand_in";
}

farsum_status transport_reserve(struct transport *t, int64_t sent,
                                int64_t received)
{
    TRY(MEM_RESERVE(t->sent, &t->sent_capacity, sent));
    return MEM_RESERVE(t->got, &t->got_capacity, received);
}

farsum_status transport_trade(struct transport *t, enum comm_part part,
                              const struct buf *send, const int64_t *to,
                              struct buf *got, const int64_t *from)
{
    int64_t sent = 0, all = 0;
    for (int r = 0; r < t->comm->size; r++) {
        sent += to[r];
        all += from[r];
    }
    if (sent > t->sent_capacity || all > t->got_capacity)
        FAIL(ERR_INTERNAL, "%lld and %lld bytes are not reserved",
             (long long)sent, (long long)all);
    farsum_status status =
        sent > 0 ? buf_download(send, 0, t->sent, sent) : FARSUM_OK;
    KEEP_ON(comm_trade(t->comm, part, t->sent, to, t->got, from));
    if (status == FARSUM_OK && all > 0)
        status = buf_upload(got, 0, t->got, all);
    return status;
}
