/* SPDX-License-Identifier: Apache-2.0 */
/* shape.c: the wanted shape of the ranks' parts. */
#include "plan/ranks/shape.h"

#include <string.h>

#include "device/device.h"

/* The reason why only slabs work; NULL: pencils do, too. */
static const char *only_slabs(const farsum_options *options)
{
    if (options->device.handle || !device_is_host(options->device.name))
        return "on devices";
    if (options->method && strcmp(options->method, "fmm") == 0)
        return "with method fmm";
    return NULL;
}

/* Completes a shape of which a number is given. */
static farsum_status shape_complete(int ranks, int shape[2])
{
    const int given[2] = {shape[0], shape[1]};
    for (int d = 0; d < 2; d++) {
        if (given[d] < 0)
            FAIL(ERR_ARGUMENT, "domain[%d] is %d, below 0", d, given[d]);
        if (given[d] == 0 && ranks % given[1 - d] == 0)
            shape[d] = ranks / given[1 - d];
    }
    if ((int64_t)shape[0] * shape[1] != ranks)
        FAIL(ERR_ARGUMENT,
             "domain is %d x %d, which does not make %d, the number of ranks",
             given[0], given[1], ranks);
    return FARSUM_OK;
}

farsum_status ranks_shape_take(const struct ranks_shape *wanted,
                               const farsum_options *options, int ranks,
                               struct ranks_shape *shape)
{
    const char *why = only_slabs(options);
    *shape = *wanted;
    if (shape->ranks[0] != 0 || shape->ranks[1] != 0)
        TRY(shape_complete(ranks, shape->ranks));
    else if (why)
        *shape = (struct ranks_shape){{ranks, 1}};
    if (why && shape->ranks[1] > 1)
        FAIL(ERR_UNSUPPORTED,
             "domain is %d x %d; %s only slabs work yet, %d x 1",
             shape->ranks[0], shape->ranks[1], why, ranks);
    return FARSUM_OK;
}
