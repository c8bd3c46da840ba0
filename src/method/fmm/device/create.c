/* SPDX-License-Identifier: Apache-2.0 */
/* create.c: kernels and memory of the fast multipole method on a device. */
#include "base/mem.h"
#include "method/fmm/device/ranks.h"

/* The number of sources up to which two queues are faster; more sources fill
 * the device. */
#define BESIDE_MOST 300000

int fmm_gpu_queues(const struct task *task)
{
    if (!task->device)
        return 0;
    if (task->options.device.queues)
        return task->options.device.queues;
    /* over ranks near pairs fill the device while far boxes are exchanged */
    return task->links.ranks > 0 || task->problem.n_sources < BESIDE_MOST ? 2
                                                                          : 1;
}

void fmm_gpu_forget(struct fmm_gpu *g)
{
    if (g)
        graph_clear(&g->recording);
}

void fmm_gpu_destroy(struct fmm_gpu *g)
{
    if (!g)
        return;
    struct buf *all[] = {
        &g->q,          &g->potential, &g->field,        &g->near_potential,
        &g->near_field, &g->multipole, &g->local,        &g->x,
        &g->y,          &g->boxes,     &g->leaf,         &g->target_leaf,
        &g->fact,       &g->record,    &g->target_boxes, &g->at,
        &g->known,
    };
    graph_clear(&g->recording);
    fmm_gpu_ranks_destroy(g->ranks);
    second_stream_clear(&g->aside);
    gpu_arrays_clear(&g->given);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
    for (int w = 0; g->has_watches && w < FMM_WATCHES; w++)
        stopwatch_clear(&g->watch[w]);
    fmm_gpu_exclude_clear(&g->exclude);
    fmm_gpu_clustering_destroy(g->lists);
    fmm_gpu_clustering_destroy(g->dense);
    if (g->jit.device)
        jit_clear(&g->jit);
    if (g->facts_jit.device)
        jit_clear(&g->facts_jit);
    mem_free(g);
}

static farsum_status gpu_kernels(struct fmm_gpu *g,
                                 const farsum_problem *problem)
{
    farsum_precision precision = problem->precision;
    struct {
        struct jit *jit;
        const char *name;
        struct kernel *kernel;
    } all[] = {
        {&g->jit, "fmm_place", &g->place},
        {&g->jit, "fmm_cells", &g->cells},
        {&g->jit, "fmm_apart", &g->apart},
        {&g->jit, "fmm_fold", &g->fold},
        {&g->jit, "fmm_leaf", &g->leaves},
        {&g->jit, "fmm_count", &g->count},
        {&g->jit, "fmm_clustering", &g->clustering},
        {&g->jit, "fmm_coincident", &g->coincident},
        {&g->jit, "fmm_in", &g->in},
        {&g->jit, "fmm_out", &g->out},
        {&g->jit, "fmm_totals", &g->totals},
        {&g->jit, "fmm_at", &g->at_kernel},
        {&g->jit, "fmm_give", &g->give},
        {&g->jit, "fmm_range", &g->range},
        {&g->facts_jit, "spectral_strengths", &g->strengths},
        {&g->facts_jit, "spectral_dipole", &g->dipole},
        {&g->facts_jit, "spectral_fold", &g->dipole_fold},
        {&g->facts_jit, "spectral_coincident_end", &g->coincident_end},
    };
    jit_begin(&g->jit, g->device, "method/fmm/device/sums.k", precision);
    jit_define(&g->jit, "GROUP", "%d", FMM_GROUP);
    jit_define(&g->jit, "TEAM", "%d", FMM_TEAM);
    jit_define(&g->jit, "VIRIAL", "%d",
               (problem->outputs & FARSUM_VIRIAL) != 0);
    TRY(jit_build(&g->jit));
    jit_begin(&g->facts_jit, g->device, "method/spectral/device.k", precision);
    jit_define(&g->facts_jit, "GROUP", "%d", FMM_GROUP);
    TRY(jit_build(&g->facts_jit));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        TRY(jit_kernel(all[i].jit, all[i].name, FMM_GROUP, 0, all[i].kernel));
    return FARSUM_OK;
}

farsum_status fmm_gpu_create(const struct task *task, struct fmm *s)
{
    struct fmm_gpu *g = NULL;
    double fact[FMM_FACTS] = {0};
    TRY(MEM_NEW(g, 1));
    s->gpu = g;
    g->device = task->device;
    TRY(gpu_kernels(g, &task->problem));
    g->beside = fmm_gpu_queues(task) > 1;
    if (g->beside)
        TRY(second_stream_create(&g->aside, g->device));
    fact[FMM_FACT_BAD] = fact[FMM_FACT_TWIN] = fact[FMM_FACT_RANGE] = -1;
    fact[FMM_FACT_UNIT] = 1;
    TRY(buf_alloc(&g->fact, g->device, sizeof fact));
    TRY(buf_upload(&g->fact, 0, fact, sizeof fact));
    TRY(buf_alloc(&g->record, g->device, 8 * FMM_RECORD * FMM_RECORDS));
    TRY(buf_alloc(&g->known, g->device, 8 * FMM_KNOWN * FMM_RECORDS));
    g->has_watches = 1;
    for (int w = 0; w < FMM_WATCHES; w++)
        TRY(stopwatch_create(&g->watch[w], g->device));
    TRY(points_gpu_create(g->device, &s->source.gpu));
    if (task->problem.n_targets > 0)
        TRY(points_gpu_create(g->device, &s->target.gpu));
    return fmm_gpu_ahead(task, s);
}
