/* SPDX-License-Identifier: Apache-2.0 */
/* laws_stages.c: tests that spread and interp are adjoint up to rounding, for
 * each variant. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "laws.h"
#include "stage/interp/interp.h"
#include "stage/spread/spread.h"

enum { N = 150, ROWS = 64 };
static const int64_t mesh[3] = {14, 18, 20};
enum { LDZ = 22, SIZE = 14 * 18 * LDZ };

struct adjoint {
    struct cell cell;
    struct window window;
    struct points points;
    double x[3 * N];
    double q[N], potential[N], spread[SIZE], values[SIZE];
    float qf[N], potentialf[N], spreadf[SIZE], valuesf[SIZE];
};

static void fill(struct adjoint *a, int support)
{
    const double rows[9] = {1, 0, 0, 0.2, 1.3, 0, -0.1, 0.3, 1.1};
    uint64_t seed = 77;
    CHECK_OK(cell_set(&a->cell, rows, 1));
    CHECK_OK(window_set(&a->window, "prolate", support, 0, 1.5, 1e-13));
    for (int i = 0; i < 3 * N; i++)
        a->x[i] = 3 * law_random(&seed) - 1;
    for (int i = 0; i < N; i++)
        a->q[i] = a->qf[i] = (float)(law_random(&seed) - 0.5);
    for (int i = 0; i < SIZE; i++)
        a->values[i] = a->valuesf[i] = (float)(law_random(&seed) - 0.5);
    CHECK_OK(points_set(&a->points, &a->cell, N, a->x, FARSUM_F64, "source",
                        1));
}

/* Sums of mesh_m spread(q)_m and of |mesh_m spread(q)_m|.  0: the variant does
 * not fit. */
static int spread_product(struct adjoint *a, const struct variant *row,
                          farsum_precision precision, double product[2])
{
    int f32 = precision == FARSUM_F32;
    struct spread_args args = {
        .precision = precision, .isa = isa_best(), .threads = 2,
        .mesh = {mesh[0], mesh[1], mesh[2]}, .ldz = LDZ,
        .window = &a->window, .n = N};
    struct spread_io io = {.q = f32 ? (void *)a->qf : a->q,
                           .mesh = f32 ? (void *)a->spreadf : a->spread};
    void *state = NULL;
    int32_t nb[3];
    product[0] = product[1] = 0;
    if (row->fits && row->fits(&args) != FARSUM_OK)
        return 0;
    spread_tiles(&args, nb);
    CHECK_OK(bins_build(&a->points, nb, 2));
    CHECK_OK(row->create(&args, &state));
    CHECK_OK(row->set(state, &a->points, &a->points));
    CHECK_OK(row->run(state, &io));
    row->destroy(state);
    for (int i = 0; i < SIZE; i++) {
        if (i % LDZ >= mesh[2])
            continue;
        double v = f32 ? (double)a->spreadf[i] : a->spread[i];
        product[0] += a->values[i] * v;
        product[1] += fabs(a->values[i] * v);
    }
    return 1;
}

/* sum_i q_i interp(mesh)_i, with the points in spread's bins. */
static int interp_product(struct adjoint *a, const struct variant *row,
                          farsum_precision precision, double *product)
{
    int f32 = precision == FARSUM_F32;
    struct interp_args args = {
        .precision = precision, .isa = isa_best(), .threads = 2,
        .outputs = FARSUM_POTENTIAL, .mesh = {mesh[0], mesh[1], mesh[2]},
        .ldz = LDZ, .window = &a->window, .cell = &a->cell, .n = N};
    struct interp_io io = {
        .mesh = f32 ? (void *)a->valuesf : a->values,
        .potential = f32 ? (void *)a->potentialf : a->potential};
    void *state = NULL;
    *product = 0;
    if (row->fits && row->fits(&args) != FARSUM_OK)
        return 0;
    memset(a->potential, 0, sizeof a->potential);
    memset(a->potentialf, 0, sizeof a->potentialf);
    CHECK_OK(row->create(&args, &state));
    CHECK_OK(row->set(state, &a->points, &a->points));
    CHECK_OK(row->run(state, &io));
    row->destroy(state);
    for (int i = 0; i < N; i++)
        *product += a->q[i] * (f32 ? (double)a->potentialf[i]
                                   : a->potential[i]);
    return 1;
}

/* sum_m mesh_m spread(q)_m = sum_i q_i interp(mesh)_i.  Each variant's product
 * is computed once, and each of spread's is compared with each of interp's. */
static void adjoint_at(struct adjoint *a, int support,
                       farsum_precision precision)
{
    const struct variant_row *s, *r;
    double left[ROWS][2], right[ROWS];
    int fits[2][ROWS] = {{0}}, f32 = precision == FARSUM_F32;
    fill(a, support);
    for (s = spread_stage.rows; s->name; s++) {
        int i = (int)(s - spread_stage.rows);
        fits[0][i] = spread_product(a, s->variant, precision, left[i]);
    }
    for (r = interp_stage.rows; r->name; r++) {
        int j = (int)(r - interp_stage.rows);
        fits[1][j] = interp_product(a, r->variant, precision, &right[j]);
    }
    for (s = spread_stage.rows; s->name; s++)
        for (r = interp_stage.rows; r->name; r++) {
            int i = (int)(s - spread_stage.rows);
            int j = (int)(r - interp_stage.rows);
            double bound = f32 ? 2e-6 : 1e-13;
            if (fits[0][i] && fits[1][j])
                CHECK(fabs(left[i][0] - right[j]) <= bound * left[i][1],
                      "P=%d f%d spread %s, interp %s: %.17g is not %.17g",
                      support, f32 ? 32 : 64, s->name, r->name, left[i][0],
                      right[j]);
        }
    points_clear(&a->points);
}

static int rows_of(const struct variant_row *row)
{
    int n = 0;
    while (row[n].name)
        n++;
    return n;
}

static void spread_and_interp_are_adjoint(void)
{
    struct adjoint *a = check_memory(1, sizeof *a);
    if (rows_of(spread_stage.rows) > ROWS || rows_of(interp_stage.rows) > ROWS)
        check_stop("more than %d variants", ROWS);
    for (int support = WINDOW_MIN; support <= WINDOW_MAX; support++)
        for (int p = FARSUM_F64; p <= FARSUM_F32; p++)
            adjoint_at(a, support, (farsum_precision)p);
    free(a);
}

void laws_of_stages(void)
{
    RUN(spread_and_interp_are_adjoint);
}
