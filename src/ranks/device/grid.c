/* SPDX-License-Identifier: Apache-2.0 */
/* grid.c: the passes of gpu_grid with an exchange of modes before and after
 * those along axis 0. */
#include "ranks/device/grid.h"

#include "base/mem.h"
#include "stage/device.h"
#include "stage/lattice/gpu_grid.h"

struct gpu_ranks_grid {
    struct transport *transport; /* borrowed */
    int64_t layers;              /* of this rank */
    struct lattice_boxes boxes;  /* of the own layers; stride by run */
    struct grid_state grid;      /* owned */
    int64_t *to, *from;          /* owned, [ranks]: bytes of an exchange */
    struct buf planes;  /* owned: [rank][mesh][layer][place][4] complex */
    struct buf columns; /* owned: [rank][mesh][its layer][place][4] */
    struct buf parts;   /* owned: as in gpu_grid.k */
};

/* Ranks with modes. */
static int grid_takers(const struct grid_cut *cut)
{
    return (int)((cut->half[1] + cut->rows - 1) / cut->rows);
}

static farsum_status grid_parts(struct gpu_ranks_grid *g,
                                const struct ranks_lattice_args *args)
{
    farsum_status status = FARSUM_OK;
    int32_t *part = NULL;
    int64_t planes = args->boxes.root[0];
    GO(MEM_RAW(part, 2 * planes));
    for (int r = 0; r < args->comm->size; r++)
        for (int64_t z = args->begin[r]; z < args->begin[r + 1]; z++) {
            int64_t layers = args->begin[r + 1] - args->begin[r];
            int64_t before = g->grid.cut.meshes * args->begin[r];
            part[2 * z] = (int32_t)(before + z - args->begin[r]);
            part[2 * z + 1] = (int32_t)layers;
        }
    GO(buf_alloc(&g->parts, args->boxes.device, 8 * planes));
    GO(buf_upload(&g->parts, 0, part, 8 * planes));
done:
    mem_free(part);
    return status;
}

/* Bytes of a layer's modes of one rank: four complex numbers per place. */
static int64_t grid_layer(const struct ranks_lattice_args *args,
                          const struct grid_cut *cut)
{
    return cut->meshes * cut->places * 8 * gpu_real(args->boxes.precision);
}

static farsum_status grid_shape(const struct ranks_lattice_args *args,
                                struct grid_cut *cut)
{
    if (!grid_cut(&args->boxes, args->comm->rank, args->comm->size, cut))
        FAIL(ERR_STATE, "gpu_grid: does not support this grid of root boxes");
    return grid_cut_fits(&args->boxes, cut);
}

farsum_status gpu_ranks_grid_sent(const struct ranks_lattice_args *args,
                                  struct lattice_sent *sent)
{
    struct grid_cut cut;
    TRY(grid_shape(args, &cut));
    int rank = args->comm->rank, takes = cut.end > cut.first;
    int64_t layer = grid_layer(args, &cut), all = args->boxes.root[0];
    int64_t layers = args->begin[rank + 1] - args->begin[rank];
    int64_t others = grid_takers(&cut) - takes;
    *sent = (struct lattice_sent){
        .bytes = layer * (layers * others + (takes ? all - layers : 0)),
        .exchanges = 2,
        .planes = layer * layers * grid_takers(&cut),
        .spectrum =
            takes ? layer * (all + (1 + (cut.parts > 1)) * cut.mesh[2]) : 0,
        .rows = (double)(cut.end - cut.first) / (double)cut.half[1]};
    return FARSUM_OK;
}

/* Buffers of what travels. */
static farsum_status grid_bytes(struct gpu_ranks_grid *g,
                                const struct ranks_lattice_args *args)
{
    const struct grid_cut *cut = &g->grid.cut;
    struct device *device = args->boxes.device;
    int64_t layer = grid_layer(args, cut);
    int64_t sent = grid_takers(cut) * g->layers * layer, got = 0;
    TRY(MEM_NEW(g->to, args->comm->size));
    TRY(MEM_NEW(g->from, args->comm->size));
    for (int r = 0; r < args->comm->size; r++) {
        int64_t layers = args->begin[r + 1] - args->begin[r];
        g->to[r] = r < grid_takers(cut) ? g->layers * layer : 0;
        g->from[r] = cut->end > cut->first ? layers * layer : 0;
        got += g->from[r];
    }
    TRY(buf_alloc(&g->planes, device, sent));
    TRY(buf_fill(&g->planes, 0)); /* also between rows and places */
    TRY(buf_alloc(&g->columns, device, got));
    TRY(transport_reserve(g->transport, sent, got));
    return transport_reserve(g->transport, got, sent);
}

