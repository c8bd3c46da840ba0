/* SPDX-License-Identifier: Apache-2.0 */
/* crystal.h: perfect crystals, lattice constant 1. */
#ifndef FARSUM_TOOLS_CRYSTAL_H
#define FARSUM_TOOLS_CRYSTAL_H

#include "case.h"

struct crystal; /* opaque */

/* index 0, 1, ...; NULL beyond the last.  `name` is the word that gen
 * accepts. */
const struct crystal *crystal_get(int index);
const struct crystal *crystal_find(const char *name); /* NULL: none */
const char *crystal_name(const struct crystal *crystal);
const char *crystal_note(const struct crystal *crystal);

/* Places cells[0] x cells[1] x cells[2] copies of the cubic cell or, if
 * primitive, of the primitive cell.  species [n] (NULL: not requested) gets
 * pointers to constant texts; the caller frees it.  Returns 0, or -1 with the
 * reason. */
int crystal_make(const struct crystal *crystal, const int64_t cells[3],
                 int primitive, struct case_particles *particles,
                 const char ***species, char *error, size_t size);
#endif
