/* SPDX-License-Identifier: Apache-2.0 */
/* slab.c: the transform cut among ranks against the one in three dimensions,
 * with all columns and with some, with padding, there and back. */
#include <stdlib.h>

#include "check.h"
#include "ranks/comm_threads.h"
#include "ranks/slab_case.h"
#include "stage/fft/fft.h"

static void one(const struct slab_case *wanted, int size, int kind,
                farsum_precision precision)
{
    struct slab_case s = *wanted;
    struct ranks_play play = {.delay = kind == 1 ? 20 : 0,
                              .seed = (uint64_t)size};
    double bound = precision == FARSUM_F32 ? 1e-6 : 1e-15;
    s.size = size;
    s.precision = precision;
    s.threads = size < 4 && kind % 2 ? 3 : 1;
    s.batch = kind % 3;
    cut(s.begin0, planes_of(&s), size, kind);
    cut(s.begin1, s.mesh[1], size, kind % 3);
    slab_arrays(&s);
    CHECK(ranks_run(size, &play, slab_work, &s) == 0, "a rank failed");
    double there =
        slab_difference(s.spectrum, wanted->spectrum, spectrum_reals(&s));
    double back = slab_difference(s.back, wanted->back, mesh_reals(&s));
    /* back is two transforms */
    CHECK(there <= bound && back <= 2 * bound,
          "%s %s %lldx%lldx%lld ldz %lld, %lld planes%s, "
          "%d ranks, cut %d: spectrum %.3g, back %.3g",
          s.variant, precision == FARSUM_F32 ? "f32" : "f64",
          (long long)s.mesh[0], (long long)s.mesh[1], (long long)s.mesh[2],
          (long long)s.ldz, (long long)planes_of(&s),
          s.columns ? ", pruned" : "", size, kind, there, back);
    int64_t bad = 0, half = half_of(s.mesh);
    for (int64_t i = 0; i < spectrum_reals(&s); i++)
        bad += i % (2 * half)
                   >= 2 * kept_of(&s, i / (2 * half) / s.mesh[0] % s.mesh[1])
               && s.spectrum[i] != 0;
    CHECK(bad == 0, "%lld numbers that are not kept are not 0", (long long)bad);
    slab_free(&s);
}

static const struct {
    int64_t mesh[3], more; /* more: reals per row beyond the minimum */
} meshes[] = {{{12, 20, 18}, 0}, {{48, 36, 40}, 2}, {{5, 7, 9}, 6},
              {{2, 3, 2}, 0},    {{16, 10, 12}, 4}, {{1, 4, 6}, 0}};

/* The columns of a disc: |k1| and k2 are treated alike; some rows keep none. */
static void disc(const int64_t mesh[3], int64_t *columns)
{
    for (int64_t k1 = 0; k1 < mesh[1]; k1++) {
        double y = (double)(2 * k1 > mesh[1] ? mesh[1] - k1 : k1)
                   / (double)mesh[1] / 0.4;
        double z = y < 1 ? sqrt(1 - y * y) * 0.4 * (double)mesh[2] : -1;
        columns[k1] = (int64_t)floor(z) + 1;
    }
}

/* Rows k1 and mesh1 - k1 are neighbours. */
static void mirrors(int64_t n, int64_t *order)
{
    for (int64_t k1 = 0, i = 0; k1 <= n / 2; k1++) {
        order[i++] = k1;
        if (k1 > 0 && 2 * k1 < n)
            order[i++] = n - k1;
    }
}

static void all_sizes(const char *variant, int m, int pruned, int padded)
{
    static const int sizes[] = {1, 2, 3, 4, 7, 13};
    const int64_t *mesh = meshes[m].mesh;
    int64_t columns[36], order[36];
    struct slab_case s = {.mesh = {mesh[0], mesh[1], mesh[2]},
                          .ldz = 2 * half_of(mesh) + meshes[m].more,
                          .planes = padded ? (mesh[0] + 1) / 2 : 0,
                          .variant = variant,
                          .order = padded ? order : NULL,
                          .columns = pruned ? columns : NULL};
    disc(mesh, columns);
    mirrors(mesh[1], order);
    slab_arrays(&s);
    slab_reference(&s);
    int64_t one_mesh = mesh[0] * mesh[1] * mesh[2];
    double points = (double)one_mesh, worst = 0;
    for (int64_t i = 0; !pruned && i < mesh_reals(&s); i++)
        if (i % one_mesh < planes_of(&s) * mesh[1] * mesh[2])
            worst = fmax(worst, fabs(s.back[i] / points
                                     - slab_value(i / one_mesh, i % one_mesh)));
    CHECK(worst < 1e-14, "there and back changes by %.3g", worst);
    for (int k = 0; k < 6; k++)
        for (int kind = 0; kind < CUTS; kind++)
            for (int p = 0; p < 2; p++)
                one(&s, sizes[k], kind, p ? FARSUM_F32 : FARSUM_F64);
    slab_free(&s);
}

static void meshes_cut(void)
{
    for (const struct variant_row *row = fft_stage.rows; row->name; row++) {
        struct fft_args host = {.threads = 1, .mesh = {8, 8, 8}, .ldz = 10};
        if (row->variant->fits && row->variant->fits(&host) != FARSUM_OK)
            continue;
        for (int m = 0; m < 6; m++)
            for (int k = 0; k < 4; k++)
                if (m != 1 || (row != fft_stage.rows && k < 2)) /* slow */
                    all_sizes(row->name, m, k % 2, k / 2);
    }
}

/* An allocation fails on one rank: all ranks report it. */
static void failures(void)
{
    for (int64_t n = 1, failed = 3; failed == 3; n++) {
        struct slab_case s = {.size = 3,
                              .threads = 2,
                              .mesh = {6, 5, 4},
                              .ldz = 6,
                              .fail_rank = 1,
                              .fail_at = n};
        cut(s.begin0, 6, 3, 0);
        cut(s.begin1, 5, 3, 0);
        slab_arrays(&s);
        failed = ranks_run(3, NULL, slab_work, &s);
        CHECK(failed == 3 || (failed == 0 && n > 8),
              "%lld ranks failed, allocation %lld", (long long)failed,
              (long long)n);
        slab_free(&s);
    }
}

/* A failed call of comm fails on all ranks, except in the last agreement: the
 * next one would tell it. */
static void calls(void)
{
    int64_t most = 0;
    for (int64_t call = 0; call <= most; call++) {
        struct slab_case s = {
            .size = 3, .threads = 1, .mesh = {6, 5, 4}, .ldz = 6};
        struct ranks_play play = {.fail_rank = 1, .fail_call = call};
        cut(s.begin0, 6, 3, 0);
        cut(s.begin1, 5, 3, 0);
        slab_arrays(&s);
        int failed = ranks_run(3, &play, slab_work, &s);
        most = call == 0 ? ranks_calls() : most;
        CHECK(failed == (call > 0 && call < most ? 3 : 0),
              "call %lld of %lld: %d ranks failed", (long long)call,
              (long long)most, failed);
        slab_free(&s);
    }
    CHECK(most >= 2 + 2 * CHANNELS, "%lld calls", (long long)most);
}

int main(void)
{
    RUN(meshes_cut);
    RUN(failures);
    RUN(calls);
    return check_end();
}
