/* SPDX-License-Identifier: Apache-2.0 */
/* tune_ranks.h: 'tune --ranks': a sum over ranks on paper. */
#ifndef FARSUM_TOOLS_TUNE_RANKS_H
#define FARSUM_TOOLS_TUNE_RANKS_H

#include "case.h"
#include "options.h"

#include "cost/links.h"

#include <jansson.h>
#include <stdio.h>

/* Fails, with a message, if options exclude each other. */
int tune_ranks_check(const struct settings *s);
/* Sets the memory limit of a rank, if none is given. */
void tune_ranks_options(const struct settings *s, farsum_options *how);
/* 1: the case's particles are too many for one machine; its cell is set, and
 * the tuner assumes a sample. */
int tune_ranks_large(const struct settings *s, const struct case_spec *spec);
/* Links among the first `ranks` of the --ranks. */
farsum_status tune_ranks_links(const struct settings *s,
                               const farsum_options *how, int ranks,
                               struct links *links);
/* Prints what is assumed of them. */
void tune_ranks_assumptions(const struct settings *s, const struct links *links,
                            FILE *out);
/* Sums over ranks on paper: one, or with --weak one for each number of
 * ranks. */
struct tune_ranks;
/* farsum_plan_tune for the --ranks. */
farsum_status tune_ranks_plan(const struct settings *s,
                              const farsum_problem *problem,
                              const farsum_options *how, farsum_plan **plan);
/* plan: of one process, for the problem.  The caller frees it.  NULL after
 * printing the reason. */
struct tune_ranks *tune_ranks_take(const struct settings *s,
                                   const farsum_problem *problem,
                                   const farsum_options *how,
                                   const farsum_plan *plan);
void tune_ranks_print(const struct settings *s, const struct tune_ranks *sums,
                      FILE *out);
/* An array with an object per sum. */
json_t *tune_ranks_report(const struct tune_ranks *sums);
#endif
