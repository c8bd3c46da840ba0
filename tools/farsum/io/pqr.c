/* SPDX-License-Identifier: Apache-2.0 */
/* pqr.c: reader of PQR: PDB records separated by blanks, with charge and radius
 * in the last two columns.  GROMACS editconf writes these before an element.
 * See pdb2pqr.readthedocs.io, "PQR molecular structure format". */
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "base/number.h"
#include "frame.h"
#include "slices.h"

struct pqr {
    double cell[9];
    bool has_cell;
    double said[6];  /* from CRYST1 */
    bool frame_says; /* this frame has CRYST1 */
    bool chain, element; /* an atom of this frame has one */
    int64_t capacity; /* rows of the frame's arrays */
};

/* The numbers of words of an atom after its record's name: serial name resname
 * [chain] resid x y z charge radius [element]. */
enum { LEAST = 9, MOST = 11 };
enum { SERIAL, NAME, RESNAME, CHAIN, RESID, ELEMENT, RADIUS, N_COLUMNS };
static const char *const column_names[N_COLUMNS] = {
    "serial", "name", "resname", "chain", "resid", "species", "radius"};

/* Records of the PDB without data about charges. */
static const char ignored[] =
    " HEADER OBSLTE TITLE SPLIT CAVEAT COMPND SOURCE KEYWDS EXPDTA NUMMDL "
    "MDLTYP AUTHOR REVDAT SPRSDE JRNL REMARK DBREF DBREF1 DBREF2 SEQADV SEQRES "
    "MODRES HET HETNAM HETSYN FORMUL HELIX SHEET TURN SSBOND LINK LINKR CISPEP "
    "SITE ORIGX1 ORIGX2 ORIGX3 SCALE1 SCALE2 SCALE3 MTRIX1 MTRIX2 MTRIX3 "
    "TVECT ANISOU SIGATM SIGUIJ TER CONECT MASTER HYDBND SLTBRG FTNOTE ";

static bool is_ignored(struct text_word word) {
    char name[16];
    if (word.n > 10 || word.p[0] == '#') return word.p[0] == '#';
    memcpy(name + 1, word.p, word.n);
    name[0] = name[word.n + 1] = ' ';
    name[word.n + 2] = 0;
    return strstr(ignored, name) != NULL ||
           (word.n > 6 && strncmp(word.p, "REMARK", 6) == 0);
}

static bool begins(struct text_word word, const char *what) {
    return word.n >= strlen(what) && memcmp(word.p, what, strlen(what)) == 0;
}

static int read_cell(struct text *t, struct pqr *p) {
    static const char *const names[] = {"a", "b", "c", "alpha", "beta",
                                        "gamma"};
    double v[6];
    t->cursor = 6; /* a long number may touch the record's name */
    struct text_word word, first = {t->line + 6, 0};
    for (int k = 0; k < 6; k++) {
        word = text_next_word(t);
        if (k == 0) first = word;
        struct text_item item = {names[k], 0, 0};
        if (text_real(t, word, item, true, &v[k])) return -1;
    }
    if (p->frame_says && memcmp(p->said, v, sizeof v) != 0)
        return text_expected(t, first, "the same cell as in an earlier CRYST1 "
                             "of this model");
    p->frame_says = true;
    memcpy(p->said, v, sizeof v);
    /* By convention of the PDB 1 1 1 means no crystal; other programs write 0 0
     * 0. */
    p->has_cell = false;
    bool none = v[0] == v[1] && v[1] == v[2] && (v[0] == 0 || v[0] == 1);
    if (none) return 0;
    if (!frame_cell_from_angles(v, v + 3, p->cell))
        return text_expected(t, first, "lengths and angles of a cell (a b c "
                             "alpha beta gamma)");
    p->has_cell = true;
    return 0;
}

/* Particles of the frame so far. */
static int64_t particles(const struct io_reader *reader,
                         const struct io_frame *frame) {
    return reader->given + frame->n;
}

static int put_text(struct text *t, struct io_frame *frame, int column,
                    struct text_word word) {
    char *copy = frame_text(word.p, word.n);
    if (!copy) return text_no_memory(t);
    ((char **)frame->columns[column].data)[frame->n - 1] = copy;
    return 0;
}

static bool is_number(struct text_word word) {
    double v;
    return number_real(word.p, word.n, &v) != NUMBER_MALFORMED;
}

static bool is_letter(const struct text_word *word, size_t k) {
    return k < word->n && (word->p[k] | 32) >= 'a' && (word->p[k] | 32) <= 'z';
}

/* True for a residue's number, "12", "-3", "12A", or with its chain "A1000".
 * Otherwise the words are other columns than assumed, and the positions are
 * elsewhere. */
static bool is_resid(struct text_word word) {
    size_t k = is_letter(&word, 0);
    if (k < word.n && word.p[k] == '-') k++;
    size_t digits = k;
    while (k < word.n && word.p[k] >= '0' && word.p[k] <= '9') k++;
    return k > digits && k + is_letter(&word, k) == word.n;
}

