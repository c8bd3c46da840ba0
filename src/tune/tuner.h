/* SPDX-License-Identifier: Apache-2.0 */
/* tuner.h: internal state and functions of the tuner. */
#ifndef FARSUM_TUNE_TUNER_H
#define FARSUM_TUNE_TUNER_H

#include "tune/parameters.h"

enum { SIGMAS = 7, CUTOFFS = 14, CUT_FIRST = 4, CUT_LAST = 80 };

struct tuner {
    const struct task *task;
    struct cell cell;      /* reduced, caller's length */
    const char *split, *window;
    int tables;            /* 1: bands may come from tables; a split is then
                              complete except for its bandwidth */
    struct split plain;
    /* Starting values of a search, from the previous cutoff. */
    double bandwidth;      /* 0: none yet */
    int support[SIGMAS];
    struct {
        int set;
        struct window window;
        struct alias alias;
    } cache[SIGMAS][WINDOW_MAX + 1];
};

/* Estimates the error of `t` in the tolerance's norm, with fresh parts. */
double tune_total(const struct tuner *u, struct parameters *t);
/* The target of the estimate. */
double tune_goal(const struct tuner *u, const struct parameters *t);
/* 1: windows do not reach across the gap of a slab, or beyond half of the cell
 * of a wire. */
int tune_clears(const struct tuner *u, const struct parameters *t);
int tune_holds(const struct tuner *u, struct parameters *t);
farsum_status tune_split(const struct tuner *u, struct parameters *t, double c);
/* Computes the chosen split in full, and its band. */
farsum_status tune_split_whole(const struct tuner *u, struct parameters *t);
farsum_status tune_window(const struct tuner *u, struct parameters *t,
                          int support, double shape, double sigma);
void tune_cutoff(const struct tuner *u, struct parameters *t, double rc);
/* Sets sigma from mesh and bandwidth. */
void tune_sigma(struct parameters *t);
/* Sets the bandwidth with the smallest error on the current mesh, near the one
 * in t; 0: anywhere. */
void tune_best_bandwidth(const struct tuner *u, struct parameters *t);
farsum_status tune_refine(struct tuner *u, struct parameters *t);

static inline double row_length(const double *a)
{
    return __builtin_sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}
#endif
