/* plane_wave.h: waves of devices (math.md 10.20, 10.21): turned, damped, and
 * gathered from the near parents.  Who includes it defines Q, waves of an
 * axis's quarter turn, and WS. */
#ifndef FARSUM_LEAF_PLANE_WAVE_H
#define FARSUM_LEAF_PLANE_WAVE_H

#define SIDE (2 * WS + 1)
#define NEAR (SIDE * SIDE * SIDE)
#define POWERS (4 * WS)
/* Merged waves of a parent: 4 groups along z, 8 along y, 16 along x. */
#define GROUPS 28
#define MERGED_AT(axis) ((axis) == 2 ? 0 : (axis) == 1 ? 4 : 12)

FN real2 turn_by(real2 a, real2 b)
{
    real2 c;
    c.x = a.x * b.x - a.y * b.y;
    c.y = a.x * b.y + a.y * b.x;
    return c;
}

FN real2 conjugate(real2 a)
{
    a.y = -a.y;
    return a;
}

/* a + v turned by `one`, and its mirror image by `two`. */
FN real4 wave_add(real4 a, real4 v, real2 one, real2 two)
{
    a.x = FMA(v.x, one.x, FMA(-v.y, one.y, a.x));
    a.y = FMA(v.x, one.y, FMA(v.y, one.x, a.y));
    a.z = FMA(v.z, two.x, FMA(-v.w, two.y, a.z));
    a.w = FMA(v.z, two.y, FMA(v.w, two.x, a.w));
    return a;
}

FN real4 wave_more(real4 a, real4 v, real factor)
{
    a.x = FMA(v.x, factor, a.x);
    a.y = FMA(v.y, factor, a.y);
    a.z = FMA(v.z, factor, a.z);
    a.w = FMA(v.w, factor, a.w);
    return a;
}

FN real4 wave_zero(void)
{
    real4 a;
    a.x = a.y = a.z = a.w = R(0);
    return a;
}

/* Phases of half boxes along b and c. */
struct phases {
    real2 b[POWERS + 1], c[POWERS + 1]; /* powers */
};

FN void phases_of(GLOBAL const real *shift, i32 q, struct phases *to)
{
    to->b[0].x = to->c[0].x = R(1);
    to->b[0].y = to->c[0].y = R(0);
    to->b[1].x = shift[q];
    to->b[1].y = shift[Q + q];
    to->c[1].x = shift[2 * Q + q];
    to->c[1].y = shift[3 * Q + q];
    UNROLL
    for (i32 n = 2; n <= POWERS; n++) {
        to->b[n] = turn_by(to->b[n - 1], to->b[1]);
        to->c[n] = turn_by(to->c[n - 1], to->c[1]);
    }
}

/* a + v over j half boxes along b, k along c. */
FN real4 wave_shift(real4 a, real4 v, const struct phases *p, i32 j, i32 k)
{
    real2 b = j < 0 ? conjugate(p->b[-j]) : p->b[j];
    real2 c = k < 0 ? conjugate(p->c[-k]) : p->c[k];
    return wave_add(a, v, turn_by(b, c), turn_by(conjugate(b), c));
}

/* a + v over j half boxes along an axis with those powers; mirrors: b, whose
 * phases the mirror image has the other way round. */
FN real4 wave_along(real4 a, real4 v, const real2 *powers, i32 j, i32 mirrors)
{
    if (j == 0) {
        a.x += v.x;
        a.y += v.y;
        a.z += v.z;
        a.w += v.w;
        return a;
    }
    real2 one = j < 0 ? conjugate(powers[-j]) : powers[j];
    return wave_add(a, v, one, mirrors ? conjugate(one) : one);
}

/* Which of an axis's frame's bits a child's octant has: b, c, along. */
FN i32 frame_bit(i32 axis, i32 which, i32 octant)
{
    i32 at = axis == 2 ? which : which == 0 ? 2 : which == 1 ? 1 - axis : axis;
    return octant >> at & 1;
}

FN i32 plane_offset(i32 axis, i32 b, i32 c, i32 along)
{
    i32 x = axis == 2 ? b : axis == 1 ? c : along;
    i32 y = axis == 2 ? c : axis == 1 ? along : c;
    i32 z = axis == 2 ? along : b;
    return ((z + WS) * SIDE + y + WS) * SIDE + x + WS;
}

