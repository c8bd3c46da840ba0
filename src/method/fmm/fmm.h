/* SPDX-License-Identifier: Apache-2.0 */
/* fmm.h: internal state and functions of the fast multipole method (math.md
 * section 10). */
#ifndef FARSUM_METHOD_FMM_FMM_H
#define FARSUM_METHOD_FMM_FMM_H

#include <string.h>

#include "points/wrap.h"
#include "stage/expansions/expansions.h"
#include "stage/p2p/p2p.h"
#include "task/host_arrays.h"
#include "task/method.h"

struct fmm_gpu;
struct fmm_ranks;
struct fmm_strict;

enum {
#define BOXES_STAGE(NAME, name) FMM_##NAME,
#include "cost/stages.def"
    FMM_STAGES
};

/* The kernels that fmm sums; all but the first on the host, flows in open
 * space. */
enum fmm_kernel {
    FMM_LAPLACE,
    FMM_DIPOLES,
    FMM_STOKESLET,
    FMM_ROTLET,
    FMM_STRESSLET,
    FMM_NONE
};

/* Known properties of the points: C = 1, caller's units. */
struct fmm_input {
    enum fmm_kernel kernel;
    int axes;       /* periodic ones */
    int periodic;   /* 1: any */
    int open[3];    /* 1: not that axis of the cell */
    double edge[3]; /* of the cell, or of the points' bounding box;
                                open axes of a cell: a little longer than the
                                points reach */
    double volume;
    double q1, q2;    /* means over the sources of q and q^2; of a flow the size
                      of the mean strength, and the mean of square() */
    double p2, reach; /* charges with dipoles: mean of p^2; see struct pair */
    int gradient; /* the same: 1: a force is q E - G p; 0: see fmm_kernel_force
                   */
    double potential, force; /* norms that the tolerance refers to; force: of a
                                flow the velocity */
    double near; /* RMS force of pairs much nearer than others, if there is no
                    sample; else 0 */
};

enum { FMM_SEPARATIONS = 8 };
enum { FMM_KNOTS = 5 }; /* orders 2, 4, 8, 16, 32 */

/* Quantities that the errors of potentials [0] and fields [1] scale with: means
 * over the targets.  N is the number of sources in the target's box of a level,
 * h that level's h, in the caller's units. */
struct fmm_clustering {
    double random[2];   /* sum of N / h^2, sum of N / h^4 over the levels */
    double together[2]; /* (sum of N / h)^2, (sum of N / h^2)^2 */
    double h;           /* of the leaves */
    int ws;             /* of the boxes */
    /* If listed, the contents of the far lists, by order, replace random.  They
     * are equal to it where all boxes are filled evenly.  uneven: squared
     * deviations from even filling, for charges of one sign.  sparse: 1 where
     * boxes may be much larger than the clusters in them. */
    int listed, sparse;
    double far[FMM_KNOTS][2], uneven[FMM_KNOTS][2];
    double
        bend[2]; /* one process on the host: as random, of N / h^6, N / h^8 */
};

/* What is made once counts as if a plan served so many sums. */
enum { FMM_PLAN_SUMS = 30 };
/* Boxes and order. */
struct fmm_shape {
    int order, ws;
    int least; /* lower limit of the order: s->alike */
    int dense, depth;
    int64_t root[3], leaf;
    double box[3];  /* edges of a box over the longest edge */
    double seconds; /* estimated time of one execute */
    double making;  /* the same of the fields of root boxes, made once */
};

/* The user-specified variants, copied because the caller's strings may be
 * freed. */
struct fmm_names {
    char name[FMM_STAGES][32]; /* "": chosen */
    int lattice;               /* 1: given, and not what ranks have only */
    int tree;                 /* 0: chosen, 1: dense, 2: sparse */
};

/* Properties of the points learnt from the last tree of a kind: additional
 * orders at ws = 1 over those for even filling; sparse trees: the number of
 * boxes relative to even filling; 0: unknown.  These differ between dense and
 * sparse trees. */
