/* SPDX-License-Identifier: Apache-2.0 */
/* multipole_images.c: sums of S over the images of one or two periodic axes.
 *
 * Images up to some number are summed one by one.  The others are beyond
 * APART times the distances d, and their sum is an expansion about d = 0.  Its
 * numbers follow from a lattice's self-similarity: the images beyond three
 * times as many are blocks of 3 or 9 of it (10.51).  Far above a plane the sum
 * is one over the plane's modes (10.52). */
#include "math/multipole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hypot.h"
#include "base/mem.h"

/* Degrees of the expansion in d, and of a block's. */
enum { APART = 8, ABOUT = 18, BLOCK = 20 };
/* Planes are summed by modes from this part of the longest edge on. */
#define HIGH 1.2

struct multipole_images {
    int p, most; /* degrees of the field, and of the tail */
    int open;    /* of a plane: the open axis; of a row -1 */
    int periodic[3];
    double cell[3], near[3], high;
    int64_t direct[3]; /* images that are summed one by one */
    double *tail;      /* owned: S summed over all other images, d = 0 */
    double *factor;    /* owned: tail_field's, in its order */
};

static int is_near(const struct multipole_images *s, const double at[3])
{
    int near = 1;
    for (int c = 0; c < 3; c++)
        near &= fabs(at[c]) < s->near[c];
    return near;
}

/* The potential at a charge of a plane or row due to all its images, with the
 * constants of math.md 7.7. */
static double own_images(const struct multipole_images *s)
{
    const double euler = 0.57721566490153286061;
    double edge[2] = {0}, sum;
    int n = 0;
    for (int c = 0; c < 3; c++)
        if (s->periodic[c])
            edge[n++] = s->cell[c];
    if (n == 1)
        return 2 * (euler - M_LN2) / edge[0];
    double area = edge[0] * edge[1], a = sqrt(M_PI / area);
    int64_t most[2] = {(int64_t)(6.5 / a / edge[0]) + 1,
                       (int64_t)(6.5 / a / edge[1]) + 1};
    sum = -2 * a / sqrt(M_PI) - 2 * sqrt(M_PI) / (a * area);
    for (int64_t i = -most[0]; i <= most[0]; i++)
        for (int64_t j = -most[1]; j <= most[1]; j++) {
            double r = hypot_of((double)i * edge[0], (double)j * edge[1]);
            sum += r > 0 ? erfc(a * r) / r : 0;
        }
    most[0] = (int64_t)(13 * a * edge[0] / (2 * M_PI)) + 1;
    most[1] = (int64_t)(13 * a * edge[1] / (2 * M_PI)) + 1;
    for (int64_t i = -most[0]; i <= most[0]; i++)
        for (int64_t j = -most[1]; j <= most[1]; j++) {
            double k =
                2 * M_PI * hypot_of((double)i / edge[0], (double)j / edge[1]);
            sum += k > 0 ? 2 * M_PI / area * erfc(k / (2 * a)) / k : 0;
        }
    return sum;
}

/* Adds S of the images beyond `direct` that blocks do not hold, of even
 * degrees; those of odd ones cancel.  Subtracts the potentials of `direct`. */
static void tail_shell(struct multipole_images *s, double *term)
{
    int64_t most[3], i[3];
    for (int c = 0; c < 3; c++)
        most[c] = s->periodic[c] ? 3 * s->direct[c] + 1 : 0;
    for (i[2] = 0; i[2] <= most[2]; i[2]++)
        for (i[1] = -most[1]; i[1] <= most[1]; i[1]++)
            for (i[0] = -most[0]; i[0] <= most[0]; i[0]++) {
                int direct = 1, twin = i[2] > 0    ? 0
                                       : i[1] != 0 ? i[1] < 0
                                                   : i[0] <= 0;
                double at[3];
                for (int c = 0; c < 3; c++) {
                    direct &= llabs(i[c]) <= s->direct[c];
                    at[c] = (double)i[c] * s->cell[c];
                }
                if (twin) /* i = 0, or counted with -i */
                    continue;
                multipole_singular(direct ? 0 : s->most, at, term);
                if (direct) {
                    s->tail[0] -= 2 * term[0];
                    continue;
                }
                for (int n = 2; n <= s->most; n += 2)
                    for (int k = n * n; k < multipole_size(n); k++)
                        s->tail[k] += 2 * term[k];
            }
}

