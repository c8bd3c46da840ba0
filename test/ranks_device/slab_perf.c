/* SPDX-License-Identifier: Apache-2.0 */
/* slab_perf.c: times of a cut transform's steps.
 *
 *     test_ranks_device_slab perf MESH RANKS CHANNELS BITS
 *
 * Rank r works on the device FARSUM_TEST_DEVICE, or on its r-th if the name has
 * no number ("cuda").  Bytes are read and written: those of a step that copies
 * each number once. */
#include "ranks_device/slab_perf.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ranks/comm_threads.h"
#include "ranks/cuts.h"
#include "ranks/device/slab_inside.h"

enum { REPEATS = 7 };
enum step {
    PLANE_FFT,
    OUT,
    POINTS,
    LINE_FFT,
    BACK,
    IN,
    ZERO,
    ALL,
    ALL_BACK,
    STEPS
};
static const char *const names[STEPS] = {
    "planes", "planes to lines", "blocks to lines",
    "lines",  "to blocks",       "lines to planes",
    "zeros",  "forward",         "backward"};

struct perf {
    int64_t mesh;
    int channels;
    farsum_precision precision;
};

static farsum_status perf_step(struct gpu_slab *s, const struct gpu_slab_io *io,
                               enum step step)
{
    const struct slab_channel c = gpu_slab_channel(s, io, 0);
    switch (step) {
    case PLANE_FFT:
        return gpu_slab_transform(s, &s->plane_fft, &c.mesh, 0);
    case OUT:
        return gpu_slab_turn(s, &s->out, &c);
    case POINTS:
        return gpu_slab_points(s, &c, 0);
    case LINE_FFT:
        return gpu_slab_transform(s, &s->line_fft, &c.spectrum, 0);
    case BACK:
        return gpu_slab_points(s, &c, 1);
    case IN:
        return gpu_slab_turn(s, &s->in, &c);
    case ZERO:
        return gpu_slab_zero(s, &c);
    case ALL:
        return gpu_slab_forward(s, io);
    default:
        return gpu_slab_backward(s, io);
    }
}

/* Bytes that a step moves, for those that only copy. */
static double perf_bytes(const struct gpu_slab *s, enum step step)
{
    const struct slab_shape *a = &s->shape;
    int64_t moved = step == OUT || step == IN ? 2 * a->planes * a->all
                    : step == POINTS || step == BACK
                        ? 2 * (a->points - a->planes) * a->lines
                    : step == ZERO ? a->planes * a->zeros
                                   : 0;
    return (double)(moved * 2 * s->real);
}

static farsum_status perf_steps(struct comm *comm, struct device *device,
                                struct gpu_slab *slab,
                                const struct gpu_slab_io *io)
{
    farsum_status status = FARSUM_OK;
    struct stopwatch watch = {0};
    GO(stopwatch_create(&watch, device));
    for (int step = 0; step < STEPS; step++) {
        double best = HUGE_VAL, t = 0;
        for (int r = 0; r <= REPEATS; r++) {
            GO(comm_agree(comm, device_finish(device)));
            GO(stopwatch_start(&watch));
            GO(perf_step(slab, io, (enum step)step));
            GO(stopwatch_stop(&watch));
            GO(stopwatch_seconds(&watch, &t));
            best = r > 0 && t < best ? t : best;
        }
        double bytes = perf_bytes(slab, (enum step)step);
        if (comm->rank == 0 && bytes > 0)
            printf("%-16s %9.3f ms %9.0f GB/s\n", names[step], 1e3 * best,
                   1e-9 * bytes / best);
        else if (comm->rank == 0)
            printf("%-16s %9.3f ms\n", names[step], 1e3 * best);
    }
done:
    stopwatch_clear(&watch);
    return status;
}

static farsum_status perf_slab(struct comm *comm, const struct perf *p,
                               struct device *device,
                               struct transport *transport)
{
    farsum_status status = FARSUM_OK;
    int64_t begin[CUTS_RANKS + 1], n = p->mesh, ldz = 2 * (n / 2 + 1);
    cut(begin, n, comm->size, 0);
    struct gpu_slab_args args = {.slab = {.comm = comm,
                                          .begin0 = begin,
                                          .begin1 = begin,
                                          .mesh = {n, n, n},
                                          .ldz = ldz,
                                          .precision = p->precision,
                                          .threads = 1},
                                 .device = device,
                                 .transport = transport,
                                 .channels = p->channels};
    int64_t planes = begin[comm->rank + 1] - begin[comm->rank];
    struct buf mesh = {0}, spectrum = {0};
    struct gpu_slab *slab = NULL;
    struct gpu_slab_io io = {&mesh, planes * n * ldz, &spectrum,
                             2 * n * gpu_slab_lines(&args.slab, comm->rank),
                             p->channels};
    int64_t real = p->precision == FARSUM_F32 ? 4 : 8;
    GO(gpu_slab_create(&args, &slab));
    status = buf_alloc(&mesh, device, p->channels * io.mesh_channel * real);
    if (status == FARSUM_OK)
        status = buf_alloc(&spectrum, device,
                           p->channels * io.spectrum_channel * real);
    GO(comm_agree(comm, status));
    GO(buf_fill(&mesh, 0));
    GO(buf_fill(&spectrum, 0));
    if (comm->rank == 0)
        printf("%lld^3, %d ranks, %d channels, %lld bits, %s, %s, best of %d; "
               "steps of one channel\n",
               (long long)n, comm->size, p->channels, (long long)(8 * real),
               device->properties.model, transport_name(transport), REPEATS);
    GO(perf_steps(comm, device, slab, &io));
done:
    gpu_slab_destroy(slab);
    buf_clear(&mesh);
    buf_clear(&spectrum);
    return status;
}

static void perf_device(char *name, size_t size, int rank)
{
    const char *given = getenv("FARSUM_TEST_DEVICE");
    given = given ? given : "opencl:0";
    if (strchr(given, ':'))
        snprintf(name, size, "%s", given);
    else
        snprintf(name, size, "%s:%d", given, rank);
}

static farsum_status perf_rank(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct device *device = NULL;
    struct transport *transport = NULL;
    char name[64];
    perf_device(name, sizeof name, comm->rank);
    GO(comm_agree(comm, device_open(name, &device)));
    GO(transport_create(comm, device, NULL, &transport));
    GO(perf_slab(comm, data, device, transport));
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", comm->rank, farsum_message());
    transport_destroy(transport);
    device_close(device);
    return status;
}

void slab_perf(int64_t mesh, int ranks, int channels, int bits)
{
    struct perf p = {mesh, channels, bits == 32 ? FARSUM_F32 : FARSUM_F64};
    struct device *device = NULL;
    /* threads must not start a vendor's library simultaneously */
    char name[64];
    perf_device(name, sizeof name, 0);
    if (device_open(name, &device) != FARSUM_OK)
        check_stop("%s", farsum_message());
    device_close(device);
    if (ranks < 1 || ranks > CUTS_RANKS)
        check_stop("1 to %d ranks", CUTS_RANKS);
    CHECK(ranks_run(ranks, NULL, perf_rank, &p) == 0, "a rank failed");
}
