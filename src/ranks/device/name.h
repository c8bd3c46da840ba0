/* SPDX-License-Identifier: Apache-2.0 */
/* name.h: the device that a rank takes. */
#ifndef FARSUM_RANKS_DEVICE_NAME_H
#define FARSUM_RANKS_DEVICE_NAME_H

#include <stddef.h>

#include "base/status.h"
#include "comm/comm.h"

/* Sets name to "cuda:K" for "cuda", K being the rank's number on its machine,
 * modulo the number of devices; other names are copied.  Not collective. */
farsum_status gpu_name_of_rank(const struct comm *comm, const char *given,
                               char *name, size_t size);
#endif