struct fmm_learnt {
    int shift;
    double many;
    int wide; /* 1: no order at ws = 1 was sufficient */
};
/* Clustered points may teach different things with alternating shapes; so
 * several found shapes are kept. */
enum { FMM_KEPT = 4 };
/* A shape found earlier, and all inputs of its search. */
struct fmm_found {
    farsum_status status; /* not OK: no such shape exists */
    struct fmm_input input;
    int length;   /* the plan's unit, which scales softening and tolerance */
    int64_t n, m; /* n 0: unused */
    struct fmm_learnt learnt;
    struct fmm_shape shape;
};

/* On the host: strengths and sums of the current right-hand side in f64, in the
 * caller's order and the task's units, C = 1. */
struct fmm_caller {
    double *q;         /* owned, [n][strengths] */
    double *potential; /* owned, [targets] */
    double *field;     /* owned, [targets][3]: field, or velocity */
    double *gradient;  /* owned, [targets][6]; NULL: not among the outputs */
    int64_t have_q, have_potential, have_field, have_gradient;
};

/* Flows only, in the order of leaves: sources and sums of one pass of the far
 * stages (kernels.h). */
struct fmm_passes {
    double *q;         /* owned, [n] charges, or [4][n] with dipoles */
    double *potential; /* owned, [targets] */
    double *field;     /* owned, [3][targets] */
    int64_t have_q, have_potential, have_field;
};

struct fmm {
    struct fmm_input input;
    struct fmm_names names;
    int sampled;    /* 1: facts come from a sample */
    int placed;     /* 1: open boundaries, and the edges are those of the
                       points */
    double sample_norm[2]; /* potential, force of the sample then; 0: not stored
                              yet */
    double sample_p2;      /* the same of charges with dipoles */
    int sample_length;     /* the plan's unit of length then */
    double axis[9]; /* directions of the periodic cell, rows */
    double span[3]; /* one or two periodic axes: the lengths whose fractions
                       source and target hold along the open ones */
    struct cell cell; /* its reduced basis */
    struct fmm_shape shape;
    struct fmm_learnt learnt[2]; /* dense, sparse */
    int spare; /* consecutive sets that required one order less than the stages
                  have */
    /* Ratio for a sparse tree that was slower than a dense one: its seconds
     * with its actual boxes over those predicted from its shape; 0: none */
    double slower;
    /* dense, sparse: the last shapes found; index of the next one */
    struct fmm_found found[2][FMM_KEPT];
    int next[2];
    struct boxes_args boxes; /* arguments that the stages were created for */
    struct p2p_args pairs;
    struct choice choice[FMM_STAGES];
    void *states[FMM_STAGES];
    double seconds[FMM_STAGES];
    struct tree tree;
    struct points source, target; /* On the host: positions in the caller's
                                     order, not wrapped; target.n = 0: the
                                     targets are the sources.  In a periodic
                                     cell they hold fractions until the tree is
                                     built. */
    double middle[3];             /* open space: of all points */
    struct fmm_caller caller;
    struct fmm_passes passes;
    void *q, *potential, *field;  /* owned, in the order of leaves */
    double *gradient;             /* the same; NULL: not among the outputs */
    int64_t have_q, have_potential, have_field, have_gradient;
    void *multipole, *local;      /* owned */
    int64_t stride, have_multipole, have_local;
    struct fmm_clustering clustering;
    int64_t all_n, all_m;    /* sources, and separate targets, of the current
                             points; over ranks of all */
    struct fmm_ranks *ranks; /* owned; NULL: one process */
    struct fmm_gpu *gpu; /* owned; on a device, where it holds those arrays */
    struct fmm_strict *strict; /* owned; NULL: no bound is requested */
    struct fmm_strict *alike;  /* owned; for few points and lattices of few unit
                                  cells, whose order follows from bounds; else
                                  NULL */
};

/* method/fmm/norms.c */
farsum_status fmm_input(const struct task *task, struct fmm *s);
/* Periodic cells: sets the edges along open axes, along which the points reach
 * so far, and the norms. */
