/* SPDX-License-Identifier: Apache-2.0 */
/* error.c: truncation error of order p, (10.16), and the order that a tolerance
 * requires. */
#include <math.h>

#include "base/hypot.h"
#include "method/fmm/fmm.h"

enum { STEP = 3, TABLE = 13, STEP_2 = 2, TABLE_2 = 10, TOGETHER = 36 };
/* The factor by which one more order reduces the error, beyond the tables. */
#define SLOWEST 0.65
#define SLOWEST_2 0.33

/* RMS errors of the potential and the field due to a level's expansions.  Unit:
 * the root of the number of charges +-1 in a box, for boxes of edge 1 and
 * uniform points.  Orders 0, 3, 6, ...; for ws = 2, 0, 2, 4, ... Measured on
 * the method itself by bench/fmm_orders.c, against its order 40. */
static const double random_1[TABLE][2] = {
    {6.4e-1, 2.5e0},   {1.02e-2, 6.8e-2}, {3.8e-4, 4.5e-3},  {2.4e-5, 3.8e-4},
    {2.0e-6, 4.0e-5},  {2.3e-7, 5.4e-6},  {2.8e-8, 8.5e-7},  {4.0e-9, 1.6e-7},
    {8.1e-10, 3.9e-8}, {2.0e-10, 1.0e-8}, {4.9e-11, 2.9e-9}, {1.2e-11, 8.1e-10},
    {3.0e-12, 2.2e-10}};
static const double random_2[TABLE_2][2] = {
    {4.7e-1, 1.7e0},    {8.5e-3, 4.6e-2},  {3.2e-4, 2.4e-3}, {1.4e-5, 1.45e-4},
    {7.6e-7, 1.0e-5},   {5.1e-8, 7.9e-7},  {3.8e-9, 6.7e-8}, {2.8e-10, 5.8e-9},
    {2.4e-11, 5.3e-10}, {2.0e-12, 5.2e-11}};
/* The error of a list of evenly filled boxes with a total charge of 1 each, ws
 * = 1. */
static const double together_1[TOGETHER][2] = {
    {1.0e0, 3.6e0},     {1.4e-2, 8.5e-2},   {6.1e-3, 5.6e-2},
    {4.8e-3, 3.4e-2},   {3.2e-5, 3.7e-4},   {2.7e-5, 3.2e-4},
    {1.9e-5, 1.4e-4},   {1.9e-5, 1.4e-4},   {1.1e-6, 1.5e-5},
    {1.1e-6, 1.5e-5},   {2.2e-7, 2.2e-6},   {2.2e-7, 2.2e-6},
    {5.6e-8, 7.1e-7},   {5.6e-8, 7.1e-7},   {1.0e-8, 1.3e-7},
    {1.0e-8, 1.3e-7},   {1.0e-9, 1.6e-8},   {1.0e-9, 1.6e-8},
    {5.2e-10, 8.5e-9},  {5.2e-10, 8.5e-9},  {2.2e-10, 5.8e-10},
    {2.2e-10, 5.8e-10}, {2.4e-10, 5.1e-10}, {5.0e-11, 5.1e-10},
    {5.3e-11, 1.4e-10}, {1.3e-10, 9.1e-11}, {1.3e-10, 5.9e-11},
    {6.1e-11, 3.8e-11}, {6.1e-11, 2.5e-11}, {6.1e-11, 1.6e-11},
    {3.2e-12, 1.1e-11}, {1.1e-12, 6.9e-12}, {5.0e-13, 4.5e-12},
    {4.0e-13, 2.9e-12}, {4.0e-13, 1.9e-12}, {2.0e-13, 1.2e-12}};

/* Interpolates a table whose entries are `step` orders apart. */
static double tabled(const double (*table)[2], int n, int step, int order,
                     int field, double factor)
{
    int at = order / step, last = step * (n - 1);
    double part = order % step / (double)step;
    if (order >= last)
        return table[n - 1][field] * pow(factor, order - last);
    return pow(table[at][field], 1 - part) * pow(table[at + 1][field], part);
}

struct fmm_error fmm_error(int order, int ws, const double box[3], int field)
{
    struct fmm_error e;
    double least = fmin(box[0], fmin(box[1], box[2]));
    double radius =
        sqrt(box[0] * box[0] + box[1] * box[1] + box[2] * box[2]) / 2;
    /* bricks: the worst pair converges as the ratio of its corner's distance to
     * its distance */
    double slow = radius / least / sqrt(0.75);
    e.random = tabled(random_1, TABLE, STEP, order, field, SLOWEST);
    e.together = tabled(together_1, TOGETHER, 1, order, field, SLOWEST);
    if (ws > 1) {
        double less =
            tabled(random_2, TABLE_2, STEP_2, order, field, SLOWEST_2);
        e.together *= less / e.random;
        e.random = less;
    }
    e.random *= pow(slow, order + 1);
    e.together *= pow(slow, order + 1);
    return e;
}

