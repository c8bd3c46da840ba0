/* SPDX-License-Identifier: Apache-2.0 */
/* each.c: the virial of each particle.  The near pairs come from variant
 * `plain` of near; the modes from six backward transforms, one for each
 * component of (5.8). */
#include "method/spectral/each/each.h"

#include <math.h>
#include <string.h>

#include "base/arrays.h"
#include "base/mem.h"
#include "base/par.h"
#include "stage/scale/modes.h"

enum { COMPONENTS = 6 }; /* xx xy xz yy yz zz */
static const int axis[COMPONENTS][2] = {{0, 0}, {0, 1}, {0, 2},
                                        {1, 1}, {1, 2}, {2, 2}};
enum { STEPS = 2 * COMPONENTS }; /* of a progress report: fft and interp */

struct spectral_each {
    void *near; /* owned: state of near_plain */
    struct modes modes;
    void *spectrum;    /* owned, as a channel of s->mesh */
    double (*mode)[2]; /* owned, [mesh0][mesh1][mesh2/2 + 1]: hat/(V D^2) and
                          its bend */
    int64_t have;
    void *value, *slope; /* owned, [n], [n][3], the plan's precision */
    double *virial;      /* owned, [n][9], units of the cutoff */
};

farsum_status spectral_each_fits(const struct task *task)
{
    if (!(task->problem.outputs & FARSUM_PARTICLE_VIRIAL))
        return FARSUM_OK;
    if (task->device || task->links.ranks > 0)
        FAIL(ERR_UNSUPPORTED, "sums the virial of each particle on one host "
                              "only, not on devices or over ranks");
    if (task->given.part != FARSUM_WHOLE)
        FAIL(ERR_UNSUPPORTED,
             "sums the virial of each particle only of the whole, not of a "
             "part");
    if (task_axes(task) != 3)
        FAIL(ERR_UNSUPPORTED, "sums the virial of each particle only with "
                              "three periodic axes; ewald and direct sum it "
                              "with others");
    return FARSUM_OK;
}

static int64_t each_points(const int64_t mesh[3])
{
    return mesh[0] * mesh[1] * (mesh[2] / 2 + 1);
}

farsum_status spectral_each_create(const struct task *task, struct spectral *s)
{
    farsum_status status = FARSUM_OK;
    union stage_args args[STAGE_COUNT];
    struct parameters *t = &s->parameters;
    struct spectral_each *each = NULL;
    if (!(task->problem.outputs & FARSUM_PARTICLE_VIRIAL))
        return FARSUM_OK;
    GO(MEM_NEW(each, 1));
    parameters_args(t, task, args);
    struct near_args near = args[STAGE_NEAR].near;
    near.precision = task->problem.precision;
    near.wide = 0;
    near.distinct = 0; /* the stage itself has checked */
    near.lists = NULL;
    GO(near_plain.create(&near, &each->near));
    GO(modes_create(&each->modes, &args[STAGE_SCALE].scale));
    GO(mem_alloc(&each->spectrum, parameters_channel(t, NULL),
                 (size_t)array_size(task->problem.precision), 0));
    GO(MEM_RAW(each->mode, each_points(t->mesh)));
    s->each = each;
    each = NULL;
    spectral_each_cell(s);
done:
    spectral_each_destroy(each);
    return status;
}

void spectral_each_destroy(struct spectral_each *each)
{
    if (!each)
        return;
    if (each->near)
        near_plain.destroy(each->near);
    modes_clear(&each->modes);
    mem_free(each->spectrum);
    mem_free(each->mode);
    mem_free(each->value);
    mem_free(each->slope);
    mem_free(each->virial);
    mem_free(each);
}

/* The wave vector of a mode and its place in the table. */
static double each_wave(const struct modes *m, int64_t i0, int64_t i1,
                        int64_t i2, double k[3], int64_t *at)
{
    *at = (i0 * m->mesh[1] + i1) * (m->mesh[2] / 2 + 1) + i2;
    return modes_wave(m, modes_signed(i0, m->mesh[0]),
                      modes_signed(i1, m->mesh[1]), i2, k);
}

