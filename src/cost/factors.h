/* SPDX-License-Identifier: Apache-2.0 */
/* factors.h: cost factors of this machine or of one of its devices.  Each is
 * the measured time of a stage over the time that the constants in its
 * variants' cost functions predict.  They are measured once (plan/calibrate.h)
 * and kept (cost/kept_times.h). */
#ifndef FARSUM_COST_FACTORS_H
#define FARSUM_COST_FACTORS_H

#include "cost/place.h"

/* One factor per stage of stages.def; those of fmm start at MACHINE_FMM. */
enum {
#define MESH_STAGE(NAME, name) MACHINE_##NAME,
#include "cost/stages.def"
    MACHINE_FMM,
#define BOXES_STAGE(NAME, name) MACHINE_##NAME,
    MACHINE_BEFORE_FMM = MACHINE_FMM - 1, /* the next is MACHINE_FMM */
#include "cost/stages.def"
    MACHINE_STAGES
};

struct machine {
    double factor[MACHINE_STAGES]; /* measured seconds over modelled seconds */
    int measured;                 /* 0: all factors are 1 */
};

void machine_none(struct machine *machine); /* sets all factors to 1 */
/* Loads factors.  They are 1 if none are kept or a line cannot be parsed. */
void machine_load(struct machine *machine, const struct machine_place *place);
void machine_keep(const struct machine *machine,
                  const struct machine_place *place);
/* Returns 1 if the factor is too far from 1 for any machine, so a clock
 * failed. */
int machine_is_bad(double factor);
#endif
