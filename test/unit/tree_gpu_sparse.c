/* SPDX-License-Identifier: Apache-2.0 */
/* tree_gpu_sparse.c: tests of points/tree/tree_device_sparse.c: sparse trees
 * built by a device, and their clustering statistics, equal the host's. */
#include <omp.h>

#include "method/fmm/device/set_points.h"
#include "tree_copy.h"
#include "unit/tree_gpu.h"

static char now[32]; /* what is compared */

/* Input for one side of a tree. */
struct side {
    struct points_gpu *points;
    struct buf x;
    struct tree_gpu_given given; /* on the device */
    struct tree_given host;
    double *own; /* owned: what host reads */
};

static void side_make(struct side *side)
{
    *side = (struct side){0};
    CHECK_OK(points_gpu_create(device, &side->points));
}

static void side_clear(struct side *side)
{
    points_gpu_destroy(side->points);
    buf_clear(&side->x);
    free(side->own);
}

/* Fractions [n][3] to positions, on the host and on the device. */
static void side_put(struct side *side, const struct tree_args *args, int64_t n,
                     double *x, int wide)
{
    struct cell cell;
    double rows[9] = {
        [0] = args->edge[0], [4] = args->edge[1], [8] = args->edge[2]};
    free(side->own);
    CHECK_OK(cell_set(&cell, rows, 1));
    side->given = (struct tree_gpu_given){side->points, NULL, wide, 1};
    if (args->periodic[0]) {
        for (int64_t k = 0; k < 3 * n; k++)
            x[k] *= args->edge[k % 3];
        CHECK_OK(points_gpu_set(side->points, &cell, n, x, FARSUM_F64, "x"));
        double *s = taken(&side->points->s, 24 * n);
        side->host = (struct tree_given){
            .n = n, .x = {s, s + n, s + 2 * n}, .step = 1, .fractions = 1};
        side->own = s;
        free(x);
        return;
    }
    side->host = tree_positions(args, n, x);
    side->own = x;
    float *narrow = check_memory((size_t)(3 * n + 1), sizeof *narrow);
    for (int64_t k = 0; k < 3 * n; k++) {
        narrow[k] = (float)x[k];
        if (!wide)
            x[k] = (double)narrow[k];
    }
    CHECK_OK(points_gpu_set(side->points, &cell, n, x, FARSUM_F64, "x"));
    CHECK_OK(buf_reserve(&side->x, device, 24 * n));
    if (n > 0)
        CHECK_OK(buf_upload(&side->x, 0, wide ? (const void *)x : narrow,
                            (wide ? 24 : 12) * n));
    side->given.x = &side->x;
    free(narrow);
}

static void same_bytes(const char *what, const struct buf *found,
                       const struct buf *wanted, int64_t each, int64_t n)
{
    unsigned char *a = taken(found, each * n), *b = taken(wanted, each * n);
    int64_t wrong = 0;
    for (int64_t k = 0; k < n; k++)
        wrong += memcmp(a + each * k, b + each * k, (size_t)each) != 0;
    CHECK(wrong == 0, "%s: %s: %lld of %lld differ", now, what,
          (long long)wrong, (long long)n);
    free(a);
    free(b);
}

/* Compares everything that the host's copy has. */
static void same_trees(const struct tree *on, const struct tree *host)
{
    const struct tree_gpu_sparse *a = &on->gpu->sparse, *b = &host->gpu->sparse;
    int64_t boxes = host->n_boxes, leaves = host->n_leaves, slots = b->slots;
    int64_t side = 2 * host->ws + 1, wrong = 0;
    int good = tree_same("boxes", on->n_boxes, boxes)
               && tree_same("leaves", on->n_leaves, leaves)
               && tree_same("depth", on->depth, host->depth)
               && tree_same("slots", a->slots, slots);
    if (!CHECK(good, "%s: another tree", now))
        return;
    for (int level = 0; level <= host->depth + 1; level++)
        wrong += on->first[level] != host->first[level]
                 || a->first[level] != b->first[level];
    for (int k = 0; k <= 8 * (host->depth + 1); k++)
        wrong += a->octant[k] != b->octant[k];
    tree_same("firsts that differ", wrong, 0);
    same_bytes("keys", &a->key, &b->key, 8, boxes);
    same_bytes("kinds", &a->kind, &b->kind, 4, boxes);
    same_bytes("first leaves", &a->begin, &b->begin, 4, boxes);
    same_bytes("ends of leaves", &a->end, &b->end, 4, boxes);
    same_bytes("the tree's boxes", &a->at, &b->at, 4, boxes);
    same_bytes("leaves' boxes", &a->leaf, &b->leaf, 4, leaves);
    same_bytes("leaves' places", &a->place, &b->place, 16, leaves);
    same_bytes("roots", &a->root, &b->root, 4, tree_boxes(host, 0));
    same_bytes("slots", &a->slot, &b->slot, 4,
               (side * side * side + 9) * slots + boxes);
    same_bytes("where near lists begin", &a->near_begin, &b->near_begin, 4,
               leaves + 1);
    uint32_t *begin = taken(&b->near_begin, 4 * (leaves + 1));
    same_bytes("near lists", &a->near, &b->near, sizeof(struct tree_gpu_near),
               begin[leaves]);
    free(begin);
    check_side(host, &host->source, &on->gpu->source);
    if (host->separate)
        check_side(host, &host->target, &on->gpu->target);
}

