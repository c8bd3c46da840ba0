/* SPDX-License-Identifier: Apache-2.0 */
/* plane_wave.c: 1/r and its slopes by plane waves, against their stated
 * errors. */
#include "check.h"
#include "math/multipole.h"
#include "math/plane_wave.h"
#include "stage/expansions/expansions.h"

#include <math.h>
#include <stdlib.h>

static uint64_t state = 5;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

/* (10.18) at r, z > 0, and its derivatives along r. */
static void waves_sum(const struct plane_waves *waves, double unit,
                      const double r[3], double v[4])
{
    v[0] = v[1] = v[2] = v[3] = 0;
    for (int k = 0; k < waves->nodes; k++) {
        const struct plane_wave_node *node = &waves->node[k];
        double lambda = node->lambda * unit;
        double w = node->weight * unit / node->angles * exp(-lambda * r[2]);
        for (int j = 0; j < node->angles; j++) {
            double a = 2 * M_PI * (j + 0.5) / node->angles;
            double t = lambda * (r[0] * cos(a) + r[1] * sin(a));
            v[0] += w * cos(t);
            v[1] -= w * lambda * cos(a) * sin(t);
            v[2] -= w * lambda * sin(a) * sin(t);
            v[3] -= w * lambda * cos(t);
        }
    }
}

static const int frames[3][3] = {{2, 1, 0}, {2, 0, 1}, {0, 1, 2}};

/* A pair of points in boxes whose positions differ by d: squared errors of
 * potential and field. */
static void pair_error(const struct plane_waves *waves, int ws,
                       const double box[3], const int32_t d[3], double e[2])
{
    int axis = abs(d[2]) > ws ? 2 : abs(d[1]) > ws ? 1 : 0;
    double r[3], v[4], square = 0;
    for (int k = 0; k < 3; k++) {
        int a = frames[axis][k];
        r[k] = (d[a] + uniform() - uniform()) * box[a];
        square += r[k] * r[k];
    }
    r[2] = fabs(r[2]);
    waves_sum(waves, 1 / (ws * box[axis]), r, v);
    e[0] += pow(v[0] - 1 / sqrt(square), 2);
    for (int k = 0; k < 3; k++)
        e[1] += pow(v[1 + k] + r[k] / pow(square, 1.5), 2);
}

/* Square roots of the sums over far lists, averaged over octants. */
static void list_error(const struct plane_waves *waves, int ws,
                       const double box[3], double e[2])
{
    int most = 2 * ws + 1, each = ws > 1 ? 1 : 8;
    double side = 4 * ws + 3;
    e[0] = e[1] = 0;
    for (int octant = 0; octant < 8; octant++)
        for (int n = 0; n < side * side * side; n++) {
            int at[3] = {n % (int)side, n / (int)side % (int)side,
                         n / (int)side / (int)side};
            int32_t d[3];
            int there = 1;
            for (int k = 0; k < 3; k++) {
                d[k] = at[k] - most;
                int low = (octant >> k & 1) - most;
                there = there && d[k] >= low && d[k] <= low + most + 2 * ws;
            }
            for (int i = 0; there && boxes_far(ws, d) && i < each; i++)
                pair_error(waves, ws, box, d, e);
        }
    e[0] = sqrt(e[0] / 8 / each);
    e[1] = sqrt(e[1] / 8 / each);
}

static void check_waves(int ws, const double box[3], double field)
{
    struct plane_waves waves;
    double e[2];
    if (!CHECK(plane_waves_choose(ws, box, field, &waves) == FARSUM_OK,
               "ws %d, field %g: %s", ws, field, farsum_message()))
        return;
    CHECK(waves.field <= field, "%g is stated as above %g", waves.field,
          field);
    list_error(&waves, ws, box, e);
    /* corners, which samples seldom hit, contribute much of it */
    double more = ws > 1 || waves.wide ? 0.05 : 0.4, most = 2.5;
    CHECK(e[0] < most * waves.potential && e[0] > more * waves.potential,
          "ws %d, box %g %g %g, %d nodes: potential's error %.2e, said %.2e",
          ws, box[0], box[1], box[2], waves.nodes, e[0], waves.potential);
    CHECK(e[1] < most * waves.field && e[1] > more * waves.field,
          "ws %d, box %g %g %g, %d nodes: field's error %.2e, said %.2e", ws,
          box[0], box[1], box[2], waves.nodes, e[1], waves.field);
}

enum { P = 10, K = (P + 1) * (P + 1), WAVES = 512 };

struct operators {
    int axis, down, n;
    double out[WAVES * K], in[WAVES * K], shift[5 * WAVES];
};

static int class_of(int axis, int k)
{
    int degree = multipole_degree(k);
    return plane_waves_class(
        axis, plane_waves_signs(degree, k - degree * (degree + 1)));
}

