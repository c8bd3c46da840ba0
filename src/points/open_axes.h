/* SPDX-License-Identifier: Apache-2.0 */
/* open_axes.h: the volume V of norms.  The command compiles open_axes.c, too,
 * so that both have the same V. */
#ifndef FARSUM_POINTS_OPEN_AXES_H
#define FARSUM_POINTS_OPEN_AXES_H

/* Widens low .. high by the coordinates of position x along the open rows;
 * rows after cell_right.  In open space these are the coordinates themselves,
 * and rows is not read. */
void open_range(const double rows[9], const int periodic[3], const double x[3],
                double low[3], double high[3]);
/* The volume V of norms, for n particles whose extents along the open rows are
 * reach.  A slab or wire is at least as thick as the mean distance of particles
 * along its periodic axes.  In open space each edge is at least a thousandth of
 * the longest. */
double open_volume(const double rows[9], const int periodic[3],
                   const double reach[3], double n);
#endif
