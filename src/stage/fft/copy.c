/* SPDX-License-Identifier: Apache-2.0 */
/* copy.c: host transforms for meshes on the host or a device. */
#include "stage/fft/copy.h"

#include "base/mem.h"
#include "stage/device.h"

int64_t fft_mesh_bytes(const struct fft_args *args)
{
    return args->mesh[0] * args->mesh[1] * args->ldz
           * gpu_real(args->precision);
}

/* Lines or planes per copy. */
static int fft_copy_count(const struct fft_args *args)
{
    enum { AT_ONCE = 1 << 20 };
    int most = fft_batch(args, 0) > fft_batch(args, 1) ? fft_batch(args, 0)
                                                       : fft_batch(args, 1);
    int64_t step = fft_step(args) * gpu_real(args->precision);
    int64_t count = args->mesh[0] == 1 ? AT_ONCE / step : 1;
    count = count < 1 ? 1 : count;
    return count < most ? (int)count : most;
}

/* Bytes of so many meshes. */
static int64_t fft_copy_span(const struct fft_args *args, int count)
{
    return (count - 1) * fft_step(args) * gpu_real(args->precision)
           + fft_mesh_bytes(args);
}

farsum_status fft_copy_create(struct fft_copy *copy,
                              const struct fft_args *args)
{
    copy->mesh = NULL;
    if (!args->device)
        return FARSUM_OK;
    copy->count = fft_copy_count(args);
    return mem_alloc(&copy->mesh, fft_copy_span(args, copy->count), 1, 0);
}

void fft_copy_clear(struct fft_copy *copy)
{
    mem_free(copy->mesh);
    copy->mesh = NULL;
}

int64_t fft_copy_bytes(const struct fft_args *args)
{
    return args->device ? fft_copy_span(args, fft_copy_count(args)) : 0;
}

double fft_copy_cost(const struct fft_args *args)
{
    /* memory that is not pinned, over PCIe */
    double rate = 6e9;
    return args->device ? 2 * (double)fft_mesh_bytes(args) / rate + 4e-5 : 0;
}

farsum_status fft_copy_run(const struct fft_copy *copy,
                           const struct fft_args *args, const struct fft_io *io,
                           fft_transform *transform, void *state)
{
    int64_t step = fft_step(args) * gpu_real(args->precision);
    int count = fft_batch(args, io->backward);
    if (!args->device)
        transform(state, io->data, count, io->backward);
    for (int k = 0; args->device && k < count; k += copy->count) {
        int n = count - k < copy->count ? count - k : copy->count;
        int64_t bytes = fft_copy_span(args, n);
        TRY(buf_download(io->data, k * step, copy->mesh, bytes));
        transform(state, copy->mesh, n, io->backward);
        TRY(buf_upload(io->data, k * step, copy->mesh, bytes));
    }
    return FARSUM_OK;
}
