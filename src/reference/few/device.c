/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: kernel launches of device.h, and the host's part of the sums. */
#include "reference/few/device.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "reference/few/device_state.h"

enum { GROUP = 128, TARGETS = 16 }; /* as in device.k */
/* GROUPS: thread blocks per multiprocessor that a launch aims at.  LEAST:
 * minimum number of sources in a slice.  BLOCK: sources in shared memory.
 * LOCAL_MOST: bytes that they may take. */
enum { GROUPS = 16, LEAST = 64, BLOCK = 32, LOCAL_MOST = 48 * 1024 };
/* A sum on the device: slices of `count` numbers each, and their total. */
struct piece {
    struct buf part, total; /* owned */
    int64_t count;
};

/* State of one sum. */
struct work {
    const struct few_device *of;
    const struct reference_kind *kind;
    const struct few_device_kernels *kernels;
    struct few_device_split split; /* owned; unset in open space */
    struct few_args args;
    struct piece near, modes, moments; /* owned */
    struct buf y, image, tile;         /* owned */
};

farsum_status few_device_fits(const struct task *task, double accuracy)
{
    if (!task->device || !task->device->properties.f64)
        FAIL(ERR_UNSUPPORTED, "no device with f64");
    if (!few_device_kind(task))
        FAIL(ERR_UNSUPPORTED, "does not know kernel %s", task->pair.name);
    if (task_axes(task) % 3 != 0)
        FAIL(ERR_UNSUPPORTED, "%d periodic axes", task_axes(task));
    if (task_axes(task) > 0 && task->problem.softening > 0)
        FAIL(ERR_UNSUPPORTED, "no softening in periodic cells");
    if (task_axes(task) > 0 && accuracy < FEW_DEVICE_BEST)
        FAIL(ERR_TOLERANCE, "tolerance %g is below %g", accuracy,
             FEW_DEVICE_BEST);
    return FARSUM_OK;
}

void few_device_close(struct few_device_kernels *k)
{
    if (k->jit.device)
        jit_clear(&k->jit);
    *k = (struct few_device_kernels){.width = 0};
}

/* Bytes of shared memory for the factors of a block of sources. */
static int64_t modes_capacity(const struct device *device)
{
    return device->properties.local < LOCAL_MOST ? device->properties.local
                                                 : LOCAL_MOST;
}

farsum_status few_device_open(const struct task *task, int width,
                              struct few_device_kernels *k)
{
    int periodic = task_axes(task) > 0;
    int64_t capacity = modes_capacity(task->device);
    struct jit *jit = &k->jit;
    few_device_close(k);
    jit_begin(jit, task->device, "reference/few/device.k", FARSUM_F64);
    jit_define(jit, "GROUP", "%d", GROUP);
    jit_define(jit, "PAIR", "%s", task->pair.name);
    jit_define(jit, "STRENGTHS", "%d", task->pair.strengths);
    jit_define(jit, "CHANNELS", "%d", few_device_kind(task)->channels);
    jit_define(jit, "VALUES", "%d", width);
    jit_define(jit, "PERIODIC", "%d", periodic);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "few_near", GROUP, 0, &k->near));
    TRY(jit_kernel(jit, "few_fold", GROUP, 0, &k->fold));
    TRY(jit_kernel(jit, "few_rows", GROUP, 0, &k->rows));
    if (periodic) {
        TRY(jit_kernel(jit, "few_moments", GROUP, 0, &k->moments));
        TRY(jit_kernel(jit, "few_modes", GROUP, capacity, &k->modes));
    }
    k->width = width;
    return FARSUM_OK;
}

/* Divides the sources into slices of `groups` thread blocks each.  Sets *slices
 * and args.each, and allocates `count` sums per slice. */
static farsum_status piece_begin(struct work *w, struct piece *p,
                                 int64_t groups, int64_t count, int64_t *slices)
{
    struct device *device = w->of->task->device;
    int64_t n = w->args.n, units = device->properties.units;
    int64_t s = (GROUPS * (units > 1 ? units : 1) + groups - 1) / groups;
    if (s > (n + LEAST - 1) / LEAST)
        s = (n + LEAST - 1) / LEAST;
    w->args.each = (n + s - 1) / s;
    *slices = (n + w->args.each - 1) / w->args.each;
    p->count = count;
    TRY(buf_reserve(&p->part, device, 8 * *slices * count));
    return buf_reserve(&p->total, device, 8 * count);
}

