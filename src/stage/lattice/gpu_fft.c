/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_fft: fft on a device: the convolution over root boxes by transforms of
 * their grid.  With as many root boxes as leaves it computes the whole far
 * field. */
#include <math.h>

#include "base/mem.h"
#include "stage/expansions/device.h"
#include "stage/fft/fft.h"
#include "stage/device.h"
#include "cost/expected_rates.h"
#include "stage/lattice/fft_symbol.h"

enum { COPY = 128, COPIED = 10, CHUNK = 8, TEAMS_MOST = 16 };
enum { LANES = BOXES_LANES };
enum { TURN = 1 << 16 }; /* modes that are copied to the device together */

/* As in gpu_fft.k. */
struct lattice_grid {
    int64_t stride, step, modes;
    int32_t root[3], mesh[3], half[3], row;
};
_Static_assert(sizeof(struct lattice_grid) == 64, "must match the kernel's "
                                                  "struct");

/* Parameters of the product. */
struct fft_cut {
    int rows, tiles, teams, parts;
};

struct state {
    struct boxes_args args;
    struct lattice_grid grid;
    struct fft_cut cut;
    struct jit jit;
    struct kernel in, out, turn, modes;
    struct buf data, more; /* owned: [K][mesh]; more: only with several parts */
    struct buf field;      /* owned: as in the kernel */
    struct buf f, at, odd; /* owned: operators' terms; properties of each
                              coefficient */
    struct choice fft;
    void *fft_state;       /* owned */
};

static struct fft_cut fft_cut(const struct boxes_args *a)
{
    struct fft_cut cut = {.rows = a->precision == FARSUM_F32 ? 8 : 4};
    int size = multipole_size(a->p);
    int most = a->device->properties.group_max / LANES;
    if (size <= 4)
        cut.rows = 4;
    most = most < 1 ? 1 : most < TEAMS_MOST ? most : TEAMS_MOST;
    cut.tiles = (size + cut.rows - 1) / cut.rows;
    cut.parts = (cut.tiles + most - 1) / most;
    cut.teams = (cut.tiles + cut.parts - 1) / cut.parts;
    cut.tiles = cut.teams * cut.parts;
    return cut;
}

static struct lattice_grid fft_grid(const struct boxes_args *a)
{
    struct lattice_grid g = {.modes = 1};
    for (int c = 0; c < 3; c++) {
        g.root[c] = (int32_t)a->root[c];
        g.mesh[c] =
            (int32_t)(a->periodic[0] ? a->root[c]
                                     : fft_good_size_device(2 * a->root[c] - 1,
                                                            a->precision));
        g.half[c] = g.mesh[c] / 2 + 1;
        g.modes *= g.half[c];
    }
    g.row = 2 * g.half[0];
    g.step = (int64_t)g.mesh[2] * g.mesh[1] * g.row;
    return g;
}

static struct fft_args fft_args_of(const struct boxes_args *a,
                                   const struct lattice_grid *g)
{
    struct fft_args fft = {.precision = a->precision,
                           .threads = a->threads,
                           .device = a->device,
                           .ldz = g->row};
    for (int c = 0; c < 3; c++)
        fft.mesh[c] = g->mesh[2 - c];
    fft.batch[0] = fft.batch[1] = multipole_size(a->p);
    return fft;
}

static int64_t fft_field_reals(const struct boxes_args *a,
                               const struct lattice_grid *g)
{
    int64_t blocks = (g->modes + LANES - 1) / LANES;
    return blocks * LANES * multipole_size(2 * a->p);
}

static farsum_status fft_fits(const void *args)
{
    const struct boxes_args *a = args;
    int axes = a->periodic[0] + a->periodic[1] + a->periodic[2];
    TRY(boxes_gpu_fits(a, MULTIPOLE_MOST));
    if (axes == 1 || axes == 2)
        FAIL(ERR_UNSUPPORTED, "%d periodic axes; use three or none", axes);
    for (int c = 0; c < 3; c++)
        if (a->root[c] < 2 || a->root[c] > 1024)
            FAIL(ERR_UNSUPPORTED,
                 "%lld root boxes along axis %d; the variant needs at least "
                 "two",
                 (long long)a->root[c], c);
    struct lattice_grid g = fft_grid(a);
    struct fft_args fft = fft_args_of(a, &g);
    struct choice choice;
    const struct choose_options any = {0};
    int64_t real = gpu_real(a->precision);
    if (g.step > INT32_MAX)
        FAIL(ERR_UNSUPPORTED, "the grid of %lld points is too large",
             (long long)g.step);
    TRY(boxes_gpu_fits_memory(a, fft_field_reals(a, &g) * real));
    TRY(boxes_gpu_fits_memory(a, multipole_size(a->p) * g.step * real));
    return choose(&fft_stage, &fft, &any, &choice);
}

