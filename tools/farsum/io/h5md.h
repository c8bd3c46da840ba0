/* SPDX-License-Identifier: Apache-2.0 */
/* h5md.h: HDF5 files with the H5MD layout (nongnu.org/h5md, version 1.1).
 *
 * /particles/GROUP/box{dimension, boundary, edges}, position, charge and other
 * elements, each a data set (fixed in time) or a group with `value` (one row
 * per frame).  Our additions: box/offset (the cell's origin), the frame's keys
 * as attributes of /parameters and, where they change, in /parameters/keys. */
#ifndef FARSUM_IO_H5MD_H
#define FARSUM_IO_H5MD_H

#include <hdf5.h>

#include "format.h"
#include "output.h"

int h5md_open(struct io_reader *reader);
int h5md_read(struct io_reader *reader, struct io_frame *frame);
void h5md_close(struct io_reader *reader);
int h5md_create(struct io_writer *writer);
int h5md_begin(struct io_writer *writer, const struct io_frame *head,
               int64_t all);
int h5md_slice(struct io_writer *writer, const struct io_frame *slice);
int h5md_end(struct io_writer *writer, const struct io_frame *head);
int h5md_finish(struct io_writer *writer);
void h5md_drop(struct io_writer *writer);

/* --- h5.c: helper functions around the library --- */

/* Between the two calls the library prints no errors. */
struct h5_silence {
    H5E_auto2_t function;
    void *data;
};
void h5_silence(struct h5_silence *old);
void h5_restore(const struct h5_silence *old);
/* The library's message about the last failed call. */
void h5_reason(char *out, size_t size);

bool h5_exists(hid_t parent, const char *name);
hid_t h5_string_type(size_t size);
/* A transfer list that fails if a number does not fit its type.  < 0: no
 * memory. */
hid_t h5_strict_transfer(void);
/* A text or number attribute as text; owned.  NULL: neither. */
char *h5_attribute_text(hid_t object, const char *name);
/* The attribute `unit` of an element of the group, or of its values; "" if it
 * does not exist. */
void h5_unit(hid_t group, const char *name, char *out, size_t size);
/* Stores a text as an attribute of `object`. */
int h5_put_attribute(hid_t object, const char *name, const char *value);

/* The H5MD name of a column: "force" for "forces" in other formats. */
const char *h5md_name_of_column(const char *column);
const char *h5md_column_of_name(const char *name);

/* --- h5md_element.c, h5md_values.c: one element of a group --- */

struct h5md_element {
    char *name; /* owned; of the column */
    char *path; /* owned; for messages */
    hid_t set;
    bool timed; /* the first axis is time */
    hsize_t frames;
    int rank; /* of one frame */
    hsize_t shape[8];
    size_t file_size; /* bytes of one value in the file */
    enum io_type type;
    bool is_unsigned; /* an integer without sign */
    int width; /* values per particle, as in a column */
    bool variable; /* texts of variable length */
    int n_members; /* for an enumeration read as text */
    char **members; /* owned */
    int64_t *member_values; /* owned */
};

/* Returns 1 if it exists and can be read; 0: it is not an element; -1:
 * error. */
int h5md_element_open(struct text *t, hid_t parent, const char *where,
                      const char *name, struct h5md_element *e);
void h5md_element_close(struct h5md_element *e);
/* For reading in slices: keeps the last chunk in memory, since the library
 * would decompress a large one for each slice again.  Returns 0 or -1. */
int h5md_element_keep_chunk(struct text *t, struct h5md_element *e);
/* Rows of one frame: along the first axis of an element, if it has axes. */
struct h5md_rows {
    int64_t frame, first, n;
};
/* Reads these rows as doubles. */
int h5md_element_reals(struct text *t, const struct h5md_element *e,
                       struct h5md_rows rows, double *out);
/* The data of a column; owned.  NULL: error. */
void *h5md_element_column(struct text *t, const struct h5md_element *e,
                          struct h5md_rows rows);

/* --- the reader --- */

struct h5md {
    hid_t file, group; /* 0: none */
    char *where;       /* owned; "/particles/NAME" */
    int64_t frames, n;
    struct h5md_element position, charge, edges, offset; /* set 0: none */
    struct h5md_element *columns; /* owned */
    int n_columns;
    int periodic[3];
    bool boxed;   /* there is a group box */
    bool bounded; /* it states which axes are periodic */
    char length_unit[24], charge_unit[24];
    int n_keys;
    struct io_key *keys; /* owned; attributes of /parameters */
    char **key_lines;    /* owned, [frames]; NULL: all have those keys */
};

/* The element's frame for the positions' frame `at`.  An element with one frame
 * applies to all. */
static inline int64_t h5md_element_frame(const struct h5md_element *e,
                                         int64_t at) {
    return e->timed && e->frames == 1 ? 0 : at;
}

/* h5md_box.c: opens the box.  Its edges and boundary must be consistent. */
int h5md_open_box(struct io_reader *reader, struct h5md *h);
/* Fails unless an element has the positions' frames, or one. */
int h5md_check_frames(struct text *t, const struct h5md *h, hid_t parent,
                      const struct h5md_element *e);
/* True if an element of the group has the positions' frames, or no time. */
bool h5md_is_sampled(const struct h5md *h, const struct h5md_element *e);
int h5md_shape_error(struct text *t, const struct h5md_element *e,
                     const char *expected);

int h5md_open_file(struct io_reader *reader, struct h5md *h);
int h5md_open_keys(struct text *t, struct h5md *h);

#endif