static farsum_status piece_fold(struct work *w, struct piece *p, int64_t slices)
{
    const struct kernel *fold = &w->kernels->fold;
    return LAUNCH(fold, kernel_groups(fold, p->count), ARG_BUF(&p->part),
                  ARG_BUF(&p->total), ARG_I64(p->count), ARG_I64(slices));
}

/* Sets *total to the totals, allocated by mem_alloc; the caller owns them.
 * Waits for the device. */
static farsum_status piece_take(struct piece *p, double **total)
{
    TRY(MEM_RAW(*total, p->count));
    return buf_download(&p->total, 0, *total, 8 * p->count);
}

static void piece_clear(struct piece *p)
{
    buf_clear(&p->part);
    buf_clear(&p->total);
}

static farsum_status send(struct buf *to, struct device *device,
                          const void *from, int64_t bytes)
{
    TRY(buf_reserve(to, device, bytes));
    return buf_upload(to, 0, from, bytes);
}

/* Sends targets, images and tiles to the device.  Sets their counts in args. */
static farsum_status work_send(struct work *w)
{
    const struct few_device *of = w->of;
    struct device *device = of->task->device;
    struct few_args *a = &w->args;
    const struct ewald_body *b = &w->split.body;
    double zero[3] = {0}, *image = NULL;
    int32_t(*tile)[3] = NULL;
    farsum_status status = FARSUM_OK;
    a->images = 1;
    GO(send(&w->y, device, of->y, 24 * of->m));
    if (!w->split.of) {
        GO(send(&w->image, device, zero, sizeof zero));
        return FARSUM_OK;
    }
    a->images = few_device_images(&b->lattice, b->info.cutoff, NULL);
    a->tiles = few_device_tiles(&b->modes, NULL);
    GO(MEM_RAW(image, 3 * a->images));
    GO(MEM_RAW(tile, a->tiles));
    few_device_images(&b->lattice, b->info.cutoff, image);
    few_device_tiles(&b->modes, tile);
    GO(send(&w->image, device, image, 24 * a->images));
    GO(send(&w->tile, device, tile, 12 * a->tiles));
done:
    mem_free(image);
    mem_free(tile);
    return status;
}

/* ---- pairs */

static farsum_status near_begin(struct work *w)
{
    const struct few_device *of = w->of;
    int64_t groups = (of->m + TARGETS - 1) / TARGETS, slices;
    TRY(piece_begin(w, &w->near, groups, of->m * of->width, &slices));
    TRY(LAUNCH(&w->kernels->near, slices * groups, ARG_BUF(of->x),
               ARG_BUF(of->x), ARG_BUF(of->q), ARG_BUF(of->q), ARG_BUF(&w->y),
               ARG_BUF(&w->image), ARG_BUF(&w->near.part),
               ARG_STRUCT(w->args)));
    return piece_fold(w, &w->near, slices);
}

static farsum_status near_end(struct work *w, double *values)
{
    double *total = NULL;
    farsum_status status = piece_take(&w->near, &total);
    for (int64_t k = 0; status == FARSUM_OK && k < w->near.count; k++)
        values[k] += total[k];
    mem_free(total);
    return status;
}

/* ---- the mode k = 0 */

static farsum_status mean_begin(struct work *w)
{
    const struct few_device *of = w->of;
    int64_t slices;
    if (!w->kind->mean)
        return FARSUM_OK;
    TRY(piece_begin(w, &w->moments, 1, 4 * w->kind->channels, &slices));
    TRY(LAUNCH(&w->kernels->moments, slices, ARG_BUF(of->x), ARG_BUF(of->x),
               ARG_BUF(of->q), ARG_BUF(of->q), ARG_BUF(&w->moments.part),
               ARG_STRUCT(w->args)));
    return piece_fold(w, &w->moments, slices);
}

/* Adds the mode k = 0 and the boundary term at infinity at the targets. */
static farsum_status mean_end(struct work *w, double *values)
{
    double *total = NULL;
    long double sum[REFERENCE_CHANNELS][4];
    if (!w->kind->mean)
        return FARSUM_OK;
    TRY(piece_take(&w->moments, &total));
    for (int64_t k = 0; k < w->moments.count; k++)
        sum[k / 4][k % 4] = total[k];
    mem_free(total);
    few_device_mean(&w->split, sum, values);
    return FARSUM_OK;
}

