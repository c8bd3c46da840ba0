/* SPDX-License-Identifier: Apache-2.0 */
/* fmm.h: the inside of the fast multipole method (math.md section 10). */
#ifndef FARSUM_METHOD_FMM_FMM_H
#define FARSUM_METHOD_FMM_FMM_H

#include "reference/reference.h"
#include "points/wrap.h"
#include "stage/expansions/expansions.h"
#include "stage/p2p/p2p.h"

struct fmm_gpu;
struct fmm_strict;

enum {
#define BOXES_STAGE(NAME, name) FMM_##NAME,
#include "cost/stages.def"
    FMM_ROOMS
};

/* What is known of the points: C = 1, caller's units. */
struct fmm_facts {
    int periodic;
    double edge[3];          /* of the cell, or of what holds the points */
    double volume;
    double q1, q2;           /* means over the sources of q and q^2 */
    double potential, force; /* norms of the tolerance */
    double near; /* RMS force of pairs much nearer than others, where no sample
                    says more; 0 */
};

enum { FMM_SEPARATIONS = 8 };
enum { FMM_KNOTS = 5 }; /* orders 2, 4, 8, 16, 32 */

/* What the errors of potentials [0] and fields [1] go with: means over the
 * targets; N is the number of sources in the box of a level that a target is
 * in, h the level's, caller's units. */
struct fmm_crowd {
    double random[2];   /* of sum N / h^2, sum N / h^4 over the levels */
    double together[2]; /* of (sum N / h)^2, (sum N / h^2)^2 */
    double h;           /* of the leaves */
    int ws;             /* of the boxes */
    /* If listed, what far lists hold, by order, stands in place of random:
     * equal to it where boxes are filled evenly, and all are.  uneven: of
     * charges of one sign, what they are filled unevenly by; squares.
     * sparse: 1 where boxes may be much larger than the crowds in them. */
    int listed, sparse;
    double far[FMM_KNOTS][2], uneven[FMM_KNOTS][2];
};

/* Boxes and order. */
struct fmm_shape {
    int order, ws;
    int least; /* that the order does not fall below: s->alike */
    int dense, depth;
    int64_t root[3], leaf;
    double box[3];  /* edges of a box over the longest */
    double seconds; /* of an execute, estimated */
};

/* The variants, by names of their own: the options' go with the caller's. */
struct fmm_names {
    char name[FMM_ROOMS][32]; /* "": chosen */
    int tree;                 /* 0: chosen, 1: dense, 2: sparse */
};

/* What the last tree said of a sparse tree's points: orders that boxes of
 * ws = 1 need beyond those of even filling, boxes over those; 0: nothing. */
struct fmm_learnt {
    int shift;
    double many;
    int wide; /* 1: no order of ws = 1 was enough for them */
};
/* Points that crowd may teach a plan one thing with one shape and another with
 * the next, in turn. */
enum { FMM_KEPT = 4 };
/* A shape, and all that it was found from, for a plan. */
struct fmm_found {
    farsum_status status; /* not OK: there is no such shape */
    struct fmm_facts facts;
    int length;   /* the plan's unit: softening and tolerance go with it */
    int64_t n, m; /* n 0: nothing was found */
    struct fmm_learnt learnt;
    struct fmm_shape shape;
};

