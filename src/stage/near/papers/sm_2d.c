/* SPDX-License-Identifier: Apache-2.0 */
/* sm_2d: gm_2d with the sources read through shared memory: SM-2D of Kosmacher
 * et al. (2025).  Deterministic.  (comparison) */
#include "stage/near/papers/team.h"

TEAM_VARIANT(sm_2d, 64, 2, 1, 1);