/* ---- modes */

/* Starts the sums over the sources of the channels times e^{-ik.y}. */
static farsum_status modes_begin(struct work *w)
{
    const struct few_device *of = w->of;
    struct device *device = of->task->device;
    struct few_args *a = &w->args;
    struct kernel kernel = w->kernels->modes;
    int channels = w->kind->channels;
    int64_t words = a->most[0] + a->most[1] + a->most[2] + 2 + MODES, slices;
    int64_t capacity = modes_capacity(device);
    int64_t groups = kernel_groups(&kernel, a->tiles) * channels;
    int64_t count = (int64_t)SUMS * a->tiles * channels;
    a->block = (int32_t)(capacity / (16 * words));
    a->block = a->block < BLOCK ? a->block : BLOCK;
    if (a->block < 1)
        FAIL(ERR_UNSUPPORTED, "%lld factors of a source are too many for %s",
             (long long)words, device->name);
    TRY(piece_begin(w, &w->modes, groups, count, &slices));
    kernel.arena = 16 * words * a->block;
    TRY(LAUNCH(&kernel, slices * groups, ARG_BUF(of->x), ARG_BUF(of->x),
               ARG_BUF(of->q), ARG_BUF(of->q), ARG_BUF(&w->tile),
               ARG_BUF(&w->modes.part), ARG_STRUCT(*a)));
    return piece_fold(w, &w->modes, slices);
}

/* Sets values to the modes' sums at the targets. */
static farsum_status modes_end(struct work *w, double *values)
{
    struct ewald_job *job = &w->split.body.job;
    const struct ewald_modes *modes = job->modes;
    int channels = w->kind->channels;
    double *total = NULL, *sums = job->sums;
    TRY(piece_take(&w->modes, &total));
    memset(sums, 0, (size_t)(channels * modes->entries) * 8 * sizeof *sums);
    for (int c = 0; c < channels; c++)
        few_device_spread(modes, w->args.tiles,
                          total + w->modes.count / channels * c,
                          sums + 8 * c * modes->entries);
    mem_free(total);
    ewald_any_far(job, w->of->task->isa, values);
    return FARSUM_OK;
}

farsum_status few_device_sum(const struct few_device *of,
                             const struct few_device_kernels *kernels,
                             double *values)
{
    farsum_status status = FARSUM_OK;
    struct work w = {
        .of = of, .kind = few_device_kind(of->task), .kernels = kernels};
    int periodic = task_axes(of->task) > 0;
    memset(values, 0, (size_t)(of->m * of->width) * sizeof *values);
    if (periodic) {
        w.split.of = of;
        w.split.kind = w.kind;
        GO(few_device_split(&w.split));
    }
    few_device_args(of, periodic ? &w.split.body : NULL, &w.args);
    GO(work_send(&w));
    if (periodic) {
        GO(modes_begin(&w));
        GO(mean_begin(&w));
    }
    GO(near_begin(&w));
    if (periodic) { /* while the device sums pairs */
        GO(modes_end(&w, values));
        GO(mean_end(&w, values));
    }
    GO(near_end(&w, values));
done:
    piece_clear(&w.near);
    piece_clear(&w.modes);
    piece_clear(&w.moments);
    buf_clear(&w.y);
    buf_clear(&w.image);
    buf_clear(&w.tile);
    if (w.split.of)
        ewald_body_close(&w.split.body);
    return status;
}

farsum_status few_device_rows(const struct task *task,
                              const struct few_device_kernels *kernels,
                              const struct buf *from, int width, int64_t m,
                              const int64_t *index, double *to)
{
    farsum_status status = FARSUM_OK;
    struct buf at = {0}, rows = {0};
    int32_t wide = task->problem.arrays != FARSUM_F32;
    GO(send(&at, task->device, index, 8 * m));
    GO(buf_reserve(&rows, task->device, 8 * m * width));
    GO(LAUNCH(&kernels->rows, kernel_groups(&kernels->rows, m * width),
              ARG_BUF(from), ARG_BUF(from), ARG_BUF(&at), ARG_BUF(&rows),
              ARG_I64(m), ARG_I32(width), ARG_I32(wide)));
    GO(buf_download(&rows, 0, to, 8 * m * width));
done:
    buf_clear(&at);
    buf_clear(&rows);
    return status;
}
