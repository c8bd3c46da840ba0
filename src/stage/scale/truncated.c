/* SPDX-License-Identifier: Apache-2.0 */
/* truncated.c: the influence function of a kernel that is cut at a radius, for
 * open axes (Vico, Greengard and Ferrando, J. Comput. Phys. 323 (2016) 191).
 *
 * The kernel's transform is known and is sampled on a mesh that holds the whole
 * kernel.  Back in space its values between mesh points are those that matter
 * within twice the extent of the points; the rest is dropped, and the mesh of
 * the sum is large enough for them.  Each axis is one matrix, (9.35). */
#include "stage/scale/truncated.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/hypot.h"
#include "base/mem.h"
#include "base/par.h"
#include "math/bessel.h"

/* What the symbol needs of one mode. */
struct at {
    double k2, decon;     /* of the whole wave vector */
    double kappa;         /* wires: along the periodic axis, and */
    double s, j[2], k[2]; /* across it: J(s R), K(q R) */
};

struct truncated {
    const struct scale_args *args;
    const struct modes *modes;
    double screen, radius;
    int axes, along;  /* periodic ones, and a wire's */
    double period;    /* of a wire */
    int64_t big[3];   /* points of the mesh that holds the kernel */
    int64_t reach[3]; /* its modes 0 .. reach - 1 are in the band */
    double step[3];   /* their wave vectors */
    double *decon[3]; /* owned, [reach_d] */
    double (*j)[2];   /* owned, wires: of the two open axes' modes */
};

static void truncated_clear(struct truncated *t)
{
    for (int d = 0; d < 3; d++)
        mem_free(t->decon[d]);
    mem_free(t->j);
}

