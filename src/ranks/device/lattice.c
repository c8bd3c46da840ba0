/* SPDX-License-Identifier: Apache-2.0 */
/* lattice.c: (10.23) with a transform that is cut among ranks with devices, as
 * ranks/lattice.c.  The spectrum consists of lines along x, one for each row y
 * and mode z. */
#include "ranks/device/lattice.h"

#include "base/mem.h"
#include "ranks/device/grid.h"
#include "ranks/device/slab.h"
#include "ranks/lattice_rows.h"
#include "stage/device.h"
#include "stage/lattice/gpu_modes.h"

/* Bytes of all coefficients that travel together.  Then few exchanges and
 * launches suffice. */
static const int64_t together = 256 << 20;

struct gpu_ranks_lattice {
    struct ranks_lattice_args args;
    struct gpu_ranks_grid *grid; /* owned; if set, nothing else is */
    int64_t layers;           /* of this rank */
    int size, batch;          /* (p + 1)^2; coefficients per exchange */
    int64_t mesh[3], ldz;     /* reals per row of the mesh */
    struct lattice_rows rows; /* owned: of the spectrum */
    struct gpu_slab *slab;
    struct gpu_modes modes;                 /* owned */
    int64_t mesh_channel, spectrum_channel; /* reals per coefficient */
    struct buf planes;   /* owned: [size][layers][mesh[1]][ldz] */
    struct buf spectrum; /* owned: complex [size][lines][mesh[0]] */
    struct buf products; /* owned: the same, only if products must not
                               replace their data */
};

static farsum_status lattice_shape(struct gpu_ranks_lattice *l)
{
    const struct boxes_args *boxes = &l->args.boxes;
    const struct comm *comm = l->args.comm;
    const int64_t *begin = l->args.begin;
    int64_t most = 0;
    int axes = boxes->periodic[0] + boxes->periodic[1] + boxes->periodic[2];
    if (axes == 1 || axes == 2)
        FAIL(ERR_UNSUPPORTED, "%d periodic axes; use three or none", axes);
    TRY(boxes_gpu_fits(boxes, MULTIPOLE_MOST));
    gpu_modes_mesh(boxes, l->mesh);
    l->ldz = 2 * (l->mesh[2] / 2 + 1);
    l->size = multipole_size(boxes->p);
    l->layers = begin[comm->rank + 1] - begin[comm->rank];
    l->mesh_channel = l->layers * l->mesh[1] * l->ldz;
    if (l->mesh_channel > INT32_MAX)
        FAIL(ERR_UNSUPPORTED, "%lld layers of %lld x %lld points are too large",
             (long long)l->layers, (long long)l->mesh[1], (long long)l->ldz);
    for (int r = 0; r < comm->size; r++)
        most = begin[r + 1] - begin[r] > most ? begin[r + 1] - begin[r] : most;
    int64_t bytes = most * l->mesh[1] * l->ldz * gpu_real(boxes->precision);
    l->batch = bytes * l->size <= together ? l->size : boxes->p + 1;
    return lattice_rows_create(&l->rows, l->mesh[1], comm->rank, comm->size);
}

static struct slab_args lattice_cut(const struct gpu_ranks_lattice *l)
{
    return (struct slab_args){.comm = l->args.comm,
                              .begin0 = l->args.begin,
                              .begin1 = l->rows.begin,
                              .order = l->rows.order,
                              .mesh = {l->mesh[0], l->mesh[1], l->mesh[2]},
                              .ldz = l->ldz,
                              .precision = l->args.boxes.precision,
                              .threads = l->args.boxes.threads,
                              .batch = l->batch};
}

static farsum_status lattice_modes(struct gpu_ranks_lattice *l)
{
    int64_t line = 2 * l->mesh[0];
    const struct lattice_modes_args args = {
        .boxes = l->args.boxes,
        .mesh = {l->mesh[0], l->mesh[1], l->mesh[2]},
        .half = 2,
        .first = l->rows.first,
        .end = l->rows.end,
        .rows = l->rows.rows,
        .turn = l->rows.turn,
        .channel = l->spectrum_channel,
        .step = {2, l->ldz / 2 * line, line}};
    return gpu_modes_create(&args, &l->modes);
}

static farsum_status lattice_memory(struct gpu_ranks_lattice *l)
{
    const struct boxes_args *boxes = &l->args.boxes;
    struct device *device = boxes->device;
    int64_t real = gpu_real(boxes->precision);
    int64_t spectrum = l->size * l->spectrum_channel * real;
    TRY(buf_alloc(&l->planes, device, l->size * l->mesh_channel * real));
    TRY(buf_alloc(&l->spectrum, device, spectrum));
    if (gpu_modes_apart(boxes))
        TRY(buf_alloc(&l->products, device, spectrum));
    return FARSUM_OK;
}

