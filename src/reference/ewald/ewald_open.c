/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_open.c: lattice, wave vectors and gauge of Ewald sums with one or two
 * periodic axes. */
#include "reference/ewald/ewald_open.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "math/poly.h"
#include "reference/ewald/ewald_any_part.h"

/* Nodes per interval.  An interval turns e^{it.d} by 2 PHASE at most, and spans
 * 2 WIDTH standard deviations of the Gaussian: 24 nodes then leave 1e-16. */
enum { NODES = GAUSS_MAX, PHASE = 15, WIDTH = 1 };
/* The first interval ends at POLE times the distance of the nearest pole; each
 * further one at STRETCH times its begin. */
enum { POLE = 3, STRETCH = 5 };
/* Stands for the distance of a pole where the multiplier has a term |k|^3, in
 * kmax. */
#define CUSP 1e-5

/* ---- lattice */

static long double dot(const long double *a, const long double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const long double *a, const long double *b, long double *c)
{
    for (int d = 0; d < 3; d++) {
        int e = (d + 1) % 3, f = (d + 2) % 3;
        c[d] = a[e] * b[f] - a[f] * b[e];
    }
}

/* Gauss's reduction of two rows; the first becomes the shortest vector. */
static void reduce(long double *a, long double *b)
{
    for (int steps = 0; steps < 10000; steps++) {
        long double keep[3];
        if (dot(a, a) > dot(b, b)) {
            memcpy(keep, a, sizeof keep);
            memcpy(a, b, sizeof keep);
            memcpy(b, keep, sizeof keep);
        }
        long double m = roundl(dot(a, b) / dot(a, a));
        memcpy(keep, b, sizeof keep);
        for (int d = 0; d < 3; d++)
            keep[d] -= m * a[d];
        if (!(dot(keep, keep) < dot(b, b) * (1 - 1e-9L)))
            return;
        memcpy(b, keep, sizeof keep);
    }
}

/* Sets a row to a unit vector times `edge`. */
static void put_row(long double *row, const long double *to, long double edge)
{
    long double length = sqrtl(dot(to, to));
    for (int d = 0; d < 3; d++)
        row[d] = edge * to[d] / length;
}

/* Sets everything that follows from the rows. */
static void derive(struct ewald_lattice *l)
{
    long double c[9];
    for (int i = 0; i < 3; i++) {
        cross(l->a + 3 * ((i + 1) % 3), l->a + 3 * ((i + 2) % 3), c + 3 * i);
        l->length[i] = sqrtl(dot(l->a + 3 * i, l->a + 3 * i));
    }
    long double det = dot(l->a, c);
    l->volume = fabsl(det);
    for (int i = 0; i < 3; i++) {
        for (int d = 0; d < 3; d++)
            l->inv[3 * d + i] = c[3 * i + d] / det;
        l->height[i] = l->volume / sqrtl(dot(c + 3 * i, c + 3 * i));
    }
}

farsum_status ewald_open_lattice(struct ewald_lattice *l,
                                 const struct ewald_setup *setup)
{
    int at = 0;
    *l = (struct ewald_lattice){.axes = 0};
    for (int i = 0; i < 9; i++)
        if (!isfinite(setup->cell[i]))
            FAIL(ERR_CELL, "ewald: cell entry %d is not finite", i);
    for (int open = 0; open < 2; open++)
        for (int i = 0; i < 3; i++) {
            if (setup->open[i] != open)
                continue;
            for (int d = 0; d < 3; d++)
                l->a[3 * at + d] = setup->cell[3 * i + d];
            at++;
            l->axes += !open;
        }
    if (l->axes == 2) {
        long double normal[3];
        reduce(l->a, l->a + 3);
        cross(l->a, l->a + 3, normal);
        put_row(l->a + 6, normal, sqrtl(dot(l->a + 6, l->a + 6)));
    } else { /* exactly orthogonal */
        long double *t = l->a, *u = l->a + 3, *w = l->a + 6, z[3];
        long double edge = sqrtl(dot(u, u)), last = sqrtl(dot(w, w));
        long double along = dot(u, t) / dot(t, t);
        for (int d = 0; d < 3; d++)
            u[d] -= along * t[d];
        put_row(u, u, edge);
        cross(t, u, z);
        put_row(w, z, last);
    }
    derive(l);
    for (int d = l->axes; d < 3; d++) /* the extent is not known yet */
        put_row(l->a + 3 * d, l->a + 3 * d, l->length[l->axes - 1]);
    derive(l);
    if (!(l->volume
          > 1e-12L * l->length[0] * l->length[1] * l->length[2]))
        FAIL(ERR_CELL, "ewald: the cell is singular");
    l->filled = l->volume;
    l->period = l->length[0];
    l->across = l->length[1];
    if (l->axes == 2) {
        l->period = l->volume / l->length[2];
        l->across = l->length[2];
    } else {
        l->across = sqrtl(dot(l->a + 3, l->a + 3) + dot(l->a + 6, l->a + 6));
    }
    return FARSUM_OK;
}

