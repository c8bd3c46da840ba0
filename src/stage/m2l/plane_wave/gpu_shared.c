/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_shared.c: common code of the plane-wave variants on devices. */
#include "stage/m2l/plane_wave/gpu_shared.h"

#include "base/mem.h"
#include "points/wrap.h"

int64_t plane_gpu_parents(const struct boxes_args *a)
{
    return boxes_gpu_above(a);
}

farsum_status plane_gpu_choose(const struct boxes_args *a,
                               struct plane_waves *waves)
{
    return plane_waves_choose(a->ws, a->box, plane_waves_field(a->p, a->ws),
                              waves);
}

/* The last row holds the waves of missing parents. */
int64_t plane_gpu_merged_bytes(const struct boxes_args *a, int64_t parents,
                               int64_t stride)
{
    return (parents + 1) * PLANE_GROUPS * 4 * stride * gpu_real(a->precision);
}

int64_t plane_gpu_bytes(const struct boxes_args *a, int64_t stride)
{
    int64_t real = gpu_real(a->precision), parents = plane_gpu_parents(a);
    int64_t size = multipole_size(a->p);
    return plane_gpu_merged_bytes(a, parents, stride) + boxes_gpu_list_bytes(a)
           + real * (2 * 3 * stride * size + 15 * stride)
           + parents * (2 * 8 * size * real + 4);
}

/* Operations per wave of a parent; single sums count as one.  Children to
 * waves, shifted and merged; lines and strips of near parents, for each
 * direction and the ws + 1 layers that are gathered; damping; sums and
 * differences of both directions, shifted to the children and separated by
 * class. */
void plane_gpu_ops(const struct boxes_args *a, const struct plane_waves *waves,
                   double *products, double *turned)
{
    double side = 2 * a->ws + 1, parents = (double)plane_gpu_parents(a);
    double line = 8 * (side - 1) + 4, merged = 3 * 8 * 2 * (8 + 8);
    double z = (side + 1) * line, y = 3 * line + 4 * side + 2 * 8 + 2 * 4;
    double x = 12 * 8 + 3 * 4 + 6 * 4;
    if (a->ws > 1) {
        y = side * (line + 4) + 2 * a->ws * (8 + 8);
        x = 8 * (side + 1) * (side + 1) + 8 * side;
    }
    double gathered = 2 * (a->ws + 1) * (x + y + z) + 2 * a->ws * 3 * 16;
    double given = 3 * 8 * 2 * (8 + 4) + 8 * (2 + 4 + 8);
    double in = boxes_aims(a); /* all parents give, but not all receive */
    *products =
        (1 + in) * 8 * parents * 3 * waves->quarter * multipole_size(a->p);
    *turned = parents * waves->quarter * (merged + in * (gathered + given));
}

double plane_gpu_traffic(const struct boxes_args *a,
                         const struct plane_waves *waves, int64_t stride)
{
    double real = gpu_real(a->precision);
    (void)waves;
    return 2 * (double)plane_gpu_merged_bytes(a, plane_gpu_parents(a), stride)
           + 6 * 8 * (double)plane_gpu_parents(a) * multipole_size(a->p) * real;
}

void plane_gpu_work(const void *args, struct work *work)
{
    const struct boxes_args *a = args;
    struct plane_waves waves;
    double products, turned, bytes;
    if (plane_gpu_choose(a, &waves) != FARSUM_OK)
        return;
    plane_gpu_ops(a, &waves, &products, &turned);
    bytes = plane_gpu_traffic(a, &waves, waves.quarter);
    count_calls(&work->count, COUNT_FMA, products + turned);
    work->read += bytes / 2;
    work->written += bytes / 2;
    work->launches += 3;
}

double plane_gpu_error(const void *args)
{
    struct plane_waves waves;
    return plane_gpu_choose(args, &waves) == FARSUM_OK
               ? plane_waves_error(&waves)
               : 0;
}

int plane_gpu_class_size(int p, int class)
{
    int size = 0;
    for (int n = 0; n <= p; n++)
        for (int m = -n; m <= n; m++)
            size += plane_waves_signs(n, m) == class;
    return size;
}

