/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_plane_wave: plane waves along the axes.  A multipole is converted to the
 * waves of six directions, which are translated from box to box by a factor.
 * Waves of adjacent boxes are added before they are translated.  After L.
 * Greengard, V. Rokhlin, Acta Numerica 6 (1997) 229.  Adds an error of an
 * eighth of the order's truncation error; wins wherever that is acceptable. */
#include <string.h>

#include "base/mem.h"
#include "cost/expected_rates.h"
#include "stage/m2l/plane_wave/gpu_shared.h"

enum { THREADS = 256, CHUNK = 64, MULTIPLE = 4 };
#define ARENA_BEST (110 << 10) /* two thread blocks per multiprocessor */

/* Parameters of the kernels: parents per thread block, waves processed
 * together, parents whose coefficients a thread holds together. */
struct wave_cut {
    int chunk;
    int in, in_group, in_blocks, slots;
    int out, out_group, out_blocks;
    int64_t in_arena, out_arena;
};

/* Threads loop over all coefficients; each round also loads factors. */
static int wave_slots(const struct boxes_args *a, const struct wave_cut *cut)
{
    int size = multipole_size(a->p), best = 1;
    double least = 0;
    for (int slots = 1; slots <= cut->in && slots <= 4; slots *= 2) {
        int items = size * (cut->in / slots);
        int rounds = (items + cut->in_group - 1) / cut->in_group;
        double cost = rounds * (slots + 0.4);
        if (slots == 1 || cost < least) {
            least = cost;
            best = slots;
        }
    }
    return best;
}

static int wave_group(int parents, int chunk)
{
    return (parents * chunk + 31) / 32 * 32;
}

static struct wave_cut wave_cut(const struct boxes_args *a,
                                const struct plane_waves *waves)
{
    const struct device_properties *f = &a->device->properties;
    int64_t real = gpu_real(a->precision), size = multipole_size(a->p);
    int64_t most = f->local < ARENA_BEST ? f->local - 8192 : ARENA_BEST;
    int threads = f->group_max < THREADS ? f->group_max : THREADS;
    struct wave_cut cut = {.in = 4};
    int64_t held = (real == 4 ? 4 : 3) * threads; /* coefficients in
                                                     registers */
    while (cut.in > 1
           && (cut.in * size > held
               || plane_gpu_parents(a) < (int64_t)2 * cut.in * f->units))
        cut.in /= 2;
    for (;; cut.in /= 2) {
        int wide = threads / cut.in < CHUNK ? threads / cut.in : CHUNK;
        int chunks = (waves->quarter + wide - 1) / wide;
        cut.chunk = ((waves->quarter + chunks - 1) / chunks + 3) / 4 * 4;
        cut.in_arena = cut.in * real * 64 * cut.chunk;
        if (cut.in == 1 || cut.in_arena <= most)
            break;
    }
    cut.in_group = wave_group(cut.in, cut.chunk);
    cut.slots = wave_slots(a, &cut);
    cut.in_blocks = a->precision == FARSUM_F32 && cut.in_arena <= most ? 2 : 1;
    cut.out = cut.in;
    while (cut.out > 1 && cut.out * size * 8 * real > most)
        cut.out /= 2;
    cut.out_arena = cut.out * size * 8 * real;
    cut.out_group = wave_group(cut.out, cut.chunk);
    cut.out_blocks = cut.in_blocks;
    return cut;
}

static farsum_status wave_fits(const void *args)
{
    const struct boxes_args *a = args;
    struct plane_waves waves;
    struct wave_cut cut;
    TRY(boxes_gpu_fits_any(a, PLANE_ORDER_MOST));
    TRY(plane_gpu_choose(a, &waves));
    cut = wave_cut(a, &waves);
    TRY(gpu_local_fits(a->device, cut.in_arena + 8192));
    TRY(gpu_local_fits(a->device, cut.out_arena));
    return boxes_gpu_fits_memory(
        a, plane_gpu_merged_bytes(a, plane_gpu_parents(a),
                                  plane_gpu_stride(&waves, MULTIPLE)));
}

static int64_t wave_bytes(const void *args)
{
    struct plane_waves waves;
    if (plane_gpu_choose(args, &waves) != FARSUM_OK)
        return 0;
    return plane_gpu_bytes(args, plane_gpu_stride(&waves, MULTIPLE));
}

/* Products at 0.4 of the units' rate, bytes at 0.7 of the memory bandwidth; and
 * a slowdown that grows with the order, as measured on an H200, orders 4 to 20,
 * depths 5 to 7. */
