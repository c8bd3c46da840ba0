/* SPDX-License-Identifier: Apache-2.0 */
/* images.c: sums of S over the images of one or two periodic axes.
 *
 * Images up to some number are summed one by one.  The others are beyond
 * APART times the distances d, and their sum is an expansion about d = 0.  Its
 * numbers follow from a lattice's self-similarity: the images beyond three
 * times as many are blocks of 3 or 9 of it (10.51).  Far from a plane or row
 * the sum is one over its modes (modes.c).
 *
 * Boxes are about as large as the smallest extent of the near region.  At r
 * times that distance a term of degree n is smaller than those of the nearest
 * boxes by r^(n + 1), so that terms below EPS of them are left out. */
#include "math/multipole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hypot.h"
#include "base/mem.h"
#include "math/images/modes.h"

/* Degrees of a block's expansion. */
enum { APART = 8, BLOCK = 20 };
/* Modes are summed from this part of the longest edge on. */
#define HIGH 1.2
#define EPS 1e-18
/* Seconds, as measured: a mode's coefficient, an exchange of axes over the cube
 * of its degrees, a term of the tail's field, an image; to make a term of the
 * tail, and an image's coefficient. */
#define MODE 6e-9
#define SWAP 1e-9
#define FIELD 1.5e-9
#define IMAGE 3e-7
#define FIXED 1e-8
#define SHELL 2e-9

struct multipole_images {
    int p;     /* degrees of the field */
    int total; /* degrees of the tail that are used, */
    int most;  /* and that are summed */
    int axis;  /* of a plane the open one, of a row the periodic one */
    int periodic[3], axes;
    double cell[3], near[3], high;
    double least;      /* the smallest extent of the near region */
    int64_t direct[3]; /* images that are summed one by one */
    double *tail;      /* owned: S summed over all other images, d = 0 */
    double *factor;    /* owned: tail_field's, in its order */
    double *swap;      /* owned: of a row; see modes.h */
};

static int is_near(const struct multipole_images *s, const double at[3])
{
    int near = 1;
    for (int c = 0; c < 3; c++)
        near &= fabs(at[c]) < s->near[c];
    return near;
}

/* The degrees, below p, of which terms at the distance r count. */
static int degrees_at(int p, double least, double r)
{
    double n = -log(EPS) / log(r / least) - 1;
    return least > 0 && r > least && n < p ? (n > 0 ? (int)ceil(n) : 0) : p;
}