double fmm_eps(const struct task *task)
{
    return task->problem.precision == FARSUM_F32 ? 6e-8 : 1.1e-16;
}

/* The rounding error of a sum, in last bits of its norm. */
static double rounding_share(const struct task *task, const struct fmm_input *f,
                             int field)
{
    if (task->problem.precision != FARSUM_F32)
        return 8;
    return field ? 18 : f->periodic ? 25 : 7;
}

/* Other kernels: rounding of the sums, that of the nearest pair's coordinates,
 * whose distance follows from the norm, and for flows that of terms which
 * contain the position x: E of far boxes times the extent. */
static double kernel_rounding(const struct fmm_input *f,
                              const struct fmm_clustering *clustering,
                              double eps, double n, int field)
{
    double norm = field ? f->force : f->potential, h = clustering->h;
    double q2 = f->q2 + (f->reach > 0 ? f->p2 / (f->reach * f->reach) : 0);
    int flow = f->kernel >= FMM_STOKESLET;
    double power = f->kernel == FMM_STOKESLET ? 1 : flow ? 2 : field ? 4 : 1;
    double unit = flow || !field ? sqrt(q2) : q2;
    double near = unit > 0 ? pow(norm * sqrt(n) / unit, 1 / power) : 0;
    double extent = fmax(f->edge[0], fmax(f->edge[1], f->edge[2]));
    near = fmin(near, 4 * cbrt(n * n / f->volume));
    double terms = flow ? extent * sqrt(5 * q2 * clustering->random[1]) : 0;
    if (f->periodic) /* as of charges, fmm_rounding */
        h = extent;
    if (f->periodic && !field)
        terms = 225 * f->q1 * sqrt(clustering->together[0]);
    if (f->kernel == FMM_STRESSLET && h > 0)
        terms *= 1 / h;
    return eps
           * hypot_of(hypot_of(16 * norm, terms),
                      0.5 * power * h * near * norm);
}

/* The RMS rounding error of sums, C = 1; of forces if field.
 *
 * The estimate includes the effect of a coordinate's last bit on the nearest
 * pair, whose distance follows from the norm or from the leaves: force^2 n =
 * (q^2 / r^2)^2, its error is 2 |dx| / r.  Coordinates are rounded in boxes of
 * edge h; fractions of a cell, relative to the whole cell.  For potentials,
 * that pair is also part of the norm once there is a result.  f32 has ten more
 * bits for pairs within one leaf, and a box's face rarely separates two
 * adjacent points (math.md).  If the background cancels most of the potential
 * of charges of one sign, its terms are larger than the sum. */
double fmm_rounding(const struct task *task, const struct fmm_input *f,
                    const struct fmm_clustering *clustering, int field)
{
    int f32 = task->problem.precision == FARSUM_F32;
    double eps = fmm_eps(task), n = (double)task->problem.n_sources;
    double norm = field ? f->force : f->potential, dx = clustering->h, more;
    double near = fmax(f->force, f->near);
    if (f->kernel != FMM_LAPLACE)
        return kernel_rounding(f, clustering, eps, n, field);
    if (!(f->q2 > 0))
        return 8 * eps * norm;
    if (!f32 && f->periodic)
        dx = fmax(f->edge[0], fmax(f->edge[1], f->edge[2]));
    if (field)
        more =
            (f32 ? 0.006 : 0.5) * dx * sqrt(near * sqrt(n) / f->q2) * norm;
    else
        more =
            hypot_of((f32 ? 45 : 225) * f->q1 * sqrt(clustering->together[0]),
                     (f32 ? 0.09 : 1.5) * dx * near / sqrt(f->q2)
                         * fmin(norm / sqrt(near * sqrt(2 / n)), 1));
    return eps * hypot_of(rounding_share(task, f, field) * norm, more);
}

/* Interpolates between orders 2, 4, 8, ... as powers of the order. */
static double knots(const double (*v)[2], int order, int field)
{
    double at = log2(fmax(order, 2)) - 1;
    int k = at < FMM_KNOTS - 2 ? (int)at : FMM_KNOTS - 2;
    double a = v[k][field], b = v[k + 1][field], part = at - k;
    if (!(a > 0) || !(b > 0))
        return a + fmin(part, 1) * (b - a);
    return a * pow(b / a, part);
}

