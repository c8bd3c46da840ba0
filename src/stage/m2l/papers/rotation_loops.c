/* SPDX-License-Identifier: Apache-2.0 */
/* rotation_loops.c: host code of the variants of
 * stage/m2l/papers/rotation_loops.k. */
#include "stage/m2l/papers/rotation_loops.h"

#include "base/mem.h"
#include "stage/m2l/rotation/gpu_rotation_make.h"

enum { LANES = 32, TEAMS = 8, WAVES = 4 /* blocks per multiprocessor */ };

struct loops {
    struct boxes_gpu gpu; /* owned */
    struct buf swap, aux; /* owned */
    struct kernel kernel, clear;
    int64_t launched; /* thread blocks */
};

farsum_status loops_fits(const void *args)
{
    const struct boxes_args *a = args;
    if (a->shape.group < 0 || a->shape.group % LANES || a->shape.groups < 0)
        FAIL(ERR_ARGUMENT, "thread blocks must have a multiple of %d threads",
             LANES);
    return boxes_gpu_fits(args, ROTATION_ORDER);
}

static int64_t loops_launched(const struct boxes_args *a)
{
    if (a->shape.groups)
        return a->shape.groups;
    int64_t units = a->device->properties.units;
    return WAVES * (units > 0 ? units : 1);
}

static int loops_teams(const struct boxes_args *a)
{
    return a->shape.group ? a->shape.group / LANES : TEAMS;
}

/* Two expansions and two columns per thread. */
static int64_t loops_aux(const struct boxes_args *a)
{
    return boxes_real(a) * loops_launched(a) * LANES * loops_teams(a)
           * (2 * multipole_size(a->p) + 2 * (2 * a->p + 1));
}

int64_t loops_bytes(const void *args)
{
    const struct boxes_args *a = args;
    return rotation_bytes(a) + loops_aux(a)
           + boxes_real(a) * multipole_swaps(a->p);
}

double loops_cost(const void *args)
{
    return rotation_seconds(args, 0.05); /* measured on an H200 */
}

void loops_work(const void *args, struct work *work)
{
    rotation_work(args, work);
}

void loops_destroy(void *state)
{
    struct loops *s = state;
    if (!s)
        return;
    boxes_gpu_clear(&s->gpu);
    buf_clear(&s->swap);
    buf_clear(&s->aux);
    mem_free(s);
}

/* The swaps that are not zero by symmetry, in the kernel's order. */
static void loops_swaps(int p, double *table)
{
    double b[(2 * ROTATION_ORDER + 1) * (2 * ROTATION_ORDER + 1)];
    for (int n = 0; n <= p; n++) {
        multipole_swap(n, b);
        for (int m = -n; m <= n; m++) {
            int l = (n + (m < 0 ? -m : m)) % 2 + (m < 0);
            for (; l <= n; l += 2)
                *table++ = b[(m + n) * (2 * n + 1) + (m < 0 ? -l : l) + n];
        }
    }
}

/* (10.12) along z at distance 1, order after order. */
static void loops_shifts(int p, double *table)
{
    for (int m = 0; m <= p; m++)
        for (int n = m; n <= p; n++)
            for (int k = m; k <= p; k++)
                *table++ =
                    ((n + m) % 2 ? -1 : 1) * multipole_factor(n, m, k, -m);
}

static farsum_status loops_tables(struct loops *s, struct jit *jit)
{
    const struct boxes_args *a = &s->gpu.args;
    int64_t swaps = multipole_swaps(a->p), shifts = rotation_shifts(a->p);
    farsum_status status = FARSUM_OK;
    double *table = NULL;
    GO(MEM_RAW(table, swaps + shifts));
    loops_swaps(a->p, table);
    loops_shifts(a->p, table + swaps);
    jit_define_table(jit, "SWAP", table, (int)swaps);
    jit_define_table(jit, "SHIFT", table + swaps, (int)shifts);
    GO(buf_alloc(&s->swap, a->device, boxes_real(a) * swaps));
    GO(boxes_gpu_upload(&s->swap, a->precision, 0, table, swaps));
done:
    mem_free(table);
    return status;
}

