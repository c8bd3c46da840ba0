/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_balance.c: cuts by weight of `fmm` over ranks: the work in layers of
 * root boxes, from the counts of points in leaves and the tuner's costs. */
#include <math.h>

#include "method/fmm/ranks.h"
#include "method/staging/ranks_balance.h"

/* Counts own points of one kind in leaves. */
static farsum_status balance_count(const struct task *task, struct fmm *s,
                                   const struct fmm_side *side,
                                   const struct points *own,
                                   const struct load *load, int32_t *bins)
{
    struct fmm_ranks *k = s->ranks;
    TRY(fmm_ranks_middles(k, own->n, side->layers.of.layer));
    double *const at[3] = {k->middle, own->s[1], own->s[2]};
    load_count(load, &k->domain, own->n, at, task->threads, bins);
    return FARSUM_OK;
}

static farsum_status balance_counts(const struct task *task, struct fmm *s,
                                    struct load *load)
{
    const struct fmm_ranks *k = s->ranks;
    for (int d = 0; d < 2 && !s->input.periodic; d++) {
        load->low[d] = k->tree.corner[d + 1];
        load->edge[d] = k->tree.edge[d + 1];
    }
    TRY(balance_count(task, s, &k->source, &s->source, load, load->sources));
    return s->all_m > 0 ? balance_count(task, s, &k->target, &s->target, load,
                                        load->targets)
                        : FARSUM_OK;
}

/* Exchanges the plan's cuts and the others. */
static void recut_swap(struct fmm_ranks *k, struct fmm_recut *recut)
{
    const struct fmm_recut other = *recut;
    recut->domain = k->domain;
    recut->planes = k->planes;
    k->domain = other.domain;
    k->planes = other.planes;
    k->made = (struct boxes_args){0}; /* the lattice has the other cuts */
    recut->taken = !recut->taken;
}

/* Takes other cuts.  The old ones stay in *recut. */
static farsum_status balance_recut(const struct task *task, struct fmm *s,
                                   const int64_t *begin,
                                   struct fmm_recut *recut)
{
    struct fmm_ranks *k = s->ranks;
    struct domain *to = &recut->domain;
    farsum_status status =
        domain_create(to, k->comm->rank, k->comm->size, k->domain.mesh0,
                      k->domain.halo, begin);
    to->open = k->domain.open;
    TRY(comm_agree(k->comm, status));
    TRY(fmm_ranks_planes(task, s, to, &recut->planes));
    recut_swap(k, recut);
    return FARSUM_OK;
}

int fmm_ranks_balance_due(const struct task *task, const struct fmm *s)
{
    const struct fmm_ranks *k = s->ranks;
    const int apart = s->all_m > 0;
    const int64_t all[2] = {s->all_n, apart ? s->all_m : s->all_n};
    return ranks_balance_due(task, all, &k->source.route.share,
                             apart ? &k->target.route.share
                                   : &k->source.route.share);
}

farsum_status fmm_ranks_balance(const struct task *task, struct fmm *s,
                                struct fmm_recut *recut)
{
    struct fmm_ranks *k = s->ranks;
    struct ranks_balance b = {.refused = k->refused};
    struct boxes_args whole;
    struct p2p_args pairs;
    int depth = s->shape.depth, apart = s->all_m > 0;
    int64_t leaves[3];
    for (int d = 0; d < 3; d++)
        leaves[d] = s->shape.root[d] << depth;
    fmm_args(task, s, &s->shape, s->all_n, s->all_m, &whole, &pairs);
    b.costs = fmm_ranks_costs(task, &s->shape, &whole, &pairs, s->choice);
    b.costs.plane = ldexp(b.costs.plane, -depth);
    farsum_status status = load_create_leaves(&b.load, &k->domain, 1 << depth,
                                              leaves, s->shape.ws, apart);
    GO(ranks_balance_create(&b, &k->domain, k->comm, status));
    GO(comm_agree(k->comm, balance_counts(task, s, &b.load)));
    GO(ranks_balance_set(&b, &k->domain, k->comm, apart, &recut->found));
    if (recut->found.better)
        GO(balance_recut(task, s, b.begin, recut));
done:
    ranks_balance_clear(&b);
    return status;
}

int fmm_ranks_balance_end(const struct task *task, struct fmm *s,
                          struct fmm_recut *recut, farsum_status *status)
{
    struct fmm_ranks *k = s->ranks;
    int again = recut->found.better && *status == FARSUM_ERR_MEMORY;
    if (recut->taken && *status != FARSUM_OK)
        recut_swap(k, recut);
    if (again)
        k->refused = 1;
    if (recut->found.now > 0) {
        *status = ranks_balance_end(task, *status, &recut->found);
        if (*status == FARSUM_OK && !again) {
            k->source.route.share.marked = s->source.n;
            k->target.route.share.marked = s->target.n;
        }
    }
    planes_destroy(recut->planes);
    domain_destroy(&recut->domain);
    return again;
}
