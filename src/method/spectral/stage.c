/* SPDX-License-Identifier: Apache-2.0 */
/* stage.c: one stage of a sum on the host. */
#include "base/clock.h"
#include "base/progress.h"
#include "method/spectral/spectral.h"

farsum_status spectral_stage(struct spectral *s, int r, const void *io)
{
    double start = clock_seconds();
    TRY(progress_step(s->done++, s->all, "summing: %s",
                      s->parameters.choice[r].stage->name));
    farsum_status status =
        s->parameters.choice[r].row->variant->run(s->states[r], io);
    s->seconds[r] += clock_seconds() - start;
    return status;
}
