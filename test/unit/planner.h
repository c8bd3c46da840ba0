/* SPDX-License-Identifier: Apache-2.0 */
/* planner.h: common code of the tests of the planner. */
#ifndef FARSUM_TEST_PLANNER_H
#define FARSUM_TEST_PLANNER_H

#include "tune/measured_choice.h"

extern struct window window; /* prolate, of support 6 */

/* Arguments of spread for n points on a mesh of m^3 in f32, one thread. */
struct spread_args args_of(struct device *device, int64_t n, int64_t m);
/* n points in the unit cube; if crowded, every other one is in a cube a tenth
 * as wide.  The caller frees. */
double *cloud(int64_t n, int clustered);

void mesh_tunes(void);
void mesh_points(void);
void mesh_on_device(void);
#endif
