/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c: choice of the variants of a mesh. */
#include "mesh/mesh.h"

#include "mesh/device.h"
#include "tune/measured_choice.h"
#include "points/clustering.h"

/* Ratios of the number of points and of clustering above which variants are
 * chosen again. */
static const double far_number = 2, far_clustering = 4;

static int apart(double a, double b, double factor)
{
    return a > factor * b || b > factor * a;
}

farsum_status mesh_choose_stage(struct farsum_mesh *m, int which,
                                const struct stage *stage, const char *name,
                                const void *args)
{
    struct planner how = {.name = name,
                          .deterministic = m->options.deterministic,
                          .measure = m->options.measure,
                          .device = m->spread.device,
                          .isa = m->isa,
                          .threads = m->threads};
    m->args[which] = args;
    m->named[which] = name != NULL;
    return planner_choose(&how, stage, args, &m->choice[which]);
}

/* Replaces the variant of a stage, or creates the same one for another number
 * of points.  Keeps the old one if that fails. */
static farsum_status plan_again(struct farsum_mesh *m, int which, int number)
{
    struct choice old = m->choice[which];
    void *state = NULL;
    farsum_status status =
        mesh_choose_stage(m, which, old.stage, NULL, m->args[which]);
    if (status == FARSUM_OK && m->choice[which].row == old.row && !number)
        return FARSUM_OK;
    if (status == FARSUM_OK)
        status = m->choice[which].row->variant->create(m->args[which], &state);
    if (status != FARSUM_OK) {
        m->choice[which] = old;
        return status;
    }
    if (m->gpu) /* before the variant that it uses is destroyed */
        graph_clear(&m->gpu->recording[which]);
    old.row->variant->destroy(m->state[which]);
    m->state[which] = state;
    if (old.row != m->choice[which].row)
        mesh_log(&m->options, &m->choice[which]);
    return FARSUM_OK;
}

farsum_status mesh_plan_points(struct farsum_mesh *m)
{
    int64_t n = m->points.n;
    int wanted = 0, first = !(m->clustering > 0);
    for (int which = 0; which < MESH_STAGES; which++)
        wanted |= m->choice[which].row && !m->named[which];
    int number = apart((double)n, (double)m->spread.n, far_number);
    if (!wanted || n < 2 || (m->spread.device && !first && !number))
        return FARSUM_OK;
    double clustering,
        before = first ? spread_clustering(&m->spread) : m->clustering;
    TRY(clustering_measure(&m->points, m->spread.mesh, &clustering));
    if (first)
        m->clustering = before;
    if (!number && !apart(clustering, before, far_clustering))
        return FARSUM_OK;
    m->clustering = m->spread.clustering = m->interp.clustering = clustering;
    m->spread.n = m->interp.n = n;
    for (int which = 0; which < MESH_STAGES; which++)
        if (m->choice[which].row && !m->named[which])
            TRY(plan_again(m, which, number));
    return FARSUM_OK;
}