/* Solves (10.51) from the highest degree down.  block: R summed over a block's
 * members. */
static void tail_blocks(struct multipole_images *s, const long double *root,
                        int axes, const double *block)
{
    for (int n = s->most / 2 * 2; n > 0; n -= 2)
        for (int m = 0; m <= n; m++) {
            struct cnum sum = multipole_part(s->tail, n, m);
            for (int k = 2; k <= BLOCK && n + k <= s->most; k += 2)
                for (int l = -k; l <= k; l++) {
                    double f = multipole_factor_of(root, n, m, k, l)
                               * pow(3, -(n + k + 1));
                    struct cnum r = multipole_part(block, k, l);
                    struct cnum t = multipole_part(s->tail, n + k, m + l);
                    sum.re += f * (r.re * t.re + r.im * t.im);
                    sum.im += f * (r.re * t.im - r.im * t.re);
                }
            double own = 1 - pow(3, axes - n - 1);
            s->tail[multipole_at(n, m)] = sum.re / own;
            if (m > 0)
                s->tail[multipole_at(n, -m)] = sum.im / own;
        }
}

static void block_members(const struct multipole_images *s, double *block,
                          double *term)
{
    int size = multipole_size(BLOCK), i[3];
    memset(block, 0, (size_t)size * sizeof *block);
    for (int n = 0; n < 27; n++) {
        double at[3];
        int outside = 0;
        for (int c = 0, left = n; c < 3; c++, left /= 3) {
            i[c] = left % 3 - 1;
            outside |= i[c] && !s->periodic[c];
            at[c] = i[c] * s->cell[c];
        }
        if (outside)
            continue;
        multipole_regular(BLOCK, at, term);
        for (int k = 0; k < size; k++)
            block[k] += term[k];
    }
}

/* The degrees k whose terms enter degree n of the field: those of the tail are
 * even. */
static inline int about(const struct multipole_images *s, int n)
{
    return s->most - n < ABOUT ? s->most - n : ABOUT;
}

static int64_t tail_terms(const struct multipole_images *s)
{
    int64_t all = 0;
    for (int n = 0; n <= s->p; n++)
        for (int k = n % 2; k <= about(s, n); k += 2)
            all += (n + 1) * (2 * k + 1);
    return all;
}

static farsum_status tail_factors(struct multipole_images *s,
                                  const long double *root)
{
    TRY(MEM_RAW(s->factor, tail_terms(s)));
    double *f = s->factor;
    for (int n = 0; n <= s->p; n++)
        for (int m = 0; m <= n; m++)
            for (int k = n % 2; k <= about(s, n); k += 2)
                for (int l = -k; l <= k; l++)
                    *f++ = (k % 2 ? -1 : 1)
                           * multipole_factor_of(root, n, m, k, l);
    return FARSUM_OK;
}

/* Adds the tail's field at d: S_n^m += sum (-1)^k conj(R_k^l(d))
 * tail_{n+k}^{m+l}. */
static void tail_field(const struct multipole_images *s, const double d[3],
                       double *to)
{
    double r[(ABOUT + 1) * (ABOUT + 1)];
    const double *f = s->factor;
    multipole_regular(ABOUT, d, r);
    for (int n = 0; n <= s->p; n++)
        for (int m = 0; m <= n; m++) {
            struct cnum sum = {0, 0};
            for (int k = n % 2; k <= about(s, n); k += 2)
                for (int l = -k; l <= k; l++, f++) {
                    struct cnum a = multipole_part(r, k, l);
                    struct cnum t = multipole_part(s->tail, n + k, m + l);
                    sum.re += *f * (a.re * t.re + a.im * t.im);
                    sum.im += *f * (a.re * t.im - a.im * t.re);
                }
            to[multipole_at(n, m)] += sum.re;
            if (m > 0)
                to[multipole_at(n, -m)] += sum.im;
        }
}

