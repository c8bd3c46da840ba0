/* SPDX-License-Identifier: Apache-2.0 */
/* plane_wave.h: waves of devices (math.md 10.20, 10.21): merged, gathered from
 * the near parents, damped and turned.  Who includes it defines Q, waves of an
 * axis's quarter turn, WS, and CLASS_PITCH and OCTANT_PITCH, which say how sums
 * of a child lie in group memory. */
#ifndef FARSUM_LEAF_PLANE_WAVE_H
#define FARSUM_LEAF_PLANE_WAVE_H

#define SIDE (2 * WS + 1)
#define NEAR (SIDE * SIDE * SIDE)
/* Merged waves of a parent, turned to its centre: 4 groups along z, [direction]
 * [layer]; 8 along y, [direction][layer][b]; 16 along x, of a child each,
 * [direction][layer][b][c]. */
#define GROUPS 28
#define MERGED_AT(axis) ((axis) == 2 ? 0 : (axis) == 1 ? 4 : 12)
#define LAYER_GROUPS(axis) ((axis) == 2 ? 1 : (axis) == 1 ? 2 : 4)

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

/* Phases of an axis: of half a box along b and along c, and of n parents. */
struct phases {
    real2 b, c;
    real2 far_b[WS + 1], far_c[WS + 1];
};

FN void phases_of(GLOBAL const real *shift, i32 q, struct phases *to)
{
    real2 b, c;
    b.x = shift[q];
    b.y = shift[Q + q];
    c.x = shift[2 * Q + q];
    c.y = shift[3 * Q + q];
    to->b = b;
    to->c = c;
    b = turn_by(b, b);
    c = turn_by(c, c);
    b = turn_by(b, b);
    c = turn_by(c, c);
    to->far_b[1] = b;
    to->far_c[1] = c;
    UNROLL
    for (i32 n = 2; n <= WS; n++) {
        to->far_b[n] = turn_by(to->far_b[n - 1], b);
        to->far_c[n] = turn_by(to->far_c[n - 1], c);
    }
}

/* a + v over half a box along b and along c, there if the sign is 1. */
FN real4 wave_half(real4 a, real4 v, const struct phases *p, i32 sign_b,
                   i32 sign_c)
{
    real2 b = sign_b < 0 ? conjugate(p->b) : p->b;
    real2 c = sign_c < 0 ? conjugate(p->c) : p->c;
    return wave_add(a, v, turn_by(b, c), turn_by(conjugate(b), c));
}

/* a + v of the parent (ob, oc) away, to here. */
FN real4 wave_from(real4 a, real4 v, const struct phases *p, i32 ob, i32 oc)
{
    real2 b, c;
    if (ob == 0 && oc == 0)
        return wave_more(a, v, R(1));
    if (ob != 0)
        b = ob > 0 ? conjugate(p->far_b[ob]) : p->far_b[-ob];
    if (oc != 0)
        c = oc > 0 ? conjugate(p->far_c[oc]) : p->far_c[-oc];
    if (ob == 0)
        return wave_add(a, v, c, c);
    if (oc == 0)
        return wave_add(a, v, b, conjugate(b));
    return wave_add(a, v, turn_by(b, c), turn_by(conjugate(b), c));
}

/* Which of an axis's frame's bits a child's octant has: b, c, along. */
FN i32 frame_bit(i32 axis, i32 which, i32 octant)
{
    i32 at = axis == 2 ? which : which == 0 ? 2 : which == 1 ? 1 - axis : axis;
    return octant >> at & 1;
}

FN i32 frame_octant(i32 axis, i32 b, i32 c, i32 along)
{
    return axis == 2 ? b + 2 * c + 4 * along
                     : 4 * b + (axis == 1 ? c + 2 * along : 2 * c + along);
}

FN i32 plane_offset(i32 axis, i32 b, i32 c, i32 along)
{
    i32 x = axis == 2 ? b : axis == 1 ? c : along;
    i32 y = axis == 2 ? c : axis == 1 ? along : c;
    i32 z = axis == 2 ? along : b;
    return ((z + WS) * SIDE + y + WS) * SIDE + x + WS;
}

/* The waves of a child in direction `down`, from its sums of classes. */
FN real4 wave_of(const real u[8], i32 down)
{
    real4 w;
    real t[4];
    UNROLL
    for (i32 k = 0; k < 4; k++)
        t[k] = down ? u[k] - u[k | 4] : u[k] + u[k | 4];
    w.x = t[0] + t[3];
    w.y = t[1] + t[2];
    w.z = t[0] - t[3];
    w.w = t[2] - t[1];
    return w;
}

/* Waves in memory, [row][group][word][wave]: a thread reads 16 bytes beside
 * its neighbours' 16. */
#if REAL_BITS == 64
typedef real2 wave_word;
#define WORDS 2
#else
typedef real4 wave_word;
#define WORDS 1
#endif

