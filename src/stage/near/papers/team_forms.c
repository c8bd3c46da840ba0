/* SPDX-License-Identifier: Apache-2.0 */
/* team_forms.c: the variants of team.c, one line each. */
#include "stage/near/papers/team.h"

/* One team of threads per cell, whose edge is the cutoff; threads over its
 * targets. Sources of the 27 surrounding cells are read from global memory,
 * with erfc and exp for each pair. Kosmacher, Du, Bagge, Biros, Performance
 * Portable Fast Ewald Summation (Kokkos User Group, 2025), GM-1D, with their
 * best team on an H200 (default). For comparison: variants without erfc win.
 * Deterministic. */
TEAM_VARIANT(gm_1d, 64, 1, 0, 0);

/* gm_1d with b_x threads over targets and b_y threads over the sources of
 * each, whose sums a reduction adds. GM-2D of Kosmacher et al. (2025), with
 * their best team for 4e6 points. Deterministic. (comparison) */
TEAM_VARIANT(gm_2d, 8, 32, 1, 0);

/* gm_1d with the sources read through shared memory, as many at a time as
 * the team has threads. SM-1D of Kosmacher et al. (2025), the fastest of
 * their four in their table. Deterministic. (comparison) */
TEAM_VARIANT(sm_1d, 32, 1, 0, 1);

/* gm_2d with the sources read through shared memory: SM-2D of Kosmacher et
 * al. (2025). Deterministic. (comparison) */
TEAM_VARIANT(sm_2d, 64, 2, 1, 1);
