/* SPDX-License-Identifier: Apache-2.0 */
/* ops.c: operations and bytes of applying the influence function. */
#include "stage/scale/scale.h"

void scale_ops(const void *data, struct work *work)
{
    const struct scale_args *args = data;
    const struct pair *pair = scale_kernel(args);
    double real = args->precision == FARSUM_F32 ? 4 : 8;
    double modes = (double)scale_lines(args) * (double)scale_line(args);
    if (!pair->kind->gradient) /* its wave vector, incremented along a line */
        count_calls(&work->count, COUNT_FMA, 3 * modes);
    count_mode(pair->name, modes, &work->count);
    work->read += real * modes * (2 * pair->channels + 1);
    work->written += real * modes * 2 * pair->values;
    work->launches += args->device ? 1 : 0;
}
