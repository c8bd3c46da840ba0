/* SPDX-License-Identifier: Apache-2.0 */
/* system.c: conversion of a frame and the settings to the library's problem. */
#include "system.h"

#include "kernel.h"
#include "units.h"

#include "points/cell.h"
#include "points/open_axes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct units *units_of(const struct settings *s)
{
    return s->units ? units_find(options_word("units", s->units))
                    : units_get(0);
}

static int check_units(const struct settings *s, const struct io_frame *frame,
                       char *error, size_t size)
{
    return units_agree(units_of(s), frame, error, size);
}

/* Row d of the cells is the same, up to the digits that programs write: three
 * behind the point in PDB files. */
static int same_vector(const struct io_frame *a, const struct io_frame *b,
                       int d)
{
    double most = 0, off = 0;
    for (int k = 0; k < 9; k++)
        most = fmax(most, fabs(a->cell[k]));
    for (int k = 3 * d; k < 3 * d + 3; k++)
        off = fmax(off, fabs(a->cell[k] - b->cell[k]));
    return off <= 1e-4 * most;
}

/* Fails if both files state a geometry or units, and these differ.  A cell or
 * open space on the command line replaces both. */
static int check_targets(const struct settings *s,
                         const struct io_frame *sources,
                         const struct io_frame *targets, char *error,
                         size_t size)
{
    const char *what = NULL;
    int open = s->has_periodic && !s->periodic[0] && !s->periodic[1]
               && !s->periodic[2];
    if (units_alike(sources, targets, error, size) != 0)
        return -1;
    if (!targets->has_cell || s->has_cell || open)
        return 0;
    for (int d = 0; d < 3; d++) {
        int here = s->has_periodic ? s->periodic[d] : sources->periodic[d];
        int there = s->has_periodic ? s->periodic[d] : targets->periodic[d];
        if (!here != !there)
            what = "other periodic axes";
        else if (here && !same_vector(sources, targets, d) && !what)
            what = "another cell";
    }
    if (!what)
        return 0;
    snprintf(error, size,
             "the targets' file %.200s has %s than the particles; "
             "--cell gives the cell of both, --periodic none says open space",
             s->targets ? s->targets : "", what);
    return -1;
}

int system_make_bare(const struct settings *s, struct io_frame *sources,
                     struct io_frame *targets, struct system *sys, char *error,
                     size_t size)
{
    const char *kernel = kernel_name(s);
    struct system out = {.n = sources->n, .all_n = io_frame_all(sources),
                         .x = sources->x};
    if (kernel_rename(kernel, sources) != 0 ||
        (targets && kernel_rename(kernel, targets) != 0)) {
        snprintf(error, size, "out of memory");
        return -1;
    }
    if (strengths_of(kernel)->kappa && !(s->kappa > 0)) {
        snprintf(error, size, "kernel %s needs --kappa", kernel);
        return -1;
    }
    out.strengths = strengths_of(kernel)->count;
    out.flow = strengths_of(kernel)->flow;
    out.moments = strengths_of(kernel)->moments;
    if (targets) {
        out.m = targets->n;
        out.all_m = io_frame_all(targets);
        out.y = out.m > 0 ? targets->x : NULL;
        if (out.all_m == 0) {
            snprintf(error, size, "found no targets");
            return -1;
        }
        if (s->particle_virial) {
            snprintf(error, size,
                     "--particle-virial: separate targets have "
                     "no virial; leave out --targets");
            return -1;
        }
    }
    if (check_units(s, sources, error, size) != 0
        || (targets
            && (check_targets(s, sources, targets, error, size) != 0
                || check_units(s, targets, error, size) != 0)))
        return -1;
    int has_cell = s->has_cell || sources->has_cell;
    if (has_cell)
        memcpy(out.cell, s->has_cell ? s->cell : sources->cell,
               sizeof out.cell);
    for (int d = 0; d < 3; d++)
        out.periodic[d] = s->has_periodic       ? s->periodic[d]
                          : sources->has_cell   ? sources->periodic[d]
                                                : s->has_cell;
    if (!has_cell && (out.periodic[0] || out.periodic[1] || out.periodic[2])) {
        snprintf(error, size, "periodic axes without a cell; give --cell");
        return -1;
    }
    if (s->gravity > 0 ? kernel_masses(sources, &out.q, error, size)
                       : kernel_strengths(kernel, sources, &out.q, &out.own,
                                          error, size))
        return -1;
    *sys = out;
    return 0;
}

