/* near_columns.c: columns of cells around targets. */
#include "stage/near/near_columns.h"

#include <math.h>

_Static_assert(sizeof(struct near_columns) == 96, "as leaf/near_columns.h");

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
    g->cut = (float)((1 + off) * (1 + off));
    g->together = (int32_t)fmax(0.75 * c->nb[2] / cell->height[2], 1);
    g->reach_z = (c->reach[2] + c->nb[2] - 1) / c->nb[2];
    for (int d = 0; d < 3; d++)
        if (c->reach[d] / c->nb[d] + 2 > NEAR_IMAGES)
            FAIL(ERR_UNSUPPORTED, "near %s: the cutoff spans %d cells along an "
                                  "axis, %d are possible",
                 row, (int)(c->reach[d] / c->nb[d]), NEAR_IMAGES - 2);
    g->columns = (2 * c->reach[0] + 1) * (2 * c->reach[1] + 1)
                 * (2 * g->reach_z + 1);
    return FARSUM_OK;
}
