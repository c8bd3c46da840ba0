/* SPDX-License-Identifier: Apache-2.0 */
/* crowd.h: what a tree's boxes say of the errors, (10.24) to (10.26), as
 * method/fmm_crowd.c has it: of sampled points, of lists, for kernels of sparse
 * and of dense trees.  Who includes it defines GROUP, TEAM, LEVELS, KNOTS,
 * TABLE and BOXES. */
#ifndef FARSUM_LEAF_CROWD_H
#define FARSUM_LEAF_CROWD_H

#include "leaf/morton.h"
#include "leaf/sum.h"

#define TEAMS (GROUP / TEAM)
#define SUMS (2 * KNOTS)     /* of a and g of (10.25) */
#define LIST (1 + 2 * KNOTS) /* words that a list leaves */

struct crowd_args {
    i64 samples[2], step[2]; /* of sources, targets: every step-th of all */
    i64 leaf[2];             /* of a dense tree's leaves that are looked at:
                                every leaf-th */
    i64 some;                /* CROWD_SOME of method/fmm_crowd.h */
    i32 lowest, deepest;     /* levels that are looked at */
    i32 few[2];              /* 1: a side has too few points to tell */
    i32 begin[LEVELS + 1];   /* where the boxes of each level that are looked
                                at begin among all of them */
};

/* Numbers that the host knows: rim and lean of an even box; the sum of weights;
 * squares of what uneven boxes and octants leave; of both at the rim; weights
 * of offsets, [(2 ws + 3)^3][KNOTS]. */
#define EVEN_RIM(k) known[k]
#define EVEN_LEAN(k) known[KNOTS + (k)]
#define TOTAL(k) known[2 * KNOTS + (k)]
#define WHOLE(k) known[3 * KNOTS + (k)]
#define EIGHTH(k) known[4 * KNOTS + (k)]
#define RIMS(k) known[5 * KNOTS + (k)]
#define WEIGHTS (6 * KNOTS)

/* Of each leaf, the sum over its octants of the squares of their counts. */
KERNEL(GROUP)
crowd_octants(GLOBAL const u32 *begin, GLOBAL const real *x,
              GLOBAL f64 *squares, i64 n, i64 leaves)
{
    LOCAL i32 count[8 * TEAMS];
    i64 l = GID * TEAMS + LID / TEAM;
    for (i32 i = LID; i < 8 * TEAMS; i += GROUP)
        count[i] = 0;
    BARRIER();
    for (i64 k = l < leaves ? begin[l] + LID % TEAM : 0;
         l < leaves && k < begin[l + 1]; k += TEAM) {
        i32 octant =
            (x[k] >= 0) | (x[n + k] >= 0) << 1 | (x[2 * n + k] >= 0) << 2;
        atomic_add_local_i32(count + LID / TEAM * 8 + octant, 1);
    }
    BARRIER();
    if (l >= leaves || LID % TEAM > 0)
        return;
    f64 sum = 0;
    for (i32 o = 0; o < 8; o++) {
        f64 c = (f64)(u32)count[LID / TEAM * 8 + o];
        sum += c * c;
    }
    squares[l] = sum;
}

/* Group g adds word g of the records first .. first + records. */
KERNEL(GROUP)
crowd_fold(GLOBAL const f64 *record, GLOBAL f64 *fact, i64 first, i64 records,
           i64 place, i32 each)
{
    LOCAL f64 scratch[GROUP];
    f64 total =
        records_total(record + first * each, records, each, (i32)GID, scratch);
    if (LID == 0)
        fact[place + GID] = total;
}

