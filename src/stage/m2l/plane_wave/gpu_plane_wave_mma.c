/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_plane_wave_mma: gpu_plane_wave with its products on tensor cores: f64 by
 * FP64 tensor cores, f32 by three TF32 products.  Wins from about p = 8. */
#include "base/mem.h"
#include "cost/expected_rates.h"
#include "stage/m2l/plane_wave/gpu_shared.h"

enum { WARP = 32, MULTIPLE = 8, THREADS = 256, WARPS = THREADS / WARP };
enum { TOGETHER = 4, MOST = 24 }; /* MOST: the order from which registers do not
                                     suffice */

/* Parents per thread block, and per warp; bytes of shared memory. */
struct mma_cut {
    int in, in_blocks, out, out_warp, out_blocks;
    int64_t in_arena, out_arena;
};

/* Tiles of eight coefficients: of all classes, and as divided among warps. */
static int mma_tiles(int p)
{
    int tiles = 0;
    for (int c = 0; c < 8; c++)
        tiles += (plane_gpu_class_size(p, c) + 7) / 8;
    return tiles;
}

static int mma_wide(int p)
{
    return (mma_tiles(p) + WARPS - 1) / WARPS * WARPS;
}

static int64_t mma_in_arena(int64_t real, int in)
{
    int chunk = WARPS / (in / TOGETHER);
    return in * (64 * (8 * chunk + 4) + 8) * real;
}

/* A parent's coefficients in shared memory, as in the kernel. */
static int64_t mma_row_pitch(int p)
{
    return 2 * 4 * ((multipole_size(p) + 10) / 8 * 8 + 4) + 4;
}

static struct mma_cut mma_cut(const struct boxes_args *a)
{
    int64_t real = gpu_real(a->precision), row = mma_row_pitch(a->p) * real;
    int64_t parents = plane_gpu_parents(a), units = a->device->properties.units;
    int64_t held = real / 4 * mma_wide(a->p) / WARPS * 2; /* per parent */
    struct mma_cut cut = {.in = 8, .out = 8, .out_warp = real == 4 ? 4 : 2};
    if (held * 8 > (real == 4 ? 32 : 64) || parents < 2 * 8 * units)
        cut.in = 4;
    cut.in_arena = mma_in_arena(real, cut.in);
    cut.in_blocks = real == 4 ? 2 : 1;
    while (cut.out > 2
           && (cut.out * row > (real == 4 ? 100 << 10 : 200 << 10)
               || parents < 2 * cut.out * units))
        cut.out /= 2;
    if (cut.out_warp > cut.out)
        cut.out_warp = cut.out;
    cut.out_arena = cut.out * row;
    cut.out_blocks = real == 4 && cut.out_warp < 4 ? 2 : 1;
    return cut;
}

static farsum_status mma_fits(const void *args)
{
    const struct boxes_args *a = args;
    struct plane_waves waves;
    struct mma_cut cut;
    TRY(gpu_tensor_fits(a->device, FARSUM_F64)); /* TF32 has the same
                                                    requirement */
    TRY(boxes_gpu_fits_any(a, MOST));
    TRY(plane_gpu_choose(a, &waves));
    cut = mma_cut(a);
    TRY(gpu_local_fits(a->device, cut.in_arena + 8192));
    TRY(gpu_local_fits(a->device, cut.out_arena));
    return boxes_gpu_fits_memory(
        a, plane_gpu_merged_bytes(a, plane_gpu_parents(a),
                                  plane_gpu_stride(&waves, MULTIPLE)));
}

/* Elements of an axis's operators, as packed. */
static int64_t mma_out(int p, int64_t stride)
{
    return (stride + 15) / 16 * mma_tiles(p) * 4 * WARP;
}

static int64_t mma_in(int p, int64_t stride)
{
    return stride / 8 * mma_wide(p) * 2 * WARP;
}

static int64_t mma_bytes(const void *args)
{
    const struct boxes_args *a = args;
    struct plane_waves waves;
    if (plane_gpu_choose(a, &waves) != FARSUM_OK)
        return 0;
    int64_t stride = plane_gpu_stride(&waves, MULTIPLE);
    int64_t parents = plane_gpu_parents(a), real = gpu_real(a->precision);
    return plane_gpu_merged_bytes(a, parents, stride) + boxes_gpu_list_bytes(a)
           + 3 * real * (mma_out(a->p, stride) + mma_in(a->p, stride))
           + 15 * real * stride
           + parents * (8 * multipole_size(a->p) * real + 4);
}

/* Products at 0.29 (f32) and 0.79 (f64) of the units' multiply-add rate, all
 * else at 0.25 and 0.15, as measured on an H200, orders 4 to 20, depth 5; at
 * least the time of one thread block per multiprocessor. */
static double mma_cost(const void *args)
{
    const struct boxes_args *a = args;
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    int wide = a->precision == FARSUM_F64;
    double parents = (double)plane_gpu_parents(a), products, turned;
    double least = 4.0 * a->device->properties.units;
    struct plane_waves waves;
    if (plane_gpu_choose(a, &waves) != FARSUM_OK)
        return 1e30;
    plane_gpu_ops(a, &waves, &products, &turned);
    return (products / (wide ? 0.79 : 0.29) + turned / (wide ? 0.15 : 0.25))
               / rates.flops
               * (parents > 0 && parents < least ? least / parents : 1)
           + 3 * rates.launch + 7e-5;
}

/* Maps a class in the frame of an axis to the class in x, y, z. */
static int mma_class_of(int axis, int of_frame)
{
    for (int c = 0; c < 8; c++)
        if (plane_waves_class(axis, c) == of_frame)
            return c;
    return 0;
}

