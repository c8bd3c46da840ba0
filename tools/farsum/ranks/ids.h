/* SPDX-License-Identifier: Apache-2.0 */
/* ids.h: particles by the numbers that a file gives them: the column id,
 * or positions in the file from 1.  Collective; ranks may be NULL. */
#ifndef FARSUM_TOOLS_RANKS_IDS_H
#define FARSUM_TOOLS_RANKS_IDS_H

#include "ranks/frames.h"

struct ids;
/* frame: this rank's part; where: NULL in one process.  what: "particle", in
 * messages.  Fails if two particles have one id.  Returns 0, or -1 with an
 * error, which ranks that did not fail lack. */
int ids_open(struct ranks *ranks, const struct io_frame *frame,
             const struct spread *where, const char *what, struct ids **ids,
             char *error, size_t size);
/* at [n]: the plan's number of each particle, which counts those of lower ranks
 * first; -1: none.  Each rank has numbers of its own to find.  Returns as
 * ids_open does. */
int ids_find(struct ids *ids, int64_t n, const int64_t *id, int64_t *at,
             char *error, size_t size);
/* 1: a column id exists. */
int ids_are_named(const struct ids *ids);
void ids_close(struct ids *ids); /* NULL is legal */
#endif
