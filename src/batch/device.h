/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: batches on a device.
 *
 * Small systems are summed as on the host, with the same choices and estimates,
 * in a few launches for all of them.  Positions, strengths and results stay on
 * the device; a table of systems goes there, and a record of each comes back,
 * by which the host finds faults and systems to be summed again. */
#ifndef FARSUM_BATCH_DEVICE_H
#define FARSUM_BATCH_DEVICE_H

#include "batch/batch.h"
#include "device/buf.h"
#include "device/compile/jit.h"

enum { BATCH_STARTS = 4, BATCH_RECORD = 16 };

/* Must equal the structs in batch/waves.kh. */
struct waves_system {
    double a[9], inv[9], given_inv[9], per;
    double volume, c, same, background, potential, field;
    int64_t first, n, index, mode, part, start[BATCH_STARTS];
    int32_t level, terms, reach[3], most[3], length, coulomb;
};
_Static_assert(sizeof(struct waves_system) == 384, "as the kernel has it");
struct waves_args {
    double none, far_away, same;
    int64_t systems, sources, first_q, first_system, first_record;
    int32_t wide, together, potential, field, energy, virial;
};
_Static_assert(sizeof(struct waves_args) == 88, "as the kernel has it");

struct batch_gpu {
    struct device *device;       /* borrowed */
    struct farsum_device shared; /* the same for the batch's plans */
    int owns_device;
    struct jit waves, near[2]; /* near: by f64, f32 */
    struct kernel begin, factors, targets, end, pairs[2];
    struct buf tables;       /* of each level */
    char sent[BATCH_LEVELS]; /* 1: its tables are there */
    struct buf x;            /* the caller's positions, copied */
    struct buf system, s, q, value, mode, part, record;
    struct buf given_q, given_x;  /* strengths of a caller on the host; one
                                       system's positions and strengths, and
                                       results of its plan */
    struct buf out[6];            /* results for a caller on the host, or of a
                                       plan: in the order of farsum_outputs */
    struct waves_system *systems; /* owned */
    double (*records)[BATCH_RECORD]; /* owned */
    int64_t systems_have, records_have;
};

/* batch/device.c.  Opens the device that the options name.  NULL afterwards:
 * the host. */
farsum_status batch_gpu_create(struct farsum_batch *b,
                               const farsum_options *given);
void batch_gpu_destroy(struct batch_gpu *gpu);
/* Makes a buffer hold `bytes`, with room to grow. */
farsum_status batch_gpu_room(struct batch_gpu *gpu, struct buf *buf,
                             int64_t bytes);
/* Copies the positions of all systems. */
farsum_status batch_gpu_points(struct farsum_batch *b, const void *x);
/* Expected seconds of a system by waves, of a pair, and of a plan's sum. */
double batch_gpu_seconds(const struct farsum_batch *b,
                         const struct batch_system *s);
double batch_gpu_pair_seconds(const struct farsum_batch *b);
double batch_gpu_plan_seconds(const struct farsum_batch *b, int64_t n,
                              double digits);
/* Makes the device hold the tables of a level. */
farsum_status batch_gpu_level(struct farsum_batch *b,
                              const struct batch_level *level);

/* batch/device_sum.c: the caller's arrays, or those for a caller on the
 * host. */
struct batch_gpu_io {
    struct buf q, potential, field, energy, virial;
};
/* Sums the systems list[0 .. count - 1] by waves, with s->now. */
farsum_status batch_gpu_waves(struct farsum_batch *b, const int64_t *list,
                              int64_t count, int rhs, const void *q,
                              const farsum_result *out);
/* Writes the zeros of an empty system. */
farsum_status batch_gpu_empty(struct farsum_batch *b, int rhs, int64_t system,
                              const farsum_result *out);

/* batch/device_plans.c: sums right-hand side r of a system by a plan, with the
 * caller's arrays on the device. */
farsum_status batch_gpu_plan(const struct farsum_batch *b,
                             const struct batch_system *s, farsum_plan *plan,
                             int r, const void *q, const farsum_result *out);
#endif
