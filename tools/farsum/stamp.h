/* SPDX-License-Identifier: Apache-2.0 */
/* stamp.h: what a written frame gets: the results, and the settings from which
 * they were made, so that `farsum check` needs no option. */
#ifndef FARSUM_TOOLS_STAMP_H
#define FARSUM_TOOLS_STAMP_H

#include "outcome.h"

/* Columns potential and forces or field, or velocity, whose arrays are taken
 * from the outcome; the cell; keys of the comment line: energy, virial,
 * farsum_...  0, or -1 and why: no memory, or a force that is not finite. */
int stamp_write(struct io_frame *frame, const struct system *sys,
                struct outcome *o, const struct settings *s, char *error,
                size_t size);
/* Fills what the settings leave open.  0, or -1 with what is missing or is not
 * understood. */
int stamp_read(const struct io_frame *frame, struct settings *s, char *error,
               size_t size);
#endif
