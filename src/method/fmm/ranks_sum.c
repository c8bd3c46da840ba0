/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_sum.c: sums of `fmm` over ranks.
 *
 * A rank that fails takes part in all exchanges until the ranks agree, so that
 * no rank waits for it. */
#include "method/fmm/ranks.h"

#include <string.h>

#include "base/arrays.h"
#include "base/par.h"
#include "base/progress.h"
#include "ranks/asked.h"

void fmm_ranks_send(struct fmm *s, double unit)
{
    struct fmm_ranks *k = s->ranks;
    const int64_t *order = k->near.source.order;
    (void)ghosts_send(&k->ghosts, k->comm, s->caller.q, sizeof(double),
                      k->ghost);
    for (int64_t i = 0; i < k->ghosts.n; i++)
        array_put(k->ghost_q, k->tree.precision, i, k->ghost[order[i]] / unit);
}

farsum_status fmm_ranks_near(struct fmm *s, const struct p2p_io *own)
{
    struct fmm_ranks *k = s->ranks;
    struct p2p_io io = *own;
    if (k->ghosts.n == 0)
        return FARSUM_OK;
    io.tree = &k->near;
    io.q = k->ghost_q;
    return s->choice[FMM_P2P].row->variant->run(k->near_state, &io);
}

/* Adds the ghosts' multipoles.  Own points have none in their leaves. */
static void ghosts_add(const struct fmm *s, const struct boxes_io *io)
{
    const struct tree *t = &s->ranks->near;
    int64_t first = t->first[t->depth], leaves = t->n_leaves;
    PAR_FOR(s->boxes.threads, schedule(static))
    for (int k = 0; k < multipole_size(s->shape.order); k++)
        for (int64_t b = first; b < first + leaves; b++) {
            int64_t at = k * io->stride + b;
            if (t->source.begin[b - first + 1] > t->source.begin[b - first])
                boxes_set(&s->boxes, io->multipole, at,
                          boxes_number(&s->boxes, io->local, at));
        }
}

farsum_status fmm_ranks_multipoles(struct fmm *s, const struct boxes_io *own)
{
    struct fmm_ranks *k = s->ranks;
    struct boxes_io io = *own;
    if (k->ghosts.n == 0 || k->near.depth == 0)
        return FARSUM_OK;
    io.tree = &k->near;
    io.q = k->ghost_q;
    io.multipole = own->local; /* m2l and lattice set it later */
    TRY(s->choice[FMM_P2M].row->variant->run(s->states[FMM_P2M], &io));
    ghosts_add(s, own);
    return FARSUM_OK;
}

farsum_status fmm_ranks_lattice(struct fmm *s, const struct boxes_io *io)
{
    return ranks_lattice_run(s->ranks->lattice, io);
}

/* Energy and virial of a sum, on all ranks. */
struct numbers {
    double energy, virial[9];
};

/* Sets to: arrays of own points for the outputs that any rank requests. */
static farsum_status ranks_arrays(const struct fmm *s, int rhs,
                                  const farsum_result *result,
                                  struct numbers *numbers, farsum_result *to)
{
    static char none; /* for a rank without own points */
    const struct fmm_ranks *k = s->ranks;
    unsigned asked = 0;
    TRY(ranks_asked(k->comm, ranks_targets(s)->route.n, rhs, result, &asked));
    *to = (farsum_result)FARSUM_RESULT_INIT;
    if (asked & FARSUM_POTENTIAL)
        to->potential = k->potential ? k->potential : &none;
    if (asked & FARSUM_FIELD)
        to->field = k->field ? k->field : &none;
    to->energy = asked & FARSUM_ENERGY ? &numbers->energy : NULL;
    to->virial = asked & FARSUM_VIRIAL ? numbers->virial : NULL;
    return FARSUM_OK;
}

/* Results of right-hand side r to the ranks that gave the points. */
static farsum_status ranks_home(const struct task *task, struct fmm *s, int r,
                                const farsum_result *own, farsum_result *result)
{
    farsum_status status = FARSUM_OK;
    struct comm *comm = s->ranks->comm;
    struct route *route = &ranks_targets(s)->route;
    int64_t real = array_size(task->problem.arrays), n = route->n;
    if (own->potential)
        KEEP_ON(route_back(route, comm, own->potential, real,
                           n > 0 ? (char *)result->potential + r * n * real
                                 : NULL));
    if (own->field)
        KEEP_ON(route_back(route, comm, own->field, 3 * real,
                           n > 0 ? (char *)result->field + 3 * r * n * real
                                 : NULL));
    if (result->energy)
        result->energy[r] = *own->energy;
    if (result->virial)
        memcpy(result->virial + 9 * r, own->virial, 9 * sizeof(double));
    return comm_agree(comm, status);
}

farsum_status fmm_ranks_execute(struct task *task, struct fmm *s, int rhs,
                                const void *q, farsum_result *result)
{
    farsum_result own;
    struct numbers numbers = {0};
    struct fmm_ranks *k = s->ranks;
    struct route *route = &k->source.route;
    int64_t bytes = route->n * array_size(task->problem.arrays);
    TRY(ranks_arrays(s, rhs, result, &numbers, &own));
    for (int r = 0; r < rhs; r++) {
        const char *from = bytes > 0 ? (const char *)q + r * bytes : NULL;
        farsum_status status = progress_step(r, rhs, "summing");
        KEEP_ON(route_there(route, k->comm, from,
                            array_size(task->problem.arrays), k->q));
        TRY(comm_agree(k->comm, status));
        TRY(fmm_host_one(task, s, 0, k->q, &own));
        TRY(ranks_home(task, s, r, &own, result));
    }
    return FARSUM_OK;
}