FN real4 plane_read(GLOBAL const real4 *waves, i32 row, i32 group)
{
    return row < 0 ? wave_zero()
                   : waves[((i64)row * GROUPS + group) * Q];
}

/* Waves that arrive `away` parents from where they left, those of one layer:
 * to[b][c] of the children. */
FN void plane_gather(i32 axis, i32 down, i32 layer, i32 away,
                     GLOBAL const real4 *waves, LOCAL_PTR const i32 *near,
                     const struct phases *p, real4 to[2][2])
{
    i32 along = down ? away : -away;
    i32 each = axis == 2 ? 2 : axis == 1 ? 4 : 8;
    i32 group = MERGED_AT(axis) + down * each
                + (down ? 1 - layer : layer) * (each / 2);
    UNROLL
    for (i32 b = 0; b < 2; b++) {
        UNROLL
        for (i32 c = 0; c < 2; c++)
            to[b][c] = wave_zero();
    }
    if (axis == 2) {
        UNROLL
        for (i32 oc = -WS; oc <= WS; oc++) {
            real4 line = wave_zero();
            UNROLL
            for (i32 ob = -WS; ob <= WS; ob++)
                line = wave_along(
                    line,
                    plane_read(waves, near[plane_offset(2, ob, oc, along)],
                               group),
                    p->b, -4 * ob, 1);
            to[0][0] = wave_along(to[0][0], line, p->c, -4 * oc, 0);
        }
        return;
    }
    UNROLL
    for (i32 at = -WS; at <= 1 + WS; at++) { /* children's places along b */
        i32 ob = (at + 2 * WS) / 2 - WS, sb = at - 2 * ob;
        real4 line[2];
        line[0] = line[1] = wave_zero();
        UNROLL
        for (i32 oc = -WS; oc <= WS; oc++) {
            i32 row = near[plane_offset(axis, ob, oc, along)];
            if (axis == 1) {
                line[0] = wave_along(line[0],
                                     plane_read(waves, row, group + sb), p->c,
                                     -4 * oc, 0);
                continue;
            }
            UNROLL
            for (i32 sc = 0; sc < 2; sc++) {
                i32 across = 2 * oc + sc;
                if (across < -WS || across > 1 + WS)
                    continue;
                real4 w = wave_along(
                    wave_zero(),
                    plane_read(waves, row, group + 2 * sb + sc), p->c,
                    1 - 2 * across, 0);
                if (across <= WS)
                    line[0] = wave_along(line[0], w, p->c, 0, 0);
                if (across >= 1 - WS)
                    line[1] = wave_along(line[1], w, p->c, 0, 0);
            }
        }
        UNROLL
        for (i32 c = 0; c < (axis == 1 ? 1 : 2); c++) {
            real4 w = wave_along(wave_zero(), line[c], p->b, 1 - 2 * at, 1);
            if (at <= WS)
                to[0][c] = wave_along(to[0][c], w, p->b, 0, 0);
            if (at >= 1 - WS)
                to[1][c] = wave_along(to[1][c], w, p->b, 0, 0);
        }
    }
}

/* Waves at the children, about the parent's centre: v[layer][b][c], layers as
 * they come. */
FN void plane_collect(i32 axis, i32 down, GLOBAL const real4 *waves,
                      LOCAL_PTR const i32 *near, const struct phases *p,
                      real damp, real4 v[2][2][2])
{
    UNROLL
    for (i32 i = 0; i < 8; i++)
        v[i / 4][i / 2 % 2][i % 2] = wave_zero();
    UNROLL
    for (i32 away = 1; away <= WS; away++) {
        UNROLL
        for (i32 layer = 0; layer < 2; layer++) {
            real4 from[2][2];
            plane_gather(axis, down, layer, away, waves, near, p, from);
            UNROLL
            for (i32 to = 0; to < 2; to++) {
                i32 steps = 2 * away + to - layer - WS - 1;
                real factor = R(1);
                if (steps < 0)
                    continue;
                UNROLL
                for (i32 k = 0; k < steps; k++)
                    factor *= damp;
                UNROLL
                for (i32 i = 0; i < 4; i++)
                    v[to][i / 2][i % 2] =
                        wave_more(v[to][i / 2][i % 2],
                                  from[axis == 2 ? 0 : i / 2]
                                      [axis == 0 ? i % 2 : 0],
                                  factor);
            }
        }
    }
}
#endif
