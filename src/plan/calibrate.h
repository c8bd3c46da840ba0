/* SPDX-License-Identifier: Apache-2.0 */
/* calibrate.h: how this machine, or a device of it, differs from those whose
 * constants stand in the variants' cost functions: a factor a room, measured
 * once and kept as wisdom (cost/kept_times.h). */
#ifndef FARSUM_PLAN_CALIBRATE_H
#define FARSUM_PLAN_CALIBRATE_H

#include "base/isa.h"
#include "device/device.h"

/* Rooms in the orders of tune/parameters.h (there are MACHINE_FMM, as
 * tune/parameters.c asserts) and, from MACHINE_FMM on, of fmm.h. */
enum { MACHINE_NEAR, MACHINE_FMM = 5, MACHINE_ROOMS = 12 };

/* Who works, and in what. */
struct machine_place {
    struct device *device; /* NULL: the host */
    enum isa isa;
    farsum_precision precision;
    int threads;
};

struct machine {
    double factor[MACHINE_ROOMS]; /* measured seconds over modelled ones */
    int measured;                 /* 0: all factors are 1 */
};

/* The processor's; "unknown" if the system does not tell. */
void machine_name(char *name, size_t size);
void machine_none(struct machine *machine); /* factors of 1 */
/* Factors of 1 if nothing is kept or a line cannot be understood. */
void machine_load(struct machine *machine, const struct machine_place *place);
void machine_keep(const struct machine *machine,
                  const struct machine_place *place);
/* Measures (about a second, and on a device its kernels' compilation), keeps,
 * and returns what it found: none, factors of 1, where a sum cannot be made in
 * `memory_limit` bytes, or at all, or a device's queue keeps no times. */
void machine_measure(struct machine *machine, const struct machine_place *place,
                     uint64_t memory_limit);
#endif
