/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_grid_passes.c: kernels and passes of gpu_grid, for one process and for
 * ranks. */
#include "stage/expansions/device.h"
#include "stage/device.h"
#include "stage/lattice/gpu_grid.h"

enum { FACTOR_MOST = 16, MESH_MOST = 256 };
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
        if (n % a || b > FACTOR_MOST || a == 11 || a == 13 || b == 11 || b == 13
            || (best && a + b >= best))
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

int grid_cut(const struct boxes_args *a, int rank, int ranks,
             struct grid_cut *cut)
{
    int64_t real = gpu_real(a->precision);
    *cut = (struct grid_cut){.ranks = ranks};
    for (int c = 0; c < 3; c++) {
        int64_t root = a->root[ranks ? 2 - c : c];
        int64_t n = a->periodic[0] ? root : 2 * root - 1;
        cut->root[c] = root;
        if (n > MESH_MOST)
            return 0;
        while (!grid_factors((int)n, cut->factor[c]))
            if (a->periodic[0] || ++n > MESH_MOST)
                return 0;
        cut->mesh[c] = (int)n;
        cut->half[c] = (int)n / 2 + 1;
    }
    int64_t half = cut->half[1];
    cut->rows = ranks ? (half + ranks - 1) / ranks : half;
    cut->first = rank * cut->rows < half ? rank * cut->rows : half;
    cut->end = cut->first + cut->rows < half ? cut->first + cut->rows : half;
    cut->places = (cut->half[0] * cut->rows + 7) / 8 * 8;
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

int64_t grid_reals(const struct grid_cut *cut)
{
    return 8 * cut->meshes * cut->mesh[2] * cut->places;
}

int64_t grid_field_reals(const struct boxes_args *a, const struct grid_cut *cut)
{
    int64_t blocks = (cut->modes + GRID_LANES - 1) / GRID_LANES;
    return (blocks * grid_field_numbers(a->p) + cut->run + GRID_STEPS)
           * GRID_LANES;
}

farsum_status grid_cut_fits(const struct boxes_args *a,
                            const struct grid_cut *cut)
{
    if (a->device->properties.group_max < Z_GROUP)
        FAIL(ERR_UNSUPPORTED, "needs thread blocks of %d threads", Z_GROUP);
    TRY(gpu_local_fits(a->device, cut->arena));
    TRY(gpu_local_fits(a->device, cut->modes_arena));
    int64_t real = gpu_real(a->precision);
    TRY(gpu_local_fits(a->device, cut->columns * cut->mesh[2] * 2 * real));
    TRY(boxes_gpu_fits_memory(a, grid_field_reals(a, cut) * real));
    return boxes_gpu_fits_memory(a, grid_reals(cut) * real);
}

void grid_clear(struct grid_state *s)
{
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
    *s = (struct grid_state){0};
}

static void grid_define(struct jit *jit, const struct grid_state *s)
{
    const struct grid_cut *cut = &s->cut;
    for (int c = 0; c < 3; c++) {
        const char names[3][3] = {
            {'N', "XYZ"[c]}, {'R', "XYZ"[c]}, {"XYZ"[c], '1'}};
        jit_define(jit, names[0], "%d", cut->mesh[c]);
        jit_define(jit, names[1], "%d", (int)cut->root[c]);
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
    if (cut->ranks) {
        jit_define(jit, "RANKS", "1");
        jit_define(jit, "ROWS", "%d", (int)cut->rows);
    }
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
    if (cut->ranks) {
        TRY(jit_kernel(jit, "lattice_in_turned", LATTICE_TURN, 0, &s->turn_in));
        TRY(jit_kernel(jit, "lattice_out_turned", LATTICE_TURN, 0,
                       &s->turn_out));
    }
    return jit_kernel(jit, "grid_modes", GRID_LANES * cut->teams,
                      cut->modes_arena, &s->modes);
}

farsum_status grid_make(struct grid_state *s, int64_t least)
{
    struct device *device = s->args.device;
    int64_t real = gpu_real(s->args.precision), reals = grid_reals(&s->cut);
    s->args.threads = s->args.threads > 1 ? s->args.threads : 1;
    TRY(grid_kernels(s));
    TRY(grid_tables(s));
    TRY(buf_alloc(&s->data, device, (reals > least ? reals : least) * real));
    TRY(buf_fill(&s->data, 0));
    if (s->cut.parts == 1)
        return FARSUM_OK;
    TRY(buf_alloc(&s->more, device, reals * real));
    return buf_fill(&s->more, 0);
}

farsum_status grid_in(struct grid_state *s, const struct buf *multipole,
                      int64_t stride, int64_t planes, int64_t pitch,
                      struct buf *to)
{
    return LAUNCH(&s->in, s->cut.meshes * planes, ARG_BUF(multipole),
                  ARG_BUF(to), ARG_BUF(&s->number), ARG_BUF(&s->factor),
                  ARG_BUF(&s->root), ARG_BUF(&s->position), ARG_I64(stride),
                  ARG_I32(planes), ARG_I32(pitch));
}

farsum_status grid_out(struct grid_state *s, const struct buf *from,
                       int64_t planes, int64_t pitch, struct buf *local,
                       int64_t stride)
{
    return LAUNCH(&s->out, s->cut.meshes * planes, ARG_BUF(from),
                  ARG_BUF(local), ARG_BUF(&s->number), ARG_BUF(&s->factor_out),
                  ARG_BUF(&s->root), ARG_BUF(&s->position), ARG_I64(stride),
                  ARG_I32(planes), ARG_I32(pitch));
}

static int64_t grid_line_blocks(const struct grid_cut *cut)
{
    return (4 * cut->places + cut->columns - 1) / cut->columns * cut->meshes;
}

struct buf *grid_products(struct grid_state *s)
{
    return s->cut.parts > 1 ? &s->more : &s->data;
}

farsum_status grid_there(struct grid_state *s, const struct buf *from,
                         const struct buf *parts)
{
    return LAUNCH(&s->there, grid_line_blocks(&s->cut), ARG_BUF(from),
                  ARG_BUF(&s->data), ARG_BUF(&s->root),
                  ARG_BUF(parts ? parts : &s->position));
}

farsum_status grid_back(struct grid_state *s, struct buf *to,
                        const struct buf *parts)
{
    return LAUNCH(&s->back, grid_line_blocks(&s->cut),
                  ARG_BUF(grid_products(s)), ARG_BUF(to), ARG_BUF(&s->root),
                  ARG_BUF(parts ? parts : &s->position));
}

farsum_status grid_modes(struct grid_state *s)
{
    int64_t blocks = (s->cut.modes + GRID_LANES - 1) / GRID_LANES;
    return LAUNCH(&s->modes, blocks * s->cut.parts, ARG_BUF(&s->data),
                  ARG_BUF(grid_products(s)), ARG_BUF(&s->field),
                  ARG_BUF(&s->tile), ARG_BUF(&s->position));
}
