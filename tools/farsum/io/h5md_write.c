/* SPDX-License-Identifier: Apache-2.0 */
/* h5md_write.c: writer of H5MD.  Everything is time-dependent, one row per
 * frame, so that files of one frame and of many have the same structure. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <farsum/farsum.h>

#include "frame.h"
#include "h5md.h"
#include "h5md_out.h"
#include "keys.h"

/* --- the file's frame --- */

static int put_creator(hid_t file) {
    char version[40];
    snprintf(version, sizeof version, "%d.%d.%d", FARSUM_VERSION_MAJOR,
             FARSUM_VERSION_MINOR, FARSUM_VERSION_PATCH);
    static const int layout[2] = {1, 1};
    hsize_t two = 2;
    hid_t h5md = h5md_out_group(file, "h5md");
    hid_t author = h5md < 0 ? -1 : h5md_out_group(h5md, "author");
    hid_t creator = h5md < 0 ? -1 : h5md_out_group(h5md, "creator");
    hid_t space = H5Screate_simple(1, &two, NULL), a = -1;
    if (h5md >= 0 && space >= 0)
        a = H5Acreate2(h5md, "version", H5T_STD_I32LE, space, H5P_DEFAULT,
                       H5P_DEFAULT);
    bool good = a >= 0 && H5Awrite(a, H5T_NATIVE_INT, layout) >= 0 &&
                author >= 0 && creator >= 0 &&
                h5_put_attribute(author, "name", "unknown") == 0 &&
                h5_put_attribute(creator, "name", "farsum") == 0 &&
                h5_put_attribute(creator, "version", version) == 0;
    if (a >= 0) H5Aclose(a);
    if (space >= 0) H5Sclose(space);
    if (creator >= 0) H5Gclose(creator);
    if (author >= 0) H5Gclose(author);
    if (h5md >= 0) H5Gclose(h5md);
    return good ? 0 : -1;
}

static int put_boundary(hid_t box, const int periodic[3]) {
    static const int dimension = 3;
    char words[3][16] = {{0}};
    for (int d = 0; d < 3; d++)
        snprintf(words[d], sizeof words[d], "%s",
                 periodic[d] ? "periodic" : "none");
    hsize_t three = 3;
    hid_t space = H5Screate_simple(1, &three, NULL);
    hid_t scalar = H5Screate(H5S_SCALAR), type = h5_string_type(16);
    hid_t a = -1, b = -1;
    if (space >= 0 && scalar >= 0 && type >= 0) {
        a = H5Acreate2(box, "boundary", type, space, H5P_DEFAULT, H5P_DEFAULT);
        b = H5Acreate2(box, "dimension", H5T_STD_I32LE, scalar, H5P_DEFAULT,
                       H5P_DEFAULT);
    }
    bool good = a >= 0 && b >= 0 && H5Awrite(a, type, words) >= 0 &&
                H5Awrite(b, H5T_NATIVE_INT, &dimension) >= 0;
    if (b >= 0) H5Aclose(b);
    if (a >= 0) H5Aclose(a);
    if (type >= 0) H5Tclose(type);
    if (scalar >= 0) H5Sclose(scalar);
    if (space >= 0) H5Sclose(space);
    return good ? 0 : -1;
}

static int start_file(struct io_writer *w, struct h5md_out *h,
                      const struct io_frame *frame, int64_t all) {
    if (put_creator(h->file)) return h5md_out_broken(w);
    hid_t particles = h5md_out_group(h->file, "particles");
    if (particles >= 0) {
        h->group = h5md_out_group(particles, "all");
        H5Gclose(particles);
    }
    if (h->group <= 0) return h5md_out_broken(w);
    hid_t box = h5md_out_group(h->group, "box");
    if (box < 0) return h5md_out_broken(w);
    h->n = all;
    h->has_cell = frame->has_cell;
    h->charged = frame->q != NULL;
    memcpy(h->periodic, frame->periodic, sizeof h->periodic);
    int bad = put_boundary(box, frame->periodic) ? h5md_out_broken(w) : 0;
    if (!bad) bad = h5md_out_step(w, h);
    if (!bad) bad = h5md_out_add(w, h, h->group, "position", IO_REAL, 3, NULL,
                                0);
    if (!bad && frame->has_cell)
        bad = h5md_out_add_plain(w, h, box, "edges", 3, 3) ||
              h5md_out_add_plain(w, h, box, "offset", 3, 0);
    H5Gclose(box);
    if (!bad && h->charged)
        bad = h5md_out_add(w, h, h->group, "charge", IO_REAL, 1, NULL, 0);
    for (int k = 0; k < frame->n_columns && !bad; k++) {
        const struct io_column *c = &frame->columns[k];
        bad = h5md_out_add(w, h, h->group, h5md_name_of_column(c->name),
                           c->type, c->width, c, frame->n);
    }
    return bad ? -1 : 0;
}

/* --- checks that later frames are like the first --- */

static int check_like_first(struct io_writer *w, const struct h5md_out *h,
                            const struct io_frame *frame, int64_t all) {
    struct output *o = w->output;
    long long number = (long long)w->frames + 1;
    if (all != h->n)
        return output_fail(o, "frame %lld has %lld particles, the first had "
                              "%lld: one HDF5 file needs the same number",
                           number, (long long)all, (long long)h->n);
    int first = 1 + 2 * h->has_cell + h->charged;
    bool same = frame->has_cell == h->has_cell &&
                (frame->q != NULL) == h->charged &&
                first + frame->n_columns == h->n_elements &&
                memcmp(frame->periodic, h->periodic, sizeof h->periodic) == 0;
    for (int k = 0; k < frame->n_columns && same; k++) {
        const struct io_column *c = &frame->columns[k];
        const struct h5md_out_element *e = &h->elements[first + k];
        same = strcmp(h5md_name_of_column(c->name), e->name) == 0 &&
               c->type == e->type && c->width == e->width;
    }
    if (same) return 0;
    return output_fail(o, "frame %lld has other columns, charges, cell or "
                          "periodicity than the first: one HDF5 file needs the "
                          "same", number);
}

