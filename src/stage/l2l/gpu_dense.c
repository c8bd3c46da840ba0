/* gpu_dense: one dense operator for all octants, whose mirror images they are:
 * sums by the class of columns, combined by signs; (p + 1)^4/2 multiply-adds a
 * box that has children. */
#include "base/mem.h"
#include "stage/boxes_gpu.h"
#include "stage/gpu.h"
#include "stage/gpu_rates.h"

enum { TEAMS_MOST = 8, ROWS = 4 };

/* As gpu_dense.k has it. */
struct l2l_args {
    int64_t stride, parent, child, parents;
};
_Static_assert(sizeof(struct l2l_args) == 32, "as the kernel has it");

/* How the kernel is cut. */
struct l2l_cut {
    int tiles, teams, parts;
};

struct state {
    struct boxes_args args;
    struct jit jit;
    struct kernel kernel;
    struct l2l_cut how;
    struct buf cut, operators; /* owned: as the kernel has them */
};

static struct l2l_cut l2l_cut(const struct boxes_args *a)
{
    struct l2l_cut how = {
        .tiles = (multipole_size(a->p) + ROWS - 1) / ROWS};
    int most = a->device ? a->device->facts.group_max / BOXES_LANES : 1;
    most = most < 1 ? 1 : most < TEAMS_MOST ? most : TEAMS_MOST;
    how.parts = (how.tiles + most - 1) / most;
    how.teams = (how.tiles + how.parts - 1) / how.parts;
    return how;
}

/* All columns, though most tiles have fewer. */
static int64_t l2l_operator_reals(const struct boxes_args *a)
{
    return (int64_t)l2l_cut(a).tiles * ROWS * multipole_size(a->p);
}

static int64_t l2l_cut_numbers(const struct boxes_args *a)
{
    return l2l_cut(a).tiles * 9 + 8 + 2 * (int64_t)multipole_size(a->p);
}

static farsum_status l2l_fits(const void *args)
{
    const struct boxes_args *a = args;
    TRY(boxes_gpu_fits(a, MULTIPOLE_MOST));
    return boxes_gpu_room(a, gpu_real(a->precision) * l2l_operator_reals(a));
}

static int64_t l2l_bytes(const void *args)
{
    const struct boxes_args *a = args;
    return gpu_real(a->precision) * l2l_operator_reals(a)
           + 4 * l2l_cut_numbers(a);
}

static double l2l_cost(const void *args)
{
    const struct boxes_args *a = args;
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    double boxes = (double)(boxes_gpu_boxes(a) - boxes_gpu_level(a, a->depth));
    double size = multipole_size(a->p), reals = (double)l2l_operator_reals(a);
    /* columns are read for each tile, children added to */
    double work = boxes * (1.2 * reals + 40 * size);
    return work / (0.12 * rates.flops) /* as measured */
           + boxes * 17 * size * gpu_real(a->precision) / (0.7 * rates.bytes)
           + a->depth * (rates.launch + 4e-6);
}

static void l2l_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    if (s->jit.device)
        jit_clear(&s->jit);
    buf_clear(&s->cut);
    buf_clear(&s->operators);
    mem_free(s);
}

/* Columns by class, and by degree in it. */
static void l2l_columns(const struct boxes_args *a, int32_t *end,
                        int32_t *column, int32_t *class)
{
    int at = 0;
    for (int c = 0; c < 8; c++) {
        for (int n = 0; n <= a->p; n++)
            for (int m = -n; m <= n; m++)
                if (boxes_class(n, m) == c) {
                    class[multipole_at(n, m)] = c;
                    column[at++] = multipole_at(n, m);
                }
        end[c] = at;
    }
}

