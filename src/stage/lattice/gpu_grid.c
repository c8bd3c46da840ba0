/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_grid: gpu_fft with its own transforms, and operators read as windows that
 * slide along degrees: five passes over the modes in all. */
#include <math.h>

#include "base/mem.h"
#include "stage/expansions/device.h"
#include "stage/device.h"
#include "cost/expected_rates.h"
#include "stage/lattice/gpu_grid.h"

enum { FACTOR_MOST = 16, MESH_MOST = 256, ORDER_MOST = 24 };
enum { Z_GROUP = 128 };
/* Teams for which a multiprocessor has enough registers. */
enum { RUN = 4, TEAMS_F32 = 16, TEAMS_F64 = 8 };
enum { TILE = 40960 }; /* bytes of shared memory of a pass along z */

/* The two factors supported by stage/lattice/dft.kh with the smallest sum;
 * returns 0 if there are none. */
static int grid_factors(int n, int factor[2])
{
    int best = 0;
    for (int a = 1; a <= FACTOR_MOST; a++) {
        int b = n / a;
        if (n % a || b > FACTOR_MOST || a == 11 || a == 13 || b == 11
            || b == 13 || (best && a + b >= best))
            continue;
        best = a + b;
        factor[0] = a;
        factor[1] = b;
    }
    return best > 0;
}

/* Tiles of an order's degrees; for order 0, two are a mesh. */
int grid_run(const struct grid_cut *cut, int order)
{
    return order ? cut->run : cut->run / 2 * 2;
}

static void grid_teams(const struct boxes_args *a, struct grid_cut *cut)
{
    int most = a->device->properties.group_max / GRID_LANES;
    int teams = a->precision == FARSUM_F32 ? TEAMS_F32 : TEAMS_F64;
    cut->run = RUN;
    cut->tiles = 0;
    for (int m = 0; m <= a->p; m++) {
        int run = grid_run(cut, m);
        cut->tiles += (a->p + 1 - m + run - 1) / run;
    }
    most = most < 1 ? 1 : most < teams ? most : teams;
    cut->parts = (cut->tiles + most - 1) / most;
    /* few modes: several thread blocks per mode, or most of the device idles */
    int64_t blocks = (cut->modes + GRID_LANES - 1) / GRID_LANES;
    while (blocks * cut->parts < a->device->properties.units
           && 2 * cut->parts < cut->tiles)
        cut->parts++;
    cut->teams = (cut->tiles + cut->parts - 1) / cut->parts;
}

int64_t grid_field_numbers(int p)
{
    return (2 * (int64_t)p + 1) * (2 * (int64_t)p + 2);
}

/* Returns 0 if the mesh has no such transforms. */
static int grid_cut(const struct boxes_args *a, struct grid_cut *cut)
{
    int64_t real = gpu_real(a->precision);
    for (int c = 0; c < 3; c++) {
        int64_t n = a->periodic[0] ? a->root[c] : 2 * a->root[c] - 1;
        if (n > MESH_MOST)
            return 0;
        while (!grid_factors((int)n, cut->factor[c]))
            if (a->periodic[0] || ++n > MESH_MOST)
                return 0;
        cut->mesh[c] = (int)n;
        cut->half[c] = (int)n / 2 + 1;
    }
    cut->places = ((int64_t)cut->half[0] * cut->half[1] + 7) / 8 * 8;
    cut->modes = cut->places * cut->half[2];
    cut->meshes = a->p / 2 + 1 + a->p * (a->p + 1) / 2;
    cut->arena = cut->mesh[1] * (cut->mesh[0] | 1) * 2 * real;
    int64_t blocks = a->device->properties.local / (cut->arena + 1024);
    int most = a->precision == FARSUM_F32 ? 3 : 2;
    cut->blocks = blocks < 1 ? 1 : blocks < most ? (int)blocks : most;
    cut->group = cut->blocks > 1 ? 256 : 512;
    while (cut->group > a->device->properties.group_max)
        cut->group /= 2;
    cut->columns = 32;
    int64_t tile =
        a->device->properties.local < TILE ? a->device->properties.local : TILE;
    while (cut->columns > 8 && cut->columns * cut->mesh[2] * 2 * real > tile)
        cut->columns /= 2;
    grid_teams(a, cut);
    /* two chunks of eight columns, and a block's field if it fits */
    cut->modes_arena = 2 * GRID_STEPS * 16 * GRID_LANES * real;
    int64_t field =
        (grid_field_numbers(a->p) + cut->run + GRID_STEPS) * GRID_LANES * real;
    cut->local = cut->modes_arena + field <= a->device->properties.local;
    cut->modes_arena += cut->local ? field : 0;
    return 1;
}

