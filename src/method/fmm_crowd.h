/* fmm_crowd.h: the inside of fmm_crowd.c: what is known of a tree's boxes. */
#ifndef FARSUM_METHOD_FMM_CROWD_H
#define FARSUM_METHOD_FMM_CROWD_H

#include "method/fmm.h"

enum { K = FMM_KNOTS, CROWD_TABLE = 256 };

/* Points of a box: sums over them of a and g of (10.25); of octants the squares
 * of (10.26), over what a says of where in them points lie. */
struct crowd_fill {
    double rim[K], lean[K], octants[K];
};

struct crowd {
    const struct tree *t;
    int first;                                /* level that has far boxes */
    struct crowd_fill table[CROWD_TABLE + 1]; /* of squares of distances from a
                                                 box's centre */
    struct crowd_fill even;    /* means over a box that is filled evenly */
    double half;               /* 1 over the square of half a box's diagonal */
    double *weight;            /* owned, [side^3][K]: of an offset */
    double total[K];           /* their sum */
    int64_t *count;            /* owned, [box]: sources */
    int64_t *aim;              /* owned, [box]: targets; or count */
    struct crowd_fill *source; /* owned, [box] */
    struct crowd_fill *target; /* owned, [box]; or source */
};

/* x^(order + 1) of the knots. */
static inline void crowd_powers(double x, double power[K])
{
    double square = x * x;
    power[0] = square * x;
    for (int k = 1; k < K; k++) {
        power[k] = power[k - 1] * square;
        square *= square;
    }
}

/* fmm_crowd_fill.c: from the points; `t`, `first` are set. */
farsum_status crowd_fills(struct crowd *c);
void crowd_clear(struct crowd *c);
#endif
