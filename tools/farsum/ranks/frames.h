/* SPDX-License-Identifier: Apache-2.0 */
/* frames.h: frames whose particles are spread over copies of the command.
 *
 * Rank 0 reads and writes the files in slices.  Copies hold blocks of a frame:
 * rank r holds those around r/size of the file. */
#ifndef FARSUM_TOOLS_RANKS_FRAMES_H
#define FARSUM_TOOLS_RANKS_FRAMES_H

#include "io/io.h"
#include "io/texts.h"
#include "ranks/ranks.h"

/* Where the particles of a frame are, in the file's order; the same on all
 * ranks. */
struct spread_run {
    int rank;
    int64_t rows;
};
struct spread {
    int64_t all;             /* particles of the frame */
    struct spread_run *runs; /* owned */
    int n_runs;
    struct texts texts;      /* on rank 0 */
};

/* All are collective.  With ranks NULL they are io_open, io_read and io_write
 * of a whole frame. */
struct spread_reader;
/* Only rank 0 opens the file. */
int spread_open(struct ranks *ranks, const char *path,
                struct io_options *options, struct spread_reader **reader,
                char *error, size_t size);
/* Returns as io_read does.  If it fails, a rank whose error is empty did not
 * fail itself. */
int spread_read(struct spread_reader *reader, struct io_frame *frame,
                struct spread *spread, char *error, size_t size);
/* io_reader_note; NULL on other ranks than 0. */
const char *spread_note(const struct spread_reader *reader);
void spread_close(struct spread_reader *reader); /* NULL is legal */
/* Writes a frame of all ranks: each gives its part.  Rank 0 has the writer.
 * Returns 0, or -1 on all ranks; ranks that failed themselves have an error. */
int spread_write(struct ranks *ranks, struct io_writer *writer,
                 const struct io_frame *frame, const struct spread *spread,
                 char *error, size_t size);
/* The particle's number in the file, from 1, of row i on a rank. */
int64_t spread_number(const struct spread *spread, int rank, int64_t i);
/* The plan counts the particles of rank 0 first, then those of rank 1, and so
 * on: the number of particles on lower ranks (0 if spread is NULL), the
 * plan's number, from 0, of a number in the file, from 1, and the reverse. */
int64_t spread_before(const struct spread *spread, int rank);
int64_t spread_planned(const struct spread *spread, int64_t number);
int64_t spread_filed(const struct spread *spread, int64_t planned);
void spread_clear(struct spread *spread);
#endif
