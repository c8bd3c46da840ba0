/* tree_gpu_crowd.c: what the boxes of a dense tree on a device say of errors is
 * what the host's do. */
#include "method/fmm_gpu.h"
#include "unit/tree_gpu.h"

static const struct {
    int ws, depth, periodic, first;
    int64_t root[3], n, m;
} cases[] = {
    {1, 3, 1, 0, {1, 1, 1}, 3000, 0},
    {1, 4, 0, 2, {1, 1, 1}, 3000, 200},
    {2, 2, 1, 0, {3, 1, 2}, 900, 411},
    {2, 3, 0, 2, {1, 2, 1}, 2000, 0},
    {1, 0, 1, 0, {7, 7, 7}, 5000, 10},
    {1, 0, 0, 0, {4, 3, 5}, 500, 0},
    {1, 1, 1, 0, {12, 11, 10}, 500, 0},
    {1, 2, 1, 1, {1, 1, 1}, 31, 40},
    {1, 3, 1, 0, {1, 1, 1}, 40, 5},
    {1, 1, 0, 2, {1, 1, 1}, 100, 0},
    {1, 5, 1, 0, {1, 1, 1}, 1, 3},
    {1, 4, 1, 0, {1, 1, 1}, 90000, 0}, /* points and boxes are left out */
};
enum { CASES = sizeof cases / sizeof *cases };

static char now[48]; /* what is compared */

/* Points of all boxes, onto the device. */
static void counted(const struct tree *t, const struct tree_points *p,
                    struct buf *to)
{
    uint32_t *count = check_memory((size_t)t->n_boxes, sizeof *count);
    memset(count, 0, (size_t)t->n_boxes * sizeof *count);
    for (int64_t leaf = 0; leaf < t->n_leaves; leaf++)
        count[tree_leaf_box(t, leaf)] =
            (uint32_t)(p->begin[leaf + 1] - p->begin[leaf]);
    for (int level = t->depth; level > 0; level--)
        for (int64_t b = t->first[level]; b < t->first[level + 1]; b++)
            count[tree_parent(t, level, b)] += count[b];
    CHECK_OK(buf_reserve(to, device, 4 * t->n_boxes));
    CHECK_OK(buf_upload(to, 0, count, 4 * t->n_boxes));
    free(count);
}

/* To rounding, but that a point on the edge of a table's entries may count in
 * the next one, and that points count in parts: of all, in one box, 2^-30. */
static void same(const char *what, int k, double found, double wanted,
                 double all)
{
    CHECK(fabs(found - wanted) <= 1e-6 * fabs(wanted) + 0x1p-30 * all,
          "%s: %s of knot %d: %.15g, not %.15g", now, what, k, found, wanted);
}

static void same_crowds(const struct tree *on, const struct tree *host,
                        int first, struct fmm_gpu_crowd **room)
{
    struct fmm_crowd a, b = {.h = 3, .random = {4, 5}}, again = b;
    struct buf count[2] = {{0}, {0}};
    const struct buf *const counts[2] = {&count[0], &count[1]};
    counted(host, &host->source, &count[0]);
    if (host->separate)
        counted(host, &host->target, &count[1]);
    CHECK_OK(fmm_crowd(host, first, &a));
    CHECK_OK(fmm_gpu_crowd_dense(on, first, counts, room, &b));
    CHECK_OK(fmm_gpu_crowd_dense(on, first, counts, room, &again));
    CHECK(b.listed == 1 && b.h == 3 && b.random[1] == 5, "%s: kept facts", now);
    for (int field = 0; field < 2; field++) {
        double all =
            (double)host->source.n / pow(tree_h(host, first), 2 + 2 * field);
        for (int k = 0; k < FMM_KNOTS; k++) {
            same("far", k, b.far[k][field], a.far[k][field], all);
            same("uneven", k, b.uneven[k][field], a.uneven[k][field], all);
            CHECK(again.far[k][field] == b.far[k][field]
                      && again.uneven[k][field] == b.uneven[k][field],
                  "%s: knot %d is not repeated", now, k);
        }
    }
    buf_clear(&count[0]);
    buf_clear(&count[1]);
}

static void compared(int c, enum tree_dist dist, struct points_gpu *p,
                     struct points_gpu *t, struct fmm_gpu_crowd **room)
{
    struct tree on = {0}, host = {0};
    int64_t n = cases[c].n, m = cases[c].m;
    struct tree_args args = {
        .dense = 1,
        .depth = cases[c].depth,
        .ws = cases[c].ws,
        .threads = 2,
        .precision = dist % 2 ? FARSUM_F32 : FARSUM_F64,
    };
    for (int d = 0; d < 3; d++) {
        args.periodic[d] = cases[c].periodic;
        args.root[d] = cases[c].root[d];
        args.edge[d] = (0.75 + 0.05 * d) * (double)args.root[d];
    }
    double *s = put(p, &args, dist, n, 6);
    double *u = put(t, &args, c % 2 ? TREE_UNIFORM : dist, m, 7);
    const struct tree_given sources = {n, {s, s + n, s + 2 * n}, 1, 1};
    const struct tree_given targets = {m, {u, u + m, u + 2 * m}, 1, 1};
    if (!CHECK_OK(tree_gpu_set(&on, &args, p, m > 0 ? t : NULL)))
        check_stop("no tree on the device");
    CHECK_OK(tree_set(&host, &args, &sources, m > 0 ? &targets : NULL));
    same_crowds(&on, &host, cases[c].first, room);
    tree_clear(&on);
    tree_clear(&host);
    free(s);
    free(u);
}

static void dense_crowds(void)
{
    struct points_gpu *p = NULL, *t = NULL;
    struct fmm_gpu_crowd *room = NULL;
    CHECK_OK(points_gpu_create(device, &p));
    CHECK_OK(points_gpu_create(device, &t));
    for (int c = 0; c < CASES; c++)
        for (int dist = 0; dist < TREE_DISTS; dist++) {
            snprintf(now, sizeof now, "case %d, points %d", c, dist);
            if (cases[c].n < 40000 || dist == TREE_CLUSTERS)
                compared(c, (enum tree_dist)dist, p, t, &room);
        }
    fmm_gpu_crowd_destroy(room);
    points_gpu_destroy(p);
    points_gpu_destroy(t);
}

void tree_gpu_check_crowds(void)
{
    RUN(dense_crowds);
}
