/* SPDX-License-Identifier: Apache-2.0 */
/* tree_device_set.c: dense trees on a device. */
#include "points/tree/tree_device_set.h"

#include <string.h>

#include "base/mem.h"
#include "points/device/sort_state.h"
#include "points/tree/tree_device_build.h"

enum { GROUP = 256 };

/* As in points/tree/tree_device_set.k. */
struct shape {
    double n[3], box[3];
    int64_t points, roots;
    int32_t root[2], level, serial, part, spare;
};
_Static_assert(sizeof(struct shape) == 88, "as the kernels have it");

static void side_clear(struct tree_gpu_points *p)
{
    buf_clear(&p->begin);
    buf_clear(&p->order);
    buf_clear(&p->leaf);
    buf_clear(&p->x);
    buf_clear(&p->low);
}

void tree_gpu_destroy(struct tree_gpu *gpu)
{
    if (!gpu)
        return;
    side_clear(&gpu->source);
    side_clear(&gpu->target);
    tree_gpu_sparse_clear(&gpu->sparse);
    tree_gpu_build_destroy(gpu->build);
    if (gpu->jit.device)
        jit_clear(&gpu->jit);
    mem_free(gpu);
}

/* Makes tree->gpu exist on this device. */
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
    if (jit->device && gpu->finish.handle && gpu->precision == precision)
        return FARSUM_OK;
    if (jit->device)
        jit_clear(jit);
    gpu->finish = (struct kernel){0};
    gpu->precision = precision;
    jit_begin(jit, gpu->device, "points/tree/tree_device_set.k", precision);
    jit_define(jit, "GROUP", "%d", GROUP);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "tree_keys", GROUP, 0, &gpu->keys));
    return jit_kernel(jit, "tree_finish", GROUP, 0, &gpu->finish);
}

struct gpu_given tree_gpu_fractions(const struct points_gpu *points,
                                    const struct tree *tree)
{
    struct gpu_given given = points->given;
    if (points->placed)
        given.kind = GPU_GIVEN_THERE;
    else if (!tree->periodic[0])
        given.kind = GPU_GIVEN_REGION;
    memcpy(given.corner, tree->corner, sizeof given.corner);
    memcpy(given.edge, tree->edge, sizeof given.edge);
    return given;
}

/* Computes each point's leaf, to *keys, and its coordinates in the leaf. */
static farsum_status side_keys(const struct tree *tree,
                               struct points_gpu *points,
                               const struct tree_gpu_layers *layers,
                               struct buf **keys)
{
    const struct tree_gpu *gpu = tree->gpu;
    const struct gpu_given given = tree_gpu_fractions(points, tree);
    struct gpu_inside *in = points->inside;
    int64_t n = points->n, real = tree->precision == FARSUM_F32 ? 4 : 8;
    const struct buf *s = points->placed ? &points->s : &points->x;
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
    if (layers) {
        shape.n[0] = (double)layers->whole;
        shape.part = 1;
    }
    const struct buf *flag = &in->flag;
    if (given.kind == GPU_GIVEN_CELL)
        shape.serial = points_gpu_flag(points, &flag);
    TRY(buf_reserve(&in->packed, gpu->device, 4 * n * real));
    TRY(gpu_keys_reserve(points, n, tree->n_leaves, keys));
    return LAUNCH(&gpu->keys, kernel_groups(&gpu->keys, n), ARG_BUF(s),
                  ARG_BUF(&points->x), ARG_BUF(&points->x), ARG_BUF(*keys),
                  ARG_BUF(&in->packed), ARG_BUF(flag),
                  ARG_BUF(layers ? layers->layer : *keys), ARG_STRUCT(shape),
                  ARG_STRUCT(given));
}