/* One tile's columns and operator; how many numbers that has. */
static int64_t l2l_tile(const struct boxes_args *a, int tile, const double *t,
                        const int32_t *end, const int32_t *column,
                        int32_t *begin, double *packed)
{
    int size = multipole_size(a->p), degree = multipole_degree(ROWS * tile);
    int64_t n = 0;
    for (int c = 0; c < 8; c++) {
        int j = c ? end[c - 1] : 0;
        while (j < end[c] && column[j] < degree * degree)
            j++;
        begin[c] = j;
        for (; j < end[c]; j++)
            for (int i = ROWS * tile; i < ROWS * tile + ROWS; i++)
                packed[n++] = i < size ? t[(int64_t)i * size + column[j]] : 0;
    }
    return n;
}

static farsum_status l2l_make(struct state *s, const double *t)
{
    const struct boxes_args *a = &s->args;
    farsum_status status = FARSUM_OK;
    int64_t numbers = l2l_cut_numbers(a), at = 0;
    int64_t reals = l2l_operator_reals(a);
    int tiles = s->how.tiles;
    int32_t *cut = NULL;
    double *packed = NULL;
    GO(MEM_RAW(cut, numbers));
    GO(MEM_RAW(packed, reals));
    int32_t *end = cut + 9 * tiles, *column = end + 8;
    l2l_columns(a, end, column, column + multipole_size(a->p));
    for (int tile = 0; tile < tiles; tile++) {
        cut[tile] = (int32_t)(at / ROWS);
        at += l2l_tile(a, tile, t, end, column, cut + tiles + 8 * tile,
                       packed + at);
    }
    GO(buf_alloc(&s->cut, a->device, 4 * numbers));
    GO(buf_upload(&s->cut, 0, cut, 4 * numbers));
    GO(buf_alloc(&s->operators, a->device, gpu_real(a->precision) * reals));
    GO(boxes_gpu_upload(&s->operators, a->precision, 0, packed, at));
done:
    mem_free(cut);
    mem_free(packed);
    return status;
}

static farsum_status l2l_create(const void *args, void **state)
{
    const struct boxes_args *a = args;
    farsum_status status = FARSUM_OK;
    int64_t size = multipole_size(a->p);
    struct state *s = NULL;
    double *t = NULL, d[3];
    GO(MEM_NEW(s, 1));
    s->args = *a;
    s->how = l2l_cut(a);
    GO(MEM_RAW(t, size * size));
    boxes_child(a, 0, d);
    multipole_l2l(a->p, d, 0.5, t);
    GO(l2l_make(s, t));
    jit_begin(&s->jit, a->device, "stage/l2l/gpu_dense.k", a->precision);
    jit_define(&s->jit, "K", "%d", (int)size);
    jit_define(&s->jit, "TILES", "%d", s->how.tiles);
    jit_define(&s->jit, "TEAMS", "%d", s->how.teams);
    jit_define(&s->jit, "PARTS", "%d", s->how.parts);
    jit_define(&s->jit, "LANES", "%d", BOXES_LANES);
    GO(jit_build(&s->jit));
    GO(jit_kernel(&s->jit, "l2l_dense", BOXES_LANES * s->how.teams, 0,
                  &s->kernel));
    *state = s;
    s = NULL;
done:
    mem_free(t);
    l2l_destroy(s);
    return status;
}

static farsum_status l2l_run(void *state, const void *data)
{
    struct state *s = state;
    const struct boxes_io *io = data;
    const struct tree *tree = io->tree;
    TRY(boxes_gpu_same(&s->args, io));
    for (int level = 0; level < tree->depth; level++) {
        const struct l2l_args args = {io->stride, tree->first[level],
                                      tree->first[level + 1],
                                      tree_boxes(tree, level)};
        int64_t groups = (args.parents + BOXES_LANES - 1) / BOXES_LANES;
        TRY(LAUNCH(&s->kernel, groups * s->how.parts, ARG_BUF(io->local),
                   ARG_BUF(&s->operators), ARG_BUF(&s->cut),
                   ARG_STRUCT(args)));
    }
    return FARSUM_OK;
}

const struct variant l2l_gpu_dense = {
    .fits = l2l_fits,
    .cost = l2l_cost,
    .bytes = l2l_bytes,
    .create = l2l_create,
    .run = l2l_run,
    .destroy = l2l_destroy,
    .deterministic = 1,
    .needs = "a device",
};
