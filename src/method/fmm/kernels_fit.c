/* SPDX-License-Identifier: Apache-2.0 */
/* kernels_fit.c: the kernels that fmm sums, and what it refuses of them. */
#include "method/fmm/kernels.h"

#include <string.h>

enum fmm_kernel fmm_kernel_of(const struct task *task)
{
    static const char *const names[] = {
        [FMM_LAPLACE] = "laplace",     [FMM_DIPOLES] = "charge_dipole",
        [FMM_STOKESLET] = "stokeslet", [FMM_ROTLET] = "rotlet",
        [FMM_STRESSLET] = "stresslet",
    };
    int k = 0;
    while (k < FMM_NONE && strcmp(task->pair.name, names[k]) != 0)
        k++;
    return (enum fmm_kernel)k;
}

farsum_status fmm_kernel_fits(const struct task *task)
{
    const char *name = task->pair.name;
    if (task->pair.kind->moments > 1)
        FAIL(ERR_UNSUPPORTED,
             "does not sum kernel %s; %s does, on the host and in one process",
             name, task_axes(task) > 0 ? "ewald" : "direct");
    if (fmm_kernel_of(task) == FMM_NONE)
        FAIL(ERR_UNSUPPORTED,
             "expands 1/r in solid harmonics; kernel %s is none", name);
    if (task_axes(task) % 3 != 0 && task->pair.kind->moments)
        FAIL(ERR_UNSUPPORTED, "sums kernel %s with three periodic axes or none",
             name);
    if (task_axes(task) > 0 && !task->pair.kind->moments)
        FAIL(ERR_UNSUPPORTED, "sums kernel %s in open space only", name);
    if (task->device)
        FAIL(ERR_UNSUPPORTED, "sums kernel %s on the host only", name);
    if (task->links.ranks > 0)
        FAIL(ERR_UNSUPPORTED, "sums kernel %s in one process only", name);
    if (task->problem.precision == FARSUM_F32)
        FAIL(ERR_UNSUPPORTED, "sums kernel %s in f64 only", name);
    if (task->problem.softening > 0)
        FAIL(ERR_UNSUPPORTED,
             "has no softening of kernel %s; method direct sums it", name);
    if (task->options.strict)
        FAIL(ERR_UNSUPPORTED, "has no error bound (strict) of kernel %s", name);
    return FARSUM_OK;
}

int fmm_kernel_passes(enum fmm_kernel kernel)
{
    static const int passes[FMM_NONE] = {[FMM_LAPLACE] = 1,
                                         [FMM_DIPOLES] = 1,
                                         [FMM_STOKESLET] = 4,
                                         [FMM_ROTLET] = 3,
                                         [FMM_STRESSLET] = 4};
    return passes[kernel];
}

int fmm_kernel_moments(enum fmm_kernel kernel)
{
    return kernel == FMM_DIPOLES || kernel == FMM_STRESSLET;
}

int fmm_kernel_gradient(const struct task *task)
{
    /* the virial of a cell is a companion's (plan/companion.c) */
    unsigned needs =
        FARSUM_GRADIENT | (task_axes(task) > 0 ? 0 : FARSUM_VIRIAL);
    return task->pair.kind->moments && task->problem.outputs & needs;
}
