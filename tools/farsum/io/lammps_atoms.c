/* SPDX-License-Identifier: Apache-2.0 */
/* lammps_atoms.c: section Atoms of a LAMMPS data file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "lammps.h"
#include "slices.h"

#include "base/number.h"

static int add_column(struct lammps *r, const char *name, enum io_type type,
                      int width, int *at) {
    *at = r->frame->n_columns;
    return frame_add_column(r->frame, name, type, width)
               ? text_no_memory(r->t)
               : 0;
}

static int add_columns(struct lammps *r) {
    const char *layout = r->style->layout;
    struct lammps_columns *c = &r->column;
    *c = (struct lammps_columns){-1, -1, -1, -1, -1};
    if ((r->labels && add_column(r, "species", IO_TEXT, 1, &c->species)) ||
        (strchr(layout, 'i') && add_column(r, "id", IO_INT, 1, &c->id)) ||
        (strchr(layout, 't') && add_column(r, "type", IO_INT, 1, &c->type)) ||
        (strchr(layout, 'm') && add_column(r, "mol", IO_INT, 1, &c->mol)) ||
        (r->images && add_column(r, "image", IO_INT, 3, &c->image)))
        return -1;
    return 0;
}

/* --- types and their labels --- */

int lammps_read_labels(struct lammps *r) {
    int64_t n = r->header.counts[LAMMPS_ATOM_TYPES], type;
    const struct text_item item = {"the number of a type", 0, 0};
    if (r->labels)
        return text_fail(r->t, "line %lld: a second section Atom Type Labels",
                         (long long)r->t->number);
    if (n < 0 || n > LAMMPS_TYPES_MAX)
        return text_fail(r->t, "section Atom Type Labels at line %lld needs a "
                               "line \"N atom types\" in the header, N at most "
                               "%d", (long long)r->t->number,
                         LAMMPS_TYPES_MAX);
    r->labels = calloc((size_t)n + 1, sizeof *r->labels);
    if (!r->labels) return text_no_memory(r->t);
    r->n_labels = n;
    for (int64_t i = 0; i < n; i++) {
        int got = lammps_next_line(r->t);
        if (got < 0) return -1;
        if (got == 0)
            return text_expected_more(r->t, "label %lld of %lld",
                                      (long long)(i + 1), (long long)n);
        if (lammps_no_section(r->t, "label", i, n)) return -1;
        struct text_word word = text_next_word(r->t), label;
        if (text_integer(r->t, word, item, &type)) return -1;
        if (type < 1 || type > n || r->labels[type - 1])
            return text_expected(r->t, word, "each type from 1 to %lld once",
                                 (long long)n);
        label = text_next_word(r->t);
        if (label.n == 0) return text_expected(r->t, label, "a type's label");
        r->labels[type - 1] = frame_text(label.p, label.n);
        if (!r->labels[type - 1]) return text_no_memory(r->t);
        if (text_finish_line(r->t)) return -1;
    }
    return 0;
}

void lammps_free_labels(struct lammps *r) {
    for (int64_t k = 0; k < r->n_labels; k++) free(r->labels[k]);
    free(r->labels);
    r->labels = NULL;
    r->n_labels = 0;
}

static bool is_label(struct text_word word) {
    return word.n > 0 && !strchr("+-.0123456789", *word.p);
}

static int take_label(struct lammps *r, struct text_word word,
                      struct text_item item, int64_t *type) {
    for (int64_t k = 0; k < r->n_labels; k++)
        if (text_is(word, r->labels[k])) {
            *type = k + 1;
            return 0;
        }
    return text_expected(r->t, word, "a label of section Atom Type Labels "
                         "(type of particle %lld)", (long long)item.particle);
}

