/* SPDX-License-Identifier: Apache-2.0 */
/* fft_kern.h: interface between fft_kern.c and fft_modes.c. */
#ifndef FARSUM_STAGE_LATTICE_FFT_KERN_H
#define FARSUM_STAGE_LATTICE_FFT_KERN_H

#include <stdint.h>

enum { LATTICE_COLUMNS = 8 }; /* four mirrored modes, real and imaginary part */

/* Element i of an operator is f[2i] s[at[2i]] + f[2i + 1] s[at[2i + 1]]. */
struct lattice_terms {
    int size;          /* (p + 1)^2 */
    const int32_t *at; /* [size size][2] */
    const void *f;     /* [size size][2], of type precision */
};

struct lattice_kern {
    /* local[size][COLUMNS] = T multipole[size][COLUMNS], with T from the field
     * s of one mode. */
    void (*mode)(const struct lattice_terms *terms, const void *s,
                 const void *multipole, void *local);
};
#endif
