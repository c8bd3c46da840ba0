/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.c: table of the reference kernels. */
#include "reference/kernels.h"

#include <string.h>

#define EXACT(name) extern const struct exact_kind exact_##name;
#include "reference/kernels.def"
#undef EXACT

static const struct exact_kind *const exact_kinds[] = {
#define EXACT(name) &exact_##name,
#include "reference/kernels.def"
#undef EXACT
    NULL,
};

const struct exact_kind *exact_kind_find(const char *name)
{
    for (int i = 0; exact_kinds[i]; i++)
        if (strcmp(exact_kinds[i]->name, name) == 0)
            return exact_kinds[i];
    return NULL;
}

int exact_kind_index(const struct exact_kind *kind)
{
    int i = 0;
    while (exact_kinds[i] != kind)
        i++;
    return i;
}
