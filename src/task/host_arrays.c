/* SPDX-License-Identifier: Apache-2.0 */
/* host_arrays.c: converts positions, strengths and results between the caller's
 * arrays on the host and sums in f64. */
#include "task/host_arrays.h"

#include <math.h>
#include <string.h>

#include "base/arrays.h"
#include "base/par.h"

/* Two points this close to each other may have a squared distance of 0, and
 * would count as coincident in open sums. */
#define HOST_CLOSE 0x1p-480

struct positions positions_rows(double *x, int64_t n)
{
    if (n == 0)
        return (struct positions){0};
    return (struct positions){n, {x, x + 1, x + 2}, 3};
}

/* Reads x [n][3] in the caller's units and extends the box. */
static farsum_status positions_read(const struct positions *to, const void *x,
                                    farsum_precision type, const char *what,
                                    int threads, struct extent *extent)
{
    int64_t bad = INT64_MAX;
    double low[3], high[3];
    memcpy(low, extent->low, sizeof low);
    memcpy(high, extent->high, sizeof high);
    PAR_FOR(threads,
            schedule(static) reduction(min
                                       : bad, low[:3]) reduction(max
                                                                 : high[:3]))
    for (int64_t i = 0; i < to->n; i++)
        for (int d = 0; d < 3; d++) {
            double v = array_get(x, type, 3 * i + d);
            to->x[d][to->step * i] = v;
            low[d] = v < low[d] ? v : low[d];
            high[d] = v > high[d] ? v : high[d];
            if (!isfinite(v) && 3 * i + d < bad)
                bad = 3 * i + d;
        }
    if (bad != INT64_MAX)
        FAIL(ERR_POSITION, "%s %lld: %c = %g is not finite", what,
             (long long)(bad / 3), "xyz"[bad % 3], array_get(x, type, bad));
    memcpy(extent->low, low, sizeof low);
    memcpy(extent->high, high, sizeof high);
    return FARSUM_OK;
}

/* Converts positions to the task's units. */
static void positions_inside(const struct task *task, const struct positions *p)
{
    double per = task_per(task);
    PAR_FOR(task->threads, schedule(static))
    for (int64_t i = 0; i < p->n; i++)
        for (int d = 0; d < 3; d++)
            p->x[d][p->step * i] *= per;
}

static farsum_status positions_close(void)
{
    FAIL(ERR_POSITION, "two points at the origin are closer than 1e-144 of the "
                       "extent of all, and not at one place");
}

/* Fails if two points lie within HOST_CLOSE of the origin and differ.  first:
 * the first such point; NAN: none yet. */
static farsum_status positions_apart(const struct positions *p, double first[3])
{
    for (int64_t i = 0; i < p->n; i++) {
        const double at[3] = {p->x[0][p->step * i], p->x[1][p->step * i],
                              p->x[2][p->step * i]};
        if (!(fabs(at[0]) < HOST_CLOSE && fabs(at[1]) < HOST_CLOSE
              && fabs(at[2]) < HOST_CLOSE))
            continue;
        if (isnan(first[0]))
            memcpy(first, at, sizeof at);
        if (first[0] != at[0] || first[1] != at[1] || first[2] != at[2])
            return positions_close();
    }
    return FARSUM_OK;
}

/* Over ranks: the same for points that different ranks give. */
static farsum_status positions_apart_all(const struct task *task,
                                         const double first[3],
                                         farsum_status status)
{
    double most[6];
    for (int d = 0; d < 3; d++) {
        most[d] = isnan(first[d]) ? -INFINITY : first[d];
        most[3 + d] = isnan(first[d]) ? -INFINITY : -first[d];
    }
    TRY(task_agree(task, status));
    (void)task_max(task, most, 6);
    for (int d = 0; d < 3 && status == FARSUM_OK; d++)
        if (most[d] > -INFINITY && most[d] != -most[3 + d])
            status = positions_close();
    return task_agree(task, status);
}

static farsum_status positions_given(const struct task *task,
                                     const struct positions *source,
                                     const void *x,
                                     const struct positions *target,
                                     const void *y, struct extent *extent)
{
    farsum_precision type = task->problem.arrays;
    TRY(positions_read(source, x, type, "source", task->threads, extent));
    if (target->n == 0)
        return FARSUM_OK;
    return positions_read(target, y, type, "target", task->threads, extent);
}

/* Over ranks: the box of the points of all. */
static void positions_extent(const struct task *task, struct extent *extent)
{
    double most[6];
    for (int d = 0; d < 3; d++) {
        most[d] = extent->high[d];
        most[3 + d] = -extent->low[d];
    }
    (void)task_max(task, most, 6);
    for (int d = 0; d < 3; d++) {
        extent->high[d] = most[d];
        extent->low[d] = -most[3 + d];
    }
}

farsum_status host_positions(struct task *task, const struct positions *source,
                             const void *x, const struct positions *target,
                             const void *y, struct extent *extent)
{
    struct extent all = EXTENT_NONE;
    double first[3] = {NAN, NAN, NAN};
    TRY(task_agree(task, positions_given(task, source, x, target, y, &all)));
    positions_extent(task, &all);
    if (task_axes(task) == 0)
        units_points(task, &all);
    positions_inside(task, source);
    if (target->n > 0)
        positions_inside(task, target);
    for (int d = 0; extent && d < 3; d++) {
        extent->low[d] = task_per(task) * all.low[d];
        extent->high[d] = task_per(task) * all.high[d];
    }
    if (task_axes(task) > 0)
        return FARSUM_OK;
    farsum_status status = positions_apart(source, first);
    if (status == FARSUM_OK)
        status = positions_apart(target, first);
    return task->comm ? positions_apart_all(task, first, status) : status;
}

