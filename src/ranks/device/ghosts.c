/* SPDX-License-Identifier: Apache-2.0 */
/* ghosts.c: ghosts on devices.  Each own point's pairs with targets are listed
 * in order of the points, then sorted by rank, stable.  The order is then that
 * of ranks/sends.c. */
#include "ranks/device/places.h"

#include <string.h>

#include "base/mem.h"
#include "points/device/scan.h"
#include "ranks/ghosts.h"

enum { GROUP = 128, POSITION = 24 }; /* bytes of a position */

/* Must equal the structs in ranks/device/domain.kh and ghosts.k. */
struct domain_cell {
    double shift, planes;
};
struct ghosts_target {
    struct domain_cell cell;
    int64_t rank;
};
struct ghosts_args {
    int64_t n, mesh0, first, planes;
};
_Static_assert(sizeof(struct ghosts_target) == 24, "as the kernels have it");
_Static_assert(sizeof(struct ghosts_args) == 32, "as the kernels have it");

struct gpu_ghosts_inside {
    struct jit jit;
    struct kernel count, emit, pack, own;
    struct gpu_scan *scan;
    struct domain known;      /* of `targets` and the next two; begin owned */
    struct buf start, target; /* targets, as in ranks/device/ghosts.k */
    struct buf before;        /* [n_own] u64: pairs of the points before */
    struct buf total;         /* [1] u64 */
    struct buf point, entry;  /* [pairs] u32 */
    struct buf order;         /* [pairs] u32 */
    struct buf first; /* [size + 1] u32: the first ghost for each rank */
    uint32_t *firsts; /* owned, [size + 1]: the same */
};

static farsum_status ghosts_kernels(struct gpu_ghosts_inside *in,
                                    struct device *device)
{
    jit_begin(&in->jit, device, "ranks/device/ghosts.k", FARSUM_F64);
    jit_define(&in->jit, "GROUP", "%d", GROUP);
    TRY(jit_build(&in->jit));
    TRY(jit_kernel(&in->jit, "ghosts_count", GROUP, 0, &in->count));
    TRY(jit_kernel(&in->jit, "ghosts_emit", GROUP, 0, &in->emit));
    TRY(jit_kernel(&in->jit, "ghosts_pack", GROUP, 0, &in->pack));
    TRY(jit_kernel(&in->jit, "ghosts_own", GROUP, 0, &in->own));
    return gpu_scan_create(device, GPU_SCAN_U64, &in->scan);
}

farsum_status gpu_ghosts_create(struct gpu_ghosts *ghosts, struct comm *comm,
                                struct device *device,
                                struct transport *transport, int most,
                                farsum_precision precision)
{
    farsum_status status = FARSUM_OK;
    *ghosts = (struct gpu_ghosts){.n = 0};
    GO(gpu_sends_create(&ghosts->sends, device, transport, COMM_GHOSTS,
                        comm->size, most, precision));
    GO(MEM_NEW(ghosts->inside, 1));
    GO(MEM_NEW(ghosts->inside->firsts, comm->size + 1));
    GO(MEM_NEW(ghosts->inside->known.begin, comm->size + 1));
    GO(buf_alloc(&ghosts->inside->total, device, 8));
    GO(ghosts_kernels(ghosts->inside, device));
done:
    if (status != FARSUM_OK)
        gpu_ghosts_clear(ghosts);
    return status;
}

void gpu_ghosts_clear(struct gpu_ghosts *ghosts)
{
    struct gpu_ghosts_inside *in = ghosts->inside;
    gpu_sends_clear(&ghosts->sends);
    targets_clear(&ghosts->targets);
    if (in) {
        if (in->jit.device)
            jit_clear(&in->jit);
        gpu_scan_destroy(in->scan);
        domain_destroy(&in->known);
        buf_clear(&in->start);
        buf_clear(&in->target);
        buf_clear(&in->before);
        buf_clear(&in->total);
        buf_clear(&in->point);
        buf_clear(&in->entry);
        buf_clear(&in->order);
        buf_clear(&in->first);
        mem_free(in->firsts);
    }
    mem_free(in);
    *ghosts = (struct gpu_ghosts){.n = 0};
}

/* The own cell of rank r for points moved by `image` periods, as
 * domain_fraction has it. */
static struct domain_cell cell_of(const struct domain *domain, int r,
                                  int64_t image)
{
    int64_t low = domain->begin[r] - domain->halo;
    return (struct domain_cell){(double)(image * domain->mesh0 - low),
                                (double)domain_planes(domain, r)};
}

