/* SPDX-License-Identifier: Apache-2.0 */
/* extxyz_read.c: reader of extended XYZ: a count, a comment line of key=value
 * pairs, one line per particle (github.com/libAtoms/extxyz).  In plain XYZ the
 * comment is free text. */
#include <string.h>

#include "comment.h"
#include "format.h"
#include "frame.h"
#include "geometry.h"
#include "keys.h"
#include "slices.h"

static int parse_text(struct text *t, struct text_word word, char **out) {
    if (word.n == 0) return text_expected(t, word, "a word");
    if (*word.p != '"') {
        *out = frame_text(word.p, word.n);
        return *out ? 0 : text_no_memory(t);
    }
    size_t cursor = (size_t)(word.p - t->line);
    const char *expected = NULL;
    int got = keys_quoted(t->line, &cursor, out, &expected);
    t->cursor = cursor;
    if (got == 1) return 0;
    if (!expected) return text_no_memory(t);
    return text_expected(t, text_next_word(t), "%s", expected);
}

/* Parses a value of the frame's last row, which is particle `number`. */
static int parse_value(struct text *t, struct io_frame *frame,
                       const struct field *f, int64_t number, int k) {
    int64_t i = frame->n - 1;
    struct text_word word = text_next_word(t);
    struct text_item item = {f->name, f->width > 1 ? k + 1 : 0, number};
    if (f->role == ROLE_POS)
        return text_real(t, word, item, true, &frame->x[3 * i + k]);
    if (f->role == ROLE_CHARGE)
        return text_real(t, word, item, true, &frame->q[i]);
    void *data = frame->columns[f->column].data;
    int64_t at = i * f->width + k;
    switch (f->type) {
    case IO_REAL:
        return text_real(t, word, item, false, (double *)data + at);
    case IO_INT: return text_integer(t, word, item, (int64_t *)data + at);
    case IO_TEXT: return parse_text(t, word, (char **)data + at);
    case IO_BOOL: break;
    }
    int truth;
    if (comment_truth(t, word, false, &truth)) return -1;
    ((char *)data)[at] = (char)truth;
    return 0;
}

static int read_particles(struct io_reader *reader, struct io_frame *frame,
                          const struct comment *c, int64_t n) {
    struct text *t = &reader->text;
    int64_t capacity = 0;
    bool charged = c->charge >= 0;
    slices_begin(reader, n);
    for (int64_t i = 0; i < n; i++) {
        int got = text_next_line(t);
        if (got < 0) return -1;
        if (got == 0)
            return text_expected_more(t, "particle %lld of %lld",
                                      (long long)(i + 1), (long long)n);
        if (slices_row(reader, frame, charged, &capacity)) return -1;
        for (int k = 0; k < c->n_fields; k++)
            for (int d = 0; d < c->fields[k].width; d++)
                if (parse_value(t, frame, &c->fields[k], i + 1, d))
                    return -1;
        if (text_finish_line(t)) return -1;
    }
    return frame_fit(frame, charged) ? text_no_memory(t) : 0;
}

static int read_count(struct text *t, int64_t frames, int64_t *n) {
    int got;
    do got = text_next_line(t);
    while (got == 1 && text_blank(t));
    if (got < 0) return -1;
    if (got == 0) {
        if (frames > 0) return 0;
        return text_expected_more(t, "a number of particles");
    }
    struct text_item item = {"the number of particles", 0, 0};
    struct text_word word = text_next_word(t);
    if (text_integer(t, word, item, n)) return -1;
    if (*n < 0) return text_expected(t, word, "a number of particles from 0");
    return text_finish_line(t) ? -1 : 1;
}

/* If only the first frame has a cell, the later frames have neither that cell
 * nor open space, so this is an error. */
static int check_like_before(struct io_reader *reader,
                             const struct io_frame *frame,
                             const struct comment *c) {
    struct text *t = &reader->text;
    bool before = reader->had_cell;
    reader->had_cell |= frame->has_cell;
    if (frame->has_cell || !before || c->says_periodic ||
        geometry_is_given(&reader->options))
        return 0;
    struct text_word whole = {t->line, t->length};
    return text_expected(t, whole, "Lattice=\"...\" as in an earlier frame, or "
                         "pbc=\"F F F\" (" GEOMETRY_ADVICE ")");
}

int extxyz_read(struct io_reader *reader, struct io_frame *frame) {
    struct text *t = &reader->text;
    struct comment c = {0};
    int64_t n = 0;
    int got = read_count(t, reader->frames, &n);
    if (got < 1) return got;
    got = text_next_line(t);
    if (got < 0) return -1;
    if (got == 0) return text_expected_more(t, "a comment line");
    frame->line = t->number + 1;
    int bad = comment_parse(t, &reader->options, frame, &c) ||
              check_like_before(reader, frame, &c);
    for (int k = 0; k < c.n_fields && !bad; k++) {
        struct field *f = &c.fields[k];
        if (f->role != ROLE_COLUMN) continue;
        f->column = frame->n_columns;
        bad = frame_add_column(frame, f->name, f->type, f->width)
                  ? text_no_memory(t)
                  : 0;
    }
    if (!bad) bad = read_particles(reader, frame, &c, n);
    comment_clear(&c);
    return bad ? -1 : 1;
}
