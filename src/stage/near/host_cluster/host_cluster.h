/* SPDX-License-Identifier: Apache-2.0 */
/* host_cluster.h: common definitions of host_cluster.
 *
 * Points are sorted into columns: a grid over two lattice directions, sorted
 * along the third.  All geometry is in a private frame whose z axis is the
 * column's direction, in raw units: `unit` of them are the cutoff.  In f64,
 * unit = 1 and coordinates are doubles.  In f32, coordinates are 32-bit
 * integers modulo 2^32 and unit is a power of two.  So differences of near
 * points are exact for any size of the cell.
 *
 * A cluster is `width` consecutive points of a column (a SIMD vector), a group
 * is `CLUSTER_GROUP` of them.  A list entry says which points of a group have
 * at least one point of a cluster within the cutoff.
 *
 * With a skin, lists hold pairs up to cutoff + skin.  They stay valid while no
 * point is farther than half a skin from where it was listed (Verlet, Phys.
 * Rev. 159 (1967) 98).  Points then keep their slots in clusters, even outside
 * the cell.  Pairs that may come to coincide meanwhile are watched. */
#ifndef FARSUM_STAGE_NEAR_HOST_CLUSTER_HOST_CLUSTER_H
#define FARSUM_STAGE_NEAR_HOST_CLUSTER_HOST_CLUSTER_H

#include "stage/near/near.h"

enum {
    CLUSTER_GROUP = 4,    /* points per group; 2 where width is 2 */
    CLUSTER_MAX = 16,     /* widest SIMD vector */
    CLUSTER_FULL_FROM = 18, /* kernels with at least so many coefficients
                               compute 1/r to rounding, smaller ones to 1e-10 */
};

/* The frame and the grid of columns; lengths in raw units. */
struct cluster_grid {
    double unit;
    double range;         /* reach of lists: cutoff plus skin */
    double frame[3][3];   /* rows: x, y, z axes in the caller's Cartesian
                             axes */
    int axis[3];          /* cell vectors of slabs, of columns in a slab, and of
                             z */
    double p[3][3];       /* these vectors in the frame; p[2] = (0, 0, height),
                             p[0][1] = 0 */
    int64_t n[2];         /* slabs; columns in a slab */
    int64_t bins;         /* bins of the sort, per column */
    double split;         /* maximum length of a cluster along z */
    int reach[2];         /* columns spanned by the range, on either side */
    int64_t n_near, near_capacity;
    char *near;           /* owned, [2 reach0 + 1][2 reach1 + 1]: 1 if columns
                             that far apart come closer than the range */
};

/* Points in clusters. */
struct cluster_set {
    const struct points *points;      /* borrowed */
    int64_t n, n_clusters;
    int rows;          /* 3 + number of strengths per source */
    int64_t columns_capacity, x_capacity, order_capacity, z_capacity,
        listed_capacity;
    int64_t *column;   /* owned, [columns + 1]: first cluster of a column */
    double (*box)[4];  /* owned, [columns]: x low, high, y low, high */
    void *x;           /* owned, [cluster][rows][width]: x, y, z, strengths;
                          vectors in the frame */
    int64_t *order;    /* owned, [cluster][width]: caller's index; -1: padding
                          (a copy of the point before, with strength 0) */
    double *listed;    /* owned, [cluster][3][width]: fractional coordinates
                          along the grid's axes when the lists were made; only
                          with a skin */
    double (*z)[2];    /* owned, [cluster]: lowest, highest z */
    int64_t box_capacity;
};

/* Storage of lists: blocks of one array, claimed by threads.  When the array is
 * full, each thread writes to a spare block and the caller tries again with a
 * larger array. */
enum { CLUSTER_BLOCK = 1 << 13 }; /* 32-bit words */
struct cluster_pool {
    uint32_t *word;    /* owned, [blocks][CLUSTER_BLOCK] */
    int64_t capacity, blocks;
    int64_t used;      /* blocks claimed, including those beyond the array */
};

/* The list of each group is a sequence of segments, ended by count 0.  A
 * segment has count, kind, three lattice shifts, and base in two words; then
 * count words, (cluster - base) << CLUSTER_GROUP | bit mask of the group's
 * points. */
