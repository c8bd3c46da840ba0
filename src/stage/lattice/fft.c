/* SPDX-License-Identifier: Apache-2.0 */
/* fft: the convolution over root boxes by transforms of the grid of boxes.
 * Each coefficient of the expansions is a mesh, and each mode is multiplied by
 * the transform of the field, (10.23).  With as many root boxes as leaves it
 * computes the whole far field in one level, and replaces m2m, m2l and l2l (Ong
 * et al. 2003).  Wins from some hundred root boxes. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "stage/fft/fft.h"
#include "stage/lattice/fft_modes.h"

struct state {
    struct boxes_args args;
    int64_t mesh[3]; /* of the grid, x y z; larger than the roots along open
                        axes */
    int64_t ldx;     /* reals per row of the meshes */
    int size;        /* (p + 1)^2 */
    size_t real;
    void *data; /* owned: [size][mesh z][mesh y][ldx] */
    struct lattice_modes *modes;
    struct choice fft;
    void *fft_state; /* owned */
};

static int64_t lattice_points(const int64_t mesh[3])
{
    return mesh[2] * mesh[1] * 2 * (mesh[0] / 2 + 1);
}

static struct fft_args lattice_fft_args(const struct boxes_args *a)
{
    struct fft_args fft = {.precision = a->precision, .threads = a->threads};
    int64_t mesh[3];
    lattice_mesh(a, mesh);
    for (int c = 0; c < 3; c++)
        fft.mesh[c] = mesh[2 - c];
    fft.ldz = 2 * (mesh[0] / 2 + 1);
    fft.batch[0] = fft.batch[1] = multipole_size(a->p);
    return fft;
}

static struct lattice_modes_args lattice_args(const struct boxes_args *a)
{
    struct lattice_modes_args args = {.boxes = *a};
    lattice_mesh(a, args.mesh);
    const int64_t *mesh = args.mesh;
    args.boxes.threads = a->threads > 1 ? a->threads : 1;
    args.end = mesh[1] / 2 + 1;
    args.rows = args.turn = mesh[1];
    args.channel = lattice_points(mesh);
    args.step[0] = 2;
    args.step[1] = 2 * (mesh[0] / 2 + 1);
    args.step[2] = args.step[1] * mesh[1];
    return args;
}

static farsum_status fft_fits(const void *args)
{
    const struct boxes_args *a = args;
    int64_t mesh[3];
    lattice_mesh(a, mesh);
    for (int c = 0; c < 3; c++)
        if ((boxes_axes(a) % 3 == 0 ? a->root[c] : mesh[c]) < 2)
            FAIL(ERR_UNSUPPORTED,
                 "one root box along axis %d; the variant needs at least two",
                 c);
    return boxes_host_fits(args);
}

/* Seconds of an operator's element times eight columns, as measured. */
static double fft_cost_of(const void *args)
{
    const struct boxes_args *a = args;
    struct fft_args fft = lattice_fft_args(a);
    int64_t mesh[3];
    double size = multipole_size(a->p);
    lattice_mesh(a, mesh);
    if (!boxes_roots_far(a))
        return 1e-5;
    return 2 * size * fft_cost(&fft, 2.5e9)
           + 1.3e-9
                 * (double)((mesh[2] / 2 + 1) * (mesh[1] / 2 + 1)
                            * (mesh[0] / 2 + 1))
                 * size * size / pow(a->threads > 0 ? a->threads : 1, 0.9);
}

static int64_t fft_bytes(const void *args)
{
    const struct boxes_args *a = args;
    const struct lattice_modes_args modes = lattice_args(a);
    return boxes_real(a) * multipole_size(a->p) * modes.channel
           + lattice_modes_bytes(&modes);
}

static void fft_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    if (s->fft_state)
        s->fft.row->variant->destroy(s->fft_state);
    lattice_modes_destroy(s->modes);
    mem_free(s->data);
    mem_free(s);
}

