/* SPDX-License-Identifier: Apache-2.0 */
/* slab_direct.c: kernels that use other ranks' spectra.  All ranks share one
 * device and this thread, which does each step for one after another. */
#include "ranks_device/slab_direct.h"

#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "ranks/device/slab_inside.h"
#include "ranks_device/slab_arrays.h"

/* Calls of a rank whose peers give the same as itself, and send nothing. */
static farsum_status alike_gather(struct comm *comm, const void *one, void *all,
                                  int64_t bytes)
{
    for (int r = 0; r < comm->size; r++)
        memcpy((char *)all + r * bytes, one, (size_t)bytes);
    return FARSUM_OK;
}

static farsum_status alike_counts(struct comm *comm, const int64_t *to,
                                  int64_t *from)
{
    memcpy(from, to, (size_t)comm->size * sizeof *from);
    return FARSUM_OK;
}

static farsum_status alike_trade(struct comm *comm, const void *sent,
                                 const int64_t *to, void *got,
                                 const int64_t *from)
{
    (void)comm, (void)sent, (void)to, (void)got, (void)from;
    return FARSUM_OK;
}

static const struct comm_calls alike = {
    .gather = alike_gather, .counts = alike_counts, .trade = alike_trade};

struct rank {
    struct comm *comm;
    struct transport *transport;
    struct gpu_slab *slab;
    struct rank_arrays arrays;
    struct gpu_slab_io io;
};

static void rank_make(struct rank *k, const struct gpu_case *t, int r,
                      struct device *device)
{
    CHECK_OK(comm_create(r, t->s.size, "alike", &alike, 0, &k->comm));
    CHECK_OK(transport_create(k->comm, device, "staged", &k->transport));
    struct gpu_slab_args args = slab_args_of(t, k->comm, device, k->transport);
    CHECK_OK(gpu_slab_create(&args, &k->slab));
    struct rank_arrays *a = &k->arrays;
    arrays_make(a, t, r, gpu_slab_lines(&args.slab, r));
    k->io = (struct gpu_slab_io){&a->mesh_on, a->mesh_channel, &a->spectrum_on,
                                 a->spectrum_channel, t->channels};
    mesh_fill(a, 1);
    spectrum_fill(a);
    mesh_send(a, device);
    spectrum_send(a, device);
}

/* Each rank's spectrum is known to all. */
static void ranks_meet(struct rank *all, int size)
{
    for (int r = 0; r < size; r++) {
        struct gpu_slab *slab = all[r].slab;
        CHECK_OK(MEM_NEW(slab->spectra, size));
        for (int p = 0; p < size; p++) {
            const struct buf *b = &all[p].arrays.spectrum_on;
            slab->peer[p].channel = all[p].arrays.spectrum_channel / 2;
            buf_borrow(&slab->spectra[p], b->device, b->handle, b->bytes);
        }
    }
}

static void ranks_run_steps(struct rank *all, int size, int channels,
                            int backward)
{
    for (int c = 0; c < channels; c++) {
        for (int r = 0; r < size; r++)
            CHECK_OK(gpu_slab_before(all[r].slab, &all[r].io, c, backward));
        for (int r = 0; r < size; r++)
            CHECK_OK(gpu_slab_direct(all[r].slab, &all[r].io, c, backward));
        for (int r = 0; r < size; r++)
            CHECK_OK(gpu_slab_after(all[r].slab, &all[r].io, c, backward));
    }
}

void slab_direct(const struct gpu_case *t, struct device *device)
{
    int size = t->s.size;
    struct rank all[CUTS_RANKS] = {0};
    for (int r = 0; r < size; r++)
        rank_make(&all[r], t, r, device);
    ranks_meet(all, size);
    ranks_run_steps(all, size, t->channels, 0);
    for (int r = 0; r < size; r++) {
        spectrum_check(&all[r].arrays);
        halo_check(&all[r].arrays);
        mesh_fill(&all[r].arrays, 0);
        mesh_send(&all[r].arrays, device);
    }
    ranks_run_steps(all, size, t->channels, 1);
    for (int r = 0; r < size; r++) {
        mesh_check(&all[r].arrays);
        gpu_slab_destroy(all[r].slab);
        transport_destroy(all[r].transport);
        comm_destroy(all[r].comm);
        arrays_free(&all[r].arrays);
    }
}
