/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_modes.c: the products (10.23) on a device, and copies between boxes and
 * meshes. */
#include "stage/lattice/gpu_modes.h"

#include "base/mem.h"
#include "stage/device.h"
#include "stage/fft/fft.h"
#include "stage/lattice/fft_symbol.h"

enum { COPY = 128, COPIED = 10, CHUNK = 8, TEAMS_MOST = 16 };
enum { LANES = BOXES_LANES };
enum { TURN = 1 << 16 }; /* modes that are copied to the device together */

/* As in gpu_fft.k. */
struct modes_grid {
    int64_t step, modes, place[3];
    int32_t used[3], rows[3], turn[3], flip[3];
};
_Static_assert(sizeof(struct modes_grid) == 88,
               "must match stage/lattice/gpu_fft.k");

void gpu_modes_mesh(const struct boxes_args *boxes, int64_t mesh[3])
{
    for (int c = 0; c < 3; c++)
        mesh[c] = boxes->periodic[0]
                      ? boxes->root[c]
                      : fft_good_size_device(2 * boxes->root[c] - 1,
                                             boxes->precision);
}

static struct gpu_modes_cut modes_cut(const struct boxes_args *a)
{
    struct gpu_modes_cut cut = {.rows = a->precision == FARSUM_F32 ? 8 : 4};
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

static struct modes_grid modes_grid(const struct lattice_modes_args *args)
{
    struct modes_grid g = {.step = args->channel, .modes = 1};
    for (int c = 0, mirror = 1; c < 3; c++) {
        int64_t used = c == 1 ? args->end - args->first : args->mesh[c] / 2 + 1;
        g.place[c] = args->step[c];
        g.used[c] = (int32_t)used;
        g.rows[c] = (int32_t)(c == 1 ? args->rows : args->mesh[c]);
        g.turn[c] = (int32_t)(c == 1 ? args->turn : args->mesh[c]);
        g.flip[c] = c == args->half ? 0 : mirror++;
        g.modes *= used;
    }
    return g;
}

int gpu_modes_apart(const struct boxes_args *boxes)
{
    return modes_cut(boxes).parts > 1;
}

int64_t gpu_modes_products(const struct boxes_args *boxes)
{
    struct gpu_modes_cut cut = modes_cut(boxes);
    return (int64_t)cut.tiles * cut.rows * multipole_size(boxes->p);
}

int64_t gpu_modes_field(const struct lattice_modes_args *args)
{
    int64_t blocks = (modes_grid(args).modes + LANES - 1) / LANES;
    return blocks * LANES * multipole_size(2 * args->boxes.p);
}

int64_t gpu_modes_bytes(const struct lattice_modes_args *args)
{
    const struct boxes_args *boxes = &args->boxes;
    int64_t real = gpu_real(boxes->precision);
    return real * gpu_modes_field(args)
           + gpu_modes_products(boxes) * (2 * real + 4)
           + 4 * multipole_size(boxes->p);
}

void gpu_modes_clear(struct gpu_modes *m)
{
    if (m->jit.device)
        jit_clear(&m->jit);
    buf_clear(&m->field);
    buf_clear(&m->f);
    buf_clear(&m->at);
    buf_clear(&m->odd);
    *m = (struct gpu_modes){0};
}

/* Bit 0: the degree is odd; bits 1, 2: the mirrors along the axes that have all
 * modes change its sign. */
static int modes_odd(int n, int k, int half)
{
    int class = boxes_class(n, k);
    return (n & 1) | (half == 0 ? class >> 1 : class & 3) << 1;
}

/* Odd degrees carry a factor i; where both are odd a sign remains. */
static farsum_status modes_terms(struct gpu_modes *m)
{
    const struct boxes_args *a = &m->args.boxes;
    farsum_status status = FARSUM_OK;
    int64_t size = multipole_size(a->p), n = size * size;
    int64_t rows = (int64_t)m->cut.tiles * m->cut.rows;
    int32_t *at = NULL, *odd = NULL;
    uint32_t *pair = NULL;
    double *f = NULL, *g = NULL;
    GO(MEM_RAW(at, 2 * n));
    GO(MEM_RAW(f, 2 * n));
    GO(MEM_RAW(odd, size));
    GO(MEM_NEW(g, 2 * rows * size));
    GO(MEM_NEW(pair, rows * size));
    for (int k = 0; k <= a->p; k++)
        for (int j = -k; j <= k; j++)
            odd[multipole_at(k, j)] = modes_odd(k, j, m->args.half);
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
    GO(buf_alloc(&m->f, a->device, 2 * rows * size * real));
    GO(boxes_gpu_upload(&m->f, a->precision, 0, g, 2 * rows * size));
    GO(buf_alloc(&m->at, a->device, 4 * rows * size));
    GO(buf_upload(&m->at, 0, pair, 4 * rows * size));
    GO(buf_alloc(&m->odd, a->device, 4 * size));
    GO(buf_upload(&m->odd, 0, odd, 4 * size));
done:
    mem_free(at);
    mem_free(f);
    mem_free(odd);
    mem_free(g);
    mem_free(pair);
    return status;
}

/* Computes the field in modes and copies it into blocks of modes. */
static farsum_status modes_field(struct gpu_modes *m)
{
    const struct lattice_modes_args *args = &m->args;
    const struct boxes_args *a = &args->boxes;
    const int64_t *mesh = args->mesh;
    farsum_status status = FARSUM_OK;
    int64_t field = multipole_size(2 * a->p), modes = modes_grid(args).modes;
    int64_t bytes = field * gpu_real(a->precision);
    double points = (double)mesh[0] * (double)mesh[1] * (double)mesh[2];
    struct buf some = {0};
    void *symbol = NULL;
    GO(mem_alloc(&symbol, modes, (size_t)bytes, 0));
    GO(lattice_symbol(a, mesh, args->first, args->end, 1 / points, symbol));
    GO(buf_alloc(&m->field, a->device,
                 gpu_modes_field(args) * gpu_real(a->precision)));
    GO(buf_alloc(&some, a->device, bytes * (modes < TURN ? modes : TURN)));
    for (int64_t first = 0; first < modes; first += TURN) {
        int64_t n = modes - first < TURN ? modes - first : TURN;
        GO(buf_upload(&some, 0, (char *)symbol + first * bytes, n * bytes));
        GO(LAUNCH(&m->turn, kernel_groups(&m->turn, n * field), ARG_BUF(&some),
                  ARG_BUF(&m->field), ARG_I64(first), ARG_I64(n)));
    }
    GO(device_finish(a->device));
done:
    buf_clear(&some);
    mem_free(symbol);
    return status;
}

static farsum_status modes_kernels(struct gpu_modes *m)
{
    const struct boxes_args *a = &m->args.boxes;
    struct jit *jit = &m->jit;
    jit_begin(jit, a->device, "stage/lattice/gpu_fft.k", a->precision);
    jit_define(jit, "K", "%d", multipole_size(a->p));
    jit_define(jit, "FIELD", "%d", multipole_size(2 * a->p));
    jit_define(jit, "ROWS", "%d", m->cut.rows);
    jit_define(jit, "TEAMS", "%d", m->cut.teams);
    jit_define(jit, "PARTS", "%d", m->cut.parts);
    jit_define(jit, "CHUNK", "%d", CHUNK);
    jit_define(jit, "LANES", "%d", LANES);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "lattice_in", COPY, 0, &m->in));
    TRY(jit_kernel(jit, "lattice_out", COPY, 0, &m->out));
    TRY(jit_kernel(jit, "lattice_in_turned", LATTICE_TURN, 0, &m->in_turned));
    TRY(jit_kernel(jit, "lattice_out_turned", LATTICE_TURN, 0, &m->out_turned));
    TRY(jit_kernel(jit, "lattice_turn", COPY, 0, &m->turn));
    return jit_kernel(jit, "lattice_modes", LANES * m->cut.teams, 0, &m->modes);
}