void plane_gpu_destroy(void *state)
{
    struct plane_gpu *s = state;
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

farsum_status plane_gpu_send(struct plane_gpu *s, struct buf *buf,
                             const int32_t *from, int64_t n)
{
    TRY(buf_alloc(buf, s->gpu.args.device, 4 * n));
    return buf_upload(buf, 0, from, 4 * n);
}

farsum_status plane_gpu_begin(struct plane_gpu *s, const struct boxes_args *a,
                              int multiple)
{
    TRY(plane_gpu_choose(a, &s->waves));
    TRY(boxes_gpu_begin(&s->gpu, a, BOXES_LANES, 1));
    s->parents = plane_gpu_parents(a);
    s->stride = plane_gpu_stride(&s->waves, multiple);
    return FARSUM_OK;
}

void plane_gpu_tables(int p, int32_t *cut)
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

/* Coefficients of a row by class, and rows of zeros up to the stride. */
static void plane_gpu_sort(const struct plane_gpu *s, const int32_t *number,
                           const double *from, double *to)
{
    int64_t size = multipole_size(s->gpu.args.p);
    for (int64_t q = 0; q < s->stride; q++)
        for (int64_t k = 0; k < size; k++)
            to[q * size + k] =
                q < s->waves.quarter ? from[q * size + number[k]] : 0;
}

farsum_status plane_gpu_operators(struct plane_gpu *s, const int32_t *cut,
                                  const struct plane_gpu_pack *pack)
{
    const struct boxes_args *a = &s->gpu.args;
    int64_t n = s->waves.quarter, size = multipole_size(a->p);
    int64_t real = gpu_real(a->precision), most = pack->out;
    farsum_status status = FARSUM_OK;
    double *out = NULL, *in = NULL, *sorted = NULL, *packed = NULL;
    if (most < pack->in)
        most = pack->in;
    if (most < 10 * s->stride)
        most = 10 * s->stride;
    GO(MEM_RAW(out, n * size));
    GO(MEM_RAW(in, n * size));
    GO(MEM_RAW(sorted, s->stride * size));
    GO(MEM_RAW(packed, most));
    GO(buf_alloc(&s->gpu.operators, a->device, 3 * pack->out * real));
    GO(buf_alloc(&s->in, a->device, 3 * pack->in * real));
    GO(buf_alloc(&s->shift, a->device, 15 * s->stride * real));
    for (int axis = 0; axis < 3; axis++) {
        GO(plane_waves_operators(&s->waves, a->p, a->ws, a->box, axis, out,
                                 in));
        plane_gpu_sort(s, cut, out, sorted);
        pack->pack_out(s, cut, axis, sorted, packed);
        GO(boxes_gpu_upload(&s->gpu.operators, a->precision, axis * pack->out,
                            packed, pack->out));
        plane_gpu_sort(s, cut, in, sorted);
        pack->pack_in(s, cut, axis, sorted, packed);
        GO(boxes_gpu_upload(&s->in, a->precision, axis * pack->in, packed,
                            pack->in));
        plane_waves_shifts(&s->waves, a->ws, a->box, axis, packed);
        for (int64_t k = 0; k < 5 * s->stride; k++) {
            int64_t q = k % s->stride;
            packed[5 * s->stride + k] =
                q < n ? packed[k / s->stride * n + q] : 0;
        }
        GO(boxes_gpu_upload(&s->shift, a->precision, axis * 5 * s->stride,
                            packed + 5 * s->stride, 5 * s->stride));
    }
done:
    mem_free(out);
    mem_free(in);
    mem_free(sorted);
    mem_free(packed);
    return status;
}

/* The box of a level with number i in Morton order: the digits of its octants
 * reversed. */
static int64_t plane_gpu_box(int64_t roots, int level, int64_t i)
{
    int64_t number = i >> 3 * level, above = roots;
    for (int l = level - 1; l >= 0; l--) {
        number += (i >> 3 * l & 7) * above;
        above *= 8;
    }
    return number;
}

/* Allocates rows and waves of s->parents. */
static farsum_status plane_gpu_arrays(struct plane_gpu *s)
{
    const struct boxes_args *a = &s->gpu.args;
    int64_t rows =
        s->parents * 8 * multipole_size(a->p) * gpu_real(a->precision);
    if (!s->direct)
        TRY(buf_reserve(&s->multipoles, a->device, rows));
    TRY(buf_reserve(&s->locals, a->device, rows));
    return buf_reserve(&s->merged, a->device,
                       plane_gpu_merged_bytes(a, s->parents, s->stride));
}

/* Orders the parents so that adjacent ones follow one another, without those
 * whose children's locals are not needed: these become 0. */
farsum_status plane_gpu_dense(struct plane_gpu *s)
{
    const struct boxes_args *a = &s->gpu.args;
    int64_t roots = boxes_gpu_level(a, 0), first = 0;
    int64_t last = a->root[0] - a->ghosts;
    farsum_status status = FARSUM_OK;
    int32_t *order = NULL;
    if (!a->dense || s->parents == 0)
        return FARSUM_OK;
    GO(MEM_NEW(order, s->parents));
    for (int level = 0; level < a->depth; level++) {
        int64_t n = boxes_gpu_level(a, level);
        for (int64_t i = 0; i < n; i++) {
            int64_t box = plane_gpu_box(roots, level, i), x = box % a->root[0];
            if (x >= a->ghosts && x < last)
                order[s->aims++] = (int32_t)(first + box);
        }
        first += n;
    }
    GO(plane_gpu_send(s, &s->order, order, s->parents));
    GO(plane_gpu_arrays(s));
    if (s->aims < s->parents)
        GO(buf_fill(&s->locals, 0));
done:
    mem_free(order);
    return status;
}

void plane_gpu_define(struct plane_gpu *s, const char *text)
{
    const struct boxes_args *a = &s->gpu.args;
    struct jit *jit = &s->gpu.jit;
    jit_begin(jit, a->device, text, a->precision);
    for (int c = 0; c < 8; c = 2 * c + 1) { /* 0, 1, 3, 7: 0 .. 3 axes */
        char name[] = "N0";
        name[1] = (char)('0' + __builtin_popcount((unsigned)c));
        jit_define(jit, name, "%d", plane_gpu_class_size(a->p, c));
    }
    jit_define(jit, "Q", "%lld", (long long)s->stride);
    jit_define(jit, "WS", "%d", a->ws);
}

/* The slots of a sparse tree are the parents, and are in Morton order. */
farsum_status plane_gpu_set(void *state, const struct points *source,
                            const struct points *target)
{
    farsum_status status = FARSUM_OK;
    struct plane_gpu *s = state;
    struct boxes_gpu *g = &s->gpu;
    int32_t *order = NULL;
    (void)target;
    if (g->args.dense)
        return FARSUM_OK;
    GO(boxes_gpu_set(g, source->tree));
    s->parents = s->aims = g->levels.slots;
    g->groups = 8 * ((s->parents + BOXES_LANES - 1) / BOXES_LANES);
    GO(MEM_RAW(order, s->parents));
    for (int64_t k = 0; k < s->parents; k++)
        order[k] = (int32_t)k;
    GO(buf_reserve(&s->order, g->args.device, 4 * s->parents));
    if (s->parents > 0)
        GO(buf_upload(&s->order, 0, order, 4 * s->parents));
    GO(plane_gpu_arrays(s));
done:
    mem_free(order);
    return status;
}

farsum_status plane_gpu_run(void *state, const void *data)
{
    struct plane_gpu *s = state;
    const struct boxes_io *io = data;
    struct boxes_gpu *g = &s->gpu;
    const struct buf *near = boxes_gpu_near(g, io->tree);
    int64_t out = (s->parents + s->to_waves - 1) / s->to_waves;
    int64_t in = (s->aims + s->from_waves - 1) / s->from_waves;
    TRY(boxes_gpu_io(g, io));
    if (g->groups == 0)
        return FARSUM_OK;
    if (s->direct)
        TRY(LAUNCH(&s->waves_out, out, ARG_BUF(io->multipole),
                   ARG_BUF(&s->merged), ARG_BUF(&g->operators),
                   ARG_BUF(&s->shift), ARG_BUF(&s->cut), ARG_BUF(near),
                   ARG_I32(s->parents), ARG_STRUCT(g->levels)));
    else {
        TRY(LAUNCH(&s->rows, g->groups, ARG_BUF(io->multipole),
                   ARG_BUF(&s->multipoles), ARG_BUF(&s->cut), ARG_BUF(near),
                   ARG_STRUCT(g->levels)));
        TRY(LAUNCH(&s->waves_out, out, ARG_BUF(&s->multipoles),
                   ARG_BUF(&s->merged), ARG_BUF(&g->operators),
                   ARG_BUF(&s->shift), ARG_BUF(&s->cut), ARG_I32(s->parents)));
    }
    if (in > 0)
        TRY(LAUNCH(&s->waves_in, in, ARG_BUF(&s->merged), ARG_BUF(&s->locals),
                   ARG_BUF(&s->in), ARG_BUF(&s->shift), ARG_BUF(&s->cut),
                   ARG_BUF(near), ARG_BUF(&s->order), ARG_I32(s->parents),
                   ARG_I32(s->aims), ARG_STRUCT(g->levels)));
    return LAUNCH(&s->columns, g->groups, ARG_BUF(io->local),
                  ARG_BUF(&s->locals), ARG_BUF(&s->cut), ARG_BUF(near),
                  ARG_STRUCT(g->levels));
}
