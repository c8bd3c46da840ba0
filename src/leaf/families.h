/* SPDX-License-Identifier: Apache-2.0 */
/* families.h: parents of a dense tree in blocks of BLOCK_X x BLOCK_Y x BLOCK_Z
 * neighbours, with those around them: what rows of m2l that work on the eight
 * children of a parent at once have in common (math.md (10.28)). */
#ifndef FARSUM_LEAF_FAMILIES_H
#define FARSUM_LEAF_FAMILIES_H

#include "leaf/boxes.h"
#include "leaf/tree.h"

#define BLOCK_X 8
#define BLOCK_Y 4
#define BLOCK_Z 4
#define BLOCK (BLOCK_X * BLOCK_Y * BLOCK_Z)
#define ROUND_X (BLOCK_X + 2)
#define ROUND_Y (BLOCK_Y + 2)
#define CELLS (ROUND_X * ROUND_Y * (BLOCK_Z + 2)) /* with those around */
/* Numbers of a coefficient: a pitch with which lanes that read four
 * coefficients and runs of cells meet no bank twice. */
#define PITCH (CELLS + (REAL_BITS == 64 ? 4 : 0))
#define STEPS 26 /* (difference axes, sum axes), but for no axis at all */

/* As stage/m2l/gpu_walsh_make.c has it. */
struct families {
    i32 root[3], periodic[3];
    i32 begin, blocks; /* of a launch: the first block, how many */
};

/* The next of the sets w of axes that are not in f, and of the places (f,
 * chunk, w): f = 8 at the end. */
struct family_step {
    i32 f, chunk, w;
};
FN struct family_step family_first(void)
{
    struct family_step s = {0, 0, 1};
    return s;
}
FN struct family_step family_next(struct family_step s, i32 chunks)
{
    i32 free = 7 ^ s.f;
    s.w = (s.w - free) & free;
    if (s.w == 0) {
        s.chunk++;
        if (s.chunk == chunks) {
            s.chunk = 0;
            s.f++;
        }
        s.w = s.f == 0;
    }
    return s;
}

/* What a step sums over: axes of f | w one after another, offsets of cells, and
 * the sign of the neighbour before: -1 along axes of f. */
struct family_sum {
    i32 axes, at[3];
    real sign[3];
};
FN struct family_sum family_sum(struct family_step s)
{
    struct family_sum t;
    i32 q = s.f | s.w, second = (q & 3) == 3 ? 2 : 4;
    i32 first = (q & 1) ? 1 : (q & 2) ? 2 : 4;
    t.axes = (q & 1) + (q >> 1 & 1) + (q >> 2);
    t.at[0] = first == 1 ? 1 : first == 2 ? ROUND_X : ROUND_X * ROUND_Y;
    t.at[1] = second == 2 ? ROUND_X : ROUND_X * ROUND_Y;
    t.at[2] = ROUND_X * ROUND_Y;
    t.sign[0] = (s.f & first) ? R(-1) : R(1);
    t.sign[1] = (s.f & second) ? R(-1) : R(1);
    t.sign[2] = (s.f & 4) ? R(-1) : R(1);
    return t;
}

/* Of a parent at (x, y, z) of a level: -1 if it is not there. */
FN i64 family_number(struct families g, i32 level, i32 x, i32 y, i32 z)
{
    i32 place[3] = {x, y, z};
    for (i32 a = 0; a < 3; a++) {
        i32 side = g.root[a] << level;
        if (place[a] >= 0 && place[a] < side)
            continue;
        if (!g.periodic[a])
            return -1;
        place[a] = (place[a] % side + side) % side;
    }
    return tree_number(place[0], place[1], place[2], level, g.root[0],
                       g.root[1], (i64)g.root[0] * g.root[1] * g.root[2]);
}
#endif
