/* SPDX-License-Identifier: Apache-2.0 */
/* variants_waves.c: cases of fft and scale. */
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "check.h"
#include "stage/fft/fft.h"
#include "stage/scale/scale.h"
#include "variants.h"

static const int64_t meshes[][3] = {
    {8, 8, 8},   {2, 2, 2},    {4, 6, 10},   {16, 18, 20}, {32, 30, 42},
    {7, 5, 9},   {11, 13, 17}, {3, 2, 1},    {1, 1, 6},    {50, 2, 64},
    {6, 48, 12}, {24, 24, 24},
};
enum { MESHES = sizeof meshes / sizeof *meshes };
/* 16x18x20, 11x13x17, 3x2x1, 1x1x6 and 24x24x24, forward and backward, real and
 * complex */
#define FFT_SOME (3ull << 6 | 15ull << 12 | 3ull << 16 | 3ull << 22)
#define FFT_ON_DEVICE                                                          \
    (FFT_SOME | FFT_SOME << 2 * MESHES | 0xffffull << 4 * MESHES)

/* Cases past 4 MESHES: several meshes in one call, with gaps between; the last
 * are planes and lines.  In f32 not all of them are aligned to 16 bytes. */
static const struct {
    int64_t mesh[3];
    int batch[2], apart, is_complex;
} batches[] = {
    {{16, 18, 20}, {3, 3}, 64, 0}, {{7, 5, 9}, {6, 3}, 10, 0},
    {{4, 6, 10}, {2, 4}, 0, 0}, {{1, 9, 12}, {7, 7}, 0, 0},
    {{1, 1, 15}, {37, 37}, 0, 1}, {{1, 1, 24}, {64, 2}, 8, 1},
    /* more than 65535 lines; planes and real lines with gaps */
    {{1, 1, 6}, {70001, 70001}, 0, 1}, {{1, 8, 18}, {29, 13}, 4, 0},
    {{1, 1, 18}, {9, 5}, 2, 0},
};
enum { BATCHES = sizeof batches / sizeof *batches };

struct wave_work {
    void *data, *kept;
    const struct trial *trial;
    int64_t size, bytes; /* of data */
    double energy, virial[9];
    struct buf on_device, energy_on, virial_on;
};

static int64_t row_of(const int64_t mesh[3])
{
    return 2 * (mesh[2] / 2 + 1);
}

/* Copies `kept` into `data`. */
static void wave_again(void *data)
{
    struct wave_work *w = data;
    memcpy(w->data, w->kept, (size_t)w->bytes);
    w->energy = 0;
    memset(w->virial, 0, sizeof w->virial);
    trial_send(w->trial, &w->on_device, w->data, w->bytes);
    trial_send(w->trial, &w->energy_on, &w->energy, sizeof w->energy);
    trial_send(w->trial, &w->virial_on, w->virial, sizeof w->virial);
}

static struct wave_work *wave_memory(const struct trial *trial, int64_t size)
{
    struct wave_work *w = check_memory(1, sizeof *w);
    w->trial = trial;
    w->size = size;
    w->bytes = w->size * (trial->precision == FARSUM_F32 ? 4 : 8);
    w->data = trial_array(trial, w->size);
    w->kept = trial_array(trial, w->size);
    return w;
}

static struct wave_work *wave_make(const struct trial *trial,
                                   const int64_t mesh[3], int64_t ldz)
{
    return wave_memory(trial, mesh[0] * mesh[1] * ldz);
}

static void wave_free(struct wave_work *w)
{
    buf_clear(&w->on_device);
    buf_clear(&w->energy_on);
    buf_clear(&w->virial_on);
    free(w->data);
    free(w->kept);
    free(w);
}

/* A random real mesh, or its spectrum, determined by the seed, from number `to`
 * on. */
