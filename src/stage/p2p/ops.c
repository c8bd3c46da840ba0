/* SPDX-License-Identifier: Apache-2.0 */
/* ops.c: operations and bytes of the near pairs of a tree, and checks of their
 * arguments. */
#include <math.h>
#include <string.h>

#include "stage/p2p/p2p.h"

int p2p_kernel(const struct p2p_args *args)
{
    static const char *const names[] = {"stokeslet", "rotlet", "stresslet",
                                        "charge_dipole"};
    for (int k = 0; args->pair && k < 4; k++)
        if (strcmp(args->pair->name, names[k]) == 0)
            return k + (k == 3 && args->outputs & FARSUM_GRADIENT);
    return -1;
}

/* Kernels other than 1/r. */
static farsum_status check_pair(const struct p2p_args *args)
{
    if (p2p_kernel(args) < 0)
        FAIL(ERR_UNSUPPORTED, "p2p: kernel %s has no near pairs here",
             args->pair->name);
    if (args->precision != FARSUM_F64 || args->rhs != 1 || args->softening > 0)
        FAIL(ERR_UNSUPPORTED,
             "p2p: kernel %s is summed in f64, one right-hand side at a time, "
             "without softening",
             args->pair->name);
    return FARSUM_OK;
}

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
    unsigned outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    if (args->pair && args->pair->kind->moments)
        outputs |= FARSUM_GRADIENT;
    else if (args->pair && !args->pair->kind->gradient)
        outputs = FARSUM_FIELD;
    if (args->outputs & ~outputs)
        FAIL(ERR_UNSUPPORTED,
             "p2p: outputs are 0x%x; only those of 0x%x are possible",
             args->outputs, outputs);
    return args->pair ? check_pair(args) : FARSUM_OK;
}

void p2p_outputs(const struct p2p_args *args, const struct p2p_io *io, double h,
                 double *to[P2P_VALUES], double unit[P2P_VALUES],
                 double strength[P2P_STRENGTHS])
{
    int moments = args->pair->kind->moments, first = moments ? 1 : 0;
    int64_t n = tree_targets(io->tree)->n;
    for (int c = 0; c < args->pair->strengths; c++)
        strength[c] = moments && c > 0 ? 1 / h : 1; /* a dipole's length */
    if (moments) {
        to[0] = io->potential;
        unit[0] = 1 / h;
    }
    for (int a = 0; a < 3; a++) {
        to[first + a] = io->field ? (double *)io->field + a * n : NULL;
        unit[first + a] =
            moments ? 1 / (h * h) : pow(h, -args->pair->kind->power);
    }
    for (int a = 0; a < 6 && moments; a++) {
        to[4 + a] = io->gradient ? (double *)io->gradient + a * n : NULL;
        unit[4 + a] = 1 / (h * h * h);
    }
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
        || (io->field && !(args->outputs & FARSUM_FIELD))
        || (io->gradient && !(args->outputs & FARSUM_GRADIENT)))
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
    if (io->fresh && io->gradient)
        memset(io->gradient, 0, 6 * bytes);
}

void p2p_ops_pairs(const struct p2p_args *args, double pairs, struct work *work)
{
    struct count *c = &work->count;
    double real = args->precision == FARSUM_F32 ? 4 : 8;
    double n = (double)args->n_sources, m = (double)args->n_targets;
    int pot = (args->outputs & FARSUM_POTENTIAL) != 0;
    int field = (args->outputs & FARSUM_FIELD) != 0;
    int gradient = (args->outputs & FARSUM_GRADIENT) != 0;
    count_calls(c, COUNT_ADD, (3 + (args->softening > 0)) * pairs);
    count_calls(c, COUNT_MUL, pairs);
    count_calls(c, COUNT_FMA, 2 * pairs);
    count_calls(c, COUNT_RSQRT, pairs);
    count_calls(c, COUNT_FMA, pot * args->rhs * pairs);
    count_calls(c, COUNT_MUL, field * (2 + args->rhs) * pairs);
    count_calls(c, COUNT_FMA, 3 * field * args->rhs * pairs);
    /* a number of a source adds about as much as another right-hand side */
    int strengths = args->rhs * p2p_strengths(args);
    count_calls(c, COUNT_FMA, 4 * (strengths - args->rhs) * pairs);
    count_calls(c, COUNT_FMA, gradient * 18 * pairs);
    double results =
        args->rhs * (pot + 3 * field + 6 * gradient) * p2p_targets(args);
    work->read += real * ((3 + strengths) * n + 3 * m + results);
    work->written += real * results;
    work->launches += args->device ? 1 : 0;
}

void p2p_ops(const void *data, struct work *work)
{
    const struct p2p_args *args = data;
    p2p_ops_pairs(args, p2p_targets(args) * args->neighbours, work);
}