/* The leaf of point i. */
FN i64 crowd_leaf(GLOBAL const u32 *begin, i64 leaves, i64 i)
{
    i64 low = 0, high = leaves;
    while (high - low > 1) {
        i64 middle = low + (high - low) / 2;
        if (begin[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The table's row of a point at u from its box's centre; unit: 1 over the
 * square of half a box's diagonal. */
FN i32 crowd_row(const f64 u[3], f64 unit)
{
    f64 r2 = (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) * unit;
    return (i32)(TABLE * (r2 < 1 ? r2 : 1) + 0.5);
}

/* A point's row to a box's sums, in parts. */
FN void crowd_row_add(GLOBAL const i64 *table, i32 row, i64 parts[SUMS])
{
    UNROLL
    for (i32 w = 0; w < SUMS; w++)
        parts[w] += table[row * SUMS + w];
}

/* A box's place and a point in it, from the box above. */
FN void crowd_up(i32 place[3], f64 u[3], const f64 box[3])
{
    UNROLL
    for (i32 d = 0; d < 3; d++) {
        i32 octant = place[d] & 1;
        place[d] >>= 1;
        u[d] = u[d] / 2 + (octant - 0.5) * box[d] / 2;
    }
}

/* Of sums in parts of 2^-44 (fmm_gpu_crowd.c) over every step-th point. */
FN f64 crowd_whole(u64 parts, i64 step)
{
    return (f64)parts / (f64)((u64)1 << 44) * (f64)step;
}

/* The step of a box of n points of a level of which others are left out. */
FN i64 crowd_step_box(struct crowd_args a, i64 step, i64 n)
{
    i64 least = n / (a.some / 8) + 1;
    return step > least ? step : least;
}

/* Squares of what the octants of a box of n sources differ by from an eighth,
 * less what random places give; from the sum of the squares of their counts. */
FN f64 crowd_uneven(f64 squares, f64 n)
{
    f64 sum = squares - (n * n / 8 + 7 * n / 8);
    return sum > 0 ? sum : 0;
}

/* What a thread has added up of a list. */
struct crowd_list {
    f64 n[KNOTS], square[KNOTS], octants[KNOTS], rim[KNOTS], lean[KNOTS];
};

FN void crowd_list_begin(struct crowd_list *list)
{
    UNROLL
    for (i32 k = 0; k < KNOTS; k++)
        list->n[k] = list->square[k] = list->octants[k] = list->rim[k] =
            list->lean[k] = 0;
}

/* Step e to the box of n sources and SUMS fills. */
FN void crowd_list_add(struct crowd_list *list, GLOBAL const f64 *known, i32 e,
                       f64 n, f64 uneven, const f64 fill[SUMS])
{
    UNROLL
    for (i32 k = 0; k < KNOTS; k++) {
        f64 w = known[WEIGHTS + e * KNOTS + k];
        list->n[k] += w * n;
        list->square[k] += w * n * n;
        list->rim[k] += w * fill[k];
        list->lean[k] += w * fill[KNOTS + k];
        list->octants[k] += w * uneven * fill[k] / (n * EVEN_RIM(k));
    }
}

/* Record: the targets `aim` of the group's box; then of each knot what goes
 * with far and with uneven (struct fmm_crowd), times them.  own: thread 0's,
 * the box's fills by targets. */
FN void crowd_list_end(const struct crowd_list *list, GLOBAL const f64 *known,
                       f64 aim, const f64 own[SUMS], GLOBAL f64 *record,
                       LOCAL_PTR f64 *scratch)
{
    if (LID == 0)
        record[0] = aim;
    UNROLL
    for (i32 k = 0; k < KNOTS; k++) {
        f64 all = group_total(list->n[k], scratch);
        f64 squared = group_total(list->square[k], scratch);
        f64 eighths = group_total(list->octants[k], scratch);
        f64 rims = group_total(list->rim[k], scratch);
        f64 leans = group_total(list->lean[k], scratch);
        f64 gaps = squared - all * all / TOTAL(k) - all;
        if (LID > 0)
            continue;
        record[1 + k] =
            (rims * own[KNOTS + k] + leans * own[k] + RIMS(k) * rims * own[k])
            / (2 * EVEN_RIM(k) * EVEN_LEAN(k)
               + RIMS(k) * EVEN_RIM(k) * EVEN_RIM(k))
            / TOTAL(k);
        record[1 + KNOTS + k] =
            aim / TOTAL(k)
            * (WHOLE(k) * (gaps > 0 ? gaps : 0) + EIGHTH(k) * eighths);
    }
}
#endif
