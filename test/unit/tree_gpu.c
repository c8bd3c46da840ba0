/* tree_gpu.c: trees on a device against the host's, on FARSUM_TEST_DEVICE
 * ("opencl:0" if it is not set). */
#include "points/tree_gpu.h"

#include <stdlib.h>
#include <string.h>

#include "points/cell.h"
#include "points/points.h"
#include "unit/tree_case.h"

static struct device *device;

static void *taken(const struct buf *buf, int64_t bytes)
{
    void *p = check_memory((size_t)bytes + 1, 1);
    if (bytes > 0)
        CHECK_OK(buf_download(buf, 0, p, bytes));
    return p;
}

/* A side of the device's tree is the host's. */
static void check_side(const struct tree *host, const struct tree_points *a,
                       const struct tree_gpu_points *b)
{
    int64_t real = host->precision == FARSUM_F32 ? 4 : 8, wrong = 0;
    uint32_t *begin = taken(&b->begin, 4 * (host->n_leaves + 1));
    uint32_t *order = taken(&b->order, 4 * a->n);
    char *x = taken(&b->x, 3 * a->n * real);
    tree_same("points", b->n, a->n);
    for (int64_t leaf = 0; leaf <= host->n_leaves; leaf++)
        wrong += begin[leaf] != (uint64_t)a->begin[leaf];
    tree_same("beginnings that differ", wrong, 0);
    for (int64_t k = 0; k < a->n; k++)
        wrong += order[k] != (uint64_t)a->order[k];
    tree_same("places in the order that differ", wrong, 0);
    /* products may be rounded into the sums that they belong to, or not */
    double most = real == 4 ? 6e-8
                            : 1.2e-16 * (double)(host->root[0] + 1)
                                  * ldexp(1, host->depth);
    for (int d = 0; d < 3; d++)
        for (int64_t k = 0; k < a->n; k++) {
            const char *at = x + (d * a->n + k) * real;
            double found = real == 4 ? (double)*(const float *)(const void *)at
                                     : *(const double *)(const void *)at;
            double wanted = tree_at(host, a, d, k);
            wrong += !(fabs(found - wanted) <= most);
        }
    tree_same("coordinates that differ", wrong, 0);
    free(begin);
    free(order);
    free(x);
}

/* Points of a distribution on the device; their fractions on the host. */
static double *put(struct points_gpu *p, const struct tree_args *args,
                   enum tree_dist dist, int64_t n, uint64_t seed)
{
    struct cell cell;
    double rows[9] = {0};
    double *x = check_memory((size_t)(3 * n + 1), sizeof *x);
    for (int d = 0; d < 3; d++)
        rows[4 * d] = args->edge[d];
    CHECK_OK(cell_set(&cell, rows, 1));
    tree_fractions(dist, n, seed, x);
    for (int64_t k = 0; k < 3 * n; k++)
        x[k] *= args->edge[k % 3];
    CHECK_OK(points_gpu_set(p, &cell, n, x, FARSUM_F64, "source"));
    free(x);
    return taken(&p->s, 24 * n);
}

static struct tree_given given(const double *s, int64_t n)
{
    return (struct tree_given){
        .n = n, .x = {s, s + n, s + 2 * n}, .step = 1, .fractions = 1};
}

static void built(void)
{
    static const struct {
        int depth;
        int64_t root[3], n, m;
    } cases[] = {
        {0, {1, 1, 1}, 20, 0},    {3, {1, 1, 1}, 3000, 0},
        {2, {3, 1, 2}, 900, 411}, {1, {7, 7, 7}, 5000, 10},
        {4, {1, 2, 1}, 0, 3},     {5, {1, 1, 1}, 1, 0},
        {6, {1, 1, 1}, 40000, 0},
    };
    struct points_gpu *p = NULL, *t = NULL;
    struct tree on = {0}, host = {0};
    CHECK_OK(points_gpu_create(device, &p));
    CHECK_OK(points_gpu_create(device, &t));
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int dist = 0; dist < TREE_DISTS; dist++) {
            int64_t n = cases[c].n, m = cases[c].m;
            struct tree_args args = {
                .dense = 1,
                .depth = cases[c].depth,
                .ws = 1,
                .threads = 1,
                .periodic = {1, 1, 1},
                .edge = {2, 2, 3},
                .precision = dist % 2 ? FARSUM_F32 : FARSUM_F64,
            };
            memcpy(args.root, cases[c].root, sizeof args.root);
            double *s = put(p, &args, (enum tree_dist)dist, n, 1);
            double *u = put(t, &args, TREE_UNIFORM, m, 2);
            struct tree_given sources = given(s, n), targets = given(u, m);
            if (!CHECK_OK(tree_gpu_set(&on, &args, p, m > 0 ? t : NULL)))
                check_stop("no tree on the device");
            CHECK_OK(tree_set(&host, &args, &sources, m > 0 ? &targets : NULL));
            check_side(&host, &host.source, &on.gpu->source);
            if (m > 0)
                check_side(&host, &host.target, &on.gpu->target);
            free(s);
            free(u);
        }
    tree_clear(&on);
    tree_clear(&host);
    points_gpu_destroy(p);
    points_gpu_destroy(t);
}

