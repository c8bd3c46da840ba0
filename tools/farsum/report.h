/* SPDX-License-Identifier: Apache-2.0 */
/* report.h: JSON reports. */
#ifndef FARSUM_TOOLS_REPORT_H
#define FARSUM_TOOLS_REPORT_H

#include "outcome.h"

#include <jansson.h>

/* Adds a frame.  The report's own values are those of the last frame; "frames"
 * lists what differs between frames.  Returns 0, or -1 if there is no
 * memory. */
int report_frame(json_t *report, const struct outcome *o,
                 const struct settings *s, const farsum_plan *plan);
/* The choices of a plan, with reasons; NULL if there is no memory. */
json_t *report_plan(const farsum_plan *plan, const farsum_plan_info *info);
/* A number, or null if it is not finite. */
json_t *report_real(double value);
/* A text, or null. */
json_t *report_text(const char *text);
/* Tests whether a report can be written there, before the long work. */
int report_ready(const char *path, char *error, size_t size);
/* Writes a temporary file, then renames it.  Returns 0, or -1 with the
 * reason. */
int report_write(const json_t *report, const char *path, char *error,
                 size_t size);
#endif