/* Extends low and high by the points' coordinates along unit vector e. */
static void span(const long double *row, int64_t n, const double *x,
                 long double *low, long double *high)
{
    long double length = sqrtl(dot(row, row));
    for (int64_t i = 0; i < n; i++) {
        long double z = (x[3 * i] * row[0] + x[3 * i + 1] * row[1]
                         + x[3 * i + 2] * row[2])
                        / length;
        *low = fminl(*low, z);
        *high = fmaxl(*high, z);
    }
}

void ewald_open_extent(struct ewald_lattice *l, int64_t n, const double *x,
                       int64_t m, const double *y)
{
    /* points in a plane or on a line: their own mean distance */
    long double least = l->axes == 2 ? sqrtl(l->period / (long double)n)
                                     : l->period / (long double)n;
    long double across = 0;
    l->filled = l->period;
    for (int d = l->axes; d < 3; d++) {
        long double low = INFINITY, high = -INFINITY;
        span(l->a + 3 * d, n, x, &low, &high);
        if (y)
            span(l->a + 3 * d, m, y, &low, &high);
        l->extent[d] = high - low;
        l->low[d] = low;
        across += l->extent[d] * l->extent[d];
        l->filled *= fmaxl(l->extent[d], least);
        put_row(l->a + 3 * d, l->a + 3 * d, fmaxl(l->extent[d], least));
    }
    l->across = sqrtl(across);
    derive(l);
}

void ewald_open_widen(struct ewald_lattice *l, double rc)
{
    for (int d = l->axes; d < 3; d++) {
        long double edge = l->extent[d] + 1.25L * rc;
        put_row(l->a + 3 * d, l->a + 3 * d, edge);
        l->start[d] = (l->low[d] - 0.125L * rc) / edge;
    }
    derive(l);
}

/* ---- wave vectors */

/* The quadrature along open axes for one kind of rows. */
struct rule {
    double pole; /* distance of the nearest pole from the real axis; 0: none */
    double kmax, xi, across;
};

static double next_end(const struct rule *r, double begin)
{
    double width = fmin(2 * PHASE / r->across, 4 * WIDTH * r->xi);
    double end = begin == 0 ? POLE * r->pole : STRETCH * begin;
    return fmin(begin + width, r->pole > 0 ? end : INFINITY);
}

/* Half of the directions of a ring of radius t: (7.21) with all terms that
 * count. */
static int64_t directions(const struct rule *r, double t)
{
    double x = t * r->across;
    return (int64_t)ceil((x + 36 + 10 * cbrt(x)) / 2);
}

/* Visits the wave vectors of a rule, and stores them unless node is NULL: t
 * along both open axes and its weight.  Returns their number. */
static int64_t visit_nodes(const struct rule *r, int axes, double (*node)[3])
{
    const double *at, *weight;
    int64_t n = 0;
    poly_gauss(NODES, &at, &weight);
    for (double begin = 0; begin < r->kmax;) {
        double end = next_end(r, begin), half = (end - begin) / 2;
        for (int i = NODES - 1; i >= 0; i--) { /* ascending */
            double t = begin + half * (1 + at[i]), w = half * weight[i];
            int64_t many = axes == 2 ? 1 : directions(r, t);
            if (t > r->kmax)
                continue;
            for (int64_t j = 0; node && j < many; j++) {
                double *to = node[n + j];
                double angle = M_PI * ((double)j + 0.5) / (double)many;
                to[0] = axes == 2 ? t : t * cos(angle);
                to[1] = axes == 2 ? 0 : t * sin(angle);
                to[2] = axes == 2 ? w / (2 * M_PI)
                                  : t * w / (4 * M_PI * (double)many);
            }
            n += many;
        }
        begin = end;
    }
    return n;
}

double ewald_open_count(const struct ewald_lattice *l, double kmax)
{
    double across = (double)l->across * kmax;
    double rings = NODES * (across / (2 * PHASE) + 2);
    return l->axes == 2 ? rings : rings * (across / 4 + 25);
}

/* kappa of a row. */
static void along(const struct ewald_lattice *l, const struct ewald_row *row,
                  long double k[3])
{
    for (int d = 0; d < 3; d++)
        k[d] = 2 * EWALD_PI
               * (row->n1 * l->inv[3 * d]
                  + (l->axes == 2 ? row->n2 * l->inv[3 * d + 1] : 0));
}

/* The number of the rule's nodes, ordered by |t|, within t2. */
static int32_t within(const struct ewald_modes *m, double t2)
{
    int64_t low = m->first, high = m->nodes;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        const double *t = m->node[middle];
        if (t[0] * t[0] + t[1] * t[1] <= t2)
            low = middle + 1;
        else
            high = middle;
    }
    return (int32_t)(low - m->first);
}

