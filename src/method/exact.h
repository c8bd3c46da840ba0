/* exact.h: what the two reference methods share: copies of the points in f64,
 * sums in f64, the caller's arrays around them. */
#ifndef FARSUM_METHOD_EXACT_H
#define FARSUM_METHOD_EXACT_H

#include "method/method.h"

struct ewald;

struct exact {
    int64_t n, m;        /* m = 0: targets are the sources */
    double *x, *y;       /* owned, [n][3], [m][3] */
    double *q;           /* owned, [n] */
    double *potential;   /* owned, [targets] */
    double *field;       /* owned, [targets][3] */
    struct ewald *ewald; /* owned; NULL for direct */
    /* sums one right-hand side; an output that is NULL is not wanted */
    farsum_status (*sum)(struct farsum_plan *plan, struct exact *s,
                         double *potential, double *field, double *energy,
                         double *virial);
};

farsum_status exact_set_points(struct exact *s, const struct farsum_plan *plan,
                               int64_t n, const void *x, int64_t m,
                               const void *y);
farsum_status exact_execute(struct farsum_plan *plan, int rhs, const void *q,
                            farsum_result *result);
void exact_clear(struct exact *s);
/* One stage that stands for the whole method in reports. */
void exact_stage(struct farsum_plan *plan, const char *name,
                 const char *reason);
#endif
