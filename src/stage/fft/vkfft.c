/* SPDX-License-Identifier: Apache-2.0 */
/* vkfft: VkFFT on any OpenCL device (Tolmachev, IEEE Access 11 (2023) 12039).
 * Its kernels are generated with the plan, compiled once and then kept on disk,
 * by PoCL itself if that is the driver.  PoCL also gets FARSUM_OPENCL_OPTIONS:
 * unoptimised, the variant's test took 41 s of CPU instead of 91 s.  With
 * opencl_words.h it takes 20 s, and 2.4 s with kernels kept.
 * All transforms are in place, for any size.
 *
 * VkFFT is one header that calls OpenCL by name and keeps no pointer for its
 * caller.  So the names are macros here, for functions of the library that the
 * device has opened.  Its output is dropped.  It changes the locale for all
 * threads; the macros change it only for this one. */
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/mem.h"
#include "base/number.h"
#include "device/compile/cache.h"
#include "device/compile/jit.h"
#include "device/opencl/opencl.h"
#include "stage/fft/copy.h"
#include "stage/device.h"

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

enum { HELD = 64 };

/* State of the calls that VkFFT makes to OpenCL.  The device's memory count
 * includes its buffers. */
struct calls {
    struct device *device;
    const struct opencl_api *api;
    const char *text; /* text of the program being made; NULL: from disk */
    cl_id ready;      /* the program built when it was made */
    int n_held;
    struct {
        void *memory;
        int64_t bytes;
    } held[HELD];
};
/* Set while this thread is in VkFFT. */
static _Thread_local struct calls *now;

static void *vk_buffer(void *context, cl_bits flags, size_t size, void *host,
                       cl_int *error)
{
    struct device *d = now->device;
    *error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (now->n_held == HELD
        || (d->limit > 0 && d->bytes + (int64_t)size > d->limit))
        return NULL;
    void *memory = now->api->clCreateBuffer(context, flags, size, host, error);
    if (*error != 0)
        return NULL;
    now->held[now->n_held].memory = memory;
    now->held[now->n_held++].bytes = (int64_t)size;
    d->bytes += (int64_t)size;
    d->peak = d->bytes > d->peak ? d->bytes : d->peak;
    return memory;
}

static cl_int vk_release(void *memory)
{
    for (int i = 0; i < now->n_held; i++)
        if (now->held[i].memory == memory) {
            now->device->bytes -= now->held[i].bytes;
            now->held[i] = now->held[--now->n_held];
            break;
        }
    return now->api->clReleaseMemObject(memory);
}

/* Key of a program by its text, as for our own kernels. */
static struct cache_key vk_key(const char *text)
{
    const struct device_properties *properties = &now->device->properties;
    return (struct cache_key){
        {farsum_version(), properties->arch, properties->makers, text}};
}

/* Program from disk; NULL if it is missing or unusable. */
static cl_id vk_from_disk(cl_id context, const char *text)
{
    struct opencl *cl = now->device->inside;
    const struct cache_key key = vk_key(text);
    void *binary = NULL;
    int64_t bytes = 0;
    cl_int error = 0, state = 0;
    if (!cache_get(&key, &binary, &bytes))
        return NULL;
    const unsigned char *image = binary;
    const size_t size = (size_t)bytes;
    cl_id program = now->api->clCreateProgramWithBinary(
        context, 1, &cl->device, &size, &image, &state, &error);
    mem_free(binary);
    if (error != 0)
        return NULL;
    if (now->api->clBuildProgram(program, 1, &cl->device, NULL, NULL, NULL)
        != 0) {
        now->api->clReleaseProgram(program);
        return NULL;
    }
    return program;
}

static cl_id vk_program(cl_id context, cl_uint n, const char **texts,
                        const size_t *lengths, cl_int *error)
{
    struct opencl *cl = now->device->inside;
    *error = 0;
    now->ready = cl->keeps ? opencl_kept_program(cl, texts[0])
                           : vk_from_disk(context, texts[0]);
    now->text = now->ready ? NULL : texts[0];
    if (now->ready)
        return now->ready;
    if (!*cl->words)
        return now->api->clCreateProgramWithSource(context, n, texts, lengths,
                                                   error);
    const struct jit_file *words = jit_find("dialect/opencl_words.h");
    const char *both[] = {(const char *)words->text, texts[0]};
    const size_t bytes[] = {(size_t)words->bytes, strlen(texts[0])};
    return now->api->clCreateProgramWithSource(context, 2, both, bytes, error);
}

/* VkFFT passes no options of its own. */
static const char *vk_options(const struct opencl *cl)
{
    const char *own = cl->keeps ? secure_getenv("FARSUM_OPENCL_OPTIONS") : NULL;
    return own && *own ? cl->options : cl->words;
}

