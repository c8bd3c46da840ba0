/* SPDX-License-Identifier: Apache-2.0 */
/* slices.h: frames whose particles a reader gives away slice by slice.
 *
 * Without options.slices a frame keeps all particles. */
#ifndef FARSUM_IO_SLICES_H
#define FARSUM_IO_SLICES_H

#include "format.h"

/* Before a frame's first particle.  all: its particles; 0: not known yet. */
void slices_begin(struct io_reader *reader, int64_t all);
/* frame_grow, after giving away a full slice.  Returns 0, or -1 with a
 * message. */
int slices_row(struct io_reader *reader, struct io_frame *frame, bool charged,
               int64_t *capacity);
/* Sets charges by type and gives away the particles of the frame.  last: no
 * more follow.  Returns 0, or -1 with a message. */
int slices_give(struct io_reader *reader, struct io_frame *frame, bool last);
/* Particles that one slice holds. */
int64_t slices_rows(const struct io_reader *reader);
#endif
