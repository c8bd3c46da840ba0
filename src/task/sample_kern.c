/* SPDX-License-Identifier: Apache-2.0 */
/* sample_kern.c: sums over the sources around a sample target, vectorised. */
#include "base/simd.h"
#include "task/sample_kern.h"

#if FARSUM_BITS == 64

/* Differences and squared distances of W sources. */
struct seen {
    vreal x[3], r2;
};

/* Data common to all sources, broadcast to all lanes. */
struct looker {
    vreal p[3], a[9], limit;
};

SIMD_FN void looker_set(struct looker *to, const struct sample_look *at)
{
    for (int d = 0; d < 3; d++)
        to->p[d] = v_set(at->p[d]);
    for (int k = 0; k < 9; k++)
        to->a[k] = v_set(at->a[k]);
    to->limit = v_set(at->limit);
}

SIMD_FN vreal nearest_image(vreal f)
{
    return f - ((f + v_set(0x1.8p52)) - v_set(0x1.8p52));
}

SIMD_FN struct seen look(const struct looker *from, const double *const s[3],
                         int64_t k)
{
    struct seen to;
    const vreal *a = from->a;
    vreal f[3];
    for (int d = 0; d < 3; d++)
        f[d] = nearest_image(from->p[d] - v_load(s[d] + k));
    for (int d = 0; d < 3; d++)
        to.x[d] = f[0] * a[d] + f[1] * a[3 + d] + f[2] * a[6 + d];
    to.r2 = to.x[0] * to.x[0] + to.x[1] * to.x[1] + to.x[2] * to.x[2];
    return to;
}

/* Mask of the first n lanes. */
SIMD_FN vmask lanes_below(int64_t n)
{
    vmask lane;
    for (int l = 0; l < W; l++)
        lane[l] = l;
    return lane < n;
}

/* Eight partial sums, whatever W is: sources k, k + 8, ... of a range share
 * one. */
struct lanes {
    double field[3][SAMPLE_LANES], close[2][SAMPLE_LANES], near[SAMPLE_LANES],
        nearest[SAMPLE_LANES];
};

/* Sums the lanes first to first + W. */
SIMD_FN void sum_lanes(const struct sample_look *at,
                       const struct sample_range *range, int n, int first,
                       struct lanes *to)
{
    const vreal one = v_set(1), inverse = v_set(at->inverse);
    const vreal much = v_set(at->much), least = v_set(at->least);
    const vreal limit = v_set(at->limit);
    vreal field[3] = {{0}}, close[2] = {{0}}, near = {0};
    vreal nearest = v_set(INFINITY);
    for (int i = 0; i < n; i++) {
        vreal p[3];
        for (int d = 0; d < 3; d++)
            p[d] = v_set(at->p[d] - range[i].shift[d]);
        for (int64_t k = range[i].begin + first, end = range[i].end; k < end;
             k += SAMPLE_LANES) {
            struct seen s;
            for (int d = 0; d < 3; d++)
                s.x[d] = p[d] - v_load(at->x[d] + k);
            s.r2 = s.x[0] * s.x[0] + s.x[1] * s.x[1] + s.x[2] * s.x[2];
            vmask in = (s.r2 > v_set(0)) & (s.r2 < limit);
            vreal q = v_load(at->q + k), r;
            if (end - k < W)
                in &= lanes_below(end - k);
            if (!v_any(in))
                continue;
            nearest = v_select(in & (s.r2 < nearest), s.r2, nearest);
            vreal rest = one - s.r2 * inverse;
            s.r2 = v_select(s.r2 < least, least, s.r2);
            for (int l = 0; l < W; l++)
                r[l] = sqrt(s.r2[l]);
            vreal over = v_where(in, one / r), over2 = over * over;
            vreal square = q * q * over2;
            vreal slope = q * rest * rest * over * over2;
            for (int d = 0; d < 3; d++)
                field[d] += slope * s.x[d];
            close[0] += square * over2 * over2;
            close[1] += square * over2;
            near = v_select((s.r2 < much) & (square > near), square, near);
        }
    }
    for (int d = 0; d < 3; d++)
        v_store(to->field[d] + first, field[d]);
    for (int d = 0; d < 2; d++)
        v_store(to->close[d] + first, close[d]);
    v_store(to->near + first, near);
    v_store(to->nearest + first, nearest);
}

