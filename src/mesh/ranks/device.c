/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: meshes over ranks with a device each.
 *
 * A rank that fails takes part in all exchanges until the ranks agree.  They
 * agree before they wait for a device, which may wait for other ranks. */
#include "mesh/ranks/device.h"

#include "base/mem.h"

static int64_t real_of(const struct farsum_mesh *m)
{
    return m->problem.precision == FARSUM_F32 ? 4 : 8;
}

/* Reals of the values of n points, without channels. */
static int64_t parts_of(const struct farsum_mesh *m)
{
    return m->interp.parts;
}

void mesh_ranks_gpu_destroy(struct mesh_ranks_gpu *g)
{
    if (!g)
        return;
    struct buf *all[] = {
        &g->arrived,  &g->x,       &g->q,           &g->value,
        &g->gradient, &g->given_q, &g->given_value, &g->given_gradient};
    gpu_planes_destroy(g->planes);
    gpu_route_clear(&g->route);
    gpu_ghosts_clear(&g->ghosts);
    points_clear(&g->given);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
    transport_destroy(g->transport);
    mem_free(g);
}

/* What this rank makes without the others. */
static farsum_status gpu_own(struct farsum_mesh *m)
{
    struct mesh_ranks *k = m->ranks;
    struct mesh_ranks_gpu *g = k->gpu;
    farsum_precision type = m->problem.precision;
    int numbers = 3 * (int)parts_of(m);
    TRY(gpu_route_create(&g->route, k->comm, m->device, g->transport, numbers,
                         type));
    TRY(gpu_ghosts_create(&g->ghosts, k->comm, m->device, g->transport, 1,
                          type));
    TRY(points_gpu_create(m->device, &g->given.gpu));
    TRY(mesh_states(m));
    return buf_fill(&m->gpu->grid, 0);
}

farsum_status mesh_ranks_gpu_create(struct farsum_mesh *m,
                                    const struct planes_args *planes,
                                    const char *transport)
{
    struct mesh_ranks *k = m->ranks;
    TRY(comm_agree(k->comm, MEM_NEW(k->gpu, 1)));
    TRY(transport_create(k->comm, m->device, transport, &k->gpu->transport));
    TRY(comm_agree(k->comm, gpu_own(m)));
    return gpu_planes_create(planes, m->device, k->gpu->transport,
                             &k->gpu->planes);
}

/* Memory for own points, and for arrays of a caller on the host. */
static farsum_status points_reserve(struct farsum_mesh *m, int64_t n)
{
    struct mesh_ranks_gpu *g = m->ranks->gpu;
    const farsum_mesh_problem *p = &m->problem;
    int64_t each = p->channels * parts_of(m) * real_of(m);
    int64_t own = g->route.n_own > 0 ? g->route.n_own : 1;
    int64_t given = n > 0 ? n : 1;
    TRY(gpu_buf_grow(&g->x, m->device, 24 * own));
    if (p->uses & FARSUM_MESH_SPREAD) {
        TRY(gpu_buf_grow(&g->q, m->device, own * each));
        if (p->q_memory == FARSUM_HOST)
            TRY(gpu_buf_grow(&g->given_q, m->device, given * each));
    }
    if (p->uses & FARSUM_MESH_VALUE) {
        TRY(gpu_buf_grow(&g->value, m->device, own * each));
        if (p->value_memory == FARSUM_HOST)
            TRY(gpu_buf_grow(&g->given_value, m->device, given * each));
    }
    if (p->uses & FARSUM_MESH_GRADIENT) {
        TRY(gpu_buf_grow(&g->gradient, m->device, 3 * own * each));
        if (p->value_memory == FARSUM_HOST)
            TRY(gpu_buf_grow(&g->given_gradient, m->device, 3 * given * each));
    }
    return FARSUM_OK;
}

/* Own points to the own cell, and to the stages. */
static farsum_status points_place(struct farsum_mesh *m)
{
    struct mesh_ranks_gpu *g = m->ranks->gpu;
    int64_t n = g->route.n_own;
    m->points.n = n;
    if (n == 0)
        return FARSUM_OK;
    TRY(gpu_ghosts_own(&g->ghosts, &m->ranks->domain, n, &g->arrived, &g->x));
    TRY(gpu_points_in_cube(m->points.gpu, n, &g->x, "point"));
    return mesh_set_stages(m);
}

farsum_status mesh_ranks_gpu_points(struct farsum_mesh *m, int64_t n,
                                    const void *x)
{
    struct mesh_ranks *k = m->ranks;
    struct mesh_ranks_gpu *g = k->gpu;
    farsum_status status = FARSUM_OK;
    m->points.n = 0;
    if (n > 0)
        status = mesh_gpu_place(m, &g->given, n, x);
    if (status == FARSUM_OK && n > 0)
        status = mesh_gpu_bad(m, &g->given);
    TRY(comm_agree(k->comm, status));
    TRY(gpu_route_set(&g->route, k->comm, &k->domain,
                      n > 0 ? g->given.gpu : NULL, &g->arrived));
    TRY(comm_agree(k->comm, points_reserve(m, n)));
    KEEP_ON(points_place(m));
    return mesh_ranks_placed(m, n, g->route.n_all, status);
}

