/* SPDX-License-Identifier: Apache-2.0 */
/* host_cluster.h: what the files of the host_cluster variant share.
 *
 * Points are sorted into columns: a grid over two lattice directions, sorted
 * along the third.  All geometry is in a frame of its own whose z axis is the
 * column's direction, and in raw units: `unit` of them are the cutoff.  In f64
 * unit = 1 and coordinates are doubles.  In f32 coordinates are 32-bit integers
 * modulo 2^32 with unit a power of two, so that differences of near points are
 * exact whatever the size of the cell.
 *
 * A cluster is `width` consecutive points of a column (a SIMD word), a group
 * `CLUSTER_GROUP` of them; a list entry says which points of a group have at
 * least one point of a cluster within the cutoff.
 *
 * With a skin lists hold pairs up to the cutoff and it, and stay while no point
 * is farther than half of it from where it was listed (Verlet, Phys. Rev. 159
 * (1967) 98): points then keep their places in clusters, outside of the cell
 * too.  Pairs that may come to coincide meanwhile are watched. */
#ifndef FARSUM_STAGE_NEAR_HOST_CLUSTER_HOST_CLUSTER_H
#define FARSUM_STAGE_NEAR_HOST_CLUSTER_HOST_CLUSTER_H

#include "stage/near/near.h"

enum {
    CLUSTER_GROUP = 4,    /* points of a group; 2 where width is 2 */
    CLUSTER_MAX = 16,     /* the widest word */
    CLUSTER_FULL_FROM = 18, /* kernels of that many coefficients or more take
                               1/r to rounding, smaller ones to 1e-10 */
};

/* The frame and the grid of columns; lengths in raw units. */
struct cluster_grid {
    double unit;
    double range;         /* what lists reach: the cutoff and the skin */
    double frame[3][3];   /* rows: x, y, z axes in the caller's Cartesian */
    int axis[3];          /* cell vectors of slabs, columns in a slab, z */
    double p[3][3];       /* those vectors in the frame; p[2] = (0, 0, height),
                             p[0][1] = 0 */
    int64_t n[2];         /* slabs; columns in a slab */
    int64_t bins;         /* bins of the sort along a column */
    double split;         /* clusters are no longer than this along z */
    int reach[2];         /* columns that the range spans, either side */
    int64_t n_near, near_room;
    char *near;           /* owned, [2 reach0 + 1][2 reach1 + 1]: 1 if columns
                             that far apart come closer than the range */
};

/* Points in clusters. */
struct cluster_set {
    const struct points *points;      /* borrowed */
    int64_t n, n_clusters;
    int rows;          /* 3 + strengths of a source */
    int64_t columns_room, x_room, order_room, z_room, listed_room;
    int64_t *column;   /* owned, [columns + 1]: first cluster of a column */
    double (*box)[4];  /* owned, [columns]: x low, high, y low, high */
    void *x;           /* owned, [cluster][rows][width]: x, y, z, strengths,
                          vectors in the frame */
    int64_t *order;    /* owned, [cluster][width]: caller's index, -1: dummy
                          (a copy of the point before it, of no strength) */
    double *listed;    /* owned, [cluster][3][width]: fractional coordinates
                          along the grid's axes when lists were made; with a
                          skin alone */
    double (*z)[2];    /* owned, [cluster]: lowest, highest z */
    int64_t box_room;
};

/* Where lists go: blocks of one array, claimed by threads.  Past the end they
 * write to a block of their own and the caller tries again with a larger
 * array. */
enum { CLUSTER_BLOCK = 1 << 13 }; /* words */
struct cluster_pool {
    uint32_t *word;    /* owned, [blocks][CLUSTER_BLOCK] */
    int64_t room, blocks;
    int64_t used;      /* blocks claimed, those that were not there too */
};

/* A list, for each group, is a row of segments, ended by count 0:
 * count, kind, three lattice shifts, base in two words; then count words,
 * (cluster - base) << CLUSTER_GROUP | points of the group, bit by bit. */
