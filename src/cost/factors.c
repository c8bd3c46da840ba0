/* SPDX-License-Identifier: Apache-2.0 */
/* factors.c: loading and keeping the factors of the stages' costs. */
#include "cost/factors.h"

#include <stdio.h>

#include "cost/kept_times.h"

static const char *const names[MACHINE_STAGES] = {
#define MESH_STAGE(NAME, name) #name,
#define BOXES_STAGE(NAME, name) #name,
#include "cost/stages.def"
};

/* Key of the factors, with the version of the costs. */
static void machine_key(const struct machine_place *place,
                        char key[KEPT_TIMES_KEY])
{
    char what[64];
    snprintf(what, sizeof what, "machine %s", farsum_version());
    kept_times_key_of(key, place, what);
}

void machine_none(struct machine *machine)
{
    machine->measured = 0;
    for (int r = 0; r < MACHINE_STAGES; r++)
        machine->factor[r] = 1;
}

int machine_is_bad(double factor)
{
    return !(factor > 1e-3 && factor < 1e3);
}

void machine_load(struct machine *machine, const struct machine_place *place)
{
    struct choose_time times[KEPT_TIMES_MOST];
    struct machine found = {.measured = 1};
    char key[KEPT_TIMES_KEY];
    machine_key(place, key);
    int n = kept_times_load(key, times);
    for (int r = 0; r < MACHINE_STAGES; r++) {
        found.factor[r] = kept_times_run(times, n, names[r]);
        found.measured &= !machine_is_bad(found.factor[r]);
    }
    machine_none(machine);
    if (found.measured)
        *machine = found;
}

void machine_keep(const struct machine *machine,
                  const struct machine_place *place)
{
    struct choose_time times[MACHINE_STAGES];
    char key[KEPT_TIMES_KEY];
    machine_key(place, key);
    for (int r = 0; r < MACHINE_STAGES; r++) {
        times[r] = (struct choose_time){.run = machine->factor[r]};
        snprintf(times[r].row, sizeof times->row, "%s", names[r]);
    }
    kept_times_keep(key, times, MACHINE_STAGES);
}
