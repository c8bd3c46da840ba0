/* SPDX-License-Identifier: Apache-2.0 */
/* units.c: the table of unit systems. */
#include "units.h"

#include "base/number.h"
#include "io/io.h"

#include <ctype.h>
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
    {"e", "e0", "elementary", "elementary charge", "elementary_charge", "|e|",
     NULL},
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

/* The table's unit of length that the word spells; else the name of another
 * one; else NULL. */
static const char *length_of(const char *word)
{
    static const char *const others[][2] = {
        {"bohr", "bohr"}, {"a0", "bohr"},        {"au", "bohr"},
        {"a.u.", "bohr"}, {"fm", "fm"},          {"pm", "pm"},
        {"um", "um"},     {"micron", "um"},      {"mm", "mm"},
        {"cm", "cm"},     {"km", "km"},          {"pc", "pc"},
        {"parsec", "pc"}, {"kpc", "kpc"},        {"kiloparsec", "kpc"},
        {"mpc", "Mpc"},   {"megaparsec", "Mpc"}, {"ly", "ly"},
        {"in", "in"},     {"inch", "in"},        {"sigma", "sigma"},
        {NULL, NULL}};
    for (int k = 0; units_get(k); k++)
        if (*units_get(k)->length && spells(word, units_get(k)->length))
            return units_get(k)->length;
    for (int k = 0; others[k][0]; k++)
        if (strcasecmp(others[k][0], word) == 0)
            return others[k][1];
    return NULL;
}

/* A unit system of ours by its name in any letters; NULL: none. */
static const struct units *system_named(const char *word)
{
    for (int k = 0; units_get(k); k++)
        if (strcasecmp(table[k].name, word) == 0)
            return &table[k];
    return NULL;
}

/* The unit of length of a system of other programs, "" if it has none; NULL: no
 * such system. */
static const char *other_system(const char *word)
{
    static const char *const others[][2] = {
        {"lj", "sigma"},     {"electron", "bohr"}, {"cgs", "cm"},
        {"micro", "um"},     {"nano", "nm"},       {"atomic", "bohr"},
        {"hartree", "bohr"}, {"natural", ""},      {NULL, NULL}};
    for (int k = 0; others[k][0]; k++)
        if (strcasecmp(others[k][0], word) == 0)
            return others[k][1];
    return NULL;
}

/* True for the name of a unit system of ours or of other programs. */
static int is_system(const char *word)
{
    return other_system(word) || system_named(word);
}

/* --- units that a frame states --- */

enum says { SAYS_NOTHING, SAYS_SYSTEM, SAYS_LENGTH, SAYS_CHARGE };

/* What a key's value names: "units", "length_unit", "unit of charge", ... */
static enum says key_says(const char *key)
{
    static const char systems[] =
        " unit units unitsystem unitssystem unitstyle "
        "unitsstyle ";
    static const char lengths[] =
        " length lengths pos position positions coord coords coordinate "
        "coordinates distance distances cell box lattice space ";
    static const char charges[] = " charge charges q ";
    char word[40] = " ";
    size_t n = 1;
    for (; *key && n < sizeof word - 2; key++)
        if (isalnum((unsigned char)*key))
            word[n++] = (char)tolower((unsigned char)*key);
    word[n] = ' ';
    if (*key)
        return SAYS_NOTHING;
    if (strstr(systems, word))
        return SAYS_SYSTEM;
    char *from = word + 1, *end = word + n;
    if (end - from > 4 && strncmp(from, "unit", 4) == 0) {
        from += 4;
        from += *from == 's';
        from += 2 * (strncmp(from, "of", 2) == 0);
    } else {
        end -= end - from > 1 && end[-1] == 's';
        if (end - from < 5 || strncmp(end - 4, "unit", 4) != 0)
            return SAYS_NOTHING;
        end -= 4;
    }
    from[-1] = *end = ' ';
    end[1] = '\0';
    return strstr(lengths, from - 1)   ? SAYS_LENGTH
           : strstr(charges, from - 1) ? SAYS_CHARGE
                                       : SAYS_NOTHING;
}

