/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_transform_gpu.c: the real transform of a mesh that is cut over ranks
 * with a GPU each (ranks/device/slab.h).  bench/peers/cufft_xt.c times cuFFT's
 * own plans of several GPUs on the same meshes.
 *
 *     mpirun -n 2 ranks_transform_gpu cuda f64 256 360 512 >transform_gpu.csv
 *
 * One line per mesh N^3 and code: minimum milliseconds per channel, forward and
 * backward, of runs that alternate.  whole: the stage fft on one GPU, by one
 * rank.  slab: all columns.  pruned: those within a disc of radius 0.48 N, as a
 * plan with a mesh just finer than its band needs.  slab3, pruned3: three
 * channels in one run, one of which travels while the next is transformed. */
#include "base/clock.h"
#include "base/mem.h"
#include "mpi/comm_mpi.h"
#include "ranks/device/slab.h"
#include "stage/fft/fft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHOLE, SLAB, PRUNED, SLAB3, PRUNED3, CODES, RUNS = 12 };
static const char *const names[CODES] = {"whole", "slab", "pruned", "slab3",
                                         "pruned3"};
#define DISC 0.48

struct machine {
    struct comm *comm;
    struct device *device;
    struct transport *transport;
    farsum_precision precision;
};

static void need(farsum_status status)
{
    if (status == FARSUM_OK)
        return;
    fprintf(stderr, "ranks_transform_gpu: %s\n", farsum_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

struct code {
    int channels;
    struct gpu_slab *slab; /* NULL: whole */
    struct choice fft;
    void *state;
    struct buf mesh, spectrum;
    int64_t mesh_channel, spectrum_channel; /* reals */
    double best[2];
};

static void columns_of(int64_t n, int pruned, int64_t *columns)
{
    for (int64_t k = 0; k < n; k++) {
        double y = (double)(2 * k > n ? n - k : k) / (DISC * (double)n);
        columns[k] = !pruned ? n / 2 + 1
                     : y < 1 ? (int64_t)(sqrt(1 - y * y) * DISC * (double)n) + 1
                             : 0;
    }
}

/* Rows with about as many columns on each rank. */
static void rows_of(int64_t n, int size, const int64_t *columns, int64_t *begin)
{
    int64_t all = 0, below = 0, row = 0;
    for (int64_t k = 0; k < n; k++)
        all += columns[k];
    for (int r = 0; r <= size; r++) {
        while (row < n && r > 0
               && size * (2 * below + columns[row]) <= 2 * all * r)
            below += columns[row++];
        begin[r] = r == size ? n : row;
    }
}

static void zeros(const struct machine *m, struct buf *buf, int64_t reals)
{
    int64_t bytes = reals * (m->precision == FARSUM_F32 ? 4 : 8);
    need(buf_alloc(buf, m->device, bytes > 0 ? bytes : 8));
    need(buf_fill(buf, 0));
}

static void slab_code(const struct machine *m, struct code *c, int64_t n,
                      int pruned)
{
    int size = m->comm->size, rank = m->comm->rank;
    int64_t *begin0 = NULL, *begin1 = NULL, *columns = NULL;
    need(MEM_NEW(begin0, size + 1));
    need(MEM_NEW(begin1, size + 1));
    need(MEM_NEW(columns, n));
    for (int r = 0; r <= size; r++)
        begin0[r] = n * r / size;
    columns_of(n, pruned, columns);
    rows_of(n, size, columns, begin1);
    const struct gpu_slab_args args = {.slab = {.comm = m->comm,
                                                .begin0 = begin0,
                                                .begin1 = begin1,
                                                .columns = columns,
                                                .mesh = {n, n, n},
                                                .ldz = 2 * (n / 2 + 1),
                                                .precision = m->precision,
                                                .threads = 1},
                                       .device = m->device,
                                       .transport = m->transport,
                                       .channels = c->channels};
    need(gpu_slab_create(&args, &c->slab));
    c->mesh_channel = (begin0[rank + 1] - begin0[rank]) * n * args.slab.ldz;
    c->spectrum_channel = gpu_slab_lines(&args.slab, rank) * 2 * n;
    zeros(m, &c->mesh, c->channels * c->mesh_channel);
    zeros(m, &c->spectrum, c->channels * c->spectrum_channel);
    mem_free(begin0);
    mem_free(begin1);
    mem_free(columns);
}

static void whole_code(const struct machine *m, struct code *c, int64_t n)
{
    const struct fft_args args = {.precision = m->precision,
                                  .threads = 1,
                                  .mesh = {n, n, n},
                                  .ldz = 2 * (n / 2 + 1),
                                  .device = m->device};
    const struct choose_options any = {0};
    if (m->comm->rank > 0)
        return;
    need(choose(&fft_stage, &args, &any, &c->fft));
    need(c->fft.row->variant->create(&args, &c->state));
    zeros(m, &c->mesh, n * n * args.ldz);
}

static void run_once(const struct machine *m, struct code *c, int backward)
{
    const struct fft_io whole = {&c->mesh, backward};
    const struct gpu_slab_io io = {&c->mesh, c->mesh_channel, &c->spectrum,
                                   c->spectrum_channel, c->channels};
    if (c->slab)
        need(backward ? gpu_slab_backward(c->slab, &io)
                      : gpu_slab_forward(c->slab, &io));
    else if (m->comm->rank == 0)
        need(c->fft.row->variant->run(c->state, &whole));
}

/* Seconds per channel of one direction on the slowest rank. */
static double run(const struct machine *m, struct code *c, int backward)
{
    enum { TIMES = 4 };
    need(device_finish(m->device));
    MPI_Barrier(MPI_COMM_WORLD);
    double start = clock_seconds();
    for (int k = 0; k < TIMES; k++)
        run_once(m, c, backward);
    need(device_finish(m->device));
    double seconds = clock_seconds() - start;
    need(comm_max(m->comm, &seconds, 1));
    return seconds / TIMES / c->channels;
}

static void measure(const struct machine *m, int64_t n)
{
    struct code codes[CODES] = {{0}};
    for (int k = 0; k < CODES; k++) {
        codes[k].channels = k >= SLAB3 ? 3 : 1;
        if (k == WHOLE)
            whole_code(m, &codes[k], n);
        else
            slab_code(m, &codes[k], n, k == PRUNED || k == PRUNED3);
    }
    for (int k = 0; k < RUNS; k++)
        for (int i = 0; i < 2 * CODES; i++) {
            double *best = &codes[i / 2].best[i % 2];
            double found = run(m, &codes[i / 2], i % 2);
            *best = k == 0 || found < *best ? found : *best;
        }
    for (int k = 0; k < CODES; k++) {
        struct code *c = &codes[k];
        if (m->comm->rank == 0)
            printf("%d,%s,%lld,%s,%.4f,%.4f\n", k == WHOLE ? 1 : m->comm->size,
                   m->precision == FARSUM_F32 ? "f32" : "f64", (long long)n,
                   names[k], 1e3 * c->best[0], 1e3 * c->best[1]);
        gpu_slab_destroy(c->slab);
        if (c->state)
            c->fft.row->variant->destroy(c->state);
        buf_clear(&c->mesh);
        buf_clear(&c->spectrum);
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct machine m = {0};
    char name[64];
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    need(comm_mpi(MPI_COMM_WORLD, 0, &m.comm));
    if (argc < 4) {
        fprintf(stderr, "ranks_transform_gpu: device, f32 or f64, sizes\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    snprintf(name, sizeof name, "%s:%d", argv[1], m.comm->node_rank);
    m.precision = strcmp(argv[2], "f32") == 0 ? FARSUM_F32 : FARSUM_F64;
    need(device_open(name, &m.device));
    need(transport_create(m.comm, m.device, NULL, &m.transport));
    if (m.comm->rank == 0)
        printf("gpus,precision,mesh,code,forward_ms,backward_ms\n");
    for (int k = 3; k < argc; k++)
        measure(&m, atoll(argv[k]));
    transport_destroy(m.transport);
    device_close(m.device);
    comm_destroy(m.comm);
    MPI_Finalize();
    return 0;
}
