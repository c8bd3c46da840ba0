/* SPDX-License-Identifier: Apache-2.0 */
/* soften_cloud.h: softened 1/r in periodic cells, against `ewald` without
 * softening and a loop over the pairs that are softened. */
#ifndef FARSUM_TEST_GEOMETRY_SOFTEN_CLOUD_H
#define FARSUM_TEST_GEOMETRY_SOFTEN_CLOUD_H

#include "farsum/farsum.h"

enum { CLOUD_POINTS = 300, CLOUD_TARGETS = 30, CLOUD_PAIRS = 12 };

struct cloud {
    farsum_problem problem;
    farsum_options options;
    double x[3 * CLOUD_POINTS], q[CLOUD_POINTS], y[3 * CLOUD_TARGETS],
        factors[CLOUD_PAIRS];
    int64_t pairs[2 * CLOUD_PAIRS];
    int m;
};

struct cloud_sums {
    double potential[CLOUD_POINTS], field[3 * CLOUD_POINTS], energy, virial[9];
};

#define CLOUD_RADIUS 0.9 /* of the softening */

/* Sets random points in a cell, of which some are very near each other; method
 * spectral, f64, all outputs. */
void cloud_in(struct cloud *c, double tolerance, const double cell[9]);
/* The same in a tilted cell, and in a brick. */
void cloud_make(struct cloud *c, double tolerance);
void cloud_brick(struct cloud *c, double tolerance);
void cloud_exclude(struct cloud *c);
farsum_status cloud_sum(const struct cloud *c, struct cloud_sums *to);
/* Pairs are at least 0.03 apart, or rounding of 1/r would be seen. */
void cloud_reference(const struct cloud *c, struct cloud_sums *to);
/* Checks forces, potentials, energy and virial of the cloud's own plan. */
void cloud_compare(const struct cloud *c, const struct cloud_sums *exact,
                   const char *what);
#endif
