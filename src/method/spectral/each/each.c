/* SPDX-License-Identifier: Apache-2.0 */
/* each.c: the virial of each particle.  The near pairs come from variant
 * `plain` of near; the modes from six backward transforms, one for each
 * component of (5.8).  Over ranks each rank does so for its own points, pairs
 * with ghosts included, and for its part of the spectrum. */
#include "method/spectral/each/each.h"

#include <math.h>
#include <string.h>

#include "base/arrays.h"
#include "base/mem.h"
#include "base/par.h"
#include "method/spectral/ranks.h"
#include "stage/scale/modes.h"

static const int axis[EACH_COMPONENTS][2] = {{0, 0}, {0, 1}, {0, 2},
                                             {1, 1}, {1, 2}, {2, 2}};
enum { STEPS = 2 * EACH_COMPONENTS }; /* of a progress report: fft, interp */

struct spectral_each {
    /* owned: states of near_plain with own sources, and with ghosts */
    void *near, *near_ghosts;
    struct scale_args args; /* the part of the spectrum that this rank has */
    int64_t rows;           /* of it along axis 0; 0: none */
    struct modes modes;
    double inverse[9]; /* of the cell that `mode` is for */
    int64_t numbers;   /* reals of the spectrum */
    void *spectrum;    /* owned, [numbers]: of the charges */
    double (*mode)[2]; /* owned, [rows][mesh1][modes]: hat/(V D^2) and its
                               bend */
    int64_t have;
    void *value, *slope; /* owned, [n], [n][3], the plan's precision */
    double *virial;      /* owned, [n][9], units of the cutoff */
};

farsum_status spectral_each_fits(const struct task *task)
{
    if (!(task->problem.outputs & FARSUM_PARTICLE_VIRIAL))
        return FARSUM_OK;
    if (task->device && task->links.ranks > 0)
        FAIL(ERR_UNSUPPORTED, "sums the virial of each particle over ranks of "
                              "hosts only, not of devices");
    if (task_axes(task) != 3)
        FAIL(ERR_UNSUPPORTED, "sums the virial of each particle only with "
                              "three periodic axes; ewald and direct sum it "
                              "with others");
    return FARSUM_OK;
}

static farsum_status each_near_create(const struct task *task,
                                      struct spectral_each *each,
                                      const struct near_args *own)
{
    struct near_args near = *own;
    near.wide = 0;
    near.distinct = 0; /* the stage itself has checked */
    near.lists = NULL;
    if (task->part == FARSUM_FAR)
        return FARSUM_OK;
    TRY(near_plain.create(&near, &each->near));
    if (near.n_targets == 0)
        near.n_targets = near.n_sources;
    return task->comm ? near_plain.create(&near, &each->near_ghosts)
                      : FARSUM_OK;
}

farsum_status spectral_each_create(const struct task *task, struct spectral *s,
                                   const union stage_args args[STAGE_COUNT],
                                   int64_t rows, int64_t numbers)
{
    farsum_status status = FARSUM_OK;
    struct spectral_each *each = NULL;
    if (!(task->problem.outputs & FARSUM_PARTICLE_VIRIAL))
        return FARSUM_OK;
    GO(MEM_NEW(each, 1));
    each->args = args[STAGE_SCALE].scale;
    each->rows = rows;
    each->numbers = numbers;
    GO(each_near_create(task, each, &args[STAGE_NEAR].near));
    GO(modes_create(&each->modes, &each->args));
    GO(mem_alloc(&each->spectrum, numbers,
                 (size_t)array_size(task->problem.precision), 0));
    GO(MEM_RAW(each->mode,
               rows * each->args.mesh[1] * scale_line(&each->args)));
    s->each = each;
    each = NULL;
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
    if (each->near_ghosts)
        near_plain.destroy(each->near_ghosts);
    modes_clear(&each->modes);
    mem_free(each->spectrum);
    mem_free(each->mode);
    mem_free(each->value);
    mem_free(each->slope);
    mem_free(each->virial);
    mem_free(each);
}

/* The wave vector of mode `at` along axis 2 of a line; returns its square.
 * *decon: 1/D^2. */
static double each_wave(const struct spectral_each *each, int64_t line,
                        int64_t at, double k[3], double *decon)
{
    const struct modes *m = &each->modes;
    int64_t i0 = each->args.first + line / m->mesh[1], i1 = line % m->mesh[1];
    int64_t i2 = each->args.first2 + at;
    *decon = m->decon[0][i0] * m->decon[1][i1] * m->decon[2][i2];
    return modes_wave(m, modes_signed(i0, m->mesh[0]),
                      modes_signed(i1, m->mesh[1]), i2, k);
}

