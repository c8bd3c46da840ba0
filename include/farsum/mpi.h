/* SPDX-License-Identifier: Apache-2.0 */
/* farsum/mpi.h: libfarsum_mpi, sums over the ranks of MPI.
 *
 * The library's MPI must be that of the program.  This header is the only one
 * that includes mpi.h. */
#ifndef FARSUM_MPI_H
#define FARSUM_MPI_H

#include <mpi.h>

#include "farsum/farsum.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns "MAJOR.MINOR.PATCH" of the running libfarsum_mpi, a static text. */
FARSUM_API const char *farsum_mpi_version(void);

#ifdef __cplusplus
}
#endif
#endif
