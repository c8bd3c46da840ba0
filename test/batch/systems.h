/* SPDX-License-Identifier: Apache-2.0 */
/* systems.h: systems for the tests of batches, and their reference sums. */
#ifndef FARSUM_TEST_BATCH_SYSTEMS_H
#define FARSUM_TEST_BATCH_SYSTEMS_H

#include <stdint.h>

#include "farsum/batch.h"

struct systems {
    int64_t count, n;
    int64_t *offsets; /* owned, as the rest */
    double *cells, *x, *q;
};
/* Random charges with a minimum distance in random tilted cells; seed > 0.  The
 * first system is neutral, every third has a net charge. */
struct systems systems_make(int64_t count, const int64_t *n, uint64_t seed);
/* 16 charges in a cell 960 times as long as wide. */
struct systems systems_needle(void);
void systems_free(struct systems *s);

struct sums {
    double *potential, *field, *energy, *virial; /* owned */
};
struct sums sums_make(const struct systems *s);
void sums_free(struct sums *s);
farsum_result sums_result(struct sums *s);
/* The sum of each system by a plan of method ewald. */
struct sums sums_reference(const struct systems *s);
/* Errors of one system: of forces in the norm of FARSUM_ERROR_FORCE, of
 * potentials over their RMS, of the energy over half the sum of |q phi|, and
 * the largest of the virial over the same. */
struct errors {
    double force, potential, energy, virial;
};
struct errors sums_errors(const struct systems *s, int64_t index,
                          const struct sums *got, const struct sums *wanted);
/* 1: the same bits. */
int sums_same(const double *a, const double *b, int64_t count);
/* CHECKs that each system alone has the bits that it has among the others. */
void sums_alone(farsum_batch *batch, const struct systems *s,
                const struct sums *all, double tolerance);
/* CHECKs that lengths times 2^k and charges times 2^m give the same digits, and
 * that results outside the range of f64 are refused. */
void sums_units(farsum_batch *batch);
farsum_problem systems_problem(double tolerance);
#endif
