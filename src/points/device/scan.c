/* SPDX-License-Identifier: Apache-2.0 */
/* scan.c: exclusive prefix sums by tiles.  Tiles are summed, then each is
 * scanned from the sum of the tiles before it.  While tiles are few, each
 * computes that sum itself; else the sums are scanned recursively.  Items are
 * read twice and written once.  4096 items take one launch, 1.6e7 two. */
#include "points/device/scan.h"

#include "base/mem.h"
#include "device/compile/jit.h"

enum { LEVELS = 4, GROUP = 256, RAW_MOST = 4096 };

/* As in points/device/scan.k. */
enum { ALONE, RAW, SUMMED };

struct gpu_scan {
    struct device *device; /* borrowed */
    int wide;              /* 1: sums are u64 */
    int narrow;            /* 1: items are u32 even if sums are u64 */
    struct jit jit;
    struct kernel reduce, down;
    struct buf sums[LEVELS];
};

static int64_t scan_tile(const struct gpu_scan *scan)
{
    return GROUP * (scan->wide ? 8 : 16);
}

farsum_status gpu_scan_create(struct device *device, enum gpu_scan_kind kind,
                              struct gpu_scan **made)
{
    farsum_status status = FARSUM_OK;
    struct gpu_scan *scan = NULL;
    TRY(MEM_NEW(scan, 1));
    scan->device = device;
    scan->wide = kind != GPU_SCAN_U32;
    scan->narrow = kind == GPU_SCAN_U32_U64;
    jit_begin(&scan->jit, device, "points/device/scan.k", FARSUM_F64);
    jit_define(&scan->jit, "WORD_BITS", "%d", scan->wide ? 64 : 32);
    GO(jit_build(&scan->jit));
    GO(jit_kernel(&scan->jit, "scan_reduce", GROUP, 0, &scan->reduce));
    GO(jit_kernel(&scan->jit, "scan_down", GROUP, 0, &scan->down));
    *made = scan;
done:
    if (status != FARSUM_OK)
        gpu_scan_destroy(scan);
    return status;
}

void gpu_scan_destroy(struct gpu_scan *scan)
{
    if (!scan)
        return;
    for (int l = 0; l < LEVELS; l++)
        buf_clear(&scan->sums[l]);
    jit_clear(&scan->jit);
    mem_free(scan);
}

static int64_t scan_tiles(const struct gpu_scan *scan, int64_t n)
{
    int64_t tile = scan_tile(scan);
    return n > tile ? (n + tile - 1) / tile : 1;
}

farsum_status gpu_scan_reserve(struct gpu_scan *scan, int64_t n)
{
    int64_t tiles = scan_tiles(scan, n);
    for (int l = 0; tiles > 1; l++, tiles = scan_tiles(scan, tiles)) {
        if (l == LEVELS)
            FAIL(ERR_ARGUMENT, "scan: %lld items are too many", (long long)n);
        TRY(buf_reserve(&scan->sums[l], scan->device,
                        tiles * (scan->wide ? 8 : 4)));
    }
    return FARSUM_OK;
}

static farsum_status scan_level(struct gpu_scan *scan, const struct buf *in,
                                struct buf *out, int64_t n, struct buf *total,
                                int level)
{
    int64_t tiles = scan_tiles(scan, n);
    int narrow = scan->narrow && level == 0;
    int kind = tiles == 1 ? ALONE : tiles <= RAW_MOST ? RAW : SUMMED;
    struct buf *sums = tiles > 1 ? &scan->sums[level] : out;
    if (tiles > 1)
        TRY(LAUNCH(&scan->reduce, tiles, ARG_BUF(in), ARG_BUF(sums), ARG_I64(n),
                   ARG_I32(narrow)));
    if (kind == SUMMED)
        TRY(scan_level(scan, sums, sums, tiles, NULL, level + 1));
    return LAUNCH(&scan->down, tiles, ARG_BUF(in), ARG_BUF(out), ARG_BUF(sums),
                  ARG_BUF(total ? total : out), ARG_I64(n), ARG_I32(narrow),
                  ARG_I32(kind), ARG_I32(total != NULL));
}

farsum_status gpu_scan_run(struct gpu_scan *scan, const struct buf *in,
                           struct buf *out, int64_t n, struct buf *total)
{
    int item = scan->wide && !scan->narrow ? 8 : 4, sum = scan->wide ? 8 : 4;
    if (n < 0 || in->bytes / item < n || out->bytes / sum < n
        || (total && total->bytes < sum))
        FAIL(ERR_ARGUMENT,
             "scan: %lld items do not fit buffers of %lld and %lld bytes",
             (long long)n, (long long)in->bytes, (long long)out->bytes);
    if (scan->narrow && in->handle == out->handle)
        FAIL(ERR_ARGUMENT, "scan: u64 sums do not fit in the place of u32 "
                           "items");
    TRY(gpu_scan_reserve(scan, n));
    return scan_level(scan, in, out, n, total, 0);
}
