/* SPDX-License-Identifier: Apache-2.0 */
/* p2p_perf.h: timing of the variants of p2p. */
#ifndef FARSUM_TEST_UNIT_P2P_PERF_H
#define FARSUM_TEST_UNIT_P2P_PERF_H

#include <stdint.h>

void p2p_perf(int64_t n, int depth, int threads, int rhs);
#endif