void host_strengths(struct task *task, int64_t n, int r, const void *q,
                    double *to)
{
    int width = task->pair.strengths;
    int64_t each = n * width;
    double most[UNITS_PARTS];
    const double *per = task->units.per;
    units_most(&task->pair, q, task->problem.arrays, r * each, n, most);
    (void)task_max(task, most, UNITS_PARTS);
    units_strength(task, most);
    for (int64_t i = 0; i < each; i++)
        to[i] = array_get(q, task->problem.arrays, r * each + i)
                * per[units_part(&task->pair, (int)(i % width))];
}

struct host_sums host_sums(const farsum_result *result, double *potential,
                           double *vector, double *energy, double *virial)
{
    return (struct host_sums){
        .potential = result->potential ? potential : NULL,
        .field = result->field ? vector : NULL,
        .energy = result->energy ? energy : NULL,
        .virial = result->virial ? virial : NULL,
        .velocity = result->velocity ? vector : NULL,
    };
}

/* Fails if the largest sum is not in the range of its output. */
static farsum_status results_range(const struct task *task, const double *v,
                                   int64_t n, int exponent,
                                   farsum_precision type, const char *what)
{
    if (!v)
        return FARSUM_OK;
    double most = units_largest(v, FARSUM_F64, n, task->threads);
    return units_range(task, fabs(task_constant(task)) * most, exponent, type,
                       what);
}

static farsum_status results_ranges(const struct task *task, int64_t targets,
                                    const struct host_sums *sums)
{
    farsum_precision type = task->problem.arrays;
    int value = task_exponent(task), energy = task_exponent_energy(task);
    TRY(results_range(task, sums->potential, targets, value, type,
                      "potential"));
    TRY(results_range(task, sums->field, 3 * targets, task_exponent_field(task),
                      type, "field"));
    TRY(results_range(task, sums->velocity, 3 * targets, value, type,
                      "velocity"));
    TRY(results_range(task, sums->gradient, 6 * targets,
                      task_exponent_gradient(task), type, "gradient"));
    TRY(results_range(task, sums->third, 10 * targets,
                      task_exponent_third(task), type, "third"));
    TRY(results_range(task, sums->particle, 9 * targets, energy, type,
                      "particle_virial"));
    TRY(results_range(task, sums->energy, 1, energy, FARSUM_F64, "energy"));
    return results_range(task, sums->virial, 9, energy, FARSUM_F64, "virial");
}

farsum_status host_results(const struct task *task, int64_t targets, int r,
                           const struct host_sums *sums, farsum_result *result)
{
    double c = task_constant(task);
    farsum_precision type = task->problem.arrays;
    struct scale value = scale_of(task_exponent(task));
    struct scale field = scale_of(task_exponent_field(task));
    struct scale gradient = scale_of(task_exponent_gradient(task));
    struct scale third = scale_of(task_exponent_third(task));
    struct scale energy = scale_of(task_exponent_energy(task));
    TRY(results_ranges(task, targets, sums));
    for (int64_t i = 0; sums->potential && i < targets; i++)
        array_put(result->potential, type, r * targets + i,
                  scale_by(value, c * sums->potential[i]));
    for (int64_t i = 0; sums->field && i < 3 * targets; i++)
        array_put(result->field, type, 3 * r * targets + i,
                  scale_by(field, c * sums->field[i]));
    for (int64_t i = 0; sums->velocity && i < 3 * targets; i++)
        array_put(result->velocity, type, 3 * r * targets + i,
                  scale_by(value, c * sums->velocity[i]));
    for (int64_t i = 0; sums->gradient && i < 6 * targets; i++)
        array_put(result->gradient, type, 6 * r * targets + i,
                  scale_by(gradient, c * sums->gradient[i]));
    for (int64_t i = 0; sums->third && i < 10 * targets; i++)
        array_put(result->third, type, 10 * r * targets + i,
                  scale_by(third, c * sums->third[i]));
    for (int64_t i = 0; sums->particle && i < 9 * targets; i++)
        array_put(result->particle_virial, type, 9 * r * targets + i,
                  scale_by(energy, c * sums->particle[i]));
    if (sums->energy)
        result->energy[r] = scale_by(energy, c * *sums->energy);
    for (int a = 0; sums->virial && a < 9; a++)
        result->virial[9 * r + a] = scale_by(energy, c * sums->virial[a]);
    return FARSUM_OK;
}

void host_net(const struct task *task, int64_t n, const double *q)
{
    double net = 0, square = 0;
    for (int64_t i = 0; i < n; i++) {
        net += q[i];
        square += task->pair.kind->square(q + i * task->pair.strengths);
    }
    double all[] = {net, square, (double)n};
    (void)task_sum(task, all, 3);
    task->report->info.net_strength = all[0];
    task->report->net_size = sqrt(all[2] * all[1]);
}
