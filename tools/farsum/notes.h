/* SPDX-License-Identifier: Apache-2.0 */
/* notes.h: notes about the input of run. */
#ifndef FARSUM_TOOLS_NOTES_H
#define FARSUM_TOOLS_NOTES_H

#include "options.h"
#include "io/io.h"

/* Compares the file's units with those of the command.  A constant of another
 * system would give wrong numbers unnoticed. */
void notes_units(const struct settings *s, const struct io_frame *frame);
#endif
