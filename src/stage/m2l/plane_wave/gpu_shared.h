/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_shared.h: common code of the plane-wave variants on devices;
 * gpu_plane_wave.k describes them. */
#ifndef FARSUM_STAGE_M2L_PLANE_WAVE_GPU_SHARED_H
#define FARSUM_STAGE_M2L_PLANE_WAVE_GPU_SHARED_H

#include "math/multipole.h"
#include "math/plane_wave.h"
#include "stage/expansions/device.h"
#include "stage/device.h"

enum { PLANE_ORDER_MOST = 40, PLANE_GROUPS = 28, PLANE_BEGINS = 24 };

struct plane_gpu {
    struct boxes_gpu gpu; /* owned; operators: from multipoles to waves */
    struct plane_waves waves;
    int64_t stride; /* waves of an axis in arrays, rounded up to the variant's
                       multiple */
    struct buf in, shift, cut, order;      /* owned */
    struct buf multipoles, locals, merged; /* owned: rows and waves */
    struct kernel rows, columns, waves_out, waves_in;
    int64_t parents, aims;    /* aims: without ghost layers, tree_aim */
    int to_waves, from_waves; /* parents per thread block */
    int wide;                 /* tiles of coefficients, for variants that use
                                 them */
    int direct; /* 1: multipoles are converted to waves from their original
                   place, without rows */
};

int64_t plane_gpu_parents(const struct boxes_args *a);
/* Chooses the waves for args' order. */
farsum_status plane_gpu_choose(const struct boxes_args *a,
                               struct plane_waves *waves);
static inline int64_t plane_gpu_stride(const struct plane_waves *waves,
                                       int multiple)
{
    return (waves->quarter + multiple - 1) / multiple * multiple;
}
/* Bytes of merged waves, and of a whole state. */
int64_t plane_gpu_merged_bytes(const struct boxes_args *a, int64_t parents,
                               int64_t stride);
int64_t plane_gpu_bytes(const struct boxes_args *a, int64_t stride);
/* Multiply-adds of all boxes: products; rotations and sums. */
void plane_gpu_ops(const struct boxes_args *a, const struct plane_waves *waves,
                   double *products, double *turned);
/* Bytes of global memory traffic, half of them reads. */
double plane_gpu_traffic(const struct boxes_args *a,
                         const struct plane_waves *waves, int64_t stride);
/* For variants that read multipoles in place; others have one more launch. */
void plane_gpu_work(const void *args, struct work *work);
double plane_gpu_error(const void *args);
/* Coefficients of a class; equal for all classes with as many axes. */
int plane_gpu_class_size(int p, int class);

/* Begins a state without operators, arrays and kernels; stride: multiple of the
 * waves. */
farsum_status plane_gpu_begin(struct plane_gpu *s, const struct boxes_args *a,
                              int multiple);
/* Fills `cut`: coefficients by class, their classes by axis, and where those of
 * a class of an axis's frame begin; 4 (p + 1)^2 + PLANE_BEGINS. */
void plane_gpu_tables(int p, int32_t *cut);
farsum_status plane_gpu_send(struct plane_gpu *s, struct buf *buf,
                             const int32_t *from, int64_t n);
/* Pack an axis's operators, [wave][coefficient as in cut], in the kernels'
 * layout; waves up to the stride, padding with 0. */
struct plane_gpu_pack {
    int64_t out, in; /* elements per axis in total */
    void (*pack_out)(const struct plane_gpu *s, const int32_t *cut, int axis,
                     const double *from, double *to);
    void (*pack_in)(const struct plane_gpu *s, const int32_t *cut, int axis,
                    const double *from, double *to);
};
farsum_status plane_gpu_operators(struct plane_gpu *s, const int32_t *cut,
                                  const struct plane_gpu_pack *pack);
/* Begins the program of a text, with the sizes of classes, Q and WS. */
void plane_gpu_define(struct plane_gpu *s, const char *text);
/* Allocates a dense tree's arrays, and sets its order. */
farsum_status plane_gpu_dense(struct plane_gpu *s);

farsum_status plane_gpu_set(void *state, const struct points *source,
                            const struct points *target);
farsum_status plane_gpu_run(void *state, const void *io);
void plane_gpu_destroy(void *state);
#endif