/* Bytes of shared memory per thread block. */
static int64_t loops_capacity(const struct boxes_args *a,
                              const struct rotation_loops *form, int teams)
{
    int64_t wide = 2 * a->p + 1, group = LANES * teams;
    return boxes_real(a)
           * ((form->by_source ? wide * LANES : group)
              + (form->tiled ? 2 * wide * group : 0));
}

static farsum_status loops_kernels(struct loops *s,
                                   const struct rotation_loops *form)
{
    const struct boxes_args *a = &s->gpu.args;
    struct jit *jit = &s->gpu.jit;
    int teams = loops_teams(a);
    if (!a->shape.group)
        while (teams > 1
               && loops_capacity(a, form, teams) > a->device->properties.local)
            teams /= 2;
    int64_t capacity = loops_capacity(a, form, teams);
    jit_begin(jit, a->device,
              "stage/m2l/papers/rotation_loops.k", a->precision);
    TRY(loops_tables(s, jit));
    jit_define(jit, "ORDER", "%d", a->p);
    jit_define(jit, "LANES", "%d", LANES);
    jit_define(jit, "TEAMS", "%d", teams);
    jit_define(jit, "SOURCE", "%d", form->by_source);
    jit_define(jit, "TILED", "%d", form->tiled);
    jit_define(jit, "CONSTANTS", "%d", form->constant);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "m2l_clear", LANES * teams, 0, &s->clear));
    return jit_kernel(jit, "m2l_tiled", LANES * teams, capacity, &s->kernel);
}

farsum_status loops_create(const void *args, const struct rotation_loops *form,
                           void **state)
{
    const struct boxes_args *a = args;
    farsum_status status = FARSUM_OK;
    struct loops *s = NULL;
    GO(MEM_NEW(s, 1));
    GO(boxes_gpu_begin(&s->gpu, a, LANES, 1));
    GO(rotation_turns(&s->gpu, form->by_source));
    GO(loops_kernels(s, form));
    GO(buf_alloc(&s->aux, a->device, loops_aux(a)));
    s->launched = loops_launched(a);
    *state = s;
    s = NULL;
done:
    loops_destroy(s);
    return status;
}

static farsum_status loops_launch(const struct loops *s,
                                  const struct boxes_io *io, int64_t groups,
                                  struct boxes_levels levels)
{
    const struct boxes_gpu *g = &s->gpu;
    return LAUNCH(&s->kernel, groups < s->launched ? groups : s->launched,
                  ARG_BUF(io->multipole), ARG_BUF(io->local),
                  ARG_BUF(&g->operators), ARG_BUF(&s->swap), ARG_BUF(&g->list),
                  ARG_BUF(&g->near), ARG_BUF(&s->aux), ARG_I32(groups),
                  ARG_STRUCT(levels));
}

/* Runs one level after another: none begins before the previous has ended. */
static farsum_status loops_apart(const struct loops *s,
                                 const struct boxes_io *io)
{
    const struct boxes_gpu *g = &s->gpu;
    int depth = g->levels.depth;
    for (int level = 1; level <= depth; level++) {
        struct boxes_levels levels = g->levels;
        int64_t end = level < depth ? levels.begin[level + 1] : g->groups;
        int64_t groups = end - levels.begin[level];
        for (int l = 1; l <= depth; l++)
            levels.begin[l] = l <= level ? 0 : INT32_MAX;
        TRY(loops_launch(s, io, groups, levels));
    }
    return FARSUM_OK;
}

farsum_status loops_run(void *state, const void *data)
{
    struct loops *s = state;
    const struct boxes_io *io = data;
    struct boxes_gpu *g = &s->gpu;
    TRY(boxes_gpu_io(g, io));
    if (g->groups == 0)
        return FARSUM_OK;
    TRY(boxes_gpu_zero(g, &s->clear, io));
    if (g->args.shape.apart)
        return loops_apart(s, io);
    return loops_launch(s, io, g->groups, g->levels);
}