static int leaf_differs(const struct tree *tree, int64_t leaf,
                        const int32_t found[4])
{
    int64_t place[3], box = tree_leaf_box(tree, leaf);
    int level = tree_level(tree, box), wrong = found[3] != level;
    tree_place(tree, level, box, place);
    for (int d = 0; d < 3; d++)
        wrong += found[d] != place[d];
    return wrong;
}

/* A sparse tree; m targets apart, else leaves without sources are none. */
static void copied(int ws, const int64_t root[3], int64_t m)
{
    double x[3 * 700], y[3 * 300];
    struct tree tree = {0};
    struct tree_args args = {
        .depth = 18,
        .ws = ws,
        .leaf = 5,
        .threads = 2,
    };
    for (int d = 0; d < 3; d++) {
        args.root[d] = root[d];
        args.edge[d] = (double)root[d];
    }
    tree_fractions(TREE_CLUSTERS, 700, 4, x);
    tree_fractions(TREE_UNIFORM, 300, 5, y);
    struct tree_given g = tree_positions(&args, 700, x);
    struct tree_given to = tree_positions(&args, m, y);
    CHECK_OK(tree_set(&tree, &args, &g, m > 0 ? &to : NULL));
    if (!CHECK_OK(tree_gpu_copy(&tree, device)))
        check_stop("no tree on the device");
    check_side(&tree, &tree.source, &tree.gpu->source);
    struct tree_near *near =
        check_memory((size_t)tree_near_most(&tree), sizeof *near);
    int64_t leaves = tree.n_leaves, wrong = 0, at = 0;
    uint32_t *begin = taken(&tree.gpu->sparse.near_begin, 4 * (leaves + 1));
    struct tree_gpu_near *all =
        taken(&tree.gpu->sparse.near,
              (int64_t)begin[leaves] * (int64_t)sizeof(struct tree_gpu_near));
    int32_t *place = taken(&tree.gpu->sparse.place, 16 * leaves);
    for (int64_t leaf = 0; leaf < leaves; leaf++) {
        int64_t n = tree_near(&tree, leaf, near);
        wrong += begin[leaf] != at;
        wrong += leaf_differs(&tree, leaf, place + 4 * leaf);
        for (int64_t e = 0; e < n; e++, at++)
            wrong +=
                all[at].leaf != near[e].leaf
                || all[at].scale != (float)near[e].scale
                || memcmp(all[at].offset, near[e].offset, sizeof all[at].offset)
                       != 0;
    }
    tree_same("entries", begin[leaves], at);
    tree_same("entries that differ", wrong, 0);
    tree_clear(&tree);
    free(near);
    free(begin);
    free(all);
    free(place);
}

static void copies(void)
{
    copied(1, (const int64_t[3]){1, 1, 1}, 0);
    copied(1, (const int64_t[3]){3, 2, 5}, 300);
    copied(2, (const int64_t[3]){1, 1, 1}, 300);
    copied(2, (const int64_t[3]){4, 1, 2}, 0);
}

/* Boxes lie where they can be found again, each next to the one before that has
 * its octant; parents, children, who is near. */
