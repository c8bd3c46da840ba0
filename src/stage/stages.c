/* SPDX-License-Identifier: Apache-2.0 */
/* stages.c: all stages, in the order of the methods: spectral, fmm. */
#include <string.h>

#include "stage/expansions/expansions.h"
#include "stage/fft/fft.h"
#include "stage/interp/interp.h"
#include "stage/near/near.h"
#include "stage/p2p/p2p.h"
#include "stage/scale/scale.h"
#include "stage/spread/spread.h"

const struct stage *const all_stages[] = {
#define MESH_STAGE(NAME, name) &name##_stage,
#define BOXES_STAGE(NAME, name) &name##_stage,
#include "cost/stages.def"
    NULL,
};

const struct stage *stage_find(const char *name)
{
    for (int i = 0; all_stages[i]; i++)
        if (strcmp(all_stages[i]->name, name) == 0)
            return all_stages[i];
    return NULL;
}