static farsum_status wave_fill_at(struct wave_work *w, int64_t to,
                                  const int64_t mesh[3], int spectrum,
                                  uint64_t seed)
{
    struct trial exact = {fft_stage.rows->variant, FARSUM_F64, ISA_BASE, 1, 1,
                          NULL};
    struct wave_work *d = wave_make(&exact, mesh, row_of(mesh));
    struct fft_args args = {FARSUM_F64, 1, {mesh[0], mesh[1], mesh[2]},
                            row_of(mesh), 0, NULL, 0, {0, 0}, 0};
    struct fft_io io = {d->data, 0};
    farsum_status status = FARSUM_OK;
    for (int64_t i = 0; i < d->size; i++)
        trial_put(&exact, d->kept, i, i % args.ldz < mesh[2]
                                          ? trial_random(&seed) - 0.5
                                          : 0);
    if (spectrum)
        GO(trial_run(&exact, &args, NULL, NULL, &io, wave_again, d));
    else
        wave_again(d);
    for (int64_t i = 0; i < d->size; i++)
        trial_put(w->trial, w->kept, to + i, trial_get(&exact, d->data, i));
done:
    wave_free(d);
    return status;
}

static farsum_status wave_fill(struct wave_work *w, const int64_t mesh[3],
                               int spectrum)
{
    return wave_fill_at(w, 0, mesh, spectrum, 9);
}

/* Cases past 2 MESHES are complex. */
static void fft_name(int k, char *text, size_t size)
{
    const int64_t *m = meshes[k / 2 % MESHES];
    if (k >= 4 * MESHES) {
        int b = (k - 4 * MESHES) / 2;
        m = batches[b].mesh;
        snprintf(text, size, "%lldx%lldx%lld %s, batch %d%s", (long long)m[0],
                 (long long)m[1], (long long)m[2],
                 k % 2 ? "backward" : "forward", batches[b].batch[k % 2],
                 batches[b].is_complex ? ", complex" : "");
        return;
    }
    snprintf(text, size, "%lldx%lldx%lld %s%s", (long long)m[0],
             (long long)m[1], (long long)m[2], k % 2 ? "backward" : "forward",
             k >= 2 * MESHES ? ", complex" : "");
}

static farsum_status fft_run_batch(int k, const struct trial *trial,
                                   struct outcome *outcome)
{
    int b = (k - 4 * MESHES) / 2, backward = k % 2;
    const int64_t *mesh = batches[b].mesh;
    int count = batches[b].batch[backward];
    farsum_status status = FARSUM_OK;
    int is_complex = batches[b].is_complex;
    int64_t ldz = is_complex ? 2 * mesh[2] : row_of(mesh);
    int64_t rows = mesh[0] * mesh[1], step = rows * ldz + batches[b].apart;
    int64_t used = backward && !is_complex ? mesh[2] : ldz;
    struct wave_work *w = wave_memory(trial, count * step);
    struct fft_args args = {.precision = trial->precision,
                            .threads = trial->threads,
                            .mesh = {mesh[0], mesh[1], mesh[2]},
                            .ldz = ldz,
                            .device = trial->device,
                            .is_complex = is_complex,
                            .batch = {batches[b].batch[0],
                                      batches[b].batch[1]},
                            .batch_step = step};
    struct fft_io io = {trial_io(trial, &w->on_device, w->data), backward};
    for (int64_t i = 0; i < w->size; i++)
        trial_put(trial, w->kept, i, 5);
    uint64_t seed = 5;
    for (int64_t i = 0; is_complex && i < w->size; i++)
        if (i % step < rows * ldz)
            trial_put(trial, w->kept, i, (float)(trial_random(&seed) - 0.5));
    for (int c = 0; !is_complex && c < count; c++)
        GO(wave_fill_at(w, c * step, mesh, backward, (uint64_t)(20 + c)));
    GO(trial_run(trial, &args, NULL, NULL, &io, wave_again, w));
    trial_fetch(trial, &w->on_device, w->data, w->bytes);
    double *v = outcome_part(outcome, backward ? "meshes" : "spectra",
                             count * rows * used, 0);
    for (int64_t i = 0; i < count * rows; i++)
        for (int64_t z = 0; z < used; z++)
            v[i * used + z] = trial_get(
                trial, w->data, i / rows * step + i % rows * ldz + z);
    for (int64_t i = 0; i < w->size; i++)
        if (i % step >= rows * ldz && trial_get(trial, w->data, i) != 5) {
            CHECK(0, "number %lld, between meshes, is %g", (long long)i,
                  trial_get(trial, w->data, i));
            break;
        }
done:
    wave_free(w);
    return status;
}

