/* gpu_rotation: fast rotation, a thread a target box, threads of a group side
 * by side with one vector at a time (Lengvenis et al., IPDPS 2025: their
 * target-centric order); swaps and shifts along z are constants.  Any vector
 * costs the same and needs 5p numbers, so it wins where operators would not fit
 * a cache; gpu_walsh needs as many multiply-adds as it, and no turns.
 *
 * For later: their source-centric order (a thread keeps a source and adds to
 * its targets), operator-centric (a group keeps a vector) and hybrid order, and
 * tiles of columns in group memory, as options. */
#include <math.h>

#include "base/mem.h"
#include "stage/boxes_gpu.h"
#include "stage/gpu_rates.h"

enum {
    ORDER_MOST = 20, /* constants fit 64 KB */
    STRAIGHT = 4,    /* loops are unrolled up to this order: compilers take
                        minutes for order 8 */
    GROUP = 64,
};

struct state {
    struct boxes_gpu gpu; /* owned */
    struct kernel kernel;
};

static int64_t rotation_turn(int p)
{
    return 5 * (p + 1) + 1;
}

static int64_t rotation_swaps(int p)
{
    int64_t all = 0;
    for (int64_t n = 0; n <= p; n++)
        all += n * n + n + 1;
    return all;
}

static int64_t rotation_shifts(int p)
{
    int64_t all = 0;
    for (int64_t n = 1; n <= p + 1; n++)
        all += n * n;
    return all;
}

static int64_t real_bytes(const struct boxes_args *a)
{
    return a->precision == FARSUM_F32 ? 4 : 8;
}

static farsum_status rotation_fits(const void *args)
{
    return boxes_gpu_fits(args, ORDER_MOST);
}

static int64_t rotation_bytes(const void *args)
{
    const struct boxes_args *a = args;
    return real_bytes(a) * boxes_gpu_differences(a->ws) * rotation_turn(a->p)
           + boxes_gpu_list_bytes(a);
}

/* Four swaps, four turns, a shift, of one pair; two factors and a sum of each
 * number. */
static double rotation_pair(int p)
{
    double k = multipole_size(p);
    return 4 * (double)rotation_swaps(p)
           + 2 * (double)rotation_shifts(p) - (p + 1.0) * (p + 1.0)
           + 4 * 2 * (k - p - 1) + 3 * k;
}

static double rotation_fma(const struct boxes_args *a)
{
    double boxes = (double)(boxes_gpu_boxes(a) - boxes_gpu_level(a, 0));
    return boxes * (double)boxes_gpu_far_most(a->ws) * rotation_pair(a->p);
}

/* A model, not measured: a third of what the units multiply; a tenth where
 * loops are loops. */
static double rotation_cost(const void *args)
{
    const struct boxes_args *a = args;
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    double share = a->p <= STRAIGHT ? 0.33 : 0.1;
    return rotation_fma(a) / (share * rates.flops) + 2e-5;
}

static void rotation_work(const void *args, struct work *work)
{
    const struct boxes_args *a = args;
    double boxes = (double)boxes_gpu_boxes(a), size = multipole_size(a->p);
    count_calls(&work->count, COUNT_FMA, rotation_fma(a));
    work->read += (double)real_bytes(a) * boxes * size;
    work->written += (double)real_bytes(a) * boxes * size;
    work->launches += 1;
}

static void rotation_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    boxes_gpu_clear(&s->gpu);
    mem_free(s);
}

/* What the kernel reads of a vector: it turns it to z. */
static void rotation_vector(int p, const double r[3], double *turn)
{
    double rho = hypot(r[0], r[1]), radius = hypot(rho, r[2]);
    double alpha = atan2(r[0], r[1]), beta = atan2(rho, r[2]);
    for (int m = 0; m <= p; m++) {
        turn[2 * m] = cos(m * alpha);
        turn[2 * m + 1] = sin(m * alpha);
        turn[2 * (p + 1) + 2 * m] = cos(m * beta);
        turn[2 * (p + 1) + 2 * m + 1] = sin(m * beta);
    }
    for (int n = 0; n <= p + 1; n++)
        turn[4 * (p + 1) + n] = pow(radius, -n);
}

