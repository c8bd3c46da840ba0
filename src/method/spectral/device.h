/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: the part of a spectral plan that lies on a device. */
#ifndef FARSUM_METHOD_SPECTRAL_DEVICE_H
#define FARSUM_METHOD_SPECTRAL_DEVICE_H

#include "device/second_stream.h"
#include "device/compile/jit.h"
#include "device/graph.h"
#include "method/staging/device_arrays.h"
#include "method/staging/device_exclusions.h"
#include "method/spectral/spectral.h"

/* What kernels leave about a sum; as method/spectral/device.k has it. */
enum gpu_fact {
    FACT_Q,
    FACT_Q2,
    FACT_UNIT,
    FACT_DIPOLE,
    FACT_FORCE = 6,
    FACT_PHI,
    FACT_BAD,
    FACT_BAD_AT,
    FACT_TWIN,
    FACT_TWIN_OF,
    FACT_UNIT_2 = 22,
    FACT_RANGE,
    FACTS
};

/* Beside the rooms, the transform back, and all of them. */
enum { GPU_BACK = ROOM_COUNT, GPU_ALL, GPU_WATCHES };

/* Exclusions on the device. */
struct gpu_exclude {
    struct jit jit;
    struct kernel run, end;
    int ready; /* 1: the kernels are there */
    struct gpu_excluded excluded;
    struct buf record;
};

/* Of a mixed plan: strengths of the near pairs, f32. */
struct gpu_mixed {
    struct jit jit;
    struct kernel narrow;
    struct buf q;
};

struct spectral_gpu {
    struct device *device; /* borrowed */
    struct jit jit;
    struct kernel strengths, in, dipole, fold, out, totals, range;
    struct kernel twins, twins_end;
    struct jit flow_jit; /* of a flow */
    struct kernel flow_strengths, flow_in, flow_flux, flow_fold, flow_out,
        flow_range;
    struct buf mesh; /* [channels] */
    struct buf q, channel, potential, field; /* as of struct spectral */
    struct buf x, y; /* as they were given, if it matters */
    struct buf fact, record;
    struct buf energy_sum, virial_sum; /* units of the cutoff */
    /* Two queues: near beside the mesh, whose results lie apart, for they would
     * be added to by both at once. */
    int beside;
    struct aside aside;
    struct buf near_potential, near_field, near_energy, near_virial;
    /* for a caller whose arrays are the host's: one right-hand side */
    struct gpu_arrays given;
    struct gpu_exclude exclude;
    struct gpu_mixed mixed;
    struct recording recording; /* of a sum */
    struct stopwatch watch[GPU_WATCHES];
    int has_watches, timed, ran_back;
    int64_t rhs;     /* of the last execute */
    int twins_asked; /* 1: FACT_TWIN holds an answer not yet looked at */
    int pending;     /* 1: an execute that nobody waited for */
    int summed;      /* 1: and the points are those it had */
    int had_field, had_potential; /* in it */
};

/* The host's twin of method/staging/sums.kh's struct. */
struct spectral_units {
    double coulomb, cutoff, background, surface, none;
    int64_t n, targets, first_q, first_out, rhs;
    int32_t wide, apart, potential, field, energy, virial, beside, exponent,
        length, spare;
    double per;
};
/* Of the plan: exponent, length, per. */
void gpu_units_set(const struct task *task, struct spectral_units *u);

/* Records that a kernel leaves, at most, and their words. */
enum { SUM_RECORDS = 1024, SUM_RECORD = 7 };
static inline int64_t gpu_records(const struct kernel *kernel, int64_t n)
{
    int64_t groups = kernel_groups(kernel, n);
    return groups < SUM_RECORDS ? groups : SUM_RECORDS;
}

/* method/spectral/device_flow.c: kernels of a flow; strengths in, velocities
 * out. */
farsum_status gpu_flow_create(const struct task *task,
                              struct spectral_gpu *gpu);
struct spectral_units gpu_flow_units(const struct task *task,
                                     const struct spectral *s,
                                     const struct gpu_ends *ends);
farsum_status gpu_flow_in(const struct task *task, struct spectral_gpu *gpu,
                          const struct spectral_units *units,
                          const struct gpu_ends *ends);
farsum_status gpu_flow_out(const struct task *task, struct spectral_gpu *gpu,
                           const struct spectral_units *units,
                           const struct gpu_ends *ends);

/* method/spectral/device_exclude.c: the plan's exclusions to the device;
 * whether they are there; what they take from one right-hand side. */
farsum_status spectral_gpu_exclude(const struct task *task, struct spectral *s);
farsum_status gpu_exclude_ready(const struct task *task,
                                const struct spectral *s);
farsum_status gpu_exclude_run(const struct task *task, struct spectral *s,
                              const struct spectral_units *units);
void gpu_exclude_clear(struct gpu_exclude *exclude);
/* method/spectral/device_mixed.c: kernels; room for n sources; gpu->q to
 * mixed.q. */
farsum_status gpu_mixed_create(struct spectral_gpu *gpu);
farsum_status gpu_mixed_reserve(const struct task *task,
                                struct spectral_gpu *gpu, int64_t n);
farsum_status gpu_mixed_in(const struct task *task, struct spectral *s);
void gpu_mixed_clear(struct gpu_mixed *mixed);

/* method/spectral/device_run.c: the last right-hand side's FACT_FORCE and
 * FACT_PHI, from the records that it left. */
farsum_status gpu_fold_results(const struct task *task,
                               const struct spectral *s);
/* The same of what says whether they are in range: of the last execute's last
 * right-hand side, if nobody looked at it yet. */
farsum_status gpu_range_last(const struct task *task, const struct spectral *s);

/* method/spectral/device_sum.c: the stages, from strengths to results in units
 * of the cutoff. */
farsum_status gpu_sum(const struct task *task, struct spectral *s,
                      const struct spectral_units *units);

/* Rooms apart: kernels, mesh, points. */
farsum_status spectral_gpu_create(const struct task *task, struct spectral *s);
void spectral_gpu_destroy(struct spectral_gpu *gpu); /* NULL is legal */
farsum_status spectral_gpu_set_points(struct task *task, struct spectral *s,
                                      int64_t n, const void *x, int64_t m,
                                      const void *y);
farsum_status spectral_gpu_execute(struct task *task, struct spectral *s,
                                   int rhs, const void *q,
                                   farsum_result *result);
/* Waits; what went wrong since points were set, then the numbers of the last
 * sum into plan->info. */
farsum_status spectral_gpu_finish(struct task *task, struct spectral *s);
/* Fails if two sources are at one place and no exclusion names them. */
farsum_status spectral_gpu_distinct(struct task *task,
                                    const struct spectral *s);
#endif
