/* SPDX-License-Identifier: Apache-2.0 */
/* fmm_orders.c: errors of the method fmm by order, for the tables of
 * src/method/fmm/boxes/error.c; one CSV line each.
 *
 *     fmm_orders N ROOT LEVELS WS CHARGES [STEP [MOST [SEED]]]
 *
 *     fmm_orders 30000 4 2 1 1
 *     fmm_orders 20000 5 2 2 1 2 30
 *
 * N uniform points in a periodic cube with ROOT^3 root boxes and LEVELS levels.
 * CHARGES 1: alternately +1 and -1; 0: all +1.  Orders STEP, 2 STEP, ... are
 * compared with order MOST (default: 40).  potential and field are root mean
 * squares over the root of the number of charges in a box (and the levels'
 * sum), in units of a leaf's edge.  worst is the largest share of one point in
 * the squares of the field's error.  thousands are the median and the maximum
 * of the field's error over sets of 1000 points, relative to the whole. */
#include "mesh_case.h"

#include "base/mem.h"
#include "farsum/farsum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct orders {
    int64_t n;
    farsum_options options;
    double *x, *q; /* owned */
};

struct sums {
    double *potential, *field; /* owned */
};

static void take_sums(const struct orders *o, int order, struct sums *to)
{
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_options options = o->options;
    farsum_result result = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    for (int d = 0; d < 3; d++) {
        problem.cell[4 * d] = 1;
        problem.periodic[d] = 1;
    }
    problem.n_sources = o->n;
    problem.tolerance = 1e-3;
    problem.precision = problem.arrays = FARSUM_F64;
    problem.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    problem.sample_x = o->x;
    problem.sample_q = o->q;
    options.method = "fmm";
    options.fmm.order = order;
    result.potential = to->potential;
    result.field = to->field;
    bench_need(farsum_plan_create(&problem, &options, &plan));
    bench_need(farsum_plan_set_points(plan, o->n, o->x, 0, NULL));
    bench_need(farsum_plan_execute(plan, 1, o->q, &result));
    farsum_plan_destroy(plan);
}

static int ascending(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

/* Sum of squares of the field's errors, and mean square of the potential's. */
static double take_squares(const struct orders *o, const struct sums *found,
                           const struct sums *wanted, double *square)
{
    double potential = 0;
    for (int64_t i = 0; i < o->n; i++) {
        double d = found->potential[i] - wanted->potential[i];
        potential += d * d / (double)o->n;
        square[i] = 0;
        for (int64_t k = 3 * i; k < 3 * i + 3; k++) {
            d = found->field[k] - wanted->field[k];
            square[i] += d * d;
        }
    }
    return potential;
}

static void print_line(const struct orders *o, int order, double potential,
                       double *square)
{
    const farsum_fmm_options *p = &o->options.fmm;
    double leaves = pow((double)p->boxes[0] * (1 << (p->levels - 1)), 3);
    double filling = 1 + (double)o->n / leaves, h = cbrt(1 / leaves);
    double above = pow(2, p->levels) - 1, below = 2 - pow(2, 1 - p->levels);
    double sum = 0, worst = 0;
    int64_t sets = o->n / 1000;
    double *set = NULL;
    bench_need(MEM_NEW(set, sets + 1));
    for (int64_t i = 0; i < o->n; i++) {
        sum += square[i];
        worst = fmax(worst, square[i]);
        if (i / 1000 < sets)
            set[i / 1000] += square[i] / 1000;
    }
    qsort(set, (size_t)sets, sizeof *set, ascending);
    double mean = sum / (double)o->n;
    printf("%lld,%lld,%d,%d,%d,%.3e,%.3e,%.3f,%.2f,%.2f\n", (long long)o->n,
           (long long)p->boxes[0], p->levels, p->separation, order,
           sqrt(potential / (filling * above)) * h,
           sqrt(mean / (below * filling)) * h * h, worst / sum,
           sets ? sqrt(set[sets / 2] / mean) : 1,
           sets ? sqrt(set[sets - 1] / mean) : 1);
    fflush(stdout);
    mem_free(set);
}

static void take_points(struct orders *o, int charges, uint64_t seed)
{
    bench_need(MEM_RAW(o->x, 3 * o->n));
    bench_need(MEM_RAW(o->q, o->n));
    for (int64_t i = 0; i < 3 * o->n; i++)
        o->x[i] = bench_number(&seed);
    for (int64_t i = 0; i < o->n; i++)
        o->q[i] = charges && i % 2 ? -1 : 1;
}

int main(int argc, char **argv)
{
    struct orders o = {.options = FARSUM_OPTIONS_INIT};
    struct sums wanted = {0}, found = {0};
    double *square = NULL;
    if (argc < 6) {
        fprintf(stderr, "usage: fmm_orders N ROOT LEVELS WS CHARGES [STEP "
                        "[MOST [SEED]]]\n");
        return 2;
    }
    int step = argc > 6 ? atoi(argv[6]) : 3,
        most = argc > 7 ? atoi(argv[7]) : 40;
    o.n = atoll(argv[1]);
    o.options.fmm.boxes[0] = o.options.fmm.boxes[1] = o.options.fmm.boxes[2] =
        atoll(argv[2]);
    o.options.fmm.levels = atoi(argv[3]);
    o.options.fmm.separation = atoi(argv[4]);
    take_points(&o, atoi(argv[5]), argc > 8 ? strtoull(argv[8], NULL, 10) : 7);
    bench_need(MEM_RAW(wanted.potential, o.n));
    bench_need(MEM_RAW(wanted.field, 3 * o.n));
    bench_need(MEM_RAW(found.potential, o.n));
    bench_need(MEM_RAW(found.field, 3 * o.n));
    bench_need(MEM_RAW(square, o.n));
    printf("n,root,levels,separation,order,potential,field,worst,median_1000,"
           "most_1000\n");
    take_sums(&o, most, &wanted);
    for (int order = step > 0 ? step : 1;
         order<most; order += step> 0 ? step : 1) {
        take_sums(&o, order, &found);
        double potential = take_squares(&o, &found, &wanted, square);
        print_line(&o, order, potential, square);
    }
    mem_free(wanted.potential);
    mem_free(wanted.field);
    mem_free(found.potential);
    mem_free(found.field);
    mem_free(square);
    mem_free(o.x);
    mem_free(o.q);
    return 0;
}