void fmm_input_edges(const struct task *task, struct fmm *s,
                     const double reach[3]);
/* The method's `measured`. */
void fmm_measured(const void *state, struct sample *sample);
/* Norms at separate targets in open space, which the sample does not include:
 * at most those at the sources.  Over ranks: points that this one gives, from
 * number `first` of the targets on. */
void fmm_input_targets(const struct task *task, struct fmm *s,
                       const struct points *source, const struct points *target,
                       int64_t first);
/* The same in two steps, for a device.  From m targets, the t-th of `some` is m
 * t / some: sums over the sources of r/|r|^3, 1/|r|, and of both squared. */
enum { FMM_APART_MOST = 1024 };
struct fmm_apart {
    double field[3], potential, potential2, field2;
};
int64_t fmm_input_some(int64_t n, int64_t m);
void fmm_input_apart(const struct task *task, struct fmm *s, int64_t some,
                     const struct fmm_apart *apart);

/* Positions on the host: coordinate d of point i is x[d][step * i] times
 * per. */
struct fmm_places {
    int64_t n;
    const void *x[3];
    int64_t step;
    farsum_precision type;
    double per;
};
/* method/fmm/uneven.c: sets *uneven to 1 if the points are so far from uniform
 * in their box that they require a sparse tree. */
farsum_status fmm_uneven(const struct fmm_places *places, const double edge[3],
                         int threads, int *uneven);
/* Periodic cells: sets *uneven to 1 if a sparse tree is predicted to be faster.
 * The prediction uses the sample or, without one, the clustering factor
 * `crowding` (1: uniform).  *seconds: time of a sum with the faster tree.  set:
 * time per execute to build a sparse tree. */
farsum_status fmm_uneven_cell(const struct task *task, struct fmm *s,
                              double crowding, int64_t n, int64_t m, double set,
                              double *seconds, int *uneven);
/* The same for the current sparse tree on the host: sets 0 if, with its actual
 * boxes, it is slower than a dense one. */
farsum_status fmm_uneven_worth(const struct task *task, struct fmm *s,
                               int64_t n, int64_t m, int *uneven);

/* method/fmm/remembered.c: boxes and order for these numbers of points; keeps
 * user-specified values.  crowded 1: the points are far from uniform. */
farsum_status fmm_shape(const struct task *task, struct fmm *s, int clustered,
                        int64_t n, int64_t m, struct fmm_shape *shape);
/* method/fmm/search.c: the search itself. */
farsum_status fmm_shape_find(const struct task *task, const struct fmm *s,
                             int sparse, int64_t n, int64_t m,
                             struct fmm_shape *shape);
/* True if a periodic cell's sparse tree may be replaced by a dense one. */
static inline int fmm_either(const struct fmm *s)
{
    return s->input.periodic && !s->names.tree && !s->shape.dense;
}
/* The same for callers with an alternative: a search that failed with the same
 * facts is not repeated to produce its message. */
farsum_status fmm_shape_try(const struct task *task, struct fmm *s,
                            int clustered, int64_t n, int64_t m,
                            struct fmm_shape *shape);
/* The first level that has far boxes. */
int fmm_shape_first(const struct fmm *s, const struct fmm_shape *shape);
/* The number of leaves of a dense tree. */
double shape_leaves(const struct fmm_shape *shape);
/* Sources per leaf if points fill the boxes evenly, and the leaf level. */
double fmm_shape_filling(const struct fmm *s, const struct fmm_shape *shape,
                         int64_t n, int *depth);
/* *clustering for points that fill the boxes evenly. */
void fmm_shape_clustering(const struct fmm *s, const struct fmm_shape *shape,
                          int64_t n, struct fmm_clustering *clustering);
/* The edges of the region of root boxes in a periodic cell.  Along open axes
 * it begins with the points and ends with whole boxes. */
void fmm_shape_region(const struct fmm *s, const struct fmm_shape *shape,
                      double edge[3]);
/* The arguments of the stages. */
void fmm_args(const struct task *task, const struct fmm *s,
              const struct fmm_shape *shape, int64_t n, int64_t m,
              struct boxes_args *boxes, struct p2p_args *pairs);
