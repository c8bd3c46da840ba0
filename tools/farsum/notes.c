/* SPDX-License-Identifier: Apache-2.0 */
/* notes.c: notes about the input of run. */
#include "notes.h"
#include "kernel.h"
#include "say.h"
#include "units.h"

void notes_units(const struct settings *s, const struct io_frame *frame)
{
    char says[60];
    if (kernel_flow(s) || s->gravity > 0)
        return;
    const struct units *named = units_of_frame(frame, says, sizeof says);
    if (*says)
        say_note("%s has %s, but Coulomb's constant is 1; give --units %s to "
                 "change it",
                 s->words[0], says, named ? named->name : "NAME");
}
