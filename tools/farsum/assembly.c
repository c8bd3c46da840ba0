/* SPDX-License-Identifier: Apache-2.0 */
/* assembly.c: table of layers, wires and water. */
#include "assembly.h"
#include "crystal.h"
#include "rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lengths in Angstrom. */
#define WATER 3.104       /* spacing of molecules: 0.0334 per cubic Angstrom */
#define SALT 5.64         /* lattice constant of rock salt */
#define DIPOLE 0.4893     /* of a molecule SPC/E, e Angstrom: 2.35 Debye */
#define PLATE 10.0        /* spacing of a plate's charges */
#define PATCH (5 * WATER) /* edge of 2 x 2 lipids */
#define TAIL 2.5          /* spacing of a tail's beads */
enum { TAILS = 6 };
/* Heights above the middle of the membrane. */
#define HEAD 18.5
#define IONS 22.0
#define BULK 24.5

/* Particles that are being placed. */
struct builder {
    struct rng rng;
    int64_t cells[3];
    struct case_particles *p;
    const char **species;
    int64_t n; /* placed */
};

static void put(struct builder *b, const char *species, double q,
                const double x[3])
{
    memcpy(b->p->x + 3 * b->n, x, 3 * sizeof *x);
    b->p->q[b->n] = q;
    b->species[b->n++] = species;
}

/* A random number in [-most, most). */
static double about(struct builder *b, double most)
{
    return most * (2 * rng_uniform(&b->rng) - 1);
}

/* Moves x by up to `most` along the first `axes` axes.  In this order, which
 * initializers do not guarantee. */
static void shake(struct builder *b, double x[3], int axes, double most)
{
    for (int d = 0; d < axes; d++)
        x[d] += about(b, most);
}

static void put_about(struct builder *b, const char *species, double q,
                      double x, double y, double z, double most)
{
    double at[3] = {x, y, z};
    shake(b, at, 3, most);
    put(b, species, q, at);
}

/* A molecule SPC/E in a random direction. */
static void put_water(struct builder *b, double x, double y, double z)
{
    double o[3] = {x, y, z};
    /* the cosine of the angle is -1/3, the bonds measure 1 */
    const double along = sqrt(1.0 / 3), across = sqrt(2.0 / 3);
    double axis[3], side[3], h[3], dot = 0, square = 0;
    shake(b, o, 3, 0.15);
    rng_direction(&b->rng, axis);
    rng_direction(&b->rng, side);
    for (int d = 0; d < 3; d++)
        dot += axis[d] * side[d];
    for (int d = 0; d < 3; d++) {
        side[d] -= dot * axis[d];
        square += side[d] * side[d];
    }
    put(b, "O", -0.8476, o);
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int d = 0; d < 3; d++)
            h[d] =
                o[d] + along * axis[d] + sign * across * side[d] / sqrt(square);
        put(b, "H", 0.4238, h);
    }
}

/* nx x ny x nz molecules, the lowest of them above z. */
static void put_waters(struct builder *b, int64_t nx, int64_t ny, int64_t nz,
                       double z)
{
    for (int64_t i = 0; i < nx; i++)
        for (int64_t j = 0; j < ny; j++)
            for (int64_t k = 0; k < nz; k++)
                put_water(b, ((double)i + 0.5) * WATER,
                          ((double)j + 0.5) * WATER,
                          z + ((double)k + 0.5) * WATER);
}

static void film(struct builder *b)
{
    const int64_t *n = b->cells;
    put_waters(b, n[0], n[1], n[2], (double)n[2] * WATER);
}

/* A point dipole per molecule, without charge. */
static void water(struct builder *b)
{
    const int64_t *n = b->cells;
    for (int64_t i = 0; i < n[0] * n[1] * n[2]; i++) {
        const int64_t at[3] = {i / (n[1] * n[2]), i / n[2] % n[1], i % n[2]};
        double x[3], *q = b->p->q + 4 * b->n;
        for (int d = 0; d < 3; d++)
            x[d] = ((double)at[d] + 0.5) * WATER;
        shake(b, x, 3, 0.15);
        memcpy(b->p->x + 3 * b->n, x, sizeof x);
        rng_direction(&b->rng, q + 1);
        q[0] = 0;
        for (int d = 0; d < 3; d++)
            q[1 + d] *= DIPOLE;
        b->species[b->n++] = "O";
    }
}

