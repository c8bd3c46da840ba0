/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_points.c: points wrapped into the cell and sorted by boxes; pairs of
 * boxes in the near sum. */
#include "base/mem.h"
#include "base/par.h"
#include "reference/ewald/ewald_part.h"

#include <math.h>
#include <string.h>

/* Chooses boxes a fifth of rc wide, but with at least a few particles each. */
static void choose_grid(struct ewald_boxes *b, const struct ewald_lattice *l,
                        double rc, int64_t n)
{
    double a = cbrt((double)l->volume / (double)(n > 0 ? n : 1));
    double width = fmax(rc / 5, 2 * a);
    b->boxes = 1;
    for (int d = 0; d < 3; d++) {
        double g = floor((double)l->height[d] / width);
        b->grid[d] = g < 1 ? 1 : g > 512 ? 512 : (int32_t)g;
        b->boxes *= b->grid[d];
    }
}

/* Visits the offsets of boxes whose points can be within rc: their corners are
 * nearer than rc plus a box's longest diagonal.  Counts them; also fills the
 * list if it is allocated. */
static int64_t visit_offsets(struct ewald_boxes *b,
                             const struct ewald_lattice *l, double rc,
                             const int32_t most[3])
{
    long double h[9], diagonal = 0;
    for (int i = 0; i < 9; i++)
        h[i] = l->a[i] / b->grid[i / 3];
    for (int sign = 0; sign < 4; sign++) {
        long double length = 0;
        for (int d = 0; d < 3; d++) {
            long double v = h[d] + (sign & 1 ? -h[3 + d] : h[3 + d]) +
                            (sign & 2 ? -h[6 + d] : h[6 + d]);
            length += v * v;
        }
        diagonal = fmaxl(diagonal, sqrtl(length));
    }
    long double far2 = (rc + diagonal) * (rc + diagonal) * (1 + 1e-9L);
    int64_t count = 0;
    for (int32_t i = -most[0]; i <= most[0]; i++)
        for (int32_t j = -most[1]; j <= most[1]; j++)
            for (int32_t k = -most[2]; k <= most[2]; k++) {
                long double r2 = 0;
                for (int d = 0; d < 3; d++) {
                    long double v = i * h[d] + j * h[3 + d] + k * h[6 + d];
                    r2 += v * v;
                }
                if (r2 > far2)
                    continue;
                if (b->offset)
                    memcpy(b->offset[count], (int32_t[3]){i, j, k},
                           sizeof b->offset[count]);
                count++;
            }
    return count;
}

static void fill_images(struct ewald_boxes *b, const struct ewald_lattice *l)
{
    for (int32_t i = -b->reach[0]; i <= b->reach[0]; i++)
        for (int32_t j = -b->reach[1]; j <= b->reach[1]; j++)
            for (int32_t k = -b->reach[2]; k <= b->reach[2]; k++) {
                double *v = b->image +
                            6 * ewald_image(b, (int32_t[3]){i, j, k});
                for (int d = 0; d < 3; d++) {
                    long double x =
                        i * l->a[d] + j * l->a[3 + d] + k * l->a[6 + d];
                    v[d] = (double)x;
                    v[3 + d] = (double)(x - v[d]);
                }
            }
}

farsum_status ewald_boxes_set(struct ewald_boxes *b,
                              const struct ewald_lattice *l, double rc,
                              int64_t n)
{
    ewald_boxes_free(b);
    choose_grid(b, l, rc, n);
    int32_t most[3];
    double images = 1;
    for (int d = 0; d < 3; d++) {
        double reach = floor(rc / (double)l->height[d] * b->grid[d]) + 1;
        if (reach > 1e6)
            FAIL(ERR_UNSUPPORTED, "ewald: cutoff %g is too large", rc);
        most[d] = (int32_t)reach;
        b->reach[d] = (most[d] + b->grid[d] - 1) / b->grid[d];
        images *= 2 * b->reach[d] + 1;
    }
    if (images > 1e9)
        FAIL(ERR_UNSUPPORTED, "ewald: cutoff %g is too large", rc);
    b->images = (int64_t)images;
    TRY(MEM_RAW(b->image, 6 * b->images));
    fill_images(b, l);
    b->offsets = visit_offsets(b, l, rc, most);
    TRY(MEM_RAW(b->offset, b->offsets));
    visit_offsets(b, l, rc, most);
    return FARSUM_OK;
}

void ewald_boxes_free(struct ewald_boxes *b)
{
    mem_free(b->image);
    mem_free(b->offset);
    memset(b, 0, sizeof *b);
}