enum cluster_kind {
    CLUSTER_PLAIN = 0,
    CLUSTER_SLOW = 1,  /* some pair coincides */
    CLUSTER_JUMP = 2,  /* the list continues in block `base` */
};
enum { CLUSTER_HEADER = 7 };

struct cluster_visit {
    int64_t end, at;   /* clusters of a column; the first that is not below */
    double box[4];     /* box of this image of the column */
};
struct cluster_image {
    int32_t k[3];
    double shift[3], z[2];
    int64_t begin, end; /* range of visits */
};

/* Pairs of a group and a cluster that may come to coincide while lists are
 * reused.  Blocks of a pool: the number of entries in the first word, then for
 * each entry group and cluster in two words each and three lattice shifts. */
enum { WATCH_ENTRY = 7 };

/* Arguments and state of one thread that makes lists. */
struct cluster_lister {
    const struct cluster_grid *grid;
    const struct cluster_set *targets, *sources;
    int newton;         /* 1: the sets are the same; list only clusters ahead */
    double close;       /* raw: pairs within this distance may coincide */
    double watch;       /* raw: pairs within this distance may come that
                           close */
    int found;          /* output: 1: some pair is close */
    struct cluster_pool *pool, *watched;
    uint32_t *spare;    /* [2][CLUSTER_BLOCK], used when a pool is full */
    uint32_t *watching; /* current block of `watched`, or NULL */
    struct cluster_image *image; /* [images] */
    struct cluster_visit *visit; /* [visits] */
    int64_t *start;     /* [groups]: first word of a group's list */
    int32_t *weight;    /* [groups]: SIMD words of pairs */
    uint32_t *out, *limit; /* next word, and end of the block */
};

/* Arguments and state of one thread that sums. */
enum cluster_output {
    CLUSTER_POT,
    CLUSTER_FIELD,
    CLUSTER_BOTH,
    CLUSTER_ALL /* and the gradient, xx xy xz yy yz zz in the frame */
};
enum { CLUSTER_PARTS = 10 }; /* of CLUSTER_ALL */
struct cluster_sum {
    const struct cluster_grid *grid;
    const struct cluster_set *targets, *sources;
    int newton;             /* as in cluster_lister */
    const uint32_t *pool;
    const int64_t *start;   /* [groups] */
    int64_t begin, end;     /* clusters of targets */
    int64_t first, count;   /* clusters that `out` holds, cyclic from first */
    /* [count][parts][width]: field x, y, z in the frame and potential, or one
     * of them, of the scaled charges; with newton times the point's own charge.
     * For a flow kernel: the velocity in the frame.  With moments: the field
     * and the potential, and for CLUSTER_ALL the gradient */
    void *out;
    double *wide;         /* [count][parts][width]: f64 sums that out is spilled
                             to; NULL: all sums stay in out */
    const int32_t *clustering; /* with wide and newton: see
                                  cluster_crowding */
    int32_t *held;        /* [columns]: terms that a sum in out may have */
    const struct near_poly *poly;
    const struct pair *pair;
    enum cluster_output output; /* flow kernels: CLUSTER_FIELD, the velocity */
    double skip, soft;          /* raw; soft: radius of softening, or 0 */
    double *virial;         /* [9] or NULL: minus the sum of image shifts times
                               forces, by which sum_i x_i F_i is too large */
};

/* Arguments of the step that adds the threads' sums and writes the results. */
struct cluster_finish {
    const struct cluster_grid *grid;
    const struct cluster_set *targets;
    const struct cluster_sum *part; /* [parts] */
    int parts, newton;
    int wide;               /* 1: sums and results are f64 */
    int64_t begin, end;     /* clusters */
    const struct near_io *io;
    double unit;            /* unit of the sums, in cutoffs */
    double scale;           /* 1 / scale of the charges, times unit */
    double self[4];         /* self term of a unit charge; with moments f_n of
                               coincident points; not for flow kernels */
    double energy;          /* this thread's share */
    double virial[9];       /* this thread's share, in the frame */
};

