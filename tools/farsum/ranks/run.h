/* SPDX-License-Identifier: Apache-2.0 */
/* run.h: what 'farsum run' does in another way over ranks. */
#ifndef FARSUM_TOOLS_RANKS_RUN_H
#define FARSUM_TOOLS_RANKS_RUN_H

#include "options.h"
#include "ranks/frames.h"

#include "comm/comm.h"
#include "task/shape.h"

/* ranks_open, if a launcher started several copies and --ranks does not say
 * otherwise. */
int ranks_begin(const struct settings *s, struct ranks **ranks);
/* Fails, with a message, if an option does not work over ranks. */
int ranks_refuse(struct ranks *ranks, const struct settings *s);
struct link;
/* Replaces what --link-latency and --link-bandwidth name; 1: any. */
int ranks_link(const struct settings *s, struct link *link);
/* The parts that --domain names. */
struct ranks_shape ranks_domain(const struct settings *s);
/* farsum_plan_create, over the ranks if there are any, with transport, domain
 * and links of the settings. */
farsum_status ranks_plan(struct ranks *ranks, const struct settings *s,
                         const farsum_problem *problem,
                         const farsum_options *how, farsum_plan **plan);
/* words_message, with the particles' numbers in the files instead of those on a
 * rank.  targets: all 0, if they are the sources. */
const char *ranks_words(const struct spread *sources,
                        const struct spread *targets);
/* Names of the parts in comm.h. */
extern const char *const ranks_work_names[COMM_PARTS];
/* What a rank did in a frame: plan->ranks of the report. */
struct ranks_work {
    int64_t given, own, ghosts;  /* particles of the file, particles that it
                                    sums, and copies of others */
    int threads, across;         /* across: ranks along axis 1 */
    char device[32], model[128]; /* model: "" on the host */
    char transport[16];          /* between devices; "" on the host */
    double set_points, execute;  /* seconds */
    struct comm_spent spent[COMM_PARTS];
};
/* Gathers the work of all ranks since *before, all [size], and replaces
 * *before, which is all 0 for a new plan. */
void ranks_work(struct ranks *ranks, const farsum_plan *plan, int64_t given,
                struct ranks_work *before, struct ranks_work *all);
#endif
