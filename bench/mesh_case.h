/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_case.h: one case of mesh_rows: points, strengths and a mesh, on the host
 * or on a device. */
#ifndef FARSUM_BENCH_MESH_CASE_H
#define FARSUM_BENCH_MESH_CASE_H

#include "points/device/set.h"
#include "stage/interp/interp.h"
#include "stage/spread/spread.h"

struct bench {
    struct device *device; /* NULL: the host */
    const char *dist;
    struct spread_args spread;
    struct interp_args interp;
    struct window window;
    struct cell cell;
    struct points points;
    int64_t n, mesh_reals, q_reals;
    void *q, *mesh, *out; /* on the host */
    struct buf x_there, q_there, mesh_there, out_there, field_there;
    int field; /* 1: interp also computes the field */
    void *field_out;
    double *reference[2]; /* of spread, interp */
};

static inline int bench_f32(const struct bench *b)
{
    return b->spread.precision == FARSUM_F32;
}
static inline int bench_size(const struct bench *b)
{
    return bench_f32(b) ? 4 : 8;
}

/* Ends the program with the library's message unless OK. */
void bench_need(farsum_status status);
/* A random number in [0, 1). */
double bench_number(uint64_t *state);
/* Fractional coordinates of the i-th point. */
void bench_position(const struct bench *b, int64_t i, uint64_t *seed,
                    double *x);
/* Sets all that follows from device, dist, n, window and spread. */
void bench_create(struct bench *b);
void bench_clear(struct bench *b);
/* On a device: sets the same positions again as if they were new, without the
 * earlier sorts and lists. */
void bench_points_again(struct bench *b);
/* Fills the variants' output arrays with zeros. */
void bench_out_zero(struct bench *b);
/* Relative RMS difference of a variant's output from the first variant's. */
double bench_difference(struct bench *b, int stage);
#endif