/* Reals of all modes, and of their fields with padding. */
static int64_t grid_reals(const struct grid_cut *cut)
{
    return 8 * cut->meshes * cut->mesh[2] * cut->places;
}

int64_t grid_field_reals(const struct boxes_args *a, const struct grid_cut *cut)
{
    int64_t blocks = (cut->modes + GRID_LANES - 1) / GRID_LANES;
    return (blocks * grid_field_numbers(a->p) + cut->run + GRID_STEPS)
           * GRID_LANES;
}

static farsum_status grid_fits(const void *args)
{
    const struct boxes_args *a = args;
    int axes = a->periodic[0] + a->periodic[1] + a->periodic[2];
    struct grid_cut cut;
    TRY(boxes_gpu_fits(a, ORDER_MOST));
    if (axes == 1 || axes == 2)
        FAIL(ERR_UNSUPPORTED, "%d periodic axes; use three or none", axes);
    for (int c = 0; c < 3; c++)
        if (a->root[c] < 2)
            FAIL(ERR_UNSUPPORTED,
                 "%lld root boxes along axis %d; the variant needs at least "
                 "two",
                 (long long)a->root[c], c);
    if (!grid_cut(a, &cut))
        FAIL(ERR_UNSUPPORTED,
             "%lld x %lld x %lld root boxes; an edge is not a product of two "
             "supported lengths",
             (long long)a->root[0], (long long)a->root[1],
             (long long)a->root[2]);
    if (a->device->properties.group_max < Z_GROUP)
        FAIL(ERR_UNSUPPORTED, "needs thread blocks of %d threads", Z_GROUP);
    TRY(gpu_local_fits(a->device, cut.arena));
    TRY(gpu_local_fits(a->device, cut.modes_arena));
    int64_t real = gpu_real(a->precision);
    TRY(gpu_local_fits(a->device, cut.columns * cut.mesh[2] * 2 * real));
    TRY(boxes_gpu_fits_memory(a, grid_field_reals(a, &cut) * real));
    return boxes_gpu_fits_memory(a, grid_reals(&cut) * real);
}

static int64_t grid_bytes(const void *args)
{
    const struct boxes_args *a = args;
    struct grid_cut cut;
    if (!grid_cut(a, &cut))
        return 0;
    int64_t real = gpu_real(a->precision), axes = 0;
    for (int c = 0; c < 3; c++)
        axes += 2 * real * cut.mesh[c] + 4 * (int64_t)cut.half[c];
    return real
               * (grid_field_reals(a, &cut)
                  + (cut.parts > 1 ? 2 : 1) * grid_reals(&cut))
           + cut.meshes * (8 + 4 * real) + axes
           + 16 * (int64_t)cut.teams * cut.parts;
}

static double grid_cost(const void *args)
{
    const struct boxes_args *a = args;
    struct grid_cut cut;
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    if (!grid_cut(a, &cut))
        return INFINITY;
    double real = gpu_real(a->precision), size = multipole_size(a->p);
    double bytes = real * (double)grid_reals(&cut);
    double field = real * (double)grid_field_reals(a, &cut);
    double modes = (double)cut.modes * size * size * 8 / rates.flops;
    /* an H200, f32 and f64, 40 to 120 boxes along each edge: the product takes
     * the time of 3.5 times its multiply-adds; passes over planes of which few
     * fit on a multiprocessor are slower than memory by this factor */
    double planes = cut.blocks > 2 ? 1.4 : cut.blocks > 1 ? 1.8 : 2.5;
    double moves = (4 * planes + 5 + cut.parts) * bytes + cut.parts * field;
    return 3.5 * modes + 1.05 * moves / rates.bytes + 5 * (rates.launch + 1e-6);
}

static void grid_destroy(void *state)
{
    struct grid_state *s = state;
    if (!s)
        return;
    if (s->jit.device)
        jit_clear(&s->jit);
    buf_clear(&s->data);
    buf_clear(&s->more);
    buf_clear(&s->field);
    buf_clear(&s->number);
    buf_clear(&s->factor);
    buf_clear(&s->factor_out);
    buf_clear(&s->root);
    buf_clear(&s->position);
    buf_clear(&s->tile);
    mem_free(s);
}

