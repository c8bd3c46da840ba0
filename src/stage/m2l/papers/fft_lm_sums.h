/* SPDX-License-Identifier: Apache-2.0 */
/* fft_lm_sums.h: the transforms of fft_lm.c for one number type, WIDE; names
 * are NAME(x).  No guard: it is included once per type.
 *
 * A box's coefficients X_n^m, 0 <= n < rows, are transformed to `wave` = (2p +
 * 1)^2 complex numbers,
 *
 *     x(u, v) = sum_n,m X_n^m e^{-i n a u - i m b v},
 *     a = 2 pi/(2p + 1), b = pi/(2p + 1), u, v = 0 .. 2p,
 *
 * half of the plane: the other half follows from X_n^-m = (-1)^m conj(X_n^m).
 * Real parts first, then imaginary ones. */

/* e^{-i 2 pi k/(4p + 2)}: c and s for all k. */
static void NAME(table)(int p, WIDE *e)
{
    int n = 4 * p + 2;
    for (int k = 0; k < n; k++) {
        long double angle = 2 * 3.14159265358979323846264338327950288L * k / n;
        e[2 * k] = (WIDE)cosl(angle);
        e[2 * k + 1] = (WIDE)-sinl(angle);
    }
}

/* to += f (re + i im); conjugate: of f. */
static inline void NAME(add)(const WIDE *f, WIDE re, WIDE im, WIDE *to)
{
    to[0] += f[0] * re - f[1] * im;
    to[1] += f[0] * im + f[1] * re;
}
static inline void NAME(add_back)(const WIDE *f, WIDE re, WIDE im, WIDE *to)
{
    to[0] += f[0] * re + f[1] * im;
    to[1] += f[0] * im - f[1] * re;
}

/* Multiples of a step around the circle of n. */
static inline int NAME(next)(int at, int step, int n)
{
    at += step;
    return at >= n ? at - n : at;
}

/* x: coefficients of degrees 0 .. last, as in expansions; row: workspace of 2
 * (2p + 1) (last + 1). */
static void NAME(forward)(int p, int last, const WIDE *e, const WIDE *x,
                          WIDE *row, WIDE *wave)
{
    int side = 2 * p + 1, n = 2 * side;
    for (int k = 0; k <= last; k++)
        for (int v = 0; v < side; v++) {
            WIDE *to = row + 2 * (k * side + v);
            to[0] = x[multipole_at(k, 0)];
            to[1] = 0;
            for (int m = 1, at = v; m <= k; m++, at = NAME(next)(at, v, n)) {
                WIDE re = x[multipole_at(k, m)], im = x[multipole_at(k, -m)];
                WIDE sign = m % 2 ? -1 : 1;
                NAME(add)(e + 2 * at, re, im, to);
                NAME(add_back)(e + 2 * at, sign * re, -sign * im, to);
            }
        }
    memset(wave, 0, (size_t)(2 * side * side) * sizeof *wave);
    for (int u = 0; u < side; u++) {
        WIDE *re = wave + u * side, *im = re + side * side;
        for (int k = 0, at = 0; k <= last; k++, at = NAME(next)(at, 2 * u, n)) {
            const WIDE *from = row + 2 * k * side, *f = e + 2 * at;
            for (int v = 0; v < side; v++) {
                re[v] += f[0] * from[2 * v] - f[1] * from[2 * v + 1];
                im[v] += f[0] * from[2 * v + 1] + f[1] * from[2 * v];
            }
        }
    }
}

/* Degrees 0 .. p from the transform. */
static void NAME(backward)(int p, const WIDE *e, const WIDE *wave, WIDE *row,
                           WIDE *x)
{
    int side = 2 * p + 1, n = 2 * side;
    memset(row, 0, (size_t)(2 * (p + 1) * side) * sizeof *row);
    for (int k = 0; k <= p; k++)
        for (int u = 0, at = 0; u < side; u++, at = NAME(next)(at, 2 * k, n)) {
            const WIDE *re = wave + u * side, *im = re + side * side;
            WIDE *to = row + 2 * k * side;
            for (int v = 0; v < side; v++)
                NAME(add_back)(e + 2 * at, re[v], im[v], to + 2 * v);
        }
    for (int k = 0; k <= p; k++)
        for (int m = 0; m <= k; m++) {
            WIDE plus[2] = {0, 0}, minus[2] = {0, 0};
            WIDE sign = m % 2 ? -1 : 1, all = (WIDE)side * n;
            for (int v = 0, at = 0; v < side; v++, at = NAME(next)(at, m, n)) {
                const WIDE *from = row + 2 * (k * side + v);
                NAME(add_back)(e + 2 * at, from[0], from[1], plus);
                NAME(add)(e + 2 * at, from[0], from[1], minus);
            }
            x[multipole_at(k, m)] = (plus[0] + sign * minus[0]) / all;
            if (m > 0)
                x[multipole_at(k, -m)] = (plus[1] - sign * minus[1]) / all;
        }
}

