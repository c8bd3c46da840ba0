/* SPDX-License-Identifier: Apache-2.0 */
/* gm_1d: a team of threads a cell of a cutoff's edge, threads over its targets;
 * sources of the 27 cells around it straight from memory, erfc and exp for each
 * pair.  Kosmacher, Du, Bagge, Biros, Performance Portable Fast Ewald Summation
 * (Kokkos User Group, 2025), GM-1D, with their best team on an H200 unless one
 * is given.  Here to be compared with: rows without erfc win.
 * Deterministic. */
#include "stage/near/papers/team.h"

TEAM_VARIANT(gm_1d, 64, 1, 0, 0);
