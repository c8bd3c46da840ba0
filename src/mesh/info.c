/* SPDX-License-Identifier: Apache-2.0 */
/* info.c: report of a mesh, as numbers and as text. */
#include "mesh/mesh.h"

#include "base/args.h"
#include "base/c_locale.h"
#include "base/fpenv.h"
#include "mesh/ranks/mesh.h"

farsum_status farsum_mesh_get_info(const farsum_mesh *mesh,
                                   farsum_mesh_info *info)
{
    FP_GUARD;
    if (!mesh || !info)
        FAIL(ERR_ARGUMENT, "%s is NULL", mesh ? "info" : "mesh");
    const farsum_mesh_problem *p = &mesh->problem;
    farsum_mesh_info i = FARSUM_MESH_INFO_INIT;
    i.device = mesh->device ? mesh->device->name : "host";
    i.device_model = mesh->device ? mesh->device->properties.model : NULL;
    i.isa = isa_name(mesh->isa);
    i.window = window_name(&mesh->window);
    i.precision = p->precision;
    i.threads = mesh->threads;
    i.channels = p->channels;
    i.support = mesh->window.support;
    for (int d = 0; d < 3; d++)
        i.mesh[d] = p->mesh[d];
    i.n_points = !mesh->has_points ? p->n_points
                 : mesh->ranks     ? mesh->ranks->n
                                   : mesh->points.n;
    i.shape = mesh->window.shape;
    i.integral = window_hat(&mesh->window, 0);
    i.fit_error = mesh->window.fit_error;
    i.tolerance = p->tolerance;
    i.upsampling = p->tolerance > 0 ? p->upsampling : 0;
    i.estimated_error = mesh->estimated_error;
    i.bytes = (uint64_t)mesh->bytes;
    i.device_bytes = (uint64_t)mesh->device_bytes;
    i.seconds_create = mesh->seconds_create;
    i.seconds_set_points = mesh->seconds_set_points;
    for (int stage = 0; stage < MESH_STAGES; stage++) {
        const struct choice *c = &mesh->choice[stage];
        if (c->row)
            i.stages[i.n_stages++] = (farsum_stage_info){
                c->stage->name, c->row->name, c->reason, mesh->seconds[stage],
                c->row->variant->deterministic};
    }
    return struct_give(info, info->size, &i, sizeof i,
                       "FARSUM_MESH_INFO_INIT");
}

void mesh_info_print(const farsum_mesh_info *i, FILE *out)
{
    fprintf(out, "%s%s%s%s, %s, %d thread%s, isa %s\n", i->device,
            i->device_model ? " (" : "", i->device_model ? i->device_model : "",
            i->device_model ? ")" : "",
            i->precision == FARSUM_F32 ? "f32" : "f64", i->threads,
            i->threads == 1 ? "" : "s", i->isa);
    fprintf(out, "%lld points, mesh %lld x %lld x %lld, %d channel%s\n",
            (long long)i->n_points, (long long)i->mesh[0],
            (long long)i->mesh[1], (long long)i->mesh[2], i->channels,
            i->channels == 1 ? "" : "s");
    c_locale_write(out, "window %s, support %d, shape %.4g", i->window,
                   i->support, i->shape);
    if (i->tolerance > 0)
        c_locale_write(out,
                       ", for tolerance %.3g at upsampling %.3g, estimated "
                       "error %.2g",
                       i->tolerance, i->upsampling, i->estimated_error);
    c_locale_write(out, "\nmemory %.3g MB\n", 1e-6 * (double)i->bytes);
    for (int s = 0; s < i->n_stages; s++)
        fprintf(out, "  %s: %s (%s)\n", i->stages[s].stage,
                i->stages[s].variant, i->stages[s].reason);
}

void farsum_mesh_print(const farsum_mesh *mesh, FILE *out)
{
    FP_GUARD;
    farsum_mesh_info info = FARSUM_MESH_INFO_INIT;
    if (mesh && out && farsum_mesh_get_info(mesh, &info) == FARSUM_OK)
        mesh_info_print(&info, out);
}
