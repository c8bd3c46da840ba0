/* SPDX-License-Identifier: Apache-2.0 */
/* laws.h: common code of the tests laws*.c: invariants of physics for every
 * sum, without a reference. */
#ifndef FARSUM_TEST_LAWS_H
#define FARSUM_TEST_LAWS_H

#include "cases.h"

struct answer {
    int64_t n, m;       /* sources, targets (n if the same) */
    double *potential;  /* owned, [m] */
    double *field;      /* owned, [m][3] */
    double energy, virial[9];
    farsum_plan_info info;
};

/* Sums with one plan; outputs that the problem does not request stay zero.  A
 * failure fails a check and returns 0. */
int solve(const struct system *system, const farsum_problem *problem,
          const farsum_options *options, struct answer *answer);
void answer_free(struct answer *answer);

/* RMS difference of forces over their norm, that of system_force_norm with F
 * from b; of potentials, over their RMS. */
double force_gap(const struct system *s, const struct answer *a,
                 const struct answer *b);
double potential_gap(const struct system *s, const struct answer *a,
                     const struct answer *b);
/* Differences of energy and of virial, over sum |q phi| / 2. */
double energy_gap(const struct system *s, const struct answer *a,
                  const struct answer *b);
double virial_gap(const struct system *s, const struct answer *a,
                  const struct answer *b);
/* RMS of force (its norm) and potential, sum |q phi| / 2, RMS charge, rc. */
struct size {
    double force, potential, energy, q, length, bandwidth;
};
struct size answer_size(const struct system *s, const struct answer *a,
                        const struct answer *b);
/* CHECKs all four; `what` is printed.  The force's gap is at most `force`.  The
 * others' gaps are at most `sums`, relative to their own size or to the effect
 * of that force error over the length of a cutoff. */
void check_same(const char *what, const struct system *s,
                const struct answer *a, const struct answer *b, double force,
                double sums);
/* The same if the tolerance limits the potential. */
void check_same_potential(const char *what, const struct system *s,
                          const struct answer *a, const struct answer *b,
                          double potential);

/* Small systems for the invariants; NULL name: the end. */
struct law_case {
    const char *name, *what;
};
extern const struct law_case law_cases[];

/* 1: this one of a sweep runs.  Every other one does; with FARSUM_TEST_ALL=1
 * all do. */
int law_turn(int index);
double law_random(uint64_t *state); /* 0 <= u < 1 */

void laws_of_invariance(void);
void laws_of_sums(void);
void laws_of_derivatives(void);
void laws_of_edges(void);
void laws_of_stages(void);
void laws_of_crystals(void);
#endif
