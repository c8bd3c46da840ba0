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

double reference_energy(const struct reference_kind *kind, const double *q,
                        const double *v)
{
    double sum = q[0] * v[0];
    if (kind->values == REFERENCE_MOMENTS)
        sum -= q[1] * v[1] + q[2] * v[2] + q[3] * v[3];
    return 0.5 * sum;
}

void reference_virial(const struct reference_kind *kind, const double *q,
                      const double *v, double virial[9])
{
    enum { W = 10, STEP = 6 }; /* where w and its gradients begin */
    static const int at[9] = {4, 7, 8, 7, 5, 9, 8, 9, 6};
    static const int of[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    for (int a = 0; a < 9; a++) {
        if (kind->values != REFERENCE_MOMENTS) {
            virial[a] = 0.5 * q[0] * v[at[a]];
            continue;
        }
        const double *w = v + W + of[a];
        virial[a] = 0.5
                        * (q[0] * w[0] + q[1] * w[STEP] + q[2] * w[2 * STEP]
                           + q[3] * w[3 * STEP])
                    - v[1 + a / 3] * q[1 + a % 3];
    }
}

int reference_kind_index(const struct reference_kind *kind)
{
    int i = 0;
    while (reference_kinds[i] != kind)
        i++;
    return i;
}