/* Errors of potentials and of their derivatives, in units of a box, and the
 * sums over the levels that multiply their squares.  A derivative by the source
 * has the error of one by the target; higher ones follow by the same ratio. */
struct terms {
    double e[4], sum[4];
};

static void terms_set(struct terms *t, const double e[2], const double sum[2],
                      const double more[2])
{
    double ratio = e[1] / e[0];
    t->e[0] = e[0];
    for (int k = 1; k < 4; k++)
        t->e[k] = t->e[k - 1] * ratio;
    for (int k = 0; k < 2; k++) {
        t->sum[k] = sum[k];
        t->sum[2 + k] = more[k];
    }
}

/* Factors of (10.49): a third of the square of the distance, in boxes, of the
 * pairs with the largest errors. */
#define STOKESLET_REACH 0.375
#define STRESSLET_REACH 0.25

/* The square of the error of charges and dipoles with these mean squares,
 * (10.49); of forces, or velocities, if field. */
static double terms_square(const struct terms *t, const struct fmm_input *f,
                           double q2, double p2, int ws, int field)
{
    double v[4], reach = (1 + ws) * (1 + ws), own;
    for (int k = 0; k < 4; k++)
        v[k] = t->e[k] * t->e[k] * t->sum[k];
    switch (f->kernel) {
    case FMM_STOKESLET:
        return q2
               * (v[0]
                  + STOKESLET_REACH * reach * t->e[1] * t->e[1] * t->sum[0]);
    case FMM_ROTLET:
        return q2 * 2 / 3 * v[1];
    case FMM_STRESSLET:
        return q2
               * (v[1]
                  + STRESSLET_REACH * reach * t->e[2] * t->e[2] * t->sum[1]);
    default: /* charges, maybe with dipoles */
        if (!field)
            return q2 * v[0] + p2 / 3 * v[1];
        own = q2 * v[1] + p2 / 3 * v[2];
        if (f->gradient)
            return f->q2 * own + f->p2 / 3 * (q2 * v[2] + p2 / 3 * v[3]);
        return (f->q2 + (f->reach > 0 ? f->p2 / (f->reach * f->reach) : 0))
               * own;
    }
}

/* The truncation error, C = 1; of forces if field. */
static double fmm_truncation(const struct fmm_input *f, int order, int ws,
                             const double box[3],
                             const struct fmm_clustering *clustering, int field)
{
    double far[2], uneven[2] = {0}, e[2], whole[2], bend[2], none[2] = {0};
    double q1 = f->q1 * f->q1, h = clustering->h;
    struct terms random, lumps, together;
    for (int k = 0; k < 2; k++) {
        struct fmm_error one = fmm_error(order, ws, box, k);
        e[k] = one.random;
        whole[k] = one.together;
        far[k] = clustering->random[k];
        if (clustering->listed) {
            far[k] = knots(clustering->far, order, k);
            uneven[k] = knots(clustering->uneven, order, k);
        }
    }
    double even = clustering->random[1], more = even > 0 ? far[1] / even : 0;
    for (int k = 0; k < 2; k++)
        bend[k] = more * clustering->bend[k];
    terms_set(&random, e, far, bend);
    terms_set(&lumps, e, uneven, none);
    terms_set(&together, whole, clustering->together, none);
    if (f->p2 > 0 && h > 0) /* a dipole next to charges that add up */
        for (int k = 0; k < 2; k++) {
            lumps.sum[2 + k] = uneven[1] / pow(h, 2 + 2 * k);
            together.sum[2 + k] = clustering->together[1] / pow(h, 2 + 2 * k);
        }
    return sqrt(terms_square(&random, f, f->q2, f->p2, ws, field)
                + terms_square(&lumps, f, q1, 0, ws, field)
                + terms_square(&together, f, q1, 0, ws, field));
}

static double fmm_norm(const struct fmm_input *f, int field)
{
    return field ? f->force : f->potential;
}

double fmm_estimate(const struct task *task, const struct fmm *s,
                    const struct fmm_input *input)
{
    int field = task->problem.error != FARSUM_ERROR_POTENTIAL;
    double norm = fmm_norm(input, field);
    double error = fmm_truncation(input, s->shape.order, s->shape.ws,
                                  s->shape.box, &s->clustering, field);
    error = hypot_of(error, fmm_rounding(task, input, &s->clustering, field));
    if (task->problem.error == FARSUM_ERROR_ABSOLUTE)
        return task->problem.coulomb * error;
    return norm > 0 ? error / norm : 0;
}