static double lanes_sum(const double *x)
{
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

static void sum_force(const struct sample_look *at,
                      const struct sample_range *range, int n,
                      struct sample_force *force)
{
    struct lanes by;
    for (int first = 0; first < SAMPLE_LANES; first += W)
        sum_lanes(at, range, n, first, &by);
    for (int d = 0; d < 3; d++)
        force->field[d] = lanes_sum(by.field[d]);
    for (int d = 0; d < 2; d++)
        force->close[d] = lanes_sum(by.close[d]);
    force->near = 0;
    force->nearest = INFINITY;
    for (int l = 0; l < SAMPLE_LANES; l++) {
        force->near = fmax(force->near, by.near[l]);
        force->nearest = fmin(force->nearest, by.nearest[l]);
    }
}

static int list_near(const struct sample_look *at, int64_t begin, int64_t end,
                     struct sample_list *to)
{
    int found = 0;
    struct looker from;
    looker_set(&from, at);
    for (int64_t k = begin; k < end; k += W) {
        struct seen s = look(&from, at->s, k);
        vmask in = (s.r2 > v_set(0)) & (s.r2 < from.limit);
        if (end - k < W)
            in &= lanes_below(end - k);
        if (!v_any(in))
            continue;
        for (int d = 0; d < 3; d++)
            v_store(to->x[d] + (k - begin), s.x[d]);
        v_store(to->r2 + (k - begin), s.r2);
        for (int l = 0; l < W; l++) { /* over a source that was masked out */
            to->at[found] = (int)(k - begin) + l;
            found += in[l] != 0;
        }
    }
    return found;
}

static int count_near(const struct sample_look *at, int64_t n,
                      const double limit[SAMPLE_OUTER],
                      int64_t count[SAMPLE_OUTER], double *r2)
{
    vreal g[3][3], p[3];
    vmask sum[SAMPLE_OUTER] = {{0}};
    int found = 0;
    for (int d = 0; d < 3; d++) { /* r^2 = f^T G f, G = A A^T */
        p[d] = v_set(at->p[d]);
        for (int e = d; e < 3; e++) {
            const double *a = at->a + 3 * d, *b = at->a + 3 * e;
            double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            g[d][e] = v_set(d == e ? dot : 2 * dot);
        }
    }
    for (int64_t k = 0; k < n; k += W) {
        vreal f[3];
        for (int d = 0; d < 3; d++)
            f[d] = nearest_image(p[d] - v_load(at->s[d] + k));
        vreal square = f[0] * (f[0] * g[0][0] + f[1] * g[0][1] + f[2] * g[0][2])
                       + f[1] * (f[1] * g[1][1] + f[2] * g[1][2])
                       + f[2] * f[2] * g[2][2];
        if (n - k < W)
            for (int64_t l = n - k; l < W; l++)
                square[l] = INFINITY;
        for (int i = 0; i < SAMPLE_OUTER; i++)
            sum[i] -= square <= v_set(limit[i]);
        vmask in = square <= v_set(limit[0]);
        if (!v_any(in))
            continue;
        for (int l = 0; l < W; l++) {
            r2[found] = square[l];
            found += in[l] != 0;
        }
    }
    for (int i = 0; i < SAMPLE_OUTER; i++)
        for (int l = 0; l < W; l++)
            count[i] += sum[i][l];
    return found;
}

extern const struct sample_kern ISA_NAME(sample);
const struct sample_kern ISA_NAME(sample) = {sum_force, list_near, count_near};
#else
extern const struct sample_kern ISA_NAME(sample);
const struct sample_kern ISA_NAME(sample) = {0};
#endif
