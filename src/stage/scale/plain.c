/* SPDX-License-Identifier: Apache-2.0 */
/* plain: reference variant.  One thread computes the influence function for
 * each mode from the split itself.  Never the fastest. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "stage/device.h"
#include "stage/scale/modes.h"

#define FN static inline
#define FAR_REAL double
#include "math/pair_far.kh"

/* A kernel's function in math/pair_far.kh. */
static const struct plain_kernel {
    const char *name;
    void (*mode)(const double *k, double g, double *z);
} kernels[] = {
#define SCALAR(name, polys, note) {#name, far_##name},
#define FLOW(name, strengths, channels, polys, note) {#name, far_##name},
#define MOMENTS(name, strengths, polys, note) {#name, far_laplace},
#include "math/pair.def"
#undef SCALAR
#undef FLOW
};

struct state {
    struct scale_args args;
    struct modes modes;
    const struct pair *pair;
    const struct plain_kernel *kernel;
};

static farsum_status plain_fits(const void *args)
{
    const struct scale_args *a = args;
    if (a->radius > 0)
        FAIL(ERR_UNSUPPORTED, "has no table, as open axes need");
    return gpu_not_wanted(a->device);
}

static double plain_cost(const void *args)
{
    const struct scale_args *a = args;
    return 2e-6 * (double)scale_lines(a) * (double)scale_line(a);
}

static int64_t plain_bytes(const void *args)
{
    const struct scale_args *a = args;
    return 8 * (a->mesh[0] + a->mesh[1] + a->mesh[2]);
}

static void plain_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    modes_clear(&s->modes);
    mem_free(s);
}

static farsum_status plain_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *(const struct scale_args *)args;
    s->pair = scale_kernel(args);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        if (strcmp(kernels[k].name, s->pair->name) == 0)
            s->kernel = &kernels[k];
    if (!s->kernel)
        GO(status_fail(FARSUM_ERR_INTERNAL,
                       "scale plain: does not support "
                       "kernel %s",
                       s->pair->name));
    GO(modes_create(&s->modes, &s->args));
    *state = s;
    s = NULL;
done:
    plain_destroy(s);
    return status;
}

static farsum_status plain_set(void *state, const struct points *sources,
                               const struct points *targets)
{
    struct state *s = state;
    (void)sources, (void)targets;
    modes_set_cell(&s->modes, s->args.cell);
    return FARSUM_OK;
}

/* (5.1) for one mode, directly from the split. */
static double plain_influence(const struct state *s, double k2, double decon)
{
    const struct split *split = s->args.split;
    double kappa = sqrt(k2);
    if (!(k2 > 0) || kappa > split->c)
        return 0;
    return pair_hat(s->pair, split, kappa) / s->modes.volume * decon;
}

/* z: first the channels' numbers, then the values'. */
static void plain_mode(const struct state *s, const struct scale_io *io,
                       int64_t i0, int64_t i1, int64_t i2, double *z)
{
    const struct modes *m = &s->modes;
    const int64_t *mesh = m->mesh;
    double k[3], decon = m->decon[0][i0] * m->decon[1][i1] * m->decon[2][i2];
    double k2 = modes_wave(m, modes_signed(i0, mesh[0]),
                           modes_signed(i1, mesh[1]), i2, k);
    double g = plain_influence(s, k2, decon);
    double power = z[0] * z[0] + z[1] * z[1];
    double w = g != 0 ? 0.5 * modes_weight(i2, mesh[2]) * power : 0;
    double *energy = io->energy, *virial = io->virial;
    if (energy)
        *energy += w * g;
    if (virial && w != 0) {
        double kappa = sqrt(k2);
        double bend = pair_slope(s->pair, s->args.split, kappa)
                      / (kappa * m->volume) * decon;
        for (int a = 0; a < 9; a++)
            virial[a] += w * ((a % 4 == 0 ? g : 0) + bend * k[a / 3]
                                                         * k[a % 3]);
    }
    s->kernel->mode(k, g, z);
}

/* One mode of the spectrum, at complex number `at` of each channel. */
static void plain_at(const struct state *s, const struct scale_io *io,
                     int64_t at, int64_t i0, int64_t i1, int64_t i2)
{
    int64_t channel = scale_channel(&s->args, io);
    int f32 = s->args.precision == FARSUM_F32;
    float *z32 = io->spectrum;
    double *z64 = io->spectrum;
    double z[2 * PAIR_CHANNELS];
    for (int c = 0; c < 2 * s->pair->channels; c++) {
        int64_t from = c / 2 * channel + 2 * at + c % 2;
        z[c] = f32 ? (double)z32[from] : z64[from];
    }
    plain_mode(s, io, i0, i1, i2, z);
    for (int c = 0; c < 2 * s->pair->values; c++) {
        int64_t to = c / 2 * channel + 2 * at + c % 2;
        if (f32)
            z32[to] = (float)z[c];
        else
            z64[to] = z[c];
    }
}

static void plain_lines(const struct state *s, const struct scale_io *io)
{
    const int64_t *mesh = s->args.mesh, *columns = s->args.columns;
    int64_t begin = s->args.first, end = begin + scale_rows(&s->args), at = 0;
    for (int64_t i1 = begin; i1 < end; i1++)
        for (int64_t i2 = 0; i2 < columns[i1]; i2++)
            for (int64_t i0 = 0; i0 < mesh[0]; i0++)
                plain_at(s, io, at++, i0, i1, i2);
}

static farsum_status plain_run(void *state, const void *io)
{
    struct state *s = state;
    const int64_t *mesh = s->args.mesh;
    int64_t n2 = scale_line(&s->args), row = s->args.ldz / 2;
    int64_t first2 = s->args.first2;
    int64_t begin = s->args.first, end = begin + scale_rows(&s->args), at = 0;
    if (s->args.columns) {
        plain_lines(s, io);
        return FARSUM_OK;
    }
    for (int64_t i0 = begin; i0 < end; i0++)
        for (int64_t i1 = 0; i1 < mesh[1]; i1++, at += row)
            for (int64_t k = 0; k < n2; k++)
                plain_at(s, io, at + k, i0, i1, first2 + k);
    return FARSUM_OK;
}

const struct variant scale_plain = {
    .fits = plain_fits,
    .cost = plain_cost,
    .bytes = plain_bytes,
    .create = plain_create,
    .set = plain_set,
    .run = plain_run,
    .destroy = plain_destroy,
    .deterministic = 1,
    .needs = "",
};
