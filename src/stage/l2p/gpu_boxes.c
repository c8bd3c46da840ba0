/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_boxes: several threads per leaf, with its expansion and slopes in shared
 * memory; a few targets per thread. */
#include "base/mem.h"
#include "points/tree/tree_device_set.h"
#include "stage/expansions/device.h"
#include "stage/expansions/device_points.h"
#include "stage/device.h"
#include "cost/expected_rates.h"

enum { GROUP = 128, GROUP_LEAST = 64, TARGETS = 2, FLAT_MOST = 12, TERMS = 6 };
enum { TEAM_LEAST = 8 };
enum { TILE = 24576 }; /* bytes of shared memory */

/* As in gpu_boxes.k. */
struct l2p_args {
    int64_t n, leaves, first, stride;
    double unit;
    int32_t potential, field, sparse, spare;
};
_Static_assert(sizeof(struct l2p_args) == 56, "must match the kernel's struct");

/* Parameters of the kernel. */
struct l2p_cut {
    int team, leaves, most;
};

struct state {
    struct boxes_args args;
    struct jit jit;
    struct kernel kernel;
    struct l2p_cut cut;
    struct buf at, factor; /* owned: [size][8], u16 and reals */
};

static int l2p_team(const struct boxes_args *a)
{
    int team = boxes_points_team(a, (double)a->n_targets, GROUP);
    return team < TEAM_LEAST ? TEAM_LEAST : team;
}

static struct l2p_cut l2p_cut(const struct boxes_args *a)
{
    struct l2p_cut cut;
    int64_t number = 4 * gpu_real(a->precision), size = multipole_size(a->p);
    cut.team = l2p_team(a);
    cut.leaves = GROUP / cut.team;
    while (cut.leaves > 1 && cut.leaves * cut.team > GROUP_LEAST
           && number * (size + 2) * cut.leaves > TILE)
        cut.leaves /= 2;
    cut.most = (int)(TILE / number / cut.leaves - 2);
    return cut;
}

static double l2p_cost(const void *args)
{
    const struct boxes_args *a = args;
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    double leaves = (double)boxes_gpu_leaves(a);
    /* seven operations per coefficient and target; and reading six
     * coefficients, which dominates where leaves have few targets: as measured
     * on an H200 */
    return (0.5 * (double)a->n_targets + leaves * 18) * 7 * multipole_size(a->p)
               / (0.5 * rates.flops)
           + rates.launch + 2e-6;
}

static int64_t l2p_bytes(const void *args)
{
    const struct boxes_args *a = args;
    return multipole_size(a->p) * (int64_t)(4 * 4 + 8 * gpu_real(a->precision));
}

static void l2p_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    if (s->jit.device)
        jit_clear(&s->jit);
    buf_clear(&s->at);
    buf_clear(&s->factor);
    mem_free(s);
}

/* Coefficients of the expansions, in the order of columns, from the local
 * one's: two terms each for the slopes along x and y, one for that along z and
 * one for the potential. */
static farsum_status l2p_terms(const struct boxes_monic *monic, int32_t *at,
                               double *f)
{
    farsum_status status = FARSUM_OK;
    int size = monic->size;
    double *local = NULL, *slope = NULL;
    GO(MEM_NEW(local, size));
    GO(MEM_RAW(slope, 3 * (int64_t)size));
    for (int64_t i = 0; i < TERMS * (int64_t)size; i++) {
        at[i] = 0;
        f[i] = 0;
    }
    for (int k = 0; k < size; k++) {
        local[k] = 1;
        for (int axis = 0; axis < 3; axis++)
            multipole_slope(monic->p, local, axis, slope + axis * size);
        local[k] = 0;
        for (int i = 0; i < size; i++) {
            int to = monic->which[i];
            /* orders above 0 count twice: (10.9) */
            double factor = monic->factor[i] * (i <= monic->p ? 1 : 2);
            if (to == k) {
                at[5 * size + i] = k;
                f[5 * size + i] = factor;
            }
            for (int axis = 0; axis < 3; axis++) {
                double v = slope[axis * size + to];
                int term = 2 * axis * size + i;
                if (v == 0)
                    continue;
                if (axis < 2 && f[term] != 0)
                    term += size;
                if (f[term] != 0)
                    GO_FAIL(ERR_STATE, "l2p: too many terms");
                at[term] = k;
                f[term] = factor * v;
            }
        }
    }
done:
    mem_free(local);
    mem_free(slope);
    return status;
}

