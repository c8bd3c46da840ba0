/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: device part of a spectral plan. */
#ifndef FARSUM_METHOD_SPECTRAL_DEVICE_H
#define FARSUM_METHOD_SPECTRAL_DEVICE_H

#include "device/second_stream.h"
#include "device/compile/jit.h"
#include "device/graph.h"
#include "method/staging/device_arrays.h"
#include "method/staging/device_exclusions.h"
#include "method/spectral/spectral.h"

/* Words that kernels write about a sum; must equal those of
 * method/spectral/device.k. */
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

/* Stopwatches, after those of the stages: the backward transform, and all
 * stages together. */
enum { GPU_BACK = STAGE_COUNT, GPU_ALL, GPU_WATCHES };

/* Exclusions on the device. */
struct gpu_exclude {
    struct jit jit;
    struct kernel run, end;
    int ready; /* 1: the kernels exist */
    struct gpu_excluded excluded;
    struct buf record;
};

/* Mixed plans only: strengths of the near pairs, f32. */
struct gpu_mixed {
    struct jit jit;
    struct kernel narrow;
    struct buf q;
};

/* Sources with charge and dipole only. */
struct gpu_moments {
    struct jit jit;
    struct kernel in, virial, fold, out;
    struct buf gradient, near_gradient; /* [targets][6], as field */
    struct buf record;
};
/* Their arrays: the plan's, or over ranks the owner's. */
struct gpu_moments_arrays {
    const struct buf *q, *channel, *field, *near_field, *gradient,
        *near_gradient;
};

/* The virial of each particle only. */
struct gpu_each {
    struct jit jit;
    struct kernel add, out, range;
    void *near; /* owned: state of near_gpu_cells; NULL: not an output */
    struct buf spectrum;                /* of the charges, as a channel */
    struct buf near_shares, far_shares; /* f64 [n][6], units of the cutoff */
    struct buf value, slope;            /* [n], [n][3] */
    struct buf record;
};

/* The far part only: the self term. */
struct gpu_part {
    struct jit jit;
    struct kernel self;
};

struct spectral_gpu {
    struct device *device; /* borrowed */
    struct jit jit;
    struct kernel strengths, in, dipole, fold, out, totals, range;
    struct kernel coincident, coincident_end;
    struct jit flow_jit; /* flows only */
    struct kernel flow_strengths, flow_in, flow_flux, flow_fold, flow_out,
        flow_range;
    struct buf mesh; /* [channels] */
    struct buf q, channel, potential, field; /* see struct spectral */
    struct buf x, y; /* input positions, if required */
    struct buf fact, record;
    struct buf energy_sum, virial_sum; /* in units of the cutoff */
    /* 1: near pairs run concurrently with the mesh in a second queue.  They
     * then have results of their own, since both would add to them
     * simultaneously. */
    int beside;
    struct second_stream aside;
    struct buf near_potential, near_field, near_energy, near_virial;
    /* for callers on the host: arrays of one right-hand side */
    struct gpu_arrays given;
    struct gpu_exclude exclude;
    struct gpu_mixed mixed;
    struct gpu_moments moments;
    struct gpu_part part;
    struct gpu_each each;
    struct graph recording; /* graph of a sum */
    struct gpu_ranks *ranks; /* owned; NULL: one rank */
    struct gpu_open_axis *open_axis; /* owned; two periodic axes only */
    int64_t n, targets; /* that the caller gives; over ranks, on this one */
    struct stopwatch watch[GPU_WATCHES];
    int has_watches, timed, ran_back;
    int64_t rhs;     /* in the last execute */
    int coincident_asked; /* 1: FACT_TWIN holds a result that was not read
                             yet */
    int pending;     /* 1: an execute that was not waited for */
    int summed;      /* 1: and the points are still those of that execute */
    int had_field, had_potential; /* results of that execute */
};

/* Must equal the struct in method/staging/sums.kh. */
struct spectral_units {
    double coulomb, cutoff, background, surface, none;
    int64_t n, targets, first_q, first_out, rhs;
    int64_t number;
    int32_t wide, apart, potential, field, energy, virial, beside, exponent,
        length, gradient, each, pad;
    double per, dipole;
};
/* Sets exponent, length and per of the plan. */
void gpu_units_set(const struct task *task, struct spectral_units *u);

/* The maximum number of records per kernel, and their words: of the kernels of
 * flows, and of the others, without and with dipoles. */
enum {
    SUM_RECORDS = 1024,
    SUM_RECORD = 7,
    SUM_RECORD_SCALAR = 4,
    SUM_RECORD_MOMENTS = 5
};
static inline int64_t gpu_records(const struct kernel *kernel, int64_t n)
{
    int64_t groups = kernel_groups(kernel, n);
    return groups < SUM_RECORDS ? groups : SUM_RECORDS;
}
/* Records of a kernel that reads or writes the caller's arrays: over ranks
 * equally many on each, and at least one. */
int64_t gpu_given_records(const struct spectral_gpu *gpu,
                          const struct kernel *kernel, int64_t n);
/* Records of all ranks, once gpu_records_gather has run: the buffer, and how
 * many they are if a rank has so many. */
const struct buf *gpu_all_record(const struct spectral_gpu *gpu);
int64_t gpu_all_records(const struct spectral_gpu *gpu, int64_t groups);
/* Collects the records of all ranks; with one rank it does nothing. */
farsum_status gpu_records_gather(struct spectral_gpu *gpu,
                                 const struct task *task, int64_t groups);

/* method/spectral/device_flow.c: kernels of flows; conversion of strengths and
 * velocities. */
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

