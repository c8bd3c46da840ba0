/* SPDX-License-Identifier: Apache-2.0 */
/* h5md_out.c: elements of an H5MD file that is being written. */
#include "h5md_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>


#define CHUNK_BYTES ((hsize_t)1 << 20)

int h5md_out_broken(struct io_writer *w) {
    char reason[160];
    if (w->output->cause)
        return output_fail(w->output, "cannot write: %s",
                           strerror(w->output->cause));
    h5_reason(reason, sizeof reason);
    return output_fail(w->output, "cannot write: %s", reason);
}

hid_t h5md_out_group(hid_t parent, const char *name) {
    const unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
    hid_t list = H5Pcreate(H5P_GROUP_CREATE), group = -1;
    if (list < 0) return -1;
    if (H5Pset_link_creation_order(list, order) >= 0 &&
        H5Pset_attr_creation_order(list, order) >= 0)
        group = H5Gcreate2(parent, name, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Pclose(list);
    return group;
}

/* Creates an array that grows along its first axis, time. */
static hid_t make_set(hid_t parent, const char *name, hid_t type, int rank,
                      const hsize_t *shape) {
    hsize_t now[3], most[3], chunk[3], row = H5Tget_size(type);
    for (int k = rank - 1; k >= 0; k--) {
        now[k] = k == 0 ? 0 : shape[k];
        most[k] = k == 0 ? H5S_UNLIMITED : shape[k];
        hsize_t fit = CHUNK_BYTES / row, whole = k == 0 ? 1 : shape[k];
        chunk[k] = whole < fit ? whole : fit;
        if (chunk[k] == 0) chunk[k] = 1;
        row *= chunk[k];
    }
    if (rank == 1) chunk[0] = 1024; /* steps */
    hid_t space = H5Screate_simple(rank, now, most), set = -1;
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    if (space >= 0 && list >= 0 && H5Pset_chunk(list, rank, chunk) >= 0 &&
        H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0)
        set = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, list,
                         H5P_DEFAULT);
    if (list >= 0) H5Pclose(list);
    if (space >= 0) H5Sclose(space);
    return set;
}

int h5md_out_step(struct io_writer *w, struct h5md_out *h) {
    hsize_t none = 0;
    h->step = make_set(h->file, "step", H5T_STD_I64LE, 1, &none);
    if (h->step > 0) return 0;
    h->step = 0;
    return h5md_out_broken(w);
}

/* --- elements --- */

static int add(struct io_writer *w, struct h5md_out *h, hid_t parent,
               const char *name, struct h5md_out_element *e, hid_t type) {
    hid_t group = h5md_out_group(parent, name);
    if (group >= 0) {
        e->set = make_set(group, "value", type, e->rank, e->shape);
        if (e->set > 0 &&
            H5Lcreate_hard(h->file, "step", group, "step", H5P_DEFAULT,
                           H5P_DEFAULT) >= 0) {
            H5Gclose(group);
            return 0;
        }
        H5Gclose(group);
    }
    return h5md_out_broken(w);
}

static struct h5md_out_element *new_element(struct io_writer *w,
                                            struct h5md_out *h,
                                            const char *name) {
    struct h5md_out_element *grown =
        realloc(h->elements, ((size_t)h->n_elements + 1) * sizeof *grown);
    char *copy = grown ? strdup(name) : NULL;
    if (grown) h->elements = grown;
    if (!copy) {
        output_fail(w->output, "out of memory");
        return NULL;
    }
    struct h5md_out_element *e = &grown[h->n_elements++];
    memset(e, 0, sizeof *e);
    e->name = copy;
    return e;
}

