/* SPDX-License-Identifier: Apache-2.0 */
/* pack.h: particles of a frame as bytes, for another process of the same
 * program. */
#ifndef FARSUM_IO_PACK_H
#define FARSUM_IO_PACK_H

#include "io.h"

struct pack {
    char *data; /* owned */
    size_t n, capacity;
};

/* Packs rows [first, first + n) of a frame, with all that is not rows except
 * joins.  Replaces the contents.  -1: no memory. */
int pack_frame(struct pack *pack, const struct io_frame *frame, int64_t first,
               int64_t n);
/* Adds the packed rows to a frame, and replaces all that is not rows.  The
 * frame's columns become those of the pack: others are removed.  An empty
 * frame, with *capacity 0, gets them.  -1: no memory. */
int unpack_frame(const struct pack *pack, struct io_frame *frame,
                 int64_t *capacity);
/* Makes space for n bytes.  -1: no memory. */
int pack_reserve(struct pack *pack, size_t n);
void pack_clear(struct pack *pack);
#endif
