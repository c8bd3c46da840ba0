/* fmm_gpu_crowd.c: what a sparse tree's boxes say of the errors, by kernels:
 * fmm_crowd.c on a device.  Some hundred numbers come to the host. */
#include <math.h>

#include "base/mem.h"
#include "method/fmm_crowd.h"
#include "method/fmm_gpu.h"
#include "points/gpu_scan.h"

enum {
    GROUP = 128,
    TEAM = 8,
    LEVELS = TREE_GPU_LEVELS,
    SUMS = 2 * K,     /* of a point, at a level */
    LIST = 1 + 2 * K, /* words of a list, as struct crowd_sums */
    OWN = 5 + LEVELS, /* words of the targets' own boxes */
    WEIGHTS = 6 * K,  /* where those begin among what is known */
    PARTS = 48,       /* a point counts in parts of 2^-PARTS */
};
_Static_assert(sizeof(struct crowd_sums) == LIST * sizeof(double),
               "as the kernel has them");

/* As fmm_crowd.k has it. */
struct crowd_args {
    int64_t samples[2], step[2];
    int32_t lowest, deepest, few[2], begin[LEVELS + 1];
};
_Static_assert(sizeof(struct crowd_args) == 136, "as the kernels have it");

struct fmm_gpu_crowd {
    farsum_precision precision;
    struct jit jit;
    struct kernel octants, samples, lists, own, fold;
    struct gpu_scan *scan; /* u64 */
    struct buf table, known, squares, sums[2], record, fact;
};

void fmm_gpu_crowd_destroy(struct fmm_gpu_crowd *w)
{
    if (!w)
        return;
    struct buf *all[] = {&w->table,   &w->known,  &w->squares, &w->sums[0],
                         &w->sums[1], &w->record, &w->fact};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
    gpu_scan_destroy(w->scan);
    if (w->jit.device)
        jit_clear(&w->jit);
    mem_free(w);
}

static farsum_status crowd_ready(struct device *device,
                                 farsum_precision precision,
                                 struct fmm_gpu_crowd **to)
{
    struct fmm_gpu_crowd *w = NULL;
    if (*to && (*to)->fact.device && (*to)->precision == precision)
        return FARSUM_OK;
    fmm_gpu_crowd_destroy(*to);
    *to = NULL;
    TRY(MEM_NEW(*to, 1));
    w = *to;
    w->precision = precision;
    jit_begin(&w->jit, device, "method/fmm_crowd.k", precision);
    jit_define(&w->jit, "GROUP", "%d", GROUP);
    jit_define(&w->jit, "TEAM", "%d", TEAM);
    jit_define(&w->jit, "LEVELS", "%d", LEVELS);
    jit_define(&w->jit, "KNOTS", "%d", K);
    jit_define(&w->jit, "TABLE", "%d", CROWD_TABLE);
    jit_define(&w->jit, "BOXES", "%d", CROWD_BOXES);
    TRY(jit_build(&w->jit));
    TRY(jit_kernel(&w->jit, "crowd_octants", GROUP, 0, &w->octants));
    TRY(jit_kernel(&w->jit, "crowd_samples", GROUP, 0, &w->samples));
    TRY(jit_kernel(&w->jit, "crowd_lists", GROUP, 0, &w->lists));
    TRY(jit_kernel(&w->jit, "crowd_own", GROUP, 0, &w->own));
    TRY(jit_kernel(&w->jit, "crowd_fold", GROUP, 0, &w->fold));
    TRY(gpu_scan_create(device, GPU_SCAN_U64, &w->scan));
    return buf_alloc(&w->fact, device, 8 * (OWN + LIST * LEVELS));
}

