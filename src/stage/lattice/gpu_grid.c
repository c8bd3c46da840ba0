/* gpu_grid: gpu_fft with transforms of its own and operators that slide along
 * degrees: five passes over the modes in all. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stage/boxes_gpu.h"
#include "stage/gpu.h"
#include "stage/gpu_rates.h"
#include "stage/lattice/fft_symbol.h"

enum { FACTOR_MOST = 16, MESH_MOST = 256, ORDER_MOST = 24 };
enum { LANES = BOXES_LANES, STEPS = 4, Z_GROUP = 128 };
enum { TEAMS_F32 = 16, TEAMS_F64 = 12 };
enum { TILE = 40960 };    /* bytes of group memory of a pass along z */
enum { TURN = 1 << 16 };  /* modes that go to the device at once */

/* How the kernels are cut. */
struct grid_cut {
    int mesh[3], half[3], factor[3][2];
    int64_t places, modes;
    int meshes;            /* complex ones */
    int group, blocks;     /* of a plane; groups of a multiprocessor */
    int64_t arena;
    int columns, run, tiles, teams, parts;
};

struct state {
    struct boxes_args args;
    struct grid_cut cut;
    struct jit jit;
    struct kernel in, out, there, back, modes, field_in;
    struct buf data, more; /* owned: [meshes][z][place][4]; more: if parts */
    struct buf field;      /* owned: as the kernel has it */
    struct buf number, factor, factor_out, root, position, tile; /* owned */
};

/* Two factors that dft.h has, of the least sum: 0: there are none. */
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

/* Tiles of an order's degrees: of order 0 two are a mesh. */
static int grid_run(const struct grid_cut *cut, int order)
{
    return order ? cut->run : cut->run / 2 * 2;
}

static void grid_teams(const struct boxes_args *a, struct grid_cut *cut)
{
    int most = a->device->facts.group_max / LANES;
    int teams = a->precision == FARSUM_F32 ? TEAMS_F32 : TEAMS_F64;
    cut->run = a->precision == FARSUM_F32 ? 4 : 3;
    cut->tiles = 0;
    for (int m = 0; m <= a->p; m++) {
        int run = grid_run(cut, m);
        cut->tiles += (a->p + 1 - m + run - 1) / run;
    }
    most = most < 1 ? 1 : most < teams ? most : teams;
    cut->parts = (cut->tiles + most - 1) / most;
    cut->teams = (cut->tiles + cut->parts - 1) / cut->parts;
}

/* 0: the mesh has no such transforms. */
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
    int64_t blocks = a->device->facts.local / (cut->arena + 1024);
    int most = a->precision == FARSUM_F32 ? 3 : 2;
    cut->blocks = blocks < 1 ? 1 : blocks < most ? (int)blocks : most;
    cut->group = cut->blocks > 1 ? 256 : 512;
    while (cut->group > a->device->facts.group_max)
        cut->group /= 2;
    cut->columns = 32;
    while (cut->columns > 8 && cut->columns * cut->mesh[2] * 2 * real > TILE)
        cut->columns /= 2;
    grid_teams(a, cut);
    return 1;
}

/* Reals of all modes, and of their fields with what lies behind them. */
static int64_t grid_reals(const struct grid_cut *cut)
{
    return 8 * cut->meshes * cut->mesh[2] * cut->places;
}

static int64_t grid_field_numbers(int p)
{
    return (2 * (int64_t)p + 1) * (2 * (int64_t)p + 2);
}

static int64_t grid_field_reals(const struct boxes_args *a,
                                const struct grid_cut *cut)
{
    int64_t blocks = (cut->modes + LANES - 1) / LANES;
    return (blocks * grid_field_numbers(a->p) + cut->run + STEPS) * LANES;
}

static farsum_status grid_fits(const void *args)
{
    const struct boxes_args *a = args;
    int axes = a->periodic[0] + a->periodic[1] + a->periodic[2];
    struct grid_cut cut;
    TRY(boxes_gpu_fits(a, ORDER_MOST));
    if (axes == 1 || axes == 2)
        FAIL(ERR_UNSUPPORTED, "%d periodic axes; three or none are possible",
             axes);
    for (int c = 0; c < 3; c++)
        if (a->root[c] < 2)
            FAIL(ERR_UNSUPPORTED, "%lld root boxes along axis %d are no grid",
                 (long long)a->root[c], c);
    if (!grid_cut(a, &cut))
        FAIL(ERR_UNSUPPORTED,
             "%lld x %lld x %lld root boxes have no transforms in two steps",
             (long long)a->root[0], (long long)a->root[1],
             (long long)a->root[2]);
    if (a->device->facts.group_max < Z_GROUP)
        FAIL(ERR_UNSUPPORTED, "it needs groups of %d threads", Z_GROUP);
    TRY(gpu_local_fits(a->device, cut.arena));
    int64_t real = gpu_real(a->precision);
    TRY(boxes_gpu_room(a, grid_field_reals(a, &cut) * real));
    return boxes_gpu_room(a, grid_reals(&cut) * real);
}