static int64_t fft_bytes(const void *args)
{
    const struct boxes_args *a = args;
    struct lattice_grid g = fft_grid(a);
    struct fft_cut cut = fft_cut(a);
    int64_t size = multipole_size(a->p), real = gpu_real(a->precision);
    return real
               * (fft_field_reals(a, &g)
                  + (cut.parts > 1 ? 2 : 1) * size * g.step)
           + size * cut.tiles * cut.rows * (2 * real + 4) + 4 * size;
}

/* Slowdown of a vendor's library for lengths with large factors. */
static double fft_slower(const struct lattice_grid *g)
{
    double slower = 0;
    for (int c = 0; c < 3; c++) {
        int32_t n = g->mesh[c];
        for (int factor = 2; factor <= 7; factor++)
            while (n % factor == 0)
                n /= factor;
        slower += n > 1 ? 1 : 1.0 / 3;
    }
    return slower;
}

static double fft_cost_of(const void *args)
{
    const struct boxes_args *a = args;
    struct lattice_grid g = fft_grid(a);
    struct fft_args fft = fft_args_of(a, &g);
    struct fft_cut cut = fft_cut(a);
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    double size = multipole_size(a->p), real = gpu_real(a->precision);
    double bytes = size * real * (double)g.step;
    double rows = (double)cut.tiles * cut.rows;
    /* ten operations per element of an operator; the total as measured on an
     * H200 */
    double modes = (double)g.modes * rows * size * 10 / (0.25 * rates.flops);
    double transforms =
        2 * size * fft_slower(&g) * (fft_cost_device(&fft) - 1e-5);
    double copies = 8 * bytes / (0.6 * rates.bytes);
    return 1.25 * (modes + transforms + copies) + 5 * (rates.launch + 8e-6);
}

static void fft_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    if (s->fft_state)
        s->fft.row->variant->destroy(s->fft_state);
    if (s->jit.device)
        jit_clear(&s->jit);
    buf_clear(&s->data);
    buf_clear(&s->more);
    buf_clear(&s->field);
    buf_clear(&s->f);
    buf_clear(&s->at);
    buf_clear(&s->odd);
    mem_free(s);
}

/* Bit 0: the degree is odd, bits 1, 2: mirrors in y, z change its sign. */
static int fft_odd(int n, int m)
{
    return (n & 1) | boxes_class(n, m) >> 1 << 1;
}

/* Odd degrees carry a factor i; where both are odd a sign remains. */
static farsum_status fft_terms(struct state *s)
{
    const struct boxes_args *a = &s->args;
    farsum_status status = FARSUM_OK;
    int64_t size = multipole_size(a->p), n = size * size;
    int64_t rows = (int64_t)s->cut.tiles * s->cut.rows;
    int32_t *at = NULL, *odd = NULL;
    uint32_t *pair = NULL;
    double *f = NULL, *g = NULL;
    GO(MEM_RAW(at, 2 * n));
    GO(MEM_RAW(f, 2 * n));
    GO(MEM_RAW(odd, size));
    GO(MEM_NEW(g, 2 * rows * size));
    GO(MEM_NEW(pair, rows * size));
    for (int k = 0; k <= a->p; k++)
        for (int m = -k; m <= k; m++)
            odd[multipole_at(k, m)] = fft_odd(k, m);
    multipole_m2l_terms(a->p, at, f);
    for (int64_t i = 0; i < size; i++)
        for (int64_t j = 0; j < size; j++) {
            int64_t from = 2 * (i * size + j), to = j * rows + i;
            double sign = odd[i] & odd[j] & 1 ? -1 : 1;
            g[2 * to] = sign * f[from];
            g[2 * to + 1] = sign * f[from + 1];
            pair[to] = (uint32_t)at[from] | (uint32_t)at[from + 1] << 16;
        }
    int64_t real = gpu_real(a->precision);
    GO(buf_alloc(&s->f, a->device, 2 * rows * size * real));
    GO(boxes_gpu_upload(&s->f, a->precision, 0, g, 2 * rows * size));
    GO(buf_alloc(&s->at, a->device, 4 * rows * size));
    GO(buf_upload(&s->at, 0, pair, 4 * rows * size));
    GO(buf_alloc(&s->odd, a->device, 4 * size));
    GO(buf_upload(&s->odd, 0, odd, 4 * size));
done:
    mem_free(at);
    mem_free(f);
    mem_free(odd);
    mem_free(g);
    mem_free(pair);
    return status;
}

