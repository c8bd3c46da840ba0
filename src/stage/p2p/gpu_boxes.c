/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_boxes: one thread block per leaf of targets.  Sources of all near leaves
 * are read through shared memory, contiguously; slices of threads share the
 * sources where targets are few.  No sum is shared between thread blocks:
 * results repeat bitwise. */
#include "base/mem.h"
#include "points/tree/tree_device_set.h"
#include "stage/device.h"
#include "cost/expected_rates.h"
#include "stage/p2p/p2p.h"

enum { FEW = 24, TILE = 256, RHS_MOST = 4 };

/* As in gpu_boxes.k. */
struct boxes_shape {
    double per_h0, soft, skip, least, box[3];
    int64_t n, m, leaves, roots, set;
    int32_t root[3], periodic[3], level, ws, potential, field, fresh, spare;
};
_Static_assert(sizeof(struct boxes_shape) == 144, "must match the kernel's "
                                                  "struct");

struct boxes {
    struct p2p_args args;
    struct jit jit;
    struct kernel sum;
    int rhs; /* sets of strengths per launch, equal for all launches */
};

static farsum_status boxes_fits(const void *args)
{
    const struct p2p_args *a = args;
    TRY(gpu_wanted(a->device));
    if (a->pair)
        FAIL(ERR_UNSUPPORTED, "sums 1/r only, not kernel %s", a->pair->name);
    return p2p_check(a);
}

/* The largest supported divisor of rhs. */
static int boxes_rhs(const struct p2p_args *args)
{
    int rhs = RHS_MOST;
    while (args->rhs % rhs != 0)
        rhs--;
    return rhs;
}

/* Threads per leaf: even a leaf of few targets leaves none of 64 idle. */
static int boxes_group(const struct p2p_args *args)
{
    return args->filling < FEW ? 64 : 128;
}

/* Entries of the near list that are processed together. */
static int boxes_entries(const struct p2p_args *args)
{
    return args->dense && args->ws == 1 ? 32 : 64;
}

/* Instructions per pair, and per thread block for its start and to read its
 * sources, which are f32 for any type of sums; as measured on an H200, 8 to 40
 * points per leaf.  The values for processors with OpenCL are guesses. */
static double boxes_cost(const void *args)
{
    const struct p2p_args *a = args;
    double rate = gpu_rates(a->device, a->precision).flops;
    double other = gpu_rates(a->device, FARSUM_F32).flops;
    int gpu = !gpu_is_processor(a->device);
    double pair = (gpu ? 14 : a->precision == FARSUM_F32 ? 16 : 24)
                  + 6.0 * a->rhs;
    double leaf = a->filling > 1 ? a->filling : 1, group = boxes_group(a);
    double lanes = group / leaf > 1 ? group / leaf : 1;
    double idle = 1 + 0.5 / lanes; /* targets that are not a multiple */
    double leaves = p2p_targets(a) / leaf;
    double begin = ((gpu ? 980 : 400) + 0.4 * a->neighbours) * group;
    return p2p_targets(a) * a->neighbours * pair * idle / (0.75 * rate)
           + leaves * begin / (0.75 * other) + 1e-5;
}

static int64_t boxes_bytes(const void *args)
{
    (void)args;
    return 0;
}

static void boxes_destroy(void *state)
{
    struct boxes *boxes = state;
    if (!boxes)
        return;
    if (boxes->jit.device)
        jit_clear(&boxes->jit);
    mem_free(boxes);
}

static farsum_status boxes_create(const void *data, void **state)
{
    farsum_status status = FARSUM_OK;
    const struct p2p_args *args = data;
    struct boxes *boxes = NULL;
    GO(MEM_NEW(boxes, 1));
    boxes->args = *args;
    boxes->rhs = boxes_rhs(args);
    struct jit *jit = &boxes->jit;
    jit_begin(jit, args->device, "stage/p2p/gpu_boxes.k", args->precision);
    int group = boxes_group(args);
    jit_define(jit, "GROUP", "%d", group);
    jit_define(jit, "ENTRIES", "%d", boxes_entries(args));
    jit_define(jit, "TILE", "%d", TILE);
    jit_define(jit, "RHS", "%d", boxes->rhs);
    jit_define(jit, "FIELD", "%d", (args->outputs & FARSUM_FIELD) != 0);
    jit_define(jit, "SOFT", "%d", args->softening > 0 ? 1 + args->balls : 0);
    jit_define(jit, "DENSE", "%d", args->dense != 0);
    GO(jit_build(jit));
    GO(jit_kernel(jit, "p2p_boxes", group, 0, &boxes->sum));
    *state = boxes;
    boxes = NULL;
done:
    boxes_destroy(boxes);
    return status;
}

static void boxes_shape(const struct p2p_args *args, const struct tree *tree,
                        struct boxes_shape *s)
{
    double least = p2p_least(args->precision), h0 = tree->h0;
    *s = (struct boxes_shape){
        .per_h0 = 1 / h0,
        .soft = args->softening / h0 * (args->softening / h0),
        .skip = args->skip / h0 * (args->skip / h0),
        .least = least * least,
        .n = tree->gpu->source.n,
        .m = tree_gpu_targets(tree)->n,
        .leaves = tree->n_leaves,
        .roots = tree->root[0] * tree->root[1] * tree->root[2],
        .level = tree->depth,
        .ws = tree->ws,
    };
    for (int d = 0; d < 3; d++) {
        s->box[d] = tree->box[d];
        s->root[d] = (int32_t)tree->root[d];
        s->periodic[d] = tree->periodic[d];
    }
}

static farsum_status boxes_run(void *state, const void *data)
{
    struct boxes *boxes = state;
    const struct p2p_io *io = data;
    const struct tree *tree = io->tree;
    TRY(p2p_check_io(&boxes->args, io));
    if (!tree->gpu)
        FAIL(ERR_STATE, "p2p gpu_boxes: the tree is not on the device");
    if ((!io->potential && !io->field) || tree->n_leaves == 0)
        return FARSUM_OK;
    const struct tree_gpu_points *s = &tree->gpu->source;
    const struct tree_gpu_points *t = tree_gpu_targets(tree);
    const struct tree_gpu_sparse *sparse = &tree->gpu->sparse;
    const struct buf *none = &s->begin; /* unused outputs are not written */
    struct boxes_shape shape;
    boxes_shape(&boxes->args, tree, &shape);
    shape.potential = io->potential != NULL;
    shape.field = io->field != NULL;
    shape.fresh = io->fresh;
    for (; shape.set < boxes->args.rhs; shape.set += boxes->rhs)
        TRY(LAUNCH(&boxes->sum, tree->n_leaves, ARG_BUF(&s->x),
                   ARG_BUF(&s->low), ARG_BUF(io->q), ARG_BUF(&s->begin),
                   ARG_BUF(&t->x), ARG_BUF(&t->low), ARG_BUF(&t->begin),
                   ARG_BUF(tree->dense ? none : &sparse->near_begin),
                   ARG_BUF(tree->dense ? none : &sparse->near),
                   ARG_BUF(tree->dense ? none : &sparse->place),
                   ARG_BUF(io->potential ? io->potential : none),
                   ARG_BUF(io->field ? io->field : none), ARG_STRUCT(shape)));
    return FARSUM_OK;
}

const struct variant p2p_gpu_boxes = {
    .fits = boxes_fits,
    .cost = boxes_cost,
    .bytes = boxes_bytes,
    .create = boxes_create,
    .run = boxes_run,
    .destroy = boxes_destroy,
    .deterministic = 1,
    .needs = "a device",
};