farsum_status gpu_ranks_lattice_sent(const struct ranks_lattice_args *args,
                                     struct lattice_sent *sent)
{
    if (args->grid)
        return gpu_ranks_grid_sent(args, sent);
    struct gpu_ranks_lattice l = {.args = *args};
    farsum_status status = lattice_shape(&l);
    if (status == FARSUM_OK) {
        const struct slab_args slab = lattice_cut(&l);
        int64_t real = gpu_real(args->boxes.precision), both[2], columns;
        slab_sent(&slab, both, &columns);
        *sent = (struct lattice_sent){
            .bytes = l.size * (both[0] + both[1]),
            .exchanges = 2 * ((l.size + l.batch - 1) / l.batch),
            .planes = l.size * l.mesh_channel * real,
            .spectrum = l.size * l.rows.rows * l.mesh[0] * l.ldz * real,
            .rows = (double)l.rows.rows / (double)l.mesh[1]};
    }
    lattice_rows_clear(&l.rows);
    return status;
}

static farsum_status lattice_fft(struct gpu_ranks_lattice *l,
                                 struct transport *transport)
{
    farsum_status status = FARSUM_OK;
    const struct ranks_lattice_args *args = &l->args;
    l->args.boxes.threads = args->boxes.threads > 1 ? args->boxes.threads : 1;
    GO(lattice_shape(l));
    const struct slab_args cut = lattice_cut(l);
    l->spectrum_channel =
        2 * l->mesh[0] * gpu_slab_lines(&cut, args->comm->rank);
    GO(lattice_modes(l));
    GO(lattice_memory(l));
done:
    status = comm_agree(args->comm, status);
    if (status == FARSUM_OK) {
        const struct gpu_slab_args slab = {.slab = lattice_cut(l),
                                           .device = args->boxes.device,
                                           .transport = transport,
                                           .channels = l->size};
        status = gpu_slab_create(&slab, &l->slab);
    }
    return status;
}

farsum_status gpu_ranks_lattice_create(const struct ranks_lattice_args *args,
                                       struct transport *transport,
                                       struct gpu_ranks_lattice **lattice)
{
    struct gpu_ranks_lattice *l = NULL;
    farsum_status status = comm_agree(args->comm, MEM_NEW(l, 1));
    if (status == FARSUM_OK) {
        l->args = *args;
        status = args->grid ? gpu_ranks_grid_create(args, transport, &l->grid)
                            : lattice_fft(l, transport);
        l->args.begin = NULL;
    }
    if (status == FARSUM_OK)
        *lattice = l;
    else
        gpu_ranks_lattice_destroy(l);
    return status;
}

void gpu_ranks_lattice_destroy(struct gpu_ranks_lattice *l)
{
    if (!l)
        return;
    gpu_ranks_grid_destroy(l->grid);
    gpu_slab_destroy(l->slab);
    gpu_modes_clear(&l->modes);
    lattice_rows_clear(&l->rows);
    buf_clear(&l->planes);
    buf_clear(&l->spectrum);
    buf_clear(&l->products);
    mem_free(l);
}

/* The rank's layers as planes x of rows y. */
static struct lattice_boxes own_boxes(const struct gpu_ranks_lattice *l,
                                      int64_t stride)
{
    const int64_t *root = l->args.boxes.root;
    int64_t line = l->layers + 2 * l->args.halo;
    return (struct lattice_boxes){
        .stride = stride,
        .step = l->mesh_channel,
        .first = l->args.halo,
        .box = {root[1] * line, line, 1},
        .root = {(int32_t)root[2], (int32_t)root[1], (int32_t)l->layers},
        .mesh = {(int32_t)l->ldz, (int32_t)l->mesh[1], (int32_t)l->layers}};
}

farsum_status gpu_ranks_lattice_run(struct gpu_ranks_lattice *l,
                                    const struct boxes_io *io)
{
    farsum_status status = FARSUM_OK;
    if (l->grid)
        return gpu_ranks_grid_run(l->grid, io);
    struct buf *back = l->products.device ? &l->products : &l->spectrum;
    struct gpu_slab_io slab = {&l->planes, l->mesh_channel, &l->spectrum,
                               l->spectrum_channel, l->size};
    struct lattice_boxes boxes = {0};
    if (l->layers > 0) {
        boxes = own_boxes(l, io->stride);
        KEEP_ON(gpu_modes_in(&l->modes, &boxes, io->multipole, &l->planes));
    }
    KEEP_ON(gpu_slab_forward(l->slab, &slab));
    KEEP_ON(gpu_modes_run(&l->modes, &l->spectrum, back));
    slab.spectrum = back;
    KEEP_ON(gpu_slab_backward(l->slab, &slab));
    if (l->layers > 0)
        KEEP_ON(gpu_modes_out(&l->modes, &boxes, &l->planes, io->local));
    return status;
}
