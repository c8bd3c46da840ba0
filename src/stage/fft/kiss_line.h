/* SPDX-License-Identifier: Apache-2.0 */
/* kiss_line.h: one complex transform by KISS FFT, whose double precision exists
 * in Debian only as a C++ header. */
#ifndef FARSUM_STAGE_FFT_KISS_LINE_H
#define FARSUM_STAGE_FFT_KISS_LINE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct kiss_line; /* opaque; one thread at a time */

struct kiss_line *kiss_line_create(int64_t n, int backward); /* NULL: out of
                                                                memory */
void kiss_line_destroy(struct kiss_line *line);
/* complex [n] each; in and out must not overlap.  Does not allocate. */
void kiss_line_run(struct kiss_line *line, const double *in, double *out);

#ifdef __cplusplus
}
#endif
#endif
