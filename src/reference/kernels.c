/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.c: table of the reference kernels. */
#include "reference/kernels.h"

#include <string.h>

#define EXACT(name) extern const struct reference_kind reference_##name;
#include "reference/kernels.def"
#undef EXACT

static const struct reference_kind *const reference_kinds[] = {
#define EXACT(name) &reference_##name,
#include "reference/kernels.def"
#undef EXACT
    NULL,
};

const struct reference_kind *reference_kind_find(const char *name)
{
    for (int i = 0; reference_kinds[i]; i++)
        if (strcmp(reference_kinds[i]->name, name) == 0)
            return reference_kinds[i];
    return NULL;
}

int reference_kind_index(const struct reference_kind *kind)
{
    int i = 0;
    while (reference_kinds[i] != kind)
        i++;
    return i;
}
