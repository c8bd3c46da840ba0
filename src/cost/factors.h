/* SPDX-License-Identifier: Apache-2.0 */
/* factors.h: how this machine, or a device of it, differs from those whose
 * constants stand in the variants' cost functions: one factor per stage,
 * measured once (plan/calibrate.h) and kept (cost/kept_times.h). */
#ifndef FARSUM_COST_FACTORS_H
#define FARSUM_COST_FACTORS_H

#include "cost/place.h"

/* A factor per stage of stages.def; those of fmm from MACHINE_FMM on. */
enum {
#define MESH_STAGE(NAME, name) MACHINE_##NAME,
#include "cost/stages.def"
    MACHINE_FMM,
#define BOXES_STAGE(NAME, name) MACHINE_##NAME,
    MACHINE_BEFORE_FMM = MACHINE_FMM - 1, /* the next is MACHINE_FMM */
#include "cost/stages.def"
    MACHINE_ROOMS
};

struct machine {
    double factor[MACHINE_ROOMS]; /* measured seconds over modelled ones */
    int measured;                 /* 0: all factors are 1 */
};

void machine_none(struct machine *machine); /* factors of 1 */
/* Factors of 1 if nothing is kept or a line cannot be understood. */
void machine_load(struct machine *machine, const struct machine_place *place);
void machine_keep(const struct machine *machine,
                  const struct machine_place *place);
/* 1: too far from 1 for any machine: a clock failed. */
int machine_is_bad(double factor);
#endif
