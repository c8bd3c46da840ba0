/* SPDX-License-Identifier: Apache-2.0 */
/* kept.h: a plan's choices as options of the command. */
#ifndef FARSUM_TOOLS_KEPT_H
#define FARSUM_TOOLS_KEPT_H

#include <stdio.h>

#include <farsum/farsum.h>

/* Prints one line: options that make another run choose the same. */
void kept_say(const farsum_plan *plan, FILE *out);
#endif
