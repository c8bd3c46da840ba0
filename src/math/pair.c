/* SPDX-License-Identifier: Apache-2.0 */
/* pair.c: the pair kernels' functions for each split (math.md section 9). */
#include "math/pair_inside.h"

#include <math.h>
#include <string.h>

#include "math/poly.h"

#define FN static inline
#define FAR_REAL double
#include "math/pair_far.kh"

#define LIFT 0.81649658092772603 /* sqrt(2/3): two of three directions */

/* (9.3): the biharmonic r's counterpart of gamma for 1/r. */
static double flow_smooth(const struct pair *pair, const struct split *split,
                          double k)
{
    (void)pair;
    return split_hat(split, k) - 0.5 * k * split_dhat(split, k);
}

/* E(r)/r at v = 2 r^2 - 1; E is odd, so this is smooth in r^2. */
static double far_base(double v, const struct pair *pair,
                       const struct split *split)
{
    (void)pair;
    double r = sqrt((v + 1) / 2);
    return r > 1e-6 ? split_e(split, r) / r : split_de(split, 0);
}

/* c += scale (v + 1) times a derivative whose last coefficient is 0. */
static void near_raise(const double *derivative, int n, double scale, double *c)
{
    for (int i = 0; i + 1 < n; i++) {
        c[i] += scale * derivative[i];
        c[i + 1] += scale * derivative[i];
    }
}

/* ---- laplace: P = E/r, G = (E/r - E')/r^2 = -4 dP/dv, (3.3) */

static double gradient_of_e(const struct split *split, double r)
{
    return (split_e(split, r) / r - split_de(split, r)) / (r * r);
}

static void laplace_exact(const struct pair *pair, const struct split *split,
                          double r, double value[], double weight[])
{
    (void)pair;
    value[0] = split_e(split, r) / r;
    value[1] = gradient_of_e(split, r);
    weight[0] = 0; /* the check of its derivative suffices */
    weight[1] = r;
}

static void laplace_bare(const struct pair *pair, double r, double v[2])
{
    (void)pair;
    v[1] = 1 / r;
    v[0] = v[1] / r;
}

const struct pair_kind pair_kind_laplace = {
    .power = 1, .degree = 1, .gradient = 1, .charged = 1, .sheet = 1,
    .front = 4 * M_PI, .fall = 1,
    .smooth = pair_gamma_smooth, .slope = pair_gamma_slope,
    .base = far_base, .near = pair_scalar_near, .exact = laplace_exact,
    .square = pair_scalar_square, .lift = 1,
    .bare = laplace_bare, .own = 1,
};

/* ---- stokeslet, (9.2): E/r + E' = 2 P + 2 (v + 1) dP/dv, and G */

static void stokeslet_near(const double *base, int n, const struct pair *pair,
                           const struct split *split, double c[][NEAR_MAX])
{
    (void)split;
    double slope[NEAR_MAX];
    (void)pair;
    pair_derivative(base, n, 0, 2, c[0]);
    pair_derivative(base, n, 1, 1, slope);
    near_raise(slope, n, 2, c[0]);
    pair_derivative(base, n, 1, -4, c[1]);
}

static void stokeslet_exact(const struct pair *pair, const struct split *split,
                            double r, double value[], double weight[])
{
    (void)pair;
    value[0] = split_e(split, r) / r + split_de(split, r);
    value[1] = gradient_of_e(split, r);
    weight[0] = 1;
    weight[1] = r * r;
}

static double stokeslet_mean(const struct pair *pair, const double e[3],
                             double r)
{
    double across = e[0] / r + e[1], along = 2 * e[0] / r;
    (void)pair;
    return (2 * across * across + along * along) / 3;
}

const struct pair_kind pair_kind_stokeslet = {
    .power = 1, .degree = 1, .sheet = 1, .front = 8 * M_PI, .fall = 2,
    .smooth = flow_smooth,
    .base = far_base, .near = stokeslet_near, .exact = stokeslet_exact,
    .spread = far_stokeslet_spread, .net = far_stokeslet_net,
    .square = far_stokeslet_square,
    .lift = LIFT, .order = 2, .mean = stokeslet_mean, .steep = 10.0 / 3,
    .own = 2,
};

/* ---- rotlet, (9.4): only G */

static void rotlet_near(const double *base, int n, const struct pair *pair,
                        const struct split *split, double c[][NEAR_MAX])
{
    (void)split;
    (void)pair;
    pair_derivative(base, n, 1, -4, c[0]);
}

