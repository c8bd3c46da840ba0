/* SPDX-License-Identifier: Apache-2.0 */
/* m2l_shape.c: tests that the benches' settings of m2l variants change only how
 * they work, not their sums, and that the parts of operators add up to the
 * whole; on FARSUM_TEST_DEVICE (default: opencl:0). */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device/buf.h"
#include "points/wrap.h"
#include "stage/expansions/expansions.h"

enum { P = 3, DEPTH = 3, K = (P + 1) * (P + 1) };

static struct device *device;

struct trial {
    struct tree tree;
    struct boxes_args args;
    struct boxes_io io;
    int64_t numbers;
    struct buf multipole, local;
    float *sums; /* results of the last run */
};

static const struct variant *row_of(const char *name)
{
    for (const struct variant_row *r = m2l_stage.rows; r->name; r++)
        if (strcmp(r->name, name) == 0)
            return r->variant;
    return NULL;
}

static void begin(struct trial *t)
{
    static const struct tree_given none = {.n = 0};
    struct tree_args how = {.dense = 1,
                            .depth = DEPTH,
                            .ws = 1,
                            .precision = FARSUM_F32,
                            .threads = 1};
    struct boxes_args *a = &t->args;
    *t = (struct trial){.numbers = 0};
    for (int d = 0; d < 3; d++)
        how.root[d] = how.edge[d] = how.periodic[d] = 1;
    CHECK_OK(tree_set(&t->tree, &how, &none, NULL));
    *a = (struct boxes_args){.precision = FARSUM_F32,
                             .device = device,
                             .threads = 1,
                             .p = P,
                             .ws = 1,
                             .dense = 1,
                             .depth = DEPTH,
                             .n_boxes = t->tree.n_boxes,
                             .n_leaves = t->tree.n_leaves};
    for (int d = 0; d < 3; d++) {
        a->periodic[d] = a->root[d] = 1;
        a->box[d] = t->tree.box[d];
    }
    t->io.tree = &t->tree;
    t->io.stride = t->tree.n_boxes;
    t->numbers = K * t->io.stride;
    t->sums = check_memory((size_t)t->numbers, sizeof *t->sums);
    for (int64_t i = 0; i < t->numbers; i++)
        t->sums[i] = (float)((i * 7919 % 1009) / 1009.0 - 0.5);
    CHECK_OK(buf_alloc(&t->multipole, device, 4 * t->numbers));
    CHECK_OK(buf_alloc(&t->local, device, 4 * t->numbers));
    CHECK_OK(buf_upload(&t->multipole, 0, t->sums, 4 * t->numbers));
    t->io.multipole = &t->multipole;
    t->io.local = &t->local;
}

static void end(struct trial *t)
{
    tree_clear(&t->tree);
    buf_clear(&t->multipole);
    buf_clear(&t->local);
    free(t->sums);
}

/* Runs a variant.  Its sums are those of t, except for level 0, which it
 * leaves. */
static void run(struct trial *t, const char *name, struct boxes_shape shape)
{
    const struct variant *v = row_of(name);
    void *state = NULL;
    t->args.shape = shape;
    CHECK_OK(v->fits(&t->args));
    CHECK_OK(v->create(&t->args, &state));
    CHECK_OK(buf_fill(&t->local, 0));
    if (v->set) {
        const struct points points = {.tree = &t->tree};
        CHECK_OK(v->set(state, &points, &points));
    }
    CHECK_OK(v->run(state, &t->io));
    CHECK_OK(buf_download(&t->local, 0, t->sums, 4 * t->numbers));
    v->destroy(state);
}

/* Root mean square of the difference over that of the values. */
static double off(const struct trial *t, const double *right)
{
    double sum = 0, norm = 0;
    for (int64_t i = 0; i < t->numbers; i++) {
        sum += (t->sums[i] - right[i]) * (t->sums[i] - right[i]);
        norm += right[i] * right[i];
    }
    CHECK(norm > 0, "nothing is summed");
    return sqrt(sum / norm);
}

