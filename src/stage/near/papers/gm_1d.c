/* SPDX-License-Identifier: Apache-2.0 */
/* gm_1d: one team of threads per cell, whose edge is the cutoff; threads over
 * its targets.  Sources of the 27 surrounding cells are read from global
 * memory, with erfc and exp for each pair.  Kosmacher, Du, Bagge, Biros,
 * Performance Portable Fast Ewald Summation (Kokkos User Group, 2025), GM-1D,
 * with their best team on an H200 (default).  For comparison: variants without
 * erfc win.  Deterministic. */
#include "stage/near/papers/team.h"

TEAM_VARIANT(gm_1d, 64, 1, 0, 0);
