/* SPDX-License-Identifier: Apache-2.0 */
/* charges.h: charges by type. */
#ifndef FARSUM_IO_CHARGES_H
#define FARSUM_IO_CHARGES_H

#include "io.h"
#include "text.h"

/* Sets the frame's charges by type, if the options have any.  before: number of
 * particles that other slices of the frame had.  Returns 0, or -1
 * with a message. */
int charges_by_type(struct text *t, const struct io_options *options,
                    struct io_frame *frame, int64_t before);

#endif
