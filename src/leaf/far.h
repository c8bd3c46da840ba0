/* SPDX-License-Identifier: Apache-2.0 */
/* far.h: the far field of a pair, for each kernel of pair.def (math.md section
 * 9).
 *
 * far_NAME is a mode: g is the kernel's hat(k)/(V D^2); z holds the channels'
 * transforms at wave vector k, real and imaginary part side by side, and then
 * those of the values.  Of flows also, from a source's strengths q:
 *
 *     far_NAME_spread   its channels
 *     far_NAME_square   what errors go as the root of, (9.9)
 *     far_NAME_net      what must vanish in sum, three numbers
 *
 * Who includes it defines FAR_REAL and FN. */
#ifndef FARSUM_LEAF_FAR_H
#define FARSUM_LEAF_FAR_H

#define FAR_CAT_(a, b, c) a##b##c
#define FAR_CAT(a, b, c) FAR_CAT_(a, b, c)
/* The functions of the kernel that PAIR names. */
#define FAR_MODE FAR_CAT(far_, PAIR, )
#define FAR_SPREAD FAR_CAT(far_, PAIR, _spread)
#define FAR_SQUARE FAR_CAT(far_, PAIR, _square)
#define FAR_NET FAR_CAT(far_, PAIR, _net)

FN FAR_REAL far_dot(const FAR_REAL *a, const FAR_REAL *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

FN void far_copy(const FAR_REAL *from, FAR_REAL *to)
{
    for (int a = 0; a < 3; a++)
        to[a] = from[a];
}

FN void far_laplace(const FAR_REAL *k, FAR_REAL g, FAR_REAL *z)
{
    (void)k;
    z[0] *= g;
    z[1] *= g;
}

FN void far_yukawa(const FAR_REAL *k, FAR_REAL g, FAR_REAL *z)
{
    far_laplace(k, g, z);
}

FN void far_r6(const FAR_REAL *k, FAR_REAL g, FAR_REAL *z)
{
    far_laplace(k, g, z);
}

/* (9.3): g (k^2 - k k) f */
FN void far_stokeslet(const FAR_REAL *k, FAR_REAL g, FAR_REAL *z)
{
    FAR_REAL k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    for (int part = 0; part < 2; part++) {
        FAR_REAL *f = z + part;
        FAR_REAL along = k[0] * f[0] + k[1] * f[2] + k[2] * f[4];
        for (int a = 0; a < 3; a++)
            f[2 * a] = g * (k2 * f[2 * a] - k[a] * along);
    }
}

FN void far_stokeslet_spread(const FAR_REAL *q, FAR_REAL *s)
{
    far_copy(q, s);
}

FN FAR_REAL far_stokeslet_square(const FAR_REAL *q)
{
    return far_dot(q, q);
}

FN void far_stokeslet_net(const FAR_REAL *q, FAR_REAL *net)
{
    far_copy(q, net);
}

/* (9.5): i g k x t */
FN void far_rotlet(const FAR_REAL *k, FAR_REAL g, FAR_REAL *z)
{
    FAR_REAL u[6];
    for (int part = 0; part < 2; part++) {
        const FAR_REAL *t = z + part;
        FAR_REAL s = part ? -g : g; /* i (re + i im) = -im + i re */
        u[0 + !part] = s * (k[1] * t[4] - k[2] * t[2]);
        u[2 + !part] = s * (k[2] * t[0] - k[0] * t[4]);
        u[4 + !part] = s * (k[0] * t[2] - k[1] * t[0]);
    }
    for (int a = 0; a < 6; a++)
        z[a] = u[a];
}

FN void far_rotlet_spread(const FAR_REAL *q, FAR_REAL *s)
{
    far_copy(q, s);
}

FN FAR_REAL far_rotlet_square(const FAR_REAL *q)
{
    return far_dot(q, q);
}

FN void far_rotlet_net(const FAR_REAL *q, FAR_REAL *net)
{
    far_copy(q, net);
}

/* (9.7): i g [(2 S k + tr(S) k) k^2 - 2 k (k.S k)], S = xx xy xz yy yz zz */
FN void far_stresslet(const FAR_REAL *k, FAR_REAL g, FAR_REAL *z)
{
    FAR_REAL k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2], u[6];
    for (int part = 0; part < 2; part++) {
        const FAR_REAL *s = z + part;
        FAR_REAL sign = part ? -g : g, sk[3];
        sk[0] = s[0] * k[0] + s[2] * k[1] + s[4] * k[2];
        sk[1] = s[2] * k[0] + s[6] * k[1] + s[8] * k[2];
        sk[2] = s[4] * k[0] + s[8] * k[1] + s[10] * k[2];
        FAR_REAL ksk = k[0] * sk[0] + k[1] * sk[1] + k[2] * sk[2];
        FAR_REAL along = k2 * (s[0] + s[6] + s[10]) - 2 * ksk;
        for (int a = 0; a < 3; a++)
            u[2 * a + !part] = sign * (2 * k2 * sk[a] + along * k[a]);
    }
    for (int a = 0; a < 6; a++)
        z[a] = u[a];
}

/* S of strength q[0..2] and normal q[3..5]: (q n + n q)/2 */
FN void far_stresslet_spread(const FAR_REAL *q, FAR_REAL *s)
{
    const FAR_REAL *n = q + 3;
    s[0] = q[0] * n[0];
    s[1] = (q[0] * n[1] + q[1] * n[0]) / 2;
    s[2] = (q[0] * n[2] + q[2] * n[0]) / 2;
    s[3] = q[1] * n[1];
    s[4] = (q[1] * n[2] + q[2] * n[1]) / 2;
    s[5] = q[2] * n[2];
}

/* Mean over directions of k of |far field|^2 over (8 pi smooth/k)^2: 0.4 = 2/5,
 * 17/15. */
FN FAR_REAL far_stresslet_square(const FAR_REAL *q)
{
    FAR_REAL qn = far_dot(q, q + 3);
    return (6 * far_dot(q, q) * far_dot(q + 3, q + 3) + 17 * qn * qn) / 15;
}

/* What it gives off: its mean flow is (9.8). */
FN void far_stresslet_net(const FAR_REAL *q, FAR_REAL *net)
{
    net[0] = far_dot(q, q + 3);
    net[1] = net[2] = 0;
}
#endif
