/* SPDX-License-Identifier: Apache-2.0 */
/* sum.c: one small system by pairs and waves. */
#include <math.h>
#include <string.h>

#include "base/arrays.h"
#include "base/scale.h"
#include "batch/batch.h"
#include "points/wrap.h"

ISA_TABLE(struct waves_kern, waves)

struct sum {
    const struct farsum_batch *b;
    struct batch_system *s;
    struct batch_work *work;
    struct waves_near near;
    struct waves_far far;
    double cell[9], inv[9], volume; /* units of the cutoff */
    double unit;    /* strengths are divided by this power of two */
    double *q;      /* [padded], divided */
    float *q32;
    double net, q2; /* of the divided strengths */
    double (*weight)[2];
    double far_virial[6];
};

/* Cuts the thread's arrays. */
static void sum_place(struct sum *m)
{
    const struct batch_choice *c = &m->s->now;
    int64_t n = m->s->padded;
    double *at = m->work->real;
    uint32_t *fixed;
    for (int d = 0; d < 3; d++) {
        m->far.table[d] = at;
        at += 2 * (c->most[d] + 1) * n;
        m->near.s[d] = m->far.s[d] = m->b->s[d] + m->s->at;
        m->far.most[d] = c->most[d];
    }
    m->far.turn = at, at += 4 * n;
    m->q = at, at += n;
    m->near.potential = m->far.potential = at, at += n;
    for (int d = 0; d < 3; d++) {
        m->near.field[d] = at, at += n;
        m->far.slope[d] = at, at += n;
    }
    m->q32 = (float *)at, fixed = (uint32_t *)(m->q32 + n), at += 2 * n;
    for (int d = 0; d < 3; d++)
        m->near.fixed[d] = fixed + d * n;
    m->weight = (double (*)[2])at, at += 2 * c->entries;
    m->far.power = (double (*)[2])at, at += 2 * c->entries;
    m->far.sums = (double (*)[4])at, at += 4 * c->entries;
    m->near.image = (const double (*)[3])at;
    m->near.n = m->far.n = m->s->n;
    m->near.padded = m->far.padded = n;
    m->far.q = m->q;
    m->far.weight = (const double (*)[2])m->weight;
    m->far.row = m->work->row;
}

/* Rows of waves within the band in one half space, and their weights (2/V) 4 pi
 * gamma/k^2. */
static void sum_waves(struct sum *m)
{
    const struct batch_level *level = m->s->now.level;
    const int *most = m->far.most;
    double c2 = level->c * level->c, slope;
    int64_t rows = 0, entries = 0;
    m->s->waves = 0;
    for (int n1 = 0; n1 <= most[0]; n1++)
        for (int n2 = n1 ? -most[1] : 0; n2 <= most[1]; n2++) {
            int last = -1;
            for (int n3 = 0; n3 <= most[2]; n3++) {
                double *w = m->weight[entries + n3];
                for (int side = 0; side < 2; side++) {
                    int z = side ? -n3 : n3;
                    double k[3], k2 = 0;
                    for (int j = 0; j < 3; j++) {
                        const double *inv = m->inv + 3 * j;
                        k[j] = 2 * M_PI
                               * (n1 * inv[0] + n2 * inv[1] + z * inv[2]);
                        k2 += k[j] * k[j];
                    }
                    w[side] = 0;
                    /* one half space: (0, 0, n3) and n3 = 0 count once */
                    if (k2 > c2 || (side && (n3 == 0 || (!n1 && !n2)))
                        || (!n1 && !n2 && !n3))
                        continue;
                    w[side] = 8 * M_PI / m->volume / k2
                              * batch_gamma(level, sqrt(k2), &slope);
                    last = n3;
                    m->s->waves++;
                }
            }
            if (last < 0)
                continue;
            m->work->row[rows++] =
                (struct waves_row){n1, n2, last + 1, entries};
            entries += last + 1;
        }
    m->far.rows = rows;
    m->far.entries = entries;
}

