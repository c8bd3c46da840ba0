/* SPDX-License-Identifier: Apache-2.0 */
/* vendor_library.h: the calls of cuFFT or hipFFT, for cufft.c and hipfft.c.
 *
 * Include it once, after definitions of
 *
 *     HANDLE            type of a plan's handle: an int or a pointer
 *     SYMBOL(name)      the exported name, as text
 *     LIBRARY           the library's name in messages, as text
 *     BACKEND           the devices that it serves, as text
 *     NAMES, FOLDERS    the library's file names, and folders to search, as
 *                       lists of texts
 *
 * Defines fits, cost, bytes and create of the variant's descriptor. */
#include "device/dl.h"
#include "stage/fft/vendor.h"

struct calls {
#define SYM(name, parameters) int(*name) parameters;
#include "stage/fft/vendor.sym"
#undef SYM
};
_Static_assert(sizeof(struct calls) <= VENDOR_API * sizeof(void *),
               "must fit into vendor.h's VENDOR_API pointers");

/* Kinds of transforms, forward, backward and complex, f64 and f32. */
static const int kinds[2][3] = {{0x6a, 0x6c, 0x69}, {0x2a, 0x2c, 0x29}};

static farsum_status library_open(void *api)
{
    static const char *const names[] = {NAMES, NULL};
    static const char *const folders[] = {FOLDERS, NULL};
    static const char *const symbols[] = {
#define SYM(name, parameters) SYMBOL(name),
#include "stage/fft/vendor.sym"
#undef SYM
        NULL};
    void *library = NULL;
    return dl_open(&library, names, folders, symbols, api);
}

static const struct calls *library_calls(const struct vendor *v)
{
    return (const void *)v->api;
}

static HANDLE library_plan(const struct vendor *v, int backward)
{
    return (HANDLE)(intptr_t)v->plan[backward];
}

static int library_make(struct vendor *v, int backward, void *stream,
                        size_t *bytes)
{
    const struct calls *c = library_calls(v);
    struct vendor_shape s = v->shape;
    long long *in = backward ? s.half : s.real;
    long long *out = backward ? s.real : s.half;
    int kind = kinds[v->args.precision == FARSUM_F32]
                    [v->args.is_complex ? 2 : backward];
    HANDLE plan = 0;
    int error = c->Create(&plan);
    if (error != 0)
        return error;
    v->plan[backward] = (void *)(intptr_t)plan;
    v->made[backward] = 1;
    error = c->SetAutoAllocation(plan, 0);
    if (error == 0)
        error = c->MakePlanMany64(plan, 3 - s.first, s.n + s.first,
                                  in + s.first, 1,
                                  backward ? s.halves : s.reals,
                                  out + s.first, 1,
                                  backward ? s.reals : s.halves, kind,
                                  v->count[backward], bytes);
    return error != 0 ? error : c->SetStream(plan, stream);
}

static int library_area(struct vendor *v, int backward, void *memory)
{
    return library_calls(v)->SetWorkArea(library_plan(v, backward), memory);
}

static int library_move(struct vendor *v, int backward, void *stream)
{
    return library_calls(v)->SetStream(library_plan(v, backward), stream);
}

static int library_run(struct vendor *v, int backward, void *data)
{
    const struct calls *c = library_calls(v);
    HANDLE plan = library_plan(v, backward);
    if (v->args.is_complex) /* their signs */
        return v->args.precision == FARSUM_F32
                   ? c->ExecC2C(plan, data, data, backward ? 1 : -1)
                   : c->ExecZ2Z(plan, data, data, backward ? 1 : -1);
    if (v->args.precision == FARSUM_F32)
        return backward ? c->ExecC2R(plan, data, data)
                        : c->ExecR2C(plan, data, data);
    return backward ? c->ExecZ2D(plan, data, data)
                    : c->ExecD2Z(plan, data, data);
}

static void library_destroy(struct vendor *v, int backward)
{
    library_calls(v)->Destroy(library_plan(v, backward));
}

static const struct vendor_calls library = {
    LIBRARY,      BACKEND,      library_open, library_make,
    library_area, library_move, library_run,  library_destroy,
};

static farsum_status fits(const void *args)
{
    return vendor_fits(&library, args);
}

static double cost(const void *args)
{
    return fft_cost_device(args);
}

static int64_t bytes(const void *args)
{
    return vendor_bytes(args);
}

static farsum_status create(const void *args, void **state)
{
    return vendor_create(&library, args, state);
}