/* The distance from the plane or row. */
static double distance_across(const struct multipole_images *s,
                              const double d[3])
{
    double square = 0;
    for (int c = 0; c < 3; c++)
        square += s->periodic[c] ? 0 : d[c] * d[c];
    return sqrt(square);
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

static int64_t tail_terms(const struct multipole_images *s)
{
    int64_t all = 0;
    for (int n = 0; n <= s->p; n++)
        for (int k = n % 2; n + k <= s->total; k += 2)
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
            for (int k = n % 2; n + k <= s->total; k += 2)
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
    double r[MULTIPOLE_FIELD];
    const double *f = s->factor;
    multipole_regular(s->total, d, r);
    for (int n = 0; n <= s->p && n <= s->total; n++)
        for (int m = 0; m <= n; m++) {
            struct cnum sum = {0, 0};
            for (int k = n % 2; n + k <= s->total; k += 2)
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
    double across = 0, along = 0, near = 0, others = INFINITY, least = INFINITY;
    for (int c = 0; c < 3; c++) {
        double most = fmax(reach[c], s->near[c]);
        across += s->periodic[c] ? 0 : most * most;
        along += s->cell[c] * s->cell[c] / 4;
        near = fmax(near, s->near[c]);
        least = fmin(least, s->near[c]);
        s->high = fmax(s->high, HIGH * s->cell[c]);
    }
    s->least = least;
    s->high = fmax(s->high, distance_across(s, s->near));
    double most = sqrt(along + fmin(across, s->high * s->high));
    for (int c = 0; c < 3; c++)
        if (s->periodic[c]) {
            s->direct[c] = (int64_t)ceil(APART * most / s->cell[c]);
            others = fmin(others, ((double)s->direct[c] + 0.5) * s->cell[c]);
        }
    s->total =
        degrees_at(MULTIPOLE_DEGREES - 1 - BLOCK, fmax(most, near), others);
    s->most = s->total + BLOCK;
}

static struct multipole_images images_of(int p, const int periodic[3],
                                         const double cell[3],
                                         const double near[3],
                                         const double reach[3])
{
    struct multipole_images s = {.p = p};
    for (int c = 0; c < 3; c++) {
        s.periodic[c] = periodic[c];
        s.axes += periodic[c];
        s.cell[c] = periodic[c] ? cell[c] : 0;
        s.near[c] = near[c];
    }
    for (int c = 0; c < 3; c++)
        if (periodic[c] == (s.axes == 1))
            s.axis = c;
    images_direct(&s, reach);
    return s;
}

static int images_swap(const struct multipole_images *s)
{
    return s->axes == 1 && s->axis != 2;
}

double multipole_images_cost(int p, const int periodic[3], const double cell[3],
                             const double near[3], const double reach[3],
                             double fields)
{
    const struct multipole_images s = images_of(p, periodic, cell, near, reach);
    double images = 1, shell = 1, modes = 1, across = 0;
    for (int c = 0; c < 3; c++) {
        images *= 2 * (double)s.direct[c] + 1;
        shell *= periodic[c] ? 6 * (double)s.direct[c] + 3 : 1;
        across += periodic[c] ? 0 : reach[c] * reach[c];
    }
    across = sqrt(across);
    /* fields by modes, most of them at about `middle` */
    double middle = sqrt(s.high * fmax(s.high, across));
    double far = s.axes == 1 ? 1 - pow(fmin(s.high / across, 1), 2)
                             : 1 - fmin(s.high / across, 1);
    int degrees = degrees_at(p, s.least, middle);
    double wave = multipole_modes_most(degrees) / middle / (2 * M_PI);
    for (int c = 0; c < 3; c++)
        modes *= periodic[c] ? 1 + wave * s.cell[c] : 1;
    double by_modes = MODE * modes * multipole_size(degrees)
                      + (images_swap(&s) ? SWAP * pow(degrees + 1, 3) : 0);
    double by_images = FIELD * (double)tail_terms(&s) + IMAGE * images;
    return FIXED * (double)tail_terms(&s)
           + SHELL * shell * multipole_size(s.most)
           + fields * (far * by_modes + (1 - far) * by_images);
}

int64_t multipole_images_bytes(int p, const int periodic[3],
                               const double cell[3], const double near[3],
                               const double reach[3])
{
    const struct multipole_images s = images_of(p, periodic, cell, near, reach);
    return 8
           * (multipole_size(s.most) + tail_terms(&s)
              + (images_swap(&s) ? multipole_swap_numbers(p) : 0));
}

farsum_status multipole_images_create(int p, const int periodic[3],
                                      const double cell[3],
                                      const double near[3],
                                      const double reach[3],
                                      struct multipole_images **images)
{
    farsum_status status = FARSUM_OK;
    long double root[2 * MULTIPOLE_DEGREES];
    double *term = NULL, *block = NULL, *work = NULL;
    struct multipole_images *s = NULL;
    int axes = periodic[0] + periodic[1] + periodic[2];
    if (p < 0 || p >= MULTIPOLE_DEGREES || axes < 1 || axes > 2)
        FAIL(ERR_INTERNAL, "a sum of degree %d over images of %d axes", p,
             axes);
    GO(MEM_NEW(s, 1));
    *s = images_of(p, periodic, cell, near, reach);
    GO(MEM_NEW(s->tail, multipole_size(s->most)));
    GO(MEM_RAW(term, MULTIPOLE_FIELD));
    GO(MEM_RAW(block, multipole_size(BLOCK)));
    if (images_swap(s)) {
        GO(MEM_RAW(s->swap, multipole_swap_numbers(p)));
        GO(MEM_RAW(work, 2 * (2 * p + 1) * (2 * p + 1)));
        multipole_swap_all(p, work, s->swap);
    }
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
    mem_free(work);
    multipole_images_destroy(s);
    return status;
}

void multipole_images_destroy(struct multipole_images *s)
{
    if (!s)
        return;
    mem_free(s->tail);
    mem_free(s->factor);
    mem_free(s->swap);
    mem_free(s);
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
    if (distance_across(s, from) > s->high) {
        int p = degrees_at(s->p, s->least, distance_across(s, from));
        if (s->axes == 1)
            multipole_row_modes(p, s->axis, s->cell[s->axis], s->swap, from,
                                to);
        else
            multipole_plane_modes(p, s->axis, s->cell, from, to);
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
                double r = sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
                int degrees = degrees_at(s->p, s->least, r);
                multipole_singular(degrees, at, term);
                for (int k = 0; k < multipole_size(degrees); k++)
                    to[k] += term[k];
            }
}
