/* SPDX-License-Identifier: Apache-2.0 */
/* host_rotation: fast rotation (math.md 10.12) of boxes with the same vector,
 * SIMD over boxes.  It uses no mirror symmetry, so it wins only at high
 * orders. */
#include "stage/m2l/rotation/host_rotation_make.h"

HOST_ROTATION_ROW(host_rotation, 0)
