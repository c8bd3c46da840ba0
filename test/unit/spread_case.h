/* SPDX-License-Identifier: Apache-2.0 */
/* spread_case.h: points, windows and meshes for the tests of spread, interp and
 * bins. */
#ifndef FARSUM_TEST_SPREAD_CASE_H
#define FARSUM_TEST_SPREAD_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/isa.h"
#include "base/mem.h"
#include "points/wrap.h"
#include "stage/interp/interp.h"
#include "stage/spread/spread.h"

#define OK(call)                                                               \
    do {                                                                       \
        if ((call) != FARSUM_OK)                                               \
            fail_msg("%s: %s", #call, farsum_message());                       \
    } while (0)

/* Waiting threads should sleep: with more threads than cores they would spin
 * for most of the test.  OpenMP reads the setting before main, so the program
 * starts itself again. */
static inline void case_start(char **argv)
{
    if (getenv("OMP_WAIT_POLICY"))
        return;
    setenv("OMP_WAIT_POLICY", "passive", 1);
    execv("/proc/self/exe", argv);
}

enum dist { UNIFORM, CLUSTERED, LATTICE };

/* 0 <= x < 1, by a counter. */
static inline double case_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Uniform; nine tenths in a 50th of each edge; or on the edges of tiles. */
static inline void case_points(struct points *p, int64_t n, enum dist dist)
{
    uint64_t seed = 7 + (uint64_t)n;
    *p = (struct points){.n = n, .capacity = n};
    for (int d = 0; d < 3; d++) {
        OK(MEM_RAW(p->s[d], n));
        for (int64_t i = 0; i < n; i++) {
            double x = case_random(&seed);
            if (dist == CLUSTERED && i % 10)
                x = 0.31 + x / 50;
            if (dist == LATTICE) /* 0, 1/24, ... and just below 1 */
                x = i % 7 ? floor(24 * x) / 24 : 1 - 0x1p-53;
            p->s[d][i] = x;
        }
    }
}

static inline void case_clear(struct points *p)
{
    for (int d = 0; d < 3; d++)
        mem_free(p->s[d]);
    bins_clear(&p->bins);
}

/* Elements of arrays of the precision, as doubles. */
static inline double case_get(const void *array, int f32, int64_t i)
{
    return f32 ? (double)((const float *)array)[i]
               : ((const double *)array)[i];
}
static inline void case_put(void *array, int f32, int64_t i, double x)
{
    if (f32)
        ((float *)array)[i] = (float)x;
    else
        ((double *)array)[i] = x;
}
static inline void *case_array(int f32, int64_t n)
{
    void *p = malloc((size_t)n * (f32 ? 4 : 8) + 1);
    assert_non_null(p);
    return p;
}
static inline void *case_randoms(int f32, int64_t n, uint64_t seed)
{
    void *p = case_array(f32, n);
    for (int64_t i = 0; i < n; i++)
        case_put(p, f32, i, case_random(&seed) - 0.5);
    return p;
}

static inline int64_t case_mesh(const struct spread_args *a)
{
    return a->mesh[0] * a->mesh[1] * a->ldz;
}

static inline const struct variant *case_row(const struct stage *stage,
                                             const char *name)
{
    for (const struct variant_row *r = stage->rows; r->name; r++)
        if (strcmp(r->name, name) == 0)
            return r->variant;
    fail_msg("%s has no row %s", stage->name, name);
    return NULL;
}

/* Sorts the points as args require, then sets and runs a variant once. */
static inline void case_spread(const char *row, const struct spread_args *a,
                               struct points *p, const void *q, void *mesh)
{
    const struct variant *v = case_row(&spread_stage, row);
    struct spread_io io = {.q = q, .mesh = mesh};
    void *state = NULL;
    int32_t nb[3];
    spread_tiles(a, nb);
    OK(bins_build(p, nb, a->threads));
    OK(v->create(a, &state));
    OK(v->set(state, p, NULL));
    OK(v->run(state, &io));
    v->destroy(state);
}

static inline void case_interp(const char *row, const struct spread_args *a,
                               const struct cell *cell, struct points *p,
                               const struct interp_io *io)
{
    const struct variant *v = case_row(&interp_stage, row);
    struct interp_args args = {.precision = a->precision,
                               .isa = a->isa,
                               .threads = a->threads,
                               .mesh = {a->mesh[0], a->mesh[1], a->mesh[2]},
                               .ldz = a->ldz,
                               .window = a->window,
                               .cell = cell,
                               .n = a->n};
    args.outputs = (io->potential ? FARSUM_POTENTIAL : 0u)
                   | (io->field ? FARSUM_FIELD : 0u);
    void *state = NULL;
    int32_t nb[3];
    spread_tiles(a, nb);
    OK(bins_build(p, nb, a->threads));
    OK(v->create(&args, &state));
    OK(v->set(state, p, p));
    OK(v->run(state, io));
    v->destroy(state);
}

static const int64_t case_meshes[][3] = {
    {24, 24, 24}, {17, 29, 37}, {8, 9, 84}, {4, 4, 4}, {3, 1, 2}, {70, 5, 50},
};
enum { CASE_MESHES = sizeof case_meshes / sizeof *case_meshes };

/* Arguments for a mesh; window is set for P at a tolerance near rounding. */
static inline struct spread_args case_args(const int64_t mesh[3], int f32,
                                           struct window *window, int P)
{
    OK(window_set(window, "prolate", P, 0, 2, 1e-13));
    struct spread_args a = {.precision = f32 ? FARSUM_F32 : FARSUM_F64,
                            .isa = isa_best(),
                            .threads = 1,
                            .mesh = {mesh[0], mesh[1], mesh[2]},
                            .ldz = mesh[2] + P % 3,
                            .window = window};
    return a;
}
#endif
