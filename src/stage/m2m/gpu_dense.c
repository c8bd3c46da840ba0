/* gpu_dense: one dense operator for all octants, whose mirror images they are:
 * the children's multipoles are combined by signs first; (p + 1)^4/2
 * multiply-adds a box that has children. */
#include <string.h>

#include "base/mem.h"
#include "stage/boxes_gpu.h"
#include "stage/gpu.h"
#include "stage/gpu_rates.h"

enum { TEAMS_MOST = 8, ROWS = 8, SMALL = 4 };

/* As gpu_dense.k has it. */
struct m2m_args {
    int64_t stride, parent, child, parents;
};
_Static_assert(sizeof(struct m2m_args) == 32, "as the kernel has it");

/* How the kernel is cut. */
struct m2m_cut {
    int rows, tiles, teams, parts;
};

struct state {
    struct boxes_args args;
    struct jit jit;
    struct kernel kernel;
    struct m2m_cut how;
    struct buf cut, operators; /* owned: as the kernel has them */
};

static struct m2m_cut m2m_cut(const struct boxes_args *a)
{
    struct m2m_cut how = {.rows = a->p < 3 ? SMALL : ROWS};
    int size[8] = {0};
    for (int n = 0; n <= a->p; n++)
        for (int m = -n; m <= n; m++)
            size[boxes_class(n, m)]++;
    for (int c = 0; c < 8; c++)
        how.tiles += (size[c] + how.rows - 1) / how.rows;
    int most = a->device ? a->device->facts.group_max / BOXES_LANES : 1;
    most = most < 1 ? 1 : most < TEAMS_MOST ? most : TEAMS_MOST;
    how.parts = (how.tiles + most - 1) / most;
    how.teams = (how.tiles + how.parts - 1) / how.parts;
    return how;
}

static int64_t m2m_operator_reals(const struct boxes_args *a)
{
    struct m2m_cut how = m2m_cut(a);
    return (int64_t)how.tiles * how.rows * multipole_size(a->p);
}

static int64_t m2m_cut_numbers(const struct boxes_args *a,
                               const struct m2m_cut *how)
{
    return how->tiles * (3 + (int64_t)how->rows) + multipole_size(a->p);
}

static farsum_status m2m_fits(const void *args)
{
    const struct boxes_args *a = args;
    TRY(boxes_gpu_fits(a, MULTIPOLE_MOST));
    return boxes_gpu_room(a, gpu_real(a->precision) * m2m_operator_reals(a));
}

static int64_t m2m_bytes(const void *args)
{
    const struct boxes_args *a = args;
    struct m2m_cut how = m2m_cut(a);
    return gpu_real(a->precision) * m2m_operator_reals(a)
           + 4 * m2m_cut_numbers(a, &how);
}

static double m2m_cost(const void *args)
{
    const struct boxes_args *a = args;
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    double boxes = (double)(boxes_gpu_boxes(a) - boxes_gpu_level(a, a->depth));
    double size = multipole_size(a->p), reals = (double)m2m_operator_reals(a);
    /* a column is read and combined for each tile */
    double work = boxes * (0.7 * reals + 12 * size * m2m_cut(a).tiles);
    return work / (0.1 * rates.flops) /* as measured */
           + boxes * 9 * size * gpu_real(a->precision) / (0.7 * rates.bytes)
           + a->depth * (rates.launch + 4e-6);
}

static void m2m_destroy(void *state)
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

/* One tile's rows, columns and operator. */
static int64_t m2m_tile(const struct boxes_args *a, const struct m2m_cut *how,
                        int tile, const double *t, const int32_t *row,
                        int32_t *cut, double *packed)
{
    int size = multipole_size(a->p), last = 0;
    for (int i = 0; i < how->rows; i++)
        last = row[i] > last ? row[i] : last;
    int degree = multipole_degree(last), end = multipole_size(degree);
    cut[how->tiles + tile] = end;
    for (int j = 0; j < end; j++)
        for (int i = 0; i < how->rows; i++)
            *packed++ = row[i] < 0 ? 0 : t[(int64_t)row[i] * size + j];
    return (int64_t)end * how->rows;
}

