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
#include "stage/lattice/fft_kern.h"
#include "stage/lattice/fft_symbol.h"

ISA_TABLE(struct lattice_kern, lattice_fft)

struct state {
    struct boxes_args args;
    int64_t mesh[3];    /* of the grid, x y z; larger than the roots along open
                           axes */
    int64_t ldx;        /* reals per row of the meshes */
    int size, field;    /* (p + 1)^2, (2p + 1)^2 */
    size_t real;
    const struct lattice_kern *kern;
    struct lattice_terms terms;
    int32_t *at;        /* owned */
    void *f;            /* owned */
    void *symbol;       /* owned: see fft_symbol.h */
    void *data;         /* owned: [size][mesh z][mesh y][ldx] */
    void *row;          /* owned: [threads][2][mode x][size][COLUMNS] */
    double *sign[3];    /* owned, [size]: -1: a mirror of the axis changes the
                           sign */
    int *odd;           /* owned, [size]: 1: the degree is odd */
    struct choice fft;
    void *fft_state;    /* owned */
};

static void lattice_mesh(const struct boxes_args *a, int64_t mesh[3])
{
    for (int c = 0; c < 3; c++)
        mesh[c] = a->periodic[0] ? a->root[c]
                                 : fft_good_size(2 * a->root[c] - 1);
}

static int64_t lattice_points(const int64_t mesh[3])
{
    return mesh[2] * mesh[1] * 2 * (mesh[0] / 2 + 1);
}

static int64_t lattice_modes(const int64_t mesh[3])
{
    return (mesh[2] / 2 + 1) * (mesh[1] / 2 + 1) * (mesh[0] / 2 + 1);
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

static farsum_status fft_fits(const void *args)
{
    const struct boxes_args *a = args;
    int axes = a->periodic[0] + a->periodic[1] + a->periodic[2];
    if (axes == 1 || axes == 2)
        FAIL(ERR_UNSUPPORTED, "%d periodic axes; use three or none", axes);
    for (int c = 0; c < 3; c++)
        if (a->root[c] < 2)
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
           + 1.3e-9 * (double)lattice_modes(mesh) * size * size
                 / pow(a->threads > 0 ? a->threads : 1, 0.9);
}

/* Includes the temporary memory of the symbol. */
static int64_t fft_bytes(const void *args)
{
    const struct boxes_args *a = args;
    int64_t mesh[3], size = multipole_size(a->p);
    int64_t real = boxes_real(a);
    lattice_mesh(a, mesh);
    return real
               * (lattice_modes(mesh) * multipole_size(2 * a->p)
                  + size * lattice_points(mesh)
                  + 2 * a->threads * (mesh[0] / 2 + 1) * size
                        * LATTICE_COLUMNS)
           + size * size * (8 + 2 * real) + lattice_symbol_bytes(a, mesh);
}

static void fft_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    if (s->fft_state)
        s->fft.row->variant->destroy(s->fft_state);
    mem_free(s->at);
    mem_free(s->f);
    mem_free(s->symbol);
    mem_free(s->data);
    mem_free(s->row);
    for (int c = 0; c < 3; c++)
        mem_free(s->sign[c]);
    mem_free(s->odd);
    mem_free(s);
}

/* Odd degrees carry a factor i, so that all else is real: L_n of odd n and M_k
 * of odd k.  Where both are odd a sign remains. */
static farsum_status fft_terms(struct state *s)
{
    farsum_status status = FARSUM_OK;
    int64_t n = (int64_t)s->size * s->size;
    double *f = NULL;
    GO(MEM_RAW(s->at, 2 * n));
    GO(MEM_RAW(f, 2 * n));
    GO(mem_alloc(&s->f, 2 * n, s->real, 0));
    multipole_m2l_terms(s->args.p, s->at, f);
    for (int64_t i = 0; i < 2 * n; i++) {
        int64_t row = i / 2 / s->size, column = i / 2 % s->size;
        double v = s->odd[row] && s->odd[column] ? -f[i] : f[i];
        boxes_set(&s->args, s->f, i, v);
    }
    s->terms = (struct lattice_terms){s->size, s->at, s->f};
done:
    mem_free(f);
    return status;
}