/* Sums of classes of wave q, from the box to one `place` away, in the frame. */
static void operators_move(const struct operators *o, int q,
                           const int place[3], const double u[8], double v[8])
{
    double t[4], phase[2], damp = 1;
    for (int k = 0; k < 2; k++)
        phase[k] = 2 * place[k]
                   * atan2(o->shift[(2 * k + 1) * o->n + q],
                           o->shift[2 * k * o->n + q]);
    for (int k = 2; k < abs(place[2]); k++) /* from ws + 1 on */
        damp *= o->shift[4 * o->n + q];
    for (int k = 0; k < 4; k++)
        t[k] = damp * (o->down ? u[k] - u[k | 4] : u[k] + u[k | 4]);
    /* a wave and its mirror image, rotated */
    double c = cos(phase[1] + phase[0]), s = sin(phase[1] + phase[0]);
    double c2 = cos(phase[1] - phase[0]), s2 = sin(phase[1] - phase[0]);
    double re = t[0] + t[3], im = t[1] + t[2];
    double re2 = t[0] - t[3], im2 = t[2] - t[1];
    const double wave[4] = {re * c - im * s, re * s + im * c,
                            re2 * c2 - im2 * s2, re2 * s2 + im2 * c2};
    const double sums[4] = {wave[0] + wave[2], wave[1] - wave[3],
                            wave[1] + wave[3], wave[0] - wave[2]};
    for (int k = 0; k < 4; k++) {
        v[k] = sums[k];
        v[k | 4] = o->down ? -sums[k] : sums[k];
    }
}

static void operators_apply(const struct operators *o, const int place[3],
                            const double *from, double *to)
{
    for (int k = 0; k < K; k++)
        to[k] = 0;
    for (int q = 0; q < o->n; q++) {
        double u[8] = {0}, v[8];
        for (int k = 0; k < K; k++)
            u[class_of(o->axis, k)] += o->out[q * K + k] * from[k];
        operators_move(o, q, place, u, v);
        for (int k = 0; k < K; k++)
            to[k] += o->in[q * K + k] * v[class_of(o->axis, k)];
    }
}

/* Translates a box's waves to another box: compares the potential at a point
 * with the dense operator's. */
static void check_operators(int axis, int down)
{
    static struct operators o;
    static double dense[K * K], field[(2 * P + 1) * (2 * P + 1)];
    const double box[3] = {1, 0.95, 0.9};
    const int place[3] = {-1, 2, down ? -3 : 3};
    double from[K], wanted[K] = {0}, found[K], d[3], x[3], r[K];
    struct plane_waves waves;
    CHECK_OK(plane_waves_choose(1, box, 1e-6, &waves));
    if (!CHECK(waves.quarter <= WAVES, "%d waves", waves.quarter))
        return;
    o.axis = axis;
    o.down = down;
    o.n = waves.quarter;
    CHECK_OK(plane_waves_operators(&waves, P, 1, box, axis, o.out, o.in));
    plane_waves_shifts(&waves, 1, box, axis, o.shift);
    for (int k = 0; k < 3; k++) {
        d[frames[axis][k]] = place[k] * box[frames[axis][k]];
        x[k] = 0.8 * (uniform() - 0.5);
    }
    multipole_regular(P, x, from);
    multipole_singular(2 * P, d, field);
    multipole_m2l(P, field, dense);
    for (int i = 0; i < K * K; i++)
        wanted[i / K] += dense[i] * from[i % K];
    operators_apply(&o, place, from, found);
    for (int k = 0; k < 3; k++)
        x[k] = 0.8 * (uniform() - 0.5);
    multipole_regular(P, x, r);
    double a = multipole_dot(P, wanted, r), b = multipole_dot(P, found, r);
    CHECK(fabs(a - b) < 1e-6, "axis %d, down %d: %.10g, wanted %.10g", axis,
          down, b, a);
}

static void errors_are_what_is_said(void)
{
    const double cube[3] = {1, 1, 1}, brick[3] = {1, 0.8, 0.85};
    for (double field = 0.1; field > 1e-9; field /= 11) {
        check_waves(1, cube, field);
        check_waves(1, brick, fmax(field, 1e-6));
        check_waves(2, cube, field);
    }
    check_waves(3, cube, 1e-4);
}

static void operators_go_through_waves(void)
{
    for (int axis = 0; axis < 3; axis++) {
        check_operators(axis, 0);
        check_operators(axis, 1);
    }
}

static void what_is_not_there_is_refused(void)
{
    const double cube[3] = {1, 1, 1}, flat[3] = {1, 1, 0.5};
    struct plane_waves waves;
    CHECK_FAILS(plane_waves_choose(1, cube, 1e-15, &waves),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_FAILS(plane_waves_choose(1, flat, 1e-2, &waves),
                FARSUM_ERR_UNSUPPORTED);
}

int main(void)
{
    RUN(errors_are_what_is_said);
    RUN(operators_go_through_waves);
    RUN(what_is_not_there_is_refused);
    return check_end();
}
