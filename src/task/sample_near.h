/* SPDX-License-Identifier: Apache-2.0 */
/* sample_near.h: sources around a target of the sample, in vectors. */
#ifndef FARSUM_TASK_SAMPLE_NEAR_H
#define FARSUM_TASK_SAMPLE_NEAR_H

#include "base/isa.h"
#include "task/sample_kern.h"

const struct sample_kern *sample_near(enum isa isa);
#endif
