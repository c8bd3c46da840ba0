/* gpu_plane_wave: plane waves along the axes.  A multipole becomes the waves of
 * six directions, which go from box to box by a factor; waves of boxes side by
 * side are added before they go anywhere.  After L. Greengard, V. Rokhlin, Acta
 * Numerica 6 (1997) 229.  Exact to an eighth of what the order leaves out;
 * wins wherever that will do. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "points/points.h"
#include "math/plane_wave.h"
#include "stage/boxes_gpu.h"
#include "stage/gpu.h"
#include "stage/gpu_rates.h"

enum { ORDER_MOST = 40, MERGED = 28, BEGINS = 24, THREADS = 256, CHUNK = 64 };
#define ARENA_BEST (110 << 10) /* two groups on a multiprocessor */

struct state {
    struct boxes_gpu gpu; /* owned; operators: of waves out */
    struct plane_waves waves;
    struct buf in, shift, cut, order;      /* owned */
    struct buf multipoles, locals, merged; /* owned: rows and waves */
    struct kernel rows, columns, waves_out, waves_in;
    int64_t parents;
    int to_waves, from_waves; /* parents of a group */
};

/* How the kernels are cut: parents of a group, waves that it has at once,
 * parents whose numbers a thread has at once. */
struct wave_cut {
    int chunk;
    int in, in_group, in_blocks, slots;
    int out, out_group, out_blocks;
    int64_t in_arena, out_arena;
};

static int64_t wave_parents(const struct boxes_args *a)
{
    return boxes_gpu_above(a);
}

static farsum_status wave_choose(const struct boxes_args *a,
                                 struct plane_waves *waves)
{
    return plane_waves_choose(a->ws, a->box, plane_waves_field(a->p, a->ws),
                              waves);
}

/* Threads go round all numbers; each round's loads of factors cost too. */
static int wave_slots(const struct boxes_args *a, const struct wave_cut *cut)
{
    int size = multipole_size(a->p), best = 1;
    double least = 0;
    for (int slots = 1; slots <= cut->in && slots <= 4; slots *= 2) {
        int items = size * (cut->in / slots);
        int rounds = (items + cut->in_group - 1) / cut->in_group;
        double cost = rounds * (slots + 0.4);
        if (slots == 1 || cost < least) {
            least = cost;
            best = slots;
        }
    }
    return best;
}

static int wave_group(int parents, int chunk)
{
    return (parents * chunk + 31) / 32 * 32;
}

static struct wave_cut wave_cut(const struct boxes_args *a,
                                const struct plane_waves *waves)
{
    const struct device_facts *f = &a->device->facts;
    int64_t real = gpu_real(a->precision), size = multipole_size(a->p);
    int64_t most = f->local < ARENA_BEST ? f->local - 8192 : ARENA_BEST;
    int threads = f->group_max < THREADS ? f->group_max : THREADS;
    struct wave_cut cut = {.in = 4};
    int64_t held = (real == 4 ? 4 : 3) * threads; /* numbers in registers */
    while (cut.in > 1
           && (cut.in * size > held
               || wave_parents(a) < (int64_t)2 * cut.in * f->units))
        cut.in /= 2;
    for (;; cut.in /= 2) {
        int wide = threads / cut.in < CHUNK ? threads / cut.in : CHUNK;
        int chunks = (waves->quarter + wide - 1) / wide;
        cut.chunk = ((waves->quarter + chunks - 1) / chunks + 3) / 4 * 4;
        cut.in_arena = cut.in * real * 64 * cut.chunk;
        if (cut.in == 1 || cut.in_arena <= most)
            break;
    }
    cut.in_group = wave_group(cut.in, cut.chunk);
    cut.slots = wave_slots(a, &cut);
    cut.in_blocks = a->precision == FARSUM_F32 && cut.in_arena <= most ? 2 : 1;
    cut.out = cut.in;
    while (cut.out > 1 && cut.out * size * 8 * real > most)
        cut.out /= 2;
    cut.out_arena = cut.out * size * 8 * real;
    cut.out_group = wave_group(cut.out, cut.chunk);
    cut.out_blocks = cut.in_blocks;
    return cut;
}

