/* SPDX-License-Identifier: Apache-2.0 */
/* slab.c: the transform cut among ranks with devices against the one in three
 * dimensions, with all columns and with some, there and back.  The device is
 * FARSUM_TEST_DEVICE (default: opencl:0).  perf: times (slab_perf.c). */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "device/second_stream.h"
#include "ranks/comm_threads.h"
#include "ranks_device/slab_arrays.h"
#include "ranks_device/slab_perf.h"

static const char *device_name(void)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    return name ? name : "opencl:0";
}

struct one_run {
    struct gpu_slab *slab;
    const struct gpu_slab_io *io;
    int backward;
};

static farsum_status run_slab(void *data)
{
    const struct one_run *run = data;
    return run->backward ? gpu_slab_backward(run->slab, run->io)
                         : gpu_slab_forward(run->slab, run->io);
}

/* Runs on the device's queue, or on a second one. */
static farsum_status run_case(const struct gpu_case *t, struct device *device,
                              struct gpu_slab *slab,
                              const struct gpu_slab_io *io, int backward)
{
    struct one_run run = {slab, io, backward};
    struct second_stream aside = {0};
    farsum_status status = FARSUM_OK;
    if (!t->aside)
        return run_slab(&run);
    GO(second_stream_create(&aside, device));
    GO(second_stream_fork(&aside));
    GO(second_stream_run(&aside, run_slab, &run));
    GO(second_stream_join(&aside));
done:
    second_stream_clear(&aside);
    return status;
}

/* There and back. */
static void case_runs(const struct gpu_case *t, struct rank_arrays *a,
                      const struct slab_args *args, struct device *device,
                      struct gpu_slab *slab)
{
    int64_t sent[2], columns;
    const struct comm_spent *spent = &args->comm->spent[COMM_TRANSFORM];
    struct gpu_slab_io io = {&a->mesh_on, a->mesh_channel, &a->spectrum_on,
                             a->spectrum_channel, t->channels};
    int64_t before = spent->bytes;
    mesh_fill(a, 1);
    spectrum_fill(a);
    mesh_send(a, device);
    spectrum_send(a, device);
    int64_t bytes = device->bytes;
    CHECK_OK(run_case(t, device, slab, &io, 0));
    spectrum_check(a);
    halo_check(a);
    mesh_fill(a, 0);
    mesh_send(a, device);
    CHECK_OK(run_case(t, device, slab, &io, 1));
    mesh_check(a);
    CHECK(device->bytes == bytes, "a run allocates");
    slab_sent(args, sent, &columns);
    int64_t counted = spent->bytes - before;
    int64_t wanted = t->channels * (sent[0] + sent[1]);
    CHECK(counted == wanted, "%lld bytes are counted, not %lld",
          (long long)counted, (long long)wanted);
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
    mesh_send(a, device);
    spectrum_send(a, device);
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
    struct gpu_slab_args args = slab_args_of(t, comm, device, transport);
    struct gpu_slab *slab = NULL;
    struct rank_arrays a;
    int64_t bytes = device->bytes;
    farsum_status status = case_create(t, &args, &slab);
    if (status == FARSUM_OK) {
        arrays_make(&a, t, comm->rank, gpu_slab_lines(&args.slab, comm->rank));
        if (t->short_mesh || t->short_spectrum)
            case_short(t, &a, comm, device, slab);
        else
            case_runs(t, &a, &args.slab, device, slab);
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

/* padded: 1: half of the planes; rows of the spectrum from the middle on; all
 * channels in two exchanges. */
static void case_make(struct gpu_case *t, int m, int pruned, int padded,
                      int channels, const char *fft)
{
    const int64_t *mesh = meshes[m].mesh;
    *t = (struct gpu_case){.s = {.mesh = {mesh[0], mesh[1], mesh[2]},
                                 .ldz = 2 * half_of(mesh) + meshes[m].more,
                                 .planes = padded ? (mesh[0] + 1) / 2 : 0,
                                 .batch = padded ? channels : 0,
                                 .variant = "kiss"},
                           .halo = padded ? 0 : m % 3,
                           .channels = padded ? 2 * channels : channels,
                           .more = channels == 3 && !padded ? m % 4 : 0,
                           .fft = fft};
    disc(mesh, t->columns);
    for (int64_t i = 0; i < mesh[1]; i++)
        t->order[i] = (i + mesh[1] / 2) % mesh[1];
    t->s.columns = pruned ? t->columns : NULL;
    t->s.order = padded ? t->order : NULL;
    slab_arrays(&t->s);
    slab_reference(&t->s);
}

/* All cuts of a few meshes, by this variant of the stage fft.  next: 1: all
 * numbers of ranks, else each next-th. */
static void sweep(const char *fft, int first, int n, int next, int padded)
{
    static const int sizes[] = {1, 2, 3, 4, 7};
    struct gpu_case whole, at[2 * CUTS];
    for (int m = first; m < first + n; m++)
        for (int pruned = 0; pruned < 2; pruned++)
            for (int k = 0; k < 5; k += next) {
                int used = 0, size = sizes[k];
                case_make(&whole, m, pruned, padded, (k + pruned) % 2 ? 3 : 1,
                          fft);
                for (int kind = 0; kind < CUTS; kind++)
                    for (int p = 0; p < 2; p++) {
                        struct gpu_case *t = &at[used++];
                        *t = whole;
                        t->s.size = size;
                        t->aside = p;
                        t->s.precision = p ? FARSUM_F32 : FARSUM_F64;
                        t->s.columns = pruned ? whole.columns : NULL;
                        t->s.order = padded ? whole.order : NULL;
                        cut(t->s.begin0, planes_of(&t->s), size, kind);
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
    sweep("kiss", 0, MESHES, 1, 0);
    sweep("kiss", 0, MESHES, 2, 1);
}

/* The variant that is chosen for the device.  VkFFT compiles each. */
static void chosen(void)
{
    sweep(NULL, 2, 2, 3, 0);
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
    case_make(&t, 0, 1, 0, 3, "kiss");
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
        case_make(&t, 0, 0, 0, channels, "kiss");
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
