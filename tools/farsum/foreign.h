/* SPDX-License-Identifier: Apache-2.0 */
/* foreign.h: removal of another calculation's results from a frame, where they
 * would be taken for ours. */
#ifndef FARSUM_TOOLS_FOREIGN_H
#define FARSUM_TOOLS_FOREIGN_H

#include "io/io.h"

/* Removes them; `text` gets their names, or "".  The kernel's strengths
 * stay. */
void foreign_drop(struct io_frame *frame, const char *kernel, char *text,
                  size_t size);
/* Removes keys about the cell and periodic axes if the command line overrides
 * them. */
void foreign_drop_geometry(struct io_frame *frame);
#endif
