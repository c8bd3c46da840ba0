/* problem.c: defaults, and what can be checked before a method is known. */
#include <math.h>

#include "base/text.h"
#include "plan.h"
#include "points/cell.h"

static const char *const kernels[] = {"laplace", NULL};

static farsum_status problem_kernel(farsum_problem *p)
{
    const char *wanted = p->kernel ? p->kernel : kernels[0];
    for (int i = 0; kernels[i]; i++) {
        const char *x = kernels[i], *y = wanted;
        while (*x && *x == *y)
            x++, y++;
        if (*x == *y) {
            p->kernel = kernels[i]; /* ours: outlives the caller's */
            return FARSUM_OK;
        }
    }
    return text_unknown("kernel", wanted, kernels);
}

static farsum_status problem_enums(farsum_problem *p)
{
    p->precision = p->precision ? p->precision : FARSUM_F64;
    p->arrays = p->arrays ? p->arrays : p->precision;
    p->error = p->error ? p->error : FARSUM_ERROR_FORCE;
    p->surface = p->surface ? p->surface : FARSUM_TINFOIL;
    p->memory = p->memory ? p->memory : FARSUM_HOST;
    if (p->precision != FARSUM_F32 && p->precision != FARSUM_F64)
        FAIL(ERR_ARGUMENT, "precision %d is not one", (int)p->precision);
    if (p->arrays != FARSUM_F32 && p->arrays != FARSUM_F64)
        FAIL(ERR_ARGUMENT, "type %d of arrays is not one", (int)p->arrays);
    if (p->error < FARSUM_ERROR_FORCE || p->error > FARSUM_ERROR_ABSOLUTE)
        FAIL(ERR_ARGUMENT, "error kind %d is not one", (int)p->error);
    if (p->memory != FARSUM_HOST && p->memory != FARSUM_DEVICE)
        FAIL(ERR_ARGUMENT, "memory %d is neither the host's nor the device's",
             (int)p->memory);
    if (p->surface != FARSUM_TINFOIL && p->surface != FARSUM_VACUUM)
        FAIL(ERR_ARGUMENT, "surface %d is not one", (int)p->surface);
    return FARSUM_OK;
}

static farsum_status problem_numbers(farsum_problem *p)
{
    const unsigned all = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY
                         | FARSUM_VIRIAL;
    if (p->outputs & ~all)
        FAIL(ERR_ARGUMENT, "outputs 0x%x has unknown bits", p->outputs);
    if (p->outputs == 0)
        p->outputs = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY;
    p->coulomb = p->coulomb == 0 ? 1 : p->coulomb;
    p->tolerance = p->tolerance == 0 ? 1e-5 : p->tolerance;
    if (!(p->coulomb > 0) || !isfinite(p->coulomb))
        FAIL(ERR_ARGUMENT, "Coulomb constant %g is not a positive number",
             p->coulomb);
    if (!(p->tolerance > 0) || !isfinite(p->tolerance))
        FAIL(ERR_ARGUMENT, "tolerance %g is not a positive number",
             p->tolerance);
    if (p->error != FARSUM_ERROR_ABSOLUTE && p->tolerance >= 1)
        FAIL(ERR_ARGUMENT, "relative tolerance %g is not below 1",
             p->tolerance);
    if (p->n_sources < 1)
        FAIL(ERR_ARGUMENT, "n_sources is %lld: there is nothing to sum",
             (long long)p->n_sources);
    if (p->n_targets < 0)
        FAIL(ERR_ARGUMENT, "n_targets is %lld", (long long)p->n_targets);
    if (p->n_targets > 0 && p->outputs & (FARSUM_ENERGY | FARSUM_VIRIAL))
        p->outputs &= ~(unsigned)(FARSUM_ENERGY | FARSUM_VIRIAL);
    return FARSUM_OK;
}

farsum_status problem_check(const farsum_problem *problem,
                            farsum_problem *filled)
{
    if (!problem)
        FAIL(ERR_ARGUMENT, "problem is NULL");
    if (problem->size != sizeof *problem)
        FAIL(ERR_ARGUMENT, "problem was not made by FARSUM_PROBLEM_INIT of "
                           "this version (size %zu, not %zu)",
             problem->size, sizeof *problem);
    farsum_problem p = *problem;
    TRY(problem_kernel(&p));
    TRY(problem_enums(&p));
    TRY(problem_numbers(&p));
    if ((p.sample_x == NULL) != (p.sample_q == NULL))
        FAIL(ERR_ARGUMENT, "sample_x and sample_q go together");
    int axes = 0;
    for (int d = 0; d < 3; d++) {
        if (p.periodic[d] != 0 && p.periodic[d] != 1)
            FAIL(ERR_ARGUMENT, "periodic[%d] is %d, not 0 or 1", d,
                 p.periodic[d]);
        axes += p.periodic[d];
    }
    if (axes == 3) {
        struct cell cell;
        TRY(cell_set(&cell, p.cell, 1));
    }
    if (axes == 1 || axes == 2)
        FAIL(ERR_UNSUPPORTED,
             "%d periodic axes: not yet; three or none are possible", axes);
    if (p.surface == FARSUM_VACUUM && axes != 3)
        FAIL(ERR_ARGUMENT, "surface vacuum needs three periodic axes");
    *filled = p;
    return FARSUM_OK;
}
