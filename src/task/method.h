/* SPDX-License-Identifier: Apache-2.0 */
/* method.h: interface of a summation method.  To register a method, add a line
 * to methods.def and define `const struct method method_NAME` in NAME.c. */
#ifndef FARSUM_TASK_METHOD_H
#define FARSUM_TASK_METHOD_H

#include "task/units.h"

/* Groups of options that a method may accept. */
enum method_options {
    METHOD_ANY = 0,
    METHOD_CUTOFF = 1,
    METHOD_MESH = 2,  /* split, window, mesh and the variants of its stages */
    METHOD_BOXES = 4, /* order, boxes and the variants of their stages */
};

struct ranks_model;

struct method {
    /* Returns OK if the method supports this problem; otherwise fails with the
     * reason as the message. */
    farsum_status (*fits)(const struct task *task);
    /* A lower bound for the seconds per execute, cheap to compute.  If another
     * method is as fast as that, tune is not called. */
    double (*least)(const struct task *task);
    /* Chooses everything that the options leave open and allocates no large
     * arrays.  On success *state is not NULL; create or destroy takes ownership
     * of it.  *seconds is the predicted time of one execute. */
    farsum_status (*tune)(const struct task *task, void **state,
                          double *seconds);
    /* Takes the state of tune and writes the report.  Unless task->dry, it also
     * allocates and builds everything that the sums need. */
    farsum_status (*create)(struct task *task, void *state);
    farsum_status (*set_points)(struct task *task, void *state, int64_t n,
                                const void *x, int64_t m, const void *y);
    farsum_status (*set_cell)(struct task *task, void *state,
                              const double cell[9]);
    /* The caller has checked that the requested results are present, and that q
     * on the host is finite.  Allocates nothing. */
    farsum_status (*execute)(struct task *task, void *state, int rhs,
                             const void *q, farsum_result *result);
    /* Waits for the work enqueued on a device.  NULL: the method never enqueues
     * any. */
    farsum_status (*finish)(struct task *task, void *state);
    void (*destroy)(void *state); /* NULL is legal */
    /* Names the choices that the report does not contain, as options.  NULL:
     * none. */
    void (*choice)(const void *state, farsum_options *options);
    /* Adds what tune measured itself from the sample's points, for plans that
     * know only its statistics.  NULL: nothing. */
    void (*measured)(const void *state, struct sample *sample);
    /* Called when the rows of task->exclusions changed for the current points.
     * NULL: execute reads the rows itself. */
    farsum_status (*exclude)(struct task *task, void *state);
    /* task->part has become a part of the sum: frees what it does not need.
     * NULL: the method sums only the whole. */
    farsum_status (*part)(struct task *task, void *state);
    /* The near function at n squared distances, for farsum_plan_near.  NULL:
     * there is none. */
    farsum_status (*near)(const struct task *task, const void *state, int64_t n,
                          const double *r2, double *u, double *du);
    /* What a rank would do in a sum over ranks with these links, by the state
     * of tune: the one that is slowest.  NULL: the method has no sums over
     * ranks. */
    farsum_status (*model)(const struct task *task, const void *state,
                           const struct links *links,
                           struct ranks_model *model);
    unsigned options; /* METHOD_... */
    unsigned lacks;   /* FARSUM_...: outputs that this method lacks with
                         lacks_axes periodic axes or more; a companion plan of
                         another method computes them */
    int lacks_axes;
    int reference;    /* 1: chosen only where no other method fits */
    int bounded;      /* 1: supports options.strict */
    int wide;         /* 1: always sums in f64 */
    int mixed;        /* 1: sums the near pairs of a mixed problem in f32 */
};

struct method_row {
    const char *name, *note, *needs;
    const struct method *method;
};
extern const struct method_row method_rows[]; /* terminated by a NULL name */
#endif