/* sum += conj(a) b, n complex numbers. */
static void NAME(product)(int n, const WIDE *restrict a, const WIDE *restrict b,
                          WIDE *restrict sum)
{
    const WIDE *restrict ai = a + n, *restrict bi = b + n;
    WIDE *restrict si = sum + n;
    for (int i = 0; i < n; i++) {
        sum[i] += a[i] * b[i] + ai[i] * bi[i];
        si[i] += a[i] * bi[i] - ai[i] * b[i];
    }
}

static void NAME(fields)(struct state *s)
{
    const struct boxes_args *a = &s->args;
    int p = a->p, most = 2 * a->ws + 1;
    int64_t wave = lm_wave(p);
    struct lm_thread *h = &s->thread[0];
    double *field = s->field;
    WIDE *x = h->x;
    int32_t d[3];
    NAME(table)(p, s->e);
    for (d[2] = -most; d[2] <= most; d[2]++)
        for (d[1] = -most; d[1] <= most; d[1]++)
            for (d[0] = -most; d[0] <= most; d[0]++) {
                double r[3];
                if (!boxes_far(a->ws, d))
                    continue;
                for (int k = 0; k < 3; k++)
                    r[k] = d[k] * a->box[k];
                multipole_singular(2 * p, r, field);
                for (int k = 0; k < multipole_size(2 * p); k++)
                    x[k] = (WIDE)(field[k] * s->scale[k]);
                NAME(forward)
                (p, 2 * p, s->e, x, h->row,
                 (WIDE *)s->fields + boxes_far_number(a->ws, d) * wave);
            }
}

static void NAME(source)(struct state *s, const struct boxes_io *io,
                         int64_t first, int64_t box, struct lm_thread *h)
{
    WIDE *x = h->x;
    double from[MULTIPOLE_SIZE];
    boxes_get(&s->args, io->multipole, io->stride, box, from);
    for (int k = 0; k < multipole_size(s->args.p); k++)
        x[k] = (WIDE)(from[k] / s->scale[k]);
    NAME(forward)
    (s->args.p, s->args.p, s->e, x, h->row,
     (WIDE *)s->waves + (box - first) * lm_wave(s->args.p));
}

static void NAME(target)(struct state *s, const struct boxes_io *io, int level,
                         int64_t box, struct lm_thread *h)
{
    const struct boxes_args *a = &s->args;
    int p = a->p;
    int64_t first = io->tree->first[level], wave = lm_wave(p);
    int64_t n = tree_far(io->tree, level, box, h->list);
    double sum[MULTIPOLE_SIZE];
    WIDE *x = h->x;
    memset(h->sum, 0, (size_t)wave * sizeof(WIDE));
    for (int64_t i = 0; i < n; i++)
        NAME(product)
        ((int)(wave / 2), (WIDE *)s->waves + (h->list[i].box - first) * wave,
         (WIDE *)s->fields + boxes_far_number(a->ws, h->list[i].d) * wave,
         h->sum);
    NAME(backward)(p, s->e, h->sum, h->row, x);
    for (int k = 0; k < multipole_size(p); k++)
        sum[k] =
            (double)((multipole_degree(k) % 2 ? -1 : 1) * x[k] / s->scale[k]);
    boxes_put(a, io->local, io->stride, box, sum);
}

static void NAME(level)(struct state *s, const struct boxes_io *io, int level)
{
    const int64_t *first = io->tree->first;
    PAR_FOR(s->args.threads)
    for (int64_t b = first[level]; b < first[level + 1]; b++)
        NAME(source)(s, io, first[level], b, &s->thread[omp_get_thread_num()]);
    PAR_FOR(s->args.threads, schedule(dynamic))
    for (int64_t b = first[level]; b < first[level + 1]; b++)
        NAME(target)(s, io, level, b, &s->thread[omp_get_thread_num()]);
}
