/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_walsh: dense operators of the 56 (ws = 1) difference vectors without
 * signs.  Each block of a parity is applied once for up to eight boxes, whose
 * multipoles are combined by Walsh-Hadamard transforms.  39.5 (p + 1)^4
 * multiply-adds per box instead of 189 (p + 1)^4; no other portable variant has
 * as few up to p = 12. */
#include <stdlib.h>

#include "base/mem.h"
#include "points/wrap.h"
#include "stage/expansions/device.h"
#include "stage/device.h"
#include "cost/expected_rates.h"

/* CHUNK as in gpu_walsh.k. */
enum { ORDER_MOST = 40, TEAMS_MOST = 16, CHUNK = 4 };

struct state {
    struct boxes_gpu gpu; /* owned */
    struct buf zero, cut; /* owned: as in the kernel */
    struct kernel kernel;
    int64_t operators;
};

/* Parameters of the kernel. */
struct walsh_cut {
    int rows, tiles, boxes;
    struct boxes_gpu_deal deal;
};

/* Coefficients per class. */
static void walsh_sizes(int p, int size[8])
{
    for (int c = 0; c < 8; c++)
        size[c] = 0;
    for (int n = 0; n <= p; n++)
        for (int m = -n; m <= n; m++)
            size[boxes_class(n, m)]++;
}

/* Padding rows cost as much as others; a tile reads its columns of W. */
static struct walsh_cut walsh_cut(const struct boxes_args *a)
{
    struct walsh_cut cut = {0};
    double least = 0;
    int size[8];
    walsh_sizes(a->p, size);
    for (int rows = 4; rows <= 16; rows += 4) {
        int tiles = 0;
        for (int c = 0; c < 8; c++)
            tiles += (size[c] + rows - 1) / rows;
        double cost = tiles * (rows + 4.0);
        if (cut.rows == 0 || cost <= least) {
            least = cost;
            cut.rows = rows;
            cut.tiles = tiles;
        }
    }
    cut.deal = boxes_gpu_deal(a, cut.tiles, TEAMS_MOST);
    cut.boxes =
        boxes_gpu_thread(a, a->precision == FARSUM_F32 ? 4 : 2, cut.deal.parts);
    return cut;
}

/* Number of difference vectors without signs. */
static int64_t walsh_operators(int ws)
{
    int64_t side = 2 * ws + 2, near = ws + 1;
    return side * side * side - near * near * near;
}

static int64_t walsh_operator_reals(const struct boxes_args *a)
{
    struct walsh_cut cut = walsh_cut(a);
    return (int64_t)cut.tiles * cut.rows * multipole_size(a->p);
}

static int64_t walsh_operator_bytes(const struct boxes_args *a)
{
    return boxes_real(a) * walsh_operators(a->ws) * walsh_operator_reals(a);
}

static int64_t walsh_cut_numbers(const struct boxes_args *a,
                                 const struct walsh_cut *cut)
{
    return cut->tiles * (1 + cut->rows) + multipole_size(a->p) + 9;
}

static farsum_status walsh_fits(const void *args)
{
    const struct boxes_args *a = args;
    TRY(boxes_gpu_fits_any(a, ORDER_MOST));
    int64_t width = walsh_cut(a).boxes * BOXES_LANES;
    TRY(gpu_local_fits(a->device, 8 * width * (2 * CHUNK * boxes_real(a) + 4)));
    return boxes_gpu_fits_memory(a, walsh_operator_bytes(a));
}

static int64_t walsh_bytes(const void *args)
{
    const struct boxes_args *a = args;
    struct walsh_cut cut = walsh_cut(a);
    return walsh_operator_bytes(a) + boxes_gpu_list_bytes(a)
           + 4 * walsh_cut_numbers(a, &cut) + 4 * 65 * walsh_operators(a->ws);
}

/* Blocks that are not zero by symmetry: 39.5 K^2 for ws = 1, with padding
 * rows. */
static double walsh_fma(const struct boxes_args *a)
{
    double boxes = (double)boxes_gpu_below(a);
    /* an axis's; the difference 0 counts half */
    double all = 2 * a->ws + 1.5, near = a->ws + 0.5;
    return boxes * (all * all * all - near * near * near)
           * (double)walsh_operator_reals(a);
}

static double walsh_adds(const struct boxes_args *a)
{
    double boxes = (double)boxes_gpu_below(a);
    return boxes * (double)walsh_operators(a->ws) * 24 * multipole_size(a->p)
           * walsh_cut(a).deal.parts;
}

/* As measured on an H200, orders 4 to 20, depths 5 to 7. */
static double walsh_cost(const void *args)
{
    const struct boxes_args *a = args;
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    return (walsh_fma(a) + walsh_adds(a)) / (0.12 * rates.flops) + 2e-5;
}

