/* SPDX-License-Identifier: Apache-2.0 */
/* ops.c: operations and bytes of the near pairs of a tree, and checks of their
 * arguments. */
#include <math.h>
#include <string.h>

#include "stage/p2p/p2p.h"

farsum_status p2p_check(const struct p2p_args *args)
{
    if (args->rhs < 1)
        FAIL(ERR_ARGUMENT, "p2p: %d right-hand sides; use at least one",
             args->rhs);
    if (!(args->softening >= 0) || !isfinite(args->softening)
        || !(args->skip >= 0) || !isfinite(args->skip))
        FAIL(ERR_ARGUMENT,
             "p2p: softening is %g, skip is %g; both must be finite and not "
             "negative",
             args->softening, args->skip);
    if (args->ws < 1 || args->threads < 1)
        FAIL(ERR_ARGUMENT,
             "p2p: ws is %d, threads is %d; both must be at least 1", args->ws,
             args->threads);
    if (args->outputs & ~(unsigned)(FARSUM_POTENTIAL | FARSUM_FIELD))
        FAIL(ERR_UNSUPPORTED,
             "p2p: outputs are 0x%x; only potentials and fields are possible",
             args->outputs);
    return FARSUM_OK;
}

farsum_status p2p_check_io(const struct p2p_args *args, const struct p2p_io *io)
{
    const struct tree *tree = io->tree;
    if (tree->ws != args->ws || tree->dense != args->dense)
        FAIL(ERR_ARGUMENT,
             "p2p: the tree has ws %d, dense %d; the plan expects ws %d, "
             "dense %d",
             tree->ws, tree->dense, args->ws, args->dense);
    if (tree->precision != args->precision)
        FAIL(ERR_ARGUMENT,
             "p2p: the precision of the tree differs from the plan's");
    if ((io->potential && !(args->outputs & FARSUM_POTENTIAL))
        || (io->field && !(args->outputs & FARSUM_FIELD)))
        FAIL(ERR_ARGUMENT, "p2p: an output that was not selected at creation");
    return FARSUM_OK;
}

void p2p_clear(const struct p2p_args *args, const struct p2p_io *io)
{
    size_t real = args->precision == FARSUM_F32 ? 4 : 8;
    size_t bytes = real * (size_t)(args->rhs * tree_targets(io->tree)->n);
    if (io->fresh && io->potential)
        memset(io->potential, 0, bytes);
    if (io->fresh && io->field)
        memset(io->field, 0, 3 * bytes);
}

void p2p_ops_pairs(const struct p2p_args *args, double pairs, struct work *work)
{
    struct count *c = &work->count;
    double real = args->precision == FARSUM_F32 ? 4 : 8;
    double n = (double)args->n_sources, m = (double)args->n_targets;
    int pot = (args->outputs & FARSUM_POTENTIAL) != 0;
    int field = (args->outputs & FARSUM_FIELD) != 0;
    count_calls(c, COUNT_ADD, (3 + (args->softening > 0)) * pairs);
    count_calls(c, COUNT_MUL, pairs);
    count_calls(c, COUNT_FMA, 2 * pairs);
    count_calls(c, COUNT_RSQRT, pairs);
    count_calls(c, COUNT_FMA, pot * args->rhs * pairs);
    count_calls(c, COUNT_MUL, field * (2 + args->rhs) * pairs);
    count_calls(c, COUNT_FMA, 3 * field * args->rhs * pairs);
    double results = args->rhs * (pot + 3 * field) * p2p_targets(args);
    work->read += real * ((3 + args->rhs) * n + 3 * m + results);
    work->written += real * results;
    work->launches += args->device ? 1 : 0;
}

void p2p_ops(const void *data, struct work *work)
{
    const struct p2p_args *args = data;
    p2p_ops_pairs(args, p2p_targets(args) * args->neighbours, work);
}
