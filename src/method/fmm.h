/* fmm.h: the inside of the fast multipole method (math.md section 10). */
#ifndef FARSUM_METHOD_FMM_H
#define FARSUM_METHOD_FMM_H

#include "method/exact.h"
#include "points/points.h"
#include "stage/boxes.h"

enum {
    FMM_P2M, FMM_M2M, FMM_M2L, FMM_LATTICE, FMM_L2L, FMM_L2P, FMM_NEAR,
    FMM_ROOMS,
};

/* Boxes and order. */
struct fmm_shape {
    int order, ws;
    int dense, depth;
    int64_t root[3], leaf;
    double seconds; /* an execute's, estimated */
};

struct fmm {
    struct exact exact; /* first: plan->state is read as one */
    int periodic;
    double edge[3];     /* of the periodic cell */
    double axis[9];     /* its directions, rows */
    struct cell cell;   /* its reduced basis, caller's unit */
    struct fmm_shape shape;
    struct boxes_args args;
    struct choice choice[FMM_ROOMS];
    void *room[FMM_ROOMS];
    double seconds[FMM_ROOMS];
    struct tree tree;
    struct points source, target; /* of a periodic cell: fractions */
    void *q, *potential, *field;  /* owned, in the order of leaves */
    int64_t have_q, have_potential, have_field;
    void *multipole, *local;      /* owned */
    int64_t stride, have_multipole, have_local;
    double crowd[2]; /* means over targets of their leaf's sources over h^2 and
                        h^4, caller's unit: what errors of potentials and
                        fields go with; */
    double charge[2]; /* the same of squares, over h^2 and h^4 */
};

/* fmm_shape.c: boxes for so many points in a region with these edges.  What the
 * options say is kept.  crowded 1: the points are far from uniform. */
farsum_status fmm_shape(const struct farsum_plan *plan, const double edge[3],
                        int periodic, int crowded, int64_t n, int64_t m,
                        int order, struct fmm_shape *shape);
/* What the rooms are told. */
void fmm_args(const struct farsum_plan *plan, const struct fmm_shape *shape,
              const double edge[3], int periodic, int64_t n, int64_t m,
              struct boxes_args *args);
/* Picks the rows. */
farsum_status fmm_choose(const struct farsum_plan *plan,
                         const struct boxes_args *args,
                         struct choice choice[FMM_ROOMS], double *seconds);
/* The edges of boxes over the longest. */
void fmm_box(const struct fmm_shape *shape, const double edge[3],
             double box[3]);

/* fmm_error.c: RMS error of the potential or the field at a target, C = 1, of
 * sources of mean q and mean q^2 in boxes of edge 1, one in each; what it is
 * for others goes by crowd and charge. */
struct fmm_error {
    double random, together;
};
struct fmm_error fmm_error(int order, int ws, const double box[3], int field);
/* Least order whose error is below the plan's tolerance; what it reaches. */
farsum_status fmm_order(const struct farsum_plan *plan, int ws,
                        const double box[3], double per_leaf, int *order);
/* The estimate in the tolerance's norm, of mean q and q^2, C = 1; norms of
 * potential and force, C = 1. */
double fmm_estimate(const struct farsum_plan *plan, const struct fmm *s,
                    double q1, double q2, double potential, double force);

/* fmm_points.c */
farsum_status fmm_set_points(struct farsum_plan *plan, int64_t n,
                             const void *x, int64_t m, const void *y);
/* fmm_run.c: a right-hand side into sums. */
farsum_status fmm_sum(struct farsum_plan *plan, struct exact *exact,
                      const struct exact_sums *sums);
/* Makes the rooms for s->args. */
farsum_status fmm_rooms(struct fmm *s);
void fmm_rooms_clear(struct fmm *s);
#endif