static int64_t wave_operator_reals(const struct boxes_args *a,
                                   const struct plane_waves *waves)
{
    return 3 * (int64_t)waves->quarter * multipole_size(a->p);
}

static int64_t wave_merged_bytes(const struct boxes_args *a, int64_t parents,
                                 const struct plane_waves *waves)
{
    return parents * MERGED * 4 * waves->quarter * gpu_real(a->precision);
}

static farsum_status wave_fits(const void *args)
{
    const struct boxes_args *a = args;
    struct plane_waves waves;
    struct wave_cut cut;
    TRY(boxes_gpu_fits_any(a, ORDER_MOST));
    TRY(wave_choose(a, &waves));
    cut = wave_cut(a, &waves);
    TRY(gpu_local_fits(a->device, cut.in_arena + 8192));
    TRY(gpu_local_fits(a->device, cut.out_arena));
    return boxes_gpu_room(a, wave_merged_bytes(a, wave_parents(a), &waves));
}

static int64_t wave_bytes(const void *args)
{
    const struct boxes_args *a = args;
    struct plane_waves waves;
    if (wave_choose(a, &waves) != FARSUM_OK)
        return 0;
    int64_t real = gpu_real(a->precision), parents = wave_parents(a);
    return wave_merged_bytes(a, parents, &waves) + boxes_gpu_list_bytes(a)
           + real * (2 * wave_operator_reals(a, &waves) + 15 * waves.quarter)
           + parents * (2 * 8 * multipole_size(a->p) * real + 4);
}

/* Multiply-adds of a box: products, and what is turned and added: merged of 8
 * children, gathered from the parents near, given to 8 children. */
static void wave_ops(const struct boxes_args *a,
                     const struct plane_waves *waves, double *products,
                     double *turned)
{
    double side = 2 * a->ws + 1, wide = side + 1, near = a->ws;
    double boxes = 8.0 * (double)wave_parents(a);
    double reads = 4 * near * (side * side + 2 * side * wide + 4 * wide * wide);
    *products = 2 * boxes * (double)wave_operator_reals(a, waves);
    *turned = boxes / 8 * (8.0 * 2 * 2 + 2 * reads / 2 + 8.0 * 2 * 3) * 8
              * waves->quarter;
}

static double wave_traffic(const struct boxes_args *a,
                           const struct plane_waves *waves)
{
    double real = gpu_real(a->precision);
    return 2 * (double)wave_merged_bytes(a, wave_parents(a), waves)
           + 6 * 8 * (double)wave_parents(a) * multipole_size(a->p) * real;
}

/* Products at 0.4 of what the units do, bytes at 0.7 of what memory gives; and
 * by how much more it takes, the more the higher the order, as measured on an
 * H200, orders 4 to 20, depths 5 to 7. */
static double wave_cost(const void *args)
{
    const struct boxes_args *a = args;
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    struct plane_waves waves;
    double products, turned;
    if (wave_choose(a, &waves) != FARSUM_OK)
        return 1e30;
    wave_ops(a, &waves, &products, &turned);
    double more =
        a->precision == FARSUM_F32 ? 0.9 + 0.085 * a->p : 1.2 + 0.13 * a->p;
    return ((products + turned) / (0.4 * rates.flops)
            + wave_traffic(a, &waves) / (0.7 * rates.bytes))
               * more
           + 4 * rates.launch + 2e-5;
}

