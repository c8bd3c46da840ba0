/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_accuracy.c: tests that the periodic reference meets the requested
 * accuracy: forces, potentials, energy and virial for a series of accuracies
 * and several kinds of systems. */
#include "ewald_check.h"

#include <stdio.h>

enum { N = 500 };

struct system {
    const char *name;
    double cell[9];
    int kind;       /* 0 uniform, 1 crystal of 512 / pairs, 2 dense cluster */
    double net;
};
static const struct system systems[] = {
    {"uniform", {8, 0, 0, 0, 8, 0, 0, 0, 8}, 0, 0},
    {"net charge", {8, 0, 0, 0, 8, 0, 0, 0, 8}, 0, 300},
    {"long", {4, 0, 0, 0, 4, 0, 0, 0, 40}, 0, 0},
    {"long first", {40, 0, 0, 0, 4, 0, 0, 0, 4}, 0, 0},
    {"tilted", {8, 0, 0, 5, 8, 0, -3, 4, 8}, 0, 0},
    {"crystal", {8, 0, 0, 0, 8, 0, 0, 0, 8}, 1, 0},
    {"cluster", {8, 0, 0, 0, 8, 0, 0, 0, 8}, 2, 0},
    {"charged cluster", {8, 0, 0, 0, 8, 0, 0, 0, 8}, 2, 500},
    {"units", {8e-10, 0, 0, 0, 8e-10, 0, 0, 0, 8e-10}, 0, 0},
};
enum { SYSTEMS = sizeof systems / sizeof *systems };

static int64_t make(const struct system *s, double *x, double *q)
{
    if (s->kind == 1) {
        int64_t n = 0;
        for (; n < 512; n++) {
            x[3 * n] = (double)(n / 64);
            x[3 * n + 1] = (double)(n / 8 % 8);
            x[3 * n + 2] = (double)(n % 8);
            q[n] = (n / 64 + n / 8 + n) % 2 ? -1 : 1;
        }
        return n;
    }
    check_points(s->cell, N, s->net, 12, x, q);
    for (int i = 0; i < 3 * N && s->kind == 2; i++)
        x[i] = 3 + 0.02 * x[i];
    return N;
}

static void run(const struct system *s, double accuracy,
                enum ewald_level level, double cutoff, double *p, double *e,
                double *energy, double *w, double *least)
{
    static double x[3 * 512], q[512];
    int64_t n = make(s, x, q);
    struct ewald_setup setup = {.accuracy = accuracy, .n = n, .threads = 2,
                                .isa = isa_best(), .level = level,
                                .cutoff = cutoff * s->cell[4]};
    memcpy(setup.cell, s->cell, sizeof s->cell);
    check_run(&setup, n, x, 0, NULL, q, p, e, energy, w);
    double q2 = 0, volume = fabs(s->cell[0] * s->cell[4] * s->cell[8]);
    if (strcmp(s->name, "tilted") == 0)
        volume = 8 * 8 * 8;
    for (int i = 0; i < n; i++)
        q2 += q[i] * q[i];
    *least = q2 / (double)n * pow((double)n / volume, 2. / 3);
    for (int i = 0; i < 3 * n; i++)
        e[i] *= q[i / 3];
    for (int64_t i = n; i < 512; i++)
        p[i] = e[3 * i] = e[3 * i + 1] = e[3 * i + 2] = 0;
}

static void ladder(void **state)
{
    (void)state;
    static double p[2][512], e[2][3 * 512];
    double energy[2], w[2][9], least;
    int verbose = getenv("EWALD_VERBOSE") != NULL;
    for (int i = 0; i < SYSTEMS; i++) {
        const struct system *s = &systems[i];
        run(s, EWALD_BEST, EWALD_LONG, 0, p[0], e[0], &energy[0], w[0], &least);
        for (int digits = 2; digits <= 14; digits += 3) {
            double accuracy = pow(10, -digits) * 1.0000001;
            /* The fastest cutoff, a short and a long one. */
            double cutoff = (const double[]){0, 0.2, 0.6}[(digits + i) / 3 % 3];
            run(s, accuracy, EWALD_F64, cutoff, p[1], e[1], &energy[1], w[1],
                &least);
            double ef = check_error(3 * 512, e[1], e[0], least / sqrt(3));
            double ep = check_error(512, p[1], p[0], 0);
            double ee = check_error(1, &energy[1], &energy[0], 0);
            double ew = check_error(9, w[1], w[0], 0);
            if (verbose)
                printf("%-16s %5.0e %4.2f: force %.3f potential %.3f energy "
                       "%.3f virial %.3f\n",
                       s->name, accuracy, cutoff, ef / accuracy, ep / accuracy,
                       ee / accuracy, ew / accuracy);
            assert_true(ef <= accuracy);
            assert_true(ep <= accuracy);
            assert_true(ee <= accuracy);
            assert_true(ew <= 2 * accuracy);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ladder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
