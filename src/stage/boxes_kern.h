/* boxes_kern.h: what boxes_kern.c gives to rows of the rooms between points and
 * boxes and between a box and its children. */
#ifndef FARSUM_STAGE_BOXES_KERN_H
#define FARSUM_STAGE_BOXES_KERN_H

#include "stage/boxes.h"

struct boxes_kern {
    int tile; /* boxes side by side */
    /* to[padded][tile] += t from[size][tile]: t as boxes_pack makes it. */
    void (*product)(int size, const void *t, const void *from, void *to);
    /* sum[size] = sum of q R over n points. */
    void (*multipole)(int p, const double *table, const void *const x[3],
                      const void *q, int64_t n, void *sum);
    /* The sums of L conj(R) of `count` expansions [count][size], times unit[],
     * are added to out[] of n points; NULL: not wanted. */
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
/* t [size][size] into [padded/ROWS][size][ROWS] of the precision. */
void boxes_pack(const struct boxes_args *args, const double *t, void *packed);
/* Numbers of boxes `at` (-1: zeros) into from[size][tile], and back. */
void boxes_load(const struct boxes_args *args, const void *array,
                int64_t stride, const int64_t *at, int tile, void *from);
void boxes_store(const struct boxes_args *args, void *array, int64_t stride,
                 const int64_t *at, int tile, const void *from, int add);
#endif
