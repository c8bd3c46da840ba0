/* SPDX-License-Identifier: Apache-2.0 */
/* slab_arrays.c: one rank's arrays of a cut transform on devices. */
#include "ranks_device/slab_arrays.h"

#include <stdlib.h>

#include "check.h"

struct gpu_slab_args slab_args_of(const struct gpu_case *t, struct comm *comm,
                                  struct device *device,
                                  struct transport *transport)
{
    const struct slab_case *s = &t->s;
    return (struct gpu_slab_args){
        .slab = {.comm = comm,
                 .begin0 = s->begin0,
                 .begin1 = s->begin1,
                 .order = s->order,
                 .columns = s->columns,
                 .mesh = {s->mesh[0], s->mesh[1], s->mesh[2]},
                 .ldz = s->ldz,
                 .precision = s->precision,
                 .threads = 1,
                 .batch = s->batch,
                 .choose = {.name = t->fft}},
        .device = device,
        .transport = transport,
        .halo = t->halo,
        .channels = t->channels};
}

void arrays_make(struct rank_arrays *a, const struct gpu_case *t, int rank,
                 int64_t lines)
{
    const struct slab_case *s = &t->s;
    *a = (struct rank_arrays){.t = t, .rank = rank, .lines = lines};
    a->plane = s->mesh[1] * s->ldz;
    a->planes = s->begin0[rank + 1] - s->begin0[rank];
    a->mesh_channel = (a->planes + 2 * t->halo) * a->plane + 2 * t->more;
    a->spectrum_channel = 2 * s->mesh[0] * (lines + t->more);
    /* a rank without planes has no mesh, one without lines no spectrum */
    a->mesh_reals = a->planes > 0 ? t->channels * a->mesh_channel : 0;
    a->spectrum_reals = lines > 0 ? t->channels * a->spectrum_channel : 0;
    a->mesh = check_memory((size_t)a->mesh_reals, sizeof *a->mesh);
    a->spectrum = check_memory((size_t)a->spectrum_reals, sizeof *a->spectrum);
}

void arrays_free(struct rank_arrays *a)
{
    buf_clear(&a->mesh_on);
    buf_clear(&a->spectrum_on);
    free(a->mesh);
    free(a->spectrum);
}

/* Copies n numbers to or from the device, in its precision. */
static void send(const struct gpu_case *t, struct device *device,
                 struct buf *to, const double *from, int64_t n)
{
    if (n == 0)
        return;
    float *narrow = check_memory((size_t)n, sizeof *narrow);
    for (int64_t i = 0; i < n; i++)
        narrow[i] = (float)from[i];
    int f32 = t->s.precision == FARSUM_F32;
    CHECK_OK(buf_reserve(to, device, n * (f32 ? 4 : 8)));
    CHECK_OK(buf_upload(to, 0, f32 ? (const void *)narrow : from,
                        n * (f32 ? 4 : 8)));
    free(narrow);
}

static void fetch(const struct gpu_case *t, const struct buf *from, double *to,
                  int64_t n)
{
    if (n == 0)
        return;
    int f32 = t->s.precision == FARSUM_F32;
    float *narrow = check_memory((size_t)n, sizeof *narrow);
    CHECK_OK(
        buf_download(from, 0, f32 ? (void *)narrow : to, n * (f32 ? 4 : 8)));
    for (int64_t i = 0; f32 && i < n; i++)
        to[i] = (double)narrow[i];
    free(narrow);
}

/* The index of z of a row (x, y) of the own planes. */
static int64_t mesh_at(const struct rank_arrays *a, int c, int64_t x, int64_t y)
{
    return c * a->mesh_channel + (a->t->halo + x) * a->plane + y * a->t->s.ldz;
}

void mesh_fill(struct rank_arrays *a, int values)
{
    const struct slab_case *s = &a->t->s;
    for (int64_t i = 0; i < a->mesh_reals; i++)
        a->mesh[i] = KEPT;
    for (int c = 0; a->planes > 0 && c < a->t->channels; c++)
        for (int64_t x = 0; x < a->planes; x++)
            for (int64_t y = 0; y < s->mesh[1]; y++)
                for (int64_t z = 0; z < s->ldz; z++) {
                    int64_t at =
                        ((s->begin0[a->rank] + x) * s->mesh[1] + y) * s->mesh[2]
                        + z;
                    a->mesh[mesh_at(a, c, x, y) + z] =
                        values && z < s->mesh[2] ? slab_value(c % CHANNELS, at)
                                                 : NAN;
                }
}

/* The largest of `most` and the difference; NaN stays. */
static double worse(double most, double found, double wanted)
{
    double d = fabs(found - wanted);
    return !(d <= most) ? d : most;
}