enum cluster_kind {
    CLUSTER_PLAIN = 0,
    CLUSTER_SLOW = 1,  /* some pair coincides */
    CLUSTER_JUMP = 2,  /* the row goes on in block `base` */
};
enum { CLUSTER_HEADER = 7 };

struct cluster_visit {
    int64_t end, at;   /* clusters of a column; the first that is not below */
    double box[4];     /* of that image of the column */
};
struct cluster_image {
    int32_t k[3];
    double shift[3], z[2];
    int64_t begin, end; /* visits */
};

/* Pairs of a group and a cluster that may come to coincide while lists are
 * kept: blocks of a pool, the number of entries in the first word, then for
 * each group and cluster in two words and three lattice shifts. */
enum { WATCH_ENTRY = 7 };

/* What one thread lists. */
struct cluster_lister {
    const struct cluster_grid *grid;
    const struct cluster_set *targets, *sources;
    int newton;         /* 1: the sets are one, list only what lies ahead */
    double close;       /* raw: pairs within may coincide */
    double watch;       /* raw: those within may come that close */
    int found;          /* out: 1: some pair is close */
    struct cluster_pool *pool, *watched;
    uint32_t *spare;    /* [2][CLUSTER_BLOCK] for when a pool is full */
    uint32_t *watching; /* the block of `watched`, or NULL */
    struct cluster_image *image; /* [images] */
    struct cluster_visit *visit; /* [visits] */
    int64_t *start;     /* [groups]: first word of a group's list */
    int32_t *weight;    /* [groups]: SIMD words of pairs */
    uint32_t *out, *limit; /* next word, and the block's end */
};

/* What one thread sums. */
enum cluster_output { CLUSTER_POT, CLUSTER_FIELD, CLUSTER_BOTH };
struct cluster_sum {
    const struct cluster_grid *grid;
    const struct cluster_set *targets, *sources;
    int newton;             /* as in the lister */
    const uint32_t *pool;
    const int64_t *start;   /* [groups] */
    int64_t begin, end;     /* clusters of targets */
    int64_t first, count;   /* clusters that `out` holds, cyclic from first */
    void *out;              /* [count][parts][width]: field x, y, z in the frame
                               and potential, or one of them, of the scaled
                               charges; with newton times the point's own.  Or
                               a flow's velocity in the frame */
    double *wide;         /* [count][parts][width]: sums of what out held, where
                               it is to hold few; NULL: all are in out */
    const int32_t *crowd; /* with wide and newton: see cluster_crowd */
    int32_t *held;        /* [columns]: terms that a sum in out may have */
    const struct near_poly *poly;
    const struct pair *pair;
    enum cluster_output output; /* of a flow CLUSTER_FIELD: its velocity */
    double skip;            /* raw */
    double *virial;         /* [9] or NULL: minus the sum of image shifts times
                               forces, which sum_i x_i F_i has too much */
};

/* What adds the threads' sums and gives them to the caller. */
struct cluster_finish {
    const struct cluster_grid *grid;
    const struct cluster_set *targets;
    const struct cluster_sum *part; /* [parts] */
    int parts, newton;
    int wide;               /* 1: sums and results are f64 */
    int64_t begin, end;     /* clusters */
    const struct near_io *io;
    double unit;            /* of what was summed, in cutoffs */
    double scale;           /* 1 / that of the charges, times unit */
    double self;            /* a scalar's: the self term of a unit charge */
    double energy;          /* this thread's share */
    double virial[9];       /* the same, in the frame */
};

