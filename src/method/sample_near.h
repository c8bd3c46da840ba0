/* SPDX-License-Identifier: Apache-2.0 */
/* sample_near.h: sources around a target of the sample, in vectors. */
#ifndef FARSUM_METHOD_SAMPLE_NEAR_H
#define FARSUM_METHOD_SAMPLE_NEAR_H

#include "base/isa.h"
#include "method/sample_kern.h"

const struct sample_kern *sample_near(enum isa isa);
#endif