static void rotlet_exact(const struct pair *pair, const struct split *split,
                         double r, double value[], double weight[])
{
    (void)pair;
    value[0] = gradient_of_e(split, r);
    weight[0] = r;
}

static double rotlet_mean(const struct pair *pair, const double e[3], double r)
{
    double f = (e[0] / r - e[1]) / r;
    (void)pair;
    return 2.0 / 3 * f * f;
}

const struct pair_kind pair_kind_rotlet = {
    .power = 2, .degree = 1, .sheet = 1, .front = 4 * M_PI, .fall = 1,
    .smooth = pair_gamma_smooth,
    .base = far_base, .near = rotlet_near, .exact = rotlet_exact,
    .spread = far_rotlet_spread, .net = far_rotlet_net,
    .square = far_rotlet_square,
    .lift = LIFT, .order = 1, .mean = rotlet_mean, .steep = 4,
};

/* ---- stresslet, (9.6): 2 (3 E/r - 3 E' + r E'')/r^4 = 32 d^2P/dv^2 and
 * E''/r = 12 dP/dv + 8 (v + 1) d^2P/dv^2 */

static void stresslet_near(const double *base, int n, const struct pair *pair,
                           const struct split *split, double c[][NEAR_MAX])
{
    (void)split;
    double bend[NEAR_MAX];
    (void)pair;
    pair_derivative(base, n, 2, 1, bend);
    pair_derivative(base, n, 2, 32, c[0]);
    pair_derivative(base, n, 1, 12, c[1]);
    near_raise(bend, n, 8, c[1]);
}

static void stresslet_exact(const struct pair *pair, const struct split *split,
                            double r, double value[], double weight[])
{
    double e = split_e(split, r), de = split_de(split, r);
    double d2e = split_d2e(split, r), r2 = r * r;
    (void)pair;
    value[0] = 2 * (3 * e / r - 3 * de + r * d2e) / (r2 * r2);
    value[1] = d2e / r;
    weight[0] = r * r2;
    weight[1] = r;
}

static double stresslet_mean(const struct pair *pair, const double e[3],
                             double r)
{
    double a = -2 / r * (3 * e[0] / r - 3 * e[1] + r * e[2]), b = e[2];
    double c = a + 2 * b;
    (void)pair;
    /* for independent strengths and normals: 7/9 is their square() */
    return (c * c / 9 + 2 * c * b / 9 + b * b / 3 + 4 * b * b / 9) * 9 / 7;
}

const struct pair_kind pair_kind_stresslet = {
    .power = 2, .degree = 2, .sheet = 1, .front = 8 * M_PI, .fall = 2,
    .smooth = flow_smooth,
    .base = far_base, .near = stresslet_near, .exact = stresslet_exact,
    .flux = 1, .apart = 1, .spread = far_stresslet_spread,
    .net = far_stresslet_net, .square = far_stresslet_square,
    .lift = 1, .order = 3, .mean = stresslet_mean, .steep = 360.0 / 7,
};