static farsum_status fft_run(int k, const struct trial *trial,
                             struct outcome *outcome)
{
    if (k >= 4 * MESHES)
        return fft_run_batch(k, trial, outcome);
    const int64_t *mesh = meshes[k / 2 % MESHES];
    int backward = k % 2, is_complex = k >= 2 * MESHES;
    farsum_status status = FARSUM_OK;
    /* rows of a complex mesh have one extra number */
    int64_t ldz = is_complex ? 2 * (mesh[2] + 1) : row_of(mesh);
    struct wave_work *w = wave_make(trial, mesh, ldz);
    struct fft_args args = {trial->precision, trial->threads,
                            {mesh[0], mesh[1], mesh[2]}, ldz, 0,
                            trial->device, is_complex, {0, 0}, 0};
    struct fft_io io = {trial_io(trial, &w->on_device, w->data), backward};
    uint64_t seed = 4;
    for (int64_t i = 0; is_complex && i < w->size; i++)
        trial_put(trial, w->kept, i, (float)(trial_random(&seed) - 0.5));
    if (!is_complex)
        GO(wave_fill(w, mesh, backward));
    GO(trial_run(trial, &args, NULL, NULL, &io, wave_again, w));
    trial_fetch(trial, &w->on_device, w->data, w->bytes);
    int64_t rows = mesh[0] * mesh[1];
    int64_t used = is_complex ? 2 * mesh[2] : backward ? mesh[2] : ldz;
    double *v = outcome_part(outcome, backward ? "mesh" : "spectrum",
                             rows * used, 0);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t z = 0; z < used; z++)
            v[i * used + z] = trial_get(trial, w->data, i * ldz + z);
done:
    wave_free(w);
    return status;
}

static double fft_bound(int k, farsum_precision precision)
{
    (void)k;
    return precision == FARSUM_F32 ? 1e-6 : 2e-15;
}

/* Scale: the bandwidth in cutoffs is the mesh's limit for a cell with this
 * volume. */
static const struct {
    const char *cell;
    double volume;
    int64_t mesh[3];
    const char *split, *window;
    double c;
    int support, keep, energy, virial;
} scales[] = {
    {"cubic", 64, {24, 24, 24}, "prolate", "prolate", 15, 7, 1, 1, 1},
    {"cubic", 64, {24, 24, 24}, "gaussian", "bspline", 15, 6, 1, 0, 0},
    {"triclinic", 30, {24, 30, 20}, "prolate", "kaiser_bessel", 20, 9, 1, 1, 1},
    {"1x1x10", 40, {10, 12, 60}, "prolate", "es", 12, 5, 1, 1, 0},
    {"cubic", 27, {16, 18, 14}, "prolate", "gaussian", 12, 12, 0, 1, 1},
    {"rhombic", 8, {7, 9, 11}, "prolate", "prolate", 14, 16, 1, 1, 1},
    {"cubic", 3, {2, 2, 2}, "prolate", "prolate", 9, 4, 1, 1, 1},
    {"tilted", 100, {18, 22, 26}, "gaussian", "prolate", 25, 8, 1, 0, 1},
    {"cubic", 100, {24, 24, 24}, "prolate", "prolate", 40, 8, 1, 1, 1},
    /* cases of scale_kernels: */
    {"triclinic", 30, {24, 30, 20}, "prolate", "prolate", 20, 9, 1, 1, 1},
    {"rhombic", 8, {7, 9, 11}, "gaussian", "prolate", 14, 9, 1, 1, 1},
    {"triclinic", 30, {24, 30, 20}, "prolate", "prolate", 20, 9, 1, 0, 0},
    {"1x1x10", 40, {10, 12, 60}, "gaussian", "es", 12, 5, 1, 0, 0},
    {"tilted", 100, {18, 22, 26}, "prolate", "prolate", 25, 8, 1, 0, 0},
    {"rhombic", 8, {7, 9, 11}, "prolate", "prolate", 14, 16, 1, 0, 0},
    {"triclinic", 30, {20, 18, 24}, "gaussian", "prolate", 20, 9, 1, 0, 0},
};
static const char *const scale_kernels[] = {
    "yukawa", "r6", "stokeslet", "stokeslet", "rotlet", "stresslet",
    "stresslet"};
