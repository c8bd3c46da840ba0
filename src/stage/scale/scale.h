/* scale.h: multiplies the spectrum by the influence function, and reads energy
 * and virial off it (math.md section 5).
 *
 * With S the transform of the spread charges, D the product of the window's
 * transforms, Ghat = 4 pi gamma(k)/k^2 for 0 < k <= c (units of the cutoff):
 *
 *     spectrum *= Ghat / (V D^2)
 *     energy   += 1/(2V) sum_k Ghat |S/D|^2
 *     virial   += 1/(2V) sum_k Ghat |S/D|^2
 *                 [1 + (k gamma'/gamma - 2) k (x) k / k^2]     */
#ifndef FARSUM_STAGE_SCALE_SCALE_H
#define FARSUM_STAGE_SCALE_SCALE_H

#include "base/isa.h"
#include "device/buf.h"
#include "math/split.h"
#include "math/window.h"
#include "points/cell.h"
#include "stage/stage.h"

struct scale_args {
    farsum_precision precision;
    enum isa isa;
    int threads;
    int64_t mesh[3];
    int64_t ldz;                 /* reals a row; ldz/2 complex */
    const struct split *split;   /* borrowed */
    const struct window *window; /* borrowed */
    const struct cell *cell;     /* units of the cutoff; borrowed, its values
                                    may change before a set */
    struct device *device;       /* borrowed; NULL: the host */
};

/* On a device each pointer is a struct buf *. */
struct scale_io {
    void *spectrum; /* complex [mesh0][mesh1][ldz/2], in place */
    int keep;       /* 0: the spectrum is not needed afterwards */
    void *energy;   /* double; NULL: not wanted */
    void *virial;   /* double [9]; NULL: not wanted */
};

extern const struct stage scale_stage;
#endif
