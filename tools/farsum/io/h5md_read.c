/* SPDX-License-Identifier: Apache-2.0 */
/* h5md_read.c: frames of an H5MD file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "geometry.h"
#include "h5md.h"
#include "keys.h"
#include "slices.h"

/* --- the frames' keys --- */

static int add_fixed_key(struct h5md *h, hid_t group, hsize_t k) {
    char name[256];
    ssize_t n = H5Aget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC,
                                   k, name, sizeof name, H5P_DEFAULT);
    if (n < 0)
        n = H5Aget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, k, name,
                               sizeof name, H5P_DEFAULT);
    if (n < 1 || n >= (ssize_t)sizeof name) return 0;
    char *value = h5_attribute_text(group, name);
    if (!value) return 0;
    struct io_key *grown = realloc(
        h->keys, ((size_t)h->n_keys + 1) * sizeof *grown);
    char *key = grown ? strdup(name) : NULL;
    if (grown) h->keys = grown;
    if (!key) {
        free(value);
        return -1;
    }
    grown[h->n_keys++] = (struct io_key){key, value};
    return 0;
}

int h5md_open_keys(struct text *t, struct h5md *h) {
    hid_t group = h5_exists(h->file, "parameters")
                      ? H5Gopen2(h->file, "parameters", H5P_DEFAULT)
                      : -1;
    if (group < 0) return 0;
    int bad = 0, n = H5Aget_num_attrs(group);
    for (int k = 0; k < n && !bad; k++)
        if (add_fixed_key(h, group, (hsize_t)k)) bad = text_no_memory(t);
    if (!bad) {
        struct h5md_element e;
        int got = h5md_element_open(t, group, "/parameters", "keys", &e);
        bool ours = got == 1 && !e.timed && e.type == IO_TEXT && e.rank == 1 &&
                    (int64_t)e.shape[0] == h->frames;
        if (ours) h->key_lines = h5md_element_column(
                t, &e, (struct h5md_rows){0, 0, h->frames});
        bad = got < 0 || (ours && !h->key_lines) ? -1 : 0;
        if (got == 1) h5md_element_close(&e);
    }
    H5Gclose(group);
    return bad;
}

static int set_keys(struct text *t, const struct h5md *h,
                    struct io_frame *frame, int64_t at) {
    for (int k = 0; k < h->n_keys && !h->key_lines; k++)
        if (io_frame_set_key(frame, h->keys[k].key, h->keys[k].value))
            return text_no_memory(t);
    size_t cursor = 0;
    struct keys_pair pair;
    const char *expected = NULL;
    int got = 0, bad = 0;
    const char *line = h->key_lines ? h->key_lines[at] : "";
    while (!bad && (got = keys_next(line, &cursor, &pair, &expected)) == 1) {
        if (io_frame_set_key(frame, pair.key, pair.value))
            bad = text_no_memory(t);
        keys_clear(&pair);
    }
    if (got < 0)
        return text_fail(t, "/parameters/keys: frame %lld: expected %s",
                         (long long)at + 1, expected ? expected : "memory");
    return bad;
}

/* --- a frame --- */

/* rows: those of the values. */
static int check_finite(struct text *t, const struct h5md_element *e,
                        struct h5md_rows rows, const double *values,
                        int width) {
    for (int64_t i = 0; i < rows.n * width; i++) {
        if (isfinite(values[i])) continue;
        return text_fail(t, "%s: expected a finite number (frame %lld, row "
                            "%lld, column %lld), found %g", e->path,
                         (long long)rows.frame + 1,
                         (long long)(rows.first + i / width) + 1,
                         (long long)(i % width) + 1, values[i]);
    }
    return 0;
}

