/* SPDX-License-Identifier: Apache-2.0 */
/* slab.c: the transform cut among ranks with devices against the one in three
 * dimensions, with all columns and with some, there and back.  The device is
 * FARSUM_TEST_DEVICE (default: opencl:0).  perf: times (slab_perf.c). */
#include "ranks/device/slab.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "ranks/comm_threads.h"
#include "ranks/slab_case.h"
#include "ranks_device/slab_perf.h"
#include "stage/device.h"

/* What is left as it was. */
enum { KEPT = 7, MOST_COLUMNS = 64 };

static const char *device_name(void)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    return name ? name : "opencl:0";
}

/* A case, read by all ranks. */
struct gpu_case {
    struct slab_case s; /* with the references of CHANNELS channels */
    int64_t columns[MOST_COLUMNS];
    int halo, channels, more; /* more: reals behind a channel's planes, and
                                 lines behind its lines */
    const char *fft;
    /* Failures of rank 1. */
    int64_t fail_at; /* allocation of create; 0: none */
    int64_t limit;   /* bytes of the device that create may add; 0: none */
    int short_mesh, short_spectrum; /* 1: the last channel is missing */
};

/* One rank's arrays. */
struct rank_arrays {
    const struct gpu_case *t;
    int rank;
    int64_t plane, planes, mesh_channel, mesh_reals;
    int64_t lines, spectrum_channel, spectrum_reals;
    double *mesh, *spectrum; /* owned: copies on the host */
    struct buf mesh_on, spectrum_on;
};

static void arrays_make(struct rank_arrays *a, const struct gpu_case *t,
                        int rank, int64_t lines)
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

static void arrays_free(struct rank_arrays *a)
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

/* Fills the meshes with values, or with NaN. */
static void mesh_fill(struct rank_arrays *a, int values)
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
        for (int64_t k1 = s->begin1[a->rank]; k1 < s->begin1[a->rank + 1]; k1++)
            for (int64_t k2 = 0; k2 < kept_of(s, k1); k2++)
                for (int64_t x = 0; x < s->mesh[0]; x++, got += 2)
                    for (int i = 0; i < 2; i++) {
                        int64_t row =
                            (c % CHANNELS * s->mesh[1] + k1) * s->mesh[0] + x;
                        worst = worse(worst, got[i],
                                      s->spectrum[2 * row * half_of(s->mesh)
                                                  + 2 * k2 + i]);
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
    CHECK(
        error <= bound * scale,
        "%s, %s %s %lldx%lldx%lld ldz %lld%s, halo %d, %d channels, %d ranks; "
        "rank %d has %lld planes, %lld lines: %.3g",
        what, t->fft ? t->fft : "auto",
        s->precision == FARSUM_F32 ? "f32" : "f64", (long long)s->mesh[0],
        (long long)s->mesh[1], (long long)s->mesh[2], (long long)s->ldz,
        s->columns ? ", pruned" : "", t->halo, t->channels, s->size, a->rank,
        (long long)a->planes, (long long)a->lines, error / scale);
}

static void case_runs(const struct gpu_case *t, struct rank_arrays *a,
                      struct device *device, struct gpu_slab *slab)
{
    const struct slab_case *s = &t->s;
    double bound = s->precision == FARSUM_F32 ? 1e-6 : 1e-15;
    struct gpu_slab_io io = {&a->mesh_on, a->mesh_channel, &a->spectrum_on,
                             a->spectrum_channel, t->channels};
    mesh_fill(a, 1);
    for (int64_t i = 0; i < a->spectrum_reals; i++)
        a->spectrum[i] =
            i % a->spectrum_channel < 2 * s->mesh[0] * a->lines ? NAN : KEPT;
    send(t, device, &a->mesh_on, a->mesh, a->mesh_reals);
    send(t, device, &a->spectrum_on, a->spectrum, a->spectrum_reals);
    int64_t bytes = device->bytes;
    CHECK_OK(gpu_slab_forward(slab, &io));
    fetch(t, &a->spectrum_on, a->spectrum, a->spectrum_reals);
    compare(a, "spectrum", spectrum_error(a),
            largest(s->spectrum, spectrum_reals(s)), bound);
    fetch(t, &a->mesh_on, a->mesh, a->mesh_reals);
    CHECK(halo_changes(a) == 0, "forward changes the halo");
    mesh_fill(a, 0);
    send(t, device, &a->mesh_on, a->mesh, a->mesh_reals);
    CHECK_OK(gpu_slab_backward(slab, &io));
    fetch(t, &a->mesh_on, a->mesh, a->mesh_reals);
    /* back is two transforms */
    compare(a, "back", mesh_error(a), largest(s->back, mesh_reals(s)),
            2 * bound);
    CHECK(halo_changes(a) == 0, "backward changes the halo");
    CHECK(device->bytes == bytes, "a run allocates");
}

