/* SPDX-License-Identifier: Apache-2.0 */
/* pair_isa.c: the pair loop for a plan's instruction set. */
#include "base/isa.h"
#include "pair_kern.h"

#include <string.h>

ISA_TABLE(struct pair_kern, lammps_pair)

const struct pair_kern *pair_kern_of(const char *isa, int f32)
{
    static const char *const names[ISA_COUNT] = {"base", "avx2", "avx512"};
    for (int i = 0; isa && i < ISA_COUNT; i++)
        if (strcmp(isa, names[i]) == 0)
            return isa_lammps_pair[i][f32 != 0];
    return isa_lammps_pair[ISA_BASE][f32 != 0];
}
