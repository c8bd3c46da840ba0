/* SPDX-License-Identifier: Apache-2.0 */
/* gm_2d: gm_1d with b_x threads over targets and b_y threads over the sources
 * of each, whose sums a reduction adds.  GM-2D of Kosmacher et al. (2025), with
 * their best team for 4e6 points.  Deterministic.  (comparison) */
#include "stage/near/papers/team.h"

TEAM_VARIANT(gm_2d, 8, 32, 1, 0);
