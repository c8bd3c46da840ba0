/* SPDX-License-Identifier: Apache-2.0 */
/* io.h: input and output of particle files.
 *
 * A reader is opened on a file, whose format is recognised by name, suffix or
 * content, and returns frames one by one.  A writer takes frames.  Its file
 * appears under the final name only when it is closed without error (written to
 * a temporary file, then renamed).  Every error message has file, line and
 * column, and what was expected. */
#ifndef FARSUM_TOOLS_IO_H
#define FARSUM_TOOLS_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum io_type { IO_REAL, IO_INT, IO_TEXT, IO_BOOL };

/* One column: `width` values per particle. */
struct io_column {
    char *name;         /* owned */
    enum io_type type;
    int width;
    void *data;         /* owned: double, int64_t, char* (each owned) or char,
                           [n][width] */
};

/* key=value of a frame's comment line or header; the order is kept. */
struct io_key {
    char *key, *value;  /* owned; value without its quotes */
};

/* Two particles by their numbers in the file, and the line of the pair. */
struct io_pair {
    int64_t a, b, line;
    double factor;      /* from a file of pairs: the third number, or 0 */
};
struct io_pairs {
    int64_t n, capacity;
    struct io_pair *pair; /* owned */
};
/* The outermost particles of bonds, angles and dihedrals. */
enum { IO_BONDS, IO_ANGLES, IO_DIHEDRALS, IO_JOINS };

/* One configuration.  pos always exists. */
struct io_frame {
    int64_t n;
    double *x;          /* owned, [n][3] */
    double *q;          /* owned, [n]; NULL: the file has no charges */
    double cell[9];     /* rows a, b, c */
    double origin[3];   /* of the cell; 0 if the format has none */
    int periodic[3];
    bool has_cell;
    int n_columns;
    struct io_column *columns; /* owned; all other data of the file, in order:
                                  species, id, velo, forces, ... */
    int n_keys;
    struct io_key *keys; /* owned */
    struct io_pairs joins[IO_JOINS]; /* of LAMMPS data, if requested */
    char length_unit[24], charge_unit[24]; /* as named in the file; "":
                                              unnamed */
    const char *format; /* of the file read; NULL: none.  Constant */
    int64_t first, all; /* of a part of the file's frame: particles before it,
                           and of the frame; 0: a whole frame */
    int64_t line;       /* of the first particle, if there is one per line; else
                           0 */
};

/* Particles of the file's frame. */
static inline int64_t io_frame_all(const struct io_frame *frame) {
    return frame->all > frame->n ? frame->all : frame->n;
}
void io_frame_clear(struct io_frame *frame); /* frees; leaves all zero */
/* Borrowed; NULL if it does not exist. */
struct io_column *io_frame_column(const struct io_frame *frame,
                                  const char *name);
const char *io_frame_key(const struct io_frame *frame, const char *key);
/* Adds or replaces a column and takes ownership of data.  Returns 0, or -1 if
 * there is no memory; then the caller still owns data. */
int io_frame_set_column(struct io_frame *frame, const char *name,
                        enum io_type type, int width, void *data);
int io_frame_set_key(struct io_frame *frame, const char *key,
                     const char *value);
/* Removes a key or column by its index. */
void io_frame_drop_key(struct io_frame *frame, int at);
void io_frame_drop_column(struct io_frame *frame, int at);

/* The charge of a type, which has a number or a name. */
struct io_type_charge {
    long type;
    double q;
    const char *name; /* borrowed; NULL: none */
    size_t length;    /* of the name */
};

/* A caller that holds no whole frame takes its particles in slices. */
struct io_slices {
    int64_t most; /* particles of a slice */
    int parts;    /* a frame is cut into at least so many slices */
    /* Called in the file's order.  slice: all columns of its particles,
     * borrowed.  all: particles of the frame by the file's header, which may
     * be more than follow; 0: unknown.  Returns 0, or -1: io_read fails. */
    int (*take)(void *data, const struct io_frame *slice, int64_t all);
    void *data;
};