static farsum_status l2p_tables(struct state *s,
                                const struct boxes_monic *monic)
{
    const struct boxes_args *a = &s->args;
    farsum_status status = FARSUM_OK;
    int64_t size = monic->size;
    int32_t *at = NULL;
    uint32_t *pair = NULL;
    double *f = NULL, *packed = NULL;
    GO(MEM_RAW(at, TERMS * size));
    GO(MEM_RAW(f, TERMS * size));
    GO(MEM_NEW(pair, 4 * size));
    GO(MEM_NEW(packed, 8 * size));
    GO(l2p_terms(monic, at, f));
    for (int64_t i = 0; i < size; i++)
        for (int t = 0; t < TERMS; t++) {
            pair[4 * i + t / 2] |= (uint32_t)at[t * size + i] << (t % 2 * 16);
            packed[8 * i + t] = f[t * size + i];
        }
    for (int64_t i = 0; i < size; i++) {
        pair[4 * i + 3] = 1;
        for (int t = 0; t < TERMS - 1; t++)
            pair[4 * i + 3] &= packed[8 * i + t] == 0;
    }
    GO(buf_alloc(&s->at, a->device, 16 * size));
    GO(buf_upload(&s->at, 0, pair, 16 * size));
    GO(buf_alloc(&s->factor, a->device,
                 8 * size * gpu_real(a->precision)));
    GO(boxes_gpu_upload(&s->factor, a->precision, 0, packed, 8 * size));
done:
    mem_free(at);
    mem_free(pair);
    mem_free(f);
    mem_free(packed);
    return status;
}

static farsum_status l2p_create(const void *args, void **state)
{
    const struct boxes_args *a = args;
    farsum_status status = FARSUM_OK;
    struct boxes_monic monic = {0};
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *a;
    s->cut = l2p_cut(a);
    GO(boxes_monic(a->p, &monic));
    GO(l2p_tables(s, &monic));
    jit_begin(&s->jit, a->device, "stage/l2p/gpu_boxes.k", a->precision);
    boxes_monic_define(&s->jit, &monic, s->cut.most);
    jit_define(&s->jit, "TEAM", "%d", s->cut.team);
    jit_define(&s->jit, "LEAVES", "%d", s->cut.leaves);
    jit_define(&s->jit, "FLAT", "%d", a->p <= FLAT_MOST);
    GO(jit_build(&s->jit));
    GO(jit_kernel(&s->jit, "l2p_boxes", s->cut.team * s->cut.leaves, 0,
                  &s->kernel));
    *state = s;
    s = NULL;
done:
    boxes_monic_clear(&monic);
    l2p_destroy(s);
    return status;
}

static farsum_status l2p_run(void *state, const void *data)
{
    struct state *s = state;
    const struct boxes_io *io = data;
    const struct tree *tree = io->tree;
    TRY(boxes_points_io(&s->args, io));
    if (!io->potential && !io->field)
        return FARSUM_OK;
    const struct tree_gpu_points *p = tree_gpu_targets(tree);
    const struct buf *none = &p->begin; /* unused outputs are not written */
    const struct l2p_args args = {
        .n = p->n,
        .leaves = tree->n_leaves,
        .first = tree->first[tree->depth],
        .stride = io->stride,
        .unit = 1 / tree_h(tree, tree->dense ? tree->depth : 0),
        .potential = io->potential != NULL,
        .field = io->field != NULL,
        .sparse = !tree->dense,
    };
    return LAUNCH(
        &s->kernel, (tree->n_leaves + s->cut.leaves - 1) / s->cut.leaves,
        ARG_BUF(&p->x), ARG_BUF(&p->begin), ARG_BUF(boxes_points_leaf(tree)),
        ARG_BUF(tree->dense ? none : &tree->gpu->sparse.place), ARG_BUF(&s->at),
        ARG_BUF(&s->factor), ARG_BUF(io->local),
        ARG_BUF(io->potential ? io->potential : none),
        ARG_BUF(io->field ? io->field : none), ARG_STRUCT(args));
}

const struct variant l2p_gpu_boxes = {
    .fits = boxes_points_fits,
    .cost = l2p_cost,
    .bytes = l2p_bytes,
    .create = l2p_create,
    .run = l2p_run,
    .destroy = l2p_destroy,
    .deterministic = 1,
    .needs = "a device",
};
