/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_dense: one dense operator per difference of root boxes' positions; for
 * few root boxes. */
#include "base/mem.h"
#include "points/tree/tree_device_set.h"
#include "stage/expansions/device.h"
#include "stage/device.h"
#include "cost/expected_rates.h"
#include "stage/lattice/plain_field.h"

enum { ROWS = 32, SLICES = 8, ROOTS_MOST = 4096 };

/* As in gpu_dense.k. */
struct lattice_args {
    int64_t stride;
    int32_t root[3], side[3], periodic, ws, field, boxes;
};
_Static_assert(sizeof(struct lattice_args) == 48, "must match the kernel's "
                                                  "struct");

struct state {
    struct boxes_args args;
    struct lattice_args lattice;
    struct jit jit;
    struct kernel kernel, make;
    struct buf operators; /* owned */
};

static int64_t dense_pad(const struct boxes_args *a)
{
    return (multipole_size(a->p) + ROWS - 1) / ROWS * ROWS;
}

static int64_t dense_roots(const struct boxes_args *a)
{
    return a->root[0] * a->root[1] * a->root[2];
}

static int64_t dense_reals(const struct boxes_args *a)
{
    int64_t n = multipole_size(a->p) * dense_pad(a);
    for (int c = 0; c < 3; c++)
        n *= a->periodic[0] ? a->root[c] : 2 * a->root[c] - 1;
    return n;
}

static farsum_status dense_fits(const void *args)
{
    const struct boxes_args *a = args;
    int axes = a->periodic[0] + a->periodic[1] + a->periodic[2];
    TRY(boxes_gpu_fits_any(a, MULTIPOLE_MOST));
    if (axes == 1 || axes == 2)
        FAIL(ERR_UNSUPPORTED, "%d periodic axes; use three or none", axes);
    if (dense_roots(a) > ROOTS_MOST)
        FAIL(ERR_UNSUPPORTED, "supports at most %d root boxes",
             (int)ROOTS_MOST);
    return boxes_gpu_fits_memory(a, dense_reals(a) * gpu_real(a->precision));
}

static int64_t dense_bytes(const void *args)
{
    const struct boxes_args *a = args;
    return dense_reals(a) * gpu_real(a->precision);
}

static double dense_cost(const void *args)
{
    const struct boxes_args *a = args;
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    double roots = (double)dense_roots(a), size = multipole_size(a->p);
    double bytes = roots * roots * size * (double)dense_pad(a)
                   * gpu_real(a->precision);
    /* reading operators, or sequential steps: as measured */
    double reading = bytes / (0.7 * rates.bytes);
    double waiting = roots * (2 + size / SLICES) * 2 * rates.wait;
    return (reading > waiting ? reading : waiting) + rates.launch + 2e-6;
}

static void dense_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    if (s->jit.device)
        jit_clear(&s->jit);
    buf_clear(&s->operators);
    mem_free(s);
}

/* Fields of the differences, in the kernel's numbering. */
static farsum_status dense_fields(const struct state *s, struct buf *buf)
{
    const struct lattice_args *l = &s->lattice;
    farsum_status status = FARSUM_OK;
    struct lattice_fields fields = {0};
    int64_t bytes = 8 * (int64_t)l->field, at = 0, d[3], first[3];
    GO(lattice_fields_make(&s->args, &fields));
    GO(buf_alloc(buf, s->args.device,
                 bytes * l->side[0] * l->side[1] * l->side[2]));
    for (int c = 0; c < 3; c++)
        first[c] = l->periodic ? 0 : 1 - l->root[c];
    for (d[2] = first[2]; d[2] < l->root[2]; d[2]++)
        for (d[1] = first[1]; d[1] < l->root[1]; d[1]++)
            for (d[0] = first[0]; d[0] < l->root[0]; d[0]++, at += bytes)
                GO(buf_upload(buf, at, lattice_field(&fields, d), bytes));
done:
    lattice_fields_clear(&fields);
    return status;
}

static farsum_status dense_make(struct state *s)
{
    const struct boxes_args *a = &s->args;
    farsum_status status = FARSUM_OK;
    int64_t size = multipole_size(a->p), n = 2 * size * size;
    struct buf field = {0}, at_on = {0}, f_on = {0};
    int32_t *at = NULL;
    double *f = NULL;
    GO(MEM_RAW(at, n));
    GO(MEM_RAW(f, n));
    multipole_m2l_terms(a->p, at, f);
    GO(dense_fields(s, &field));
    GO(buf_alloc(&at_on, a->device, 4 * n));
    GO(buf_upload(&at_on, 0, at, 4 * n));
    GO(buf_alloc(&f_on, a->device, 8 * n));
    GO(buf_upload(&f_on, 0, f, 8 * n));
    GO(buf_alloc(&s->operators, a->device,
                 dense_reals(a) * gpu_real(a->precision)));
    GO(LAUNCH(&s->make, kernel_groups(&s->make, dense_reals(a)),
              ARG_BUF(&field), ARG_BUF(&at_on), ARG_BUF(&f_on),
              ARG_BUF(&s->operators), ARG_STRUCT(s->lattice)));
    GO(device_finish(a->device));
done:
    buf_clear(&field);
    buf_clear(&at_on);
    buf_clear(&f_on);
    mem_free(at);
    mem_free(f);
    return status;
}

static farsum_status dense_create(const void *args, void **state)
{
    const struct boxes_args *a = args;
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *a;
    s->lattice.periodic = a->periodic[0];
    s->lattice.ws = a->ws;
    s->lattice.field = multipole_size(2 * a->p);
    for (int c = 0; c < 3; c++) {
        s->lattice.root[c] = (int32_t)a->root[c];
        s->lattice.side[c] = (int32_t)(a->periodic[0] ? a->root[c]
                                                      : 2 * a->root[c] - 1);
    }
    jit_begin(&s->jit, a->device, "stage/lattice/gpu_dense.k", a->precision);
    jit_define(&s->jit, "K", "%d", multipole_size(a->p));
    jit_define(&s->jit, "PAD", "%d", (int)dense_pad(a));
    jit_define(&s->jit, "SLICES", "%d", SLICES);
    GO(jit_build(&s->jit));
    GO(jit_kernel(&s->jit, "lattice_operators", ROWS * SLICES, 0, &s->make));
    GO(jit_kernel(&s->jit, "lattice_dense", ROWS * SLICES, 0, &s->kernel));
    GO(dense_make(s));
    *state = s;
    s = NULL;
done:
    dense_destroy(s);
    return status;
}

static farsum_status dense_run(void *state, const void *data)
{
    struct state *s = state;
    const struct boxes_io *io = data;
    struct lattice_args args = s->lattice;
    TRY(boxes_gpu_same(&s->args, io));
    args.stride = io->stride;
    const struct tree *t = io->tree;
    const struct buf *number = t->dense ? &s->operators : &t->gpu->sparse.root;
    int64_t groups = tree_boxes(t, 0) * dense_pad(&s->args) / ROWS;
    args.boxes = t->dense ? 0 : (int32_t)tree_boxes(t, 0);
    return LAUNCH(&s->kernel, groups, ARG_BUF(io->multipole),
                  ARG_BUF(&s->operators), ARG_BUF(number), ARG_BUF(io->local),
                  ARG_STRUCT(args));
}

const struct variant lattice_gpu_dense = {
    .fits = dense_fits,
    .cost = dense_cost,
    .bytes = dense_bytes,
    .create = dense_create,
    .run = dense_run,
    .destroy = dense_destroy,
    .deterministic = 1,
    .needs = "a device",
};