enum {
    SCALES = sizeof scales / sizeof *scales,
    LAPLACES = SCALES - sizeof scale_kernels / sizeof *scale_kernels,
};

/* NULL: not set, which means laplace. */
static const char *scale_case_kernel(int k)
{
    return k < LAPLACES ? NULL : scale_kernels[k - LAPLACES];
}

static void scale_name(int k, char *text, size_t size)
{
    const char *kernel = scale_case_kernel(k);
    snprintf(text, size, "%s %s volume %g %s %s c=%g P=%d keep=%d",
             kernel ? kernel : pair_rows->name, scales[k].cell,
             scales[k].volume, scales[k].split, scales[k].window, scales[k].c,
             scales[k].support, scales[k].keep);
}

struct scale_parts {
    struct cell cell;
    struct split split;
    struct window window;
};

static farsum_status scale_make(int k, struct scale_parts *p)
{
    char error[200] = "";
    double rows[9];
    int periodic[3];
    if (case_cell(scales[k].cell, scales[k].volume, rows, periodic, error,
                  sizeof error) != 0)
        check_stop("scale case %d: %s", k, error);
    TRY(cell_set(&p->cell, rows, 1));
    TRY(split_set(&p->split, scales[k].split, scales[k].c));
    return window_set(&p->window, scales[k].window, scales[k].support, 0, 1.3,
                      1e-13);
}

/* The spectra of random meshes: rows first .. first + count of each channel. */
static farsum_status scale_fill(struct wave_work *w, const int64_t mesh[3],
                                int channels, int64_t first, int64_t count)
{
    farsum_status status = FARSUM_OK;
    int64_t plane = mesh[1] * row_of(mesh);
    struct wave_work *whole = wave_memory(w->trial, mesh[0] * plane);
    for (int c = 0; c < channels; c++) {
        GO(wave_fill_at(whole, 0, mesh, 1, (uint64_t)(9 + c)));
        for (int64_t i = 0; i < count * plane; i++)
            trial_put(w->trial, w->kept, c * count * plane + i,
                      trial_get(w->trial, whole->kept, first * plane + i));
    }
done:
    wave_free(whole);
    return status;
}

/* count 0: all rows of axis 0. */
static farsum_status scale_run_rows(int k, const struct trial *trial,
                                    int64_t first, int64_t count,
                                    struct outcome *outcome)
{
    const int64_t *mesh = scales[k].mesh;
    farsum_status status = FARSUM_OK;
    const char *kernel = scale_case_kernel(k);
    struct pair pair = kernel ? *pair_find(kernel) : *pair_rows;
    int64_t rows = count ? count : mesh[0], one = rows * mesh[1] * row_of(mesh);
    struct wave_work *w = wave_memory(trial, pair.channels * one);
    struct scale_parts *p = check_memory(1, sizeof *p);
    pair.kappa = pair.kind->screened ? 3 : 0;
    GO(scale_make(k, p));
    GO(scale_fill(w, mesh, pair.channels, first, rows));
    struct scale_args args = {
        .precision = trial->precision,
        .isa = trial->isa,
        .threads = trial->threads,
        .mesh = {mesh[0], mesh[1], mesh[2]},
        .ldz = row_of(mesh),
        .split = &p->split,
        .window = &p->window,
        .cell = &p->cell,
        .device = trial->device,
        .pair = kernel ? &pair : NULL,
        .first = first,
        .count = count,
    };
    void *energy = trial_io(trial, &w->energy_on, &w->energy);
    void *virial = trial_io(trial, &w->virial_on, w->virial);
    struct scale_io io = {.spectrum = trial_io(trial, &w->on_device, w->data),
                          .keep = scales[k].keep,
                          .energy = scales[k].energy ? energy : NULL,
                          .virial = scales[k].virial ? virial : NULL};
    GO(trial_run(trial, &args, NULL, NULL, &io, wave_again, w));
    trial_fetch(trial, &w->on_device, w->data, w->bytes);
    trial_fetch(trial, &w->energy_on, &w->energy, sizeof w->energy);
    trial_fetch(trial, &w->virial_on, w->virial, sizeof w->virial);
    if (scales[k].keep) {
        int64_t given = pair.values * one;
        double *v = outcome_part(outcome, "spectrum", given, 0);
        for (int64_t i = 0; i < given; i++)
            v[i] = trial_get(trial, w->data, i);
    }
    if (scales[k].energy)
        *outcome_part(outcome, "energy", 1, 0) = w->energy;
    if (scales[k].virial)
        memcpy(outcome_part(outcome, "virial", 9, 0), w->virial,
               sizeof w->virial);
done:
    free(p);
    wave_free(w);
    return status;
}

