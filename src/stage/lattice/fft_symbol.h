/* SPDX-License-Identifier: Apache-2.0 */
/* fft_symbol.h: the field between root boxes in the modes of their grid. */
#ifndef FARSUM_STAGE_LATTICE_FFT_SYMBOL_H
#define FARSUM_STAGE_LATTICE_FFT_SYMBOL_H

#include "stage/expansions/expansions.h"

/* (10.23) for modes 0 .. mesh/2 along x and z, and first .. end of them along
 * y; the others follow by mirrors.
 *
 * symbol[z][y - first][x][(2p + 1)^2], owned by the caller, of type precision:
 * the transform of the field over positions, as a real number, which for odd
 * degrees must be multiplied by i; times `scale`.  mesh: the grid's points: the
 * roots (periodic) or at least 2 root - 1 of them (open). */
farsum_status lattice_symbol(const struct boxes_args *args,
                             const int64_t mesh[3], int64_t first, int64_t end,
                             double scale, void *symbol);
/* Additional bytes that lattice_symbol uses until it returns, for end - first =
 * rows. */
int64_t lattice_symbol_bytes(const struct boxes_args *args,
                             const int64_t mesh[3], int64_t rows);
/* One or two periodic axes: expected seconds to make the fields of the root
 * boxes and their transform, unless they are kept; else 0. */
double lattice_making(const struct boxes_args *args);
/* For tests: how many symbols were found in the cache, and how many were
 * computed. */
void lattice_symbol_counts(uint64_t *there, uint64_t *made);
/* 1: coefficient (n, m) changes sign when the axis, 0 .. 2, is mirrored. */
int lattice_odd(int n, int m, int axis);
#endif
