/* SPDX-License-Identifier: Apache-2.0 */
/* nufft.h: NUFFTs over ranks, on hosts or with a device each.
 *
 * The mesh is one over ranks (mesh.h), the transform that of ranks/slab.h, and
 * each rank holds modes of some k0 (modes.h).  Functions that exchange are
 * collective and return the same status on all ranks. */
#ifndef FARSUM_MESH_RANKS_NUFFT_H
#define FARSUM_MESH_RANKS_NUFFT_H

#include "mesh/nufft.h"
#include "mesh/ranks/mesh.h"
#include "mesh/ranks/modes.h"
#include "ranks/slab.h"

struct nufft_ranks {
    struct comm *comm; /* borrowed; the mesh may own it */
    struct nufft_ranks_gpu *gpu; /* owned; NULL: the host, of the following */
    struct slab *slab;
    struct rank_modes *modes;
    int64_t first, own; /* modes along axis 0 of this rank */
    int64_t spectrum;   /* reals of the spectrum of one part; on devices too */
    void *spectra;      /* owned, [2][spectrum]: of a vector's real and
                           imaginary part */
    void *c;            /* owned, [batch][own points], complex */
    int64_t have_c;     /* bytes */
};

extern const struct nufft_over nufft_over_ranks;

/* comm is borrowed. */
farsum_status nufft_ranks_create(struct comm *comm,
                                 const farsum_nufft_problem *problem,
                                 const farsum_mesh_options *options,
                                 const char *transport,
                                 struct farsum_nufft **nufft);
void nufft_ranks_destroy(struct nufft_ranks *ranks); /* NULL is legal */
/* Memory for the mesh's own points; not collective. */
farsum_status nufft_ranks_points(struct farsum_nufft *nufft);
farsum_status nufft_ranks_execute(struct farsum_nufft *nufft, void *c, void *f);
#endif
