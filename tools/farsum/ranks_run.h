/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_run.h: what 'farsum run' does in another way over ranks. */
#ifndef FARSUM_TOOLS_RANKS_RUN_H
#define FARSUM_TOOLS_RANKS_RUN_H

#include "options.h"
#include "ranks_frames.h"

/* Fails, with a message, if an option does not work over ranks. */
int ranks_refuse(struct ranks *ranks, const struct settings *s);
/* farsum_plan_create, over the ranks if there are any. */
farsum_status ranks_plan(struct ranks *ranks, const farsum_problem *problem,
                         const farsum_options *how, farsum_plan **plan);
/* words_message, with the particles' numbers in the files instead of those on a
 * rank.  targets: all 0, if they are the sources. */
const char *ranks_words(const struct spread *sources,
                        const struct spread *targets);
#endif
