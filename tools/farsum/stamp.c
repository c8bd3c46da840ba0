/* SPDX-License-Identifier: Apache-2.0 */
/* stamp.c: conversion of settings to keys and back. */
#include "stamp.h"

#include "kernel.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int put_real(struct io_frame *frame, const char *key, double value)
{
    return io_frame_set_key(frame, key, number_text(value).text);
}

static int put_word(struct io_frame *frame, const char *key, const char *which,
                    int value)
{
    return io_frame_set_key(frame, key,
                            options_word(which, value ? value : 1));
}

/* Forces at targets with charges. */
static int put_target_forces(struct io_frame *frame, const double *field,
                             char *error, size_t size)
{
    if (!frame->q)
        return 0;
    double *forces = malloc((size_t)frame->n * 3 * sizeof *forces);
    if (!forces)
        return -1;
    if (outcome_forces(frame->n, frame->first, frame->q, field, forces, error,
                       size)
            == 0
        && io_frame_set_column(frame, "forces", IO_REAL, 3, forces) == 0)
        return 0;
    free(forces);
    return -1;
}

static int put_columns(struct io_frame *frame, const struct system *sys,
                       struct outcome *o, int charges, char *error,
                       size_t size)
{
    if (o->flow) {
        if (io_frame_set_column(frame, "velocity", IO_REAL, 3, o->vector) != 0)
            return -1;
        o->vector = NULL;
        return 0;
    }
    if (io_frame_set_column(frame, "potential", IO_REAL, 1, o->potential) != 0)
        return -1;
    o->potential = NULL;
    if (o->acceleration
        && io_frame_set_column(frame, "acceleration", IO_REAL, 3,
                               o->acceleration)
               != 0)
        return -1;
    o->acceleration = NULL;
    if (o->gradient
        && io_frame_set_column(frame, "field_gradient", IO_REAL, 6, o->gradient)
               != 0)
        return -1;
    o->gradient = NULL;
    if (o->share
        && io_frame_set_column(frame, "virials", IO_REAL, 9, o->share) != 0)
        return -1;
    o->share = NULL;
    if (o->torque
        && io_frame_set_column(frame, "torque", IO_REAL, 3, o->torque) != 0)
        return -1;
    o->torque = NULL;
    /* a target's dipole is not known */
    if ((sys->all_m && charges && !sys->moments
         && put_target_forces(frame, o->vector, error, size) != 0)
        || io_frame_set_column(frame, sys->all_m ? "field" : "forces", IO_REAL,
                               3, o->vector)
               != 0)
        return -1;
    o->vector = NULL;
    return 0;
}

int stamp_write(struct io_frame *frame, const struct system *sys,
                struct outcome *o, const struct settings *s, char *error,
                size_t size)
{
    int bad = 0;
    snprintf(error, size, "out of memory");
    system_stamp(sys, frame);
    if (o->has_energy) {
        char text[9 * 26];
        size_t used = 0;
        for (int k = 0; k < 9; k++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                     k ? " " : "",
                                     number_digits(o->virial[k], 17).text);
        bad |= put_real(frame, "energy", o->energy);
        if (o->has_virial)
            bad |= io_frame_set_key(frame, "virial", text);
    }
    bad |= io_frame_set_key(frame, "farsum_version", farsum_version());
    bad |= io_frame_set_key(frame, "farsum_kernel", o->info.kernel);
    bad |= io_frame_set_key(frame, "farsum_method", o->info.method);
    bad |= put_word(frame, "farsum_precision", "precision",
                    (int)o->info.precision);
    bad |= put_real(frame, "farsum_tolerance", s->tolerance);
    bad |= put_word(frame, "farsum_error", "error", s->error);
    bad |= put_real(frame, "farsum_estimated_error", o->info.estimated_error);
    bad |= put_word(frame, "farsum_units", "units", s->units);
    if (s->gravity > 0)
        bad |= put_real(frame, "farsum_gravity", s->gravity);
    else
        bad |= put_real(frame, "farsum_coulomb", system_coulomb(s));
    if (s->softening > 0)
        bad |= put_real(frame, "farsum_softening", s->softening);
    if (s->viscosity > 0)
        bad |= put_real(frame, "farsum_viscosity", s->viscosity);
    if (s->kappa > 0)
        bad |= put_real(frame, "farsum_kappa", s->kappa);
    if (!o->flow)
        bad |= put_word(frame, "farsum_surface", "surface", s->surface);
    bad |= io_frame_set_key(frame, "farsum_exclude",
                            s->exclude ? "coincident" : "none");
    if (sys->exclude.all)
        bad |= put_real(frame, "farsum_exclusions",
                        (double)sys->exclude.all);
    if (o->m)
        bad |= io_frame_set_key(frame, "farsum_sources", s->words[0]);
    return bad ? -1
               : put_columns(frame, sys, o, s->gravity == 0, error, size);
}

static int get_word(const struct io_frame *frame, const char *key,
                    const char *which, int *value, char *error, size_t size)
{
    const char *word = io_frame_key(frame, key);
    if (*value || !word)
        return 0;
    *value = options_value(which, word);
    if (*value)
        return 0;
    snprintf(error, size, "unknown value %s=%s", key, word);
    return -1;
}

static int get_real(const struct io_frame *frame, const char *key,
                    double *value, char *error, size_t size)
{
    const char *text = io_frame_key(frame, key);
    if (*value > 0 || !text)
        return 0;
    double v = number_of(text);
    if (!(v > 0)) {
        snprintf(error, size, "%s=%s is not a number above 0", key, text);
        return -1;
    }
    *value = v;
    return 0;
}

int stamp_read(const struct io_frame *frame, struct settings *s, char *error,
               size_t size)
{
    const char *exclude = io_frame_key(frame, "farsum_exclude");
    int units_given = s->units != 0;
    if (!s->kernel)
        s->kernel = io_frame_key(frame, "farsum_kernel");
    if (!s->sources)
        s->sources = io_frame_key(frame, "farsum_sources");
    if (exclude && strcmp(exclude, "coincident") == 0)
        s->exclude = 1;
    if (get_real(frame, "farsum_tolerance", &s->tolerance, error, size)
        || get_word(frame, "farsum_error", "error", &s->error, error, size)
        || get_word(frame, "farsum_units", "units", &s->units, error, size)
        || get_word(frame, "farsum_surface", "surface", &s->surface, error,
                    size)
        || (kernel_flow(s)
            && get_real(frame, "farsum_viscosity", &s->viscosity, error, size))
        || (strengths_of(kernel_name(s))->kappa
            && get_real(frame, "farsum_kappa", &s->kappa, error, size))
        || get_real(frame, "farsum_gravity", &s->gravity, error, size)
        || get_real(frame, "farsum_softening", &s->softening, error, size)
        || (!units_given
            && get_real(frame, "farsum_coulomb", &s->coulomb, error, size)))
        return -1;
    if (io_frame_key(frame, "farsum_exclusions") && !s->exclude_file &&
        !s->exclude_bonds) {
        snprintf(error, size, "%s pairs were excluded; give --exclude FILE "
                              "with them",
                              io_frame_key(frame, "farsum_exclusions"));
        return -1;
    }
    if (s->tolerance > 0 && s->units && s->error && s->kernel)
        return 0;
    snprintf(error, size,
             "the comment line does not say what 'farsum run' was asked for; "
             "give%s%s%s%s", s->tolerance > 0 ? "" : " --tolerance",
             s->error ? "" : " --error", s->units ? "" : " --units",
             s->kernel ? "" : " --kernel");
    return -1;
}
