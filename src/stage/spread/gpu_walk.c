/* gpu_walk: gpu_stream over lists of one entry a particle, by its first mesh
 * point; a warp walks those that may reach its column.  The lists are a sort of
 * the particles, not of all their visits, and one visit in seven is in vain.
 * Ours.  Wins over gpu_stream where positions change with every sum.
 * Deterministic. */
#include "stage/spread/gpu_stream.h"

static farsum_status fits(const void *args)
{
    return stream_fits(args, 0, 1);
}

static double cost(const void *args)
{
    return stream_cost(args, 0, 1);
}

static int64_t bytes(const void *args)
{
    return stream_bytes(args, 0, 1);
}

static int64_t shared(const void *args, uint64_t *key)
{
    return stream_shared(args, 0, 1, key);
}

static farsum_status create(const void *args, void **state)
{
    return stream_create(args, 0, 1, state);
}

const struct variant spread_gpu_walk = {.fits = fits,
                                          .cost = cost,
                                          .bytes = bytes,
                                          .shared = shared,
                                          .create = create,
                                          .set = stream_set,
                                          .run = stream_run,
                                          .destroy = stream_destroy,
                                          .deterministic = 1,
                                          .needs = "device"};