/* Sets what is summed one by one: d and near images are APART times nearer than
 * all others. */
static void images_direct(struct multipole_images *s, const double reach[3])
{
    double square = 0;
    for (int c = 0; c < 3; c++) {
        double most = fmax(reach[c], s->near[c]);
        if (s->periodic[c])
            most = s->cell[c] / 2;
        else if (s->open >= 0)
            most = fmin(most, s->high);
        square += most * most;
    }
    for (int c = 0; c < 3; c++)
        if (s->periodic[c])
            s->direct[c] = (int64_t)ceil(APART * sqrt(square) / s->cell[c]);
}

static struct multipole_images images_of(int p)
{
    int most =
        p + ABOUT < MULTIPOLE_DEGREES ? p + ABOUT : MULTIPOLE_DEGREES - 1;
    return (struct multipole_images){.p = p, .most = most, .open = -1};
}

int64_t multipole_images_bytes(int p)
{
    const struct multipole_images s = images_of(p);
    return 8 * (multipole_size(s.most) + tail_terms(&s));
}

farsum_status multipole_images_create(int p, const int periodic[3],
                                      const double cell[3],
                                      const double near[3],
                                      const double reach[3],
                                      struct multipole_images **images)
{
    farsum_status status = FARSUM_OK;
    long double root[2 * MULTIPOLE_DEGREES];
    double *term = NULL, *block = NULL;
    struct multipole_images *s = NULL;
    int axes = periodic[0] + periodic[1] + periodic[2];
    if (p < 0 || p >= MULTIPOLE_DEGREES || axes < 1 || axes > 2)
        FAIL(ERR_INTERNAL, "a sum of degree %d over images of %d axes", p,
             axes);
    GO(MEM_NEW(s, 1));
    *s = images_of(p);
    for (int c = 0; c < 3; c++) {
        s->periodic[c] = periodic[c];
        s->cell[c] = periodic[c] ? cell[c] : 0;
        s->near[c] = near[c];
        if (axes == 2 && !periodic[c])
            s->open = c;
        s->high = fmax(s->high, HIGH * s->cell[c]);
    }
    if (s->open >= 0)
        s->high = fmax(s->high, near[s->open]);
    images_direct(s, reach);
    GO(MEM_NEW(s->tail, multipole_size(s->most)));
    GO(MEM_RAW(term, MULTIPOLE_FIELD));
    GO(MEM_RAW(block, multipole_size(BLOCK)));
    multipole_roots(2 * MULTIPOLE_DEGREES - 1, root);
    GO(tail_factors(s, root));
    s->tail[0] = own_images(s);
    tail_shell(s, term);
    block_members(s, block, term);
    tail_blocks(s, root, axes, block);
    *images = s;
    s = NULL;
done:
    mem_free(term);
    mem_free(block);
    multipole_images_destroy(s);
    return status;
}

void multipole_images_destroy(struct multipole_images *s)
{
    if (!s)
        return;
    mem_free(s->tail);
    mem_free(s->factor);
    mem_free(s);
}

/* Adds the derivatives of front e^(b.d), b.b = 0: degree n has the factor
 * (-1)^n b_z^(n - m) (b_x + i b_y)^m/A_n^m.  zero, up: b_z, b_x + i b_y. */
