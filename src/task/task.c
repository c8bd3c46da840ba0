/* SPDX-License-Identifier: Apache-2.0 */
/* task.c: cell, memory limit and log of the caller. */
#include "task/task.h"

#include <math.h>
#include <stdarg.h>

#include "base/c_locale.h"
#include "base/fpenv.h"
#include "points/open_axes.h"
#include "task/units.h"

farsum_status task_has_memory(const struct task *task, double bytes)
{
    if (bytes > (double)task->options.memory_limit)
        FAIL(ERR_MEMORY, "the plan needs %.0f bytes in all, the limit is %llu",
             bytes, (unsigned long long)task->options.memory_limit);
    return FARSUM_OK;
}

farsum_status task_cell(const struct task *task, struct cell *cell)
{
    static const double cube[9] = {[0] = 1, [4] = 1, [8] = 1};
    const farsum_problem *p = &task->problem;
    if (task_axes(task) > 0)
        TRY(cell_set_axes(cell, p->cell, p->periodic, 1));
    else
        TRY(cell_set(cell, cube, 1));
    for (int d = 0; d < 3; d++)
        cell->open[d] = !p->periodic[d];
    cell->unit = task_per(task);
    return FARSUM_OK;
}

double task_decay(const struct task *task)
{
    double tolerance = task->problem.error == FARSUM_ERROR_ABSOLUTE
                           ? 0
                           : task->problem.tolerance;
    double decay = 6 - log(fmax(tolerance, 1e-15));
    const struct pair_kind *kind = task->pair.kind;
    /* a wave of r has a factor s z beyond that of 1/r, and a derivative s */
    return decay + (kind->order - kind->fall + 1) * log(decay);
}

/* Images cost N A decay^2/(8 pi gap^2) terms, the gap's mesh A gap/h^3 points,
 * h about rc/5.  Their sum is least where gap^3 is 0.015 N decay^2 h^3. */
void task_stretch(const struct task *task, double rc, struct cell *cell)
{
    double n = (double)task->sample.n, decay = task_decay(task);
    double least = cbrt(cell->volume / fmax(n, 1));
    double gap = rc * fmax(TASK_GAP, 0.05 * cbrt(n * decay * decay));
    if (task->exclusions.count > 0) /* the nearest image is the pair itself */
        gap = fmax(gap, 1.01 * task->sample.extent);
    for (int d = 0; d < 3; d++)
        if (task_axes(task) == 2 && !task->problem.periodic[d]) {
            cell_stretch(cell, d, fmax(task->sample.extent + gap, least));
            cell->open[d] = 0;
        }
    for (int d = 0; d < 3; d++)
        if (task_is_truncated(task) && !task->problem.periodic[d]) {
            double extent = fmax(task->sample.across[d], least);
            double twice = 2 * (extent + TASK_WINDOW * rc);
            cell_stretch(cell, d, rc > 0 ? twice : extent);
            cell->open[d] = 0;
        }
}

double task_radius(const struct task *task, double rc)
{
    double square = 0;
    if (!task_is_truncated(task))
        return 0;
    for (int d = 0; d < 3; d++)
        square += task->sample.across[d] * task->sample.across[d];
    return sqrt(square) / rc + TASK_CUT;
}

double task_volume(const struct task *task)
{
    return open_volume(task->problem.cell, task->problem.periodic,
                       task->sample.reach, (double)task->sample.n);
}

void task_log(const struct task *task, const char *format, ...)
{
    char line[1024];
    if (!task->options.log)
        return;
    va_list args;
    va_start(args, format);
    c_locale_vtext(line, sizeof line, format, args);
    va_end(args);
    int held = fp_suspend();
    task->options.log(line, task->options.log_data);
    fp_resume(held);
}

farsum_status task_connected(const struct task *task)
{
    if (task->comm && task->comm->broken)
        FAIL(ERR_COMM, "the communication among the ranks failed in an earlier "
                       "call of this plan; destroy it");
    return FARSUM_OK;
}

farsum_status task_agree(const struct task *task, farsum_status status)
{
    return task->comm ? comm_agree(task->comm, status) : status;
}

farsum_status task_sum(const struct task *task, double *values, int n)
{
    return task->comm ? comm_sum(task->comm, values, n) : FARSUM_OK;
}

farsum_status task_max(const struct task *task, double *values, int n)
{
    return task->comm ? comm_max(task->comm, values, n) : FARSUM_OK;
}

farsum_status task_same(const struct task *task, const double *values, int n,
                        const char *what)
{
    enum { MOST = 16 };
    double both[2 * MOST] = {0};
    if (!task->comm)
        return FARSUM_OK;
    for (int i = 0; i < n; i++) {
        both[i] = values[i];
        both[MOST + i] = -values[i];
    }
    farsum_status status = task_max(task, both, 2 * MOST);
    for (int i = 0; i < n; i++)
        if (!(both[i] == -both[MOST + i]))
            status = status_fail(FARSUM_ERR_ARGUMENT,
                                 "%s differs among the ranks: %g and %g", what,
                                 -both[MOST + i], both[i]);
    return task_agree(task, status);
}

farsum_status task_add(const struct task *task, farsum_status status,
                       double *values, int64_t n)
{
    TRY(task_agree(task, status));
    return task_agree(task, task_sum(task, values, (int)n));
}