/* The ratio of n targets' error to the mean of many.  Consider a source and a
 * target in the same corner of two boxes that are two boxes apart.  Terms of
 * degrees n and k then scale as (n + k)! / (n! k!) (3/16)^((n + k) / 2), so at
 * order p as 3/4^p, while the mean scales as 0.6^p.  At high orders a few such
 * pairs dominate the error, and few points contain more of them or none.  ws =
 * 2: 1/3^p. */
static double fmm_margin(int ws, int order, int sparse, int64_t n)
{
    double few = sqrt(1000 / fmin(fmax((double)n, 1), 1e9));
    double rare = order / 20.0;
    /* a point's own images have its own position in their boxes */
    double own = 1.15 + 30 / fmax((double)n, 1);
    if (sparse) /* clusters lie near the boxes' corners, towards each other */
        own += 0.35 + (ws > 1 ? 0.25 : 0) + 0.6 * few;
    return ws > 1 ? own + 0.5 * rare * rare * few
                  : own + 4.5 * pow(rare, 5) * few;
}

/* True if most charges have one sign. */
static int one_sign(const struct fmm_input *input)
{
    return input->q1 * input->q1 > 0.25 * input->q2;
}

/* True if the error of the order is within the tolerance. */
static int order_keeps(const struct task *task, const struct fmm_input *input,
                       int order, int ws, const double box[3],
                       const struct fmm_clustering *clustering, int field)
{
    const farsum_problem *p = &task->problem;
    int64_t targets = p->n_targets > 0 ? p->n_targets : p->n_sources;
    double norm = fmm_norm(input, field);
    double rounding = fmm_rounding(task, input, clustering, field);
    double most = p->error == FARSUM_ERROR_ABSOLUTE ? p->tolerance / p->coulomb
                                                    : p->tolerance * norm;
    double error = fmm_truncation(input, order, ws, box, clustering, field)
                   * fmm_margin(ws, order, clustering->sparse, targets);
    if (one_sign(input)) /* even filling cancels errors, depending on the boxes'
                            faces */
        error *= 1.25;
    if (task->sample.crystal) /* its points have few distinct positions in their
                                 boxes */
        error *= 3;
    return hypot_of(error, rounding) <= most || most == 0;
}

/* Fails with the reason that no order meets the tolerance; *left: the error of
 * the highest order. */
static farsum_status order_missed(const struct task *task,
                                  const struct fmm_input *input, int ws,
                                  const double box[3],
                                  const struct fmm_clustering *clustering,
                                  int field, double *left)
{
    const farsum_problem *p = &task->problem;
    const char *bits = p->precision == FARSUM_F32 ? "f32" : "f64";
    double norm = fmm_norm(input, field);
    double sums = fmm_eps(task) * rounding_share(task, input, field) * norm;
    double unit = p->error == FARSUM_ERROR_ABSOLUTE ? p->coulomb : 1 / norm;
    double rounding = unit * fmm_rounding(task, input, clustering, field);
    double order =
        unit
        * fmm_truncation(input, MULTIPOLE_MOST, ws, box, clustering, field);
    *left = hypot_of(rounding, order);
    if (rounding <= p->tolerance)
        FAIL(ERR_TOLERANCE,
             "tolerance %g is below %.2g, which orders up to %d reach here",
             p->tolerance, order, (int)MULTIPOLE_MOST);
    if (unit * sums > p->tolerance || !field)
        FAIL(ERR_TOLERANCE,
             "tolerance %g is below %.2g, which sums rounded to %s reach here",
             p->tolerance, rounding, bits);
    FAIL(ERR_TOLERANCE,
         "tolerance %g is below %.2g, which positions rounded to %s reach "
         "here: pairs are much nearer than their box is wide",
         p->tolerance, rounding, bits);
}

farsum_status fmm_order(const struct task *task, const struct fmm_input *input,
                        int ws, const double box[3],
                        const struct fmm_clustering *clustering, int *order,
                        double *left)
{
    const farsum_problem *p = &task->problem;
    int field = p->error != FARSUM_ERROR_POTENTIAL;
    /* (10.26) holds from order 2 on */
    for (int k = one_sign(input) ? 2 : 1; k <= MULTIPOLE_MOST; k++)
        if (order_keeps(task, input, k, ws, box, clustering, field)) {
            *order = k;
            return FARSUM_OK;
        }
    return order_missed(task, input, ws, box, clustering, field, left);
}

farsum_status fmm_order_fails(const struct task *task)
{
    FAIL(ERR_TOLERANCE,
         "these points need orders above %d for the tolerance %g",
         (int)MULTIPOLE_MOST, task->given.tolerance);
}