static int64_t grid_bytes(const void *args)
{
    const struct boxes_args *a = args;
    struct grid_cut cut;
    if (!grid_cut(a, &cut))
        return 0;
    int64_t real = gpu_real(a->precision), sum = 0;
    for (int c = 0; c < 3; c++)
        sum += cut.mesh[c];
    return real
               * (grid_field_reals(a, &cut)
                  + (cut.parts > 1 ? 2 : 1) * grid_reals(&cut))
           + (int64_t)cut.meshes * (8 + 4 * real) + (2 * real + 8) * (sum + 6)
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
    double modes = (double)cut.modes * size * size * 8 / (0.6 * rates.flops);
    double moves = ((9 + cut.parts) * bytes + cut.parts * field)
                   / (0.7 * rates.bytes);
    return modes + moves + 5 * (rates.launch + 3e-6);
}

static void grid_destroy(void *state)
{
    struct state *s = state;
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

/* A_n^m of (10.4) times a^n, a power of two for which it stays near 1, and the
 * sign of (10.41). */
static double grid_scale(int p, int n, int m)
{
    double product = 1;
    int down = p ? (int)lround(log2(2 * p / M_E)) : 0;
    for (int k = 2; k <= n - m; k++)
        product *= k;
    double other = 1;
    for (int k = 2; k <= n + m; k++)
        other *= k;
    return ldexp(sqrt(product) * sqrt(other), -down * n)
           * (n / 2 % 2 ? -1 : 1);
}

/* Where the numbers of meshes are, and their factors. */
static farsum_status grid_numbers(struct state *s)
{
    const struct boxes_args *a = &s->args;
    farsum_status status = FARSUM_OK;
    int n = 2 * s->cut.meshes, at = 0;
    int32_t *number = NULL;
    double *in = NULL, *out = NULL;
    GO(MEM_RAW(number, n));
    GO(MEM_NEW(in, n));
    GO(MEM_NEW(out, n));
    for (int i = 0; i < n; i++)
        number[i] = -1;
    for (int m = 0; m <= a->p; m++) {
        for (int k = m; k <= a->p; k++)
            for (int part = 0; part <= (m > 0); part++, at++) {
                double scale = 1 / grid_scale(a->p, k, m);
                number[at] = multipole_at(k, part ? -m : m);
                in[at] = m ? scale : scale / 2;
                out[at] = k % 2 ? -scale : scale;
            }
        at += at % 2;
    }
    GO(buf_alloc(&s->number, a->device, 4 * n));
    GO(buf_upload(&s->number, 0, number, 4 * n));
    GO(buf_alloc(&s->factor, a->device, n * gpu_real(a->precision)));
    GO(boxes_gpu_upload(&s->factor, a->precision, 0, in, n));
    GO(buf_alloc(&s->factor_out, a->device, n * gpu_real(a->precision)));
    GO(boxes_gpu_upload(&s->factor_out, a->precision, 0, out, n));
done:
    mem_free(number);
    mem_free(in);
    mem_free(out);
    return status;
}

/* Where a transform leaves mode k. */
static int grid_position(const struct grid_cut *cut, int axis, int k)
{
    const int *factor = cut->factor[axis];
    return k % factor[0] * factor[1] + k / factor[0];
}

/* Modes 0 .. N/2 of an axis by their positions: rank[k]. */
static void grid_ranks(const struct grid_cut *cut, int axis, int32_t *rank)
{
    for (int k = 0; k < cut->half[axis]; k++) {
        rank[k] = 0;
        for (int l = 0; l < cut->half[axis]; l++)
            rank[k] += grid_position(cut, axis, l)
                       < grid_position(cut, axis, k);
    }
}

static farsum_status grid_axes(struct state *s, int32_t *rank)
{
    const struct grid_cut *cut = &s->cut;
    farsum_status status = FARSUM_OK;
    int32_t *position = NULL;
    double *root = NULL;
    int64_t n = 0, halves = 0;
    for (int c = 0; c < 3; c++) {
        n += cut->mesh[c];
        halves += cut->half[c];
    }
    GO(MEM_RAW(position, 2 * halves));
    GO(MEM_RAW(root, 2 * n));
    int32_t *at = position, *place = rank;
    double *to = root;
    for (int c = 0; c < 3; c++) {
        int mesh = cut->mesh[c];
        grid_ranks(cut, c, place);
        for (int k = 0; k < cut->half[c]; k++) {
            at[2 * place[k]] = grid_position(cut, c, k);
            at[2 * place[k] + 1] = grid_position(cut, c, (mesh - k) % mesh);
        }
        for (int t = 0; t < mesh; t++) {
            *to++ = cos(2 * M_PI * t / mesh);
            *to++ = sin(2 * M_PI * t / mesh);
        }
        at += 2 * cut->half[c];
        place += cut->half[c];
    }
    GO(buf_alloc(&s->position, s->args.device, 8 * halves));
    GO(buf_upload(&s->position, 0, position, 8 * halves));
    GO(buf_alloc(&s->root, s->args.device,
                 2 * n * gpu_real(s->args.precision)));
    GO(boxes_gpu_upload(&s->root, s->args.precision, 0, root, 2 * n));
done:
    mem_free(position);
    mem_free(root);
    return status;
}

struct grid_tile {
    int32_t order, first, rows, mesh;
};

static int grid_weight(const struct grid_tile *t)
{
    return t->order ? 2 * t->rows : t->rows;
}

static int grid_heavier(const void *a, const void *b)
{
    return grid_weight(b) - grid_weight(a);
}

/* Number i of a row that turns at its ends, `wide` long. */
static int grid_snake(int i, int wide)
{
    return i / wide % 2 ? wide - 1 - i % wide : i % wide;
}

/* Tiles dealt out: to the parts alike, and in a part to teams of which every
 * fourth is of one scheduler. */
static farsum_status grid_tiles(struct state *s)
{
    enum { SCHEDULERS = 4 };
    const struct grid_cut *cut = &s->cut;
    farsum_status status = FARSUM_OK;
    int p = s->args.p, n = 0, mesh = 0, all = cut->teams * cut->parts;
    struct grid_tile *tile = NULL, *dealt = NULL;
    int *taken = NULL;
    GO(MEM_NEW(tile, cut->tiles));
    GO(MEM_NEW(dealt, all));
    GO(MEM_NEW(taken, cut->parts));
    for (int m = 0; m <= p; m++) {
        int run = grid_run(cut, m), count = p + 1 - m;
        for (int k = 0; k < count; k += run)
            tile[n++] = (struct grid_tile){
                m, m + k, count - k < run ? count - k : run,
                mesh + (m ? k : k / 2)};
        mesh += m ? count : (count + 1) / 2;
    }
    qsort(tile, (size_t)n, sizeof *tile, grid_heavier);
    for (int i = 0; i < n; i++) {
        int part = grid_snake(i, cut->parts), team = taken[part]++;
        int whole = team / SCHEDULERS * SCHEDULERS + SCHEDULERS <= cut->teams;
        if (whole)
            team = team / SCHEDULERS * SCHEDULERS
                   + grid_snake(team, SCHEDULERS);
        dealt[part * cut->teams + team] = tile[i];
    }
    GO(buf_alloc(&s->tile, s->args.device, 16 * all));
    GO(buf_upload(&s->tile, 0, dealt, 16 * all));
done:
    mem_free(tile);
    mem_free(dealt);
    mem_free(taken);
    return status;
}

/* What grid_field is given beside fields: places of modes, and where their
 * numbers go with which factor. */
static farsum_status grid_field_tables(const struct state *s,
                                       const int32_t *rank, struct buf *place,
                                       struct buf *number, struct buf *factor)
{
    const struct boxes_args *a = &s->args;
    farsum_status status = FARSUM_OK;
    int q = 2 * a->p, size = multipole_size(q);
    int64_t halves = s->cut.half[0] + s->cut.half[1] + s->cut.half[2];
    int32_t *to = NULL;
    double *f = NULL;
    GO(MEM_RAW(to, size));
    GO(MEM_RAW(f, size));
    for (int n = 0; n <= q; n++)
        for (int m = -n; m <= n; m++) {
            int k = multipole_at(n, m), order = abs(m);
            int first = 2 * (order * (q + 1) - order * (order - 1) / 2);
            to[k] = first + (m < 0 ? q + 1 - order : 0) + n - order;
            f[k] = grid_scale(a->p, n, order);
        }
    GO(buf_alloc(place, a->device, 4 * halves));
    GO(buf_upload(place, 0, rank, 4 * halves));
    GO(buf_alloc(number, a->device, 4 * size));
    GO(buf_upload(number, 0, to, 4 * size));
    GO(buf_alloc(factor, a->device, size * gpu_real(a->precision)));
    GO(boxes_gpu_upload(factor, a->precision, 0, f, size));
done:
    mem_free(to);
    mem_free(f);
    return status;
}

/* The field in modes, to blocks of them. */
static farsum_status grid_field(struct state *s, const int32_t *rank)
{
    const struct boxes_args *a = &s->args;
    const struct grid_cut *cut = &s->cut;
    farsum_status status = FARSUM_OK;
    int64_t real = gpu_real(a->precision), size = multipole_size(2 * a->p);
    int64_t mesh[3], all = 1;
    double points = 1;
    struct buf some = {0}, place = {0}, number = {0}, factor = {0};
    void *symbol = NULL;
    for (int c = 0; c < 3; c++) {
        mesh[c] = cut->mesh[c];
        points *= cut->mesh[c];
        all *= cut->half[c];
    }
    GO(mem_alloc(&symbol, all, (size_t)(size * real), 0));
    /* two real numbers are halves of a complex one */
    GO(lattice_symbol(a, mesh, 0.5 / points, symbol));
    GO(grid_field_tables(s, rank, &place, &number, &factor));
    GO(buf_alloc(&s->field, a->device, grid_field_reals(a, cut) * real));
    GO(buf_fill(&s->field, 0));
    GO(buf_alloc(&some, a->device, size * real * (all < TURN ? all : TURN)));
    for (int64_t first = 0; first < all; first += TURN) {
        int64_t n = all - first < TURN ? all - first : TURN;
        GO(buf_upload(&some, 0, (char *)symbol + first * size * real,
                      n * size * real));
        GO(LAUNCH(&s->field_in, kernel_groups(&s->field_in, n * size),
                  ARG_BUF(&some), ARG_BUF(&s->field), ARG_BUF(&place),
                  ARG_BUF(&number), ARG_BUF(&factor), ARG_I64(first),
                  ARG_I64(n)));
    }
    GO(device_finish(a->device));
done:
    buf_clear(&some);
    buf_clear(&place);
    buf_clear(&number);
    buf_clear(&factor);
    mem_free(symbol);
    return status;
}

static void grid_define(struct jit *jit, const struct state *s)
{
    const struct grid_cut *cut = &s->cut;
    for (int c = 0; c < 3; c++) {
        const char names[4][3] = {{'N', "XYZ"[c]}, {'R', "XYZ"[c]},
                                  {"XYZ"[c], '1'}, {"XYZ"[c], '2'}};
        jit_define(jit, names[0], "%d", cut->mesh[c]);
        jit_define(jit, names[1], "%d", (int)s->args.root[c]);
        jit_define(jit, names[2], "%d", cut->factor[c][0]);
        jit_define(jit, names[3], "%d", cut->factor[c][1]);
    }
    jit_define(jit, "P", "%d", s->args.p);
    jit_define(jit, "GROUP", "%d", cut->group);
    jit_define(jit, "BLOCKS", "%d", cut->blocks);
    jit_define(jit, "COLUMNS", "%d", cut->columns);
    jit_define(jit, "RUN", "%d", cut->run);
    jit_define(jit, "TEAMS", "%d", cut->teams);
    jit_define(jit, "PARTS", "%d", cut->parts);
}

static farsum_status grid_kernels(struct state *s)
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
    return jit_kernel(jit, "grid_modes", LANES * cut->teams, 0, &s->modes);
}

