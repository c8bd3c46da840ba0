/* SPDX-License-Identifier: Apache-2.0 */
/* sample_near.h: vectorised sums over the sources around a sample target. */
#ifndef FARSUM_TASK_SAMPLE_NEAR_H
#define FARSUM_TASK_SAMPLE_NEAR_H

#include "base/isa.h"
#include "task/sample_kern.h"

const struct sample_kern *sample_near(enum isa isa);
#endif