/* crystal_make has placed the ions. */
static void wire(struct builder *b)
{
    for (int64_t i = 0; i < b->p->n; i++)
        for (int d = 0; d < 3; d++) {
            double skip = d < 2 ? (double)b->cells[d] + 0.25 : 0.25;
            b->p->x[3 * i + d] =
                SALT * (b->p->x[3 * i + d] + skip) + about(b, 0.2);
        }
}

static void capacitor(struct builder *b)
{
    double gap = (double)b->cells[2] * PLATE;
    for (int upper = 0; upper < 2; upper++)
        for (int64_t i = 0; i < b->cells[0]; i++)
            for (int64_t j = 0; j < b->cells[1]; j++) {
                double x[3] = {((double)i + 0.5) * PLATE,
                               ((double)j + 0.5) * PLATE, (1 + upper) * gap};
                shake(b, x, 2, 1);
                put(b, upper ? "Cl" : "Na", upper ? -1 : 1, x);
            }
}

/* Half the thickness of the membrane. */
static double membrane_half(const int64_t cells[3])
{
    return BULK + (double)cells[2] * WATER;
}

static void membrane(struct builder *b)
{
    const int64_t *n = b->cells;
    double middle = 3 * membrane_half(n);
    for (int side = -1; side <= 1; side += 2)
        for (int64_t i = 0; i < 2 * n[0]; i++)
            for (int64_t j = 0; j < 2 * n[1]; j++) {
                double x = ((double)i + 0.5) * PATCH / 2;
                double y = ((double)j + 0.5) * PATCH / 2;
                for (int k = 0; k < TAILS; k++)
                    put_about(b, "C", 0, x, y, middle + side * (2 + k * TAIL),
                              0.3);
                put_about(b, "P", -1, x, y, middle + side * HEAD, 0.5);
                put_about(b, "Na", 1, x, y, middle + side * IONS, 0.5);
            }
    put_waters(b, 5 * n[0], 5 * n[1], n[2], middle + BULK);
    put_waters(b, 5 * n[0], 5 * n[1], n[2], middle - membrane_half(n));
}

/* The table; K, L and M are the numbers of cells. */
static const struct assembly {
    const char *name, *note;
    int64_t cells[3];
    int per_area, per_volume; /* particles: times K L, and times K L M */
    int periodic[3];
    double edge[3];                         /* of a unit */
    double (*half)(const int64_t cells[3]); /* NULL: M units across */
    const char *crystal; /* places the particles first; NULL: none */
    int dipoles; /* 1: charges and dipoles */
    void (*fill)(struct builder *b);
} assemblies[] = {
    {.name = "film",
     .note = "a layer of K x L x M water molecules SPC/E (default: 8 x 8 x 4), "
             "M of them across, in random directions; periodic xy, 3 K L M "
             "atoms",
     .cells = {8, 8, 4},
     .per_volume = 3,
     .periodic = {1, 1, 0},
     .edge = {WATER, WATER, WATER},
     .fill = film},
    {.name = "water",
     .note = "K x L x M molecules (default: 8 x 8 x 8) as point dipoles of "
             "2.35 Debye in random directions, for kernel charge_dipole; "
             "periodic xyz, K L M particles",
     .cells = {8, 8, 8},
     .per_volume = 1,
     .periodic = {1, 1, 1},
     .edge = {WATER, WATER, WATER},
     .dipoles = 1,
     .fill = water},
    {.name = "wire",
     .note = "rock salt, K x L cubic cells across and M along the wire "
             "(default: 2 x 2 x 8), each ion displaced; periodic z, 8 K L M "
             "ions",
     .cells = {2, 2, 8},
     .per_volume = 8,
     .periodic = {0, 0, 1},
     .edge = {SALT, SALT, SALT},
     .crystal = "nacl",
     .fill = wire},
    {.name = "capacitor",
     .note = "a plane of K x L charges +1 (default: 8 x 8), one per 10 x 10 "
             "Angstrom, displaced in the plane, and one of charges -1, 10 M "
             "Angstrom above it (default: 2); periodic xy, 2 K L ions",
     .cells = {8, 8, 2},
     .per_area = 2,
     .periodic = {1, 1, 0},
     .edge = {PLATE, PLATE, PLATE},
     .fill = capacitor},
    {.name = "membrane",
     .note = "K x L patches (default: 2 x 2) of two leaflets of 2 x 2 lipids: "
             "heads of charge -1, a counterion for each, tails of 6 neutral "
             "beads in the core; on both sides M layers of water (default: 3), "
             "5 x 5 molecules per patch; periodic xy, K L (64 + 150 M) "
             "particles",
     .cells = {2, 2, 3},
     .per_area = 64,
     .per_volume = 150,
     .periodic = {1, 1, 0},
     .edge = {PATCH, PATCH},
     .half = membrane_half,
     .fill = membrane},
};

