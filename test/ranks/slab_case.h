/* SPDX-License-Identifier: Apache-2.0 */
/* slab_case.h: a transform cut among ranks, and in three dimensions. */
#ifndef FARSUM_TEST_SLAB_CASE_H
#define FARSUM_TEST_SLAB_CASE_H

#include "comm/comm.h"
#include "ranks/cuts.h"

enum { CHANNELS = 3 };

struct slab_case {
    int size, threads, batch;
    int64_t mesh[3], ldz, begin0[CUTS_RANKS + 1], begin1[CUTS_RANKS + 1];
    int64_t planes;         /* of the mesh that are not padding; 0: all */
    const int64_t *columns; /* NULL: all */
    const int64_t *order;   /* NULL: ascending */
    farsum_precision precision;
    const char *variant;
    double *spectrum; /* [channel][mesh1][mesh0][mesh2/2 + 1] complex */
    double *back;     /* [channel][mesh0][mesh1][mesh2] */
    int fail_rank;
    int64_t fail_at; /* allocation of fail_rank that fails; 0: none */
};

static inline int64_t half_of(const int64_t mesh[3])
{
    return mesh[2] / 2 + 1;
}
/* Columns that row k1 of the spectrum keeps. */
static inline int64_t kept_of(const struct slab_case *s, int64_t k1)
{
    return s->columns ? s->columns[k1] : half_of(s->mesh);
}
static inline int64_t planes_of(const struct slab_case *s)
{
    return s->planes ? s->planes : s->mesh[0];
}
/* k1 of row i of the ranks' spectrum. */
static inline int64_t order_of(const struct slab_case *s, int64_t i)
{
    return s->order ? s->order[i] : i;
}
/* Numbers in `spectrum` and `back`. */
static inline int64_t spectrum_reals(const struct slab_case *s)
{
    return CHANNELS * s->mesh[1] * s->mesh[0] * 2 * half_of(s->mesh);
}
static inline int64_t mesh_reals(const struct slab_case *s)
{
    return CHANNELS * s->mesh[0] * s->mesh[1] * s->mesh[2];
}
/* A value of the mesh that f32 holds. */
static inline double slab_value(int64_t channel, int64_t index)
{
    return (double)(float)cut_value(channel, index);
}

void slab_arrays(struct slab_case *s);
void slab_free(const struct slab_case *s);
/* For ranks_run: creates, runs forward and backward into the arrays. */
farsum_status slab_work(struct comm *comm, void *data);
/* The same by one transform in three dimensions, in f64. */
void slab_reference(struct slab_case *s);
/* Largest difference over the largest value. */
double slab_difference(const double *found, const double *wanted, int64_t n);
#endif