static double *sums_of(struct trial *t, const char *name)
{
    double *right = check_memory((size_t)t->numbers, sizeof *right);
    run(t, name, (struct boxes_shape){.group = 0});
    for (int64_t i = 0; i < t->numbers; i++)
        right[i] = t->sums[i];
    return right;
}

static void threads_and_groups(void)
{
    static const char *const rows[] = {"gpu_rotation_tiled",
                                       "gpu_rotation_bare_target",
                                       "gpu_rotation_hybrid"};
    struct trial t;
    begin(&t);
    double *right = sums_of(&t, "gpu_dense");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        run(&t, rows[k], (struct boxes_shape){.group = 64, .groups = 3});
        CHECK_NEAR(off(&t, right), 0, 3e-6);
        run(&t, rows[k], (struct boxes_shape){.group = 96, .apart = 1});
        CHECK_NEAR(off(&t, right), 0, 3e-6);
    }
    free(right);
    end(&t);
}

static void by_images(void)
{
    static const char *const rows[] = {"gpu_symmetric", "gpu_sorted",
                                       "gpu_symmetric_sums"};
    struct trial t;
    begin(&t);
    double *right = sums_of(&t, "gpu_dense"), norm[9] = {0};
    double *all = check_memory((size_t)t.numbers, sizeof *all);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        memset(all, 0, (size_t)t.numbers * sizeof *all);
        for (int images = 1; images <= 8; images *= 2) {
            double sum = 0;
            run(&t, rows[k], (struct boxes_shape){.images = images});
            for (int64_t i = 0; i < t.numbers; i++) {
                all[i] += t.sums[i];
                sum += t.sums[i] * t.sums[i];
            }
            /* the same pairs of boxes in each variant */
            if (k)
                CHECK_NEAR(sum / norm[images], 1, 1e-5);
            norm[images] = sum;
            CHECK(sum > 0, "%d images: nothing", images);
        }
        for (int64_t i = 0; i < t.numbers; i++)
            t.sums[i] = (float)all[i];
        CHECK_NEAR(off(&t, right), 0, 3e-6);
    }
    free(right);
    free(all);
    end(&t);
}

static void refused(void)
{
    struct trial t;
    begin(&t);
    t.args.shape = (struct boxes_shape){.group = 33};
    CHECK_FAILS(row_of("gpu_rotation_tiled")->fits(&t.args),
                FARSUM_ERR_ARGUMENT);
    t.args.shape = (struct boxes_shape){.groups = -1};
    CHECK_FAILS(row_of("gpu_rotation_tiled")->fits(&t.args),
                FARSUM_ERR_ARGUMENT);
    t.args.shape = (struct boxes_shape){.images = 3};
    CHECK_FAILS(row_of("gpu_symmetric")->fits(&t.args), FARSUM_ERR_ARGUMENT);
    end(&t);
}

/* The arrays given and as many again, in managed memory, must both fit. */
static void half_the_device(void)
{
    struct trial t;
    struct device_properties *f = &device->properties;
    const struct variant *v = row_of("gpu_naive_managed");
    int64_t memory = f->memory;
    if (device_managed(device) != FARSUM_OK) {
        printf("skipped: %s\n", farsum_message());
        return;
    }
    begin(&t);
    /* 585 boxes in places of 32; operators of all differences; scale */
    int64_t bytes = 4 * (2 * K * 608 + 7 * 7 * 7 * 49 + K);
    f->memory = 2 * bytes;
    CHECK_OK(v->fits(&t.args));
    f->memory = 2 * bytes - 1;
    CHECK_FAILS(v->fits(&t.args), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("bytes of managed memory, more than half of the");
    CHECK_OK(row_of("gpu_naive")->fits(&t.args));
    f->memory = memory;
    end(&t);
}

int main(void)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    if (device_open(name ? name : "opencl:0", &device) != FARSUM_OK) {
        printf("skipped: %s\n", farsum_message());
        return CHECK_SKIPPED;
    }
    RUN(threads_and_groups);
    RUN(by_images);
    RUN(refused);
    RUN(half_the_device);
    device_close(device);
    CHECK(device->bytes == 0, "%lld bytes are kept", (long long)device->bytes);
    return check_end();
}
