/* units.h: unit systems: Coulomb's constant in each, and where it is from. */
#ifndef FARSUM_TOOLS_UNITS_H
#define FARSUM_TOOLS_UNITS_H

struct units {
    const char *name;
    double coulomb;
    const char *source;                   /* of the constant */
    const char *length, *charge, *energy; /* "" if they have no unit */
};

/* index 0, 1, ...; NULL past the last.  The first is the default. */
const struct units *units_get(int index);
const struct units *units_find(const char *name); /* NULL: none */
#endif
