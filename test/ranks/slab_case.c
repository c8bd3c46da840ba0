/* SPDX-License-Identifier: Apache-2.0 */
/* slab_case.c: a transform cut among ranks, and the same in three
 * dimensions. */
#include "ranks/slab_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "ranks/slab.h"
#include "stage/fft/fft.h"

static void put(const struct slab_case *s, void *data, int64_t i, double v)
{
    if (s->precision == FARSUM_F32)
        ((float *)data)[i] = (float)v;
    else
        ((double *)data)[i] = v;
}

static double get(const struct slab_case *s, const void *data, int64_t i)
{
    return s->precision == FARSUM_F32 ? (double)((const float *)data)[i]
                                      : ((const double *)data)[i];
}

/* Aligned, and filled with NaN. */
static void *array_of(const struct slab_case *s, int64_t n)
{
    void *data = aligned_alloc(64, (size_t)(n + 8) / 8 * 64);
    for (int64_t i = 0; i < n; i++)
        put(s, data, i, NAN);
    return data;
}

static void get_spectrum(const struct slab_case *s, int r, int c,
                         const void *data)
{
    int64_t mesh0 = s->mesh[0], half = half_of(s->mesh);
    int64_t first = s->begin1[r];
    double *to = s->spectrum + c * s->mesh[1] * mesh0 * 2 * half;
    for (int64_t row = first; row < s->begin1[r + 1]; row++)
        for (int64_t x = 0; x < mesh0; x++)
            for (int64_t i = 0; i < 2 * half; i++)
                to[(order_of(s, row) * mesh0 + x) * 2 * half + i] =
                    get(s, data, ((row - first) * mesh0 + x) * s->ldz + i);
}

/* What is not kept must not be read. */
static void spoil(const struct slab_case *s, int r, void *data)
{
    int64_t mesh0 = s->mesh[0];
    for (int64_t row = 0; row < (s->begin1[r + 1] - s->begin1[r]) * mesh0;
         row++)
        for (int64_t i =
                 2 * kept_of(s, order_of(s, s->begin1[r] + row / mesh0));
             i < s->ldz; i++)
            put(s, data, row * s->ldz + i, NAN);
}

/* Copies the values to a rank's planes, or its planes to s->back. */
static void move_mesh(const struct slab_case *s, int r, int c, void *data,
                      int back)
{
    const int64_t *m = s->mesh;
    for (int64_t x = s->begin0[r]; x < s->begin0[r + 1]; x++)
        for (int64_t y = 0; y < m[1]; y++)
            for (int64_t z = 0; z < m[2]; z++) {
                int64_t at = ((x - s->begin0[r]) * m[1] + y) * s->ldz + z;
                int64_t index = (x * m[1] + y) * m[2] + z;
                if (back)
                    s->back[c * m[0] * m[1] * m[2] + index] = get(s, data, at);
                else
                    put(s, data, at, slab_value(c, index));
            }
}

static void *at(const struct slab_case *s, void *data, int64_t reals)
{
    return (char *)data + reals * (s->precision == FARSUM_F32 ? 4 : 8);
}

/* The meshes start one plane behind an aligned address, as behind a halo. */
static farsum_status rank_runs(struct comm *comm, const struct slab_case *s,
                               struct slab *slab)
{
    int r = comm->rank;
    int64_t plane = s->mesh[1] * s->ldz;
    int64_t mesh = (s->begin0[r + 1] - s->begin0[r] + 2) * plane;
    int64_t rows = (s->begin1[r + 1] - s->begin1[r]) * s->mesh[0] * s->ldz;
    struct slab_io io = {array_of(s, CHANNELS * mesh + 8), mesh,
                         array_of(s, CHANNELS * (rows + 4)), rows + 4,
                         CHANNELS};
    void *all = io.mesh;
    io.mesh = at(s, all, plane);
    for (int c = 0; c < CHANNELS; c++)
        move_mesh(s, r, c, at(s, io.mesh, c * mesh), 0);
    int64_t bytes = mem_bytes();
    farsum_status status = slab_forward(slab, &io);
    for (int c = 0; c < CHANNELS; c++) {
        get_spectrum(s, r, c, at(s, io.spectrum, c * io.spectrum_channel));
        spoil(s, r, at(s, io.spectrum, c * io.spectrum_channel));
    }
    for (int64_t i = 0; i < CHANNELS * mesh; i++)
        put(s, all, i, NAN);
    farsum_status second = slab_backward(slab, &io);
    for (int c = 0; c < CHANNELS; c++)
        move_mesh(s, r, c, at(s, io.mesh, c * mesh), 1);
    CHECK(mem_bytes() == bytes, "a run allocates");
    free(all);
    free(io.spectrum);
    return comm_agree(comm, status != FARSUM_OK ? status : second);
}

