/* SPDX-License-Identifier: Apache-2.0 */
/* sm_1d: gm_1d with the sources read through shared memory, as many at a time
 * as the team has threads.  SM-1D of Kosmacher et al. (2025), the fastest of
 * their four in their table.  Deterministic.  (comparison) */
#include "stage/near/papers/team.h"

TEAM_VARIANT(sm_1d, 32, 1, 0, 1);
