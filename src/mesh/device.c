/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: points of a mesh on a device, and its arrays on host or device. */
#include "mesh/device.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "points/device/set.h"

enum { GROUP = 256, RECORD = 4, RECORDS = 256, LOOK_GROUPS = 1024 };

/* Must equal the struct in mesh/device.k. */
struct outside_args {
    double inv[9], none;
    int64_t n;
    int32_t open[3], wide;
};
_Static_assert(sizeof(struct outside_args) == 104, "as the kernel has it");
struct finite_args {
    int64_t base, rows, row, used;
    double none;
    int32_t slot, wide;
};
_Static_assert(sizeof(struct finite_args) == 48, "as the kernel has it");

static int64_t gpu_real_bytes(const struct farsum_mesh *m)
{
    return m->problem.precision == FARSUM_F32 ? 4 : 8;
}

static int64_t gpu_grid_bytes(const struct farsum_mesh *m)
{
    const farsum_mesh_problem *p = &m->problem;
    return m->spread.mesh[0] * p->mesh[1] * p->ldz * p->channels
           * m->spread.parts * gpu_real_bytes(m);
}

void mesh_gpu_destroy(struct mesh_gpu *g)
{
    if (!g)
        return;
    for (int stage = 0; stage < MESH_STAGES; stage++)
        graph_clear(&g->recording[stage]);
    struct buf *all[] = {&g->record, &g->flag,  &g->q,
                         &g->grid,   &g->value, &g->gradient};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
    for (int w = 0; w < g->has_watches; w++)
        stopwatch_clear(&g->watch[w]);
    if (g->jit.device)
        jit_clear(&g->jit);
    mem_free(g);
}

static int gpu_open(const struct farsum_mesh *m)
{
    const int *wrapped = m->problem.periodic;
    return !wrapped[0] || !wrapped[1] || !wrapped[2];
}

farsum_status mesh_gpu_create(struct farsum_mesh *m)
{
    struct mesh_gpu *g = NULL;
    TRY(MEM_NEW(g, 1));
    m->gpu = g;
    TRY(points_gpu_create(m->device, &m->points.gpu));
    for (int w = 0; w < MESH_STAGES; w++, g->has_watches++)
        TRY(stopwatch_create(&g->watch[w], m->device));
    if (m->problem.grid_memory == FARSUM_HOST || m->ranks)
        TRY(buf_alloc(&g->grid, m->device, gpu_grid_bytes(m)));
    jit_begin(&g->jit, m->device, "mesh/device.k", FARSUM_F64);
    jit_define(&g->jit, "GROUP", "%d", GROUP);
    TRY(jit_build(&g->jit));
    TRY(jit_kernel(&g->jit, "mesh_finite", GROUP, 0, &g->finite));
    TRY(buf_alloc(&g->flag, m->device, 4 * MESH_ARRAYS));
    TRY(buf_fill_part(&g->flag, 0, 0, 4 * MESH_ARRAYS));
    if (!gpu_open(m) || m->problem.x_memory == FARSUM_HOST)
        return FARSUM_OK;
    TRY(jit_kernel(&g->jit, "mesh_outside", GROUP, 0, &g->outside));
    return buf_alloc(&g->record, m->device, 8 * RECORD * RECORDS);
}

farsum_status mesh_gpu_look(struct farsum_mesh *m, int array,
                            const struct buf *v, int64_t base, int64_t rows,
                            int64_t row, int64_t used)
{
    struct mesh_gpu *g = m->gpu;
    struct finite_args args = {.base = base,
                               .rows = rows,
                               .row = row,
                               .used = used,
                               .none = HUGE_VAL,
                               .slot = array,
                               .wide = m->problem.precision != FARSUM_F32};
    int64_t groups = kernel_groups(&g->finite, rows * used);
    if (rows * used == 0)
        return FARSUM_OK;
    return LAUNCH(&g->finite, groups < LOOK_GROUPS ? groups : LOOK_GROUPS,
                  ARG_BUF(v), ARG_BUF(v), ARG_BUF(&g->flag), ARG_STRUCT(args));
}

/* Waits for the flags of results; fails if one is set, and clears them. */
static farsum_status gpu_flags(struct farsum_mesh *m)
{
    static const char *const what[MESH_ARRAYS] = {"sums on the mesh", "values",
                                                  "gradients", "results"};
    struct mesh_gpu *g = m->gpu;
    int32_t flag[MESH_ARRAYS];
    if (!g->looked)
        return FARSUM_OK;
    TRY(buf_download(&g->flag, 0, flag, sizeof flag));
    g->looked = 0;
    for (int k = 0; k < MESH_ARRAYS; k++) {
        if (!flag[k])
            continue;
        TRY(buf_fill_part(&g->flag, 0, 0, sizeof flag));
        return mesh_not_finite(m->problem.precision, what[k]);
    }
    return FARSUM_OK;
}

