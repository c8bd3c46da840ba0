/* spread.h: particles to mesh: mesh_m = sum_j q_j prod_d w(m_d - u_jd), where
 * u_jd = s_jd mesh_d and the mesh is periodic (math.md section 4). */
#ifndef FARSUM_STAGE_SPREAD_SPREAD_H
#define FARSUM_STAGE_SPREAD_SPREAD_H

#include "base/isa.h"
#include "math/window.h"
#include "points/points.h"
#include "stage/stage.h"

struct spread_args {
    farsum_precision precision;
    enum isa isa;
    int threads;
    int64_t mesh[3];
    int64_t ldz;                 /* reals from one z-row to the next, at least
                                    mesh[2]; the padding holds anything */
    const struct window *window; /* borrowed */
    int64_t n;                   /* points, expected */
};

struct spread_io {
    const void *q; /* [n], caller's order, type precision */
    void *mesh;    /* [mesh0][mesh1][ldz], type precision; every point of the
                      mesh is written */
};

/* Tiles that the points must be sorted into (bins_build) before a set; the
 * same for interp of the same args. */
void spread_tiles(const struct spread_args *args, int32_t nb[3]);

extern const struct stage spread_stage;
#endif
