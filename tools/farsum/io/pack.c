/* SPDX-License-Identifier: Apache-2.0 */
/* pack.c: particles of a frame as bytes. */
#include "pack.h"

#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "frame.h"

/* What is not rows, except texts of any length. */
struct head {
    int64_t rows, line;
    double cell[9], origin[3];
    int periodic[3];
    int n_columns, n_keys, format; /* format: its index, -1: none */
    bool charged, has_cell;
    char length_unit[24], charge_unit[24];
};

struct column_head {
    enum io_type type;
    int width;
};

/* --- bytes --- */

int pack_reserve(struct pack *pack, size_t n) {
    if (n <= pack->capacity) return 0;
    size_t capacity = n + n / 2 + 4096;
    char *grown = realloc(pack->data, capacity);
    if (!grown) return -1;
    pack->data = grown;
    pack->capacity = capacity;
    return 0;
}

void pack_clear(struct pack *pack) {
    free(pack->data);
    memset(pack, 0, sizeof *pack);
}

static int put(struct pack *pack, const void *p, size_t n) {
    if (pack_reserve(pack, pack->n + n)) return -1;
    if (n > 0) memcpy(pack->data + pack->n, p, n);
    pack->n += n;
    return 0;
}

/* The terminating 0 is packed too. */
static int put_text(struct pack *pack, const char *text) {
    return put(pack, text, strlen(text) + 1);
}

static void take(const char **at, void *p, size_t n) {
    if (n > 0) memcpy(p, *at, n);
    *at += n;
}

/* Borrowed from the pack. */
static const char *take_text(const char **at) {
    const char *text = *at;
    *at += strlen(text) + 1;
    return text;
}

/* --- packing --- */

static int put_rows(struct pack *pack, const struct io_column *c,
                    int64_t first, int64_t n) {
    size_t row = frame_cell_size(c->type) * (size_t)c->width;
    if (c->type != IO_TEXT)
        return put(pack, (char *)c->data + (size_t)first * row,
                   (size_t)n * row);
    char **text = c->data;
    int bad = 0;
    for (int64_t i = first * c->width; i < (first + n) * c->width; i++)
        bad |= put_text(pack, text[i]);
    return bad;
}

int pack_frame(struct pack *pack, const struct io_frame *f, int64_t first,
               int64_t n) {
    struct head head = {.rows = n, .line = f->line, .n_columns = f->n_columns,
                        .n_keys = f->n_keys, .format = -1,
                        .charged = f->q != NULL, .has_cell = f->has_cell};
    memcpy(head.cell, f->cell, sizeof head.cell);
    memcpy(head.origin, f->origin, sizeof head.origin);
    memcpy(head.periodic, f->periodic, sizeof head.periodic);
    memcpy(head.length_unit, f->length_unit, sizeof head.length_unit);
    memcpy(head.charge_unit, f->charge_unit, sizeof head.charge_unit);
    for (int k = 0; formats[k] && f->format; k++)
        if (strcmp(f->format, formats[k]->name) == 0)
            head.format = k;
    pack->n = 0;
    int bad = put(pack, &head, sizeof head);
    for (int k = 0; k < f->n_keys; k++)
        bad |= put_text(pack, f->keys[k].key) ||
               put_text(pack, f->keys[k].value);
    for (int k = 0; k < f->n_columns; k++) {
        const struct io_column *c = &f->columns[k];
        struct column_head one = {c->type, c->width};
        bad |= put_text(pack, c->name) || put(pack, &one, sizeof one);
    }
    if (n == 0 || bad) return bad ? -1 : 0;
    bad = put(pack, f->x + 3 * first, 3 * (size_t)n * sizeof *f->x);
    if (f->q) bad |= put(pack, f->q + first, (size_t)n * sizeof *f->q);
    for (int k = 0; k < f->n_columns && !bad; k++)
        bad = put_rows(pack, &f->columns[k], first, n);
    return bad ? -1 : 0;
}

/* --- unpacking --- */

static int take_keys(const char **at, struct io_frame *frame, int n) {
    int bad = 0;
    while (frame->n_keys > 0) io_frame_drop_key(frame, frame->n_keys - 1);
    for (int k = 0; k < n; k++) {
        const char *key = take_text(at);
        bad |= io_frame_set_key(frame, key, take_text(at));
    }
    return bad;
}

static int take_columns(const char **at, struct io_frame *frame, int n) {
    for (int k = 0; k < n; k++) {
        struct column_head one;
        const char *name = take_text(at);
        take(at, &one, sizeof one);
        while (k < frame->n_columns && strcmp(frame->columns[k].name, name))
            io_frame_drop_column(frame, k);
        if (k == frame->n_columns &&
            frame_add_column(frame, name, one.type, one.width))
            return -1;
    }
    while (frame->n_columns > n) io_frame_drop_column(frame, n);
    return 0;
}

static int take_rows(const char **at, struct io_column *c, int64_t first,
                     int64_t n) {
    size_t row = frame_cell_size(c->type) * (size_t)c->width;
    if (c->type != IO_TEXT) {
        take(at, (char *)c->data + (size_t)first * row, (size_t)n * row);
        return 0;
    }
    char **text = c->data;
    int bad = 0;
    for (int64_t i = first * c->width; i < (first + n) * c->width; i++) {
        text[i] = strdup(take_text(at));
        bad |= !text[i];
    }
    return bad;
}

int unpack_frame(const struct pack *pack, struct io_frame *f,
                 int64_t *capacity) {
    const char *at = pack->data;
    struct head head;
    take(&at, &head, sizeof head);
    f->line = head.line;
    f->has_cell = head.has_cell;
    f->format = head.format < 0 ? NULL : formats[head.format]->name;
    memcpy(f->cell, head.cell, sizeof head.cell);
    memcpy(f->origin, head.origin, sizeof head.origin);
    memcpy(f->periodic, head.periodic, sizeof head.periodic);
    memcpy(f->length_unit, head.length_unit, sizeof head.length_unit);
    memcpy(f->charge_unit, head.charge_unit, sizeof head.charge_unit);
    if (take_keys(&at, f, head.n_keys) ||
        take_columns(&at, f, head.n_columns))
        return -1;
    int64_t first = f->n, n = head.rows;
    if (frame_add_rows(f, head.charged, n, capacity)) return -1;
    if (n == 0) return *capacity == 0 ? frame_fit(f, head.charged) : 0;
    take(&at, f->x + 3 * first, 3 * (size_t)n * sizeof *f->x);
    if (head.charged) take(&at, f->q + first, (size_t)n * sizeof *f->q);
    int bad = 0;
    for (int k = 0; k < f->n_columns; k++)
        bad |= take_rows(&at, &f->columns[k], first, n);
    return bad ? -1 : 0;
}