static void walsh_work(const void *args, struct work *work)
{
    const struct boxes_args *a = args;
    double boxes = (double)boxes_gpu_boxes(a), size = multipole_size(a->p);
    count_calls(&work->count, COUNT_FMA, walsh_fma(a));
    count_calls(&work->count, COUNT_ADD, walsh_adds(a));
    work->read +=
        (double)boxes_real(a) * boxes * size + (double)walsh_operator_bytes(a);
    work->written += (double)boxes_real(a) * boxes * size;
    work->launches += 1;
}

static void walsh_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    buf_clear(&s->zero);
    buf_clear(&s->cut);
    boxes_gpu_clear(&s->gpu);
    mem_free(s);
}

/* Classes of tiles, rows of tiles, columns, and where their classes begin. */
static void walsh_tables(int p, const struct walsh_cut *cut, int32_t *to)
{
    int32_t *class = to, *row = class + cut->tiles;
    int32_t *column = row + cut->tiles * cut->rows;
    int32_t *begin = column + multipole_size(p);
    int tile = 0, columns = 0;
    for (int c = 0; c < 8; c++) {
        int in = 0;
        begin[c] = columns;
        for (int n = 0; n <= p; n++)
            for (int m = -n; m <= n; m++)
                if (boxes_class(n, m) == c) {
                    column[columns++] = multipole_at(n, m);
                    row[tile * cut->rows + in++] = multipole_at(n, m);
                }
        while (in % cut->rows)
            row[tile * cut->rows + in++] = -1;
        for (int t = 0; t < in / cut->rows; t++)
            class[tile++] = c;
    }
    begin[8] = columns;
}

/* The operator of a difference as the kernel reads it.  workspace: of the
 * field, the operator, and the uploaded form. */
static farsum_status walsh_operator(struct state *s,
                                    const struct walsh_cut *cut,
                                    const int32_t *tables, const int32_t d[3],
                                    int64_t number, double *workspace)
{
    const struct boxes_args *a = &s->gpu.args;
    int64_t size = multipole_size(a->p), reals = walsh_operator_reals(a);
    const int32_t *row = tables + cut->tiles;
    const int32_t *column = row + cut->tiles * cut->rows;
    double *field = workspace, *t = field + multipole_size(2 * a->p);
    double *packed = t + size * size, *to = packed;
    boxes_gpu_operator(a, d, field, t);
    for (int tile = 0; tile < cut->tiles; tile++)
        for (int64_t k = 0; k < size; k++)
            for (int i = 0; i < cut->rows; i++) {
                int32_t at = row[tile * cut->rows + i];
                *to++ = at < 0 ? 0 : t[at * size + column[k]];
            }
    return boxes_gpu_upload(&s->gpu.operators, a->precision, number * reals,
                            packed, reals);
}

/* Numbers the differences without signs, in the order x, y, z; -1: near. */
static int64_t walsh_number(int ws, int32_t *number, int32_t (*d)[3])
{
    int side = 2 * ws + 2;
    int64_t n = 0;
    for (int i = 0; i < side * side * side; i++) {
        int32_t at[3] = {i % side, i / side % side, i / side / side};
        number[i] = boxes_far(ws, at) ? (int32_t)n : -1;
        if (number[i] < 0)
            continue;
        for (int x = 0; x < 3; x++)
            d[n][x] = at[x];
        n++;
    }
    return n;
}

static void walsh_list(int ws, int64_t operators, const int32_t *number,
                       struct boxes_far *far, int32_t *list)
{
    int side = 2 * ws + 2;
    for (int64_t i = 0; i < 64 * operators; i++)
        list[i] = -1;
    for (int octant = 0; octant < 8; octant++) {
        int64_t n = boxes_gpu_far(ws, octant, far);
        for (int64_t l = 0; l < n; l++) {
            const int32_t *d = far[l].d;
            int image = (d[0] < 0) | (d[1] < 0) << 1 | (d[2] < 0) << 2;
            int at = (abs(d[2]) * side + abs(d[1])) * side + abs(d[0]);
            list[8 * (octant * operators + number[at]) + image] =
                far[l].octant + 8 * far[l].near;
        }
    }
}

static farsum_status walsh_send(struct state *s, struct buf *buf,
                                const int32_t *from, int64_t n)
{
    TRY(buf_alloc(buf, s->gpu.args.device, 4 * n));
    return buf_upload(buf, 0, from, 4 * n);
}

