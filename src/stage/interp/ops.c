/* SPDX-License-Identifier: Apache-2.0 */
/* ops.c: operations and bytes of interpolation. */
#include "stage/interp/interp.h"

void interp_ops(const void *data, struct work *work)
{
    const struct interp_args *args = data;
    double real = args->precision == FARSUM_F32 ? 4 : 8;
    double n = (double)args->n, p = args->window->support;
    double values = interp_channels(args) * interp_parts(args);
    double points = (double)args->mesh[0] * (double)args->mesh[1]
                    * (double)args->mesh[2];
    int value = (args->outputs & FARSUM_POTENTIAL) != 0;
    int gradient = (args->outputs & FARSUM_GRADIENT) != 0;
    int field = gradient || (args->outputs & FARSUM_FIELD) != 0;
    double results = values * (value + 3 * field + 6 * gradient);
    struct count *c = &work->count;
    count_calls(c, COUNT_FMA, 3 * n); /* position in the window */
    /* weights, and their derivatives */
    count_calls(c, COUNT_FMA,
                3 * n * p * (args->window->degree * (1 + field) - field));
    /* Along z: the mesh with weights and with derivatives.  Along y: the former
     * with weights and derivatives, the latter with weights.  Along x: each. */
    count_calls(c, COUNT_FMA, n * values * p * p * p * (1 + field));
    count_calls(c, COUNT_FMA, n * values * p * p * (1 + 2 * field));
    count_calls(c, COUNT_FMA, n * values * p * (value + 3 * field));
    if (gradient) { /* one derivative more along each axis */
        count_calls(c, COUNT_FMA, 3 * n * p * (args->window->degree - 2));
        count_calls(c, COUNT_FMA, n * (p * p * p + 3 * p * p + 6 * p));
        count_calls(c, COUNT_FMA, 45 * n);
    }
    if (field) /* from fractions of the mesh to lengths */
        count_calls(c, COUNT_FMA, 9 * n * values);
    work->read += 24 * n + real * (values * points + n * results);
    work->written += real * n * results;
    work->launches += args->device ? 1 : 0;
}