static int read_cell(struct text *t, const struct h5md *h,
                     struct io_frame *frame, int64_t at) {
    const struct h5md_element *e = &h->edges, *o = &h->offset;
    double v[9];
    memcpy(frame->periodic, h->periodic, sizeof frame->periodic);
    if (e->set == 0) return 0;
    int n = e->rank == 1 ? 3 : 9;
    struct h5md_rows rows = {h5md_element_frame(e, at), 0, 3};
    if (h5md_element_reals(t, e, rows, v) ||
        check_finite(t, e, (struct h5md_rows){at, 0, n / 3}, v, 3))
        return -1;
    for (int k = 0; k < 9; k++)
        frame->cell[k] = n == 9 ? v[k] : k % 4 == 0 ? v[k / 4] : 0;
    frame->has_cell = true;
    if (o->set == 0) return 0;
    rows.frame = h5md_element_frame(o, at);
    if (h5md_element_reals(t, o, rows, frame->origin)) return -1;
    return check_finite(t, o, (struct h5md_rows){at, 0, 1}, frame->origin, 3);
}

static int add_columns(struct text *t, const struct h5md *h,
                       struct io_frame *frame) {
    for (int k = 0; k < h->n_columns; k++) {
        const struct h5md_element *e = &h->columns[k];
        if (io_frame_column(frame, e->name))
            return text_fail(t, "%s: two elements are named %s here", e->path,
                             e->name);
        if (frame_add_column(frame, e->name, e->type, e->width))
            return text_no_memory(t);
    }
    return 0;
}

static int read_columns(struct text *t, const struct h5md *h,
                        struct io_frame *frame, struct h5md_rows rows) {
    for (int k = 0; k < h->n_columns; k++) {
        const struct h5md_element *e = &h->columns[k];
        struct h5md_rows own = rows;
        own.frame = h5md_element_frame(e, rows.frame);
        void *data = h5md_element_column(t, e, own);
        if (!data) return -1;
        frame->columns[k].data = data;
    }
    return 0;
}

/* The id of a row without a particle: -1, or the largest value of an integer
 * without sign (H5MD, "Observables and varying numbers of particles"). */
static int64_t filled_id(const struct h5md *h)
{
    for (int k = 0; k < h->n_columns; k++) {
        const struct h5md_element *e = &h->columns[k];
        if (strcmp(e->name, "id") == 0 && e->is_unsigned && e->file_size < 8)
            return ((int64_t)1 << 8 * e->file_size) - 1;
    }
    return -1;
}

/* Removes rows without a particle, and adds their number to *filled. */
static int leave_out_filled(struct io_reader *r, const struct h5md *h,
                            struct io_frame *frame, int64_t *filled)
{
    const int64_t none = filled_id(h);
    const struct io_column *c = io_frame_column(frame, "id");
    int64_t n = frame->n;
    if (!c || c->type != IO_INT || c->width != 1 || n == 0) return 0;
    const int64_t *id = c->data;
    bool *keep = malloc((size_t)n * sizeof *keep);
    if (!keep) return text_no_memory(&r->text);
    for (int64_t i = 0; i < n; i++) {
        keep[i] = id[i] != none;
        *filled += !keep[i];
    }
    if (*filled > 0) frame_keep_rows(frame, keep);
    free(keep);
    return 0;
}

/* Removes the arrays of a frame without rows. */
static void drop_arrays(struct io_frame *frame) {
    free(frame->x);
    free(frame->q);
    frame->x = frame->q = NULL;
    for (int k = 0; k < frame->n_columns; k++) {
        free(frame->columns[k].data);
        frame->columns[k].data = NULL;
    }
}

/* Reads rows into a frame that has none. */
static int read_rows(struct io_reader *r, const struct h5md *h,
                     struct io_frame *frame, struct h5md_rows rows,
                     int64_t *filled) {
    struct text *t = &r->text;
    size_t n = (size_t)(rows.n > 0 ? rows.n : 1);
    bool charged = h->charge.set > 0;
    drop_arrays(frame);
    frame->n = rows.n;
    frame->x = calloc(3 * n, sizeof(double));
    if (charged) frame->q = calloc(n, sizeof(double));
    if (!frame->x || (charged && !frame->q)) return text_no_memory(t);
    const struct h5md_element *e = &h->charge;
    struct h5md_rows own = rows;
    own.frame = h5md_element_frame(e, rows.frame);
    if (h5md_element_reals(t, &h->position, rows, frame->x)
        || (charged && h5md_element_reals(t, e, own, frame->q))
        || read_columns(t, h, frame, rows)
        || leave_out_filled(r, h, frame, filled))
        return -1;
    struct h5md_rows kept = {rows.frame, r->given, frame->n};
    if (check_finite(t, &h->position, kept, frame->x, 3)) return -1;
    return charged ? check_finite(t, e, kept, frame->q, 1) : 0;
}

