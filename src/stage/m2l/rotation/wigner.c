/* SPDX-License-Identifier: Apache-2.0 */
/* wigner: the classical rotation (White and Head-Gordon, J. Chem. Phys. 105,
 * 5061 (1996)).  The rotation about y is a separate matrix for each angle
 * between a vector and z; pairs of boxes are sorted by vector (Garcia et al.,
 * 2016).  As many multiply-adds as host_rotation, and far more matrix elements.
 * For comparison. */
#include "stage/m2l/rotation/host_rotation_make.h"

HOST_ROTATION_ROW(wigner, 1)
