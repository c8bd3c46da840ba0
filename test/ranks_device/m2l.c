/* SPDX-License-Identifier: Apache-2.0 */
/* m2l.c: variants of m2l on a device in a rank's tree: locals of own boxes are
 * those of the same tree without ghost layers, and those of the ghost layers
 * before them are not computed; on FARSUM_TEST_DEVICE (default: opencl:0). */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "device/buf.h"
#include "points/wrap.h"
#include "stage/expansions/expansions.h"

enum { ORDER = 3, DEPTH = 2, K = (ORDER + 1) * (ORDER + 1) };
enum { OWN = 3, ROWS = 3, COLUMNS = 2 };
static const double untouched = 1e300;
static struct device *device;

/* Locals of a rank's boxes, with so many of its layers ghosts on each side. */
static void locals(const struct variant *v, int64_t layers, int64_t ghosts,
                   int ws, struct buf *multipole, double *local)
{
    static const struct tree_given none = {.n = 0};
    const struct tree_args how = {.dense = 1,
                                  .depth = DEPTH,
                                  .ws = ws,
                                  .periodic = {0, 1, 1},
                                  .root = {layers, ROWS, COLUMNS},
                                  .edge = {(double)layers, ROWS, COLUMNS},
                                  .precision = FARSUM_F64,
                                  .threads = 1,
                                  .ghosts = ghosts};
    struct tree tree = {0};
    struct buf to = {0};
    void *state = NULL;
    CHECK_OK(tree_set(&tree, &how, &none, NULL));
    int64_t bytes = 8 * K * tree.n_boxes;
    const struct boxes_args args = {.precision = FARSUM_F64,
                                    .device = device,
                                    .threads = 1,
                                    .p = ORDER,
                                    .ws = ws,
                                    .dense = 1,
                                    .periodic = {0, 1, 1},
                                    .root = {layers, ROWS, COLUMNS},
                                    .box = {1, 1, 1},
                                    .depth = DEPTH,
                                    .n_boxes = tree.n_boxes,
                                    .n_leaves = tree.n_leaves,
                                    .ghosts = ghosts};
    for (int64_t i = 0; i < K * tree.n_boxes; i++)
        local[i] = untouched;
    CHECK_OK(buf_alloc(&to, device, bytes));
    CHECK_OK(buf_upload(&to, 0, local, bytes));
    CHECK_OK(v->fits(&args));
    CHECK_OK(v->create(&args, &state));
    const struct points points = {.tree = &tree};
    const struct boxes_io io = {.tree = &tree,
                                .multipole = multipole,
                                .local = &to,
                                .stride = tree.n_boxes};
    if (v->set)
        CHECK_OK(v->set(state, &points, &points));
    CHECK_OK(v->run(state, &io));
    CHECK_OK(buf_download(&to, 0, local, bytes));
    v->destroy(state);
    buf_clear(&to);
    tree_clear(&tree);
}

static void compare(const struct variant_row *row, int ws)
{
    int64_t ghosts = ws, layers = OWN + 2 * ghosts;
    int64_t roots = ROWS * COLUMNS * layers, n = roots * 73, numbers = K * n;
    double *multipole = check_memory((size_t)numbers, sizeof *multipole);
    double *all = check_memory((size_t)numbers, sizeof *all);
    double *own = check_memory((size_t)numbers, sizeof *own);
    double off = 0, most = 0;
    int64_t wasted = 0;
    uint64_t state = 3;
    struct buf from = {0};
    for (int64_t i = 0; i < numbers; i++)
        multipole[i] = ldexp((double)(random_next(&state) >> 11), -52) - 1;
    CHECK_OK(buf_alloc(&from, device, 8 * numbers));
    CHECK_OK(buf_upload(&from, 0, multipole, 8 * numbers));
    locals(row->variant, layers, 0, ws, &from, all);
    locals(row->variant, layers, ghosts, ws, &from, own);
    for (int64_t i = 0; i < numbers; i++) {
        int64_t box = i % n, x = box % layers; /* levels have 1, 8, 64 times
                                                  the roots */
        if (box < roots)                       /* level 0 is the lattice's */
            continue;
        wasted += x < ghosts && own[i] != untouched && own[i] != 0;
        if (x < ghosts || x >= layers - ghosts)
            continue;
        off = fmax(off, fabs(own[i] - all[i]));
        most = fmax(most, fabs(all[i]));
    }
    CHECK(off <= 1e-13 * most && most > 0 && most < 1e6, "%s: off by %g of %g",
          row->name, off, most);
    CHECK(wasted == 0, "%s: %lld numbers of ghosts are computed", row->name,
          (long long)wasted);
    buf_clear(&from);
    free(multipole);
    free(all);
    free(own);
}

static void variants(void)
{
    static const char *const names[] = {"gpu_walsh_families", "gpu_plane_wave"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct variant_row *row = m2l_stage.rows;
        while (row->name && strcmp(row->name, names[i]) != 0)
            row++;
        if (!row->name) {
            CHECK(0, "no variant %s", names[i]);
            continue;
        }
        compare(row, 1);
        if (i == 1)
            compare(row, 2);
    }
}

int main(void)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    farsum_status status = device_open(name ? name : "opencl:0", &device);
    if (status != FARSUM_OK) {
        printf("skipped: %s\n", farsum_message());
        return CHECK_SKIPPED;
    }
    RUN(variants);
    CHECK(device->bytes == 0, "%lld bytes are kept", (long long)device->bytes);
    device_close(device);
    return check_end();
}
