/* units.c: the table of unit systems. */
#include "units.h"

#include <stddef.h>
#include <string.h>

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
