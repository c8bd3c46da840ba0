/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_dense: one dense operator for each of the 316 (ws = 1) difference
 * vectors, computed on the host.  A thread has some rows for some boxes, and
 * multiplies as in a matrix product.  The baseline of the dense variants; never
 * the fastest where gpu_walsh is supported. */
#include <string.h>

#include "base/mem.h"
#include "points/wrap.h"
#include "stage/expansions/device.h"
#include "cost/expected_rates.h"

enum { ORDER_MOST = 20, TEAMS_MOST = 8 };

struct state {
    struct boxes_gpu gpu; /* owned */
    struct kernel kernel;
};

/* Parameters of the kernel. */
struct dense_cut {
    int rows, tiles, boxes;
    struct boxes_gpu_deal deal;
};

/* Padding rows cost as much as others; each four of them is a load. */
static struct dense_cut dense_cut(const struct boxes_args *a)
{
    struct dense_cut cut = {0};
    int k = multipole_size(a->p);
    double least = 0;
    for (int rows = 4; rows <= 16; rows += 4) {
        int tiles = (k + rows - 1) / rows;
        double cost = tiles * (rows + 2.0);
        if (cut.rows == 0 || cost <= least) {
            least = cost;
            cut.rows = rows;
            cut.tiles = tiles;
        }
    }
    cut.deal = boxes_gpu_deal(a, cut.tiles, TEAMS_MOST);
    cut.boxes =
        boxes_gpu_thread(a, a->precision == FARSUM_F32 ? 4 : 2, cut.deal.parts);
    return cut;
}

static int64_t dense_operator_reals(const struct boxes_args *a)
{
    struct dense_cut cut = dense_cut(a);
    return (int64_t)cut.tiles * cut.rows * multipole_size(a->p);
}

static int64_t dense_operator_bytes(const struct boxes_args *a)
{
    return boxes_real(a) * boxes_gpu_differences(a->ws)
           * dense_operator_reals(a);
}

static farsum_status dense_fits(const void *args)
{
    const struct boxes_args *a = args;
    TRY(boxes_gpu_fits_any(a, ORDER_MOST));
    return boxes_gpu_fits_memory(a, dense_operator_bytes(a));
}

static int64_t dense_bytes(const void *args)
{
    const struct boxes_args *a = args;
    return dense_operator_bytes(a) + boxes_gpu_list_bytes(a);
}

static double dense_fma(const struct boxes_args *a)
{
    double boxes = (double)boxes_gpu_below(a);
    return boxes * (double)boxes_gpu_far_most(a->ws)
           * (double)dense_operator_reals(a);
}

/* As measured on an H200, orders 4 to 20, depth 5. */
static double dense_cost(const void *args)
{
    const struct boxes_args *a = args;
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    return dense_fma(a) / (0.23 * rates.flops) + 2e-5;
}

static void dense_work(const void *args, struct work *work)
{
    const struct boxes_args *a = args;
    double boxes = (double)boxes_gpu_boxes(a);
    count_calls(&work->count, COUNT_FMA, dense_fma(a));
    work->read += (double)boxes_real(a) * boxes * multipole_size(a->p)
                  + (double)dense_operator_bytes(a);
    work->written += (double)boxes_real(a) * boxes * multipole_size(a->p);
    work->launches += 1;
}

static void dense_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    boxes_gpu_clear(&s->gpu);
    mem_free(s);
}

/* Packs one operator as the kernel reads it: [tile][column][row of the
 * tile]. */
static void dense_pack(const struct dense_cut *cut, int size, const double *t,
                       double *packed)
{
    for (int tile = 0; tile < cut->tiles; tile++)
        for (int k = 0; k < size; k++)
            for (int i = 0; i < cut->rows; i++) {
                int row = tile * cut->rows + i;
                *packed++ = row < size ? t[(int64_t)row * size + k] : 0;
            }
}