int system_make(const struct settings *s, struct io_frame *sources,
                struct io_frame *targets, struct system *sys, char *error,
                size_t size)
{
    if (system_make_bare(s, sources, targets, sys, error, size) != 0)
        return -1;
    if (exclude_make(s, sources, targets, &sys->exclude, error, size) == 0)
        return 0;
    system_free(sys);
    return -1;
}

void system_free(struct system *sys)
{
    exclude_clear(&sys->exclude);
    free(sys->own);
    sys->own = NULL;
    sys->q = NULL;
}

double system_coulomb(const struct settings *s)
{
    const struct units *units = units_of(s);
    if (kernel_flow(s) && s->viscosity > 0)
        return 1 / (8 * M_PI * s->viscosity);
    if (s->gravity > 0)
        return -s->gravity;
    return s->coulomb > 0 ? s->coulomb : units->coulomb;
}

farsum_problem system_problem(const struct settings *s,
                              const struct system *sys)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    p.kernel = s->kernel;
    p.kappa = s->kappa;
    memcpy(p.cell, sys->cell, sizeof p.cell);
    memcpy(p.periodic, sys->periodic, sizeof p.periodic);
    p.surface = (farsum_surface)s->surface;
    p.coulomb = system_coulomb(s);
    p.softening = s->softening;
    p.precision = (farsum_precision)s->precision;
    p.arrays = FARSUM_F64;
    p.tolerance = s->tolerance;
    p.error = (farsum_error_kind)s->error;
    p.outputs = sys->flow ? FARSUM_VELOCITY : FARSUM_POTENTIAL | FARSUM_FIELD;
    if (sys->moments)
        p.outputs |= FARSUM_GRADIENT;
    if (sys->moments > 1 && sys->all_m == 0) /* for forces */
        p.outputs |= FARSUM_THIRD;
    if (sys->all_m == 0 && !sys->flow)
        p.outputs |= FARSUM_ENERGY | (s->no_virial ? 0 : FARSUM_VIRIAL)
                     | (s->particle_virial ? FARSUM_PARTICLE_VIRIAL : 0);
    p.exclude_coincident = s->exclude;
    p.n_sources = sys->n;
    p.n_targets = sys->m;
    p.sample_x = sys->x;
    p.sample_q = sys->q;
    p.n_exclusions = sys->exclude.count;
    p.exclusions = sys->exclude.pair;
    p.exclusion_factors = sys->exclude.factor;
    return p;
}

int64_t system_targets(const struct system *sys)
{
    return sys->all_m ? sys->m : sys->n;
}

double system_volume(const struct system *sys)
{
    double rows[9], low[3], high[3], reach[3];
    memcpy(rows, sys->cell, sizeof rows);
    cell_right(rows, sys->periodic);
    for (int d = 0; d < 3; d++) {
        low[d] = INFINITY;
        high[d] = -INFINITY;
    }
    for (int64_t i = 0; i < sys->n; i++)
        open_range(rows, sys->periodic, sys->x + 3 * i, low, high);
    for (int d = 0; d < 3; d++)
        reach[d] = high[d] - low[d];
    return open_volume(rows, sys->periodic, reach, (double)sys->n);
}

void system_stamp(const struct system *sys, struct io_frame *frame)
{
    int any = sys->periodic[0] || sys->periodic[1] || sys->periodic[2];
    if (any) {
        memcpy(frame->cell, sys->cell, sizeof frame->cell);
        frame->has_cell = true;
    }
    memcpy(frame->periodic, sys->periodic, sizeof frame->periodic);
}