/* What the host knows before the points. */
static farsum_status crowd_send(struct fmm_gpu_crowd *w, struct device *device,
                                const struct crowd *c)
{
    farsum_status status = FARSUM_OK;
    int64_t side = 2 * c->t->ws + 3, weights = K * side * side * side;
    const int rows = CROWD_TABLE + 1;
    uint64_t *table = NULL;
    double *known = NULL;
    GO(MEM_RAW(table, rows * SUMS));
    GO(MEM_RAW(known, WEIGHTS + weights));
    for (int i = 0; i < rows * SUMS; i++) {
        const struct crowd_fill *f = &c->table[i / SUMS];
        int k = i % SUMS;
        table[i] =
            (uint64_t)(ldexp(k < K ? f->rim[k] : f->lean[k - K], PARTS) + 0.5);
    }
    for (int k = 0; k < K; k++) {
        known[k] = c->even.rim[k];
        known[K + k] = c->even.lean[k];
        known[2 * K + k] = c->total[k];
        known[3 * K + k] = crowd_whole(k) * crowd_whole(k);
        known[4 * K + k] = crowd_eighth(k) * crowd_eighth(k);
        known[5 * K + k] = crowd_rims(c->t->ws, k);
    }
    for (int64_t i = 0; i < weights; i++)
        known[WEIGHTS + i] = c->weight[i];
    GO(buf_reserve(&w->table, device, 8 * rows * SUMS));
    GO(buf_upload(&w->table, 0, table, 8 * rows * SUMS));
    GO(buf_reserve(&w->known, device, 8 * (WEIGHTS + weights)));
    GO(buf_upload(&w->known, 0, known, 8 * (WEIGHTS + weights)));
done:
    mem_free(table);
    mem_free(known);
    return status;
}

/* Sums over a side's points, of all that come before each. */
static farsum_status crowd_points(struct fmm_gpu_crowd *w,
                                  const struct crowd *c,
                                  const struct tree_gpu_region *region,
                                  int side, struct crowd_args *a)
{
    const struct tree *t = c->t;
    const struct tree_gpu_points *p = side ? &t->gpu->target : &t->gpu->source;
    int64_t n = p->n, levels = a->deepest - a->lowest + 1;
    a->step[side] = n / CROWD_POINTS + 1;
    a->samples[side] = (n + a->step[side] - 1) / a->step[side];
    a->few[side] = n < CROWD_FEW;
    int64_t words = SUMS * levels * a->samples[side] + 1;
    TRY(buf_reserve(&w->sums[side], t->gpu->device, 8 * words));
    TRY(LAUNCH(&w->samples, kernel_groups(&w->samples, a->samples[side] + 1),
               ARG_BUF(&p->begin), ARG_BUF(&p->x),
               ARG_BUF(&t->gpu->sparse.place), ARG_BUF(&w->table),
               ARG_BUF(&w->sums[side]), ARG_I64(n), ARG_I64(t->n_leaves),
               ARG_F64(c->half), ARG_I32(side), ARG_STRUCT(*region),
               ARG_STRUCT(*a)));
    return gpu_scan_run(w->scan, &w->sums[side], &w->sums[side], words, NULL);
}

static farsum_status crowd_far(struct fmm_gpu_crowd *w, const struct crowd *c,
                               const struct tree_gpu_region *region,
                               struct crowd_args *a)
{
    const struct tree *t = c->t;
    const struct tree_gpu *gpu = t->gpu;
    const struct tree_gpu_sparse *s = &gpu->sparse;
    const struct tree_gpu_lists lists = tree_gpu_lists(t);
    for (int level = a->lowest; level <= a->deepest; level++) {
        int64_t boxes = tree_boxes(t, level), step = boxes / CROWD_BOXES + 1;
        int at = level - a->lowest;
        a->begin[at + 1] = a->begin[at] + (int32_t)((boxes + step - 1) / step);
    }
    int64_t all = a->begin[a->deepest - a->lowest + 1];
    TRY(buf_reserve(&w->squares, gpu->device, 8 * t->n_leaves));
    TRY(buf_reserve(&w->record, gpu->device, 8 * LIST * all));
    TRY(crowd_points(w, c, region, 0, a));
    if (t->separate)
        TRY(crowd_points(w, c, region, 1, a));
    TRY(LAUNCH(&w->octants, t->n_leaves / (GROUP / TEAM) + 1,
               ARG_BUF(&gpu->source.begin), ARG_BUF(&gpu->source.x),
               ARG_BUF(&w->squares), ARG_I64(gpu->source.n),
               ARG_I64(t->n_leaves)));
    TRY(LAUNCH(&w->lists, all, ARG_BUF(&s->table), ARG_BUF(&s->at),
               ARG_BUF(&s->key), ARG_BUF(&s->kind), ARG_BUF(&s->begin),
               ARG_BUF(&s->end), ARG_BUF(&s->slot), ARG_BUF(&gpu->source.begin),
               ARG_BUF(&tree_gpu_targets(t)->begin), ARG_BUF(&w->squares),
               ARG_BUF(&w->sums[0]), ARG_BUF(&w->sums[t->separate]),
               ARG_BUF(&w->known), ARG_BUF(&w->record), ARG_STRUCT(lists),
               ARG_STRUCT(*region), ARG_STRUCT(*a), ARG_I32(t->separate)));
    for (int at = 0; at <= a->deepest - a->lowest; at++)
        TRY(LAUNCH(&w->fold, LIST, ARG_BUF(&w->record), ARG_BUF(&w->fact),
                   ARG_I64(a->begin[at]),
                   ARG_I64(a->begin[at + 1] - a->begin[at]),
                   ARG_I64(OWN + at * LIST), ARG_I32(LIST)));
    return FARSUM_OK;
}