static farsum_status m2m_make(struct state *s, const double *t)
{
    const struct boxes_args *a = &s->args;
    const struct m2m_cut *how = &s->how;
    farsum_status status = FARSUM_OK;
    int64_t numbers = m2m_cut_numbers(a, how), at = 0;
    int64_t reals = m2m_operator_reals(a);
    int32_t *cut = NULL, *row;
    double *packed = NULL;
    GO(MEM_RAW(cut, numbers));
    GO(MEM_RAW(packed, reals));
    row = cut + 3 * how->tiles;
    for (int i = 0; i < how->tiles * how->rows; i++)
        row[i] = -1;
    int tile = -1;
    for (int c = 0; c < 8; c++) {
        int some = 0;
        for (int n = 0; n <= a->p; n++)
            for (int m = -n; m <= n; m++) {
                if (boxes_class(n, m) != c)
                    continue;
                if (some % how->rows == 0)
                    cut[++tile] = c;
                row[tile * how->rows + some++ % how->rows] =
                    multipole_at(n, m);
            }
    }
    for (tile = 0; tile < how->tiles; tile++) {
        cut[2 * how->tiles + tile] = (int32_t)(at / 4);
        at += m2m_tile(a, how, tile, t, row + tile * how->rows, cut,
                       packed + at);
    }
    int32_t *column = row + how->tiles * how->rows;
    for (int n = 0; n <= a->p; n++)
        for (int m = -n; m <= n; m++)
            column[multipole_at(n, m)] = boxes_class(n, m);
    GO(buf_alloc(&s->cut, a->device, 4 * numbers));
    GO(buf_upload(&s->cut, 0, cut, 4 * numbers));
    GO(buf_alloc(&s->operators, a->device, gpu_real(a->precision) * reals));
    GO(boxes_gpu_upload(&s->operators, a->precision, 0, packed, at));
done:
    mem_free(cut);
    mem_free(packed);
    return status;
}

static farsum_status m2m_create(const void *args, void **state)
{
    const struct boxes_args *a = args;
    farsum_status status = FARSUM_OK;
    int64_t size = multipole_size(a->p);
    struct state *s = NULL;
    double *t = NULL, d[3];
    GO(MEM_NEW(s, 1));
    s->args = *a;
    s->how = m2m_cut(a);
    GO(MEM_RAW(t, size * size));
    boxes_child(a, 0, d);
    multipole_m2m(a->p, d, 0.5, t);
    GO(m2m_make(s, t));
    jit_begin(&s->jit, a->device, "stage/m2m/gpu_dense.k", a->precision);
    jit_define(&s->jit, "ROWS", "%d", s->how.rows);
    jit_define(&s->jit, "TILES", "%d", s->how.tiles);
    jit_define(&s->jit, "TEAMS", "%d", s->how.teams);
    jit_define(&s->jit, "PARTS", "%d", s->how.parts);
    jit_define(&s->jit, "LANES", "%d", BOXES_LANES);
    GO(jit_build(&s->jit));
    GO(jit_kernel(&s->jit, "m2m_dense", BOXES_LANES * s->how.teams, 0,
                  &s->kernel));
    *state = s;
    s = NULL;
done:
    mem_free(t);
    m2m_destroy(s);
    return status;
}

static farsum_status m2m_run(void *state, const void *data)
{
    struct state *s = state;
    const struct boxes_io *io = data;
    const struct tree *tree = io->tree;
    TRY(boxes_gpu_same(&s->args, io));
    for (int level = tree->depth - 1; level >= 0; level--) {
        const struct m2m_args args = {io->stride, tree->first[level],
                                      tree->first[level + 1],
                                      tree_boxes(tree, level)};
        int64_t groups = (args.parents + BOXES_LANES - 1) / BOXES_LANES;
        TRY(LAUNCH(&s->kernel, groups * s->how.parts, ARG_BUF(io->multipole),
                   ARG_BUF(&s->operators), ARG_BUF(&s->cut),
                   ARG_STRUCT(args)));
    }
    return FARSUM_OK;
}

const struct variant m2m_gpu_dense = {
    .fits = m2m_fits,
    .cost = m2m_cost,
    .bytes = m2m_bytes,
    .create = m2m_create,
    .run = m2m_run,
    .destroy = m2m_destroy,
    .deterministic = 1,
    .needs = "a device",
};
