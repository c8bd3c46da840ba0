/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.c: sums of other kernels than 1/r.  A flow's far field is a
 * combination of several sums of 1/r on one tree, (10.48). */
#include "method/fmm/kernels.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "base/progress.h"
#include "reference/kernels.h"
#include "tune/parameters.h"

/* A flow as sums over charges, or over dipoles.  Positions are relative to the
 * middle of all points. */
struct flow {
    /* The charge of a source of strengths q at y in a pass, or its dipole. */
    void (*source)(int pass, const double *q, const double *y, double *to);
    /* Adds to the velocity at x what a pass's potential and field give. */
    void (*add)(int pass, const double *x, double phi, const double *e,
                double *u);
};

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void stokeslet_source(int pass, const double *f, const double *y,
                             double *to)
{
    to[0] = pass < 3 ? f[pass] : dot(y, f);
}

static void stokeslet_add(int pass, const double *x, double phi,
                          const double *e, double *u)
{
    double along = pass < 3 ? x[pass] : -1;
    if (pass < 3)
        u[pass] += phi;
    for (int a = 0; a < 3; a++)
        u[a] += along * e[a];
}

static void rotlet_source(int pass, const double *t, const double *y,
                          double *to)
{
    (void)y;
    to[0] = t[pass];
}

static void rotlet_add(int pass, const double *x, double phi, const double *e,
                       double *u)
{
    int b = (pass + 1) % 3, c = (pass + 2) % 3;
    (void)x, (void)phi;
    u[b] -= e[c];
    u[c] += e[b];
}

static void stresslet_source(int pass, const double *q, const double *y,
                             double *to)
{
    const double *n = q + 3;
    double by_n = pass < 3 ? q[pass] : dot(y, q);
    double by_q = pass < 3 ? n[pass] : dot(y, n);
    for (int a = 0; a < 3; a++)
        to[a] = by_n * n[a] + by_q * q[a];
}

static void stresslet_add(int pass, const double *x, double phi,
                          const double *e, double *u)
{
    double along = pass < 3 ? -x[pass] : 1;
    if (pass < 3)
        u[pass] -= phi;
    for (int a = 0; a < 3; a++)
        u[a] += along * e[a];
}

static const struct flow flows[] = {
    [FMM_STOKESLET] = {stokeslet_source, stokeslet_add},
    [FMM_ROTLET] = {rotlet_source, rotlet_add},
    [FMM_STRESSLET] = {stresslet_source, stresslet_add},
};

farsum_status fmm_kernel_arrays(const struct task *task, struct fmm *s)
{
    struct fmm_passes *p = &s->passes;
    int64_t n = s->source.n, m = tree_targets(&s->tree)->n;
    if (fmm_kernel_gradient(task)) {
        TRY(MEM_RESERVE(s->caller.gradient, &s->caller.have_gradient, 6 * m));
        TRY(MEM_RESERVE(s->gradient, &s->have_gradient, 6 * m));
    }
    if (s->input.kernel < FMM_STOKESLET)
        return FARSUM_OK;
    TRY(MEM_RESERVE(p->q, &p->have_q,
                    (fmm_kernel_moments(s->input.kernel) ? 4 : 1) * n));
    TRY(MEM_RESERVE(p->potential, &p->have_potential, m));
    return MEM_RESERVE(p->field, &p->have_field, 3 * m);
}

void fmm_kernel_clear(struct fmm *s)
{
    mem_free(s->caller.gradient);
    mem_free(s->gradient);
    mem_free(s->passes.q);
    mem_free(s->passes.potential);
    mem_free(s->passes.field);
}

/* Position of point i in the caller's order, from the middle of all. */
static void kernel_place(const struct fmm *s, const struct points *p, int64_t i,
                         double x[3])
{
    for (int d = 0; d < 3; d++)
        x[d] = p->s[d][i] - s->middle[d];
}

/* Copies strengths to the order of leaves, [strengths][n]; dipoles in a cell
 * along its axes. */
