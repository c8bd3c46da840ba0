/* SPDX-License-Identifier: Apache-2.0 */
/* wide.c: f64 sums of f32 pairs. */
#include <string.h>

#include "stage/near/host_cluster/host_cluster.h"

void cluster_crowding(const struct cluster_grid *grid,
                      const struct cluster_set *set, int width,
                      int32_t *clustering)
{
    const double wide = 2 * grid->range, height = grid->p[2][2];
    for (int64_t k = 0; k < grid->n[0] * grid->n[1]; k++) {
        int64_t most = 0, first = set->column[k], end = set->column[k + 1];
        for (int64_t c = first, to = first; c < end; c++) {
            while (to < end && set->z[to][0] <= set->z[c][0] + wide)
                to++;
            most = to - c > most ? to - c : most;
        }
        double points = (double)(most * width) * (1 + wide / height);
        clustering[k] = points < 1e9 ? (int32_t)points : 1000000000;
    }
}

/* Spilling costs as much as one and a half vectors of pairs for each
 * surrounding cluster.  Tall columns may have as many clusters around as
 * pairs. */
int64_t cluster_step(const struct cluster_sum *sum, int64_t column, int width)
{
    const int64_t clusters =
        sum->targets->column[column + 1] - sum->targets->column[column];
    const int64_t clustering = sum->clustering[column] / width + 1;
    const int64_t least = WIDE_TERMS / width;
    int64_t step = 4 * (clusters / clustering + 1);
    return step > least ? step : least;
}

/* Spills those clusters of a column that this part of the sum holds.  A part
 * may begin and end within a column. */
static void spill_column(const struct cluster_sum *sum, int64_t column,
                         int width)
{
    const int64_t *from = sum->sources->column + column;
    const int64_t size = cluster_parts(sum->output) * width;
    for (int64_t c = from[0]; c < from[1]; c++) {
        const int64_t at = cluster_out(sum, c);
        if (at >= sum->count)
            continue;
        float *restrict out = (float *)sum->out + at * size;
        double *restrict wide = sum->wide + at * size;
        for (int64_t k = 0; k < size; k++) {
            wide[k] += (double)out[k];
            out[k] = 0;
        }
    }
    sum->held[column] = 0;
}

/* k modulo n. */
static int64_t spill_home(int64_t k, int64_t n)
{
    return k >= n ? k % n : k < 0 ? n - 1 - (-1 - k) % n : k;
}

void cluster_spill(const struct cluster_sum *sum, int64_t column, int32_t given,
                   int width)
{
    const struct cluster_grid *grid = sum->grid;
    const int64_t r0 = grid->reach[0], r1 = grid->reach[1];
    const int64_t a = column / grid->n[1], b = column % grid->n[1];
    for (int64_t d0 = 0; d0 <= r0; d0++)
        for (int64_t d1 = d0 > 0 ? -r1 : 0; d1 <= r1; d1++) {
            if (!grid->near[(d0 + r0) * (2 * r1 + 1) + d1 + r1])
                continue;
            int64_t to = spill_home(a + d0, grid->n[0]) * grid->n[1]
                         + spill_home(b + d1, grid->n[1]);
            if (sum->sources->column[to] == sum->sources->column[to + 1])
                continue;
            sum->held[to] += given;
            if (sum->held[to] > WIDE_TERMS)
                spill_column(sum, to, width);
        }
}

void cluster_spill_all(const struct cluster_sum *sum, int width)
{
    const int64_t columns = sum->grid->n[0] * sum->grid->n[1];
    for (int64_t k = 0; k < columns; k++)
        if (sum->held[k] > 0)
            spill_column(sum, k, width);
}
