/* SPDX-License-Identifier: Apache-2.0 */
/* modes.h: modes of a mesh, their wave vectors and the influence function
 * (math.md section 5), common to the variants. */
#ifndef FARSUM_STAGE_SCALE_MODES_H
#define FARSUM_STAGE_SCALE_MODES_H

#include <math.h>

#include "stage/scale/scale.h"

enum { MODES_TERMS = 48 };

struct modes {
    int64_t mesh[3];
    double *decon[3];       /* owned, [mesh_d]: 1 / W(theta)^2 with the window's
                               transform W; 0 at the mode mesh_d/2, which has no
                               sign */
    double cell_inv[9];     /* inverse of the cell used for wave vectors */
    double volume, c;
    /* hat(k) = front/(k^2 + shift)^fall smooth(v) with v = 2 (k/c)^2 - 1, or v
     * = 2 k/c - 1 for an odd kernel */
    double front, shift;
    int fall, odd; /* as in struct pair_kind */
    double smooth[MODES_TERMS];
    double slope[MODES_TERMS]; /* its derivative in v */
};

farsum_status modes_create(struct modes *modes, const struct scale_args *args);
void modes_clear(struct modes *modes);
/* Uses the cell's present values. */
void modes_set_cell(struct modes *modes, const struct cell *cell);

/* Signed number of mode i of n. */
static inline int64_t modes_signed(int64_t i, int64_t n)
{
    return 2 * i > n ? i - n : i;
}
/* Wave vector of signed mode numbers; returns |k|^2, units of the cutoff. */
static inline double modes_wave(const struct modes *m, int64_t n0, int64_t n1,
                                int64_t n2, double k[3])
{
    const double *inv = m->cell_inv;
    for (int j = 0; j < 3; j++)
        k[j] = 2 * M_PI * ((double)n0 * inv[3 * j]
                           + (double)n1 * inv[3 * j + 1]
                           + (double)n2 * inv[3 * j + 2]);
    return k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
}
/* Weight of a mode: the half spectrum holds mode n2 for both n2 and -n2. */
static inline double modes_weight(int64_t i2, int64_t mesh2)
{
    return i2 == 0 || 2 * i2 == mesh2 ? 1 : 2;
}
/* hat/(V D^2) at |k|^2 = k2 with decon = 1/D^2; *bend, unless NULL, is hat'/(k
 * V D^2), the virial's k (x) k factor (5.4). */
double modes_influence(const struct modes *m, double k2, double decon,
                       double *bend);
#endif