static int take_type(struct lammps *r, struct text_word word,
                     struct text_item item, int64_t *type) {
    int64_t n = r->header.counts[LAMMPS_ATOM_TYPES];
    if (r->labels && is_label(word)) return take_label(r, word, item, type);
    if (text_integer(r->t, word, item, type)) return -1;
    if (*type >= 1 && (n < 0 || *type <= n)) return 0;
    char limit[32] = "";
    if (n >= 0) snprintf(limit, sizeof limit, " to %lld", (long long)n);
    return text_expected(r->t, word, "a type from 1%s (particle %lld%s)", limit,
                         (long long)item.particle,
                         r->guessed ? "; --atom-style names another order of "
                                      "columns than the usual one"
                                    : "");
}

static int put_species(struct lammps *r, int64_t type, int64_t i) {
    char **species = r->frame->columns[r->column.species].data;
    const char *label = r->labels[type - 1];
    species[i] = strdup(label ? label : "");
    return species[i] ? 0 : text_no_memory(r->t);
}

/* --- the lines --- */

static int64_t *integers(const struct lammps *r, int column) {
    return r->frame->columns[column].data;
}

/* Takes a column of particle `number`, the frame's last row. */
static int take_column(struct lammps *r, char kind, int64_t number) {
    struct io_frame *f = r->frame;
    int64_t i = f->n - 1;
    struct text_word word = text_next_word(r->t);
    int64_t *type;
    switch (kind) {
    case '-':
        return word.n ? 0
                      : text_expected(r->t, word, "%zu columns (particle "
                                      "%lld)", strlen(r->style->layout),
                                      (long long)number);
    case 'i':
        return text_integer(r->t, word, (struct text_item){"id", 0, number},
                            integers(r, r->column.id) + i);
    case 'm':
        return text_integer(r->t, word,
                            (struct text_item){"molecule", 0, number},
                            integers(r, r->column.mol) + i);
    case 't':
        type = integers(r, r->column.type) + i;
        if (take_type(r, word, (struct text_item){"type", 0, number}, type))
            return -1;
        return r->labels ? put_species(r, *type, i) : 0;
    case 'q':
        if (text_real(r->t, word, (struct text_item){"charge", 0, number},
                      true, &f->q[i]))
            return -1;
        r->some_negative |= f->q[i] < 0;
        return 0;
    default: /* x, y, z */
        return text_real(r->t, word,
                         (struct text_item){"position", kind - 'x' + 1, number},
                         true, &f->x[3 * i + (kind - 'x')]);
    }
}

static int take_images(struct lammps *r, int64_t number) {
    int64_t i = r->frame->n - 1;
    int64_t *image = integers(r, r->column.image);
    for (int d = 0; d < 3; d++) {
        if (text_integer(r->t, text_next_word(r->t),
                         (struct text_item){"image flag", d + 1, number},
                         &image[3 * i + d]))
            return -1;
        r->some_image |= image[3 * i + d] != 0;
    }
    return 0;
}

static int begin_atoms(struct lammps *r) {
    if (!r->style && lammps_guess_style(r)) return -1;
    r->images = lammps_count_words(r->t) > (int)strlen(r->style->layout);
    return add_columns(r);
}

int lammps_read_atoms(struct lammps *r) {
    int64_t n = r->header.counts[LAMMPS_ATOMS], capacity = 0;
    bool charged = false;
    slices_begin(r->reader, n);
    for (int64_t i = 0; i < n; i++) {
        int got = lammps_next_line(r->t);
        if (got < 0) return -1;
        if (got == 0)
            return text_expected_more(r->t, "atom %lld of %lld",
                                      (long long)(i + 1), (long long)n);
        if (lammps_no_section(r->t, "atom", i, n)) return -1;
        if (i == 0 && begin_atoms(r)) return -1;
        charged = strchr(r->style->layout, 'q') != NULL;
        if (slices_row(r->reader, r->frame, charged, &capacity)) return -1;
        for (const char *kind = r->style->layout; *kind; kind++)
            if (take_column(r, *kind, i + 1)) return -1;
        if (r->images && take_images(r, i + 1)) return -1;
        if (text_finish_line(r->t)) return -1;
    }
    if (frame_fit(r->frame, charged)) return text_no_memory(r->t);
    return lammps_check_guess(r);
}
