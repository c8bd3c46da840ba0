/* SPDX-License-Identifier: Apache-2.0 */
/* pairs.h: files of pairs of particles. */
#ifndef FARSUM_IO_PAIRS_H
#define FARSUM_IO_PAIRS_H

#include "io.h"
#include "text.h"

int pairs_read(struct text *t, struct io_pairs *pairs);

#endif
