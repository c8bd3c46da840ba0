/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: common host code of the near variants on devices: points sorted by
 * cells, the kernels' definitions, sums of the thread blocks' records. */
#ifndef FARSUM_STAGE_NEAR_DEVICE_DEVICE_H
#define FARSUM_STAGE_NEAR_DEVICE_DEVICE_H

#include "points/device/ordering.h"
#include "device/compile/jit.h"
#include "stage/near/near.h"

enum { NEAR_RECORD = 7, NEAR_FOLDED = 256 };

/* Host counterpart of the struct in stage/near/device/cells.kh. */
struct near_cells {
    double a[9], skip, per_raw;
    int64_t n;
    int32_t nb[3], reach[3], image[9], want, more, pad;
};

/* Points sorted by cells; more: [6][n] f32, if requested. */
struct near_placed {
    int64_t n;
    struct gpu_ordering *sort; /* held: stable, into the cells */
    struct buf x, cell, more; /* [3][n] coord; [n] u32 */
};

/* First member of a variant's state. */
struct near_gpu {
    struct near_args args;
    struct jit jit, cells_jit; /* cells_jit: of cells.k */
    struct kernel place, charges, fold, total;
    struct kernel sum, sum_virial; /* found by near_gpu_sums */
    struct kernel sum_each;        /* particles' virials: see near_io */
    int has_each;                  /* 1: the variant has it */
    struct near_cells cells;
    double range; /* reach of the cells in cutoffs; near_gpu_begin sets 1 */
    struct near_placed source, target;
    struct buf q; /* [strengths][n] real, sorted */
    struct buf q_target; /* the same of targets apart from the sources, for
                            energy and virial */
    struct buf record, folded;
    int same, ready; /* targets are the sources; the last set succeeded */
};

/* Records of coordinates and strengths, one per source,
 * stage/near/device/packed_sources.kh. */
struct near_side {
    struct kernel pack;
    struct buf at;
};

/* Inputs and outputs of a run.  No pointer is NULL; unused outputs are not
 * written. */
struct near_ends {
    const struct near_placed *source, *target;
    const struct buf *q_target; /* [strengths][targets] */
    const struct buf *potential, *field, *gradient, *record;
};
/* Arguments of a variant's kernel: the sources, and the strengths of the
 * targets and the arrays for their sums. */
#define NEAR_SOURCES(g)                                                        \
    ARG_BUF(&(g)->source.x), ARG_BUF(&(g)->q),                                 \
        ARG_BUF(&(g)->source.sort->start), ARG_I64((g)->source.n)
#define NEAR_RESULTS(g, ends)                                                  \
    ARG_BUF((ends)->q_target), ARG_BUF(&(ends)->target->sort->item),           \
        ARG_BUF((ends)->potential), ARG_BUF((ends)->field),                    \
        ARG_BUF((ends)->gradient), ARG_BUF((ends)->record),                    \
        ARG_STRUCT((g)->cells)

/* A variant's `fits` without teams: OK on a device. */
farsum_status near_gpu_fits(const void *args);
/* The same for a variant with teams. */
farsum_status near_gpu_teams_fit(const struct near_args *args);
/* Slowdown of a variant's teams if each has only one thread, on a GPU with
 * warps whose interface does not report them; else 1. */
double near_gpu_alone(const struct near_args *args, double times);
/* Seconds for so many operations per target at a share of the device's peak;
 * and including the steps before and after. */
double near_gpu_busy(const struct near_args *args, double operations,
                     double share);
double near_gpu_seconds(const struct near_args *args, double operations,
                        double share);
/* The same for a variant whose threads wait for memory in so many sequential
 * steps: a minimum that does not depend on the number of targets. */
double near_gpu_waiting(const struct near_args *args, double steps,
                        double seconds);
/* Calls jit_begin and defines the constants of stage/near/device/pairs.kh,
 * STRENGTHS and VALUES, MOMENTS, and POT, FIELD, VIRIAL, GRADIENT: 1 if the
 * variant's plan computes it.  Moments: energies need field and potential. */
