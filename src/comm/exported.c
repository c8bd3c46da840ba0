/* SPDX-License-Identifier: Apache-2.0 */
/* exported.c: functions that libfarsum exports for libfarsum_mpi. */
#include "comm/exported.h"

#include <string.h>

#include "base/args.h"

farsum_status farsum_comm_create(const char *version, int rank, int size,
                                 const char *name,
                                 const struct comm_calls *calls, int64_t bytes,
                                 struct comm **comm)
{
    if (strcmp(version, farsum_version()) != 0)
        FAIL(ERR_STATE, "libfarsum_mpi has version %s, libfarsum %s; install "
             "both from one build", version, farsum_version());
    return comm_create(rank, size, name, calls, bytes, comm);
}

void farsum_comm_destroy(struct comm *comm)
{
    comm_destroy(comm);
}

farsum_status farsum_comm_agree(struct comm *comm, farsum_status status)
{
    return comm_agree(comm, status);
}

farsum_status farsum_comm_patience(struct comm *comm, double seconds)
{
    return comm_patience(comm, seconds);
}

farsum_status farsum_comm_lose(struct comm *comm, const char *who)
{
    return comm_lose(comm, who);
}

farsum_status farsum_comm_fail(farsum_status code, const char *message)
{
    return status_fail(code, "%s", message);
}

farsum_status farsum_comm_take(void *to, size_t to_size, const void *from,
                               size_t from_size, const char *init)
{
    return struct_take(to, to_size, from, from_size, init);
}

farsum_status farsum_comm_give(void *to, size_t to_size, const void *from,
                               size_t from_size, const char *init)
{
    return struct_give(to, to_size, from, from_size, init);
}