/* unit: in how many parts of 2^-30 they may differ: all points in one box. */
static void near_same(const char *what, double found, double wanted,
                      double unit)
{
    CHECK(fabs(found - wanted) <= 1e-6 * fabs(wanted) + 0x1p-30 * unit,
          "%s: %s: %.15g, not %.15g", now, what, found, wanted);
}

/* Levels from `first` on have far boxes.  Equal to rounding, but a point at the
 * edge of a table's entry may count in the next one. */
static void same_clusterings(const struct tree *on, const struct tree *host,
                             int first, struct clustering_gpu **capacity)
{
    struct fmm_clustering a, b;
    CHECK_OK(fmm_clustering(host, first, &a));
    CHECK_OK(clustering_gpu(on, first, capacity, &b));
    near_same("h", b.h, a.h, 0);
    CHECK(b.listed == a.listed && b.sparse == a.sparse, "kinds");
    for (int field = 0; field < 2; field++) {
        double all =
            (double)host->source.n / pow(tree_h(host, first), 2 + 2 * field);
        near_same("random", b.random[field], a.random[field], 0);
        near_same("together", b.together[field], a.together[field], 0);
        for (int k = 0; k < FMM_KNOTS; k++) {
            near_same("far", b.far[k][field], a.far[k][field], all);
            near_same("uneven", b.uneven[k][field], a.uneven[k][field], all);
        }
    }
}

static const struct {
    int ws, depth, periodic;
    int64_t leaf, root[3], n, m;
} cases[] = {
    {1, 20, 0, 8, {1, 1, 1}, 2000, 0},   {1, 18, 0, 3, {3, 2, 5}, 700, 300},
    {2, 20, 0, 20, {1, 1, 1}, 3000, 0},  {2, 18, 0, 5, {4, 1, 2}, 700, 300},
    {1, 12, 1, 4, {3, 1, 2}, 900, 0},    {2, 9, 1, 2, {1, 1, 1}, 500, 100},
    {1, 20, 1, 1, {1, 1, 1}, 300, 300},  {1, 0, 0, 5, {7, 7, 7}, 400, 0},
    {1, 1, 0, 1, {2, 2, 2}, 300, 5},     {1, 10, 0, 1, {1, 1, 1}, 0, 0},
    {1, 20, 0, 1, {1, 1, 1}, 1, 0},      {1, 20, 0, 1, {1, 1, 1}, 2, 0},
    {2, 20, 0, 1, {2, 2, 2}, 2, 1},      {1, 20, 0, 1, {1, 1, 1}, 0, 3},
    {1, 15, 0, 64, {1, 1, 1}, 9000, 0},  {3, 19, 0, 9, {1, 1, 2}, 1500, 0},
    {1, 20, 0, 2, {1, 1, 1}, 30000, 1},  /* in a box that is not sampled */
    {1, 20, 0, 9, {1, 1, 1}, 45000, 50}, /* boxes and points are only sampled */
};