farsum_status mesh_gpu_array(struct device *device,
                             const struct mesh_array *array, int in,
                             const struct buf *stage, struct buf *buf)
{
    if (array->memory == FARSUM_DEVICE)
        return buf_given(buf, device, array->given, array->bytes, array->what);
    TRY(buf_given_host(device, array->given, array->bytes, array->what));
    buf_borrow(buf, device, stage->handle, stage->bytes);
    return in ? buf_upload(buf, 0, array->given, array->bytes) : FARSUM_OK;
}

/* Searches for points outside the cell along an open axis.  Asynchronous: a
 * later check reads the result. */
static farsum_status gpu_outside(struct farsum_mesh *m, int64_t n,
                                 const struct buf *x)
{
    struct mesh_gpu *g = m->gpu;
    struct outside_args args = {
        .none = HUGE_VAL, .n = n, .wide = m->problem.precision != FARSUM_F32};
    int64_t groups = kernel_groups(&g->outside, n);
    memcpy(args.inv, m->cell.inv, sizeof args.inv);
    for (int d = 0; d < 3; d++)
        args.open[d] = !m->problem.periodic[d];
    g->groups = groups < RECORDS ? groups : RECORDS;
    return LAUNCH(&g->outside, g->groups, ARG_BUF(x), ARG_BUF(x),
                  ARG_BUF(&g->record), ARG_STRUCT(args));
}

/* Allocates the arrays for n points of a caller on the host. */
static farsum_status gpu_stages(struct farsum_mesh *m)
{
    const farsum_mesh_problem *p = &m->problem;
    struct mesh_gpu *g = m->gpu;
    int64_t bytes = mesh_value_bytes(m, 1);
    if (p->uses & FARSUM_MESH_SPREAD && p->q_memory == FARSUM_HOST)
        TRY(buf_reserve(&g->q, m->device, bytes));
    if (p->value_memory == FARSUM_DEVICE)
        return FARSUM_OK;
    if (p->uses & FARSUM_MESH_VALUE)
        TRY(buf_reserve(&g->value, m->device, bytes));
    if (p->uses & FARSUM_MESH_GRADIENT)
        TRY(buf_reserve(&g->gradient, m->device, 3 * bytes));
    return FARSUM_OK;
}

farsum_status mesh_gpu_place(struct farsum_mesh *m, struct points *points,
                             int64_t n, const void *x)
{
    struct mesh_gpu *g = m->gpu;
    farsum_precision precision = m->problem.precision;
    struct buf given;
    points->n = 0;
    g->groups = g->unchecked = 0;
    const struct mesh_array array = {"positions", m->problem.x_memory, x,
                                     3 * n * gpu_real_bytes(m)};
    if (m->problem.x_memory == FARSUM_HOST) {
        TRY(buf_given_host(m->device, x, n, "positions"));
        TRY(mesh_inside(m, n, x));
    }
    if (m->problem.x_memory == FARSUM_HOST || n == 0) {
        TRY(points_gpu_set(points->gpu, &m->cell, n, x, precision, "point"));
    } else {
        TRY(mesh_gpu_array(m->device, &array, 0, NULL, &given));
        TRY(points_gpu_set_device(points->gpu, &m->cell, n, &given, precision,
                                  "point"));
        if (gpu_open(m))
            TRY(gpu_outside(m, n, &given));
        g->unchecked = 1;
    }
    points->n = n;
    return FARSUM_OK;
}

farsum_status mesh_gpu_points(struct farsum_mesh *m, int64_t n, const void *x)
{
    TRY(mesh_gpu_place(m, &m->points, n, x));
    return gpu_stages(m);
}

farsum_status mesh_gpu_bad(struct farsum_mesh *m, const struct points *points)
{
    struct mesh_gpu *g = m->gpu;
    double record[RECORDS][RECORD], *first = record[0];
    if (!g->unchecked)
        return FARSUM_OK;
    g->unchecked = 0;
    if (g->groups > 0) {
        TRY(buf_download(&g->record, 0, record,
                         g->groups * RECORD * (int64_t)sizeof(double)));
        for (int64_t k = 1; k < g->groups; k++)
            first = record[k][0] < first[0] ? record[k] : first;
        if (isfinite(first[0]))
            return mesh_outside(m, (int64_t)first[0], first + 1);
    }
    return points_gpu_check(points->gpu);
}

farsum_status mesh_gpu_check(struct farsum_mesh *m)
{
    farsum_status status = mesh_gpu_bad(m, &m->points);
    if (status != FARSUM_OK)
        m->has_points = 0;
    return status;
}

/* Waits for the stages that have run since the last call, and reads their
 * times. */
