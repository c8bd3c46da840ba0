/* SPDX-License-Identifier: Apache-2.0 */
/* grid.c: the columns into which points are sorted. */
#include "stage/near/host_cluster/host_cluster.h"

#include <math.h>
#include <string.h>

#include "base/hypot.h"
#include "base/mem.h"

static double dot(const double *x, const double *y)
{
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

/* Chooses the axes: slabs along the tallest axis (threads share slabs), columns
 * along the next (the ends of columns are padded). */
static void grid_axes(struct cluster_grid *grid, const struct cell *cell)
{
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; i++)
        for (int j = i + 1; j < 3; j++)
            if (cell->height[order[j]] > cell->height[order[i]]) {
                int t = order[i];
                order[i] = order[j];
                order[j] = t;
            }
    grid->axis[0] = order[0];
    grid->axis[1] = order[2];
    grid->axis[2] = order[1];
}

/* Sets the frame: z along the columns' vector, x in the plane of z and the
 * slabs' vector, y such that the three are right-handed.  The sign matters for
 * the rotlet. */
static void grid_frame(struct cluster_grid *grid, const struct cell *cell)
{
    const double *a = cell->a + 3 * grid->axis[0];
    const double *b = cell->a + 3 * grid->axis[1];
    const double *c = cell->a + 3 * grid->axis[2];
    double *x = grid->frame[0], *y = grid->frame[1], *z = grid->frame[2];
    double height = sqrt(dot(c, c));
    for (int j = 0; j < 3; j++)
        z[j] = c[j] / height;
    double az = dot(a, z), norm = 0;
    for (int j = 0; j < 3; j++)
        x[j] = a[j] - az * z[j];
    norm = sqrt(dot(x, x));
    for (int j = 0; j < 3; j++)
        x[j] /= norm;
    double bz = dot(b, z), bx = dot(b, x);
    for (int j = 0; j < 3; j++)
        y[j] = b[j] - bz * z[j] - bx * x[j];
    norm = sqrt(dot(y, y));
    if (z[0] * (x[1] * y[2] - x[2] * y[1]) + z[1] * (x[2] * y[0] - x[0] * y[2])
            + z[2] * (x[0] * y[1] - x[1] * y[0])
        < 0)
        norm = -norm;
    for (int j = 0; j < 3; j++)
        y[j] /= norm;
    const double *rows[3] = {a, b, c};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            grid->p[i][j] = dot(rows[i], grid->frame[j]);
    grid->p[0][1] = grid->p[2][0] = grid->p[2][1] = 0;
}

/* Squared distance from the origin to the segment u, w. */
static double segment_square(const double u[2], const double w[2])
{
    double e[2] = {w[0] - u[0], w[1] - u[1]};
    double square = e[0] * e[0] + e[1] * e[1];
    double t = square > 0 ? -(u[0] * e[0] + u[1] * e[1]) / square : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    double x = u[0] + t * e[0], y = u[1] + t * e[1];
    return x * x + y * y;
}

/* 1 if columns d0, d1 apart come closer than the range.  Their differences fill
 * a parallelogram with twice the sides of a column. */
static int grid_is_near(const struct cluster_grid *grid, int64_t d0, int64_t d1)
{
    double corner[4][2], near = grid->range * grid->range * (1 + 1e-6);
    if (d0 >= -1 && d0 <= 1 && d1 >= -1 && d1 <= 1)
        return 1;
    for (int k = 0; k < 4; k++) {
        double s0 = (double)(d0 + (k == 1 || k == 2 ? 1 : -1));
        double s1 = (double)(d1 + (k >= 2 ? 1 : -1));
        for (int j = 0; j < 2; j++)
            corner[k][j] = s0 / (double)grid->n[0] * grid->p[0][j]
                           + s1 / (double)grid->n[1] * grid->p[1][j];
    }
    for (int k = 0; k < 4; k++)
        if (segment_square(corner[k], corner[(k + 1) & 3]) < near)
            return 1;
    return 0;
}

static farsum_status grid_near(struct cluster_grid *grid,
                               const double height[2])
{
    int64_t size = 1;
    for (int d = 0; d < 2; d++) {
        double reach = ceil((double)grid->n[d] / height[d] * grid->range) + 1;
        if (reach > 1e6)
            FAIL(ERR_UNSUPPORTED,
                 "the cutoff%s spans %.3g cells; use a larger cell or a "
                 "smaller cutoff",
                 grid->range > 1 ? " with its skin" : "", reach);
        grid->reach[d] = (int)reach;
        size *= 2 * grid->reach[d] + 1;
    }
    TRY(MEM_RESERVE(grid->near, &grid->near_capacity, size));
    char *near = grid->near;
    for (int64_t d0 = -grid->reach[0]; d0 <= grid->reach[0]; d0++)
        for (int64_t d1 = -grid->reach[1]; d1 <= grid->reach[1]; d1++)
            *near++ = (char)grid_is_near(grid, d0, d1);
    return FARSUM_OK;
}

/* f32: units per cutoff, as many as keep the differences of all tested pairs
 * within 31 bits, even after both points have moved by half a skin. */
static double grid_unit(const struct cluster_grid *grid, farsum_precision f)
{
    if (f == FARSUM_F64)
        return 1;
    double wide = grid->split;
    for (int j = 0; j < 2; j++) {
        double w = fabs(grid->p[0][j]) / (double)grid->n[0]
                   + fabs(grid->p[1][j]) / (double)grid->n[1];
        wide = w > wide ? w : wide;
    }
    return exp2(30 - ceil(log2(2 * grid->range - 1 + 2 * wide)));
}

farsum_status cluster_grid_set(struct cluster_grid *grid,
                               const struct near_args *args, int width,
                               int64_t n_sources)
{
    const struct cell *cell = args->cell;
    grid->range = 1 + args->skin;
    grid_axes(grid, cell);
    grid_frame(grid, cell);
    /* Columns are as wide as clusters are long, at the density that the points
     * see; 0.2 is short enough for any. */
    double density = (double)n_sources / cell->volume;
    if (args->neighbours > 0)
        density = fmax(density, args->neighbours / (4 * M_PI / 3));
    double w = fmin(fmax(cbrt(width / density), 0.2), 0.7);
    double area = fabs(grid->p[0][0] * grid->p[1][1]);
    w = fmax(w, sqrt(area / (4 * (double)n_sources + 4096)));
    double height[2] = {area / hypot_of(grid->p[1][0], grid->p[1][1]),
                        area / fabs(grid->p[0][0])};
    for (int d = 0; d < 2; d++)
        grid->n[d] = (int64_t)fmax(1, nearbyint(height[d] / w));
    int64_t columns = grid->n[0] * grid->n[1];
    grid->bins = n_sources / (2 * columns) + 1;
    /* Height in lengths of a cluster.  Shorter columns let f32 resolve
     * positions finer; longer ones hold more points where points are few. */
    double length = width * (double)(grid->n[0] * grid->n[1])
                    / (density * area);
    grid->split = fmin(fmax(4 * length, 1), 7);
    TRY(grid_near(grid, height));
    grid->unit = grid_unit(grid, args->precision);
    for (int i = 0; i < 9; i++)
        grid->p[i / 3][i % 3] *= grid->unit;
    grid->split *= grid->unit;
    grid->range *= grid->unit;
    return FARSUM_OK;
}

void cluster_grid_clear(struct cluster_grid *grid)
{
    mem_free(grid->near);
    memset(grid, 0, sizeof *grid);
}
