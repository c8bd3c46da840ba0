/* SPDX-License-Identifier: Apache-2.0 */
/* slab_steps.c: the steps of one group of a cut transform's channels. */
#include "ranks/device/slab_inside.h"

static int64_t slab_blocks(int64_t n, int64_t per)
{
    return (n + per - 1) / per;
}

static struct slab_place slab_place(const struct gpu_slab *s, struct buf *whole,
                                    int64_t first_real)
{
    int64_t first = first_real * s->real;
    /* no view of a view */
    int apart = gpu_slab_aligns(s) && whole
                && (first % BUF_ALIGN != 0 || whole->owned == 2);
    return (struct slab_place){whole, first, apart};
}

/* Transforms the numbers at a place. */
farsum_status gpu_slab_transform(struct gpu_slab *s, const struct slab_fft *fft,
                                 const struct slab_place *at, int backward)
{
    struct buf view = {0};
    struct fft_io io = {&s->apart, backward};
    if (!fft->state)
        return FARSUM_OK;
    if (!at->apart) {
        TRY(buf_view(&view, at->whole, at->first, fft->reals * s->real));
        io.data = &view;
    }
    farsum_status status = fft->variant->run(fft->state, &io);
    buf_clear(&view);
    return status;
}

/* Copies the numbers to `apart` if they are transformed there, or back. */
static farsum_status slab_move(struct gpu_slab *s, const struct slab_fft *fft,
                               const struct slab_place *at, int back)
{
    int64_t bytes = fft->reals * s->real;
    if (!at->apart || !fft->state)
        return FARSUM_OK;
    return back ? buf_copy(at->whole, at->first, &s->apart, 0, bytes)
                : buf_copy(&s->apart, 0, at->whole, at->first, bytes);
}

struct slab_channel gpu_slab_channel(struct gpu_slab *s,
                                     const struct gpu_slab_io *io, int c)
{
    int64_t halo = s->args.halo * 2 * s->shape.plane;
    int buffer = s->exchange.device ? c % 2 : 0;
    return (struct slab_channel){
        slab_place(s, io->mesh, c * s->batch * io->mesh_channel + halo),
        slab_place(s, io->spectrum, c * s->batch * io->spectrum_channel),
        &s->packed[buffer], &s->arrived[buffer]};
}

/* Fails if the arrays end before the group does, or if it has gaps. */
static farsum_status slab_holds(const struct gpu_slab *s,
                                const struct slab_channel *c,
                                const struct gpu_slab_io *io)
{
    const struct slab_shape *a = &s->shape;
    int64_t planes = s->batch * 2 * a->planes * a->plane * s->real;
    int64_t lines = s->batch * 2 * a->lines * a->points * s->real;
    if (s->batch > 1
        && (io->mesh_channel != 2 * a->planes * a->plane
            || io->spectrum_channel != 2 * a->lines * a->points))
        FAIL(ERR_INTERNAL, "channels of %lld and %lld reals have gaps",
             (long long)io->mesh_channel, (long long)io->spectrum_channel);
    if ((planes > 0 && c->mesh.first + planes > c->mesh.whole->bytes)
        || (lines > 0 && c->spectrum.first + lines > c->spectrum.whole->bytes))
        FAIL(ERR_INTERNAL,
             "the mesh of %lld bytes or the spectrum of %lld is too small",
             (long long)(planes > 0 ? c->mesh.whole->bytes : 0),
             (long long)(lines > 0 ? c->spectrum.whole->bytes : 0));
    return FARSUM_OK;
}

/* A channel's planes, where they are transformed. */
static struct slab_turn slab_planes(const struct gpu_slab *s,
                                    const struct slab_channel *c,
                                    const struct buf **mesh)
{
    *mesh = c->mesh.apart ? &s->apart : c->mesh.whole;
    return (struct slab_turn){
        .planes = s->shape.planes,
        .plane = s->shape.plane,
        .mesh = c->mesh.apart ? 0 : c->mesh.first / (2 * s->real)};
}

/* Transposes lines first .. first + count: point p of the first is line[at +
 * p], and of the next channel it is `channel` numbers behind. */
static farsum_status slab_lines(const struct gpu_slab *s,
                                const struct kernel *kernel,
                                const struct slab_channel *c, int64_t first,
                                int64_t count, const struct buf *line,
                                int64_t at, int64_t step, int64_t channel)
{
    const struct buf *mesh = NULL;
    struct slab_turn a = slab_planes(s, c, &mesh);
    int64_t blocks =
        slab_blocks(count, s->tall) * slab_blocks(a.planes, s->wide);
    a.first = first;
    a.count = count;
    a.at = at;
    a.step = step;
    a.channel = channel;
    if (blocks == 0)
        return FARSUM_OK;
    return LAUNCH(kernel, s->batch * blocks, ARG_BUF(mesh), ARG_BUF(&s->place),
                  ARG_BUF(line), ARG_STRUCT(a));
}

