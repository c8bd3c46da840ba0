/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c: allocated bytes of a mesh, and its log. */
#include <stdio.h>

#include "base/fpenv.h"
#include "base/mem.h"
#include "mesh/mesh.h"

void mesh_log(const farsum_mesh_options *options, const struct choice *choice)
{
    char line[320];
    if (!options->log)
        return;
    snprintf(line, sizeof line, "%s: %s (%s)", choice->stage->name,
             choice->row->name, choice->reason);
    int held = fp_suspend();
    options->log(line, options->log_data);
    fp_resume(held);
}

struct mesh_held mesh_held(const struct device *device)
{
    return (struct mesh_held){mem_bytes(), device ? device->bytes : 0};
}

void mesh_holds(struct farsum_mesh *m, struct mesh_held before)
{
    struct mesh_held now = mesh_held(m->device);
    m->bytes += now.host - before.host + now.device - before.device;
    m->device_bytes += now.device - before.device;
}