static void boxes_of_sparse_trees(void)
{
    double x[3 * 700];
    struct tree tree = {0};
    struct tree_args args = {.depth = 18,
                             .ws = 1,
                             .leaf = 3,
                             .root = {2, 1, 3},
                             .edge = {2, 1, 3},
                             .threads = 2};
    tree_fractions(TREE_CLUSTERS, 700, 4, x);
    struct tree_given g = tree_positions(&args, 700, x);
    CHECK_OK(tree_set(&tree, &args, &g, NULL));
    if (!CHECK_OK(tree_gpu_copy(&tree, device)))
        check_stop("no tree on the device");
    const struct tree_gpu_sparse *s = &tree.gpu->sparse;
    int64_t slots = s->slots, n = tree.n_boxes, wrong = 0, seen = 0;
    int32_t *lists = taken(&s->slot, 4 * (36 * slots + n));
    int32_t *leaf = taken(&s->leaf, 4 * tree.n_leaves);
    int32_t *root = taken(&s->root, 4 * tree_boxes(&tree, 0));
    const int32_t *child = lists + 27 * slots, *own = child + 8 * slots;
    const int32_t *parent = own + slots;
    int64_t *of = check_memory((size_t)n, sizeof *of); /* box that lies there */
    for (int64_t b = 0; b < n; b++)
        of[s->at[b]] = b;
    for (int64_t b = 0; b < n; b++) {
        int level = tree_level(&tree, b);
        int64_t at = s->at[b], up = tree.parent[b];
        int octant = level ? tree_octant(&tree, level, b) : 0;
        wrong += of[at] != b || tree_level(&tree, at) != level;
        wrong += at < s->octant[8 * level + octant]
                 || at >= s->octant[8 * level + octant + 1];
        wrong += at > s->octant[8 * level + octant] && of[at - 1] > b;
        wrong += (parent[at] < 0) != (up < 0);
        if (up >= 0 && parent[at] >= 0) {
            wrong += own[parent[at]] != s->at[up];
            wrong += child[octant * slots + parent[at]] != at;
        }
    }
    for (int level = 0; level <= tree.depth; level++)
        for (int64_t k = s->first[level]; k < s->first[level + 1]; k++) {
            int64_t here[3], there[3], box = of[own[k]];
            tree_place(&tree, level, box, here);
            wrong += tree_level(&tree, box) != level;
            for (int64_t e = 0; e < 27; e++) {
                int32_t near = lists[e * slots + k];
                for (int d = 0; d < 3; d++)
                    there[d] =
                        here[d] + (d ? d > 1 ? e / 9 : e / 3 % 3 : e % 3) - 1;
                int64_t found = tree_find(&tree, level, there);
                int has = found >= 0 && tree_box_leaf(&tree, found) < 0;
                wrong += has != (near >= 0);
                wrong += has && near >= 0 && own[near] != s->at[found];
                seen += has;
            }
        }
    for (int64_t l = 0; l < tree.n_leaves; l++)
        wrong += leaf[l] != s->at[tree.leaf[l]];
    for (int64_t b = 0; b < tree_boxes(&tree, 0); b++) {
        int64_t here[3];
        tree_place(&tree, 0, b, here);
        wrong += root[b] != (here[2] + here[1]) * 2 + here[0];
    }
    tree_same("that differ", wrong, 0);
    CHECK(seen > 2 * slots && slots > 50, "%lld slots", (long long)slots);
    tree_clear(&tree);
    free(of);
    free(lists);
    free(leaf);
    free(root);
}

static void refused(void)
{
    struct points_gpu *p = NULL;
    struct tree tree = {0};
    struct tree_args args = {
        .depth = 3,
        .ws = 1,
        .leaf = 5,
        .root = {1, 1, 1},
        .edge = {1, 1, 1},
        .threads = 1,
    };
    CHECK_OK(points_gpu_create(device, &p));
    free(put(p, &args, TREE_UNIFORM, 10, 1));
    CHECK_FAILS(tree_gpu_set(&tree, &args, p, NULL), FARSUM_ERR_UNSUPPORTED);
    args.dense = 1;
    args.depth = 12;
    CHECK_FAILS(tree_gpu_set(&tree, &args, p, NULL), FARSUM_ERR_UNSUPPORTED);
    CHECK(tree.gpu == NULL && tree.n_boxes == 0, "the tree is not empty");
    args.ws = 0;
    CHECK_FAILS(tree_gpu_set(&tree, &args, p, NULL), FARSUM_ERR_ARGUMENT);
    points_gpu_destroy(p);
}

int main(void)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    if (device_open(name ? name : "opencl:0", &device) != FARSUM_OK) {
        printf("skipped: %s\n", farsum_message());
        return CHECK_SKIPPED;
    }
    RUN(built);
    RUN(copies);
    RUN(boxes_of_sparse_trees);
    RUN(refused);
    CHECK(device->bytes == 0, "%lld bytes are kept", (long long)device->bytes);
    device_close(device);
    return check_end();
}
