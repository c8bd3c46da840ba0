/* fmm_error.c: what is left out above order p, (10.16), and the order that a
 * tolerance needs. */
#include <math.h>

#include "method/fmm.h"

enum { TABLE = 13, TABLE_2 = 11, TOGETHER = 25 };
/* What an order more leaves, past the tables: the nearest corners' pairs, which
 * samples seldom meet. */
#define SLOWEST 0.58
#define SLOWEST_2 0.35

/* Roots of the sum over a far list of the mean squares of a pair's error, boxes
 * of edge 1, points uniform: of the potential and the field; ws = 1 and 2.
 * Measured by summing pairs. */
static const double random_1[TABLE][2] = {
    {7.4e-1, 1.9e0},   {1.4e-1, 6.1e-1},  {3.4e-2, 2.0e-1},  {8.9e-3, 7.1e-2},
    {3.0e-3, 2.6e-2},  {1.15e-3, 1.0e-2}, {4.0e-4, 4.2e-3},  {1.35e-4, 1.7e-3},
    {4.8e-5, 7.3e-4},  {2.0e-5, 3.0e-4},  {8.0e-6, 1.3e-4},  {3.5e-6, 5.8e-5},
    {1.6e-6, 2.7e-5}};
static const double random_2[TABLE_2][2] = {
    {5.8e-1, 1.5e0},   {6.4e-2, 2.7e-1}, {9.1e-3, 5.2e-2}, {1.6e-3, 1.1e-2},
    {2.8e-4, 2.5e-3},  {6.0e-5, 6.0e-4}, {1.4e-5, 1.5e-4}, {3.1e-6, 3.9e-5},
    {8.0e-7, 1.05e-5}, {2.1e-7, 2.9e-6}, {6.0e-8, 7.9e-7}};
/* The error of a list of boxes that are filled evenly with a charge 1 each,
 * ws = 1; of ws = 2 it is less. */
static const double together_1[TOGETHER][2] = {
    {1.0e0, 3.6e0},    {1.4e-2, 8.5e-2},  {6.1e-3, 5.6e-2},  {4.8e-3, 3.4e-2},
    {3.2e-5, 3.7e-4},  {2.7e-5, 3.2e-4},  {1.4e-5, 1.4e-4},  {1.4e-5, 1.4e-4},
    {1.1e-6, 1.5e-5},  {1.1e-6, 1.5e-5},  {2.2e-7, 2.2e-6},  {2.2e-7, 2.2e-6},
    {5.6e-8, 7.1e-7},  {5.6e-8, 7.1e-7},  {1.0e-8, 1.3e-7},  {1.0e-8, 1.3e-7},
    {1.0e-9, 1.6e-8},  {1.0e-9, 1.6e-8},  {5.2e-10, 8.5e-9}, {5.2e-10, 8.5e-9},
    {2.4e-11, 5.8e-10}, {2.4e-11, 5.8e-10}, {2.4e-11, 5.1e-10},
    {2.4e-11, 5.1e-10}, {5.4e-12, 1.4e-10}};

static double beyond(const double (*table)[2], int n, int order, int field,
                     double factor)
{
    int last = order < n ? order : n - 1;
    return table[last][field] * pow(factor, order - last);
}

struct fmm_error fmm_error(int order, int ws, const double box[3], int field)
{
    struct fmm_error e;
    double least = fmin(box[0], fmin(box[1], box[2]));
    double radius = sqrt(box[0] * box[0] + box[1] * box[1] + box[2] * box[2])
                    / 2;
    /* bricks: the worst pair converges as its corner to its distance */
    double slow = radius / least / sqrt(0.75);
    if (ws == 1)
        e.random = beyond(random_1, TABLE, order, field, SLOWEST);
    else
        e.random = beyond(random_2, TABLE_2, order, field, SLOWEST_2);
    e.together = beyond(together_1, TOGETHER, order, field, SLOWEST);
    e.random *= pow(slow, order + 1);
    e.together *= pow(slow, order + 1);
    return e;
}

/* What rounding leaves of sums, relative. */
static double fmm_rounding(const struct farsum_plan *plan)
{
    return plan->problem.precision == FARSUM_F32 ? 3e-7 : 1e-15;
}

/* Squares of the field's errors halve from a level to the one above, those of
 * the potential's double: the sum over the levels that there are. */
static double fmm_levels(int depth, int field)
{
    return field ? 2 : pow(2, depth < 1 ? 1 : depth);
}

/* C = 1, of forces if field. */
static double fmm_truncation(const struct fmm_facts *f, int order, int ws,
                             int depth, const double box[3],
                             const double crowd[2], const double squares[2],
                             int field)
{
    struct fmm_error e = fmm_error(order, ws, box, field);
    double random = e.random * sqrt(f->q2 * crowd[field]
                                    * fmm_levels(depth, field));
    double together = e.together * fabs(f->q1) * sqrt(squares[field]);
    return hypot(random, together) * (field ? sqrt(f->q2) : 1);
}

static double fmm_norm(const struct fmm_facts *f, int field)
{
    return field ? f->force : f->potential;
}

double fmm_estimate(const struct farsum_plan *plan, const struct fmm *s,
                    const struct fmm_facts *facts)
{
    int field = plan->problem.error != FARSUM_ERROR_POTENTIAL;
    double norm = fmm_norm(facts, field);
    double error = fmm_truncation(facts, s->shape.order, s->shape.ws,
                                  s->shape.depth, s->shape.box, s->crowd,
                                  s->crowd2, field);
    error = hypot(error, fmm_rounding(plan) * norm);
    if (plan->problem.error == FARSUM_ERROR_ABSOLUTE)
        return plan->problem.coulomb * error;
    return norm > 0 ? error / norm : 0;
}

farsum_status fmm_order(const struct farsum_plan *plan,
                        const struct fmm_facts *facts, int ws, int depth,
                        const double box[3], const double crowd[2],
                        const double squares[2], int *order)
{
    const farsum_problem *p = &plan->problem;
    int field = p->error != FARSUM_ERROR_POTENTIAL;
    double norm = fmm_norm(facts, field), rounding = fmm_rounding(plan) * norm;
    double most = p->error == FARSUM_ERROR_ABSOLUTE
                      ? p->tolerance / p->coulomb
                      : p->tolerance * norm;
    for (int k = 1; k <= MULTIPOLE_MOST; k++) {
        double error = fmm_truncation(facts, k, ws, depth, box, crowd, squares,
                                      field);
        if (hypot(error, rounding) <= most || most == 0) {
            *order = k;
            return FARSUM_OK;
        }
    }
    FAIL(ERR_TOLERANCE,
         "tolerance %g is below what %s with orders up to %d reaches",
         p->tolerance, p->precision == FARSUM_F32 ? "f32" : "f64",
         (int)MULTIPOLE_MOST);
}
