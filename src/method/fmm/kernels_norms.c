/* SPDX-License-Identifier: Apache-2.0 */
/* kernels_norms.c: norms and mean strengths of other kernels than 1/r. */
#include "method/fmm/kernels.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "reference/direct/direct_any.h"
#include "math/pair_quadrupole.h"
#include "tune/parameters.h"

/* A random draw of strengths may give less than the expected norm. */
#define SMALL 0.4

static double square_of(const double *v, int n)
{
    double sum = 0;
    for (int a = 0; a < n; a++)
        sum += v[a] * v[a];
    return sum;
}

void fmm_kernel_means(const struct task *task, int64_t n, const double *q,
                      struct fmm_input *f)
{
    int width = task->pair.strengths;
    double mean[9] = {0}, square = 0, dipole = 0, over = 1 / (double)n;
    for (int64_t i = 0; i < n; i++, q += width) {
        square += f->kernel < FMM_STOKESLET ? q[0] * q[0]
                                            : task->pair.kind->square(q);
        if (f->kernel == FMM_DIPOLES)
            dipole += square_of(q + 1, 3);
        if (f->kernel < FMM_STOKESLET)
            mean[0] += q[0];
        for (int a = 0; a < 9 && f->kernel == FMM_STRESSLET; a++)
            mean[a] += q[a / 3] * q[3 + a % 3];
        for (int a = 0; a < 3 && width == 3; a++)
            mean[a] += q[a];
    }
    f->q1 = width == 1 ? mean[0] * over : sqrt(square_of(mean, 9)) * over;
    f->q2 = square * over;
    f->p2 = dipole * over;
}

/* Few points, and those of small lattices, may have similar positions in their
 * boxes, for which means over positions are too small.  The bounds that charges
 * have there (bound/bound_order.c) are of charges only. */
enum { CELL_FEW = 32, CELL_ALIKE = 512 };

farsum_status fmm_kernel_cell(const struct task *task, struct fmm_input *f)
{
    const struct sample *sample = &task->sample;
    const struct pair *pair = &task->pair;
    double n = (double)sample->n, q2 = sample->q2 / n;
    if (task->options.fmm.order == 0
        && (n <= CELL_FEW || (n <= CELL_ALIKE && sample->lattice)))
        FAIL(ERR_UNSUPPORTED,
             "method fmm estimates no error of kernel %s for %lld sources%s in "
             "a cell; set fmm.order, or use method spectral",
             pair->name, (long long)sample->n,
             n <= CELL_FEW ? "" : " on a lattice");
    f->q1 = sample->q1 / n;
    f->q2 = q2 * pair->charge * pair->charge;
    f->p2 = q2 * pair->dipole * pair->dipole;
    f->reach = pair->reach;
    f->potential = sqrt(q2) * cbrt(n / f->volume);
    f->force = parameters_force_norm(task, sample->m > 0 ? 0 : sample->force,
                                     sample->q2, sample->n);
    return FARSUM_OK;
}

/* Values scale as length^-power. */
static int kernel_power(enum fmm_kernel kernel)
{
    return kernel == FMM_STOKESLET ? 1 : 2;
}

/* As in a cell of these points, task/sample_dipoles.c. */
static double kernel_reach(const struct fmm_input *f, double n)
{
    return f->kernel == FMM_DIPOLES ? M_SQRT1_2 * cbrt(f->volume / n) : 0;
}

void fmm_kernel_guess(struct fmm_input *f, double n)
{
    double near = cbrt(n / f->volume), q2 = f->q2;
    if (f->kernel == FMM_DIPOLES) { /* as strong as charges at that distance */
        f->reach = kernel_reach(f, n);
        f->p2 = q2 * f->reach * f->reach;
        q2 *= 2;
    }
    f->potential = sqrt(q2) * near;
    f->force = pow(near, kernel_power(f->kernel))
               * (f->kernel >= FMM_STOKESLET ? sqrt(q2) : q2);
}

void fmm_kernel_force(const double q[4], const double e[3],
                      const double gradient[6], double force[3])
{
    for (int a = 0; a < 3; a++) {
        force[a] = q[0] * e[a];
        for (int b = 0; b < 3; b++)
            force[a] -= gradient[pair_two[a][b]] * q[1 + b];
    }
}

double fmm_kernel_square(const struct fmm_input *f, const double q[4],
                         const double e[3], const double *gradient)
{
    double p2 = square_of(q + 1, 3), force[3];
    if (!gradient)
        return square_of(e, 3)
               * (q[0] * q[0]
                  + (f->reach > 0 ? p2 / (f->reach * f->reach) : 0));
    fmm_kernel_force(q, e, gradient, force);
    return square_of(force, 3);
}

/* Means over some particles, as of 1/r: without the largest if they are a
 * sample. */
