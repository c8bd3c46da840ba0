/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c: tests of trees: boxes, orders, coordinates, and lists that cover
 * every pair of points once. */
#include "unit/tree_case.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

static const struct tree_args unit_box = {
    .dense = 1,
    .ws = 1,
    .leaf = 8,
    .root = {1, 1, 1},
    .edge = {1, 1, 1},
    .threads = 2,
};

/* Boxes: the functions are consistent, and the order is that of
 * points/tree/tree.kh. */
static void check_boxes(const struct tree *tree)
{
    int64_t leaves = 0, boxes = 0;
    for (int level = 0; level <= tree->depth; level++)
        for (int64_t b = tree->first[level]; b < tree->first[level + 1]; b++) {
            int64_t place[3], up[3], children = 0;
            tree_place(tree, level, b, place);
            int good = tree_find(tree, level, place) == b
                       && tree_level(tree, b) == level;
            int64_t parent = tree_parent(tree, level, b);
            if (level == 0) {
                good &= parent == -1;
            } else {
                int octant = tree_octant(tree, level, b);
                tree_place(tree, level - 1, parent, up);
                for (int d = 0; d < 3; d++)
                    good &= place[d] == 2 * up[d] + (octant >> d & 1);
                good &= tree_child(tree, level - 1, parent, octant) == b;
            }
            for (int octant = 0; octant < 8; octant++)
                children += tree_child(tree, level, b, octant) >= 0;
            int64_t leaf = tree_box_leaf(tree, b);
            good &= (leaf >= 0) == (children == 0);
            good &= leaf < 0 || tree_leaf_box(tree, leaf) == b;
            leaves += leaf >= 0;
            boxes++;
            if (tree->dense) {
                int64_t k = b - tree->first[level];
                int64_t above = level > 0 ? tree_boxes(tree, level - 1) : 0;
                good &= level == 0
                            ? k
                                  == place[0]
                                         + tree->root[0]
                                               * (place[1]
                                                  + tree->root[1] * place[2])
                            : k % above == parent - tree->first[level - 1];
            }
            CHECK(good, "box %lld of level %d", (long long)b, level);
        }
    tree_same("boxes", boxes, tree->n_boxes);
    tree_same("leaves", leaves, tree->n_leaves);
}

/* Points: each once, in the leaf that contains it, with coordinates that
 * restore its position. */
static void check_points(const struct tree *tree, const struct tree_points *p,
                         const struct tree_given *given)
{
    char *seen = check_memory((size_t)given->n + 1, 1);
    double most = tree->precision == FARSUM_F32 ? 1e-7 : 3e-16;
    memset(seen, 0, (size_t)given->n + 1);
    tree_same("points", p->n, given->n);
    tree_same("first", p->begin[0], 0);
    tree_same("last", p->begin[tree->n_leaves], given->n);
    for (int64_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        int64_t box = tree_leaf_box(tree, leaf);
        int level = tree_level(tree, box);
        double centre[3], h = tree_h(tree, level);
        tree_centre(tree, level, box, centre);
        for (int64_t k = p->begin[leaf]; k < p->begin[leaf + 1]; k++) {
            int64_t i = p->order[k];
            CHECK(i >= 0 && i < given->n && !seen[i], "point %lld at %lld",
                  (long long)i, (long long)k);
            seen[i] = 1;
            for (int d = 0; d < 3; d++) {
                double rel = tree_at(tree, p, d, k), edge = tree->edge[d];
                double off = given->x[d][i * given->step]
                             * (given->fractions ? edge : 1);
                off += (given->fractions ? tree->corner[d] : 0) - centre[d]
                       - rel * h;
                if (tree->periodic[d])
                    off -= edge * nearbyint(off / edge);
                CHECK(fabs(rel) <= tree->box[d] / 2 * (1 + 8 * most)
                                       + 1e-15 * edge / h,
                      "coordinate %g of %g", rel, tree->box[d]);
                CHECK(fabs(off)
                          <= most * h + 4e-15 * (edge + fabs(tree->corner[d])),
                      "off by %g of %g", off, h);
            }
        }
    }
    free(seen);
}

/* Sparse trees: no box is empty, none is divided without need, levels are
 * graded. */