/* Stores the n words of an atom. */
static int put_atom(struct io_reader *reader, struct io_frame *frame,
                    const struct text_word *words, int n) {
    struct text *t = &reader->text;
    struct pqr *p = reader->state;
    static const char *const names[] = {"x", "y", "z", "charge", "radius"};
    int64_t i = frame->n - 1;
    struct text_word chain = {"", 0}, element = {"", 0};
    if (n > LEAST && !is_number(words[n - 1])) element = words[--n];
    if (n > LEAST + 1)
        return text_expected(t, words[n - 1], "the end of the line after 11 "
                             "columns");
    if (n == LEAST + 1) chain = words[3];
    if (!is_resid(words[n - 6]))
        return text_expected(t, words[n - 6], "a residue's number before x y z "
                             "charge radius [element]");
    p->chain |= chain.n > 0;
    p->element |= element.n > 0;
    if (put_text(t, frame, SERIAL, words[0]) ||
        put_text(t, frame, NAME, words[1]) ||
        put_text(t, frame, RESNAME, words[2]) ||
        put_text(t, frame, CHAIN, chain) ||
        put_text(t, frame, RESID, words[n - 6]) ||
        put_text(t, frame, ELEMENT, element))
        return -1;
    double *targets[] = {&frame->x[3 * i], &frame->x[3 * i + 1],
                         &frame->x[3 * i + 2], &frame->q[i],
                         (double *)frame->columns[RADIUS].data + i};
    for (int k = 0; k < 5; k++) {
        struct text_item item = {names[k], 0, particles(reader, frame)};
        if (text_real(t, words[n - 5 + k], item, true, targets[k])) return -1;
    }
    return 0;
}

static int read_atom(struct io_reader *reader, struct io_frame *frame,
                     size_t start) {
    struct text *t = &reader->text;
    struct pqr *p = reader->state;
    struct text_word words[MOST], word;
    int n = 0;
    t->cursor = start; /* a long serial may touch the record's name */
    while ((word = text_next_word(t)).n > 0) {
        if (n == MOST)
            return text_expected(t, word, "the end of the line after 12 "
                                 "columns");
        words[n++] = word;
    }
    if (n < LEAST)
        return text_expected(t, word, "10 or 11 columns: record serial name "
                             "residue [chain] number x y z charge radius");
    if (slices_row(reader, frame, true, &p->capacity)) return -1;
    return put_atom(reader, frame, words, n);
}

static int add_columns(struct text *t, struct io_frame *frame) {
    for (int k = 0; k < N_COLUMNS; k++)
        if (frame_add_column(frame, column_names[k],
                             k == RADIUS ? IO_REAL : IO_TEXT, 1))
            return text_no_memory(t);
    return 0;
}

/* 1: the frame is complete; 0: continue; -1: error. */
static int read_record(struct io_reader *reader, struct io_frame *frame) {
    struct text *t = &reader->text;
    struct text_word word = text_next_word(t);
    if (word.n == 0) return 0;
    size_t start = (size_t)(word.p - t->line);
    bool digit = word.n > 4 && word.p[4] >= '0' && word.p[4] <= '9';
    if (text_is(word, "ATOM") || (begins(word, "ATOM") && digit))
        return read_atom(reader, frame, start + 4);
    if (begins(word, "HETATM"))
        return read_atom(reader, frame, start + 6);
    if (begins(word, "CRYST1") && start == 0)
        return read_cell(t, reader->state);
    if (text_is(word, "MODEL")) {
        if (particles(reader, frame) > 0)
            return text_expected(t, word, "ENDMDL before the next model");
        return 0;
    }
    if (text_is(word, "ENDMDL") || text_is(word, "END"))
        return particles(reader, frame) > 0;
    if (is_ignored(word)) return 0;
    return text_expected(t, word, "a record ATOM, HETATM, CRYST1 or another "
                         "of the PDB");
}

static int pqr_read(struct io_reader *reader, struct io_frame *frame) {
    struct text *t = &reader->text;
    struct pqr *p = reader->state;
    int got, end = 0;
    p->frame_says = p->chain = p->element = false;
    p->capacity = 0;
    slices_begin(reader, 0);
    if (add_columns(t, frame)) return -1;
    while (end == 0 && (got = text_next_line(t)) != 0) {
        if (got < 0) return -1;
        end = read_record(reader, frame);
    }
    if (end < 0) return -1;
    if (particles(reader, frame) == 0) {
        if (reader->frames > 0) return 0;
        return text_expected_more(t, "a record ATOM or HETATM");
    }
    if (frame_fit(frame, true)) return text_no_memory(t);
    if (!p->element) frame_drop_column(frame, "species");
    if (!p->chain) frame_drop_column(frame, "chain");
    frame->has_cell = p->has_cell;
    if (p->has_cell) {
        memcpy(frame->cell, p->cell, sizeof frame->cell);
        for (int d = 0; d < 3; d++) frame->periodic[d] = 1;
    }
    return 1;
}

static int pqr_open(struct io_reader *reader) {
    reader->state = calloc(1, sizeof(struct pqr));
    return reader->state ? 0 : text_no_memory(&reader->text);
}

static void pqr_close(struct io_reader *reader) { free(reader->state); }

const struct format format_pqr = {
    .name = "pqr",
    .suffixes = " .pqr ",
    .open = pqr_open,
    .read = pqr_read,
    .close = pqr_close,
};