const struct assembly *assembly_get(int index)
{
    int count = (int)(sizeof assemblies / sizeof *assemblies);
    return index >= 0 && index < count ? &assemblies[index] : NULL;
}

const struct assembly *assembly_find(const char *name)
{
    for (int k = 0; assembly_get(k); k++)
        if (strcmp(assemblies[k].name, name) == 0)
            return &assemblies[k];
    return NULL;
}

const char *assembly_name(const struct assembly *assembly)
{
    return assembly->name;
}

const char *assembly_note(const struct assembly *assembly)
{
    return assembly->note;
}

const char *assembly_kernel(const struct assembly *assembly)
{
    return assembly->dipoles ? "charge_dipole" : "laplace";
}

/* Allocates the arrays. */
static int begin(const struct assembly *a, struct builder *b, char *error,
                 size_t size)
{
    const int64_t *k = b->cells;
    double area = (double)k[0] * (double)k[1], count;
    count = area * (a->per_area + a->per_volume * (double)k[2]);
    if (k[0] < 1 || k[1] < 1 || k[2] < 1 || count > (double)CASE_MAX) {
        snprintf(error, size,
                 "%s of %lld x %lld x %lld cells: from 1 to 2e9 "
                 "particles are possible",
                 a->name, (long long)k[0], (long long)k[1], (long long)k[2]);
        return -1;
    }
    if (a->crystal)
        return crystal_make(crystal_find(a->crystal), k, 0, b->p, &b->species,
                            error, size);
    b->p->n = (int64_t)count;
    b->p->strengths = a->dipoles ? 4 : 1;
    b->p->x = malloc((size_t)b->p->n * 3 * sizeof *b->p->x);
    b->p->q = malloc((size_t)(b->p->n * b->p->strengths) * sizeof *b->p->q);
    b->species = malloc((size_t)b->p->n * sizeof *b->species);
    if (b->p->x && b->p->q && b->species)
        return 0;
    snprintf(error, size, "no memory for %lld particles", (long long)count);
    return -1;
}

int assembly_make(const struct assembly *assembly, const int64_t cells[3],
                  uint64_t seed, struct case_particles *particles,
                  const char ***species, char *error, size_t size)
{
    struct case_particles p = {0};
    struct builder b = {.rng = rng_seed(seed), .p = &p};
    for (int d = 0; d < 3; d++)
        b.cells[d] = cells[d] ? cells[d] : assembly->cells[d];
    if (begin(assembly, &b, error, size)) {
        case_free(&p);
        free(b.species);
        return -1;
    }
    assembly->fill(&b);
    memset(p.cell, 0, sizeof p.cell);
    for (int d = 0; d < 3; d++) {
        double across = assembly->half && d == 2
                            ? 2 * assembly->half(b.cells)
                            : (double)b.cells[d] * assembly->edge[d];
        p.periodic[d] = assembly->periodic[d];
        p.cell[4 * d] = p.periodic[d] ? across : 3 * across;
    }
    *particles = p;
    *species = b.species;
    return 0;
}
