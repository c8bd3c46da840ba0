/* SPDX-License-Identifier: Apache-2.0 */
/* m2l.c: variants of m2l on the host in a rank's tree: locals of own boxes are
 * those of the same tree without ghost layers, and those of ghost layers are
 * not computed. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/isa.h"
#include "base/random.h"
#include "points/wrap.h"
#include "stage/expansions/expansions.h"

enum { ORDER = 3, DEPTH = 2 };
static const double untouched = 1e300;

static struct tree_args tree_of(int64_t layers, int64_t ghosts, int ws)
{
    return (struct tree_args){.dense = 1,
                              .depth = DEPTH,
                              .ws = ws,
                              .periodic = {0, 1, 1},
                              .root = {layers, 3, 2},
                              .edge = {(double)layers, 3, 2},
                              .precision = FARSUM_F64,
                              .threads = 1,
                              .ghosts = ghosts};
}

/* Locals of a tree with such ghosts, from the multipoles. */
static int64_t locals(const struct variant_row *row,
                      const struct tree_args *shape, const double *multipole,
                      double **local)
{
    static const double middle[3] = {1.5, 1.5, 1};
    struct tree tree = {0};
    struct points points = {.n = 1, .tree = &tree};
    const struct tree_given given = {1, {middle, middle + 1, middle + 2}, 3, 0};
    void *state = NULL;
    CHECK_OK(tree_set(&tree, shape, &given, NULL));
    int64_t n = tree.n_boxes, numbers = multipole_size(ORDER) * n;
    struct boxes_args args = {.precision = FARSUM_F64,
                              .isa = isa_best(),
                              .threads = 1,
                              .p = ORDER,
                              .ws = shape->ws,
                              .dense = 1,
                              .periodic = {0, 1, 1},
                              .root = {shape->root[0], 3, 2},
                              .box = {1, 1, 1},
                              .depth = DEPTH,
                              .n_boxes = n,
                              .n_leaves = tree.n_leaves,
                              .ghosts = shape->ghosts};
    *local = check_memory((size_t)numbers, sizeof **local);
    for (int64_t i = 0; i < numbers; i++)
        (*local)[i] = untouched;
    const struct boxes_io io = {.tree = &tree,
                                .multipole = (void *)(uintptr_t)multipole,
                                .local = *local,
                                .stride = n};
    CHECK_OK(row->variant->create(&args, &state));
    if (row->variant->set)
        CHECK_OK(row->variant->set(state, &points, &points));
    CHECK_OK(row->variant->run(state, &io));
    row->variant->destroy(state);
    tree_clear(&tree);
    return n;
}

static void compare(const struct variant_row *row, int64_t ghosts, int ws)
{
    int64_t layers = 3 + 2 * ghosts, roots = 6 * layers;
    int64_t n = roots * 73, numbers = n * multipole_size(ORDER);
    double *multipole = check_memory((size_t)numbers, sizeof *multipole);
    double *all = NULL, *own = NULL, off = 0, most = 0;
    int64_t wasted = 0;
    uint64_t state = 3;
    const struct tree_args whole = tree_of(layers, 0, ws),
                           part = tree_of(layers, ghosts, ws);
    for (int64_t i = 0; i < numbers; i++)
        multipole[i] = ldexp((double)(random_next(&state) >> 11), -52) - 1;
    CHECK(locals(row, &whole, multipole, &all) == n, "other boxes");
    locals(row, &part, multipole, &own);
    for (int64_t i = 0; i < numbers; i++) {
        int64_t box = i % n, x = box % layers; /* levels have 1, 8, 64 times
                                                  the roots */
        int aim = x >= ghosts && x < layers - ghosts;
        if (box < roots) /* level 0 is the lattice's */
            continue;
        if (!aim) {
            wasted += own[i] != untouched;
            continue;
        }
        off = fmax(off, fabs(own[i] - all[i]));
        most = fmax(most, fabs(all[i]));
    }
    CHECK(off <= 1e-14 * most && most < 1e6, "%s: off by %g of %g", row->name,
          off, most);
    CHECK(wasted == 0, "%s: %lld numbers of ghosts are computed", row->name,
          (long long)wasted);
    free(multipole);
    free(all);
    free(own);
}

static void variants(void)
{
    static const char *const names[] = {"host_dense", "host_rotation",
                                        "host_plane_wave"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct variant_row *row = m2l_stage.rows;
        while (row->name && strcmp(row->name, names[i]) != 0)
            row++;
        if (!row->name) {
            CHECK(0, "no variant %s", names[i]);
            continue;
        }
        compare(row, 1, 1);
        compare(row, 2, 2);
    }
}

int main(void)
{
    RUN(variants);
    return check_end();
}
