/* SPDX-License-Identifier: Apache-2.0 */
/* waves_kern.c: the loops of a small system: pairs, and waves at particles. */
#include "base/simd_math.h"
#include "batch/waves.h"
#include "math/split.h"

/* d of target i and sources j.., by the nearest image of each fraction. */
SIMD_FN void difference(const struct waves_near *w, const vreal *a, int64_t i,
                        int64_t j, vreal d[3])
{
    vreal s[3];
    for (int k = 0; k < 3; k++) {
#if FARSUM_BITS == 32
        vmask step;
        memcpy(&step, w->fixed[k] + j, sizeof step);
        typedef uint32_t vwrap __attribute__((vector_size(SIMD_BYTES)));
        step = (vmask)(w->fixed[k][i] - (vwrap)step);
        s[k] = __builtin_convertvector(step, vreal) * R(0x1p-32);
#else
        const real whole = R(0x1.8p52); /* rounds to an integer */
        s[k] = w->s[k][i] - v_load(w->s[k] + j);
        s[k] -= (s[k] + whole) - whole;
#endif
    }
    for (int k = 0; k < 3; k++)
        d[k] = s[0] * a[k] + s[1] * a[3 + k] + s[2] * a[6 + k];
}

struct near_sum {
    vreal potential, field[3], virial[6], rough;
    vmask met;
};

struct near_table {
    vreal p[NEAR_MAX], g[NEAR_MAX];
    int terms;
    real same;
};

SIMD_FN void pair_add(const struct near_table *t, const vreal d[3], vreal q,
                      int virial, struct near_sum *to)
{
    vreal r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    vmask none = r2 <= t->same, in = r2 < R(1);
    vreal y = v_where(~none, v_rsqrt(v_select(none, v_set(1), r2)));
    /* in a needle the polynomials of far pairs would overflow */
    vreal v = v_where(in, R(2) * r2 - R(1)), p = t->p[t->terms - 1];
    vreal g = v_set(0);
    for (int k = t->terms - 2; k >= 0; k--) {
        p = p * v + t->p[k];
        g = g * v + t->g[k];
    }
    vreal y2 = y * y;
    q = v_where(in, q);
    p = q * (y - p);
    g = q * (y * y2 - g);
    to->met -= none;
    to->potential += p;
#if FARSUM_BITS == 32
    y2 *= q;
    to->rough += y2 * y2;
#endif
    vreal f[3];
    for (int k = 0; k < 3; k++) {
        f[k] = g * d[k];
        to->field[k] += f[k];
    }
    if (!virial)
        return;
    for (int k = 0; k < 3; k++)
        to->virial[k] += f[k] * d[k];
    to->virial[3] += f[0] * d[1];
    to->virial[4] += f[0] * d[2];
    to->virial[5] += f[1] * d[2];
}

SIMD_FN void target_sum(const struct waves_near *w, const struct near_table *t,
                        const vreal *a, int64_t i, int virial,
                        struct near_sum *to)
{
    const real *q = w->q;
    for (int64_t j = 0; j < w->padded; j += W) {
        vreal d[3], strength = v_load(q + j);
        difference(w, a, i, j, d);
        pair_add(t, d, strength, virial, to);
        for (int k = 1; k < w->images; k++) {
            const double *l = w->image[k];
            const vreal e[3] = {d[0] + (real)l[0], d[1] + (real)l[1],
                                d[2] + (real)l[2]};
            pair_add(t, e, strength, virial, to);
        }
    }
}

static void near_run(struct waves_near *w)
{
    struct near_table t = {.terms = w->terms, .same = (real)w->same};
    const real *q = w->q;
    vreal a[9];
    for (int k = 0; k < w->terms; k++) {
        t.p[k] = v_set((real)w->p[k]);
        t.g[k] = v_set((real)w->g[k]);
    }
    for (int k = 0; k < 9; k++)
        a[k] = v_set((real)w->a[k]);
    memset(w->w, 0, sizeof w->w);
    w->rough = 0;
    w->meets = -1;
    for (int64_t i = 0; i < w->n; i++) {
        struct near_sum s = {0};
        int64_t met = 0;
        if (w->virial)
            target_sum(w, &t, a, i, 1, &s);
        else
            target_sum(w, &t, a, i, 0, &s);
        w->potential[i] = (double)v_sum(s.potential);
        for (int k = 0; k < 3; k++)
            w->field[k][i] = (double)v_sum(s.field[k]);
        for (int k = 0; k < 6; k++)
            w->w[k] += (double)q[i] * (double)v_sum(s.virial[k]) / 2;
        w->rough += (double)q[i] * (double)q[i] * (double)v_sum(s.rough);
        for (int k = 0; k < W; k++)
            met += s.met[k];
        if (met > 1 && w->meets < 0) /* one is i itself */
            w->meets = i;
    }
}

#if FARSUM_BITS == 64
/* table[n][0], table[n][1]: cos and sin of 2 pi n s. */
static void far_table(struct waves_far *w, int d)
{
    int64_t m = w->padded;
    double *t = w->table[d];
    for (int64_t i = 0; i < m; i += W) {
        vreal c, s, x = v_set(1), y = v_set(0);
        v_turn(v_load(w->s[d] + i), &c, &s);
        for (int n = 0; n <= w->most[d]; n++) {
            v_store(t + 2 * n * m + i, x);
            v_store(t + (2 * n + 1) * m + i, y);
            vreal z = x * c - y * s;
            y = x * s + y * c;
            x = z;
        }
    }
}

