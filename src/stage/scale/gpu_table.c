/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_table: a table of the influence function, computed and stored on the
 * device; bound by memory.  Sums run in a fixed order. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "stage/device.h"
#include "cost/expected_rates.h"
#include "stage/scale/modes.h"
#include "stage/scale/scale.h"

enum { GROUP = 128, RECORD = 7, GROUPS_A_UNIT = 8 };

/* Host counterpart of the struct in gpu_table.k. */
struct scale_modes {
    double inv[9], front, shift, c2;
    int64_t channel, rows;
    int32_t mesh[3], used, row, lanes, keep, energy, first;
};
_Static_assert(sizeof(struct scale_modes) == 152, "must match gpu_table.k");

struct state {
    struct scale_args args;
    struct jit jit;
    struct kernel fill, multiply, flow, virial, sum, component;
    struct scale_modes modes;
    double front; /* multiplied by the volume */
    struct buf table, decon, gamma, record;
    struct buf line; /* i32 (i1, i2) of each line, for args.columns */
    int64_t groups;
};

static int64_t table_points(const struct scale_args *a)
{
    return scale_lines(a) * scale_line(a);
}

static farsum_status table_fits(const void *args)
{
    const struct scale_args *a = args;
    if (a->radius > 0)
        FAIL(ERR_UNSUPPORTED, "does not cut kernels along open axes");
    return gpu_wanted(a->device);
}

static double table_cost(const void *args)
{
    const struct scale_args *a = args;
    const struct pair *pair = scale_kernel(a);
    double numbers = 2.0 * (pair->channels + pair->values) + 1;
    double bytes = numbers * gpu_real(a->precision) * (double)table_points(a);
    return bytes / gpu_rates(a->device, a->precision).bytes + 1e-5;
}

static int64_t table_bytes(const void *args)
{
    const struct scale_args *a = args;
    return table_points(a) * gpu_real(a->precision)
           + (a->columns ? 8 * scale_lines(a) : 0)
           + 8 * (a->mesh[0] + a->mesh[1] + a->mesh[2]) + (1 << 16);
}

static void table_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    buf_clear(&s->table);
    buf_clear(&s->decon);
    buf_clear(&s->gamma);
    buf_clear(&s->record);
    buf_clear(&s->line);
    if (s->jit.device)
        jit_clear(&s->jit);
    mem_free(s);
}

/* The kernels' argument `line`.  They read it only for lines. */
static const struct buf *table_line(const struct state *s)
{
    return s->args.columns ? &s->line : &s->decon;
}

/* Takes the cell's present values and fills the table. */
static farsum_status table_fill(struct state *s)
{
    const struct cell *cell = s->args.cell;
    memcpy(s->modes.inv, cell->inv, sizeof s->modes.inv);
    s->modes.front = s->front / cell->volume;
    farsum_status status =
        LAUNCH(&s->fill, s->groups, ARG_BUF(&s->decon), ARG_BUF(&s->gamma),
               ARG_BUF(&s->table), ARG_BUF(table_line(s)),
               ARG_STRUCT(s->modes));
    if (status != FARSUM_OK)
        s->modes.inv[0] = NAN; /* the next set tries again */
    return status;
}

static farsum_status table_kernels(struct state *s)
{
    const struct pair *pair = scale_kernel(&s->args);
    jit_begin(&s->jit, s->args.device, "stage/scale/gpu_table.k",
              s->args.precision);
    jit_define(&s->jit, "GROUP", "%d", GROUP);
    jit_define(&s->jit, "TERMS", "%d", MODES_TERMS);
    jit_define(&s->jit, "PAIR", "%s", pair->name);
    jit_define(&s->jit, "FLOW", "%d", !pair->kind->gradient);
    jit_define(&s->jit, "CHANNELS", "%d", pair->channels);
    jit_define(&s->jit, "VALUES", "%d", pair->values);
    jit_define(&s->jit, "FALL", "%d", pair->kind->fall);
    jit_define(&s->jit, "ODD", "%d", pair->kind->odd);
    jit_define(&s->jit, "LINES", "%d", s->args.columns != NULL);
    TRY(jit_build(&s->jit));
    TRY(jit_kernel(&s->jit, "scale_fill", GROUP, 0, &s->fill));
    TRY(jit_kernel(&s->jit, "scale_multiply", GROUP, 0, &s->multiply));
    if (!pair->kind->gradient)
        TRY(jit_kernel(&s->jit, "scale_flow", GROUP, 0, &s->flow));
    TRY(jit_kernel(&s->jit, "scale_virial", GROUP, 0, &s->virial));
    TRY(jit_kernel(&s->jit, "scale_component", GROUP, 0, &s->component));
    return jit_kernel(&s->jit, "scale_sum", GROUP, 0, &s->sum);
}

static void table_shape(struct state *s)
{
    const struct scale_args *a = &s->args;
    struct scale_modes *m = &s->modes;
    for (int d = 0; d < 3; d++)
        m->mesh[d] = (int32_t)a->mesh[d];
    m->used = (int32_t)scale_line(a);
    m->row = (int32_t)scale_stride(a);
    m->rows = scale_lines(a);
    m->first = (int32_t)a->first;
    m->c2 = a->split->c * a->split->c;
    while (1 << m->lanes < m->used && 1 << m->lanes < GROUP)
        m->lanes++;
    int64_t rows = GROUP >> m->lanes;
    int64_t most = (int64_t)GROUPS_A_UNIT * a->device->properties.units;
    s->groups = (m->rows + rows - 1) / rows;
    s->groups = s->groups < most ? s->groups : most;
    if (s->groups == 0) /* no lines: the sums are 0 */
        s->groups = 1;
}