void near_gpu_begin(struct near_gpu *near, const struct near_args *args,
                    const char *file, int group);
/* Builds, and finds the kernels of stage/near/device/cells.k. */
farsum_status near_gpu_build(struct near_gpu *near, int group);
/* Finds the kernel `name` and, if the plan computes a virial, name_virial. */
farsum_status near_gpu_sums(struct near_gpu *near, const char *name, int group);
/* Frees a state that owns nothing else; NULL is legal. */
void near_gpu_destroy(void *state);
/* Cells per cutoff along the axes: the variant's own, or args->cells, finer
 * along columns by the same factor. */
void near_gpu_density(const struct near_args *args, const double own[3],
                      double a_cutoff[3]);
/* args->cells, or 1 to 4: finer cells where they save a twentieth. */
int near_gpu_best(const struct near_args *args,
                  double (*seconds)(const struct near_args *args, int cells));
/* "3 cells per cutoff". */
void near_gpu_says(int cells, char *text, size_t size);
/* Sorts points into cells, a_cutoff[d] per cutoff along axis d, fewer where
 * there would be many for the sources.  more: also fills near_placed's
 * `more`. */
farsum_status near_gpu_set(struct near_gpu *near, const double a_cutoff[3],
                           int more, const struct points *sources,
                           const struct points *targets);
/* After near_gpu_set: the targets. */
static inline const struct near_placed *near_gpu_placed(
    const struct near_gpu *near)
{
    return near->same ? &near->source : &near->target;
}
/* Allocates records for so many thread blocks. */
farsum_status near_gpu_records(struct near_gpu *near, int64_t groups);
/* Checks io; cells tell the kernels which outputs are wanted. */
farsum_status near_gpu_ends(struct near_gpu *near, const struct near_io *io,
                            struct near_ends *ends);
/* The same, and sorts the strengths. */
farsum_status near_gpu_strengths(struct near_gpu *near,
                                 const struct near_io *io,
                                 struct near_ends *ends);
/* Creates the packing kernel once the variant's are built; allocates; and,
 * instead of near_gpu_strengths, checks io and packs the strengths. */
farsum_status near_side_create(struct near_side *side, struct near_gpu *near,
                               int group);
farsum_status near_side_set(struct near_side *side, struct near_gpu *near);
farsum_status near_side_run(struct near_side *side, struct near_gpu *near,
                            const struct near_io *io, struct near_ends *ends);
/* Bytes per source. */
int64_t near_side_bytes(const struct near_args *args);
/* Threads of a warp per target: args' value, or a power of two from least to
 * most that fills the device; 1 where no warps are known.  And for a variant's
 * fits: whether args' value is possible. */
int near_gpu_share(const struct near_args *args, int least, int most);
farsum_status near_gpu_sources_fit(const struct near_args *args);
/* Adds energy and virial from the thread blocks' records. */
farsum_status near_gpu_total(struct near_gpu *near, const struct near_io *io,
                             int64_t groups);
/* Bytes of this state, with so many records. */
int64_t near_gpu_bytes(const struct near_args *args, const double a_cutoff[3],
                       int more, int64_t records);
/* Number of sources that a thread per target tests in such cells, and that it
 * sums: its own, or in a warp all within a cutoff of the cell that holds the
 * targets of the neighbouring threads.  Both are relative to the sources within
 * the cutoff. */
void near_gpu_looks(const struct near_args *args, const double a_cutoff[3],
                    double *looked, double *summed);
/* Adds all work except the summed pairs; returns their number. */
double near_gpu_ops(const struct near_args *args, const double a_cutoff[3],
                    struct work *work);
/* Also sums near_io.each: xx xy xz yy yz zz, if args.outputs include
 * FARSUM_PARTICLE_VIRIAL. */
extern const struct variant near_gpu_cells;
/* Operations of a pair within the cutoff; for laplace with both outputs, for
 * moments with those of args. */
double near_work(const struct near_args *args);
#endif