static farsum_status scale_run(int k, const struct trial *trial,
                               struct outcome *outcome)
{
    return scale_run_rows(k, trial, 0, 0, outcome);
}

/* Checks that the rows' spectra are those of the whole, bit by bit.  Adds the
 * energy and the virial. */
static void scale_compare(int k, const char *what, int64_t first, int64_t count,
                          const struct outcome *part,
                          const struct outcome *whole, double sums[2][9])
{
    const int64_t *mesh = scales[k].mesh;
    int64_t plane = mesh[1] * row_of(mesh);
    for (int p = 0; p < part->n; p++) {
        const struct part *a = &part->part[p], *b = &whole->part[p];
        int energy = strcmp(a->name, "energy") == 0;
        if (strcmp(a->name, "spectrum") != 0) {
            for (int i = 0; i < a->n; i++)
                sums[!energy][i] += a->v[i];
            continue;
        }
        for (int64_t v = 0; v < b->n / (mesh[0] * plane); v++)
            CHECK(memcmp(a->v + v * count * plane,
                         b->v + (v * mesh[0] + first) * plane,
                         (size_t)(count * plane) * sizeof *a->v) == 0,
                  "%s, case %d: rows %lld .. %lld of value %lld differ from "
                  "the whole's", what, k, (long long)first,
                  (long long)(first + count), (long long)v);
    }
}

/* The parts of a spectrum, cut along axis 0, sum to the whole. */
static void scale_rows_sum(int k, const struct trial *trial, const char *row)
{
    int64_t n = scales[k].mesh[0], cut[] = {0, 1, n / 2, n - 1, n};
    struct outcome whole = {0};
    double sums[2][9] = {{0}};
    CHECK_OK(scale_run_rows(k, trial, 0, 0, &whole));
    for (int c = 0; c < 4; c++) {
        struct outcome part = {0};
        int64_t count = cut[c + 1] - cut[c];
        if (count <= 0)
            continue;
        CHECK_OK(scale_run_rows(k, trial, cut[c], count, &part));
        scale_compare(k, row, cut[c], count, &part, &whole, sums);
        outcome_clear(&part);
    }
    for (int p = 0; p < whole.n; p++) {
        const struct part *b = &whole.part[p];
        int energy = strcmp(b->name, "energy") == 0;
        for (int i = 0; strcmp(b->name, "spectrum") != 0 && i < b->n; i++)
            CHECK_NEAR(sums[!energy][i], b->v[i],
                       1e-13 * fmax(fabs(b->v[0]), fabs(b->v[b->n - 1])));
    }
    outcome_clear(&whole);
}

static double scale_bound(int k, farsum_precision precision)
{
    (void)k;
    return precision == FARSUM_F32 ? 1e-6 : 1e-12;
}

const struct harness harness_fft = {
    .stage = "fft",
    .cases = 4 * MESHES + 2 * BATCHES,
    .name = fft_name,
    .run = fft_run,
    .bound = fft_bound,
    .on_device = FFT_ON_DEVICE,
    .more_on_device = 3,
};
const struct harness harness_scale = {
    .stage = "scale",
    .cases = SCALES,
    .name = scale_name,
    .run = scale_run,
    .bound = scale_bound,
    .more = scale_rows_sum,
};