static farsum_status grid_create(const void *args, void **state)
{
    const struct boxes_args *a = args;
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    int32_t *rank = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *a;
    s->args.threads = a->threads > 1 ? a->threads : 1;
    if (!grid_cut(a, &s->cut))
        GO_FAIL(ERR_STATE, "gpu_grid: made for a mesh that it does not fit");
    int64_t bytes = grid_reals(&s->cut) * gpu_real(a->precision);
    GO(MEM_RAW(rank, s->cut.half[0] + s->cut.half[1] + s->cut.half[2]));
    GO(grid_kernels(s));
    GO(grid_numbers(s));
    GO(grid_axes(s, rank));
    GO(grid_tiles(s));
    GO(grid_field(s, rank));
    GO(buf_alloc(&s->data, a->device, bytes));
    GO(buf_fill(&s->data, 0));
    if (s->cut.parts > 1) {
        GO(buf_alloc(&s->more, a->device, bytes));
        GO(buf_fill(&s->more, 0));
    }
    *state = s;
    s = NULL;
done:
    mem_free(rank);
    grid_destroy(s);
    return status;
}

static farsum_status grid_run_all(void *state, const void *data)
{
    struct state *s = state;
    const struct boxes_io *io = data;
    const struct grid_cut *cut = &s->cut;
    struct buf *back = cut->parts > 1 ? &s->more : &s->data;
    int64_t planes = cut->meshes * s->args.root[2];
    int64_t columns = (4 * cut->places + cut->columns - 1) / cut->columns;
    int64_t blocks = (cut->modes + LANES - 1) / LANES;
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