static farsum_status dense_operator(struct state *s,
                                    const struct dense_cut *cut,
                                    const int32_t d[3], int64_t number,
                                    double *workspace)
{
    const struct boxes_args *a = &s->gpu.args;
    int size = multipole_size(a->p);
    double *field = workspace, *t = field + multipole_size(2 * a->p);
    double *packed = t + (int64_t)size * size;
    int64_t reals = dense_operator_reals(a);
    boxes_gpu_operator(a, d, field, t);
    dense_pack(cut, size, t, packed);
    return boxes_gpu_upload(&s->gpu.operators, a->precision, number * reals,
                            packed, reals);
}

static farsum_status dense_operators_make(struct state *s,
                                          const struct dense_cut *cut)
{
    const struct boxes_args *a = &s->gpu.args;
    int64_t size = multipole_size(a->p), n = 0;
    farsum_status status = FARSUM_OK;
    int32_t(*d)[3] = NULL;
    double *workspace = NULL;
    GO(boxes_gpu_lists(&s->gpu, &d, &n));
    GO(buf_alloc(&s->gpu.operators, a->device, dense_operator_bytes(a)));
    GO(MEM_RAW(workspace, multipole_size(2 * a->p) + size * size
                              + dense_operator_reals(a)));
    for (int64_t i = 0; i < n; i++)
        GO(dense_operator(s, cut, d[i], i, workspace));
done:
    mem_free(d);
    mem_free(workspace);
    return status;
}

static farsum_status dense_create(const void *args, void **state)
{
    const struct boxes_args *a = args;
    const struct dense_cut cut = dense_cut(a);
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    struct jit *jit;
    GO(MEM_NEW(s, 1));
    jit = &s->gpu.jit;
    GO(boxes_gpu_begin(&s->gpu, a, BOXES_LANES * cut.boxes, cut.deal.parts));
    GO(dense_operators_make(s, &cut));
    jit_begin(jit, a->device, "stage/m2l/dense/gpu_dense.k", a->precision);
    jit_define(jit, "K", "%d", multipole_size(a->p));
    jit_define(jit, "ROWS", "%d", cut.rows);
    jit_define(jit, "BOXES", "%d", cut.boxes);
    jit_define(jit, "TEAMS", "%d", cut.deal.teams);
    jit_define(jit, "PARTS", "%d", cut.deal.parts);
    jit_define(jit, "LANES", "%d", BOXES_LANES);
    jit_define(jit, "SPARSE", "%d", !a->dense);
    GO(jit_build(jit));
    GO(jit_kernel(jit, "m2l_dense", BOXES_LANES * cut.deal.teams, 0,
                  &s->kernel));
    *state = s;
    s = NULL;
done:
    dense_destroy(s);
    return status;
}

static farsum_status dense_set(void *state, const struct points *source,
                               const struct points *target)
{
    struct state *s = state;
    (void)target;
    return boxes_gpu_set(&s->gpu, source->tree);
}

static farsum_status dense_run(void *state, const void *data)
{
    struct state *s = state;
    const struct boxes_io *io = data;
    struct boxes_gpu *g = &s->gpu;
    TRY(boxes_gpu_io(g, io));
    if (g->groups == 0)
        return FARSUM_OK;
    return LAUNCH(&s->kernel, g->groups, ARG_BUF(io->multipole),
                  ARG_BUF(io->local), ARG_BUF(&g->operators), ARG_BUF(&g->list),
                  ARG_BUF(boxes_gpu_near(g, io->tree)),
                  ARG_BUF(g->args.dense ? &g->near : &g->runs),
                  ARG_STRUCT(g->levels));
}

const struct variant m2l_gpu_dense = {
    .fits = dense_fits,
    .cost = dense_cost,
    .bytes = dense_bytes,
    .create = dense_create,
    .set = dense_set,
    .run = dense_run,
    .destroy = dense_destroy,
    .deterministic = 1,
    .needs = "a device",
    .work = dense_work,
};
