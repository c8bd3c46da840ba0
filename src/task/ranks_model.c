/* SPDX-License-Identifier: Apache-2.0 */
#include "task/ranks_model.h"

#include "base/arrays.h"
#include "cost/expected_rates.h"
#include "task/task.h"

/* The number is that of a time on an H200 that no stage explains: of NUFFTs and
 * meshes with 1e7 points in f64 on one GPU.  Sums by fmm with 1e7 particles in
 * f32 on each of one and two GPUs gave the same. */
double ranks_model_order(const struct device *device,
                         farsum_precision precision, double bytes)
{
    return device ? 30 * bytes / gpu_rates(device, precision).bytes : 0;
}

int ranks_model_results(const struct task *task, int *arrays)
{
    const struct pair *pair = &task->pair;
    const unsigned outputs = task->problem.outputs;
    const int width[] = {
        outputs & (FARSUM_POTENTIAL | FARSUM_VELOCITY) ? pair->values : 0,
        outputs & FARSUM_FIELD ? 3 : 0, outputs & FARSUM_GRADIENT ? 6 : 0,
        outputs & FARSUM_PARTICLE_VIRIAL ? 9 : 0};
    int values = 0;
    *arrays = 0;
    for (size_t k = 0; k < sizeof width / sizeof *width; k++) {
        values += width[k];
        *arrays += width[k] > 0;
    }
    return values;
}

double ranks_model_ends(const struct task *task, double points)
{
    const farsum_problem *p = &task->problem;
    int arrays, results = ranks_model_results(task, &arrays);
    double values = points * (task->pair.strengths + results);
    return ranks_model_order(task->device, p->precision,
                             values * (double)array_size(p->arrays));
}