static void check_sparse(const struct tree *tree, const struct tree_args *args)
{
    const struct tree_points *t = tree_targets(tree);
    for (int64_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        int64_t n = tree->source.begin[leaf + 1] - tree->source.begin[leaf];
        if (tree->separate)
            n += t->begin[leaf + 1] - t->begin[leaf];
        int64_t box = tree_leaf_box(tree, leaf), place[3], p[3];
        int level = tree_level(tree, box), ws = tree->ws;
        CHECK(n > 0, "leaf %lld is empty", (long long)leaf);
        CHECK(n <= args->leaf || level == args->depth,
              "leaf %lld of %lld points", (long long)leaf, (long long)n);
        tree_place(tree, level, box, place);
        for (p[0] = place[0] - ws; p[0] <= place[0] + ws; p[0]++)
            for (p[1] = place[1] - ws; p[1] <= place[1] + ws; p[1]++)
                for (p[2] = place[2] - ws; p[2] <= place[2] + ws; p[2]++) {
                    int64_t other = tree_find(tree, level, p);
                    for (int o = 0; other >= 0 && o < 8; o++) {
                        int64_t c = tree_child(tree, level, other, o);
                        CHECK(c < 0 || tree_box_leaf(tree, c) >= 0,
                              "leaf %lld next to grandchildren",
                              (long long)leaf);
                    }
                }
    }
}

/* Runs all checks of one tree. */
static void check_tree(const struct tree_args *args, enum tree_dist dist,
                       int64_t n, int64_t m)
{
    struct tree tree = {0};
    double *x = check_memory((size_t)(3 * n + 1), sizeof *x);
    double *y = check_memory((size_t)(3 * m + 1), sizeof *y);
    tree_fractions(dist, n, 1, x);
    tree_fractions(dist, m, 2, y);
    struct tree_given sources = tree_positions(args, n, x);
    struct tree_given targets = tree_positions(args, m, y);
    if (CHECK_OK(tree_set(&tree, args, &sources, m > 0 ? &targets : NULL))) {
        check_boxes(&tree);
        check_points(&tree, &tree.source, &sources);
        if (m > 0)
            check_points(&tree, &tree.target, &targets);
        if (!args->dense)
            check_sparse(&tree, args);
        tree_check_cover(&tree, &sources, m > 0 ? &targets : &sources);
    }
    tree_clear(&tree);
    free(x);
    free(y);
}

static void every_dist(const struct tree_args *args, int64_t n, int64_t m)
{
    for (int dist = 0; dist < TREE_DISTS; dist++)
        check_tree(args, (enum tree_dist)dist, n, m);
}

static void dense(void)
{
    static const int64_t roots[][3] = {
        {1, 1, 1}, {2, 1, 3}, {3, 3, 3}, {7, 5, 6}};
    for (int r = 0; r < 4; r++)
        for (int depth = 0; depth <= (r == 0 ? 3 : r < 3 ? 1 : 0); depth++)
            for (int periodic = 0; periodic < 8; periodic += 7)
                for (int ws = 1; ws <= (depth < 2 ? 3 : 1); ws++) {
                    struct tree_args args = unit_box;
                    args.depth = depth;
                    args.ws = ws;
                    for (int d = 0; d < 3; d++) {
                        args.root[d] = roots[r][d];
                        args.periodic[d] = periodic >> d & 1;
                    }
                    every_dist(&args, 14, periodic ? 0 : 9);
                }
}

/* Bricks, corners, axes of both kinds, single precision. */
static void shapes(void)
{
    struct tree_args args = unit_box;
    args.depth = 2;
    args.precision = FARSUM_F32;
    args.periodic[1] = 1;
    const double corner[3] = {-3.7, 100.1, 0.25}, edge[3] = {2.1, 0.9, 7};
    for (int d = 0; d < 3; d++) {
        args.corner[d] = corner[d];
        args.edge[d] = edge[d];
    }
    args.root[2] = 2;
    every_dist(&args, 25, 12);
    args.dense = 0;
    args.leaf = 2;
    args.depth = 6;
    every_dist(&args, 25, 12);
}

static void sparse(void)
{
    static const int depths[] = {0, 1, 3, 20};
    for (int k = 0; k < 4; k++)
        for (int64_t leaf = 1; leaf <= 16; leaf *= 4)
            for (int ws = 1; ws <= (leaf == 4 ? 2 : 1); ws++) {
                struct tree_args args = unit_box;
                args.dense = 0;
                args.depth = depths[k];
                args.leaf = leaf;
                args.ws = ws;
                every_dist(&args, 60, 0);
                every_dist(&args, 33, 27);
            }
    struct tree_args args = unit_box;
    args.dense = 0;
    args.leaf = 3;
    args.depth = 5;
    for (int d = 0; d < 3; d++)
        args.periodic[d] = 1;
    every_dist(&args, 40, 0);
    args.root[0] = 2;
    args.root[1] = 3;
    args.periodic[1] = 0;
    every_dist(&args, 40, 20);
}

static void few(void)
{
    for (int is_dense = 0; is_dense < 2; is_dense++)
        for (int64_t n = 0; n <= 2; n++)
            for (int64_t m = 0; m <= 2; m++) {
                struct tree_args args = unit_box;
                args.dense = is_dense;
                args.depth = 2;
                args.leaf = 1;
                every_dist(&args, n, m);
                args.periodic[0] = args.periodic[1] = args.periodic[2] = 1;
                every_dist(&args, n, m);
            }
}

