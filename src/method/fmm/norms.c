/* SPDX-License-Identifier: Apache-2.0 */
/* norms.c: properties of the points known before they are set: those of the
 * cell or, with open boundaries, a sample's extent and the forces on some of
 * its particles. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "base/arrays.h"
#include "reference/direct/direct_sum.h"
#include "method/fmm/bound/bound.h"
#include "method/fmm/kernels.h"
#include "tune/parameters.h"

enum { TARGETS_LEAST = 64 };
/* Fraction of the sample neighbours' potentials: those of a whole cell are at
 * least as large. */
#define AROUND 0.5
/* Edges along open axes over the points' extents: no two points at the ends
 * look like images of each other. */
#define LONGER (65.0 / 64)
/* SMALL: see apart_squares.  Numbers of separate targets that are sampled, and
 * of pairs for that. */
#define SMALL 0.4
enum { APART_LEAST = 32, APART_PAIRS = 2000000 };

/* Fails if the axes of the reduced basis are not orthogonal. */
static farsum_status facts_cell(const struct task *task, struct fmm *s)
{
    struct fmm_input *f = &s->input;
    TRY(task_cell(task, &s->cell));
    const double *a = s->cell.a;
    for (int d = 0; d < 3; d++) {
        f->edge[d] = sqrt(a[3 * d] * a[3 * d] + a[3 * d + 1] * a[3 * d + 1]
                          + a[3 * d + 2] * a[3 * d + 2]);
        for (int k = 0; k < 3; k++)
            s->axis[3 * d + k] = a[3 * d + k] / f->edge[d];
    }
    for (int d = 0; d < 3; d++) {
        const double *u = s->axis + 3 * d, *v = s->axis + 3 * ((d + 1) % 3);
        double lean = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
        if (fabs(lean) > 1e-12)
            FAIL(ERR_UNSUPPORTED,
                 "the cell's axes are not at right angles (cosine %.3g): its "
                 "boxes would not be bricks",
                 lean);
    }
    f->volume = f->edge[0] * f->edge[1] * f->edge[2];
    return FARSUM_OK;
}

/* The number of particles whose forces are summed: all, if that is quick. */
static int64_t facts_targets(int64_t n)
{
    int64_t targets = (int64_t)4e7 / n;
    targets = targets > TARGETS_LEAST ? targets : TARGETS_LEAST;
    return targets < n ? targets : n;
}

/* Means over some particles.  For a sample the largest is omitted: a close pair
 * dominates the mean, and may be the only one. */
static void facts_norms(struct fmm_input *f, int64_t n, int64_t targets,
                        const double *own, const double *phi, const double *e)
{
    double square = 0, square_phi = 0, most = 0;
    for (int64_t t = 0; t < targets; t++) {
        double one = 0;
        for (int d = 0; d < 3; d++)
            one += own[t] * own[t] * e[3 * t + d] * e[3 * t + d];
        square += one;
        most = fmax(most, one);
        square_phi += phi[t] * phi[t];
    }
    if (targets < n)
        square -= most;
    f->force = fmax(f->force, sqrt(square / (double)targets));
    f->potential = sqrt(square_phi / (double)targets);
}

/* Sums the sample's forces and potentials at some of its particles. */
static farsum_status facts_sums(const struct task *task, struct fmm_input *f,
                                int64_t n, const double *x, const double *q)
{
    farsum_status status = FARSUM_OK;
    int64_t targets = facts_targets(n);
    if (f->kernel != FMM_LAPLACE)
        return fmm_kernel_sample(task, f, n, x, q, targets);
    double *y = NULL, *phi = NULL, *e = NULL, *own = NULL;
    GO(MEM_RAW(y, 3 * targets));
    GO(MEM_RAW(phi, targets));
    GO(MEM_RAW(e, 3 * targets));
    GO(MEM_RAW(own, targets));
    for (int64_t t = 0; t < targets; t++) {
        int64_t i = (int64_t)((double)t * (double)n / (double)targets);
        memcpy(y + 3 * t, x + 3 * i, 3 * sizeof *x);
        own[t] = q[i];
    }
    const struct direct_args args = {
        task->threads, task->isa, n, targets, x, y, q, task->problem.softening};
    GO(direct_sum(&args, phi, e, NULL, NULL));
    facts_norms(f, n, targets, own, phi, e);
done:
    mem_free(y);
    mem_free(phi);
    mem_free(e);
    mem_free(own);
    return status;
}