/* Builds a program, whose text is still in `calls`. */
static cl_int vk_build(cl_id program, cl_uint n, const cl_id *devices,
                       const char *options, void *notify, void *data)
{
    struct opencl *cl = now->device->inside;
    void *binary = NULL;
    int64_t bytes = 0;
    (void)n, (void)devices, (void)options, (void)notify, (void)data;
    if (program == now->ready)
        return 0;
    cl_int error = opencl_build(cl, program, vk_options(cl));
    if (error != 0 || !now->text)
        return error;
    if (cl->keeps) {
        opencl_keep_program(cl, now->text, program);
        now->text = NULL;
        return 0;
    }
    const struct cache_key key = vk_key(now->text);
    if (opencl_binary(cl, program, &binary, &bytes) == FARSUM_OK)
        /* an unwritable folder only costs time later */
        (void)!cache_put(&key, binary, bytes);
    mem_free(binary);
    now->text = NULL;
    return 0;
}

static int vk_silent(const char *format, ...)
{
    (void)format;
    return 0;
}

#define clBuildProgram vk_build
#define clCreateBuffer vk_buffer
#define clCreateCommandQueue now->api->clCreateCommandQueue
#define clCreateKernel (cl_kernel) now->api->clCreateKernel
#define clCreateProgramWithBinary                                              \
    (cl_program) now->api->clCreateProgramWithBinary
#define clCreateProgramWithSource (cl_program) vk_program
#define clEnqueueNDRangeKernel now->api->clEnqueueNDRangeKernel
#define clEnqueueWriteBuffer now->api->clEnqueueWriteBuffer
#define clFinish now->api->clFinish
#define clGetDeviceInfo now->api->clGetDeviceInfo
#define clGetProgramBuildInfo now->api->clGetProgramBuildInfo
#define clGetProgramInfo now->api->clGetProgramInfo
#define clReleaseCommandQueue now->api->clReleaseCommandQueue
#define clReleaseKernel now->api->clReleaseKernel
#define clReleaseMemObject vk_release
#define clReleaseProgram now->api->clReleaseProgram
#define clSetKernelArg now->api->clSetKernelArg
#undef printf /* with Clang and _FORTIFY_SOURCE glibc defines a macro */
#define printf vk_silent
#define setlocale(category, name) vk_locale()
static char *vk_locale(void)
{
    static char name[] = "C"; /* never written */
    return name;
}
/* Replaces strtol: built with glibc 2.38 or later, strtol would require that
 * version. */
static long vk_number(const char *text, char **end)
{
    const char *behind;
    uint64_t found = 0;
    (void)number_count(text, &behind, &found);
    *end = (char *)behind;
    return found > LONG_MAX ? LONG_MAX : (long)found;
}
#define strtol(text, end, base) vk_number(text, end)
#define VKFFT_BACKEND 3
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wincompatible-pointer-types"
#include <vkFFT.h>
#pragma GCC diagnostic pop
#undef printf
#undef strtol
#undef setlocale

struct state {
    struct fft_args args;
    struct calls calls;
    uint64_t bytes;
    VkFFTApplication app[2]; /* all zero: none; backward is separate only if it
                                has another number of meshes */
    int made[2];
};

static farsum_status vkfft_fits(const void *args)
{
    const struct fft_args *a = args;
    TRY(gpu_wanted(a->device));
    if (strcmp(a->device->backend->name, "opencl") != 0)
        FAIL(ERR_UNSUPPORTED, "is built for OpenCL; this plan uses device %s",
             a->device->name);
    if (a->mesh[2] < 2)
        FAIL(ERR_UNSUPPORTED, "a row needs at least 2 points");
    if (fft_batch(a, 0) + fft_batch(a, 1) > 2 && a->mesh[0] > 1
        && a->mesh[1] < 2)
        FAIL(ERR_UNSUPPORTED, "axis 1 needs at least 2 points if several "
                              "meshes are transformed");
    return FARSUM_OK;
}

static double vkfft_cost(const void *args)
{
    return fft_cost_device(args);
}

/* Tables of roots; long or odd axes also take as much as the mesh. */
static int64_t vkfft_bytes(const void *args)
{
    const struct fft_args *a = args;
    int64_t bytes = 1 << 16;
    int batch = fft_batch(a, 0) > fft_batch(a, 1) ? fft_batch(a, 0)
                                                  : fft_batch(a, 1);
    for (int d = 0; d < 3; d++) {
        int64_t n = a->mesh[d];
        bytes += 64 * n;
        for (int p = 2; p <= 13; p++)
            while (n % p == 0)
                n /= p;
        bytes += n > 1 || a->mesh[d] > 2048 ? 2 * batch * fft_mesh_bytes(a) : 0;
    }
    return fft_batch(a, 0) == fft_batch(a, 1) ? bytes : 2 * bytes;
}