FN real4 plane_read(GLOBAL const wave_word *waves, i32 row, i32 group)
{
    GLOBAL const wave_word *from =
        waves + (i64)row * (GROUPS * WORDS * Q) + group * (WORDS * Q);
#if REAL_BITS == 64
    real4 v;
    real2 one = from[0], two = from[Q];
    v.x = one.x;
    v.y = one.y;
    v.z = two.x;
    v.w = two.y;
    return v;
#else
    return from[0];
#endif
}

FN void plane_write(GLOBAL wave_word *to, i32 group, real4 v)
{
    to += group * (WORDS * Q);
#if REAL_BITS == 64
    real2 one, two;
    one.x = v.x;
    one.y = v.y;
    two.x = v.z;
    two.y = v.w;
    to[0] = one;
    to[Q] = two;
#else
    to[0] = v;
#endif
}

/* For which of two children a place along b or c, 0 and 1 are theirs, is near:
 * 0, 1, 2: both, 3: neither. */
FN i32 plane_whose(i32 at)
{
    if (at < -WS || at > 1 + WS)
        return 3;
    return at < 1 - WS ? 0 : at > WS ? 1 : 2;
}

/* The sum of those waves of a parent's layer that are for `whose_b`, `whose_c`;
 * *any: there are some. */
FN real4 plane_few(i32 axis, GLOBAL const wave_word *waves, i32 row, i32 group,
                   i32 ob, i32 oc, i32 whose_b, i32 whose_c, i32 *any)
{
    real4 sum = wave_zero();
    *any = 0;
    UNROLL
    for (i32 i = 0; i < LAYER_GROUPS(axis); i++) {
        i32 b = axis == 1 ? i : i / 2, c = i % 2;
        if (axis < 2 && plane_whose(2 * ob + b) != whose_b)
            continue;
        if (axis == 0 && plane_whose(2 * oc + c) != whose_c)
            continue;
        real4 v = plane_read(waves, row, group + i);
        sum = *any ? wave_more(sum, v, R(1)) : v;
        *any = 1;
    }
    return sum;
}

/* Are there waves of a place's parent for them? */
#define REACHED(o, whose)                                                      \
    (plane_whose(2 * (o)) == (whose) || plane_whose(2 * (o) + 1) == (whose))

/* to[b][c] + waves that leave the layer `steps` boxes from the near edge of the
 * parent; along z all children have the same, along y all of a b. */
FN void plane_gather(i32 axis, i32 down, i32 steps,
                     GLOBAL const wave_word *waves, LOCAL_PTR const i32 *near,
                     const struct phases *p, real4 to[4])
{
    i32 away = (steps + 1) / 2, layer = 2 * away - steps, any = 0;
    i32 along = down ? away : -away, each = LAYER_GROUPS(axis);
    i32 group =
        MERGED_AT(axis) + (2 * down + (down ? 1 - layer : layer)) * each;
    if (axis > 0) {
        UNROLL
        for (i32 whose = axis == 2 ? 2 : 0; whose < 3; whose++) {
            UNROLL
            for (i32 o = -WS; o <= WS; o++) {
                real4 line = wave_zero();
                if (axis == 1 && !REACHED(o, whose))
                    continue;
                UNROLL
                for (i32 at = -WS; at <= WS; at++) {
                    i32 ob = axis == 2 ? at : o, oc = axis == 2 ? o : at;
                    real4 v = plane_few(axis, waves,
                                        near[plane_offset(axis, ob, oc, along)],
                                        group, ob, oc, whose, whose, &any);
                    line = axis == 2 ? wave_from(line, v, p, ob, 0)
                                     : wave_from(line, v, p, 0, oc);
                }
                if (axis == 2)
                    to[0] = wave_from(to[0], line, p, 0, o);
                else if (whose < 2)
                    to[2 * whose] = wave_from(to[2 * whose], line, p, o, 0);
                else {
                    if (o != 0)
                        line = wave_from(wave_zero(), line, p, o, 0);
                    to[0] = wave_more(to[0], line, R(1));
                    to[2] = wave_more(to[2], line, R(1));
                }
            }
        }
        return;
    }
    UNROLL
    for (i32 whose = 0; whose < 9; whose++) {
        UNROLL
        for (i32 o = 0; o < SIDE * SIDE; o++) {
            i32 ob = o / SIDE - WS, oc = o % SIDE - WS;
            if (!REACHED(ob, whose / 3) || !REACHED(oc, whose % 3))
                continue;
            real4 v =
                plane_few(axis, waves, near[plane_offset(axis, ob, oc, along)],
                          group, ob, oc, whose / 3, whose % 3, &any);
            if (whose / 3 < 2 && whose % 3 < 2) {
                i32 i = whose / 3 * 2 + whose % 3;
                to[i] = wave_from(to[i], v, p, ob, oc);
                continue;
            }
            if (ob != 0 || oc != 0)
                v = wave_from(wave_zero(), v, p, ob, oc);
            UNROLL
            for (i32 i = 0; i < 4; i++)
                if (whose / 3 != 1 - i / 2 && whose % 3 != 1 - i % 2)
                    to[i] = wave_more(to[i], v, R(1));
        }
    }
}

