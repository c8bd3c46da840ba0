/* SPDX-License-Identifier: Apache-2.0 */
/* lattice.c: (10.23) with a transform that is cut among the ranks (slab.h).
 *
 * Each coefficient is a mesh [x][y][z] of root boxes, cut along x.  Along open
 * axes the mesh is longer than the boxes; no rank has the planes that it has
 * more, and rows and ends of rows are zeros.  A rank multiplies its rows y of
 * the spectrum (lattice_rows.h). */
#include "ranks/lattice.h"

#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "ranks/lattice_rows.h"
#include "ranks/slab.h"
#include "stage/lattice/fft_modes.h"

/* Bytes that a rank sends in one exchange, if there are as many: then its time
 * is that of the bytes, not of the messages. */
static const int64_t exchange = 4 << 20;

struct ranks_lattice {
    struct ranks_lattice_args args;
    int64_t layers; /* of this rank */
    int64_t size;   /* (p + 1)^2 */
    size_t real;
    int64_t mesh[3], ldz; /* reals per row of the mesh */
    struct lattice_rows rows; /* owned: of the spectrum */
    int batch;            /* coefficients in one exchange */
    int64_t mesh_channel, spectrum_channel; /* reals per coefficient */
    char *planes;   /* owned: [batch][layers][mesh[1]][ldz] */
    char *spectrum; /* owned: [size][rows][mesh[0]][ldz] */
    struct slab *slab;
    struct lattice_modes *modes;
};

static struct slab_args lattice_cut(const struct ranks_lattice *l)
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

static farsum_status lattice_modes(struct ranks_lattice *l)
{
    const struct lattice_modes_args args = {
        .boxes = l->args.boxes,
        .mesh = {l->mesh[0], l->mesh[1], l->mesh[2]},
        .half = 2,
        .first = l->rows.first,
        .end = l->rows.end,
        .rows = l->rows.rows,
        .turn = l->rows.turn,
        .channel = l->spectrum_channel,
        .step = {l->ldz, l->mesh[0] * l->ldz, 2}};
    return lattice_modes_create(&args, &l->modes);
}

static farsum_status lattice_shape(struct ranks_lattice *l)
{
    const struct boxes_args *boxes = &l->args.boxes;
    int axes = boxes->periodic[0] + boxes->periodic[1] + boxes->periodic[2];
    int64_t most = 1;
    if (axes == 1 || axes == 2)
        FAIL(ERR_UNSUPPORTED, "%d periodic axes; use three or none", axes);
    TRY(boxes_host_fits(boxes));
    lattice_mesh(boxes, l->mesh);
    l->ldz = 2 * (l->mesh[2] / 2 + 1);
    l->size = multipole_size(boxes->p);
    l->real = (size_t)boxes_real(boxes);
    for (int r = 0; r < l->args.comm->size; r++) {
        int64_t layers = l->args.begin[r + 1] - l->args.begin[r];
        most = layers > most ? layers : most;
        l->layers = r == l->args.comm->rank ? layers : l->layers;
    }
    int64_t channel = most * l->mesh[1] * l->ldz * (int64_t)l->real;
    int64_t batch = exchange / channel;
    l->batch = (int)(batch < 1 ? 1 : batch < l->size ? batch : l->size);
    return FARSUM_OK;
}

static farsum_status lattice_arrays(struct ranks_lattice *l)
{
    int64_t plane = l->mesh[1] * l->ldz;
    TRY(lattice_rows_create(&l->rows, l->mesh[1], l->args.comm->rank,
                            l->args.comm->size));
    l->mesh_channel = l->layers * plane;
    l->spectrum_channel = l->rows.rows * l->mesh[0] * l->ldz;
    TRY(mem_alloc((void **)&l->planes, l->batch * l->mesh_channel, l->real, 0));
    return mem_alloc((void **)&l->spectrum, l->size * l->spectrum_channel,
                     l->real, 0);
}

farsum_status ranks_lattice_sent(const struct ranks_lattice_args *args,
                                 struct lattice_sent *sent)
{
    struct ranks_lattice l = {.args = *args};
    const struct comm *comm = args->comm;
    TRY(lattice_shape(&l));
    TRY(lattice_rows_create(&l.rows, l.mesh[1], comm->rank, comm->size));
    const struct slab_args slab = lattice_cut(&l);
    int64_t row = l.ldz * (int64_t)l.real, both[2], columns;
    slab_sent(&slab, both, &columns);
    *sent = (struct lattice_sent){
        .bytes = l.size * (both[0] + both[1]),
        .exchanges = 2 * ((l.size + l.batch - 1) / l.batch),
        .planes = l.batch * l.layers * l.mesh[1] * row,
        .spectrum = l.size * l.rows.rows * l.mesh[0] * row,
        .rows = (double)l.rows.rows / (double)l.mesh[1]};
    lattice_rows_clear(&l.rows);
    return FARSUM_OK;
}

