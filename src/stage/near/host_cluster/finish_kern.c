/* SPDX-License-Identifier: Apache-2.0 */
/* finish_kern.c: adds the threads' sums, always in the same order, and writes
 * the results in the caller's order. */
#include "stage/near/host_cluster/pairs_kern.h"

#include "math/poly.h"

#define FN SIMD_FN
#define PAIR_REAL double
#define PAIR_TABLE const struct near_poly *
#define PAIR_POLY(t, k, v) poly_eval((t)->c[k], (t)->n, v)
#include "math/pair.kh"
#include "math/pair_moments.kh"

enum { CHUNK = 16 }; /* clusters at a time */

/* Adds one thread's sums of clusters begin .. end, which start at index `from`,
 * to `to`, which starts at cluster `at`. */
static void finish_add(const struct cluster_sum *part, int64_t begin,
                       int64_t end, int64_t from, int64_t at, double *to)
{
    const int step = PART(part->output) * W;
    const int64_t n = (end - begin) * step, skip = (begin - from) * step;
    const real *x = (const real *)part->out + skip;
    to += (begin - at) * step;
    for (int64_t k = 0; k < n && !part->wide; k++)
        to[k] += (double)x[k];
    for (int64_t k = 0; k < n && part->wide; k++)
        to[k] += part->wide[skip + k];
}

/* Adds the part of the cyclic range first .. first + count that lies in begin
 * .. end: at most two intervals. */
static void finish_part(const struct cluster_sum *part, int64_t n,
                        int64_t begin, int64_t end, double *to)
{
    for (int64_t turn = 0; turn < 2; turn++) {
        int64_t lo = part->first - turn * n, hi = lo + part->count;
        int64_t b = begin > lo ? begin : lo, e = end < hi ? end : hi;
        if (b < e)
            finish_add(part, b, e, lo, begin, to);
    }
}

/* Value of a point with strengths q on itself, which is in no list. */
#define SELF(name)                                                             \
    static void self_##name(const struct near_poly *poly, const double *q,     \
                            double *value)                                     \
    {                                                                          \
        const double none[3] = {0};                                            \
        pair_##name(poly, none, 0, 0, -1, q, value);                           \
    }
#define SCALAR(name, polys, note) SELF(name)
#define FLOW(name, strengths, channels, polys, note) SELF(name)
#include "math/pair.def"
#undef SCALAR
#undef FLOW

static const struct finish_self {
    const char *name;
    void (*self)(const struct near_poly *poly, const double *q, double *value);
} selves[] = {
#define SCALAR(name, polys, note) {#name, self_##name},
#define FLOW(name, strengths, channels, polys, note) {#name, self_##name},
#include "math/pair.def"
#undef SCALAR
#undef FLOW
};

static const struct finish_self *finish_self(const struct pair *pair)
{
    const struct finish_self *self = selves;
    while (strcmp(self->name, pair->name) != 0)
        self++;
    return self;
}

/* Adds to a result, which is f64 with wide. */
static void finish_give(const struct cluster_finish *f, void *to, int64_t at,
                        double x)
{
    if (f->wide)
        ((double *)to)[at] += x;
    else
        ((real *)to)[at] += (real)x;
}

/* Writes one point of a flow kernel, rotated to the caller's axes. */
static __attribute__((noinline)) void
finish_flow(const struct cluster_finish *f, int64_t at,
            const struct finish_self *self, const double sum[4])
{
    const struct cluster_sum *part = f->part;
    double value[PAIR_VALUES] = {0}, q[PAIR_STRENGTHS];
    if (f->newton) {
        const int strengths = part->pair->strengths;
        for (int j = 0; j < strengths; j++)
            q[j] = (double)((const real *)f->io->q)[at * strengths + j];
        self->self(part->poly, q, value);
    }
    for (int a = 0; a < 3; a++) {
        for (int j = 0; j < 3; j++)
            value[a] += sum[j] * f->grid->frame[j][a];
        finish_give(f, f->io->potential, a * f->targets->n + at, value[a]);
    }
}

/* Adds a point's position times its force to the virial.  Positions are from
 * the middle of the cell, so that less cancels. */
static void finish_virial(struct cluster_finish *f, int64_t slot, int64_t at,
                          const double force[3])
{
    const struct cluster_grid *grid = f->grid;
    double r[3];
    if (f->targets->listed)
        cluster_kept(grid, f->targets, W, slot / W, (int)(slot % W), at, r);
    else
        cluster_place(grid, f->targets->points, at, r);
    for (int j = 0; j < 3; j++)
        r[j] -= 0.5 * (j < 2 ? grid->p[0][j] + grid->p[1][j] : grid->p[2][2]);
    for (int k = 0; k < 9; k++)
        f->virial[k] += r[k / 3] / grid->unit * force[k % 3];
}

