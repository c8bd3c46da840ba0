/* SPDX-License-Identifier: Apache-2.0 */
/* jit_late.c: modules compiled by other threads, and their kernels. */
#include "device/compile/jit_late.h"

#include "base/mem.h"
#include "base/progress.h"
#include "device/compile/parallel.h"
#include "device/compile/jit.h"

#include <stdio.h>
#include <string.h>

struct jit_late {
    struct jit_late *next; /* next unsettled module of the device */
    struct device *device; /* borrowed */
    const char *file;      /* borrowed */
    struct compile *one;   /* owned; NULL: settled */
    void *module;
    farsum_status status;
    char *message; /* owned; set if the status is a failure */
    int n;
    struct {
        char name[KERNEL_NAME];
        int64_t arena;
        void *handle;
    } kernel[JIT_KERNELS];
};

static void late_leave(struct jit_late *late)
{
    struct jit_late **at = &late->device->late;
    while (*at && *at != late)
        at = &(*at)->next;
    if (*at)
        *at = late->next;
    late->next = NULL;
    compile_release(late->one);
    late->one = NULL;
}

farsum_status jit_late_start(struct device *device, const char *file,
                             const struct cache_key *key,
                             struct jit_late **late)
{
    farsum_status status = FARSUM_OK;
    struct jit_late *l = NULL, **at = &device->late;
    TRY(MEM_NEW(l, 1));
    l->device = device;
    l->file = file;
    GO(compile_start(device, key, &l->one));
    while (*at)
        at = &(*at)->next;
    *at = l;
    *late = l;
    l = NULL;
done:
    mem_free(l);
    return status;
}

/* Loads the binary.  The driver may no longer accept a cached one; then the
 * text is compiled again. */
static farsum_status late_load(struct jit_late *late)
{
    farsum_status status = FARSUM_OK;
    struct device *d = late->device;
    struct compile_result found;
    void *binary = NULL;
    int64_t bytes = 0;
    TRY(compile_result(late->one, &found));
    status = d->backend->load(d, found.binary, found.bytes, &late->module);
    if (status == FARSUM_OK || !found.cached)
        return status;
    GO(compile_again(late->one, d, &binary, &bytes));
    GO(d->backend->load(d, binary, bytes, &late->module));
done:
    mem_free(binary);
    return status;
}

static farsum_status late_kernels(struct jit_late *late, int from)
{
    struct device *d = late->device;
    for (int i = from; i < late->n; i++)
        TRY(d->backend->kernel(d, late->module, late->kernel[i].name,
                               late->kernel[i].arena,
                               &late->kernel[i].handle));
    return FARSUM_OK;
}

static farsum_status late_failed(struct jit_late *late, farsum_status status)
{
    int64_t bytes = (int64_t)strlen(farsum_message()) + 1;
    late->status = status;
    if (MEM_RAW(late->message, bytes) == FARSUM_OK)
        snprintf(late->message, (size_t)bytes, "%s", farsum_message());
    return status;
}

farsum_status jit_late_settle(struct jit_late *late)
{
    farsum_status status;
    if (late->status != FARSUM_OK)
        return status_fail(late->status, "%s",
                           late->message ? late->message : late->file);
    if (!late->one)
        return FARSUM_OK;
    while (!compile_done(late->one)) {
        TRY(progress_step(0, 0, "compiling %s", late->file));
        compile_wait(late->one);
    }
    status = late_load(late);
    if (status != FARSUM_OK)
        status = status_prefix(status, "%s on %s", late->file,
                               late->device->name);
    else
        status = late_kernels(late, 0);
    if (status != FARSUM_OK)
        status = late_failed(late, status);
    late_leave(late);
    return status;
}

farsum_status jit_late_kernel(struct jit_late *late, const char *name,
                              int64_t arena, int *slot)
{
    if (late->n == JIT_KERNELS)
        FAIL(ERR_INTERNAL, "%s: more than %d kernels", late->file,
             JIT_KERNELS);
    *slot = late->n++;
    snprintf(late->kernel[*slot].name, KERNEL_NAME, "%s", name);
    late->kernel[*slot].arena = arena;
    return late->one ? FARSUM_OK : late_kernels(late, *slot);
}

farsum_status jit_late_handle(struct jit_late *late, int slot, void **handle)
{
    if (late->one || late->status != FARSUM_OK)
        TRY(jit_late_settle(late));
    *handle = late->kernel[slot].handle;
    return FARSUM_OK;
}

void jit_late_destroy(struct jit_late *late)
{
    if (!late)
        return;
    struct device *d = late->device;
    late_leave(late);
    for (int i = 0; i < late->n; i++)
        if (late->kernel[i].handle)
            d->backend->release_kernel(d, late->kernel[i].handle);
    if (late->module) {
        d->backend->unload(d, late->module);
        d->unloaded++;
    }
    mem_free(late->message);
    mem_free(late);
}
