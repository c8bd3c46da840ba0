/* SPDX-License-Identifier: Apache-2.0 */
/* inside.h: the state of a slab's images, on the host and on a device. */
#ifndef FARSUM_METHOD_OPEN_AXIS_INSIDE_H
#define FARSUM_METHOD_OPEN_AXIS_INSIDE_H

#include <math.h>

#include "method/open_axis/images.h"
#include "method/open_axis/modes.h"
#include "method/open_axis/open_axis.h"

#define FN static inline
#define MEAN_REAL double
#include "method/open_axis/mean.kh"
#undef FN

struct open_axis {
    const struct open_images *images;
    int row[3]; /* of the cell: the two periodic ones, and the open one */
    double normal[3], low, extent; /* z is x.normal - low */
    double edge, volume;           /* of the cell with the gap */
    double bare;                   /* open_axis_bare */
    double flat; /* a flow's constant of the mode 0 over its sums, (9.45) */
    struct open_mean mean;
    struct open_points source, target; /* host; target empty: the sources */
    int64_t count;
    struct open_mode *mode; /* owned */
    /* For the present strengths.  sums: those of the modes [count][channels],
     * then those of the mode 0 [channels][3].  means: of the mode 0, for each
     * value: by a potential, and by its derivative along the normal. */
    double *sums; /* owned */
    double means[OPEN_VALUES][2][3];
    double *amp; /* owned: [count][values][MODE_WAVES][2] */
};

/* Values at a target: a velocity, or a potential and its derivatives. */
static inline int open_axis_values(const struct pair *pair)
{
    return pair->kind->gradient ? OPEN_VALUES : pair->values;
}
/* M+, M-, N+ and N- of mode k's first channel; those of the others follow. */
static inline const double (*open_axis_sums(const struct open_axis *b,
                                            int64_t k, int channels))[2]
{
    return (const double(*)[2])(b->sums + MODE_SUMS * channels * k);
}
/* virial.c: the energy of all images without the constant of (9.32), and its
 * virial along the periodic axes. */
double open_axis_energy(const struct open_axis *b, double virial[9]);
/* Sets the virial from that of the sums so far and the images' one. */
farsum_status open_axis_virial(const struct task *task,
                               const struct spectral *s, const double images[9],
                               struct spectral_sums *sums);
/* Makes s->open_axis for the plan's present cell, without an extent. */
farsum_status open_axis_begin(const struct task *task, struct spectral *s);
/* Sets the extent of the points along the normal, and the modes whose images
 * count.  Fails if the gap is too small. */
farsum_status open_axis_extent(const struct task *task, struct spectral *s,
                               double low, double high);
/* Fails if a pair is excluded and another image may be nearer than the pair
 * itself. */
farsum_status open_axis_excludes(const struct task *task,
                                 const struct open_axis *b);
#endif
