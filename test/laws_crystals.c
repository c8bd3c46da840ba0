/* SPDX-License-Identifier: Apache-2.0 */
/* laws_crystals.c: Madelung constants by the fast method, and tolerances of the
 * potential where all sites have equal errors. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "crystal.h"
#include "laws.h"

/* Potential at the first ion, for lattice constant 1: -2 x 1.747564594633...
 * (NaCl), -2/sqrt(3) x 1.762674773070... (CsCl), -4/sqrt(3) x 1.638055053388...
 * (ZnS), and twice the last at Ca of CaF2, whose F see Ca as S sees Zn.
 * Constants: Sakamoto, J.  Chem.  Phys.  28, 164 (1958); unit/ewald_madelung.c
 * has the integrals. */
static const struct {
    const char *name;
    double potential;
} known[] = {
    {"nacl", -3.49512918926636438},
    {"cscl", -2.03536150945260074},
    {"zns", -3.78292610408577760},
    {"caf2", -7.56585220817155520},
};

static int crystal_load(struct system *s, const char *name, int64_t k,
                        int primitive)
{
    char error[200] = "";
    const int64_t cells[3] = {k, k, k + primitive};
    memset(s, 0, sizeof *s);
    snprintf(s->name, sizeof s->name, "%s", name);
    return CHECK(crystal_make(crystal_find(name), cells, primitive, &s->p, NULL,
                              error, sizeof error) == 0, "%s: %s", name, error);
}

static int crystal_sum(const struct system *s, double tolerance,
                       struct answer *a)
{
    farsum_options o = cases_options();
    farsum_problem p = system_problem(s);
    o.method = "spectral";
    p.error = FARSUM_ERROR_POTENTIAL;
    p.tolerance = tolerance;
    return solve(s, &p, &o, a);
}

static void madelung(void)
{
    for (size_t c = 0; c < sizeof known / sizeof *known; c++)
        for (int primitive = 0; primitive < 2; primitive++)
            for (int64_t k = 1; k <= 6; k += 1 + k / 2) {
                struct system s;
                struct answer a = {0};
                double phi = known[c].potential;
                if (crystal_load(&s, known[c].name, k, primitive)
                    && crystal_sum(&s, 2e-13, &a))
                    CHECK(fabs(a.potential[0] / phi - 1) <= 1e-12,
                          "%s, %lld %s cells: potential %.17g, not %.17g: %.2g",
                          s.name, (long long)k, primitive ? "primitive"
                                                          : "cubic",
                          a.potential[0], phi, a.potential[0] / phi - 1);
                answer_free(&a);
                system_free(&s);
            }
}

/* Each tolerance against one converged sum. */
static void sites(void)
{
    static const double tolerances[] = {1e-3, 1e-5, 1e-8, 1e-11};
    for (size_t c = 0; c < sizeof known / sizeof *known; c++)
        for (int64_t k = 2; k <= 5; k++) {
            struct system s;
            struct answer a, b = {0};
            int done = crystal_load(&s, known[c].name, k, 0)
                       && crystal_sum(&s, 2e-13, &b);
            for (int t = 0; t < 4 && done; t++) {
                if (crystal_sum(&s, tolerances[t], &a)) {
                    double gap = potential_gap(&s, &a, &b);
                    CHECK(gap <= tolerances[t], "%s, %lld cells: potential "
                          "differs by %.3g, above %g", s.name, (long long)k,
                          gap, tolerances[t]);
                }
                answer_free(&a);
            }
            answer_free(&b);
            system_free(&s);
        }
}

void laws_of_crystals(void)
{
    RUN(madelung);
    RUN(sites);
}
