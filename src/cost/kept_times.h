/* SPDX-License-Identifier: Apache-2.0 */
/* kept_times.h: times of rows that were measured, kept for later plans.
 *
 * The file is `wisdom` in the folder of the cache (base/store.h): a line for
 * each place (a device's model, architecture, compiler and a hash of all else
 * that makes its kernels; a processor's name, instruction set and threads),
 * stage, args and row, with the seconds of a set and of a run.  A file that is
 * not there, may not be trusted, cannot be understood or cannot be written is
 * no failure: then nothing is known.  Writers wait for each other, so that
 * processes and threads lose none of each other's lines. */
#ifndef FARSUM_COST_KEPT_TIMES_H
#define FARSUM_COST_KEPT_TIMES_H

#include "base/isa.h"
#include "device/device.h"
#include "cost/place.h"

enum { WISDOM_KEY = 512, WISDOM_MOST = 64 /* times of a key */ };

/* What was measured of a row. */
struct choose_time {
    char row[32];
    double set, run; /* seconds */
};

/* What lines are found by: the place and a text; "" if the text is empty. */
void wisdom_key(char key[WISDOM_KEY], const struct device *device,
                enum isa isa, int threads, const char *text);
/* The same of numbers about a machine: `what` and the place's precision. */
void wisdom_key_of(char key[WISDOM_KEY], const struct machine_place *place,
                   const char *what);
/* Times of a key's rows; how many. */
int wisdom_load(const char *key, struct choose_time times[WISDOM_MOST]);
/* The run of a row among them; 0: there is none. */
double wisdom_run(const struct choose_time *times, int n, const char *row);
/* Keeps them in place of the key's older ones of these rows; the oldest lines
 * go when there are very many. */
void wisdom_keep(const char *key, const struct choose_time *times, int n);

/* The file, "" if there is no folder; its lines, 0 if it is not there; and
 * bytes. */
void wisdom_about(char *file, size_t size, int64_t *lines, int64_t *bytes);
/* Removes it; 1 if there was one. */
int wisdom_clear(void);
#endif
