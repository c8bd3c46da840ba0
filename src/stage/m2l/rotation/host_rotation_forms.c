/* SPDX-License-Identifier: Apache-2.0 */
/* host_rotation_forms.c: the variants of host_rotation_make.c, one line
 * each. */
#include "stage/m2l/rotation/host_rotation_make.h"

/* Fast rotation (math.md 10.12) of boxes with the same vector, SIMD over
 * boxes. It uses no mirror symmetry, so it wins only at high orders. */
HOST_ROTATION_ROW(host_rotation, 0)

#if FARSUM_PAPERS
/* The classical rotation (White and Head-Gordon, J. Chem. Phys. 105, 5061
 * (1996)). The rotation about y is a separate matrix for each angle between
 * a vector and z; pairs of boxes are sorted by vector (Garcia et al., 2016).
 * As many multiply-adds as host_rotation, and far more matrix elements. For
 * comparison. */
HOST_ROTATION_ROW(wigner, 1)
#endif