struct fmm {
    struct exact exact; /* first: plan->state is read as one */
    struct fmm_facts facts;
    struct fmm_names names;
    int sampled;    /* 1: facts are of a sample */
    int placed;     /* 1: open, and points were set: the edges are theirs */
    double sample_norm[2]; /* then: potential, force; 0: not kept yet */
    int sample_length;     /* the plan's unit of length then */
    double axis[9]; /* directions of the periodic cell, rows */
    struct cell cell; /* its reduced basis */
    struct fmm_shape shape;
    struct fmm_learnt learnt;
    int spare; /* sets in a row that needed one order less than the rooms */
    /* Of a sparse tree that was not worth it: its seconds by its boxes over
     * those by its shape; 0: none was */
    double slower;
    /* dense, sparse: the last that were looked for; the next one's place */
    struct fmm_found found[2][FMM_KEPT];
    int next[2];
    struct boxes_args boxes; /* what the rooms are made for */
    struct p2p_args pairs;
    struct choice choice[FMM_ROOMS];
    void *room[FMM_ROOMS];
    double seconds[FMM_ROOMS];
    struct tree tree;
    struct points source, target; /* of a periodic cell: fractions */
    void *q, *potential, *field;  /* owned, in the order of leaves */
    int64_t have_q, have_potential, have_field;
    void *multipole, *local;      /* owned */
    int64_t stride, have_multipole, have_local;
    struct fmm_crowd crowd;
    struct fmm_gpu *gpu; /* owned; on a device: then those arrays are there */
    struct fmm_strict *strict; /* owned; NULL: no bound is asked for */
    struct fmm_strict *alike;  /* owned; of few points and a lattice's few unit
                                  cells, else NULL: bounds say their order */
};

/* method/fmm/norms.c */
farsum_status fmm_facts(const struct task *task, struct fmm *s);
/* Norms at targets of their own in open space, which no sample knew of: no
 * larger than those at the sources. */
void fmm_facts_targets(const struct task *task, struct fmm *s);
/* The same by parts, for a device.  Of so many targets, the t-th of them m t /
 * some: sums over the sources of r/|r|^3, 1/|r|, and of both squared. */
enum { FMM_APART_MOST = 1024 };
struct fmm_apart {
    double field[3], potential, potential2, field2;
};
int64_t fmm_facts_some(int64_t n, int64_t m);
void fmm_facts_apart(const struct task *task, struct fmm *s, int64_t some,
                     const struct fmm_apart *apart);

/* method/fmm/uneven.c: 1: x [n][3], times per, are so far from filling their
 * box evenly that a sparse tree is theirs. */
farsum_status fmm_uneven(int64_t n, const void *x, farsum_precision type,
                         double per, const double edge[3], int threads,
                         int *uneven);
/* Of a periodic cell: 1: a sparse tree should be faster than a dense one, by
 * the sample, without one by points that are so crowded (1: as uniform ones).
 * *seconds: what a sum takes with the tree that is the faster one.  set: those
 * of an execute that a sparse one takes to be built. */
farsum_status fmm_uneven_cell(const struct task *task, struct fmm *s,
                              double crowding, int64_t n, int64_t m, double set,
                              double *seconds, int *uneven);
/* The same of the tree that is there, a sparse one on the host: 0: by its boxes
 * it is slower than a dense one, after all. */
farsum_status fmm_uneven_worth(const struct task *task, struct fmm *s,
                               int64_t n, int64_t m, int *uneven);

/* method/fmm/remembered.c: boxes for so many points, and the order; what the
 * options say is kept.  crowded 1: the points are far from uniform. */
farsum_status fmm_shape(const struct task *task, struct fmm *s, int crowded,
                        int64_t n, int64_t m, struct fmm_shape *shape);
/* method/fmm/search.c: the search itself. */
farsum_status fmm_shape_find(const struct task *task, const struct fmm *s,
                             int sparse, int64_t n, int64_t m,
                             struct fmm_shape *shape);
/* Has a cell's sparse tree been taken where a dense one might be? */
static inline int fmm_either(const struct fmm *s)
{
    return s->facts.periodic && !s->names.tree && !s->shape.dense;
}
/* The same for who has another way: what failed from the same facts is not
 * looked for again, so that nothing need say why. */
farsum_status fmm_shape_try(const struct task *task, struct fmm *s, int crowded,
                            int64_t n, int64_t m, struct fmm_shape *shape);
