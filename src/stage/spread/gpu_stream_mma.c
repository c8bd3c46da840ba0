/* gpu_stream_mma: gpu_stream whose products, four particles at a time, are made
 * by FP64 tensor cores.  Ours.  Wins over gpu_stream in f64 for supports that
 * fill 8 or 16 slots and several channels.  NVIDIA, from sm_80 on.
 * Deterministic. */
#include "stage/spread/gpu_stream.h"

#include <stdlib.h>
#include <string.h>

/* 90 of "sm_90", 0 if it is none. */
static int architecture(const struct device *device)
{
    if (!device || strncmp(device->facts.arch, "sm_", 3) != 0)
        return 0;
    return atoi(device->facts.arch + 3);
}

static int rows(const struct spread_args *args)
{
    return architecture(args->device) >= 90 ? 16 : 8;
}

static farsum_status fits(const void *a)
{
    const struct spread_args *args = a;
    TRY(gpu_wanted(args->device));
    if (architecture(args->device) < 80)
        FAIL(ERR_UNSUPPORTED,
             "FP64 tensor cores are wanted, NVIDIA's from sm_80 on; %s is %s",
             args->device->name, args->device->facts.arch);
    if (args->precision != FARSUM_F64)
        FAIL(ERR_UNSUPPORTED, "it is for f64");
    return stream_fits(args, rows(args));
}

static double cost(const void *args)
{
    return stream_cost(args, rows(args));
}

static int64_t bytes(const void *args)
{
    return stream_bytes(args, rows(args));
}

static farsum_status create(const void *args, void **state)
{
    return stream_create(args, rows(args), state);
}

const struct variant spread_gpu_stream_mma = {.fits = fits,
                                              .cost = cost,
                                              .bytes = bytes,
                                              .create = create,
                                              .set = stream_set,
                                              .run = stream_run,
                                              .destroy = stream_destroy,
                                              .deterministic = 1,
                                              .needs = "FP64 tensor cores"};
