/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_walsh_mma: gpu_walsh_families with its products on tensor cores: f64 by
 * FP64 tensor cores, f32 by three TF32 products.  NVIDIA, from sm_80 on. */
#include "base/mem.h"
#include "stage/device.h"
#include "stage/m2l/walsh/gpu_families.h"

enum { LANES = 32, LAYERS = 4 };

struct state {
    struct walsh_families families; /* owned; its products belong to jit */
    struct jit jit;                 /* owned */
};

struct mma_cut {
    struct walsh_shape shape;
    int eights, across; /* eights of rows per warp; warps adjacent along rows */
    int64_t arena;
};

/* Rows per tile: little padding and few rereads, but at least as many tiles as
 * multiprocessors. */
static struct mma_cut mma_cut(const struct boxes_args *a)
{
    int size = multipole_size(a->p), eights = (size + 7) / 8;
    struct mma_cut cut = {.shape = {.k = 8 * eights, }};
    double least = 0;
    for (int across = 1; across <= 2; across++)
        for (int n = 1; n <= 11; n++) {
            int tiles = (eights + n * across - 1) / (n * across);
            double cost = walsh_families_rounds(a, tiles) * (n * across + 1.5);
            if (cut.eights == 0 || cost <= least) {
                least = cost;
                cut.eights = n;
                cut.across = across;
                cut.shape.tiles = tiles;
            }
        }
    cut.shape.rows = 8 * cut.eights * cut.across;
    cut.shape.pitch = cut.shape.rows;
    cut.shape.chunk =
        (cut.across == 2 ? 16 : 8) * (a->precision == FARSUM_F32 ? 2 : 1);
    if (cut.shape.chunk > cut.shape.k)
        cut.shape.chunk = cut.shape.k;
    cut.arena = boxes_real(a) * cut.shape.chunk
                * (2 * walsh_families_pitch(a) + 4 * cut.shape.rows);
    return cut;
}

static farsum_status mma_fits(const void *args)
{
    const struct boxes_args *a = args;
    TRY(boxes_gpu_fits(a, MULTIPOLE_MOST));
    TRY(gpu_tensor_fits(a->device, FARSUM_F64));
    struct mma_cut cut = mma_cut(a);
    TRY(gpu_local_fits(a->device, cut.arena));
    return walsh_families_fits(a, &cut.shape);
}

static int64_t mma_bytes(const void *args)
{
    const struct boxes_args *a = args;
    struct mma_cut cut = mma_cut(a);
    return walsh_families_bytes(a, &cut.shape);
}

/* As measured on an H200, orders 4 to 20, depths 3 to 6.  Tensor cores could do
 * 2 times the units' multiply-adds in f64, 1.6 times in f32. */
static double mma_cost(const void *args)
{
    const struct boxes_args *a = args;
    struct mma_cut cut = mma_cut(a);
    double faster = a->precision == FARSUM_F32 ? 0.46 * 1.6 : 0.62 * 2;
    return walsh_families_cost(a, &cut.shape, faster, 2.7e-7);
}

static void mma_work(const void *args, struct work *work)
{
    const struct boxes_args *a = args;
    struct mma_cut cut = mma_cut(a);
    walsh_families_work(a, &cut.shape, work);
}

static void mma_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    if (s->jit.device)
        jit_clear(&s->jit);
    walsh_families_clear(&s->families);
    mem_free(s);
}

static farsum_status mma_create(const void *args, void **state)
{
    const struct boxes_args *a = args;
    struct mma_cut cut = mma_cut(a);
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    struct jit *jit;
    GO(MEM_NEW(s, 1));
    jit = &s->jit;
    GO(walsh_families_begin(&s->families, a, &cut.shape, 0));
    jit_begin(jit, a->device, "stage/m2l/walsh/gpu_walsh_mma.k", a->precision);
    jit_define(jit, "MMA", "%d", gpu_tensor_rows(a->device));
    jit_define(jit, "KPAD", "%d", cut.shape.k);
    jit_define(jit, "CHUNK", "%d", cut.shape.chunk);
    jit_define(jit, "EIGHTS", "%d", cut.eights);
    jit_define(jit, "ACROSS", "%d", cut.across);
    jit_define(jit, "TILES", "%d", cut.shape.tiles);
    GO(jit_build(jit));
    GO(jit_kernel(jit, "m2l_families_mma", LANES * LAYERS * cut.across,
                  cut.arena, &s->families.products));
    *state = s;
    s = NULL;
done:
    mma_destroy(s);
    return status;
}

static farsum_status mma_run(void *state, const void *io)
{
    struct state *s = state;
    return walsh_families_run(&s->families, io);
}

const struct variant m2l_gpu_walsh_mma = {
    .fits = mma_fits,
    .cost = mma_cost,
    .bytes = mma_bytes,
    .create = mma_create,
    .run = mma_run,
    .destroy = mma_destroy,
    .deterministic = 1,
    .needs = "tensor cores",
    .work = mma_work,
};
