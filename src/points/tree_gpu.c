/* tree_gpu.c: trees on a device. */
#include "points/tree_gpu.h"

#include "base/mem.h"

enum { GROUP = 256 };

/* As tree_gpu.k has it. */
struct shape {
    double n[3], box[3];
    int64_t points, roots;
    int32_t root[2], level, pad;
};
_Static_assert(sizeof(struct shape) == 80, "as the kernels have it");

static void side_clear(struct tree_gpu_points *p)
{
    buf_clear(&p->begin);
    buf_clear(&p->order);
    buf_clear(&p->x);
}

void tree_gpu_destroy(struct tree_gpu *gpu)
{
    if (!gpu)
        return;
    side_clear(&gpu->source);
    side_clear(&gpu->target);
    tree_gpu_sparse_clear(&gpu->sparse);
    if (gpu->jit.device)
        jit_clear(&gpu->jit);
    mem_free(gpu);
}

/* tree->gpu is there and on this device. */
static farsum_status gpu_here(struct tree *tree, struct device *device)
{
    if (tree->gpu && tree->gpu->device != device) {
        tree_gpu_destroy(tree->gpu);
        tree->gpu = NULL;
    }
    if (!tree->gpu) {
        TRY(MEM_NEW(tree->gpu, 1));
        tree->gpu->device = device;
    }
    return FARSUM_OK;
}

static farsum_status gpu_ready(struct tree_gpu *gpu, farsum_precision precision)
{
    struct jit *jit = &gpu->jit;
    if (jit->device && gpu->relative.handle && gpu->precision == precision)
        return FARSUM_OK;
    if (jit->device)
        jit_clear(jit);
    gpu->relative = (struct kernel){0};
    gpu->precision = precision;
    jit_begin(jit, gpu->device, "points/tree_gpu.k", precision);
    jit_define(jit, "GROUP", "%d", GROUP);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "tree_keys", GROUP, 0, &gpu->keys));
    return jit_kernel(jit, "tree_relative", GROUP, 0, &gpu->relative);
}

static farsum_status side_set(const struct tree *tree,
                              struct points_gpu *points,
                              struct tree_gpu_points *p)
{
    const struct tree_gpu *gpu = tree->gpu;
    struct buf *keys = NULL;
    int64_t n = points->n, real = tree->precision == FARSUM_F32 ? 4 : 8;
    struct shape shape = {
        .points = n,
        .roots = tree_boxes(tree, 0),
        .root = {(int32_t)tree->root[0], (int32_t)tree->root[1]},
        .level = tree->depth,
    };
    for (int d = 0; d < 3; d++) {
        shape.n[d] = (double)(tree->root[d] << tree->depth);
        shape.box[d] = tree->box[d];
    }
    p->n = n;
    TRY(buf_reserve(&p->x, gpu->device, 3 * n * real));
    TRY(gpu_keys_room(points, n, tree->n_leaves, &keys));
    TRY(LAUNCH(&gpu->keys, kernel_groups(&gpu->keys, n), ARG_BUF(&points->s),
               ARG_BUF(keys), ARG_STRUCT(shape)));
    TRY(gpu_keys_sort(points, n, tree->n_leaves, &p->order, &p->begin));
    return LAUNCH(&gpu->relative, kernel_groups(&gpu->relative, n),
                  ARG_BUF(&points->s), ARG_BUF(&p->order), ARG_BUF(&p->x),
                  ARG_STRUCT(shape));
}

farsum_status tree_gpu_set(struct tree *tree, const struct tree_args *args,
                           struct points_gpu *sources,
                           struct points_gpu *targets)
{
    farsum_status status = FARSUM_OK;
    GO(tree_check(args));
    if (!args->dense)
        GO_FAIL(ERR_UNSUPPORTED, "sparse trees are built on the host");
    tree_shape(tree, args);
    for (int d = 0; d < 3; d++)
        if (tree->root[d] << tree->depth > INT32_MAX)
            GO_FAIL(ERR_ARGUMENT,
                    "tree: %lld boxes along an axis are too many "
                    "for a device",
                    (long long)(tree->root[d] << tree->depth));
    tree->separate = targets != NULL;
    GO(gpu_here(tree, sources->device));
    GO(gpu_ready(tree->gpu, args->precision));
    GO(side_set(tree, sources, &tree->gpu->source));
    tree->source.n = sources->n;
    if (targets)
        GO(side_set(tree, targets, &tree->gpu->target));
    tree->target.n = targets ? targets->n : 0;
done:
    if (status != FARSUM_OK)
        tree_clear(tree);
    return status;
}

/* n words of 64 bits to a buffer of u32; scratch holds as many. */
static farsum_status copy_words(struct tree_gpu *gpu, struct buf *to,
                                const int64_t *from, int64_t n,
                                uint32_t *scratch)
{
    for (int64_t k = 0; k < n; k++)
        scratch[k] = (uint32_t)from[k];
    TRY(buf_reserve(to, gpu->device, 4 * n));
    return n > 0 ? buf_upload(to, 0, scratch, 4 * n) : FARSUM_OK;
}

static farsum_status copy_side(const struct tree *tree,
                               const struct tree_points *from,
                               struct tree_gpu_points *to)
{
    farsum_status status = FARSUM_OK;
    struct tree_gpu *gpu = tree->gpu;
    uint32_t *words = NULL;
    int64_t n = from->n, real = tree->precision == FARSUM_F32 ? 4 : 8;
    int64_t most = n > tree->n_leaves + 1 ? n : tree->n_leaves + 1;
    GO(MEM_RAW(words, most));
    GO(copy_words(gpu, &to->begin, from->begin, tree->n_leaves + 1, words));
    GO(copy_words(gpu, &to->order, from->order, n, words));
    GO(buf_reserve(&to->x, gpu->device, 3 * n * real));
    for (int d = 0; n > 0 && d < 3; d++)
        GO(buf_upload(&to->x, d * n * real, from->x[d], n * real));
    to->n = n;
done:
    mem_free(words);
    return status;
}

farsum_status tree_gpu_copy(struct tree *tree, struct device *device)
{
    farsum_status status = FARSUM_OK;
    GO(gpu_here(tree, device));
    if (tree->n_leaves > GPU_BINS_MOST || tree->source.n > GPU_POINTS_MOST
        || tree->target.n > GPU_POINTS_MOST)
        GO_FAIL(ERR_UNSUPPORTED,
                "a tree of %lld leaves, %lld points is too "
                "large for a device",
                (long long)tree->n_leaves, (long long)tree->source.n);
    if (!tree->dense && tree->n_boxes > INT32_MAX)
        GO_FAIL(ERR_UNSUPPORTED, "%lld boxes are too many for a device",
                (long long)tree->n_boxes);
    GO(copy_side(tree, &tree->source, &tree->gpu->source));
    if (tree->separate)
        GO(copy_side(tree, &tree->target, &tree->gpu->target));
    if (!tree->dense)
        GO(tree_gpu_sparse(tree));
done:
    if (status != FARSUM_OK) {
        tree_gpu_destroy(tree->gpu);
        tree->gpu = NULL;
    }
    return status;
}
