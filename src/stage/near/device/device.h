/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: what the rows on a device share: points in the order of cells,
 * the kernel's words, the sums of groups' records. */
#ifndef FARSUM_STAGE_NEAR_DEVICE_DEVICE_H
#define FARSUM_STAGE_NEAR_DEVICE_DEVICE_H

#include "device/compile/jit.h"
#include "stage/near/near.h"

enum { NEAR_RECORD = 7, NEAR_FOLDED = 256 };

/* The host's twin of stage/near/device/cells.kh's struct. */
struct near_cells {
    double a[9], skip, per_raw;
    int64_t n;
    int32_t nb[3], reach[3], image[9], want, more, pad;
};

/* Points in the order of cells; more: [6][n] f32, if asked for. */
struct near_placed {
    int64_t n;
    struct buf x, cell, order, more; /* [3][n] coord; [n] u32; [n] u32 */
};

/* A row's state begins with it. */
struct near_gpu {
    struct near_args args;
    struct jit jit;
    struct kernel place, charges, fold, total;
    struct kernel sum, sum_virial; /* of near_gpu_sums */
    struct near_cells cells;
    double range; /* cutoffs that cells are to reach; near_gpu_begin: 1 */
    struct near_placed source, target;
    struct buf start, q; /* [cells + 1] u32; [strengths][n] real, sorted */
    struct buf record, folded;
    int same, ready; /* targets are the sources; set was a success */
};

/* A source's coordinates and strengths side by side,
 * stage/near/device/packed_sources.kh. */
struct near_side {
    struct kernel pack;
    struct buf at;
};

/* What a run is over and gives; no pointer is NULL, what is not wanted is not
 * written. */
struct near_ends {
    const struct near_placed *source, *target;
    const struct buf *potential, *field, *record;
};
/* Arguments of a row's kernel: sources, and where a target's sums go. */
#define NEAR_SOURCES(g)                                                        \
    ARG_BUF(&(g)->source.x), ARG_BUF(&(g)->q), ARG_BUF(&(g)->start),           \
        ARG_I64((g)->source.n)
#define NEAR_RESULTS(g, ends)                                                  \
    ARG_BUF(&(ends)->target->order), ARG_BUF((ends)->potential),               \
        ARG_BUF((ends)->field), ARG_BUF((ends)->record),                       \
        ARG_STRUCT((g)->cells)

/* OK on a device, of a row that has no teams: a row's fits. */
farsum_status near_gpu_fits(const void *args);
/* The same of one that has. */
farsum_status near_gpu_teams_fit(const struct near_args *args);
/* How many times as long a row's teams take that are one thread each, on a GPU
 * that has threads in step and an interface that does not say so; else 1. */
double near_gpu_alone(const struct near_args *args, double times);
/* Seconds of so many operations a target, at a share of the device's peak; and
 * with what is there before and after. */
double near_gpu_busy(const struct near_args *args, double operations,
                     double share);
double near_gpu_seconds(const struct near_args *args, double operations,
                        double share);
/* Those of a row whose threads wait for memory so many steps one after the
 * other: what it takes however few targets there are. */
double near_gpu_waiting(const struct near_args *args, double steps,
                        double seconds);
/* jit_begin with the kernel's words for stage/near/device/pairs.kh, STRENGTHS
 * and VALUES, and POT, FIELD, VIRIAL: 1 if it is wanted of the row's plan. */
void near_gpu_begin(struct near_gpu *near, const struct near_args *args,
                    const char *file, int group);
/* Builds, and finds the kernels of stage/near/device/cells.kh. */
farsum_status near_gpu_build(struct near_gpu *near, int group);
/* The kernels `name` and, if the plan wants a virial, name_virial. */
farsum_status near_gpu_sums(struct near_gpu *near, const char *name, int group);
/* Frees a state that holds nothing else; NULL is legal. */
void near_gpu_destroy(void *state);
/* Cells a cutoff along the axes: the row's own, or those that args name, as
 * much finer along columns as the row's. */
void near_gpu_density(const struct near_args *args, const double own[3],
                      double a_cutoff[3]);
/* Those that args name, or 1 to 4: finer ones where they save a twentieth. */
int near_gpu_best(const struct near_args *args,
                  double (*seconds)(const struct near_args *args, int cells));
/* "3 cells per cutoff". */
void near_gpu_says(int cells, char *text, size_t size);
/* Sorts points into cells, a_cutoff[d] of them a cutoff along axis d, fewer
 * where there would be many for the sources.  more: near_placed's too. */
farsum_status near_gpu_set(struct near_gpu *near, const double a_cutoff[3],
                           int more, const struct points *sources,
                           const struct points *targets);
/* Room for the records of so many groups. */
farsum_status near_gpu_records(struct near_gpu *near, int64_t groups);
/* Checks io; cells say what is wanted of the targets. */
farsum_status near_gpu_ends(struct near_gpu *near, const struct near_io *io,
                            struct near_ends *ends);
/* And sorts the strengths. */
farsum_status near_gpu_strengths(struct near_gpu *near,
                                 const struct near_io *io,
                                 struct near_ends *ends);
/* The kernel, once the row's are built; room; and, in place of
 * near_gpu_strengths, both. */
farsum_status near_side_create(struct near_side *side, struct near_gpu *near,
                               int group);
farsum_status near_side_set(struct near_side *side, struct near_gpu *near);
farsum_status near_side_run(struct near_side *side, struct near_gpu *near,
                            const struct near_io *io, struct near_ends *ends);
/* Of a source. */
int64_t near_side_bytes(const struct near_args *args);
/* Threads in step that share a target: those that args name, or as many, a
 * power of two from least to most, as fill the device; 1 where none are known
 * to be in step.  And of a row's fits: whether there can be as many as args
 * name. */
int near_gpu_share(const struct near_args *args, int least, int most);
farsum_status near_gpu_sources_fit(const struct near_args *args);
/* Energy and virial from the groups' records. */
farsum_status near_gpu_total(struct near_gpu *near, const struct near_io *io,
                             int64_t groups);
/* Bytes of the above, with so many records. */
int64_t near_gpu_bytes(const struct near_args *args, const double a_cutoff[3],
                       int more, int64_t records);
/* Sources that a thread a target looks at in such cells, and those that it
 * sums: its own, or, if threads run in step, all within a cutoff of the cell
 * that the targets of the threads beside it are in.  Both over the sources
 * within the cutoff. */
void near_gpu_looks(const struct near_args *args, const double a_cutoff[3],
                    double *looked, double *summed);
/* Adds all but the pairs that are summed; returns these. */
double near_gpu_ops(const struct near_args *args, const double a_cutoff[3],
                    struct work *work);
/* Operations of a pair within the cutoff: of a laplace both outputs. */
double near_work(const struct near_args *args);
#endif
