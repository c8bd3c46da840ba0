/* SPDX-License-Identifier: Apache-2.0 */
/* common.h: common code of the public functions over the ranks of MPI. */
#ifndef FARSUM_MPI_COMMON_H
#define FARSUM_MPI_COMMON_H

#include "comm/exported.h"
#include "farsum/mpi.h"

/* Makes a comm of `given` with its options.  Fails on all ranks if one passed
 * a NULL output, called `name`.  options: NULL or the caller's; *taken: these,
 * completed.  On success the caller owns *comm. */
farsum_status mpi_begin(MPI_Comm given, const farsum_mpi_options *options,
                        const void *output, const char *name,
                        struct comm **comm, farsum_mpi_options *taken);
/* Returns the status of a create that took comm on success; otherwise frees
 * it. */
farsum_status mpi_end(struct comm *comm, farsum_status status);
/* Copies what a rank does to the caller's struct. */
farsum_status mpi_info(const struct ranks_info *from, farsum_mpi_info *info);
#endif