/* turn: cos, sin of 2 pi (n1 s1 + n2 s2), and both times q. */
static void far_turn(struct waves_far *w, const struct waves_row *row)
{
    int64_t m = w->padded, n2 = row->n2 < 0 ? -row->n2 : row->n2;
    const double *t1 = w->table[0] + 2 * row->n1 * m;
    const double *t2 = w->table[1] + 2 * n2 * m;
    const real sign = row->n2 < 0 ? -1 : 1;
    for (int64_t i = 0; i < m; i += W) {
        vreal a = v_load(t1 + i), b = v_load(t1 + m + i), c = v_load(t2 + i),
              d = sign * v_load(t2 + m + i), q = v_load(w->q + i);
        vreal x = a * c - b * d, y = a * d + b * c;
        v_store(w->turn + i, x);
        v_store(w->turn + m + i, y);
        v_store(w->turn + 2 * m + i, q * x);
        v_store(w->turn + 3 * m + i, q * y);
    }
}

/* Sums of q turn (cos, sin)(2 pi n3 s3) for two n3. */
static void far_gather(struct waves_far *w, const struct waves_row *row)
{
    int64_t m = w->padded;
    const double *x = w->turn + 2 * m, *y = w->turn + 3 * m;
    for (int k = 0; k < row->count; k += 2) {
        int next = k + 1 < row->count ? k + 1 : k;
        const double *c0 = w->table[2] + 2 * k * m, *s0 = c0 + m;
        const double *c1 = w->table[2] + 2 * next * m, *s1 = c1 + m;
        vreal sum[8] = {{0}};
        for (int64_t i = 0; i < m; i += W) {
            vreal tx = v_load(x + i), ty = v_load(y + i), c = v_load(c0 + i),
                  s = v_load(s0 + i);
            sum[0] += tx * c;
            sum[1] += ty * s;
            sum[2] += ty * c;
            sum[3] += tx * s;
            c = v_load(c1 + i);
            s = v_load(s1 + i);
            sum[4] += tx * c;
            sum[5] += ty * s;
            sum[6] += ty * c;
            sum[7] += tx * s;
        }
        for (int j = 0; j < 4; j++) {
            w->sums[row->start + k][j] = v_sum(sum[j]);
            w->sums[row->start + next][j] = v_sum(sum[4 + j]);
        }
    }
}

/* Replaces a row's sums by the factors of cos and sin in the potential, Re and
 * Im each, and keeps |S|^2. */
static void far_weigh(struct waves_far *w, const struct waves_row *row)
{
    for (int64_t e = row->start; e < row->start + row->count; e++) {
        double *s = w->sums[e], up = w->weight[e][0], down = w->weight[e][1];
        double ur = s[0] - s[1], ui = s[2] + s[3];
        double dr = s[0] + s[1], di = s[2] - s[3];
        w->power[e][0] = ur * ur + ui * ui;
        w->power[e][1] = dr * dr + di * di;
        ur *= up, ui *= -up, dr *= down, di *= -down;
        s[0] = ur + dr;
        s[1] = ui + di;
        s[2] = -(ui - di);
        s[3] = ur - dr;
    }
}

static void far_spread(struct waves_far *w, const struct waves_row *row)
{
    int64_t m = w->padded;
    const double (*f)[4] = (const double (*)[4])w->sums + row->start;
    const real n1 = (real)(2 * M_PI) * row->n1, n2 = (real)(2 * M_PI) * row->n2;
    for (int64_t i = 0; i < m; i += W) {
        vreal yr = {0}, yi = {0}, zr = {0}, zi = {0};
        const double *c = w->table[2] + i;
        for (int k = 0; k < row->count; k++, c += 2 * m) {
            vreal x = v_load(c), y = v_load(c + m);
            const real n = k;
            yr += f[k][0] * x + f[k][2] * y;
            yi += f[k][1] * x + f[k][3] * y;
            zr += (n * f[k][2]) * x - (n * f[k][0]) * y;
            zi += (n * f[k][3]) * x - (n * f[k][1]) * y;
        }
        vreal tr = v_load(w->turn + i), ti = v_load(w->turn + m + i);
        vreal cross = -(tr * yi + ti * yr);
        v_store(w->potential + i,
                v_load(w->potential + i) + (tr * yr - ti * yi));
        v_store(w->slope[0] + i, v_load(w->slope[0] + i) + n1 * cross);
        v_store(w->slope[1] + i, v_load(w->slope[1] + i) + n2 * cross);
        v_store(w->slope[2] + i, v_load(w->slope[2] + i)
                                     + R(2 * M_PI) * (tr * zr - ti * zi));
    }
}

static void far_run(struct waves_far *w)
{
    for (int d = 0; d < 3; d++)
        far_table(w, d);
    for (int64_t r = 0; r < w->rows; r++) {
        far_turn(w, &w->row[r]);
        far_gather(w, &w->row[r]);
        far_weigh(w, &w->row[r]);
        far_spread(w, &w->row[r]);
    }
}
#else
#define far_run NULL
#endif

extern const struct waves_kern ISA_NAME(waves);
const struct waves_kern ISA_NAME(waves) = {near_run, far_run};
