/* SPDX-License-Identifier: Apache-2.0 */
/* scale.c: the plain influence function against independent sums: energy (5.3),
 * the virial as its derivative by strain, omitted terms. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "stage/scale/scale.h"

static const int64_t mesh[3] = {12, 10, 14};
enum { LDZ = 16, SIZE = 12 * 10 * LDZ };

static const double rows[9] = {2.1, 0, 0, 0.3, 1.9, 0, -0.2, 0.4, 2.3};

struct setting {
    struct cell cell;
    struct split split;
    struct window window;
    double *before, *data;
};

static void set(struct setting *s, const char *split, double c)
{
    CHECK_OK(cell_set(&s->cell, rows, 1));
    CHECK_OK(split_set(&s->split, split, c));
    CHECK_OK(window_set(&s->window, "kaiser_bessel", 5, 0, 1.3, 0));
    s->before = check_memory(SIZE, sizeof *s->before);
    s->data = aligned_alloc(64, SIZE * sizeof *s->data);
}

/* A spectrum with the symmetry of a real mesh: that of a few point charges. */
static void spectrum(double *data)
{
    static const double point[3][4] = {
        {0.1, 0.2, 0.3, 1}, {0.55, 0.1, 0.9, -2}, {0.7, 0.6, 0.45, 0.5}};
    memset(data, 0, SIZE * sizeof *data);
    for (int64_t a = 0; a < mesh[0]; a++)
        for (int64_t b = 0; b < mesh[1]; b++)
            for (int64_t c = 0; c <= mesh[2] / 2; c++)
                for (int p = 0; p < 3; p++) {
                    double n0 = (double)(2 * a > mesh[0] ? a - mesh[0] : a);
                    double n1 = (double)(2 * b > mesh[1] ? b - mesh[1] : b);
                    double phase = 2 * M_PI * (n0 * point[p][0]
                                               + n1 * point[p][1]
                                               + (double)c * point[p][2]);
                    double *z = data + (a * mesh[1] + b) * LDZ + 2 * c;
                    z[0] += point[p][3] * cos(phase);
                    z[1] -= point[p][3] * sin(phase);
                }
}

static struct scale_args args_of(const struct setting *s,
                                 const struct pair *pair)
{
    return (struct scale_args){.precision = FARSUM_F64,
                               .threads = 2,
                               .mesh = {mesh[0], mesh[1], mesh[2]},
                               .ldz = LDZ,
                               .split = &s->split,
                               .window = &s->window,
                               .cell = &s->cell,
                               .pair = pair};
}

static void run(const struct setting *s, double *energy, double *virial)
{
    const struct variant *v = scale_stage.rows->variant;
    struct scale_args args = args_of(s, NULL);
    struct scale_io io = {
        .spectrum = s->data, .keep = 1, .energy = energy, .virial = virial};
    void *state = NULL;
    spectrum(s->before);
    memcpy(s->data, s->before, SIZE * sizeof *s->data);
    CHECK_OK(v->create(&args, &state));
    CHECK_OK(v->set(state, NULL, NULL));
    CHECK_OK(v->run(state, &io));
    v->destroy(state);
}

static void done(struct setting *s)
{
    free(s->before);
    free(s->data);
}

/* Over all modes, not half of them; those with n_d = M_d/2 have no sign. */
static double energy_of(const struct setting *s)
{
    double sum = 0;
    for (int64_t a = -mesh[0] / 2 + 1; 2 * a < mesh[0]; a++)
        for (int64_t b = -mesh[1] / 2 + 1; 2 * b < mesh[1]; b++)
            for (int64_t c = -mesh[2] / 2 + 1; 2 * c < mesh[2]; c++) {
                const int64_t n[3] = {a, b, c};
                double k[3], k2 = 0, d = 1;
                for (int j = 0; j < 3; j++) {
                    k[j] = 2 * M_PI
                           * ((double)a * s->cell.inv[3 * j]
                              + (double)b * s->cell.inv[3 * j + 1]
                              + (double)c * s->cell.inv[3 * j + 2]);
                    k2 += k[j] * k[j];
                    d *= window_hat(&s->window, 2 * M_PI * (double)n[j]
                                                    / (double)mesh[j]);
                }
                if (k2 == 0 || sqrt(k2) > s->split.c)
                    continue;
                int flip = c < 0; /* the other half is its conjugate */
                int64_t i = ((flip ? -a : a) + mesh[0]) % mesh[0];
                int64_t j = ((flip ? -b : b) + mesh[1]) % mesh[1];
                const double *z = s->before + (i * mesh[1] + j) * LDZ
                                  + 2 * (flip ? -c : c);
                sum += 4 * M_PI * split_hat(&s->split, sqrt(k2)) / (k2 * d * d)
                       * (z[0] * z[0] + z[1] * z[1]);
            }
    return sum / (2 * s->cell.volume);
}

