/* SPDX-License-Identifier: Apache-2.0 */
/* case.h: notation for a problem, used by the command, the tests, the
 * benchmarks and bug reports:
 *
 *     laplace n=1e6 cell=cubic tol=1e-6 dist=uniform seed=1
 *
 * A kernel, then key=value in any order.  Omitted keys have the defaults shown
 * below.  Nothing here prints. */
#ifndef FARSUM_TOOLS_CASE_H
#define FARSUM_TOOLS_CASE_H

#include <farsum/farsum.h>

/* Limit of a count, so that a product of two counts fits 64 bits. */
#define CASE_MAX INT64_C(2000000000)

struct case_spec {
    char kernel[24];  /* laplace */
    char cell[32];    /* cell=cubic, a name of case_cells or AxBxC */
    char dist[24];    /* dist=uniform, a name of case_dists */
    int64_t n;        /* n=1000 */
    double tolerance; /* tol=1e-5 */
    double density;   /* density=1, particles per volume */
    uint64_t seed;    /* seed=1 */
    farsum_precision precision; /* prec=f64 */
    farsum_error_kind error;    /* error=force or velocity; 0: default */
    double net;       /* net=0, mean of the strengths */
    double kappa;     /* kappa=0, 1/length: yukawa only */
};

struct case_particles {
    int64_t n;
    double *x; /* owned, [n][3] */
    double *q; /* owned, [n][strengths] */
    int strengths; /* numbers per source */
    double cell[9];
    int periodic[3];
};

/* A name and its meaning, as a formula. */
struct case_name {
    const char *name, *formula;
};
/* index 0, 1, ...; NULL beyond the last. */
const struct case_name *case_cells(int index);
const struct case_name *case_dists(int index);

/* 0, or -1 with the reason in `error`. */
int case_parse(const char *text, struct case_spec *spec, char *error,
               size_t size);
/* Writes the notation with every key, for comparisons. */
void case_print(const struct case_spec *spec, char *text, size_t size);
/* Scales the rows by a power of two so that the largest number is about 1;
 * returns the exponent.  rows may be cell. */
int case_unit(const double cell[9], double rows[9]);
double case_determinant(const double h[9]);
/* The cell of this name with this volume (rows a, b, c). */
int case_cell(const char *name, double volume, double cell[9], int periodic[3],
              char *error, size_t size);
/* Fills *particles; the caller frees it with case_free. */
int case_make(const struct case_spec *spec, struct case_particles *particles,
              char *error, size_t size);
/* Places particles with charges in a given cell. */
int case_fill(const char *dist, int64_t n, const double cell[9], uint64_t seed,
              struct case_particles *particles, char *error, size_t size);
/* Replaces the charges by strengths of this kernel, with this mean. */
int case_draw(const char *kernel, double net, uint64_t seed,
              struct case_particles *particles, char *error, size_t size);
/* The error norm: as specified, else the kernel's default. */
farsum_error_kind case_error(const struct case_spec *spec);
void case_free(struct case_particles *particles); /* sets everything to zero */
/* The problem to sum; borrows spec and particles. */
void case_problem(const struct case_spec *spec,
                  const struct case_particles *particles,
                  farsum_problem *problem);
#endif
