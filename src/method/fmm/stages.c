/* SPDX-License-Identifier: Apache-2.0 */
/* stages.c: creation, reuse and reports of a tree's stages. */
#include <string.h>

#include "base/progress.h"
#include "method/fmm/device/set_points.h"

farsum_status fmm_keeps(const struct task *task, int sparse)
{
    const farsum_fmm_options *o = &task->options.fmm;
    if (o->order < FARSUM_ORDER_0 || o->order > MULTIPOLE_MOST)
        FAIL(ERR_ARGUMENT,
             "order is %d, not 1 .. %d, or FARSUM_ORDER_0 (%d) for 0", o->order,
             (int)MULTIPOLE_MOST, (int)FARSUM_ORDER_0);
    if (o->separation < 0 || o->separation > FMM_SEPARATIONS)
        FAIL(ERR_ARGUMENT, "separation is %d, not 1 .. %d", o->separation,
             (int)FMM_SEPARATIONS);
    if (o->levels < 0 || o->levels > TREE_DEPTH + 1)
        FAIL(ERR_ARGUMENT, "levels is %d, not 1 .. %d", o->levels,
             (int)TREE_DEPTH + 1);
    if (o->leaf < 0)
        FAIL(ERR_ARGUMENT, "leaf is %lld", (long long)o->leaf);
    for (int d = 0; d < 3; d++)
        if (o->boxes[d] < 0 || (o->boxes[d] == 0) != (o->boxes[0] == 0)
            || o->boxes[d] > 512)
            FAIL(ERR_ARGUMENT,
                 "boxes is %lld x %lld x %lld: all three 1 .. "
                 "512, or none",
                 (long long)o->boxes[0], (long long)o->boxes[1],
                 (long long)o->boxes[2]);
    if (!sparse && o->leaf)
        FAIL(ERR_ARGUMENT, "leaf is of a sparse tree, this one is dense");
    return FARSUM_OK;
}

void fmm_about(const struct task *task, struct fmm *s)
{
    farsum_plan_info *i = &task->report->info;
    i->order = s->shape.order;
    i->separation = s->shape.ws;
    i->tree = s->shape.dense ? "dense" : "sparse";
    i->leaves = s->boxes.n_leaves;
    i->levels = 1 + (s->tree.n_leaves ? s->tree.depth : s->shape.depth);
    memcpy(i->boxes, s->shape.root, sizeof i->boxes);
    i->queues = fmm_gpu_queues(task);
    i->n_stages = 0;
    for (int r = 0; r < FMM_STAGES; r++)
        if (s->choice[r].row)
            i->stages[i->n_stages++] = (farsum_stage_info){
                s->choice[r].stage->name, s->choice[r].row->name,
                s->choice[r].reason, 0,
                s->choice[r].row->variant->deterministic};
}

void fmm_seconds(const struct task *task, const struct fmm *s,
                 const double seconds[FMM_STAGES])
{
    int at = 0;
    for (int r = 0; r < FMM_STAGES; r++)
        if (s->choice[r].row)
            task->report->info.stages[at++].seconds = seconds[r];
}

void fmm_clear_states(struct fmm *s)
{
    for (int r = 0; r < FMM_STAGES; r++) {
        if (s->states[r])
            s->choice[r].row->variant->destroy(s->states[r]);
        s->states[r] = NULL;
    }
}

static int fmm_same(const struct boxes_args *a, const struct boxes_args *b)
{
    return a->p == b->p && a->ws == b->ws && a->dense == b->dense
           && (!a->device || a->depth == b->depth)
           && memcmp(a->root, b->root, sizeof a->root) == 0
           && memcmp(a->box, b->box, sizeof a->box) == 0;
}

int fmm_order_there(const struct fmm *s, const struct boxes_args *boxes)
{
    struct boxes_args more = *boxes;
    more.p++;
    if (s->ranks) /* new cuts change a rank's layers; the ranks decide alike */
        more.root[0] = s->boxes.root[0];
    return fmm_same(&s->boxes, &more);
}

static int fmm_same_pairs(const struct p2p_args *a, const struct p2p_args *b)
{
    return a->skip == b->skip && a->softening == b->softening
           && a->balls == b->balls && a->n_sources == b->n_sources
           && a->n_targets == b->n_targets && a->neighbours == b->neighbours
           && a->filling == b->filling && a->dense == b->dense
           && a->ws == b->ws;
}

farsum_status fmm_states(const struct task *task, struct fmm *s,
                         const struct boxes_args *boxes,
                         const struct p2p_args *pairs)
{
    /* the lattice last: it may wait for its kernels, while others compile */
    static const int order[FMM_STAGES] = {FMM_P2P, FMM_P2M, FMM_M2M,    FMM_M2L,
                                          FMM_L2L, FMM_L2P, FMM_LATTICE};
    struct choice choice[FMM_STAGES];
    TRY(fmm_choose(task, s, s->ranks ? fmm_ranks_whole(s) : boxes, pairs,
                   choice));
    int same = fmm_same(&s->boxes, boxes);
    int same_pairs = fmm_same_pairs(&s->pairs, pairs);
    s->boxes =
        (struct boxes_args){0}; /* set again once all stages exist */
    s->pairs = (struct p2p_args){0};
    for (int i = 0; i < FMM_STAGES; i++) {
        int r = order[i];
        if (s->states[r] && (r == FMM_P2P ? same_pairs : same)
            && s->choice[r].row == choice[r].row)
            continue;
        if ((!s->states[r] && !choice[r].row)
            || (r == FMM_LATTICE && s->ranks)) { /* fmm_ranks_states has it */
            s->choice[r] = choice[r];
            continue;
        }
        fmm_gpu_forget(s->gpu);
        if (s->states[r])
            s->choice[r].row->variant->destroy(s->states[r]);
        s->states[r] = NULL;
        s->choice[r] = choice[r];
        if (!choice[r].row)
            continue;
        TRY(progress_step(r, FMM_STAGES, "making %s", choice[r].stage->name));
        TRY(choice[r].row->variant->create(
            r == FMM_P2P ? (const void *)pairs : boxes, &s->states[r]));
    }
    s->boxes = *boxes;
    s->pairs = *pairs;
    return FARSUM_OK;
}