int h5md_out_add(struct io_writer *w, struct h5md_out *h, hid_t parent,
                 const char *name, enum io_type type, int width,
                 const struct io_column *like, int64_t n) {
    if (!*name || strchr(name, '/') || strcmp(name, ".") == 0)
        return output_fail(w->output, "the column name \"%.200s\" is not "
                                      "allowed in a file of this format", name);
    if (h5_exists(parent, name))
        return output_fail(w->output, "two columns of the name \"%.200s\"",
                           name);
    struct h5md_out_element *e = new_element(w, h, name);
    if (!e) return -1;
    e->type = type;
    e->width = width;
    e->rank = width > 1 ? 3 : 2;
    e->shape[1] = (hsize_t)h->n;
    e->shape[2] = (hsize_t)width;
    hid_t file = h5md_out_type(e, like, n);
    if (file < 0) return output_fail(w->output, "out of memory");
    int bad = add(w, h, parent, name, e, file);
    H5Tclose(file);
    return bad;
}

int h5md_out_add_plain(struct io_writer *w, struct h5md_out *h, hid_t parent,
                       const char *name, int rows, int columns) {
    struct h5md_out_element *e = new_element(w, h, name);
    if (!e) return -1;
    e->type = IO_REAL;
    e->rank = columns > 0 ? 3 : 2;
    e->shape[1] = (hsize_t)rows;
    e->shape[2] = (hsize_t)columns;
    hid_t file = h5md_out_type(e, NULL, 0);
    int bad = add(w, h, parent, name, e, file);
    H5Tclose(file);
    return bad;
}

/* Makes space for one more frame. */
static int extend(struct io_writer *w, const struct h5md_out_element *e,
                  hid_t set) {
    hsize_t size[3] = {(hsize_t)w->frames + 1, e->shape[1], e->shape[2]};
    return H5Dset_extent(set, size) >= 0 ? 0 : h5md_out_broken(w);
}

/* Writes rows of the last frame.  n: 1, if a frame has one value. */
static int put_rows(struct io_writer *w, const struct h5md_out_element *e,
                    hid_t set, int64_t first, int64_t n, const void *data) {
    hsize_t start[3] = {(hsize_t)w->frames, (hsize_t)first, 0};
    hsize_t count[3] = {1, (hsize_t)n, e->shape[2]}, total = 1;
    for (int k = 0; k < e->rank; k++) total *= count[k];
    if (total == 0) return 0;
    hid_t file = H5Dget_space(set);
    hid_t memory = H5Screate_simple(1, &total, NULL);
    bool good = file >= 0 && memory >= 0 &&
                H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count,
                                    NULL) >= 0 &&
                H5Dwrite(set, e->memory, memory, file, H5P_DEFAULT, data) >= 0;
    int bad = good ? 0 : h5md_out_broken(w);
    if (memory >= 0) H5Sclose(memory);
    if (file >= 0) H5Sclose(file);
    return bad;
}

int h5md_out_put_step(struct io_writer *w, struct h5md_out *h) {
    struct h5md_out_element e = {.rank = 1, .memory = H5T_NATIVE_INT64};
    int64_t step = w->frames;
    return extend(w, &e, h->step) || put_rows(w, &e, h->step, 0, 1, &step);
}

int h5md_out_extend(struct io_writer *w, const struct h5md_out *h, int k) {
    return extend(w, &h->elements[k], h->elements[k].set);
}

static int put_members(struct io_writer *w, const struct h5md_out_element *e,
                       int64_t first, int64_t rows, const char *const *text) {
    int64_t n = rows * e->width;
    int32_t *values = malloc((size_t)(n > 0 ? n : 1) * sizeof *values);
    if (!values) return output_fail(w->output, "out of memory");
    int bad = 0;
    for (int64_t i = 0; i < n && !bad; i++) {
        values[i] = h5md_out_member(e, text[i]);
        if (values[i] < 0)
            bad = output_fail(w->output, "frame %lld has the species "
                              "\"%.40s\", the first had none of it: one HDF5 "
                              "file needs the same",
                              (long long)w->frames + 1, text[i]);
    }
    if (!bad &&
        H5Tconvert(H5T_NATIVE_INT32, H5T_STD_I32LE, (size_t)n, values, NULL,
                   H5P_DEFAULT) < 0)
        bad = h5md_out_broken(w);
    if (!bad) bad = put_rows(w, e, e->set, first, rows, values);
    free(values);
    return bad;
}

