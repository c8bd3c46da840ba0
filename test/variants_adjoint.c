/* SPDX-License-Identifier: Apache-2.0 */
/* variants_adjoint.c: tests that a variant of spread is the transpose of every
 * variant of interp that supports the same case, up to rounding. */
#include <stdlib.h>

#include "check.h"
#include "variants_mesh.h"

static farsum_status run_row(const struct variant *v, const void *args,
                             const struct points *points, const void *io)
{
    farsum_status status = FARSUM_OK;
    void *state = NULL;
    if (v->fits)
        TRY(v->fits(args));
    GO(v->create(args, &state));
    GO(v->set(state, points, points));
    GO(v->run(state, io));
done:
    v->destroy(state);
    return status;
}

/* Sum over mesh, channels and parts of the spread values times g. */
static void mesh_product(const struct mesh_work *w, const double *g,
                         double *sum, double *size)
{
    const struct mesh_case *c = &w->c;
    *sum = *size = 0;
    for (int ch = 0; ch < c->channels; ch++)
        for (int64_t r = 0; r < c->mesh[0] * c->mesh[1]; r++)
            for (int64_t z = 0; z < c->mesh[2]; z++)
                for (int part = 0; part < c->parts; part++) {
                    int64_t i = mesh_at(w, ch, r, z, part);
                    double v = mesh_get(w, &w->mesh, i) * g[i];
                    *sum += v;
                    *size += fabs(v);
                }
}

/* Sum over points, channels and parts of q times the interpolated values. */
static void point_product(const struct mesh_work *w, double *sum, double *size)
{
    const struct mesh_case *c = &w->c;
    struct spread_io s = spread_strides(&w->spread, &w->spread_io, c->n);
    struct interp_io p = interp_strides(&w->interp, &w->interp_io, c->n);
    *sum = *size = 0;
    for (int ch = 0; ch < c->channels; ch++)
        for (int64_t i = 0; i < c->n; i++)
            for (int part = 0; part < c->parts; part++) {
                double v =
                    mesh_get(w, &w->q,
                             ch * s.q_channel + i * s.q_point + part)
                    * mesh_get(w, &w->potential,
                               ch * p.potential_channel + i * c->parts + part);
                *sum += v;
                *size += fabs(v);
            }
}

static farsum_status check_pair(int k, struct mesh_work *w, const double *g,
                                double left, double size, const char *row,
                                const struct variant_row *interp)
{
    double right, other;
    double bound = fmax(w->trial.precision == FARSUM_F32 ? 2e-6 : 2e-14,
                        mesh_edge(&w->c));
    char label[200];
    for (int64_t i = 0; i < w->mesh.n; i++)
        mesh_put(w, &w->mesh, i, g[i]);
    for (int64_t i = 0; i < w->potential.n; i++)
        mesh_put(w, &w->potential, i, 0);
    mesh_up(w, &w->mesh);
    mesh_up(w, &w->potential);
    TRY(run_row(interp->variant, &w->interp, &w->points, &w->interp_io));
    mesh_down(w, &w->potential);
    point_product(w, &right, &other);
    mesh_name(k, label, sizeof label);
    CHECK(fabs(left - right) <= bound * fmax(size, other),
          "case %d (%s): spread %s gives %.17g, interp %s %.17g", k, label, row,
          left, interp->name, right);
    return FARSUM_OK;
}

void mesh_adjoint(int k, const struct trial *trial, const char *row)
{
    struct mesh_work *w = NULL;
    double *g = NULL, left, size;
    if (!trial->device && (trial->isa != isa_best() || trial->threads == 1))
        return; /* one of the host's trials is enough */
    if (mesh_case(k).moments)
        return; /* slopes are adjoint to potential and gradient together */
    if (!CHECK_OK(mesh_make(k, trial, &w)))
        goto done;
    w->interp.outputs = FARSUM_POTENTIAL;
    w->interp_io.field = NULL;
    w->interp_io.potential = mesh_io(w, &w->potential);
    g = check_memory((size_t)w->mesh.n + 1, sizeof *g);
    for (int64_t i = 0; i < w->mesh.n; i++)
        g[i] = mesh_get(w, &w->mesh, i);
    if (!CHECK_OK(run_row(trial->variant, &w->spread, &w->points,
                          &w->spread_io)))
        goto done;
    mesh_down(w, &w->mesh);
    mesh_product(w, g, &left, &size);
    for (const struct variant_row *r = interp_stage.rows; r->name; r++) {
        farsum_status status = check_pair(k, w, g, left, size, row, r);
        CHECK(status == FARSUM_OK || status == FARSUM_ERR_UNSUPPORTED,
              "interp %s, case %d: %s", r->name, k, farsum_message());
    }
done:
    free(g);
    mesh_free(w);
}