/* [tile of 16 waves][four coefficients of a class of the frame][lane][2],
 * padded to multiples of eight per class. */
static void mma_pack_out(const struct plane_gpu *s, const int32_t *cut,
                         int axis, const double *from, double *to)
{
    int p = s->gpu.args.p, size = multipole_size(p);
    const int32_t *begin = cut + 4 * size + 8 * axis;
    for (int64_t tile = 0; tile < s->stride; tile += 16)
        for (int f = 0; f < 8; f++) {
            int n = plane_gpu_class_size(p, mma_class_of(axis, f));
            for (int k = 0; k < (n + 7) / 8 * 8; k += 4)
                for (int e = 0; e < 2 * WARP; e++, to++) {
                    int64_t q = tile + e / 8 + e % 2 * 8;
                    int of = k + e / 2 % 4;
                    *to = q < s->stride && of < n
                              ? from[q * size + begin[f] + of]
                              : 0;
                }
        }
}

/* [eight waves][tile of eight coefficients][lane][2]; tiles as in the table. */
static void mma_pack_in(const struct plane_gpu *s, const int32_t *cut, int axis,
                        const double *from, double *to)
{
    int p = s->gpu.args.p, size = multipole_size(p), wide = s->wide;
    const int32_t *tiles = cut + 4 * size + PLANE_BEGINS;
    (void)axis;
    for (int64_t q = 0; q < s->stride; q += 8)
        for (int t = 0; t < wide; t++)
            for (int e = 0; e < 2 * WARP; e++, to++) {
                int of = e / 8, wave = e / 2 % 4 + e % 2 * 4;
                *to = of < tiles[4 * wide + t]
                          ? from[(q + wave) * size + tiles[3 * wide + t] + of]
                          : 0;
            }
}

/* For each tile of eight coefficients: its class in the frames of the axes, its
 * first coefficient, its count: [5][wide]. */
static void mma_table(int p, int wide, int32_t *tiles)
{
    int at = 0, first = 0;
    for (int c = 0; c < 8; c++) {
        int n = plane_gpu_class_size(p, c);
        for (int k = 0; k < n; k += 8, at++) {
            for (int axis = 0; axis < 3; axis++)
                tiles[axis * wide + at] = plane_waves_class(axis, c);
            tiles[3 * wide + at] = first + k;
            tiles[4 * wide + at] = n - k < 8 ? n - k : 8;
        }
        first += n;
    }
    for (; at < wide; at++)
        for (int i = 0; i < 5; i++)
            tiles[i * wide + at] = 0;
}

static farsum_status mma_prepare(struct plane_gpu *s)
{
    int p = s->gpu.args.p;
    int64_t size = multipole_size(p);
    int64_t n = 4 * size + PLANE_BEGINS + 5 * s->wide;
    struct plane_gpu_pack pack = {.out = mma_out(p, s->stride),
                                  .in = mma_in(p, s->stride),
                                  .pack_out = mma_pack_out,
                                  .pack_in = mma_pack_in};
    farsum_status status = FARSUM_OK;
    int32_t *cut = NULL;
    GO(MEM_RAW(cut, n));
    plane_gpu_tables(p, cut);
    mma_table(p, s->wide, cut + 4 * size + PLANE_BEGINS);
    GO(plane_gpu_send(s, &s->cut, cut, n));
    GO(plane_gpu_operators(s, cut, &pack));
    GO(plane_gpu_dense(s));
done:
    mem_free(cut);
    return status;
}

static farsum_status mma_kernels(struct plane_gpu *s, const struct mma_cut *cut)
{
    struct jit *jit = &s->gpu.jit;
    plane_gpu_define(s, "stage/m2l/plane_wave/gpu_plane_wave_mma.k");
    jit_define(jit, "MMA", "%d", gpu_tensor_rows(s->gpu.args.device));
    jit_define(jit, "PAR", "%d", cut->in);
    jit_define(jit, "GROUP", "%d", THREADS);
    jit_define(jit, "BLOCKS", "%d", cut->in_blocks);
    jit_define(jit, "OUT", "%d", cut->out);
    jit_define(jit, "OUT_WARP", "%d", cut->out_warp);
    jit_define(jit, "OUT_GROUP", "%d", THREADS);
    jit_define(jit, "OUT_BLOCKS", "%d", cut->out_blocks);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "plane_columns", 8 * BOXES_LANES, 0, &s->columns));
    TRY(jit_kernel(jit, "plane_out", THREADS, cut->out_arena, &s->waves_out));
    return jit_kernel(jit, "plane_in", THREADS, cut->in_arena, &s->waves_in);
}

static farsum_status mma_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct plane_gpu *s = NULL;
    struct mma_cut cut = mma_cut(args);
    GO(MEM_NEW(s, 1));
    GO(plane_gpu_begin(s, args, MULTIPLE));
    s->from_waves = cut.in;
    s->to_waves = cut.out;
    s->direct = 1;
    s->wide = mma_wide(s->gpu.args.p);
    GO(mma_prepare(s));
    GO(mma_kernels(s, &cut));
    *state = s;
    s = NULL;
done:
    plane_gpu_destroy(s);
    return status;
}

const struct variant m2l_gpu_plane_wave_mma = {
    .fits = mma_fits,
    .cost = mma_cost,
    .bytes = mma_bytes,
    .create = mma_create,
    .set = plane_gpu_set,
    .run = plane_gpu_run,
    .destroy = plane_gpu_destroy,
    .deterministic = 1,
    .needs = "tensor cores",
    .work = plane_gpu_work,
    .error = plane_gpu_error,
};