/* The smallest region: points are inside, boxes' centres exact, for points of
 * any scale and position. */
static void region(void)
{
    static const double scales[] = {1e-30, 1e-3, 1, 777, 1e12};
    static const double places[] = {0, -0.4, 1e3};
    for (int s = 0; s < 5; s++)
        for (int p = 0; p < 3; p++)
            for (int dist = 0; dist < TREE_DISTS; dist++) {
                double x[300];
                struct tree tree = {0};
                struct tree_args args = unit_box;
                args.dense = 0;
                args.depth = 12;
                args.leaf = 1;
                args.root[1] = 2;
                tree_fractions((enum tree_dist)dist, 100, 5, x);
                for (int k = 0; k < 300; k++)
                    x[k] = scales[s] * (x[k] + places[p]);
                struct tree_given g = {
                    .n = 100, .x = {x, x + 1, x + 2}, .step = 3};
                CHECK_OK(tree_region(&args, &g, NULL));
                if (!CHECK_OK(tree_set(&tree, &args, &g, NULL)))
                    continue;
                check_points(&tree, &tree.source, &g);
                /* differences in one leaf are exact */
                for (int64_t leaf = 0; leaf < tree.n_leaves; leaf++) {
                    int64_t a = tree.source.begin[leaf];
                    int64_t b = tree.source.begin[leaf + 1] - 1;
                    double h = tree_h(
                        &tree, tree_level(&tree, tree_leaf_box(&tree, leaf)));
                    for (int d = 0; d < 3; d++) {
                        double found = (tree_at(&tree, &tree.source, d, a)
                                        - tree_at(&tree, &tree.source, d, b))
                                       * h;
                        double wanted = x[3 * tree.source.order[a] + d]
                                        - x[3 * tree.source.order[b] + d];
                        CHECK(fabs(found - wanted) <= 3e-16 * h,
                              "difference %g, not %g in a box of %g", found,
                              wanted, h);
                    }
                }
                tree_clear(&tree);
            }
}

/* A dense tree as deep as is used: 2e6 leaves, hardly any with a point.  A
 * sparse one to its last level, with points closer than its boxes' size. */
static void deep(void)
{
    double x[600];
    struct tree tree = {0};
    struct tree_args args = unit_box;
    args.depth = 7;
    tree_fractions(TREE_UNIFORM, 200, 6, x);
    struct tree_given g = tree_positions(&args, 200, x);
    if (CHECK_OK(tree_set(&tree, &args, &g, NULL))) {
        int64_t place[3];
        check_points(&tree, &tree.source, &g);
        tree_place(&tree, 7, tree.n_boxes - 1, place);
        CHECK(place[0] == 127 && place[1] == 127 && place[2] == 127,
              "the last box is at %lld %lld %lld", (long long)place[0],
              (long long)place[1], (long long)place[2]);
        tree_same("boxes", tree.n_boxes, ((int64_t)1 << 24) / 7);
    }
    args.dense = 0;
    args.depth = TREE_DEPTH;
    args.leaf = 1;
    for (int k = 0; k < 600; k++)
        x[k] = 0.3 + 1e-8 * x[k];
    if (CHECK_OK(tree_set(&tree, &args, &g, NULL))) {
        tree_same("levels", tree.depth, TREE_DEPTH);
        check_boxes(&tree);
        check_points(&tree, &tree.source, &g);
    }
    tree_clear(&tree);
}

/* A sparse tree of two sets, for several numbers of threads. */
static void repeats_of(const struct tree_args *given, enum tree_dist dist)
{
    enum { N = 40000, M = 30000 };
    double *x = check_memory(3 * N, sizeof *x);
    double *y = check_memory(3 * M, sizeof *y);
    struct tree_args args = *given;
    tree_fractions(dist, N, 3, x);
    tree_fractions(dist, M, 4, y);
    struct tree_given g = tree_positions(&args, N, x);
    struct tree_given to = tree_positions(&args, M, y);
    struct tree one = {0}, many = {0};
    args.threads = 1;
    CHECK_OK(tree_set(&one, &args, &g, &to));
    for (args.threads = 2; args.threads <= 8; args.threads += 3) {
        CHECK_OK(tree_set(&many, &args, &g, &to));
        tree_check_same(&one, &many);
    }
    tree_clear(&one);
    tree_clear(&many);
    free(x);
    free(y);
}

