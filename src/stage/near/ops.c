/* SPDX-License-Identifier: Apache-2.0 */
/* ops.c: operations and bytes of the near field, from its arguments. */
#include "stage/near/near.h"

/* Bytes of a real and of a position. */
static double real_bytes(const struct near_args *args)
{
    return args->precision == FARSUM_F32 ? 4 : 8;
}

void near_ops_looked(const struct near_args *args, double pairs,
                       struct work *work)
{
    struct count *c = &work->count;
    count_calls(c, COUNT_ADD, 3 * pairs);
    count_calls(c, COUNT_MUL, pairs);
    count_calls(c, COUNT_FMA, 2 * pairs);
    if (args->precision == FARSUM_F32) /* from integers */
        count_calls(c, COUNT_MUL, 3 * pairs);
}

void near_ops_field(const struct near_args *args, double pairs,
                      struct work *work)
{
    struct count *c = &work->count;
    if (!near_wants_field(args))
        return;
    count_calls(c, COUNT_MUL, pairs); /* strength times slope */
    count_calls(c, COUNT_FMA, 3 * pairs);
    if (args->outputs & FARSUM_VIRIAL) {
        count_calls(c, COUNT_MUL, 3 * pairs);
        count_calls(c, COUNT_FMA, 6 * pairs);
    }
}

/* 1: the gradient is summed, which the virial needs. */
static int ops_gradient(const struct near_args *args)
{
    return near_kernel(args)->kind->moments
           && (args->outputs == 0
               || (args->outputs & (FARSUM_GRADIENT | FARSUM_VIRIAL)) != 0);
}

void near_ops_pairs(const struct near_args *args, double pairs,
                      struct work *work)
{
    const struct pair *pair = near_kernel(args);
    int terms[NEAR_POLYS];
    for (int k = 0; k < NEAR_POLYS; k++)
        terms[k] = near_terms(args->poly, k);
    count_calls(&work->count, COUNT_RSQRT, pairs);
    count_calls(&work->count, COUNT_FMA, pairs); /* v = 2 r^2 - 1 */
    if (pair->kind->moments) {
        count_pair(pair->name, 1, ops_gradient(args), terms, pairs,
                   &work->count);
        return;
    }
    count_pair(pair->name, near_wants_value(args), near_wants_field(args),
               terms, pairs, &work->count);
    near_ops_field(args, pairs, work);
}

void near_ops_arrays(const struct near_args *args, struct work *work)
{
    const struct pair *pair = near_kernel(args);
    double real = real_bytes(args), n = (double)args->n_sources;
    double m = (double)args->n_targets, to = near_targets(args);
    double results = near_wants_value(args) * pair->values
                     + 3 * near_wants_field(args) + 6 * ops_gradient(args);
    work->read += real * (n * (3 + pair->strengths) + 3 * m + to * results);
    work->written += real * to * results;
    work->launches += args->device ? 1 : 0;
}

void near_ops(const void *data, struct work *work)
{
    const struct near_args *args = data;
    double pairs = near_targets(args) * args->neighbours;
    near_ops_looked(args, pairs, work);
    near_ops_pairs(args, pairs, work);
    near_ops_arrays(args, work);
}

farsum_status near_skin_fits(const struct near_args *args)
{
    if (args->skin > NEAR_SKIN)
        FAIL(ERR_UNSUPPORTED,
             "supports a skin of %d cutoffs at most; skin is %.3g", NEAR_SKIN,
             args->skin);
    return FARSUM_OK;
}
