/* SPDX-License-Identifier: Apache-2.0 */
/* images.c: 1/r with its images, pair by pair.
 *
 * With K_0(x) = int_0^inf e^{-x cosh t} dt the sum over k is a geometric
 * series, and the integrand is analytic within |Im t| < pi/2.  The trapezoidal
 * rule of step h then has the relative error e^{-pi^2/h}. */
#include "reference/few/images_kern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arrays.h"
#include "base/hypot.h"
#include "base/isa.h"
#include "base/mem.h"
#include "base/par.h"
#include "base/progress.h"
#include "points/vectors.h"
#include "reference/ewald/ewald_open.h"
#include "reference/kernels.h"

ISA_TABLE(struct images_kern, images)

/* Near a line its images are summed up to CLOSE, and the others by an expansion
 * in (r/(CLOSE + 1))^2. */
enum { CLOSE = 2, SHARES = 64 };

/* Beyond this, ewald has more digits. */
#define BEST 1e-13
/* Slabs longer than so many of their shortest period, along any axis, take
 * Ewald's sum more time: it was 1/2 of that by images at 1, 1 at 2, 9 at
 * 100. */
#define LONG 3

farsum_status few_images_fit(const struct task *task, double accuracy)
{
    int axes = task_axes(task);
    if (!task->pair.kind->charged || task->pair.strengths > 1
        || (axes != 1 && axes != 2))
        FAIL(ERR_UNSUPPORTED, "kernel %s, %d periodic axes", task->pair.name,
             axes);
    if (task->problem.softening > 0)
        FAIL(ERR_UNSUPPORTED, "no softening with images");
    if (accuracy < BEST)
        FAIL(ERR_TOLERANCE, "tolerance %g", accuracy);
    return FARSUM_OK;
}

/* The extent of the sources along a unit vector. */
static double extent(const struct task *task, int64_t n, const void *x,
                     const double axis[3])
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t j = 0; j < n; j++) {
        double at = 0;
        for (int c = 0; c < 3; c++)
            at += task_per(task) * axis[c]
                  * array_get(x, task->problem.arrays, 3 * j + c);
        low = fmin(low, at);
        high = fmax(high, at);
    }
    return high - low;
}

farsum_status few_images_cheaper(const struct task *task, int64_t n,
                                 const void *x, int *cheaper)
{
    struct few_images w;
    TRY(few_images_open(task, 1e-3, &w));
    *cheaper = w.axes == 1 || w.across > LONG
               || extent(task, n, x, w.axis[2]) > LONG * w.length;
    return FARSUM_OK;
}

/* Sets order[n] to 2 sum_{j > CLOSE} j^{-(2n+1)}, by Euler and Maclaurin. */
static void set_orders(double *order)
{
    enum { LAST = 40 };
    for (int n = 1; n <= IMAGES_ORDERS; n++) {
        double p = 2 * n + 1, sum = 0;
        for (int j = LAST; j > CLOSE; j--)
            sum += pow(j, -p);
        sum += pow(LAST, 1 - p) / (p - 1) - pow(LAST, -p) / 2
               + p * pow(LAST, -p - 1) / 12
               - p * (p + 1) * (p + 2) * pow(LAST, -p - 3) / 720;
        order[n] = 2 * sum;
    }
}

/* ln(sin u/u) = - sum_n sine[n] u^{2n}, sine[n] = zeta(2n)/(n pi^{2n}). */
static void set_sines(double *sine)
{
    for (int n = 1; n <= IMAGES_SINES; n++) {
        double sum = 1;
        for (int j = 2; n > 1 && j < 2000 && pow(j, -2 * n) > 1e-18; j++)
            sum += pow(j, -2 * n);
        if (n == 1)
            sum = M_PI * M_PI / 6;
        if (n == 2)
            sum = pow(M_PI, 4) / 90;
        sine[n] = sum / (n * pow(M_PI, 2 * n));
    }
}

static void set_axes(struct few_images *w, const struct ewald_lattice *l)
{
    for (int d = 0; d < 9; d++) {
        w->axis[d / 3][d % 3] = (double)(l->a[d] / l->length[d / 3]);
        if (d < 3 * l->axes) {
            w->period[d / 3][d % 3] = (double)l->a[d];
            w->to[d / 3][d % 3] = (double)l->inv[3 * (d % 3) + d / 3];
        }
    }
    w->length = (double)l->length[0];
    w->turn[IMAGES_ROWS][0] = 1;
    if (l->axes == 1)
        return;
    double *along = w->axis[0], *plane = w->axis[1];
    double part = dot(w->period[1], along);
    w->shift = part / w->length;
    for (int d = 0; d < 3; d++)
        plane[d] = w->period[1][d] - part * along[d];
    double size = sqrt(dot(plane, plane));
    for (int d = 0; d < 3; d++)
        plane[d] /= size;
    w->across = size / w->length;
    for (int m = -IMAGES_ROWS; m <= IMAGES_ROWS; m++) {
        w->turn[m + IMAGES_ROWS][0] = cos(2 * M_PI * m * w->shift);
        w->turn[m + IMAGES_ROWS][1] = sin(2 * M_PI * m * w->shift);
    }
}