/* The list of lines. */
static farsum_status table_lines(struct state *s)
{
    farsum_status status = FARSUM_OK;
    const struct scale_args *a = &s->args;
    int32_t(*line)[2] = NULL;
    int64_t n = 0, bytes = s->modes.rows * (int64_t)sizeof *line;
    if (!a->columns)
        return FARSUM_OK;
    GO(MEM_RAW(line, s->modes.rows));
    for (int64_t row = a->first; row < a->first + scale_rows(a); row++)
        for (int64_t i2 = 0; i2 < a->columns[row]; i2++, n++) {
            line[n][0] = (int32_t)row;
            line[n][1] = (int32_t)i2;
        }
    GO(buf_alloc(&s->line, a->device, bytes));
    GO(buf_upload(&s->line, 0, line, bytes));
done:
    mem_free(line);
    return status;
}

/* Sets the constants that do not depend on the cell. */
static farsum_status table_constants(struct state *s)
{
    farsum_status status = FARSUM_OK;
    struct device *device = s->args.device;
    struct modes modes = {0};
    int64_t at = 0, bytes[3];
    GO(modes_create(&modes, &s->args));
    s->front = modes.front;
    s->modes.shift = modes.shift;
    for (int d = 0; d < 3; d++)
        bytes[d] = 8 * s->args.mesh[d];
    GO(buf_alloc(&s->decon, device, bytes[0] + bytes[1] + bytes[2]));
    for (int d = 0; d < 3; at += bytes[d++])
        GO(buf_upload(&s->decon, at, modes.decon[d], bytes[d]));
    GO(buf_alloc(&s->gamma, device, sizeof modes.smooth + sizeof modes.slope));
    GO(buf_upload(&s->gamma, 0, modes.smooth, sizeof modes.smooth));
    GO(buf_upload(&s->gamma, sizeof modes.smooth, modes.slope,
                  sizeof modes.slope));
done:
    modes_clear(&modes);
    return status;
}

static farsum_status table_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *(const struct scale_args *)args;
    table_shape(s);
    GO(table_kernels(s));
    GO(table_constants(s));
    GO(table_lines(s));
    GO(buf_alloc(&s->table, s->args.device,
                 table_points(&s->args) * gpu_real(s->args.precision)));
    GO(buf_alloc(&s->record, s->args.device, 8 * RECORD * s->groups));
    GO(table_fill(s));
    *state = s;
    s = NULL;
done:
    table_destroy(s);
    return status;
}

static farsum_status table_set(void *state, const struct points *sources,
                               const struct points *targets)
{
    struct state *s = state;
    (void)sources, (void)targets;
    if (memcmp(s->modes.inv, s->args.cell->inv, sizeof s->modes.inv) == 0)
        return FARSUM_OK;
    return table_fill(s);
}

/* A component of the virial of charges. */
static farsum_status table_component(const struct state *s,
                                     const struct scale_io *f)
{
    static const int axis[6][2] = {{0, 0}, {0, 1}, {0, 2},
                                   {1, 1}, {1, 2}, {2, 2}};
    const int *of = axis[f->component];
    return LAUNCH(&s->component, s->groups, ARG_BUF(f->spectrum),
                  ARG_BUF(f->charges), ARG_BUF(&s->decon), ARG_BUF(&s->gamma),
                  ARG_BUF(table_line(s)), ARG_I32(of[0]), ARG_I32(of[1]),
                  ARG_STRUCT(s->modes));
}

static farsum_status table_run(void *state, const void *io)
{
    struct state *s = state;
    const struct scale_io *f = io;
    int energy = f->energy != NULL, virial = f->virial != NULL;
    /* unused outputs are not written */
    const struct buf *none = &s->record;
    if (f->charges)
        return table_component(s, f);
    if (!scale_kernel(&s->args)->kind->gradient) {
        s->modes.channel = scale_channel(&s->args, f);
        return f->keep ? LAUNCH(&s->flow, s->groups, ARG_BUF(f->spectrum),
                                ARG_BUF(&s->table), ARG_BUF(table_line(s)),
                                ARG_STRUCT(s->modes))
                       : FARSUM_OK;
    }
    s->modes.keep = f->keep;
    s->modes.energy = energy;
    if (virial)
        TRY(LAUNCH(&s->virial, s->groups, ARG_BUF(f->spectrum),
                   ARG_BUF(&s->decon), ARG_BUF(&s->gamma), ARG_BUF(&s->record),
                   ARG_BUF(table_line(s)), ARG_STRUCT(s->modes)));
    if (f->keep || energy)
        TRY(LAUNCH(&s->multiply, s->groups, ARG_BUF(f->spectrum),
                   ARG_BUF(&s->table), ARG_BUF(&s->record),
                   ARG_BUF(table_line(s)), ARG_STRUCT(s->modes)));
    if (!energy && !virial)
        return FARSUM_OK;
    return LAUNCH(&s->sum, 1, ARG_BUF(&s->record),
                  ARG_BUF(energy ? f->energy : none),
                  ARG_BUF(virial ? f->virial : none), ARG_I64(s->groups),
                  ARG_I32(energy), ARG_I32(virial));
}

const struct variant scale_gpu_table = {
    .fits = table_fits,
    .cost = table_cost,
    .bytes = table_bytes,
    .create = table_create,
    .set = table_set,
    .run = table_run,
    .destroy = table_destroy,
    .deterministic = 1,
    .needs = "a device",
};