static void vkfft_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    now = &s->calls;
    for (int b = 0; b < 2; b++)
        if (s->made[b])
            deleteVkFFT(&s->app[b]);
    now = NULL;
    mem_free(s);
}

/* Generates a plan; numbers in the kernels' text need C's decimal point. */
static VkFFTResult vkfft_initialize(struct state *s, int app,
                                    VkFFTConfiguration how)
{
    void *before = c_locale_enter();
    now = &s->calls;
    VkFFTResult result = initializeVkFFT(&s->app[app], how);
    now = NULL;
    c_locale_leave(before);
    return result;
}

static farsum_status vkfft_make(struct state *s, int app)
{
    const struct fft_args *a = &s->args;
    struct opencl *cl = a->device->inside;
    VkFFTConfiguration how = {0};
    int axes = 0;
    how.device = (void *)&cl->device;
    how.context = (void *)&cl->context;
    how.commandQueue = (void *)&cl->queue;
    s->bytes = (uint64_t)(fft_step(a) * (fft_batch(a, app) - 1)
                          * gpu_real(a->precision) + fft_mesh_bytes(a));
    how.numberBatches = (uint64_t)fft_batch(a, app);
    how.bufferSize = &s->bytes;
    how.performR2C = !a->is_complex;
    how.doublePrecision = a->precision == FARSUM_F64;
    for (int d = 0; d < 3; d++)
        how.size[d] = (uint64_t)a->mesh[2 - d];
    for (int d = 0; d < 3; d++)
        axes = how.size[d] > 1 ? d + 1 : axes;
    how.FFTdim = (uint64_t)axes;
    how.bufferStride[0] = (uint64_t)a->ldz / 2;
    how.bufferStride[1] = how.bufferStride[0] * how.size[1];
    how.bufferStride[2] = (uint64_t)fft_step(a) / 2;
    if (axes == 1) /* VkFFT takes a batch of lines for the rows of a mesh */
        how.bufferStride[0] = how.bufferStride[1] = how.bufferStride[2];
    VkFFTResult result = vkfft_initialize(s, app, how);
    if (result == VKFFT_ERROR_FAILED_TO_ALLOCATE
        || result == VKFFT_ERROR_MALLOC_FAILED)
        FAIL(ERR_MEMORY, "fft vkfft: %s has no memory for %lld x %lld x %lld",
             a->device->name, (long long)a->mesh[0], (long long)a->mesh[1],
             (long long)a->mesh[2]);
    if (result != VKFFT_SUCCESS)
        FAIL(ERR_DEVICE,
             "fft vkfft: no plan for %lld x %lld x %lld (VkFFT "
             "error %d)",
             (long long)a->mesh[0], (long long)a->mesh[1],
             (long long)a->mesh[2], (int)result);
    s->made[app] = 1;
    return FARSUM_OK;
}

static farsum_status vkfft_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *(const struct fft_args *)args;
    s->calls.device = s->args.device;
    s->calls.api = &((struct opencl *)s->args.device->inside)->api;
    GO(vkfft_make(s, 0));
    if (fft_batch(&s->args, 0) != fft_batch(&s->args, 1))
        GO(vkfft_make(s, 1));
    *state = s;
    s = NULL;
done:
    vkfft_destroy(s);
    return status;
}

static farsum_status vkfft_run(void *state, const void *io)
{
    struct state *s = state;
    const struct fft_io *f = io;
    struct buf *mesh = f->data;
    struct opencl *cl = s->args.device->inside;
    VkFFTLaunchParams how = {0};
    how.commandQueue = (void *)&cl->queue;
    how.buffer = (void *)&mesh->handle;
    now = &s->calls;
    VkFFTResult result = VkFFTAppend(&s->app[f->backward && s->made[1]],
                                     f->backward ? 1 : -1, &how);
    now = NULL;
    if (result != VKFFT_SUCCESS)
        FAIL(ERR_DEVICE, "fft vkfft: VkFFT error %d on %s", (int)result,
             s->args.device->name);
    return FARSUM_OK;
}

const struct variant fft_vkfft = {
    .fits = vkfft_fits,
    .cost = vkfft_cost,
    .bytes = vkfft_bytes,
    .create = vkfft_create,
    .run = vkfft_run,
    .destroy = vkfft_destroy,
    .deterministic = 1,
    .needs = "an OpenCL device, with f64 for f64 plans",
};
