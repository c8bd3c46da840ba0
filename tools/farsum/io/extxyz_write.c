/* SPDX-License-Identifier: Apache-2.0 */
/* extxyz_write.c: writer of extended XYZ. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "format.h"
#include "frame.h"
#include "keys.h"
#include "output.h"

/* Writes key=value, each quoted where necessary. */
static int put_key(struct output *o, const char *key, const char *value) {
    char *k = keys_quote(key), *v = keys_quote(value);
    int bad = k && v ? output_text(o, " ") || output_text(o, k) ||
                           output_text(o, "=") || output_text(o, v)
                     : output_fail(o, "out of memory");
    free(k);
    free(v);
    return bad ? -1 : 0;
}

static int put_reals(struct output *o, const char *key, int n,
                     const double *values) {
    if (output_text(o, key)) return -1;
    for (int k = 0; k < n; k++)
        if (output_text(o, k ? " " : "=\"") || output_real(o, values[k]))
            return -1;
    return output_text(o, "\" ");
}

static int put_property(struct output *o, const char *name, char letter,
                        int width) {
    if (!keys_is_bare(name) || strchr(name, ':'))
        return output_fail(o, "the column name \"%s\" is not allowed in a "
                              "file of this format", name);
    char rest[4] = {':', letter, ':', 0};
    if (output_text(o, name) || output_text(o, rest)) return -1;
    return output_integer(o, width);
}

static int put_properties(struct output *o, const struct io_frame *frame,
                          const struct io_column *species) {
    static const char letters[] = {
        [IO_REAL] = 'R', [IO_INT] = 'I', [IO_TEXT] = 'S', [IO_BOOL] = 'L'};
    if (output_text(o, "Properties=")) return -1;
    if (species &&
        (put_property(o, "species", letters[species->type], species->width) ||
         output_text(o, ":")))
        return -1;
    if (put_property(o, "pos", 'R', 3)) return -1;
    if (frame->q &&
        (output_text(o, ":") || put_property(o, "charge", 'R', 1)))
        return -1;
    for (int k = 0; k < frame->n_columns; k++) {
        const struct io_column *c = &frame->columns[k];
        if (c == species) continue;
        if (strcmp(c->name, "pos") == 0 ||
            (frame->q && strcmp(c->name, "charge") == 0))
            return output_fail(o, "two columns of the name \"%s\"", c->name);
        if (output_text(o, ":") ||
            put_property(o, c->name, letters[c->type], c->width))
            return -1;
    }
    return 0;
}

static int put_comment(struct output *o, const struct io_frame *frame,
                       const struct io_column *species) {
    static const char *const own[] = {"Lattice", "Properties", "pbc",
                                      "Origin"};
    const double *origin = frame->origin;
    if (frame->has_cell && put_reals(o, "Lattice", 9, frame->cell)) return -1;
    if ((origin[0] != 0 || origin[1] != 0 || origin[2] != 0) &&
        put_reals(o, "Origin", 3, origin))
        return -1;
    char pbc[] = "pbc=\"F F F\" ";
    for (int d = 0; d < 3; d++)
        if (frame->periodic[d]) pbc[5 + 2 * d] = 'T';
    if (output_text(o, pbc) || put_properties(o, frame, species)) return -1;
    for (int k = 0; k < frame->n_keys; k++) {
        const struct io_key *key = &frame->keys[k];
        for (int j = 0; j < 4; j++)
            if (strcasecmp(key->key, own[j]) == 0)
                return output_fail(o, "the key \"%s\" has its own meaning in "
                                      "a file of this format", key->key);
        if (put_key(o, key->key, key->value)) return -1;
    }
    return output_text(o, "\n");
}

/* Writes a word, quoted as the reader of a column expects. */
static int put_word(struct output *o, const char *word) {
    if (*word && *word != '"' && !strpbrk(word, " \t\n\v\f\r"))
        return output_text(o, word);
    if (output_text(o, "\"")) return -1;
    for (; *word; word++) {
        if (strchr("\"\\\n", *word) && output_text(o, "\\")) return -1;
        if (output_put(o, *word == '\n' ? "n" : word, 1)) return -1;
    }
    return output_text(o, "\"");
}

static int put_cells(struct output *o, const struct io_column *c, int64_t i,
                     bool first) {
    for (int64_t at = i * c->width; at < (i + 1) * c->width; at++) {
        int bad = first ? 0 : output_text(o, " ");
        first = false;
        switch (c->type) {
        case IO_REAL: bad |= output_real(o, ((double *)c->data)[at]); break;
        case IO_INT: bad |= output_integer(o, ((int64_t *)c->data)[at]); break;
        case IO_TEXT: bad |= put_word(o, ((char **)c->data)[at]); break;
        case IO_BOOL:
            bad |= output_text(o, ((char *)c->data)[at] ? "T" : "F");
            break;
        }
        if (bad) return -1;
    }
    return 0;
}

static int put_particle(struct output *o, const struct io_frame *frame,
                        const struct io_column *species, int64_t i) {
    if (species && put_cells(o, species, i, true)) return -1;
    for (int d = 0; d < 3; d++)
        if ((species || d > 0 ? output_text(o, " ") : 0) ||
            output_real(o, frame->x[3 * i + d]))
            return -1;
    if (frame->q && (output_text(o, " ") || output_real(o, frame->q[i])))
        return -1;
    for (int k = 0; k < frame->n_columns; k++)
        if (&frame->columns[k] != species &&
            put_cells(o, &frame->columns[k], i, false))
            return -1;
    return output_text(o, "\n");
}

int extxyz_begin(struct io_writer *writer, const struct io_frame *head,
                 int64_t all) {
    struct output *o = writer->output;
    if (output_integer(o, all) || output_text(o, "\n")) return -1;
    return put_comment(o, head, io_frame_column(head, "species"));
}

int extxyz_slice(struct io_writer *writer, const struct io_frame *frame) {
    struct output *o = writer->output;
    const struct io_column *species = io_frame_column(frame, "species");
    for (int64_t i = 0; i < frame->n; i++)
        if (put_particle(o, frame, species, i)) return -1;
    return 0;
}

const struct format format_extxyz = {
    .name = "extxyz",
    .suffixes = " .xyz .extxyz ",
    .read = extxyz_read,
    .begin = extxyz_begin,
    .slice = extxyz_slice,
};
