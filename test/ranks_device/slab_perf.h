/* SPDX-License-Identifier: Apache-2.0 */
/* slab_perf.h: times of a cut transform's steps. */
#ifndef FARSUM_TEST_SLAB_PERF_H
#define FARSUM_TEST_SLAB_PERF_H

#include <stdint.h>

void slab_perf(int64_t mesh, int ranks, int channels, int bits);
#endif
