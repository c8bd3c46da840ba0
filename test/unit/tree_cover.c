/* SPDX-License-Identifier: Apache-2.0 */
/* tree_cover.c: check that the lists of a tree cover every pair of points
 * once. */
#include "unit/tree_case.h"

#include <string.h>

/* How often the lists cover each pair: [target][source][image]. */
struct cover {
    const struct tree *tree;
    const struct tree_given *sources, *targets;
    int reach[3];
    int64_t images;
    unsigned char *count;
    int64_t *leaf_s, *leaf_t; /* of each point, caller's order */
    int64_t *box_s, *box_t;   /* of one level, over them; -1: none */
};

static double cover_wrapped(const struct tree *tree, double x, int d)
{
    if (!tree->periodic[d])
        return x;
    double f = (x - tree->corner[d]) / tree->edge[d];
    return tree->corner[d] + tree->edge[d] * (f - floor(f));
}

static int64_t cover_image(const struct cover *c, const double at[3])
{
    int64_t image = 0;
    for (int d = 0; d < 3; d++) {
        double k = nearbyint(at[d]);
        if (!(fabs(at[d] - k) < 1e-6 && fabs(k) <= c->reach[d])) {
            CHECK(0, "an image at %g", at[d]);
            return -1;
        }
        image = image * (2 * c->reach[d] + 1) + (int64_t)k + c->reach[d];
    }
    return image;
}

static void cover_add(struct cover *c, int64_t i, int64_t j, int64_t image)
{
    if (image >= 0)
        c->count[(i * c->sources->n + j) * c->images + image]++;
}

static void cover_near(struct cover *c, struct tree_near *near)
{
    const struct tree *tree = c->tree;
    const struct tree_points *t = tree_targets(tree), *s = &tree->source;
    for (int64_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        int64_t box = tree_leaf_box(tree, leaf);
        double h = tree_h(tree, tree_level(tree, box));
        int64_t n = tree_near(tree, leaf, near);
        CHECK(n <= tree_near_most(tree), "%lld near", (long long)n);
        for (int64_t e = 0; e < n; e++) {
            double hs = h * near[e].scale;
            CHECK(hs
                      == tree_h(
                          tree,
                          tree_level(tree, tree_leaf_box(tree, near[e].leaf))),
                  "a scale of %g", near[e].scale);
            for (int64_t a = t->begin[leaf]; a < t->begin[leaf + 1]; a++)
                for (int64_t b = s->begin[near[e].leaf];
                     b < s->begin[near[e].leaf + 1]; b++) {
                    double at[3];
                    int64_t i = t->order[a], j = s->order[b];
                    for (int d = 0; d < 3; d++) {
                        double xi = c->targets->x[d][3 * i];
                        double xj = c->sources->x[d][3 * j];
                        double r = tree_at(tree, t, d, a) * h
                                   - tree_at(tree, s, d, b) * hs
                                   - near[e].offset[d] * h;
                        at[d] = (cover_wrapped(tree, xi, d)
                                 - cover_wrapped(tree, xj, d) - r)
                                / tree->edge[d];
                    }
                    cover_add(c, i, j, cover_image(c, at));
                }
        }
    }
}

/* The box of a level above a leaf; -1: the leaf is higher. */
static int64_t cover_above(const struct tree *tree, int64_t leaf, int level)
{
    int64_t box = tree_leaf_box(tree, leaf);
    int l = tree_level(tree, box);
    for (; l > level; l--)
        box = tree_parent(tree, l, box);
    return l == level ? box : -1;
}