/* Rank 1 lacks the last channel of an array: it fails, and the others do not
 * wait for it. */
static void case_short(const struct gpu_case *t, struct rank_arrays *a,
                       struct comm *comm, struct device *device,
                       struct gpu_slab *slab)
{
    struct gpu_slab_io io = {&a->mesh_on, a->mesh_channel, &a->spectrum_on,
                             a->spectrum_channel, t->channels};
    farsum_status wanted = a->rank == 1 ? FARSUM_ERR_INTERNAL : FARSUM_OK;
    if (a->rank == 1) {
        a->mesh_reals -= t->short_mesh ? a->mesh_channel : 0;
        a->spectrum_reals -= t->short_spectrum ? a->spectrum_channel : 0;
    }
    send(t, device, &a->mesh_on, a->mesh, a->mesh_reals);
    send(t, device, &a->spectrum_on, a->spectrum, a->spectrum_reals);
    check_status(gpu_slab_forward(slab, &io), wanted, "forward", __FILE__,
                 __LINE__);
    check_status(gpu_slab_backward(slab, &io), wanted, "backward", __FILE__,
                 __LINE__);
    /* fails if a rank made other calls than the others */
    CHECK_OK(comm_agree(comm, FARSUM_OK));
}

static farsum_status case_create(const struct gpu_case *t,
                                 const struct gpu_slab_args *args,
                                 struct gpu_slab **slab)
{
    int fails = args->slab.comm->rank == 1;
    mem_fail_at(fails ? t->fail_at : 0);
    args->device->limit =
        fails && t->limit ? args->device->bytes + t->limit : 0;
    farsum_status status = gpu_slab_create(args, slab);
    args->device->limit = 0;
    mem_fail_at(0);
    return status;
}

static farsum_status case_rank(const struct gpu_case *t, struct comm *comm,
                               struct device *device,
                               struct transport *transport)
{
    const struct slab_case *s = &t->s;
    struct gpu_slab_args args = {
        .slab = {.comm = comm,
                 .begin0 = s->begin0,
                 .begin1 = s->begin1,
                 .columns = s->columns,
                 .mesh = {s->mesh[0], s->mesh[1], s->mesh[2]},
                 .ldz = s->ldz,
                 .precision = s->precision,
                 .threads = 1,
                 .choose = {.name = t->fft}},
        .device = device,
        .transport = transport,
        .halo = t->halo,
        .channels = t->channels};
    struct gpu_slab *slab = NULL;
    struct rank_arrays a;
    int64_t bytes = device->bytes;
    farsum_status status = case_create(t, &args, &slab);
    if (status == FARSUM_OK) {
        arrays_make(&a, t, comm->rank, gpu_slab_lines(&args.slab, comm->rank));
        if (t->short_mesh || t->short_spectrum)
            case_short(t, &a, comm, device, slab);
        else
            case_runs(t, &a, device, slab);
        arrays_free(&a);
    }
    gpu_slab_destroy(slab);
    CHECK(device->bytes == bytes, "%lld bytes are left",
          (long long)(device->bytes - bytes));
    return status;
}

/* Cases of one team of ranks. */
struct cases {
    int n;
    struct gpu_case *at;
};

static farsum_status cases_rank(struct comm *comm, void *data)
{
    const struct cases *all = data;
    struct device *device = NULL;
    struct transport *transport = NULL;
    farsum_status status = device_open(device_name(), &device);
    GO(comm_agree(comm, status));
    GO(transport_create(comm, device, "staged", &transport));
    for (int k = 0; k < all->n; k++)
        GO(case_rank(&all->at[k], comm, device, transport));
done:
    transport_destroy(transport);
    device_close(device);
    return status;
}

/* The columns of a disc; some rows keep none. */
static void disc(const int64_t mesh[3], int64_t *columns)
{
    for (int64_t k1 = 0; k1 < mesh[1]; k1++) {
        double y = (double)(2 * k1 > mesh[1] ? mesh[1] - k1 : k1)
                   / (double)mesh[1] / 0.4;
        double z = y < 1 ? sqrt(1 - y * y) * 0.4 * (double)mesh[2] : -1;
        columns[k1] = (int64_t)floor(z) + 1;
    }
}

/* Tiles of 32, 16 and 8 planes; the third has planes of whole pages. */
static const struct {
    int64_t mesh[3], more; /* more: reals per row beyond the minimum */
} meshes[] = {{{12, 20, 18}, 0}, {{64, 21, 12}, 2}, {{10, 16, 30}, 0},
              {{5, 7, 9}, 6},    {{2, 3, 2}, 0},    {{1, 4, 6}, 0}};
