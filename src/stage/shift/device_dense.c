/* SPDX-License-Identifier: Apache-2.0 */
/* device_dense.c: common code of m2m and l2l by one dense operator on
 * devices. */
#include "base/mem.h"
#include "points/tree/tree_device_set.h"
#include "stage/expansions/device.h"

/* As in the *_gpu_dense.k of both stages. */
struct shift_args {
    int64_t stride, parent, child, parents, slots;
};
_Static_assert(sizeof(struct shift_args) == 40, "must match the kernels' "
                                                "struct");

farsum_status boxes_gpu_shifts_fits(const struct boxes_args *a, int64_t reals)
{
    TRY(boxes_gpu_fits_any(a, MULTIPOLE_MOST));
    return boxes_gpu_fits_memory(a, boxes_real(a) * reals);
}

int64_t boxes_gpu_shifts_bytes(const struct boxes_args *a, int64_t numbers,
                               int64_t reals)
{
    return boxes_real(a) * reals + 4 * numbers;
}

void boxes_gpu_shifts_destroy(void *state)
{
    struct boxes_gpu_shifts *s = state;
    if (!s)
        return;
    if (s->jit.device)
        jit_clear(&s->jit);
    buf_clear(&s->cut);
    buf_clear(&s->operators);
    mem_free(s);
}

void boxes_gpu_shifts_operator(const struct boxes_args *a,
                               void (*shift)(int p, const double d[3],
                                             double shrink, double *t),
                               double *t)
{
    double d[3];
    boxes_child(a, 0, d);
    shift(a->p, d, 0.5, t);
}

farsum_status boxes_gpu_shifts_send(struct boxes_gpu_shifts *s,
                                    const int32_t *cut, int64_t numbers,
                                    const double *operators, int64_t reals)
{
    const struct boxes_args *a = &s->args;
    TRY(buf_alloc(&s->cut, a->device, 4 * numbers));
    TRY(buf_upload(&s->cut, 0, cut, 4 * numbers));
    TRY(buf_alloc(&s->operators, a->device, boxes_real(a) * reals));
    return boxes_gpu_upload(&s->operators, a->precision, 0, operators, reals);
}

farsum_status boxes_gpu_shifts_build(struct boxes_gpu_shifts *s,
                                     const char *name)
{
    jit_define(&s->jit, "TILES", "%d", s->deal.tiles);
    jit_define(&s->jit, "TEAMS", "%d", s->deal.teams);
    jit_define(&s->jit, "PARTS", "%d", s->deal.parts);
    jit_define(&s->jit, "LANES", "%d", BOXES_LANES);
    jit_define(&s->jit, "SPARSE", "%d", !s->args.dense);
    TRY(jit_build(&s->jit));
    return jit_kernel(&s->jit, name, BOXES_LANES * s->deal.teams, 0,
                      &s->kernel);
}

farsum_status boxes_gpu_shifts_level(const struct boxes_gpu_shifts *s,
                                     const struct boxes_io *io, int level,
                                     const struct buf *array)
{
    const struct tree *tree = io->tree;
    const struct boxes_family f = boxes_gpu_family(tree, level);
    const struct shift_args args = {io->stride, f.parent, f.child, f.parents,
                                    f.slots};
    int64_t groups = (args.parents + BOXES_LANES - 1) / BOXES_LANES;
    return LAUNCH(&s->kernel, groups * s->deal.parts, ARG_BUF(array),
                  ARG_BUF(&s->operators), ARG_BUF(&s->cut),
                  ARG_BUF(tree->dense ? &s->cut : &tree->gpu->sparse.slot),
                  ARG_STRUCT(args));
}