static farsum_status grid_own(struct gpu_ranks_grid *g,
                              const struct ranks_lattice_args *args)
{
    const struct boxes_args *a = &args->boxes;
    const int64_t *begin = args->begin, *root = a->root;
    int rank = args->comm->rank;
    g->layers = begin[rank + 1] - begin[rank];
    g->grid.args = *a;
    TRY(grid_shape(args, &g->grid.cut));
    int64_t line = g->layers + 2 * args->halo, plane = root[1] * root[2];
    g->boxes = (struct lattice_boxes){
        .step = g->layers * plane,
        .first = args->halo,
        .box = {root[1] * line, line, 1},
        .root = {(int32_t)root[2], (int32_t)root[1], (int32_t)g->layers},
        .mesh = {(int32_t)root[2], (int32_t)root[1], (int32_t)g->layers}};
    TRY(grid_make(&g->grid, multipole_size(a->p) * g->boxes.step));
    TRY(grid_parts(g, args));
    return grid_bytes(g, args);
}

farsum_status gpu_ranks_grid_create(const struct ranks_lattice_args *args,
                                    struct transport *transport,
                                    struct gpu_ranks_grid **grid)
{
    struct gpu_ranks_grid *g = NULL;
    farsum_status status = MEM_NEW(g, 1);
    if (status == FARSUM_OK) {
        g->transport = transport;
        status = grid_own(g, args);
    }
    status = comm_agree(args->comm, status);
    if (status == FARSUM_OK)
        *grid = g;
    else
        gpu_ranks_grid_destroy(g);
    return status;
}

void gpu_ranks_grid_destroy(struct gpu_ranks_grid *g)
{
    if (!g)
        return;
    grid_clear(&g->grid);
    buf_clear(&g->planes);
    buf_clear(&g->columns);
    buf_clear(&g->parts);
    mem_free(g->to);
    mem_free(g->from);
    mem_free(g);
}

/* The own layers' multipoles to modes in planes, by way of grid.data. */
static farsum_status grid_layers_in(struct gpu_ranks_grid *g,
                                    const struct boxes_io *io)
{
    struct lattice_boxes *b = &g->boxes;
    int64_t blocks =
        lattice_turn_blocks(multipole_size(g->grid.args.p), b->mesh);
    b->stride = io->stride;
    TRY(LAUNCH(&g->grid.turn_in, blocks, ARG_BUF(io->multipole),
               ARG_BUF(&g->grid.data), ARG_STRUCT(*b)));
    return grid_in(&g->grid, &g->grid.data, b->step, g->layers, g->layers,
                   &g->planes);
}

static farsum_status grid_layers_out(struct gpu_ranks_grid *g,
                                     const struct boxes_io *io)
{
    struct lattice_boxes *b = &g->boxes;
    int64_t blocks =
        lattice_turn_blocks(multipole_size(g->grid.args.p), b->root);
    TRY(grid_out(&g->grid, &g->planes, g->layers, g->layers, &g->grid.data,
                 b->step));
    return LAUNCH(&g->grid.turn_out, blocks, ARG_BUF(&g->grid.data),
                  ARG_BUF(io->local), ARG_STRUCT(*b));
}

farsum_status gpu_ranks_grid_run(struct gpu_ranks_grid *g,
                                 const struct boxes_io *io)
{
    farsum_status status = FARSUM_OK;
    const struct grid_cut *cut = &g->grid.cut;
    if (g->layers > 0)
        KEEP_ON(grid_layers_in(g, io));
    KEEP_ON(transport_trade(g->transport, COMM_TRANSFORM, &g->planes, g->to,
                            &g->columns, g->from));
    if (cut->end > cut->first) {
        KEEP_ON(grid_there(&g->grid, &g->columns, &g->parts));
        KEEP_ON(grid_modes(&g->grid));
        KEEP_ON(grid_back(&g->grid, &g->columns, &g->parts));
    }
    KEEP_ON(transport_trade(g->transport, COMM_TRANSFORM, &g->columns, g->from,
                            &g->planes, g->to));
    if (g->layers > 0)
        KEEP_ON(grid_layers_out(g, io));
    return status;
}
