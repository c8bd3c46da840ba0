/* SPDX-License-Identifier: Apache-2.0 */
/* direct_any_kern.c: all sources against a tile of targets in SIMD lanes, for
 * each kernel of kernels.def. */
#include "base/simd.h"
#include "reference/direct/direct_any.h"

#if FARSUM_BITS == 64
#include "reference/direct/direct_lane.h"

#define CARTESIAN_REAL vreal
#define CARTESIAN_FN SIMD_FN
#include "reference/cartesian.h"

_Static_assert((int)SUMS == (int)REFERENCE_VALUES, "a sum for each value");

/* Geometry of a target and a source: inv = 1/r, or 0 if they coincide.  r is
 * softened. */
struct sight {
    vreal d[3], r, inv;
    double screen;
};

/* Adds to v the effect of a source of strengths q. */
typedef void any_pair(const struct sight *at, const double *q, vreal *v);

SIMD_FN vreal v_dot(const double *q, const vreal d[3])
{
    return v_set(q[0]) * d[0] + v_set(q[1]) * d[1] + v_set(q[2]) * d[2];
}

SIMD_FN void any_stokeslet(const struct sight *at, const double *f, vreal *v)
{
    const vreal *d = at->d, inv = at->inv;
    vreal along = v_dot(f, d) * inv * inv * inv;
    for (int a = 0; a < 3; a++)
        v[a] += v_set(f[a]) * inv + along * d[a];
}

SIMD_FN void any_rotlet(const struct sight *at, const double *t, vreal *v)
{
    const vreal *d = at->d, inv = at->inv;
    vreal g = inv * inv * inv;
    v[0] += g * (v_set(t[1]) * d[2] - v_set(t[2]) * d[1]);
    v[1] += g * (v_set(t[2]) * d[0] - v_set(t[0]) * d[2]);
    v[2] += g * (v_set(t[0]) * d[1] - v_set(t[1]) * d[0]);
}

SIMD_FN void any_stresslet(const struct sight *at, const double *q, vreal *v)
{
    const vreal *d = at->d, inv = at->inv;
    vreal inv2 = inv * inv, along = v_dot(q, d) * v_dot(q + 3, d);
    along *= v_set(-6) * inv2 * inv2 * inv;
    for (int a = 0; a < 3; a++)
        v[a] += along * d[a];
}

/* A potential phi and a field f d, (7.10). */
SIMD_FN void any_potential(const vreal d[3], vreal phi, vreal f, vreal *v)
{
    v[0] += phi;
    for (int a = 0; a < 3; a++) {
        v[1 + a] += f * d[a];
        v[4 + a] += f * d[a] * d[a];
    }
    v[7] += f * d[0] * d[1];
    v[8] += f * d[0] * d[2];
    v[9] += f * d[1] * d[2];
}

SIMD_FN void any_yukawa(const struct sight *at, const double *q, vreal *v)
{
    vreal inv = at->inv, phi = at->r;
    for (int l = 0; l < W; l++)
        phi[l] = exp(-at->screen * phi[l]);
    phi *= v_set(q[0]) * inv;
    any_potential(at->d, phi, phi * (inv + v_set(at->screen)) * inv, v);
}

SIMD_FN void any_r6(const struct sight *at, const double *q, vreal *v)
{
    vreal inv2 = at->inv * at->inv, phi = v_set(q[0]) * inv2 * inv2 * inv2;
    any_potential(at->d, phi, v_set(6) * phi * inv2, v);
}

/* Adds to v[0], v[1], ... the numbers of a symmetric tensor. */
#define TENSOR(a, b, i)                                                        \
    for (int a = 0, i = 0; a < 3; a++)                                         \
        for (int b = a; b < 3; b++, i++)

/* f_0 to f_3 of 1/r and of e^(-kappa r)/r, (7.15), (7.15a). */
SIMD_FN void f_bare(const struct sight *at, vreal f[4])
{
    vreal inv2 = at->inv * at->inv;
    f[0] = at->inv;
    f[1] = at->inv * inv2;
    f[2] = v_set(3) * f[1] * inv2;
    f[3] = v_set(5) * f[2] * inv2;
}

SIMD_FN void f_screened(const struct sight *at, vreal f[4])
{
    vreal inv2 = at->inv * at->inv, kappa = v_set(at->screen), e = at->r;
    for (int l = 0; l < W; l++)
        e[l] = exp(-at->screen * e[l]);
    f[0] = e * at->inv;
    f[1] = (f[0] + kappa * e) * inv2;
    f[2] = (v_set(3) * f[1] + kappa * kappa * f[0]) * inv2;
    f[3] = (v_set(5) * f[2] + kappa * kappa * f[1]) * inv2;
}

