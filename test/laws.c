/* SPDX-License-Identifier: Apache-2.0 */
/* laws.c: runs the tests of invariants; common code. */
#include "laws.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

const struct law_case law_cases[] = {
    {"uniform", "laplace n=300 cell=cubic dist=uniform seed=21"},
    {"triclinic", "laplace n=301 cell=triclinic dist=uniform seed=22"},
    {"long", "laplace n=200 cell=1x1x6 dist=uniform seed=23"},
    {"clustered", "laplace n=400 cell=cubic dist=clustered seed=24"},
    {"screened", "yukawa n=300 cell=triclinic dist=uniform kappa=0.7 net=0.3 "
                 "seed=25"},
    {"dispersed", "r6 n=300 cell=cubic dist=lattice net=1 seed=26"},
    {NULL, NULL},
};

double law_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

int law_turn(int index)
{
    return index % 2 == 0 || getenv("FARSUM_TEST_ALL");
}

int solve(const struct system *s, const farsum_problem *problem,
          const farsum_options *options, struct answer *answer)
{
    unsigned outputs = problem->outputs;
    farsum_result out = FARSUM_RESULT_INIT;
    memset(answer, 0, sizeof *answer);
    answer->n = answer->m = s->p.n;
    answer->potential = check_memory((size_t)s->p.n, sizeof(double));
    answer->field = check_memory(3 * (size_t)s->p.n, sizeof(double));
    out.potential = outputs & FARSUM_POTENTIAL ? answer->potential : NULL;
    out.field = outputs & FARSUM_FIELD ? answer->field : NULL;
    out.energy = outputs & FARSUM_ENERGY ? &answer->energy : NULL;
    out.virial = outputs & FARSUM_VIRIAL ? answer->virial : NULL;
    return CHECK_OK(sum_once(problem, options, s->p.n, s->p.x, 0, NULL, s->p.q,
                             &out, &answer->info));
}

void answer_free(struct answer *answer)
{
    free(answer->potential);
    free(answer->field);
    memset(answer, 0, sizeof *answer);
}

static double energy_size(const struct system *s, const struct answer *b)
{
    double size = 0;
    for (int64_t i = 0; i < s->p.n; i++)
        size += fabs(s->p.q[i] * b->potential[i]) / 2;
    return size;
}

/* Force of the unit's neighbour at the mean distance. */
static double neighbour(const struct system *s)
{
    double v[2];
    system_unit(s, cbrt(cell_determinant(s->p.cell) / (double)s->p.n), v);
    return v[0];
}

double force_gap(const struct system *s, const struct answer *a,
                 const struct answer *b)
{
    double gap = 0, f2 = 0, q2 = 0, n = (double)s->p.n;
    for (int64_t i = 0; i < s->p.n; i++)
        for (int d = 0; d < 3; d++) {
            double f = s->p.q[i] * b->field[3 * i + d];
            double e = s->p.q[i] * a->field[3 * i + d] - f;
            gap += e * e;
            f2 += f * f;
            q2 += d ? 0 : s->p.q[i] * s->p.q[i];
        }
    double least = q2 / n * neighbour(s);
    return sqrt(gap / n) / fmax(sqrt(f2 / n), least);
}

struct size answer_size(const struct system *s, const struct answer *a,
                               const struct answer *b)
{
    double n = (double)s->p.n, f2 = 0, q2 = 0, p2 = 0;
    for (int64_t i = 0; i < s->p.n; i++) {
        double q = s->p.q[i];
        q2 += q * q;
        p2 += b->potential[i] * b->potential[i];
        for (int d = 0; d < 3; d++)
            f2 += q * q * b->field[3 * i + d] * b->field[3 * i + d];
    }
    double least = q2 / n * neighbour(s);
    return (struct size){fmax(sqrt(f2 / n), least), sqrt(p2 / n),
                         energy_size(s, b), sqrt(q2 / n),
                         fmax(a->info.cutoff, b->info.cutoff),
                         fmax(a->info.bandwidth, b->info.bandwidth)};
}

double potential_gap(const struct system *s, const struct answer *a,
                     const struct answer *b)
{
    double gap = 0, size = 0;
    for (int64_t i = 0; i < s->p.n; i++) {
        double e = a->potential[i] - b->potential[i];
        gap += e * e;
        size += b->potential[i] * b->potential[i];
    }
    return sqrt(gap / size);
}

double energy_gap(const struct system *s, const struct answer *a,
                  const struct answer *b)
{
    return fabs(a->energy - b->energy) / energy_size(s, b);
}

double virial_gap(const struct system *s, const struct answer *a,
                  const struct answer *b)
{
    double gap = 0;
    for (int i = 0; i < 9; i++)
        gap = fmax(gap, fabs(a->virial[i] - b->virial[i]));
    return gap / energy_size(s, b);
}

static void check_gaps(const char *what, const struct system *s,
                       const struct answer *a, const struct answer *b,
                       const double most[4])
{
    double gap[4] = {force_gap(s, a, b), potential_gap(s, a, b),
                     energy_gap(s, a, b), virial_gap(s, a, b)};
    static const char *const names[4] = {"force", "potential", "energy",
                                         "virial"};
    for (int i = 0; i < 4; i++)
        CHECK(gap[i] <= most[i], "%s, %s: %s differs by %.3g, above %.3g",
              s->name, what, names[i], gap[i], most[i]);
}

/* The errors are in modes with wavelengths of about the cutoff and shorter, so
 * a potential's error is below the field's times that. */
void check_same(const char *what, const struct system *s,
                const struct answer *a, const struct answer *b, double force,
                double sums)
{
    struct size z = answer_size(s, a, b);
    double work = z.force * z.length, n = (double)s->p.n;
    double most[4] = {force, sums * fmax(1, work / (z.q * z.potential)),
                      sums * fmax(1, n / 2 * work / z.energy),
                      sums * fmax(1, n * work / z.energy)};
    check_gaps(what, s, a, b, most);
}

/* Conversely; modes reach k = c/rc. */
void check_same_potential(const char *what, const struct system *s,
                          const struct answer *a, const struct answer *b,
                          double potential)
{
    struct size z = answer_size(s, a, b);
    double energy = (double)s->p.n / 2 * z.q * z.potential / z.energy;
    double most[4] = {
        potential * fmax(1, z.potential * z.q * z.bandwidth
                                / (z.length * z.force)),
        potential, potential * fmax(1, energy),
        potential * fmax(1, energy) * fmax(1, z.bandwidth)};
    check_gaps(what, s, a, b, most);
}

int main(void)
{
    laws_of_stages();
    laws_of_invariance();
    laws_of_sums();
    laws_of_derivatives();
    laws_of_edges();
    laws_of_crystals();
    return check_end();
}
