/* copy.c: a transform of the host for a mesh on a device. */
#include "stage/fft/copy.h"

#include "base/mem.h"
#include "stage/gpu.h"

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
                           void (*transform)(void *state, void *data,
                                             int backward),
                           void *state)
{
    int64_t bytes = fft_mesh_bytes(args);
    if (!args->device) {
        transform(state, io->data, io->backward);
        return FARSUM_OK;
    }
    TRY(buf_download(io->data, 0, copy->mesh, bytes));
    transform(state, copy->mesh, io->backward);
    return buf_upload(io->data, 0, copy->mesh, bytes);
}
