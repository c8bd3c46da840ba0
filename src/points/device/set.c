/* SPDX-License-Identifier: Apache-2.0 */
/* set.c: wrapping positions into the cell on a device. */
#include "points/device/set.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "points/device/columns.h"
#include "points/device/ordering.h"
#include "points/device/sort_state.h"
#include "points/wrap.h"

/* As in points/device/set.k. */
struct set_args {
    struct gpu_given given;
    double none;
    int64_t n;
    int32_t serial, spare, placed, box;
};
_Static_assert(sizeof(struct set_args) == 176, "as the kernel has it");

enum { BAD = 12 }; /* index in a record of the first bad point */

farsum_status points_gpu_create(struct device *device, struct points_gpu **made)
{
    farsum_status status = FARSUM_OK;
    struct points_gpu *p = NULL;
    GO(MEM_NEW(p, 1));
    p->device = device;
    GO(MEM_NEW(p->inside, 1));
    struct gpu_inside *in = p->inside;
    in->few = GPU_FEW;
    in->few_groups = GPU_FEW_GROUPS;
    GO(MEM_NEW(in->record, GPU_RECORDS * GPU_RECORD));
    jit_begin(&in->set_jit, device, "points/device/set.k", FARSUM_F64);
    jit_define(&in->set_jit, "GROUP", "%d", GPU_GROUP);
    GO(jit_build(&in->set_jit));
    GO(jit_kernel(&in->set_jit, "points_set", GPU_GROUP, 0, &in->set));
    GO(buf_alloc(&in->flag, device, sizeof(int32_t)));
    GO(buf_fill(&in->flag, 0));
    *made = p;
done:
    if (status != FARSUM_OK)
        points_gpu_destroy(p);
    return status;
}

void points_gpu_destroy(struct points_gpu *p)
{
    if (!p)
        return;
    struct gpu_inside *in = p->inside;
    gpu_columns_forget(p);
    if (in) {
        gpu_scan_destroy(in->scan);
        for (int i = 0; i < 2; i++) {
            buf_clear(&in->key[i]);
            buf_clear(&in->index[i]);
        }
        buf_clear(&in->hist);
        buf_clear(&in->other);
        buf_clear(&in->packed);
        buf_clear(&in->stage);
        buf_clear(&in->filling);
        buf_clear(&in->records);
        buf_clear(&in->flag);
        mem_free(in->record);
        for (int i = 0; i < 2; i++)
            if (in->radix[i].jit.device)
                jit_clear(&in->radix[i].jit);
        if (in->count_jit.device)
            jit_clear(&in->count_jit);
        if (in->set_jit.device)
            jit_clear(&in->set_jit);
    }
    mem_free(in);
    gpu_orderings_clear(p);
    buf_clear(&p->s);
    buf_clear(&p->x);
    mem_free(p);
}

static farsum_status gpu_size(int64_t n, const char *what)
{
    if (n < 0 || n > GPU_POINTS_MOST)
        FAIL(ERR_ARGUMENT, "%lld %ss: a device takes 0 to %lld", (long long)n,
             what, (long long)GPU_POINTS_MOST);
    return FARSUM_OK;
}

static int64_t gpu_bytes(int64_t n, farsum_precision arrays)
{
    return 3 * n * (arrays == FARSUM_F32 ? 4 : 8);
}

/* Processes p->x.  placed: writes fractions to s.  box: finds the bounding box
 * of the points. */
static farsum_status gpu_set(struct points_gpu *p, int64_t n, int placed,
                             int box)
{
    struct gpu_inside *in = p->inside;
    int64_t groups = kernel_groups(&in->set, n);
    int64_t most = 8 * (int64_t)p->device->properties.units;
    if (most > GPU_RECORDS)
        most = GPU_RECORDS;
    if (groups > most)
        groups = most > 1 ? most : 1;
    if (placed)
        TRY(buf_reserve(&p->s, p->device, gpu_bytes(n, FARSUM_F64)));
    TRY(buf_reserve(&in->records, p->device,
                    groups * GPU_RECORD * (int64_t)sizeof(double)));
    struct set_args args = {.given = p->given,
                            .none = HUGE_VAL,
                            .n = n,
                            .serial = gpu_serial(p),
                            .placed = placed,
                            .box = box};
    TRY(LAUNCH(&in->set, groups, ARG_BUF(&p->x), ARG_BUF(&p->x),
               ARG_BUF(placed ? &p->s : &in->records), ARG_BUF(&in->records),
               ARG_BUF(&in->flag), ARG_STRUCT(args)));
    in->groups = groups;
    in->looked = in->listed = 1;
    in->boxed = box;
    in->recorded = 0;
    p->placed = placed;
    return FARSUM_OK;
}

