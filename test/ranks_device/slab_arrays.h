/* SPDX-License-Identifier: Apache-2.0 */
/* slab_arrays.h: one rank's arrays of a cut transform on devices. */
#ifndef FARSUM_TEST_SLAB_ARRAYS_H
#define FARSUM_TEST_SLAB_ARRAYS_H

#include "ranks/device/slab.h"
#include "ranks/slab_case.h"

/* What is left as it was. */
enum { KEPT = 7, MOST_COLUMNS = 64 };

/* A case, read by all ranks. */
struct gpu_case {
    struct slab_case s; /* with the references of CHANNELS channels */
    int64_t columns[MOST_COLUMNS], order[MOST_COLUMNS];
    int halo, channels, more; /* more: reals behind a channel's planes, and
                                 lines behind its lines */
    const char *fft;
    int aside; /* 1: on a second queue of the caller */
    /* Failures of rank 1. */
    int64_t fail_at; /* allocation of create; 0: none */
    int64_t limit;   /* bytes of the device that create may add; 0: none */
    int short_mesh, short_spectrum; /* 1: the last channel is missing */
};

/* One rank's arrays. */
struct rank_arrays {
    const struct gpu_case *t;
    int rank;
    int64_t plane, planes, mesh_channel, mesh_reals;
    int64_t lines, spectrum_channel, spectrum_reals;
    double *mesh, *spectrum; /* owned: copies on the host */
    struct buf mesh_on, spectrum_on;
};

struct gpu_slab_args slab_args_of(const struct gpu_case *t, struct comm *comm,
                                  struct device *device,
                                  struct transport *transport);
void arrays_make(struct rank_arrays *a, const struct gpu_case *t, int rank,
                 int64_t lines);
void arrays_free(struct rank_arrays *a);
/* Fills the meshes with values or NaN, and what surrounds them with KEPT. */
void mesh_fill(struct rank_arrays *a, int values);
/* The same for the lines: NaN. */
void spectrum_fill(struct rank_arrays *a);
/* Copies the arrays to the device in its precision. */
void mesh_send(struct rank_arrays *a, struct device *device);
void spectrum_send(struct rank_arrays *a, struct device *device);
/* Fetches the spectrum or the mesh, and compares it with the case's. */
void spectrum_check(struct rank_arrays *a);
void mesh_check(struct rank_arrays *a);
/* Fetches the mesh, and checks that numbers outside of the own planes are what
 * they were. */
void halo_check(struct rank_arrays *a);
#endif