static void wave_work(const void *args, struct work *work)
{
    const struct boxes_args *a = args;
    struct plane_waves waves;
    double products, turned;
    if (wave_choose(a, &waves) != FARSUM_OK)
        return;
    wave_ops(a, &waves, &products, &turned);
    count_calls(&work->count, COUNT_FMA, products + turned);
    work->read += wave_traffic(a, &waves) / 2;
    work->written += wave_traffic(a, &waves) / 2;
    work->launches += 4;
}

static double wave_error(const void *args)
{
    struct plane_waves waves;
    return wave_choose(args, &waves) == FARSUM_OK ? plane_waves_error(&waves)
                                                  : 0;
}

static void wave_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    buf_clear(&s->in);
    buf_clear(&s->shift);
    buf_clear(&s->cut);
    buf_clear(&s->order);
    buf_clear(&s->multipoles);
    buf_clear(&s->locals);
    buf_clear(&s->merged);
    boxes_gpu_clear(&s->gpu);
    mem_free(s);
}

static farsum_status wave_send(struct state *s, struct buf *buf,
                               const int32_t *from, int64_t n)
{
    TRY(buf_alloc(buf, s->gpu.args.device, 4 * n));
    return buf_upload(buf, 0, from, 4 * n);
}

/* Numbers by class; what `cut` has in the kernels. */
static void wave_tables(int p, int32_t *cut)
{
    int size = multipole_size(p), begin[8], at = 0;
    for (int c = 0; c < 8; c++) {
        begin[c] = at;
        for (int n = 0; n <= p; n++)
            for (int m = -n; m <= n; m++)
                if (plane_waves_signs(n, m) == c) {
                    for (int axis = 0; axis < 3; axis++)
                        cut[(1 + axis) * size + at] =
                            plane_waves_class(axis, c);
                    cut[at++] = multipole_at(n, m);
                }
    }
    for (int axis = 0; axis < 3; axis++)
        for (int c = 0; c < 8; c++)
            cut[4 * size + 8 * axis + plane_waves_class(axis, c)] = begin[c];
}

/* out[axis][number][wave], in[axis][wave][number], numbers by class. */
static farsum_status wave_operators(struct state *s, const int32_t *number)
{
    const struct boxes_args *a = &s->gpu.args;
    int64_t n = s->waves.quarter, size = multipole_size(a->p);
    farsum_status status = FARSUM_OK;
    double *out = NULL, *in = NULL, *packed = NULL;
    GO(MEM_RAW(out, n * size));
    GO(MEM_RAW(in, n * size));
    GO(MEM_RAW(packed, n * (size + 5)));
    GO(buf_alloc(&s->gpu.operators, a->device,
                 3 * n * size * gpu_real(a->precision)));
    GO(buf_alloc(&s->in, a->device, 3 * n * size * gpu_real(a->precision)));
    GO(buf_alloc(&s->shift, a->device, 15 * n * gpu_real(a->precision)));
    for (int axis = 0; axis < 3; axis++) {
        GO(plane_waves_operators(&s->waves, a->p, a->ws, a->box, axis, out,
                                 in));
        for (int64_t q = 0; q < n; q++)
            for (int64_t k = 0; k < size; k++)
                packed[k * n + q] = out[q * size + number[k]];
        GO(boxes_gpu_upload(&s->gpu.operators, a->precision, axis * n * size,
                            packed, n * size));
        for (int64_t q = 0; q < n; q++)
            for (int64_t k = 0; k < size; k++)
                packed[q * size + k] = in[q * size + number[k]];
        GO(boxes_gpu_upload(&s->in, a->precision, axis * n * size, packed,
                            n * size));
        plane_waves_shifts(&s->waves, a->ws, a->box, axis, packed);
        GO(boxes_gpu_upload(&s->shift, a->precision, axis * 5 * n, packed,
                            5 * n));
    }
done:
    mem_free(out);
    mem_free(in);
    mem_free(packed);
    return status;
}

/* The box of a level whose number in Morton's order is i: octants' digits the
 * other way round. */