/* Writes the gradient g of a point in the frame. */
static void finish_gradient(const struct cluster_finish *f, int64_t at,
                            const double g[6])
{
    static const int of[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int a = 0; a < 3; a++)
        for (int b = a; b < 3; b++) {
            double x = 0;
            for (int k = 0; k < 9; k++)
                x += f->grid->frame[k / 3][a] * f->grid->frame[k % 3][b]
                     * g[of[k / 3][k % 3]];
            finish_give(f, f->io->gradient, 6 * at + of[a][b], x);
        }
}

/* Writes one point, `at` in the caller's order and `slot` in the clusters: its
 * sums x, y, z, potential in the frame. */
static void finish_point(struct cluster_finish *f, int64_t slot, int64_t at,
                         double scaled, const double sum[4])
{
    const struct cluster_grid *grid = f->grid;
    const struct near_io *io = f->io;
    /* with newton, sums are multiplied by the point's charge; both are
     * scaled */
    double q = 0, factor = f->scale;
    if (f->newton) {
        factor = scaled != 0 ? f->scale / scaled : 0;
        q = (double)((const real *)io->q)[at];
    }
    for (int j = 0; io->field && j < 3; j++)
        finish_give(f, io->field, 3 * at + j,
                    factor * f->unit
                        * (sum[0] * grid->frame[0][j]
                           + sum[1] * grid->frame[1][j]
                           + sum[2] * grid->frame[2][j]));
    double potential = factor * sum[3] + f->self[0] * q;
    if (io->potential)
        finish_give(f, io->potential, at, potential);
    if (io->energy)
        f->energy += 0.5 * q * potential;
    if (io->virial)
        finish_virial(f, slot, at, sum);
}

/* As finish_point, with moments.  sum: field, potential and gradient. */
static void finish_moments(struct cluster_finish *f, int64_t slot, int64_t at,
                           double sum[CLUSTER_PARTS])
{
    const struct near_io *io = f->io;
    const real *x = (const real *)cluster_x(f->targets, slot / W) + slot % W;
    const double none[3] = {0};
    double q[4], force[3];
    for (int j = 0; j < 4; j++)
        q[j] = (double)x[(3 + j) * W];
    if (io->virial) {
        cluster_force(q, sum, force);
        finish_virial(f, slot, at, force);
    }
    if (f->newton) {
        moments_field(f->self, none, q, sum + 3, sum);
        moments_gradient(f->self, none, q, sum + 4);
    }
    for (int k = 0; io->virial && k < 9; k++) /* math.md (7.16a) */
        f->virial[k] += sum[k / 3] * q[1 + k % 3];
    if (io->energy)
        f->energy += 0.5 * (q[0] * sum[3] - moments_dot(q + 1, sum));
    if (io->potential)
        finish_give(f, io->potential, at, sum[3]);
    for (int a = 0; io->field && a < 3; a++) {
        double e = 0;
        for (int j = 0; j < 3; j++)
            e += sum[j] * f->grid->frame[j][a];
        finish_give(f, io->field, 3 * at + a, e);
    }
    if (io->gradient)
        finish_gradient(f, at, sum + 4);
}

static void cluster_finish(struct cluster_finish *f)
{
    const int output = f->part[0].output, parts = PART(output);
    const struct pair *pair = f->part[0].pair;
    const int flow = !pair->kind->gradient, moments = pair->kind->moments;
    const struct near_poly *poly = f->part[0].poly;
    const struct finish_self *self = moments ? NULL : finish_self(pair);
    const double one = 1;
    memset(f->self, 0, sizeof f->self);
    for (int k = 0; moments && k < 4; k++)
        f->self[k] = -poly_eval(poly->c[k], poly->n, -1);
    if (!flow && !moments)
        self->self(poly, &one, f->self);
    for (int64_t c = f->begin; c < f->end; c += CHUNK) {
        int64_t end = c + CHUNK < f->end ? c + CHUNK : f->end;
        double sum[CHUNK * CLUSTER_PARTS * W];
        memset(sum, 0, sizeof sum);
        for (int t = 0; t < f->parts; t++)
            finish_part(&f->part[t], f->targets->n_clusters, c, end, sum);
        for (int64_t k = c * W; k < end * W; k++) {
            int64_t at = f->targets->order[k];
            const double *x = sum + (k / W - c) * parts * W + k % W;
            double got[CLUSTER_PARTS] = {0};
            double q = (double)((const real *)cluster_x(f->targets, k / W))[
                3 * W + k % W];
            if (at < 0)
                continue;
            for (int j = 0; j < parts; j++)
                got[output == CLUSTER_POT ? 3 : j] = x[j * W];
            if (moments)
                finish_moments(f, k, at, got);
            else if (flow)
                finish_flow(f, at, self, got);
            else
                finish_point(f, k, at, q, got);
        }
    }
}

const struct cluster_finish_kern ISA_NAME(near_host_cluster_finish)
    = {cluster_finish};