/* Potential, field and gradient of a charge with a dipole, (7.16). */
SIMD_FN void any_moments(const vreal d[3], const vreal f[4], const double *q,
                         vreal *v)
{
    vreal charge = v_set(q[0]), along = v_dot(q + 1, d), zero = v_set(0);
    vreal near = charge * f[1] + along * f[2];
    vreal bend = charge * f[2] + along * f[3];
    v[0] += charge * f[0] + along * f[1];
    for (int a = 0; a < 3; a++)
        v[1 + a] += near * d[a] - f[1] * v_set(q[1 + a]);
    TENSOR(a, b, i)
    v[4 + i] += bend * d[a] * d[b]
                - f[2] * (d[a] * v_set(q[1 + b]) + d[b] * v_set(q[1 + a]))
                - (a == b ? near : zero);
}

/* w and its gradient. */
SIMD_FN void any_moments_virial(const vreal d[3], const vreal f[4],
                                const double *q, vreal *v)
{
    vreal charge = v_set(q[0]), along = v_dot(q + 1, d), zero = v_set(0);
    vreal near = charge * f[1] + along * f[2];
    vreal bend = charge * f[2] + along * f[3];
    vreal p[3] = {v_set(q[1]), v_set(q[2]), v_set(q[3])};
    TENSOR(a, b, i)
    {
        vreal both = d[a] * p[b] + d[b] * p[a];
        v[10 + i] += near * d[a] * d[b] - f[1] * both;
        for (int c = 0; c < 3; c++)
            v[16 + 6 * c + i] += d[a] * d[b] * (p[c] * f[2] - d[c] * bend)
                                 + f[2] * d[c] * both
                                 + (a == c ? d[b] * near - f[1] * p[b] : zero)
                                 + (b == c ? d[a] * near - f[1] * p[a] : zero);
    }
}

#define MOMENTS(name, chain)                                                   \
    SIMD_FN void any_##name(const struct sight *at, const double *q, vreal *v) \
    {                                                                          \
        vreal f[4];                                                            \
        chain(at, f);                                                          \
        any_moments(at->d, f, q, v);                                           \
    }                                                                          \
    SIMD_FN void any_##name##_virial(const struct sight *at, const double *q,  \
                                     vreal *v)                                 \
    {                                                                          \
        vreal f[4];                                                            \
        chain(at, f);                                                          \
        any_moments(at->d, f, q, v);                                           \
        any_moments_virial(at->d, f, q, v);                                    \
    }
MOMENTS(charge_dipole, f_bare)
MOMENTS(yukawa_dipole, f_screened)

/* Potential, field and gradient of a charge with dipole and quadrupole; order
 * 3: third derivatives, too. */
SIMD_FN void any_quadrupole(const struct sight *at, const double *q, int order,
                            vreal t[CARTESIAN_ALL], vreal *phi, vreal *v)
{
    vreal f[CARTESIAN_ORDER + 1], inv2 = at->inv * at->inv;
    f[0] = at->inv;
    for (int n = 0; n < order + 2; n++)
        f[n + 1] = v_set(2 * n + 1) * f[n] * inv2;
    cartesian_set(at->d, f, order + 2, t);
    cartesian_potential(t, q, order, phi);
    for (int k = 0; k < cartesian_start(order + 1); k++)
        v[k] += k > 0 && k < 4 ? -phi[k] : phi[k]; /* E = -grad phi */
}

SIMD_FN void any_charge_quadrupole_gradient(const struct sight *at,
                                            const double *q, vreal *v)
{
    vreal t[CARTESIAN_ALL], phi[REFERENCE_GRADIENT];
    any_quadrupole(at, q, 2, t, phi, v);
}

SIMD_FN void any_charge_quadrupole_third(const struct sight *at,
                                         const double *q, vreal *v)
{
    vreal t[CARTESIAN_ALL], phi[REFERENCE_THIRD];
    any_quadrupole(at, q, 3, t, phi, v);
}

SIMD_FN void any_charge_quadrupole_virial(const struct sight *at,
                                          const double *q, vreal *v)
{
    vreal t[CARTESIAN_ALL], phi[REFERENCE_THIRD];
    vreal w[REFERENCE_QUADRUPOLE - REFERENCE_THIRD];
    any_quadrupole(at, q, 3, t, phi, v);
    cartesian_strains(at->d, t, phi, q, w);
    for (int k = 0; k < REFERENCE_QUADRUPOLE - REFERENCE_THIRD; k++)
        v[REFERENCE_THIRD + k] += w[k];
}

