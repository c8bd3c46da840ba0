/* plain: one thread, the influence function computed anew for each mode from
 * the split itself.  The oracle; wins never. */
#include <math.h>

#include "base/mem.h"
#include "stage/gpu.h"
#include "stage/scale/modes.h"

struct state {
    struct scale_args args;
    struct modes modes;
};

static farsum_status plain_fits(const void *args)
{
    const struct scale_args *a = args;
    return gpu_not_wanted(a->device);
}

static double plain_cost(const void *args)
{
    const struct scale_args *a = args;
    return 1e-6 * (double)a->mesh[0] * (double)a->mesh[1] * (double)a->mesh[2];
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

/* (5.1) of one mode, straight from the split. */
static double plain_influence(const struct state *s, double k2, double decon)
{
    const struct split *split = s->args.split;
    double kappa = sqrt(k2);
    if (!(k2 > 0) || kappa > split->c)
        return 0;
    return 4 * M_PI * split_hat(split, kappa) / (k2 * s->modes.volume) * decon;
}

static void plain_mode(const struct state *s, const struct scale_io *io,
                       int64_t i0, int64_t i1, int64_t i2, double *re,
                       double *im)
{
    const struct modes *m = &s->modes;
    const int64_t *mesh = m->mesh;
    double k[3], decon = m->decon[0][i0] * m->decon[1][i1] * m->decon[2][i2];
    double k2 = modes_wave(m, modes_signed(i0, mesh[0]),
                           modes_signed(i1, mesh[1]), i2, k);
    double g = plain_influence(s, k2, decon);
    double power = *re * *re + *im * *im;
    double w = g != 0 ? 0.5 * modes_weight(i2, mesh[2]) * power : 0;
    double *energy = io->energy, *virial = io->virial;
    if (energy)
        *energy += w * g;
    if (virial && w != 0) {
        const struct split *split = s->args.split;
        double kappa = sqrt(k2);
        double ratio = kappa * split_dhat(split, kappa)
                       - 2 * split_hat(split, kappa);
        double bend = 4 * M_PI * ratio / (k2 * k2 * m->volume) * decon;
        for (int a = 0; a < 9; a++)
            virial[a] += w * ((a % 4 == 0 ? g : 0) + bend * k[a / 3]
                                                         * k[a % 3]);
    }
    *re *= g;
    *im *= g;
}

static farsum_status plain_run(void *state, const void *io)
{
    struct state *s = state;
    const struct scale_io *f = io;
    const int64_t *mesh = s->args.mesh;
    int64_t half = mesh[2] / 2 + 1, row = s->args.ldz / 2;
    for (int64_t at = 0; at < mesh[0] * mesh[1] * half; at++) {
        int64_t i2 = at % half, i1 = at / half % mesh[1];
        int64_t i0 = at / half / mesh[1], k = 2 * (at / half * row + i2);
        double re, im;
        if (s->args.precision == FARSUM_F32) {
            float *p = (float *)f->spectrum + k;
            re = (double)p[0], im = (double)p[1];
            plain_mode(s, f, i0, i1, i2, &re, &im);
            p[0] = (float)re, p[1] = (float)im;
        } else {
            double *p = (double *)f->spectrum + k;
            plain_mode(s, f, i0, i1, i2, p, p + 1);
        }
    }
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
