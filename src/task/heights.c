/* SPDX-License-Identifier: Apache-2.0 */
/* heights.c: particles along axis 0. */
#include "task/heights.h"

#include <math.h>
#include <string.h>

#include "base/arrays.h"

static double height_of(const struct cell *cell, const void *x,
                        farsum_precision type, int64_t i)
{
    double s = 0;
    for (int d = 0; d < 3; d++)
        s += cell->unit * array_get(x, type, 3 * i + d) * cell->inv[3 * d];
    return cell_wrap_axis(cell, 0, s);
}

void heights_extent(const struct cell *cell, int64_t n, const void *x,
                    farsum_precision type, double extent[2])
{
    if (!cell->open[0]) {
        extent[0] = 0;
        extent[1] = 1;
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        double s = height_of(cell, x, type, i);
        extent[0] = fmax(extent[0], -s);
        extent[1] = fmax(extent[1], s);
    }
}

void heights_count(const struct cell *cell, int64_t n, const void *x,
                   farsum_precision type, const double extent[2],
                   double count[HEIGHTS])
{
    double length = extent[0] + extent[1];
    for (int64_t i = 0; i < n; i++) {
        double s = (height_of(cell, x, type, i) + extent[0]) / length;
        if (s >= 0 && s <= 1)
            count[s < 1 ? (int)(s * HEIGHTS) : HEIGHTS - 1]++;
    }
}

void heights_set(struct heights *heights, const double count[HEIGHTS])
{
    double all = 0, sum = 0;
    for (int k = 0; k < HEIGHTS; k++)
        all += count[k];
    heights->n = (int64_t)all;
    heights->below[0] = 0;
    for (int k = 0; k < HEIGHTS && all > 0; k++) {
        sum += count[k];
        heights->below[k + 1] = sum / all;
    }
}

/* The part below a fraction of the extent. */
static double part_below(const struct heights *h, double s)
{
    int k = (int)fmin(s * HEIGHTS, HEIGHTS - 1);
    double in = s * HEIGHTS - k;
    return h->below[k] + in * (h->below[k + 1] - h->below[k]);
}

void heights_layers(const struct heights *h, int64_t layers, double leaves,
                    struct heights_part *part)
{
    double all = 0, count = (double)layers;
    int cells = (int)fmax(fmin(leaves, HEIGHTS) / count, 1);
    for (int64_t k = 0; k < layers; k++) {
        part[k] = (struct heights_part){1 / count, 1 / count};
        if (h->n == 0)
            continue;
        part[k] = (struct heights_part){0, 0};
        for (int c = 0; c < cells; c++) {
            double at = (double)k + (double)c / cells;
            double f = part_below(h, (at + 1.0 / cells) / count)
                       - part_below(h, at / count);
            part[k].points += f;
            /* a particle has as many neighbours as its layer has others */
            part[k].pairs += f * fmax(f - 1 / (double)h->n, 0);
        }
        all += part[k].pairs;
    }
    for (int64_t k = 0; k < layers && h->n > 0; k++)
        part[k].pairs = all > 0 ? part[k].pairs / all : part[k].points;
}
