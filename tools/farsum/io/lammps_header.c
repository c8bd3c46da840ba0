/* SPDX-License-Identifier: Apache-2.0 */
/* lammps_header.c: header of a LAMMPS data file, and its cell. */
#include <math.h>
#include <string.h>

#include "frame.h"
#include "geometry.h"
#include "lammps.h"

static const char *const count_names[LAMMPS_COUNTS] = {
    "atoms", "bonds", "angles", "dihedrals", "impropers", "atom types",
    "bond types", "angle types", "dihedral types", "improper types",
    "ellipsoids", "lines", "triangles"};

static const struct lammps_section sections[] = {
    {"Atoms", LAMMPS_ATOMS},
    {"Velocities", LAMMPS_ATOMS},
    {"Masses", LAMMPS_ATOM_TYPES},
    {"Ellipsoids", LAMMPS_ELLIPSOIDS},
    {"Lines", LAMMPS_LINES},
    {"Triangles", LAMMPS_TRIANGLES},
    {"Bonds", LAMMPS_BONDS},
    {"Angles", LAMMPS_ANGLES},
    {"Dihedrals", LAMMPS_DIHEDRALS},
    {"Impropers", LAMMPS_IMPROPERS},
    {"Pair Coeffs", LAMMPS_ATOM_TYPES},
    {"PairIJ Coeffs", LAMMPS_TYPE_PAIRS},
    {"Bond Coeffs", LAMMPS_BOND_TYPES},
    {"Angle Coeffs", LAMMPS_ANGLE_TYPES},
    {"Dihedral Coeffs", LAMMPS_DIHEDRAL_TYPES},
    {"Improper Coeffs", LAMMPS_IMPROPER_TYPES},
    {"BondBond Coeffs", LAMMPS_ANGLE_TYPES},
    {"BondAngle Coeffs", LAMMPS_ANGLE_TYPES},
    {"MiddleBondTorsion Coeffs", LAMMPS_DIHEDRAL_TYPES},
    {"EndBondTorsion Coeffs", LAMMPS_DIHEDRAL_TYPES},
    {"AngleTorsion Coeffs", LAMMPS_DIHEDRAL_TYPES},
    {"AngleAngleTorsion Coeffs", LAMMPS_DIHEDRAL_TYPES},
    {"BondBond13 Coeffs", LAMMPS_DIHEDRAL_TYPES},
    {"AngleAngle Coeffs", LAMMPS_IMPROPER_TYPES},
    {"Atom Type Labels", LAMMPS_ATOM_TYPES},
    {"Bond Type Labels", LAMMPS_BOND_TYPES},
    {"Angle Type Labels", LAMMPS_ANGLE_TYPES},
    {"Dihedral Type Labels", LAMMPS_DIHEDRAL_TYPES},
    {"Improper Type Labels", LAMMPS_IMPROPER_TYPES},
};

/* True if the words are equal up to the number of blanks between them and after
 * the last. */
static bool same_words(const char *p, const char *words) {
    p += strspn(p, " \t");
    for (; *words; words++) {
        if (*words != ' ') {
            if (*p++ != *words) return false;
        } else {
            size_t n = strspn(p, " \t");
            if (n == 0) return false;
            p += n;
        }
    }
    return p[strspn(p, " \t")] == 0;
}

const struct lammps_section *lammps_section(const char *line) {
    for (size_t k = 0; k < sizeof sections / sizeof sections[0]; k++)
        if (same_words(line, sections[k].name)) return &sections[k];
    return NULL;
}

/* The text after the numbers of the line. */
static const char *after_numbers(const char *p) {
    for (;;) {
        p += strspn(p, " \t");
        if (*p == 0 || strchr("+-.0123456789", *p) == NULL) return p;
        p += strcspn(p, " \t");
    }
}

static int take_reals(struct text *t, const char *what, int n, double *out) {
    for (int k = 0; k < n; k++) {
        struct text_item item = {what, k + 1, 0};
        if (text_real(t, text_next_word(t), item, true, &out[k])) return -1;
    }
    return 0;
}

/* Fails because the header gives a value twice. */
static int lammps_twice(struct text *t, const char *words) {
    t->cursor = 0;
    return text_expected(t, text_next_word(t), "the line \"%s\" once in the "
                         "header", words);
}

static int take_bounds(struct text *t, struct lammps_header *h, int d,
                       const char *words) {
    double bounds[2];
    size_t start = t->cursor;
    if (take_reals(t, words, 2, bounds)) return -1;
    if (!(bounds[1] > bounds[0]) || !isfinite(bounds[1] - bounds[0])) {
        t->cursor = start;
        text_next_word(t);
        return text_expected(t, text_next_word(t),
                             "%s above %.3s by a finite length", words + 4,
                             words);
    }
    if (h->has_bounds[d])
        return lammps_twice(t, words);
    h->low[d] = bounds[0];
    h->high[d] = bounds[1];
    h->has_bounds[d] = true;
    return 1;
}

