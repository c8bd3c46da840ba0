/* SPDX-License-Identifier: Apache-2.0 */
/* columns.c: which columns of a spectrum the influence function keeps. */
#include <math.h>

#include "stage/scale/modes.h"

/* The smallest |k|^2 of the modes (n0, n1, n2) of a mesh of m0 points, over all
 * signed n0.  It is convex in n0. */
static double columns_least(const struct modes *m, int64_t m0, int64_t n1,
                            int64_t n2)
{
    double axis[3], k[3], along = 0;
    double square = modes_wave(m, 1, 0, 0, axis);
    modes_wave(m, 0, n1, n2, k);
    for (int j = 0; j < 3; j++)
        along += k[j] * axis[j];
    double most = (double)((m0 - 1) / 2), n0 = floor(-along / square);
    double low = fmax(-most, fmin(n0, most));
    double high = fmax(-most, fmin(n0 + 1, most));
    return fmin(modes_wave(m, (int64_t)low, n1, n2, k),
                modes_wave(m, (int64_t)high, n1, n2, k));
}

void scale_columns(const struct scale_args *args, int64_t *columns)
{
    const int64_t *mesh = args->mesh;
    struct modes m = {.c = args->split->c};
    modes_set_cell(&m, args->cell);
    /* other sums of the same square may be smaller by rounding */
    double most = m.c * m.c * (1 + 1e-12);
    for (int64_t i1 = 0; i1 < mesh[1]; i1++) {
        int64_t n1 = modes_signed(i1, mesh[1]), n2 = (mesh[2] - 1) / 2;
        if (2 * i1 == mesh[1]) /* mode without a sign */
            n2 = -1;
        while (n2 >= 0 && columns_least(&m, mesh[0], n1, n2) > most)
            n2--;
        columns[i1] = n2 + 1;
    }
}

int64_t scale_lines(const struct scale_args *args)
{
    int64_t lines = 0;
    if (!args->columns)
        return scale_rows(args) * args->mesh[1];
    for (int64_t row = 0; row < scale_rows(args); row++)
        lines += args->columns[args->first + row];
    return lines;
}

void scale_exchange(struct cell *exchanged, const struct cell *cell)
{
    *exchanged = *cell;
    for (int d = 0; d < 2; d++) {
        for (int j = 0; j < 3; j++) {
            exchanged->a[3 * d + j] = cell->a[3 * (1 - d) + j];
            exchanged->inv[3 * j + d] = cell->inv[3 * j + 1 - d];
        }
        exchanged->height[d] = cell->height[1 - d];
    }
}
