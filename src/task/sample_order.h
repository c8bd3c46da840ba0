/* SPDX-License-Identifier: Apache-2.0 */
/* sample_order.h: whether the sample's targets have like surroundings. */
#ifndef FARSUM_TASK_SAMPLE_ORDER_H
#define FARSUM_TASK_SAMPLE_ORDER_H

#include "task/sample.h"

/* Sets crystal, lattice and regular, once the targets' shells are there. */
void sample_order(struct sample *sample);
#endif