const struct pair pair_rows[] = {
#define ROW(name_, note_, strengths_, channels_, values_, polys_)              \
    {.name = #name_,                                                           \
     .note = note_,                                                            \
     .strengths = strengths_,                                                  \
     .channels = channels_,                                                    \
     .values = values_,                                                        \
     .polys = polys_,                                                          \
     .kind = &pair_kind_##name_},
#define SCALAR(name, polys, note) ROW(name, note, 1, 1, 1, polys)
#define FLOW(name, strengths, channels, polys, note)                           \
    ROW(name, note, strengths, channels, PAIR_VALUES, polys)
#define MOMENTS(name, strengths, polys, note)                                  \
    ROW(name, note, strengths, 1, 1, polys)
#include "math/pair.def"
#undef SCALAR
#undef FLOW
#undef ROW
    {0},
};

const struct pair *pair_find(const char *name)
{
    for (const struct pair *p = pair_rows; p->name; p++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

double pair_square(const struct pair *pair, const double *q)
{
    double over = 1, square;
    if (!pair->kind->moments)
        return pair->kind->square(q);
    if (pair->reach > 0)
        over = 1 / (pair->reach * pair->reach);
    square = q[0] * q[0] + over * (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (pair->kind->moments > 1)
        square += over * over * pair_quadrupole_square(q + 4);
    return square;
}

double pair_quadrupole_square(const double *Q)
{
    double trace = Q[0] + Q[3] + Q[5];
    return trace * trace / 2 + Q[0] * Q[0] + Q[3] * Q[3] + Q[5] * Q[5]
           + 2 * (Q[1] * Q[1] + Q[2] * Q[2] + Q[4] * Q[4]);
}

double pair_gain(const struct pair *pair, const struct split *split)
{
    return pair->kind->gain ? pair->kind->gain(pair, split) : 1;
}

static double pair_front(const struct pair *pair, const struct split *split,
                         double k, double *factor)
{
    const struct pair_kind *kind = pair->kind;
    double shifted = k * k + pair->kappa * pair->kappa;
    double front = kind->front * pair_gain(pair, split);
    for (int i = 0; i < kind->fall; i++)
        front /= shifted;
    /* derivative of front, over front */
    *factor = kind->fall > 0 ? -2 * kind->fall * k / shifted : 0;
    return front;
}

double pair_hat(const struct pair *pair, const struct split *split, double k)
{
    double factor;
    return pair_front(pair, split, k, &factor)
           * pair->kind->smooth(pair, split, k);
}

void pair_steep(const struct pair *pair, double r, double square[2])
{
    const struct pair_kind *kind = pair->kind;
    double v[2], nearer[2];
    square[0] = 0;
    square[1] = kind->steep;
    for (int k = 0; k <= kind->power; k++)
        square[1] /= r * r;
    if (!kind->gradient)
        return;
    kind->bare(pair, r, v);
    kind->bare(pair, 0.99 * r, nearer);
    double bend = (nearer[0] - v[0]) / (0.01 * r), turn = v[0] / r;
    square[0] = bend * bend + 2 * turn * turn;
    square[1] = v[0] * v[0];
}

double pair_slope(const struct pair *pair, const struct split *split, double k)
{
    double factor, front = pair_front(pair, split, k, &factor);
    return front
           * (pair->kind->slope(pair, split, k)
              + factor * pair->kind->smooth(pair, split, k));
}

struct pair_base {
    const struct pair *pair;
    const struct split *split;
};

static double pair_fit(double v, const void *data)
{
    const struct pair_base *b = data;
    return b->pair->kind->base(v, b->pair, b->split);
}

enum { PROBES = 257 };
/* The first probe is at 1/4: closer to 0 the probe itself loses digits. */
enum { PROBE_FIRST = PROBES / 4 };
struct near_probe {
    double v, value[NEAR_POLYS], weight[NEAR_POLYS];
};

static double probe_r(int i)
{
    return (double)i / PROBES;
}

static void near_probes(const struct pair *pair, const struct split *split,
                        struct near_probe probe[PROBES + 1])
{
    for (int i = PROBE_FIRST; i <= PROBES; i++) {
        double r = probe_r(i);
        probe[i].v = 2 * r * r - 1;
        pair->kind->exact(pair, split, r, probe[i].value, probe[i].weight);
    }
}

/* Returns the largest error of a pair.  Stops once it is above `enough`. */
static double near_worst(const struct pair *pair, const struct near_poly *poly,
                         const struct near_probe *probe, double enough)
{
    double worst = 0;
    for (int i = PROBE_FIRST; i <= PROBES && worst <= enough; i++)
        for (int k = 0; k < pair->polys; k++) {
            double at = pair->kind->radial >> k & 1 ? 2 * probe_r(i) - 1
                                                    : probe[i].v;
            double off = poly_eval(poly->c[k], poly->n, at) - probe[i].value[k];
            worst = fmax(worst, probe[i].weight[k] * fabs(off));
        }
    return worst;
}

farsum_status pair_near_poly(const struct pair *pair, const struct split *split,
                             double error, struct near_poly *poly)
{
    const struct pair_base data = {pair, split};
    struct near_probe probe[PROBES + 1];
    near_probes(pair, split, probe);
    for (int n = 4; n <= NEAR_MAX; n++) {
        double base[NEAR_MAX], enough = n < NEAR_MAX ? error : INFINITY;
        memset(poly, 0, sizeof *poly);
        int last = n - pair->kind->integrals;
        memset(base, 0, sizeof base);
        poly_fit(pair_fit, &data, last, base);
        pair->kind->near(base, n, pair, split, poly->c);
        poly->n = n;
        poly->error = near_worst(pair, poly, probe, enough);
        if (poly->error <= error)
            return FARSUM_OK;
    }
    FAIL(ERR_TOLERANCE,
         "%s split of bandwidth %.3g: the near field's polynomial reaches %.2g,"
         " %.2g is wanted", split_name(split), split->c, poly->error, error);
}
