/* SPDX-License-Identifier: Apache-2.0 */
/* crystal.c: table of crystals.  Each has a lattice (simple or face-centred
 * cubic) and the sites of its primitive cell, in units of the cubic cell. */
#include "crystal.h"

#include <stdlib.h>
#include <string.h>

struct site {
    const char *species;
    double q, x[3];
};

struct crystal {
    const char *name, *note;
    int centred; /* 1: face-centred, primitive cell of a quarter the volume */
    int n_sites;
    struct site sites[5];
};

static const struct crystal crystals[] = {
    {"nacl", "rock salt; Na +1, Cl -1", 1, 2,
     {{"Na", 1, {0, 0, 0}}, {"Cl", -1, {0.5, 0.5, 0.5}}}},
    {"cscl", "caesium chloride; Cs +1, Cl -1; its cubic cell is primitive", 0,
     2, {{"Cs", 1, {0, 0, 0}}, {"Cl", -1, {0.5, 0.5, 0.5}}}},
    {"zns", "zinc blende; Zn +1, S -1", 1, 2,
     {{"Zn", 1, {0, 0, 0}}, {"S", -1, {0.25, 0.25, 0.25}}}},
    {"caf2", "fluorite; Ca +2, F -1", 1, 3,
     {{"Ca", 2, {0, 0, 0}},
      {"F", -1, {0.25, 0.25, 0.25}},
      {"F", -1, {0.75, 0.75, 0.75}}}},
    {"perovskite", "CaTiO3, ideal; Ca +2, Ti +4, O -2; its cubic cell is "
                   "primitive", 0, 5,
     {{"Ca", 2, {0, 0, 0}},
      {"Ti", 4, {0.5, 0.5, 0.5}},
      {"O", -2, {0.5, 0.5, 0}},
      {"O", -2, {0.5, 0, 0.5}},
      {"O", -2, {0, 0.5, 0.5}}}},
};

static const double centring[4][3] = {
    {0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};
static const double cubic[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static const double centred[9] = {0, 0.5, 0.5, 0.5, 0, 0.5, 0.5, 0.5, 0};

const struct crystal *crystal_get(int index)
{
    int count = (int)(sizeof crystals / sizeof *crystals);
    return index >= 0 && index < count ? &crystals[index] : NULL;
}

const struct crystal *crystal_find(const char *name)
{
    for (int k = 0; crystal_get(k); k++)
        if (strcmp(crystals[k].name, name) == 0)
            return &crystals[k];
    return NULL;
}

const char *crystal_name(const struct crystal *crystal)
{
    return crystal->name;
}

const char *crystal_note(const struct crystal *crystal)
{
    return crystal->note;
}

/* Places one cell's sites at offset o; returns the index after the last. */
static int64_t put_cell(const struct crystal *c, int copies, const double o[3],
                        int64_t i, struct case_particles *p,
                        const char **species)
{
    for (int k = 0; k < copies; k++)
        for (int s = 0; s < c->n_sites; s++, i++) {
            for (int d = 0; d < 3; d++) {
                double f = c->sites[s].x[d] + centring[k][d];
                /* inside the cubic cell, exactly: quarters */
                if (copies > 1 && f >= 1)
                    f -= 1;
                p->x[3 * i + d] = o[d] + f;
            }
            p->q[i] = c->sites[s].q;
            if (species)
                species[i] = c->sites[s].species;
        }
    return i;
}

int crystal_make(const struct crystal *crystal, const int64_t cells[3],
                 int primitive, struct case_particles *particles,
                 const char ***species, char *error, size_t size)
{
    int copies = crystal->centred && !primitive ? 4 : 1;
    const double *rows = crystal->centred && primitive ? centred : cubic;
    double count = (double)(copies * crystal->n_sites);
    for (int d = 0; d < 3; d++)
        count *= (double)cells[d];
    if (cells[0] < 1 || cells[1] < 1 || cells[2] < 1 ||
        count > (double)CASE_MAX) {
        snprintf(error, size, "%lld x %lld x %lld cells: from 1 to 2e9 "
                 "particles are possible", (long long)cells[0],
                 (long long)cells[1], (long long)cells[2]);
        return -1;
    }
    struct case_particles p = {.n = (int64_t)count, .strengths = 1,
                               .periodic = {1, 1, 1}};
    const char **names = NULL;
    p.x = malloc((size_t)p.n * 3 * sizeof *p.x);
    p.q = malloc((size_t)p.n * sizeof *p.q);
    if (species)
        names = malloc((size_t)p.n * sizeof *names);
    if (!p.x || !p.q || (species && !names)) {
        snprintf(error, size, "no memory for %lld particles", (long long)p.n);
        case_free(&p);
        free(names);
        return -1;
    }
    for (int k = 0; k < 9; k++)
        p.cell[k] = rows[k] * (double)cells[k / 3];
    int64_t i = 0;
    for (int64_t a = 0; a < cells[0]; a++)
        for (int64_t b = 0; b < cells[1]; b++)
            for (int64_t c = 0; c < cells[2]; c++) {
                double o[3];
                for (int d = 0; d < 3; d++)
                    o[d] = (double)a * rows[d] + (double)b * rows[3 + d] +
                           (double)c * rows[6 + d];
                i = put_cell(crystal, copies, o, i, &p, names);
            }
    *particles = p;
    if (species)
        *species = names;
    return 0;
}
