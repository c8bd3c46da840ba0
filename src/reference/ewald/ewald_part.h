/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_part.h: internal parts of the periodic reference (ewald_sum.h). */
#ifndef FARSUM_REFERENCE_EWALD_EWALD_PART_H
#define FARSUM_REFERENCE_EWALD_EWALD_PART_H

#include "reference/ewald/ewald_sum.h"
#include "reference/kernels.h"

#define EWALD_PI 3.14159265358979323846264338327950288L

enum {
    EWALD_SOURCES = 128, /* sources per block of the far sum */
    EWALD_TARGETS = 32,  /* targets per block */
    EWALD_PAD = 16,      /* padding of the points' arrays, in entries */
};

/* The lattice in a nearly orthogonal basis of our own.  The shortest vector is
 * first, so the rows of modes, along c, are long.  One or two periodic axes:
 * the periodic rows come first; the others are orthogonal to all. */
struct ewald_lattice {
    int axes;              /* number of periodic rows */
    long double a[9];      /* rows */
    long double inv[9];    /* s_d = sum_j x_j inv[3j + d] */
    long double volume;    /* > 0; the basis may be left-handed */
    long double length[3]; /* of the rows */
    long double height[3]; /* distances between opposite faces */
    long double filled;    /* volume that the points fill */
    /* One or two periodic axes: length or area of a period, and the largest
     * distance of points across it; by open row, the coordinates' lowest value
     * and extent, and the fraction where the cell begins. */
    long double period, across, low[3], extent[3], start[3];
};
farsum_status ewald_lattice_set(struct ewald_lattice *lattice,
                                const double rows[9]);

/* Chooses the parameters and predicts error, time and memory. */
farsum_status ewald_tune(const struct ewald_lattice *lattice,
                         const struct ewald_setup *setup,
                         struct ewald_info *info);

/* ewald_search.c: input of the parameter search of both references. */
struct ewald_count {
    const struct ewald_lattice *lattice;
    double volume, n, m, length; /* length: sum of the basis vectors' lengths */
    int threads, vacuum, same;
};
/* Amount of work: modes, factors per point, pairs within rc, box checks of
 * targets, entries of the rows of modes, points to store. */
struct ewald_work {
    double modes, tables, pairs, looks, entries, points;
};
struct ewald_oracle {
    double margin;  /* truncation errors stay below accuracy / margin */
    double xi_most; /* limit of xi a, a = (V/N)^(1/3) */
    /* The truncation error over exp(-s^2), u = rc/a, a = (V/N)^(1/3). */
    double (*left)(const void *data, double s2, double u);
    /* Sets seconds, bytes and estimate of info; changes nothing else. */
    void (*price)(const void *data, const struct ewald_count *,
                  const struct ewald_work *, struct ewald_info *);
    const void *data;
};
/* Checks the setup and fills *count. */
farsum_status ewald_count(const struct ewald_lattice *lattice,
                          const struct ewald_setup *setup,
                          struct ewald_count *count);
void ewald_search(const struct ewald_oracle *oracle,
                  const struct ewald_setup *setup,
                  const struct ewald_count *count, enum ewald_level level,
                  struct ewald_info *info);

/* Points sorted by the boxes of a grid. */
struct ewald_points {
    int64_t n;
    int64_t *index;           /* [n] index in the caller's arrays */
    int32_t *box;             /* [n] */
    double *hi[3], *lo[3];    /* [n] wrapped position, unevaluated sum */
    /* [n] fractional coordinate, unevaluated sum.  high is a multiple of 2^-30,
     * so its product with a mode's number is exact. */
    double *s_high[3], *s_low[3];
    double *x;                /* [n][3] unwrapped; NULL unless vacuum */
    int64_t *start;           /* [boxes + 1] */
    int64_t capacity, boxes_capacity; /* capacities of the arrays */
};

/* Boxes of the near sum: grid[0] x grid[1] x grid[2] in a cell, and the offsets
 * between boxes that can contain pairs within rc. */
struct ewald_boxes {
    int32_t grid[3];
    int64_t boxes, offsets, images;
    int32_t (*offset)[3]; /* [offsets] */
    int32_t reach[3];     /* largest |image| of an offset, along each axis */
    double *image;        /* [images][6] lattice vector: hi (3), lo (3) */
};
farsum_status ewald_boxes_set(struct ewald_boxes *boxes,
                              const struct ewald_lattice *lattice, double rc,
                              int64_t n);
void ewald_boxes_free(struct ewald_boxes *boxes);
farsum_status ewald_points_set(struct ewald_points *points,
                               const struct ewald_lattice *lattice,
                               const struct ewald_boxes *boxes, int64_t n,
                               const double *x, int keep_x, int threads);
void ewald_points_free(struct ewald_points *points);

/* Wave vectors k = 2 pi (n1, n2, n3) inv^T of a half space, in rows of given
 * n1, n2.  Entry n3 = 0..length-1 represents +n3 and -n3. */