/* Brings values of all channels, `each` numbers per point and part, to the
 * owners, or back. */
static farsum_status gpu_travel(struct farsum_mesh *m, struct buf *given,
                                struct buf *own, int each, int back)
{
    struct gpu_route *route = &m->ranks->gpu->route;
    farsum_status status = FARSUM_OK;
    int width = each * (int)parts_of(m);
    for (int c = 0; c < m->problem.channels; c++) {
        const struct gpu_values there = {given, c * m->ranks->n * width, width,
                                         1};
        const struct gpu_values here = {own, c * m->points.n * width, width, 1};
        KEEP_ON(back ? gpu_sends_back(&route->sends, width, &here, NULL, &there)
                     : gpu_sends_there(&route->sends, width, &there, own,
                                       here.first));
    }
    return status;
}

/* Sets the planes of the extended meshes beyond the whole mesh to 0. */
static farsum_status gpu_drop(const struct farsum_mesh *m)
{
    const struct mesh_ranks *k = m->ranks;
    int64_t real = real_of(m), first, count;
    for (int c = 0; c < m->problem.channels; c++)
        for (int end = 0; end < 2; end++) {
            mesh_ranks_beyond(m, end, &first, &count);
            if (count > 0)
                TRY(buf_fill_part(&m->gpu->grid,
                                  (c * k->channel + first * k->plane) * real, 0,
                                  count * k->plane * real));
        }
    return FARSUM_OK;
}

/* Bytes of the caller's planes of all channels. */
static int64_t grid_bytes(const struct farsum_mesh *m)
{
    return m->problem.channels * mesh_ranks_own(m->ranks) * m->ranks->plane
           * real_of(m);
}

/* The caller's mesh as a buffer, if it is on the device. */
static farsum_status grid_given(const struct farsum_mesh *m, const void *grid,
                                struct buf *buf)
{
    const struct mesh_array array = {"the mesh", m->problem.grid_memory, grid,
                                     grid_bytes(m)};
    if (grid_bytes(m) == 0)
        return FARSUM_OK;
    return mesh_gpu_array(m->device, &array, 0, &m->gpu->grid, buf);
}

/* Copies the caller's planes to the extended meshes, or back. */
static farsum_status grid_copy(const struct farsum_mesh *m, char *grid,
                               struct buf *given, int back)
{
    const struct mesh_ranks *k = m->ranks;
    int64_t bytes = grid_bytes(m) / m->problem.channels;
    for (int c = 0; c < m->problem.channels && bytes > 0; c++) {
        struct buf *all = &m->gpu->grid;
        int64_t at = (c * k->channel + mesh_ranks_skip(k)) * real_of(m);
        if (m->problem.grid_memory == FARSUM_HOST)
            TRY(back ? buf_download(all, at, grid + c * bytes, bytes)
                     : buf_upload(all, at, grid + c * bytes, bytes));
        else
            TRY(back ? buf_copy(given, c * bytes, all, at, bytes)
                     : buf_copy(all, at, given, c * bytes, bytes));
    }
    return FARSUM_OK;
}

/* The caller's values as a buffer: its own, or `stage`. */
static farsum_status values_given(const struct farsum_mesh *m,
                                  farsum_memory memory, const char *what,
                                  const void *values, int each, int in,
                                  struct buf *stage, struct buf *buf)
{
    int64_t bytes =
        m->ranks->n * m->problem.channels * parts_of(m) * each * real_of(m);
    const struct mesh_array array = {what, memory, values, bytes};
    *buf = *stage; /* without points nothing is read or written */
    buf->owned = 0;
    return bytes > 0 ? mesh_gpu_array(m->device, &array, in, stage, buf)
                     : FARSUM_OK;
}

/* Searches the own planes for sums that are not finite. */
static farsum_status spread_look(struct farsum_mesh *m)
{
    const struct mesh_ranks *k = m->ranks;
    const farsum_mesh_problem *p = &m->problem;
    int64_t parts = parts_of(m);
    for (int c = 0; c < p->channels; c++)
        TRY(mesh_gpu_look(m, MESH_SUMS, &m->gpu->grid,
                          c * k->channel + mesh_ranks_skip(k),
                          mesh_ranks_own(k) * p->mesh[1], p->ldz * parts,
                          p->mesh[2] * parts));
    m->gpu->looked = 1;
    return FARSUM_OK;
}

/* Spreads own points over the extended meshes. */
static farsum_status spread_own(struct farsum_mesh *m)
{
    const struct spread_io io = {.q = &m->ranks->gpu->q,
                                 .mesh = &m->gpu->grid,
                                 .mesh_channel = m->ranks->channel};
    if (m->points.n == 0)
        return buf_fill(&m->gpu->grid, 0);
    TRY(mesh_spread_run(m, &io));
    return gpu_drop(m);
}

