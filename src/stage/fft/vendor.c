/* SPDX-License-Identifier: Apache-2.0 */
/* vendor.c: common code of cufft and hipfft. */
#include "stage/fft/vendor.h"

#include <string.h>

#include "base/mem.h"
#include "device/driver/driver.h"
#include "device/graph.h"
#include "stage/fft/copy.h"
#include "stage/device.h"

farsum_status vendor_fits(const struct vendor_calls *calls,
                          const struct fft_args *args)
{
    void *api[VENDOR_API];
    TRY(gpu_wanted(args->device));
    if (strcmp(args->device->backend->name, calls->backend) != 0)
        FAIL(ERR_UNSUPPORTED, "%s runs only on %s; this plan uses device %s",
             calls->name, calls->backend, args->device->name);
    if (calls->open(api) != FARSUM_OK)
        return status_prefix(FARSUM_ERR_UNSUPPORTED, "%s", calls->name);
    return FARSUM_OK;
}

/* Meshes per library call, a divisor of the number in a run.  Small meshes are
 * transformed together, since the launches dominate.  For large ones that gains
 * nothing, and one mesh's work area suffices.  Planes and lines go together:
 * a prime number of them would be that many calls. */
static int vendor_count(const struct fft_args *args, int backward)
{
    enum { AT_ONCE = 1 << 27 };
    int all = fft_batch(args, backward), count = all;
    while (count > 1 && args->mesh[0] > 1
           && (all % count != 0 || count * fft_mesh_bytes(args) > AT_ONCE))
        count--;
    return count;
}

/* A guess: the libraries report it when the plan is made. */
int64_t vendor_bytes(const struct fft_args *args)
{
    int there = vendor_count(args, 0), back = vendor_count(args, 1);
    return (there > back ? there : back) * fft_mesh_bytes(args) + (1 << 16);
}

/* The libraries' error numbers, which are equal; only those that can occur. */
static farsum_status vendor_status(const struct vendor *v, int error,
                                   const char *what)
{
    static const char *const words[] = {
        "success",          "invalid plan",
        "out of memory",    "invalid type",
        "invalid value",    "internal error",
        "execution failed", "set-up failed",
        "unsupported size", "data are not aligned"};
    if (error == 0)
        return FARSUM_OK;
    int known = error > 0 && error < (int)(sizeof words / sizeof *words);
    return status_fail(error == 2   ? FARSUM_ERR_MEMORY
                       : error == 8 ? FARSUM_ERR_UNSUPPORTED
                                    : FARSUM_ERR_DEVICE,
                       "%s on %s: %s: error %d (%s)", v->calls->name,
                       v->args.device->name, what, error,
                       known ? words[error] : "unknown error");
}

static void vendor_shape(struct vendor *v)
{
    struct vendor_shape *s = &v->shape;
    for (int d = 0; d < 3; d++)
        s->n[d] = s->real[d] = s->half[d] = v->args.mesh[d];
    while (s->first < 2 && s->n[s->first] == 1)
        s->first++;
    s->real[2] = v->args.is_complex ? v->args.ldz / 2 : v->args.ldz;
    s->half[2] = v->args.ldz / 2;
    s->halves = fft_step(&v->args) / 2;
    s->reals = v->args.is_complex ? s->halves : 2 * s->halves;
    for (int b = 0; b < 2; b++)
        v->count[b] = vendor_count(&v->args, b);
}

/* Makes both plans; the context is current. */
static farsum_status vendor_plans(struct vendor *v, void *stream)
{
    size_t most = 0;
    for (int b = 0; b < 2; b++) {
        size_t bytes = 0;
        TRY(vendor_status(v, v->calls->make(v, b, stream, &bytes),
                          "making a plan"));
        most = bytes > most ? bytes : most;
    }
    TRY(buf_alloc(&v->work, v->args.device, (int64_t)most));
    for (int b = 0; b < 2; b++)
        TRY(vendor_status(v, v->calls->area(v, b, v->work.handle),
                          "giving a plan its memory"));
    return FARSUM_OK;
}

farsum_status vendor_create(const struct vendor_calls *calls,
                            const struct fft_args *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct vendor *v = NULL;
    struct driver *driver = args->device->inside;
    int before = 0;
    GO(MEM_NEW(v, 1));
    v->calls = calls;
    v->args = *args;
    v->stream = driver->queue;
    vendor_shape(v);
    GO(calls->open(v->api));
    GO(driver_enter(driver, &before));
    status = vendor_plans(v, driver->queue);
    farsum_status left = driver_leave(driver, before, 0, "");
    GO(status != FARSUM_OK ? status : left);
    *state = v;
    v = NULL;
done:
    vendor_destroy(v);
    return status;
}

farsum_status vendor_run(void *state, const void *io)
{
    struct vendor *v = state;
    const struct fft_io *f = io;
    struct driver *driver = v->args.device->inside;
    const struct buf *mesh = f->data;
    int before = 0, error = 0;
    int64_t step = fft_step(&v->args) * gpu_real(v->args.precision);
    const int64_t call[] = {(int64_t)(uintptr_t)v, f->backward,
                            (int64_t)(uintptr_t)mesh->handle};
    if (graph_notes(v->args.device, call, sizeof call))
        return FARSUM_OK;
    TRY(driver_enter(driver, &before));
    /* a graph is captured in another stream */
    for (int b = 0; b < 2 && error == 0 && v->stream != driver->queue; b++)
        error = v->calls->move(v, b, driver->queue);
    if (error == 0)
        v->stream = driver->queue;
    for (int k = 0; error == 0 && k < fft_batch(&v->args, f->backward);
         k += v->count[f->backward])
        error = v->calls->run(v, f->backward,
                              (char *)mesh->handle + k * step);
    TRY(driver_leave(driver, before, 0, ""));
    return vendor_status(v, error, "a transform");
}

void vendor_destroy(void *state)
{
    struct vendor *v = state;
    int before = 0;
    if (!v)
        return;
    struct driver *driver = v->args.device->inside;
    if (driver_enter(driver, &before) == FARSUM_OK) {
        for (int b = 0; b < 2; b++)
            if (v->made[b])
                v->calls->destroy(v, b);
        if (driver_leave(driver, before, 0, "") != FARSUM_OK)
            before = 0; /* errors can no longer be handled */
    }
    buf_clear(&v->work);
    mem_free(v);
}
