/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_cut.c: cuts of a mesh for ranks. */
#include "method/spectral/ranks_cut.h"

#include <math.h>

#include "base/mem.h"

/* Planes along an axis on each side of a part: within the cutoff, and half of
 * the window.  slack: 1, or a factor on the cutoff's planes. */
static int64_t cut_halo(const struct parameters *t, int d, double slack)
{
    int64_t near =
        (int64_t)ceil(slack * (double)t->mesh[d] / t->cell.height[d]) + 1;
    int64_t window = t->window.support / 2 + 2;
    return near > window ? near : window;
}

/* The columns of the spectrum that are not 0, columns [mesh1]. */
static void cut_columns(const struct task *task, const struct parameters *t,
                        double slack, int64_t *columns)
{
    union stage_args args[STAGE_COUNT];
    struct split wider = t->split;
    struct scale_args *scale = &args[STAGE_SCALE].scale;
    parameters_args(t, task, args);
    wider.c *= slack;
    scale->split = &wider;
    scale_columns(scale, columns);
}

/* Cuts the rows of axis 1: on the host, which stores whole rows, into equal
 * parts; on devices, which store columns (ranks/device/slab.h), into parts with
 * about as many columns each. */
static void cut_rows(struct ranks_cut *cut, const struct task *task,
                     int64_t mesh1)
{
    int size = cut->domain.size;
    int64_t all = 0, below = 0, row = 0;
    for (int64_t i = 0; i < mesh1; i++)
        all += cut->columns[i];
    for (int r = 0; r <= size; r++) {
        if (!task->device || all == 0) {
            cut->begin1[r] = mesh1 * r / size;
            continue;
        }
        while (row < mesh1
               && size * (2 * below + cut->columns[row]) <= 2 * all * r)
            below += cut->columns[row++];
        cut->begin1[r] = r == size ? mesh1 : row;
    }
    cut->rows =
        cut->begin1[cut->domain.rank + 1] - cut->begin1[cut->domain.rank];
}

/* Modes k2 of this rank's spectrum: 0 for slabs, which have all. */
static int64_t cut_modes(const struct ranks_cut *cut)
{
    const struct domain *across = cut->domain.across;
    return across ? cut->begin2[across->rank + 1] - cut->begin2[across->rank]
                  : 0;
}

/* Cuts the modes k2 of pencils that columns have. */
static void cut_begin2(struct ranks_cut *cut, int64_t mesh1)
{
    int64_t most = 0;
    for (int64_t i = 0; i < mesh1; i++)
        most = cut->columns[i] > most ? cut->columns[i] : most;
    for (int r = 0; r <= cut->ranks[1]; r++)
        cut->begin2[r] = most * r / cut->ranks[1];
    if (cut->domain.across && cut_modes(cut) == 0)
        cut->rows = 0;
}

farsum_status ranks_cut_set(struct ranks_cut *cut, const struct task *task,
                            const struct parameters *t, int rank,
                            const int ranks[2], double slack,
                            const int64_t *begin)
{
    const int64_t halo[2] = {cut_halo(t, 0, slack), cut_halo(t, 1, slack)};
    const int64_t *const begins[2] = {begin, NULL};
    cut->slack = slack;
    cut->ranks[0] = ranks[0];
    cut->ranks[1] = ranks[1];
    TRY(MEM_NEW(cut->begin1, ranks[0] + 1));
    TRY(MEM_NEW(cut->begin2, ranks[1] + 1));
    TRY(MEM_NEW(cut->columns, t->mesh[1]));
    TRY(domain_create_pencils(&cut->domain, rank, ranks, t->mesh, halo,
                              begins));
    domain_cell(&cut->domain, &t->cell, &cut->own);
    scale_exchange(&cut->exchanged, &t->cell);
    cut_columns(task, t, slack, cut->columns);
    cut_rows(cut, task, t->mesh[1]);
    cut_begin2(cut, t->mesh[1]);
    return FARSUM_OK;
}

void ranks_cut_clear(struct ranks_cut *cut)
{
    mem_free(cut->begin1);
    mem_free(cut->begin2);
    mem_free(cut->columns);
    domain_destroy(&cut->domain);
}

