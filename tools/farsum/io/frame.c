/* SPDX-License-Identifier: Apache-2.0 */
/* frame.c: growing frames, columns and keys. */
#include "frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t frame_cell_size(enum io_type type) {
    switch (type) {
    case IO_REAL: return sizeof(double);
    case IO_INT: return sizeof(int64_t);
    case IO_TEXT: return sizeof(char *);
    case IO_BOOL: break;
    }
    return 1;
}

char *frame_text(const char *p, size_t n) {
    char *copy = malloc(n + 1);
    if (!copy) return NULL;
    memcpy(copy, p, n);
    copy[n] = 0;
    return copy;
}

static void column_clear(struct io_column *column, int64_t n) {
    if (column->type == IO_TEXT && column->data) {
        char **text = column->data;
        for (int64_t i = 0; i < n * column->width; i++) free(text[i]);
    }
    free(column->data);
    free(column->name);
}

void io_frame_clear(struct io_frame *frame) {
    for (int k = 0; k < frame->n_columns; k++)
        column_clear(&frame->columns[k], frame->n);
    for (int k = 0; k < frame->n_keys; k++) {
        free(frame->keys[k].key);
        free(frame->keys[k].value);
    }
    for (int k = 0; k < IO_JOINS; k++) io_pairs_clear(&frame->joins[k]);
    free(frame->columns);
    free(frame->keys);
    free(frame->x);
    free(frame->q);
    memset(frame, 0, sizeof *frame);
}

struct io_column *io_frame_column(const struct io_frame *frame,
                                  const char *name) {
    for (int k = 0; k < frame->n_columns; k++)
        if (strcmp(frame->columns[k].name, name) == 0)
            return &frame->columns[k];
    return NULL;
}

const char *io_frame_key(const struct io_frame *frame, const char *key) {
    for (int k = 0; k < frame->n_keys; k++)
        if (strcmp(frame->keys[k].key, key) == 0) return frame->keys[k].value;
    return NULL;
}

int frame_add_column(struct io_frame *frame, const char *name,
                     enum io_type type, int width) {
    struct io_column *columns =
        realloc(frame->columns,
                ((size_t)frame->n_columns + 1) * sizeof *columns);
    if (!columns) return -1;
    frame->columns = columns;
    char *copy = strdup(name);
    if (!copy) return -1;
    columns[frame->n_columns++] =
        (struct io_column){.name = copy, .type = type, .width = width};
    return 0;
}

int io_frame_set_column(struct io_frame *frame, const char *name,
                        enum io_type type, int width, void *data) {
    struct io_column *column = io_frame_column(frame, name);
    if (!column) {
        if (frame_add_column(frame, name, type, width)) return -1;
        frame->columns[frame->n_columns - 1].data = data;
        return 0;
    }
    char *kept = column->name;
    column->name = NULL;
    if (column->data != data) column_clear(column, frame->n);
    *column = (struct io_column){kept, type, width, data};
    return 0;
}

int io_frame_set_key(struct io_frame *frame, const char *key,
                     const char *value) {
    char *copy = strdup(value);
    if (!copy) return -1;
    for (int k = 0; k < frame->n_keys; k++) {
        if (strcmp(frame->keys[k].key, key) != 0) continue;
        free(frame->keys[k].value);
        frame->keys[k].value = copy;
        return 0;
    }
    struct io_key *keys =
        realloc(frame->keys, ((size_t)frame->n_keys + 1) * sizeof *keys);
    if (keys) frame->keys = keys;
    char *name = keys ? strdup(key) : NULL;
    if (!name) {
        free(copy);
        return -1;
    }
    keys[frame->n_keys++] = (struct io_key){name, copy};
    return 0;
}

void io_frame_drop_key(struct io_frame *frame, int at) {
    struct io_key *key = &frame->keys[at];
    free(key->key);
    free(key->value);
    frame->n_keys--;
    memmove(key, key + 1, (size_t)(frame->n_keys - at) * sizeof *key);
}

void frame_drop_column(struct io_frame *frame, const char *name) {
    struct io_column *column = io_frame_column(frame, name);
    if (column) io_frame_drop_column(frame, (int)(column - frame->columns));
}

void io_frame_drop_column(struct io_frame *frame, int at) {
    struct io_column *column = &frame->columns[at];
    column_clear(column, frame->n);
    frame->n_columns--;
    memmove(column, column + 1,
            (size_t)(frame->n_columns - at) * sizeof *column);
}

