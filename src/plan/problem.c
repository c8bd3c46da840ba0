/* SPDX-License-Identifier: Apache-2.0 */
/* problem.c: defaults, and checks that need no method. */
#include <math.h>
#include <string.h>

#include "base/args.h"
#include "base/text.h"
#include "plan/plan.h"
#include "points/cell.h"

static farsum_status problem_kernel(farsum_problem *p,
                                    const struct pair **pair)
{
    const char *names[16] = {NULL};
    for (int i = 0; pair_rows[i].name && i < 15; i++)
        names[i] = pair_rows[i].name;
    const char *wanted = p->kernel ? p->kernel : names[0];
    *pair = pair_find(wanted);
    if (!*pair)
        return text_unknown("kernel", wanted, names);
    p->kernel = (*pair)->name; /* static: outlives the caller's string */
    if ((*pair)->kind->screened && !(p->kappa > 0 && isfinite(p->kappa)))
        FAIL(ERR_ARGUMENT, "kernel %s: kappa is %g, not a positive number",
             p->kernel, p->kappa);
    if (!(*pair)->kind->screened && p->kappa != 0)
        FAIL(ERR_ARGUMENT, "kappa is %g, but kernel %s requires 0", p->kappa,
             p->kernel);
    return FARSUM_OK;
}

static farsum_status problem_error(farsum_problem *p, const struct pair *pair)
{
    int flow = !pair->kind->gradient;
    p->error = p->error ? p->error
               : flow   ? FARSUM_ERROR_VELOCITY
                        : FARSUM_ERROR_FORCE;
    if (p->error < FARSUM_ERROR_FORCE || p->error > FARSUM_ERROR_EACH)
        FAIL(ERR_ARGUMENT, "error is %d, not 0 .. 7", (int)p->error);
    if (p->error != FARSUM_ERROR_ABSOLUTE && p->error != FARSUM_ERROR_EACH
        && flow != (p->error == FARSUM_ERROR_VELOCITY))
        FAIL(ERR_ARGUMENT, "the tolerance limits %s, but kernel %s has none",
             p->error == FARSUM_ERROR_VELOCITY   ? "velocities"
             : p->error == FARSUM_ERROR_FORCE    ? "forces"
             : p->error == FARSUM_ERROR_ENERGY   ? "energies"
             : p->error == FARSUM_ERROR_PRESSURE ? "pressures"
                                                 : "potentials",
             pair->name);
    return FARSUM_OK;
}

/* For norms over all particles: checks that their outputs exist, and adds
 * potentials, which the check by a second sum reads. */
static farsum_status problem_together(farsum_problem *p)
{
    int energy = p->error == FARSUM_ERROR_ENERGY;
    if (!energy && p->error != FARSUM_ERROR_PRESSURE)
        return FARSUM_OK;
    const char *of = energy ? "energy" : "virial";
    if (p->n_targets > 0)
        FAIL(ERR_ARGUMENT, "the tolerance limits the %s, which separate "
                           "targets do not have; choose force or potential",
             of);
    if (!(p->outputs & (unsigned)(energy ? FARSUM_ENERGY : FARSUM_VIRIAL)))
        FAIL(ERR_ARGUMENT, "the tolerance limits the %s, which is not among "
                           "the outputs",
             of);
    p->outputs |= FARSUM_POTENTIAL;
    return FARSUM_OK;
}

static farsum_status problem_enums(farsum_problem *p)
{
    p->precision = p->precision ? p->precision : FARSUM_F64;
    p->arrays = p->arrays                    ? p->arrays
                : p->precision == FARSUM_F32 ? FARSUM_F32
                                             : FARSUM_F64;
    p->surface = p->surface ? p->surface : FARSUM_TINFOIL;
    p->memory = p->memory ? p->memory : FARSUM_HOST;
    p->part = p->part ? p->part : FARSUM_WHOLE;
    if (p->precision < FARSUM_F64 || p->precision > FARSUM_AUTO)
        FAIL(ERR_ARGUMENT, "precision is %d, not 0 .. 4", (int)p->precision);
    if (p->arrays != FARSUM_F32 && p->arrays != FARSUM_F64)
        FAIL(ERR_ARGUMENT, "arrays is %d, not FARSUM_F64 or FARSUM_F32",
                           (int)p->arrays);
    if (p->memory != FARSUM_HOST && p->memory != FARSUM_DEVICE)
        FAIL(ERR_ARGUMENT, "memory is %d, not FARSUM_HOST or FARSUM_DEVICE",
             (int)p->memory);
    if (p->surface != FARSUM_TINFOIL && p->surface != FARSUM_VACUUM)
        FAIL(ERR_ARGUMENT, "surface is %d, not FARSUM_TINFOIL or FARSUM_VACUUM",
                           (int)p->surface);
    if (p->part < FARSUM_WHOLE || p->part > FARSUM_FAR)
        FAIL(ERR_ARGUMENT, "part is %d, not 0 .. 3", (int)p->part);
    return FARSUM_OK;
}

