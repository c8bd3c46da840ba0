/* SPDX-License-Identifier: Apache-2.0 */
/* format.h: interface of a file format to io.c. */
#ifndef FARSUM_IO_FORMAT_H
#define FARSUM_IO_FORMAT_H

#include "io.h"
#include "text.h"

struct io_reader {
    const struct format *format;
    struct io_options options; /* its pointers are borrowed */
    struct text text; /* HDF5 uses only its name and message */
    void *state;      /* owned by the format */
    int64_t frames;   /* read so far */
    bool broken;      /* an error was reported: it is reported again */
    bool had_cell;    /* extended XYZ: some frame has a Lattice */
    int64_t all, given; /* particles of the frame, by its header (0: unknown),
                           and before its first row (slices.h) */
    char note[400];   /* note on the last frame for the user; "" */
    const char *image; /* borrowed; a file in memory, or NULL */
    size_t image_size;
};

struct io_writer {
    const struct format *format;
    struct output *output;
    void *state;
    int64_t frames;
    bool broken; /* an error was reported: it cannot be committed */
};

struct format {
    const char *name;
    const char *suffixes; /* " .a .b " */
    bool binary;          /* io.c does not open the text */
    /* Each may be NULL.  Returns 0, or -1 with text.message set. */
    int (*open)(struct io_reader *reader);
    int (*read)(struct io_reader *reader, struct io_frame *frame); /* 1, 0 */
    void (*close)(struct io_reader *reader);
    /* Returns 0, or -1 with output_message set.  finish: puts all bytes in the
     * file. */
    int (*create)(struct io_writer *writer);
    /* A frame: its head, its particles in slices, its end (may be NULL). */
    int (*begin)(struct io_writer *writer, const struct io_frame *head,
                 int64_t all);
    int (*slice)(struct io_writer *writer, const struct io_frame *slice);
    int (*end)(struct io_writer *writer, const struct io_frame *head);
    int (*finish)(struct io_writer *writer);
    void (*drop)(struct io_writer *writer); /* frees state; also called after
                                               finish */
};

extern const struct format format_extxyz, format_lammps, format_pqr,
    format_hdf5;
/* io.c: all of them, ended by NULL. */
extern const struct format *const formats[];

/* Readers and writers in other files. */
int extxyz_read(struct io_reader *reader, struct io_frame *frame);
int extxyz_begin(struct io_writer *writer, const struct io_frame *head,
                 int64_t all);
int extxyz_slice(struct io_writer *writer, const struct io_frame *slice);

#endif
