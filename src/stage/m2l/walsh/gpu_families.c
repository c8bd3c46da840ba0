/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_families.c: families (parents with their eight children) and their
 * operators, math.md (10.28). */
#include "stage/m2l/walsh/gpu_families.h"

#include "base/mem.h"
#include "cost/expected_rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_X = 8, BLOCK_Y = 4, BLOCK_Z = 4 };
enum { SIDE_BY = 8, ABREAST = 32, TAKES = 8, GIVES = 8, ORDER_MOST = 40 };
enum { BATCH_BYTES = 1 << 30, TERMS = 27, PLACES = 64 };

int64_t walsh_families_pitch(const struct boxes_args *a)
{
    return FAMILY_CELLS + (a->precision == FARSUM_F32 ? 0 : 4);
}

/* Along axis 0 blocks leave out a rank's ghost layers, whose locals are not
 * needed. */
static int64_t blocks_along(const struct boxes_args *a, int level, int axis)
{
    static const int edge[3] = {BLOCK_X, BLOCK_Y, BLOCK_Z};
    int64_t ghosts = axis == 0 ? 2 * a->ghosts : 0;
    int64_t side = (a->root[axis] - ghosts) << level;
    return (side + edge[axis] - 1) / edge[axis];
}

int64_t walsh_families_blocks(const struct boxes_args *a)
{
    int64_t n = 0;
    for (int level = 0; level < a->depth; level++)
        n += blocks_along(a, level, 0) * blocks_along(a, level, 1)
             * blocks_along(a, level, 2);
    return n;
}

static int64_t operator_reals(const struct walsh_shape *s)
{
    return (int64_t)FAMILY_STEPS * s->k * s->tiles * s->pitch;
}

static int64_t operator_bytes(const struct boxes_args *a,
                              const struct walsh_shape *s)
{
    return 8 * boxes_real(a) * operator_reals(s);
}

/* Bytes of the arrays that hold a block's families and their sums. */
static int64_t block_bytes(const struct boxes_args *a,
                           const struct walsh_shape *s)
{
    return 8 * boxes_real(a)
           * (s->k * walsh_families_pitch(a)
              + (int64_t)s->tiles * s->rows * FAMILY_BLOCK);
}

double walsh_families_rounds(const struct boxes_args *a, int tiles)
{
    double groups = 8.0 * tiles * (double)walsh_families_blocks(a);
    double units =
        a->device->properties.units > 0 ? a->device->properties.units : 1;
    return groups > units ? ceil(groups / units) : 1;
}

/* Blocks at a time: all, or as many as the reserved memory holds, a whole
 * number per multiprocessor. */
static int64_t batch_blocks(const struct boxes_args *a,
                            const struct walsh_shape *s)
{
    int64_t all = walsh_families_blocks(a), units = a->device->properties.units;
    int64_t n = BATCH_BYTES / block_bytes(a, s);
    if (8 * n * s->tiles > units)
        n = 8 * n * s->tiles / units * units / (8 * s->tiles);
    return n < 1 ? 1 : n < all ? n : all > 0 ? all : 1;
}

farsum_status walsh_families_fits(const struct boxes_args *a,
                                  const struct walsh_shape *s)
{
    TRY(boxes_gpu_fits(a, ORDER_MOST));
    if (a->ws != 1)
        FAIL(ERR_UNSUPPORTED, "supports only separation 1 (ws)");
    if (a->depth < 1)
        FAIL(ERR_UNSUPPORTED,
             "no level has parents, so there is nothing to translate");
    TRY(boxes_gpu_fits_memory(a, operator_bytes(a, s)));
    return boxes_gpu_fits_memory(a, batch_blocks(a, s) * block_bytes(a, s));
}

int64_t walsh_families_bytes(const struct boxes_args *a,
                             const struct walsh_shape *s)
{
    return operator_bytes(a, s) + batch_blocks(a, s) * block_bytes(a, s)
           + 16 * walsh_families_blocks(a) + 4 * multipole_size(a->p)
           + boxes_gpu_list_bytes(a);
}