static farsum_status targets_upload(struct gpu_ghosts *ghosts,
                                    const struct domain *domain)
{
    struct gpu_ghosts_inside *in = ghosts->inside;
    struct device *device = ghosts->sends.device;
    const struct targets *t = &ghosts->targets;
    struct ghosts_target *target = NULL;
    farsum_status status = FARSUM_OK;
    int64_t n = t->start[t->planes], bytes = (int64_t)sizeof *target * n;
    if (n > UINT32_MAX)
        FAIL(ERR_UNSUPPORTED, "%lld targets of planes, at most %lld",
             (long long)n, (long long)UINT32_MAX);
    GO(MEM_RAW(target, n));
    for (int64_t e = 0; e < n; e++) {
        const struct target *from = &t->list[e];
        target[e].cell = cell_of(domain, from->rank, from->image);
        target[e].rank = from->rank;
    }
    GO(buf_reserve(&in->start, device, 8 * (t->planes + 1)));
    GO(buf_reserve(&in->target, device, bytes));
    GO(buf_upload(&in->start, 0, t->start, 8 * (t->planes + 1)));
    GO(buf_upload(&in->target, 0, target, bytes));
done:
    mem_free(target);
    return status;
}

/* Finds the targets unless the domain is the last set's. */
static farsum_status ghosts_domain(struct gpu_ghosts *ghosts,
                                   const struct domain *domain)
{
    struct domain *known = &ghosts->inside->known;
    size_t bytes = sizeof *known->begin * ((size_t)domain->size + 1);
    if (known->mesh0 == domain->mesh0 && known->halo == domain->halo
        && memcmp(known->begin, domain->begin, bytes) == 0)
        return FARSUM_OK;
    known->mesh0 = 0; /* no domain's, in case that this fails */
    TRY(ghosts_targets(&ghosts->targets, domain, 0));
    TRY(targets_upload(ghosts, domain));
    memcpy(known->begin, domain->begin, bytes);
    known->mesh0 = domain->mesh0;
    known->halo = domain->halo;
    return FARSUM_OK;
}

static farsum_status total_check(uint64_t total)
{
    if (total > (uint64_t)GPU_POINTS_MOST)
        FAIL(ERR_UNSUPPORTED,
             "%llu ghosts of a rank's points, a device takes at most %lld",
             (unsigned long long)total, (long long)GPU_POINTS_MOST);
    return FARSUM_OK;
}

/* Counts the pairs of own points and targets. */
static farsum_status pairs_count(struct gpu_ghosts *ghosts,
                                 const struct ghosts_args *args,
                                 const struct buf *own, int64_t *pairs)
{
    struct gpu_ghosts_inside *in = ghosts->inside;
    uint64_t total = 0;
    TRY(gpu_buf_grow(&in->before, ghosts->sends.device, 8 * args->n));
    TRY(LAUNCH(&in->count, kernel_groups(&in->count, args->n), ARG_BUF(own),
               ARG_BUF(&in->start), ARG_BUF(&in->before), ARG_STRUCT(*args)));
    TRY(gpu_scan_run(in->scan, &in->before, &in->before, args->n, &in->total));
    TRY(buf_download(&in->total, 0, &total, sizeof total));
    TRY(total_check(total));
    *pairs = (int64_t)total;
    return FARSUM_OK;
}

/* Lists the pairs and sorts them by rank: sets sends.n_sent and to. */
static farsum_status pairs_sort(struct gpu_ghosts *ghosts,
                                struct points_gpu *keys,
                                const struct ghosts_args *args,
                                const struct buf *own, int64_t pairs)
{
    struct gpu_ghosts_inside *in = ghosts->inside;
    struct gpu_sends *sends = &ghosts->sends;
    struct buf *key = NULL;
    int64_t bytes = 4 * pairs;
    TRY(gpu_buf_grow(&in->point, sends->device, bytes));
    TRY(gpu_buf_grow(&in->entry, sends->device, bytes));
    TRY(gpu_buf_grow(&in->order, sends->device, bytes));
    TRY(gpu_keys_reserve(keys, pairs, sends->size, &key));
    TRY(LAUNCH(&in->emit, kernel_groups(&in->emit, args->n), ARG_BUF(own),
               ARG_BUF(&in->start), ARG_BUF(&in->target), ARG_BUF(&in->before),
               ARG_BUF(key), ARG_BUF(&in->point), ARG_BUF(&in->entry),
               ARG_STRUCT(*args)));
    TRY(gpu_keys_sort(keys, pairs, sends->size, &in->order, &in->first));
    TRY(buf_download(&in->first, 0, in->firsts,
                     4 * ((int64_t)sends->size + 1)));
    for (int r = 0; r < sends->size; r++)
        sends->to[r] = (int64_t)in->firsts[r + 1] - in->firsts[r];
    sends->n_sent = pairs;
    return FARSUM_OK;
}

