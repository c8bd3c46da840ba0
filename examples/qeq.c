/* SPDX-License-Identifier: Apache-2.0 */
/* qeq.c: charge equilibration of smeared charges, in 216 molecules of water.
 *
 * Each atom is a Gaussian cloud of charge q_i and width g_i.  Its own energy is
 * chi_i q_i + J_i q_i^2 / 2, with chi and J of Rappe and Goddard (J. Phys.
 * Chem. 95 (1991) 3358), and two clouds interact by
 *
 *     C q_i q_j erf(r/g)/r,  g^2 = g_i^2 + g_j^2
 *
 * J_i contains the cloud's energy with itself, C sqrt(2/pi) q_i^2 / (2 g_i), so
 * the plan and the pairs do not add it.  J_i exceeds C sqrt(2/pi)/g_i, so the
 * energy has a minimum.
 *
 * The charges with sum 0 that minimise the energy follow from conjugate
 * gradients: each step is one execute with other strengths, at the same points.
 *
 * The plan knows the clouds' widths (farsum_plan_set_widths).
 *
 * At the end all atoms have the same electronegativity chi_i + phi_i.  A second
 * plan confirms this.  It sums the far part of point charges, and the program's
 * list of pairs has the near part and the difference of clouds and points:
 *
 *     u(r^2) - erfc(r/g)/r */
#include <farsum/expert.h>
#include <string.h>

#include "pairs.h"

enum { SIDE = 6, N = 3 * SIDE * SIDE * SIDE, STEPS_MOST = 60 };
static const double coulomb = 14.399645, cutoff = 8; /* eV Angstrom, Angstrom */
static double x[3 * N], chi[N], hard[N], wide[N], ones[N], edge[3];

/* A plan; of a part, also pairs i, j within the cutoff and C times their
 * function. */
struct list {
    farsum_plan *plan;
    int count, room, failed;
    struct entry {
        int i, j;
        double value;
    } *pair;
};

static void add_pair(void *data, int i, int j, const double d[3], double r2)
{
    struct list *list = data;
    double u = 0, r = sqrt(r2), g = hypot(wide[i], wide[j]);
    (void)d;
    if (list->count == list->room) {
        list->room = 2 * list->room + 1000;
        struct entry *more =
            realloc(list->pair, sizeof *more * (size_t)list->room);
        if (!more) {
            list->failed = 1;
            list->room = list->count;
            return;
        }
        list->pair = more;
    }
    if (farsum_plan_near(list->plan, 1, &r2, &u, NULL) != FARSUM_OK)
        list->failed = 1;
    list->pair[list->count++] =
        (struct entry){i, j, coulomb * (u - erfc(r / g) / r)};
}

/* phi = potential of the charges q, their own clouds included.  0: failed. */
static int potentials(const struct list *list, const double *q, double *phi)
{
    farsum_result result = FARSUM_RESULT_INIT;
    result.potential = phi;
    if (farsum_plan_execute(list->plan, 1, q, &result) != FARSUM_OK)
        return 0;
    for (int i = 0; i < N; i++)
        phi[i] += hard[i] * q[i];
    for (int k = 0; k < list->count; k++) {
        const struct entry *e = &list->pair[k];
        phi[e->i] += e->value * q[e->j];
        phi[e->j] += e->value * q[e->i];
    }
    return 1;
}

/* Makes a plan of clouds, or of a part and the list of pairs that belongs to
 * it.  0: failed. */
static int begin(struct list *list, farsum_part part)
{
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_options options = FARSUM_OPTIONS_INIT;
    int whole = part == FARSUM_WHOLE;
    for (int d = 0; d < 3; d++)
        problem.cell[4 * d] = edge[d], problem.periodic[d] = 1;
    problem.part = part;
    problem.coulomb = coulomb;
    problem.error = FARSUM_ERROR_POTENTIAL;
    problem.outputs = FARSUM_POTENTIAL;
    problem.tolerance = 1e-7;
    problem.n_sources = N;
    problem.sample_x = x;
    problem.sample_q = ones; /* no charges are known yet */
    options.method = "spectral";
    options.cutoff = whole ? 0 : cutoff;
    return farsum_plan_create(&problem, &options, &list->plan) == FARSUM_OK
           && (!whole
               || farsum_plan_set_widths(list->plan, N, wide) == FARSUM_OK)
           && farsum_plan_set_points(list->plan, N, x, 0, NULL) == FARSUM_OK
           && (whole || pairs_each(N, x, edge, cutoff, add_pair, list))
           && !list->failed;
}

