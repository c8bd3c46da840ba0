/* gpu_stream_mma: gpu_stream whose products, four particles at a time, are made
 * by FP64 tensor cores.  Ours.  Wins over gpu_stream in f64 for supports that
 * fill 8 or 16 slots and several channels.  NVIDIA, from sm_80 on.
 * Deterministic. */
#include "stage/spread/gpu_stream.h"

static farsum_status fits(const void *a)
{
    const struct spread_args *args = a;
    TRY(gpu_tensor_fits(args->device, args->precision));
    return stream_fits(args, gpu_tensor_rows(args->device), 0);
}

static double cost(const void *a)
{
    const struct spread_args *args = a;
    return stream_cost(args, gpu_tensor_rows(args->device), 0);
}

static int64_t bytes(const void *a)
{
    const struct spread_args *args = a;
    return stream_bytes(args, gpu_tensor_rows(args->device), 0);
}

static int64_t shared(const void *a, uint64_t *key)
{
    const struct spread_args *args = a;
    return stream_shared(args, gpu_tensor_rows(args->device), 0, key);
}

static farsum_status create(const void *a, void **state)
{
    const struct spread_args *args = a;
    return stream_create(args, gpu_tensor_rows(args->device), 0, state);
}

const struct variant spread_gpu_stream_mma = {.fits = fits,
                                              .cost = cost,
                                              .bytes = bytes,
                                              .shared = shared,
                                              .create = create,
                                              .set = stream_set,
                                              .run = stream_run,
                                              .destroy = stream_destroy,
                                              .deterministic = 1,
                                              .needs = "FP64 tensor cores"};
