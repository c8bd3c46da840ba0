/* SPDX-License-Identifier: Apache-2.0 */
/* device_sum.c: sums of small systems by waves on a device. */
#include <math.h>
#include <string.h>

#include "base/arrays.h"
#include "base/mem.h"
#include "base/scale.h"
#include "batch/device.h"
#include "points/wrap.h"

/* As in batch/waves.kh, waves.k and near.k. */
enum { TARGETS = 32, SLOTS = 8, PART = 8, MODE_BYTES = 48 };
enum { BY_PAIRS_F32, BY_PAIRS_F64, BY_MODES, BY_TARGETS };
enum {
    R_UNIT,
    R_NET,
    R_Q2,
    R_WAVES,
    R_BAD_X,
    R_BAD_Q,
    R_MET,
    R_RANGE,
    R_FORCE,
    R_VALUE,
    R_ROUGH,
    R_ENERGY,
    R_ALL,
    R_SQUARES
};

/* One call: blocks of each kernel, and totals. */
struct run {
    struct farsum_batch *b;
    const int64_t *list;
    int64_t count, blocks[BATCH_STARTS], modes, parts;
    int rhs;
    struct batch_gpu_io io;
    struct waves_args args;
};

static void run_system(struct run *run, struct waves_system *w, int64_t index)
{
    const struct batch_system *s = &run->b->system[index];
    const struct batch_choice *c = &s->now;
    double rc = c->rc, per = batch_coulomb(run->b) / rc, length = 0;
    int64_t modes = 1, targets = (s->n + TARGETS - 1) / TARGETS;
    *w = (struct waves_system){
        .first = s->first,
        .n = s->n,
        .index = index,
        .per = ldexp(1, -s->length),
        .length = s->length,
        .coulomb = scale_exponent(fabs(run->b->problem.coulomb)),
    };
    for (int d = 0; d < 9; d++) {
        w->a[d] = s->cell.a[d] / rc;
        w->inv[d] = s->cell.inv[d] * rc;
        w->given_inv[d] = s->cell.inv[d];
        length = fmax(length, fabs(w->a[d]));
    }
    length *= 2 * POINTS_SAME;
    w->same = c->f32 ? 0 : length * length;
    w->volume = s->cell.volume / (rc * rc * rc);
    w->c = c->level->c;
    w->background = 4 * M_PI * c->level->curvature / w->volume;
    w->potential = per;
    w->field = per / rc;
    w->level = batch_level_index(c->level);
    w->terms = c->level->poly.n;
    int reach[3];
    batch_reach(&s->cell, rc, reach);
    for (int d = 0; d < 3; d++) {
        w->reach[d] = reach[d];
        w->most[d] = c->most[d];
        modes *= 2 * c->most[d] + 1;
    }
    modes = (modes - 1) / 2;
    const int64_t blocks[BATCH_STARTS] = {
        c->f32 ? targets : 0, c->f32 ? 0 : targets, (modes + SLOTS - 1) / SLOTS,
        (s->n + SLOTS - 1) / SLOTS};
    for (int k = 0; k < BATCH_STARTS; k++) {
        w->start[k] = run->blocks[k];
        run->blocks[k] += blocks[k];
    }
    w->mode = run->modes;
    w->part = run->parts;
    run->modes += modes;
    run->parts += targets;
}

/* The table of systems, and room for their sums. */
static farsum_status run_begin(struct run *run)
{
    struct farsum_batch *b = run->b;
    struct batch_gpu *gpu = b->gpu;
    int64_t bytes = run->count * (int64_t)sizeof *gpu->systems;
    int64_t records = run->count * run->rhs;
    TRY(MEM_RESERVE(gpu->systems, &gpu->systems_have, run->count));
    TRY(MEM_RESERVE(gpu->records, &gpu->records_have, records));
    for (int64_t i = 0; i < run->count; i++) {
        TRY(batch_gpu_level(b, b->system[run->list[i]].now.level));
        run_system(run, &gpu->systems[i], run->list[i]);
    }
    TRY(batch_gpu_room(gpu, &gpu->system, bytes));
    TRY(batch_gpu_room(gpu, &gpu->s, b->sources * 24));
    TRY(batch_gpu_room(gpu, &gpu->q, b->sources * 8));
    TRY(batch_gpu_room(gpu, &gpu->value, b->sources * 32));
    TRY(batch_gpu_room(gpu, &gpu->mode, run->modes * MODE_BYTES));
    TRY(batch_gpu_room(gpu, &gpu->part, run->parts * PART * 8));
    TRY(batch_gpu_room(gpu, &gpu->record, records * BATCH_RECORD * 8));
    return buf_upload(&gpu->system, 0, gpu->systems, bytes);
}

