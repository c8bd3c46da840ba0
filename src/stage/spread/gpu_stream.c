/* gpu_stream: a warp a column of mesh points, sums in registers that slide
 * along x over particles sorted by their first plane; no atomics, no zeroing,
 * each mesh point written once.  Ours.  Wins from some ten thousand particles
 * up, at all densities.  Deterministic. */
#include "stage/spread/gpu_stream.h"

#include "base/mem.h"

static farsum_status fits(const void *args)
{
    return stream_fits(args, 0, 0);
}

static double cost(const void *args)
{
    return stream_cost(args, 0, 0);
}

static int64_t bytes(const void *args)
{
    return stream_bytes(args, 0, 0);
}

static int64_t shared(const void *args, uint64_t *key)
{
    return stream_shared(args, 0, 0, key);
}

static farsum_status create(const void *args, void **state)
{
    return stream_create(args, 0, 0, state);
}

const struct variant spread_gpu_stream = {.fits = fits,
                                          .cost = cost,
                                          .bytes = bytes,
                                          .shared = shared,
                                          .create = create,
                                          .set = stream_set,
                                          .run = stream_run,
                                          .destroy = stream_destroy,
                                          .deterministic = 1,
                                          .needs = "device"};
