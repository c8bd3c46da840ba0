/* SPDX-License-Identifier: Apache-2.0 */
/* pencil.c: the transform cut among ranks along two axes against the one in
 * three dimensions, and against slabs; all columns and some, there and back. */
#include "ranks/pencil.h"

#include <stdlib.h>

#include "base/mem.h"
#include "check.h"
#include "ranks/comm_threads.h"
#include "ranks/slab_case.h"
#include "stage/fft/fft.h"

enum { HALO = 2 }; /* rows around the own ones, and planes */

struct pencil_case {
    struct slab_case s; /* begin0 and begin1: [ranks[0] + 1] */
    int ranks[2];
    int64_t rows[CUTS_RANKS + 1], modes[CUTS_RANKS + 1];
};

/* Reals of an array, as double. */
static double get(const struct slab_case *s, const void *data, int64_t i)
{
    return s->precision == FARSUM_F32 ? (double)((const float *)data)[i]
                                      : ((const double *)data)[i];
}

static void put(const struct slab_case *s, void *data, int64_t i, double v)
{
    if (s->precision == FARSUM_F32)
        ((float *)data)[i] = (float)v;
    else
        ((double *)data)[i] = v;
}

/* A rank's arrays, filled with NaN. */
struct arrays {
    int64_t planes, rows, extended; /* own; rows with halos */
    int64_t plane, mesh, spectrum;  /* reals of a plane, of channels */
    int64_t k1, k2;                 /* of the spectrum */
    void *data, *modes;
};

static void *array_of(const struct slab_case *s, int64_t n)
{
    void *data = aligned_alloc(64, (size_t)(n + 8) / 8 * 64);
    for (int64_t i = 0; i < n; i++)
        put(s, data, i, NAN);
    return data;
}

static struct arrays arrays_of(const struct pencil_case *p, int r0, int r1)
{
    const struct slab_case *s = &p->s;
    struct arrays a = {.planes = s->begin0[r0 + 1] - s->begin0[r0],
                       .rows = p->rows[r1 + 1] - p->rows[r1],
                       .k1 = s->begin1[r0 + 1] - s->begin1[r0],
                       .k2 = p->modes[r1 + 1] - p->modes[r1]};
    int halo = p->ranks[1] > 1 ? HALO : 0;
    if (p->ranks[1] == 1)
        a.k2 = s->ldz / 2;
    a.extended = a.rows + 2 * halo;
    a.plane = a.extended * s->ldz;
    a.mesh = (a.planes + 2 * HALO) * a.plane;
    a.spectrum = a.k1 * s->mesh[0] * 2 * a.k2;
    a.data = array_of(s, CHANNELS * a.mesh + 8);
    a.modes = array_of(s, CHANNELS * a.spectrum + 8);
    return a;
}

/* Where the first own row of a channel is. */
static int64_t own_at(const struct pencil_case *p, const struct arrays *a,
                      int c)
{
    int halo = p->ranks[1] > 1 ? HALO : 0;
    return c * a->mesh + HALO * a->plane + halo * p->s.ldz;
}

/* Copies the values to a rank's mesh, or its mesh to s.back. */
static void move_mesh(struct pencil_case *p, const struct arrays *a, int r0,
                      int r1, int back)
{
    const struct slab_case *s = &p->s;
    const int64_t *m = s->mesh, all = m[0] * m[1] * m[2];
    for (int c = 0; c < CHANNELS; c++)
        for (int64_t x = 0; x < a->planes; x++)
            for (int64_t y = 0; y < a->rows; y++)
                for (int64_t z = 0; z < m[2]; z++) {
                    int64_t at =
                        own_at(p, a, c) + x * a->plane + y * s->ldz + z;
                    int64_t row = (s->begin0[r0] + x) * m[1] + p->rows[r1] + y;
                    int64_t index = row * m[2] + z;
                    if (back)
                        s->back[c * all + index] = get(s, a->data, at);
                    else
                        put(s, a->data, at, slab_value(c, index));
                }
}

