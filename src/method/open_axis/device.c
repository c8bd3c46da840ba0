/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: launches of device.k. */
#include "method/open_axis/device.h"

#include <string.h>

#include "base/mem.h"
#include "method/open_axis/inside.h"
#include "method/spectral/device_ranks.h"
#include "points/device/set.h"

/* BLOCKS: thread blocks that keep a device busy; LEAST: points of a block that
 * are worth a block. */
enum {
    GROUP = 256,
    MODE = 7,
    SUMS = 8,
    RECORD = 3,
    BLOCKS = 1024,
    LEAST = 4 * GROUP
};

/* Must equal the struct in method/open_axis/device.k. */
struct open_frame {
    double normal[3], low, extent, edge, cutoff, per, none, wave[2][3];
    int64_t n, targets, count, parts;
    int32_t wide, no_trace;
    struct open_mean mean;
};
_Static_assert(sizeof(struct open_frame) == 208, "as the kernels have it");

struct gpu_open_axis {
    struct jit jit;
    struct kernel places, gather, sums, scatter, pull, fold, end;
    struct buf place, target_place; /* [3][points] */
    struct buf mode, part, sum, record;
    struct buf sums_all;       /* over ranks: the sums of each */
    struct buf pull_of, pulls; /* open_pull's total: of this rank, of each */
    struct open_frame frame;
};

void gpu_open_axis_destroy(struct gpu_open_axis *o)
{
    if (!o)
        return;
    buf_clear(&o->place);
    buf_clear(&o->target_place);
    buf_clear(&o->sums_all);
    buf_clear(&o->pull_of);
    buf_clear(&o->pulls);
    buf_clear(&o->mode);
    buf_clear(&o->part);
    buf_clear(&o->sum);
    buf_clear(&o->record);
    if (o->jit.device)
        jit_clear(&o->jit);
    mem_free(o);
}

farsum_status gpu_open_axis_create(struct spectral_gpu *g,
                                   farsum_precision type)
{
    TRY(MEM_NEW(g->open_axis, 1));
    struct gpu_open_axis *o = g->open_axis;
    struct {
        const char *name;
        struct kernel *kernel;
    } all[] = {
        {"open_places", &o->places}, {"open_gather", &o->gather},
        {"open_sums", &o->sums},     {"open_scatter", &o->scatter},
        {"open_pull", &o->pull},     {"open_fold", &o->fold},
        {"open_end", &o->end},
    };
    jit_begin(&o->jit, g->device, "method/open_axis/device.k", type);
    jit_define(&o->jit, "GROUP", "%d", GROUP);
    TRY(jit_build(&o->jit));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        TRY(jit_kernel(&o->jit, all[i].name, GROUP, 0, all[i].kernel));
    return buf_alloc(&o->record, g->device, 8 * RECORD * SUM_RECORDS);
}

/* Places n points, and widens *low and *high. */
static farsum_status places(struct spectral_gpu *g, const struct buf *x,
                            int64_t n, struct buf *place, double *low,
                            double *high)
{
    struct gpu_open_axis *o = g->open_axis;
    double record[2 * SUM_RECORDS];
    int64_t groups = gpu_records(&o->places, n);
    if (n == 0)
        return FARSUM_OK;
    TRY(buf_reserve(place, g->device, 24 * n));
    TRY(LAUNCH(&o->places, groups, ARG_BUF(x), ARG_BUF(x), ARG_BUF(place),
               ARG_BUF(&o->record), ARG_I64(n), ARG_STRUCT(o->frame)));
    TRY(buf_download(&o->record, 0, record, 16 * groups));
    for (int64_t k = 0; k < groups; k++) {
        *low = fmin(*low, record[2 * k]);
        *high = fmax(*high, -record[2 * k + 1]);
    }
    return FARSUM_OK;
}

