/* SPDX-License-Identifier: Apache-2.0 */
/* modes_inside.h: the messages of an exchange of modes, for host and device. */
#ifndef FARSUM_MESH_RANKS_MODES_INSIDE_H
#define FARSUM_MESH_RANKS_MODES_INSIDE_H

#include "mesh/ranks/modes.h"

/* A part of a row of modes: first <= k2 < end of row i1; i1 = -1: none. */
struct rank_part {
    int64_t i1, first, end;
};

struct rank_modes {
    struct rank_modes_args args;
    int64_t turn;       /* k = turn times the spectra's wave vector */
    int64_t *used;      /* owned, [size + 1]: first used rows of the ranks */
    int64_t *at;        /* owned, [used rows]: numbers before each in its rank's
                        message, per k0 */
    int64_t *count;     /* owned, [size]: numbers of a rank's rows per k0 */
    int64_t first, own; /* modes along axis 0 of this rank */
    char *by_row;  /* owned, [N0][count[rank]]: messages at the rows' end */
    char *by_mode; /* owned: from each rank [own][count]: at the modes' end */
    int64_t *row_bytes, *mode_bytes; /* owned, [size]: parts of ranks */
};

/* k1 of a used row. */
int64_t rank_modes_k1(const struct rank_modes_args *args, int64_t used);
/* The parts of a used row: of modes k with the row's sign, turn k2 >= 0; and of
 * modes -k, turn k2 < 0, in type 2 also k2 = 0, which enters the rows k1 and
 * -k1. */
void rank_modes_parts(const struct rank_modes *modes, int64_t used,
                      struct rank_part part[2]);
static inline int64_t rank_part_count(const struct rank_part *part)
{
    return part->end - part->first;
}
#endif