static void finish(struct list *list)
{
    farsum_plan_destroy(list->plan);
    free(list->pair);
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Subtracts the mean: the sum of the charges does not change. */
static void project(double *a)
{
    double mean = dot(a, ones) / N;
    for (int i = 0; i < N; i++)
        a[i] -= mean * ones[i];
}

/* Equilibrates the charges.  Returns the number of sums; 0: failed. */
static int equilibrate(const struct list *list, double *q)
{
    static double rest[N], along[N], phi[N];
    memset(q, 0, N * sizeof *q);
    for (int i = 0; i < N; i++)
        rest[i] = -chi[i];
    project(rest);
    memcpy(along, rest, sizeof along);
    double size = dot(rest, rest), first = size;
    for (int step = 1; step <= STEPS_MOST; step++) {
        if (!potentials(list, along, phi))
            return 0;
        project(phi);
        double part = size / dot(along, phi), last = size;
        for (int i = 0; i < N; i++) {
            q[i] += part * along[i];
            rest[i] -= part * phi[i];
        }
        size = dot(rest, rest);
        if (size < 1e-14 * first)
            return step;
        for (int i = 0; i < N; i++)
            along[i] = rest[i] + size / last * along[i];
    }
    return 0;
}

/* Molecules in all directions on a lattice: O, H, H. */
static void water(void)
{
    for (int m = 0; m < N / 3; m++) {
        const int at[3] = {m % SIDE, m / SIDE % SIDE, m / SIDE / SIDE};
        double turn = 2.399963 * m, z = 2 * (m + 0.5) / (N / 3) - 1;
        double flat = sqrt(1 - z * z);
        const double axis[3] = {flat * cos(turn), flat * sin(turn), z};
        const double side[3] = {-sin(turn), cos(turn), 0};
        for (int a = 0; a < 3; a++) {
            int i = 3 * m + a, sign = a == 0 ? 0 : a == 1 ? 1 : -1;
            for (int d = 0; d < 3; d++)
                x[3 * i + d] = 3.1 * at[d] + (a ? 0.586 * axis[d] : 0)
                               + 0.757 * sign * side[d];
            chi[i] = a ? 4.5280 : 8.741;
            hard[i] = a ? 13.8904 : 13.364;
            wide[i] = a ? 1.1 : 1.3;
            ones[i] = 1;
        }
    }
    edge[0] = edge[1] = edge[2] = 3.1 * SIDE;
}

int main(void)
{
    static double q[N], phi[N];
    struct list clouds = {.count = 0}, far = {.count = 0};
    double most = 0, oxygen = 0;
    int sums = 0, good;
    water();
    if (begin(&clouds, FARSUM_WHOLE))
        sums = equilibrate(&clouds, q);
    good = sums > 0 && begin(&far, FARSUM_FAR) && potentials(&far, q, phi);
    if (!good)
        fprintf(stderr, "%s\n", farsum_message());
    for (int i = 0; i < N; i++) {
        phi[i] += chi[i];
        oxygen += i % 3 == 0 ? q[i] / (N / 3) : 0;
    }
    project(phi);
    for (int i = 0; i < N; i++)
        most = fmax(most, fabs(phi[i]));
    printf("%d sums, mean charge of oxygen %.3f, electronegativities equal to "
           "%.1e eV\n",
           sums, oxygen, most);
    finish(&clouds);
    finish(&far);
    return good && most < 1e-4 && oxygen < -0.3 && oxygen > -1.2 ? 0 : 1;
}
