/* laws_rooms.c: spread and interp are adjoint, to rounding, row by row. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "laws.h"
#include "stage/interp/interp.h"
#include "stage/spread/spread.h"

enum { N = 150 };
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

/* 0 if one of the rows does not fit. */
static int run(struct adjoint *a, const struct variant_row *spread,
               const struct variant_row *interp, farsum_precision precision)
{
    int f32 = precision == FARSUM_F32;
    struct spread_args to = {
        .precision = precision, .isa = isa_best(), .threads = 2,
        .mesh = {mesh[0], mesh[1], mesh[2]}, .ldz = LDZ,
        .window = &a->window, .n = N};
    struct interp_args from = {
        .precision = precision, .isa = isa_best(), .threads = 2,
        .outputs = FARSUM_POTENTIAL, .mesh = {mesh[0], mesh[1], mesh[2]},
        .ldz = LDZ, .window = &a->window, .cell = &a->cell, .n = N};
    struct spread_io in = {.q = f32 ? (void *)a->qf : a->q,
                           .mesh = f32 ? (void *)a->spreadf : a->spread};
    struct interp_io out = {
        .mesh = f32 ? (void *)a->valuesf : a->values,
        .potential = f32 ? (void *)a->potentialf : a->potential};
    void *state[2] = {NULL, NULL};
    int32_t nb[3];
    const struct variant *row[2] = {spread->variant, interp->variant};
    if ((row[0]->fits && row[0]->fits(&to) != FARSUM_OK)
        || (row[1]->fits && row[1]->fits(&from) != FARSUM_OK))
        return 0;
    memset(a->potential, 0, sizeof a->potential);
    memset(a->potentialf, 0, sizeof a->potentialf);
    spread_tiles(&to, nb);
    CHECK_OK(bins_build(&a->points, nb, 2));
    CHECK_OK(spread->variant->create(&to, &state[0]));
    CHECK_OK(spread->variant->set(state[0], &a->points, &a->points));
    CHECK_OK(spread->variant->run(state[0], &in));
    CHECK_OK(interp->variant->create(&from, &state[1]));
    CHECK_OK(interp->variant->set(state[1], &a->points, &a->points));
    CHECK_OK(interp->variant->run(state[1], &out));
    spread->variant->destroy(state[0]);
    interp->variant->destroy(state[1]);
    return 1;
}

/* sum_m mesh_m spread(q)_m = sum_i q_i interp(mesh)_i */
static void spread_and_interp_are_adjoint(void)
{
    struct adjoint *a = check_memory(1, sizeof *a);
    for (int support = WINDOW_MIN; support <= WINDOW_MAX; support++)
        for (int p = FARSUM_F64; p <= FARSUM_F32; p++)
            for (const struct variant_row *s = spread_stage.rows; s->name; s++)
                for (const struct variant_row *r = interp_stage.rows; r->name;
                     r++) {
                    double left = 0, right = 0, size = 0;
                    fill(a, support);
                    if (!run(a, s, r, (farsum_precision)p)) {
                        points_clear(&a->points);
                        continue;
                    }
                    for (int i = 0; i < SIZE; i++) {
                        if (i % LDZ >= mesh[2])
                            continue;
                        double v = p == FARSUM_F32 ? (double)a->spreadf[i]
                                                   : a->spread[i];
                        left += a->values[i] * v;
                        size += fabs(a->values[i] * v);
                    }
                    for (int i = 0; i < N; i++)
                        right += a->q[i]
                                 * (p == FARSUM_F32 ? (double)a->potentialf[i]
                                                    : a->potential[i]);
                    double bound = p == FARSUM_F32 ? 2e-6 : 1e-13;
                    CHECK(fabs(left - right) <= bound * size,
                          "P=%d f%d spread %s, interp %s: %.17g is not %.17g",
                          support, p == FARSUM_F32 ? 32 : 64, s->name, r->name,
                          left, right);
                    points_clear(&a->points);
                }
    free(a);
}

void laws_of_rooms(void)
{
    RUN(spread_and_interp_are_adjoint);
}