/* Counts the rows of the half space; also fills them if they are allocated. */
static void visit_rows(struct ewald_modes *m, const struct ewald_lattice *l,
                       double kmax)
{
    struct ewald_row mean = {0, 0, (int32_t)m->first, 0, 0};
    int64_t rows = 1, entries = m->first;
    if (m->row)
        m->row[0] = mean;
    for (int32_t n1 = 0; n1 <= m->most[0]; n1++)
        for (int32_t n2 = n1 ? -m->most[1] : 1; n2 <= m->most[1]; n2++) {
            struct ewald_row row = {n1, n2, 0, entries, (int32_t)m->first};
            long double k[3];
            along(l, &row, k);
            row.length = within(m, (double)(kmax * (long double)kmax
                                            - dot(k, k)));
            if (row.length == 0)
                continue;
            if (m->row)
                m->row[rows] = row;
            rows++;
            entries += row.length;
        }
    m->rows = rows;
    m->entries = entries;
}

farsum_status ewald_open_modes(struct ewald_modes *m,
                               const struct ewald_lattice *l,
                               const struct reference_kind *kind,
                               const struct reference_split *split, double kmax)
{
    struct rule mean = {.pole = kind->cusp ? CUSP * kmax : split->screen,
                        .kmax = kmax,
                        .xi = split->xi,
                        .across = fmax((double)l->across, 1e-300)};
    struct rule rest = mean;
    ewald_modes_free(m);
    for (int d = 0; d < l->axes; d++) {
        long double most = floorl(kmax * l->length[d] / (2 * EWALD_PI));
        if (most >= 1 << 20)
            FAIL(ERR_UNSUPPORTED,
                 "ewald: %Lg wave vectors along an axis are too many", most);
        m->most[d] = (int32_t)most;
    }
    /* kappa is at least 2 pi / the longest period */
    rest.pole = (double)(2 * EWALD_PI / l->length[l->axes - 1]);
    m->first = visit_nodes(&mean, l->axes, NULL);
    m->nodes = m->first + visit_nodes(&rest, l->axes, NULL);
    if (m->nodes >= 1 << 24)
        FAIL(ERR_UNSUPPORTED, "ewald: %lld wave vectors along open axes are "
                              "too many",
             (long long)m->nodes);
    TRY(MEM_RAW(m->node, m->nodes));
    visit_nodes(&mean, l->axes, m->node);
    visit_nodes(&rest, l->axes, m->node + m->first);
    m->most[2] = (int32_t)m->nodes - 1;
    visit_rows(m, l, kmax);
    TRY(MEM_RAW(m->row, m->rows));
    m->row_capacity = m->rows;
    visit_rows(m, l, kmax);
    return FARSUM_OK;
}

int ewald_open_wave(const struct ewald_job *job, const struct ewald_row *row,
                    int32_t entry, int sign, long double k[3], double *front)
{
    const struct ewald_lattice *l = job->lattice;
    const double *t = job->modes->node[row->first + entry];
    along(l, row, k);
    for (int d = 0; d < 3; d++)
        for (int o = l->axes; o < 3; o++)
            k[d] += sign * t[o - l->axes] * l->a[3 * o + d] / l->length[o];
    *front = (double)(2 * t[2] / l->period);
    /* the other half space holds -t of the mean */
    return sign > 0 || row->n1 != 0 || row->n2 != 0;
}

/* Adds front * Re far(k) of row 0's sums to mean.  The net channels' own sums
 * are left out. */
static void mean_entries(const struct ewald_job *job, double mean[][4])
{
    const struct reference_kind *kind = job->kind;
    long double total[REFERENCE_VALUES] = {0};
    for (int32_t n = 0; n < job->modes->row[0].length; n++) {
        double z[REFERENCE_VALUES][2] = {{0}}, k[3], front;
        double s[REFERENCE_CHANNELS][2];
        long double wave[3];
        ewald_open_wave(job, job->modes->row, n, 1, wave, &front);
        for (int d = 0; d < 3; d++)
            k[d] = (double)wave[d];
        ewald_any_sums(job, n, -1, s);
        for (int c = kind->gauge ? kind->net_channels : 0; c < kind->channels;
             c++)
            s[c][0] += job->net[c];
        kind->far(&job->split, k, s, z);
        for (int a = 0; a < job->width; a++)
            total[a] += (long double)front * z[a][0];
    }
    for (int a = 0; a < job->width; a++)
        mean[a][0] += (double)total[a];
}

void ewald_open_mean(const struct ewald_job *job, double mean[][4])
{
    const struct reference_kind *kind = job->kind;
    const struct ewald_lattice *l = job->lattice;
    const long double *axis = l->axes == 2 ? l->a + 6 : l->a;
    struct reference_open open = {.axes = l->axes, .period = (double)l->period};
    double v[REFERENCE_VALUES] = {0};
    for (int d = 0; d < 3; d++)
        open.axis[d] = (double)(axis[d] / sqrtl(dot(axis, axis)));
    if (kind->gauge)
        kind->gauge(&job->split, &open, job->net, v);
    for (int a = 0; a < job->width; a++)
        mean[a][0] = v[a];
    mean_entries(job, mean);
}
