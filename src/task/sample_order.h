/* SPDX-License-Identifier: Apache-2.0 */
/* sample_order.h: test for similar surroundings of the sample's targets. */
#ifndef FARSUM_TASK_SAMPLE_ORDER_H
#define FARSUM_TASK_SAMPLE_ORDER_H

#include "task/sample.h"

/* Sets crystal, lattice and regular; the targets' shells must exist. */
void sample_order(struct sample *sample);
#endif