/* fmm.c: checks that user-specified orders and boxes are supported. */
farsum_status fmm_keeps(const struct task *task, int sparse);
/* The bytes that points and boxes will require: of one process, layers -1, or
 * of a rank that owns so many layers of root boxes. */
double fmm_bytes(const struct task *task, const struct fmm *s, int64_t layers);
/* ranks_lattice_args.grid for the chosen variant. */
static inline int fmm_ranks_grid(const struct fmm *s)
{
    const struct variant_row *row = s->choice[FMM_LATTICE].row;
    return row && strcmp(row->name, "gpu_grid") == 0;
}
/* Selects the variants; NULL where boxes of one level do not use a stage. */
farsum_status fmm_choose(const struct task *task, const struct fmm *s,
                         const struct boxes_args *boxes,
                         const struct p2p_args *pairs,
                         struct choice choice[FMM_STAGES]);

/* method/fmm/boxes/clustering.c: statistics of a tree that has far boxes from
 * level `first` on. */
farsum_status fmm_clustering(const struct tree *tree, int first,
                             struct fmm_clustering *clustering);
/* method/fmm/boxes/soften.c: the relative error of the nearest pairs that
 * interact by expansions, which are of 1/r; the depth of a sparse tree that the
 * tolerance allows; a check that fails for shapes with too small boxes. */
double fmm_soften(const struct task *task, const struct fmm *s,
                  const struct fmm_shape *shape);
int fmm_soften_depth(const struct task *task, const struct fmm *s,
                     const struct fmm_shape *shape);
farsum_status fmm_soften_fits(const struct task *task, const struct fmm *s,
                              const struct fmm_shape *shape);

/* method/fmm/boxes/error.c: RMS errors of the potential (field 0) or the field
 * at a target, C = 1.  Their squares are q2 random^2 clustering->random
 * + (q1 together)^2 clustering->together. */
struct fmm_error {
    double random, together;
};
struct fmm_error fmm_error(int order, int ws, const double box[3], int field);
/* The smallest order whose error is below the plan's tolerance.  If there is
 * none, fails with the reason, and *left is the error of the highest order. */
farsum_status fmm_order(const struct task *task, const struct fmm_input *input,
                        int ws, const double box[3],
                        const struct fmm_clustering *clustering, int *order,
                        double *left);
/* The relative rounding error of one number. */
double fmm_eps(const struct task *task);
/* The RMS rounding error, C = 1; of forces if field. */
double fmm_rounding(const struct task *task, const struct fmm_input *f,
                    const struct fmm_clustering *clustering, int field);
/* Fails with the message that points require a higher order than supported. */
farsum_status fmm_order_fails(const struct task *task);
/* The estimate in the tolerance's norm, from s->clustering and s->input. */
double fmm_estimate(const struct task *task, const struct fmm *s,
                    const struct fmm_input *input);

/* method/fmm/bound/bound_order.c, for plans with options.strict and for points
 * at similar positions in their boxes; does nothing and returns OK for other
 * plans.  create: state from the sample.  order: the smallest order that is
 * proved to meet the tolerance with evenly filled boxes.  about: sets
 * plan->info from the bound of s->shape, as bound or estimate.  sum: the same
 * after a sum; fails if a requested bound exceeds the tolerance. */
farsum_status fmm_strict_create(const struct task *task, struct fmm *s);
void fmm_strict_destroy(struct fmm_strict *strict); /* NULL is legal */
farsum_status fmm_strict_order(const struct task *task, const struct fmm *s,
                               const struct fmm_shape *shape, int64_t n,
                               int *order);
farsum_status fmm_strict_about(const struct task *task, const struct fmm *s);
farsum_status fmm_strict_sum(const struct task *task, const struct fmm *s,
                             const struct fmm_input *input);
/* method/fmm/bound/bound_points.c: the smallest sufficient order for the
 * current tree, or the bound of the user-specified one; the strengths of
 * right-hand side r, for a device. */