static void kernel_in(const struct task *task, struct fmm *s)
{
    int width = task->pair.strengths;
    const int64_t *order = s->tree.source.order, n = s->source.n;
    double *q = s->q;
    PAR_FOR(task->threads)
    for (int64_t k = 0; k < n; k++)
        for (int c = 0; c < width; c++) {
            const double *own = s->caller.q + order[k] * width;
            q[c * n + k] = c > 0 && s->input.periodic
                               ? dot(s->axis + 3 * (c - 1), own + 1)
                               : own[c];
        }
}

/* The far stages, for one set of sources. */
static farsum_status kernel_far(struct fmm *s, const struct boxes_io *io)
{
    for (int r = 0; r < FMM_STAGES; r++)
        if (r != FMM_P2P && s->choice[r].row)
            TRY(fmm_run_stage(s, r, FARSUM_OK, NULL, io));
    return FARSUM_OK;
}

/* Sets the sources of a pass. */
static void pass_in(const struct task *task, struct fmm *s,
                    const struct flow *flow, int pass)
{
    int width = task->pair.strengths;
    const int64_t *order = s->tree.source.order, n = s->source.n;
    double *q = s->passes.q;
    PAR_FOR(task->threads)
    for (int64_t k = 0; k < n; k++) {
        double y[3], to[3];
        kernel_place(s, &s->source, order[k], y);
        flow->source(pass, s->caller.q + order[k] * width, y, to);
        if (!fmm_kernel_moments(s->input.kernel)) {
            q[k] = to[0];
            continue;
        }
        q[k] = 0;
        for (int a = 0; a < 3; a++)
            q[(1 + a) * n + k] = to[a];
    }
}

/* Adds a pass to the velocities. */
static void pass_out(const struct task *task, struct fmm *s,
                     const struct flow *flow, int pass)
{
    const struct points *given = s->target.n > 0 ? &s->target : &s->source;
    const struct tree_points *points = tree_targets(&s->tree);
    int64_t m = points->n;
    double *velocity = s->field;
    PAR_FOR(task->threads)
    for (int64_t k = 0; k < m; k++) {
        double x[3], e[3], u[3] = {0};
        kernel_place(s, given, points->order[k], x);
        for (int a = 0; a < 3; a++)
            e[a] = s->passes.field[a * m + k];
        flow->add(pass, x, s->passes.potential[k], e, u);
        for (int a = 0; a < 3; a++)
            velocity[a * m + k] += u[a];
    }
}

static farsum_status kernel_flow(const struct task *task, struct fmm *s,
                                 const struct flow *flow)
{
    const struct fmm_passes *p = &s->passes;
    size_t targets = (size_t)tree_targets(&s->tree)->n;
    const struct boxes_io io = {.tree = &s->tree,
                                .q = p->q,
                                .multipole = s->multipole,
                                .local = s->local,
                                .stride = s->stride,
                                .potential = p->potential,
                                .field = p->field};
    for (int pass = 0; pass < fmm_kernel_passes(s->input.kernel); pass++) {
        pass_in(task, s, flow, pass);
        memset(p->potential, 0, targets * sizeof *p->potential);
        memset(p->field, 0, 3 * targets * sizeof *p->field);
        TRY(kernel_far(s, &io));
        pass_out(task, s, flow, pass);
    }
    return FARSUM_OK;
}

/* Near and far stages; sums are in the order of leaves. */
static farsum_status kernel_stages(const struct task *task, struct fmm *s)
{
    enum fmm_kernel kernel = s->input.kernel;
    size_t targets = (size_t)tree_targets(&s->tree)->n * sizeof(double);
    int moments = kernel == FMM_DIPOLES;
    const struct p2p_io pairs = {.tree = &s->tree,
                                 .q = s->q,
                                 .potential = moments ? s->potential : NULL,
                                 .field = s->field,
                                 .gradient = s->gradient};
    const struct boxes_io boxes = {.tree = &s->tree,
                                   .q = s->q,
                                   .multipole = s->multipole,
                                   .local = s->local,
                                   .stride = s->stride,
                                   .potential = s->potential,
                                   .field = s->field,
                                   .gradient = s->gradient};
    memset(s->potential, 0, targets);
    memset(s->field, 0, 3 * targets);
    if (s->gradient)
        memset(s->gradient, 0, 6 * targets);
    TRY(fmm_run_stage(s, FMM_P2P, FARSUM_OK, &pairs, NULL));
    TRY(moments ? kernel_far(s, &boxes) : kernel_flow(task, s, &flows[kernel]));
    return progress_step(FMM_STAGES, FMM_STAGES, "summing");
}