static void energy_is_the_sum(void)
{
    static const double cs[] = {9, 16, 30};
    for (int k = 0; k < 6; k++) {
        struct setting s;
        double energy = 0, virial[9] = {0};
        set(&s, k % 2 ? "gaussian" : "prolate", cs[k / 2]);
        run(&s, &energy, virial);
        CHECK_NEAR(energy, energy_of(&s), 1e-12 * fabs(energy));
        done(&s);
    }
}

/* W = -dU/d(strain) at fixed fractional coordinates, by central differences.
 * The band is well inside the mesh, so that no mode enters or leaves. */
static void virial_is_the_derivative(void)
{
    for (int k = 0; k < 2; k++) {
        struct setting s;
        double energy = 0, virial[9] = {0};
        set(&s, k ? "gaussian" : "prolate", 60);
        run(&s, &energy, virial);
        for (int a = 0; a < 9; a++) {
            double side[2], h = 1e-5;
            for (int t = 0; t < 2; t++) {
                double strained[9];
                struct cell straight = s.cell;
                for (int i = 0; i < 3; i++)
                    for (int j = 0; j < 3; j++)
                        strained[3 * i + j] = rows[3 * i + j]
                                              + (j == a / 3 ? (t ? -h : h)
                                                     * rows[3 * i + a % 3]
                                                            : 0);
                CHECK_OK(cell_set(&s.cell, strained, 1));
                side[t] = energy_of(&s);
                s.cell = straight;
            }
            CHECK_NEAR(virial[a], -(side[0] - side[1]) / (2 * h),
                       1e-7 * fabs(energy));
        }
        done(&s);
    }
}

/* The multiplier is real, even, and zero at k = 0, beyond c and at M/2. */
static void spectrum_is_multiplied(void)
{
    struct setting s;
    set(&s, "prolate", 9);
    run(&s, NULL, NULL);
    int kept = 0, dropped = 0;
    for (int64_t a = 0; a < mesh[0]; a++)
        for (int64_t b = 0; b < mesh[1]; b++)
            for (int64_t c = 0; c <= mesh[2] / 2; c++) {
                const int64_t n[3] = {2 * a > mesh[0] ? a - mesh[0] : a,
                                      2 * b > mesh[1] ? b - mesh[1] : b, c};
                int64_t at = (a * mesh[1] + b) * LDZ + 2 * c;
                double k2 = 0, g = 0;
                for (int j = 0; j < 3; j++) {
                    double x = 0;
                    for (int d = 0; d < 3; d++)
                        x += 2 * M_PI * (double)n[d] * s.cell.inv[3 * j + d];
                    k2 += x * x;
                }
                if (k2 > 0 && k2 <= 81 && 2 * a != mesh[0] && 2 * b != mesh[1]
                    && 2 * c != mesh[2])
                    g = 4 * M_PI * split_hat(&s.split, sqrt(k2))
                        / (k2 * s.cell.volume);
                for (int d = 0; d < 3; d++)
                    g /= pow(window_hat(&s.window, 2 * M_PI * (double)n[d]
                                                       / (double)mesh[d]), 2);
                kept += g != 0;
                dropped += g == 0;
                for (int z = 0; z < 2; z++)
                    CHECK_NEAR(s.data[at + z], g * s.before[at + z],
                               1e-12 * (1 + fabs(s.data[at + z])));
            }
    CHECK(kept > 50 && dropped > 50, "%d kept, %d dropped", kept, dropped);
    done(&s);
}

/* The same sum with axes 0 and 1 exchanged, in two parts of rows, and with
 * `halves` in two of modes, with 0 beyond the columns.  Returns the columns
 * that are kept. */
