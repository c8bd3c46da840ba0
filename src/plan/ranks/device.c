/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: the device of each rank. */
#include "plan/ranks/device.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "plan/options.h"
#include "ranks/device/name.h"

farsum_status ranks_device_open(const struct comm *comm,
                                farsum_options *options,
                                struct ranks_device *device)
{
    farsum_device_options *o = &options->device;
    char name[64];
    TRY(options_check_device(options));
    if (o->handle || device_is_host(o->name))
        return FARSUM_OK;
    TRY(gpu_name_of_rank(comm, o->name, name, sizeof name));
    TRY(device_open(name, &device->handle.device));
    device->opened = 1;
    o->handle = &device->handle;
    o->name = NULL;
    return FARSUM_OK;
}

void ranks_device_close(struct ranks_device *device)
{
    if (device->opened)
        device_close(device->handle.device);
    device->opened = 0;
}

void ranks_device_kind(const farsum_options *options, char *kind, size_t size)
{
    const farsum_device_options *o = &options->device;
    const char *name = o->handle ? o->handle->device->backend->name
                       : o->name ? o->name
                                 : "host";
    snprintf(kind, size, "%.*s", (int)strcspn(name, ":"), name);
}

struct links ranks_links(const farsum_options *options, const char *transport,
                         int ranks, int nodes)
{
    char kind[32];
    ranks_device_kind(options, kind, sizeof kind);
    int staged = transport ? strcmp(transport, "staged") == 0
                           : strcmp(kind, "opencl") == 0;
    return links_expected(strcmp(kind, "host") == 0 ? LINKS_HOST
                          : staged                  ? LINKS_STAGED
                                                    : LINKS_NCCL,
                          ranks, nodes);
}

farsum_status ranks_links_of(struct comm *comm, const farsum_options *options,
                             const char *transport, struct links *links)
{
    int64_t nodes = comm->node_rank == 0;
    if (comm->links) {
        *links = *comm->links;
        return FARSUM_OK;
    }
    TRY(comm_sum_counts(comm, &nodes, 1));
    *links =
        ranks_links(options, transport, comm->size, nodes > 0 ? (int)nodes : 1);
    return FARSUM_OK;
}

farsum_status ranks_transport(const char *name, const farsum_options *options,
                              const char **to)
{
    static const char *const names[] = {"nccl", "staged", NULL};
    *to = NULL;
    if (!name)
        return FARSUM_OK;
    for (int k = 0; names[k] && !*to; k++)
        if (strcmp(names[k], name) == 0)
            *to = names[k];
    if (!*to)
        return text_unknown("transport", name, names);
    if (!options->device.handle && device_is_host(options->device.name))
        FAIL(ERR_UNSUPPORTED,
             "transport \"%s\" is between devices; this plan runs on the host",
             name);
    return FARSUM_OK;
}