void spectral_each_cell(struct spectral *s)
{
    struct spectral_each *each = s->each;
    if (!each)
        return;
    struct modes *m = &each->modes;
    modes_set_cell(m, &s->parameters.cell);
    for (int64_t i0 = 0; i0 < m->mesh[0]; i0++)
        for (int64_t i1 = 0; i1 < m->mesh[1]; i1++)
            for (int64_t i2 = 0; i2 <= m->mesh[2] / 2; i2++) {
                double k[3];
                int64_t at;
                double k2 = each_wave(m, i0, i1, i2, k, &at);
                double *of = each->mode[at];
                of[0] = modes_influence(
                    m, k2, m->decon[0][i0] * m->decon[1][i1] * m->decon[2][i2],
                    &of[1]);
            }
}

farsum_status spectral_each_set(const struct task *task, struct spectral *s)
{
    struct spectral_each *each = s->each;
    size_t real = (size_t)array_size(task->problem.precision);
    if (!each)
        return FARSUM_OK;
    TRY(near_plain.set(each->near, &s->source, NULL));
    int64_t n = s->source.n;
    if (each->have >= n)
        return FARSUM_OK;
    each->have = 0;
    mem_free(each->value);
    mem_free(each->slope);
    mem_free(each->virial);
    each->value = each->slope = NULL;
    each->virial = NULL;
    TRY(mem_alloc(&each->value, n, real, 0));
    TRY(mem_alloc(&each->slope, 3 * n, real, 0));
    TRY(MEM_RAW(each->virial, 9 * n));
    each->have = n;
    return FARSUM_OK;
}

farsum_status spectral_each_near(struct spectral *s)
{
    const struct near_io io = {.q = s->q, .each = s->each->virial};
    memset(s->each->virial, 0, 9 * (size_t)s->n * sizeof(double));
    return near_plain.run(s->each->near, &io);
}

void spectral_each_keep(const struct task *task, struct spectral *s)
{
    size_t real = (size_t)array_size(task->problem.precision);
    memcpy(s->each->spectrum, s->mesh,
           (size_t)parameters_channel(&s->parameters, NULL) * real);
}

/* Sets the mesh to component c of the charges' spectrum, (5.8). */
static void each_component(const struct task *task, struct spectral *s, int c)
{
    const struct spectral_each *each = s->each;
    const struct modes *m = &each->modes;
    farsum_precision type = task->problem.precision;
    int64_t row = s->parameters.ldz, half = m->mesh[2] / 2;
    int a = axis[c][0], b = axis[c][1];
    PAR_FOR(task->threads, schedule(static))
    for (int64_t i0 = 0; i0 < m->mesh[0]; i0++)
        for (int64_t i1 = 0; i1 < m->mesh[1]; i1++)
            for (int64_t i2 = 0; i2 <= half; i2++) {
                double k[3];
                int64_t at, to = (i0 * m->mesh[1] + i1) * row + 2 * i2;
                (void)each_wave(m, i0, i1, i2, k, &at);
                const double *of = each->mode[at];
                double w = (a == b ? of[0] : 0) + of[1] * k[a] * k[b];
                for (int z = 0; z < 2; z++)
                    array_put(s->mesh, type, to + z,
                              w * array_get(each->spectrum, type, to + z));
            }
}

/* Adds component c to all shares: (q w + p.grad w)/2. */
static void each_add(const struct task *task, const struct spectral *s, int c)
{
    struct spectral_each *each = s->each;
    farsum_precision type = task->problem.precision;
    int width = task->pair.strengths, moments = task->pair.kind->moments;
    int a = axis[c][0], b = axis[c][1];
    PAR_FOR(task->threads, schedule(static))
    for (int64_t i = 0; i < s->n; i++) {
        double w =
            array_get(s->q, type, i * width) * array_get(each->value, type, i);
        for (int d = 0; moments && d < 3; d++) /* the slope is -grad w */
            w -= array_get(s->q, type, i * width + 1 + d)
                 * array_get(each->slope, type, 3 * i + d);
        each->virial[9 * i + 3 * a + b] += 0.5 * w;
        if (a != b)
            each->virial[9 * i + 3 * b + a] += 0.5 * w;
    }
}

