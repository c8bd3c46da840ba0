/* SPDX-License-Identifier: Apache-2.0 */
/* sample_near.c: table of the sample's kernels by instruction set. */
#include "task/sample_near.h"

ISA_TABLE(struct sample_kern, sample)

const struct sample_kern *sample_near(enum isa isa)
{
    return isa_sample[isa][0];
}
