/* SPDX-License-Identifier: Apache-2.0 */
/* stamp.h: results and settings stored in a written frame, so that `farsum
 * check` requires no options. */
#ifndef FARSUM_TOOLS_STAMP_H
#define FARSUM_TOOLS_STAMP_H

#include "outcome.h"

/* Adds columns potential and forces or field, or velocity, and takes their
 * arrays from the outcome; adds the cell, and keys of the comment line: energy,
 * virial, farsum_... Returns 0, or -1 with the reason: no memory, or a force
 * that is not finite. */
int stamp_write(struct io_frame *frame, const struct system *sys,
                struct outcome *o, const struct settings *s, char *error,
                size_t size);
/* Fills missing settings from the frame.  Returns 0, or -1 with the missing or
 * invalid key. */
int stamp_read(const struct io_frame *frame, struct settings *s, char *error,
               size_t size);
#endif