farsum_status slab_work(struct comm *comm, void *data)
{
    struct slab_case *s = data;
    struct slab_args args = {.comm = comm,
                             .begin0 = s->begin0,
                             .begin1 = s->begin1,
                             .order = s->order,
                             .columns = s->columns,
                             .mesh = {s->mesh[0], s->mesh[1], s->mesh[2]},
                             .ldz = s->ldz,
                             .precision = s->precision,
                             .threads = s->threads,
                             .batch = s->batch,
                             .choose = {.name = s->variant}};
    struct slab *slab = NULL;
    int64_t bytes = mem_bytes();
    mem_fail_at(comm->rank == s->fail_rank ? s->fail_at : 0);
    farsum_status status = slab_create(&args, &slab);
    mem_fail_at(0);
    if (status == FARSUM_OK)
        status = rank_runs(comm, s, slab);
    slab_destroy(slab);
    CHECK(mem_bytes() == bytes, "rank %d keeps %lld bytes", comm->rank,
          (long long)(mem_bytes() - bytes));
    return status;
}

void slab_reference(struct slab_case *s)
{
    const int64_t *m = s->mesh;
    int64_t half = half_of(m), ldz = s->ldz;
    struct fft_args args = {.precision = FARSUM_F64,
                            .threads = 1,
                            .mesh = {m[0], m[1], m[2]},
                            .ldz = ldz};
    struct choose_options name = {.name = s->variant};
    struct choice choice;
    struct slab_case f64 = *s;
    void *state = NULL;
    f64.precision = FARSUM_F64;
    CHECK_OK(choose(&fft_stage, &args, &name, &choice));
    const struct variant *v = choice.row->variant;
    CHECK_OK(v->create(&args, &state));
    f64.begin0[0] = 0;
    f64.begin0[1] = planes_of(s);
    for (int c = 0; c < CHANNELS; c++) {
        double *data = array_of(&f64, m[0] * m[1] * ldz);
        for (int64_t i = planes_of(s) * m[1] * ldz; i < m[0] * m[1] * ldz; i++)
            data[i] = 0;
        move_mesh(&f64, 0, c, data, 0);
        struct fft_io io = {data, 0};
        CHECK_OK(v->run(state, &io));
        for (int64_t x = 0; x < m[0]; x++)
            for (int64_t y = 0; y < m[1]; y++)
                for (int64_t i = 0; i < 2 * half; i++) {
                    double *from = data + (x * m[1] + y) * ldz + i;
                    *from = i < 2 * kept_of(s, y) ? *from : 0;
                    s->spectrum[((c * m[1] + y) * m[0] + x) * 2 * half + i] =
                        *from;
                }
        io.backward = 1;
        CHECK_OK(v->run(state, &io));
        move_mesh(&f64, 0, c, data, 1);
        free(data);
    }
    v->destroy(state);
}

void slab_arrays(struct slab_case *s)
{
    s->spectrum = check_memory((size_t)spectrum_reals(s), sizeof(double));
    s->back = check_memory((size_t)mesh_reals(s), sizeof(double));
}

void slab_free(const struct slab_case *s)
{
    free(s->spectrum);
    free(s->back);
}

double slab_difference(const double *found, const double *wanted, int64_t n)
{
    double most = 0, worst = 0;
    for (int64_t i = 0; i < n; i++) {
        double d = fabs(found[i] - wanted[i]);
        most = fmax(most, fabs(wanted[i]));
        worst = !(d <= worst) ? d : worst;
    }
    return n > 0 && most > 0 ? worst / most : worst;
}