static void gpu_seconds(struct farsum_mesh *m)
{
    struct mesh_gpu *g = m->gpu;
    for (int stage = 0; stage < MESH_STAGES; stage++) {
        double seconds = 0;
        /* a caller's queue may not support timing */
        if (g->timed[stage]
            && stopwatch_seconds(&g->watch[stage], &seconds) == FARSUM_OK)
            m->seconds[stage] = seconds;
        g->timed[stage] = 0;
    }
}

farsum_status mesh_gpu_finish(struct farsum_mesh *m)
{
    TRY(device_finish(m->device));
    gpu_seconds(m);
    TRY(mesh_gpu_check(m));
    return gpu_flags(m);
}

/* A call in a form that a graph can capture. */
struct call {
    struct farsum_mesh *mesh;
    const void *io;
};

static farsum_status gpu_spread(void *data)
{
    const struct call *c = data;
    const struct spread_io *io = c->io;
    const farsum_mesh_problem *p = &c->mesh->problem;
    int64_t parts = c->mesh->spread.parts;
    TRY(mesh_spread_run(c->mesh, io));
    if (p->grid_memory == FARSUM_HOST)
        return FARSUM_OK;
    return mesh_gpu_look(c->mesh, MESH_SUMS, io->mesh, 0,
                         p->mesh[0] * p->mesh[1] * p->channels,
                         p->ldz * parts, p->mesh[2] * parts);
}

static farsum_status gpu_interp(void *data)
{
    const struct call *c = data;
    const struct interp_io *io = c->io;
    int64_t n = mesh_value_bytes(c->mesh, 1) / gpu_real_bytes(c->mesh);
    TRY(mesh_interp_run(c->mesh, io));
    if (c->mesh->problem.value_memory == FARSUM_HOST)
        return FARSUM_OK;
    if (io->potential)
        TRY(mesh_gpu_look(c->mesh, MESH_VALUES, io->potential, 0, 1, n, n));
    return io->field ? mesh_gpu_look(c->mesh, MESH_GRADIENTS, io->field, 0, 1,
                                     3 * n, 3 * n)
                     : FARSUM_OK;
}

farsum_status mesh_gpu_spread(struct farsum_mesh *m, const void *q, void *grid)
{
    const farsum_mesh_problem *p = &m->problem;
    struct mesh_gpu *g = m->gpu;
    const struct mesh_array q_array = {"strengths", p->q_memory, q,
                                       mesh_value_bytes(m, 1)};
    const struct mesh_array grid_array = {"the mesh", p->grid_memory, grid,
                                          gpu_grid_bytes(m)};
    struct buf strengths, mesh;
    TRY(mesh_gpu_array(m->device, &grid_array, 0, &g->grid, &mesh));
    strengths = mesh; /* without points nothing is read */
    if (m->points.n > 0)
        TRY(mesh_gpu_array(m->device, &q_array, 1, &g->q, &strengths));
    const struct spread_io io = {.q = &strengths, .mesh = &mesh};
    struct call call = {m, &io};
    TRY(graph_run(&g->recording[MESH_SPREAD], m->device, gpu_spread, &call));
    g->looked |= p->grid_memory == FARSUM_DEVICE;
    if (p->grid_memory == FARSUM_DEVICE)
        return FARSUM_OK;
    TRY(mesh_gpu_check(m));
    gpu_seconds(m);
    return buf_download(&mesh, 0, grid, gpu_grid_bytes(m));
}

farsum_status mesh_gpu_interp(struct farsum_mesh *m, const void *grid,
                              void *value, void *gradient)
{
    const farsum_mesh_problem *p = &m->problem;
    struct mesh_gpu *g = m->gpu;
    struct buf mesh, potential, field;
    int64_t bytes = mesh_value_bytes(m, 1);
    struct interp_io io = {.mesh = &mesh,
                           .potential = value ? &potential : NULL,
                           .field = gradient ? &field : NULL};
    const struct mesh_array from = {"the mesh", p->grid_memory, grid,
                                    gpu_grid_bytes(m)};
    const struct mesh_array values = {"values", p->value_memory, value, bytes};
    const struct mesh_array gradients = {"gradients", p->value_memory, gradient,
                                         3 * bytes};
    TRY(mesh_gpu_array(m->device, &values, 0, &g->value, &potential));
    TRY(mesh_gpu_array(m->device, &gradients, 0, &g->gradient, &field));
    TRY(mesh_gpu_array(m->device, &from, 1, &g->grid, &mesh));
    struct call call = {m, &io};
    TRY(graph_run(&g->recording[MESH_INTERP], m->device, gpu_interp, &call));
    g->looked |= p->value_memory == FARSUM_DEVICE;
    if (p->value_memory == FARSUM_DEVICE)
        return FARSUM_OK;
    TRY(mesh_gpu_check(m));
    gpu_seconds(m);
    if (value)
        TRY(buf_download(&potential, 0, value, bytes));
    return gradient ? buf_download(&field, 0, gradient, 3 * bytes) : FARSUM_OK;
}