/* Copies a rank's spectrum to s.spectrum, and spoils what is not kept, which
 * must not be read. */
static void take_spectrum(struct pencil_case *p, const struct arrays *a, int r0,
                          int r1)
{
    const struct slab_case *s = &p->s;
    int64_t half = half_of(s->mesh), n0 = s->mesh[0], n1 = s->mesh[1];
    int64_t first = p->ranks[1] > 1 ? p->modes[r1] : 0;
    for (int c = 0; c < CHANNELS; c++)
        for (int64_t row = 0; row < a->k1; row++)
            for (int64_t i = 0; i < n0 * 2 * a->k2; i++) {
                int64_t x = i / (2 * a->k2), k1 = s->begin1[r0] + row;
                int64_t k2 = first + i % (2 * a->k2) / 2;
                int64_t at = c * a->spectrum + row * n0 * 2 * a->k2 + i;
                if (k2 < half)
                    s->spectrum[(((c * n1 + k1) * n0 + x) * half + k2) * 2
                                + i % 2] = get(s, a->modes, at);
                if (k2 >= kept_of(s, k1))
                    put(s, a->modes, at, NAN);
            }
}

static farsum_status rank_runs(struct comm *comm, struct pencil_case *p,
                               struct pencil *pencil)
{
    const struct slab_case *s = &p->s;
    int r0 = comm->rank / p->ranks[1], r1 = comm->rank % p->ranks[1];
    int64_t real = s->precision == FARSUM_F32 ? 4 : 8;
    struct arrays a = arrays_of(p, r0, r1);
    struct slab_io io = {(char *)a.data + own_at(p, &a, 0) * real, a.mesh,
                         a.modes, a.spectrum, CHANNELS};
    move_mesh(p, &a, r0, r1, 0);
    int64_t bytes = mem_bytes();
    uint64_t sent = (uint64_t)comm->spent[COMM_TRANSFORM].bytes;
    farsum_status status = pencil_forward(pencil, &io);
    uint64_t forward = (uint64_t)comm->spent[COMM_TRANSFORM].bytes - sent;
    take_spectrum(p, &a, r0, r1);
    for (int64_t i = 0; i < CHANNELS * a.mesh; i++)
        put(s, a.data, i, NAN);
    farsum_status second = pencil_backward(pencil, &io);
    uint64_t back =
        (uint64_t)comm->spent[COMM_TRANSFORM].bytes - sent - forward;
    move_mesh(p, &a, r0, r1, 1);
    CHECK(mem_bytes() == bytes, "a run allocates");
    free(a.data);
    free(a.modes);
    status = comm_agree(comm, status != FARSUM_OK ? status : second);
    if (status != FARSUM_OK)
        return status;
    const struct pencil_args args = {
        .slab = {.comm = comm,
                 .begin0 = s->begin0,
                 .begin1 = s->begin1,
                 .columns = s->columns,
                 .mesh = {s->mesh[0], s->mesh[1], s->mesh[2]},
                 .precision = s->precision},
        .ranks = {p->ranks[0], p->ranks[1]},
        .rows = p->rows,
        .modes = p->modes};
    int64_t counted[2][2], all[2], columns, stored;
    pencil_sent(&args, counted, &columns, &stored);
    for (int d = 0; d < 2; d++)
        all[d] = CHANNELS * (counted[0][d] + counted[1][d]);
    CHECK(forward == (uint64_t)all[0] && back == (uint64_t)all[1],
          "%lld, %lld bytes sent, counted %lld, %lld", (long long)forward,
          (long long)back, (long long)all[0], (long long)all[1]);
    return FARSUM_OK;
}