/* The caller's arrays, or room for those of a caller on the host. */
static farsum_status run_arrays(struct run *run, const void *q,
                                const farsum_result *out)
{
    const struct farsum_batch *b = run->b;
    struct batch_gpu *gpu = b->gpu;
    int64_t size = array_size(b->problem.arrays), n = run->rhs * b->sources;
    int64_t systems = run->rhs * b->systems;
    int device = b->problem.memory == FARSUM_DEVICE;
    const struct {
        struct buf *to, *stage;
        const void *given;
        int64_t bytes;
        const char *what;
    } all[] = {
        {&run->io.q, &gpu->given_q, q, n * size, "strengths"},
        {&run->io.potential, &gpu->out[0], out->potential, n * size,
         "potential"},
        {&run->io.field, &gpu->out[1], out->field, 3 * n * size, "field"},
        {&run->io.energy, &gpu->out[2], out->energy, 8 * systems, "energy"},
        {&run->io.virial, &gpu->out[3], out->virial, 72 * systems, "virial"},
    };
    for (int i = 0; i < 5; i++) {
        if (!all[i].given) {
            *all[i].to = gpu->record; /* not written */
        } else if (device) {
            TRY(buf_given(all[i].to, gpu->device, all[i].given, all[i].bytes,
                          all[i].what));
        } else {
            TRY(buf_given_host(gpu->device, all[i].given, all[i].bytes,
                               all[i].what));
            TRY(batch_gpu_room(gpu, all[i].stage, all[i].bytes));
            *all[i].to = *all[i].stage;
        }
    }
    run->args = (struct waves_args){
        .none = HUGE_VAL,
        .far_away = POINTS_FAR_AWAY,
        .same = POINTS_SAME,
        .systems = run->count,
        .sources = b->sources,
        .wide = b->problem.arrays != FARSUM_F32,
        .together = b->problem.exclude_coincident,
        .potential = out->potential != NULL,
        .field = out->field != NULL,
        .energy = out->energy != NULL,
        .virial = out->virial != NULL,
    };
    return device ? FARSUM_OK : buf_upload(&run->io.q, 0, q, n * size);
}

static farsum_status run_launch(struct run *run, int r)
{
    struct batch_gpu *gpu = run->b->gpu;
    struct batch_gpu_io *io = &run->io;
    struct waves_args args = run->args;
    const struct arg systems = ARG_BUF(&gpu->system);
    args.first_q = r * run->b->sources;
    args.first_system = r * run->b->systems;
    args.first_record = r * run->count;
    TRY(LAUNCH(&gpu->begin, run->count, systems, ARG_BUF(&gpu->tables),
               ARG_BUF(&gpu->x), ARG_BUF(&gpu->x), ARG_BUF(&io->q),
               ARG_BUF(&io->q), ARG_BUF(&gpu->s), ARG_BUF(&gpu->q),
               ARG_BUF(&gpu->mode), ARG_BUF(&gpu->record), ARG_STRUCT(args)));
    for (int f32 = 0; f32 < 2; f32++) {
        int64_t blocks = run->blocks[f32 ? BY_PAIRS_F32 : BY_PAIRS_F64];
        if (blocks > 0)
            TRY(LAUNCH(&gpu->pairs[f32], blocks, systems, ARG_BUF(&gpu->tables),
                       ARG_BUF(&gpu->s), ARG_BUF(&gpu->q), ARG_BUF(&gpu->value),
                       ARG_BUF(&gpu->part), ARG_STRUCT(args)));
    }
    if (run->blocks[BY_MODES] > 0)
        TRY(LAUNCH(&gpu->factors, run->blocks[BY_MODES], systems,
                   ARG_BUF(&gpu->s), ARG_BUF(&gpu->q), ARG_BUF(&gpu->mode),
                   ARG_BUF(&gpu->record), ARG_STRUCT(args)));
    TRY(LAUNCH(&gpu->targets, run->blocks[BY_TARGETS], systems,
               ARG_BUF(&gpu->s), ARG_BUF(&gpu->mode), ARG_BUF(&gpu->record),
               ARG_BUF(&gpu->value), ARG_STRUCT(args)));
    return LAUNCH(&gpu->end, run->count, systems, ARG_BUF(&gpu->q),
                  ARG_BUF(&gpu->value), ARG_BUF(&gpu->mode),
                  ARG_BUF(&gpu->part), ARG_BUF(&gpu->record),
                  ARG_BUF(&io->potential), ARG_BUF(&io->potential),
                  ARG_BUF(&io->field), ARG_BUF(&io->field),
                  ARG_BUF(&io->energy), ARG_BUF(&io->virial), ARG_STRUCT(args));
}

