/* SPDX-License-Identifier: Apache-2.0 */
/* group.h: some ranks of a comm, at equal distances: those of a pencil's row or
 * column.  All ranks of the comm make the same calls, each in its own group. */
#ifndef FARSUM_COMM_GROUP_H
#define FARSUM_COMM_GROUP_H

#include "comm/comm.h"

/* Member r is rank first + r step; this rank is member `rank`. */
struct group {
    int rank, size, first, step;
};

static inline struct group group_all(const struct comm *comm)
{
    return (struct group){comm->rank, comm->size, 0, 1};
}
/* `group`, or all ranks if its size is 0. */
static inline struct group group_or_all(const struct group *group,
                                        const struct comm *comm)
{
    return group->size > 0 ? *group : group_all(comm);
}
static inline int group_rank(const struct group *group, int r)
{
    return group->first + r * group->step;
}
/* The groups of rank row * ranks[1] + column of ranks[0] x ranks[1] ranks:
 * axis 0: those of its column, axis 1: those of its row. */
static inline struct group group_axis(int rank, const int ranks[2], int axis)
{
    int row = rank / ranks[1], column = rank % ranks[1];
    return axis == 0 ? (struct group){row, ranks[0], column, ranks[1]}
                     : (struct group){column, ranks[1], row * ranks[1], 1};
}
#endif
