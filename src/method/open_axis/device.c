/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: launches of device.k. */
#include "method/open_axis/device.h"

#include <string.h>

#include "base/mem.h"
#include "method/open_axis/inside.h"
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
    double normal[3], low, extent, edge, cutoff, per, none;
    int64_t n, targets, count, parts;
    int32_t row[2], wide, no_trace;
    struct open_mean mean;
};
_Static_assert(sizeof(struct open_frame) == 168, "as the kernels have it");

struct gpu_open_axis {
    struct jit jit;
    struct kernel heights, gather, sums, scatter, pull, end;
    struct buf z, target_z; /* x.normal, task's units */
    struct buf mode, part, sum, record;
    struct open_frame frame;
};

void gpu_open_axis_destroy(struct gpu_open_axis *o)
{
    if (!o)
        return;
    buf_clear(&o->z);
    buf_clear(&o->target_z);
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
        {"open_heights", &o->heights}, {"open_gather", &o->gather},
        {"open_sums", &o->sums},       {"open_scatter", &o->scatter},
        {"open_pull", &o->pull},       {"open_end", &o->end},
    };
    jit_begin(&o->jit, g->device, "method/open_axis/device.k", type);
    jit_define(&o->jit, "GROUP", "%d", GROUP);
    TRY(jit_build(&o->jit));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        TRY(jit_kernel(&o->jit, all[i].name, GROUP, 0, all[i].kernel));
    return buf_alloc(&o->record, g->device, 8 * RECORD * SUM_RECORDS);
}

/* Computes z of n points, and widens *low and *high. */
static farsum_status heights(struct spectral_gpu *g, const struct buf *x,
                             int64_t n, struct buf *z, double *low,
                             double *high)
{
    struct gpu_open_axis *o = g->open_axis;
    double record[2 * SUM_RECORDS];
    int64_t groups = gpu_records(&o->heights, n);
    TRY(buf_reserve(z, g->device, 8 * n));
    TRY(LAUNCH(&o->heights, groups, ARG_BUF(x), ARG_BUF(x), ARG_BUF(z),
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

farsum_status gpu_open_axis_set_points(const struct task *task,
                                       struct spectral *s, int64_t n, int64_t m)
{
    struct spectral_gpu *g = s->gpu;
    struct gpu_open_axis *o = g->open_axis;
    double low = INFINITY, high = -INFINITY;
    TRY(points_gpu_check(s->source.gpu));
    if (m > 0)
        TRY(points_gpu_check(s->target.gpu));
    TRY(open_axis_begin(task, s));
    struct open_axis *b = s->open_axis;
    o->frame = (struct open_frame){.edge = b->edge,
                                   .cutoff = s->parameters.rc,
                                   .per = task_per(task),
                                   .none = HUGE_VAL,
                                   .n = n,
                                   .targets = m > 0 ? m : n,
                                   .row = {b->row[0], b->row[1]},
                                   .wide = task->problem.arrays != FARSUM_F32,
                                   .no_trace = task->pair.kind->screened
                                               || task->problem.softening > 0};
    memcpy(o->frame.normal, b->normal, sizeof b->normal);
    TRY(heights(g, &g->x, n, &o->z, &low, &high));
    if (m > 0)
        TRY(heights(g, &g->y, m, &o->target_z, &low, &high));
    TRY(open_axis_extent(task, s, low, high));
    o->frame.low = b->low;
    o->frame.extent = b->extent;
    o->frame.mean = b->mean;
    return modes_send(g, b);
}

farsum_status gpu_open_axis_add(struct spectral *s,
                                const struct spectral_units *u)
{
    struct spectral_gpu *g = s->gpu;
    struct gpu_open_axis *o = g->open_axis;
    const struct open_frame *f = &o->frame;
    const struct buf *none = &o->record;
    const struct points *to = u->apart ? &s->target : &s->source;
    const struct buf *z = u->apart ? &o->target_z : &o->z;
    int64_t pulls = gpu_records(&o->pull, f->n);
    TRY(LAUNCH(&o->gather, (f->count + 1) * f->parts,
               ARG_BUF(&s->source.gpu->s), ARG_BUF(&o->z), ARG_BUF(&g->q),
               ARG_BUF(&o->mode), ARG_BUF(&o->part), ARG_STRUCT(*f)));
    TRY(LAUNCH(&o->sums, gpu_records(&o->sums, SUMS * (f->count + 1)),
               ARG_BUF(&o->part), ARG_BUF(&o->sum), ARG_STRUCT(*f)));
    if (u->potential || u->field)
        TRY(LAUNCH(&o->scatter, kernel_groups(&o->scatter, f->targets),
                   ARG_BUF(&to->gpu->s), ARG_BUF(z), ARG_BUF(&o->mode),
                   ARG_BUF(&o->sum),
                   ARG_BUF(u->potential ? &g->potential : none),
                   ARG_BUF(u->field ? &g->field : none), ARG_I32(u->potential),
                   ARG_I32(u->field), ARG_STRUCT(*f)));
    if (!u->energy)
        return FARSUM_OK;
    if (u->virial)
        TRY(LAUNCH(&o->pull, pulls, ARG_BUF(&o->z), ARG_BUF(&g->q),
                   ARG_BUF(&g->field),
                   ARG_BUF(u->beside ? &g->near_field : none),
                   ARG_I32(u->beside), ARG_BUF(&o->record), ARG_STRUCT(*f)));
    return LAUNCH(
        &o->end, 1, ARG_BUF(&o->mode), ARG_BUF(&o->sum), ARG_BUF(&o->record),
        ARG_I64(pulls), ARG_BUF(&g->fact), ARG_BUF(&g->energy_sum),
        ARG_BUF(&g->virial_sum), ARG_BUF(u->beside ? &g->near_energy : none),
        ARG_BUF(u->beside ? &g->near_virial : none), ARG_F64(u->background),
        ARG_I32(u->virial), ARG_I32(u->beside), ARG_STRUCT(*f));
}