/* Number i of the caller's array, a copy of which is on the device. */
static farsum_status run_number(const struct run *run, const struct buf *buf,
                                int64_t i, double *value)
{
    farsum_precision type = run->b->problem.arrays;
    union {
        float f32;
        double f64;
    } got;
    TRY(buf_download(buf, i * array_size(type), &got, array_size(type)));
    *value = type == FARSUM_F32 ? (double)got.f32 : got.f64;
    return FARSUM_OK;
}

/* The fault of a system in right-hand side r. */
static farsum_status run_check(const struct run *run,
                               const struct batch_system *s, int r,
                               const double *record)
{
    double x[3];
    if (isfinite(record[R_BAD_X])) {
        int64_t i = (int64_t)record[R_BAD_X];
        for (int d = 0; d < 3; d++)
            TRY(run_number(run, &run->b->gpu->x, 3 * (s->first + i) + d,
                           &x[d]));
        return points_bad(x, i, "source");
    }
    if (isfinite(record[R_BAD_Q])) {
        int64_t i = (int64_t)record[R_BAD_Q];
        TRY(run_number(run, &run->io.q, r * run->b->sources + s->first + i, x));
        return batch_bad_strength(i, r, x[0]);
    }
    if (isfinite(record[R_MET]) && !run->args.together) {
        int64_t key = (int64_t)record[R_MET];
        return points_coincide(key / s->n, key % s->n, 1);
    }
    if (isfinite(record[R_RANGE]))
        return batch_bad_result((int64_t)record[R_RANGE]);
    return batch_check_energy(record[R_ENERGY]);
}

static void run_system_end(const struct run *run, int64_t at)
{
    struct batch_system *s = &run->b->system[run->list[at]];
    s->method = "waves";
    s->error = 0;
    s->sums++;
    for (int r = 0; r < run->rhs; r++) {
        const double *record = run->b->gpu->records[r * run->count + at];
        farsum_status status = run_check(run, s, r, record);
        if (status != FARSUM_OK) {
            batch_fail(run->b, &run->b->faults[1], s, status);
            return;
        }
        double n = (double)s->n;
        const struct batch_found found = {.unit = record[R_UNIT],
                                          .q2 = record[R_Q2],
                                          .force = record[R_FORCE] / n,
                                          .value = record[R_VALUE] / n,
                                          .rough = record[R_ROUGH],
                                          .all = record[R_ALL],
                                          .squares = record[R_SQUARES]};
        s->waves = (int64_t)record[R_WAVES];
        batch_estimate(run->b, s, &found);
    }
}

/* Copies results of systems without fault to a caller on the host. */
static farsum_status run_download(const struct run *run, const struct buf *from,
                                  void *to, int64_t size, int by_system)
{
    const struct farsum_batch *b = run->b;
    int64_t all = by_system ? b->systems : b->sources;
    farsum_status status;
    char *got = NULL;
    if (!to)
        return FARSUM_OK;
    TRY(MEM_RAW(got, run->rhs * all * size));
    GO(buf_download(from, 0, got, run->rhs * all * size));
    for (int64_t i = 0; i < run->count; i++) {
        const struct batch_system *s = &b->system[run->list[i]];
        for (int r = 0; r < run->rhs && s->status == FARSUM_OK; r++) {
            int64_t at = r * all + (by_system ? run->list[i] : s->first);
            memcpy((char *)to + at * size, got + at * size,
                   (size_t)((by_system ? 1 : s->n) * size));
        }
    }
done:
    mem_free(got);
    return status;
}

farsum_status batch_gpu_waves(struct farsum_batch *b, const int64_t *list,
                              int64_t count, int rhs, const void *q,
                              const farsum_result *out)
{
    struct run run = {.b = b, .list = list, .count = count, .rhs = rhs};
    int64_t size = array_size(b->problem.arrays);
    if (count == 0)
        return FARSUM_OK;
    TRY(run_begin(&run));
    TRY(run_arrays(&run, q, out));
    for (int r = 0; r < rhs; r++)
        TRY(run_launch(&run, r));
    TRY(buf_download(&b->gpu->record, 0, b->gpu->records,
                     rhs * count * (int64_t)sizeof *b->gpu->records));
    for (int64_t i = 0; i < count; i++)
        run_system_end(&run, i);
    if (b->problem.memory == FARSUM_DEVICE)
        return FARSUM_OK;
    TRY(run_download(&run, &run.io.potential, out->potential, size, 0));
    TRY(run_download(&run, &run.io.field, out->field, 3 * size, 0));
    TRY(run_download(&run, &run.io.energy, out->energy, 8, 1));
    return run_download(&run, &run.io.virial, out->virial, 72, 1);
}
