/* SPDX-License-Identifier: Apache-2.0 */
/* place.h: the processor or device that computes, and its precision. */
#ifndef FARSUM_COST_PLACE_H
#define FARSUM_COST_PLACE_H

#include "base/isa.h"
#include "device/device.h"

struct machine_place {
    struct device *device; /* NULL: the host */
    enum isa isa;
    farsum_precision precision;
    int threads;
};

/* Writes the processor's name; "unknown" if the system does not report it. */
void machine_name(char *name, size_t size);
#endif
