/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_fft: fft on a device: the convolution over root boxes by transforms of
 * their grid.  With as many root boxes as leaves it computes the whole far
 * field. */
#include "base/mem.h"
#include "cost/expected_rates.h"
#include "stage/device.h"
#include "stage/fft/fft.h"
#include "stage/lattice/gpu_modes.h"

struct state {
    struct lattice_modes_args args;
    struct gpu_modes modes;
    struct buf data, more; /* owned: [K][mesh]; more: only if the products must
                              not replace their data */
    struct choice fft;
    void *fft_state;       /* owned */
};

static struct lattice_modes_args fft_modes(const struct boxes_args *a)
{
    struct lattice_modes_args args = {.boxes = *a};
    int64_t *mesh = args.mesh;
    gpu_modes_mesh(a, mesh);
    args.boxes.threads = a->threads > 1 ? a->threads : 1;
    args.end = mesh[1] / 2 + 1;
    args.rows = args.turn = mesh[1];
    args.step[0] = 2;
    args.step[1] = 2 * (mesh[0] / 2 + 1);
    args.step[2] = args.step[1] * mesh[1];
    args.channel = args.step[2] * mesh[2];
    return args;
}

static struct fft_args fft_args_of(const struct lattice_modes_args *args)
{
    const struct boxes_args *a = &args->boxes;
    struct fft_args fft = {.precision = a->precision,
                           .threads = a->threads,
                           .device = a->device,
                           .ldz = args->step[1]};
    for (int c = 0; c < 3; c++)
        fft.mesh[c] = args->mesh[2 - c];
    fft.batch[0] = fft.batch[1] = multipole_size(a->p);
    return fft;
}

static farsum_status fft_fits(const void *args)
{
    const struct boxes_args *a = args;
    int axes = a->periodic[0] + a->periodic[1] + a->periodic[2];
    TRY(boxes_gpu_fits(a, MULTIPOLE_MOST));
    if (axes == 1 || axes == 2)
        FAIL(ERR_UNSUPPORTED, "%d periodic axes; use three or none", axes);
    for (int c = 0; c < 3; c++)
        if (a->root[c] < 2 || a->root[c] > 1024)
            FAIL(ERR_UNSUPPORTED,
                 "%lld root boxes along axis %d; the variant needs at least "
                 "two",
                 (long long)a->root[c], c);
    const struct lattice_modes_args args_modes = fft_modes(a);
    struct fft_args fft = fft_args_of(&args_modes);
    struct choice choice;
    const struct choose_options any = {0};
    int64_t real = gpu_real(a->precision), step = args_modes.channel;
    if (step > INT32_MAX)
        FAIL(ERR_UNSUPPORTED, "the grid of %lld points is too large",
             (long long)step);
    TRY(boxes_gpu_fits_memory(a, gpu_modes_field(&args_modes) * real));
    TRY(boxes_gpu_fits_memory(a, multipole_size(a->p) * step * real));
    return choose(&fft_stage, &fft, &any, &choice);
}

static int64_t fft_bytes(const void *args)
{
    const struct boxes_args *a = args;
    const struct lattice_modes_args modes = fft_modes(a);
    int64_t meshes = (gpu_modes_apart(a) ? 2 : 1) * multipole_size(a->p);
    return gpu_real(a->precision) * meshes * modes.channel
           + gpu_modes_bytes(&modes);
}

/* Slowdown of a vendor's library for lengths with large factors. */
static double fft_slower(const int64_t mesh[3])
{
    double slower = 0;
    for (int c = 0; c < 3; c++) {
        int64_t n = mesh[c];
        for (int factor = 2; factor <= 7; factor++)
            while (n % factor == 0)
                n /= factor;
        slower += n > 1 ? 1 : 1.0 / 3;
    }
    return slower;
}

static double fft_cost_of(const void *args)
{
    const struct boxes_args *a = args;
    const struct lattice_modes_args grid = fft_modes(a);
    const int64_t *mesh = grid.mesh;
    struct fft_args fft = fft_args_of(&grid);
    struct gpu_rates rates = gpu_rates(a->device, a->precision);
    double size = multipole_size(a->p), real = gpu_real(a->precision);
    double bytes = size * real * (double)grid.channel;
    double n =
        (double)((mesh[0] / 2 + 1) * (mesh[1] / 2 + 1) * (mesh[2] / 2 + 1));
    /* ten operations per element of an operator; the total as measured on an
     * H200 */
    double modes =
        n * (double)gpu_modes_products(a) * 10 / (0.25 * rates.flops);
    double transforms =
        2 * size * fft_slower(mesh) * (fft_cost_device(&fft) - 1e-5);
    double copies = 8 * bytes / (0.6 * rates.bytes);
    return 1.25 * (modes + transforms + copies) + 5 * (rates.launch + 8e-6);
}

static void fft_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    if (s->fft_state)
        s->fft.row->variant->destroy(s->fft_state);
    gpu_modes_clear(&s->modes);
    buf_clear(&s->data);
    buf_clear(&s->more);
    mem_free(s);
}

static farsum_status fft_create(const void *args, void **state)
{
    const struct boxes_args *a = args;
    farsum_status status = FARSUM_OK;
    const struct choose_options any = {0};
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = fft_modes(a);
    int64_t bytes =
        multipole_size(a->p) * s->args.channel * gpu_real(a->precision);
    struct fft_args fft = fft_args_of(&s->args);
    GO(gpu_modes_create(&s->args, &s->modes));
    GO(buf_alloc(&s->data, a->device, bytes));
    if (gpu_modes_apart(a)) {
        GO(buf_alloc(&s->more, a->device, bytes));
        GO(buf_fill(&s->more, 0));
    }
    GO(choose(&fft_stage, &fft, &any, &s->fft));
    GO(s->fft.row->variant->create(&fft, &s->fft_state));
    *state = s;
    s = NULL;
done:
    fft_destroy(s);
    return status;
}

static struct lattice_boxes fft_boxes(const struct state *s, int64_t stride)
{
    const struct lattice_modes_args *a = &s->args;
    const int64_t *root = a->boxes.root;
    return (struct lattice_boxes){
        .stride = stride,
        .step = a->channel,
        .box = {1, root[0], root[0] * root[1]},
        .root = {(int32_t)root[0], (int32_t)root[1], (int32_t)root[2]},
        .mesh = {(int32_t)a->step[1], (int32_t)a->mesh[1],
                 (int32_t)a->mesh[2]}};
}

static farsum_status fft_run(void *state, const void *data)
{
    struct state *s = state;
    const struct boxes_io *io = data;
    const struct variant *fft = s->fft.row->variant;
    const struct lattice_boxes boxes = fft_boxes(s, io->stride);
    struct buf *back = s->more.device ? &s->more : &s->data;
    const struct fft_io there = {&s->data, 0}, home = {back, 1};
    TRY(boxes_gpu_same(&s->args.boxes, io));
    TRY(gpu_modes_in(&s->modes, &boxes, io->multipole, &s->data));
    TRY(fft->run(s->fft_state, &there));
    TRY(gpu_modes_run(&s->modes, &s->data, back));
    TRY(fft->run(s->fft_state, &home));
    return gpu_modes_out(&s->modes, &boxes, back, io->local);
}

const struct variant lattice_gpu_fft = {
    .fits = fft_fits,
    .cost = fft_cost_of,
    .bytes = fft_bytes,
    .create = fft_create,
    .run = fft_run,
    .destroy = fft_destroy,
    .deterministic = 1,
    .needs = "a device",
};