static farsum_status rotation_turns(struct state *s)
{
    const struct boxes_args *a = &s->gpu.args;
    int64_t one = rotation_turn(a->p), n = 0;
    farsum_status status = FARSUM_OK;
    int32_t(*d)[3] = NULL;
    double *turn = NULL;
    GO(boxes_gpu_lists(&s->gpu, &d, &n));
    GO(MEM_RAW(turn, n * one));
    for (int64_t i = 0; i < n; i++) {
        const double r[3] = {d[i][0] * a->box[0], d[i][1] * a->box[1],
                             d[i][2] * a->box[2]};
        rotation_vector(a->p, r, turn + i * one);
    }
    GO(buf_alloc(&s->gpu.operators, a->device, real_bytes(a) * n * one));
    GO(boxes_gpu_upload(&s->gpu.operators, a->precision, 0, turn, n * one));
done:
    mem_free(d);
    mem_free(turn);
    return status;
}

/* The swaps that are not zero by symmetry, in the kernel's order. */
static void rotation_swap_table(int p, double *table)
{
    double b[(2 * ORDER_MOST + 1) * (2 * ORDER_MOST + 1)];
    for (int n = 0; n <= p; n++) {
        multipole_swap(n, b);
        for (int m = -n; m <= n; m++) {
            int l = (n + (m < 0 ? -m : m)) % 2 + (m < 0);
            for (; l <= n; l += 2)
                *table++ = b[(m + n) * (2 * n + 1) + (m < 0 ? -l : l) + n];
        }
    }
}

/* (10.7) along z at distance 1, order m. */
static void rotation_shift_table(int p, double *table)
{
    for (int m = 0; m <= p; m++)
        for (int n = m; n <= p; n++)
            for (int k = m; k <= p; k++)
                *table++ =
                    ((n + m) % 2 ? -1 : 1) * multipole_factor(n, m, k, -m);
}

static farsum_status rotation_constants(struct jit *jit, int p)
{
    int64_t swaps = rotation_swaps(p), shifts = rotation_shifts(p);
    double *table = NULL;
    TRY(MEM_RAW(table, swaps + shifts));
    rotation_swap_table(p, table);
    rotation_shift_table(p, table + swaps);
    jit_define_table(jit, "SWAP", table, (int)swaps);
    jit_define_table(jit, "SHIFT", table + swaps, (int)shifts);
    mem_free(table);
    return FARSUM_OK;
}

static farsum_status rotation_create(const void *args, void **state)
{
    const struct boxes_args *a = args;
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    struct jit *jit;
    GO(MEM_NEW(s, 1));
    jit = &s->gpu.jit;
    GO(boxes_gpu_begin(&s->gpu, a, GROUP, 1));
    GO(rotation_turns(s));
    jit_begin(jit, a->device, "stage/m2l/gpu_rotation.k", a->precision);
    GO(rotation_constants(jit, a->p));
    jit_define(jit, "ORDER", "%d", a->p);
    jit_define(jit, "STRAIGHT", "%d", STRAIGHT);
    jit_define(jit, "GROUP", "%d", GROUP);
    /* two expansions in registers, while there are some */
    jit_define(jit, "KEEP", "%d", a->p <= (a->precision == FARSUM_F32 ? 6 : 4));
    GO(jit_build(jit));
    GO(jit_kernel(jit, "m2l_rotation", GROUP, 0, &s->kernel));
    *state = s;
    s = NULL;
done:
    rotation_destroy(s);
    return status;
}

static farsum_status rotation_run(void *state, const void *data)
{
    struct state *s = state;
    const struct boxes_io *io = data;
    struct boxes_gpu *g = &s->gpu;
    TRY(boxes_gpu_io(g, io));
    if (g->groups == 0)
        return FARSUM_OK;
    return LAUNCH(&s->kernel, g->groups, ARG_BUF(io->multipole),
                  ARG_BUF(io->local), ARG_BUF(&g->operators),
                  ARG_BUF(&g->list), ARG_BUF(&g->near), ARG_STRUCT(g->levels));
}

const struct variant m2l_gpu_rotation = {
    .fits = rotation_fits,
    .cost = rotation_cost,
    .bytes = rotation_bytes,
    .create = rotation_create,
    .run = rotation_run,
    .destroy = rotation_destroy,
    .deterministic = 1,
    .needs = "a device",
    .work = rotation_work,
};