static void grid_define(struct jit *jit, const struct grid_state *s)
{
    const struct grid_cut *cut = &s->cut;
    for (int c = 0; c < 3; c++) {
        const char names[3][3] = {
            {'N', "XYZ"[c]}, {'R', "XYZ"[c]}, {"XYZ"[c], '1'}};
        jit_define(jit, names[0], "%d", cut->mesh[c]);
        jit_define(jit, names[1], "%d", (int)s->args.root[c]);
        jit_define(jit, names[2], "%d", cut->factor[c][0]);
    }
    jit_define(jit, "P", "%d", s->args.p);
    jit_define(jit, "GROUP", "%d", cut->group);
    jit_define(jit, "BLOCKS", "%d", cut->blocks);
    jit_define(jit, "FIELD_LOCAL", "%d", cut->local);
    jit_define(jit, "COLUMNS", "%d", cut->columns);
    jit_define(jit, "RUN", "%d", cut->run);
    jit_define(jit, "TEAMS", "%d", cut->teams);
    jit_define(jit, "PARTS", "%d", cut->parts);
}

static farsum_status grid_kernels(struct grid_state *s)
{
    const struct grid_cut *cut = &s->cut;
    struct jit *jit = &s->jit;
    jit_begin(jit, s->args.device, "stage/lattice/gpu_grid.k",
              s->args.precision);
    grid_define(jit, s);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "grid_in", cut->group, cut->arena, &s->in));
    TRY(jit_kernel(jit, "grid_out", cut->group, cut->arena, &s->out));
    TRY(jit_kernel(jit, "grid_there", Z_GROUP, 0, &s->there));
    TRY(jit_kernel(jit, "grid_back", Z_GROUP, 0, &s->back));
    TRY(jit_kernel(jit, "grid_field", Z_GROUP, 0, &s->field_in));
    return jit_kernel(jit, "grid_modes", GRID_LANES * cut->teams,
                      cut->modes_arena, &s->modes);
}

static farsum_status grid_create(const void *args, void **state)
{
    const struct boxes_args *a = args;
    farsum_status status = FARSUM_OK;
    struct grid_state *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *a;
    s->args.threads = a->threads > 1 ? a->threads : 1;
    if (!grid_cut(a, &s->cut))
        GO_FAIL(ERR_STATE, "gpu_grid: does not support this grid of root "
                           "boxes");
    int64_t bytes = grid_reals(&s->cut) * gpu_real(a->precision);
    GO(grid_kernels(s));
    GO(grid_tables(s));
    GO(buf_alloc(&s->data, a->device, bytes));
    GO(buf_fill(&s->data, 0));
    if (s->cut.parts > 1) {
        GO(buf_alloc(&s->more, a->device, bytes));
        GO(buf_fill(&s->more, 0));
    }
    *state = s;
    s = NULL;
done:
    grid_destroy(s);
    return status;
}

static farsum_status grid_run_all(void *state, const void *data)
{
    struct grid_state *s = state;
    const struct boxes_io *io = data;
    const struct grid_cut *cut = &s->cut;
    struct buf *back = cut->parts > 1 ? &s->more : &s->data;
    int64_t planes = cut->meshes * s->args.root[2];
    int64_t columns = (4 * cut->places + cut->columns - 1) / cut->columns;
    int64_t blocks = (cut->modes + GRID_LANES - 1) / GRID_LANES;
    TRY(boxes_gpu_same(&s->args, io));
    TRY(LAUNCH(&s->in, planes, ARG_BUF(io->multipole), ARG_BUF(&s->data),
               ARG_BUF(&s->number), ARG_BUF(&s->factor), ARG_BUF(&s->root),
               ARG_BUF(&s->position), ARG_I64(io->stride)));
    TRY(LAUNCH(&s->there, columns * cut->meshes, ARG_BUF(&s->data),
               ARG_BUF(&s->root)));
    TRY(LAUNCH(&s->modes, blocks * cut->parts, ARG_BUF(&s->data),
               ARG_BUF(back), ARG_BUF(&s->field), ARG_BUF(&s->tile),
               ARG_BUF(&s->position)));
    TRY(LAUNCH(&s->back, columns * cut->meshes, ARG_BUF(back),
               ARG_BUF(&s->root)));
    return LAUNCH(&s->out, planes, ARG_BUF(back), ARG_BUF(io->local),
                  ARG_BUF(&s->number), ARG_BUF(&s->factor_out),
                  ARG_BUF(&s->root), ARG_BUF(&s->position),
                  ARG_I64(io->stride));
}

const struct variant lattice_gpu_grid = {
    .fits = grid_fits,
    .cost = grid_cost,
    .bytes = grid_bytes,
    .create = grid_create,
    .run = grid_run_all,
    .destroy = grid_destroy,
    .deterministic = 1,
    .needs = "a device",
};
