/* SPDX-License-Identifier: Apache-2.0 */
/* task.h: what is fixed before a method is chosen.  The plan owns it; methods
 * read it, and write their report.  A method changes the units only: those of
 * points in open space and of a sum's strengths (task/units.h). */
#ifndef FARSUM_TASK_TASK_H
#define FARSUM_TASK_TASK_H

#include "base/isa.h"
#include "base/scale.h"
#include "cost/factors.h"
#include "device/device.h"
#include "math/pair.h"
#include "points/exclusions.h"
#include "task/report.h"
#include "task/sample.h"

struct task {
    farsum_problem given;   /* defaults filled in; sample pointers cleared */
    farsum_problem problem; /* the same in the task's units; mixed is f64 here,
                                with pairs in f32; error is the norm that
                                parameters are tuned by */
    farsum_options options; /* names of the caller are cleared once used */
    struct units units;     /* of problem, options.cutoff and options.skin */
    double given_cutoff, given_skin; /* of the options, in caller's units */
    double *sample_q;       /* owned: problem.sample_q, f64; during create */
    double sign;            /* of the constant; problem.coulomb is its size */
    double finer;           /* problem.tolerance is given.tolerance over this:
                                1, or more if the norm or the check requires
                                it */
    struct pair pair;       /* the problem's kernel */
    farsum_precision pairs; /* of the near field's pairs */
    struct device *device;  /* NULL: the host */
    enum isa isa;
    int threads;
    int dry;                /* 1: create allocates nothing: farsum_plan_tune */
    struct machine machine; /* factors of the costs */
    struct sample sample;   /* of the points, for the error model */
    struct exclusions exclusions; /* rows: for the points that are set */
    struct report *report;        /* the plan's */
};

/* The constant C inside. */
static inline double task_constant(const struct task *task)
{
    return task->sign * task->problem.coulomb;
}

/* 1: near pairs in f32, all else in f64. */
static inline int task_is_mixed(const struct task *task)
{
    return task->pairs != task->problem.precision;
}

/* FARSUM_POTENTIAL | ...: what a kernel has. */
static inline unsigned pair_outputs(const struct pair *pair)
{
    return pair->kind->gradient
               ? FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY | FARSUM_VIRIAL
               : FARSUM_VELOCITY;
}

/* Fails if a method will need more bytes than options.memory_limit. */
farsum_status task_has_memory(const struct task *task, double bytes);
/* One line to the caller's log, if there is one. */
void task_log(const struct task *task, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
#endif
