/* SPDX-License-Identifier: Apache-2.0 */
/* tree_gpu.c: tests of points/tree/tree_device_set.c: trees on a device against
 * the host's, on FARSUM_TEST_DEVICE (default: opencl:0).  "perf" times sets
 * there. */
#include "points/tree/tree_device_set.h"

#include <stdlib.h>
#include <string.h>

#include "unit/tree_gpu.h"

struct device *device;

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
    const struct tree_gpu_given given_p = {p, NULL, 0, 1};
    CHECK_FAILS(tree_gpu_set(&tree, &args, p, NULL), FARSUM_ERR_ARGUMENT);
    args.dense = 1;
    CHECK_FAILS(tree_gpu_set_sparse(&tree, &args, &given_p, NULL),
                FARSUM_ERR_ARGUMENT);
    args.depth = 12;
    CHECK_FAILS(tree_gpu_set(&tree, &args, p, NULL), FARSUM_ERR_UNSUPPORTED);
    CHECK(tree.gpu == NULL && tree.n_boxes == 0, "the tree is not empty");
    args.ws = 0;
    CHECK_FAILS(tree_gpu_set(&tree, &args, p, NULL), FARSUM_ERR_ARGUMENT);
    points_gpu_destroy(p);
}

int main(int argc, char **argv)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    if (device_open(name ? name : "opencl:0", &device) != FARSUM_OK) {
        printf("skipped: %s\n", farsum_message());
        return CHECK_SKIPPED;
    }
    if (argc > 1 && strcmp(argv[1], "perf") == 0) {
        tree_gpu_clustering_perf();
        tree_gpu_perf();
        device_close(device);
        return check_end();
    }
    RUN(built);
    tree_gpu_check_sparse();
    tree_gpu_check_clusterings();
    RUN(refused);
    CHECK(device->bytes == 0, "%lld bytes are kept", (long long)device->bytes);
    device_close(device);
    return check_end();
}