/* stage/near/host_cluster/list_kern.c */
struct cluster_list_kern {
    int width, group;
    int bytes;          /* of one number of a cluster's points */
    /* `count` sorted points into a cluster of a column; at: caller's indices,
     * z: their coordinates. */
    void (*pack)(const struct cluster_grid *grid, struct cluster_set *set,
                 int64_t column, int64_t cluster, int count,
                 const int64_t *at, const double *z);
    /* Charges times scale into clusters begin .. end.  tiny stands for none
     * where a charge's own field is wanted. */
    void (*charge)(const struct cluster_set *set, double scale, double tiny,
                   const void *q, int64_t begin, int64_t end);
    /* The same for the strengths of a flow, into the frame. */
    void (*vectors)(const struct cluster_grid *grid,
                    const struct cluster_set *set, const void *q, int64_t begin,
                    int64_t end);
    double tiny;        /* relative to the largest; it vanishes in any sum */
    /* Lists groups begin .. end. */
    void (*list)(struct cluster_lister *lister, int64_t begin, int64_t end);
};

/* stage/near/host_cluster/keep_kern.c */
struct cluster_keep_kern {
    /* Points of clusters begin .. end to where they are now; the square of the
     * farthest move from where they were listed, raw. */
    double (*move)(const struct cluster_grid *grid,
                   const struct cluster_set *set, int64_t begin, int64_t end);
    /* 1: a pair of a block of `watched` is within `close`, raw. */
    int (*watched)(const struct cluster_grid *grid,
                   const struct cluster_set *targets,
                   const struct cluster_set *sources, const uint32_t *block,
                   double close);
    /* 1: two points of one of clusters begin .. end are within `close`, raw. */
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

/* stage/near/host_cluster/wide.c: sums in f64 of pairs in f32.  The sums that
 * are added to by both points of a pair lie in `out`, in f32; once they may
 * have more than WIDE_TERMS terms they are added to f64 and begin anew. */
enum { WIDE_TERMS = 64 };
/* For each column of the set the points of it that a point of any column may
 * have within the cutoff, images too: about the most terms that the column
 * gives to a sum. */
void cluster_crowd(const struct cluster_grid *grid,
                   const struct cluster_set *set, int width, int32_t *crowd);
/* The clusters of a column that are summed before sums are spilled. */
int64_t cluster_step(const struct cluster_sum *sum, int64_t column, int width);
/* Clusters of column `column` have given `given` terms, to the columns around
 * it: their sums to f64 where they have many terms. */
void cluster_spill(const struct cluster_sum *sum, int64_t column, int32_t given,
                   int width);
/* All that is left. */
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
/* Where `out` holds cluster c. */
static inline int64_t cluster_out(const struct cluster_sum *sum, int64_t c)
{
    int64_t k = c - sum->first;
    return k >= 0 ? k : k + sum->targets->n_clusters;
}
static inline int cluster_parts(enum cluster_output output)
{
    return output == CLUSTER_POT ? 1 : output == CLUSTER_FIELD ? 3 : 4;
}
/* Sums of a target that args->outputs want. */
int host_cluster_parts(const struct near_args *args);
/* SIMD words of pairs a source and its neighbours make. */
double host_cluster_words(const struct near_args *args, int width);
double host_cluster_cost(const void *args);
void host_cluster_ops(const void *args, struct work *work);
int64_t host_cluster_bytes(const void *args);

/* The place in the frame, raw, of fractional coordinates along the grid's
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

/* A point's, in the cell. */
static inline void cluster_place(const struct cluster_grid *grid,
                                 const struct points *points, int64_t i,
                                 double r[3])
{
    cluster_frame(grid, points->s[grid->axis[0]][i],
                  points->s[grid->axis[1]][i], points->s[grid->axis[2]][i], r);
}

/* That of point i, which is number k of cluster c, as the lists know it: next
 * to where it was listed.  Returns the square of the way from there. */
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

/* stage/near/host_cluster/grid.c: the grid for sources of the expected
 * density. */
farsum_status cluster_grid_set(struct cluster_grid *grid,
                               const struct near_args *args, int width,
                               int64_t n_sources);
void cluster_grid_clear(struct cluster_grid *grid);

/* stage/near/host_cluster/sort.c */
struct cluster_sorter {
    int64_t key_room, point_room, bin_room;
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