static farsum_status walsh_lists(struct state *s, int32_t (*d)[3])
{
    int ws = s->gpu.args.ws;
    int64_t n = walsh_operators(ws), side = 2 * ws + 2;
    farsum_status status = FARSUM_OK;
    struct boxes_far *far = NULL;
    int32_t *number = NULL, *list = NULL;
    GO(MEM_RAW(far, boxes_gpu_far_most(ws)));
    GO(MEM_RAW(number, side * side * side));
    GO(MEM_RAW(list, 64 * n));
    s->operators = walsh_number(ws, number, d);
    walsh_list(ws, n, number, far, list);
    GO(walsh_send(s, &s->gpu.list, list, 64 * n));
    for (int64_t i = 0; i < n; i++)
        list[i] = (d[i][0] == 0) | (d[i][1] == 0) << 1 | (d[i][2] == 0) << 2;
    GO(walsh_send(s, &s->zero, list, n));
done:
    mem_free(far);
    mem_free(number);
    mem_free(list);
    return status;
}

static farsum_status walsh_prepare(struct state *s, const struct walsh_cut *cut)
{
    const struct boxes_args *a = &s->gpu.args;
    int64_t n = walsh_operators(a->ws), size = multipole_size(a->p);
    int64_t numbers = walsh_cut_numbers(a, cut);
    farsum_status status = FARSUM_OK;
    int32_t(*d)[3] = NULL, *tables = NULL;
    double *workspace = NULL;
    GO(MEM_RAW(d, n));
    GO(MEM_RAW(tables, numbers));
    GO(MEM_RAW(workspace, multipole_size(2 * a->p) + size * size
                              + walsh_operator_reals(a)));
    GO(walsh_lists(s, d));
    walsh_tables(a->p, cut, tables);
    GO(walsh_send(s, &s->cut, tables, numbers));
    GO(buf_alloc(&s->gpu.operators, a->device, walsh_operator_bytes(a)));
    for (int64_t i = 0; i < n; i++)
        GO(walsh_operator(s, cut, tables, d[i], i, workspace));
done:
    mem_free(d);
    mem_free(tables);
    mem_free(workspace);
    return status;
}

static farsum_status walsh_create(const void *args, void **state)
{
    const struct boxes_args *a = args;
    const struct walsh_cut cut = walsh_cut(a);
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    struct jit *jit;
    GO(MEM_NEW(s, 1));
    jit = &s->gpu.jit;
    GO(boxes_gpu_begin(&s->gpu, a, BOXES_LANES * cut.boxes, cut.deal.parts));
    GO(walsh_prepare(s, &cut));
    jit_begin(jit, a->device, "stage/m2l/walsh/gpu_walsh.k", a->precision);
    jit_define(jit, "K", "%d", multipole_size(a->p));
    jit_define(jit, "ROWS", "%d", cut.rows);
    jit_define(jit, "TILES", "%d", cut.tiles);
    jit_define(jit, "BOXES", "%d", cut.boxes);
    jit_define(jit, "TEAMS", "%d", cut.deal.teams);
    jit_define(jit, "PARTS", "%d", cut.deal.parts);
    jit_define(jit, "LANES", "%d", BOXES_LANES);
    jit_define(jit, "SPARSE", "%d", !a->dense);
    GO(jit_build(jit));
    GO(jit_kernel(jit, "m2l_walsh", BOXES_LANES * cut.deal.teams, 0,
                  &s->kernel));
    *state = s;
    s = NULL;
done:
    walsh_destroy(s);
    return status;
}

static farsum_status walsh_set(void *state, const struct points *source,
                               const struct points *target)
{
    struct state *s = state;
    (void)target;
    return boxes_gpu_set(&s->gpu, source->tree);
}

static farsum_status walsh_run(void *state, const void *data)
{
    struct state *s = state;
    const struct boxes_io *io = data;
    struct boxes_gpu *g = &s->gpu;
    TRY(boxes_gpu_io(g, io));
    if (g->groups == 0)
        return FARSUM_OK;
    return LAUNCH(&s->kernel, g->groups, ARG_BUF(io->multipole),
                  ARG_BUF(io->local), ARG_BUF(&g->operators), ARG_BUF(&g->list),
                  ARG_BUF(&s->zero), ARG_BUF(&s->cut),
                  ARG_BUF(boxes_gpu_near(g, io->tree)),
                  ARG_BUF(g->args.dense ? &g->near : &g->runs),
                  ARG_I32(s->operators), ARG_STRUCT(g->levels));
}

const struct variant m2l_gpu_walsh = {
    .fits = walsh_fits,
    .cost = walsh_cost,
    .bytes = walsh_bytes,
    .create = walsh_create,
    .set = walsh_set,
    .run = walsh_run,
    .destroy = walsh_destroy,
    .deterministic = 1,
    .needs = "a device",
    .work = walsh_work,
};
