/* SPDX-License-Identifier: Apache-2.0 */
/* report.h: the JSON reports. */
#ifndef FARSUM_TOOLS_REPORT_H
#define FARSUM_TOOLS_REPORT_H

#include "outcome.h"

#include <jansson.h>

/* Adds a frame: the report's own values are the last frame's, and "frames"
 * lists what changes from one to the next.  0, or -1 for lack of memory. */
int report_frame(json_t *report, const struct outcome *o,
                 const struct settings *s, const farsum_plan *plan);
/* What a plan chose, with its reasons; NULL for lack of memory. */
json_t *report_plan(const farsum_plan *plan, const farsum_plan_info *info);
/* A number, or null if it is not finite. */
json_t *report_real(double value);
/* A text, or null. */
json_t *report_text(const char *text);
/* Whether a report can be written there, asked before the long work. */
int report_ready(const char *path, char *error, size_t size);
/* Writes beside, then renames.  0, or -1 with the reason. */
int report_write(const json_t *report, const char *path, char *error,
                 size_t size);
#endif