static double spectrum_error(const struct rank_arrays *a)
{
    const struct slab_case *s = &a->t->s;
    double worst = 0;
    for (int c = 0; a->lines > 0 && c < a->t->channels; c++) {
        const double *got = a->spectrum + c * a->spectrum_channel;
        for (int64_t i = s->begin1[a->rank]; i < s->begin1[a->rank + 1]; i++) {
            int64_t k1 = order_of(s, i);
            for (int64_t k2 = 0; k2 < kept_of(s, k1); k2++)
                for (int64_t x = 0; x < s->mesh[0]; x++, got += 2)
                    for (int j = 0; j < 2; j++) {
                        int64_t row =
                            (c % CHANNELS * s->mesh[1] + k1) * s->mesh[0] + x;
                        worst = worse(worst, got[j],
                                      s->spectrum[2 * row * half_of(s->mesh)
                                                  + 2 * k2 + j]);
                    }
        }
        for (; got < a->spectrum + (c + 1) * a->spectrum_channel; got++)
            worst = worse(worst, *got, KEPT);
    }
    return worst;
}

/* The difference of the meshes; infinite if padding is not finite. */
static double mesh_error(const struct rank_arrays *a)
{
    const struct slab_case *s = &a->t->s;
    int64_t one = s->mesh[0] * s->mesh[1] * s->mesh[2];
    double worst = 0;
    for (int c = 0; a->planes > 0 && c < a->t->channels; c++)
        for (int64_t x = 0; x < a->planes; x++)
            for (int64_t y = 0; y < s->mesh[1]; y++)
                for (int64_t z = 0; z < s->ldz; z++) {
                    double got = a->mesh[mesh_at(a, c, x, y) + z];
                    int64_t at =
                        ((s->begin0[a->rank] + x) * s->mesh[1] + y) * s->mesh[2]
                        + z;
                    worst = z < s->mesh[2] ? worse(
                                worst, got, s->back[c % CHANNELS * one + at])
                            : isfinite(got) ? worst
                                            : HUGE_VAL;
                }
    return worst;
}

/* Numbers outside the own planes that changed. */
static int64_t halo_changes(const struct rank_arrays *a)
{
    int64_t bad = 0, first = a->t->halo * a->plane;
    for (int64_t i = 0; i < a->mesh_reals; i++) {
        int64_t at = i % a->mesh_channel;
        if (at < first || at >= first + a->planes * a->plane)
            bad += a->mesh[i] != KEPT;
    }
    return bad;
}

static double largest(const double *v, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, fabs(v[i]));
    return most;
}

static void compare(const struct rank_arrays *a, const char *what, double error,
                    double scale, double bound)
{
    const struct gpu_case *t = a->t;
    const struct slab_case *s = &t->s;
    CHECK(error <= bound * scale,
          "%s, %s %s %lldx%lldx%lld ldz %lld, %lld planes%s, halo %d, %d "
          "channels, %d ranks; "
          "rank %d has %lld planes, %lld lines: %.3g",
          what, t->fft ? t->fft : "auto",
          s->precision == FARSUM_F32 ? "f32" : "f64", (long long)s->mesh[0],
          (long long)s->mesh[1], (long long)s->mesh[2], (long long)s->ldz,
          (long long)planes_of(s), s->columns ? ", pruned" : "", t->halo,
          t->channels, s->size, a->rank, (long long)a->planes,
          (long long)a->lines, error / scale);
}

void spectrum_fill(struct rank_arrays *a)
{
    int64_t used = 2 * a->t->s.mesh[0] * a->lines;
    for (int64_t i = 0; i < a->spectrum_reals; i++)
        a->spectrum[i] = i % a->spectrum_channel < used ? NAN : KEPT;
}

void mesh_send(struct rank_arrays *a, struct device *device)
{
    send(a->t, device, &a->mesh_on, a->mesh, a->mesh_reals);
}

void spectrum_send(struct rank_arrays *a, struct device *device)
{
    send(a->t, device, &a->spectrum_on, a->spectrum, a->spectrum_reals);
}

static double bound_of(const struct rank_arrays *a)
{
    return a->t->s.precision == FARSUM_F32 ? 1e-6 : 1e-15;
}

void spectrum_check(struct rank_arrays *a)
{
    const struct slab_case *s = &a->t->s;
    fetch(a->t, &a->spectrum_on, a->spectrum, a->spectrum_reals);
    compare(a, "spectrum", spectrum_error(a),
            largest(s->spectrum, spectrum_reals(s)), bound_of(a));
}

void halo_check(struct rank_arrays *a)
{
    fetch(a->t, &a->mesh_on, a->mesh, a->mesh_reals);
    CHECK(halo_changes(a) == 0, "the halo changes");
}

void mesh_check(struct rank_arrays *a)
{
    const struct slab_case *s = &a->t->s;
    halo_check(a);
    /* back is two transforms */
    compare(a, "back", mesh_error(a), largest(s->back, mesh_reals(s)),
            2 * bound_of(a));
}
