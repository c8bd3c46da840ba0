/* SPDX-License-Identifier: Apache-2.0 */
/* sample_bins.h: logarithmic bins of the radius, found from the squared
 * distance without computing a logarithm.  The upper bits of its representation
 * select a slot, which at most one limit of a bin divides. */
#ifndef FARSUM_TASK_SAMPLE_BINS_H
#define FARSUM_TASK_SAMPLE_BINS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { BINS_MOST = 64, BINS_SLOTS = 2048, BINS_SHIFT = 47 /* 32 per octave */ };

struct sample_bins {
    double limit[BINS_MOST];  /* upper limit of r^2 in bin k, inclusive */
    int last;                 /* 0 .. last */
    int64_t first;            /* index of the first slot */
    uint8_t slot[BINS_SLOTS]; /* the first bin that overlaps the slot */
    double edge[BINS_SLOTS];  /* its limit if that lies in the slot, else
                                 infinity */
};

static inline int64_t sample_bins_slot(const struct sample_bins *b, double r2)
{
    int64_t bits;
    memcpy(&bits, &r2, sizeof bits);
    bits = (bits >> BINS_SHIFT) - b->first;
    return bits < 0 ? 0 : bits < BINS_SLOTS ? bits : BINS_SLOTS - 1;
}

/* The bin of r, up to rounding, is ceil((log r - base) inverse).  From bin to
 * bin r^2 grows by more than a slot, 2 %. */
static inline void sample_bins_set(struct sample_bins *b, double base,
                                   double inverse, int last)
{
    int k = 0;
    b->last = last;
    for (int i = 0; i < last; i++)
        b->limit[i] = exp(2 * (base + i / inverse));
    b->first = 0;
    memcpy(&b->first, &b->limit[0], sizeof b->first);
    b->first >>= BINS_SHIFT;
    for (int64_t i = 0; i < BINS_SLOTS; i++) {
        int inside = k < last && sample_bins_slot(b, b->limit[k]) == i;
        b->slot[i] = (uint8_t)k;
        b->edge[i] = inside ? b->limit[k] : INFINITY;
        k += inside;
    }
}

static inline int sample_bins_of(const struct sample_bins *b, double r2)
{
    int64_t slot = sample_bins_slot(b, r2);
    return b->slot[slot] + (r2 > b->edge[slot]);
}
#endif