static void cover_far(struct cover *c, struct tree_far *far, int level,
                      int64_t box)
{
    const struct tree *tree = c->tree;
    double here[3], there[3], at[3], h = tree_h(tree, level);
    int64_t n = tree_far(tree, level, box, far);
    CHECK(n <= tree_far_most(tree), "%lld far", (long long)n);
    tree_centre(tree, level, box, here);
    for (int64_t e = 0; e < n; e++) {
        tree_centre(tree, level, far[e].box, there);
        int most = 0;
        for (int d = 0; d < 3; d++) {
            at[d] = (here[d] - there[d] - far[e].d[d] * tree->box[d] * h)
                    / tree->edge[d];
            most = abs(far[e].d[d]) > most ? abs(far[e].d[d]) : most;
        }
        CHECK(most > tree->ws && most <= 2 * tree->ws + 1, "far at %d", most);
        int64_t image = cover_image(c, at);
        for (int64_t i = 0; i < c->targets->n; i++)
            for (int64_t j = 0; c->box_t[i] == box && j < c->sources->n; j++)
                if (c->box_s[j] == far[e].box)
                    cover_add(c, i, j, image);
    }
}

/* Once if the root boxes are near, else never. */
static void cover_check(const struct cover *c)
{
    const struct tree *tree = c->tree;
    int64_t wrong = 0, once = 0;
    for (int64_t i = 0; i < c->targets->n; i++)
        for (int64_t j = 0; j < c->sources->n; j++)
            for (int64_t k = 0; k < c->images; k++) {
                int64_t rest = k, a[3], b[3];
                int near = 1;
                tree_place(tree, 0, c->box_t[i], a);
                tree_place(tree, 0, c->box_s[j], b);
                for (int d = 2; d >= 0; d--) {
                    int64_t side = 2 * c->reach[d] + 1;
                    int64_t image = rest % side - c->reach[d];
                    rest /= side;
                    near &=
                        llabs(a[d] - b[d] - image * tree->root[d]) <= tree->ws;
                }
                once += near;
                wrong +=
                    c->count[(i * c->sources->n + j) * c->images + k] != near;
            }
    tree_same("pairs that are not covered once", wrong, 0);
    CHECK(once > 0 || c->targets->n * c->sources->n == 0
              || tree_boxes(tree, 0) > 1,
          "no pair was checked");
}

void tree_check_cover(const struct tree *tree, const struct tree_given *sources,
                      const struct tree_given *targets)
{
    struct cover c = {
        .tree = tree, .sources = sources, .targets = targets, .images = 1};
    const struct tree_points *t = tree_targets(tree);
    for (int d = 0; d < 3; d++) {
        c.reach[d] = tree->periodic[d] ? tree->ws + 1 : 0;
        c.images *= 2 * c.reach[d] + 1;
    }
    c.count = check_memory((size_t)(sources->n * targets->n * c.images + 1), 1);
    memset(c.count, 0, (size_t)(sources->n * targets->n * c.images + 1));
    c.leaf_s = check_memory((size_t)sources->n + 1, sizeof *c.leaf_s);
    c.leaf_t = check_memory((size_t)targets->n + 1, sizeof *c.leaf_t);
    c.box_s = check_memory((size_t)sources->n + 1, sizeof *c.box_s);
    c.box_t = check_memory((size_t)targets->n + 1, sizeof *c.box_t);
    for (int64_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        for (int64_t k = tree->source.begin[leaf];
             k < tree->source.begin[leaf + 1]; k++)
            c.leaf_s[tree->source.order[k]] = leaf;
        for (int64_t k = t->begin[leaf]; k < t->begin[leaf + 1]; k++)
            c.leaf_t[t->order[k]] = leaf;
    }
    struct tree_near *near =
        check_memory((size_t)tree_near_most(tree), sizeof *near);
    struct tree_far *far =
        check_memory((size_t)tree_far_most(tree), sizeof *far);
    cover_near(&c, near);
    for (int level = tree->depth; level >= 0; level--) {
        for (int64_t j = 0; j < sources->n; j++)
            c.box_s[j] = cover_above(tree, c.leaf_s[j], level);
        for (int64_t i = 0; i < targets->n; i++)
            c.box_t[i] = cover_above(tree, c.leaf_t[i], level);
        for (int64_t b = tree->first[level];
             level > 0 && b < tree->first[level + 1]; b++)
            cover_far(&c, far, level, b);
    }
    cover_check(&c);
    free(near);
    free(far);
    free(c.count);
    free(c.leaf_s);
    free(c.leaf_t);
    free(c.box_s);
    free(c.box_t);
}
