/* SPDX-License-Identifier: Apache-2.0 */
/* bound.c: error bounds of pairs of boxes, by order: (10.34) to (10.37) of
 * math.md. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "method/fmm/bound/bound.h"

/* Enlarges a box by the rounding of coordinates in it. */
#define LARGER (1 + 1e-6)
enum { SIDE = STRICT_ORDERS + 1 };

/* G(p + 1, p + 1) of (10.35) and its slope along b, x = radius/r. */
static void strict_both(double x, double g[STRICT_ORDERS],
                        double slope[STRICT_ORDERS])
{
    double row[SIDE], along[SIDE], whole = 1 / (1 - 2 * x), one = x / (1 - x);
    for (int i = 0; i < SIDE; i++) /* G(0, i) */ {
        row[i] = pow(one, i) * whole;
        along[i] = i / (1 - x) * pow(one, i - 1) * whole + row[i] * whole;
    }
    for (int n = 1; n < SIDE; n++) {
        row[0] = pow(one, n) * whole;
        along[0] = row[0] * (n / (1 - x) + whole);
        for (int k = 1; k < SIDE; k++) {
            along[k] = x * (along[k] + along[k - 1]) + row[k - 1];
            row[k] = x * (row[k] + row[k - 1]);
        }
        g[n - 1] = row[n];
        slope[n - 1] = along[n];
    }
}

/* (10.34): centres r apart; `apart`: distance from a centre to the other
 * box. */
static void strict_pair(double radius, double r, double apart,
                        strict_bounds out)
{
    double g[STRICT_ORDERS], slope[STRICT_ORDERS];
    if (2 * radius >= r || radius >= apart) {
        for (int p = 0; p < STRICT_ORDERS; p++)
            out[0][p] = out[1][p] = INFINITY;
        return;
    }
    strict_both(radius / r, g, slope);
    for (int p = 0; p < STRICT_ORDERS; p++) {
        double gap = apart - radius, n = p + 1;
        double side = pow(radius / apart, n) / gap;
        out[0][p] = 2 * side + g[p] / r;
        out[1][p] =
            side * (n / apart + n / radius + 2 / gap) + slope[p] / (r * r);
    }
}

static double strict_radius(const double box[3])
{
    return LARGER / 2
           * sqrt(box[0] * box[0] + box[1] * box[1] + box[2] * box[2]);
}

static void strict_place(const struct strict_boxes *b, const int32_t d[3],
                         strict_bounds out)
{
    double r2 = 0, apart2 = 0;
    for (int a = 0; a < 3; a++) {
        double gap = fmax(d[a] - 0.5, 0) * b->box[a];
        r2 += d[a] * d[a] * b->box[a] * b->box[a];
        apart2 += gap * gap;
    }
    strict_pair(strict_radius(b->box), sqrt(r2), sqrt(apart2), out);
}

static void strict_add(strict_bounds to, const strict_bounds from, double times)
{
    for (int f = 0; f < 2 && times > 0; f++)
        for (int p = 0; p < STRICT_ORDERS; p++)
            to[f][p] += times * from[f][p];
}

/* The number of offsets -w .. v along an axis that equal d or -d. */
static int strict_times(int d, int64_t w, int64_t v)
{
    return (d <= v) + (d > 0 && d <= w);
}

static farsum_status strict_pairs(struct strict_boxes *b)
{
    int side = 2 * b->ws + 2, ws = b->ws;
    int32_t d[3];
    mem_free(b->pair);
    b->pair = NULL;
    TRY(MEM_NEW(b->pair, side * side * side));
    for (d[2] = 0; d[2] < side; d[2]++)
        for (d[1] = 0; d[1] < side; d[1]++)
            for (d[0] = 0; d[0] < side; d[0]++)
                if (d[0] > ws || d[1] > ws || d[2] > ws)
                    strict_place(b, d, b->pair[strict_at(ws, d)]);
    return FARSUM_OK;
}