static int is_number(const char *word)
{
    double v;
    return number_real(word, strlen(word), &v) == NUMBER_OK;
}

static int contradict(const struct units *units, const char *what,
                      const char *word, char *error, size_t size)
{
    snprintf(error, size, "%s \"%.40s\", but --units %s has lengths in %s and "
             "charges in %s", what, word, units->name, units->length,
             units->charge);
    return -1;
}

static int key_agrees(const struct units *units, const struct io_key *key,
                      char *error, size_t size)
{
    const char *word = key->value;
    enum says says = *word ? key_says(key->key) : SAYS_NOTHING;
    if (says == SAYS_SYSTEM && is_system(word)
        && strcasecmp(word, units->name) != 0) {
        snprintf(error, size,
                 "the file says %.40s=%.40s, the command "
                 "--units %s: change one of them",
                 key->key, word, units->name);
        return -1;
    }
    /* a number is a scale, as sigma of reduced units */
    if ((says == SAYS_LENGTH && !is_number(word)
         && !spells(word, units->length))
        || (says == SAYS_SYSTEM && length_of(word)
            && !spells(word, units->length)))
        return contradict(units, "the file says that lengths are in", word,
                          error, size);
    if (says == SAYS_CHARGE && !spells(word, units->charge))
        return contradict(units, "the file says that charges are in", word,
                          error, size);
    return 0;
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
    for (int k = 0; k < frame->n_keys; k++)
        if (key_agrees(units, &frame->keys[k], error, size) != 0)
            return -1;
    return 0;
}

/* The frame's unit of length; NULL: it states none. */
static const char *frame_length(const struct io_frame *frame)
{
    const char *found = NULL;
    if (*frame->length_unit)
        found = frame->length_unit;
    for (int k = 0; k < frame->n_keys && !found; k++) {
        const char *word = frame->keys[k].value;
        enum says says = *word ? key_says(frame->keys[k].key) : SAYS_NOTHING;
        const struct units *units =
            says == SAYS_SYSTEM ? system_named(word) : NULL;
        if ((says == SAYS_LENGTH && !is_number(word))
            || (says == SAYS_SYSTEM && length_of(word)))
            found = word;
        else if (units && *units->length)
            found = units->length;
        else if (says == SAYS_SYSTEM && other_system(word)
                 && *other_system(word))
            found = other_system(word);
    }
    return found && length_of(found) ? length_of(found) : found;
}

int units_alike(const struct io_frame *sources, const struct io_frame *targets,
                char *error, size_t size)
{
    const char *a = frame_length(sources), *b = frame_length(targets);
    if (!a || !b || strcasecmp(a, b) == 0)
        return 0;
    snprintf(error, size,
             "the particles' lengths are in \"%.40s\", the "
             "targets' in \"%.40s\": change one of them",
             a, b);
    return -1;
}

const struct units *units_of_frame(const struct io_frame *frame, char *text,
                                   size_t size)
{
    *text = '\0';
    for (int k = 0; k < frame->n_keys; k++) {
        const struct io_key *key = &frame->keys[k];
        const struct units *units =
            key_says(key->key) == SAYS_SYSTEM ? system_named(key->value) : NULL;
        if (units && *units->length) {
            snprintf(text, size, "%.20s=%s", key->key, key->value);
            return units;
        }
    }
    if (!*frame->length_unit && !*frame->charge_unit)
        return NULL;
    for (int k = 1; units_get(k); k++) {
        const struct units *units = units_get(k);
        if (!*frame->length_unit || spells(frame->length_unit, units->length)) {
            snprintf(text, size, "positions in %s",
                     *frame->length_unit ? frame->length_unit : "no unit");
            return NULL;
        }
    }
    return NULL;
}
