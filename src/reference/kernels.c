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

/* The axes of the six numbers of a symmetric tensor. */
static const int axis[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};

double reference_energy(const struct reference_kind *kind, const double *q,
                        const double *v)
{
    double sum = q[0] * v[0];
    if (kind->moments)
        sum -= q[1] * v[1] + q[2] * v[2] + q[3] * v[3];
    for (int k = 0; k < 6 && kind->moments > 1; k++)
        sum += (axis[k][0] == axis[k][1] ? 0.5 : 1) * q[4 + k]
               * v[REFERENCE_FIELD + k];
    return 0.5 * sum;
}

/* The operator of a source's moments on w_ab, and what its quadrupole adds to
 * the virial, (7.16a), (7.19d); w: at the number of a and b. */
static double moments_virial(const struct reference_kind *kind, const double *q,
                             const double *v, int a, int b, const double *w)
{
    enum { STEP = 6 }; /* from w_ab to each of its derivatives */
    static const int of[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    double sum =
        q[0] * w[0] + q[1] * w[STEP] + q[2] * w[2 * STEP] + q[3] * w[3 * STEP];
    for (int k = 0; k < 6 && kind->moments > 1; k++)
        sum +=
            (axis[k][0] == axis[k][1] ? 0.5 : 1) * q[4 + k] * w[(4 + k) * STEP];
    sum = 0.5 * sum - v[REFERENCE_PHI + a] * q[1 + b];
    for (int c = 0; c < 3 && kind->moments > 1; c++)
        sum += v[REFERENCE_FIELD + of[a][c]] * q[4 + of[b][c]];
    return sum;
}

void reference_virial(const struct reference_kind *kind, const double *q,
                      const double *v, double virial[9])
{
    /* where w begins */
    const double *w =
        v + (kind->moments > 1 ? REFERENCE_THIRD : REFERENCE_GRADIENT);
    static const int at[9] = {4, 7, 8, 7, 5, 9, 8, 9, 6};
    static const int of[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    for (int a = 0; a < 9; a++) {
        if (kind->moments)
            virial[a] = moments_virial(kind, q, v, a / 3, a % 3, w + of[a]);
        else
            virial[a] = 0.5 * q[0] * v[at[a]];
    }
}

int reference_kind_index(const struct reference_kind *kind)
{
    int i = 0;
    while (reference_kinds[i] != kind)
        i++;
    return i;
}
