/* SPDX-License-Identifier: Apache-2.0 */
/* reference.h: common state and code of the two reference methods, direct and
 * ewald. */
#ifndef FARSUM_REFERENCE_REFERENCE_H
#define FARSUM_REFERENCE_REFERENCE_H

#include "task/host_arrays.h"
#include "task/method.h"

struct ewald;
struct ewald_any;

struct reference {
    int64_t n, m;         /* m = 0: targets are the sources */
    double *x, *y;        /* owned, [n][3], [m][3] */
    double *q;            /* owned, [n][strengths] */
    double *potential;    /* owned, [targets]; NULL for flows */
    double *field;        /* owned, [targets][3]: field, or velocity */
    double *third;        /* owned, [targets][10]; kernels that have it */
    double *gradient;     /* owned, [targets][6]; kernels that have it */
    double *particle;     /* owned, [n][9]; if the problem requests it */
    double *values;       /* owned, [targets][width], at most kind->values;
                             NULL except for potentials by
                             reference_kind_of */
    struct ewald *ewald;  /* owned; method ewald, laplace, three axes */
    struct ewald_any *any; /* owned; method ewald, else */
    farsum_status (*sum)(const struct task *task, struct reference *s,
                         const struct host_sums *sums);
};

/* Copies the points and converts them to the task's units.  Open boundaries:
 * the points determine the unit of length. */
farsum_status reference_set_points(struct reference *s, struct task *task,
                                   int64_t n, const void *x, int64_t m,
                                   const void *y);
/* Bytes that set_points allocates, and the bytes that it also requires
 * temporarily to find coincident sources. */
void reference_bytes(const struct task *task, double *held, double *more);
farsum_status reference_execute(struct task *task, void *state, int rhs,
                                const void *q, farsum_result *result);
/* Sums for a kernel of kernels.def: width of the values, their array, and the
 * copy from there to the outputs. */
struct reference_kind;
/* The kernel by which a method sums: of kernels.def, or laplace in slabs, on
 * wires and for the virial of each particle.  NULL: laplace by code of its
 * own. */
const struct reference_kind *reference_kind_of(const struct task *task);
int reference_wants(const struct reference_kind *kind,
                    const struct host_sums *sums);
double *reference_results(const struct reference *s,
                          const struct host_sums *sums);
void exact_spread(const struct task *task, const struct reference *s, int width,
                  const struct host_sums *sums);
void reference_clear(struct reference *s);
/* Reports the whole method as one stage. */
void exact_stage(const struct task *task, const char *name, const char *reason);
#endif
