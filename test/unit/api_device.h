/* SPDX-License-Identifier: Apache-2.0 */
/* api_device.h: common code of the tests of plans on a device. */
#ifndef FARSUM_TEST_API_DEVICE_H
#define FARSUM_TEST_API_DEVICE_H

#include "farsum/device.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device/buf.h"
#include "plan/plan.h"

enum { N = 64, SIDE = 4, TARGETS = 7, RHS = 2, VALUES = RHS * N };

extern const char *name;      /* of the device */
extern farsum_device *device; /* open for all tests */

struct box {
    double x[N][3], y[TARGETS][3], q[VALUES];
    float x32[N][3], y32[TARGETS][3], q32[VALUES];
    farsum_problem problem;
};

/* Ions about a distance 1 apart in a tilted cell; the second right-hand side
 * has a total charge. */
void box_set(struct box *b);

/* Results of both right-hand sides, as doubles. */
struct sums {
    double potential[VALUES], field[3 * VALUES], energy[RHS], virial[9 * RHS];
    farsum_plan_info info;
};

/* All arrays, on the device. */
struct there {
    struct buf x, q, potential, field, energy, virial;
    farsum_result out;
};

void there_make(struct there *t, const struct box *b);
void there_clear(struct there *t);

/* Options that fix the parameters of a plan. */
void parameters(const farsum_plan_info *info, farsum_options *options);
farsum_options on(farsum_device *where);
farsum_plan *plan_of(const farsum_problem *problem,
                     const farsum_options *options);
/* Host arrays in, host arrays out. */
void sum(farsum_plan *plan, const struct box *b, struct sums *s);
void same_sums(const struct sums *a, const struct sums *b, int64_t m,
               double most);

/* api_device_queues.c */
void two_queues(void);
void parts_alone(void);
void points_that_move(void);
void repeats_bitwise(void);
/* api_device_bytes.c */
void bytes_said(void);
/* api_device_bad.c */
void late_failures(void);
void failures_at_once(void);
void wrong_kind(void);
void memory_ends(void);
void host_memory_ends(void);
void by_name_and_adopted(void);
void misuse(void);
void lists(void);
#endif
