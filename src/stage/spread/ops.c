/* SPDX-License-Identifier: Apache-2.0 */
/* ops.c: operations and bytes of spreading. */
#include "stage/spread/spread.h"

void spread_ops(const void *data, struct work *work)
{
    const struct spread_args *args = data;
    double real = args->precision == FARSUM_F32 ? 4 : 8;
    double n = (double)args->n, p = args->window->support;
    double values = spread_channels(args) * spread_parts(args);
    double points = (double)args->mesh[0] * (double)args->mesh[1]
                    * (double)args->mesh[2];
    struct count *c = &work->count;
    count_calls(c, COUNT_FMA, 3 * n);             /* position in the window */
    count_calls(c, COUNT_FMA, 3 * n * p * args->window->degree);
    count_calls(c, COUNT_MUL, n * p * p);         /* weights of two axes */
    count_calls(c, COUNT_MUL, n * values * p);    /* strengths and the third */
    count_calls(c, COUNT_FMA, n * values * p * p * p);
    if (args->slopes) { /* derivatives of the weights; two rows per plane */
        count_calls(c, COUNT_FMA, 3 * n * p * (args->window->degree - 1));
        count_calls(c, COUNT_FMA, n * p * (2 + 2 * p));
        count_calls(c, COUNT_FMA, n * p * p * p);
        work->read += n * 3 * real;
    }
    work->read += n * (24 + real * values);
    work->written += real * values * points;
    work->launches += args->device ? 1 : 0;
}
