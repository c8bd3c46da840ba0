/* SPDX-License-Identifier: Apache-2.0 */
/* frame.h: frames that grow row by row, for readers. */
#ifndef FARSUM_IO_FRAME_H
#define FARSUM_IO_FRAME_H

#include "io.h"

size_t frame_cell_size(enum io_type type); /* bytes of one value */

/* Adds an empty column; frame_grow allocates its data.  -1: no memory. */
int frame_add_column(struct io_frame *frame, const char *name,
                     enum io_type type, int width);
/* Adds one row, zeroed, and increments n.  The arrays grow with the rows read,
 * never by a header's count.  -1: no memory. */
int frame_grow(struct io_frame *frame, bool charged, int64_t *capacity);
/* The same for n rows. */
int frame_add_rows(struct io_frame *frame, bool charged, int64_t n,
                   int64_t *capacity);
/* Shrinks the arrays to n rows.  Empty arrays get an address too. */
int frame_fit(struct io_frame *frame, bool charged);
/* Removes all rows; the columns stay. */
void frame_empty(struct io_frame *frame);
/* Keeps the rows whose flag is set and frees the others. */
void frame_keep_rows(struct io_frame *frame, const bool *keep);
void frame_drop_column(struct io_frame *frame, const char *name);

/* Converts a, b, c and angles in degrees to rows, a along x and b in the xy
 * plane.  Returns false if no such cell exists. */
bool frame_cell_from_angles(const double lengths[3], const double angles[3],
                            double cell[9]);

char *frame_text(const char *p, size_t n); /* owned copy; NULL: no memory */

#endif
