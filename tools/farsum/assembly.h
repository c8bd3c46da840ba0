/* SPDX-License-Identifier: Apache-2.0 */
/* assembly.h: layers, wires and water: neutral particles.
 * Lengths are in Angstrom, charges in e. */
#ifndef FARSUM_TOOLS_ASSEMBLY_H
#define FARSUM_TOOLS_ASSEMBLY_H

#include "case.h"

struct assembly; /* opaque */

/* index 0, 1, ...; NULL beyond the last.  `name` is the word that gen
 * accepts. */
const struct assembly *assembly_get(int index);
const struct assembly *assembly_find(const char *name); /* NULL: none */
const char *assembly_name(const struct assembly *assembly);
const char *assembly_note(const struct assembly *assembly);

/* The kernel that sums its strengths. */
const char *assembly_kernel(const struct assembly *assembly);

/* Places cells[0] x cells[1] x cells[2] units (0: the assembly's default) in
 * the middle of the cell, whose open edges are three times the particles'
 * extent.  The displacements and orientations depend on the seed.  species [n]
 * gets pointers to constant texts; the caller frees it.  Returns 0, or -1 with
 * the reason. */
int assembly_make(const struct assembly *assembly, const int64_t cells[3],
                  uint64_t seed, struct case_particles *particles,
                  const char ***species, char *error, size_t size);
#endif