static farsum_status facts_open(const struct task *task, struct fmm_input *f)
{
    const farsum_problem *p = &task->problem;
    farsum_status status = FARSUM_OK;
    int64_t n = p->n_sources;
    double *x = NULL, low[3], high[3], per = task_per(task);
    const double *q = task->sample_q;
    f->q1 = f->q2 = 1;
    f->edge[0] = f->edge[1] = f->edge[2] = f->volume = 1;
    f->force = pow((double)n, 2.0 / 3);
    f->potential = cbrt((double)n);
    if (f->kernel != FMM_LAPLACE)
        fmm_kernel_guess(f, (double)n);
    if (!p->sample_x)
        return FARSUM_OK;
    GO(MEM_RAW(x, 3 * n));
    fmm_kernel_means(task, n, q, f);
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < 3; d++) {
            double v = per * array_get(p->sample_x, p->arrays, 3 * i + d);
            low[d] = i && low[d] < v ? low[d] : v;
            high[d] = i && high[d] > v ? high[d] : v;
            x[3 * i + d] = v;
            if (!isfinite(v))
                GO_FAIL(ERR_ARGUMENT, "sample: particle %lld is not finite",
                        (long long)i);
        }
    double most = fmax(high[0] - low[0], fmax(high[1] - low[1],
                                              high[2] - low[2]));
    most = most > 0 ? most : 1;
    f->volume = 1;
    for (int d = 0; d < 3; d++) {
        f->edge[d] = fmax(high[d] - low[d], 1e-3 * most);
        f->volume *= f->edge[d];
    }
    f->force = f->q2 * pow((double)n / f->volume, 2.0 / 3);
    GO(facts_sums(task, f, n, x, q));
done:
    mem_free(x);
    return status;
}

/* The RMS potential due to the charges around the sample's targets, with the
 * background and the neutralising charge of their ball.  Excluded pairs may be
 * among them: then 0. */
static double facts_around(const struct task *task, const struct fmm_input *f)
{
    const struct sample *s = &task->sample;
    double square = 0, density = f->q1 * (double)s->n / f->volume;
    double last = s->radius[SAMPLE_SHELLS - 1];
    /* over ranks a rank's own rows differ from the others' */
    int pairs = task->comm ? task->report->info.n_exclusions > 0
                           : task->exclusions.rows > 0;
    if (s->n_targets == 0 || task->problem.n_exclusions > 0 || pairs)
        return 0;
    for (int64_t t = 0; t < s->n_targets; t++) {
        double sum = 0, inner = 0;
        for (int k = 0; k < SAMPLE_SHELLS; k++) {
            double r = s->radius[k];
            double even = 4 * M_PI / 3 * (r * r * r - inner * inner * inner);
            sum +=
                (s->target[t].charge[k] - density * even) * (1 / r - 1 / last);
            inner = r;
        }
        square += sum * sum;
    }
    return sqrt(square / (double)s->n_targets);
}

static farsum_status facts_known(struct fmm *s, const struct sample_fmm *known)
{
    struct fmm_input *f = &s->input;
    s->sampled = known->sampled;
    memcpy(f->edge, known->edge, sizeof f->edge);
    f->volume = known->volume;
    f->q1 = known->q1;
    f->q2 = known->q2;
    f->p2 = known->p2;
    f->reach = known->reach;
    f->potential = known->potential;
    f->force = known->force;
    return FARSUM_OK;
}

void fmm_measured(const void *state, struct sample *sample)
{
    const struct fmm *s = state;
    const struct fmm_strict *t = s->alike;
    const struct fmm_input *f = &s->input;
    sample->fmm =
        (struct sample_fmm){.known = 1,
                            .sampled = s->sampled,
                            .edge = {f->edge[0], f->edge[1], f->edge[2]},
                            .volume = f->volume,
                            .q1 = f->q1,
                            .q2 = f->q2,
                            .p2 = f->p2,
                            .reach = f->reach,
                            .potential = f->potential,
                            .force = f->force,
                            .mean = t ? t->mean : 1,
                            .most = t ? t->most : 1,
                            .spread = t ? t->spread : 0};
}

farsum_status fmm_input(const struct task *task, struct fmm *s)
{
    const struct sample *sample = &task->sample;
    struct fmm_input *f = &s->input;
    double reach[3];
    f->kernel = fmm_kernel_of(task);
    f->gradient = f->kernel == FMM_DIPOLES && task->problem.n_targets == 0
                  && task->problem.outputs & FARSUM_GRADIENT;
    f->axes = task_axes(task);
    f->periodic = f->axes > 0;
    if (!f->periodic) {
        s->sample_length = task->units.length;
        if (sample->fmm.known)
            return facts_known(s, &sample->fmm);
        s->sampled = task->problem.sample_x != NULL;
        return facts_open(task, f);
    }
    TRY(facts_cell(task, s));
    if (f->kernel != FMM_LAPLACE)
        return fmm_kernel_cell(task, f);
    f->q1 = sample->q1 / (double)sample->n;
    f->q2 = sample->q2 / (double)sample->n;
    for (int d = 0; d < 3; d++) {
        f->open[d] = s->cell.open[d];
        reach[d] = f->axes == 2 ? sample->extent : sample->across[d];
    }
    fmm_input_edges(task, s, reach);
    return FARSUM_OK;
}