farsum_status few_images_open(const struct task *task, double accuracy,
                              struct few_images *w)
{
    struct ewald_setup setup = {.accuracy = accuracy};
    struct ewald_lattice lattice;
    memcpy(setup.cell, task->problem.cell, sizeof setup.cell);
    for (int d = 0; d < 3; d++)
        setup.open[d] = !task->problem.periodic[d];
    *w = (struct few_images){.axes = task_axes(task)};
    TRY(ewald_open_lattice(&lattice, &setup));
    set_axes(w, &lattice);
    set_orders(w->order);
    set_sines(w->sine);
    w->least = fmax(1e-16, accuracy / 1000);
    w->reach = -log(w->least) / (2 * M_PI);
    if (w->axes == 2)
        w->rows = (int)fmin(IMAGES_ROWS, w->reach / w->across + 0.5);
    w->step = M_PI * M_PI / (4.6 - log(w->least)); /* 4.6: of the slope */
    for (int j = 0; j < IMAGES_NODES; j++)
        w->node[j] = cosh(j * w->step);
    double longest = (double)fmaxl(lattice.length[0], lattice.length[1]);
    w->coincide = pow(EWALD_COINCIDE * longest / w->length, 2);
    return FARSUM_OK;
}

/* Sets v to 1/r with its images along a line, without the mean
 * -2 ln rho + 2 (ln 2 - gamma), and its derivatives by z and, over rho, by
 * rho. */
static void line_near(const struct few_images *w, double rho2, double z,
                      double v[3])
{
    double r2 = rho2 + z * z, l0 = 1, l1 = z, d0 = 0, d1 = 0;
    v[0] = v[1] = v[2] = 0;
    for (int j = -CLOSE; j <= CLOSE; j++) {
        double far = z + j, square = rho2 + far * far;
        if (j == 0 && square <= w->coincide)
            continue;
        double one = 1 / sqrt(square), cube = one / square;
        v[0] += one - (j ? 1.0 / abs(j) : 0);
        v[1] -= far * cube;
        v[2] -= cube;
    }
    /* l: r^n P_n(z/r); d: its derivative by rho, over rho */
    for (int n = 1; n < 2 * IMAGES_ORDERS; n++) {
        double l2 = ((2 * n + 1) * z * l1 - n * r2 * l0) / (n + 1);
        double d2 = ((2 * n + 1) * z * d1 - n * (2 * l0 + r2 * d0)) / (n + 1);
        if (n % 2) {
            double c = w->order[(n + 1) / 2];
            v[0] += c * l2;
            v[1] += c * (n + 1) * l1;
            v[2] += c * d2;
        }
        l0 = l1;
        l1 = l2;
        d0 = d1;
        d1 = d2;
    }
}

/* Adds the logarithms of a slab's lines, -ln(2 cosh a - 2 cos b). */
static void add_logarithms(const struct few_images *w, double x, double y,
                           double v[4])
{
    double per = 2 * M_PI / w->across, a = per * fabs(x), b = per * y;
    double g = exp(-a), d = 1 / (1 - 2 * g * cos(b) + g * g);
    v[0] += log(d) - a;
    v[2] -= per * 2 * g * sin(b) * d;
    v[3] -= copysign(per * (1 - g * g) * d, x);
}

/* The same without the nearest line's -2 ln rho, which is added to the rest of
 * this line. */
static void add_sines(const struct few_images *w, double x, double y,
                      double v[4])
{
    double per = M_PI / w->across;
    double re = per * per * (y * y - x * x), im = 2 * per * per * x * y;
    double sum[2] = {0}, slope[2] = {0}; /* polynomials in u^2 */
    for (int n = IMAGES_SINES; n >= 1; n--) {
        double s = sum[0] + w->sine[n], t = slope[0] + 2 * n * w->sine[n];
        double next = s * im + sum[1] * re;
        sum[0] = s * re - sum[1] * im;
        sum[1] = next;
        if (n == 1) {
            slope[0] = t;
            break;
        }
        next = t * im + slope[1] * re;
        slope[0] = t * re - slope[1] * im;
        slope[1] = next;
    }
    v[0] += 2 * sum[0] - 2 * log(2 * per);
    /* slope times u, by u = per (y + i x) */
    v[2] += 2 * per * per * (slope[0] * y - slope[1] * x);
    v[3] -= 2 * per * per * (slope[0] * x + slope[1] * y);
}

static const double mean = 2 * ((double)REFERENCE_EULER - M_LN2);

