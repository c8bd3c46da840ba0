/* SPDX-License-Identifier: Apache-2.0 */
/* kept_times.h: measured times of variants, kept for later plans.
 *
 * The timing cache is the file `wisdom` in the cache folder (base/store.h).  It
 * has a line per place, stage, arguments and variant, with the seconds of set
 * and run.  The place of a device is its model, architecture, compiler and a
 * hash of everything else that determines its kernels.  The place of a
 * processor is its name, instruction set and threads.  It is no failure if the
 * file is missing, not trusted, damaged or not writable; then no times are
 * known.  Writers lock the file, so that processes and threads do not lose each
 * other's lines. */
#ifndef FARSUM_COST_KEPT_TIMES_H
#define FARSUM_COST_KEPT_TIMES_H

#include "base/isa.h"
#include "device/device.h"
#include "cost/place.h"

enum { KEPT_TIMES_KEY = 512, KEPT_TIMES_MOST = 64 /* times per key */ };

/* Measured times of a variant. */
struct choose_time {
    char row[32];
    double set, run; /* seconds */
};

/* Makes the key of lines: the place and a text; "" if the text is empty. */
void kept_times_key(char key[KEPT_TIMES_KEY], const struct device *device,
                    enum isa isa, int threads, const char *text);
/* Makes the key of numbers about a machine: `what` and the place's
 * precision. */
void kept_times_key_of(char key[KEPT_TIMES_KEY],
                       const struct machine_place *place, const char *what);
/* Loads the times of a key's variants; returns their number. */
int kept_times_load(const char *key, struct choose_time times[KEPT_TIMES_MOST]);
/* Returns the run time of a variant among them; 0: unknown. */
double kept_times_run(const struct choose_time *times, int n, const char *row);
/* Keeps times and replaces the key's older times of these variants.  If there
 * are very many lines, the oldest are removed. */
void kept_times_keep(const char *key, const struct choose_time *times, int n);

/* Returns the file's name, "" if there is no folder; its number of lines, 0 if
 * it does not exist; and its bytes. */
void kept_times_about(char *file, size_t size, int64_t *lines, int64_t *bytes);
/* Removes the file; returns 1 if it existed. */
int kept_times_clear(void);
#endif
