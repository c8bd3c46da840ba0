/* SPDX-License-Identifier: Apache-2.0 */
/* scale.h: multiplies the spectrum by the influence function of the kernel, and
 * computes energy and virial from it (math.md sections 5 and 9).
 *
 * Let S be the transforms of the spread channels, D the product of the window's
 * transforms, and hat(k) and the tensor those of the kernel (math/pair.h,
 * math/pair_far.kh) for 0 < k <= c, in units of the cutoff.  For laplace hat =
 * 4 pi gamma(k)/k^2.
 *
 *     values' spectra = hat/(V D^2) tensor S
 *
 * and for kernels that have a potential
 *
 *     energy   += 1/(2V) sum_k hat |S/D|^2
 *     virial   += 1/(2V) sum_k |S/D|^2 [hat + k hat' k (x) k / k^2] */
#ifndef FARSUM_STAGE_SCALE_SCALE_H
#define FARSUM_STAGE_SCALE_SCALE_H

#include "base/isa.h"
#include "device/buf.h"
#include "math/pair.h"
#include "math/window.h"
#include "points/cell.h"
#include "stage/stage.h"

struct scale_args {
    farsum_precision precision;
    enum isa isa;
    int threads;
    int64_t mesh[3];
    int64_t ldz;                 /* reals per row; ldz/2 complex */
    const struct split *split;   /* borrowed */
    const struct window *window; /* borrowed */
    const struct cell *cell;     /* in units of the cutoff; borrowed; its values
                                    may change before a set */
    struct device *device;       /* borrowed; NULL: the host */
    const struct pair *pair;     /* the kernel; borrowed; NULL: laplace */
    int64_t first, count;        /* rows of axis 0 that the spectrum holds, from
                                    `first` on; count 0: all, so a rank that has
                                    no row does not run the stage */
    int64_t first2, count2;      /* modes of axis 2 that each row holds, from
                                    first2 on; count2 0: all.  ldz is then 2
                                    count2 or more.  Whole rows on hosts only */
    /* borrowed, [mesh1]; NULL: whole rows.  The spectrum consists of lines
     * along axis 0, complex [channel][line][mesh0]: one for each column (i1,
     * i2) with i2 < columns[i1], ordered by i1, then i2.  first and count are
     * then rows of axis 1, and ldz is not used.  All columns with modes that
     * count must be among them (scale_columns) */
    const int64_t *columns;
    /* Open axes, 1 each, and the radius at which the kernel is cut, in units of
     * the cutoff; their edges hold twice the points and windows.  radius 0:
     * none is open.  Whole spectra of charges on hosts only (truncated.h) */
    int open[3];
    double radius;
};

/* On a device each pointer is a struct buf *. */
struct scale_io {
    void *spectrum; /* complex [channel][rows][mesh1][ldz/2], or lines, in
                       place: the values' spectra replace the first channels */
    int keep;       /* 0: the spectrum is not needed afterwards */
    void *energy;   /* double: the rows' part is added; NULL: not wanted */
    void *virial;   /* double [9]: the same; NULL: not wanted */
    int64_t mesh_channel; /* reals from one channel to the next, even; 0: rows
                       mesh1 ldz, or those of the lines */
    /* devices: NULL, or the spectrum of charges, which is not `spectrum`.  Then
     * `spectrum` becomes component 0 .. 5 of their virial, xx xy xz yy yz zz,
     * (5.8), and nothing else is used. */
    const void *charges;
    int component;
};

static inline const struct pair *scale_kernel(const struct scale_args *args)
{
    return args->pair ? args->pair : pair_rows;
}
/* Rows of axis 0 that the spectrum holds; of axis 1 for lines. */
static inline int64_t scale_rows(const struct scale_args *args)
{
    return args->count ? args->count : args->mesh[args->columns ? 1 : 0];
}
/* Contiguous runs of modes: those of axis 2, or the lines of axis 0. */
int64_t scale_lines(const struct scale_args *args);
/* Modes on each of them. */
static inline int64_t scale_line(const struct scale_args *args)
{
    int64_t half = args->mesh[2] / 2 + 1;
    return args->columns ? args->mesh[0] : args->count2 ? args->count2 : half;
}
/* Complex numbers from one to the next. */
static inline int64_t scale_stride(const struct scale_args *args)
{
    return args->columns ? args->mesh[0] : args->ldz / 2;
}
/* io's mesh_channel, or its default. */
static inline int64_t scale_channel(const struct scale_args *args,
                                    const struct scale_io *io)
{
    return io->mesh_channel ? io->mesh_channel
                            : 2 * scale_lines(args) * scale_stride(args);
}

/* columns.c: for transforms that are cut along axis 0.  They leave a spectrum
 * with axes 0 and 1 exchanged (ranks/slab.h), or lines. */
/* columns[i1]: the number of modes i2, from 0 on, that include all with an
 * influence function for any i0; a spectrum may be 0 beyond them.  Uses the
 * cell's present values. */
void scale_columns(const struct scale_args *args, int64_t *columns);
/* The cell of the exchanged spectrum.  It is left-handed: for modes only. */
void scale_exchange(struct cell *exchanged, const struct cell *cell);

/* ops.c: the kernel's tensor at every mode of the half spectrum; the influence
 * function is read from a table. */
void scale_ops(const void *args, struct work *work);

extern const struct stage scale_stage;
#endif
