/* interp.h: mesh to particles, the transpose of spread:
 *
 *     potential_i += sum_m prod_d w(m_d - u_id) mesh_m
 *     field_i     -= gradient of that, by the window's derivative
 *
 * (math.md section 4). */
#ifndef FARSUM_STAGE_INTERP_INTERP_H
#define FARSUM_STAGE_INTERP_INTERP_H

#include "base/isa.h"
#include "math/window.h"
#include "points/points.h"
#include "stage/stage.h"

struct interp_args {
    farsum_precision precision;
    enum isa isa;
    int threads;
    unsigned outputs;            /* FARSUM_POTENTIAL | FARSUM_FIELD */
    int64_t mesh[3];
    int64_t ldz;                 /* as in spread_args */
    const struct window *window; /* borrowed */
    const struct cell *cell;     /* the field's unit of length is this cell's;
                                    borrowed, may change before a set */
    int64_t n;
};

/* Results are added to, in the caller's order, type precision; NULL: not
 * wanted. */
struct interp_io {
    const void *mesh; /* [mesh0][mesh1][ldz] */
    void *potential;  /* [n] */
    void *field;      /* [n][3] */
};

extern const struct stage interp_stage;
#endif