static void add_wave(int p, struct cnum front, struct cnum zero, struct cnum up,
                     double *to)
{
    struct cnum top = front;
    for (int m = 0; m <= p; m++) {
        if (m > 0) {
            double f = -1 / sqrt((2.0 * m) * (2.0 * m - 1));
            top = (struct cnum){f * (top.re * up.re - top.im * up.im),
                                f * (top.re * up.im + top.im * up.re)};
        }
        struct cnum v = top;
        for (int n = m; n <= p; n++) {
            if (n > m) {
                double f = -1 / sqrt((double)(n - m) * (double)(n + m));
                v = (struct cnum){f * (v.re * zero.re - v.im * zero.im),
                                  f * (v.re * zero.im + v.im * zero.re)};
            }
            to[multipole_at(n, m)] += v.re;
            if (m > 0)
                to[multipole_at(n, -m)] += v.im;
        }
    }
}

/* The mode 0 of a plane, -2 pi |z|/A. */
static void add_mean(const struct multipole_images *s, double z, double area,
                     double *to)
{
    double slope = z > 0 ? 2 * M_PI / area : -2 * M_PI / area;
    to[0] -= 2 * M_PI * fabs(z) / area;
    if (s->p == 0)
        return;
    to[s->open == 0   ? multipole_at(1, 1)
       : s->open == 1 ? multipole_at(1, -1)
                      : multipole_at(1, 0)] +=
        s->open == 2 ? slope : slope / M_SQRT2;
}

/* A plane's field far above or below it, (10.52). */
static void plane_modes(const struct multipole_images *s, const double d[3],
                        double *to)
{
    int o = s->open, u = (o + 1) % 3, v = (o + 2) % 3;
    double z = d[o], area = s->cell[u] * s->cell[v];
    double most = (s->p + 9 * sqrt(s->p) + 45) / fabs(z);
    int64_t iu = (int64_t)(most * s->cell[u] / (2 * M_PI));
    int64_t iv = (int64_t)(most * s->cell[v] / (2 * M_PI));
    add_mean(s, z, area, to);
    for (int64_t i = -iu; i <= iu; i++)
        for (int64_t j = -iv; j <= iv; j++) {
            double re[3] = {0}, im[3] = {0};
            im[u] = 2 * M_PI * (double)i / s->cell[u];
            im[v] = 2 * M_PI * (double)j / s->cell[v];
            double k = hypot_of(im[u], im[v]);
            if (k == 0 || k > most)
                continue;
            re[o] = z > 0 ? -k : k;
            double angle = im[u] * d[u] + im[v] * d[v];
            double f = 2 * M_PI / (area * k) * exp(-k * fabs(z));
            add_wave(s->p, (struct cnum){f * cos(angle), f * sin(angle)},
                     (struct cnum){re[2], im[2]},
                     (struct cnum){re[0] - im[1], im[0] + re[1]}, to);
        }
}

void multipole_images_field(const struct multipole_images *s, const double d[3],
                            double *to)
{
    double from[3], term[MULTIPOLE_FIELD];
    int64_t i[3];
    int size = multipole_size(s->p);
    memset(to, 0, (size_t)size * sizeof *to);
    for (int c = 0; c < 3; c++)
        from[c] = s->periodic[c]
                      ? d[c] - s->cell[c] * nearbyint(d[c] / s->cell[c])
                      : d[c];
    if (s->open >= 0 && fabs(from[s->open]) > s->high) {
        plane_modes(s, from, to);
        return;
    }
    tail_field(s, from, to);
    for (i[2] = -s->direct[2]; i[2] <= s->direct[2]; i[2]++)
        for (i[1] = -s->direct[1]; i[1] <= s->direct[1]; i[1]++)
            for (i[0] = -s->direct[0]; i[0] <= s->direct[0]; i[0]++) {
                double at[3];
                for (int c = 0; c < 3; c++)
                    at[c] = from[c] + (double)i[c] * s->cell[c];
                if (is_near(s, at))
                    continue;
                multipole_singular(s->p, at, term);
                for (int k = 0; k < size; k++)
                    to[k] += term[k];
            }
}