static farsum_status side_set(const struct tree *tree,
                              struct points_gpu *points,
                              const struct tree_gpu_layers *layers,
                              struct tree_gpu_points *p)
{
    const struct tree_gpu *gpu = tree->gpu;
    struct buf *keys = NULL;
    const struct buf *sorted = NULL;
    int64_t n = points->n, leaves = tree->n_leaves;
    int64_t real = tree->precision == FARSUM_F32 ? 4 : 8;
    int apart = gpu_starts_apart(n, leaves);
    p->n = n;
    if (n > 0) /* first: it refuses trees with too many leaves */
        TRY(side_keys(tree, points, layers, &keys));
    TRY(buf_reserve(&p->x, gpu->device, 3 * n * real));
    TRY(buf_reserve(&p->low, gpu->device, tree_gpu_low(tree, n)));
    TRY(buf_reserve(&p->leaf, gpu->device, 4 * n));
    TRY(buf_reserve(&p->begin, gpu->device, 4 * (leaves + 1)));
    if (n == 0) { /* a part of a tree may have no points */
        TRY(buf_reserve(&p->order, gpu->device, 0));
        return buf_fill(&p->begin, 0);
    }
    TRY(gpu_keys_sorted(points, n, leaves, &p->order, &sorted));
    if (apart)
        TRY(gpu_keys_starts(points, n, leaves, sorted, &p->begin));
    return LAUNCH(&gpu->finish, kernel_groups(&gpu->finish, n + 1),
                  ARG_BUF(sorted), ARG_BUF(&p->order),
                  ARG_BUF(&points->inside->packed), ARG_BUF(&p->x),
                  ARG_BUF(&p->low), ARG_BUF(&p->leaf), ARG_BUF(&p->begin),
                  ARG_I64(n), ARG_I64(leaves), ARG_I32(apart));
}

farsum_status tree_gpu_ahead(struct tree *tree, struct device *device,
                             farsum_precision precision, int dense)
{
    if (!device->backend->apart)
        return FARSUM_OK;
    TRY(gpu_here(tree, device));
    return dense ? gpu_ready(tree->gpu, precision)
                 : build_ready(tree->gpu, precision);
}

static farsum_status gpu_begin(struct tree *tree, const struct tree_args *args,
                               int dense, struct device *device, int separate)
{
    TRY(tree_check(args));
    if (!args->dense != !dense)
        FAIL(ERR_ARGUMENT, "tree: dense is %d", args->dense);
    tree_shape(tree, args);
    for (int d = 0; d < 3; d++)
        if (tree->root[d] << tree->depth > INT32_MAX)
            FAIL(ERR_ARGUMENT,
                 "tree: %lld boxes along an axis are too many for a device",
                 (long long)(tree->root[d] << tree->depth));
    tree->separate = separate;
    return gpu_here(tree, device);
}

farsum_status tree_gpu_set_part(struct tree *tree, const struct tree_args *args,
                                struct points_gpu *sources,
                                struct points_gpu *targets,
                                const struct tree_gpu_layers layers[2])
{
    farsum_status status = FARSUM_OK;
    GO(gpu_begin(tree, args, 1, sources->device, targets != NULL));
    GO(gpu_ready(tree->gpu, args->precision));
    GO(side_set(tree, sources, layers, &tree->gpu->source));
    tree->source.n = sources->n;
    if (targets)
        GO(side_set(tree, targets, layers ? layers + 1 : NULL,
                    &tree->gpu->target));
    tree->target.n = targets ? targets->n : 0;
done:
    if (status != FARSUM_OK)
        tree_clear(tree);
    return status;
}

farsum_status tree_gpu_set(struct tree *tree, const struct tree_args *args,
                           struct points_gpu *sources,
                           struct points_gpu *targets)
{
    return tree_gpu_set_part(tree, args, sources, targets, NULL);
}

farsum_status tree_gpu_set_sparse(struct tree *tree,
                                  const struct tree_args *args,
                                  const struct tree_gpu_given *sources,
                                  const struct tree_gpu_given *targets)
{
    farsum_status status = FARSUM_OK;
    if (!sources->x)
        GO(points_gpu_fractions(sources->points));
    if (targets && !targets->x)
        GO(points_gpu_fractions(targets->points));
    GO(gpu_begin(tree, args, 0, sources->points->device, targets != NULL));
    GO(tree_gpu_sparse(tree, args, sources, targets));
    tree->source.n = sources->points->n;
    tree->target.n = targets ? targets->points->n : 0;
done:
    if (status != FARSUM_OK)
        tree_clear(tree);
    return status;
}