static farsum_status ghosts_sort(struct gpu_ghosts *ghosts,
                                 const struct domain *domain,
                                 struct points_gpu *keys, int64_t n_own,
                                 const struct buf *own)
{
    const struct targets *t = &ghosts->targets;
    int64_t pairs = 0;
    TRY(ghosts_domain(ghosts, domain));
    struct ghosts_args args = {n_own, domain->mesh0, t->first, t->planes};
    if (n_own == 0 || t->start[t->planes] == 0)
        return FARSUM_OK;
    TRY(pairs_count(ghosts, &args, own, &pairs));
    return pairs > 0 ? pairs_sort(ghosts, keys, &args, own, pairs) : FARSUM_OK;
}

static farsum_status ghosts_reserve(struct gpu_ghosts *ghosts, int64_t n_own,
                                    struct buf *s)
{
    struct gpu_sends *sends = &ghosts->sends;
    int64_t all = n_own + sends->n_got;
    if (all > GPU_POINTS_MOST)
        FAIL(ERR_UNSUPPORTED,
             "%lld points and %lld ghosts of a rank, a device takes at most "
             "%lld",
             (long long)n_own, (long long)sends->n_got,
             (long long)GPU_POINTS_MOST);
    TRY(gpu_sends_reserve(sends, POSITION));
    return gpu_buf_grow(s, sends->device, POSITION * all);
}

farsum_status gpu_ghosts_own(const struct gpu_ghosts *ghosts,
                             const struct domain *domain, int64_t n,
                             const struct buf *own, struct buf *s)
{
    const struct kernel *kernel = &ghosts->inside->own;
    struct domain_cell cell = cell_of(domain, domain->rank, 0);
    if (n == 0)
        return FARSUM_OK;
    return LAUNCH(kernel, kernel_groups(kernel, n), ARG_BUF(own), ARG_BUF(s),
                  ARG_I64(n), ARG_F64(domain->mesh0), ARG_STRUCT(cell));
}

/* A rank that failed takes part in the exchange. */
static farsum_status ghosts_positions(struct gpu_ghosts *ghosts,
                                      const struct domain *domain,
                                      int64_t n_own, const struct buf *own,
                                      struct buf *s)
{
    struct gpu_ghosts_inside *in = ghosts->inside;
    struct gpu_sends *sends = &ghosts->sends;
    farsum_status status = FARSUM_OK;
    if (sends->n_sent > 0)
        KEEP_ON(LAUNCH(&in->pack, kernel_groups(&in->pack, sends->n_sent),
                       ARG_BUF(&in->order), ARG_BUF(&in->point),
                       ARG_BUF(&in->entry), ARG_BUF(&in->target), ARG_BUF(own),
                       ARG_BUF(&sends->index), ARG_BUF(&sends->packed),
                       ARG_I64(sends->n_sent), ARG_F64(domain->mesh0)));
    KEEP_ON(gpu_sends_packed(sends, POSITION, s, POSITION * n_own));
    KEEP_ON(gpu_ghosts_own(ghosts, domain, n_own, own, s));
    return status;
}

farsum_status gpu_ghosts_set(struct gpu_ghosts *ghosts, struct comm *comm,
                             const struct domain *domain,
                             struct points_gpu *keys, int64_t n_own,
                             const struct buf *own, struct buf *s)
{
    gpu_sends_forget(&ghosts->sends);
    ghosts->n = 0;
    /* no return before the agreement: each rank calls all collectives */
    farsum_status status = ghosts_sort(ghosts, domain, keys, n_own, own);
    if (status != FARSUM_OK)
        gpu_sends_forget(&ghosts->sends);
    KEEP_ON(gpu_sends_count(&ghosts->sends, comm));
    if (status == FARSUM_OK)
        status = ghosts_reserve(ghosts, n_own, s);
    status = comm_agree(comm, status);
    if (status == FARSUM_OK)
        status =
            comm_agree(comm, ghosts_positions(ghosts, domain, n_own, own, s));
    if (status != FARSUM_OK) {
        gpu_sends_forget(&ghosts->sends);
        return status;
    }
    ghosts->n = ghosts->sends.n_got;
    return FARSUM_OK;
}
