/* SPDX-License-Identifier: Apache-2.0 */
/* method.h: a recipe.  A row of methods.def and a `const struct method
 * method_NAME` in NAME.c are the whole registration. */
#ifndef FARSUM_TASK_METHOD_H
#define FARSUM_TASK_METHOD_H

#include "task/units.h"

/* Groups of options that a method may have. */
enum method_options {
    METHOD_ANY = 0,
    METHOD_CUTOFF = 1,
    METHOD_MESH = 2,  /* split, window, mesh and the variants of its stages */
    METHOD_BOXES = 4, /* order, boxes and the variants of their stages */
};

struct method {
    /* Can it do this problem?  A message says why not. */
    farsum_status (*fits)(const struct task *task);
    /* Seconds below which no execute comes, known immediately: where another
     * method is as fast, tune is not called. */
    double (*least)(const struct task *task);
    /* Chooses all that the options leave open.  *state, which is never NULL
     * then, is create's or destroy's; *seconds are what one execute should
     * take.  Allocates nothing of size. */
    farsum_status (*tune)(const struct task *task, void **state,
                          double *seconds);
    /* state is tune's: reports it; unless task->dry, makes all that the sums
     * need. */
    farsum_status (*create)(const struct task *task, void *state);
    farsum_status (*set_points)(struct task *task, void *state, int64_t n,
                                const void *x, int64_t m, const void *y);
    farsum_status (*set_cell)(struct task *task, void *state,
                              const double cell[9]);
    /* Results are checked for presence; q on the host is finite.  Allocates
     * nothing. */
    farsum_status (*execute)(struct task *task, void *state, int rhs,
                             const void *q, farsum_result *result);
    /* Waits for the work enqueued on a device; NULL: none is ever. */
    farsum_status (*finish)(struct task *task, void *state);
    void (*destroy)(void *state); /* NULL is legal */
    /* The options that name choices which the report lacks; NULL: none. */
    void (*choice)(const void *state, farsum_options *options);
    /* task->exclusions have other rows, for the points that are set; NULL:
     * execute reads them. */
    farsum_status (*exclude)(struct task *task, void *state);
    unsigned options; /* METHOD_... */
    unsigned lacks;   /* FARSUM_...: outputs that it has not of a periodic
                         cell; a plan of another method beside it has them */
    int reference;    /* 1: taken only where no other fits */
    int bounded;      /* 1: keeps options.strict */
    int wide;         /* 1: sums in f64 whatever is asked for */
    int mixed;        /* 1: sums near pairs of a mixed problem in f32 */
};

struct method_row {
    const char *name, *note, *needs;
    const struct method *method;
};
extern const struct method_row method_rows[]; /* ended by a NULL name */
#endif
