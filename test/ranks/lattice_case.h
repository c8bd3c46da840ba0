/* SPDX-License-Identifier: Apache-2.0 */
/* lattice_case.h: random multipoles on a grid of root boxes, and their locals
 * by ranks and by one process. */
#ifndef FARSUM_TEST_LATTICE_CASE_H
#define FARSUM_TEST_LATTICE_CASE_H

#include "comm/comm.h"
#include "ranks/cuts.h"
#include "stage/expansions/expansions.h"

enum { LATTICE_HALO = 2 };

struct lattice_grid {
    int64_t root[3];
    double box[3];
    int periodic, p, ws;
};

struct lattice_case {
    const struct lattice_grid *grid;
    int64_t begin[CUTS_RANKS + 1];
    farsum_precision precision;
    int threads, by_grid;      /* by_grid: ranks_lattice_args.grid */
    double *multipole, *local; /* [(p + 1)^2][boxes]; local: of the ranks */
    int fail_rank;
    int64_t fail_at; /* allocation of fail_rank that fails; 0: none */
};

static inline int64_t lattice_boxes(const struct lattice_grid *g)
{
    return g->root[0] * g->root[1] * g->root[2];
}
static inline int64_t lattice_numbers(const struct lattice_grid *g)
{
    return multipole_size(g->p) * lattice_boxes(g);
}

/* The stage's arguments for the whole cell, on the host. */
struct boxes_args lattice_args(const struct lattice_grid *grid,
                               farsum_precision precision, int threads);
void lattice_arrays(struct lattice_case *s);
void lattice_free(const struct lattice_case *s);

/* A rank's expansions, in its own tree.  Ghost layers and gaps hold NaN: they
 * are neither read nor written. */
struct lattice_own {
    int64_t layers, stride, n; /* n: reals */
    void *multipole, *local;   /* of type precision */
};
struct lattice_own lattice_own(const struct lattice_case *s, int rank);
void lattice_own_free(const struct lattice_own *own);
/* Copies the locals to s->local, and CHECKs which of them are set. */
void lattice_found(const struct lattice_case *s, int rank,
                   const struct lattice_own *own);

/* For ranks_run: creates, and runs twice. */
farsum_status lattice_work(struct comm *comm, void *data);
/* The locals of s->multipole by a variant of the stage in f64; the caller frees
 * them. */
double *lattice_reference(const struct lattice_case *s, const char *variant);
/* CHECKs s->local of ranks against them.  kind: of the cut. */
void lattice_check(const struct lattice_case *s, const double *right, int size,
                   int kind);
#endif
