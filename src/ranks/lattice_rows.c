/* SPDX-License-Identifier: Apache-2.0 */
/* lattice_rows.c: the rows of a lattice's spectrum, cut among ranks. */
#include "ranks/lattice_rows.h"

#include "base/mem.h"

farsum_status lattice_rows_create(struct lattice_rows *l, int64_t mesh,
                                  int rank, int size)
{
    int64_t modes = mesh / 2 + 1, row = 0;
    TRY(MEM_RAW(l->begin, size + 1));
    TRY(MEM_RAW(l->order, mesh));
    for (int r = 0; r < size; r++) {
        int64_t first = modes * r / size, end = modes * (r + 1) / size;
        l->begin[r] = row;
        for (int64_t y = first; y < end; y++)
            l->order[row++] = y;
        for (int64_t y = end - 1; y >= first; y--)
            if (y > 0 && 2 * y < mesh)
                l->order[row++] = mesh - y;
    }
    l->begin[size] = row;
    l->first = modes * rank / size;
    l->end = modes * (rank + 1) / size;
    l->rows = l->begin[rank + 1] - l->begin[rank];
    l->turn = l->first == 0 ? l->rows : l->rows - 1;
    return FARSUM_OK;
}

void lattice_rows_clear(struct lattice_rows *l)
{
    mem_free(l->begin);
    mem_free(l->order);
    *l = (struct lattice_rows){0};
}
