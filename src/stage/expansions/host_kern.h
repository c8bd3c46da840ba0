/* SPDX-License-Identifier: Apache-2.0 */
/* host_kern.h: interface of stage/expansions/host_kern.c and host.c, for the
 * host variants between points and boxes and between a box and its children. */
#ifndef FARSUM_STAGE_EXPANSIONS_HOST_KERN_H
#define FARSUM_STAGE_EXPANSIONS_HOST_KERN_H

#include "stage/expansions/expansions.h"

struct boxes_kern {
    int tile; /* boxes per tile */
    /* to[padded][tile] += t from[size][tile], with t from boxes_pack. */
    void (*product)(int size, const void *t, const void *from, void *to);
    /* sum[size] = sum of q R over n points. */
    void (*multipole)(int p, const double *table, const void *const x[3],
                      const void *q, int64_t n, void *sum);
    /* Adds the sums of L conj(R) for `count` expansions [count][size], times
     * unit[], to out[] at n points; NULL: not wanted. */
    void (*local)(int p, const double *table, const void *const x[3],
                  int64_t n, const void *expansion, int count,
                  const double *unit, void *const *out);
};
const struct boxes_kern *boxes_kern(const struct boxes_args *args);

enum { BOXES_ROWS = 4 };
/* Rows of a packed operator. */
static inline int boxes_padded(int size)
{
    return (size + BOXES_ROWS - 1) / BOXES_ROWS * BOXES_ROWS;
}
/* Packs t [size][size] into [padded/ROWS][size][ROWS] of the precision. */
void boxes_pack(const struct boxes_args *args, const double *t, void *packed);
/* Loads the coefficients of boxes `at` (-1: zeros) into from[size][tile]; and
 * stores them. */
void boxes_load(const struct boxes_args *args, const void *array,
                int64_t stride, const int64_t *at, int tile, void *from);
void boxes_store(const struct boxes_args *args, void *array, int64_t stride,
                 const int64_t *at, int tile, const void *from, int add);

/* A variant whose state is its arguments. */
farsum_status boxes_args_create(const void *args, void **state);
void boxes_args_destroy(void *state);
int64_t boxes_args_bytes(const void *args);

/* Type of multipole_m2m and multipole_l2l. */
typedef void boxes_shift(int p, const double d[3], double shrink, double *t);

/* State of a variant that applies the octants' operators to one box after
 * another. */
struct boxes_shifts {
    struct boxes_args args;
    double *shift; /* owned: [8][size][size] */
};
double boxes_shifts_cost(const void *args);
int64_t boxes_shifts_bytes(const void *args);
farsum_status boxes_shifts_create(const void *args, boxes_shift *shift,
                                  void **state);
void boxes_shifts_destroy(void *state);
/* sum[size] += the octant's operator times from[size]. */
void boxes_shifts_add(const struct boxes_shifts *s, int octant,
                      const double *from, double *sum);

/* State of a variant that applies them to tiles of boxes, one thread per
 * tile. */
struct boxes_tile {
    void *from, *to;      /* owned: [size][tile], [padded][tile] */
    int64_t *box, *other; /* owned: [tile] */
};
struct boxes_tiles {
    struct boxes_args args;
    const struct boxes_kern *kern;
    void *shift[8];          /* owned: packed */
    struct boxes_tile *tile; /* owned: [threads] */
};
double boxes_tiles_cost(const void *args);
int64_t boxes_tiles_bytes(const void *args);
farsum_status boxes_tiles_create(const void *args, boxes_shift *shift,
                                 void **state);
void boxes_tiles_destroy(void *state);
/* Called with the n parents from `first` on, for each tile of a level. */
typedef void boxes_tile_work(const struct boxes_tiles *s,
                             const struct boxes_io *io, int level,
                             int64_t first, int64_t n, struct boxes_tile *t);
void boxes_tiles_level(const struct boxes_tiles *s, const struct boxes_io *io,
                       int level, boxes_tile_work *work);
/* Children of that octant into t->other, -1: none; returns 1 if there are
 * any. */
int boxes_tile_children(const struct boxes_tiles *s, const struct boxes_io *io,
                        int level, int64_t first, int64_t n, int octant,
                        struct boxes_tile *t);
/* Sets t->to = 0; and adds the octant's operator times t->from. */
void boxes_tile_clear(const struct boxes_tiles *s, struct boxes_tile *t);
void boxes_tile_shift(const struct boxes_tiles *s, int octant,
                      struct boxes_tile *t);

/* State of a variant with one thread per leaf and SIMD over its points. */
struct boxes_leaves {
    struct boxes_args args;
    const struct boxes_kern *kern;
    double *table; /* owned: coefficients of the recurrences */
    void *workspace; /* owned: [threads][4 or BOXES_OUTPUTS][size] */
};
/* Seconds, where one coefficient of a vector of points takes `each`. */
double boxes_leaves_cost(const struct boxes_args *args, int64_t n_points,
                         double each);
int64_t boxes_leaves_bytes(const void *args);
farsum_status boxes_leaves_create(const void *args, void **state);
void boxes_leaves_destroy(void *state);
/* Called for each leaf, with a thread's workspace for four expansions, or
 * BOXES_OUTPUTS if args.gradient. */
typedef void boxes_leaf_work(const struct boxes_leaves *s,
                             const struct boxes_io *io, int64_t leaf,
                             char *workspace);
void boxes_leaves_run(const struct boxes_leaves *s, const struct boxes_io *io,
                      boxes_leaf_work *work);
#endif
