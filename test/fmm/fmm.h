/* SPDX-License-Identifier: Apache-2.0 */
/* fmm.h: common code of the tests of the method fmm by the public interface. */
#ifndef FARSUM_TEST_FMM_H
#define FARSUM_TEST_FMM_H

#include "cases.h"

/* Sums of a system, at its targets if it has separate ones. */
struct fmm_sums {
    int64_t m;         /* targets */
    double *potential; /* owned, [m] */
    double *field;     /* owned, [m][3] */
    double energy, virial[9];
    farsum_plan_info info;
};

/* Makes a system from the notation; if `positive`, each strength is 1. */
void fmm_system(struct system *s, const char *name, const char *what,
                int positive);
/* Its problem for `fmm`: all outputs except the virial of a periodic cell. */
farsum_problem fmm_problem(const struct system *s, double tolerance);
/* Options with the device under test, if there is one (fmm_device). */
farsum_options fmm_options(void);
/* The device under test, or NULL: sums run on the host. */
farsum_device *fmm_device(void);
/* FARSUM_TEST_ALL is set. */
int fmm_all(void);
/* Makes one plan and executes once; the targets are the sources. */
farsum_status fmm_try(const struct system *s, const farsum_problem *problem,
                      const farsum_options *options, struct fmm_sums *sums);
/* The same; a failure fails a check and returns 0. */
int fmm_do(const struct system *s, const farsum_problem *problem,
           const farsum_options *options, struct fmm_sums *sums);
void fmm_free(struct fmm_sums *sums);
/* RMS of the differences over RMS of b. */
double fmm_gap(int64_t n, const double *a, const double *b);
/* RMS difference of forces over the error norm of the library. */
double fmm_force_gap(const struct system *s, const double *a, const double *b);

/* One system of a table; name NULL: the end. */
struct fmm_case {
    const char *name, *what;
    int positive;
};

void fmm_laws(void);
void fmm_edges(void);
void fmm_few(void);
void fmm_crystals(void);
void fmm_ladder(void);
void fmm_orders(void);
void fmm_strict(void);
void fmm_strict_rounding(void);
void fmm_cells(void);
void fmm_virial(void);
#endif
