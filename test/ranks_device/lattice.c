/* SPDX-License-Identifier: Apache-2.0 */
/* lattice.c: the stage lattice over ranks with devices against its variant
 * plain in one process. */
#include "ranks/device/lattice.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "check.h"
#include "ranks/comm_threads.h"
#include "ranks/lattice_case.h"
#include "ranks_device/rank_device.h"

/* Runs twice. */
static farsum_status rank_runs(const struct lattice_case *s, struct comm *comm,
                               struct rank_device *of,
                               struct gpu_ranks_lattice *lattice)
{
    struct lattice_own own = lattice_own(s, comm->rank);
    int64_t bytes = own.n * (s->precision == FARSUM_F32 ? 4 : 8);
    struct buf multipole = {0}, local = {0};
    const struct boxes_io io = {
        .multipole = &multipole, .local = &local, .stride = own.stride};
    farsum_status status = FARSUM_OK;
    KEEP_ON(rank_device_put(of, &multipole, own.multipole, bytes));
    KEEP_ON(rank_device_put(of, &local, own.local, bytes));
    int64_t held = of->device->bytes;
    for (int again = 0; again < 2; again++)
        KEEP_ON(gpu_ranks_lattice_run(lattice, own.layers > 0 ? &io : NULL));
    CHECK(of->device->bytes == held, "a run allocates");
    KEEP_ON(buf_download(&local, 0, own.local, bytes));
    if (status == FARSUM_OK)
        lattice_found(s, comm->rank, &own);
    buf_clear(&multipole);
    buf_clear(&local);
    lattice_own_free(&own);
    return comm_agree(comm, status);
}

static farsum_status work(struct comm *comm, void *data)
{
    const struct lattice_case *s = data;
    farsum_status status = FARSUM_OK;
    struct rank_device of = {0};
    struct gpu_ranks_lattice *lattice = NULL;
    struct ranks_lattice_args args = {
        .comm = comm,
        .begin = s->begin,
        .halo = LATTICE_HALO,
        .grid = s->by_grid,
        .boxes = lattice_args(s->grid, s->precision, s->threads)};
    GO(rank_device_open(&of, comm));
    args.boxes.device = of.device;
    mem_fail_at(comm->rank == s->fail_rank ? s->fail_at : 0);
    status = gpu_ranks_lattice_create(&args, of.transport, &lattice);
    mem_fail_at(0);
    GO(status);
    GO(rank_runs(s, comm, &of, lattice));
done:
    gpu_ranks_lattice_destroy(lattice);
    rank_device_close(&of);
    return status;
}

static void one(const struct lattice_case *wanted, const double *right,
                int size, int kind, farsum_precision precision)
{
    struct lattice_case s = *wanted;
    const struct lattice_grid *g = s.grid;
    s.precision = precision;
    s.threads = 1;
    cut(s.begin, g->root[0], size, kind);
    for (int64_t i = 0; i < lattice_numbers(g); i++)
        s.local[i] = NAN;
    CHECK(ranks_run(size, NULL, work, &s) == 0, "a rank failed");
    lattice_check(&s, right, size, kind);
}

/* The grids differ in order, so that each is compiled once. */
static void grids_cut(void)
{
    static const struct lattice_grid grids[] = {
        {{4, 4, 4}, {1, 1, 1}, 1, 6, 1},     {{6, 2, 7}, {0.7, 1, 1}, 1, 2, 2},
        {{5, 4, 3}, {1, 0.8, 0.9}, 0, 4, 1}, {{3, 7, 2}, {1, 1, 1}, 0, 1, 2},
        {{4, 3, 5}, {1, 1, 0.9}, 1, 0, 1},   {{4, 1, 2}, {1, 1, 1}, 0, 3, 1}};
    static const int sizes[] = {1, 2, 3, 4, 7};
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
        struct lattice_case s = {.grid = &grids[g]};
        lattice_arrays(&s);
        double *right = lattice_reference(&s, "plain");
        int both = grids[g].root[1] > 1; /* gpu_grid needs two boxes */
        for (s.by_grid = 0; s.by_grid <= both; s.by_grid++)
            for (int k = 0; k < 5; k++)
                for (int kind = 0; kind < 2 - s.by_grid; kind++)
                    one(&s, right, sizes[k], (kind * 2 + k) % CUTS,
                        (kind + k) % 2 ? FARSUM_F32 : FARSUM_F64);
        free(right);
        lattice_free(&s);
    }
}

static const struct lattice_grid grid_failing = {{4, 3, 2}, {1, 1, 1}, 1, 1, 1};

/* An allocation fails on one rank: all ranks report it. */
static void failures_of(int by_grid)
{
    for (int64_t n = 1, failed = 3; failed == 3; n += n < 20 ? 1 : 20) {
        struct lattice_case s = {.grid = &grid_failing,
                                 .by_grid = by_grid,
                                 .precision = FARSUM_F64,
                                 .threads = 1,
                                 .fail_rank = 1,
                                 .fail_at = n};
        cut(s.begin, s.grid->root[0], 3, 0);
        lattice_arrays(&s);
        failed = ranks_run(3, NULL, work, &s);
        CHECK(failed == 3 || (failed == 0 && n > 8),
              "%lld ranks failed, allocation %lld", (long long)failed,
              (long long)n);
        lattice_free(&s);
    }
}

static void failures(void)
{
    failures_of(0);
    failures_of(1);
}

int main(void)
{
    struct device *device = NULL;
    if (device_open(rank_device_name(), &device) != FARSUM_OK) {
        printf("skipped: %s\n", farsum_message());
        return CHECK_SKIPPED;
    }
    device_close(device);
    RUN(grids_cut);
    RUN(failures);
    return check_end();
}
