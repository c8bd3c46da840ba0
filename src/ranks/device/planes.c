/* SPDX-License-Identifier: Apache-2.0 */
/* planes.c: halo planes on devices, by the lists of ranks/planes_lists.h.
 *
 * Arrived planes are added by own plane, each in the list's order.  So threads
 * do not share numbers, and sums have the host's bits. */
#include "ranks/device/planes.h"

#include "base/mem.h"
#include "device/compile/jit.h"
#include "ranks/planes_lists.h"

enum { GROUP = 256, MOVES = 4, WIDE = 16 }; /* as in ranks/device/planes.k */

/* Must equal the struct in ranks/device/planes.k. */
struct planes_run {
    int64_t plane, channel, parts, channels;
};
_Static_assert(sizeof(struct planes_run) == 32, "as the kernels have it");

/* Kernels that move `item` bytes per thread at a time. */
struct kernels {
    int64_t item;
    struct jit jit;
    struct kernel copy, add;
};

struct side {
    struct planes_list list;
    struct buf at;   /* [list.n] i64 */
    struct buf data; /* [list.n][channels][plane] */
};

struct gpu_planes {
    struct planes_args args;
    struct device *device;
    struct transport *transport;
    int64_t real, bytes; /* of a real, of a plane */
    struct side halo, own;
    int64_t rows;                 /* own planes that are in halos */
    struct buf row, start, entry; /* as in ranks/device/planes.k */
    struct kernels narrow, wide;  /* wide.item 0: planes are no multiples */
};

static farsum_status put(struct buf *buf, struct device *device,
                         const int64_t *from, int64_t n)
{
    TRY(buf_alloc(buf, device, 8 * n));
    return buf_upload(buf, 0, from, 8 * n);
}

static farsum_status side_create(struct side *side, struct gpu_planes *p,
                                 enum planes_kind kind)
{
    TRY(planes_list_create(&side->list, &p->args, kind));
    TRY(put(&side->at, p->device, side->list.at, side->list.n));
    return buf_alloc(&side->data, p->device,
                     side->list.n * p->args.channels * p->bytes);
}

static void side_clear(struct side *side)
{
    planes_list_clear(&side->list);
    buf_clear(&side->at);
    buf_clear(&side->data);
}

/* Sorts the own list by plane.  place [planes + 1] and row, entry [list.n] are
 * the caller's. */
static int64_t rows_sort(const struct planes_list *list, int64_t halo,
                         int64_t planes, int64_t *place, int64_t *row,
                         int64_t *entry)
{
    int64_t rows = 0;
    for (int64_t k = 0; k < list->n; k++)
        place[list->at[k] - halo + 1]++;
    for (int64_t p = 0; p < planes; p++) {
        if (place[p + 1] > 0)
            row[rows++] = p + halo;
        place[p + 1] += place[p];
    }
    for (int64_t k = 0; k < list->n; k++)
        entry[place[list->at[k] - halo]++] = k;
    return rows;
}

/* Uploads the rows.  After the sort, place[p] is the end of plane p. */
static farsum_status rows_create(struct gpu_planes *p)
{
    farsum_status status = FARSUM_OK;
    const struct planes_list *list = &p->own.list;
    const int64_t *begin = p->args.begin + p->args.comm->rank;
    int64_t planes = begin[1] - begin[0], halo = p->args.halo;
    int64_t *place = NULL, *row = NULL, *entry = NULL, *start = NULL;
    GO(MEM_NEW(place, planes + 1));
    GO(MEM_RAW(row, list->n));
    GO(MEM_RAW(entry, list->n));
    p->rows = rows_sort(list, halo, planes, place, row, entry);
    GO(MEM_RAW(start, p->rows + 1));
    start[0] = 0;
    for (int64_t k = 0; k < p->rows; k++)
        start[k + 1] = place[row[k] - halo];
    GO(put(&p->row, p->device, row, p->rows));
    GO(put(&p->start, p->device, start, p->rows + 1));
    GO(put(&p->entry, p->device, entry, list->n));
done:
    mem_free(place);
    mem_free(row);
    mem_free(entry);
    mem_free(start);
    return status;
}

static farsum_status kernels_create(struct kernels *k,
                                    const struct gpu_planes *p, int wide)
{
    struct jit *jit = &k->jit;
    k->item = wide ? WIDE : p->real;
    jit_begin(jit, p->device, "ranks/device/planes.k", p->args.precision);
    jit_define(jit, "GROUP", "%d", GROUP);
    jit_define(jit, "WIDE", "%d", wide);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "planes_copy", GROUP, 0, &k->copy));
    return jit_kernel(jit, "planes_add", GROUP, 0, &k->add);
}

static void kernels_clear(struct kernels *k)
{
    if (k->jit.device)
        jit_clear(&k->jit);
}