/* Uploads the modes, and reserves their sums. */
static farsum_status modes_send(struct spectral_gpu *g,
                                const struct open_axis *b)
{
    struct gpu_open_axis *o = g->open_axis;
    struct open_frame *f = &o->frame;
    int64_t parts = BLOCKS / (b->count + 1), most = f->n / LEAST;
    f->count = b->count;
    f->parts = parts < most ? parts : most;
    f->parts = f->parts > 1 ? f->parts : 1;
    double *rows = NULL;
    TRY(MEM_RAW(rows, MODE * (b->count + 1)));
    for (int64_t k = 0; k < b->count; k++) {
        const struct open_mode *m = b->mode + k;
        const double row[MODE] = {m->n[0], m->n[1], m->k[0], m->k[1],
                                  m->k[2], m->size, m->front};
        memcpy(rows + MODE * k, row, sizeof row);
    }
    farsum_status status =
        buf_reserve(&o->mode, g->device, 8 * MODE * (b->count + 1));
    if (status == FARSUM_OK && b->count > 0)
        status = buf_upload(&o->mode, 0, rows, 8 * MODE * b->count);
    mem_free(rows);
    TRY(status);
    TRY(buf_reserve(&o->sum, g->device, 8 * SUMS * (b->count + 1)));
    return buf_reserve(&o->part, g->device,
                       8 * SUMS * (b->count + 1) * f->parts);
}

/* Reserves memory for the exchanges of the ranks' sums. */
static farsum_status ranks_reserve(struct spectral_gpu *g, int64_t count)
{
    struct gpu_open_axis *o = g->open_axis;
    int64_t bytes = 8 * SUMS * (count + 1);
    if (!g->ranks)
        return FARSUM_OK;
    int size = g->ranks->comm->size;
    TRY(buf_reserve(&o->sums_all, g->device, size * bytes));
    TRY(buf_reserve(&o->pull_of, g->device, 8 * RECORD));
    TRY(buf_reserve(&o->pulls, g->device, 8 * RECORD * size));
    return transport_reserve(g->ranks->transport, bytes, size * bytes);
}

/* What each rank does before the extents of all are known. */
static farsum_status points_begin(const struct task *task, struct spectral *s,
                                  int64_t n, int64_t m, double *low,
                                  double *high)
{
    struct spectral_gpu *g = s->gpu;
    struct gpu_open_axis *o = g->open_axis;
    int apart = g->ranks ? spectral_apart(s) : m > 0;
    struct cell cell;
    if (!g->ranks) /* over ranks they have been checked */
        TRY(points_gpu_check(s->source.gpu));
    if (!g->ranks && m > 0)
        TRY(points_gpu_check(s->target.gpu));
    TRY(open_axis_begin(task, s));
    struct open_axis *b = s->open_axis;
    o->frame = (struct open_frame){.edge = b->edge,
                                   .cutoff = s->parameters.rc,
                                   .per = task_per(task),
                                   .none = HUGE_VAL,
                                   .n = n,
                                   .targets = apart ? m : n,
                                   .wide = task->problem.arrays != FARSUM_F32,
                                   .no_trace = task->pair.kind->screened
                                               || task->problem.softening > 0};
    memcpy(o->frame.normal, b->normal, sizeof b->normal);
    cell_scale(&cell, &s->parameters.cell, s->parameters.rc);
    for (int k = 0; k < 6; k++)
        o->frame.wave[k / 3][k % 3] = cell.inv[3 * (k % 3) + b->row[k / 3]];
    TRY(places(g, &g->x, n, &o->place, low, high));
    return places(g, &g->y, m, &o->target_place, low, high);
}

/* What follows from the extents. */
static farsum_status points_end(const struct task *task, struct spectral *s,
                                double low, double high)
{
    struct open_frame *f = &s->gpu->open_axis->frame;
    struct open_axis *b = s->open_axis;
    TRY(open_axis_extent(task, s, low, high));
    f->low = b->low;
    f->extent = b->extent;
    f->mean = b->mean;
    TRY(modes_send(s->gpu, b));
    return ranks_reserve(s->gpu, b->count);
}

farsum_status gpu_open_axis_set_points(const struct task *task,
                                       struct spectral *s, int64_t n, int64_t m)
{
    double low = INFINITY, high = -INFINITY;
    TRY(task_agree(task, points_begin(task, s, n, m, &low, &high)));
    double ends[2] = {-low, high};
    TRY(task_max(task, ends, 2));
    return task_agree(task, points_end(task, s, -ends[0], ends[1]));
}

