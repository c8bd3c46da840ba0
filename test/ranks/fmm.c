/* SPDX-License-Identifier: Apache-2.0 */
/* fmm.c: plans of method fmm over ranks against a plan of one process with the
 * same boxes: cubes and bricks, periodic and open; numbers of ranks, points
 * given by any rank and anywhere, several right-hand sides, separate targets,
 * changes of the cell, excluded pairs, precisions. */
#include "check.h"
#include "ranks/fmm_case.h"

static const struct fmm_place host = {0};

static void periodic(void)
{
    static const struct fmm_test tests[] = {
        {CASE("cube", 1, 2, 2, 2, 8, 8, 8, 1, 1e-5, 1e-12), .sampled = 1},
        {CASE("brick", 1, 2, 3, 1.6, 5, 8, 4, 1, 1e-3, 1e-12),
         .surface = FARSUM_VACUUM},
        {CASE("few layers", 1, 2, 2, 2, 3, 4, 4, 2, 1e-4, 1e-12)},
        {CASE("targets", 1, 2, 2, 2, 8, 6, 8, 1, 1e-3, 1e-12), .apart = 1,
         .surface = FARSUM_VACUUM},
        {CASE("cells", 1, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12),
         .stretch = {1.05, 0.93}},
        {CASE("pairs", 1, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12), .excluded = 1},
        {CASE("f32", 1, 2, 2, 2, 6, 6, 6, 1, 1e-4, 1e-5),
         .precision = FARSUM_F32},
        {CASE("checked", 1, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12), .checked = 1},
        {CASE("sample checked", 1, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12),
         .checked = 1, .sampled = 1},
        {CASE("many boxes", 1, 2, 2, 2, 16, 16, 16, 1, 1e-5, 1e-12),
         .points = MOST, .ranks = {13, 16}},
        {CASE("free boxes", 1, 2, 2, 2, 0, 0, 0, 1, 1e-4, 1e-12),
         .ranks = {1, 3, 7}},
        {CASE("two layers", 1, 0.7, 2, 2, 2, 6, 6, 1, 1e-4, 1e-12),
         .ranks = {1, 3}},
        {CASE("order", 1, 2, 2, 2, 6, 6, 6, 1, 1e-4, 1e-12), .order = 5},
    };
    RUN_ALL(tests, &host);
}

static void open_space(void)
{
    static const struct fmm_test tests[] = {
        {CASE("open cube", 0, 2, 2, 2, 8, 8, 8, 1, 1e-3, 1e-12), .sampled = 1},
        {CASE("open brick", 0, 2, 3, 1.6, 6, 8, 5, 1, 1e-3, 1e-12)},
        {CASE("open, few layers", 0, 0.5, 2, 2, 2, 6, 6, 2, 1e-4, 1e-12)},
        {CASE("open targets", 0, 2, 2, 2, 8, 6, 8, 1, 1e-3, 1e-12), .apart = 1},
        {CASE("open, many boxes", 0, 2, 2, 2, 16, 16, 16, 1, 1e-5, 1e-11),
         .points = MOST, .ranks = {13, 16}},
        {CASE("open, free boxes", 0, 2, 2, 2, 0, 0, 0, 1, 1e-4, 1e-12),
         .ranks = {1, 3, 7}, .sampled = 1},
        {CASE("open, two layers", 0, 0.7, 2, 2, 2, 6, 6, 1, 1e-4, 1e-12),
         .ranks = {1, 3}},
        {CASE("open pairs", 0, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12),
         .excluded = 1},
        {CASE("open f32", 0, 2, 2, 2, 6, 6, 6, 1, 1e-4, 1e-5),
         .precision = FARSUM_F32},
        {CASE("open checked", 0, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12),
         .checked = 1},
        {CASE("open sample checked", 0, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12),
         .checked = 1, .sampled = 1, .excluded = 1},
        {CASE("softened", 0, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12),
         .softening = 1e-3, .sampled = 1},
        {CASE("softened cell", 1, 2, 2, 2, 6, 6, 6, 1, 1e-3, 1e-12),
         .softening = 0.3, .excluded = 1, .ranks = {2}},
    };
    RUN_ALL(tests, &host);
}

static void levels(void)
{
    static const struct fmm_test tests[] = {
        {CASE("two levels", 1, 2, 2, 2, 4, 4, 4, 1, 1e-4, 1e-12), .levels = 2,
         .sampled = 1, .ranks = {1, 2, 3, 4, 7}},
        {CASE("three levels", 1, 2, 3, 1.6, 3, 4, 2, 1, 1e-3, 1e-12),
         .levels = 3, .surface = FARSUM_VACUUM, .ranks = {1, 2, 4}},
        {CASE("wide", 1, 2, 2, 2, 5, 4, 4, 2, 1e-3, 1e-12), .levels = 2,
         .ranks = {1, 2, 3}},
        {CASE("levels, targets", 1, 2, 2, 2, 4, 3, 4, 1, 1e-3, 1e-12),
         .levels = 2, .apart = 1, .ranks = {3, 7}},
        {CASE("levels, pairs", 1, 2, 2, 2, 4, 4, 4, 1, 1e-3, 1e-12),
         .levels = 2, .excluded = 1, .ranks = {2, 3}},
        {CASE("two layers, levels", 1, 0.7, 2, 2, 2, 6, 6, 1, 1e-3, 1e-12),
         .levels = 2, .ranks = {1, 3}},
        {CASE("levels, f32", 1, 2, 2, 2, 4, 4, 4, 1, 1e-4, 1e-5), .levels = 2,
         .precision = FARSUM_F32, .ranks = {2}},
        {CASE("open levels", 0, 2, 3, 1.6, 4, 6, 4, 1, 1e-3, 1e-12),
         .levels = 2, .ranks = {1, 2, 3, 4, 7}},
        {CASE("open, three levels", 0, 2, 2, 2, 2, 2, 2, 1, 1e-4, 1e-12),
         .levels = 3, .sampled = 1, .ranks = {1, 2, 3}},
        {CASE("open levels, targets", 0, 2, 2, 2, 3, 3, 3, 1, 1e-3, 1e-12),
         .levels = 2, .apart = 1, .excluded = 1, .ranks = {2}},
    };
    RUN_ALL(tests, &host);
}

int main(void)
{
    RUN(levels);
    RUN(periodic);
    RUN(open_space);
    return check_end();
}