farsum_status fmm_strict_points(const struct task *task, struct fmm *s,
                                int *order);
farsum_status fmm_strict_given(const struct task *task, const struct fmm *s,
                               int rhs, int r, const void *q);

enum { FMM_TURNS = 3 /* trees that are tried */ };
/* method/fmm/points.c.  The extent of open points and its consequences; order
 * and stages for the current tree; the stages' own set calls. */
void fmm_extent(struct fmm *s, const double low[3], const double high[3]);
/* Counts sources in the cells of a coarse grid, FMM_CELL along each edge of
 * input.edge from their smallest coordinates on.  The result is the number of
 * pairs in one cell, relative to uniform points. */
enum {
    FMM_CELL = 16,
    FMM_CELLS = FMM_CELL * FMM_CELL * FMM_CELL,
    FMM_FAR_FROM_UNIFORM = 4,
};
double fmm_crowding(const int32_t count[FMM_CELLS], int64_t n);
/* method/fmm/near_distance.c: sets input.near of a plan without a sample, from
 * the tree's leaves, on the host. */
void fmm_near(const struct task *task, struct fmm *s, const struct tree *tree);
/* The same in steps, for a device.  step: the stride of the leaves that are
 * sampled; 0: input.near is 0.  much: pairs nearer than that count.  set: from
 * their sum of 1/r^4 over all ranks. */
int64_t fmm_near_step(const struct task *task, const struct fmm *s,
                      int separate);
double fmm_near_much(const struct fmm *s);
void fmm_near_set(struct fmm *s, double sum, int64_t step);
/* Points as the tree is built from, and the tree's args from s->shape, without
 * the region of open space. */
struct tree_given fmm_given(const struct fmm *s, const struct points *p);
struct tree_args fmm_tree_args(const struct task *task, const struct fmm *s);
/* Builds a tree of the positions in source.s and target.s and its statistics.
 * Boxes are chosen for the expected order; the tree's statistics may require
 * other boxes. */
farsum_status fmm_points_boxes(const struct task *task, struct fmm *s,
                               int clustered, int64_t n, int64_t m);
/* 1: points for which no order was sufficient should be tried again with a
 * larger separation. */
int fmm_points_wider(const struct task *task, struct fmm *s);
farsum_status fmm_points_stages(const struct task *task, struct fmm *s,
                                int64_t n, int64_t m);
farsum_status fmm_points_set(const struct task *task, struct fmm *s);
farsum_status fmm_points_uneven(const struct task *task, struct fmm *s,
                                int64_t n, int64_t m, int *uneven);
farsum_status fmm_points_tree(const struct task *task, struct fmm *s,
                              int uneven, int64_t n, int64_t m);
/* method/fmm/set_points.c.  arrays: allocates those of the current tree. */
farsum_status fmm_points_arrays(const struct task *task, struct fmm *s);
farsum_status fmm_set_points(struct task *task, void *state, int64_t n,
                             const void *x, int64_t m, const void *y);
/* The positions that set_points has left in p, which is in use. */
static inline struct positions fmm_positions(const struct points *p)
{
    return (struct positions){p->n, {p->s[0], p->s[1], p->s[2]}, 1};
}
/* method/fmm/run.c: execute on the host. */
farsum_status fmm_host_execute(struct task *task, struct fmm *s, int rhs,
                               const void *q, farsum_result *result);
/* Runs a stage if status is OK, and adds its seconds. */
farsum_status fmm_run_stage(struct fmm *s, int r, farsum_status status,
                            const struct p2p_io *pairs,
                            const struct boxes_io *boxes);
/* Sums right-hand side r and writes its results; over ranks those of its own
 * points, collectively. */
farsum_status fmm_host_one(struct task *task, struct fmm *s, int r,
                           const void *q, farsum_result *result);
/* Statistics of a right-hand side's sums, C = 1; a norm < 0: unknown. */
struct fmm_norms {
    double q, q2;            /* sums over the sources of q and q^2 */
    double force, potential; /* sums over the targets of q^2 E^2, phi^2 */
};
/* The estimate with the norms of the result; fails if a requested bound is
 * exceeded. */