/* Sets v to potential and derivatives by z, y and x, without the lines of
 * images_kern.h.  Returns 1 if the nearest line is complete. */
static int pair_set(const struct few_images *w, double x, double y, double z,
                    double v[4])
{
    double rho2 = x * x + y * y, near[3];
    int is_near = rho2 < IMAGES_NEAR * IMAGES_NEAR;
    memset(v, 0, 4 * sizeof *v);
    if (is_near) {
        line_near(w, rho2, z, near);
        v[0] = near[0] + mean;
        v[1] = near[1];
        v[2] = near[2] * y;
        v[3] = near[2] * x;
    }
    if (w->axes == 2) {
        (is_near ? add_sines : add_logarithms)(w, x, y, v);
    } else if (!is_near) {
        v[0] = -log(rho2);
        v[2] = -2 * y / rho2;
        v[3] = -2 * x / rho2;
    }
    return is_near;
}

/* Sets z, y and x of the nearest image of distance d. */
static void nearest(const struct few_images *w, double d[3], double at[3])
{
    for (int a = w->axes - 1; a >= 0; a--) {
        double turns = rint(dot(w->to[a], d));
        for (int c = 0; c < 3; c++)
            d[c] -= turns * w->period[a][c];
    }
    for (int a = 0; a < 3; a++)
        at[a] = dot(w->axis[a], d) / w->length;
    at[0] -= rint(at[0]);
}

/* Adds a block to the sums and empties it. */
static void flush(const struct few_images *w, enum isa isa,
                  struct images_block *b, long double sum[4])
{
    double v[4] = {0};
    isa_images[isa][0]->lines(w, b, v);
    for (int a = 0; a < 4; a++)
        sum[a] += v[a];
    b->count = 0;
}

static void push(struct images_block *b, const double at[3], double charge,
                 int is_near)
{
    int i = b->count++;
    b->z[i] = at[0];
    b->y[i] = at[1];
    b->x[i] = at[2];
    b->charge[i] = charge;
    b->own[i] = is_near ? 0 : charge;
}

/* Sets sums [width] to those of a share's sources at target y. */
static void target_share(const struct few_images *w,
                         const struct few_device *of, const void *x,
                         const void *q, int64_t begin, int64_t end,
                         const double y[3], double *sums)
{
    const struct task *task = of->task;
    farsum_precision type = task->problem.arrays;
    double per = task_per(task), per_q = task->units.per[0];
    struct images_block block = {0};
    long double sum[4] = {0};
    for (int64_t j = begin; j < end; j++) {
        double d[3], at[3], v[4], charge = per_q * array_get(q, type, j);
        for (int c = 0; c < 3; c++)
            d[c] = per * y[c] - per * array_get(x, type, 3 * j + c);
        nearest(w, d, at);
        int is_near = pair_set(w, at[2], at[1], at[0], v);
        for (int a = 0; a < 4; a++)
            sum[a] += charge * v[a];
        if (w->rows > 0 ? fabs(at[2]) < w->reach
                        : !is_near && hypot_of(at[1], at[2]) < w->reach)
            push(&block, at, charge, is_near);
        if (block.count == IMAGES_BLOCK)
            flush(w, task->isa, &block, sum);
    }
    flush(w, task->isa, &block, sum);
    double one = 1 / w->length;
    sums[0] = one * (double)sum[0];
    for (int c = 0; c < 3 && of->width > 1; c++)
        sums[1 + c] = -one * one
                      * (double)(sum[1] * w->axis[0][c] + sum[2] * w->axis[1][c]
                                 + sum[3] * w->axis[2][c]);
}

farsum_status few_images_sum(const struct few_device *of, const void *x,
                             const void *q, double *values)
{
    struct few_images w;
    double *sums = NULL; /* owned, [m][SHARES][width] */
    int64_t pieces = of->m * SHARES;
    TRY(few_images_open(of->task, of->accuracy, &w));
    TRY(MEM_RAW(sums, pieces * of->width));
    struct progress *listener =
        progress_phase(pieces, "summing pairs with images");
    PAR_FOR(of->task->threads, schedule(dynamic))
    for (int64_t k = 0; k < pieces; k++)
        if (!progress_stopped(listener)) {
            int share = (int)(k % SHARES);
            target_share(&w, of, x, q, par_start(of->n, SHARES, share),
                         par_start(of->n, SHARES, share + 1),
                         of->y + 3 * (k / SHARES), sums + k * of->width);
            progress_add(listener, 1);
        }
    farsum_status status = progress_check(listener);
    for (int64_t i = 0; i < of->m * of->width; i++) {
        long double sum = 0;
        for (int64_t k = 0; k < SHARES; k++)
            sum +=
                sums[(i / of->width * SHARES + k) * of->width + i % of->width];
        values[i] = (double)sum;
    }
    mem_free(sums);
    return status;
}