/* Computes the field in modes and copies it into blocks of modes. */
static farsum_status fft_field(struct state *s)
{
    const struct boxes_args *a = &s->args;
    const struct lattice_grid *g = &s->grid;
    farsum_status status = FARSUM_OK;
    int64_t mesh[3], field = multipole_size(2 * a->p);
    int64_t bytes = field * gpu_real(a->precision);
    double points = 1;
    struct buf some = {0};
    void *symbol = NULL;
    for (int c = 0; c < 3; c++) {
        mesh[c] = g->mesh[c];
        points *= g->mesh[c];
    }
    GO(mem_alloc(&symbol, g->modes, (size_t)bytes, 0));
    GO(lattice_symbol(a, mesh, 0, mesh[1] / 2 + 1, 1 / points, symbol));
    GO(buf_alloc(&s->field, a->device,
                 fft_field_reals(a, g) * gpu_real(a->precision)));
    GO(buf_alloc(&some, a->device,
                 bytes * (g->modes < TURN ? g->modes : TURN)));
    for (int64_t first = 0; first < g->modes; first += TURN) {
        int64_t n = g->modes - first < TURN ? g->modes - first : TURN;
        GO(buf_upload(&some, 0, (char *)symbol + first * bytes, n * bytes));
        GO(LAUNCH(&s->turn, kernel_groups(&s->turn, n * field), ARG_BUF(&some),
                  ARG_BUF(&s->field), ARG_I64(first), ARG_I64(n)));
    }
    GO(device_finish(a->device));
done:
    buf_clear(&some);
    mem_free(symbol);
    return status;
}

static farsum_status fft_kernels(struct state *s)
{
    const struct boxes_args *a = &s->args;
    struct jit *jit = &s->jit;
    jit_begin(jit, a->device, "stage/lattice/gpu_fft.k", a->precision);
    jit_define(jit, "K", "%d", multipole_size(a->p));
    jit_define(jit, "FIELD", "%d", multipole_size(2 * a->p));
    jit_define(jit, "ROWS", "%d", s->cut.rows);
    jit_define(jit, "TEAMS", "%d", s->cut.teams);
    jit_define(jit, "PARTS", "%d", s->cut.parts);
    jit_define(jit, "CHUNK", "%d", CHUNK);
    jit_define(jit, "LANES", "%d", LANES);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "lattice_in", COPY, 0, &s->in));
    TRY(jit_kernel(jit, "lattice_out", COPY, 0, &s->out));
    TRY(jit_kernel(jit, "lattice_turn", COPY, 0, &s->turn));
    return jit_kernel(jit, "lattice_modes", LANES * s->cut.teams, 0,
                      &s->modes);
}

static farsum_status fft_create(const void *args, void **state)
{
    const struct boxes_args *a = args;
    farsum_status status = FARSUM_OK;
    const struct choose_options any = {0};
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *a;
    s->args.threads = a->threads > 1 ? a->threads : 1;
    s->grid = fft_grid(a);
    s->cut = fft_cut(a);
    int64_t bytes = multipole_size(a->p) * s->grid.step
                    * gpu_real(a->precision);
    struct fft_args fft = fft_args_of(a, &s->grid);
    GO(fft_kernels(s));
    GO(fft_terms(s));
    GO(fft_field(s));
    GO(buf_alloc(&s->data, a->device, bytes));
    if (s->cut.parts > 1) {
        GO(buf_alloc(&s->more, a->device, bytes));
        GO(buf_fill(&s->more, 0));
    }
    GO(choose(&fft_stage, &fft, &any, &s->fft));
    GO(s->fft.row->variant->create(&fft, &s->fft_state));
    *state = s;
    s = NULL;
done:
    fft_destroy(s);
    return status;
}

static farsum_status fft_run(void *state, const void *data)
{
    struct state *s = state;
    const struct boxes_io *io = data;
    const struct variant *fft = s->fft.row->variant;
    struct lattice_grid g = s->grid;
    struct buf *back = s->cut.parts > 1 ? &s->more : &s->data;
    const struct fft_io there = {&s->data, 0}, home = {back, 1};
    int64_t size = multipole_size(s->args.p);
    int64_t roots = (int64_t)g.root[0] * g.root[1] * g.root[2];
    TRY(boxes_gpu_same(&s->args, io));
    g.stride = io->stride;
    int64_t copies = (size + COPIED - 1) / COPIED;
    TRY(LAUNCH(&s->in, kernel_groups(&s->in, g.step) * copies,
               ARG_BUF(io->multipole), ARG_BUF(&s->data), ARG_STRUCT(g)));
    TRY(fft->run(s->fft_state, &there));
    TRY(LAUNCH(&s->modes, (g.modes + LANES - 1) / LANES * s->cut.parts,
               ARG_BUF(&s->data), ARG_BUF(back), ARG_BUF(&s->field),
               ARG_BUF(&s->f), ARG_BUF(&s->at), ARG_BUF(&s->odd),
               ARG_STRUCT(g)));
    TRY(fft->run(s->fft_state, &home));
    return LAUNCH(&s->out, kernel_groups(&s->out, roots) * copies,
                  ARG_BUF(back), ARG_BUF(io->local), ARG_STRUCT(g));
}

const struct variant lattice_gpu_fft = {
    .fits = fft_fits,
    .cost = fft_cost_of,
    .bytes = fft_bytes,
    .create = fft_create,
    .run = fft_run,
    .destroy = fft_destroy,
    .deterministic = 1,
    .needs = "a device",
};
