/* SPDX-License-Identifier: Apache-2.0 */
/* verify_check.h: common code of the tests of checked plans: systems whose
 * errors add up. */
#ifndef FARSUM_TEST_VERIFY_CHECK_H
#define FARSUM_TEST_VERIFY_CHECK_H

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check.h"

#ifndef VERIFY_MOST
#define VERIFY_MOST 700
#endif
enum { MOST = VERIFY_MOST }; /* particles */

/* A system and what it is asked for. */
struct system {
    const char *name;
    int n, strengths, open;
    farsum_problem problem;
    const char *method;
    int hard; /* 1: without the check it is mostly above its tolerance */
    double x[3 * MOST], q[6 * MOST];
};

static inline double uniform(uint64_t *state)
{
    return ldexp((double)(random_next(state) >> 11), -53);
}

static inline double normal(uint64_t *state)
{
    double u = 1 - uniform(state), v = uniform(state);
    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static inline void begin(struct system *s, const char *name, int n,
                         int strengths, double tolerance)
{
    memset(s, 0, sizeof *s);
    s->name = name;
    s->n = n;
    s->strengths = strengths;
    s->problem = (farsum_problem)FARSUM_PROBLEM_INIT;
    for (int d = 0; d < 3; d++) {
        s->problem.cell[4 * d] = 1;
        s->problem.periodic[d] = 1;
    }
    s->problem.tolerance = tolerance;
    s->hard = 1;
}

/* Charges of one sign gathered among their counter-ions. */
static inline void colloid(struct system *s, double tolerance)
{
    uint64_t random = 7;
    begin(s, "colloid", 600, 1, tolerance);
    for (int i = 0; i < s->n; i++) {
        for (int d = 0; d < 3; d++)
            s->x[3 * i + d] = i < s->n / 2 ? 0.4 + 0.03 * normal(&random)
                                           : uniform(&random);
        s->q[i] = i < s->n / 2 ? 1 : -1;
    }
}

static inline void huge(struct system *s, double tolerance)
{
    uint64_t random = 11;
    begin(s, "huge", 150, 1, tolerance);
    for (int i = 0; i < 3 * s->n; i++)
        s->x[i] = uniform(&random);
    for (int i = 0; i < s->n; i++)
        s->q[i] = normal(&random) * (i == 7 ? 100 : 1);
}

static inline farsum_problem problem_of(const struct system *s)
{
    farsum_problem p = s->problem;
    p.n_sources = s->n;
    p.sample_x = s->x;
    p.sample_q = s->q;
    p.arrays = FARSUM_F64;
    for (int d = 0; s->open && d < 3; d++)
        p.periodic[d] = 0;
    p.outputs = s->strengths > 1 ? FARSUM_VELOCITY
                                 : FARSUM_POTENTIAL | FARSUM_FIELD;
    return p;
}

static inline double rms(int n, const double *v, const double *less)
{
    double square = 0;
    for (int i = 0; i < n; i++)
        square += pow(v[i] - (less ? less[i] : 0), 2);
    return sqrt(square / n);
}
#endif