farsum_status points_gpu_look(struct points_gpu *p, const struct cell *cell,
                              int64_t n, const struct buf *x,
                              farsum_precision arrays, const char *what)
{
    struct gpu_inside *in = p->inside;
    TRY(gpu_size(n, what));
    if (!x->device || x->bytes < gpu_bytes(n, arrays))
        FAIL(ERR_ARGUMENT,
             "%s positions: %lld bytes are wanted, the buffer "
             "has %lld",
             what, (long long)gpu_bytes(n, arrays),
             (long long)(x->device ? x->bytes : 0));
    p->version++;
    p->given = (struct gpu_given){.kind = GPU_GIVEN_CELL,
                                  .wide = arrays != FARSUM_F32,
                                  .far_away = POINTS_FAR_AWAY,
                                  .unit = cell->unit};
    memcpy(p->given.inv, cell->inv, sizeof cell->inv);
    buf_borrow(&p->x, x->device, x->handle, x->bytes);
    in->looked = in->listed = in->boxed = p->placed = 0;
    p->n = n;
    snprintf(in->what, sizeof in->what, "%s", what);
    return FARSUM_OK;
}

static farsum_status gpu_given(struct points_gpu *p, const struct cell *cell,
                               int64_t n, const struct buf *x,
                               farsum_precision arrays, const char *what,
                               int box)
{
    TRY(points_gpu_look(p, cell, n, x, arrays, what));
    p->n = 0;
    TRY(gpu_set(p, n, 1, box));
    p->n = n;
    return FARSUM_OK;
}

farsum_status points_gpu_set_device(struct points_gpu *p,
                                    const struct cell *cell, int64_t n,
                                    const struct buf *x,
                                    farsum_precision arrays, const char *what)
{
    return gpu_given(p, cell, n, x, arrays, what, 0);
}

farsum_status points_gpu_fractions(struct points_gpu *p)
{
    return p->placed ? FARSUM_OK : gpu_set(p, p->n, 1, p->inside->boxed);
}

int32_t points_gpu_flag(struct points_gpu *p, const struct buf **flag)
{
    p->inside->looked = 1;
    *flag = &p->inside->flag;
    return gpu_serial(p);
}

farsum_status points_gpu_set(struct points_gpu *p, const struct cell *cell,
                             int64_t n, const void *x, farsum_precision arrays,
                             const char *what)
{
    TRY(gpu_size(n, what));
    struct buf *stage = &p->inside->stage;
    TRY(buf_reserve(stage, p->device, gpu_bytes(n, FARSUM_F64)));
    TRY(buf_upload(stage, 0, x, gpu_bytes(n, arrays)));
    TRY(gpu_given(p, cell, n, stage, arrays, what, 1));
    return points_gpu_check(p);
}

/* Reads the records of the last set into inside->record. */
static farsum_status gpu_records(struct points_gpu *p)
{
    struct gpu_inside *in = p->inside;
    if (p->version == 0)
        FAIL(ERR_STATE, "no positions were set");
    if (in->recorded == p->version)
        return FARSUM_OK;
    TRY(buf_download(&in->records, 0, in->record,
                     in->groups * GPU_RECORD * (int64_t)sizeof(double)));
    in->recorded = p->version;
    return FARSUM_OK;
}

farsum_status points_gpu_check(struct points_gpu *p)
{
    struct gpu_inside *in = p->inside;
    int32_t flag = 0;
    if (in->checked == p->version)
        return FARSUM_OK;
    if (p->version > 0 && !in->looked)
        TRY(gpu_set(p, p->n, 0, 0));
    TRY(buf_download(&in->flag, 0, &flag, sizeof flag));
    if (flag != gpu_serial(p)) {
        in->checked = p->version;
        return FARSUM_OK;
    }
    if (!in->listed)
        TRY(gpu_set(p, p->n, p->placed, 0));
    TRY(gpu_records(p));
    const double *first = in->record;
    for (int64_t g = 1; g < in->groups; g++)
        if (in->record[g * GPU_RECORD + BAD] < first[BAD])
            first = in->record + g * GPU_RECORD;
    return points_bad(first + BAD + 1, (int64_t)first[BAD], in->what);
}

farsum_status points_gpu_box(struct points_gpu *p, struct gpu_box *box)
{
    struct gpu_inside *in = p->inside;
    double least[BAD];
    if (p->version > 0 && !in->boxed)
        TRY(gpu_set(p, p->n, p->placed, 1));
    TRY(gpu_records(p));
    for (int q = 0; q < BAD; q++) {
        least[q] = HUGE_VAL;
        for (int64_t g = 0; g < in->groups; g++)
            least[q] = fmin(least[q], in->record[g * GPU_RECORD + q]);
    }
    for (int d = 0; d < 3; d++) {
        box->lo[d] = least[d];
        box->hi[d] = -least[3 + d];
        box->s_lo[d] = least[6 + d];
        box->s_hi[d] = -least[9 + d];
    }
    return FARSUM_OK;
}
