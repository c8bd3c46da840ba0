/* SPDX-License-Identifier: Apache-2.0 */
/* lammps.h: reader of LAMMPS data files (docs.lammps.org/read_data). */
#ifndef FARSUM_IO_LAMMPS_H
#define FARSUM_IO_LAMMPS_H

#include <stdbool.h>
#include <stdint.h>

#include "io.h"
#include "text.h"

enum lammps_count {
    LAMMPS_ATOMS, LAMMPS_BONDS, LAMMPS_ANGLES, LAMMPS_DIHEDRALS,
    LAMMPS_IMPROPERS, LAMMPS_ATOM_TYPES, LAMMPS_BOND_TYPES,
    LAMMPS_ANGLE_TYPES, LAMMPS_DIHEDRAL_TYPES, LAMMPS_IMPROPER_TYPES,
    LAMMPS_ELLIPSOIDS, LAMMPS_LINES, LAMMPS_TRIANGLES, LAMMPS_COUNTS,
    LAMMPS_TYPE_PAIRS /* n (n + 1) / 2 atom types, not counted in the header */
};

struct lammps_header {
    int64_t counts[LAMMPS_COUNTS]; /* -1: missing */
    double low[3], high[3], tilt[3]; /* tilt: xy xz yz */
    bool has_bounds[3], has_tilt;
    int has_vectors; /* bits: avec, bvec, cvec, abc origin */
    double vectors[4][3];
};

/* Parses a line of the header.  Returns 1: it was one; 0: it starts a section;
 * -1: error. */
int lammps_header_line(struct text *t, struct lammps_header *h);
/* The cell of the header.  A missing cell is an error if there are atoms,
 * unless the command line sets it. */
int lammps_header_cell(struct text *t, const struct io_options *options,
                       const struct lammps_header *h,
                       struct io_frame *frame);

struct lammps_style {
    const char *name, *layout; /* see lammps_style.c */
};

struct lammps_section {
    const char *name;
    enum lammps_count count; /* its number of lines */
};
/* The section whose name is on the line; NULL: none.  The line has no
 * comment. */
const struct lammps_section *lammps_section(const char *line);

#define LAMMPS_TYPES_MAX 1000000

/* Indices of the frame's columns; -1: none. */
struct lammps_columns {
    int id, type, mol, image, species;
};

struct io_reader;

struct lammps {
    struct io_reader *reader;
    struct text *t;
    const struct io_options *options;
    struct io_frame *frame;
    struct lammps_header header;
    const struct lammps_style *style;
    struct lammps_style own; /* for columns named one by one */
    char layout[64], hint[32]; /* hint: the word after "Atoms #", no style */
    bool guessed, images; /* the style is guessed; image flags follow the
                             columns */
    bool some_negative, some_image; /* a charge below 0, a flag not 0 */
    struct lammps_columns column;
    char **labels; /* owned, [n_labels]; NULL: no section Atom Type Labels */
    int64_t n_labels;
    bool atoms_seen, in_unknown;
    int64_t unknown_line; /* of the first section with an unknown name; 0 */
    char unknown[40];
};

/* Returns 1: the next line that is not blank or a comment; 0: none; -1:
 * error. */
int lammps_next_line(struct text *t);
/* Fails if the line names a section where item i of n is expected. */
int lammps_no_section(struct text *t, const char *item, int64_t i, int64_t n);
/* Chooses by the options, else by "Atoms # HINT", else later by the first
 * line. */
int lammps_choose_style(struct lammps *r, struct text_word hint);
int lammps_guess_style(struct lammps *r);
int lammps_check_guess(const struct lammps *r); /* after the last atom */
int lammps_count_words(const struct text *t); /* number of words left in the
                                                 line */
/* Section Atom Type Labels. */
int lammps_read_labels(struct lammps *r);
void lammps_free_labels(struct lammps *r);
int lammps_read_atoms(struct lammps *r);
/* Reads section Bonds, Angles or Dihedrals; join: IO_BONDS, ... */
int lammps_read_joins(struct lammps *r, int join);

#endif