/* Rows of a plane of this rank's mesh, with halos. */
static int64_t cut_extended(const struct ranks_cut *cut,
                            const struct parameters *t)
{
    const struct domain *across = cut->domain.across;
    return across ? domain_planes(across, across->rank) : t->mesh[1];
}

int64_t ranks_cut_plane(const struct ranks_cut *cut, const struct parameters *t)
{
    return cut_extended(cut, t) * t->ldz;
}

int64_t ranks_cut_channel(const struct ranks_cut *cut,
                          const struct parameters *t)
{
    return domain_planes(&cut->domain, cut->domain.rank)
           * ranks_cut_plane(cut, t);
}

int64_t ranks_cut_first(const struct ranks_cut *cut, const struct parameters *t)
{
    const struct domain *across = cut->domain.across;
    return cut->domain.halo * ranks_cut_plane(cut, t)
           + (across ? across->halo * t->ldz : 0);
}

int64_t ranks_cut_spectrum(const struct ranks_cut *cut,
                           const struct parameters *t)
{
    int64_t row = cut->domain.across ? 2 * cut_modes(cut) : t->ldz;
    return cut->rows * t->mesh[0] * row;
}

struct planes_args ranks_cut_planes(const struct ranks_cut *cut,
                                    const struct task *task,
                                    const struct parameters *t,
                                    struct comm *comm)
{
    const struct domain *across = cut->domain.across;
    struct planes_args args = {.comm = comm,
                               .begin = cut->domain.begin,
                               .halo = cut->domain.halo,
                               .plane = t->mesh[1] * t->ldz,
                               .channels = task->pair.channels,
                               .threads = task->threads,
                               .precision = task->problem.precision};
    if (!across)
        return args;
    args.group = group_axis(comm->rank, cut->ranks, 0);
    args.plane = (domain_planes(across, across->rank) - 2 * across->halo)
                 * t->ldz; /* of own rows only */
    args.step = ranks_cut_plane(cut, t);
    args.first = across->halo * t->ldz;
    args.blocks = 1;
    return args;
}

struct planes_args ranks_cut_rows(const struct ranks_cut *cut,
                                  const struct task *task,
                                  const struct parameters *t, struct comm *comm)
{
    struct planes_args args = ranks_cut_planes(cut, task, t, comm);
    const struct domain *domain = &cut->domain;
    int64_t planes = domain_planes(domain, domain->rank);
    args.begin = domain->across->begin;
    args.halo = domain->across->halo;
    args.group = group_axis(comm->rank, cut->ranks, 1);
    args.plane = args.step = t->ldz;
    args.first = 0;
    args.blocks = planes > 2 * domain->halo ? planes : 0;
    args.block_step = ranks_cut_plane(cut, t);
    return args;
}

struct slab_args ranks_cut_slab(const struct ranks_cut *cut,
                                const struct task *task,
                                const struct parameters *t, struct comm *comm)
{
    union stage_args args[STAGE_COUNT];
    parameters_args(t, task, args);
    return (struct slab_args){
        .comm = comm,
        .begin0 = cut->domain.begin,
        .begin1 = cut->begin1,
        .columns = cut->columns,
        .mesh = {t->mesh[0], t->mesh[1], t->mesh[2]},
        .ldz = t->ldz,
        .precision = task->problem.precision,
        .threads = task->threads,
        .patient = args[STAGE_FFT].fft.patient,
        .choose = {.name = t->choice[STAGE_FFT].row->name}};
}

struct pencil_args ranks_cut_pencil(const struct ranks_cut *cut,
                                    const struct task *task,
                                    const struct parameters *t,
                                    struct comm *comm)
{
    const struct domain *across = cut->domain.across;
    return (struct pencil_args){.slab = ranks_cut_slab(cut, task, t, comm),
                                .ranks = {cut->ranks[0], cut->ranks[1]},
                                .rows = across ? across->begin : NULL,
                                .modes = cut->begin2,
                                .plane = ranks_cut_plane(cut, t)};
}

/* The spectrum's args: rows with axes 0 and 1 exchanged on the host, whole ones
 * for slabs; columns on a device. */