farsum_status mesh_ranks_gpu_spread_run(struct farsum_mesh *m)
{
    farsum_status status = spread_own(m);
    KEEP_ON(gpu_planes_add(m->ranks->gpu->planes, &m->gpu->grid,
                           m->ranks->channel, m->problem.channels));
    return status;
}

farsum_status mesh_ranks_gpu_interp_run(struct farsum_mesh *m,
                                        struct buf *value, struct buf *gradient)
{
    farsum_status status = FARSUM_OK;
    const struct interp_io io = {.mesh = &m->gpu->grid,
                                 .potential = value,
                                 .field = gradient,
                                 .mesh_channel = m->ranks->channel};
    KEEP_ON(gpu_planes_fill(m->ranks->gpu->planes, &m->gpu->grid,
                            m->ranks->channel, m->problem.channels));
    KEEP_ON(gpu_drop(m));
    if (m->points.n > 0)
        KEEP_ON(mesh_interp_run(m, &io));
    return status;
}

farsum_status mesh_ranks_gpu_spread(struct farsum_mesh *m, const void *q,
                                    void *grid)
{
    struct mesh_ranks *k = m->ranks;
    struct mesh_ranks_gpu *g = k->gpu;
    struct buf given = {0}, planes = {0};
    double largest;
    farsum_status status = mesh_ranks_spread_given(m, q, grid, &largest);
    if (status == FARSUM_OK)
        status = values_given(m, m->problem.q_memory, "strengths", q, 1, 1,
                              &g->given_q, &given);
    if (status == FARSUM_OK)
        status = grid_given(m, grid, &planes);
    TRY(mesh_ranks_agree(m, status));
    KEEP_ON(gpu_travel(m, &given, &g->q, 1, 0));
    KEEP_ON(mesh_ranks_gpu_spread_run(m));
    KEEP_ON(spread_look(m));
    TRY(comm_agree(k->comm, status));
    KEEP_ON(grid_copy(m, grid, &planes, 1));
    KEEP_ON(mesh_gpu_finish(m));
    transport_settle(g->transport);
    return comm_agree(k->comm, status);
}

/* An output of an interp. */
struct output {
    const char *what;
    int array; /* for mesh_gpu_look */
    int each;  /* numbers per point and part */
    int wanted;
    char *to; /* the caller's */
    struct buf *own, *stage, given;
};

static farsum_status output_home(struct farsum_mesh *m, struct output *o)
{
    farsum_status status = gpu_travel(m, &o->given, o->own, o->each, 1);
    int64_t n = m->ranks->n * m->problem.channels * parts_of(m) * o->each;
    if (n > 0)
        KEEP_ON(mesh_gpu_look(m, o->array, &o->given, 0, 1, n, n));
    m->gpu->looked = 1;
    return status;
}

static farsum_status output_download(const struct farsum_mesh *m,
                                     const struct output *o)
{
    int64_t n = m->ranks->n * m->problem.channels * parts_of(m) * o->each;
    if (n == 0 || m->problem.value_memory == FARSUM_DEVICE)
        return FARSUM_OK;
    return buf_download(&o->given, 0, o->to, n * real_of(m));
}

farsum_status mesh_ranks_gpu_interp(struct farsum_mesh *m, const void *grid,
                                    void *value, void *gradient)
{
    farsum_status status = FARSUM_OK;
    struct mesh_ranks *k = m->ranks;
    struct mesh_ranks_gpu *g = k->gpu;
    struct buf planes = {0};
    double want[2];
    TRY(mesh_ranks_interp_given(m, grid, value, gradient, want));
    struct output out[] = {{"values",
                            MESH_VALUES,
                            1,
                            want[0] > 0,
                            value,
                            &g->value,
                            &g->given_value,
                            {0}},
                           {"gradients",
                            MESH_GRADIENTS,
                            3,
                            want[1] > 0,
                            gradient,
                            &g->gradient,
                            &g->given_gradient,
                            {0}}};
    if (!out[0].wanted && !out[1].wanted)
        return FARSUM_OK;
    status = grid_given(m, grid, &planes);
    for (int i = 0; i < 2 && status == FARSUM_OK; i++)
        if (out[i].wanted)
            status =
                values_given(m, m->problem.value_memory, out[i].what, out[i].to,
                             out[i].each, 0, out[i].stage, &out[i].given);
    TRY(comm_agree(k->comm, status));
    KEEP_ON(grid_copy(m, (char *)(uintptr_t)grid, &planes, 0));
    KEEP_ON(mesh_ranks_gpu_interp_run(m, out[0].wanted ? out[0].own : NULL,
                                      out[1].wanted ? out[1].own : NULL));
    for (int i = 0; i < 2; i++)
        if (out[i].wanted)
            KEEP_ON(output_home(m, &out[i]));
    TRY(comm_agree(k->comm, status));
    for (int i = 0; i < 2; i++)
        if (out[i].wanted)
            KEEP_ON(output_download(m, &out[i]));
    KEEP_ON(mesh_gpu_finish(m));
    transport_settle(g->transport);
    return comm_agree(k->comm, status);
}