enum { MESHES = sizeof meshes / sizeof *meshes };

static void case_make(struct gpu_case *t, int m, int pruned, int channels,
                      const char *fft)
{
    const int64_t *mesh = meshes[m].mesh;
    *t = (struct gpu_case){.s = {.mesh = {mesh[0], mesh[1], mesh[2]},
                                 .ldz = 2 * half_of(mesh) + meshes[m].more,
                                 .variant = "kiss"},
                           .halo = m % 3,
                           .channels = channels,
                           .more = channels == 3 ? m % 4 : 0,
                           .fft = fft};
    disc(mesh, t->columns);
    t->s.columns = pruned ? t->columns : NULL;
    slab_arrays(&t->s);
    slab_reference(&t->s);
}

/* All cuts of a few meshes, by this variant of the stage fft.  next: 1: all
 * numbers of ranks, else each next-th. */
static void sweep(const char *fft, int first, int n, int next)
{
    static const int sizes[] = {1, 2, 3, 4, 7};
    struct gpu_case whole, at[2 * CUTS];
    for (int m = first; m < first + n; m++)
        for (int pruned = 0; pruned < 2; pruned++)
            for (int k = 0; k < 5; k += next) {
                int used = 0, size = sizes[k];
                case_make(&whole, m, pruned, (k + pruned) % 2 ? 3 : 1, fft);
                for (int kind = 0; kind < CUTS; kind++)
                    for (int p = 0; p < 2; p++) {
                        struct gpu_case *t = &at[used++];
                        *t = whole;
                        t->s.size = size;
                        t->s.precision = p ? FARSUM_F32 : FARSUM_F64;
                        t->s.columns = pruned ? whole.columns : NULL;
                        cut(t->s.begin0, t->s.mesh[0], size, kind);
                        cut(t->s.begin1, t->s.mesh[1], size, (kind + k) % 3);
                    }
                struct cases all = {used, at};
                CHECK(ranks_run(size, NULL, cases_rank, &all) == 0,
                      "a rank failed");
                slab_free(&whole.s);
            }
}

static void meshes_cut(void)
{
    sweep("kiss", 0, MESHES, 1);
}

/* The variant that is chosen for the device.  VkFFT compiles each. */
static void chosen(void)
{
    sweep(NULL, 2, 2, 3);
}

/* One case of three ranks; returns the number that failed. */
static int one(struct gpu_case *t)
{
    struct cases all = {1, t};
    t->s.size = 3;
    cut(t->s.begin0, t->s.mesh[0], 3, 0);
    cut(t->s.begin1, t->s.mesh[1], 3, 0);
    return ranks_run(3, NULL, cases_rank, &all);
}

/* Memory of the host or the device ends in create on one rank: all ranks report
 * it. */
static void no_memory(void)
{
    struct gpu_case t;
    int64_t n = 1, limit = 1;
    int failed = 3;
    case_make(&t, 0, 1, 3, "kiss");
    t.s.columns = t.columns;
    for (; failed == 3; n += n < 40 ? 1 : 40) {
        t.fail_at = n;
        failed = one(&t);
        CHECK(failed == 3 || (failed == 0 && n > 8),
              "%d ranks failed, allocation %lld", failed, (long long)n);
    }
    t.fail_at = 0;
    for (failed = 3; failed == 3; limit *= 2) {
        t.limit = limit;
        failed = one(&t);
        CHECK(failed == 3 || (failed == 0 && limit > 1000),
              "%d ranks failed, %lld bytes", failed, (long long)limit);
    }
    slab_free(&t.s);
}

/* One rank fails in a run. */
static void one_fails(void)
{
    struct gpu_case t;
    for (int channels = 1; channels <= 3; channels += 2) {
        case_make(&t, 0, 0, channels, "kiss");
        t.short_mesh = 1;
        CHECK(one(&t) == 0, "a rank failed");
        t.short_mesh = 0;
        t.short_spectrum = 1;
        CHECK(one(&t) == 0, "a rank failed");
        slab_free(&t.s);
    }
}

int main(int argc, char **argv)
{
    struct device *device = NULL;
    if (argc == 6 && strcmp(argv[1], "perf") == 0) {
        slab_perf(atoll(argv[2]), atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
        return check_end();
    }
    if (device_open(device_name(), &device) != FARSUM_OK) {
        printf("skipped: %s\n", farsum_message());
        return CHECK_SKIPPED;
    }
    device_close(device);
    RUN(meshes_cut);
    RUN(chosen);
    RUN(no_memory);
    RUN(one_fails);
    return check_end();
}