/* method/spectral/device_exclude.c: compiles the kernels; uploads the plan's
 * exclusions; tells whether they are uploaded; subtracts them from one
 * right-hand side. */
farsum_status gpu_exclude_kernels(const struct task *task,
                                  struct spectral_gpu *gpu);
farsum_status spectral_gpu_exclude(const struct task *task, struct spectral *s);
farsum_status gpu_exclude_ready(const struct task *task,
                                const struct spectral *s);
farsum_status gpu_exclude_run(const struct task *task, struct spectral *s,
                              const struct spectral_units *units);
void gpu_exclude_clear(struct gpu_exclude *exclude);
/* method/spectral/part/device.c: compiles the kernel; adds the self term to the
 * potential or velocity, and to the energy.  NULL: not wanted. */
farsum_status gpu_part_create(const struct task *task,
                              struct spectral_gpu *gpu);
void gpu_part_clear(struct gpu_part *part);
farsum_status gpu_part_self(const struct task *task, struct spectral *s,
                            const struct buf *potential,
                            const struct buf *energy);
/* method/spectral/each/device.c: the virial of each particle, if the problem
 * requests it.  Before the points; for n points. */
farsum_status gpu_each_create(const struct task *task, struct spectral *s);
farsum_status gpu_each_set(const struct task *task, struct spectral *s,
                           int64_t n);
void gpu_each_clear(struct gpu_each *each);
/* Steps of a sum: the near pairs, with the strengths of the near stage; a copy
 * of the charges' spectrum; after the other outputs, the modes; and, after
 * exclusions and spectral_out, conversion to the caller's units. */
farsum_status gpu_each_near(const struct task *task, struct spectral *s,
                            const struct buf *q);
farsum_status gpu_each_keep(const struct task *task, struct spectral *s);
farsum_status gpu_each_far(const struct task *task, struct spectral *s);
farsum_status gpu_each_out(struct spectral_gpu *gpu,
                           const struct spectral_units *units,
                           const struct gpu_ends *ends);

/* method/spectral/device_mixed.c: creates the kernels; allocates for n sources;
 * converts q [n] to mixed.q. */
farsum_status gpu_mixed_create(struct spectral_gpu *gpu);
farsum_status gpu_mixed_reserve(const struct task *task,
                                struct spectral_gpu *gpu, int64_t n);
farsum_status gpu_mixed_in(const struct task *task, struct spectral_gpu *gpu,
                           int64_t n, const struct buf *q);
void gpu_mixed_clear(struct gpu_mixed *mixed);

/* method/spectral/moments/device.c: creates the kernels; allocates gradients;
 * computes the channel from q, and zeroes the gradients. */
farsum_status gpu_moments_create(struct spectral_gpu *gpu,
                                 farsum_precision type);
farsum_status gpu_moments_reserve(const struct task *task,
                                  struct spectral_gpu *gpu, int64_t targets);
struct gpu_moments_arrays gpu_moments_arrays(const struct spectral_gpu *gpu);
farsum_status gpu_moments_in(const struct spectral *s, struct spectral_gpu *gpu,
                             const struct spectral_units *units,
                             const struct gpu_moments_arrays *arrays);
/* Subtracts E_a p_b of (7.16a) from the virial in units of the cutoff. */
farsum_status gpu_moments_virial(struct spectral_gpu *gpu,
                                 const struct spectral_units *units,
                                 const struct gpu_moments_arrays *arrays);
/* Converts gradients, after the other results, and corrects their records,
 * which are as many. */
farsum_status gpu_moments_out(struct spectral_gpu *gpu,
                              const struct spectral_units *units,
                              const struct gpu_ends *ends, int64_t groups);
void gpu_moments_clear(struct gpu_moments *moments);

/* method/spectral/device_run.c: computes FACT_FORCE and FACT_PHI of the last
 * right-hand side from its records. */
farsum_status gpu_fold_results(const struct task *task,
                               const struct spectral *s);
/* Checks the range of the last execute's last right-hand side, if not checked
 * yet. */
farsum_status gpu_range_last(const struct task *task, const struct spectral *s);

/* method/spectral/device_sum.c: runs the stages, from strengths to results in
 * units of the cutoff. */
farsum_status gpu_sum(const struct task *task, struct spectral *s,
                      const struct spectral_units *units);

/* For device_ranks.c.  Sets positions; kept: stores a copy of the caller's, or
 * NULL. */
farsum_status gpu_place(const struct task *task, struct spectral *s,
                        struct points *points, struct buf *kept, int64_t n,
                        const void *x, const char *what);
/* Allocates strengths and results of n given sources and m targets. */
farsum_status gpu_reserve(const struct task *task, struct spectral_gpu *gpu,
                          int64_t n, int64_t m);
/* Looks for coincident sources, in the tiles of any sort of them; FACT_TWIN
 * will tell. */
farsum_status gpu_coincident(struct spectral *s);

/* Creates everything except the stages: kernels, mesh, points. */
farsum_status spectral_gpu_create(const struct task *task, struct spectral *s);
void spectral_gpu_destroy(struct spectral_gpu *gpu); /* NULL is legal */
farsum_status spectral_gpu_set_points(struct task *task, struct spectral *s,
                                      int64_t n, const void *x, int64_t m,
                                      const void *y);
farsum_status spectral_gpu_execute(struct task *task, struct spectral *s,
                                   int rhs, const void *q,
                                   farsum_result *result);
/* Waits; returns errors since points were set, then stores the numbers of the
 * last sum in plan->info. */
farsum_status spectral_gpu_finish(struct task *task, struct spectral *s);
/* Fails if two sources coincide and no exclusion names them. */
farsum_status spectral_gpu_distinct(struct task *task,
                                    const struct spectral *s);
#endif