/* stage/near/host_cluster/list_kern.c */
struct cluster_list_kern {
    int width, group;
    int bytes;          /* of one coordinate or strength of a cluster's
                           points */
    /* Packs `count` sorted points into a cluster of a column; at: caller's
     * indices, z: their coordinates. */
    void (*pack)(const struct cluster_grid *grid, struct cluster_set *set,
                 int64_t column, int64_t cluster, int count,
                 const int64_t *at, const double *z);
    /* Packs charges times scale into clusters begin .. end.  tiny replaces a
     * zero charge where the field at such a charge is wanted. */
    void (*charge)(const struct cluster_set *set, double scale, double tiny,
                   const void *q, int64_t begin, int64_t end);
    /* As charge, for vectors, rotated into the frame, and for a charge before
     * them. */
    void (*vectors)(const struct cluster_grid *grid,
                    const struct cluster_set *set, const void *q, int64_t begin,
                    int64_t end);
    double tiny;        /* relative to the largest; it vanishes in any sum */
    /* Makes the lists of groups begin .. end. */
    void (*list)(struct cluster_lister *lister, int64_t begin, int64_t end);
};

/* stage/near/host_cluster/keep_kern.c */
struct cluster_keep_kern {
    /* Updates the points of clusters begin .. end; returns the square of the
     * farthest move from where they were listed, raw. */
    double (*move)(const struct cluster_grid *grid,
                   const struct cluster_set *set, int64_t begin, int64_t end);
    /* 1: a pair of a block of `watched` is within `close`, raw. */
    int (*watched)(const struct cluster_grid *grid,
                   const struct cluster_set *targets,
                   const struct cluster_set *sources, const uint32_t *block,
                   double close);
    /* 1: two points of one of the clusters begin .. end are within `close`,
     * raw. */
    int (*own)(const struct cluster_set *set, int64_t begin, int64_t end,
               double close);
};

/* stage/near/host_cluster/finish_kern.c */
struct cluster_finish_kern {
    void (*finish)(struct cluster_finish *finish);
};

/* stage/near/host_cluster/pairs_kern.c */
struct cluster_kern {
    int (*raw)(const struct pair *pair); /* 1: sums are in raw units */
    void (*sum)(const struct cluster_sum *sum);
};

/* stage/near/host_cluster/wide.c: f64 sums of f32 pairs.  Sums to which both
 * points of a pair add are in `out`, in f32.  Before they may have more than
 * WIDE_TERMS terms they are added to f64 and cleared. */
enum { WIDE_TERMS = 64 };
/* Counts, for each column of the set, its points that a point of any column may
 * have within the cutoff, images included.  This is about the maximum number of
 * terms that the column adds to a sum. */
void cluster_crowding(const struct cluster_grid *grid,
                      const struct cluster_set *set, int width,
                      int32_t *clustering);
/* Number of clusters of a column that are summed before sums are spilled. */
int64_t cluster_step(const struct cluster_sum *sum, int64_t column, int width);
/* Accounts for `given` terms that clusters of column `column` have added to the
 * columns around it; spills sums with many terms to f64. */
void cluster_spill(const struct cluster_sum *sum, int64_t column, int32_t given,
                   int width);
/* Spills all remaining sums. */
void cluster_spill_all(const struct cluster_sum *sum, int width);