static farsum_status fft_signs(struct state *s)
{
    TRY(MEM_RAW(s->odd, s->size));
    for (int c = 0; c < 3; c++)
        TRY(MEM_RAW(s->sign[c], s->size));
    for (int n = 0; n <= s->args.p; n++)
        for (int m = -n; m <= n; m++) {
            s->odd[multipole_at(n, m)] = n & 1;
            for (int c = 0; c < 3; c++)
                s->sign[c][multipole_at(n, m)] =
                    lattice_odd(n, m, c) ? -1 : 1;
        }
    return FARSUM_OK;
}

static farsum_status fft_create(const void *args, void **state)
{
    const struct boxes_args *a = args;
    farsum_status status = FARSUM_OK;
    struct fft_args fft = lattice_fft_args(a);
    const struct choose_options any = {0};
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *a;
    s->args.threads = a->threads > 1 ? a->threads : 1;
    s->size = multipole_size(a->p);
    s->field = multipole_size(2 * a->p);
    s->real = (size_t)boxes_real(a);
    s->kern = isa_lattice_fft[a->isa][a->precision == FARSUM_F32];
    lattice_mesh(a, s->mesh);
    s->ldx = fft.ldz;
    GO(fft_signs(s));
    GO(fft_terms(s));
    GO(mem_alloc(&s->symbol, lattice_modes(s->mesh) * s->field, s->real, 0));
    GO(mem_alloc(&s->data, s->size * lattice_points(s->mesh), s->real, 0));
    GO(mem_alloc(&s->row,
                 2 * s->args.threads * (s->mesh[0] / 2 + 1) * s->size
                     * LATTICE_COLUMNS,
                 s->real, 0));
    double points = (double)s->mesh[0] * (double)s->mesh[1]
                    * (double)s->mesh[2];
    GO(lattice_symbol(&s->args, s->mesh, 1 / points, s->symbol));
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

/* Copies columns of the modes (+-y, +-z) of a row between the meshes and [mode
 * x][size][COLUMNS], with mirrors' signs, and i for odd degrees. */
static void fft_row(const struct state *s, int64_t y, int64_t z, void *row,
                    int back)
{
    const int64_t *mesh = s->mesh;
    for (int mirror = 0; mirror < 4; mirror++) {
        int64_t at_y = mirror & 1 ? (mesh[1] - y) % mesh[1] : y;
        int64_t at_z = mirror & 2 ? (mesh[2] - z) % mesh[2] : z;
        for (int64_t k = 0; k < s->size; k++) {
            double sign = (mirror & 1 ? s->sign[1][k] : 1)
                          * (mirror & 2 ? s->sign[2][k] : 1);
            int64_t from = ((k * mesh[2] + at_z) * mesh[1] + at_y) * s->ldx;
            for (int64_t x = 0; x <= mesh[0] / 2; x++, from += 2) {
                int64_t to = (x * s->size + k) * LATTICE_COLUMNS + 2 * mirror;
                const void *in = back ? row : s->data;
                void *out = back ? s->data : row;
                int64_t i = back ? to : from, o = back ? from : to;
                double re = sign * boxes_number(&s->args, in, i);
                double im = sign * boxes_number(&s->args, in, i + 1);
                boxes_set(&s->args, out, o, s->odd[k] ? -im : re);
                boxes_set(&s->args, out, o + 1, s->odd[k] ? re : im);
            }
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

static void fft_modes(const struct state *s)
{
    int64_t modes_x = s->mesh[0] / 2 + 1, modes_y = s->mesh[1] / 2 + 1;
    int64_t rows = modes_y * (s->mesh[2] / 2 + 1), id = 0;
    int64_t step = modes_x * s->size * LATTICE_COLUMNS;
    size_t mode = (size_t)s->size * LATTICE_COLUMNS * s->real;
    PAR_TEAM(s->args.threads)
    {
        int64_t me;
#pragma omp atomic capture
        me = id++;
        char *in = (char *)s->row + (size_t)(2 * me * step) * s->real;
        char *out = in + (size_t)step * s->real;
#pragma omp for schedule(dynamic)
        for (int64_t r = 0; r < rows; r++) {
            int64_t y = r % modes_y, z = r / modes_y;
            fft_row(s, y, z, in, 0);
            for (int64_t x = 0; x < modes_x; x++)
                s->kern->mode(&s->terms,
                              (char *)s->symbol
                                  + (size_t)((r * modes_x + x) * s->field)
                                        * s->real,
                              in + (size_t)x * mode, out + (size_t)x * mode);
            fft_row(s, y, z, out, 1);
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
    fft_modes(s);
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
