/* SPDX-License-Identifier: Apache-2.0 */
/* clustering_ranks.c: statistics of the boxes of all ranks.  Lists reach one
 * layer further than near pairs do, so the ranks exchange the sums of their
 * boxes. */
#include <string.h>

#include "base/mem.h"
#include "method/fmm/boxes/clustering.h"
#include "method/fmm/ranks.h"

struct around {
    struct clustering *own;  /* owned: of the rank's own tree */
    struct clustering *wide; /* owned: with ws + 1 more layers on each side */
    struct tree tree;        /* of wide, without points */
    double *mesh;            /* owned: [value][layer][z][y] */
    int64_t layers, more, rows; /* own layers; more on a side; boxes of one */
    double sampled;             /* targets in the sampled own boxes */
};

static void work_clear(struct around *w)
{
    if (w->own)
        clustering_clear(w->own);
    if (w->wide)
        clustering_clear(w->wide);
    mem_free(w->own);
    mem_free(w->wide);
    mem_free(w->mesh);
}

/* The index of a value of a wide layer's first box in the mesh. */
static int64_t mesh_at(const struct around *w, int value, int64_t layer)
{
    return (value * (w->layers + 2 * w->more) + layer) * w->rows;
}

/* A value of a box. */
static double *value_of(const struct clustering *c, int value, int64_t box)
{
    int k = value - 2;
    if (value == 1)
        return &c->gaps[box];
    return k < K ? &c->source[box].rim[k] : &c->source[box].lean[k - K];
}

static void work_pack(struct around *w)
{
    for (int v = 0; v < FMM_RANKS_STATISTICS; v++)
        for (int64_t x = 0; x < w->layers; x++)
            for (int64_t i = 0; i < w->rows; i++) {
                int64_t box = i * w->layers + x;
                w->mesh[mesh_at(w, v, x + w->more) + i] =
                    v == 0 ? (double)w->own->count[box]
                           : *value_of(w->own, v, box);
            }
}

/* Takes the values of wide's boxes, and targets of the own ones that one
 * process samples: every skip-th of the whole grid.  In open space there are no
 * images. */
static void work_unpack(struct around *w, const struct domain *domain)
{
    int64_t all = w->layers + 2 * w->more, skip = w->own->skip;
    for (int64_t x = 0; x < all; x++) {
        int64_t whole = domain->begin[domain->rank] + x - w->more;
        int own = x >= w->more && x < w->more + w->layers;
        if (domain->open && (whole < 0 || whole >= domain->mesh0))
            continue;
        for (int64_t i = 0; i < w->rows; i++) {
            int64_t box = i * all + x, mine = i * w->layers + x - w->more;
            w->wide->count[box] = (int64_t)w->mesh[mesh_at(w, 0, x) + i];
            for (int v = 1; v < FMM_RANKS_STATISTICS; v++)
                *value_of(w->wide, v, box) = w->mesh[mesh_at(w, v, x) + i];
            int sampled = own && (i * domain->mesh0 + whole) % skip == 0;
            w->wide->aim[box] = sampled ? w->own->aim[mine] : 0;
            w->sampled += (double)w->wide->aim[box];
            if (own)
                w->wide->target[box] = w->own->target[mine];
        }
    }
}

static void work_numbers(struct clustering *c, const struct fmm *s)
{
    const int64_t *root = s->shape.root;
    c->n = s->all_n;
    c->m = s->all_m > 0 ? s->all_m : s->all_n;
    c->skip = clustering_skip(root[0] * root[1] * root[2]);
}

/* What a rank does before the exchange. */
static farsum_status work_own(struct around *w, const struct fmm *s,
                              const struct tree *tree, int first)
{
    w->more = tree->ws + 1;
    w->rows = tree->root[1] * tree->root[2];
    w->layers = ranks_layers(s->ranks);
    TRY(MEM_NEW(w->own, 1));
    TRY(clustering_begin(w->own, tree, first));
    work_numbers(w->own, s);
    TRY(clustering_fills(w->own));
    if (w->layers == 0)
        return FARSUM_OK;
    TRY(MEM_NEW(w->mesh, mesh_at(w, FMM_RANKS_STATISTICS, 0)));
    work_pack(w);
    return FARSUM_OK;
}

/* The lists of the own boxes. */
static farsum_status work_lists(struct around *w, const struct fmm *s,
                                struct fmm_clustering *clustering)
{
    struct tree_args args = s->ranks->tree;
    args.edge[0] *= (double)(w->layers + 2 * w->more) / (double)args.root[0];
    args.root[0] = w->layers + 2 * w->more;
    args.periodic[0] = 0;
    tree_shape(&w->tree, &args);
    TRY(MEM_NEW(w->wide, 1));
    struct clustering *c = w->wide;
    TRY(clustering_begin(c, &w->tree, 0));
    work_numbers(c, s);
    c->skip = 1; /* boxes that are not sampled have no targets */
    w->tree.separate = s->all_m > 0;
    TRY(MEM_NEW(c->count, w->tree.n_boxes));
    TRY(MEM_NEW(c->gaps, w->tree.n_boxes));
    TRY(MEM_NEW(c->aim, w->tree.n_boxes));
    TRY(MEM_NEW(c->source, w->tree.n_boxes));
    TRY(MEM_NEW(c->target, w->tree.n_boxes));
    work_unpack(w, &s->ranks->domain);
    return clustering_level(c, 0, clustering);
}

/* Takes the boxes that are not sampled to be like the others. */
static void work_scale(struct fmm_clustering *made, double targets,
                       double sampled)
{
    double share = sampled > 0 ? targets / sampled : 0;
    for (int k = 0; k < K; k++)
        for (int field = 0; field < 2; field++) {
            made->far[k][field] *= share;
            made->uneven[k][field] *= share;
        }
}

farsum_status fmm_ranks_clustering(const struct task *task, struct fmm *s,
                                   const struct tree *tree)
{
    enum { MEANS = 6 + 4 * K };
    farsum_status status = FARSUM_OK;
    struct fmm_ranks *k = s->ranks;
    struct fmm_clustering *made = &k->clustering;
    struct around w = {.own = NULL};
    int first = fmm_shape_first(s, &s->shape), lists = first == 0;
    *made = (struct fmm_clustering){.ws = s->shape.ws, .listed = 1};
    GO(task_agree(task, work_own(&w, s, tree, first)));
    clustering_inside(w.own, made);
    KEEP_ON(planes_fill(k->planes, w.mesh, mesh_at(&w, 1, 0),
                        FMM_RANKS_STATISTICS));
    if (lists && w.layers > 0 && status == FARSUM_OK)
        status = work_lists(&w, s, made);
    GO(task_agree(task, status));
    double means[MEANS] = {made->random[0],   made->random[1],
                           made->together[0], made->together[1],
                           made->h,           w.sampled};
    memcpy(means + 6, made->far, sizeof made->far);
    memcpy(means + 6 + 2 * K, made->uneven, sizeof made->uneven);
    GO(task_agree(task, task_sum(task, means, MEANS)));
    memcpy(made->random, means, sizeof made->random);
    memcpy(made->together, means + 2, sizeof made->together);
    made->h = means[4];
    memcpy(made->far, means + 6, sizeof made->far);
    memcpy(made->uneven, means + 6 + 2 * K, sizeof made->uneven);
    work_scale(made, (double)w.own->m, means[5]);
    fmm_near(task, s, tree);
    k->near_input = s->input.near;
done:
    work_clear(&w);
    return status;
}
