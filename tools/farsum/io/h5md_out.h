/* SPDX-License-Identifier: Apache-2.0 */
/* h5md_out.h: elements of an H5MD file that is being written. */
#ifndef FARSUM_IO_H5MD_OUT_H
#define FARSUM_IO_H5MD_OUT_H

#include "h5md.h"

struct h5md_out_element {
    char *name; /* owned; in the file */
    hid_t set, memory; /* memory: the type of our data */
    enum io_type type;
    int width, rank; /* rank: including time */
    hsize_t shape[3];
    size_t text_size; /* bytes of a text in the file; 0: an enumeration */
    int n_members;
    char **members; /* owned */
};

struct h5md_out {
    hid_t file, group, step; /* 0: none; step: the data set */
    int64_t n, n_lines; /* n: particles */
    int64_t written; /* rows of the frame so far */
    bool has_cell, charged, keys_change;
    int periodic[3];
    struct h5md_out_element *elements; /* owned */
    int n_elements;
    char **key_lines; /* owned */
};

/* Creates an HDF5 file whose bytes go to the output (h5_driver.c).  Failed
 * writes are hidden from the library and stored in output->cause.  < 0:
 * failed. */
hid_t h5_create_in(struct output *output);

/* Sets the writer's message to the system's reason, else the library's; returns
 * -1. */
int h5md_out_broken(struct io_writer *w);
/* A group that keeps the order of its members and attributes; < 0: failed. */
hid_t h5md_out_group(hid_t parent, const char *name);

/* Creates /particles/all/step, to which all elements link. */
int h5md_out_step(struct io_writer *w, struct h5md_out *h);
int h5md_out_put_step(struct io_writer *w, struct h5md_out *h);
/* Adds an element with `width` values per particle.  `like`: a column of n rows
 * with all texts that matter, NULL for reals. */
int h5md_out_add(struct io_writer *w, struct h5md_out *h, hid_t parent,
                 const char *name, enum io_type type, int width,
                 const struct io_column *like, int64_t n);
/* Adds an element with rows x columns reals per frame; columns 0: a vector. */
int h5md_out_add_plain(struct io_writer *w, struct h5md_out *h, hid_t parent,
                       const char *name, int rows, int columns);
/* The type in the file; < 0: failed.  Sets e->memory and the fields for
 * texts.  n: rows of like. */
hid_t h5md_out_type(struct h5md_out_element *e, const struct io_column *like,
                    int64_t n);
/* The index of the enumeration's member equal to the text; -1: none. */
int h5md_out_member(const struct h5md_out_element *e, const char *text);

/* Adds row w->frames to element e. */
int h5md_out_extend(struct io_writer *w, const struct h5md_out *h, int e);
/* Writes rows [first, first + n) of element e of the frame w->frames. */
int h5md_out_put(struct io_writer *w, const struct h5md_out *h, int e,
                 int64_t first, int64_t n, const void *data);
/* Writes the keys, and flushes all bytes to the output. */
int h5md_out_finish(struct io_writer *w, struct h5md_out *h);
void h5md_out_close(struct h5md_out *h);

#endif