/* Multiply-adds of the products, padding included. */
static double families_fma(const struct boxes_args *a,
                           const struct walsh_shape *s)
{
    return 8.0 * FAMILY_STEPS * (double)walsh_families_blocks(a) * FAMILY_BLOCK
           * (double)s->k * s->tiles * s->rows;
}

/* Seconds to convert families and back; families are stored with surrounding
 * cells. */
static double families_moves(const struct boxes_args *a,
                             const struct walsh_shape *s,
                             const struct gpu_rates *rates)
{
    double blocks = (double)walsh_families_blocks(a);
    double boxes = (double)boxes_real(a) * (double)boxes_gpu_below(a);
    double batches = ceil(blocks / (double)batch_blocks(a, s));
    return (2 * blocks * (double)block_bytes(a, s)
            + 6 * boxes * multipole_size(a->p))
               / rates->bytes
           + 3 * batches * rates->launch;
}

double walsh_families_cost(const struct boxes_args *a,
                           const struct walsh_shape *s, double faster,
                           double step)
{
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    double units =
        a->device->properties.units > 0 ? a->device->properties.units : 1;
    double fma = (double)FAMILY_STEPS * FAMILY_BLOCK * s->rows * s->k;
    double steps = FAMILY_STEPS * ceil((double)s->k / s->chunk);
    double group = fma * units / (faster * rates.flops)
                   + steps * step * units / (132 * rates.share);
    return walsh_families_rounds(a, s->tiles) * group
           + families_moves(a, s, &rates) + 1e-5;
}

void walsh_families_work(const struct boxes_args *a,
                         const struct walsh_shape *s, struct work *work)
{
    double below = (double)boxes_gpu_below(a), size = multipole_size(a->p);
    count_calls(&work->count, COUNT_FMA, families_fma(a, s));
    count_calls(&work->count, COUNT_ADD,
                below * size * 3 * (1 + (double)FAMILY_CELLS / FAMILY_BLOCK));
    work->read +=
        (double)boxes_real(a) * below * size + (double)operator_bytes(a, s);
    work->written += (double)boxes_real(a) * below * size;
    work->launches += 3;
}

void walsh_families_clear(struct walsh_families *s)
{
    buf_clear(&s->blocks);
    buf_clear(&s->class_of);
    buf_clear(&s->families);
    buf_clear(&s->sums);
    boxes_gpu_clear(&s->gpu);
}

/* One product of an operator, by its difference without signs. */
struct term {
    int place; /* x + 4 y + 16 z */
    double factor;
};

/* Terms of one axis, |d| and factors.  near: the sources' parent is the
 * targets' own along it; row, column: 1 where the row's coefficient, seen from
 * Y, and the column's, seen from F, change sign between the children; mirror:
 * where the operator does between d and -d. */
static int axis_terms(int near, int row, int column, int mirror,
                      struct term term[3])
{
    double r = row ? -1 : 1, c = column ? -1 : 1, m = mirror ? -1 : 1;
    if (near) {
        term[0] = (struct term){0, 1 + r * c};
        term[1] = (struct term){1, r + c * m};
        return 2;
    }
    term[0] = (struct term){1, r * m};
    term[1] = (struct term){2, m * (1 + r * c)};
    term[2] = (struct term){3, c * m};
    return 3;
}

/* Terms for a row's class and a column's class, in step (f, w) of e. */
static int step_terms(int e, int f, int w, int row, int column,
                      struct term terms[TERMS])
{
    struct term axis[3][3];
    int count[3], n = 0;
    for (int x = 0; x < 3; x++)
        count[x] = axis_terms(!((f | w) >> x & 1), (e ^ row) >> x & 1,
                              (e ^ f ^ column) >> x & 1,
                              (row ^ column) >> x & 1, axis[x]);
    for (int i = 0; i < count[0]; i++)
        for (int j = 0; j < count[1]; j++)
            for (int k = 0; k < count[2]; k++) {
                const struct term *t[3] = {&axis[0][i], &axis[1][j],
                                           &axis[2][k]};
                double factor = t[0]->factor * t[1]->factor * t[2]->factor / 64;
                int far = t[0]->place > 1 || t[1]->place > 1 || t[2]->place > 1;
                if (factor != 0 && far)
                    terms[n++] = (struct term){t[0]->place + 4 * t[1]->place
                                                   + 16 * t[2]->place,
                                               factor};
            }
    return n;
}

