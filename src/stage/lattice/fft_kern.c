/* SPDX-License-Identifier: Apache-2.0 */
/* fft_kern.c: the product of one mode, (10.23): its operator, computed from the
 * field element by element, times eight columns. */
#include "base/isa.h"
#include "stage/lattice/fft_kern.h"

#if FARSUM_BITS == 32
typedef float real;
#else
typedef double real;
#endif

static void mode(const struct lattice_terms *terms, const void *field,
                 const void *multipole, void *local)
{
    const real *s = field, *m = multipole, *f = terms->f;
    const int32_t *at = terms->at;
    real *l = local;
    int size = terms->size;
    for (int i = 0; i < size; i++, l += LATTICE_COLUMNS) {
        real sum[LATTICE_COLUMNS] = {0};
        for (int j = 0; j < size; j++, at += 2, f += 2) {
            real t = f[0] * s[at[0]] + f[1] * s[at[1]];
            const real *from = m + (int64_t)j * LATTICE_COLUMNS;
#pragma omp simd simdlen(LATTICE_COLUMNS)
            for (int c = 0; c < LATTICE_COLUMNS; c++)
                sum[c] += t * from[c];
        }
        for (int c = 0; c < LATTICE_COLUMNS; c++)
            l[c] = sum[c];
    }
}

const struct lattice_kern ISA_NAME(lattice_fft) = {.mode = mode};
