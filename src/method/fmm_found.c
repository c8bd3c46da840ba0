/* fmm_found.c: shapes that were looked for, kept from step to step. */
#include "method/fmm.h"

static int found_known(const struct fmm_found *f, const struct fmm *s,
                       int64_t n, int64_t m)
{
    const struct fmm_facts *a = &f->facts, *b = &s->facts;
    return n > 0 && f->n == n && f->m == m && f->learnt.shift == s->learnt.shift
           && f->learnt.many == s->learnt.many && a->periodic == b->periodic
           && a->edge[0] == b->edge[0] && a->edge[1] == b->edge[1]
           && a->edge[2] == b->edge[2] && a->volume == b->volume
           && a->q1 == b->q1 && a->q2 == b->q2 && a->potential == b->potential
           && a->force == b->force;
}

/* Its place among those that are kept; NULL: it is not there. */
static struct fmm_found *found_kept(struct fmm *s, int sparse, int64_t n,
                                    int64_t m)
{
    for (int k = 0; k < FMM_KEPT; k++)
        if (found_known(&s->found[sparse][k], s, n, m))
            return &s->found[sparse][k];
    return NULL;
}

static int found_sparse(const struct fmm *s, int crowded)
{
    return s->names.tree ? s->names.tree == 2 : crowded;
}

/* Points of a step are as many as those before, in the same cell: a search of
 * some 10^6 instructions, more than a device's whole set of 1e5 points. */
farsum_status fmm_shape(const struct farsum_plan *plan, struct fmm *s,
                        int crowded, int64_t n, int64_t m,
                        struct fmm_shape *shape)
{
    int sparse = found_sparse(s, crowded);
    struct fmm_found *found = found_kept(s, sparse, n, m);
    if (!found || found->none) { /* again: for what it says */
        struct fmm_shape best = {0};
        farsum_status status = fmm_shape_find(plan, s, sparse, n, m, &best);
        if (status == FARSUM_ERR_MEMORY)
            return status; /* which may be there next time */
        if (!found) {
            found = &s->found[sparse][s->next[sparse]];
            s->next[sparse] = (s->next[sparse] + 1) % FMM_KEPT;
        }
        *found = (struct fmm_found){.none = status != FARSUM_OK,
                                    .facts = s->facts,
                                    .n = n,
                                    .m = m,
                                    .learnt = s->learnt,
                                    .shape = best};
        TRY(status);
    }
    *shape = found->shape;
    return FARSUM_OK;
}

int fmm_shape_none(struct fmm *s, int crowded, int64_t n, int64_t m)
{
    const struct fmm_found *found =
        found_kept(s, found_sparse(s, crowded), n, m);
    return found && found->none;
}