static farsum_status problem_outputs(farsum_problem *p,
                                     const struct pair *pair)
{
    const unsigned all = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY
                         | FARSUM_VIRIAL | FARSUM_VELOCITY | FARSUM_GRADIENT
                         | FARSUM_PARTICLE_VIRIAL | FARSUM_THIRD;
    if (p->outputs & ~all)
        FAIL(ERR_ARGUMENT, "outputs 0x%x has unknown bits", p->outputs);
    if (p->outputs & ~pair_outputs(pair))
        FAIL(ERR_ARGUMENT, "kernel %s has %s", pair->name,
             pair->kind->moments > 1
                 ? "potential, field, gradient, third derivatives, energy and "
                   "virial, no velocity"
             : pair->kind->moments
                 ? "potential, field, gradient, energy and virial, no velocity "
                   "or third derivatives; charge_quadrupole has these"
             : pair->kind->gradient
                 ? "potential, field, energy and virial, no velocity, gradient "
                   "or third derivatives; charge_dipole has a gradient, "
                   "charge_quadrupole both"
                 : "a velocity, no potential, field, gradient, energy or "
                   "virial");
    if (p->outputs == 0)
        p->outputs =
            pair_outputs(pair)
            & ~(unsigned)(FARSUM_GRADIENT | FARSUM_THIRD
                          | FARSUM_PARTICLE_VIRIAL)
            & ~(p->error == FARSUM_ERROR_PRESSURE ? 0
                                                  : (unsigned)FARSUM_VIRIAL);
    if (p->outputs & FARSUM_PARTICLE_VIRIAL) /* interpolated as they are */
        p->outputs |= FARSUM_POTENTIAL | FARSUM_FIELD;
    return FARSUM_OK;
}

static farsum_status problem_numbers(farsum_problem *p)
{
    p->coulomb = p->coulomb == 0 ? 1 : p->coulomb;
    p->tolerance = p->tolerance == 0 ? 1e-5 : p->tolerance;
    if (!isfinite(p->coulomb))
        FAIL(ERR_ARGUMENT, "coulomb is %g, not a finite number", p->coulomb);
    if (!(p->tolerance > 0) || !isfinite(p->tolerance))
        FAIL(ERR_ARGUMENT, "tolerance %g is not a positive number",
             p->tolerance);
    if (p->error != FARSUM_ERROR_ABSOLUTE && p->tolerance >= 1)
        FAIL(ERR_ARGUMENT, "relative tolerance %g is not below 1",
             p->tolerance);
    if (p->n_sources < 1)
        FAIL(ERR_ARGUMENT, "n_sources is %lld, not at least 1",
             (long long)p->n_sources);
    TRY(count_check(p->n_sources, "n_sources"));
    TRY(count_check(p->n_targets, "n_targets"));
    TRY(count_check(p->n_exclusions, "n_exclusions"));
    if (p->n_targets > 0)
        p->outputs &=
            ~(unsigned)(FARSUM_ENERGY | FARSUM_VIRIAL | FARSUM_PARTICLE_VIRIAL);
    return FARSUM_OK;
}

/* Softening is only for 1/r, and in open space its derivatives.  In a cell it
 * ends at a distance: Plummer's softened images do not add up. */
static farsum_status problem_softening(const farsum_problem *p,
                                       const struct pair *pair)
{
    if (!(p->softening >= 0) || !isfinite(p->softening))
        FAIL(ERR_ARGUMENT, "softening is %g, not a length of at least 0",
                           p->softening);
    if (p->softening > 0 && !pair->kind->charged)
        FAIL(ERR_UNSUPPORTED,
             "softening requires kernel laplace, charge_dipole or "
             "charge_quadrupole, not %s",
             pair->name);
    int axes = cell_axes(p->periodic);
    if (p->softening > 0 && axes > 0 && pair->kind->moments)
        FAIL(ERR_UNSUPPORTED,
             "softening of kernel %s requires open space; the problem is "
             "periodic",
             pair->name);
    return FARSUM_OK;
}

farsum_status problem_check(const farsum_problem *problem,
                            farsum_problem *filled, struct pair *pair)
{
    if (!problem)
        FAIL(ERR_ARGUMENT, "problem is NULL");
    farsum_problem p;
    TRY(struct_take(&p, sizeof p, problem, problem->size,
                    "FARSUM_PROBLEM_INIT"));
    const struct pair *row = NULL;
    TRY(problem_kernel(&p, &row));
    TRY(problem_enums(&p));
    TRY(problem_error(&p, row));
    TRY(problem_outputs(&p, row));
    TRY(problem_numbers(&p));
    TRY(problem_together(&p));
    TRY(problem_softening(&p, row));
    if ((p.sample_x == NULL) != (p.sample_q == NULL))
        FAIL(ERR_ARGUMENT, "sample_x and sample_q must both be set or both be "
                           "NULL");
    int axes = 0;
    for (int d = 0; d < 3; d++) {
        if (p.periodic[d] != 0 && p.periodic[d] != 1)
            FAIL(ERR_ARGUMENT, "periodic[%d] is %d, not 0 or 1", d,
                 p.periodic[d]);
        axes += p.periodic[d];
    }
    if (axes > 0) {
        struct cell cell;
        double most = 0;
        cell_right(p.cell, p.periodic);
        for (int i = 0; i < 9; i++)
            most = fmax(most, p.periodic[i / 3] ? fabs(p.cell[i]) : 0);
        TRY(cell_set_axes(&cell, p.cell, p.periodic,
                          ldexp(1, -scale_exponent(most))));
    }
    if (p.surface == FARSUM_VACUUM && axes != 3)
        FAIL(ERR_ARGUMENT, "surface vacuum needs three periodic axes");
    if (p.surface == FARSUM_VACUUM && !row->kind->charged)
        FAIL(ERR_ARGUMENT,
             "surface vacuum requires kernel laplace, charge_dipole or "
             "charge_quadrupole, not %s",
             row->name);
    *filled = p;
    *pair = *row;
    pair->kappa = p.kappa;
    return FARSUM_OK;
}

farsum_status plan_arrays(const farsum_problem *p)
{
    if (p->arrays == FARSUM_F32 && p->error != FARSUM_ERROR_ABSOLUTE
        && p->tolerance != 0 && p->tolerance < 6e-8)
        FAIL(ERR_TOLERANCE, "tolerance %g is below 6e-08, the rounding of "
                            "results in f32 arrays",
             p->tolerance);
    return FARSUM_OK;
}