static void keep_cells(void *data, size_t row, const bool *keep, int64_t n) {
    char *to = data;
    for (int64_t i = 0; i < n; i++) {
        if (!keep[i]) continue;
        memmove(to, (char *)data + (size_t)i * row, row);
        to += row;
    }
}

void frame_keep_rows(struct io_frame *frame, const bool *keep) {
    int64_t n = frame->n, left = 0;
    for (int k = 0; k < frame->n_columns; k++) {
        struct io_column *c = &frame->columns[k];
        char **text = c->data;
        for (int64_t i = 0; c->type == IO_TEXT && i < n * c->width; i++)
            if (!keep[i / c->width]) free(text[i]);
        keep_cells(c->data, frame_cell_size(c->type) * (size_t)c->width, keep,
                   n);
    }
    keep_cells(frame->x, 3 * sizeof *frame->x, keep, n);
    if (frame->q) keep_cells(frame->q, sizeof *frame->q, keep, n);
    for (int64_t i = 0; i < n; i++) left += keep[i];
    frame->n = left;
}

/* Resizes an array; rows [old, rows) are zero, so that a half-read frame can be
 * cleared. */
static int resize(void **data, size_t row, int64_t old, int64_t rows) {
    size_t bytes;
    if (__builtin_mul_overflow((size_t)(rows > 0 ? rows : 1), row, &bytes))
        return -1;
    char *p = realloc(*data, bytes);
    if (!p) return -1;
    if (rows > old)
        memset(p + (size_t)old * row, 0, bytes - (size_t)old * row);
    *data = p;
    return 0;
}

static int resize_all(struct io_frame *frame, int64_t old, int64_t rows,
                      bool charged) {
    void *x = frame->x, *q = frame->q;
    int bad = resize(&x, 3 * sizeof(double), old, rows);
    frame->x = x;
    if (charged) bad |= resize(&q, sizeof(double), old, rows);
    frame->q = q;
    for (int k = 0; k < frame->n_columns; k++) {
        struct io_column *c = &frame->columns[k];
        bad |= resize(&c->data, frame_cell_size(c->type) * (size_t)c->width,
                      old, rows);
    }
    return bad;
}

int frame_add_rows(struct io_frame *frame, bool charged, int64_t n,
                   int64_t *capacity) {
    int64_t rows = *capacity + *capacity / 2 + 16;
    if (frame->n + n > *capacity) {
        rows = frame->n + n > rows ? frame->n + n : rows;
        if (resize_all(frame, *capacity, rows, charged)) return -1;
        *capacity = rows;
    }
    frame->n += n;
    return 0;
}

int frame_grow(struct io_frame *frame, bool charged, int64_t *capacity) {
    return frame_add_rows(frame, charged, 1, capacity);
}

int frame_fit(struct io_frame *frame, bool charged) {
    return resize_all(frame, frame->n, frame->n, charged);
}

void frame_empty(struct io_frame *frame) {
    size_t n = (size_t)frame->n;
    for (int k = 0; k < frame->n_columns; k++) {
        struct io_column *c = &frame->columns[k];
        char **text = c->data;
        if (!c->data) continue;
        for (size_t i = 0; c->type == IO_TEXT && i < n * (size_t)c->width; i++)
            free(text[i]);
        memset(c->data, 0, n * frame_cell_size(c->type) * (size_t)c->width);
    }
    if (frame->x) memset(frame->x, 0, 3 * n * sizeof *frame->x);
    if (frame->q) memset(frame->q, 0, n * sizeof *frame->q);
    frame->n = 0;
}

/* Exact for right angles, which give zeros. */
static double cosine(double degrees) {
    if (degrees == 90) return 0;
    if (degrees == 60) return 0.5;
    if (degrees == 120) return -0.5;
    return cos(degrees * (acos(-1.0) / 180));
}

bool frame_cell_from_angles(const double lengths[3], const double angles[3],
                            double cell[9]) {
    for (int d = 0; d < 3; d++)
        if (!(lengths[d] > 0) || !(angles[d] > 0 && angles[d] < 180))
            return false;
    double ca = cosine(angles[0]), cb = cosine(angles[1]);
    double cg = cosine(angles[2]), sg = sqrt(1 - cg * cg);
    double y = (ca - cb * cg) / sg, zz = 1 - cb * cb - y * y;
    if (!(zz > 0)) return false;
    double rows[9] = {lengths[0], 0, 0, lengths[1] * cg, lengths[1] * sg, 0,
                      lengths[2] * cb, lengths[2] * y,
                      lengths[2] * sqrt(zz)};
    memcpy(cell, rows, sizeof rows);
    return true;
}
