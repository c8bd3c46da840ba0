/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_boxes: several threads per leaf sum the harmonics of its sources in
 * registers.  Their sums are then added by halves of a warp or in shared
 * memory; no sum is shared between thread blocks. */
#include "base/mem.h"
#include "points/tree/tree_device_set.h"
#include "stage/expansions/device.h"
#include "stage/expansions/device_points.h"
#include "stage/device.h"
#include "cost/expected_rates.h"

enum { GROUP = 128, FLAT_MOST = 14 };

/* As in gpu_boxes.k. */
struct p2m_args {
    int64_t n, leaves, first, stride, groups;
    int32_t sparse, spare;
};
_Static_assert(sizeof(struct p2m_args) == 48, "must match the kernel's struct");

struct state {
    struct boxes_args args;
    struct jit jit;
    struct kernel kernel;
    int team, pieces;
    struct buf which, factor; /* owned */
};

/* Maximum sums that a thread keeps in registers. */
static int p2m_most(const struct boxes_args *a)
{
    return a->precision == FARSUM_F32 ? 100 : 50;
}

static double p2m_cost(const void *args)
{
    const struct boxes_args *a = args;
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    double size = multipole_size(a->p);
    double leaves = (double)boxes_gpu_leaves(a);
    int team = boxes_points_team(a, (double)a->n_sources, GROUP);
    /* four operations per coefficient and source, and more for the team's sums;
     * a leaf's last round is half full: as measured on an H200 */
    return (0.75 * (double)a->n_sources + leaves * team * 2.4) * 4 * size
               / (0.5 * rates.flops)
           + rates.launch + 2e-6;
}

static int64_t p2m_bytes(const void *args)
{
    const struct boxes_args *a = args;
    return multipole_size(a->p) * (int64_t)(4 + gpu_real(a->precision));
}

static void p2m_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    if (s->jit.device)
        jit_clear(&s->jit);
    buf_clear(&s->which);
    buf_clear(&s->factor);
    mem_free(s);
}

static farsum_status p2m_create(const void *args, void **state)
{
    const struct boxes_args *a = args;
    farsum_status status = FARSUM_OK;
    struct boxes_monic monic = {0};
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *a;
    s->team = boxes_points_team(a, (double)a->n_sources, GROUP);
    s->pieces = boxes_monic_pieces(a->p, p2m_most(a),
                                   (int[MULTIPOLE_MOST + 2]){0});
    GO(boxes_monic(a->p, &monic));
    GO(buf_alloc(&s->which, a->device, 4 * monic.size));
    GO(buf_upload(&s->which, 0, monic.which, 4 * monic.size));
    GO(buf_alloc(&s->factor, a->device,
                 monic.size * gpu_real(a->precision)));
    GO(boxes_gpu_upload(&s->factor, a->precision, 0, monic.factor,
                        monic.size));
    jit_begin(&s->jit, a->device, "stage/p2m/gpu_boxes.k", a->precision);
    int flat = a->p <= FLAT_MOST;
    boxes_monic_define(&s->jit, &monic, flat ? p2m_most(a) : 0);
    jit_define(&s->jit, "FLAT", "%d", flat);
    if (!flat) { /* one column per piece */
        s->pieces = a->p + 1;
        jit_define(&s->jit, "PIECES", "%d", s->pieces);
        jit_define(&s->jit, "MOST", "%d", 2 * s->pieces);
    }
    jit_define(&s->jit, "TEAM", "%d", s->team);
    jit_define(&s->jit, "GROUP", "%d", GROUP);
    GO(jit_build(&s->jit));
    GO(jit_kernel(&s->jit, "p2m_boxes", GROUP, 0, &s->kernel));
    *state = s;
    s = NULL;
done:
    boxes_monic_clear(&monic);
    p2m_destroy(s);
    return status;
}

static farsum_status p2m_run(void *state, const void *data)
{
    struct state *s = state;
    const struct boxes_io *io = data;
    const struct tree *tree = io->tree;
    TRY(boxes_points_io(&s->args, io));
    const struct tree_gpu_points *p = &tree->gpu->source;
    int64_t leaves = GROUP / s->team;
    const struct p2m_args args = {p->n,
                                  tree->n_leaves,
                                  tree->first[tree->depth],
                                  io->stride,
                                  (tree->n_leaves + leaves - 1) / leaves,
                                  !tree->dense,
                                  0};
    return LAUNCH(&s->kernel, args.groups * s->pieces, ARG_BUF(&p->x),
                  ARG_BUF(io->q), ARG_BUF(&p->begin),
                  ARG_BUF(boxes_points_leaf(tree)), ARG_BUF(&s->which),
                  ARG_BUF(&s->factor), ARG_BUF(io->multipole),
                  ARG_STRUCT(args));
}

const struct variant p2m_gpu_boxes = {
    .fits = boxes_points_fits,
    .cost = p2m_cost,
    .bytes = p2m_bytes,
    .create = p2m_create,
    .run = p2m_run,
    .destroy = p2m_destroy,
    .deterministic = 1,
    .needs = "a device",
};
