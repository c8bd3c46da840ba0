/* SPDX-License-Identifier: Apache-2.0 */
/* heights.h: where a sample's particles are along axis 0 of the reduced cell,
 * or of their box in open space.  Methods need it whose ranks share layers of
 * the cell. */
#ifndef FARSUM_TASK_HEIGHTS_H
#define FARSUM_TASK_HEIGHTS_H

#include "points/cell.h"

enum { HEIGHTS = 256 };

struct heights {
    int64_t n;                 /* particles; 0: not known, taken as even */
    double below[HEIGHTS + 1]; /* the part below k/HEIGHTS of the extent */
};

/* Widens the extent {-lowest, highest} by particles x [n][3]; along a periodic
 * axis it is the cell. */
void heights_extent(const struct cell *cell, int64_t n, const void *x,
                    farsum_precision type, double extent[2]);
/* Counts the particles at each height; those that are not finite are left
 * out. */
void heights_count(const struct cell *cell, int64_t n, const void *x,
                   farsum_precision type, const double extent[2],
                   double count[HEIGHTS]);
void heights_set(struct heights *heights, const double count[HEIGHTS]);
/* The parts of the particles and of the near pairs in one layer. */
struct heights_part {
    double points, pairs;
};
/* Sets part [layers], for so many layers of leaves in all. */
void heights_layers(const struct heights *heights, int64_t layers,
                    double leaves, struct heights_part *part);
#endif
