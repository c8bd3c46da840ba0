/* SPDX-License-Identifier: Apache-2.0 */
/* plane_wave.c: choice of the plane waves' nodes, and operators between
 * multipoles, waves and local expansions. */
#include "math/plane_wave.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "math/multipole.h"

/* The nodes of the tables; each list has its own name. */
#define PLANE_WAVES(n, wide, potential, field, ...)                            \
    static const struct plane_wave_node nodes_##n##_##wide[] = {__VA_ARGS__};
#include "math/plane_wave_table.h"
#undef PLANE_WAVES
#define PLANE_WAVES(n, wide, potential, field, ...)                            \
    {n, wide, potential, field, 0, nodes_##n##_##wide},
static const struct plane_waves tables[] = {
#include "math/plane_wave_table.h"
};
#undef PLANE_WAVES

enum { TABLES = sizeof tables / sizeof *tables };
#define WIDE 1.3     /* longest diagonal for the wide tables, */
#define NARROW 1.001 /* and for the others */

/* Axes of the frames. */
static const int frame[3][3] = {{2, 1, 0}, {2, 0, 1}, {0, 1, 2}};

/* Largest diagonal across an axis over the edge along it; 1 for a cube. */
static double plane_waves_ratio(const double box[3])
{
    double most = 0;
    for (int axis = 0; axis < 3; axis++) {
        double b = box[frame[axis][0]], c = box[frame[axis][1]];
        most = fmax(most, sqrt((b * b + c * c) / 2) / box[axis]);
    }
    return most;
}

/* Factor on the error of the field for ws = 1.  For larger ws, in units of ws,
 * there are more pairs and they are closer to the axis.  Measured. */
static double plane_waves_list(int ws)
{
    double side = 2 * ws + 1, near = ws > 1 ? 1.6 : 1;
    return near * sqrt(7 * side * side * side / 189) / (ws * ws);
}

farsum_status plane_waves_choose(int ws, const double box[3], double field,
                                 struct plane_waves *waves)
{
    double ratio = plane_waves_ratio(box), least = INFINITY;
    int wide = ratio > NARROW;
    if (ratio > WIDE)
        FAIL(ERR_UNSUPPORTED,
             "its nodes are for boxes whose diagonals across an axis are at "
             "most %.2f times a cube's, not %.2f",
             WIDE, ratio);
    for (int i = 0; i < TABLES; i++) {
        double left = tables[i].field * plane_waves_list(ws);
        if (tables[i].wide != wide)
            continue;
        least = fmin(least, left);
        if (left > field)
            continue;
        *waves = tables[i];
        waves->field = left;
        waves->potential *= plane_waves_list(ws) * ws;
        waves->quarter = 0;
        for (int k = 0; k < waves->nodes; k++)
            waves->quarter += waves->node[k].angles / 4;
        return FARSUM_OK;
    }
    FAIL(ERR_UNSUPPORTED,
         "the smallest error of its nodes is %.1e of the field of a far list, "
         "above %.1e, the error that the order allows; use a smaller order",
         least, field);
}

/* Fits of the measured tables of (10.16); for ws = 1 a parabola and a line.  At
 * low even orders, evenly filled boxes have a small error of their own.  So the
 * waves get a smaller share. */
double plane_waves_field(int p, int ws)
{
    double radius = sqrt(0.75), rise = 0.5 * radius / (ws + 1 - radius);
    double share = p < 6 ? 0.06 : 0.135, n = p < 28 ? p : 28;
    if (ws == 1)
        return share * exp(0.246 - 1.0077 * n + 0.01194 * n * n)
               * pow(0.65, p - n);
    if (ws > 2)
        return share * 2.3e-3 * pow(rise / 0.203, 5) * pow(rise, p - 4);
    return share * 2.3e-3 * pow(0.268, p - 4);
}

double plane_waves_error(const struct plane_waves *waves)
{
    return waves->field;
}

int plane_waves_class(int axis, int class)
{
    int to = 0;
    for (int k = 0; k < 3; k++)
        to |= (class >> frame[axis][k] & 1) << k;
    return to;
}

int plane_waves_signs(int n, int m)
{
    int sine = m < 0, odd = m % 2 != 0;
    return (odd != sine) | sine << 1 | ((n + m) % 2 != 0) << 2;
}

/* Unit of the cubes' tables along an axis of edge e: z starts at ws e. */
static double plane_waves_unit(int ws, const double box[3], int axis)
{
    return 1 / (ws * box[axis]);
}

void plane_waves_shifts(const struct plane_waves *waves, int ws,
                        const double box[3], int axis, double *shift)
{
    double unit = plane_waves_unit(ws, box, axis);
    int q = 0, n = waves->quarter;
    for (int k = 0; k < waves->nodes; k++)
        for (int j = 0; j < waves->node[k].angles / 4; j++, q++) {
            double lambda = waves->node[k].lambda * unit;
            double a = 2 * M_PI * (j + 0.5) / waves->node[k].angles;
            double b = lambda * box[frame[axis][0]] * cos(a) / 2;
            double c = lambda * box[frame[axis][1]] * sin(a) / 2;
            shift[q] = cos(b);
            shift[n + q] = sin(b);
            shift[2 * n + q] = cos(c);
            shift[3 * n + q] = sin(c);
            shift[4 * n + q] = exp(-lambda * box[axis]);
        }
}

/* Coefficients of a wave in its own frame: lambda^n/A cos or sin, signed. */
static void plane_waves_frame(int p, double lambda, double angle, double *g)
{
    for (int m = 0; m <= p; m++) {
        double v = (m / 2) % 2 ? -1 : 1;
        for (int k = 1; k <= 2 * m; k++)
            v /= sqrt((double)k); /* A_m^m = sqrt((2m)!) */
        v *= pow(lambda, m);
        for (int n = m; n <= p; n++) {
            if (n > m)
                v *= lambda / sqrt((double)(n - m) * (n + m));
            g[multipole_at(n, m)] = v * cos(m * angle);
            if (m)
                g[multipole_at(n, -m)] = v * sin(m * angle);
        }
    }
}

/* Exchanges x and y for order m: coefficient m is `sign`, which is returned,
 * times coefficient *from. */
static double exchange(int m, int *from)
{
    int a = m < 0 ? -m : m, turn = a % 4;
    *from = turn % 2 ? -m : m;
    if (turn == 0)
        return m < 0 ? -1 : 1;
    if (turn == 2)
        return m < 0 ? 1 : -1;
    return turn == 1 ? 1 : -1;
}

/* The frame's coefficients of degree n from those of x, y, z, t[2n+1][2n+1],
 * and back.  This is (10.11); for axis 1, x and y are exchanged first. */
static void plane_waves_turn(int axis, int n, double *t, double *back)
{
    int wide = 2 * n + 1;
    double b[4 * MULTIPOLE_SIZE];
    memset(t, 0, (size_t)(wide * wide) * sizeof *t);
    memset(back, 0, (size_t)(wide * wide) * sizeof *t);
    if (axis < 2)
        multipole_swap(n, b);
    for (int i = 0; i < wide; i++)
        for (int j = 0; j < wide; j++) {
            double v = axis < 2 ? b[i * wide + j] : i == j;
            int from = j - n;
            double sign = axis == 1 ? exchange(j - n, &from) : 1;
            t[i * wide + from + n] += sign * v;
            from = i - n;
            sign = axis == 1 ? exchange(i - n, &from) : 1;
            back[i * wide + j] +=
                sign * (axis < 2 ? b[(from + n) * wide + j] : i == j);
        }
}

static void plane_waves_degree(int n, int size, int quarter, double *g,
                               const double *t, int transposed)
{
    int wide = 2 * n + 1;
    for (int q = 0; q < quarter; q++) {
        double *row = g + (int64_t)q * size + n * n;
        double sum[2 * MULTIPOLE_MOST + 1] = {0};
        for (int i = 0; i < wide; i++)
            for (int j = 0; j < wide; j++)
                sum[j] += row[i]
                          * (transposed ? t[j * wide + i] : t[i * wide + j]);
        memcpy(row, sum, (size_t)wide * sizeof *row);
    }
}

farsum_status plane_waves_operators(const struct plane_waves *waves, int p,
                                    int ws, const double box[3], int axis,
                                    double *out, double *in)
{
    double unit = plane_waves_unit(ws, box, axis);
    int size = multipole_size(p), q = 0;
    farsum_status status = FARSUM_OK;
    double *t = NULL, *back = NULL;
    GO(MEM_RAW(t, 4 * MULTIPOLE_SIZE));
    GO(MEM_RAW(back, 4 * MULTIPOLE_SIZE));
    for (int k = 0; k < waves->nodes; k++)
        for (int j = 0; j < waves->node[k].angles / 4; j++, q++) {
            const struct plane_wave_node *node = &waves->node[k];
            double lambda = node->lambda * unit;
            double weight = 2 * node->weight * unit / node->angles
                            * exp(-lambda * box[axis] * (ws + 1));
            double *o = out + (int64_t)q * size, *l = in + (int64_t)q * size;
            plane_waves_frame(p, lambda, 2 * M_PI * (j + 0.5) / node->angles,
                              o);
            for (int n = 0; n <= p; n++)
                for (int m = -n; m <= n; m++) {
                    int at = multipole_at(n, m);
                    l[at] = o[at] * weight * (n % 2 ? -1 : 1);
                    o[at] *= (m ? 2 : 1) * (m % 2 ? -1 : 1);
                }
        }
    for (int n = 0; n <= p; n++) {
        plane_waves_turn(axis, n, t, back);
        plane_waves_degree(n, size, waves->quarter, out, t, 0);
        plane_waves_degree(n, size, waves->quarter, in, back, 1);
    }
done:
    mem_free(t);
    mem_free(back);
    return status;
}