static int read_particles(struct io_reader *r, const struct h5md *h,
                          struct io_frame *frame, int64_t at) {
    struct h5md_rows rows = {at, 0, h->n};
    int64_t filled = 0;
    slices_begin(r, h->n);
    if (r->options.slices && h->n > 0) rows.n = slices_rows(r);
    if (add_columns(&r->text, h, frame)) return -1;
    for (;;) {
        if (rows.n > h->n - rows.first) rows.n = h->n - rows.first;
        if (read_rows(r, h, frame, rows, &filled)) return -1;
        rows.first += rows.n;
        if (rows.first >= h->n) break;
        if (slices_give(r, frame, false)) return -1;
    }
    if (filled > 0)
        snprintf(r->note, sizeof r->note, "%lld of %lld places are filled with "
                 "the id -1: they are left out, and the column id says whose "
                 "the others are", (long long)filled, (long long)h->n);
    return 0;
}

static int read_frame(struct io_reader *r, const struct h5md *h,
                      struct io_frame *frame, int64_t at) {
    struct text *t = &r->text;
    if (read_particles(r, h, frame, at) || read_cell(t, h, frame, at))
        return -1;
    if (!h->boxed && !*r->note && !geometry_is_given(&r->options))
        snprintf(r->note, sizeof r->note,
                 "the file has no box: open space "
                 "(--cell gives a cell)");
    memcpy(frame->length_unit, h->length_unit, sizeof h->length_unit);
    memcpy(frame->charge_unit, h->charge_unit, sizeof h->charge_unit);
    return set_keys(t, h, frame, at);
}

static int keep_chunks(struct text *t, struct h5md *h) {
    int bad = h5md_element_keep_chunk(t, &h->position) ||
              (h->charge.set > 0 && h5md_element_keep_chunk(t, &h->charge));
    for (int k = 0; k < h->n_columns && !bad; k++)
        bad = h5md_element_keep_chunk(t, &h->columns[k]);
    return bad;
}

/* --- the format's functions --- */

int h5md_open(struct io_reader *reader) {
    struct h5md *h = calloc(1, sizeof *h);
    struct h5_silence old;
    if (!h) return text_no_memory(&reader->text);
    reader->state = h;
    h5_silence(&old);
    int bad = h5md_open_file(reader, h) || h5md_open_keys(&reader->text, h);
    if (!bad && reader->options.slices) bad = keep_chunks(&reader->text, h);
    h5_restore(&old);
    return bad ? -1 : 0;
}

int h5md_read(struct io_reader *reader, struct io_frame *frame) {
    struct h5md *h = reader->state;
    struct h5_silence old;
    if (reader->frames >= h->frames) {
        if (reader->frames > 0) return 0;
        return text_fail(&reader->text, "%s: no frames", h->position.path);
    }
    h5_silence(&old);
    int bad = read_frame(reader, h, frame, reader->frames);
    h5_restore(&old);
    return bad ? -1 : 1;
}

void h5md_close(struct io_reader *reader) {
    struct h5md *h = reader->state;
    struct h5_silence old;
    if (!h) return;
    h5_silence(&old);
    h5md_element_close(&h->position);
    h5md_element_close(&h->charge);
    h5md_element_close(&h->edges);
    h5md_element_close(&h->offset);
    for (int k = 0; k < h->n_columns; k++) h5md_element_close(&h->columns[k]);
    if (h->group > 0) H5Gclose(h->group);
    if (h->file > 0) H5Fclose(h->file);
    h5_restore(&old);
    for (int k = 0; k < h->n_keys; k++) {
        free(h->keys[k].key);
        free(h->keys[k].value);
    }
    for (int64_t k = 0; h->key_lines && k < h->frames; k++)
        free(h->key_lines[k]);
    free(h->key_lines);
    free(h->keys);
    free(h->columns);
    free(h->where);
    free(h);
}
