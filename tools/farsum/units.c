/* SPDX-License-Identifier: Apache-2.0 */
/* units.c: the table of unit systems. */
#include "units.h"

#include "io/io.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct units table[] = {
    {"reduced", 1, "by definition", "", "", ""},
    {"real", 332.06371, "LAMMPS, units real", "A", "e", "kcal/mol"},
    {"metal", 14.399645, "LAMMPS, units metal", "A", "e", "eV"},
    {"gromacs", 138.935458, "GROMACS reference manual, units", "nm", "e",
     "kJ/mol"},
    {"si", 8.9875517862e9, "1/(4 pi epsilon_0), CODATA 2022", "m", "C", "J"},
};

const struct units *units_get(int index)
{
    int count = (int)(sizeof table / sizeof *table);
    return index >= 0 && index < count ? &table[index] : NULL;
}

const struct units *units_find(const char *name)
{
    for (int k = 0; units_get(k); k++)
        if (strcmp(table[k].name, name) == 0)
            return &table[k];
    return NULL;
}

/* Spellings of units; the first of each row is the table's. */
static const char *const spellings[][10] = {
    {"A", "\xc3\x85", "\xe2\x84\xab", "ang", "angs", "angstrom", "angstroms",
     "\xc3\xa5ngstr\xc3\xb6m", "\xc3\x85ngstr\xc3\xb6m", NULL},
    {"nm", "nanometer", "nanometers", "nanometre", "nanometres", NULL},
    {"m", "meter", "meters", "metre", "metres", NULL},
    {"e", "e0", "elementary charge", "elementary_charge", "|e|", NULL},
    {"C", "coulomb", "coulombs", NULL},
};

/* 1: the word is a spelling of the unit. */
static int spells(const char *word, const char *unit)
{
    for (size_t k = 0; k < sizeof spellings / sizeof *spellings; k++)
        for (int j = 0; strcmp(spellings[k][0], unit) == 0 && spellings[k][j];
             j++) {
            const char *one = spellings[k][j];
            if (strlen(one) > 2 ? strcasecmp(one, word) == 0
                                : strcmp(one, word) == 0)
                return 1;
        }
    return 0;
}

static int is_length(const char *word)
{
    static const char *const others[] = {"bohr", "au", "a.u.", "pm", "um",
                                         "cm", "mm", "fm", NULL};
    for (int k = 0; others[k]; k++)
        if (strcasecmp(others[k], word) == 0)
            return 1;
    return spells(word, "A") || spells(word, "nm") || spells(word, "m");
}

/* True for the name of a unit system of ours or of LAMMPS. */
static int is_system(const char *word)
{
    static const char *const others[] = {"lj", "electron", "cgs", "micro",
                                         "nano", NULL};
    for (int k = 0; others[k]; k++)
        if (strcmp(others[k], word) == 0)
            return 1;
    return units_find(word) != NULL;
}

static const char *const keys[] = {"units", "unit", "length_unit",
                                   "length_units", "pos_unit", NULL};

static int contradict(const struct units *units, const char *what,
                      const char *word, char *error, size_t size)
{
    snprintf(error, size, "%s \"%.40s\", but --units %s has lengths in %s and "
             "charges in %s", what, word, units->name, units->length,
             units->charge);
    return -1;
}

int units_agree(const struct units *units, const struct io_frame *frame,
                char *error, size_t size)
{
    if (!*units->length)
        return 0;
    if (*frame->length_unit && !spells(frame->length_unit, units->length))
        return contradict(units, "the file's positions have the unit",
                          frame->length_unit, error, size);
    if (*frame->charge_unit && !spells(frame->charge_unit, units->charge))
        return contradict(units, "the file's charges have the unit",
                          frame->charge_unit, error, size);
    for (int k = 0; k < frame->n_keys; k++) {
        const char *key = frame->keys[k].key, *word = frame->keys[k].value;
        int ours = 0;
        for (int j = 0; keys[j]; j++)
            ours |= strcasecmp(key, keys[j]) == 0;
        if (!ours)
            continue;
        if (is_system(word) && strcmp(word, units->name) != 0) {
            snprintf(error, size, "the file says %.40s=%.40s, the command "
                     "--units %s: change one of them", key, word, units->name);
            return -1;
        }
        if (is_length(word) && !spells(word, units->length))
            return contradict(units, "the file says that lengths are in", word,
                              error, size);
    }
    return 0;
}

void units_of_frame(const struct io_frame *frame, char *text, size_t size)
{
    const char *says = io_frame_key(frame, "units");
    *text = '\0';
    if (says && units_find(says) && strcmp(says, "reduced") != 0) {
        snprintf(text, size, "units=%s", says);
        return;
    }
    if (!*frame->length_unit && !*frame->charge_unit)
        return;
    for (int k = 1; units_get(k); k++) {
        const struct units *units = units_get(k);
        if (!*frame->length_unit || spells(frame->length_unit, units->length)) {
            snprintf(text, size, "positions in %s",
                     *frame->length_unit ? frame->length_unit : "no unit");
            return;
        }
    }
}
