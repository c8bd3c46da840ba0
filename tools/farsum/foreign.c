/* SPDX-License-Identifier: Apache-2.0 */
/* foreign.c: names that other programs read as results. */
#include "foreign.h"

#include "io/geometry.h"
#include "strengths.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Keys of a configuration, and columns of its particles (from ASE's calculators
 * and similar programs, and ours). */
static const char *const keys[] = {
    "energy",      "free_energy", "energies",     "potential_energy",
    "total_energy", "stress",     "stresses",     "virial",
    "virials",     "magmom",      "magmoms",      "dipole",
    "farsum_exclusions", NULL};
static const char *const columns[] = {
    "forces",  "force",          "energies",  "energy",  "free_energies",
    "stress",  "stresses",       "virial",    "virials", "magmom",
    "magmoms", "dipoles",        "potential", "field",   "acceleration",
    "torque",  "field_gradient", NULL};

static int is_one(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcasecmp(name, *names) == 0)
            return 1;
    return 0;
}

/* Strengths of the kernel are not results. */
static int is_strength(const char *name, const char *kernel)
{
    const struct strengths *row = strengths_of(kernel);
    for (int k = 0; k < STRENGTHS_COLUMNS && row->columns[k].name; k++)
        if (strcmp(name, row->columns[k].name) == 0)
            return 1;
    return 0;
}

static void say(char *text, size_t size, const char *what, const char *name)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s%.40s", used ? ", " : "", what,
             name);
}

void foreign_drop(struct io_frame *frame, const char *kernel, char *text,
                  size_t size)
{
    *text = '\0';
    for (int k = frame->n_keys - 1; k >= 0; k--)
        if (is_one(frame->keys[k].key, keys)) {
            say(text, size, "", frame->keys[k].key);
            io_frame_drop_key(frame, k);
        }
    for (int k = frame->n_columns - 1; k >= 0; k--) {
        const char *name = frame->columns[k].name;
        if (!is_one(name, columns) || is_strength(name, kernel))
            continue;
        say(text, size, "the column ", name);
        io_frame_drop_column(frame, k);
    }
}

void foreign_drop_geometry(struct io_frame *frame)
{
    for (int k = frame->n_keys - 1; k >= 0; k--)
        if (geometry_is_single(frame->keys[k].key) &&
            strcasecmp(frame->keys[k].key, "units") != 0)
            io_frame_drop_key(frame, k);
}