/* Lattice vectors of images that can lie within the cutoff: 1 is at most what
 * two fractions of -1/2 .. 1/2 leave. */
static void sum_images(struct sum *m)
{
    double (*image)[3] = (double (*)[3])m->near.image, most = 0;
    const double *a = m->cell;
    int reach[3], count = 1;
    batch_reach(&m->s->cell, m->s->now.rc, reach);
    for (int d = 0; d < 9; d += 3)
        most += sqrt(a[d] * a[d] + a[d + 1] * a[d + 1] + a[d + 2] * a[d + 2])
                / 2;
    image[0][0] = image[0][1] = image[0][2] = 0;
    for (int i = -reach[0]; i <= reach[0]; i++)
        for (int j = -reach[1]; j <= reach[1]; j++)
            for (int k = -reach[2]; k <= reach[2]; k++) {
                double l[3], r2 = 0;
                for (int d = 0; d < 3; d++) {
                    l[d] = i * a[d] + j * a[3 + d] + k * a[6 + d];
                    r2 += l[d] * l[d];
                }
                if ((i || j || k) && sqrt(r2) < 1 + most)
                    memcpy(image[count++], l, sizeof l);
            }
    m->near.images = count;
}

static void sum_begin(struct sum *m)
{
    const struct batch_choice *c = &m->s->now;
    const double *a = m->s->cell.a;
    double length = 0;
    for (int d = 0; d < 9; d++) {
        m->cell[d] = m->near.a[d] = a[d] / c->rc;
        m->inv[d] = m->s->cell.inv[d] * c->rc;
        length = fmax(length, fabs(m->cell[d]));
    }
    m->volume = m->s->cell.volume / (c->rc * c->rc * c->rc);
    length *= 2 * POINTS_SAME;
    m->near.same = c->f32 ? 0 : length * length;
    m->near.terms = c->level->poly.n;
    m->near.p = c->level->poly.p;
    m->near.g = c->level->poly.g;
    sum_place(m);
    sum_images(m);
    sum_waves(m);
    if (!c->f32)
        return;
    for (int d = 0; d < 3; d++) {
        uint32_t *fixed = (uint32_t *)m->near.fixed[d];
        for (int64_t i = 0; i < m->s->padded; i++)
            fixed[i] = (uint32_t)(int64_t)rint(m->near.s[d][i] * 0x1p32);
    }
}

/* Strengths of right-hand side r, over a power of two. */
static farsum_status sum_strengths(struct sum *m, int r, const void *q)
{
    const struct batch_system *s = m->s;
    int64_t from = r * m->b->sources + s->first;
    double most = 0;
    for (int64_t i = 0; i < s->n; i++) {
        m->q[i] = array_get(q, m->b->problem.arrays, from + i);
        if (!isfinite(m->q[i]))
            return batch_bad_strength(i, r, m->q[i]);
        most = fmax(most, fabs(m->q[i]));
    }
    m->unit = ldexp(1, scale_exponent(most));
    m->net = m->q2 = 0;
    for (int64_t i = 0; i < s->padded; i++) {
        m->q[i] = i < s->n ? m->q[i] / m->unit : 0;
        m->q32[i] = (float)m->q[i];
        m->net += m->q[i];
        m->q2 += m->q[i] * m->q[i];
    }
    m->near.q = s->now.f32 ? (const void *)m->q32 : m->q;
    return FARSUM_OK;
}

/* Another source in the place of i, by double precision, or -1. */
static int64_t sum_same(const struct sum *m, int64_t i, double most)
{
    for (int64_t j = 0; j < m->s->n; j++) {
        double far = 0;
        for (int d = 0; d < 3 && j != i; d++) {
            double s = m->near.s[d][i] - m->near.s[d][j];
            far = fmax(far, fabs(s - rint(s)));
        }
        if (j != i && far <= most)
            return j;
    }
    return -1;
}

/* Points in one place: an error, or they have no effect on each other.  In f32
 * points that only nearly coincide do not count: the sum is for f64 then. */
