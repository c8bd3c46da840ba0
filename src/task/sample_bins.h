/* SPDX-License-Identifier: Apache-2.0 */
/* sample_bins.h: logarithmic bins of the radius, found from the squared
 * distance mostly without computing a logarithm.  The bin is the same as by the
 * logarithm. */
#ifndef FARSUM_TASK_SAMPLE_BINS_H
#define FARSUM_TASK_SAMPLE_BINS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { BINS_MOST = 64, BINS_SLOTS = 2048, BINS_SHIFT = 47 /* 32 per octave */ };

struct sample_bins {
    double base, inverse;    /* bin = ceil((log r - base) inverse) */
    int last;                /* 0 .. last */
    double limit[BINS_MOST]; /* upper limit of r^2 in bin k */
    int64_t first;           /* index of the first slot */
    uint8_t slot[BINS_SLOTS]; /* the first bin that overlaps the slot */
    uint8_t split[BINS_SLOTS]; /* 1: the slot may overlap other bins too */
};

static inline int64_t sample_bins_slot(const struct sample_bins *b, double r2)
{
    int64_t bits;
    memcpy(&bits, &r2, sizeof bits);
    bits = (bits >> BINS_SHIFT) - b->first;
    return bits < 0 ? 0 : bits < BINS_SLOTS ? bits : BINS_SLOTS - 1;
}

static inline void sample_bins_set(struct sample_bins *b, double base,
                                   double inverse, int last)
{
    int64_t bits;
    int k = 0;
    b->base = base;
    b->inverse = inverse;
    b->last = last;
    for (int i = 0; i < last; i++)
        b->limit[i] = exp(2 * (base + i / inverse));
    memcpy(&bits, &b->limit[0], sizeof bits);
    b->first = bits >> BINS_SHIFT;
    for (int64_t i = 0; i < BINS_SLOTS; i++) {
        double low, high;
        bits = (b->first + i) << BINS_SHIFT;
        memcpy(&low, &bits, sizeof low);
        while (i > 0 && k < last && b->limit[k] < low)
            k++;
        b->slot[i] = (uint8_t)k;
        bits = (b->first + i + 1) << BINS_SHIFT;
        memcpy(&high, &bits, sizeof high);
        b->split[i] = i == 0 || i == BINS_SLOTS - 1
                      || (k > 0 && b->limit[k - 1] > low * (1 - 1e-10))
                      || (k < last && b->limit[k] < high * (1 + 1e-10));
    }
}

/* The bin by the logarithm of r. */
static inline int sample_bins_by(const struct sample_bins *b, double log_r)
{
    double at = (log_r - b->base) * b->inverse;
    return at <= 0 ? 0 : at > b->last - 1 ? b->last : (int)ceil(at);
}

/* Returns 1 if *bin is certainly the bin that the logarithm gives; 0 if r2 is
 * too close to a limit. */
static inline int sample_bins_at(const struct sample_bins *b, double r2,
                                 int *bin)
{
    int k = b->slot[sample_bins_slot(b, r2)];
    while (k < b->last && r2 > b->limit[k])
        k++;
    *bin = k;
    return (k == b->last || r2 < b->limit[k] * (1 - 1e-11))
           && (k == 0 || r2 > b->limit[k - 1] * (1 + 1e-11));
}

/* The bin, by a logarithm where necessary. */
static inline int sample_bins_of(const struct sample_bins *b, double r2)
{
    int bin;
    return sample_bins_at(b, r2, &bin) ? bin
                                       : sample_bins_by(b, 0.5 * log(r2));
}
#endif