static farsum_status work(struct comm *comm, void *data)
{
    struct pencil_case *p = data;
    const struct slab_case *s = &p->s;
    int r1 = comm->rank % p->ranks[1];
    int64_t rows = p->rows[r1 + 1] - p->rows[r1];
    const struct pencil_args args = {
        .slab = {.comm = comm,
                 .begin0 = s->begin0,
                 .begin1 = s->begin1,
                 .columns = s->columns,
                 .mesh = {s->mesh[0], s->mesh[1], s->mesh[2]},
                 .ldz = s->ldz,
                 .precision = s->precision,
                 .threads = s->threads,
                 .choose = {.name = s->variant}},
        .ranks = {p->ranks[0], p->ranks[1]},
        .rows = p->rows,
        .modes = p->modes,
        .plane = (rows + (p->ranks[1] > 1 ? 2 * HALO : 0)) * s->ldz};
    struct pencil *pencil = NULL;
    int64_t bytes = mem_bytes();
    mem_fail_at(comm->rank == s->fail_rank ? s->fail_at : 0);
    farsum_status status = pencil_create(&args, &pencil);
    mem_fail_at(0);
    if (status == FARSUM_OK)
        status = rank_runs(comm, p, pencil);
    pencil_destroy(pencil);
    CHECK(mem_bytes() == bytes, "rank %d keeps %lld bytes", comm->rank,
          (long long)(mem_bytes() - bytes));
    return status;
}

/* The cuts of all axes; kind: as in cuts.h. */
static void cuts_of(struct pencil_case *p, int kind)
{
    struct slab_case *s = &p->s;
    int64_t most = 0;
    for (int64_t k1 = 0; k1 < s->mesh[1]; k1++)
        most = kept_of(s, k1) > most ? kept_of(s, k1) : most;
    s->size = p->ranks[0] * p->ranks[1];
    cut(s->begin0, s->mesh[0], p->ranks[0], kind);
    cut(s->begin1, s->mesh[1], p->ranks[0], kind % 3);
    cut(p->rows, s->mesh[1], p->ranks[1], (kind + 1) % CUTS);
    cut(p->modes, most, p->ranks[1], (kind + 2) % CUTS);
}

static void one(const struct slab_case *wanted, int p1, int p2, int kind,
                farsum_precision precision)
{
    struct pencil_case p = {.s = *wanted, .ranks = {p1, p2}};
    struct slab_case *s = &p.s;
    struct ranks_play play = {.delay = kind == 1 ? 20 : 0, .seed = 7};
    double bound = precision == FARSUM_F32 ? 1e-6 : 1e-15;
    s->precision = precision;
    s->threads = p1 * p2 < 5 && kind % 2 ? 3 : 1;
    cuts_of(&p, kind);
    slab_arrays(s);
    CHECK(ranks_run(s->size, &play, work, &p) == 0, "a rank failed");
    double there =
        slab_difference(s->spectrum, wanted->spectrum, spectrum_reals(s));
    double back = slab_difference(s->back, wanted->back, mesh_reals(s));
    /* back is two transforms */
    CHECK(there <= bound && back <= 2 * bound,
          "%s %s %lldx%lldx%lld ldz %lld%s, %d x %d ranks, cut %d: spectrum "
          "%.3g, back %.3g",
          s->variant, precision == FARSUM_F32 ? "f32" : "f64",
          (long long)s->mesh[0], (long long)s->mesh[1], (long long)s->mesh[2],
          (long long)s->ldz, s->columns ? ", pruned" : "", p1, p2, kind, there,
          back);
    int64_t bad = 0, half = half_of(s->mesh);
    for (int64_t i = 0; i < spectrum_reals(s); i++)
        bad += i % (2 * half)
                   >= 2 * kept_of(s, i / (2 * half) / s->mesh[0] % s->mesh[1])
               && s->spectrum[i] != 0;
    CHECK(bad == 0, "%lld numbers that are not kept are not 0", (long long)bad);
    slab_free(s);
}

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

/* ranks[0] x ranks[1] of 1, 2, 3, 4, 6, 7, 12 and 13 ranks. */
static const int shapes[][2] = {{1, 1}, {2, 1}, {1, 2},  {3, 1},  {1, 3},
                                {2, 2}, {4, 1}, {2, 3},  {3, 2},  {7, 1},
                                {1, 7}, {3, 4}, {12, 1}, {13, 1}, {1, 13}};

