/* SPDX-License-Identifier: Apache-2.0 */
/* quadrupoles.h: systems of charges with dipoles and quadrupoles, and their
 * sums: by a method, or by `direct` in open space and `ewald` otherwise. */
#ifndef FARSUM_TEST_MOMENTS_QUADRUPOLES_H
#define FARSUM_TEST_MOMENTS_QUADRUPOLES_H

#include "check.h"

enum { MOST = 64, WIDTH = 10, LOOKED = 3 };
enum {
    OUTPUTS = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_GRADIENT | FARSUM_THIRD
              | FARSUM_ENERGY | FARSUM_VIRIAL
};

struct system {
    farsum_problem problem;
    const char *kernel;
    const char *method; /* NULL: a reference */
    int sampled;        /* 1: the plan is made with a sample */
    double cutoff;
    int n, m; /* m = 0: the targets are the sources */
    double x[3 * MOST], q[WIDTH * MOST], y[3 * MOST];
};

struct answer {
    double potential[MOST], field[3 * MOST], gradient[6 * MOST];
    double third[10 * MOST], energy, virial[9];
    double estimated; /* the plan's error, after the sum */
};

/* A number in 0 .. 1. */
double draw(uint64_t *state);
/* axes: the number of periodic ones, of a tilted cell with three.  net: the
 * sum of the charges. */
struct system random_system(int axes, int n, double net);
int axes_of(const struct system *s);
double volume_of(const struct system *s);
/* Targets between sources. */
void between(struct system *s);
/* Sums with strengths q.  Returns the status. */
farsum_status try(const struct system *s, const double *q, unsigned outputs,
                  struct answer *a);
/* The same with the system's strengths, and checks the status. */
struct answer get(const struct system *s, unsigned outputs);
/* RMS of the forces on the sources of a, or of a less b. */
double forces(const struct system *s, const struct answer *a,
              const struct answer *b);
/* Checks that values differ by at most `most` times the largest one. */
void equal(const double *a, const double *b, int n, double most,
           const char *what);
void same(const struct system *s, const struct answer *a,
          const struct answer *b, double most, const char *what);
#endif