static farsum_status planes_make(struct gpu_planes *p)
{
    TRY(side_create(&p->halo, p, PLANES_HALO));
    TRY(side_create(&p->own, p, PLANES_OWN));
    TRY(rows_create(p));
    TRY(kernels_create(&p->narrow, p, 0));
    if (p->bytes % WIDE == 0)
        TRY(kernels_create(&p->wide, p, 1));
    int64_t each = p->args.channels * p->bytes;
    int64_t halo = p->halo.list.n * each, own = p->own.list.n * each;
    TRY(transport_reserve(p->transport, halo, own));
    return transport_reserve(p->transport, own, halo);
}

farsum_status gpu_planes_create(const struct planes_args *args,
                                struct device *device,
                                struct transport *transport,
                                struct gpu_planes **planes)
{
    struct gpu_planes *p = NULL;
    farsum_status status = MEM_NEW(p, 1);
    if (status == FARSUM_OK) {
        p->args = *args;
        p->device = device;
        p->transport = transport;
        p->real = args->precision == FARSUM_F32 ? 4 : 8;
        p->bytes = args->plane * p->real;
        status = planes_make(p);
    }
    status = comm_agree(args->comm, status);
    if (status == FARSUM_OK) {
        p->args.begin = NULL;
        *planes = p;
        return FARSUM_OK;
    }
    gpu_planes_destroy(p);
    return status;
}

void gpu_planes_destroy(struct gpu_planes *p)
{
    if (!p)
        return;
    side_clear(&p->halo);
    side_clear(&p->own);
    buf_clear(&p->row);
    buf_clear(&p->start);
    buf_clear(&p->entry);
    kernels_clear(&p->narrow);
    kernels_clear(&p->wide);
    mem_free(p);
}

struct run {
    struct gpu_planes *planes;
    struct buf *mesh;
    const struct kernels *kernels;
    struct planes_run args;
};

static struct run run_of(struct gpu_planes *p, struct buf *mesh,
                         int64_t mesh_channel, int channels)
{
    int64_t channel = mesh_channel * p->real;
    int wide = p->wide.item > 0 && (channels == 1 || channel % WIDE == 0);
    const struct kernels *k = wide ? &p->wide : &p->narrow;
    int64_t plane = p->bytes / k->item, most = GROUP * MOVES;
    return (struct run){.planes = p,
                        .mesh = mesh,
                        .kernels = k,
                        .args = {.plane = plane,
                                 .channel = channel / k->item,
                                 .parts = (plane + most - 1) / most,
                                 .channels = channels}};
}

/* Thread blocks for n planes of each channel. */
static int64_t run_groups(const struct run *run, int64_t n)
{
    return n * run->args.channels * run->args.parts;
}

static farsum_status run_copy(const struct run *run, struct side *side,
                              int back)
{
    if (run_groups(run, side->list.n) == 0)
        return FARSUM_OK;
    return LAUNCH(&run->kernels->copy, run_groups(run, side->list.n),
                  ARG_BUF(run->mesh), ARG_BUF(&side->data), ARG_BUF(&side->at),
                  ARG_STRUCT(run->args), ARG_I32(back));
}

static farsum_status run_add(const struct run *run)
{
    struct gpu_planes *p = run->planes;
    if (run_groups(run, p->rows) == 0)
        return FARSUM_OK;
    return LAUNCH(&run->kernels->add, run_groups(run, p->rows),
                  ARG_BUF(run->mesh), ARG_BUF(&p->own.data), ARG_BUF(&p->row),
                  ARG_BUF(&p->start), ARG_BUF(&p->entry),
                  ARG_STRUCT(run->args));
}

/* Sends the data of `from` and receives the data of `to`. */
static farsum_status run_trade(const struct run *run, struct side *from,
                               struct side *to)
{
    struct gpu_planes *p = run->planes;
    int64_t each = run->args.channels * p->bytes;
    planes_list_bytes(&from->list, p->args.comm->size, each);
    planes_list_bytes(&to->list, p->args.comm->size, each);
    return transport_trade(p->transport, COMM_PLANES, &from->data,
                           from->list.bytes, &to->data, to->list.bytes);
}

/* In both runs, a rank that failed takes part in the exchange. */
farsum_status gpu_planes_add(struct gpu_planes *planes, struct buf *mesh,
                             int64_t mesh_channel, int channels)
{
    struct run run = run_of(planes, mesh, mesh_channel, channels);
    farsum_status status = run_copy(&run, &planes->halo, 0);
    KEEP_ON(run_trade(&run, &planes->halo, &planes->own));
    return status == FARSUM_OK ? run_add(&run) : status;
}

farsum_status gpu_planes_fill(struct gpu_planes *planes, struct buf *mesh,
                              int64_t mesh_channel, int channels)
{
    struct run run = run_of(planes, mesh, mesh_channel, channels);
    farsum_status status = run_copy(&run, &planes->own, 0);
    KEEP_ON(run_trade(&run, &planes->own, &planes->halo));
    return status == FARSUM_OK ? run_copy(&run, &planes->halo, 1) : status;
}