static int64_t run_exchanged(const struct setting *s, const struct variant *v,
                             const struct pair *pair, int halves, double *data,
                             double *energy, double *virial)
{
    struct cell cell;
    struct scale_args args = args_of(s, pair);
    int64_t columns[10], kept = 0, channels = pair->channels;
    scale_columns(&args, columns);
    for (int64_t i = 0; i < channels * SIZE; i++) {
        int64_t row = i % SIZE / LDZ, z = i % LDZ;
        int64_t b = row / mesh[0], a = row % mesh[0];
        int64_t from = i - i % SIZE + (a * mesh[1] + b) * LDZ + z;
        data[i] = z < 2 * columns[b] ? s->before[from] : 0;
    }
    for (int64_t b = 0; b < mesh[1]; b++)
        kept += columns[b];
    scale_exchange(&cell, &s->cell);
    args.cell = &cell;
    args.mesh[0] = mesh[1];
    args.mesh[1] = mesh[0];
    for (int part = 0; part < (halves ? 4 : 2); part++) {
        void *state = NULL;
        args.first = part % 2 ? 3 : 0;
        args.count = part % 2 ? mesh[1] - 3 : 3;
        args.first2 = part / 2 ? 5 : 0;
        args.count2 = part / 2 ? mesh[2] / 2 + 1 - 5 : halves ? 5 : 0;
        double *from = data + args.first * mesh[0] * LDZ + 2 * args.first2;
        struct scale_io io = {.spectrum = from,
                              .keep = 1,
                              .energy = pair->kind->gradient ? energy : NULL,
                              .virial = pair->kind->gradient ? virial : NULL,
                              .mesh_channel = SIZE};
        CHECK_OK(v->create(&args, &state));
        CHECK_OK(v->run(state, &io));
        v->destroy(state);
    }
    return kept;
}

/* The spectrum of a mesh that is cut along axis 0. */
static void axes_exchange(const struct variant_row *row, const char *kernel,
                          double c, int halves)
{
    struct setting s;
    struct pair pair = *pair_find(kernel);
    double energy[2] = {0}, virial[2][9] = {{0}}, most = 0;
    size_t size = (size_t)pair.channels * SIZE;
    set(&s, "prolate", c);
    free(s.before);
    s.before = check_memory(size, sizeof *s.before);
    double *whole = aligned_alloc(64, size * sizeof *whole);
    double *data = aligned_alloc(64, size * sizeof *data);
    for (int64_t k = 0; k < pair.channels; k++) {
        spectrum(s.before + k * SIZE);
        for (int64_t i = 0; i < SIZE; i++)
            s.before[k * SIZE + i] *= (double)(k + 1);
    }
    memcpy(whole, s.before, size * sizeof *whole);
    struct scale_args args = args_of(&s, &pair);
    struct scale_io io = {.spectrum = whole,
                          .keep = 1,
                          .energy = pair.kind->gradient ? &energy[0] : NULL,
                          .virial = pair.kind->gradient ? virial[0] : NULL};
    void *state = NULL;
    CHECK_OK(row->variant->create(&args, &state));
    CHECK_OK(row->variant->run(state, &io));
    row->variant->destroy(state);
    int64_t kept = run_exchanged(&s, row->variant, &pair, halves, data,
                                 &energy[1], virial[1]);
    for (int64_t i = 0; i < pair.values * SIZE; i++)
        most = fmax(most, fabs(whole[i]));
    for (int64_t i = 0; i < pair.values * SIZE; i++) {
        int64_t b = i % SIZE / LDZ / mesh[0], a = i % SIZE / LDZ % mesh[0];
        int64_t to = i - i % SIZE + (a * mesh[1] + b) * LDZ + i % LDZ;
        CHECK_NEAR(data[i], whole[to], 1e-13 * most);
    }
    CHECK_NEAR(energy[1], energy[0], 1e-13 * fabs(energy[0]));
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(virial[1][i], virial[0][i], 1e-12 * fabs(energy[0]));
    CHECK(kept > 0 && (c > 20 || kept < mesh[1] * (mesh[2] / 2) * 3 / 4),
          "%lld columns kept", (long long)kept);
    free(whole);
    free(data);
    done(&s);
}

static void exchanged_axes(void)
{
    static const char *const kernels[] = {"laplace", "r6", "stokeslet",
                                          "stresslet"};
    for (const struct variant_row *row = scale_stage.rows; row->name; row++) {
        struct scale_args host = {0};
        if (row->variant->fits(&host) != FARSUM_OK)
            continue;
        for (int k = 0; k < 4; k++) {
            axes_exchange(row, kernels[k], 9, k % 2);
            axes_exchange(row, kernels[k], 30, 0);
            axes_exchange(row, kernels[k], 30, 1);
        }
    }
}

int main(void)
{
    RUN(energy_is_the_sum);
    RUN(virial_is_the_derivative);
    RUN(spectrum_is_multiplied);
    RUN(exchanged_axes);
    return check_end();
}
