/* SPDX-License-Identifier: Apache-2.0 */
/* open_axes.c: vectors along open axes, and the volume of norms. */
#include "points/open_axes.h"

#include <math.h>

#include "base/scale.h"
#include "points/cell.h"
#include "points/vectors.h"

/* Edge of the points' box in open space, over its longest edge, at least. */
#define FLAT 1e-3

/* Scales rows to a largest entry of 1 to 2, so that products of edges stay
 * within f64 in any unit.  Returns the exponent. */
static int rows_scale(const double rows[9], double unit[9])
{
    double most = 0;
    for (int k = 0; k < 9; k++)
        most = fmax(most, fabs(rows[k]));
    for (int k = 0; k < 9; k++)
        unit[k] = ldexp(rows[k], -scale_exponent(most));
    return scale_exponent(most);
}

/* Sets u to the part of v that is orthogonal to the unit vector t. */
static void orthogonal(const double *v, const double *t, double *u)
{
    double along = dot(v, t);
    for (int k = 0; k < 3; k++)
        u[k] = v[k] - along * t[k];
}

/* Replaces v by a vector along `to` whose length is that of v's part there, or
 * `edge` if it has none. */
static void row_along(double *v, const double *to, double edge)
{
    double length = sqrt(dot(to, to)), part = fabs(dot(v, to)) / length;
    if (!(part > 0) || !isfinite(part))
        part = edge;
    for (int k = 0; k < 3; k++)
        v[k] = part * to[k] / length;
}

/* Sets open rows of a wire along row p, or of a slab whose row o is open. */
static void rows_open(double *a, const int periodic[3], double edge)
{
    double to[3], u[3], t[3];
    int p = periodic[0] ? 0 : periodic[1] ? 1 : 2;
    for (int o = 0; cell_axes(periodic) == 2 && o < 3; o++)
        if (!periodic[o]) {
            cross(a + 3 * ((o + 1) % 3), a + 3 * ((o + 2) % 3), to);
            if (dot(to, to) > 0)
                row_along(a + 3 * o, to, edge);
            return;
        }
    double *x = a + 3 * p, *y = a + 3 * ((p + 1) % 3);
    double *z = a + 3 * ((p + 2) % 3), length = sqrt(dot(x, x));
    for (int k = 0; k < 3; k++)
        t[k] = x[k] / length;
    orthogonal(y, t, u);
    if (!(dot(u, u) > 1e-12 * dot(y, y))) { /* any direction */
        int least = fabs(t[0]) <= fabs(t[1]) && fabs(t[0]) <= fabs(t[2]) ? 0
                    : fabs(t[1]) <= fabs(t[2])                           ? 1
                                                                         : 2;
        double axis[3] = {least == 0, least == 1, least == 2};
        orthogonal(axis, t, u);
    }
    cross(t, u, to);
    row_along(y, u, edge);
    row_along(z, to, edge);
}

int cell_right(double rows[9], const int periodic[3])
{
    double unit[9], bc[3], longest = 0;
    int exponent = 0;
    if (cell_axes(periodic) == 3) {
        rows_scale(rows, unit);
        cross(unit + 3, unit + 6, bc);
        if (!(dot(unit, bc) < 0))
            return 0;
        for (int k = 6; k < 9; k++)
            rows[k] = -rows[k];
        return 1;
    }
    for (int i = 0; i < 9; i++)
        if (!isfinite(rows[i]))
            return 0; /* cell_set_axes says so */
    exponent = rows_scale(rows, unit);
    for (int d = 0; d < 3; d++)
        if (periodic[d])
            longest =
                fmax(longest, sqrt(dot(unit + 3 * d, unit + 3 * d)));
    if (!(longest > 0))
        return 0;
    rows_open(unit, periodic, longest);
    for (int k = 0; k < 9; k++)
        rows[k] = periodic[k / 3] ? rows[k] : ldexp(unit[k], exponent);
    return 0;
}

void open_range(const double rows[9], const int periodic[3], const double x[3],
                double low[3], double high[3])
{
    for (int d = 0; d < 3; d++) {
        double s = x[d];
        if (periodic[d])
            continue;
        if (cell_axes(periodic) > 0)
            s = dot(x, rows + 3 * d) / sqrt(dot(rows + 3 * d, rows + 3 * d));
        low[d] = fmin(low[d], s);
        high[d] = fmax(high[d], s);
    }
}

/* The length, area or volume of the periodic rows. */
static double rows_measure(const double rows[9], const int periodic[3])
{
    double normal[3];
    int p = periodic[0] ? 0 : periodic[1] ? 1 : 2;
    int q = periodic[1] && p != 1 ? 1 : 2;
    if (cell_axes(periodic) == 1)
        return sqrt(dot(rows + 3 * p, rows + 3 * p));
    cross(rows + 3 * p, rows + 3 * q, normal);
    return cell_axes(periodic) == 2 ? sqrt(dot(normal, normal))
                                  : fabs(dot(normal, rows + 6));
}

double open_volume(const double rows[9], const int periodic[3],
                   const double reach[3], double n)
{
    int axes = cell_axes(periodic);
    double volume = axes > 0 ? rows_measure(rows, periodic) : 1, least = 0;
    if (axes > 0)
        least = pow(volume / n, 1.0 / axes);
    else
        least = FLAT * fmax(reach[0], fmax(reach[1], reach[2]));
    for (int d = 0; d < 3; d++)
        volume *= periodic[d] ? 1 : fmax(reach[d], least);
    return volume;
}