static farsum_status sum_coincident(struct sum *m)
{
    for (int64_t i = m->near.meets; i >= 0 && i < m->s->n; i++) {
        int64_t j = sum_same(m, i, POINTS_SAME);
        if (j >= 0 && !m->b->problem.exclude_coincident)
            return i < j ? points_coincide(i, j, 1) : points_coincide(j, i, 1);
        if (m->s->now.f32 && j < 0 && sum_same(m, i, 0x1p-31) >= 0)
            m->near.rough = INFINITY;
    }
    return FARSUM_OK;
}

/* W of the waves: delta U + sum w |S|^2 k k (h'/(h k))/2 over a half space. */
static void sum_far_virial(struct sum *m)
{
    const struct batch_level *level = m->s->now.level;
    double *w = m->far_virial, all = 0;
    memset(w, 0, sizeof m->far_virial);
    for (int64_t r = 0; r < m->far.rows; r++) {
        const struct waves_row *row = &m->far.row[r];
        for (int i = 0; i < 2 * row->count; i++) {
            double size = m->weight[row->start + i / 2][i % 2], k[3], k2 = 0;
            if (size == 0)
                continue;
            int n3 = i % 2 ? -(i / 2) : i / 2;
            for (int j = 0; j < 3; j++) {
                const double *inv = m->inv + 3 * j;
                k[j] = 2 * M_PI
                       * (row->n1 * inv[0] + row->n2 * inv[1] + n3 * inv[2]);
                k2 += k[j] * k[j];
            }
            double slope, g = batch_gamma(level, sqrt(k2), &slope);
            double part = size * m->far.power[row->start + i / 2][i % 2] / 2;
            double fall = part * (slope / (g * sqrt(k2)) - 2 / k2);
            all += part;
            for (int d = 0; d < 3; d++)
                w[d] += fall * k[d] * k[d];
            w[3] += fall * k[0] * k[1];
            w[4] += fall * k[0] * k[2];
            w[5] += fall * k[1] * k[2];
        }
    }
    for (int d = 0; d < 3; d++)
        w[d] += all;
}

/* Adds the background; then near.field is -grad of all, in units of the cutoff.
 * Returns the energy. */
static double sum_join(struct sum *m)
{
    double back = 4 * M_PI * m->s->now.level->curvature * m->net / m->volume;
    double energy = 0;
    for (int64_t i = 0; i < m->s->n; i++) {
        m->near.potential[i] += back;
        energy += m->q[i] * m->near.potential[i] / 2;
        for (int j = 0; j < 3; j++) {
            const double *inv = m->inv + 3 * j;
            m->near.field[j][i] -= inv[0] * m->far.slope[0][i]
                                   + inv[1] * m->far.slope[1][i]
                                   + inv[2] * m->far.slope[2][i];
        }
    }
    return energy;
}

static struct batch_found sum_found(const struct sum *m)
{
    const struct batch_system *s = m->s;
    double n = (double)s->n;
    struct batch_found f = {
        .unit = m->unit, .q2 = m->q2, .rough = m->near.rough};
    for (int64_t i = 0; i < s->n; i++) {
        double e2 = 0, phi = m->near.potential[i];
        for (int j = 0; j < 3; j++)
            e2 += m->near.field[j][i] * m->near.field[j][i];
        f.force += m->q[i] * m->q[i] * e2 / n;
        f.value += phi * phi / n;
    }
    for (int64_t e = 0; e < m->far.entries; e++)
        for (int i = 0; i < 2; i++) {
            double p = m->weight[e][i] > 0 ? m->far.power[e][i] : 0;
            f.all += p;
            f.squares += p * p;
        }
    return f;
}

/* The larger of `most` and a result's size; infinite if it is not finite. */
static double range_most(double most, struct scale to, double v)
{
    double size = fabs(scale_by(to, v));
    return size <= most ? most : isnan(size) ? INFINITY : size;
}

/* 0: the largest result is outside the range of its type.  some: 1 if it is not
 * zero before its scaling. */