static int put_texts(struct io_writer *w, const struct h5md_out_element *e,
                     int64_t first, int64_t rows, const char *const *text) {
    int64_t n = rows * e->width;
    char *raw = calloc((size_t)(n > 0 ? n : 1), e->text_size);
    if (!raw) return output_fail(w->output, "out of memory");
    int bad = 0;
    for (int64_t i = 0; i < n && !bad; i++) {
        size_t length = strlen(text[i]);
        if (length < e->text_size)
            memcpy(raw + (size_t)i * e->text_size, text[i], length);
        else
            bad = output_fail(w->output, "frame %lld has a longer text in "
                              "column %s than the first (%zu bytes fit)",
                              (long long)w->frames + 1, e->name,
                              e->text_size - 1);
    }
    if (!bad) bad = put_rows(w, e, e->set, first, rows, raw);
    free(raw);
    return bad;
}

int h5md_out_put(struct io_writer *w, const struct h5md_out *h, int k,
                 int64_t first, int64_t n, const void *data) {
    const struct h5md_out_element *e = &h->elements[k];
    if (e->type != IO_TEXT) return put_rows(w, e, e->set, first, n, data);
    return e->text_size == 0 ? put_members(w, e, first, n, data)
                             : put_texts(w, e, first, n, data);
}

/* --- the end --- */

static int put_key_lines(struct io_writer *w, struct h5md_out *h) {
    size_t size = 1;
    for (int64_t k = 0; k < h->n_lines; k++)
        if (strlen(h->key_lines[k]) >= size)
            size = strlen(h->key_lines[k]) + 1;
    char *raw = calloc((size_t)h->n_lines, size);
    if (!raw) return output_fail(w->output, "out of memory");
    for (int64_t k = 0; k < h->n_lines; k++)
        memcpy(raw + (size_t)k * size, h->key_lines[k],
               strlen(h->key_lines[k]));
    hsize_t n = (hsize_t)h->n_lines;
    hid_t type = h5_string_type(size), space = H5Screate_simple(1, &n, NULL);
    hid_t set = -1;
    if (type >= 0 && space >= 0)
        set = H5Dcreate2(h->file, "parameters/keys", type, space, H5P_DEFAULT,
                         H5P_DEFAULT, H5P_DEFAULT);
    bool good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                     raw) >= 0;
    int bad = good ? 0 : h5md_out_broken(w);
    if (set >= 0) H5Dclose(set);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    free(raw);
    return bad;
}

int h5md_out_finish(struct io_writer *w, struct h5md_out *h) {
    if (h->keys_change && put_key_lines(w, h)) return -1;
    /* The elements have links to it under their own names. */
    if (H5Ldelete(h->file, "step", H5P_DEFAULT) < 0 ||
        H5Fflush(h->file, H5F_SCOPE_GLOBAL) < 0)
        return h5md_out_broken(w);
    h5md_out_close(h);
    return w->output->cause ? h5md_out_broken(w) : 0;
}

void h5md_out_close(struct h5md_out *h) {
    for (int k = 0; k < h->n_elements; k++) {
        struct h5md_out_element *e = &h->elements[k];
        for (int m = 0; m < e->n_members; m++) free(e->members[m]);
        free(e->members);
        free(e->name);
        if (e->set > 0) H5Dclose(e->set);
        if (e->memory > 0) H5Tclose(e->memory);
    }
    free(h->elements);
    h->elements = NULL;
    h->n_elements = 0;
    if (h->step > 0) H5Dclose(h->step);
    if (h->group > 0) H5Gclose(h->group);
    if (h->file > 0) H5Fclose(h->file);
    h->step = h->group = h->file = 0;
}