farsum_status fmm_estimate_sum(const struct task *task, const struct fmm *s,
                               const struct fmm_norms *norms);

/* method/fmm/ranks.c, for the functions above that are used over ranks too.
 * tree: the statistics of the tree, which ranks_points has built.  part:
 * changes the whole tree's args to those of the rank's own; whole: those.
 * states: agrees on the status of the rank's own stages, and makes the parts
 * that exchange.  report: the rank's part of the cell or region. */
farsum_status fmm_ranks_create(const struct task *task, struct fmm *s);
void fmm_ranks_destroy(struct fmm *s);
farsum_status fmm_ranks_tree(struct fmm *s);
void fmm_ranks_part(const struct fmm *s, struct boxes_args *boxes,
                    struct p2p_args *pairs);
const struct boxes_args *fmm_ranks_whole(const struct fmm *s);
/* Replaces the args of all boxes by those of a rank that owns so many layers of
 * root boxes: with ghost layers, and the own points.  pairs: NULL is legal. */
void fmm_ranks_slab(int64_t layers, struct boxes_args *boxes,
                    struct p2p_args *pairs);
/* The most layers that one of so many ranks owns. */
int64_t fmm_ranks_most(const struct boxes_args *whole, int ranks);
/* Bytes of points that a rank has in addition to its own ones' as in one
 * process.  share: its part of all `layers`. */
double fmm_ranks_bytes(const struct task *task, const struct fmm *s,
                       double share, double layers);
/* The method's `model`, and the same of any rank.  s:
 * of tune. */
farsum_status fmm_ranks_model(const struct task *task, const void *state,
                              const struct links *links,
                              struct ranks_model *model);
farsum_status fmm_ranks_model_of(const struct task *task, const struct fmm *s,
                                 const struct links *links, int rank,
                                 struct ranks_model *model);
farsum_status fmm_ranks_states(const struct task *task, struct fmm *s,
                               farsum_status status);
void fmm_ranks_report(const struct task *task, const struct fmm *s);
/* method/fmm/ranks_points.c, ranks_sum.c */
farsum_status fmm_ranks_points(struct task *task, struct fmm *s, int64_t n,
                               const void *x, int64_t m, const void *y);
farsum_status fmm_ranks_execute(struct task *task, struct fmm *s, int rhs,
                                const void *q, farsum_result *result);
/* send: the strengths, divided by unit, to ghosts; collective.  near: adds the
 * pairs of own targets and ghosts.  multipoles: adds those of the leaves of
 * ghosts.  lattice: collective. */
void fmm_ranks_send(struct fmm *s, double unit);
farsum_status fmm_ranks_near(struct fmm *s, const struct p2p_io *own);
farsum_status fmm_ranks_multipoles(struct fmm *s, const struct boxes_io *own);
farsum_status fmm_ranks_lattice(struct fmm *s, const struct boxes_io *io);
/* method/fmm/ranks_exclude.c: reference_exclude of own targets; the rows of
 * task->exclusions, once points are with their owners.  Collective. */
farsum_status fmm_ranks_exclude(const struct task *task, struct fmm *s,
                                const struct host_sums *sums);
farsum_status fmm_ranks_exclusions(struct task *task, struct fmm *s);
/* method/fmm/stages.c */
void fmm_clear_states(struct fmm *s);
/* Writes the report. */
void fmm_about(const struct task *task, struct fmm *s);
/* Reports the seconds of the current stages. */
void fmm_seconds(const struct task *task, const struct fmm *s,
                 const double seconds[FMM_STAGES]);
/* Creates the stages for these args, unless the current ones are for the
 * same. */
farsum_status fmm_states(const struct task *task, struct fmm *s,
                         const struct boxes_args *boxes,
                         const struct p2p_args *pairs);
/* 1: the current stages are for these boxes with one order more. */
int fmm_order_there(const struct fmm *s, const struct boxes_args *boxes);
#endif
