/* SPDX-License-Identifier: Apache-2.0 */
/* clustering_ranks.c: statistics of the boxes of all ranks.  Lists of root
 * boxes reach one layer further than near pairs do, so the ranks exchange the
 * sums of their boxes. */
#include <string.h>

#include "base/mem.h"
#include "method/fmm/boxes/clustering.h"
#include "method/fmm/ranks.h"

struct around {
    struct clustering *wide; /* owned: with ws + 1 more layers on each side */
    struct tree tree;        /* of wide, without points */
    double *mesh;            /* owned: [value][layer][z][y] */
    int64_t layers, more, rows; /* own layers; more on a side; boxes of one */
    double sampled, targets;    /* targets in the sampled own boxes; in all */
};

/* The targets of all ranks in every skip-th box of a level, and in every box of
 * the strides skip / 2, skip / 4, ...; the last: in all boxes. */
enum { STRIDES = 64 };
struct strides {
    int64_t skip;
    double targets[STRIDES];
};

/* Adds a box, numbered in the whole grid, and its targets. */
static void strides_add(struct strides *s, int64_t box, double targets)
{
    s->targets[STRIDES - 1] += targets;
    for (int k = 0; s->skip >> k > 1 && targets > 0; k++)
        if (box % (s->skip >> k) == 0)
            s->targets[k] += targets;
}

/* The stride that one process takes, see clustering_level. */
static int64_t strides_chosen(const struct strides *s)
{
    int k = 0;
    while (s->skip >> k > 1
           && !clustering_meets(s->targets[k], s->targets[STRIDES - 1],
                                s->skip >> k))
        k++;
    return s->skip >> k;
}

static void work_clear(struct around *w)
{
    if (w->wide)
        clustering_clear(w->wide);
    mem_free(w->wide);
    mem_free(w->mesh);
}

/* The index of a value of a wide layer's first box in the mesh. */
static int64_t mesh_at(const struct around *w, int value, int64_t layer)
{
    return (value * (w->layers + 2 * w->more) + layer) * w->rows;
}

/* The sums of a box. */
static double *fill_value(struct clustering_fill *fill, int value)
{
    int k = value - 2;
    return k < K ? &fill->rim[k] : &fill->lean[k - K];
}

/* Own layers into the mesh. */
static farsum_status work_pack(struct around *w, const struct fmm *s,
                               const struct ranks_boxes *own)
{
    int64_t layer = w->layers * w->rows;
    w->more = s->shape.ws + 1;
    if (w->layers == 0)
        return FARSUM_OK;
    TRY(MEM_NEW(w->mesh, mesh_at(w, FMM_RANKS_STATISTICS, 0)));
    for (int v = 0; v < FMM_RANKS_STATISTICS; v++)
        memcpy(w->mesh + mesh_at(w, v, w->more), own->source + v * layer,
               (size_t)layer * sizeof(double));
    return FARSUM_OK;
}

/* Takes the values of wide's boxes, and targets of the own ones that one
 * process samples: every skip-th of the whole grid.  In open space there are no
 * images. */
static void work_unpack(struct around *w, const struct domain *domain,
                        const struct ranks_boxes *own, int64_t skip)
{
    int64_t all = w->layers + 2 * w->more, values = w->layers * w->rows;
    struct clustering *c = w->wide;
    for (int64_t x = 0; x < all; x++) {
        int64_t whole = domain->begin[domain->rank] + x - w->more;
        int mine = x >= w->more && x < w->more + w->layers;
        if (domain->open && (whole < 0 || whole >= domain->mesh0))
            continue;
        for (int64_t i = 0; i < w->rows; i++) {
            int64_t box = i * all + x, at = (x - w->more) * w->rows + i;
            c->count[box] = (int64_t)w->mesh[mesh_at(w, 0, x) + i];
            c->gaps[box] = w->mesh[mesh_at(w, 1, x) + i];
            for (int v = 2; v < FMM_RANKS_STATISTICS; v++) {
                *fill_value(&c->source[box], v) = w->mesh[mesh_at(w, v, x) + i];
                if (mine)
                    *fill_value(&c->target[box], v) =
                        own->target[v * values + at];
            }
            if (!mine)
                continue;
            w->targets += own->target[at];
            if ((i * domain->mesh0 + whole) % skip == 0)
                c->aim[box] = (int64_t)own->target[at];
            w->sampled += (double)c->aim[box];
        }
    }
}