static int range_good(double most, int some, farsum_precision type)
{
    int f32 = type == FARSUM_F32;
    return !some
           || (most <= (f32 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023)
               && most >= (f32 ? 0x1p-126 : 0x1p-1022));
}

/* Checks that the largest results are in the range of their type. */
static farsum_status sum_range(const struct sum *m, struct scale value,
                               struct scale field, struct scale energy,
                               double u)
{
    farsum_precision type = m->b->problem.arrays;
    double phi = 0, e = 0;
    int some[2] = {0, 0};
    for (int64_t i = 0; i < m->s->n; i++) {
        phi = range_most(phi, value, m->near.potential[i]);
        some[0] |= m->near.potential[i] != 0;
        for (int d = 0; d < 3; d++) {
            e = range_most(e, field, m->near.field[d][i]);
            some[1] |= m->near.field[d][i] != 0;
        }
        if (isinf(phi) || isinf(e))
            return batch_bad_result(i);
    }
    if (!range_good(phi, some[0], type) || !range_good(e, some[1], type))
        return batch_bad_result(0);
    u = range_good(range_most(0, energy, u), u != 0, FARSUM_F64) ? 0 : INFINITY;
    return batch_check_energy(u);
}

static farsum_status sum_give(struct sum *m, int r, double energy,
                              const farsum_result *out)
{
    const struct batch_system *s = m->s;
    farsum_precision type = m->b->problem.arrays;
    double rc = s->now.rc, c = batch_coulomb(m->b);
    double per_p = c / rc, per_e = per_p / rc;
    struct batch_units to = batch_units(m->b, s, m->unit);
    struct scale value = scale_of(to.value), field = scale_of(to.field);
    struct scale whole = scale_of(to.energy);
    int64_t at = r * m->b->sources + s->first;
    int64_t one = r * m->b->systems + (s - m->b->system);
    for (int64_t i = 0; i < s->n; i++) {
        m->near.potential[i] *= per_p;
        for (int d = 0; d < 3; d++)
            m->near.field[d][i] *= per_e;
    }
    TRY(sum_range(m, value, field, whole, energy * per_p));
    for (int64_t i = 0; i < s->n; i++) {
        if (out->potential)
            array_put(out->potential, type, at + i,
                      scale_by(value, m->near.potential[i]));
        for (int d = 0; d < 3 && out->field; d++)
            array_put(out->field, type, 3 * (at + i) + d,
                      scale_by(field, m->near.field[d][i]));
    }
    if (out->energy)
        out->energy[one] = scale_by(whole, energy * per_p);
    if (out->virial) {
        static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
        double back = 2 * M_PI * s->now.level->curvature * m->net * m->net
                      / m->volume;
        for (int k = 0; k < 9; k++)
            out->virial[9 * one + k] = scale_by(
                whole, per_p
                           * (m->near.w[place[k]] + m->far_virial[place[k]]
                              + (k % 4 ? 0 : back)));
    }
    return FARSUM_OK;
}

farsum_status batch_sum(const struct farsum_batch *b, struct batch_system *s,
                        int rhs, const void *q, const farsum_result *out,
                        struct batch_work *work)
{
    struct sum m = {.b = b, .s = s, .work = work};
    const struct waves_kern *const *kern = isa_waves[b->isa];
    sum_begin(&m);
    m.near.virial = out->virial != NULL;
    s->error = 0;
    s->method = "waves";
    s->sums++;
    for (int r = 0; r < rhs; r++) {
        TRY(sum_strengths(&m, r, q));
        kern[s->now.f32]->near(&m.near);
        TRY(sum_coincident(&m));
        for (int d = 0; d < 3; d++)
            memset(m.far.slope[d], 0, (size_t)s->padded * sizeof(double));
        kern[0]->far(&m.far);
        if (m.near.virial)
            sum_far_virial(&m);
        double energy = sum_join(&m);
        const struct batch_found found = sum_found(&m);
        batch_estimate(b, s, &found);
        TRY(sum_give(&m, r, energy, out));
    }
    return FARSUM_OK;
}