FN void plane_damp(real4 v[4], real factor)
{
    UNROLL
    for (i32 i = 0; i < 4; i++)
        v[i] = wave_more(wave_zero(), v[i], factor);
}

/* Sums over the quarter's mirror images, of a child. */
FN void plane_child(i32 b, i32 c, const struct phases *p, real4 v, real to[4])
{
    real4 w = wave_half(wave_zero(), v, p, 2 * b - 1, 2 * c - 1);
    to[0] = w.x + w.z;
    to[1] = w.y - w.w;
    to[2] = w.y + w.w;
    to[3] = w.x - w.z;
}

/* What comes up and down to the children of a layer: sums and differences, by
 * class. */
FN void plane_layer(i32 axis, i32 along, const struct phases *p,
                    const real4 up[4], const real4 down[4], LOCAL_PTR real *u)
{
    UNROLL
    for (i32 i = 0; i < 4; i++) {
        i32 from = axis == 2 ? 0 : axis == 1 ? i / 2 * 2 : i;
        LOCAL_PTR real *to =
            u + frame_octant(axis, i / 2, i % 2, along) * OCTANT_PITCH;
        real sum[4];
        UNROLL
        for (i32 odd = 0; odd < 2; odd++) {
            plane_child(i / 2, i % 2, p,
                        wave_more(up[from], down[from], odd ? R(-1) : R(1)),
                        sum);
            UNROLL
            for (i32 f = 0; f < 4; f++)
                to[(4 * odd + f) * CLASS_PITCH] = sum[f];
        }
    }
}

/* All that arrives at the children of a parent, of one wave of an axis: sums of
 * classes.  What is a box farther is damped once more; what arrives downwards
 * at a layer is a box farther when that coming up is not. */
FN void plane_arrive(i32 axis, GLOBAL const wave_word *waves,
                     LOCAL_PTR const i32 *near, GLOBAL const real *shift, i32 q,
                     LOCAL_PTR real *u)
{
    struct phases p;
    real4 up[4], down[4], farther[4];
    real damp = shift[(axis * 5 + 4) * Q + q];
    phases_of(shift + axis * 5 * Q, q, &p);
    UNROLL
    for (i32 i = 0; i < 4; i++)
        up[i] = down[i] = wave_zero();
    UNROLL
    for (i32 steps = 2 * WS; steps > WS; steps--) {
        if (steps < 2 * WS) {
            plane_damp(up, damp);
            plane_damp(down, damp);
        }
        plane_gather(axis, 0, steps, waves + q, near, &p, up);
        plane_gather(axis, 1, steps, waves + q, near, &p, down);
    }
    UNROLL
    for (i32 i = 0; i < 4; i++)
        farther[i] = down[i];
    plane_damp(farther, damp);
    plane_gather(axis, 1, WS, waves + q, near, &p, farther);
    plane_layer(axis, 0, &p, up, farther, u);
    plane_damp(up, damp);
    plane_gather(axis, 0, WS, waves + q, near, &p, up);
    plane_layer(axis, 1, &p, up, down, u);
}

/* A parent's level in a dense tree: the first parent, the first of their
 * children, where near lists begin, and how many parents. */
struct plane_level {
    i64 above, first, near;
    i32 parents;
};

FN struct plane_level plane_level_of(struct boxes_levels a, i32 parent)
{
    struct plane_level l;
    l.above = a.first[0];
    l.first = a.first[1];
    l.near = a.near[1];
    l.parents = a.parents[1];
    UNROLL /* places that are known: the struct stays where it is */
        for (i32 level = 1; level < BOXES_LEVELS;
             level++) if (level < a.depth && parent >= a.first[level])
    {
        l.above = a.first[level];
        l.first = a.first[level + 1];
        l.near = a.near[level + 1];
        l.parents = a.parents[level + 1];
    }
    return l;
}

/* Near parents of a group's: their rows of waves; what is not there has one
 * behind all. */
FN void plane_near(GLOBAL const i32 *near, GLOBAL const i32 *order,
                   struct boxes_levels a, i32 parents, i32 n, LOCAL_PTR i32 *to)
{
    for (i32 i = LID; i < n * NEAR; i += LSIZE) {
        i32 parent = order[i / NEAR], at;
        i64 above = 0;
        if (a.sparse)
            at = near[i % NEAR * a.slots + parent];
        else {
            struct plane_level l = plane_level_of(a, parent);
            above = l.above;
            at = near[l.near + (i64)(i % NEAR) * l.parents + parent - l.above];
        }
        to[i] = at < 0 ? parents : (i32)above + at;
    }
}

/* The waves of that row: none. */
FN void plane_none(GLOBAL wave_word *waves, i32 parents)
{
    GLOBAL real *to =
        (GLOBAL real *)(waves + (i64)parents * (GROUPS * WORDS * Q));
    if (GID == 0)
        for (i32 i = LID; i < GROUPS * Q * 4; i += LSIZE)
            to[i] = R(0);
}
#endif