static int take_count(struct text *t, int64_t *count, const char *what) {
    struct text_item item = {what, 0, 0};
    struct text_word word = text_next_word(t);
    int64_t value;
    if (text_integer(t, word, item, &value)) return -1;
    if (value < 0)
        return text_expected(t, word, "a number of %s from 0", what);
    if (*count >= 0 && *count != value) return lammps_twice(t, what);
    *count = value;
    return 1;
}

/* The number of words of the line before `words`. */
static int numbers_before(const struct text *t, const char *words) {
    struct text copy = *t;
    int n = 0;
    for (;;) {
        struct text_word word = text_next_word(&copy);
        if (word.n == 0 || word.p >= words) return n;
        n++;
    }
}

int lammps_header_line(struct text *t, struct lammps_header *h) {
    static const char *const bounds[] = {"xlo xhi", "ylo yhi", "zlo zhi"};
    static const char *const vectors[] = {"avec", "bvec", "cvec",
                                          "abc origin"};
    const char *words = after_numbers(t->line);
    int n = numbers_before(t, words), wanted = 0;
    double *target = NULL;
    if (n == 0) return 0;
    for (int k = 0; k < LAMMPS_COUNTS; k++)
        if (same_words(words, count_names[k]) && n == 1)
            return take_count(t, &h->counts[k], count_names[k]);
    for (int d = 0; d < 3; d++)
        if (same_words(words, bounds[d]) && n == 2)
            return take_bounds(t, h, d, bounds[d]);
    for (int k = 0; k < 4; k++)
        if (same_words(words, vectors[k])) {
            if (h->has_vectors & 1 << k) return lammps_twice(t, vectors[k]);
            h->has_vectors |= 1 << k;
            target = h->vectors[k];
            wanted = 3;
        }
    if (same_words(words, "xy xz yz")) {
        if (h->has_tilt) return lammps_twice(t, "xy xz yz");
        h->has_tilt = true;
        target = h->tilt;
        wanted = 3;
    }
    /* Counts added by fixes are skipped. */
    if (!target && n == 1 && *words && !strstr(words, "lo ")
        && !strstr(words, "atoms"))
        return 1;
    if (n != wanted || !target)
        return text_expected(t, text_next_word(t),
                             "a line of the header, as \"N atoms\", \"LO HI "
                             "xlo xhi\" or \"XY XZ YZ xy xz yz\"");
    return take_reals(t, words, 3, target) ? -1 : 1;
}

int lammps_header_cell(struct text *t, const struct io_options *options,
                       const struct lammps_header *h,
                       struct io_frame *frame) {
    static const char *const bounds[] = {"xlo xhi", "ylo yhi", "zlo zhi"};
    int given = h->has_bounds[0] + h->has_bounds[1] + h->has_bounds[2];
    if (h->has_vectors && (given || h->has_tilt))
        return text_fail(t, "the header has avec, bvec, cvec and also %s: one "
                            "of them gives the box",
                         given ? "xlo xhi" : "xy xz yz");
    if (h->has_vectors) {
        if ((h->has_vectors & 7) != 7)
            return text_fail(t, "the header has some but not all of the lines "
                                "avec, bvec, cvec");
        memcpy(frame->cell, h->vectors, sizeof frame->cell);
        memcpy(frame->origin, h->vectors[3], sizeof frame->origin);
    } else if (given == 3) {
        for (int d = 0; d < 3; d++) {
            frame->cell[4 * d] = h->high[d] - h->low[d];
            frame->origin[d] = h->low[d];
        }
        frame->cell[3] = h->tilt[0];
        frame->cell[6] = h->tilt[1];
        frame->cell[7] = h->tilt[2];
    } else if (given > 0) {
        int d = !h->has_bounds[0] ? 0 : !h->has_bounds[1] ? 1 : 2;
        return text_fail(t, "expected a line \"LO HI %s\" in the header, "
                            "found the other two only", bounds[d]);
    } else if (geometry_is_given(options) || h->counts[LAMMPS_ATOMS] == 0) {
        return 0;
    } else {
        return text_fail(t, "the header has no box (lines as \"LO HI xlo "
                            "xhi\"%s): " GEOMETRY_ADVICE,
                         h->has_tilt ? ", besides xy xz yz" : "");
    }
    frame->has_cell = true;
    frame->periodic[0] = frame->periodic[1] = frame->periodic[2] = 1;
    return 0;
}