/* The first level that has far boxes. */
int fmm_shape_first(const struct fmm *s, const struct fmm_shape *shape);
/* Leaves of a dense tree. */
double shape_leaves(const struct fmm_shape *shape);
/* Sources in a leaf, if points fill the boxes evenly, and its level. */
double fmm_shape_filling(const struct fmm *s, const struct fmm_shape *shape,
                         int64_t n, int *depth);
/* Of points that fill the boxes evenly. */
void fmm_shape_crowd(const struct fmm *s, const struct fmm_shape *shape,
                     int64_t n, struct fmm_crowd *crowd);
/* What the rooms are told. */
void fmm_args(const struct task *task, const struct fmm *s,
              const struct fmm_shape *shape, int64_t n, int64_t m,
              struct boxes_args *boxes, struct p2p_args *pairs);
/* fmm.c: orders and boxes that were given are those that there are. */
farsum_status fmm_keeps(const struct task *task, int sparse);
/* Picks the rows, NULL where boxes of one level ask nothing of a room. */
farsum_status fmm_choose(const struct task *task, const struct fmm *s,
                         const struct boxes_args *boxes,
                         const struct p2p_args *pairs,
                         struct choice choice[FMM_ROOMS]);

/* method/fmm/boxes/clustering.c: of a tree that has far boxes from level
 * `first` on. */
farsum_status fmm_crowd(const struct tree *tree, int first,
                        struct fmm_crowd *crowd);
/* method/fmm/boxes/soften.c: the relative error of the nearest pairs that work
 * by expansions, which are of 1/r; the depth of a sparse tree that the
 * tolerance leaves; refuses a shape whose boxes are too small. */
double fmm_soften(const struct task *task, const struct fmm *s,
                  const struct fmm_shape *shape);
int fmm_soften_depth(const struct task *task, const struct fmm *s,
                     const struct fmm_shape *shape);
farsum_status fmm_soften_fits(const struct task *task, const struct fmm *s,
                              const struct fmm_shape *shape);

/* method/fmm/boxes/error.c: RMS errors of the potential (field 0) or the field
 * at a target, C = 1: their squares are q2 random^2 crowd->random
 * + (q1 together)^2 crowd->together. */
struct fmm_error {
    double random, together;
};
struct fmm_error fmm_error(int order, int ws, const double box[3], int field);
/* Least order whose error is below the plan's tolerance; if there is none,
 * what it is that fails, and *left: the error that the highest leaves. */
farsum_status fmm_order(const struct task *task, const struct fmm_facts *facts,
                        int ws, const double box[3],
                        const struct fmm_crowd *crowd, int *order,
                        double *left);
/* What a number is rounded by, of itself. */
double fmm_eps(const struct task *task);
/* What rounding leaves, C = 1, of forces if field: RMS. */
double fmm_rounding(const struct task *task, const struct fmm_facts *f,
                    const struct fmm_crowd *crowd, int field);
/* Says that points need a higher order than there is. */
farsum_status fmm_order_fails(const struct task *task);
/* The estimate in the tolerance's norm, by s->crowd and s->facts. */
double fmm_estimate(const struct task *task, const struct fmm *s,
                    const struct fmm_facts *facts);

/* method/fmm/bound/bound_order.c: what a plan that is to be bounded, or one of
 * points that lie alike, knows by its sample; the least order that is proved to
 * keep the tolerance in evenly filled boxes; the bound of s->shape into
 * plan->info, as bound or as estimate; that of a sum, which fails if a bound
 * that is asked for is above the tolerance.  Nothing is done, OK, for other
 * plans. */
farsum_status fmm_strict_create(const struct task *task, struct fmm *s);
void fmm_strict_destroy(struct fmm_strict *strict); /* NULL is legal */
farsum_status fmm_strict_order(const struct task *task, const struct fmm *s,
                               const struct fmm_shape *shape, int64_t n,
                               int *order);