void fmm_input_edges(const struct task *task, struct fmm *s,
                     const double reach[3])
{
    const struct sample *sample = &task->sample;
    struct fmm_input *f = &s->input;
    double n = (double)sample->n, each = 1;
    f->volume = 1;
    for (int d = 0; d < 3; d++)
        each *= f->open[d] ? 1 : f->edge[d];
    each = pow(each / n, 1.0 / f->axes);
    for (int d = 0; d < 3; d++) {
        if (f->open[d])
            f->edge[d] = fmax(LONGER * reach[d], each);
        f->volume *= f->edge[d];
    }
    f->force = parameters_force_norm(task, sample->m > 0 ? 0 : sample->force,
                                     sample->q2, sample->n);
    f->potential = sqrt(f->q2) * cbrt(n / f->volume);
    if (f->axes == 3) /* else there is no background */
        f->potential = fmax(f->potential, AROUND * facts_around(task, f));
}

/* Sums over the sources at a target; coincident points are skipped. */
static struct fmm_apart apart_sums(const struct points *from,
                                   const double at[3])
{
    struct fmm_apart a = {0};
    for (int64_t j = 0; j < from->n; j++) {
        double d[3], r2 = 0;
        for (int k = 0; k < 3; k++) {
            d[k] = at[k] - from->s[k][j];
            r2 += d[k] * d[k];
        }
        double over = r2 > 0 ? 1 / r2 : 0, one = sqrt(over);
        for (int k = 0; k < 3; k++)
            a.field[k] += d[k] * one * over;
        a.potential += one;
        a.potential2 += over;
        a.field2 += over * over;
    }
    return a;
}

/* Expected squares of potential [0] and field [1] of charges drawn at random
 * around their mean, with a fixed sum.  The random part is multiplied by SMALL,
 * because one draw may give less. */
static void apart_squares(const struct fmm *s, const struct fmm_apart *a,
                          double square[2])
{
    double q1 = s->input.q1 * s->input.q1, n = (double)s->all_n;
    double random = SMALL * fmax(s->input.q2 - q1, 0), together;
    together = a->potential * a->potential;
    square[0] = q1 * together + random * (a->potential2 - together / n);
    together = a->field[0] * a->field[0] + a->field[1] * a->field[1]
               + a->field[2] * a->field[2];
    square[1] = q1 * together + random * (a->field2 - together / n);
}

int64_t fmm_input_some(int64_t n, int64_t m)
{
    int64_t some = APART_PAIRS / (n + 1);
    some = some < APART_LEAST      ? APART_LEAST
           : some > FMM_APART_MOST ? FMM_APART_MOST
                                   : some;
    return some < m ? some : m;
}

void fmm_input_apart(const struct task *task, struct fmm *s, int64_t some,
                     const struct fmm_apart *apart)
{
    struct fmm_input *f = &s->input;
    double mean[2] = {0}, most = 0;
    if (s->sampled && s->sample_norm[1] == 0) {
        s->sample_norm[0] = f->potential;
        s->sample_norm[1] = f->force;
    }
    if (s->sampled) {
        int longer = task->units.length - s->sample_length;
        f->potential = ldexp(s->sample_norm[0], longer);
        f->force = ldexp(s->sample_norm[1], 2 * longer);
    }
    if (some == 0)
        return;
    for (int64_t t = 0; t < some; t++) {
        double square[2];
        apart_squares(s, &apart[t], square);
        for (int k = 0; k < 2; k++)
            mean[k] += square[k] / (double)some;
        most = fmax(most, square[1]);
    }
    if (some < s->all_m) /* otherwise as of the sample */
        mean[1] -= most / (double)some;
    f->potential = fmin(f->potential, sqrt(mean[0]));
    f->force = fmin(f->force, sqrt(f->q2 * mean[1]));
}

void fmm_input_targets(const struct task *task, struct fmm *s,
                       const struct points *source, const struct points *target,
                       int64_t first)
{
    enum { APART = sizeof(struct fmm_apart) / sizeof(double) };
    union {
        struct fmm_apart sums[FMM_APART_MOST];
        double numbers[FMM_APART_MOST * APART];
    } all;
    double at[3 * FMM_APART_MOST] = {0};
    int64_t m = s->all_m, some = fmm_input_some(s->all_n, m);
    for (int64_t t = 0; t < some; t++) {
        int64_t i = (int64_t)((double)t * (double)m / (double)some) - first;
        for (int d = 0; d < 3 && i >= 0 && i < target->n; d++)
            at[3 * t + d] = target->s[d][i];
    }
    (void)task_sum(task, at, (int)(3 * some));
    PAR_FOR(task->threads)
    for (int64_t t = 0; t < some; t++)
        all.sums[t] = apart_sums(source, at + 3 * t);
    (void)task_sum(task, all.numbers, (int)(APART * some));
    fmm_input_apart(task, s, some, all.sums);
}

double fmm_crowding(const int32_t count[FMM_CELLS], int64_t n)
{
    double pairs = 0;
    for (int k = 0; k < FMM_CELLS; k++)
        pairs += (double)count[k] * (double)(count[k] - 1);
    return pairs * FMM_CELLS / ((double)n * (double)n);
}
