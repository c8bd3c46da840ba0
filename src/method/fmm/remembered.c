/* SPDX-License-Identifier: Apache-2.0 */
/* remembered.c: cache of tree parameters found by the search, reused from step
 * to step. */
#include "method/fmm/fmm.h"

static int found_known(const struct fmm_found *f, const struct fmm *s,
                       int sparse, int length, int64_t n, int64_t m)
{
    const struct fmm_input *a = &f->input, *b = &s->input;
    const struct fmm_learnt *learnt = &s->learnt[sparse];
    return n > 0 && f->n == n && f->m == m && f->length == length
           && f->learnt.shift == learnt->shift && f->learnt.many == learnt->many
           && f->learnt.wide == learnt->wide && a->periodic == b->periodic
           && a->edge[0] == b->edge[0] && a->edge[1] == b->edge[1]
           && a->edge[2] == b->edge[2] && a->volume == b->volume
           && a->q1 == b->q1 && a->q2 == b->q2 && a->p2 == b->p2
           && a->potential == b->potential && a->force == b->force;
}

/* The cached entry for these inputs; NULL: none. */
static struct fmm_found *found_kept(struct fmm *s, int sparse, int length,
                                    int64_t n, int64_t m)
{
    for (int k = 0; k < FMM_KEPT; k++)
        if (found_known(&s->found[sparse][k], s, sparse, length, n, m))
            return &s->found[sparse][k];
    return NULL;
}

/* Successive steps have equal numbers of points in the same cell, while a
 * search takes some 10^6 instructions, more than a device's whole set of 1e5
 * points.  again: repeats a search that failed, for its message. */
static farsum_status found_shape(const struct task *task, struct fmm *s,
                                 int clustered, int64_t n, int64_t m, int again,
                                 struct fmm_shape *shape)
{
    int sparse = s->names.tree ? s->names.tree == 2 : clustered;
    int length = task->units.length;
    struct fmm_found *found = found_kept(s, sparse, length, n, m);
    if (!found || (again && found->status != FARSUM_OK)) {
        struct fmm_shape best = {0};
        farsum_status status = fmm_shape_find(task, s, sparse, n, m, &best);
        if (status == FARSUM_ERR_MEMORY || status == FARSUM_ERR_STATE)
            return status; /* memory, or time, may suffice next time */
        if (!found) {
            found = &s->found[sparse][s->next[sparse]];
            s->next[sparse] = (s->next[sparse] + 1) % FMM_KEPT;
        }
        *found = (struct fmm_found){.status = status,
                                    .input = s->input,
                                    .length = length,
                                    .n = n,
                                    .m = m,
                                    .learnt = s->learnt[sparse],
                                    .shape = best};
    }
    TRY(found->status);
    *shape = found->shape;
    return FARSUM_OK;
}

farsum_status fmm_shape(const struct task *task, struct fmm *s, int clustered,
                        int64_t n, int64_t m, struct fmm_shape *shape)
{
    return found_shape(task, s, clustered, n, m, 1, shape);
}

farsum_status fmm_shape_try(const struct task *task, struct fmm *s,
                            int clustered, int64_t n, int64_t m,
                            struct fmm_shape *shape)
{
    return found_shape(task, s, clustered, n, m, 0, shape);
}