/* stage/near/host_cluster/cost.c */
ISA_TABLE(struct cluster_list_kern, near_host_cluster_list)
static inline const struct cluster_list_kern *
host_cluster_list(const struct near_args *args)
{
    return isa_near_host_cluster_list[args->isa]
                                     [args->precision == FARSUM_F32];
}
ISA_TABLE(struct cluster_keep_kern, near_host_cluster_keep)
static inline const struct cluster_keep_kern *
host_cluster_keep(const struct near_args *args)
{
    return isa_near_host_cluster_keep[args->isa][args->precision == FARSUM_F32];
}
/* Index of cluster c in `out`. */
static inline int64_t cluster_out(const struct cluster_sum *sum, int64_t c)
{
    int64_t k = c - sum->first;
    return k >= 0 ? k : k + sum->targets->n_clusters;
}
static inline int cluster_parts(enum cluster_output output)
{
    return output == CLUSTER_POT     ? 1
           : output == CLUSTER_FIELD ? 3
           : output == CLUSTER_BOTH  ? 4
                                     : CLUSTER_PARTS;
}
/* q E - G p of a point with charge and dipole q, from its sums. */
static inline void cluster_force(const double q[4],
                                 const double sum[CLUSTER_PARTS],
                                 double force[3])
{
    const double *g = sum + 4, *p = q + 1;
    force[0] = q[0] * sum[0] - (g[0] * p[0] + g[1] * p[1] + g[2] * p[2]);
    force[1] = q[0] * sum[1] - (g[1] * p[0] + g[3] * p[1] + g[4] * p[2]);
    force[2] = q[0] * sum[2] - (g[2] * p[0] + g[4] * p[1] + g[5] * p[2]);
}
/* Number of sums per target for args->outputs. */
int host_cluster_parts(const struct near_args *args);
/* SIMD vectors of pairs per source, including its neighbours. */
double host_cluster_words(const struct near_args *args, int width);
double host_cluster_cost(const void *args);
void host_cluster_ops(const void *args, struct work *work);
int64_t host_cluster_bytes(const void *args);

/* Raw position in the frame from fractional coordinates along the grid's
 * axes. */
static inline void cluster_frame(const struct cluster_grid *grid, double s0,
                                 double s1, double s2, double r[3])
{
    double height = grid->p[2][2];
    r[0] = s0 * grid->p[0][0] + s1 * grid->p[1][0];
    r[1] = s1 * grid->p[1][1];
    r[2] = cell_wrap(s2 + (s0 * grid->p[0][2] + s1 * grid->p[1][2]) / height)
           * height;
}

/* The same for a point in the cell. */
static inline void cluster_place(const struct cluster_grid *grid,
                                 const struct points *points, int64_t i,
                                 double r[3])
{
    cluster_frame(grid, points->s[grid->axis[0]][i],
                  points->s[grid->axis[1]][i], points->s[grid->axis[2]][i], r);
}

/* The same for point i, slot k of cluster c, next to where it was listed.
 * Returns its squared distance from there. */
static inline double cluster_kept(const struct cluster_grid *grid,
                                  const struct cluster_set *set, int width,
                                  int64_t c, int k, int64_t i, double r[3])
{
    const double *listed = set->listed + c * 3 * width + k;
    double s[3], moved[3];
    for (int d = 0; d < 3; d++) {
        s[d] = set->points->s[grid->axis[d]][i] - listed[d * width];
        s[d] -= __builtin_nearbyint(s[d]);
    }
    moved[0] = s[0] * grid->p[0][0] + s[1] * grid->p[1][0];
    moved[1] = s[1] * grid->p[1][1];
    moved[2] =
        s[0] * grid->p[0][2] + s[1] * grid->p[1][2] + s[2] * grid->p[2][2];
    cluster_frame(grid, listed[0], listed[width], listed[2 * width], r);
    for (int j = 0; j < 3; j++)
        r[j] += moved[j];
    return moved[0] * moved[0] + moved[1] * moved[1] + moved[2] * moved[2];
}

/* stage/near/host_cluster/grid.c: sets the grid for sources of the expected
 * density. */
farsum_status cluster_grid_set(struct cluster_grid *grid,
                               const struct near_args *args, int width,
                               int64_t n_sources);
void cluster_grid_clear(struct cluster_grid *grid);

/* stage/near/host_cluster/sort.c */
struct cluster_sorter {
    int64_t key_capacity, point_capacity, bin_capacity;
    int64_t *key;      /* owned, [n]: bin of each point */
    struct cluster_point {
        double z;
        int64_t at;    /* caller's index */
    } *point;          /* owned, [n]: sorted by column, z, index */
    int64_t *bin;      /* owned, [bins + 1] */
};
farsum_status cluster_sort(struct cluster_sorter *sorter,
                           const struct cluster_grid *grid,
                           const struct cluster_list_kern *kern, int threads,
                           const struct points *points, int strengths,
                           struct cluster_set *set);
void cluster_sort_clear(struct cluster_sorter *sorter);
void cluster_set_clear(struct cluster_set *set);
#endif
