/* SPDX-License-Identifier: Apache-2.0 */
/* cell.c: checks and reduction of a cell. */
#include "points/cell.h"

#include <math.h>
#include <string.h>

#include "points/vectors.h"

/* Computes inv, volume and heights from a. */
static void cell_derive(struct cell *cell)
{
    const double *a = cell->a, *b = a + 3, *c = a + 6;
    double bc[3], ca[3], ab[3];
    cross(b, c, bc);
    cross(c, a, ca);
    cross(a, b, ab);
    cell->volume = dot(a, bc);
    for (int j = 0; j < 3; j++) {
        cell->inv[3 * j] = bc[j] / cell->volume;
        cell->inv[3 * j + 1] = ca[j] / cell->volume;
        cell->inv[3 * j + 2] = ab[j] / cell->volume;
    }
    cell->height[0] = cell->volume / sqrt(dot(bc, bc));
    cell->height[1] = cell->volume / sqrt(dot(ca, ca));
    cell->height[2] = cell->volume / sqrt(dot(ab, ab));
    cell->unit = 1;
}

/* Subtracts from row i the integer combination of the other two that shortens
 * it most, tried around the real solution.  Returns 1 if the row became
 * shorter. */
static int cell_shorten(double *a, int i)
{
    double *x = a + 3 * i, *y = a + 3 * ((i + 1) % 3);
    double *z = a + 3 * ((i + 2) % 3);
    double yy = dot(y, y), zz = dot(z, z), yz = dot(y, z);
    double det = yy * zz - yz * yz, xy = dot(x, y), xz = dot(x, z);
    double m = floor((xy * zz - xz * yz) / det);
    double n = floor((xz * yy - xy * yz) / det);
    double best = dot(x, x) * (1 - 1e-12), keep[3];
    int shorter = 0;
    for (int t = 0; t < 4; t++) {
        double try[3];
        for (int k = 0; k < 3; k++)
            try[k] = x[k] - (m + (t & 1)) * y[k] - (n + (t >> 1)) * z[k];
        double d = dot(try, try);
        if (d < best) {
            best = d;
            shorter = 1;
            memcpy(keep, try, sizeof keep);
        }
    }
    if (shorter)
        memcpy(x, keep, sizeof keep);
    return shorter;
}

/* Subtracts from row i the multiple of row j that shortens it most.  Returns 1
 * if the row became shorter. */
static int pair_shorten(double *a, int i, int j)
{
    double *x = a + 3 * i, *y = a + 3 * j, try[3];
    double m = nearbyint(dot(x, y) / dot(y, y));
    for (int k = 0; k < 3; k++)
        try[k] = x[k] - m * y[k];
    if (!(dot(try, try) < dot(x, x) * (1 - 1e-12)))
        return 0;
    memcpy(x, try, sizeof try);
    return 1;
}

/* Shortens the periodic rows by each other until none gets shorter: a
 * Minkowski-like reduction (Semaev 2001 for three dimensions; Gauss for two).
 * Keeps handedness. */
static int cell_reduce(double *a, const int open[3])
{
    int changed = 0, one = 0, axes = 3 - cell_axes(open);
    if (axes < 2)
        return 0;
    while (axes == 2 && !open[one])
        one++;
    for (int round = 0; round < 1000; round++) {
        int again = 0, p = (one + 1) % 3, q = (one + 2) % 3;
        if (axes == 2)
            again = pair_shorten(a, p, q) | pair_shorten(a, q, p);
        for (int i = 0; axes == 3 && i < 3; i++)
            again |= cell_shorten(a, i);
        if (!again)
            break;
        changed = 1;
    }
    return changed;
}

/* Fails if the periodic vectors lie in a plane (three), on a line (two), or if
 * all rows are left-handed.  Compares with a cube of the longest edge, because
 * of rounding; open rows count as if they were as long. */
static farsum_status volume_check(const struct cell *cell, double longest,
                                  double scale)
{
    double volume = cell->volume, unit = scale * scale * scale;
    for (int d = 0; d < 3; d++)
        if (cell->open[d])
            volume *= longest / cell->height[d];
    if (!(fabs(volume) > 1e-12 * longest * longest * longest))
        FAIL(ERR_CELL, "cell: its %svectors lie %s (volume %.3g)",
             cell_axes(cell->open) ? "periodic " : "",
             cell_axes(cell->open) ? "on a line" : "in a plane",
             cell->volume / unit);
    if (cell->volume < 0)
        FAIL(ERR_CELL, "cell: its vectors are left-handed (volume %.6g); swap "
                       "two of them",
             cell->volume / unit);
    return FARSUM_OK;
}