/* All keys as one comment line; owned. */
static char *join_keys(const struct io_frame *frame) {
    char *line = strdup("");
    for (int k = 0; k < frame->n_keys && line; k++) {
        char *key = keys_quote(frame->keys[k].key);
        char *value = keys_quote(frame->keys[k].value);
        size_t n = strlen(line) + 4;
        if (key && value) n += strlen(key) + strlen(value);
        char *grown = key && value ? malloc(n) : NULL;
        if (grown)
            snprintf(grown, n, "%s%s%s=%s", line, k ? " " : "", key, value);
        free(key);
        free(value);
        free(line);
        line = grown;
    }
    return line;
}

static int keep_keys(struct io_writer *w, struct h5md_out *h,
                     const struct io_frame *frame) {
    char **grown =
        realloc(h->key_lines, ((size_t)w->frames + 1) * sizeof *grown);
    if (!grown) return output_fail(w->output, "out of memory");
    h->key_lines = grown;
    grown[w->frames] = join_keys(frame);
    if (!grown[w->frames]) return output_fail(w->output, "out of memory");
    h->n_lines = w->frames + 1;
    if (w->frames > 0) {
        h->keys_change |= strcmp(grown[0], grown[w->frames]) != 0;
        return 0;
    }
    hid_t group = h5md_out_group(h->file, "parameters");
    if (group < 0) return h5md_out_broken(w);
    int bad = 0;
    for (int k = 0; k < frame->n_keys && !bad; k++)
        if (h5_put_attribute(group, frame->keys[k].key, frame->keys[k].value))
            bad = output_fail(w->output, "the key \"%.200s\" cannot be kept "
                                         "as an attribute (at most 64 KB)",
                              frame->keys[k].key);
    H5Gclose(group);
    return bad;
}

/* --- the format's functions --- */

static int begin_frame(struct io_writer *w, struct h5md_out *h,
                       const struct io_frame *head, int64_t all) {
    if (w->frames == 0 ? start_file(w, h, head, all)
                       : check_like_first(w, h, head, all))
        return -1;
    int bad = h5md_out_put_step(w, h);
    for (int k = 0; k < h->n_elements && !bad; k++)
        bad = h5md_out_extend(w, h, k);
    if (h->has_cell)
        bad = bad || h5md_out_put(w, h, 1, 0, 3, head->cell) ||
              h5md_out_put(w, h, 2, 0, 3, head->origin);
    h->written = 0;
    return bad ? -1 : 0;
}

static int put_slice(struct io_writer *w, struct h5md_out *h,
                     const struct io_frame *slice) {
    int64_t first = h->written, n = slice->n;
    int e = 1 + 2 * h->has_cell, bad = h5md_out_put(w, h, 0, first, n,
                                                     slice->x);
    if (slice->q) bad = bad || h5md_out_put(w, h, e++, first, n, slice->q);
    for (int k = 0; k < slice->n_columns && !bad; k++)
        bad = h5md_out_put(w, h, e++, first, n, slice->columns[k].data);
    h->written += n;
    return bad ? -1 : 0;
}

static int end_frame(struct io_writer *w, struct h5md_out *h,
                     const struct io_frame *head) {
    if (keep_keys(w, h, head)) return -1;
    return w->output->cause ? h5md_out_broken(w) : 0;
}

int h5md_create(struct io_writer *w) {
    if (!w->output->temporary)
        return output_fail(w->output, "HDF5 needs an ordinary file");
    struct h5md_out *h = calloc(1, sizeof *h);
    struct h5_silence old;
    if (!h) return output_fail(w->output, "out of memory");
    w->state = h;
    h5_silence(&old);
    h->file = h5_create_in(w->output);
    int bad = h->file < 0 ? h5md_out_broken(w) : 0;
    h5_restore(&old);
    return bad;
}

int h5md_begin(struct io_writer *w, const struct io_frame *head,
               int64_t all) {
    struct h5_silence old;
    h5_silence(&old);
    int bad = begin_frame(w, w->state, head, all);
    h5_restore(&old);
    return bad;
}

int h5md_slice(struct io_writer *w, const struct io_frame *slice) {
    struct h5_silence old;
    h5_silence(&old);
    int bad = put_slice(w, w->state, slice);
    h5_restore(&old);
    return bad;
}

int h5md_end(struct io_writer *w, const struct io_frame *head) {
    struct h5_silence old;
    h5_silence(&old);
    int bad = end_frame(w, w->state, head);
    h5_restore(&old);
    return bad;
}

int h5md_finish(struct io_writer *w) {
    struct h5_silence old;
    h5_silence(&old);
    int bad = w->frames == 0
                  ? output_fail(w->output, "no frame was written")
                  : h5md_out_finish(w, w->state);
    h5_restore(&old);
    return bad;
}

void h5md_drop(struct io_writer *w) {
    struct h5md_out *h = w->state;
    struct h5_silence old;
    if (!h) return;
    h5_silence(&old);
    /* A file that is discarded needs no further writes. */
    if (w->output->cause == 0) w->output->cause = ECANCELED;
    h5md_out_close(h);
    h5_restore(&old);
    for (int64_t k = 0; k < h->n_lines; k++) free(h->key_lines[k]);
    free(h->key_lines);
    free(h);
    w->state = NULL;
}
