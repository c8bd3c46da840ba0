/* SPDX-License-Identifier: Apache-2.0 */
/* hipfft: AMD's transforms, loaded at run time.  It has not run on hardware. */
#include "device/dl.h"
#include "stage/fft/vendor.h"

struct calls {
#define SYM(result, name, parameters) result(*name) parameters;
#include "stage/fft/hipfft.sym"
#undef SYM
};
_Static_assert(sizeof(struct calls) <= VENDOR_API * sizeof(void *),
               "must fit into vendor.h's VENDOR_API pointers");

/* Kinds of transforms, forward, backward and complex, f64 and f32. */
static const int kinds[2][3] = {{0x6a, 0x6c, 0x69}, {0x2a, 0x2c, 0x29}};

static farsum_status hipfft_open(void *api)
{
    static const char *const names[] = {"libhipfft.so.0", "libhipfft.so", NULL};
    static const char *const folders[] = {"/opt/rocm/lib", NULL};
    static const char *const symbols[] = {
#define SYM(result, name, parameters) #name,
#include "stage/fft/hipfft.sym"
#undef SYM
        NULL};
    void *library = NULL;
    return dl_open(&library, names, folders, symbols, api);
}

static const struct calls *hipfft_calls(const struct vendor *v)
{
    return (const void *)v->api;
}

static void *hipfft_plan(const struct vendor *v, int backward)
{
    return v->plan[backward];
}

static int hipfft_make(struct vendor *v, int backward, void *stream,
                       size_t *bytes)
{
    const struct calls *c = hipfft_calls(v);
    struct vendor_shape s = v->shape;
    long long *in = backward ? s.half : s.real;
    long long *out = backward ? s.real : s.half;
    int kind = kinds[v->args.precision == FARSUM_F32]
                    [v->args.is_complex ? 2 : backward];
    void *plan = 0;
    int error = c->hipfftCreate(&plan);
    if (error != 0)
        return error;
    v->plan[backward] = plan;
    v->made[backward] = 1;
    error = c->hipfftSetAutoAllocation(plan, 0);
    if (error == 0)
        error = c->hipfftMakePlanMany64(
            plan, 3, s.n, in, 1, backward ? s.halves : s.reals, out, 1,
            backward ? s.reals : s.halves, kind, v->count[backward], bytes);
    return error != 0 ? error : c->hipfftSetStream(plan, stream);
}

static int hipfft_area(struct vendor *v, int backward, void *memory)
{
    return hipfft_calls(v)->hipfftSetWorkArea(hipfft_plan(v, backward), memory);
}

static int hipfft_move(struct vendor *v, int backward, void *stream)
{
    return hipfft_calls(v)->hipfftSetStream(hipfft_plan(v, backward), stream);
}

static int hipfft_transform(struct vendor *v, int backward, void *data)
{
    const struct calls *c = hipfft_calls(v);
    void *plan = hipfft_plan(v, backward);
    if (v->args.is_complex) /* their signs */
        return v->args.precision == FARSUM_F32
                   ? c->hipfftExecC2C(plan, data, data, backward ? 1 : -1)
                   : c->hipfftExecZ2Z(plan, data, data, backward ? 1 : -1);
    if (v->args.precision == FARSUM_F32)
        return backward ? c->hipfftExecC2R(plan, data, data)
                        : c->hipfftExecR2C(plan, data, data);
    return backward ? c->hipfftExecZ2D(plan, data, data)
                    : c->hipfftExecD2Z(plan, data, data);
}

static void hipfft_end(struct vendor *v, int backward)
{
    hipfft_calls(v)->hipfftDestroy(hipfft_plan(v, backward));
}

static const struct vendor_calls hipfft = {
    "hipFFT",    "hip",       hipfft_open,      hipfft_make,
    hipfft_area, hipfft_move, hipfft_transform, hipfft_end,
};

static farsum_status hipfft_fits(const void *args)
{
    return vendor_fits(&hipfft, args);
}

static double hipfft_cost(const void *args)
{
    return fft_cost_device(args);
}

static int64_t hipfft_bytes(const void *args)
{
    return vendor_bytes(args);
}

static farsum_status hipfft_create(const void *args, void **state)
{
    return vendor_create(&hipfft, args, state);
}

const struct variant fft_hipfft = {
    .fits = hipfft_fits,
    .cost = hipfft_cost,
    .bytes = hipfft_bytes,
    .create = hipfft_create,
    .run = vendor_run,
    .destroy = vendor_destroy,
    .deterministic = 1,
    .needs = "hipFFT and a HIP device",
};
