/* SPDX-License-Identifier: Apache-2.0 */
/* strengths.c: table of strength columns, and random strengths. */
#include "strengths.h"

#include <stdio.h>
#include <string.h>

#define NORMAL "g less the mean of all g, g three standard normal numbers"

#define CHARGE                                                                 \
    "+1 and -1 in equal numbers (for odd n one has 0), in random order"

static const struct strengths table[] = {
    {"laplace", 1, 0, 0, 0, {{"charge", 1, 0, CHARGE}}},
    {"yukawa", 1, 0, 1, 0, {{"charge", 1, 0, CHARGE}}},
    {"r6", 1, 0, 0, 0, {{"charge", 1, 0, CHARGE}}},
    {"charge_dipole",
     4,
     0,
     0,
     1,
     {{"charge", 1, 0, CHARGE},
      {"dipole", 3, 1, "uniform on the unit sphere"}}},
    {"yukawa_dipole",
     4,
     0,
     1,
     1,
     {{"charge", 1, 0, CHARGE},
      {"dipole", 3, 1, "uniform on the unit sphere"}}},
    {"charge_quadrupole",
     10,
     0,
     0,
     2,
     {{"charge", 1, 0, CHARGE},
      {"dipole", 3, 1, "uniform on the unit sphere"},
      {"quadrupole", 6, 1, "u u - 1/3, u uniform on the unit sphere"}}},
    {"stokeslet", 3, 1, 0, 0, {{"force", 3, 0, NORMAL}}},
    {"rotlet", 3, 1, 0, 0, {{"torque", 3, 0, NORMAL}}},
    {"stresslet",
     6,
     1,
     0,
     0,
     {{"strength", 3, 0, NORMAL},
      {"normal", 3, 1, "uniform on the unit sphere"}}},
};

const struct strengths *strengths_get(int index)
{
    int count = (int)(sizeof table / sizeof *table);
    return index >= 0 && index < count ? &table[index] : NULL;
}

const struct strengths *strengths_of(const char *kernel)
{
    for (int k = 0; strengths_get(k); k++)
        if (strcmp(table[k].kernel, kernel) == 0)
            return &table[k];
    return &table[0];
}

void strengths_print(const struct strengths *row, char *text, size_t size)
{
    size_t used = 0;
    for (int k = 0; k < STRENGTHS_COLUMNS && row->columns[k].name; k++)
        if (used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s:R:%d",
                                     k ? " and " : "", row->columns[k].name,
                                     row->columns[k].width);
}

/* +1 and -1 in equal numbers (0 for the odd one), in random order, at q[0],
 * q[stride], ... */
static void draw_charges(struct rng *r, int64_t n, int stride, double *q)
{
    for (int64_t i = 0; i < n; i++)
        q[i * stride] = i % 2 ? -1 : 1;
    if (n % 2)
        q[(n - 1) * stride] = 0;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = rng_below(r, i + 1);
        double t = q[i * stride];
        q[i * stride] = q[j * stride];
        q[j * stride] = t;
    }
}

/* Traceless quadrupoles of one axis at q[0], q[stride], ... */
static void draw_quadrupoles(struct rng *r, int64_t n, int stride, double *q)
{
    for (int64_t i = 0; i < n; i++) {
        double u[3], *to = q + i * stride;
        rng_direction(r, u);
        for (int a = 0; a < 3; a++)
            for (int b = a; b < 3; b++)
                *to++ = u[a] * u[b] - (a == b ? 1.0 / 3 : 0);
    }
}

/* Vectors at q[0], q[stride], ... */
static void draw_vectors(struct rng *r, int64_t n, int unit, int stride,
                         double *q)
{
    double mean[3] = {0};
    for (int64_t i = 0; i < n; i++)
        if (unit)
            rng_direction(r, q + i * stride);
        else
            for (int d = 0; d < 3; d++) {
                q[i * stride + d] = rng_normal(r);
                mean[d] += q[i * stride + d] / (double)n;
            }
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < 3; d++)
            q[i * stride + d] -= mean[d];
}

void strengths_draw(const struct strengths *row, struct rng *r, int64_t n,
                    double net, double *q)
{
    int at = 0;
    for (int k = 0; k < STRENGTHS_COLUMNS && row->columns[k].name; k++) {
        const struct strengths_column *column = &row->columns[k];
        if (column->width == 1)
            draw_charges(r, n, row->count, q + at);
        else if (column->width == 6)
            draw_quadrupoles(r, n, row->count, q + at);
        else
            draw_vectors(r, n, column->unit, row->count, q + at);
        at += column->width;
        for (int64_t i = 0; !column->unit && net != 0 && i < n; i++)
            q[i * row->count + at - 1] += net;
    }
}
