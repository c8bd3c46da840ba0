/* SPDX-License-Identifier: Apache-2.0 */
/* slab_simulated.h: kernels of a cut transform on the simulated driver. */
#ifndef FARSUM_TEST_SLAB_SIMULATED_H
#define FARSUM_TEST_SLAB_SIMULATED_H

#include "farsum/farsum.h"

/* Devices "cuda:0" and "cuda:1" are simulated from now on. */
void slab_simulated_start(void);
/* That of this thread's next kernels. */
void slab_simulated_precision(farsum_precision precision);
/* Checks what the driver counted. */
void slab_simulated_end(void);
#endif