static void sample_norms(struct fmm_input *f, int64_t n, int64_t targets,
                         const double *own, const double *v)
{
    int flow = f->kernel >= FMM_STOKESLET;
    int width = flow ? REFERENCE_FLOW : REFERENCE_GRADIENT;
    double force = 0, potential = 0, most = 0;
    for (int64_t t = 0; t < targets; t++, v += width) {
        double one =
            flow ? square_of(v, 3)
                 : fmm_kernel_square(f, own + 4 * t, v + REFERENCE_PHI,
                                     f->gradient ? v + REFERENCE_FIELD : NULL);
        force += one;
        most = fmax(most, one);
        potential += flow ? 0 : v[0] * v[0];
    }
    if (targets < n)
        force -= most;
    f->force = fmax(f->force, sqrt(force / (double)targets));
    if (!flow)
        f->potential = sqrt(potential / (double)targets);
}

farsum_status fmm_kernel_sample(const struct task *task, struct fmm_input *f,
                                int64_t n, const double *x, const double *q,
                                int64_t targets)
{
    farsum_status status = FARSUM_OK;
    int width = task->pair.strengths;
    double *y = NULL, *own = NULL, *values = NULL;
    fmm_kernel_guess(f, (double)n);
    fmm_kernel_means(task, n, q, f);
    struct direct_any any = {.width = f->kernel >= FMM_STOKESLET
                                          ? REFERENCE_FLOW
                                          : REFERENCE_GRADIENT};
    GO(MEM_RAW(y, 3 * targets));
    GO(MEM_RAW(own, width * targets));
    GO(MEM_RAW(values, any.width * targets));
    for (int64_t t = 0; t < targets; t++) {
        int64_t i = (int64_t)((double)t * (double)n / (double)targets);
        memcpy(y + 3 * t, x + 3 * i, 3 * sizeof *x);
        memcpy(own + width * t, q + width * i, (size_t)width * sizeof *q);
    }
    any.pairs =
        (struct direct_args){task->threads, task->isa, n, targets, x, y, q, 0};
    GO(direct_any_sum(reference_kind_find(task->pair.name), &any, values));
    sample_norms(f, n, targets, own, values);
done:
    mem_free(y);
    mem_free(own);
    mem_free(values);
    return status;
}

/* Expected squares of potential and of field or velocity at a target, for
 * strengths at random; coincident points are skipped. */
static void apart_squares(const struct task *task, const struct fmm *s,
                          const double at[3], double square[2])
{
    static const double whole[3] = {1, 0, 0}; /* E = 0 */
    const struct fmm_input *f = &s->input;
    const struct points *p = &s->source;
    square[0] = square[1] = 0;
    for (int64_t j = 0; j < p->n; j++) {
        double r2 = 0;
        for (int d = 0; d < 3; d++)
            r2 += (at[d] - p->s[d][j]) * (at[d] - p->s[d][j]);
        if (!(r2 > 0))
            continue;
        double over = 1 / r2;
        if (f->kernel == FMM_DIPOLES) {
            square[0] += over * (f->q2 + f->p2 * over / 3);
            square[1] += over * over * (f->q2 + 2 * f->p2 * over);
        } else {
            square[1] +=
                f->q2 * task->pair.kind->mean(&task->pair, whole, sqrt(r2));
        }
    }
}

/* The unit of length may have changed since the sample was summed. */
static void norms_sampled(const struct task *task, struct fmm *s)
{
    struct fmm_input *f = &s->input;
    int longer = task->units.length - s->sample_length;
    if (s->sample_norm[1] == 0) {
        s->sample_norm[0] = f->potential;
        s->sample_norm[1] = f->force;
        s->sample_p2 = f->p2;
    }
    f->potential = ldexp(s->sample_norm[0], longer);
    f->force = ldexp(s->sample_norm[1], kernel_power(f->kernel) * longer);
    f->p2 = ldexp(s->sample_p2, -2 * longer);
}

void fmm_kernel_norms(const struct task *task, struct fmm *s)
{
    struct fmm_input *f = &s->input;
    double potential = 0, field = 0, own = 1;
    int64_t m = s->target.n, some = fmm_input_some(s->source.n, m);
    f->reach = kernel_reach(f, (double)s->all_n);
    if (s->sampled)
        norms_sampled(task, s);
    if (m == 0)
        return;
    PAR_FOR(task->threads, reduction(+ : potential, field))
    for (int64_t t = 0; t < some; t++) {
        int64_t i = (int64_t)((double)t * (double)m / (double)some);
        const double at[3] = {s->target.s[0][i], s->target.s[1][i],
                              s->target.s[2][i]};
        double square[2];
        apart_squares(task, s, at, square);
        potential += square[0];
        field += square[1];
    }
    if (f->kernel == FMM_DIPOLES)
        own = f->q2 + (f->reach > 0 ? f->p2 / (f->reach * f->reach) : 0);
    double share = SMALL / (double)some;
    f->potential = fmin(f->potential, sqrt(share * potential));
    f->force = fmin(f->force, sqrt(share * own * field));
}
