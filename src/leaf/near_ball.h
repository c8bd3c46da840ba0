/* SPDX-License-Identifier: Apache-2.0 */
/* near_ball.h: columns of cells along c that the ball around one target
 * touches. */
#ifndef FARSUM_LEAF_NEAR_BALL_H
#define FARSUM_LEAF_NEAR_BALL_H

/* Edges of one cell in cutoffs, in near_columns' frame, and what the least and
 * the most over a column's cross-section are off from its first corner. */
struct near_ball {
    f32 x0, y0, y1, z0, z1;
    f32 x_least, x_most, y_least, y_most, z_least, z_most;
    f32 per_z2; /* cells along c in a cutoff */
    f32 cut, slack; /* as near_columns */
    f32 per_wide;
    i32 columns, wide; /* in all; along b */
    i32 pad;
};

/* How far a range around `at` is from 0. */
FN f32 near_ball_beyond(f32 at, f32 least, f32 most)
{
    f32 above = at + least, below = -(at + most);
    f32 beyond = above > below ? above : below;
    return beyond > 0 ? beyond : 0;
}

/* Column t of those around a target at place w of cell b: the cells of it that
 * the ball may touch, images not folded back, none if *last is less than
 * *first. */
FN void near_ball_column(struct near_ball g, i32 t, const i32 reach[3],
                         const i32 b[3], const f32 w[3], i32 step[2],
                         i32 *first, i32 *last)
{
    i32 da = (i32)(((f32)t + (f32)0.5) * g.per_wide), db;
    da -= da * g.wide > t;
    da += (da + 1) * g.wide <= t;
    db = t - da * g.wide - reach[1];
    da -= reach[0];
    step[0] = da;
    step[1] = db;
    f32 u = (f32)da - w[0], v = (f32)db - w[1];
    f32 x = near_ball_beyond(g.x0 * u, g.x_least, g.x_most);
    f32 y = near_ball_beyond(g.y0 * u + g.y1 * v, g.y_least, g.y_most);
    f32 left = g.cut - x * x - y * y, z = g.z0 * u + g.z1 * v;
    *first = 0;
    *last = -1;
    if (t >= g.columns || left <= 0)
        return;
    left = left * RSQRT32(left) + g.slack;
    *first = b[2] + (i32)floor(w[2] - (left + z + g.z_most) * g.per_z2);
    *last = b[2] + (i32)floor(w[2] + (left - z - g.z_least) * g.per_z2);
}
#endif
