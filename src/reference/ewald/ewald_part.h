/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_part.h: the pieces of the periodic oracle (ewald_sum.h), inside. */
#ifndef FARSUM_REFERENCE_EWALD_EWALD_PART_H
#define FARSUM_REFERENCE_EWALD_EWALD_PART_H

#include "reference/ewald/ewald_sum.h"
#include "reference/kernels.h"

#define EWALD_PI 3.14159265358979323846264338327950288L

enum {
    EWALD_SOURCES = 128, /* sources in a block of the far sum */
    EWALD_TARGETS = 32,  /* targets in a block */
    EWALD_PAD = 16,      /* entries past the end of a points' array */
};

/* The lattice in a basis of our own, nearly orthogonal, shortest first (so
 * that the rows of modes, along c, are long). */
struct ewald_lattice {
    long double a[9];      /* rows */
    long double inv[9];    /* s_d = sum_j x_j inv[3j + d] */
    long double volume;    /* > 0; the basis may be left-handed */
    long double length[3]; /* of the rows */
    long double height[3]; /* distance of opposite faces */
};
farsum_status ewald_lattice_set(struct ewald_lattice *lattice,
                                const double rows[9]);

/* Choice of parameters and what it promises. */
farsum_status ewald_tune(const struct ewald_lattice *lattice,
                         const struct ewald_setup *setup,
                         struct ewald_info *info);

/* What the two oracles' choices share: ewald_search.c. */
struct ewald_count {
    double volume, n, m, length; /* the last: sum of the basis vectors' */
    int threads, vacuum, same;
};
/* What is to do: modes, factors a point, pairs within rc, looks of targets into
 * boxes; entries of the rows of modes, points to hold. */
struct ewald_work {
    double modes, tables, pairs, looks, entries, points;
};
struct ewald_oracle {
    double margin;  /* what is left out stays below the accuracy over it */
    double xi_most; /* of xi a, a = (V/N)^(1/3) */
    /* What is left out over exp(-s^2), u = rc/a, a = (V/N)^(1/3). */
    double (*left)(const void *data, double s2, double u);
    /* Sets seconds, bytes and estimate; the rest of info stands. */
    void (*price)(const void *data, const struct ewald_count *,
                  const struct ewald_work *, struct ewald_info *);
    const void *data;
};
/* Checks the setup. */
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
    int64_t *index;           /* [n] place in the caller's arrays */
    int32_t *box;             /* [n] */
    double *hi[3], *lo[3];    /* [n] wrapped position, unevaluated sum */
    /* [n] fractional coordinate, unevaluated sum: high is a multiple of 2^-30,
     * so that its product with a mode's number is exact. */
    double *s_high[3], *s_low[3];
    double *x;                /* [n][3] unwrapped; NULL unless vacuum */
    int64_t *start;           /* [boxes + 1] */
    int64_t room, boxes_room; /* counts that the arrays hold */
};

/* Boxes of the near sum: grid[0] x grid[1] x grid[2] in a cell, and the
 * offsets between boxes that can hold pairs within rc. */
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
 * n1, n2: entry n3 = 0..length-1 stands for +n3 and -n3. */
struct ewald_row {
    int32_t n1, n2, length;
    int64_t start;
};
struct ewald_modes {
    int32_t most[3]; /* largest |n_d| */
    int64_t rows, entries, modes;
    struct ewald_row *row;
    int64_t row_room;
};
farsum_status ewald_modes_set(struct ewald_modes *modes,
                              const struct ewald_lattice *lattice,
                              double kmax);
void ewald_modes_free(struct ewald_modes *modes);
/* Wave vector of an entry, sign +1 or -1 for n3; 0 where the mode is not one
 * of the half space within kmax. */
int ewald_wave(const struct ewald_lattice *lattice, double kmax,
               const struct ewald_row *row, int32_t n3, int sign,
               long double k[3]);