farsum_status spectral_each_far(const struct task *task, struct spectral *s)
{
    struct spectral_each *each = s->each;
    size_t real = (size_t)array_size(task->problem.precision);
    int moments = task->pair.kind->moments;
    const struct fft_io home = {s->mesh, 1};
    const struct interp_io interp = {
        .mesh = s->mesh,
        .potential = each->value,
        .field = moments ? each->slope : NULL,
        .mesh_channel = parameters_channel(&s->parameters, NULL)};
    s->all += STEPS;
    for (int c = 0; c < COMPONENTS; c++) {
        each_component(task, s, c);
        TRY(spectral_stage(s, STAGE_FFT, &home));
        memset(each->value, 0, (size_t)s->n * real);
        if (moments)
            memset(each->slope, 0, 3 * (size_t)s->n * real);
        TRY(spectral_stage(s, STAGE_INTERP, &interp));
        each_add(task, s, c);
    }
    return FARSUM_OK;
}

void spectral_each_less(struct spectral_each *each, int64_t i,
                        const double virial[9])
{
    for (int a = 0; a < 9; a++)
        each->virial[9 * i + a] -= virial[a];
}

/* The terms of the whole cell at particle i, task's units and C = 1: those of
 * background and surface, (5.9), and -E_a p_b of (7.16a). */
static void each_terms(const struct task *task, const struct spectral *s,
                       const struct spectral_terms *terms, int64_t i,
                       double v[9])
{
    farsum_precision type = task->problem.precision;
    const double *m = terms->dipole;
    int width = task->pair.strengths, moments = task->pair.kind->moments;
    double q = array_get(s->q, type, i * width), rc = s->parameters.rc;
    double x[3] = {0}, along = 0; /* q x + p */
    for (int a = 0; a < 3; a++) {
        if (terms->surface > 0)
            x[a] = q * s->x[3 * i + a];
        if (moments)
            x[a] += rc * array_get(s->q, type, i * width + 1 + a);
        along += m[a] * x[a];
    }
    double unit = 1 / pow(rc, task->pair.kind->power);
    double even =
        0.5 * q * unit * terms->background + 0.5 * terms->surface * along;
    for (int a = 0; a < 9; a++)
        v[a] += (a % 4 == 0 ? even : 0)
                - 0.5 * terms->surface
                      * (m[a / 3] * x[a % 3] + x[a / 3] * m[a % 3]);
    for (int a = 0; moments && a < 9; a++) {
        double e = array_get(s->field, type, 3 * i + a / 3) / (rc * rc)
                   - terms->surface * m[a / 3];
        v[a] -= e * rc * array_get(s->q, type, i * width + 1 + a % 3);
    }
}

farsum_status spectral_each_out(const struct task *task,
                                const struct spectral *s,
                                const struct spectral_terms *terms, int r,
                                const farsum_result *result, int out)
{
    int exponent = task_exponent_energy(task);
    const struct scale scale = scale_of(exponent);
    farsum_precision to = task->problem.arrays;
    double c = task_constant(task), most = 0;
    double unit = 1 / pow(s->parameters.rc, task->pair.kind->power);
    if (!result->particle_virial)
        return FARSUM_OK;
    PAR_FOR(task->threads, reduction(max : most))
    for (int64_t i = 0; i < s->n; i++) {
        double v[9];
        for (int a = 0; a < 9; a++)
            v[a] = unit * s->each->virial[9 * i + a];
        each_terms(task, s, terms, i, v);
        for (int a = 0; a < 9; a++) {
            double w = c * v[a];
            if (out)
                array_put(result->particle_virial, to, 9 * (r * s->n + i) + a,
                          scale_by(scale, w));
            else
                most = fabs(w) <= most ? most
                       : isfinite(w)   ? fabs(w)
                                       : INFINITY;
        }
    }
    return out ? FARSUM_OK
               : units_range(task, most, exponent, to, "particle_virial");
}
