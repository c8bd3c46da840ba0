/* SPDX-License-Identifier: Apache-2.0 */
/* modes.h: modes of one vector between the ranks that hold rows of the spectra
 * of its real and imaginary part, and the ranks that hold the modes.
 *
 * Only the rows |k1| <= N1/2 of the spectra have modes: the used rows.  They
 * are numbered k1 = 0, 1, .., -2, -1 and cut into equal parts.  A used row k1
 * holds the half spectra of all k0, and yields two parts of rows of modes: of
 * k1 and of -k1, whose k2 have different signs.  So a rank computes modes from
 * its own rows only, and each mode travels once; in type 2 those with k2 = 0
 * twice.  The modes are cut into equal parts along axis 0. */
#ifndef FARSUM_MESH_RANKS_MODES_H
#define FARSUM_MESH_RANKS_MODES_H

#include "comm/comm.h"
#include "mesh/nufft_kern.h"

struct rank_modes_args {
    struct comm *comm; /* borrowed */
    int type, sign, threads;
    int64_t modes[3], mesh[3], ldz;
    int64_t size;                  /* bytes of a complex number */
    const struct nufft_kern *kern; /* borrowed; NULL: only the lists of
                                      messages, for a device */
    const double *scale[3];        /* borrowed, as in struct nufft_job */
};

struct rank_modes;

/* Collective: fails on all ranks or on none.  Runs do not allocate. */
farsum_status rank_modes_create(const struct rank_modes_args *args,
                                struct rank_modes **modes);
void rank_modes_destroy(struct rank_modes *modes); /* NULL is legal */

/* The cut of the spectra's rows: begin [size + 1], for struct slab_args, and
 * columns [mesh1], of which rows without modes have none. */
void rank_modes_rows(const struct rank_modes_args *args, int64_t *begin,
                     int64_t *columns);
/* Used rows of this rank. */
int64_t rank_modes_used(const struct rank_modes_args *args);
/* Sets first and count of a rank's own modes along axis 0. */
void rank_modes_own(int64_t modes0, int rank, int size, int64_t *first,
                    int64_t *count);

/* Not collective: bytes that a run of rank comm->rank sends to others. */
farsum_status rank_modes_sent(const struct rank_modes_args *args,
                              int64_t *bytes);

/* spectra: [2][used rows][mesh0][ldz], `step` reals from the real part's to the
 * imaginary part's; f: [own modes][N1][N2], complex.  Type 1 sets f, type 2 the
 * spectra.  Collective; a rank that fails takes part in the exchange. */
farsum_status rank_modes_run(struct rank_modes *modes, void *spectra,
                             int64_t step, void *f);
#endif