/* Options of reading.  Texts are borrowed until the reader is closed. */
struct io_options {
    const char *format;     /* "extxyz", "lammps", "pqr", "hdf5"; NULL: by the
                               suffix, else by the content */
    const char *atom_style; /* LAMMPS: "charge", "full", "atomic", or columns as
                               "id type x y z q"; NULL: by the file's hint or
                               its columns */
    int n_type_charges;     /* for files without charges: --charge TYPE=Q */
    const struct io_type_charge *type_charges; /* borrowed */
    bool joins;             /* LAMMPS: bonds, angles and dihedrals too */
    /* Geometry set on the command line.  A cell or open space replaces the
     * file's geometry.  Periodic axes alone belong to the file's cell: they
     * complete the file, and are an error if the file states others.  Without
     * these, incomplete or contradictory geometry in the file is an error. */
    bool cell_given, periodic_given, open_given;
    int periodic[3];                /* if periodic_given */
    const struct io_slices *slices; /* then io_read's frames have all but the
                                       particles; NULL: whole frames */
    const char *group;      /* HDF5: the group of /particles; NULL: the only
                               one, or "all" */
};

struct io_reader; /* opaque */
/* Returns 0, or -1 with "FILE:LINE:COL: what" in `error` (of `size` bytes).
 * "-" is standard input (not for HDF5). */
int io_open(const char *path, const struct io_options *options,
            struct io_reader **reader, char *error, size_t size);
/* Returns 1: a frame was read; 0: no more; -1: error.  *frame is cleared
 * first. */
int io_read(struct io_reader *reader, struct io_frame *frame, char *error,
            size_t size);
/* A note for the user on the last frame; NULL: none. */
const char *io_reader_note(const struct io_reader *reader);
const char *io_reader_format(const struct io_reader *reader);
void io_close(struct io_reader *reader); /* NULL is legal */

/* Reads a file of pairs, "I J" or "I J FACTOR" per line; # begins a comment.
 * The caller owns the pairs.  Returns 0 or -1. */
int io_read_pairs(const char *path, struct io_pairs *pairs, char *error,
                  size_t size);
/* Adds one pair; -1: no memory. */
int io_pairs_add(struct io_pairs *pairs, struct io_pair pair);
void io_pairs_clear(struct io_pairs *pairs);

struct io_writer; /* opaque */
/* format NULL: by the suffix (.xyz .extxyz, .h5 .hdf5); "-": standard output in
 * extxyz. */
int io_create(const char *path, const char *format, struct io_writer **writer,
              char *error, size_t size);
/* Writes columns in this order: species if any, pos, charge, the others. */
int io_write(struct io_writer *writer, const struct io_frame *frame,
             char *error, size_t size);
/* The same for a frame that is written in slices: io_write_begin, the slices in
 * the file's order, io_write_end.  head: as the slices, but its n particles
 * need only texts: all species that occur, and each column's longest text.
 * all: number of particles. */
int io_write_begin(struct io_writer *writer, const struct io_frame *head,
                   int64_t all, char *error, size_t size);
int io_write_slice(struct io_writer *writer, const struct io_frame *slice,
                   char *error, size_t size);
int io_write_end(struct io_writer *writer, const struct io_frame *head,
                 char *error, size_t size);
/* Flushes, syncs, renames.  On error no existing file is changed.  The writer
 * is freed in either case. */
int io_commit(struct io_writer *writer, char *error, size_t size);
/* Removes the written data; NULL is legal. */
void io_abandon(struct io_writer *writer);

/* Reads a whole text buffer as one file of `format`, for the fuzz targets.
 * Returns the number of frames, or -1. */
int io_read_memory(const char *format, const char *text, size_t n,
                   char *error, size_t size);
#endif