static void repeats_more(void)
{
    for (int dist = 0; dist < TREE_DISTS; dist++) {
        struct tree_args args = unit_box;
        args.dense = 0;
        args.depth = 16;
        args.leaf = 1;
        repeats_of(&args, (enum tree_dist)dist);
        args.leaf = 20;
        args.ws = 2;
        for (int d = 0; d < 3; d++) {
            args.root[d] = 3 + d;
            args.periodic[d] = 1;
        }
        repeats_of(&args, (enum tree_dist)dist);
    }
}

/* The same tree for any number of threads, also in memory that was used
 * before. */
static void repeats(void)
{
    enum { N = 50000 };
    double *x = check_memory(3 * N, sizeof *x);
    struct tree one = {0}, four = {0};
    for (int is_dense = 0; is_dense < 2; is_dense++)
        for (int dist = 0; dist < TREE_DISTS; dist++) {
            struct tree_args args = unit_box;
            tree_fractions((enum tree_dist)dist, N, 3, x);
            args.dense = is_dense;
            args.depth = is_dense ? 5 : 20;
            args.leaf = 30;
            struct tree_given g = tree_positions(&args, N, x);
            args.threads = 1;
            CHECK_OK(tree_set(&one, &args, &g, NULL));
            args.threads = 4;
            CHECK_OK(tree_set(&four, &args, &g, NULL));
            tree_check_same(&one, &four);
            check_points(&one, &one.source, &g);
        }
    tree_clear(&one);
    tree_clear(&four);
    free(x);
}

static void refuses(void)
{
    struct tree tree = {0};
    double x[6] = {0.5, 0.5, 0.5, 0.5, 1.5, 0.5};
    struct tree_given g = {.n = 2, .x = {x, x + 1, x + 2}, .step = 3};
    struct tree_args args = unit_box, bad = unit_box;
    CHECK_FAILS(tree_set(&tree, &args, &g, NULL), FARSUM_ERR_POSITION);
    CHECK_SAYS("source 1: (0.5, 1.5, 0.5)");
    x[4] = NAN;
    CHECK_FAILS(tree_set(&tree, &args, &g, NULL), FARSUM_ERR_POSITION);
    x[4] = INFINITY;
    CHECK_FAILS(tree_region(&args, &g, NULL), FARSUM_ERR_POSITION);
    args.periodic[1] = 1;
    CHECK_FAILS(tree_set(&tree, &args, &g, NULL), FARSUM_ERR_POSITION);
    x[4] = -7.25;
    CHECK_OK(tree_set(&tree, &args, &g, NULL));
    CHECK_NEAR(((double *)tree.source.x[1])[1], 0.25, 0);
    bad.root[1] = 0;
    CHECK_FAILS(tree_check(&bad), FARSUM_ERR_ARGUMENT);
    bad = unit_box;
    bad.depth = TREE_DEPTH + 1;
    CHECK_FAILS(tree_check(&bad), FARSUM_ERR_ARGUMENT);
    bad.depth = 14;
    CHECK_FAILS(tree_check(&bad), FARSUM_ERR_ARGUMENT);
    bad.dense = 0;
    CHECK_OK(tree_check(&bad));
    bad.root[0] = 1 << 8;
    CHECK_FAILS(tree_check(&bad), FARSUM_ERR_ARGUMENT);
    bad = unit_box;
    bad.edge[2] = 0;
    CHECK_FAILS(tree_check(&bad), FARSUM_ERR_ARGUMENT);
    tree_clear(&tree);
}

/* Whatever allocation fails, nothing leaks and the next build works. */
static void memory(void)
{
    double x[600];
    tree_fractions(TREE_CLUSTERS, 200, 9, x);
    int64_t held = mem_bytes();
    for (int is_dense = 0; is_dense < 2; is_dense++) {
        struct tree tree = {0};
        struct tree_args args = unit_box;
        args.dense = is_dense;
        args.depth = 3;
        args.leaf = 4;
        struct tree_given g = tree_positions(&args, 200, x);
        int failures = 0, ok = 0;
        for (int k = 1; k < 500 && !ok; k++) {
            mem_fail_at(k);
            farsum_status status = tree_set(&tree, &args, &g, &g);
            mem_fail_at(0);
            ok = status == FARSUM_OK;
            failures += !ok;
            CHECK(ok || status == FARSUM_ERR_MEMORY, "status %d", status);
            CHECK(ok || mem_bytes() == held, "memory is kept");
        }
        CHECK(ok && failures > 10, "%d failures", failures);
        check_points(&tree, &tree.source, &g);
        tree_clear(&tree);
        CHECK(mem_bytes() == held, "memory is kept");
    }
}

int main(void)
{
    RUN(dense);
    RUN(shapes);
    RUN(sparse);
    RUN(few);
    RUN(region);
    RUN(deep);
    RUN(repeats);
    RUN(repeats_more);
    RUN(refuses);
    RUN(memory);
    return check_end();
}