farsum_status cell_set_axes(struct cell *cell, const double rows[9],
                            const int periodic[3], double scale)
{
    struct cell made = {.reduced = 0};
    double longest = 0;
    for (int i = 0; i < 9; i++) {
        if (!isfinite(rows[i]))
            FAIL(ERR_CELL, "cell: vector %d, component %d is %g", i / 3, i % 3,
                 rows[i]);
        made.a[i] = rows[i] * scale;
        made.open[i / 3] = !periodic[i / 3];
        if (periodic[i / 3])
            longest = fmax(longest, fabs(made.a[i]));
    }
    if (longest == 0)
        FAIL(ERR_CELL, "cell: all %svectors are zero; a periodic sum needs a "
                       "cell",
             cell_axes(periodic) < 3 ? "periodic " : "");
    if (!(longest >= 1e-100 && longest <= 1e100))
        FAIL(ERR_CELL, "cell: its longest edge is %g, not 1e-100 .. 1e100; "
                       "take another unit of lengths",
             longest);
    cell_derive(&made);
    TRY(volume_check(&made, longest, scale));
    made.reduced = cell_reduce(made.a, made.open);
    cell_derive(&made);
    *cell = made;
    return FARSUM_OK;
}

farsum_status cell_set(struct cell *cell, const double rows[9], double scale)
{
    return cell_set_axes(cell, rows, (const int[3]){1, 1, 1}, scale);
}

void cell_stretch(struct cell *cell, int axis, double edge)
{
    double unit = cell->unit, *a = cell->a + 3 * axis;
    double more = edge / sqrt(dot(a, a));
    for (int k = 0; k < 3; k++)
        a[k] *= more;
    cell_derive(cell);
    cell->unit = unit;
}

void cell_scale(struct cell *cell, const struct cell *from, double scale)
{
    struct cell made = *from;
    for (int i = 0; i < 9; i++)
        made.a[i] *= scale;
    *cell = made;
    cell_derive(cell);
}

farsum_status cell_follow(struct cell *cell, const struct cell *like,
                          const double old_rows[9], const double rows[9],
                          double scale)
{
    struct cell old, fresh;
    const int periodic[3] = {!like->open[0], !like->open[1], !like->open[2]};
    TRY(cell_set_axes(&fresh, rows, periodic, scale)); /* for its checks */
    memcpy(old.a, old_rows, sizeof old.a);
    cell_derive(&old);
    /* like = T old with T integer: T = like inv(old), rounded */
    struct cell made = *like;
    double unit = cbrt(like->volume / old.volume);
    for (int i = 0; i < 3; i++) {
        double t[3];
        for (int k = 0; k < 3; k++) {
            double s = 0;
            for (int j = 0; j < 3; j++)
                s += like->a[3 * i + j] / unit * old.inv[3 * j + k];
            t[k] = nearbyint(s);
        }
        for (int j = 0; j < 3; j++)
            made.a[3 * i + j] = scale
                                * (t[0] * rows[j] + t[1] * rows[3 + j]
                                   + t[2] * rows[6 + j]);
    }
    cell_derive(&made);
    *cell = made;
    return FARSUM_OK;
}

/* k_0 of (6.11): the lower limit at which an integral of k^-2 over k equals the
 * sum over the cell's modes, V/(2 pi^2 k_0) = sum over k != 0 of k^-4. */
static double lowest_of(const struct cell *cell)
{
    enum { REACH = 4 };
    double edge[3], longest = 0, sum = 0;
    int most[3];
    for (int d = 0; d < 3; d++) {
        const double *a = cell->a + 3 * d;
        edge[d] = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        longest = fmax(longest, edge[d]);
    }
    double limit = 2 * M_PI * REACH / longest;
    for (int d = 0; d < 3; d++)
        most[d] = (int)(REACH * edge[d] / longest);
    for (int i = -most[0]; i <= most[0]; i++)
        for (int j = -most[1]; j <= most[1]; j++)
            for (int l = -most[2]; l <= most[2]; l++) {
                double k2 = 0;
                for (int x = 0; x < 3; x++) {
                    const double *b = cell->inv + 3 * x;
                    double k = 2 * M_PI * (i * b[0] + j * b[1] + l * b[2]);
                    k2 += k * k;
                }
                if (k2 > 0 && k2 <= limit * limit)
                    sum += 1 / (k2 * k2);
            }
    return 1 / (2 * M_PI * M_PI / cell->volume * sum + 1 / limit);
}

/* Caches the last cell, since many estimates in succession use the same one. */
double cell_lowest(const struct cell *cell)
{
    static _Thread_local struct {
        double a[9], lowest;
    } last;
    if (last.lowest == 0 || memcmp(last.a, cell->a, sizeof last.a) != 0) {
        last.lowest = lowest_of(cell);
        memcpy(last.a, cell->a, sizeof last.a);
    }
    return last.lowest;
}