/* Own lines are in the spectrum, the others in `packed`. */
farsum_status gpu_slab_turn(struct gpu_slab *s, const struct kernel *kernel,
                            const struct slab_channel *c)
{
    const struct slab_shape *a = &s->shape;
    int64_t end = a->first + a->lines;
    int64_t step = s->batch * a->planes;
    TRY(slab_lines(s, kernel, c, 0, a->first, c->packed, 0, step, a->planes));
    TRY(slab_lines(s, kernel, c, end, a->all - end, c->packed, a->first * step,
                   step, a->planes));
    return slab_lines(s, kernel, c, a->first, a->lines, c->spectrum.whole,
                      c->spectrum.first / (2 * s->real) + a->own, a->points,
                      a->lines * a->points);
}

farsum_status gpu_slab_zero(struct gpu_slab *s, const struct slab_channel *c)
{
    const struct buf *mesh = NULL;
    struct slab_turn a = slab_planes(s, c, &mesh);
    int64_t blocks = slab_blocks(s->shape.zeros, SLAB_GROUP)
                     * slab_blocks(a.planes, SLAB_COPIES);
    a.count = s->shape.zeros;
    if (blocks == 0)
        return FARSUM_OK;
    return LAUNCH(&s->clear, s->batch * blocks, ARG_BUF(mesh),
                  ARG_BUF(&s->zero), ARG_STRUCT(a));
}

farsum_status gpu_slab_points(struct gpu_slab *s, const struct slab_channel *c,
                              int back)
{
    const struct slab_shape *shape = &s->shape;
    int64_t rows = SLAB_GROUP / SLAB_EDGE * SLAB_COPIES;
    struct slab_points a = {shape->lines,  shape->points,
                            shape->known,  shape->own,
                            shape->planes, c->spectrum.first / (2 * s->real)};
    int64_t end = back ? a.known : a.points;
    int64_t blocks =
        slab_blocks(end - a.planes, SLAB_EDGE) * slab_blocks(a.lines, rows);
    if (blocks == 0)
        return FARSUM_OK;
    return LAUNCH(&s->points, s->batch * blocks, ARG_BUF(c->arrived),
                  ARG_BUF(&s->part), ARG_BUF(c->spectrum.whole), ARG_I32(back),
                  ARG_STRUCT(a));
}

static farsum_status planes_forward(struct gpu_slab *s,
                                    const struct slab_channel *c)
{
    TRY(slab_move(s, &s->plane_fft, &c->mesh, 0));
    TRY(gpu_slab_transform(s, &s->plane_fft, &c->mesh, 0));
    return gpu_slab_turn(s, &s->out, c);
}

static farsum_status planes_backward(struct gpu_slab *s,
                                     const struct slab_channel *c)
{
    TRY(gpu_slab_turn(s, &s->in, c));
    TRY(gpu_slab_zero(s, c));
    TRY(gpu_slab_transform(s, &s->plane_fft, &c->mesh, 1));
    return slab_move(s, &s->plane_fft, &c->mesh, 1);
}

static farsum_status lines_transform(struct gpu_slab *s,
                                     const struct slab_channel *c, int backward)
{
    TRY(slab_move(s, &s->line_fft, &c->spectrum, 0));
    TRY(gpu_slab_transform(s, &s->line_fft, &c->spectrum, backward));
    return slab_move(s, &s->line_fft, &c->spectrum, 1);
}

static farsum_status lines_forward(struct gpu_slab *s,
                                   const struct slab_channel *c)
{
    TRY(gpu_slab_points(s, c, 0));
    return lines_transform(s, c, 0);
}

static farsum_status lines_backward(struct gpu_slab *s,
                                    const struct slab_channel *c)
{
    TRY(lines_transform(s, c, 1));
    return gpu_slab_points(s, c, 1);
}

farsum_status gpu_slab_before(struct gpu_slab *s, const struct gpu_slab_io *io,
                              int c, int backward)
{
    const struct slab_channel channel = gpu_slab_channel(s, io, c);
    TRY(slab_holds(s, &channel, io));
    return backward ? lines_backward(s, &channel) : planes_forward(s, &channel);
}

farsum_status gpu_slab_after(struct gpu_slab *s, const struct gpu_slab_io *io,
                             int c, int backward)
{
    const struct slab_channel channel = gpu_slab_channel(s, io, c);
    TRY(slab_holds(s, &channel, io));
    return backward ? planes_backward(s, &channel) : lines_forward(s, &channel);
}