/* The same; returns 2 (4 pi/V) exp(-k^2/4 xi^2)/k^2, or 0. */
long double ewald_mode(const struct ewald_lattice *lattice, double xi,
                       double kmax, const struct ewald_row *row, int32_t n3,
                       int sign, long double k[3]);

/* What a level works on: set by ewald_body.c, ewald_sum.c and ewald_any.c,
 * constant in a run. */
struct ewald_job {
    const struct ewald_lattice *lattice;
    const struct ewald_boxes *boxes;
    const struct ewald_modes *modes;
    const struct ewald_points *sources, *targets;
    double xi, rc, kmax, coincide; /* the last: a distance */
    const double *q; /* [n + EWALD_PAD] in sorted order */
    int want_virial, want_far;
    int threads;
    struct progress *listener; /* that the sums over sources tell; or NULL */
    /* of ewald_any.c alone: the kernel, how many values, and [channels][n +
     * EWALD_PAD] */
    const struct exact_kind *kind;
    struct exact_split split;
    int width;
    const double *channel;
    void *table[3]; /* [threads][most + 1][2][EWALD_SOURCES], level's real */
    void *sums;     /* [threads][entries][8], level's real */
    void *weights;  /* [entries][4], level's real */
    void *mode;     /* [entries][2], level's real: weights of +n3, -n3 */
};

/* What both oracles hold. */
struct ewald_body {
    struct ewald_setup setup;
    struct ewald_lattice lattice;
    struct ewald_info info;
    struct ewald_boxes boxes;
    struct ewald_modes modes;
    struct ewald_points sources, targets; /* targets.n = 0: the sources */
    struct ewald_job job;
    int ready, same; /* all is set; the targets are the sources */
};
farsum_status ewald_body_open(struct ewald_body *body,
                              const struct ewald_setup *setup);
void ewald_body_close(struct ewald_body *body); /* frees what it holds */
/* Points are set by counting them, choosing info, placing them and reserving
 * what a run works in: threads' tables, `sums` sums of each entry and `weights`
 * weights. */
farsum_status ewald_body_count(struct ewald_body *body, int64_t n, int64_t m,
                               const double *y);
farsum_status ewald_body_points(struct ewald_body *body, const double *x,
                                const double *y, int keep_x);
farsum_status ewald_body_work(struct ewald_body *body, size_t real_size,
                              int64_t sums, int64_t weights);

/* Results at a block of targets; the virial is of the near field. */
struct ewald_block {
    long double potential[EWALD_TARGETS];
    long double field[EWALD_TARGETS][3];
    long double virial[EWALD_TARGETS][6]; /* sum_j q_j d d f: xx yy zz xy xz
                                             yz, f the field's factor */
};

/* A level of arithmetic. */
struct ewald_kern {
    size_t real_size;
    /* Fills job->mode. */
    void (*fill)(const struct ewald_job *);
    /* Adds sources i0..i1 to the sums of thread t. */
    void (*gather)(const struct ewald_job *, int t, int64_t i0, int64_t i1);
    /* Joins the threads' sums of entries e0..e1 into sums of thread 0 and
     * makes the weights. */
    void (*weigh)(const struct ewald_job *, int64_t e0, int64_t e1);
    /* The far virial: xx yy zz xy xz yz. */
    void (*virial)(const struct ewald_job *, long double w[6]);
    /* Near and far at targets i0..i1, at most EWALD_TARGETS. */
    void (*near)(const struct ewald_job *, int64_t i0, int64_t i1,
                 struct ewald_block *);
    void (*far)(const struct ewald_job *, int t, int64_t i0, int64_t i1,
                struct ewald_block *);
};
extern const struct ewald_kern ewald_long;

/* Index in the list of images; image[d] within +-reach[d]. */
static inline int64_t ewald_image(const struct ewald_boxes *b,
                                  const int32_t image[3])
{
    int64_t at = 0;
    for (int d = 0; d < 3; d++)
        at = at * (2 * b->reach[d] + 1) + image[d] + b->reach[d];
    return at;
}
#endif
