/* SPDX-License-Identifier: Apache-2.0 */
/* units.h: unit systems, with Coulomb's constant in each and its source. */
#ifndef FARSUM_TOOLS_UNITS_H
#define FARSUM_TOOLS_UNITS_H

#include <stddef.h>

struct units {
    const char *name;
    double coulomb;
    const char *source;                   /* of the constant */
    const char *length, *charge, *energy; /* "" if they have no unit */
};

/* index 0, 1, ...; NULL beyond the last.  The first is the default. */
const struct units *units_get(int index);
const struct units *units_find(const char *name); /* NULL: none */

struct io_frame;
/* Compares with units named in the frame.  Returns 0, or -1 with the words that
 * differ. */
int units_agree(const struct units *units, const struct io_frame *frame,
                char *error, size_t size);
/* Compares the units of length that two frames name.  Returns 0, or -1 with
 * both. */
int units_alike(const struct io_frame *sources, const struct io_frame *targets,
                char *error, size_t size);
/* Units named in the frame, as text; "" if they do not determine the constant.
 * Returns the system that the frame names; NULL: none. */
const struct units *units_of_frame(const struct io_frame *frame, char *text,
                                   size_t size);
#endif
