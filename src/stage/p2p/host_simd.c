/* SPDX-License-Identifier: Apache-2.0 */
/* host_simd: one thread per leaf of targets.  Sources of all near leaves are
 * copied contiguously, with SIMD over them.  No sum is shared between threads:
 * results repeat bitwise. */
#include "base/mem.h"
#include "base/par.h"
#include "base/progress.h"
#include "stage/device.h"
#include "stage/p2p/host_simd_kern.h"

ISA_TABLE(struct simd_kern, p2p_host_simd)

struct simd {
    struct p2p_args args;
    const struct simd_kern *kern;
    struct simd_thread *thread; /* owned, [threads], including their arrays */
};

static farsum_status simd_fits(const void *args)
{
    const struct p2p_args *a = args;
    TRY(gpu_not_wanted(a->device));
    return p2p_check(a);
}

static double simd_cost(const void *data)
{
    const struct p2p_args *args = data;
    static const double width[ISA_COUNT] = {16, 32, 64};
    double real = args->precision == FARSUM_F32 ? 4 : 8;
    double lanes = width[args->isa] / real;
    double pair = (args->precision == FARSUM_F32 ? 4.0e-9 : 5.4e-9)
                  + 1.8e-9 * (args->rhs * p2p_strengths(args) - 1)
                  + (args->outputs & FARSUM_GRADIENT ? 6e-9 : 0);
    double leaf = args->filling > 1 ? args->filling : 1;
    /* each source of a near leaf is copied once per leaf */
    double copied = 1.0e-9 * (3 + args->rhs * p2p_strengths(args)) / leaf;
    return p2p_targets(args) * args->neighbours * (pair / lanes + copied)
           / args->threads;
}

static int64_t simd_chunk(const struct p2p_args *args)
{
    return (int64_t)SIMD_ROWS * SIMD_ROW
           * (args->precision == FARSUM_F32 ? 4 : 8);
}

static int64_t simd_bytes(const void *data)
{
    const struct p2p_args *args = data;
    return args->threads
           * (p2p_near_most(args) * (int64_t)sizeof(struct tree_near)
              + simd_chunk(args));
}

static void simd_destroy(void *state)
{
    struct simd *simd = state;
    if (!simd)
        return;
    for (int t = 0; simd->thread && t < simd->args.threads; t++) {
        mem_free(simd->thread[t].near);
        mem_free(simd->thread[t].chunk);
    }
    mem_free(simd->thread);
    mem_free(simd);
}

static farsum_status simd_create(const void *data, void **state)
{
    farsum_status status = FARSUM_OK;
    const struct p2p_args *args = data;
    struct simd *simd = NULL;
    GO(MEM_NEW(simd, 1));
    simd->args = *args;
    simd->kern = isa_p2p_host_simd[args->isa][args->precision == FARSUM_F32];
    GO(MEM_NEW(simd->thread, args->threads));
    for (int t = 0; t < args->threads; t++) {
        simd->thread[t].args = &simd->args;
        GO(MEM_RAW(simd->thread[t].near, p2p_near_most(args)));
        GO(mem_alloc(&simd->thread[t].chunk, simd_chunk(args), 1, 0));
    }
    *state = simd;
    simd = NULL;
done:
    simd_destroy(simd);
    return status;
}

static farsum_status simd_run(void *state, const void *data)
{
    struct simd *simd = state;
    const struct p2p_io *io = data;
    TRY(p2p_check_io(&simd->args, io));
    if (!io->potential && !io->field && !io->gradient)
        return FARSUM_OK;
    p2p_clear(&simd->args, io);
    int64_t leaves = io->tree->n_leaves;
    struct progress *listener = progress_phase(leaves, "summing: p2p");
    PAR_TEAM(simd->args.threads)
    {
        struct simd_thread thread = simd->thread[omp_get_thread_num()];
        thread.io = io;
#pragma omp for schedule(dynamic, 16)
        for (int64_t leaf = 0; leaf < leaves; leaf++) {
            if (progress_stopped(listener))
                continue;
            simd->kern->leaf(&thread, leaf);
            progress_add(listener, 1);
        }
    }
    return progress_check(listener);
}

const struct variant p2p_host_simd = {
    .fits = simd_fits,
    .cost = simd_cost,
    .bytes = simd_bytes,
    .create = simd_create,
    .run = simd_run,
    .destroy = simd_destroy,
    .deterministic = 1,
    .needs = "",
};
