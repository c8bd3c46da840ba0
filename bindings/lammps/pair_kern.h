/* SPDX-License-Identifier: Apache-2.0 */
/* pair_kern.h: the pair loop of pair_style lj/cut/coul/farsum. */
#ifndef FARSUM_LAMMPS_PAIR_KERN_H
#define FARSUM_LAMMPS_PAIR_KERN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* real is double or float, and records are four of them.  Those of f lie at
 * multiples of their size. */
struct pair_job {
    int64_t count; /* atoms that have lists */
    const int *atom;
    /* The pairs of list k: from start[2k] on those that may have Lennard-Jones
     * interactions, from start[2k+1] to start[2k+2] those that have none.  Each
     * of the two ends with atoms at no distance, to a multiple of `width`. */
    const int64_t *start;
    const int *other;
    const int *type;
    const void *x;  /* records of atoms: x y z q */
    void *f;        /* records of atoms; forces are added */
    const void *lj; /* records of [type][type]: f12 f6 cut^2 shift */
    int64_t types;
    double coulomb; /* unit of energy */
    /* Near pairs: u = 1/r - P(v), -u'/r = 1/r^3 + S(v), v = per r^2 - 1, where
     * r^2 < square. */
    double square, per;
    int terms; /* of P and S */
    const double *p, *s;
};

enum { PAIR_TERMS = 48 };

/* Which of an atom's neighbours are kept. */
struct pair_limits {
    const void *x; /* as in pair_job */
    const int *type;
    /* For each type: squared distance of Lennard-Jones pairs;
     * NULL: there are none. */
    const double *lj;
    double coulomb; /* the same of the others */
    /* Neighbour n is the atom n & mask, and n >> shift is the kind of its
     * bond; if the bit `apart >> kind` is set, it goes to a list of its own. */
    int mask, shift;
    unsigned apart;
};

/* Lists with room for all neighbours and one vector more. */
struct pair_kept {
    int *with, *without, *apart; /* atoms; for apart neighbours */
    int n_with, n_without, n_apart;
};

struct pair_kern {
    /* Adds the forces of all pairs.  energy: NULL, or adds Lennard-Jones and
     * Coulomb energies. */
    void (*sum)(const struct pair_job *job, double energy[2]);
    /* Appends the neighbours of `atom` that are within the limits. */
    void (*keep)(const struct pair_limits *limits, int atom, const int *others,
                 int count, struct pair_kept *to);
    int width; /* pairs in a vector */
};

/* The kernels for an instruction set that info.isa of a plan names; NULL:
 * base. */
const struct pair_kern *pair_kern_of(const char *isa, int f32);

#ifdef __cplusplus
}
#endif
#endif
