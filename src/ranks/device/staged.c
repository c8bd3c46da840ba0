/* SPDX-License-Identifier: Apache-2.0 */
/* staged.c: exchanges between devices through the host and comm.
 *
 * A rank's part for itself stays on its device. */
#include "ranks/device/transport_inside.h"

#include <string.h>

#include "base/mem.h"

/* Bytes per rank of one step of a gather.  So gathers need no reservation,
 * which could differ among the ranks. */
enum { STEP = 1 << 14 };

struct staged {
    int64_t *to, *from;    /* owned, [size]: parts that comm exchanges */
    char *send, *got;      /* owned: parts for and from other ranks */
    int64_t sent, received; /* capacities */
    char *one, *all;       /* owned, [STEP] and [size][STEP] */
};

static farsum_status staged_fits(const struct device *device)
{
    (void)device;
    return FARSUM_OK;
}

/* A failure leaves the memory as it is, for exchanges before all ranks know. */
static farsum_status grow(char **memory, int64_t *have, int64_t bytes)
{
    char *larger = NULL;
    if (*have >= bytes)
        return FARSUM_OK;
    TRY(MEM_RAW(larger, bytes));
    mem_free(*memory);
    *memory = larger;
    *have = bytes;
    return FARSUM_OK;
}

static farsum_status staged_reserve(struct transport *t, int64_t sent,
                                    int64_t received)
{
    struct staged *s = t->inside;
    if (t->comm->size == 1)
        return FARSUM_OK;
    TRY(grow(&s->send, &s->sent, sent));
    return grow(&s->got, &s->received, received);
}

static farsum_status staged_create(struct transport *t)
{
    farsum_status status = FARSUM_OK;
    struct staged *s = NULL;
    int size = t->comm->size;
    GO(MEM_NEW(s, 1));
    t->inside = s;
    GO(MEM_NEW(s->to, size));
    GO(MEM_NEW(s->from, size));
    GO(MEM_NEW(s->one, STEP));
    GO(MEM_NEW(s->all, (int64_t)size * STEP));
    GO(staged_reserve(t, size, size)); /* for cut_parts */
done:
    return comm_agree(t->comm, status);
}

static void staged_destroy(struct transport *t)
{
    struct staged *s = t->inside;
    if (!s)
        return;
    mem_free(s->to);
    mem_free(s->from);
    mem_free(s->send);
    mem_free(s->got);
    mem_free(s->one);
    mem_free(s->all);
    mem_free(s);
    t->inside = NULL;
}

/* Ranks agree on memory before an exchange, so exceeding it is an error in the
 * program.  Other ranks wait for messages nevertheless: the rank exchanges one
 * byte instead of each part, which the others notice too. */
static farsum_status cut_parts(int64_t *parts, int size, int64_t have,
                               const char *what)
{
    int64_t bytes = transport_before(parts, size);
    if (bytes <= have)
        return FARSUM_OK;
    for (int r = 0; r < size; r++)
        parts[r] = parts[r] > 0;
    FAIL(ERR_INTERNAL, "an exchange %s %lld bytes, and %lld are reserved", what,
         (long long)bytes, (long long)have);
}

/* Copies the parts before and after rank `me`'s between host and device; there
 * is no gap between them on the host. */
static farsum_status stage_down(const struct buf *send, const int64_t *to,
                                int me, int size, char *host)
{
    int64_t low = transport_before(to, me);
    int64_t high = transport_before(to + me, size - me) - to[me];
    if (low > 0)
        TRY(buf_download(send, 0, host, low));
    if (high > 0)
        TRY(buf_download(send, low + to[me], host + low, high));
    return FARSUM_OK;
}

static farsum_status stage_up(struct buf *got, const int64_t *from, int me,
                              int size, const char *host)
{
    int64_t low = transport_before(from, me);
    int64_t high = transport_before(from + me, size - me) - from[me];
    if (low > 0)
        TRY(buf_upload(got, 0, host, low));
    if (high > 0)
        TRY(buf_upload(got, low + from[me], host + low, high));
    return FARSUM_OK;
}

static farsum_status staged_trade(struct transport *t, enum comm_part part,
                                  const struct buf *send, const int64_t *to,
                                  struct buf *got, const int64_t *from)
{
    struct staged *s = t->inside;
    int size = t->comm->size, me = t->comm->rank;
    int64_t bytes = (int64_t)sizeof *to * size;
    farsum_status status = transport_own(t, send, to, got, from);
    if (size == 1)
        return status;
    memcpy(s->to, to, (size_t)bytes);
    memcpy(s->from, from, (size_t)bytes);
    s->to[me] = s->from[me] = 0;
    KEEP_ON(cut_parts(s->to, size, s->sent, "sends"));
    KEEP_ON(cut_parts(s->from, size, s->received, "receives"));
    if (status == FARSUM_OK)
        status = stage_down(send, to, me, size, s->send);
    if (status != FARSUM_OK)
        memset(s->send, 0, (size_t)transport_before(s->to, size));
    /* comm remembers its own failure first, and status holds ours */
    comm_remember(t->comm, status);
    (void)!comm_trade(t->comm, part, s->send, s->to, s->got, s->from);
    return status != FARSUM_OK ? status : stage_up(got, from, me, size, s->got);
}

static farsum_status staged_gather(struct transport *t, const struct buf *one,
                                   struct buf *all, int64_t bytes)
{
    struct staged *s = t->inside;
    farsum_status status = FARSUM_OK;
    int size = t->comm->size;
    if (size == 1)
        return buf_copy(all, 0, one, 0, bytes);
    for (int64_t at = 0; at < bytes; at += STEP) {
        int64_t some = bytes - at < STEP ? bytes - at : STEP;
        if (status == FARSUM_OK)
            status = buf_download(one, at, s->one, some);
        comm_remember(t->comm, status);
        (void)!comm_gather(t->comm, s->one, s->all, some);
        if (status == FARSUM_OK && some == bytes)
            return buf_upload(all, 0, s->all, size * bytes);
        for (int r = 0; r < size && status == FARSUM_OK; r++)
            status = buf_upload(all, r * bytes + at, s->all + r * some, some);
    }
    return status;
}

const struct transport_calls transport_staged = {
    .name = "staged",
    .fits = staged_fits,
    .create = staged_create,
    .destroy = staged_destroy,
    .reserve = staged_reserve,
    .trade = staged_trade,
    .gather = staged_gather,
};