/* Charges with dipoles: energy, and W = sum F x, which equals (7.16a) if there
 * are no images. */
static void kernel_energies(const struct task *task, const struct fmm *s,
                            const struct host_sums *sums)
{
    const struct fmm_caller *c = &s->caller;
    const struct reference_kind *kind = reference_kind_find(task->pair.name);
    for (int64_t i = 0; i < s->source.n; i++) {
        const double *e = c->field + 3 * i;
        const double v[4] = {c->potential[i], e[0], e[1], e[2]};
        double x[3], f[3];
        if (sums->energy)
            *sums->energy += reference_energy(kind, c->q + 4 * i, v);
        if (!sums->virial)
            continue;
        kernel_place(s, &s->source, i, x);
        fmm_kernel_force(c->q + 4 * i, e, c->gradient + 6 * i, f);
        for (int a = 0; a < 9; a++)
            sums->virial[a] += f[a / 3] * x[a % 3];
    }
}

/* Sets the norms of the result, and the estimate. */
static void kernel_estimate(const struct task *task, const struct fmm *s,
                            const struct host_sums *sums)
{
    struct fmm_input f = s->input;
    const struct fmm_caller *c = &s->caller;
    const int flow = f.kernel >= FMM_STOKESLET, apart = s->target.n > 0;
    const int64_t m = tree_targets(&s->tree)->n;
    double force = 0, plain = 0, potential = 0, targets = (double)m;
    fmm_kernel_means(task, s->source.n, c->q, &f);
    f.gradient = sums->gradient && !apart;
    const double mean[4] = {sqrt(f.q2), sqrt(f.p2)};
    for (int64_t i = 0; i < m; i++) {
        const double *e = c->field + 3 * i;
        const double *g = f.gradient ? c->gradient + 6 * i : NULL;
        potential += c->potential[i] * c->potential[i];
        const double *q = apart ? mean : c->q + 4 * i;
        double one = flow ? dot(e, e) : fmm_kernel_square(&f, q, e, g);
        force += one;
        plain += g ? fmm_kernel_square(&f, q, e, NULL) : one;
    }
    double square = f.q2 + (f.reach > 0 ? f.p2 / (f.reach * f.reach) : 0);
    f.force = sqrt(force / targets);
    f.potential = sqrt(potential / targets);
    if (f.periodic)
        f.force = parameters_force_norm(
            task, f.force, square * (double)s->source.n, s->source.n);
    double norm =
        task->problem.error == FARSUM_ERROR_POTENTIAL ? f.potential : f.force;
    task->report->info.norm = task->problem.error == FARSUM_ERROR_ABSOLUTE
                                  ? 1
                                  : task->problem.coulomb * norm;
    task->report->size[0] = task->report->size[1] = 0;
    if (square > 0) {
        /* only from fields, whether or not gradients are there */
        double size = sqrt(plain / targets);
        if (f.periodic)
            size = parameters_force_norm(
                task, size, square * (double)s->source.n, s->source.n);
        task->report->size[0] = size / (flow ? sqrt(square) : square);
        task->report->size[1] = f.potential / sqrt(square);
    }
    task->report->info.estimated_error = fmm_estimate(task, s, &f);
}

farsum_status fmm_kernel_sum(const struct task *task, struct fmm *s,
                             const struct host_sums *sums)
{
    kernel_in(task, s);
    TRY(kernel_stages(task, s));
    fmm_kernel_out(task, s);
    if (s->input.kernel == FMM_DIPOLES)
        kernel_energies(task, s, sums);
    kernel_estimate(task, s, sums);
    return FARSUM_OK;
}