static double wave_cost(const void *args)
{
    const struct boxes_args *a = args;
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    struct plane_waves waves;
    double products, turned;
    if (plane_gpu_choose(a, &waves) != FARSUM_OK)
        return 1e30;
    plane_gpu_ops(a, &waves, &products, &turned);
    double more =
        a->precision == FARSUM_F32 ? 0.9 + 0.085 * a->p : 1.2 + 0.13 * a->p;
    return ((products + turned) / (0.4 * rates.flops)
            + plane_gpu_traffic(a, &waves, plane_gpu_stride(&waves, MULTIPLE))
                  / (0.7 * rates.bytes))
               * more
           + 4 * rates.launch + 2e-5;
}

/* [number][wave]. */
static void wave_pack_out(const struct plane_gpu *s, const int32_t *cut,
                          int axis, const double *from, double *to)
{
    int64_t size = multipole_size(s->gpu.args.p);
    (void)cut;
    (void)axis;
    for (int64_t q = 0; q < s->stride; q++)
        for (int64_t k = 0; k < size; k++)
            to[k * s->stride + q] = from[q * size + k];
}

/* [wave][number]. */
static void wave_pack_in(const struct plane_gpu *s, const int32_t *cut,
                         int axis, const double *from, double *to)
{
    int64_t n = s->stride * multipole_size(s->gpu.args.p);
    (void)cut;
    (void)axis;
    memcpy(to, from, (size_t)n * sizeof *to);
}

static farsum_status wave_prepare(struct plane_gpu *s)
{
    int64_t size = multipole_size(s->gpu.args.p), n = 4 * size + PLANE_BEGINS;
    struct plane_gpu_pack pack = {.out = s->stride * size,
                                  .in = s->stride * size,
                                  .pack_out = wave_pack_out,
                                  .pack_in = wave_pack_in};
    farsum_status status = FARSUM_OK;
    int32_t *cut = NULL;
    GO(MEM_RAW(cut, n));
    plane_gpu_tables(s->gpu.args.p, cut);
    GO(plane_gpu_send(s, &s->cut, cut, n));
    GO(plane_gpu_operators(s, cut, &pack));
    GO(plane_gpu_dense(s));
done:
    mem_free(cut);
    return status;
}

static farsum_status wave_kernels(struct plane_gpu *s,
                                  const struct wave_cut *cut)
{
    struct jit *jit = &s->gpu.jit;
    plane_gpu_define(s, "stage/m2l/plane_wave/gpu_plane_wave.k");
    jit_define(jit, "QC", "%d", cut->chunk);
    jit_define(jit, "PAR", "%d", cut->in);
    jit_define(jit, "SLOTS", "%d", cut->slots);
    jit_define(jit, "GROUP", "%d", cut->in_group);
    jit_define(jit, "BLOCKS", "%d", cut->in_blocks);
    jit_define(jit, "OUT", "%d", cut->out);
    jit_define(jit, "OUT_GROUP", "%d", cut->out_group);
    jit_define(jit, "OUT_BLOCKS", "%d", cut->out_blocks);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "plane_rows", 8 * BOXES_LANES, 0, &s->rows));
    TRY(jit_kernel(jit, "plane_columns", 8 * BOXES_LANES, 0, &s->columns));
    TRY(jit_kernel(jit, "plane_out", cut->out_group, cut->out_arena,
                   &s->waves_out));
    return jit_kernel(jit, "plane_in", cut->in_group, cut->in_arena,
                      &s->waves_in);
}

static farsum_status wave_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct plane_gpu *s = NULL;
    struct wave_cut cut;
    GO(MEM_NEW(s, 1));
    GO(plane_gpu_begin(s, args, MULTIPLE));
    cut = wave_cut(args, &s->waves);
    s->from_waves = cut.in;
    s->to_waves = cut.out;
    GO(wave_prepare(s));
    GO(wave_kernels(s, &cut));
    *state = s;
    s = NULL;
done:
    plane_gpu_destroy(s);
    return status;
}

static void wave_work(const void *args, struct work *work)
{
    plane_gpu_work(args, work);
    work->launches += 1; /* copies multipoles to rows */
}

const struct variant m2l_gpu_plane_wave = {
    .fits = wave_fits,
    .cost = wave_cost,
    .bytes = wave_bytes,
    .create = wave_create,
    .set = plane_gpu_set,
    .run = plane_gpu_run,
    .destroy = plane_gpu_destroy,
    .deterministic = 1,
    .needs = "a device",
    .work = wave_work,
    .error = plane_gpu_error,
};