struct ewald_row {
    int32_t n1, n2, length;
    int64_t start;
    int32_t first; /* of the third axis's factors; 0 with three axes */
};
struct ewald_modes {
    int32_t most[3]; /* largest |n_d| */
    int64_t rows, entries, modes;
    struct ewald_row *row;
    int64_t row_capacity;
    /* One or two periodic axes: an entry is +t and -t of wave vectors t along
     * the open rows; node: t and its weight.  The first ones are those of the
     * mean along the periodic axes, row 0. */
    int64_t nodes, first;
    double (*node)[3];
};
farsum_status ewald_modes_set(struct ewald_modes *modes,
                              const struct ewald_lattice *lattice,
                              double kmax);
void ewald_modes_free(struct ewald_modes *modes);
/* The wave vector of an entry; sign +1 or -1 for n3.  Returns 0 if the mode is
 * not in the half space or not within kmax. */
int ewald_wave(const struct ewald_lattice *lattice, double kmax,
               const struct ewald_row *row, int32_t n3, int sign,
               long double k[3]);
/* Also computes the wave vector; returns 2 (4 pi/V) exp(-k^2/4 xi^2)/k^2, or
 * 0. */
long double ewald_mode(const struct ewald_lattice *lattice, double xi,
                       double kmax, const struct ewald_row *row, int32_t n3,
                       int sign, long double k[3]);

/* Input of a sum in one precision.  Set by ewald_body.c, ewald_sum.c and
 * ewald_any.c; constant during a run. */
struct ewald_job {
    const struct ewald_lattice *lattice;
    const struct ewald_boxes *boxes;
    const struct ewald_modes *modes;
    const struct ewald_points *sources, *targets;
    double xi, rc, kmax, coincide; /* coincide: a distance */
    double soft;                   /* as in struct ewald_setup */
    const double *q; /* [n + EWALD_PAD] in sorted order */
    int want_virial, want_far;
    int threads;
    struct progress *listener; /* progress of the sums over sources; or NULL */
    /* ewald_any.c only: the kernel, the number of values, and [channels][n +
     * EWALD_PAD] */
    const struct reference_kind *kind;
    struct reference_split split;
    int width;
    const double *channel;
    double net[REFERENCE_CHANNELS]; /* one or two periodic axes: the sums of the
                                       channels */
    void *table[3]; /* [threads][most + 1][2][EWALD_SOURCES] of `real` */
    void *sums;     /* [threads][entries][8] of `real` */
    void *weights;  /* [entries][4] of `real` */
    void *mode;     /* [entries][2] of `real`: weights of +n3, -n3 */
};

/* Common state of both periodic references. */
struct ewald_body {
    struct ewald_setup setup;
    struct ewald_lattice lattice;
    struct ewald_info info;
    struct ewald_boxes boxes;
    struct ewald_modes modes;
    struct ewald_points sources, targets; /* targets.n = 0: the sources */
    struct ewald_job job;
    int ready, same; /* everything is set; the targets are the sources */
};
farsum_status ewald_body_open(struct ewald_body *body,
                              const struct ewald_setup *setup);
void ewald_body_close(struct ewald_body *body); /* frees what it holds */
/* To set points: count them, choose info, place them, and reserve the workspace
 * of a run: the threads' tables, `sums` sums and `weights` weights per
 * entry. */
farsum_status ewald_body_count(struct ewald_body *body, int64_t n, int64_t m,
                               const double *y);
farsum_status ewald_body_points(struct ewald_body *body, const double *x,
                                const double *y, int keep_x);
farsum_status ewald_body_work(struct ewald_body *body, size_t real_size,
                              int64_t sums, int64_t weights);

/* Results at a block of targets; the virial is the near field's. */
struct ewald_block {
    long double potential[EWALD_TARGETS];
    long double field[EWALD_TARGETS][3];
    long double virial[EWALD_TARGETS][6]; /* sum_j q_j d d f: xx yy zz xy xz yz,
                                             f the field's factor */
};

/* Functions of one precision. */
struct ewald_kern {
    size_t real_size;
    /* Fills job->mode. */
    void (*fill)(const struct ewald_job *);
    /* Adds sources i0..i1 to the sums of thread t. */
    void (*gather)(const struct ewald_job *, int t, int64_t i0, int64_t i1);
    /* Adds up the threads' sums of entries e0 to e1 into thread 0's, and
     * computes the weights. */
    void (*weigh)(const struct ewald_job *, int64_t e0, int64_t e1);
    /* The far virial: xx yy zz xy xz yz. */
    void (*virial)(const struct ewald_job *, long double w[6]);
    /* Near and far sums at targets i0 to i1, at most EWALD_TARGETS. */
    void (*near)(const struct ewald_job *, int64_t i0, int64_t i1,
                 struct ewald_block *);
    void (*far)(const struct ewald_job *, int t, int64_t i0, int64_t i1,
                struct ewald_block *);
};
extern const struct ewald_kern ewald_long;

/* Index in the list of images; image[d] is within +-reach[d]. */
static inline int64_t ewald_image(const struct ewald_boxes *b,
                                  const int32_t image[3])
{
    int64_t at = 0;
    for (int d = 0; d < 3; d++)
        at = at * (2 * b->reach[d] + 1) + image[d] + b->reach[d];
    return at;
}
#endif
