/* SPDX-License-Identifier: Apache-2.0 */
/* methods_kernels.c: tolerance sweep of kernels other than 1/r. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "methods.h"

const char *const ladder_kernels[] = {"stokeslet", "rotlet", "stresslet",
                                      "yukawa", "r6", NULL};

/* Every tolerance of one system; all splits and windows, or for every third
 * tolerance one pair in turn. */
static void fill_system(struct ladder *ladder, const struct system *system,
                        int s, farsum_precision precision, int full,
                        const char *filter)
{
    static const double power[] = {1e-2, 1e-3, 1e-4, 1e-5,  1e-6,
                                   1e-7, 1e-8, 1e-9, 1e-10, 1e-11};
    enum { STEPS = sizeof power / sizeof *power };
    int f32 = precision == FARSUM_F32, windows = 0;
    while (farsum_list_names("window", windows))
        windows++;
    for (int k = 0; k < (f32 ? 4 : STEPS); k++)
        for (int a = 0; farsum_list_names("split", a); a++)
            for (int b = 0; b < windows; b++) {
                int turn = a == (s + k + f32) % 2 && b == (s + 2 * k) % windows;
                struct ladder_cell cell = {
                    .group = "kernels",
                    .system = system,
                    .precision = precision,
                    .error = system->flow ? FARSUM_ERROR_VELOCITY
                                          : FARSUM_ERROR_FORCE,
                    .split = farsum_list_names("split", a),
                    .window = farsum_list_names("window", b),
                    .tolerance = power[k],
                };
                if (full || (turn && k % 3 == s % 3))
                    ladder_add(ladder, &cell, filter);
            }
}

void ladder_fill_kernels(struct ladder *ladder, const struct system *systems,
                         int full, const char *filter)
{
    full = full || getenv("FARSUM_TEST_ALL");
    for (int s = METHODS_LAPLACE; s < METHODS_SYSTEMS; s++)
        for (int p = FARSUM_F64; systems[s].p.x && p <= FARSUM_F32; p++)
            fill_system(ladder, &systems[s], s, (farsum_precision)p, full,
                        filter);
}

void ladder_check_kernels(const struct ladder *ladder)
{
    for (int k = 0; ladder_kernels[k]; k++) {
        struct ladder_summary s = ladder_summarise(
            ladder, (struct ladder_wanted){.group = "kernels",
                                           .kernel = ladder_kernels[k]});
        int done = s.cells - s.refused;
        if (done < 20)
            continue;
        CHECK(s.median >= 0.1, "%s: the median of measured / tolerance is "
                               "%.3g, below 0.1", ladder_kernels[k], s.median);
        CHECK(s.honest >= 0.9 * done,
              "%s: the estimate is within a factor 5 of the measured error in "
              "%d of %d cells, not in 90 %%", ladder_kernels[k], s.honest,
              done);
    }
}
