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

farsum_status fft_copy_create(struct fft_copy *copy,
                              const struct fft_args *args)
{
    copy->mesh = NULL;
    if (!args->device)
        return FARSUM_OK;
    return mem_alloc(&copy->mesh, fft_mesh_bytes(args), 1, 0);
}

void fft_copy_clear(struct fft_copy *copy)
{
    mem_free(copy->mesh);
    copy->mesh = NULL;
}

int64_t fft_copy_bytes(const struct fft_args *args)
{
    return args->device ? fft_mesh_bytes(args) : 0;
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
    int64_t bytes = fft_mesh_bytes(args);
    int64_t step = fft_step(args) * gpu_real(args->precision);
    int count = fft_batch(args, io->backward);
    if (!args->device)
        transform(state, io->data, count, io->backward);
    for (int k = 0; args->device && k < count; k++) {
        TRY(buf_download(io->data, k * step, copy->mesh, bytes));
        transform(state, copy->mesh, 1, io->backward);
        TRY(buf_upload(io->data, k * step, copy->mesh, bytes));
    }
    return FARSUM_OK;
}
