/* SPDX-License-Identifier: Apache-2.0 */
/* nufft_case.h: one NUFFT and its direct sums in double. */
#ifndef FARSUM_TEST_NUFFT_CASE_H
#define FARSUM_TEST_NUFFT_CASE_H

#include <complex.h>

#include "check.h"
#include "farsum/mesh.h"

struct
try {
    farsum_nufft_problem problem;
    farsum_mesh_options options; /* on_device: arrays may be there */
    int64_t n, modes;
    double *x;             /* [n][3] */
    double complex *c, *f; /* [channel][n], [channel][modes] */
};

extern uint64_t seed;
double random_unit(void);
void try_set(struct try *t, int type, int sign, int64_t n,
             const int64_t modes[3], double tolerance, int f32, int channels);
void try_clear(struct try *t);
/* Replaces c or f by the library's result; info may be NULL. */
void run(struct try *t, farsum_mesh_info *info);
/* Relative error in the 2-norm; info may be NULL. */
double error(struct try *t, farsum_mesh_info *info);

enum { SHAPES = 6 };
extern const int64_t shapes[SHAPES][3];
#endif