static int64_t wave_box(int64_t roots, int level, int64_t i)
{
    int64_t number = i >> 3 * level, above = roots;
    for (int l = level - 1; l >= 0; l--) {
        number += (i >> 3 * l & 7) * above;
        above *= 8;
    }
    return number;
}

/* Parents that are side by side one after another. */
static farsum_status wave_order(struct state *s)
{
    const struct boxes_args *a = &s->gpu.args;
    int64_t roots = boxes_gpu_level(a, 0), first = 0;
    farsum_status status = FARSUM_OK;
    int32_t *order = NULL;
    GO(MEM_RAW(order, s->parents));
    for (int level = 0; level < a->depth; level++) {
        int64_t n = boxes_gpu_level(a, level);
        for (int64_t i = 0; i < n; i++)
            order[first + i] = (int32_t)(first + wave_box(roots, level, i));
        first += n;
    }
    GO(wave_send(s, &s->order, order, s->parents));
done:
    mem_free(order);
    return status;
}

/* Rows and waves of s->parents. */
static farsum_status wave_arrays(struct state *s)
{
    const struct boxes_args *a = &s->gpu.args;
    int64_t rows =
        s->parents * 8 * multipole_size(a->p) * gpu_real(a->precision);
    TRY(buf_reserve(&s->multipoles, a->device, rows));
    TRY(buf_reserve(&s->locals, a->device, rows));
    return buf_reserve(&s->merged, a->device,
                       wave_merged_bytes(a, s->parents, &s->waves));
}

static farsum_status wave_prepare(struct state *s)
{
    const struct boxes_args *a = &s->gpu.args;
    int64_t size = multipole_size(a->p);
    farsum_status status = FARSUM_OK;
    int32_t *cut = NULL;
    GO(MEM_RAW(cut, 4 * size + BEGINS));
    wave_tables(a->p, cut);
    GO(wave_send(s, &s->cut, cut, 4 * size + BEGINS));
    GO(wave_operators(s, cut));
    if (a->dense && s->parents > 0) {
        GO(wave_order(s));
        GO(wave_arrays(s));
    }
done:
    mem_free(cut);
    return status;
}

/* Numbers of a class: the same for all with as many axes. */
static int wave_class_size(int p, int c)
{
    int size = 0;
    for (int n = 0; n <= p; n++)
        for (int m = -n; m <= n; m++)
            size += plane_waves_signs(n, m) == c;
    return size;
}

static farsum_status wave_kernels(struct state *s, const struct wave_cut *cut)
{
    const struct boxes_args *a = &s->gpu.args;
    struct jit *jit = &s->gpu.jit;
    jit_begin(jit, a->device, "stage/m2l/gpu_plane_wave.k", a->precision);
    for (int c = 0; c < 8; c = 2 * c + 1) { /* 0, 1, 3, 7: 0 .. 3 axes */
        char name[] = "N0";
        name[1] = (char)('0' + __builtin_popcount((unsigned)c));
        jit_define(jit, name, "%d", wave_class_size(a->p, c));
    }
    jit_define(jit, "Q", "%d", s->waves.quarter);
    jit_define(jit, "QC", "%d", cut->chunk);
    jit_define(jit, "PAR", "%d", cut->in);
    jit_define(jit, "SLOTS", "%d", cut->slots);
    jit_define(jit, "GROUP", "%d", cut->in_group);
    jit_define(jit, "BLOCKS", "%d", cut->in_blocks);
    jit_define(jit, "OUT", "%d", cut->out);
    jit_define(jit, "OUT_GROUP", "%d", cut->out_group);
    jit_define(jit, "OUT_BLOCKS", "%d", cut->out_blocks);
    jit_define(jit, "WS", "%d", a->ws);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "plane_rows", 8 * BOXES_LANES, 0, &s->rows));
    TRY(jit_kernel(jit, "plane_columns", 8 * BOXES_LANES, 0, &s->columns));
    TRY(jit_kernel(jit, "plane_out", cut->out_group, cut->out_arena,
                   &s->waves_out));
    return jit_kernel(jit, "plane_in", cut->in_group, cut->in_arena,
                      &s->waves_in);
}