static void cut_scale(const struct ranks_cut *cut, const struct task *task,
                      const struct parameters *t, struct scale_args *scale)
{
    scale->first = cut->begin1[cut->domain.rank];
    scale->count = cut->rows;
    if (task->device) {
        scale->columns = cut->columns;
        return;
    }
    scale->mesh[0] = t->mesh[1];
    scale->mesh[1] = t->mesh[0];
    scale->cell = &cut->exchanged;
    if (!cut->domain.across)
        return;
    scale->first2 = cut->begin2[cut->domain.across->rank];
    scale->count2 = cut_modes(cut);
    scale->ldz = 2 * scale->count2;
}

void ranks_cut_args(const struct ranks_cut *cut, const struct task *task,
                    const struct parameters *t,
                    union stage_args args[STAGE_COUNT])
{
    int size = cut->ranks[0] * cut->ranks[1];
    int pencils = cut->domain.across != NULL;
    int64_t planes = domain_planes(&cut->domain, cut->domain.rank);
    int64_t most = task->problem.n_sources / size + 1;
    int64_t targets = task->problem.n_targets;
    targets = targets > 0 ? targets / size + 1 : 0;
    parameters_args(t, task, args);
    args[STAGE_NEAR].near.cell = &cut->own;
    args[STAGE_NEAR].near.n_sources = most;
    args[STAGE_NEAR].near.n_targets = targets;
    args[STAGE_SPREAD].spread.mesh[0] = planes;
    args[STAGE_SPREAD].spread.mesh[1] = cut_extended(cut, t);
    args[STAGE_SPREAD].spread.open[0] = 1;
    args[STAGE_SPREAD].spread.open[1] = pencils;
    args[STAGE_SPREAD].spread.n = most;
    args[STAGE_INTERP].interp.mesh[0] = planes;
    args[STAGE_INTERP].interp.mesh[1] = cut_extended(cut, t);
    args[STAGE_INTERP].interp.open[0] = 1;
    args[STAGE_INTERP].interp.open[1] = pencils;
    args[STAGE_INTERP].interp.n = targets > 0 ? targets : most;
    args[STAGE_INTERP].interp.cell = &cut->own;
    cut_scale(cut, task, t, &args[STAGE_SCALE].scale);
}

void ranks_cut_cell(struct ranks_cut *cut, const struct task *task,
                    const struct parameters *t, const struct cell *cell)
{
    struct ranks_report *r = &task->report->ranks;
    const struct domain *domain = &cut->domain;
    double length = t->rc / task_per(task);
    domain_cell(domain, cell, &cut->own);
    scale_exchange(&cut->exchanged, cell);
    r->across = cut->ranks[1];
    for (int i = 0; i < 9; i++)
        r->cell[i] = cell->a[i] * length;
    for (int d = 0; d < 3; d++) {
        const struct domain *axis = d < 2 ? domain_axis(domain, d) : NULL;
        r->low[d] = 0;
        r->high[d] = 1;
        if (!axis)
            continue;
        double mesh = (double)axis->mesh0;
        r->low[d] = (double)axis->begin[axis->rank] / mesh;
        r->high[d] = (double)axis->begin[axis->rank + 1] / mesh;
    }
    if (domain_empty(domain))
        r->high[0] = r->low[0];
}

/* Sets *covers to 1 if the cut exchanges all that the cell of `trial` needs. */
static farsum_status cut_covers(const struct ranks_cut *cut,
                                const struct task *task,
                                const struct parameters *trial, int *covers)
{
    int64_t *columns = NULL;
    TRY(MEM_NEW(columns, trial->mesh[1]));
    *covers = cut_halo(trial, 0, 1) <= cut->domain.halo
              && (!cut->domain.across
                  || cut_halo(trial, 1, 1) <= cut->domain.across->halo);
    cut_columns(task, trial, 1, columns);
    for (int64_t i = 0; i < trial->mesh[1]; i++)
        *covers = *covers && columns[i] <= cut->columns[i];
    mem_free(columns);
    return FARSUM_OK;
}

farsum_status ranks_cut_follow(struct ranks_cut *cut, const struct task *task,
                               const struct parameters *trial, int *follows)
{
    int covers = 0;
    farsum_status status = cut_covers(cut, task, trial, &covers);
    TRY(comm_agree(task->comm, status));
    /* other machines may round differently */
    double lacks = !covers;
    TRY(comm_agree(task->comm, comm_max(task->comm, &lacks, 1)));
    *follows = lacks == 0;
    if (*follows)
        ranks_cut_cell(cut, task, trial, &trial->cell);
    return FARSUM_OK;
}
