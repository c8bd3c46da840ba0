/* SPDX-License-Identifier: Apache-2.0 */
/* designs.h: windows and their aliases that the tuner has made before, kept for
 * the process.
 *
 * A window goes by its name, support, shape and fit only, and the tuner tries
 * the same ones for every plan.  DESIGNS of them are kept, 2.7 MB, the one that
 * was asked for longest ago makes room.  One lock guards them, which no window
 * is made under. */
#ifndef FARSUM_TUNE_DESIGNS_H
#define FARSUM_TUNE_DESIGNS_H

#include <stdint.h>

#include "tune/error.h"

enum { DESIGNS = 256 };

/* As window_set, and alias_set. */
farsum_status design_window(struct window *window, struct alias *alias,
                            const char *name, int support, double shape,
                            double sigma, double fit_error);
/* For the tests: how many were there and were made so far. */
void design_counts(uint64_t *there, uint64_t *made);
#endif