static farsum_status wave_create(const void *args, void **state)
{
    const struct boxes_args *a = args;
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    struct wave_cut cut;
    GO(MEM_NEW(s, 1));
    GO(wave_choose(a, &s->waves));
    GO(boxes_gpu_begin(&s->gpu, a, BOXES_LANES, 1));
    s->parents = wave_parents(a);
    cut = wave_cut(a, &s->waves);
    s->from_waves = cut.in;
    s->to_waves = cut.out;
    GO(wave_prepare(s));
    GO(wave_kernels(s, &cut));
    *state = s;
    s = NULL;
done:
    wave_destroy(s);
    return status;
}

/* Slots of a sparse tree are the parents, and are in Morton's order. */
static farsum_status wave_set(void *state, const struct points *source,
                              const struct points *target)
{
    farsum_status status = FARSUM_OK;
    struct state *s = state;
    struct boxes_gpu *g = &s->gpu;
    int32_t *order = NULL;
    (void)target;
    if (g->args.dense)
        return FARSUM_OK;
    GO(boxes_gpu_set(g, source->tree));
    s->parents = g->levels.slots;
    g->groups = 8 * ((s->parents + BOXES_LANES - 1) / BOXES_LANES);
    GO(MEM_RAW(order, s->parents));
    for (int64_t k = 0; k < s->parents; k++)
        order[k] = (int32_t)k;
    GO(buf_reserve(&s->order, g->args.device, 4 * s->parents));
    if (s->parents > 0)
        GO(buf_upload(&s->order, 0, order, 4 * s->parents));
    GO(wave_arrays(s));
done:
    mem_free(order);
    return status;
}

static farsum_status wave_run(void *state, const void *data)
{
    struct state *s = state;
    const struct boxes_io *io = data;
    struct boxes_gpu *g = &s->gpu;
    const struct buf *near = boxes_gpu_near(g, io->tree);
    int64_t out = (s->parents + s->to_waves - 1) / s->to_waves;
    int64_t in = (s->parents + s->from_waves - 1) / s->from_waves;
    TRY(boxes_gpu_io(g, io));
    if (g->groups == 0)
        return FARSUM_OK;
    TRY(LAUNCH(&s->rows, g->groups, ARG_BUF(io->multipole),
               ARG_BUF(&s->multipoles), ARG_BUF(&s->cut), ARG_BUF(near),
               ARG_STRUCT(g->levels)));
    TRY(LAUNCH(&s->waves_out, out, ARG_BUF(&s->multipoles),
               ARG_BUF(&s->merged), ARG_BUF(&g->operators), ARG_BUF(&s->shift),
               ARG_BUF(&s->cut), ARG_I32(s->parents)));
    TRY(LAUNCH(&s->waves_in, in, ARG_BUF(&s->merged), ARG_BUF(&s->locals),
               ARG_BUF(&s->in), ARG_BUF(&s->shift), ARG_BUF(&s->cut),
               ARG_BUF(near), ARG_BUF(&s->order), ARG_I32(s->parents),
               ARG_STRUCT(g->levels)));
    return LAUNCH(&s->columns, g->groups, ARG_BUF(io->local),
                  ARG_BUF(&s->locals), ARG_BUF(&s->cut), ARG_BUF(near),
                  ARG_STRUCT(g->levels));
}

const struct variant m2l_gpu_plane_wave = {
    .fits = wave_fits,
    .cost = wave_cost,
    .bytes = wave_bytes,
    .create = wave_create,
    .set = wave_set,
    .run = wave_run,
    .destroy = wave_destroy,
    .deterministic = 1,
    .needs = "a device",
    .work = wave_work,
    .error = wave_error,
};