farsum_status gpu_modes_create(const struct lattice_modes_args *args,
                               struct gpu_modes *m)
{
    farsum_status status = FARSUM_OK;
    *m = (struct gpu_modes){.args = *args, .cut = modes_cut(&args->boxes)};
    GO(modes_kernels(m));
    GO(modes_terms(m));
    GO(modes_field(m));
    return FARSUM_OK;
done:
    gpu_modes_clear(m);
    return status;
}

farsum_status gpu_modes_run(const struct gpu_modes *m, const struct buf *data,
                            struct buf *out)
{
    struct modes_grid g = modes_grid(&m->args);
    if (g.modes == 0)
        return FARSUM_OK;
    return LAUNCH(&m->modes, (g.modes + LANES - 1) / LANES * m->cut.parts,
                  ARG_BUF(data), ARG_BUF(out), ARG_BUF(&m->field),
                  ARG_BUF(&m->f), ARG_BUF(&m->at), ARG_BUF(&m->odd),
                  ARG_STRUCT(g));
}

/* 1: neighbouring boxes have neighbouring k, but numbers of a mesh i. */
static int modes_turned(const struct lattice_boxes *b)
{
    return b->box[2] == 1 && b->box[0] > 1;
}

/* Thread blocks that copy n[0] x n[1] x n[2] numbers of each coefficient. */
static int64_t modes_blocks(const struct gpu_modes *m,
                            const struct lattice_boxes *b, const int32_t n[3])
{
    int64_t size = multipole_size(m->args.boxes.p);
    if (modes_turned(b))
        return lattice_turn_blocks((int)size, n);
    return kernel_groups(&m->in, (int64_t)n[0] * n[1] * n[2])
           * ((size + COPIED - 1) / COPIED);
}

farsum_status gpu_modes_in(const struct gpu_modes *m,
                           const struct lattice_boxes *b,
                           const struct buf *multipole, struct buf *data)
{
    int64_t n = (int64_t)b->mesh[0] * b->mesh[1] * b->mesh[2];
    if (n == 0)
        return FARSUM_OK;
    return LAUNCH(modes_turned(b) ? &m->in_turned : &m->in,
                  modes_blocks(m, b, b->mesh), ARG_BUF(multipole),
                  ARG_BUF(data), ARG_STRUCT(*b));
}

farsum_status gpu_modes_out(const struct gpu_modes *m,
                            const struct lattice_boxes *b,
                            const struct buf *data, struct buf *local)
{
    int64_t n = (int64_t)b->root[0] * b->root[1] * b->root[2];
    if (n == 0)
        return FARSUM_OK;
    return LAUNCH(modes_turned(b) ? &m->out_turned : &m->out,
                  modes_blocks(m, b, b->root), ARG_BUF(data), ARG_BUF(local),
                  ARG_STRUCT(*b));
}
