/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_statistics.c: statistics of the boxes of ranks with devices.  The host
 * computes them, from a copy of the own points. */
#include "method/fmm/device/ranks.h"

#include "base/mem.h"

/* Own points of one kind on the host. */
struct copy {
    struct points points; /* fractions of the whole */
    struct tree_layers layers;
};

static void copy_clear(struct copy *copy)
{
    points_clear(&copy->points);
    mem_free(copy->layers.layer);
    mem_free(copy->layers.at);
}

static struct tree_given copy_given(const struct copy *copy)
{
    const struct points *p = &copy->points;
    return (struct tree_given){p->n, {p->s[0], p->s[1], p->s[2]}, 1, 1};
}

static farsum_status copy_make(struct copy *copy,
                               const struct fmm_gpu_side *side,
                               const struct fmm_ranks *k, const char *what)
{
    farsum_status status = FARSUM_OK;
    int64_t n = side->route.n_own;
    int64_t first = k->domain.begin[k->domain.rank];
    GO(ranks_points_host(&side->arrived, n, &copy->points));
    GO(MEM_RAW(copy->layers.layer, n));
    GO(MEM_RAW(copy->layers.at, n));
    const struct tree_given given = copy_given(copy);
    if (n > 0)
        GO(tree_find_layers(&k->tree, &given, what, &copy->layers));
    for (int64_t i = 0; i < n; i++)
        copy->layers.layer[i] -= (double)first;
done:
    return status;
}

/* The tree of own layers. */
static farsum_status statistics_tree(const struct fmm *s, struct copy copy[2],
                                     struct tree *tree)
{
    const struct fmm_gpu_ranks *r = s->gpu->ranks;
    const struct fmm_ranks *k = s->ranks;
    int64_t layers = ranks_layers(k);
    TRY(copy_make(&copy[0], &r->source, k, "source"));
    if (s->all_m > 0)
        TRY(copy_make(&copy[1], &r->target, k, "target"));
    const struct tree_layers both[2] = {copy[0].layers, copy[1].layers};
    const struct tree_given source = copy_given(&copy[0]);
    const struct tree_given target = copy_given(&copy[1]);
    const struct tree_args args = ranks_part_args(
        k, k->domain.begin[k->domain.rank], layers > 0 ? layers : 1, both);
    return tree_set(tree, &args, &source, s->all_m > 0 ? &target : NULL);
}

farsum_status fmm_gpu_ranks_clustering(const struct task *task, struct fmm *s)
{
    struct copy copy[2] = {{.points = {0}}, {.points = {0}}};
    struct tree tree = {0};
    farsum_status status = task_agree(task, statistics_tree(s, copy, &tree));
    if (status == FARSUM_OK)
        status = fmm_ranks_clustering(task, s, &tree);
    tree_clear(&tree);
    copy_clear(&copy[0]);
    copy_clear(&copy[1]);
    return status;
}
