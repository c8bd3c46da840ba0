/* SPDX-License-Identifier: Apache-2.0 */
/* lanes.h: runs of equal keys within a warp, and sums over the preceding
 * threads of a block.
 *
 * Before including, define GROUP, the block size (a power of two, at least
 * SG_SIZE), and the type `word` of the sums: u32 or u64. */
#ifndef FARSUM_DIALECT_LANES_H
#define FARSUM_DIALECT_LANES_H

/* One bit per thread of this warp. */
#if SG_SIZE > 32
typedef u64 lanes;
#define LANES_COUNT(v) POPCOUNT64(v)
#else
typedef u32 lanes;
#define LANES_COUNT(v) POPCOUNT32(v)
#endif

/* Index of the lowest set bit; v is not 0. */
FN i32 lanes_lowest(lanes v)
{
    return LANES_COUNT(~v & (v - 1));
}

/* Index of the highest set bit; v is not 0. */
FN i32 lanes_highest(lanes v)
{
    v |= v >> 1;
    v |= v >> 2;
    v |= v >> 4;
    v |= v >> 8;
    v |= v >> 16;
#if SG_SIZE > 32
    v |= v >> 32;
#endif
    return LANES_COUNT(v) - 1;
}

/* Returns the sum of v over the preceding threads of the block.  *total: the
 * sum over all threads.  scratch: GROUP words, free again after the call. */
FN word group_before(word v, LOCAL_PTR word *scratch, word *total)
{
#if HAS_SUBGROUP
    i32 lane = LID % SG_SIZE, team = LID / SG_SIZE;
    word sum = v, before, all = 0;
    for (i32 by = 1; by < SG_SIZE; by *= 2) {
        word other = sg_shuffle(sum, lane >= by ? lane - by : lane);
        sum += lane >= by ? other : 0;
    }
    if (lane == SG_SIZE - 1)
        scratch[team] = sum;
    BARRIER();
    before = sum - v;
    for (i32 t = 0; t < GROUP / SG_SIZE; t++) {
        before += t < team ? scratch[t] : 0;
        all += scratch[t];
    }
    BARRIER();
    *total = all;
    return before;
#else
    scratch[LID] = v;
    BARRIER();
    for (i32 by = 1; by < GROUP; by *= 2) {
        word other = LID >= by ? scratch[LID - by] : 0;
        BARRIER();
        scratch[LID] += other;
        BARRIER();
    }
    word before = scratch[LID] - v;
    *total = scratch[GROUP - 1];
    BARRIER();
    return before;
#endif
}

/* Adds 1 to count[key] for this thread and returns the previous value.
 * Adjacent threads with equal keys share one atomic, because points in spatial
 * order use the same counter many times in succession.  Every thread of the
 * block must call.  The key KEY_NONE counts nothing. */
#define KEY_NONE 0xffffffffu
FN u32 count_rank(GLOBAL u32 *count, u32 key)
{
#if HAS_SUBGROUP
    i32 lane = LID % SG_SIZE;
    u32 left = sg_shuffle(key, lane > 0 ? lane - 1 : 0), base = 0;
    i32 head = lane == 0 || left != key;
    lanes heads = (lanes)sg_ballot(head), here = (lanes)1 << lane;
    lanes after = heads & ~(here | (here - 1));
    i32 first = lanes_highest(heads & (here | (here - 1)));
    i32 next = after ? lanes_lowest(after) : SG_SIZE;
    if (head && key != KEY_NONE)
        base = (u32)atomic_add_i32((GLOBAL i32 *)(count + key), next - lane);
    return sg_shuffle(base, first) + (u32)(lane - first);
#else
    return key == KEY_NONE
               ? 0
               : (u32)atomic_add_i32((GLOBAL i32 *)(count + key), 1);
#endif
}
#endif
