/* SPDX-License-Identifier: Apache-2.0 */
/* lammps.h: tables of LAMMPS data files (docs.lammps.org/read_data). */
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
    LAMMPS_TYPE_PAIRS /* n (n + 1) / 2 atom types, no count of the header */
};

struct lammps_header {
    int64_t counts[LAMMPS_COUNTS]; /* -1: not given */
    double low[3], high[3], tilt[3]; /* tilt: xy xz yz */
    bool has_bounds[3], has_tilt;
    int has_vectors; /* bits: avec, bvec, cvec, abc origin */
    double vectors[4][3];
};

/* Reads a line of the header.  1: done; 0: the line starts a section; -1:
 * error. */
int lammps_header_line(struct text *t, struct lammps_header *h);
/* Sets the cell of the header.  No cell is an error if there are atoms, unless
 * the command states the geometry. */
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
/* The section with the name in this line (without comment); NULL: none. */
const struct lammps_section *lammps_section(const char *line);

#define LAMMPS_TYPES_MAX 1000000

/* Columns of the frame; -1: none. */
struct lammps_columns {
    int id, type, mol, image, species;
};

struct lammps {
    struct text *t;
    const struct io_options *options;
    struct io_frame *frame;
    struct lammps_header header;
    const struct lammps_style *style;
    struct lammps_style own; /* for columns that were named one by one */
    char layout[64], hint[32]; /* hint: after "Atoms #", no style */
    bool guessed, images; /* the style is; image flags follow */
    bool some_negative, some_image; /* a charge below 0, a flag not 0 */
    struct lammps_columns column;
    char **labels; /* owned, [n_labels]; NULL: no section Atom Type Labels */
    int64_t n_labels;
    bool atoms_seen, in_unknown;
    int64_t unknown_line; /* of the first section with an unknown name; or 0 */
    char unknown[40];
};

/* 1: the next line with more than blanks and a comment; 0: none; -1: error. */
int lammps_next_line(struct text *t);
/* An error if the line names a section instead of item i of n. */
int lammps_no_section(struct text *t, const char *item, int64_t i, int64_t n);
/* Chooses the style from the options, else from "Atoms # HINT", else later from
 * the first line. */
int lammps_choose_style(struct lammps *r, struct text_word hint);
int lammps_guess_style(struct lammps *r);
int lammps_check_guess(const struct lammps *r); /* after the last atom */
int lammps_count_words(const struct text *t); /* remaining in the line */
/* Section Atom Type Labels. */
int lammps_read_labels(struct lammps *r);
void lammps_free_labels(struct lammps *r);
int lammps_read_atoms(struct lammps *r);
/* Section Bonds, Angles or Dihedrals; a join is one of IO_BONDS, ... */
int lammps_read_joins(struct lammps *r, int join);

#endif