static farsum_status reserve(struct ewald_points *p, int64_t n, int64_t boxes,
                             int keep_x)
{
    if (p->capacity < n || !p->index || (keep_x && !p->x)) {
        ewald_points_free(p);
        TRY(MEM_RAW(p->index, n));
        TRY(MEM_RAW(p->box, n));
        for (int d = 0; d < 3; d++) {
            TRY(MEM_RAW(p->hi[d], n + EWALD_PAD));
            TRY(MEM_RAW(p->lo[d], n + EWALD_PAD));
            TRY(MEM_RAW(p->s_high[d], n + EWALD_PAD));
            TRY(MEM_RAW(p->s_low[d], n + EWALD_PAD));
        }
        if (keep_x)
            TRY(MEM_RAW(p->x, 3 * n));
        p->capacity = n;
    }
    return MEM_RESERVE(p->start, &p->boxes_capacity, boxes + 1);
}

/* Wrapped fractional coordinates, in [0, 1). */
static void wrap(const struct ewald_lattice *l, const double x[3],
                 long double s[3])
{
    for (int d = 0; d < 3; d++) {
        s[d] = x[0] * l->inv[d] + x[1] * l->inv[3 + d] + x[2] * l->inv[6 + d];
        s[d] -= l->start[d];
        s[d] -= floorl(s[d]);
        if (!(s[d] < 1))
            s[d] = 0;
    }
}

static int32_t box_of(const struct ewald_boxes *b, const long double s[3])
{
    int64_t at = 0;
    for (int d = 0; d < 3; d++) {
        int32_t c = (int32_t)(s[d] * b->grid[d]);
        at = at * b->grid[d] + (c < b->grid[d] ? c : b->grid[d] - 1);
    }
    return (int32_t)at;
}

static void put(struct ewald_points *p, const struct ewald_lattice *l,
                int64_t at, const long double s[3])
{
    for (int d = 0; d < 3; d++) {
        long double x =
            s[0] * l->a[d] + s[1] * l->a[3 + d] + s[2] * l->a[6 + d];
        p->hi[d][at] = (double)x;
        p->lo[d][at] = (double)(x - p->hi[d][at]);
        p->s_high[d][at] = (double)(floorl(s[d] * 0x1p30L) * 0x1p-30L);
        p->s_low[d][at] = (double)(s[d] - p->s_high[d][at]);
    }
}

farsum_status ewald_points_set(struct ewald_points *p,
                               const struct ewald_lattice *l,
                               const struct ewald_boxes *b, int64_t n,
                               const double *x, int keep_x, int threads)
{
    p->n = 0;
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < 3; d++)
            if (!(fabs(x[3 * i + d]) < 1e300))
                FAIL(ERR_POSITION, "ewald: coordinate %d of point %lld is %g",
                     d, (long long)i, x[3 * i + d]);
    TRY(reserve(p, n, b->boxes, keep_x));
    int64_t *start = p->start;
    memset(start, 0, (size_t)(b->boxes + 1) * sizeof *start);
    int32_t *box = p->box; /* in the caller's order until sorted */
    PAR_FOR(threads)
    for (int64_t i = 0; i < n; i++) {
        long double s[3];
        wrap(l, x + 3 * i, s);
        box[i] = box_of(b, s);
    }
    for (int64_t i = 0; i < n; i++)
        start[box[i] + 1]++;
    for (int64_t c = 0; c < b->boxes; c++)
        start[c + 1] += start[c];
    for (int64_t i = 0; i < n; i++)
        p->index[start[box[i]]++] = i;
    for (int64_t c = b->boxes; c > 0; c--)
        start[c] = start[c - 1];
    start[0] = 0;
    PAR_FOR(threads)
    for (int64_t at = 0; at < n; at++) {
        long double s[3];
        wrap(l, x + 3 * p->index[at], s);
        put(p, l, at, s);
        if (keep_x)
            memcpy(p->x + 3 * at, x + 3 * p->index[at], 3 * sizeof *x);
    }
    for (int64_t c = 0; c < b->boxes; c++)
        for (int64_t at = start[c]; at < start[c + 1]; at++)
            box[at] = (int32_t)c;
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < EWALD_PAD; i++)
            p->hi[d][n + i] = p->lo[d][n + i] = p->s_high[d][n + i] =
                p->s_low[d][n + i] = 0;
    p->n = n;
    return FARSUM_OK;
}

void ewald_points_free(struct ewald_points *p)
{
    mem_free(p->index);
    mem_free(p->box);
    mem_free(p->x);
    mem_free(p->start);
    for (int d = 0; d < 3; d++) {
        mem_free(p->hi[d]);
        mem_free(p->lo[d]);
        mem_free(p->s_high[d]);
        mem_free(p->s_low[d]);
    }
    memset(p, 0, sizeof *p);
}
