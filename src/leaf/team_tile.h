/* SPDX-License-Identifier: Apache-2.0 */
/* team_tile.h: particles of a tile of the mesh that is in group memory, taken
 * one after the other by teams of 32 threads that go in step
 * (stage/gpu_tiles.h).
 *
 * A thread has one z of the window and every RP-th of its rows y; STRIDE, words
 * from row to row, is such that RP rows of SUPPORT lie in banks of their own,
 * so that a team reads its words in one go.
 *
 * Wants SUPPORT, CHANNELS, PARTS; EX, EY, EZ, mesh points of a tile at most;
 * WARPS, teams of a group, a power of 2, and STRIDE, unless they are these: */
#ifndef FARSUM_LEAF_TEAM_TILE_H
#define FARSUM_LEAF_TEAM_TILE_H
#include "leaf/cells.h"
#include "leaf/mesh.h"
#include "leaf/window.h"

#ifndef WARPS
#define WARPS 2
#endif
#ifndef STRIDE
#define STRIDE SIDE_Z
#endif
#define WARP 32
#define GROUP (WARPS * WARP)
#define BATCH 32
#define SIDE_X (EX + SUPPORT)
#define SIDE_Y (EY + SUPPORT)
#define SIDE_Z (EZ + SUPPORT)
#define ROWS (SIDE_X * SIDE_Y)
#define TILE (ROWS * STRIDE)
/* Goes over the rows of a plane of the window, and rows at a time. */
#define PASSES ((SUPPORT + WARP / SUPPORT - 1) / (WARP / SUPPORT))
#define RP ((SUPPORT + PASSES - 1) / PASSES)
#define HOLE 0xffffffffu

#if SG_SIZE % WARP == 0
#define TEAM_BARRIER() SG_BARRIER()
#else
#define TEAM_BARRIER() BARRIER()
#endif

/* What a thread of a team has of every window: z jz, rows jy + k RP, but of the
 * last pass LAST + jl.  Who would have none does what another does. */
#define LAST ((PASSES - 1) * RP)
struct lane {
    i32 jz, jy, jl;
};

FN struct lane lane_of(void)
{
    i32 k = LID % WARP < RP * SUPPORT ? LID % WARP : 0;
    struct lane l;
    l.jz = k % SUPPORT;
    l.jy = k / SUPPORT;
    l.jl = LAST + l.jy < SUPPORT ? l.jy : 0;
    return l;
}

/* Words of a particle's weights: what is read at once is aligned, and lies in
 * as many banks as that leaves. */
#define FOURS(words) (((words) + 3) / 4)
#define ALIGNED(words) (4 * (FOURS(words) | 1))

/* The first mesh point that a particle of tile b of axis d touches. */
FN i32 tile_low(i32 b, i32 d, struct mesh_args a, struct cells_args cells)
{
    return d == 0   ? cells_low(b, a.mesh[0], cells.nb[0], cells.edge[0])
           : d == 1 ? cells_low(b, a.mesh[1], cells.nb[1], cells.edge[1])
                    : cells_low(b, a.mesh[2], cells.nb[2], cells.edge[2]);
}

/* The same of a tile, all axes. */
FN void tile_lows(LOCAL_PTR i32 *low, u32 tile, struct mesh_args a,
                  struct cells_args cells)
{
    u32 nb1 = (u32)cells.nb[1], nb2 = (u32)cells.nb[2];
    if (LID < 3)
        low[LID] = tile_low((i32)(LID == 0   ? tile / nb2 / nb1
                                  : LID == 1 ? tile / nb2 % nb1
                                             : tile % nb2),
                            LID, a, cells);
}

/* Once for new points.  s, order, start: sorted by tile.  t: [3][n], where in
 * its spacing each lies, for the weights; at: where its first mesh point is in
 * its tile; item: [n] order.
 * part: [slots][3]: tile, first particle, the one past the last; HOLE where a
 * slot has none.  Tile b has the slots from b + start[b] / most on. */
KERNEL(256)
tile_place(GLOBAL const f64 *RESTRICT s, GLOBAL const u32 *RESTRICT order,
           GLOBAL const u32 *RESTRICT start, GLOBAL real *RESTRICT t,
           GLOBAL i32 *RESTRICT at, GLOBAL u32 *RESTRICT item,
           GLOBAL u32 *RESTRICT part, struct mesh_args a,
           struct cells_args cells, i64 tiles, i32 most)
{
    i64 i = GID * 256 + LID;
    if (i < a.n) {
        i32 place = 0;
        UNROLL
        for (i32 d = 0; d < 3; d++) {
            real v;
            i32 b = (i32)(s[d * a.n + i] * cells.nb[d]);
            i32 first = window_first(s[d * a.n + i], a.mesh[d], &v);
            place += (first - tile_low(b, d, a, cells))
                     * (d == 0   ? SIDE_Y * STRIDE
                        : d == 1 ? STRIDE
                                 : 1);
            t[d * a.n + i] = v;
        }
        at[i] = place;
        item[i] = order[i];
    }
    if (i < tiles) {
        i64 from = start[i], end = start[i + 1];
        i64 slot = i + from / most, last = i + 1 + end / most;
        for (; slot < last; slot++, from += most) {
            part[3 * slot] = from < end ? (u32)i : HOLE;
            part[3 * slot + 1] = (u32)from;
            part[3 * slot + 2] = (u32)(end - from < most ? end : from + most);
        }
    }
}

/* The index of a tile's mesh point j along axis d, -1 off an open axis. */
FN i32 tile_index(LOCAL_PTR const i32 *low, i32 j, i32 d, struct mesh_args a)
{
    return d == 0   ? mesh_index(low[0] + j, a.mesh[0], a.open[0])
           : d == 1 ? mesh_index(low[1] + j, a.mesh[1], a.open[1])
                    : mesh_index(low[2] + j, a.mesh[2], a.open[2]);
}

/* row: [ROWS], where the mesh has each row of the tile, -1: nowhere. */
FN void tile_rows(LOCAL_PTR i64 *row, LOCAL_PTR const i32 *low,
                  struct mesh_args a)
{
    UNROLL_NOT
    for (i32 r = LID; r < ROWS; r += GROUP) {
        i32 x = tile_index(low, r / SIDE_Y, 0, a);
        i32 y = tile_index(low, r % SIDE_Y, 1, a);
        row[r] = x >= 0 && y >= 0 ? mesh_at(a, x, y, 0) : -1;
    }
}
#endif