farsum_status fmm_strict_about(const struct task *task, const struct fmm *s);
farsum_status fmm_strict_sum(const struct task *task, const struct fmm *s,
                             const struct fmm_facts *facts);
/* method/fmm/bound/bound_points.c: the least order for the tree that is there,
 * or the bound of the one that is given; the strengths of right-hand side r,
 * for a device. */
farsum_status fmm_strict_points(const struct task *task, struct fmm *s,
                                int *order);
farsum_status fmm_strict_given(const struct task *task, const struct fmm *s,
                               int rhs, int r, const void *q);

enum { FMM_TURNS = 3 /* trees that are tried */ };
/* method/fmm/points.c.  The extent of open points, and what goes with it;
 * order and rooms for the tree that is there; rooms' own sets. */
void fmm_extent(struct fmm *s, const double low[3], const double high[3]);
/* Sources in the cells of a coarse grid, FMM_CELL along each edge of facts.edge
 * from their least coordinates on: pairs in the same cell, over those of even
 * points. */
enum {
    FMM_CELL = 16,
    FMM_CELLS = FMM_CELL * FMM_CELL * FMM_CELL,
    FMM_FAR_FROM_UNIFORM = 4,
};
double fmm_crowding(const int32_t count[FMM_CELLS], int64_t n);
/* method/fmm/near_distance.c: sets facts.near of a plan without a sample, by
 * the tree's leaves, on the host. */
void fmm_near(const struct task *task, struct fmm *s);
/* A tree of the positions in source.s and target.s, and what its boxes say of
 * the errors.  Boxes are chosen for the order that they are thought to need;
 * what the tree says of it may ask for others. */
farsum_status fmm_points_boxes(const struct task *task, struct fmm *s,
                               int crowded, int64_t n, int64_t m);
/* 1: points that no order was enough for are to be tried once more, in boxes
 * that are farther apart. */
int fmm_points_wider(const struct task *task, struct fmm *s);
farsum_status fmm_points_rooms(const struct task *task, struct fmm *s,
                               int64_t n, int64_t m);
farsum_status fmm_points_set(const struct task *task, struct fmm *s);
void fmm_points_extent(struct fmm *s, int threads);
farsum_status fmm_points_uneven(const struct task *task, struct fmm *s,
                                int64_t n, int64_t m, int *uneven);
farsum_status fmm_points_tree(const struct task *task, struct fmm *s,
                              int uneven, int64_t n, int64_t m);
/* method/fmm/set_points.c */
farsum_status fmm_set_points(struct task *task, void *state, int64_t n,
                             const void *x, int64_t m, const void *y);
/* method/fmm/run.c: a right-hand side into sums. */
farsum_status fmm_sum(const struct task *task, struct exact *exact,
                      const struct exact_sums *sums);
/* What is known of a right-hand side's sums, C = 1; a norm < 0: not known. */
struct fmm_norms {
    double q, q2;            /* sums over the sources of q and q^2 */
    double force, potential; /* sums over the targets of q^2 E^2, phi^2 */
};
/* The estimate, with the norms that the result has; fails if a bound is asked
 * for and is not kept. */
farsum_status fmm_estimate_sum(const struct task *task, const struct fmm *s,
                               const struct fmm_norms *norms);

/* method/fmm/stages.c */
void fmm_clear_rooms(struct fmm *s);
/* What reports say. */
void fmm_about(const struct task *task, struct fmm *s);
/* Of the rooms that there are. */
void fmm_seconds(const struct task *task, const struct fmm *s,
                 const double seconds[FMM_ROOMS]);
/* Makes the rooms for these args, if those that are there are for others. */
farsum_status fmm_rooms(const struct task *task, struct fmm *s,
                        const struct boxes_args *boxes,
                        const struct p2p_args *pairs);
/* 1: the rooms that are there are for these boxes, of one order more. */
int fmm_order_there(const struct fmm *s, const struct boxes_args *boxes);
#endif