/* The operator of a step, h[K][K]; t[PLACES][K][K]. */
static void step_operator(int p, int e, int f, int w, const int32_t *class_of,
                          const double *t, double *h)
{
    int64_t size = multipole_size(p);
    struct term terms[8][8][TERMS];
    int count[8][8];
    for (int r = 0; r < 8; r++)
        for (int c = 0; c < 8; c++)
            count[r][c] = step_terms(e, f, w, r, c, terms[r][c]);
    for (int64_t i = 0; i < size; i++)
        for (int64_t j = 0; j < size; j++) {
            int r = class_of[i], c = class_of[j];
            double sum = 0;
            for (int n = 0; n < count[r][c]; n++)
                sum += terms[r][c][n].factor
                       * t[terms[r][c][n].place * size * size + i * size + j];
            h[i * size + j] = sum;
        }
}

/* Index of element (row, coefficient) of a step, from its first. */
static int64_t step_at(const struct walsh_shape *s, int row, int k)
{
    if (s->each) {
        int team = s->rows / s->each;
        return (int64_t)k * s->pitch + row / s->each * (s->pitch / team)
               + row % s->each;
    }
    int lane = row % 8 * 4 + k % 4;
    return ((int64_t)(k / 8) * (s->rows / 8) + row / 8) * 64 + 2 * lane
           + k / 4 % 2;
}

/* Packs h into an e's operators at `to`; before: coefficients of its steps with
 * smaller f; of: steps with this f; nth: index of this step. */
static void step_pack(const struct boxes_args *a, const struct walsh_shape *s,
                      int before, int of, int nth, const double *h, double *to)
{
    int size = multipole_size(a->p);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) {
            int chunk = j / s->chunk, at = chunk * s->chunk;
            int length = s->k - at < s->chunk ? s->k - at : s->chunk;
            int64_t first = (int64_t)before * s->k + (int64_t)of * at
                            + (int64_t)nth * length;
            to[((int64_t)(i / s->rows) * FAMILY_STEPS * s->k + first) * s->pitch
               + step_at(s, i % s->rows, j - at)] = h[(int64_t)i * size + j];
        }
}

static void family_operators(const struct boxes_args *a,
                             const struct walsh_shape *s, int e,
                             const int32_t *class_of, const double *t,
                             double *h, double *to)
{
    int before = 0;
    for (int64_t i = 0; i < operator_reals(s); i++)
        to[i] = 0;
    for (int f = 0; f < 8; f++) {
        int free = 7 ^ f, nth = 0;
        int of = (1 << __builtin_popcount((unsigned)free)) - (f == 0);
        for (int w = f == 0; w < 8; w++) {
            if (w & f)
                continue;
            step_operator(a->p, e, f, w, class_of, t, h);
            step_pack(a, s, before, of, nth++, h, to);
        }
        before += of;
    }
}

