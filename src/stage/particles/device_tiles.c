/* SPDX-License-Identifier: Apache-2.0 */
/* device_tiles.c: the shape of mesh tiles in shared memory. */
#include "stage/particles/device_tiles.h"

/* 1: so many rows of a window are in different banks. */
static int apart(int stride, int rows, int support)
{
    enum { BANKS = 32 };
    for (int r = 1; r < rows; r++) {
        int off = r * stride % BANKS;
        if (off < support || BANKS - off < support)
            return 0;
    }
    return 1;
}

static int most_rows(int support)
{
    int at_once = support < GPU_TILES_WARP ? GPU_TILES_WARP / support : 1;
    int passes = (support + at_once - 1) / at_once;
    return (support + passes - 1) / passes;
}

static void edges_set(struct gpu_tiles *s, const struct gpu_tiles_args *args,
                      const int edge[3])
{
    int P = args->support;
    s->tiles = 1;
    for (int d = 0; d < 3; d++) {
        s->nb[d] = (int32_t)((args->mesh[d] + edge[d] - 1) / edge[d]);
        s->edge[d] = (int)((args->mesh[d] + s->nb[d] - 1) / s->nb[d]);
        s->tiles *= s->nb[d];
    }
    s->stride = s->edge[2] + P;
    while (!apart(s->stride, s->rows, P))
        s->stride++;
    int64_t rows = (int64_t)(s->edge[0] + P) * (s->edge[1] + P);
    int64_t real = gpu_real(args->precision);
    s->tile = rows * s->stride * real * s->values;
    s->other = 256 + 8 * rows + GPU_TILES_WARP * s->warps * real
               + GPU_TILES_BATCH * (8 + (3 * P + 7 + args->words) * real);
}

/* Makes the tile narrower by one step; returns 0 if it is one mesh point. */
static int edges_less(int edge[3])
{
    if (edge[0] == 1 && edge[1] == 1 && edge[2] == 1)
        return 0;
    if (edge[0] * edge[1] <= 16 && edge[2] > 2 * edge[0])
        edge[2] -= edge[2] > 7 ? edge[2] / 4 : 1;
    else if (edge[0] >= edge[1] && edge[0] > 1)
        edge[0] /= 2;
    else if (edge[1] > 1)
        edge[1] /= 2;
    else
        edge[2]--;
    return 1;
}

/* The largest tiles that leave several for each multiprocessor.  With 48 KB,
 * four thread blocks share a multiprocessor of an H200. */
struct gpu_tiles gpu_tiles_of(const struct gpu_tiles_args *args)
{
    enum { EDGE = 8, ROW = 18, ACROSS = 16, LOCAL_MOST = 48 << 10, EACH = 5 };
    int P = args->support;
    int edge[3] = {EDGE, EDGE, ROW};
    struct gpu_tiles s = {.rows = most_rows(P),
                          .warps = args->warps,
                          .values = args->values < 4 ? args->values : 4};
    int64_t least = EACH * (int64_t)args->device->properties.units;
    int64_t local = args->device->properties.local;
    if (args->across > 0) {
        for (edge[0] = 1; edge[0] * edge[0] < args->across; edge[0]++)
            ;
        edge[1] = (args->across + edge[0] - 1) / edge[0];
    }
    edges_set(&s, args, edge);
    for (;;) {
        int64_t capacity =
            LOCAL_MOST < local - s.other ? LOCAL_MOST : local - s.other;
        int few = s.tiles < least && edge[0] * edge[1] > ACROSS;
        if (s.tile > capacity && s.values > 1)
            s.values--;
        else if ((s.tile <= capacity && (args->across > 0 || !few))
                 || !edges_less(edge))
            return s;
        edges_set(&s, args, edge);
    }
}

farsum_status gpu_tiles_fit(const struct gpu_tiles *s,
                            const struct device *device)
{
    double tiles = (double)s->nb[0] * s->nb[1] * s->nb[2];
    if (tiles > GPU_BINS_MOST)
        FAIL(ERR_UNSUPPORTED, "%.0f tiles; at most %lld are possible", tiles,
             (long long)GPU_BINS_MOST);
    return gpu_local_fits(device, s->tile + s->other);
}

void gpu_tiles_define(struct jit *jit, const struct gpu_tiles *s)
{
    jit_define(jit, "EX", "%d", s->edge[0]);
    jit_define(jit, "EY", "%d", s->edge[1]);
    jit_define(jit, "EZ", "%d", s->edge[2]);
    jit_define(jit, "STRIDE", "%d", s->stride);
    jit_define(jit, "TAKE", "%d", s->values);
    jit_define(jit, "WARPS", "%d", s->warps);
}

int64_t gpu_tiles_most(const struct gpu_tiles *s, int64_t n)
{
    enum { LEAST = 128, MOST = 1 << 20 };
    int64_t most = 2 * (n / s->tiles);
    return most < LEAST ? LEAST : most < MOST ? most : MOST;
}

int64_t gpu_tiles_parts(const struct gpu_tiles *s, int64_t n)
{
    return s->tiles + n / gpu_tiles_most(s, n);
}

farsum_status gpu_tiles_set(struct gpu_tiles_kept *kept,
                            const struct gpu_tiles *s,
                            struct points_gpu *points, const int64_t mesh[3],
                            farsum_precision precision)
{
    farsum_status status = FARSUM_OK;
    struct gpu_ordering *sort = NULL;
    int64_t n = points->n, most = gpu_tiles_most(s, n);
    struct device *device = points->device;
    struct mesh_args args = {.n = n};
    for (int d = 0; d < 3; d++)
        args.mesh[d] = (int32_t)mesh[d];
    kept->cells = gpu_ordering_cells_args(mesh, s->nb);
    kept->parts = gpu_tiles_parts(s, n);
    GO(gpu_ordering_sort(points, s->nb, 0, &sort));
    GO(buf_reserve(&kept->t, device, 3 * n * gpu_real(precision)));
    GO(buf_reserve(&kept->at, device, 4 * n));
    GO(buf_reserve(&kept->item, device, 4 * n));
    GO(buf_reserve(&kept->part, device, 12 * kept->parts));
    GO(LAUNCH(&kept->place,
              kernel_groups(&kept->place, n > s->tiles ? n : s->tiles),
              ARG_BUF(&sort->s), ARG_BUF(&sort->item), ARG_BUF(&sort->start),
              ARG_BUF(&kept->t), ARG_BUF(&kept->at), ARG_BUF(&kept->item),
              ARG_BUF(&kept->part), ARG_STRUCT(args), ARG_STRUCT(kept->cells),
              ARG_I64(s->tiles), ARG_I32((int32_t)most)));
done:
    gpu_ordering_release(&sort); /* kernels in the queue still read it */
    return status;
}

void gpu_tiles_clear(struct gpu_tiles_kept *kept)
{
    buf_clear(&kept->t);
    buf_clear(&kept->at);
    buf_clear(&kept->item);
    buf_clear(&kept->part);
}

int64_t gpu_tiles_bytes(const struct gpu_tiles *s, int64_t n,
                        farsum_precision precision)
{
    return n * (3 * gpu_real(precision) + 8) + 12 * gpu_tiles_parts(s, n);
}