/* Sums the bounds over a far list; top 1: over the nearest far boxes of level
 * 0. */
static void strict_lists(struct strict_boxes *b, int top)
{
    int side = 2 * b->ws + 2, ws = b->ws;
    int32_t d[3];
    memset(top ? b->top : b->list, 0, sizeof b->list);
    for (d[2] = 0; d[2] < side; d[2]++)
        for (d[1] = 0; d[1] < side; d[1]++)
            for (d[0] = 0; d[0] < side; d[0]++) {
                double times = 1;
                for (int a = 0; a < 3; a++) {
                    int64_t low = 2 * ws + top, high = 2 * ws + 1;
                    if (top && !b->periodic && b->root[a] - 1 < high)
                        low = high = b->root[a] - 1;
                    times *= strict_times(d[a], low, high);
                }
                strict_add(top ? b->top : b->list, b->pair[strict_at(ws, d)],
                           times);
            }
}

/* Bounds of boxes whose indices differ by m along one axis, and by at most m
 * along the others. */
static void strict_shells(struct strict_boxes *b)
{
    double least = fmin(b->box[0], fmin(b->box[1], b->box[2]));
    for (int i = 0; i < STRICT_SHELLS; i++) {
        double m = 2 * b->ws + 2 + i;
        strict_pair(strict_radius(b->box), m * least, (m - 0.5) * least,
                    b->shell[i]);
    }
}

/* The maximum number of times that a box and its images lie within m boxes:
 * (10.37). */
static double strict_within(const struct strict_boxes *b, int64_t m)
{
    double times = 1;
    for (int a = 0; a < 3; a++)
        times *= ceil((2 * (double)m + 1) / (double)b->root[a]);
    return times;
}

/* (10.37).  The bounds of shells fall as m^-(p + 2) or faster; their sum is
 * finite only for p >= 2. */
static void strict_rest(struct strict_boxes *b)
{
    int64_t m = 2 * b->ws + 2, roots = b->root[0];
    const int last = STRICT_SHELLS - 1;
    double far = 1;
    for (int a = 1; a < 3; a++)
        roots = roots > b->root[a] ? roots : b->root[a];
    memset(b->rest, 0, sizeof b->rest);
    if (!b->periodic) {
        if (roots > m)
            memcpy(b->rest, b->shell[0], sizeof b->rest);
        return;
    }
    for (int i = 0; i < last; i++) {
        double within = strict_within(b, m + i);
        for (int f = 0; f < 2; f++)
            for (int p = 0; p < STRICT_ORDERS; p++)
                b->rest[f][p] +=
                    within * (b->shell[i][f][p] - b->shell[i + 1][f][p]);
    }
    for (int a = 0; a < 3; a++)
        far *= (2 * (double)(m + last) + 1) / (double)b->root[a] + 1;
    for (int f = 0; f < 2; f++)
        for (int p = 0; p < STRICT_ORDERS; p++)
            b->rest[f][p] =
                p < 2 ? INFINITY
                      : b->rest[f][p]
                            + far * b->shell[last][f][p] * (1 + 3.0 / (p - 1));
}

farsum_status strict_boxes_set(struct strict_boxes *b, const struct fmm *s,
                               const struct fmm_shape *shape)
{
    int same = b->pair && b->ws == shape->ws
               && memcmp(b->box, shape->box, sizeof b->box) == 0;
    if (same && b->periodic == s->input.periodic
        && memcmp(b->root, shape->root, sizeof b->root) == 0)
        return FARSUM_OK;
    b->ws = shape->ws;
    b->periodic = s->input.periodic;
    memcpy(b->root, shape->root, sizeof b->root);
    memcpy(b->box, shape->box, sizeof b->box);
    if (!same) {
        TRY(strict_pairs(b));
        strict_lists(b, 0);
        strict_shells(b);
    }
    strict_lists(b, 1);
    strict_rest(b);
    return FARSUM_OK;
}
