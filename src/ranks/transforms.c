/* SPDX-License-Identifier: Apache-2.0 */
/* transforms.c: a state of a variant of fft for each thread. */
#include "ranks/transforms.h"

#include <string.h>

#include "base/mem.h"

farsum_status transforms_create(struct transforms *transforms,
                                const struct slab_args *args,
                                const struct fft_args *fft, int n)
{
    struct choice choice;
    TRY(choose(&fft_stage, fft, &args->choose, &choice));
    TRY(MEM_NEW(transforms->state, n));
    transforms->variant = choice.row->variant;
    transforms->n = n;
    for (int t = 0; t < n; t++)
        TRY(choice.row->variant->create(fft, &transforms->state[t]));
    return FARSUM_OK;
}

void transforms_clear(struct transforms *transforms)
{
    for (int t = 0; t < transforms->n; t++)
        transforms->variant->destroy(transforms->state[t]);
    mem_free(transforms->state);
    memset(transforms, 0, sizeof *transforms);
}

farsum_status transforms_run(const struct transforms *transforms, int t,
                             void *data, int backward)
{
    struct fft_io io = {data, backward};
    return transforms->variant->run(transforms->state[t], &io);
}

farsum_status transforms_status(int status)
{
    if (status == FARSUM_OK)
        return FARSUM_OK;
    return status_fail((farsum_status)status, "fft: a transform failed");
}
