/* SPDX-License-Identifier: Apache-2.0 */
/* lattice_rows.h: the rows y of a lattice's spectrum, cut among ranks.  Modes
 * 0 .. mesh/2 are cut in equal parts.  A rank's rows are its modes y in order,
 * then their mirrors -y in reverse order: both use one operator.  Modes without
 * a mirror are their own. */
#ifndef FARSUM_RANKS_LATTICE_ROWS_H
#define FARSUM_RANKS_LATTICE_ROWS_H

#include <stdint.h>

#include "base/status.h"

struct lattice_rows {
    int64_t first, end; /* this rank's modes y, without mirrors */
    int64_t rows;       /* with mirrors */
    int64_t turn;       /* the mirror of row i is row (turn - i) % rows */
    int64_t *begin;     /* owned, [size + 1]: first rows of the ranks */
    int64_t *order;     /* owned, [mesh]: y of each row, 0 <= y < mesh */
};

/* Not collective. */
farsum_status lattice_rows_create(struct lattice_rows *rows, int64_t mesh,
                                  int rank, int size);
void lattice_rows_clear(struct lattice_rows *rows); /* a zeroed one is legal */
#endif
