/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_rotation_make.c: host code of the device variants by fast rotation. */
#include "stage/m2l/rotation/gpu_rotation_make.h"

#include "base/mem.h"
#include "points/wrap.h"
#include "cost/expected_rates.h"

enum {
    STRAIGHT = 12, /* maximum order with separate code for each swap */
    TEXT_MOST = 5, /* maximum order compiled as text on a CPU */
    TEAMS_MOST = 8,
    ALONE = 5, /* maximum order with few instructions */
};

struct rotation {
    struct boxes_gpu gpu; /* owned */
    struct kernel kernel, clear;
};

farsum_status rotation_fits(const void *args)
{
    const struct boxes_args *a = args;
    if (a->shape.group < 0)
        FAIL(ERR_ARGUMENT, "group is %d, below 0", a->shape.group);
    return boxes_gpu_fits_any(args, ROTATION_ORDER);
}

int64_t rotation_bytes(const void *args)
{
    const struct boxes_args *a = args;
    return boxes_real(a) * boxes_gpu_differences(a->ws) * rotation_turn(a->p)
           + boxes_gpu_list_bytes(a);
}

/* Four swaps, four rotations and a translation per pair; two factors and a sum
 * per coefficient. */
static double rotation_pair(int p)
{
    double k = multipole_size(p);
    return 4 * (double)multipole_swaps(p) + 2 * (double)rotation_shifts(p)
           - (p + 1.0) * (p + 1.0) + 4 * 2 * (k - p - 1) + 3 * k;
}

static double rotation_fma(const struct boxes_args *a)
{
    double boxes = (double)boxes_gpu_below(a);
    return boxes * (double)boxes_gpu_far_most(a->ws) * rotation_pair(a->p);
}

double rotation_seconds(const struct boxes_args *a, double share)
{
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    return rotation_fma(a) / (share * rates.flops) + 2e-5;
}

/* Seconds relative to the units' rate, measured on an H200 at depth 5, orders
 * 4, 8, 12, 20; slower if instructions exceed their cache. */
double rotation_cost(const void *args, const struct rotation_form *form)
{
    static const double shares[2][4] = {{0.4, 0.28, 0.2, 0.13},
                                        {0.4, 0.28, 0.1, 0.11}};
    const struct boxes_args *a = args;
    int f64 = a->precision == FARSUM_F64;
    int at = a->p <= ALONE ? 0 : a->p <= 9 ? 1 : a->p <= 13 ? 2 : 3;
    return rotation_seconds(a, form->share * shares[f64][at]);
}

void rotation_work(const void *args, struct work *work)
{
    const struct boxes_args *a = args;
    double boxes = (double)boxes_gpu_boxes(a), size = multipole_size(a->p);
    count_calls(&work->count, COUNT_FMA, rotation_fma(a));
    work->read += (double)boxes_real(a) * boxes * size;
    work->written += (double)boxes_real(a) * boxes * size;
    work->launches += 2;
}

void rotation_destroy(void *state)
{
    struct rotation *s = state;
    if (!s)
        return;
    boxes_gpu_clear(&s->gpu);
    mem_free(s);
}

/* Bytes of shared memory per thread block: two columns that teams share. */
static int64_t rotation_capacity(const struct boxes_args *a,
                                 const struct rotation_form *form, int teams)
{
    int64_t columns = 2 * (2 * a->p + 1) * form->lanes * boxes_real(a);
    if (teams == 1)
        return 16; /* an empty buffer is not a valid argument */
    return form->by_source ? columns : columns * teams;
}

/* Copies of the swaps.  Shared text is only for GPUs: PoCL splits kernels at
 * barriers after an `if`. */
static int rotation_copies(const struct boxes_args *a, int text)
{
    if (!text)
        return 2;
    return a->p > STRAIGHT ? 1 : 4;
}

/* Whether the device is a CPU. */
static int rotation_processor(const struct boxes_args *a)
{
    const struct device_properties *properties = &a->device->properties;
    return properties->integrated && properties->subgroup == 1;
}

/* Teams that share targets: as many as fill the device.  If the instructions
 * exceed their cache: as many as possible, since teams wait for each other and
 * read the same instructions.  On a CPU one, which has no barriers. */
static int rotation_teams(const struct boxes_args *a,
                          const struct rotation_form *form)
{
    int64_t threads = boxes_gpu_below(a);
    int64_t wanted = (int64_t)a->device->properties.units * 256;
    int teams = form->teams ? form->teams : 1;
    if (a->shape.group)
        return a->shape.group > form->lanes ? a->shape.group / form->lanes : 1;
    if (form->teams == 0 && !rotation_processor(a))
        while (teams < TEAMS_MOST && (a->p > ALONE || teams * threads < wanted))
            teams *= 2;
    while (teams > 1
           && rotation_capacity(a, form, teams) > a->device->properties.local)
        teams /= 2;
    return teams;
}

static farsum_status rotation_kernels(struct rotation *s,
                                      const struct rotation_form *form,
                                      int teams, int parts)
{
    const struct boxes_args *a = &s->gpu.args;
    struct jit *jit = &s->gpu.jit;
    int group = form->lanes * teams;
    int64_t capacity = rotation_capacity(a, form, teams);
    int text = !rotation_processor(a) || a->p <= TEXT_MOST;
    jit_begin(jit, a->device,
              "stage/m2l/rotation/gpu_rotation.k", a->precision);
    TRY(rotation_text(jit, a->p, text));
    jit_define(jit, "ORDER", "%d", a->p);
    jit_define(jit, "LANES", "%d", form->lanes);
    jit_define(jit, "TEAMS", "%d", teams);
    jit_define(jit, "PARTS", "%d", parts);
    jit_define(jit, "SOURCE", "%d", form->by_source);
    jit_define(jit, "COPIES", "%d", rotation_copies(a, text));
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "m2l_clear", group, 0, &s->clear));
    return jit_kernel(jit, "m2l_rotation", group, capacity, &s->kernel);
}

farsum_status rotation_create(const void *args,
                              const struct rotation_form *form, void **state)
{
    const struct boxes_args *a = args;
    int teams = rotation_teams(a, form);
    int parts = form->by_operator ? (int)boxes_gpu_far_most(a->ws) : 1;
    farsum_status status = FARSUM_OK;
    struct rotation *s = NULL;
    GO(MEM_NEW(s, 1));
    GO(boxes_gpu_begin(&s->gpu, a, form->lanes, parts));
    GO(rotation_turns(&s->gpu, form->by_source));
    GO(rotation_kernels(s, form, teams, parts));
    *state = s;
    s = NULL;
done:
    rotation_destroy(s);
    return status;
}

farsum_status rotation_set(void *state, const struct points *source,
                           const struct points *target)
{
    struct rotation *s = state;
    (void)target;
    return boxes_gpu_set(&s->gpu, source->tree);
}

farsum_status rotation_run(void *state, const void *data)
{
    struct rotation *s = state;
    const struct boxes_io *io = data;
    struct boxes_gpu *g = &s->gpu;
    TRY(boxes_gpu_io(g, io));
    if (g->groups == 0)
        return FARSUM_OK;
    TRY(boxes_gpu_zero(g, &s->clear, io));
    return LAUNCH(&s->kernel, g->groups, ARG_BUF(io->multipole),
                  ARG_BUF(io->local), ARG_BUF(&g->operators), ARG_BUF(&g->list),
                  ARG_BUF(boxes_gpu_near(g, io->tree)),
                  ARG_BUF(g->args.dense ? &g->near : &g->runs),
                  ARG_STRUCT(g->levels));
}
