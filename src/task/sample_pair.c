/* SPDX-License-Identifier: Apache-2.0 */
/* sample_pair.c: value and slope of one pair by the full kernel. */
#include "task/sample_pair.h"

#include <math.h>
#include <string.h>

#define FN static inline
#define BARE_REAL double
#include "math/pair_bare.kh"

static const struct {
    const char *name;
    void (*value)(double kappa, const double *d, double r2, const double *q,
                  double *value);
} rows[] = {
#define SCALAR(name, polys, note) {#name, bare_##name},
#define FLOW(name, strengths, channels, polys, note) {#name, bare_##name},
#include "math/pair.def"
#undef SCALAR
#undef FLOW
};

int sample_pair_row(const struct pair *pair)
{
    int row = 0;
    while (strcmp(rows[row].name, pair->name) != 0)
        row++;
    return row;
}

void sample_pair_value(int row, double kappa, const double d[3], double r2,
                       const double *q, double v[PAIR_VALUES])
{
    v[0] = v[1] = v[2] = 0;
    rows[row].value(kappa, d, r2, q, v);
}

void sample_pair_steep(const struct pair *pair, double r, double square[2])
{
    double over = 1 / (r * r);
    square[0] = over * over * over;
    square[1] = over * over / 6;
    if (pair->kind->charged)
        return;
    pair_steep(pair, r, square);
    square[0] /= 6;
    square[1] /= 6;
}
