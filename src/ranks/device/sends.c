/* SPDX-License-Identifier: Apache-2.0 */
/* sends.c: exchanges of points' numbers: a packing kernel, the transport, and a
 * storing kernel. */
#include "ranks/device/sends.h"

#include "base/mem.h"

enum { GROUP = 128 };

/* Must equal the struct in ranks/device/sends.k. */
struct sends_values {
    int64_t first, point, number;
};
_Static_assert(sizeof(struct sends_values) == 24, "as the kernels have it");

static int64_t real_bytes(const struct gpu_sends *sends)
{
    return sends->precision == FARSUM_F32 ? 4 : 8;
}

static farsum_status sends_kernels(struct gpu_sends *sends)
{
    struct jit *jit = &sends->jit;
    jit_begin(jit, sends->device, "ranks/device/sends.k", sends->precision);
    jit_define(jit, "GROUP", "%d", GROUP);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "sends_pack", GROUP, 0, &sends->pack));
    TRY(jit_kernel(jit, "sends_pack_back", GROUP, 0, &sends->pack_back));
    TRY(jit_kernel(jit, "sends_scatter", GROUP, 0, &sends->scatter));
    return jit_kernel(jit, "sends_positions", GROUP, 0, &sends->positions);
}

farsum_status gpu_sends_create(struct gpu_sends *sends, struct device *device,
                               struct transport *transport, enum comm_part part,
                               int size, int most, farsum_precision precision)
{
    farsum_status status = FARSUM_OK;
    *sends = (struct gpu_sends){.device = device,
                                .transport = transport,
                                .part = part,
                                .size = size,
                                .most = most,
                                .precision = precision};
    GO(MEM_NEW(sends->to, size));
    GO(MEM_NEW(sends->from, size));
    GO(MEM_NEW(sends->to_bytes, size));
    GO(MEM_NEW(sends->from_bytes, size));
    GO(sends_kernels(sends));
done:
    if (status != FARSUM_OK)
        gpu_sends_clear(sends);
    return status;
}

void gpu_sends_clear(struct gpu_sends *sends)
{
    if (sends->jit.device)
        jit_clear(&sends->jit);
    buf_clear(&sends->index);
    buf_clear(&sends->packed);
    buf_clear(&sends->arrived);
    mem_free(sends->to);
    mem_free(sends->from);
    mem_free(sends->to_bytes);
    mem_free(sends->from_bytes);
    *sends = (struct gpu_sends){.size = 0};
}

void gpu_sends_forget(struct gpu_sends *sends)
{
    sends->n_sent = sends->n_got = 0;
    for (int r = 0; r < sends->size; r++)
        sends->to[r] = sends->from[r] = 0;
}

farsum_status gpu_sends_count(struct gpu_sends *sends, struct comm *comm)
{
    sends->n_got = 0;
    TRY(comm_counts(comm, sends->to, sends->from));
    for (int r = 0; r < sends->size; r++)
        sends->n_got += sends->from[r];
    return FARSUM_OK;
}

farsum_status gpu_buf_grow(struct buf *buf, struct device *device,
                           int64_t bytes)
{
    if (buf->device && buf->bytes >= bytes)
        return FARSUM_OK;
    /* numbers of points vary from set to set: the second growth leaves room,
     * if there is some */
    if (buf->bytes > 1
        && buf_reserve(buf, device, bytes + bytes / 8) == FARSUM_OK)
        return FARSUM_OK;
    return buf_reserve(buf, device, bytes);
}

farsum_status gpu_sends_reserve(struct gpu_sends *sends, int64_t least)
{
    int64_t each = sends->most * real_bytes(sends);
    each = each > least ? each : least;
    int64_t sent = sends->n_sent * each, got = sends->n_got * each;
    if (sends->n_got > GPU_POINTS_MOST)
        FAIL(ERR_UNSUPPORTED,
             "%lld points for this rank's device, which takes at most %lld",
             (long long)sends->n_got, (long long)GPU_POINTS_MOST);
    TRY(gpu_buf_grow(&sends->index, sends->device, 4 * sends->n_sent));
    TRY(gpu_buf_grow(&sends->packed, sends->device, sent));
    TRY(gpu_buf_grow(&sends->arrived, sends->device, got));
    TRY(transport_reserve(sends->transport, sent, got));
    return transport_reserve(sends->transport, got, sent);
}

static void bytes_of(struct gpu_sends *sends, int64_t bytes)
{
    for (int r = 0; r < sends->size; r++) {
        sends->to_bytes[r] = sends->to[r] * bytes;
        sends->from_bytes[r] = sends->from[r] * bytes;
    }
}

