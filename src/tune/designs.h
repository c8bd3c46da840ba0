/* SPDX-License-Identifier: Apache-2.0 */
/* designs.h: cache of windows and their aliases, kept until the process ends.
 *
 * A window depends only on its name, support, shape and fit, and the tuner
 * tries the same ones for every plan.  DESIGNS of them are kept (2.7 MB); the
 * one unused for longest is replaced.  One lock guards the cache.  It is not
 * held while a window is computed. */
#ifndef FARSUM_TUNE_DESIGNS_H
#define FARSUM_TUNE_DESIGNS_H

#include <stdint.h>

#include "tune/error.h"

enum { DESIGNS = 256 };

/* Work as window_set and alias_set. */
farsum_status design_window(struct window *window, struct alias *alias,
                            const char *name, int support, double shape,
                            double sigma, double fit_error);
/* For tests: how many windows were found in the cache, and how many were
 * computed. */
void design_counts(uint64_t *there, uint64_t *made);
#endif