static farsum_status fft_create(const void *args, void **state)
{
    const struct boxes_args *a = args;
    farsum_status status = FARSUM_OK;
    const struct lattice_modes_args modes = lattice_args(a);
    struct fft_args fft = lattice_fft_args(a);
    const struct choose_options any = {0};
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = modes.boxes;
    s->size = multipole_size(a->p);
    s->real = (size_t)boxes_real(a);
    memcpy(s->mesh, modes.mesh, sizeof s->mesh);
    s->ldx = fft.ldz;
    GO(mem_alloc(&s->data, s->size * modes.channel, s->real, 0));
    GO(lattice_modes_create(&modes, &s->modes));
    GO(choose(&fft_stage, &fft, &any, &s->fft));
    GO(s->fft.row->variant->create(&fft, &s->fft_state));
    *state = s;
    s = NULL;
done:
    fft_destroy(s);
    return status;
}

/* Copies between the boxes of level 0, x fastest, and one of their meshes. */
static void fft_copy(const struct state *s, const struct boxes_io *io,
                     int back)
{
    const int64_t *root = s->args.root, *mesh = s->mesh;
    size_t bytes = (size_t)root[0] * s->real, all = (size_t)s->ldx * s->real;
    char *array = back ? io->local : io->multipole;
    PAR_FOR(s->args.threads)
    for (int64_t k = 0; k < s->size; k++)
        for (int64_t z = 0; z < mesh[2]; z++)
            for (int64_t y = 0; y < mesh[1]; y++) {
                char *row = (char *)s->data
                            + (size_t)((k * mesh[2] + z) * mesh[1] + y) * all;
                if (z >= root[2] || y >= root[1]) {
                    memset(row, 0, back ? 0 : all);
                    continue;
                }
                char *box = array
                            + (size_t)(k * io->stride
                                       + (z * root[1] + y) * root[0])
                                  * s->real;
                if (back) {
                    memcpy(box, row, bytes);
                } else {
                    memset(row, 0, all);
                    memcpy(row, box, bytes);
                }
            }
}

/* The same for a sparse tree: boxes are found in the grid; missing ones are
 * zeros. */
static void fft_copy_sparse(const struct state *s, const struct boxes_io *io,
                            int back)
{
    const int64_t *mesh = s->mesh;
    const size_t all = (size_t)(mesh[2] * mesh[1] * s->ldx) * s->real;
    char *array = back ? io->local : io->multipole;
    PAR_FOR(s->args.threads)
    for (int64_t k = 0; k < s->size; k++) {
        char *grid = (char *)s->data + (size_t)k * all;
        if (!back)
            memset(grid, 0, all);
        for (int64_t b = 0; b < tree_boxes(io->tree, 0); b++) {
            int64_t at[3];
            tree_place(io->tree, 0, b, at);
            char *cell = grid
                         + (size_t)((at[2] * mesh[1] + at[1]) * s->ldx + at[0])
                               * s->real;
            char *box = array + (size_t)(k * io->stride + b) * s->real;
            memcpy(back ? box : cell, back ? cell : box, s->real);
        }
    }
}

static farsum_status fft_run(void *state, const void *data)
{
    struct state *s = state;
    const struct variant *fft = s->fft.row->variant;
    struct fft_io io = {.data = s->data};
    void (*copy)(const struct state *, const struct boxes_io *, int) =
        s->args.dense ? fft_copy : fft_copy_sparse;
    copy(s, data, 0);
    TRY(fft->run(s->fft_state, &io));
    lattice_modes_run(s->modes, s->data);
    io.backward = 1;
    TRY(fft->run(s->fft_state, &io));
    copy(s, data, 1);
    return FARSUM_OK;
}

const struct variant lattice_fft = {
    .fits = fft_fits,
    .cost = fft_cost_of,
    .bytes = fft_bytes,
    .create = fft_create,
    .run = fft_run,
    .destroy = fft_destroy,
    .deterministic = 1,
    .needs = "",
};