farsum_status gpu_sends_packed(struct gpu_sends *sends, int64_t bytes,
                               struct buf *got, int64_t offset)
{
    /* a transport writes from a buffer's first byte on */
    int direct = offset == 0 && sends->n_got > 0;
    bytes_of(sends, bytes);
    TRY(transport_trade(sends->transport, sends->part, &sends->packed,
                        sends->to_bytes, direct ? got : &sends->arrived,
                        sends->from_bytes));
    if (direct || sends->n_got == 0)
        return FARSUM_OK;
    return buf_copy(got, offset, &sends->arrived, 0, sends->n_got * bytes);
}

static struct sends_values kernel_values(const struct gpu_values *values)
{
    return (struct sends_values){values->first, values->point, values->number};
}

static farsum_status width_check(const struct gpu_sends *sends, int width)
{
    if (width < 1 || width > sends->most)
        FAIL(ERR_ARGUMENT, "%d numbers per point, not 1 .. %d", width,
             sends->most);
    return FARSUM_OK;
}

static farsum_status sends_pack(struct gpu_sends *sends, int width,
                                const struct gpu_values *values)
{
    struct sends_values from = kernel_values(values);
    if (sends->n_sent == 0)
        return FARSUM_OK;
    return LAUNCH(&sends->pack, kernel_groups(&sends->pack, sends->n_sent),
                  ARG_BUF(&sends->index), ARG_BUF(values->at),
                  ARG_BUF(&sends->packed), ARG_STRUCT(from),
                  ARG_I64(sends->n_sent), ARG_I32(width));
}

farsum_status gpu_sends_there(struct gpu_sends *sends, int width,
                              const struct gpu_values *values, struct buf *got,
                              int64_t got_first)
{
    int64_t real = real_bytes(sends);
    TRY(width_check(sends, width));
    /* a rank that failed takes part in the exchange */
    farsum_status status = sends_pack(sends, width, values);
    KEEP_ON(gpu_sends_packed(sends, width * real, got, got_first * real));
    return status;
}

farsum_status gpu_sends_positions(struct gpu_sends *sends,
                                  const struct buf *own, struct buf *got)
{
    farsum_status status = FARSUM_OK;
    if (sends->n_sent > 0)
        KEEP_ON(LAUNCH(&sends->positions,
                       kernel_groups(&sends->positions, sends->n_sent),
                       ARG_BUF(&sends->index), ARG_BUF(own),
                       ARG_BUF(&sends->packed), ARG_I64(sends->n_sent)));
    /* a rank that failed takes part in the exchange */
    KEEP_ON(gpu_sends_packed(sends, 3 * sizeof(double), got, 0));
    return status;
}

static farsum_status sends_pack_back(struct gpu_sends *sends, int width,
                                     const struct gpu_values *own,
                                     const struct gpu_values *more)
{
    struct sends_values own_at = kernel_values(own);
    struct sends_values more_at = kernel_values(more ? more : own);
    if (sends->n_got == 0)
        return FARSUM_OK;
    return LAUNCH(
        &sends->pack_back, kernel_groups(&sends->pack_back, sends->n_got),
        ARG_BUF(own->at), ARG_BUF(more ? more->at : own->at),
        ARG_BUF(&sends->arrived), ARG_STRUCT(own_at), ARG_STRUCT(more_at),
        ARG_I64(sends->n_got), ARG_I32(width), ARG_I32(more != NULL));
}

static farsum_status sends_scatter(struct gpu_sends *sends, int width,
                                   const struct gpu_values *values)
{
    struct sends_values to = kernel_values(values);
    if (sends->n_sent == 0)
        return FARSUM_OK;
    return LAUNCH(
        &sends->scatter, kernel_groups(&sends->scatter, sends->n_sent),
        ARG_BUF(&sends->index), ARG_BUF(&sends->packed), ARG_BUF(values->at),
        ARG_STRUCT(to), ARG_I64(sends->n_sent), ARG_I32(width));
}

farsum_status gpu_sends_back(struct gpu_sends *sends, int width,
                             const struct gpu_values *own,
                             const struct gpu_values *more,
                             const struct gpu_values *values)
{
    TRY(width_check(sends, width));
    bytes_of(sends, width * real_bytes(sends));
    farsum_status status = sends_pack_back(sends, width, own, more);
    KEEP_ON(transport_trade(sends->transport, sends->part, &sends->arrived,
                            sends->from_bytes, &sends->packed,
                            sends->to_bytes));
    if (status == FARSUM_OK)
        status = sends_scatter(sends, width, values);
    return status;
}