farsum_status ranks_lattice_create(const struct ranks_lattice_args *args,
                                   struct ranks_lattice **lattice)
{
    farsum_status status = FARSUM_OK;
    struct ranks_lattice *l = NULL;
    GO(MEM_NEW(l, 1));
    l->args = *args;
    l->args.boxes.threads = args->boxes.threads > 1 ? args->boxes.threads : 1;
    GO(lattice_shape(l));
    GO(lattice_arrays(l));
    GO(lattice_modes(l));
done:
    status = comm_agree(args->comm, status);
    if (status == FARSUM_OK) {
        const struct slab_args slab = lattice_cut(l);
        status = slab_create(&slab, &l->slab);
    }
    if (status != FARSUM_OK) {
        ranks_lattice_destroy(l);
        return status;
    }
    l->args.begin = NULL;
    *lattice = l;
    return FARSUM_OK;
}

void ranks_lattice_destroy(struct ranks_lattice *l)
{
    if (!l)
        return;
    slab_destroy(l->slab);
    lattice_modes_destroy(l->modes);
    lattice_rows_clear(&l->rows);
    mem_free(l->planes);
    mem_free(l->spectrum);
    mem_free(l);
}

/* Copies n reals; steps are in reals. */
static inline void copy_reals(char *to, int64_t to_step, const char *from,
                              int64_t from_step, int64_t n, size_t real)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(to + (size_t)(i * to_step) * real,
               from + (size_t)(i * from_step) * real, real);
}

/* Copies the own layers of n coefficients from k on between the boxes and the
 * planes.  Ends of rows and other rows become 0. */
static void lattice_copy(const struct ranks_lattice *l,
                         const struct boxes_io *io, int64_t k, int n, int back)
{
    const int64_t *root = l->args.boxes.root, *mesh = l->mesh;
    int64_t line = l->layers + 2 * l->args.halo, step = root[1] * line;
    int64_t rows = n * l->layers * mesh[1];
    PAR_FOR(l->args.boxes.threads, schedule(static))
    for (int64_t i = 0; i < rows; i++) {
        int64_t y = i % mesh[1], x = i / mesh[1] % l->layers;
        int64_t used = y < root[1] ? root[2] : 0;
        char *row = l->planes + (size_t)(i * l->ldz) * l->real;
        char *boxes = (char *)(back ? io->local : io->multipole)
                      + (size_t)((k + i / mesh[1] / l->layers) * io->stride
                                 + y * line + l->args.halo + x)
                            * l->real;
        char *to = back ? boxes : row;
        const char *from = back ? row : boxes;
        int64_t to_step = back ? step : 1, from_step = back ? 1 : step;
        if (l->real == sizeof(float))
            copy_reals(to, to_step, from, from_step, used, sizeof(float));
        else
            copy_reals(to, to_step, from, from_step, used, sizeof(double));
        if (!back)
            memset(row + (size_t)used * l->real, 0,
                   (size_t)(l->ldz - used) * l->real);
    }
}

/* The coefficients from k on that are in one exchange. */
static struct slab_io lattice_io(const struct ranks_lattice *l, int64_t k)
{
    return (struct slab_io){
        .mesh = l->planes,
        .mesh_channel = l->mesh_channel,
        .spectrum = l->spectrum + (size_t)(k * l->spectrum_channel) * l->real,
        .spectrum_channel = l->spectrum_channel,
        .channels = (int)(l->size - k < l->batch ? l->size - k : l->batch)};
}

farsum_status ranks_lattice_run(struct ranks_lattice *l,
                                const struct boxes_io *io)
{
    farsum_status status = FARSUM_OK;
    for (int64_t k = 0; k < l->size; k += l->batch) {
        const struct slab_io part = lattice_io(l, k);
        lattice_copy(l, io, k, part.channels, 0);
        KEEP_ON(slab_forward(l->slab, &part));
    }
    lattice_modes_run(l->modes, l->spectrum);
    for (int64_t k = 0; k < l->size; k += l->batch) {
        const struct slab_io part = lattice_io(l, k);
        KEEP_ON(slab_backward(l->slab, &part));
        lattice_copy(l, io, k, part.channels, 1);
    }
    return status;
}
