/* SPDX-License-Identifier: Apache-2.0 */
/* foreign.h: results of another calculation in a frame that we read: beside
 * ours they would be taken for ours. */
#ifndef FARSUM_TOOLS_FOREIGN_H
#define FARSUM_TOOLS_FOREIGN_H

#include "io/io.h"

/* Takes them out; `text` gets their names, "" if there are none.  The kernel's
 * strengths stay. */
void foreign_drop(struct io_frame *frame, const char *kernel, char *text,
                  size_t size);
/* Takes out keys that say of the cell and of periodic axes what the command
 * says otherwise. */
void foreign_drop_geometry(struct io_frame *frame);
#endif