/* x: fractions of points.  Runs twice, the second time from kept keys. */
static void compared(int c, enum tree_dist dist, struct side side[2],
                     struct tree *on, struct clustering_gpu **capacity)
{
    int64_t n = cases[c].n, m = cases[c].m;
    struct tree host = {0};
    struct tree_args args = {
        .ws = cases[c].ws,
        .depth = cases[c].depth,
        .leaf = cases[c].leaf,
        .threads = 2,
        .precision = dist % 2 ? FARSUM_F32 : FARSUM_F64,
    };
    for (int d = 0; d < 3; d++) {
        args.periodic[d] = cases[c].periodic;
        args.root[d] = cases[c].root[d];
        args.edge[d] = 0.75 * (double)args.root[d];
        args.corner[d] = cases[c].periodic ? 0 : -0.25 * d - 1;
    }
    double *x = check_memory((size_t)(3 * n + 1), sizeof *x);
    double *y = check_memory((size_t)(3 * m + 1), sizeof *y);
    tree_fractions(dist, n, 4, x);
    tree_fractions(c % 2 ? TREE_UNIFORM : dist, m, 5, y);
    side_put(&side[0], &args, n, x, c % 3 != 1);
    side_put(&side[1], &args, m, y, c % 3 != 1);
    for (int again = 0; again < 2; again++, args.leaf += args.leaf / 2 + 1) {
        if (!CHECK_OK(tree_gpu_set_sparse(on, &args, &side[0].given,
                                          m > 0 ? &side[1].given : NULL)))
            check_stop("no tree on the device");
        CHECK_OK(tree_set(&host, &args, &side[0].host,
                          m > 0 ? &side[1].host : NULL));
        if (!CHECK_OK(tree_copy(&host, device)))
            check_stop("no copy on the device");
        same_trees(on, &host);
        if (tree_targets(&host)->n > 0 && (c + (int)dist) % 3 == 0 && !again)
            same_clusterings(on, &host, cases[c].periodic ? 0 : cases[c].ws + 1,
                             capacity);
        tree_clear(&host);
    }
}

static void sparse_trees(void)
{
    struct side side[2];
    struct tree on = {0};
    struct clustering_gpu *capacity = NULL;
    side_make(&side[0]);
    side_make(&side[1]);
    for (int c = 0; c < (int)(sizeof cases / sizeof *cases); c++)
        for (int dist = 0; dist < TREE_DISTS; dist++) {
            snprintf(now, sizeof now, "case %d, points %d", c, dist);
            if (cases[c].n < 40000 || dist == TREE_CLUSTERS)
                compared(c, (enum tree_dist)dist, side, &on, &capacity);
        }
    tree_clear(&on);
    fmm_gpu_clustering_destroy(capacity);
    side_clear(&side[0]);
    side_clear(&side[1]);
}

/* Prints seconds of set_points for a Plummer sphere of stars. */
static void sparse_timed(int64_t n, int64_t leaf)
{
    struct side side;
    struct tree on = {0};
    struct clustering_gpu *capacity = NULL;
    struct fmm_clustering clustering;
    struct tree_args args = {.ws = 1,
                             .depth = 20,
                             .leaf = leaf,
                             .precision = FARSUM_F32,
                             .root = {1, 1, 1}};
    double *x = check_memory((size_t)(3 * n), sizeof *x), best[3] = {9, 9, 9};
    uint64_t seed = 1;
    side_make(&side);
    for (int64_t i = 0; i < n; i++) {
        double r2 = 0, r = 1 / sqrt(pow(tree_random(&seed), -2.0 / 3) - 1);
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = 2 * tree_random(&seed) - 1;
        for (int d = 0; d < 3; d++)
            r2 += x[3 * i + d] * x[3 * i + d];
        r = r < 20 ? r : 20 * tree_random(&seed);
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = 0.5 + r / 40 * x[3 * i + d] / sqrt(r2);
    }
    for (int d = 0; d < 3; d++)
        args.edge[d] = 1;
    side_put(&side, &args, n, x, 0);
    for (int turn = 0; turn < 12; turn++) {
        struct tree_args a = args;
        a.leaf += turn % 2; /* every other tree has another order */
        a.edge[0] = a.edge[1] = a.edge[2] = 1 + turn / 2 * 0x1p-20;
        CHECK_OK(device_finish(device));
        double begin = omp_get_wtime();
        CHECK_OK(tree_gpu_set_sparse(&on, &a, &side.given, NULL));
        CHECK_OK(device_finish(device));
        double built = omp_get_wtime() - begin;
        CHECK_OK(clustering_gpu(&on, 2, &capacity, &clustering));
        double told = omp_get_wtime() - begin - built;
        if (built < best[turn % 2])
            best[turn % 2] = built;
        if (told < best[2])
            best[2] = told;
    }
    printf(
        "%lld points, leaf %lld: %lld boxes, %lld leaves, depth %d: %.3f ms, "
        "sorted %.3f ms, errors %.3f ms, %.0f bytes a point\n",
        (long long)n, (long long)leaf, (long long)on.n_boxes,
        (long long)on.n_leaves, on.depth, 1e3 * best[0], 1e3 * best[1],
        1e3 * best[2], (double)device->bytes / (double)n);
    fflush(stdout);
    tree_clear(&on);
    fmm_gpu_clustering_destroy(capacity);
    side_clear(&side);
}

void tree_gpu_perf(void)
{
    for (int64_t n = 10000; n <= 10000000; n *= 10)
        for (int64_t leaf = 16; leaf <= 256; leaf *= 4)
            sparse_timed(n, leaf);
}

void tree_gpu_check_sparse(void)
{
    RUN(sparse_trees);
}
