/* SPDX-License-Identifier: Apache-2.0 */
/* edges.h: common code of the tests edges*.c: bad and extreme input, for every
 * kernel. */
#ifndef FARSUM_TEST_EDGES_H
#define FARSUM_TEST_EDGES_H

#include "check.h"

enum { EDGE_KERNELS = 6, EDGE_STRENGTHS = 6 };

/* One problem; its arrays are owned. */
struct edge {
    const char *kernel;
    int flow, width;   /* 1: velocities; numbers of a strength */
    int64_t n;
    double *x, *q;     /* [n][3], [n][width] */
    farsum_problem problem; /* its sample points into this struct */
    farsum_options options;
};

/* Results as doubles: for a flow [n][3], else [n] potentials and then [n][3]
 * fields. */
struct edge_sum {
    int64_t count;
    double *v;         /* owned */
    double energy, virial[9];
    farsum_plan_info info;
    char said[2000];   /* farsum_plan_print */
};

/* Makes n random points in the cell (rows a, b, c; NULL: a cube of edge 1) with
 * random strengths, whose total is not zero.  Kernel k: 0 .. EDGE_KERNELS - 1.
 * Tolerance 1e-6, Gaussian split. */
void edge_make(struct edge *e, int k, int64_t n, const double *cell,
               uint64_t seed);
void edge_free(struct edge *e);
/* Returns the status of the first call that fails; sum is then empty. */
farsum_status edge_run(const struct edge *e, struct edge_sum *sum);
/* The same by `ewald` in f64, 1000 times as accurate. */
farsum_status edge_reference(const struct edge *e, struct edge_sum *sum);
void edge_sum_free(struct edge_sum *sum);
/* RMS difference of fields or velocities, relative to the norm of the problem's
 * tolerance. */
double edge_gap(const struct edge *e, const struct edge_sum *a,
                const struct edge_sum *b);
/* RMS difference of potentials over their RMS. */
double edge_gap_potential(const struct edge *e, const struct edge_sum *a,
                          const struct edge_sum *b);
/* CHECKs that all results are finite. */
void edge_finite(const char *what, const struct edge *e,
                 const struct edge_sum *a);
/* CHECKs fields or velocities to `most`, potentials and energy to 100 times
 * that. */
void edge_same(const char *what, const struct edge *e,
               const struct edge_sum *a, const struct edge_sum *b, double most);
/* CHECKs the problem's sum against `ewald`'s within `factor` tolerances. */
void edge_right(const char *what, const struct edge *e, double factor);
double edge_random(uint64_t *state); /* 0 <= u < 1 */
/* Options on the device under test; 0: there is none. */
int edge_device(farsum_options *options);

void edges_net(void);
void edges_points(void);
void edges_cells(void);
void edges_device(void);
void edges_meshes(void);
void edges_strengths(void);
#endif
