/* SPDX-License-Identifier: Apache-2.0 */
/* host_rotation: fast rotation (math.md 10.12) of boxes side by side that have
 * the same vector, by SIMD.  It mirrors nothing: wins at high orders alone. */
#include "stage/m2l/rotation/host_rotation_make.h"

HOST_ROTATION_ROW(host_rotation, 0)