/* Takes the cell that the stages have. */
static void each_cell(const struct task *task, struct spectral_each *each)
{
    const struct cell *cell = each->args.cell;
    int64_t lines = each->rows * each->args.mesh[1];
    int64_t modes = scale_line(&each->args);
    if (memcmp(each->inverse, cell->inv, sizeof each->inverse) == 0)
        return;
    memcpy(each->inverse, cell->inv, sizeof each->inverse);
    modes_set_cell(&each->modes, cell);
    PAR_FOR(task->threads, schedule(static))
    for (int64_t line = 0; line < lines; line++)
        for (int64_t k = 0; k < modes; k++) {
            double wave[3], decon, *of = each->mode[line * modes + k];
            double k2 = each_wave(each, line, k, wave, &decon);
            of[0] = modes_influence(&each->modes, k2, decon, &of[1]);
        }
}

/* Takes the points of the near pairs. */
static farsum_status each_near_set(const struct task *task, struct spectral *s)
{
    struct spectral_each *each = s->each;
    if (task->part == FARSUM_FAR || s->n == 0)
        return FARSUM_OK;
    TRY(near_plain.set(each->near, &s->source, NULL));
    return s->ranks && s->ranks->ghosts.n > 0
               ? near_plain.set(each->near_ghosts, &s->ranks->ghost, &s->source)
               : FARSUM_OK;
}

farsum_status spectral_each_set(const struct task *task, struct spectral *s)
{
    struct spectral_each *each = s->each;
    size_t real = (size_t)array_size(task->problem.precision);
    if (!each)
        return FARSUM_OK;
    each_cell(task, each);
    TRY(each_near_set(task, s));
    int64_t n = s->n;
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

farsum_status spectral_each_near(const struct task *task, struct spectral *s,
                                 const void *q, const void *ghost_q)
{
    struct spectral_each *each = s->each;
    const struct near_io io = {.q = q, .each = each->virial};
    const struct near_io ghosts = {
        .q = ghost_q, .q_targets = q, .each = each->virial};
    if (s->n == 0)
        return FARSUM_OK;
    memset(each->virial, 0, 9 * (size_t)s->n * sizeof(double));
    if (task->part == FARSUM_FAR)
        return FARSUM_OK;
    TRY(near_plain.run(each->near, &io));
    return s->ranks && s->ranks->ghosts.n > 0
               ? near_plain.run(each->near_ghosts, &ghosts)
               : FARSUM_OK;
}

void spectral_each_keep(const struct task *task, struct spectral *s,
                        const void *spectrum)
{
    memcpy(s->each->spectrum, spectrum,
           (size_t)(s->each->numbers * array_size(task->problem.precision)));
}

void spectral_each_component(const struct task *task, const struct spectral *s,
                             int c, void *spectrum)
{
    const struct spectral_each *each = s->each;
    farsum_precision type = task->problem.precision;
    int64_t lines = each->rows * each->args.mesh[1];
    int64_t modes = scale_line(&each->args), row = each->args.ldz;
    int a = axis[c][0], b = axis[c][1];
    PAR_FOR(task->threads, schedule(static))
    for (int64_t line = 0; line < lines; line++)
        for (int64_t i = 0; i < modes; i++) {
            double k[3], decon;
            int64_t to = line * row + 2 * i;
            (void)each_wave(each, line, i, k, &decon);
            const double *of = each->mode[line * modes + i];
            double w = (a == b ? of[0] : 0) + of[1] * k[a] * k[b];
            for (int z = 0; z < 2; z++)
                array_put(spectrum, type, to + z,
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

farsum_status spectral_each_interp(const struct task *task, struct spectral *s,
                                   int c, int64_t channel)
{
    struct spectral_each *each = s->each;
    size_t real = (size_t)array_size(task->problem.precision);
    int moments = task->pair.kind->moments;
    const struct interp_io interp = {.mesh = s->mesh,
                                     .potential = each->value,
                                     .field = moments ? each->slope : NULL,
                                     .mesh_channel = channel};
    if (s->n == 0)
        return FARSUM_OK;
    memset(each->value, 0, (size_t)s->n * real);
    if (moments)
        memset(each->slope, 0, 3 * (size_t)s->n * real);
    TRY(spectral_stage(s, STAGE_INTERP, &interp));
    each_add(task, s, c);
    return FARSUM_OK;
}

farsum_status spectral_each_far(const struct task *task, struct spectral *s)
{
    const struct fft_io home = {s->mesh, 1};
    int64_t channel = parameters_channel(&s->parameters, NULL);
    s->all += STEPS;
    for (int c = 0; c < EACH_COMPONENTS; c++) {
        spectral_each_component(task, s, c, s->mesh);
        TRY(spectral_stage(s, STAGE_FFT, &home));
        TRY(spectral_each_interp(task, s, c, channel));
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
