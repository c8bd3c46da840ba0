/* SPDX-License-Identifier: Apache-2.0 */
/* cufft: NVIDIA's transforms, loaded at run time.  The fastest on NVIDIA
 * GPUs. */
#include "device/dl.h"
#include "stage/fft/vendor.h"

struct calls {
#define SYM(result, name, parameters) result(*name) parameters;
#include "stage/fft/cufft.sym"
#undef SYM
};
_Static_assert(sizeof(struct calls) <= VENDOR_API * sizeof(void *),
               "must fit into vendor.h's VENDOR_API pointers");

/* Kinds of transforms, forward, backward and complex, f64 and f32. */
static const int kinds[2][3] = {{0x6a, 0x6c, 0x69}, {0x2a, 0x2c, 0x29}};

static farsum_status cufft_open(void *api)
{
    static const char *const names[] = {"libcufft.so.12", "libcufft.so.11",
                                        "libcufft.so.10", "libcufft.so", NULL};
    static const char *const folders[] = {"/usr/local/cuda/lib64", NULL};
    static const char *const symbols[] = {
#define SYM(result, name, parameters) #name,
#include "stage/fft/cufft.sym"
#undef SYM
        NULL};
    void *library = NULL;
    return dl_open(&library, names, folders, symbols, api);
}

static const struct calls *cufft_calls(const struct vendor *v)
{
    return (const void *)v->api;
}

static int cufft_plan(const struct vendor *v, int backward)
{
    return (int)(intptr_t)v->plan[backward];
}

static int cufft_make(struct vendor *v, int backward, void *stream,
                      size_t *bytes)
{
    const struct calls *c = cufft_calls(v);
    struct vendor_shape s = v->shape;
    long long *in = backward ? s.half : s.real;
    long long *out = backward ? s.real : s.half;
    int kind = kinds[v->args.precision == FARSUM_F32]
                    [v->args.is_complex ? 2 : backward];
    int plan = 0;
    int error = c->cufftCreate(&plan);
    if (error != 0)
        return error;
    v->plan[backward] = (void *)(intptr_t)plan;
    v->made[backward] = 1;
    error = c->cufftSetAutoAllocation(plan, 0);
    if (error == 0)
        error = c->cufftMakePlanMany64(
            plan, 3, s.n, in, 1, backward ? s.halves : s.reals, out, 1,
            backward ? s.reals : s.halves, kind, v->count[backward], bytes);
    return error != 0 ? error : c->cufftSetStream(plan, stream);
}

static int cufft_area(struct vendor *v, int backward, void *memory)
{
    return cufft_calls(v)->cufftSetWorkArea(cufft_plan(v, backward), memory);
}

static int cufft_move(struct vendor *v, int backward, void *stream)
{
    return cufft_calls(v)->cufftSetStream(cufft_plan(v, backward), stream);
}

static int cufft_transform(struct vendor *v, int backward, void *data)
{
    const struct calls *c = cufft_calls(v);
    int plan = cufft_plan(v, backward);
    if (v->args.is_complex) /* their signs */
        return v->args.precision == FARSUM_F32
                   ? c->cufftExecC2C(plan, data, data, backward ? 1 : -1)
                   : c->cufftExecZ2Z(plan, data, data, backward ? 1 : -1);
    if (v->args.precision == FARSUM_F32)
        return backward ? c->cufftExecC2R(plan, data, data)
                        : c->cufftExecR2C(plan, data, data);
    return backward ? c->cufftExecZ2D(plan, data, data)
                    : c->cufftExecD2Z(plan, data, data);
}

static void cufft_end(struct vendor *v, int backward)
{
    cufft_calls(v)->cufftDestroy(cufft_plan(v, backward));
}

static const struct vendor_calls cufft = {
    "cuFFT",    "cuda",     cufft_open,      cufft_make,
    cufft_area, cufft_move, cufft_transform, cufft_end,
};

static farsum_status cufft_fits(const void *args)
{
    return vendor_fits(&cufft, args);
}

static double cufft_cost(const void *args)
{
    return fft_cost_device(args);
}

static int64_t cufft_bytes(const void *args)
{
    return vendor_bytes(args);
}

static farsum_status cufft_create(const void *args, void **state)
{
    return vendor_create(&cufft, args, state);
}

const struct variant fft_cufft = {
    .fits = cufft_fits,
    .cost = cufft_cost,
    .bytes = cufft_bytes,
    .create = cufft_create,
    .run = vendor_run,
    .destroy = vendor_destroy,
    .deterministic = 1,
    .needs = "cuFFT and a CUDA device",
};
