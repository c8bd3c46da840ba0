/* SPDX-License-Identifier: Apache-2.0 */
/* exported.h: functions that libfarsum exports for libfarsum_mpi.
 *
 * No installed header declares them.  libfarsum_mpi uses nothing else of the
 * library's internals, except for plan/exported.h and the declarations of
 * comm.h.  So both libraries must have the same version. */
#ifndef FARSUM_COMM_EXPORTED_H
#define FARSUM_COMM_EXPORTED_H

#include "comm/comm.h"

/* What a rank of a plan, mesh or NUFFT does.  Bytes and seconds: since the comm
 * was made. */
struct ranks_info {
    int ranks, rank;
    int across; /* ranks along axis 1; 0 or 1: slabs */
    int64_t own, ghosts;
    double imbalance; /* most own points of a rank over the mean */
    double work_imbalance; /* plans: the same for its modelled seconds */
    int64_t recuts;   /* plans: times that set_points cut the mesh again */
    struct comm_spent spent[COMM_PARTS];
    const char *transport; /* between devices; "": on the host */
};
/* comm_create, for a caller of this version ("0.2.0"). */
FARSUM_API farsum_status
farsum_comm_create(const char *version, int rank, int size, const char *name,
                   const struct comm_calls *calls, int64_t bytes,
                   struct comm **comm);
FARSUM_API void farsum_comm_destroy(struct comm *comm);
FARSUM_API farsum_status farsum_comm_agree(struct comm *comm,
                                           farsum_status status);
/* comm_patience and comm_lose. */
FARSUM_API farsum_status farsum_comm_patience(struct comm *comm,
                                              double seconds);
FARSUM_API farsum_status farsum_comm_lose(struct comm *comm, const char *who);
/* Sets the message and returns code. */
FARSUM_API farsum_status farsum_comm_fail(farsum_status code,
                                          const char *message);
/* struct_take and struct_give. */
FARSUM_API farsum_status farsum_comm_take(void *to, size_t to_size,
                                          const void *from, size_t from_size,
                                          const char *init);
FARSUM_API farsum_status farsum_comm_give(void *to, size_t to_size,
                                          const void *from, size_t from_size,
                                          const char *init);
#endif