static double edge_of(const struct scale_args *args, int d)
{
    const double *a = args->cell->a + 3 * d;
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* Points of the larger mesh along axis d.  Half of the edge is more than the
 * extent; E smears the kernel's end by 1. */
static int64_t truncated_points(const struct scale_args *args, int d)
{
    double edge = edge_of(args, d), spacing = edge / (double)args->mesh[d];
    int64_t big = (int64_t)ceil((edge / 2 + args->radius + 1) / spacing);
    return args->open[d] && big > args->mesh[d] ? big : args->mesh[d];
}

static int64_t truncated_reach(const struct scale_args *args, int d)
{
    int64_t big = truncated_points(args, d);
    double edge = edge_of(args, d) * (double)big / (double)args->mesh[d];
    int64_t reach = (int64_t)(args->split->c * edge / (2 * M_PI)) + 1;
    /* the mode big/2 has no sign; beyond a band that fits there is nothing */
    return reach < (big + 1) / 2 ? reach : (big + 1) / 2;
}

int64_t octant_bytes(const struct scale_args *args)
{
    int64_t most = 1;
    for (int d = 0; d < 3; d++) {
        int64_t reach = truncated_reach(args, d), size = args->mesh[d] / 2 + 1;
        most *= reach > size ? reach : size;
    }
    return 16 * most;
}

/* J_0(s R) and J_1(s R) for all modes across a wire. */
static farsum_status truncated_across(struct truncated *t)
{
    int u = (t->along + 1) % 3, v = (t->along + 2) % 3;
    if (t->axes != 1)
        return FARSUM_OK;
    TRY(MEM_RAW(t->j, t->reach[u] * t->reach[v]));
    PAR_FOR(t->args->threads, schedule(dynamic))
    for (int64_t i = 0; i < t->reach[u]; i++)
        for (int64_t k = 0; k < t->reach[v]; k++) {
            double s = hypot_of((double)i * t->step[u], (double)k * t->step[v]);
            bessel_j(s * t->radius, t->j[i * t->reach[v] + k]);
        }
    return FARSUM_OK;
}

static farsum_status truncated_begin(struct truncated *t,
                                     const struct scale_args *args,
                                     const struct modes *modes)
{
    *t = (struct truncated){.args = args,
                            .modes = modes,
                            .radius = args->radius,
                            .screen = scale_kernel(args)->kappa};
    for (int d = 0; d < 3; d++) {
        t->big[d] = truncated_points(args, d);
        t->reach[d] = truncated_reach(args, d);
        t->step[d] = 2 * M_PI * (double)args->mesh[d]
                     / (edge_of(args, d) * (double)t->big[d]);
        TRY(MEM_RAW(t->decon[d], t->reach[d]));
        for (int64_t i = 0; i < t->reach[d]; i++) {
            double hat = window_hat(args->window,
                                    2 * M_PI * (double)i / (double)t->big[d]);
            t->decon[d][i] = 1 / (hat * hat);
        }
        if (!args->open[d]) {
            t->axes++;
            t->along = d;
            t->period = edge_of(args, d);
        }
    }
    return truncated_across(t);
}

/* 1 - x K_1(x) for 0 < x < 1, without the difference: with L = ln(x/2) and the
 * digamma function psi the sum over k of (x^2/4)^(k + 1)/(k! (k + 1)!) times
 * psi(k + 1) + psi(k + 2) - 2 L. */
static double wire_weak(double x)
{
    enum { TERMS = 10 };
    const double euler = 0.57721566490153286061;
    double y = x * x / 4, power = y, sum = 0, psi = 1 - 2 * euler;
    for (int k = 0; k < TERMS; k++) {
        sum += power * (psi - 2 * log(x / 2));
        power *= y / ((k + 1) * (k + 2));
        psi += 1.0 / (k + 1) + 1.0 / (k + 2);
    }
    return sum;
}

/* 1 - e^-y (1 + y) for 0 < y < 1, without the difference. */
static double space_weak(double y)
{
    enum { TERMS = 20 };
    double power = y * y / 2, sum = 0;
    for (int n = 2; n < TERMS; n++) {
        sum += (n - 1) * power;
        power *= -y / (n + 1);
    }
    return sum;
}

/* (9.34): a wire's kernel cut at the radius, over the whole one's. */
static double wire_part(const struct truncated *t, const struct at *at)
{
    double q = hypot_of(at->kappa, t->screen), r = t->radius;
    if (q > 0 && q * r < 1 && !(at->s > 0))
        return wire_weak(q * r);
    if (q > 0)
        return 1 + r * (at->s * at->j[1] * at->k[0] - q * at->j[0] * at->k[1]);
    return 1 - at->j[0] - at->s * r * log(r / t->period) * at->j[1];
}

/* (9.37): the same in open space. */
static double space_part(const struct truncated *t, const struct at *at)
{
    double k = sqrt(at->k2), x = k * t->radius, y = t->screen * t->radius;
    if (!(y > 0))
        return 2 * sin(x / 2) * sin(x / 2);
    if (y < 1 && !(x > 0))
        return space_weak(y);
    return 1 - exp(-y) * (cos(x) + (x > 0 ? y * sin(x) / x : y));
}

/* The mode 0 of 1/r. */
static double truncated_mean(const struct truncated *t, double decon)
{
    double r2 = t->radius * t->radius;
    double part = t->axes == 1 ? 0.25 - 0.5 * log(t->radius / t->period) : 0.5;
    return t->modes->front / t->modes->volume * decon * r2 * part;
}

static double truncated_at(const struct truncated *t, const struct at *at)
{
    if (!(at->k2 > 0) && !(t->screen > 0))
        return truncated_mean(t, at->decon);
    /* screened charges have the mode 0 here */
    double k2 = fmax(at->k2, DBL_MIN);
    double whole = modes_influence(t->modes, k2, at->decon, NULL);
    return whole * (t->axes == 1 ? wire_part(t, at) : space_part(t, at));
}

/* (9.36): the mode's part of the virial along a wire, f + kappa df/dkappa. */
static double truncated_bend(const struct truncated *t, const struct at *at)
{
    double q = hypot_of(at->kappa, t->screen), r = t->radius, bend, by;
    double k2 = at->kappa * at->kappa;
    double whole = modes_influence(t->modes, fmax(at->k2, DBL_MIN), at->decon,
                                   &bend);
    if (!(q > 0)) { /* the gauge depends on the period */
        double mean =
            t->modes->front / t->modes->volume * at->decon * r * r * (-0.5);
        return truncated_at(t, at)
               + (at->k2 > 0 ? -whole * at->s * r * at->j[1] : mean);
    }
    by = bend * wire_part(t, at)
         + whole * r * r
               * (at->j[0] * at->k[0] - at->s / q * at->j[1] * at->k[1]);
    return truncated_at(t, at) + k2 * by;
}

/* Row i0 of the symbol. */
static void symbol_row(const struct truncated *t, int64_t i0, int bend,
                       double *to)
{
    int u = (t->along + 1) % 3, v = (t->along + 2) % 3;
    int64_t at[3] = {i0, 0, 0}, last = -1;
    struct at mode = {0};
    for (at[1] = 0; at[1] < t->reach[1]; at[1]++)
        for (at[2] = 0; at[2] < t->reach[2]; at[2]++, to++) {
            mode.k2 = 0;
            mode.decon = 1;
            for (int d = 0; d < 3; d++) {
                double k = (double)at[d] * t->step[d];
                mode.k2 += k * k;
                mode.decon *= t->decon[d][at[d]];
            }
            *to = 0;
            if (mode.k2 > t->modes->c * t->modes->c)
                continue;
            if (t->axes == 1 && at[t->along] != last) {
                last = at[t->along];
                mode.kappa = (double)last * t->step[t->along];
                double x = hypot_of(mode.kappa, t->screen) * t->radius;
                mode.k[0] = mode.k[1] = 0;
                if (x > 0)
                    bessel_k(x, mode.k);
            }
            if (t->axes == 1) {
                mode.s = hypot_of((double)at[u] * t->step[u],
                                  (double)at[v] * t->step[v]);
                memcpy(mode.j, t->j[at[u] * t->reach[v] + at[v]],
                       sizeof mode.j);
            }
            *to = bend ? truncated_bend(t, &mode) : truncated_at(t, &mode);
        }
}

/* The sum of e^(2 pi i m p/whole) over |m| <= most. */
static double dirichlet(int64_t p, int64_t whole, int64_t most)
{
    int64_t many = 2 * most + 1;
    p %= whole;
    if (p == 0)
        return (double)many;
    /* whole turns are subtracted exactly */
    int64_t turn = p * many % (2 * whole);
    return sin(M_PI * (double)turn / (double)whole)
           / sin(M_PI * (double)p / (double)whole);
}

/* (9.35): mode n of the sum's mesh from mode b of the larger one; [b][n]. */
static void axis_matrix(const struct truncated *t, int d, double *a)
{
    int64_t mesh = t->args->mesh[d], big = t->big[d], size = mesh / 2 + 1;
    int64_t most = (mesh - 1) / 2;
    PAR_FOR(t->args->threads)
    for (int64_t b = 0; b < t->reach[d]; b++)
        for (int64_t n = 0; n < size; n++) {
            double both =
                dirichlet(n * big + b * mesh, mesh * big, most)
                + dirichlet(n * big - b * mesh + mesh * big, mesh * big, most);
            a[b * size + n] = both / (double)(b ? big : 2 * big);
        }
}

/* to[i][k][c] = sum_b a[b][k] from[i][b][c], with axis 0 or 1 in the middle. */
static void axis_first(const struct truncated *t, int d, int64_t before,
                       int64_t after, const double *from, const double *a,
                       double *to)
{
    int64_t reach = t->reach[d], n = t->args->mesh[d] / 2 + 1;
    PAR_FOR(t->args->threads, schedule(static))
    for (int64_t row = 0; row < before * n; row++)
        for (int64_t b = 0; b < reach; b++) {
            const double *in = from + (row / n * reach + b) * after;
            double *out = to + row * after, by = a[b * n + row % n];
            for (int64_t c = 0; c < after; c++)
                out[c] += by * in[c];
        }
}

/* to[i][k] = sum_b a[b][k] from[i][b], for axis 2. */
static void axis_last(const struct truncated *t, int64_t rows,
                      const double *from, const double *a, double *to)
{
    int64_t reach = t->reach[2], n = t->args->mesh[2] / 2 + 1;
    PAR_FOR(t->args->threads, schedule(static))
    for (int64_t i = 0; i < rows; i++)
        for (int64_t b = 0; b < reach; b++) {
            double by = from[i * reach + b];
            for (int64_t k = 0; k < n; k++)
                to[i * n + k] += by * a[b * n + k];
        }
}

/* Replaces axis d of *from, [before][reach_d][after], by the sum's modes. */
static farsum_status axis_apply(const struct truncated *t, int d,
                                int64_t size[3], double **from)
{
    farsum_status status = FARSUM_OK;
    int64_t reach = t->reach[d], n = t->args->mesh[d] / 2 + 1, before = 1,
            after = 1;
    double *a = NULL, *to = NULL;
    for (int e = 0; e < 3; e++)
        *(e < d ? &before : &after) *= e == d ? 1 : size[e];
    GO(MEM_RAW(a, reach * n));
    GO(MEM_NEW(to, before * n * after));
    axis_matrix(t, d, a);
    if (d == 2)
        axis_last(t, before, *from, a, to);
    else
        axis_first(t, d, before, after, *from, a, to);
    size[d] = n;
    mem_free(*from);
    *from = to;
done:
    mem_free(a);
    return status;
}

/* Axis d is periodic: its modes stay, and those beyond the band are 0. */
static farsum_status axis_extend(const struct truncated *t, int d,
                                 int64_t size[3], double **from)
{
    int64_t reach = t->reach[d], n = t->args->mesh[d] / 2 + 1, before = 1,
            after = 1;
    double *to = NULL;
    for (int e = 0; e < 3; e++)
        *(e < d ? &before : &after) *= e == d ? 1 : size[e];
    TRY(MEM_NEW(to, before * n * after));
    for (int64_t i = 0; i < before; i++)
        memcpy(to + i * n * after, *from + i * reach * after,
               (size_t)(reach * after) * sizeof *to);
    size[d] = n;
    mem_free(*from);
    *from = to;
    return FARSUM_OK;
}

farsum_status octant_make(struct octant *to, const struct scale_args *args,
                          const struct modes *modes, int bend)
{
    farsum_status status = FARSUM_OK;
    struct truncated t;
    int64_t size[3];
    double *value = NULL;
    GO(truncated_begin(&t, args, modes));
    memcpy(size, t.reach, sizeof size);
    GO(MEM_RAW(value, t.reach[0] * t.reach[1] * t.reach[2]));
    PAR_FOR(args->threads, schedule(dynamic))
    for (int64_t i0 = 0; i0 < t.reach[0]; i0++)
        symbol_row(&t, i0, bend, value + i0 * t.reach[1] * t.reach[2]);
    for (int d = 0; d < 3; d++)
        GO(args->open[d] ? axis_apply(&t, d, size, &value)
                         : axis_extend(&t, d, size, &value));
    memcpy(to->size, size, sizeof size);
    mem_free(to->value);
    to->value = value;
    value = NULL;
done:
    truncated_clear(&t);
    mem_free(value);
    return status;
}

void octant_clear(struct octant *octant)
{
    mem_free(octant->value);
    *octant = (struct octant){.value = NULL};
}