static int64_t work_skip(const struct fmm *s)
{
    const int64_t *root = s->shape.root;
    return clustering_skip(root[0] * root[1] * root[2]);
}

/* The stride of the sampled root boxes.  Collective. */
static farsum_status work_stride(const struct task *task,
                                 const struct around *w, const struct fmm *s,
                                 const struct ranks_boxes *own, int64_t *skip)
{
    const struct domain *domain = &s->ranks->domain;
    struct strides all = {.skip = work_skip(s)};
    for (int64_t at = 0; at < w->layers * w->rows; at++)
        strides_add(&all,
                    at % w->rows * domain->mesh0 + domain->begin[domain->rank]
                        + at / w->rows,
                    own->target[at]);
    TRY(task_agree(task, task_sum(task, all.targets, STRIDES)));
    *skip = strides_chosen(&all);
    return FARSUM_OK;
}

static void work_numbers(struct clustering *c, const struct fmm *s)
{
    c->n = s->all_n;
    c->m = s->all_m > 0 ? s->all_m : s->all_n;
    c->skip = work_skip(s);
}

/* The lists of the own boxes. */
static farsum_status work_lists(struct around *w, const struct fmm *s,
                                const struct ranks_boxes *own, int64_t skip,
                                struct fmm_clustering *clustering)
{
    struct tree_args args = s->ranks->tree;
    args.edge[0] *= (double)(w->layers + 2 * w->more) / (double)args.root[0];
    args.root[0] = w->layers + 2 * w->more;
    args.periodic[0] = 0;
    args.depth = 0;
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
    work_unpack(w, &s->ranks->domain, own, skip);
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

farsum_status fmm_ranks_lists(const struct task *task, struct fmm *s,
                              const struct ranks_boxes *own,
                              farsum_status status, struct fmm_clustering *made)
{
    enum { MEANS = 2 + 4 * K };
    const struct tree_args *tree = &s->ranks->tree;
    struct around w = {.layers = ranks_layers(s->ranks),
                       .rows = tree->root[1] * tree->root[2]};
    double means[MEANS] = {0};
    int64_t skip = 1;
    memset(made->far, 0, sizeof made->far);
    memset(made->uneven, 0, sizeof made->uneven);
    if (status == FARSUM_OK)
        status = work_pack(&w, s, own);
    GO(task_agree(task, status));
    GO(work_stride(task, &w, s, own, &skip));
    KEEP_ON(planes_fill(s->ranks->planes, w.mesh, mesh_at(&w, 1, 0),
                        FMM_RANKS_STATISTICS));
    if (w.layers > 0 && status == FARSUM_OK)
        status = work_lists(&w, s, own, skip, made);
    GO(task_agree(task, status));
    means[0] = w.sampled;
    means[1] = w.targets;
    memcpy(means + 2, made->far, sizeof made->far);
    memcpy(means + 2 + 2 * K, made->uneven, sizeof made->uneven);
    GO(task_agree(task, task_sum(task, means, MEANS)));
    memcpy(made->far, means + 2, sizeof made->far);
    memcpy(made->uneven, means + 2 + 2 * K, sizeof made->uneven);
    work_scale(made, means[1], means[0]);
done:
    work_clear(&w);
    return status;
}

/* The own boxes of a side on the host. */
static farsum_status boxes_of(const struct clustering *c, int target,
                              const struct fmm *s, double **to)
{
    const struct clustering_fill *fill = target ? c->target : c->source;
    int64_t layers = ranks_layers(s->ranks), line = c->t->root[0];
    int64_t first = s->ranks->domain.halo;
    int64_t rows = c->t->root[1] * c->t->root[2], boxes = layers * rows;
    TRY(MEM_NEW(*to, FMM_RANKS_STATISTICS * boxes));
    for (int64_t at = 0; at < boxes; at++) {
        int64_t box = at % rows * line + first + at / rows;
        struct clustering_fill sums = fill[box];
        (*to)[at] = (double)(target ? c->aim : c->count)[box];
        (*to)[boxes + at] = c->gaps[box];
        for (int v = 2; v < FMM_RANKS_STATISTICS; v++)
            (*to)[v * boxes + at] = *fill_value(&sums, v);
    }
    return FARSUM_OK;
}

/* What a rank does before the exchange. */
static farsum_status own_boxes(struct clustering *c, const struct fmm *s,
                               int first, struct ranks_boxes *own)
{
    TRY(clustering_begin(c, &s->tree, first));
    work_numbers(c, s);
    TRY(clustering_fills(c));
    TRY(boxes_of(c, 0, s, &own->source));
    own->target = own->source;
    return s->all_m > 0 ? boxes_of(c, 1, s, &own->target) : FARSUM_OK;
}

/* The means over the targets, from those of each rank. */
static farsum_status inside_all(const struct task *task,
                                struct fmm_clustering *made)
{
    double means[5] = {made->random[0], made->random[1], made->together[0],
                       made->together[1], made->h};
    TRY(task_agree(task, task_sum(task, means, 5)));
    memcpy(made->random, means, sizeof made->random);
    memcpy(made->together, means + 2, sizeof made->together);
    made->h = means[4];
    return FARSUM_OK;
}

/* Adds the ghosts' boxes to those of the own sources. */
static farsum_status lists_ghosts(struct clustering *c, const struct fmm *s)
{
    farsum_status status = FARSUM_OK;
    struct clustering *ghosts = NULL;
    GO(MEM_NEW(ghosts, 1));
    GO(clustering_begin(ghosts, &s->ranks->near, c->first));
    work_numbers(ghosts, s);
    GO(clustering_fills(ghosts));
    for (int64_t b = 0; b < c->t->n_boxes; b++) {
        c->count[b] += ghosts->count[b];
        c->gaps[b] += ghosts->gaps[b];
        for (int v = 2; v < FMM_RANKS_STATISTICS; v++)
            *fill_value(&c->source[b], v) += *fill_value(&ghosts->source[b], v);
    }
done:
    if (ghosts)
        clustering_clear(ghosts);
    mem_free(ghosts);
    return status;
}

/* The number of a level's i-th box in the whole grid. */
static int64_t lists_whole(const struct clustering *c, const struct fmm *s,
                           int64_t i)
{
    const struct domain *domain = &s->ranks->domain;
    int64_t line = c->t->root[0];
    int64_t low = domain->begin[domain->rank] - domain->halo;
    return i / line * domain->mesh0 + low + i % line;
}

/* The strides of the levels from `first` on, as yet of the own targets. */
static void lists_strides(const struct clustering *c, const struct fmm *s,
                          int first, struct strides *all)
{
    const struct tree *t = c->t;
    for (int level = first; level <= t->depth; level++) {
        int64_t rows = tree_boxes(t, level) / t->root[0];
        all[level].skip = clustering_skip(s->ranks->domain.mesh0 * rows);
        for (int64_t i = 0; i < tree_boxes(t, level); i++)
            strides_add(&all[level], lists_whole(c, s, i),
                        (double)c->aim[t->first[level] + i]);
    }
}

/* Keeps the targets of every skip-th box of a level.  Returns their number. */
static double lists_sample(struct clustering *c, const struct fmm *s, int level,
                           int64_t skip)
{
    const struct tree *t = c->t;
    double sampled = 0;
    for (int64_t i = 0; i < tree_boxes(t, level); i++) {
        int64_t *aim = &c->aim[t->first[level] + i];
        if (lists_whole(c, s, i) % skip != 0)
            *aim = 0;
        sampled += (double)*aim;
    }
    return sampled;
}

/* Adds far and uneven of the boxes of levels >= 1, whose lists lie in the
 * rank's tree.  c: of own sources and targets; changed. */
static farsum_status lists_levels(const struct task *task, struct fmm *s,
                                  struct clustering *c,
                                  struct fmm_clustering *made)
{
    enum { MEANS = 1 + 4 * K };
    double means[(TREE_DEPTH + 1) * MEANS] = {0};
    struct strides strides[TREE_DEPTH + 1] = {{0}};
    farsum_status status = FARSUM_OK;
    int first = c->first > 0 ? c->first : 1, depth = c->t->depth;
    if (first > depth)
        return FARSUM_OK;
    if (c->aim == c->count) {
        c->aim = NULL;
        c->target = NULL;
        KEEP_ON(MEM_NEW(c->aim, c->t->n_boxes));
        KEEP_ON(MEM_NEW(c->target, c->t->n_boxes));
        if (status == FARSUM_OK)
            for (int64_t b = 0; b < c->t->n_boxes; b++) {
                c->aim[b] = c->count[b];
                c->target[b] = c->source[b];
            }
    }
    if (status == FARSUM_OK && s->ranks->ghosts.n > 0)
        status = lists_ghosts(c, s);
    TRY(task_agree(task, status));
    lists_strides(c, s, first, strides);
    for (int level = first; level <= depth; level++)
        TRY(task_agree(task, task_sum(task, strides[level].targets, STRIDES)));
    c->skip = 1; /* boxes that are not sampled have no targets */
    for (int level = first; level <= depth && status == FARSUM_OK; level++) {
        struct fmm_clustering one = {.ws = made->ws};
        double *to = means + level * MEANS;
        to[0] = lists_sample(c, s, level, strides_chosen(&strides[level]));
        status = clustering_level(c, level, &one);
        memcpy(to + 1, one.far, sizeof one.far);
        memcpy(to + 1 + 2 * K, one.uneven, sizeof one.uneven);
    }
    TRY(task_agree(task, status));
    TRY(task_agree(task, task_sum(task, means, (depth + 1) * MEANS)));
    for (int level = first; level <= depth; level++) {
        const double *from = means + level * MEANS;
        struct fmm_clustering one;
        memcpy(one.far, from + 1, sizeof one.far);
        memcpy(one.uneven, from + 1 + 2 * K, sizeof one.uneven);
        work_scale(&one, strides[level].targets[STRIDES - 1], from[0]);
        for (int k = 0; k < K; k++)
            for (int field = 0; field < 2; field++) {
                made->far[k][field] += one.far[k][field];
                made->uneven[k][field] += one.uneven[k][field];
            }
    }
    return FARSUM_OK;
}

farsum_status fmm_ranks_images(const struct fmm *s, struct fmm_clustering *made)
{
    struct tree whole = {.depth = 0};
    tree_shape(&whole, &s->ranks->tree);
    return clustering_images(&whole, s->all_n, made);
}

farsum_status fmm_ranks_clustering(const struct task *task, struct fmm *s)
{
    farsum_status status = FARSUM_OK;
    struct fmm_ranks *k = s->ranks;
    struct fmm_clustering *made = &k->clustering;
    struct ranks_boxes own = {.source = NULL};
    struct clustering *c = NULL;
    int first = fmm_shape_first(s, &s->shape);
    *made = (struct fmm_clustering){.ws = s->shape.ws, .listed = 1};
    status = MEM_NEW(c, 1);
    if (status == FARSUM_OK)
        status = own_boxes(c, s, first, &own);
    GO(task_agree(task, status));
    clustering_inside(c, made);
    GO(inside_all(task, made));
    if (first == 0)
        GO(fmm_ranks_lists(task, s, &own, status, made));
    GO(lists_levels(task, s, c, made));
    GO(task_agree(task, fmm_ranks_images(s, made)));
    fmm_near(task, s, &s->tree);
    k->near_input = s->input.near;
done:
    if (c)
        clustering_clear(c);
    mem_free(c);
    if (own.target != own.source)
        mem_free(own.target);
    mem_free(own.source);
    return status;
}