static farsum_status crowd_own(struct fmm_gpu_crowd *w, const struct tree *t,
                               const struct tree_gpu_region *region,
                               const struct crowd_args *a)
{
    const struct tree_gpu_sparse *s = &t->gpu->sparse;
    const struct tree_gpu_lists lists = tree_gpu_lists(t);
    int64_t groups = fmm_groups(t->n_leaves, GROUP);
    TRY(buf_reserve(&w->record, t->gpu->device, 8 * OWN * groups));
    TRY(LAUNCH(&w->own, groups, ARG_BUF(&s->leaf), ARG_BUF(&s->place),
               ARG_BUF(&s->begin), ARG_BUF(&s->end), ARG_BUF(&s->slot),
               ARG_BUF(&t->gpu->source.begin),
               ARG_BUF(&tree_gpu_targets(t)->begin), ARG_BUF(&w->record),
               ARG_STRUCT(lists), ARG_STRUCT(*region), ARG_STRUCT(*a)));
    return LAUNCH(&w->fold, OWN, ARG_BUF(&w->record), ARG_BUF(&w->fact),
                  ARG_I64(0), ARG_I64(groups), ARG_I64(0), ARG_I32(OWN));
}

/* fact: what the kernels left. */
static void crowd_take(const struct tree *t, int first, const double *fact,
                       struct fmm_crowd *crowd)
{
    double targets = (double)tree_targets(t)->n;
    *crowd = (struct fmm_crowd){.listed = 1, .sparse = 1};
    crowd->h = fact[0] / targets;
    for (int k = 0; k < 2; k++) {
        crowd->random[k] = fact[1 + k] / targets;
        crowd->together[k] = fact[3 + k] / targets;
    }
    for (int level = first; level <= t->depth; level++) {
        struct crowd_sums all;
        const double *of = fact + OWN + LIST * (level - first);
        all.targets = of[0];
        for (int k = 0; k < K; k++) {
            all.far[k] = of[1 + k];
            all.uneven[k] = of[1 + K + k];
        }
        crowd_means(t, level, &all, fact[5 + level], crowd);
    }
}

farsum_status fmm_gpu_crowd(const struct tree *tree, int first,
                            struct fmm_gpu_crowd **room,
                            struct fmm_crowd *crowd)
{
    farsum_status status = FARSUM_OK;
    struct crowd *c = NULL;
    struct crowd_args a = {.lowest = first, .deepest = tree->depth};
    const struct tree_args args = {.depth = tree->depth, .ws = tree->ws};
    const struct tree_gpu_region region = tree_gpu_region(tree, &args);
    double fact[OWN + LIST * LEVELS];
    GO(MEM_NEW(c, 1));
    GO(crowd_begin(c, tree, first));
    GO(crowd_ready(tree->gpu->device, tree->precision, room));
    GO(crowd_send(*room, tree->gpu->device, c));
    GO(crowd_own(*room, tree, &region, &a));
    if (first <= tree->depth)
        GO(crowd_far(*room, c, &region, &a));
    GO(buf_download(&(*room)->fact, 0, fact, sizeof fact));
    crowd_take(tree, first, fact, crowd);
done:
    if (c)
        crowd_clear(c);
    mem_free(c);
    return status;
}
