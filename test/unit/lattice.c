/* SPDX-License-Identifier: Apache-2.0 */
/* lattice.c: variants of the stage lattice against plain: random multipoles on
 * grids of root boxes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/isa.h"
#include "check.h"
#include "stage/expansions/expansions.h"

struct grid {
    int64_t root[3];
    double box[3];
    int periodic, p, ws; /* periodic: bit d: axis d */
};

static uint64_t seed = 3;
static double uniform(void)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void tree_make(struct tree *tree, const struct grid *g)
{
    const double none[3] = {0};
    struct tree_args args = {.dense = 1,
                             .ws = g->ws,
                             .precision = FARSUM_F64,
                             .threads = 1};
    const struct tree_given given = {0, {none, none, none}, 1, 0};
    for (int c = 0; c < 3; c++) {
        args.periodic[c] = g->periodic >> c & 1;
        args.root[c] = g->root[c];
        args.edge[c] = (double)g->root[c] * g->box[c];
    }
    CHECK_OK(tree_set(tree, &args, &given, NULL));
}

/* [k][box] of a variant, as f64. */
static double *sums(const struct variant *v, const struct boxes_args *args,
                    const struct tree *tree, const double *multipole,
                    int64_t stride)
{
    int64_t n = multipole_size(args->p) * stride;
    size_t size = args->precision == FARSUM_F32 ? 4 : 8;
    void *in = check_memory((size_t)n, size), *state = NULL;
    void *out = check_memory((size_t)n, size);
    double *local = check_memory((size_t)n, sizeof *local);
    const struct boxes_io io = {
        .tree = tree, .multipole = in, .local = out, .stride = stride};
    for (int64_t i = 0; i < n; i++)
        boxes_set(args, in, i, multipole[i]);
    CHECK_OK(v->create(args, &state));
    for (int again = 0; again < 2; again++)
        CHECK_OK(v->run(state, &io));
    v->destroy(state);
    for (int64_t i = 0; i < n; i++)
        local[i] = boxes_number(args, out, i);
    free(in);
    free(out);
    return local;
}

static void compare(const struct variant_row *row, const struct grid *g,
                    farsum_precision precision, int threads)
{
    struct tree tree = {0};
    struct boxes_args args = {.precision = precision,
                              .isa = isa_best(),
                              .threads = threads,
                              .p = g->p,
                              .ws = g->ws,
                              .dense = 1};
    int64_t boxes = g->root[0] * g->root[1] * g->root[2], stride = boxes + 3;
    double most = 0, worst = 0;
    tree_make(&tree, g);
    for (int c = 0; c < 3; c++) {
        args.root[c] = g->root[c];
        args.periodic[c] = g->periodic >> c & 1;
        args.box[c] = tree.box[c];
    }
    int64_t n = multipole_size(g->p) * stride;
    double *multipole = check_memory((size_t)n, sizeof *multipole);
    for (int64_t i = 0; i < n; i++)
        multipole[i] = uniform() - 0.5;
    double *a = sums(row->variant, &args, &tree, multipole, stride);
    args.precision = FARSUM_F64;
    double *b = sums(lattice_stage.rows->variant, &args, &tree, multipole,
                     stride);
    for (int64_t i = 0; i < n; i++)
        if (i % stride < boxes) {
            most = fmax(most, fabs(b[i]));
            worst = fmax(worst, fabs(a[i] - b[i]));
        }
    CHECK(worst <= (precision == FARSUM_F32 ? 2e-6 : 2e-13) * most,
          "%s, %lld x %lld x %lld, %s, p = %d, ws = %d: off by %.3g of %.3g",
          row->name, (long long)g->root[0], (long long)g->root[1],
          (long long)g->root[2],
          g->periodic == 7 ? "periodic"
          : g->periodic    ? "some open axes"
                           : "open",
          g->p, g->ws, worst, most);
    free(a);
    free(b);
    free(multipole);
    tree_clear(&tree);
}

static void rows_agree(void)
{
    static const struct grid grids[] = {{{4, 4, 4}, {1, 1, 1}, 7, 6, 1},
                                        {{5, 4, 3}, {1, 0.8, 0.9}, 7, 4, 1},
                                        {{2, 2, 2}, {1, 1, 1}, 7, 3, 1},
                                        {{6, 2, 7}, {0.7, 1, 1}, 7, 2, 2},
                                        {{5, 4, 3}, {1, 0.8, 0.9}, 0, 5, 1},
                                        {{3, 7, 2}, {1, 1, 1}, 0, 3, 2},
                                        {{3, 3, 3}, {1, 1, 1}, 7, 12, 1},
                                        {{4, 3, 5}, {1, 1, 0.9}, 7, 0, 1},
                                        {{4, 5, 3}, {1, 0.8, 1}, 3, 5, 1},
                                        {{2, 1, 4}, {1, 1, 0.9}, 5, 3, 2},
                                        {{2, 7, 3}, {1, 1, 1}, 1, 4, 1},
                                        {{2, 3, 6}, {1, 1, 1}, 4, 6, 1}};
    int rows = 0;
    for (const struct variant_row *row = lattice_stage.rows + 1; row->name;
         row++) {
        if (row->variant->needs[0]) /* a device: variants_boxes.c */
            continue;
        rows++;
        for (size_t k = 0; k < sizeof grids / sizeof *grids; k++)
            for (int f32 = 0; f32 < 2; f32++)
                compare(row, &grids[k], f32 ? FARSUM_F32 : FARSUM_F64,
                        1 + (int)(k % 2));
    }
    CHECK(rows > 0, "no variant except plain");
}

int main(void)
{
    RUN(rows_agree);
    return check_end();
}
