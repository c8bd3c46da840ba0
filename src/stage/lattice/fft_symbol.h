/* SPDX-License-Identifier: Apache-2.0 */
/* fft_symbol.h: the field between root boxes in modes of their grid. */
#ifndef FARSUM_STAGE_LATTICE_FFT_SYMBOL_H
#define FARSUM_STAGE_LATTICE_FFT_SYMBOL_H

#include "stage/expansions/expansions.h"

/* (10.23) for modes 0 .. mesh/2 along each axis; the others follow by mirrors.
 *
 * symbol[z][y][x][(2p + 1)^2], owned by the caller, type the precision's: the
 * transform of the field over places, as a real number, which odd degrees have
 * to be multiplied by i; times `scale`.  mesh: the grid's points, the roots
 * (periodic) or at least 2 root - 1 of them (open). */
farsum_status lattice_symbol(const struct boxes_args *args,
                             const int64_t mesh[3], double scale,
                             void *symbol);
/* Bytes of memory that lattice_symbol takes beside the symbol until it ends. */
int64_t lattice_symbol_bytes(const struct boxes_args *args,
                             const int64_t mesh[3]);
/* 1: number (n, m) changes sign when axis 0 .. 2 is mirrored. */
int lattice_odd(int n, int m, int axis);
#endif