static farsum_status families_operators(struct walsh_families *s,
                                        const int32_t *class_of)
{
    const struct boxes_args *a = &s->gpu.args;
    int64_t size = multipole_size(a->p), reals = operator_reals(&s->shape);
    farsum_status status = FARSUM_OK;
    double *t = NULL, *h = NULL, *to = NULL, *field = NULL;
    GO(MEM_RAW(t, PLACES * size * size));
    GO(MEM_RAW(h, size * size));
    GO(MEM_RAW(to, reals));
    GO(MEM_RAW(field, multipole_size(2 * a->p)));
    for (int i = 0; i < PLACES; i++) {
        const int32_t d[3] = {i % 4, i / 4 % 4, i / 16};
        if (boxes_far(1, d))
            boxes_gpu_operator(a, d, field, t + i * size * size);
    }
    GO(buf_alloc(&s->gpu.operators, a->device, operator_bytes(a, &s->shape)));
    for (int e = 0; e < 8; e++) {
        family_operators(a, &s->shape, e, class_of, t, h, to);
        GO(boxes_gpu_upload(&s->gpu.operators, a->precision, e * reals, to,
                            reals));
    }
done:
    mem_free(t);
    mem_free(h);
    mem_free(to);
    mem_free(field);
    return status;
}

/* A block's level and first position, and the index of that parent in a dense
 * tree (points/tree/tree_set.h). */
struct block {
    int64_t number;
    int32_t place[4];
};

static struct block block_at(const struct boxes_args *a, int level, int64_t i)
{
    static const int edge[3] = {BLOCK_X, BLOCK_Y, BLOCK_Z};
    struct block b = {.place = {level}};
    int64_t above = a->root[0] * a->root[1] * a->root[2];
    for (int d = 0; d < 3; d++) {
        int64_t n = blocks_along(a, level, d);
        int64_t first = d == 0 ? a->ghosts << level : 0;
        b.place[1 + d] = (int32_t)(first + i % n * edge[d]);
        i /= n;
    }
    for (int bit = level - 1; bit >= 0; bit--, above *= 8)
        for (int d = 0; d < 3; d++)
            b.number += (b.place[1 + d] >> bit & 1) * above << d;
    b.number += ((b.place[3] >> level) * a->root[1] + (b.place[2] >> level))
                    * a->root[0]
                + (b.place[1] >> level);
    return b;
}

/* Sorts blocks: those of the last level, most of which are full, first; blocks
 * with adjacent parents one after another. */
static int block_order(const void *left, const void *right)
{
    const struct block *l = left, *r = right;
    if (l->place[0] != r->place[0])
        return l->place[0] > r->place[0] ? -1 : 1;
    return l->number < r->number ? -1 : l->number > r->number;
}

static farsum_status families_cut(const struct boxes_args *a, int64_t n,
                                  int32_t *to)
{
    struct block *blocks = NULL;
    int64_t at = 0;
    TRY(MEM_RAW(blocks, n));
    for (int level = 0; level < a->depth; level++) {
        int64_t of = blocks_along(a, level, 0) * blocks_along(a, level, 1)
                     * blocks_along(a, level, 2);
        for (int64_t i = 0; i < of; i++)
            blocks[at++] = block_at(a, level, i);
    }
    if (n > 0)
        qsort(blocks, (size_t)n, sizeof *blocks, block_order);
    for (int64_t i = 0; i < n; i++)
        memcpy(to + 4 * i, blocks[i].place, sizeof blocks[i].place);
    mem_free(blocks);
    return FARSUM_OK;
}

static farsum_status families_send(struct walsh_families *s, struct buf *buf,
                                   const int32_t *from, int64_t n)
{
    TRY(buf_alloc(buf, s->gpu.args.device, 4 * n));
    return n > 0 ? buf_upload(buf, 0, from, 4 * n) : FARSUM_OK;
}

static farsum_status families_prepare(struct walsh_families *s)
{
    const struct boxes_args *a = &s->gpu.args;
    const struct walsh_shape *shape = &s->shape;
    farsum_status status = FARSUM_OK;
    int32_t *class_of = NULL, *blocks = NULL;
    int64_t each = boxes_real(a) * 8 * s->batch;
    GO(MEM_RAW(class_of, multipole_size(a->p)));
    GO(MEM_RAW(blocks, 4 * s->n_blocks));
    for (int n = 0; n <= a->p; n++)
        for (int m = -n; m <= n; m++)
            class_of[multipole_at(n, m)] = boxes_class(n, m);
    GO(families_cut(a, s->n_blocks, blocks));
    GO(families_send(s, &s->blocks, blocks, 4 * s->n_blocks));
    GO(families_send(s, &s->class_of, class_of, multipole_size(a->p)));
    GO(buf_alloc(&s->families, a->device,
                 each * shape->k * walsh_families_pitch(a)));
    GO(buf_alloc(&s->sums, a->device,
                 each * shape->tiles * shape->rows * FAMILY_BLOCK));
    GO(families_operators(s, class_of));
done:
    mem_free(class_of);
    mem_free(blocks);
    return status;
}

