/* SPDX-License-Identifier: Apache-2.0 */
/* columns.c: columns of cells around targets. */
#include "stage/near/device/columns.h"

#include <math.h>

_Static_assert(sizeof(struct near_columns) == 96,
               "must match stage/near/device/columns.kh");
_Static_assert(sizeof(struct near_ball) == 72, "must match "
                                               "stage/near/device/ball.kh");

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

farsum_status near_columns_set(struct near_columns *g,
                               const struct near_gpu *near, const char *row)
{
    const struct cell *cell = near->args.cell;
    const struct near_cells *c = &near->cells;
    double ex[3], ey[3], ez[3], far = 0;
    const double *a = cell->a, *b = cell->a + 3, *last = cell->a + 6;
    double length = sqrt(dot(last, last));
    for (int d = 0; d < 3; d++)
        ez[d] = last[d] / length;
    for (int d = 0; d < 3; d++)
        ey[d] = b[d] - dot(b, ez) * ez[d];
    double across = sqrt(dot(ey, ey));
    for (int d = 0; d < 3; d++)
        ey[d] /= across;
    for (int d = 0; d < 3; d++)
        ex[d] = ey[(d + 1) % 3] * ez[(d + 2) % 3]
                - ey[(d + 2) % 3] * ez[(d + 1) % 3];
    for (int k = 0; k < 9; k++)
        far += fabs(cell->a[k]);
    for (int k = 0; k < 9; k++)
        g->edge[k] = (float)(cell->a[k] / c->nb[k / 3]);
    g->x0 = (float)dot(a, ex);
    g->y0 = (float)dot(a, ey);
    g->y1 = (float)dot(b, ey);
    g->z0 = (float)dot(a, ez);
    g->z1 = (float)dot(b, ez);
    g->z2 = (float)length;
    double off = near->args.precision == FARSUM_F32 ? 1e-6
                                                    : 1e-6 + 0x1p-21 * far;
    g->slack = (float)(1e-5 + off);
    g->cut = (float)((near->range + off) * (near->range + off));
    g->together = (int32_t)fmax(0.75 * c->nb[2] / cell->height[2], 1);
    g->reach_z = (c->reach[2] + c->nb[2] - 1) / c->nb[2];
    for (int d = 0; d < 3; d++)
        if (c->reach[d] / c->nb[d] + 2 > NEAR_IMAGES)
            FAIL(ERR_UNSUPPORTED,
                 "near %s: the cutoff spans %d images of the cell along an "
                 "axis; at most %d are possible",
                 row, (int)(c->reach[d] / c->nb[d]), NEAR_IMAGES - 2);
    g->columns = (2 * c->reach[0] + 1) * (2 * c->reach[1] + 1)
                 * (2 * g->reach_z + 1);
    return FARSUM_OK;
}

farsum_status near_ball_set(struct near_ball *ball, const struct near_gpu *near,
                            const char *row)
{
    struct near_columns c;
    TRY(near_columns_set(&c, near, row));
    const int32_t *nb = near->cells.nb, *reach = near->cells.reach;
    int32_t wide = 2 * reach[1] + 1;
    float x0 = c.x0 / (float)nb[0], y0 = c.y0 / (float)nb[0];
    float y1 = c.y1 / (float)nb[1];
    float z0 = c.z0 / (float)nb[0], z1 = c.z1 / (float)nb[1];
    *ball = (struct near_ball){
        .x0 = x0,
        .y0 = y0,
        .y1 = y1,
        .z0 = z0,
        .z1 = z1,
        .x_least = fminf(x0, 0) - c.slack,
        .x_most = fmaxf(x0, 0) + c.slack,
        .y_least = fminf(y0, 0) + fminf(y1, 0) - c.slack,
        .y_most = fmaxf(y0, 0) + fmaxf(y1, 0) + c.slack,
        .z_least = fminf(z0, 0) + fminf(z1, 0),
        .z_most = fmaxf(z0, 0) + fmaxf(z1, 0),
        .per_z2 = (float)nb[2] / c.z2,
        .cut = c.cut,
        .slack = c.slack,
        .per_wide = 1 / (float)wide,
        .columns = wide * (2 * reach[0] + 1),
        .wide = wide,
    };
    return FARSUM_OK;
}