static void all_shapes(const char *variant, const int64_t mesh[3], int64_t more,
                       int pruned)
{
    int64_t columns[36];
    struct slab_case s = {.mesh = {mesh[0], mesh[1], mesh[2]},
                          .ldz = 2 * half_of(mesh) + more,
                          .variant = variant,
                          .columns = pruned ? columns : NULL};
    disc(mesh, columns);
    slab_arrays(&s);
    slab_reference(&s);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int kind = 0; kind < CUTS; kind++)
            for (int f = 0; f < 2; f++)
                one(&s, shapes[k][0], shapes[k][1], kind,
                    f ? FARSUM_F32 : FARSUM_F64);
    slab_free(&s);
}

static void meshes_cut(void)
{
    static const struct {
        int64_t mesh[3], more;
    } meshes[] = {{{12, 20, 18}, 0},
                  {{24, 36, 20}, 2},
                  {{5, 7, 9}, 6},
                  {{2, 3, 2}, 0},
                  {{1, 4, 6}, 0}};
    for (const struct variant_row *row = fft_stage.rows; row->name; row++) {
        struct fft_args host = {.threads = 1, .mesh = {8, 8, 8}, .ldz = 10};
        if (row->variant->fits && row->variant->fits(&host) != FARSUM_OK)
            continue;
        for (int m = 0; m < 5; m++)
            for (int pruned = 0; pruned < 2; pruned++)
                if (m != 1 || row != fft_stage.rows) /* slow */
                    all_shapes(row->name, meshes[m].mesh, meshes[m].more,
                               pruned);
    }
}

static struct pencil_case small(int p1, int p2)
{
    struct pencil_case p = {.s = {.threads = 2, .mesh = {6, 5, 4}, .ldz = 6},
                            .ranks = {p1, p2}};
    cuts_of(&p, 0);
    slab_arrays(&p.s);
    return p;
}

/* An allocation fails on one rank: all ranks report it. */
static void failures(void)
{
    for (int64_t n = 1, failed = 4; failed == 4; n++) {
        struct pencil_case p = small(2, 2);
        p.s.fail_rank = 1;
        p.s.fail_at = n;
        failed = ranks_run(4, NULL, work, &p);
        CHECK(failed == 4 || (failed == 0 && n > 16),
              "%lld ranks failed, allocation %lld", (long long)failed,
              (long long)n);
        slab_free(&p.s);
    }
}

/* A failed call of comm fails on all ranks, except in the last agreement: the
 * next one would tell it. */
static void calls(void)
{
    int64_t most = 0;
    for (int64_t call = 0; call <= most; call++) {
        struct pencil_case p = small(2, 2);
        struct ranks_play play = {.fail_rank = 1, .fail_call = call};
        int failed = ranks_run(4, &play, work, &p);
        most = call == 0 ? ranks_calls() : most;
        CHECK(failed == (call > 0 && call < most ? 4 : 0),
              "call %lld of %lld: %d ranks failed", (long long)call,
              (long long)most, failed);
        slab_free(&p.s);
    }
    CHECK(most >= 3 + 4 * CHANNELS, "%lld calls", (long long)most);
}

static farsum_status work_bad(struct comm *comm, void *data)
{
    struct pencil_case *p = data;
    struct pencil_case wrong = *p;
    (void)comm;
    wrong.ranks[1] = 3;
    CHECK_FAILS(work(comm, &wrong), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("pencils: 2 x 3 ranks, not 4");
    wrong = *p;
    wrong.modes[2]--; /* fewer than the columns */
    CHECK_FAILS(work(comm, &wrong), FARSUM_ERR_INTERNAL);
    return FARSUM_OK;
}

static void bad_arguments(void)
{
    struct pencil_case p = small(2, 2);
    CHECK(ranks_run(4, NULL, work_bad, &p) == 0, "a rank failed");
    slab_free(&p.s);
}

int main(void)
{
    RUN(meshes_cut);
    RUN(failures);
    RUN(calls);
    RUN(bad_arguments);
    return check_end();
}
