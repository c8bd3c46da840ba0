/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c: choice of the variants of a mesh. */
#include "mesh/mesh.h"

#include "mesh/device.h"
#include "tune/measured_choice.h"
#include "points/clustering.h"

/* Ratios of the number of points and of clustering above which variants are
 * chosen again. */
static const double far_number = 2, far_crowd = 4;

static int apart(double a, double b, double factor)
{
    return a > factor * b || b > factor * a;
}

farsum_status mesh_plan_room(struct farsum_mesh *m, int room,
                             const struct stage *stage, const char *name,
                             const void *args)
{
    struct planner how = {.name = name,
                          .deterministic = m->options.deterministic,
                          .measure = m->options.measure,
                          .device = m->spread.device,
                          .isa = m->isa,
                          .threads = m->threads};
    m->args[room] = args;
    m->named[room] = name != NULL;
    return planner_choose(&how, stage, args, &m->choice[room]);
}

/* Replaces the variant of a stage, or creates the same one for another number
 * of points.  Keeps the old one if that fails. */
static farsum_status plan_again(struct farsum_mesh *m, int room, int number)
{
    struct choice old = m->choice[room];
    void *state = NULL;
    farsum_status status =
        mesh_plan_room(m, room, old.stage, NULL, m->args[room]);
    if (status == FARSUM_OK && m->choice[room].row == old.row && !number)
        return FARSUM_OK;
    if (status == FARSUM_OK)
        status = m->choice[room].row->variant->create(m->args[room], &state);
    if (status != FARSUM_OK) {
        m->choice[room] = old;
        return status;
    }
    if (m->gpu) /* before the variant that it uses is destroyed */
        graph_clear(&m->gpu->recording[room]);
    old.row->variant->destroy(m->state[room]);
    m->state[room] = state;
    if (old.row != m->choice[room].row)
        mesh_log(&m->options, &m->choice[room]);
    return FARSUM_OK;
}

farsum_status mesh_plan_points(struct farsum_mesh *m)
{
    int64_t n = m->points.n;
    int wanted = 0, first = !(m->crowd > 0);
    for (int room = 0; room < MESH_ROOMS; room++)
        wanted |= m->choice[room].row && !m->named[room];
    int number = apart((double)n, (double)m->spread.n, far_number);
    if (!wanted || n < 2 || (m->spread.device && !first && !number))
        return FARSUM_OK;
    double crowd, before = first ? spread_crowd(&m->spread) : m->crowd;
    TRY(crowd_measure(&m->points, m->spread.mesh, &crowd));
    if (first)
        m->crowd = before;
    if (!number && !apart(crowd, before, far_crowd))
        return FARSUM_OK;
    m->crowd = m->spread.crowd = m->interp.crowd = crowd;
    m->spread.n = m->interp.n = n;
    for (int room = 0; room < MESH_ROOMS; room++)
        if (m->choice[room].row && !m->named[room])
            TRY(plan_again(m, room, number));
    return FARSUM_OK;
}
