/* SPDX-License-Identifier: Apache-2.0 */
/* geometry.h: check of geometry that a file gives incompletely, under other
 * names, or with contradictions. */
#ifndef FARSUM_IO_GEOMETRY_H
#define FARSUM_IO_GEOMETRY_H

#include "io.h"
#include "text.h"

/* Advice at the end of a message. */
#define GEOMETRY_ADVICE                                                        \
    "--cell gives the cell, --periodic none says open space"
#define GEOMETRY_REPLACED                                                      \
    "with --cell too, or --periodic none, the file's geometry is replaced"

/* 1: the command line sets the cell or open space, overriding the file. */
static inline bool geometry_is_given(const struct io_options *options) {
    return options->cell_given || options->open_given;
}
/* True if the command line gives other periodic axes than the file states, for
 * the file's cell.  *given: the option's value. */
bool geometry_contradicts(const struct io_options *options,
                          const int periodic[3], const char **given);
/* Checks the extended XYZ comment line of the text for geometry other than
 * Lattice, Origin and pbc.  with_pbc: it has the key pbc.  Returns 0, or -1
 * with a message. */
int geometry_check_keys(struct text *t, const struct io_options *options,
                        const struct io_frame *frame, bool with_pbc);
/* The same for a comment line in free text. */
int geometry_check_free_text(struct text *t,
                             const struct io_options *options);
/* True for names that must not occur twice: "units" and names of geometry. */
bool geometry_is_single(const char *key);

#endif
