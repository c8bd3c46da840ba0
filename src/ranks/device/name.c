/* SPDX-License-Identifier: Apache-2.0 */
/* name.c: the device that a rank takes. */
#include "ranks/device/name.h"

#include <stdio.h>
#include <string.h>

#include "device/device.h"

farsum_status gpu_name_of_rank(const struct comm *comm, const char *given,
                               char *name, size_t size)
{
    int n = 0;
    snprintf(name, size, "%s", given);
    for (int b = 0; device_backends[b]; b++) {
        if (strcmp(device_backends[b]->name, given) != 0)
            continue;
        farsum_status status = device_count(device_backends[b], &n);
        if (status != FARSUM_OK)
            return status_prefix(status, "device %s", given);
        if (n > 0) /* else device_open finds none */
            snprintf(name, size, "%s:%d", given, comm->node_rank % n);
    }
    return FARSUM_OK;
}
