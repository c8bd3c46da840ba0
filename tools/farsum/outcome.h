/* SPDX-License-Identifier: Apache-2.0 */
/* outcome.h: result of one frame, and its text output. */
#ifndef FARSUM_TOOLS_OUTCOME_H
#define FARSUM_TOOLS_OUTCOME_H

#include "ranks/run.h"
#include "verify.h"

#include <stdio.h>

struct outcome {
    int64_t frame;           /* from 1 */
    int64_t n, m;            /* m = 0: the targets are the sources */
    int flow;                /* owned, [targets]; NULL for flows */
    double *potential;       /* owned, [targets]; NULL of flows */
    double *vector;          /* owned, [targets][3]: velocities; forces, or the
                                field if the targets are not the sources */
    double *gradient;        /* owned, [targets][6], of the field; NULL unless
                                sources have dipoles */
    double *third;           /* owned, [n][10], derivatives of the potential;
                                NULL unless particles have quadrupoles */
    double *share;           /* owned, [n][9], of the virial; NULL unless
                                requested */
    double *torque;          /* owned, [n][3]; NULL unless particles have
                                dipoles */
    double *acceleration;    /* owned, [n][3]; NULL except for gravity at the
                                particles */
    int has_energy;          /* not for separate targets */
    int has_virial;          /* nor by methods that have none */
    double energy, virial[9];
    double flow_mean[3], flow_rms; /* of the velocities */
    double energy_part;      /* |U| over half the sum of |q phi| */
    int has_check;
    struct verify_result check;
    farsum_plan_info info;   /* texts borrowed from the plan */
    int ranks;               /* number of them; 0: one process */
    struct ranks_work *work; /* owned, [ranks] */
    const char *new_plan;    /* why this frame required a new plan; NULL */
};

/* 1: the estimated error exceeds the tolerance. */
static inline int outcome_misses(const farsum_plan_info *info)
{
    return !(info->estimated_error <= info->tolerance);
}
/* The warning about it. */
static inline const char *outcome_warning(const struct settings *s,
                                          const farsum_plan_info *info)
{
    return !outcome_misses(info) ? ""
           : s->order != 0
               ? " (ABOVE the tolerance: the order is fixed)"
               : " (ABOVE the tolerance)";
}
/* 1: the measured error exceeds the tolerance or, if it was not measured, the
 * estimated one does. */
static inline int outcome_exceeds(const struct outcome *o)
{
    return o->has_check ? verify_exceeds(&o->check) : outcome_misses(&o->info);
}
/* F = q E.  first: particles of the file before these.  Returns -1 if a force
 * is not finite, and names it in error. */
int outcome_forces(int64_t n, int64_t first, const double *q,
                   const double *field, double *forces, char *error,
                   size_t size);
/* Sets the force q E - G p - Q:grad G/2 on a charge with a dipole, and with a
 * quadrupole, in q.  third: NULL without quadrupoles. */
void outcome_force(const double *q, const double field[3],
                   const double gradient[6], const double *third,
                   double force[3]);
/* Replaces the field at the particles by these forces, and sets the torques
 * p x E, of quadrupoles less eps:(Q G).  Returns -1 as outcome_forces. */
int outcome_particles(const struct system *sys, int64_t first,
                      struct outcome *o, char *error, size_t size);
/* |energy| over half the sum of |q phi - p.E| over all ranks; 0: no charges.
 * With quadrupoles also Q:G/2.  field, gradient: of the particles; dipoles
 * only. */
double outcome_energy_part(struct ranks *ranks, const struct system *sys,
                           const double *potential, const double *field,
                           const double *gradient, double energy);
/* Twice the energy of a source in these values, in units of 2^unit.  field:
 * NULL without dipoles; gradient: NULL without quadrupoles. */
double outcome_energy(const double *q, double potential, const double *field,
                      const double *gradient, int unit);
/* Sets flow_mean and flow_rms from n velocities of this rank; all: number on
 * all ranks. */
void outcome_flow(struct outcome *o, struct ranks *ranks, int64_t n,
                  int64_t all);
/* An error of the energy relative to the energy itself; NaN: unknown. */
double outcome_of_itself(double error, double part);
/* The most particles that a rank sums, over the mean. */
double outcome_imbalance(const struct outcome *o);
void outcome_free(struct outcome *o);
/* Prints lines for a person: the first frame with its plan, one line for each
 * later frame. */
void outcome_print(const struct outcome *o, const struct settings *s,
                   const farsum_plan *plan, FILE *out);
#endif