farsum_status walsh_families_begin(struct walsh_families *s,
                                   const struct boxes_args *a,
                                   const struct walsh_shape *shape,
                                   int products)
{
    struct jit *jit = &s->gpu.jit;
    s->shape = *shape;
    TRY(boxes_gpu_begin(&s->gpu, a, BOXES_LANES, 1));
    s->n_blocks = walsh_families_blocks(a);
    s->batch = batch_blocks(a, shape);
    TRY(families_prepare(s));
    jit_begin(jit, a->device,
              "stage/m2l/walsh/gpu_walsh_families.k", a->precision);
    jit_define(jit, "K", "%d", multipole_size(a->p));
    jit_define(jit, "KPAD", "%d", shape->k);
    jit_define(jit, "ROWS", "%d", shape->rows);
    jit_define(jit, "TILES", "%d", shape->tiles);
    jit_define(jit, "TAKES", "%d", TAKES);
    jit_define(jit, "GIVES", "%d", GIVES);
    jit_define(jit, "PRODUCTS", "%d", products);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "m2l_families_take", SIDE_BY * ABREAST, 0, &s->take));
    return jit_kernel(jit, "m2l_families_give", SIDE_BY * ABREAST, 0, &s->give);
}

static farsum_status families_batch(struct walsh_families *s,
                                    const struct boxes_io *io,
                                    struct families f)
{
    const struct walsh_shape *shape = &s->shape;
    int64_t octets = (f.blocks + SIDE_BY - 1) / SIDE_BY;
    int64_t size = multipole_size(s->gpu.args.p);
    TRY(LAUNCH(&s->take,
               (FAMILY_CELLS + ABREAST - 1) / ABREAST * octets
                   * ((shape->k + TAKES - 1) / TAKES),
               ARG_BUF(io->multipole), ARG_BUF(&s->families),
               ARG_BUF(&s->blocks), ARG_BUF(&s->class_of), ARG_STRUCT(f),
               ARG_STRUCT(s->gpu.levels)));
    TRY(LAUNCH(&s->products, (int64_t)8 * shape->tiles * f.blocks,
               ARG_BUF(&s->families), ARG_BUF(&s->sums),
               ARG_BUF(&s->gpu.operators), ARG_BUF(&s->blocks), ARG_STRUCT(f)));
    return LAUNCH(
        &s->give,
        FAMILY_BLOCK / ABREAST * octets * ((size + GIVES - 1) / GIVES),
        ARG_BUF(&s->sums), ARG_BUF(io->local), ARG_BUF(&s->blocks),
        ARG_BUF(&s->class_of), ARG_STRUCT(f), ARG_STRUCT(s->gpu.levels));
}

farsum_status walsh_families_run(struct walsh_families *s,
                                 const struct boxes_io *io)
{
    struct families f = {.begin = 0};
    TRY(boxes_gpu_io(&s->gpu, io));
    for (int d = 0; d < 3; d++) {
        f.root[d] = (int32_t)s->gpu.args.root[d];
        f.periodic[d] = s->gpu.args.periodic[d] != 0;
    }
    for (int64_t at = 0; at < s->n_blocks; at += s->batch) {
        int64_t rest = s->n_blocks - at;
        f.begin = (int32_t)at;
        f.blocks = (int32_t)(rest < s->batch ? rest : s->batch);
        TRY(families_batch(s, io, f));
    }
    return FARSUM_OK;
}