SIMD_FN void lane_run(struct lane *t, const struct direct_any *args,
                      int64_t j0, int count, int strengths, int values,
                      any_pair *pair)
{
    const struct direct_args *p = &args->pairs;
    double soft = p->softening * p->softening;
    vreal v[SUMS];
    for (int a = 0; a < values; a++)
        v[a] = v_set(0);
    for (int64_t j = j0; j < j0 + count; j++) {
        struct sight at = {.screen = args->screen};
        vreal r2 = v_set(0), r = r2;
        for (int a = 0; a < 3; a++) {
            at.d[a] = t->x[a] - v_set(p->x[3 * j + a]);
            r2 += at.d[a] * at.d[a];
        }
        for (int l = 0; l < W; l++)
            r[l] = sqrt(r2[l] + soft);
        at.r = r;
        at.inv = v_where(r2 > v_set(0), v_set(1) / r);
        pair(&at, p->q + strengths * j, v);
    }
    lane_add(t, v, values);
}

SIMD_FN void tile_run(const struct direct_any *args, int64_t i0,
                      double *values, int strengths, int most, any_pair *pair)
{
    const struct direct_args *p = &args->pairs;
    int64_t n = p->n, m = p->y ? p->m : n;
    struct lane tile[VECS];
    tile_load(tile, p, i0);
    for (int64_t j = 0; j < n; j += RUN)
        for (int v = 0; v < VECS; v++)
            lane_run(&tile[v], args, j, n - j < RUN ? (int)(n - j) : RUN,
                     strengths, most, pair);
    for (int i = 0; i < DIRECT_TILE && i0 + i < m; i++)
        for (int a = 0; a < args->width; a++)
            values[args->width * (i0 + i) + a] = tile_value(tile, i, a);
}

#define ANY_RUN(name, strengths, most)                                         \
    static void run_##name(const struct direct_any *args, int64_t t0,          \
                           int64_t t1, double *values)                         \
    {                                                                          \
        for (int64_t t = t0; t < t1; t++)                                      \
            tile_run(args, t * DIRECT_TILE, values, strengths, most,       \
                     any_##name);                                              \
    }
ANY_RUN(stokeslet, 3, REFERENCE_FLOW)
ANY_RUN(rotlet, 3, REFERENCE_FLOW)
ANY_RUN(stresslet, 6, REFERENCE_FLOW)
ANY_RUN(yukawa, 1, REFERENCE_VIRIAL)
ANY_RUN(r6, 1, REFERENCE_VIRIAL)

/* The virial needs three times as many sums as the rest. */
#define MOMENTS_RUN(name)                                                      \
    ANY_RUN(name##_virial, 4, REFERENCE_MOMENTS)                               \
    static void run_##name(const struct direct_any *args, int64_t t0,          \
                           int64_t t1, double *values)                         \
    {                                                                          \
        if (args->width > REFERENCE_GRADIENT) {                                \
            run_##name##_virial(args, t0, t1, values);                         \
            return;                                                            \
        }                                                                      \
        for (int64_t t = t0; t < t1; t++)                                      \
            tile_run(args, t *DIRECT_TILE, values, 4, REFERENCE_GRADIENT,      \
                     any_##name);                                              \
    }
MOMENTS_RUN(charge_dipole)
MOMENTS_RUN(yukawa_dipole)

ANY_RUN(charge_quadrupole_virial, 10, REFERENCE_QUADRUPOLE)
ANY_RUN(charge_quadrupole_third, 10, REFERENCE_THIRD)
ANY_RUN(charge_quadrupole_gradient, 10, REFERENCE_GRADIENT)
static void run_charge_quadrupole(const struct direct_any *args, int64_t t0,
                                  int64_t t1, double *values)
{
    direct_any_run *run =
        args->width > REFERENCE_THIRD      ? run_charge_quadrupole_virial
        : args->width > REFERENCE_GRADIENT ? run_charge_quadrupole_third
                                           : run_charge_quadrupole_gradient;
    run(args, t0, t1, values);
}

extern const struct direct_any_kern ISA_NAME(direct_any);
const struct direct_any_kern ISA_NAME(direct_any) = {{
#define EXACT(name) run_##name,
#include "reference/kernels.def"
#undef EXACT
}};
#else
/* Built in f64 only. */
extern const struct direct_any_kern ISA_NAME(direct_any);
const struct direct_any_kern ISA_NAME(direct_any) = {{0}};
#endif
