/* SPDX-License-Identifier: Apache-2.0 */
/* task.h: the part of a plan that is fixed before a method is chosen.  The plan
 * owns it; methods read it and write their report.  Methods may change only the
 * units: those of points in open space and of a sum's strengths
 * (task/units.h). */
#ifndef FARSUM_TASK_TASK_H
#define FARSUM_TASK_TASK_H

#include "base/isa.h"
#include "base/scale.h"
#include "comm/comm.h"
#include "cost/factors.h"
#include "cost/links.h"
#include "device/device.h"
#include "math/pair.h"
#include "points/cell.h"
#include "points/exclusions.h"
#include "task/heights.h"
#include "task/report.h"
#include "task/sample.h"
#include "task/shape.h"

struct task {
    farsum_problem given;   /* defaults filled in; sample pointers cleared */
    farsum_problem problem; /* `given` in the task's units.  A mixed problem has
                               precision f64 here and `pairs` f32.  error: the
                               norm that parameters are tuned for */
    farsum_options options; /* names are cleared once the plan has used them */
    struct units units;     /* of problem, cutoff and skin */
    double given_cutoff, given_skin; /* the options' values, in the caller's
                                        units */
    double *sample_q;       /* owned: problem.sample_q in f64; exists during
                               create */
    double sign;            /* of C; problem.coulomb is |C| */
    double finer;           /* given.tolerance / problem.tolerance: 1, or larger
                               if the norm or the check requires a finer sum */
    struct pair pair;       /* the problem's kernel */
    farsum_precision pairs; /* precision of the near field's pairs */
    struct device *device;  /* NULL: the host */
    struct comm *comm;      /* borrowed; NULL: one rank.  Counts of the problem
                               are then those of all ranks */
    struct links links;     /* between the ranks that sum, or that rank 0
                               chooses for */
    struct ranks_shape shape; /* of the ranks' parts, if wanted */
    const char *transport;  /* between devices of ranks: a static name, or NULL:
                               chosen (ranks/device/transport.h) */
    int64_t share_of;       /* a reference: its sources are a rank's share of so
                               many, for which its parameters are; 0: all */
    enum isa isa;
    int threads;
    int dry;                /* 1: farsum_plan_tune: create allocates nothing */
    farsum_part part;       /* of the sums; given.part only once the plan has
                               been checked */
    struct machine machine; /* factors of the cost model */
    struct sample sample;   /* statistics of the points, for the error model */
    struct heights heights; /* of the sample, where ranks will sum */
    struct exclusions exclusions; /* rows: of the current points */
    struct report *report;        /* owned by the plan */
};

/* Number of periodic axes: 0: open space. */
static inline int task_axes(const struct task *task)
{
    return cell_axes(task->problem.periodic);
}

/* 1: two periodic axes, of a kernel whose images above and below are known. */
static inline int task_is_slab(const struct task *task)
{
    return task_axes(task) == 2 && task->pair.kind->sheet;
}

/* 1: a potential whose kernel, cut at a radius, has a known transform. */
static inline int task_cuts(const struct task *task)
{
    return task->pair.kind->sheet && task->pair.kind->gradient;
}

/* 1: one periodic axis or none, of a kernel that is cut beyond the points along
 * the open ones; math.md 9.8.  In open space only a sample tells where they
 * are. */
static inline int task_is_truncated(const struct task *task)
{
    int known = task_axes(task) == 1
                || (task_axes(task) == 0 && task->sample.across[0] > 0);
    return known && task_cuts(task);
}

/* Two periodic axes: images above and below are left out where they are
 * e^-decay; math.md 9.7. */
double task_decay(const struct task *task);
/* Makes open axes periodic, too.  Two periodic axes: with a gap between images
 * that is at least TASK_GAP cutoffs.  Fewer: twice as long as the points and
 * TASK_WINDOW cutoffs for a window, or rc = 0: as long as the points. */
#define TASK_GAP 1.6
#define TASK_WINDOW 1.3
void task_stretch(const struct task *task, double rc, struct cell *cell);
/* One periodic axis or none: the radius at which the kernel is cut, in units of
 * the cutoff; TASK_CUT more than any pair is apart.  Otherwise 0. */
#define TASK_CUT 1
double task_radius(const struct task *task, double rc);
/* The volume V of norms: open_volume() of the sample, or without a sample of
 * the cell. */
double task_volume(const struct task *task);
/* Sets the problem's cell, in the task's units; open space: a cube of edge 1,
 * open along all axes. */
farsum_status task_cell(const struct task *task, struct cell *cell);

/* The constant C, in the task's units. */
static inline double task_constant(const struct task *task)
{
    return task->sign * task->problem.coulomb;
}

/* 1: near pairs in f32, everything else in f64. */
static inline int task_is_mixed(const struct task *task)
{
    return task->pairs != task->problem.precision;
}

/* The outputs that a kernel has: FARSUM_POTENTIAL | ... */
static inline unsigned pair_outputs(const struct pair *pair)
{
    unsigned more = pair->kind->moments == 0   ? 0
                    : pair->kind->moments == 1 ? FARSUM_GRADIENT
                                               : FARSUM_GRADIENT | FARSUM_THIRD;
    return pair->kind->gradient
               ? FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY | FARSUM_VIRIAL
                     | FARSUM_PARTICLE_VIRIAL | more
               : FARSUM_VELOCITY;
}

/* Fails if the communication among the ranks has failed in an earlier call.
 * Then it fails on all ranks, so that none waits for another. */
farsum_status task_connected(const struct task *task);
/* The same status on all ranks, as comm_agree. */
farsum_status task_agree(const struct task *task, farsum_status status);
/* Replaces values by their sums, or largest ones, over all ranks. */
farsum_status task_sum(const struct task *task, double *values, int n);
farsum_status task_max(const struct task *task, double *values, int n);
/* Agrees on this rank's status so far, and adds if no rank failed.  Returns the
 * same status on all ranks. */
farsum_status task_add(const struct task *task, farsum_status status,
                       double *values, int64_t n);
/* Fails on all ranks if the numbers, 16 at most, differ among ranks. */
farsum_status task_same(const struct task *task, const double *values, int n,
                        const char *what);
/* Fails if a method needs more bytes than options.memory_limit. */
farsum_status task_has_memory(const struct task *task, double bytes);
/* Writes one line to the caller's log, if there is one. */
void task_log(const struct task *task, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
#endif
