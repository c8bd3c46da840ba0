/* SPDX-License-Identifier: Apache-2.0 */
/* device_exclusions.c: upload of a plan's exclusions to a device. */
#include "method/staging/device_exclusions.h"

void gpu_excluded_clear(struct gpu_excluded *x)
{
    buf_clear(&x->target);
    buf_clear(&x->start);
    buf_clear(&x->source);
    buf_clear(&x->lost);
}

int gpu_excluded_same(const struct gpu_excluded *x, const struct task *task)
{
    return x->version == task->exclusions.version;
}

static farsum_status excluded_upload(struct buf *buf, struct device *device,
                                     const void *from, int64_t count)
{
    TRY(buf_reserve(buf, device, 8 * count));
    return buf_upload(buf, 0, from, 8 * count);
}

farsum_status gpu_excluded_send(struct gpu_excluded *x, struct device *device,
                                const struct exclusions *e)
{
    x->version = 0;
    if (e->rows > 0) {
        TRY(device_finish(device));
        TRY(excluded_upload(&x->target, device, e->target, e->rows));
        TRY(excluded_upload(&x->start, device, e->start, e->rows + 1));
        TRY(excluded_upload(&x->source, device, e->source, e->entries));
        TRY(excluded_upload(&x->lost, device, e->lost, e->entries));
    }
    x->rows = e->rows;
    x->version = e->version;
    return FARSUM_OK;
}

farsum_status gpu_excluded_ready(const struct gpu_excluded *x,
                                 const struct task *task, int found)
{
    if (gpu_excluded_same(x, task) && (found || x->rows == 0))
        return FARSUM_OK;
    FAIL(ERR_STATE, "the exclusions did not reach the device: set them again");
}
