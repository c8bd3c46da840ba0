/* SPDX-License-Identifier: Apache-2.0 */
/* kept.h: a plan's choice in options of the command. */
#ifndef FARSUM_TOOLS_KEPT_H
#define FARSUM_TOOLS_KEPT_H

#include <stdio.h>

#include <farsum/farsum.h>

/* One line: the options that have another run choose alike. */
void kept_say(const farsum_plan *plan, FILE *out);
#endif
