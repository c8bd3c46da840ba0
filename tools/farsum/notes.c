/* SPDX-License-Identifier: Apache-2.0 */
/* notes.c: notes about the input of run. */
#include "notes.h"
#include "kernel.h"
#include "say.h"
#include "units.h"

#include <math.h>

void notes_units(const struct settings *s, const struct io_frame *frame)
{
    char says[60];
    if (kernel_flow(s) || s->gravity > 0)
        return;
    units_of_frame(frame, says, sizeof says);
    const char *key = io_frame_key(frame, "units");
    if (*says)
        say_note("%s has %s, but Coulomb's constant is 1; give --units %s to "
                 "change it",
                 s->words[0], says, key && units_find(key) ? key : "NAME");
}

void notes_targets(const struct settings *s, const struct io_frame *particles,
                   const struct io_frame *targets)
{
    double most = 0, off = 0;
    if (s->has_cell || !targets->has_cell)
        return;
    for (int k = 0; k < 9; k++) {
        most = fmax(most, fabs(particles->cell[k]));
        off = fmax(off, fabs(particles->cell[k] - targets->cell[k]));
    }
    if (off > 1e-6 * most)
        say_note("%s has another cell than the particles; the particles' cell "
                 "is used",
                 s->targets);
}
