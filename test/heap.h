/* SPDX-License-Identifier: Apache-2.0 */
/* heap.h: counts of all allocations of the process.  A program that links
 * heap.c has malloc and related functions replaced by versions that count and
 * call the C library.  Under the sanitizers, which replace them too, nothing is
 * counted and heap_counts() is 0. */
#ifndef FARSUM_TEST_HEAP_H
#define FARSUM_TEST_HEAP_H

#include <stdint.h>

int heap_counts(void);
/* Allocating calls so far, by any thread, and those among them by FFTW
 * (libfftw3*) and OpenMP (libgomp). */
int64_t heap_calls(void);
int64_t heap_calls_of_others(void);
/* Bytes in use now, and the maximum since heap_reset_peak. */
int64_t heap_live(void);
int64_t heap_peak(void);
void heap_reset_peak(void);
#endif