/* Sums the strengths for each mode, over all ranks. */
static farsum_status sums_run(struct spectral *s)
{
    struct spectral_gpu *g = s->gpu;
    struct gpu_open_axis *o = g->open_axis;
    const struct open_frame *f = &o->frame;
    farsum_status status = FARSUM_OK;
    const struct buf *none = &o->record;
    int64_t all = SUMS * (f->count + 1), groups = gpu_records(&o->sums, all);
    KEEP_ON(LAUNCH(&o->gather, (f->count + 1) * f->parts,
                   ARG_BUF(f->n > 0 ? &o->place : none),
                   ARG_BUF(f->n > 0 ? &g->q : none), ARG_BUF(&o->mode),
                   ARG_BUF(&o->part), ARG_STRUCT(*f)));
    KEEP_ON(LAUNCH(&o->sums, groups, ARG_BUF(&o->part), ARG_BUF(&o->sum),
                   ARG_I64(f->parts), ARG_I64(SUMS * f->parts), ARG_I64(SUMS),
                   ARG_STRUCT(*f)));
    if (!g->ranks)
        return status;
    KEEP_ON(
        transport_gather(g->ranks->transport, &o->sum, &o->sums_all, 8 * all));
    KEEP_ON(LAUNCH(&o->sums, groups, ARG_BUF(&o->sums_all), ARG_BUF(&o->sum),
                   ARG_I64(g->ranks->comm->size), ARG_I64(SUMS), ARG_I64(all),
                   ARG_STRUCT(*f)));
    return status;
}

/* Sums q E z for the virial.  *record, *records: where it is. */
static farsum_status pull_run(struct spectral *s,
                              const struct spectral_units *u,
                              const struct buf **record, int64_t *records)
{
    struct spectral_gpu *g = s->gpu;
    struct gpu_open_axis *o = g->open_axis;
    const struct open_frame *f = &o->frame;
    farsum_status status = FARSUM_OK;
    const struct buf *none = &o->record;
    *records = gpu_records(&o->pull, f->n);
    *record = &o->record;
    KEEP_ON(LAUNCH(&o->pull, *records, ARG_BUF(f->n > 0 ? &o->place : none),
                   ARG_BUF(f->n > 0 ? &g->q : none),
                   ARG_BUF(f->n > 0 ? &g->field : none),
                   ARG_BUF(u->beside ? &g->near_field : none),
                   ARG_I32(u->beside), ARG_BUF(&o->record), ARG_STRUCT(*f)));
    if (!g->ranks)
        return status;
    KEEP_ON(LAUNCH(&o->fold, 1, ARG_BUF(&o->record), ARG_I64(*records),
                   ARG_BUF(&o->pull_of)));
    KEEP_ON(transport_gather(g->ranks->transport, &o->pull_of, &o->pulls,
                             8 * RECORD));
    *record = &o->pulls;
    *records = g->ranks->comm->size;
    return status;
}

farsum_status gpu_open_axis_add(struct spectral *s,
                                const struct spectral_units *u)
{
    struct spectral_gpu *g = s->gpu;
    struct gpu_open_axis *o = g->open_axis;
    const struct open_frame *f = &o->frame;
    farsum_status status = FARSUM_OK;
    const struct buf *none = &o->record, *record = none;
    const struct buf *place = u->apart ? &o->target_place : &o->place;
    int64_t records = 1;
    KEEP_ON(sums_run(s));
    if ((u->potential || u->field) && f->targets > 0)
        KEEP_ON(LAUNCH(&o->scatter, kernel_groups(&o->scatter, f->targets),
                       ARG_BUF(place), ARG_BUF(&o->mode), ARG_BUF(&o->sum),
                       ARG_BUF(u->potential ? &g->potential : none),
                       ARG_BUF(u->field ? &g->field : none),
                       ARG_I32(u->potential), ARG_I32(u->field),
                       ARG_STRUCT(*f)));
    if (!u->energy)
        return status;
    if (u->virial)
        KEEP_ON(pull_run(s, u, &record, &records));
    KEEP_ON(LAUNCH(
        &o->end, 1, ARG_BUF(&o->mode), ARG_BUF(&o->sum), ARG_BUF(record),
        ARG_I64(records), ARG_BUF(&g->fact), ARG_BUF(&g->energy_sum),
        ARG_BUF(&g->virial_sum), ARG_BUF(u->beside ? &g->near_energy : none),
        ARG_BUF(u->beside ? &g->near_virial : none), ARG_F64(u->background),
        ARG_I32(u->virial), ARG_I32(u->beside), ARG_STRUCT(*f)));
    return status;
}
