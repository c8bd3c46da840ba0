/* spectral_gpu.h: the part of a spectral plan that lies on a device. */
#ifndef FARSUM_METHOD_SPECTRAL_GPU_H
#define FARSUM_METHOD_SPECTRAL_GPU_H

#include "device/jit.h"
#include "device/recording.h"
#include "method/spectral.h"

/* What kernels leave about a sum; as spectral_gpu.k has it. */
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
    FACTS
};

/* Beside the rooms, the transform back. */
enum { GPU_WATCHES = ROOM_COUNT + 1, GPU_BACK = ROOM_COUNT };

struct spectral_gpu {
    struct device *device; /* borrowed */
    struct jit jit;
    struct kernel strengths, strengths_end, in, dipole, fold, out, totals;
    struct kernel twins, twins_end;
    struct buf mesh;
    struct buf q, potential, field; /* units of the cutoff, type precision */
    struct buf x, y; /* as they were given; vacuum surface only */
    struct buf fact, record;
    struct buf energy_sum, virial_sum; /* units of the cutoff */
    /* for a caller whose arrays are the host's: one right-hand side */
    struct buf given_q, given_potential, given_field, given_energy,
        given_virial;
    struct recording recording; /* of a sum */
    struct stopwatch watch[GPU_WATCHES];
    int has_watches, timed, ran_back;
    int64_t rhs;     /* of the last execute */
    int twins_asked; /* 1: FACT_TWIN holds an answer not yet looked at */
    int pending;     /* 1: an execute that nobody waited for */
    int summed;      /* 1: and the points are those it had */
    int had_field, had_potential; /* in it */
};

/* Rooms apart: kernels, mesh, points. */
farsum_status spectral_gpu_create(struct farsum_plan *plan, struct spectral *s);
void spectral_gpu_destroy(struct spectral_gpu *gpu); /* NULL is legal */
farsum_status spectral_gpu_set_points(struct farsum_plan *plan,
                                      struct spectral *s, int64_t n,
                                      const void *x, int64_t m, const void *y);
farsum_status spectral_gpu_execute(struct farsum_plan *plan, struct spectral *s,
                                   int rhs, const void *q,
                                   farsum_result *result);
/* Waits; what went wrong since points were set, then the numbers of the last
 * sum into plan->info. */
farsum_status spectral_gpu_finish(struct farsum_plan *plan, struct spectral *s);
#endif
