/* SPDX-License-Identifier: Apache-2.0 */
/* rank_device.c: a device and a transport for each rank of a test. */
#include "ranks_device/rank_device.h"

#include <stdlib.h>

#include "check.h"

static const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

farsum_status rank_device_open(struct rank_device *of, struct comm *comm)
{
    *of = (struct rank_device){NULL, NULL};
    TRY(comm_agree(comm, device_open(setting("FARSUM_TEST_DEVICE", "opencl:0"),
                                     &of->device)));
    return transport_create(comm, of->device,
                            setting("FARSUM_TEST_TRANSPORT", "staged"),
                            &of->transport);
}

void rank_device_close(struct rank_device *of)
{
    transport_destroy(of->transport);
    CHECK(!of->device || of->device->bytes == 0, "%lld bytes are kept",
          (long long)of->device->bytes);
    device_close(of->device);
}

farsum_status rank_device_put(struct rank_device *of, struct buf *buf,
                              const void *from, int64_t bytes)
{
    TRY(buf_reserve(buf, of->device, bytes));
    return buf_upload(buf, 0, from, bytes);
}
