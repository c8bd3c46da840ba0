/* SPDX-License-Identifier: Apache-2.0 */
/* clouds.h: points in open space with strengths of any kernel, and their
 * sums. */
#ifndef FARSUM_TEST_CLOUDS_H
#define FARSUM_TEST_CLOUDS_H

#include "check.h"
#include "farsum/farsum.h"

enum { CLOUD_MOST = 2000, CLOUD_WIDTH = 6, CLOUD_KERNELS = 4 };
extern const char *const cloud_kernels[CLOUD_KERNELS];

/* EVEN: random signs in a brick.  ALIKE: strengths of one direction.  BLOBS:
 * clusters of very different sizes. */
enum cloud_kind { CLOUD_EVEN, CLOUD_ALIKE, CLOUD_BLOBS, CLOUD_KINDS };

struct cloud {
    const char *kernel;
    int n, m, width; /* sources; separate targets; numbers per source */
    int flow;
    int sample; /* 1: create has the points */
    double tolerance;
    farsum_error_kind error;
    farsum_precision precision;
    int exclude_coincident;
    int64_t n_exclusions;
    const int64_t *exclusions;
    const double *factors;
    farsum_options options;
    double x[3 * CLOUD_MOST], y[3 * CLOUD_MOST], q[CLOUD_WIDTH * CLOUD_MOST];
};

struct cloud_sums {
    double potential[CLOUD_MOST], vector[3 * CLOUD_MOST];
    double gradient[6 * CLOUD_MOST], energy, virial[9];
    farsum_plan_info info;
};

void cloud_set(struct cloud *c, const char *kernel, enum cloud_kind kind, int n,
               int m);
farsum_problem cloud_problem(const struct cloud *c);
/* One plan, one sum by the method. */
farsum_status cloud_try(const struct cloud *c, const char *method,
                        struct cloud_sums *sums);
/* Error of a in the norm of c, b being right; dipoles: of the force q E - G p,
 * at separate targets of the field. */
double cloud_error(const struct cloud *c, const struct cloud_sums *a,
                   const struct cloud_sums *b);
/* RMS of the differences over RMS of b. */
double cloud_gap(const double *a, const double *b, int n);
#endif
