/* SPDX-License-Identifier: Apache-2.0 */
/* opencl_devices.c: the OpenCL devices and their properties. */
#include "device/opencl/opencl.h"

#include "base/c_locale.h"
#include "base/mem.h"
#include "device/dl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLATFORMS = 16 };

farsum_status opencl_failed(cl_int error, const char *call)
{
    if (error == CL_MEM_OBJECT_ALLOCATION_FAILURE
        || error == CL_OUT_OF_RESOURCES || error == CL_OUT_OF_HOST_MEMORY
        || error == CL_INVALID_BUFFER_SIZE)
        FAIL(ERR_MEMORY, "OpenCL's %s ran out of memory or resources (%d)",
             call, error);
    FAIL(ERR_DEVICE, "OpenCL's %s failed with %d", call, error);
}

farsum_status opencl_library(struct opencl *cl)
{
    static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so",
                                        NULL};
    static const char *const folders[] = {"/usr/local/cuda/lib64",
                                          "/opt/rocm/lib", NULL};
    static const char *const symbols[] = {
#define SYM(result, name, parameters) #name,
#include "device/opencl/opencl.sym"
#undef SYM
        NULL};
    return dl_open(&cl->loader, names, folders, symbols, (void **)&cl->api);
}

farsum_status opencl_devices(const struct opencl_api *api, cl_id *devices,
                             cl_id *platforms, int capacity, int *n)
{
    cl_id platform[PLATFORMS];
    cl_uint count = 0;
    *n = 0;
    cl_int error = api->clGetPlatformIDs(PLATFORMS, platform, &count);
    if (error == CL_PLATFORM_NOT_FOUND_KHR || count == 0)
        FAIL(ERR_DEVICE, "OpenCL's loader knows no platform: no driver is "
             "installed");
    CL_TRY(error, "clGetPlatformIDs");
    for (cl_uint p = 0; p < count && p < PLATFORMS; p++) {
        cl_uint more = 0, left = (cl_uint)(capacity - *n);
        error = api->clGetDeviceIDs(platform[p], (cl_bits)0xffffffff, left,
                                    devices && left ? devices + *n : NULL,
                                    &more);
        if (error == CL_DEVICE_NOT_FOUND)
            continue;
        if (error != 0 && !(devices && left == 0))
            return opencl_failed(error, "clGetDeviceIDs");
        for (cl_uint k = 0; devices && k < more && *n + (int)k < capacity; k++)
            platforms[*n + (int)k] = platform[p];
        *n += (int)more;
        if (devices && *n > capacity)
            *n = capacity;
    }
    return FARSUM_OK;
}

static int64_t number(struct opencl *cl, cl_uint what)
{
    uint64_t value = 0; /* little-endian: shorter numbers fill the low bytes */
    cl->api.clGetDeviceInfo(cl->device, what, sizeof value, &value, NULL);
    return (int64_t)value;
}

static int opencl_is_pocl(const char *platform)
{
    return strcmp(platform, "Portable Computing Language") == 0;
}

/* Additional compiler options; FARSUM_OPENCL_OPTIONS replaces them.  PoCL must
 * not optimise.  If a value of get_local_id is used on both sides of a
 * barrier, 5.0 and 6.0 continue with another thread's value.  With 3.1, loops
 * around barriers do not end.  Without optimisation, kernels read get_local_id
 * again. */
static const char *opencl_more(const char *platform)
{
    const char *own = secure_getenv("FARSUM_OPENCL_OPTIONS");
    if (own)
        return own;
    return opencl_is_pocl(platform) ? "-cl-opt-disable" : "";
}

/* For each text PoCL makes clang read 18 000 lines of declarations, half of the
 * compile time.  3.1 skips them if it is told that all are declared; those
 * needed are in dialect/opencl_words.h.  Other versions have not been tried. */
static const char *opencl_words(const char *version)
{
    return strstr(version, "PoCL 3.1") ? "-D_OPENCL_H_ -DFARSUM_OWN_WORDS "
                                       : "";
}

/* NVIDIA's driver counts a kilobyte per block that the system uses. */
static int64_t opencl_kept(const char *platform)
{
    return strcmp(platform, "NVIDIA CUDA") == 0 ? 1024 : 0;
}

/* Gets a text of any length from the driver; by mem_alloc, the caller owns it.
 * It is empty if the driver has none. */
typedef cl_int opencl_ask(cl_id object, cl_uint what, size_t capacity,
                          void *value, size_t *size);
static farsum_status opencl_text(opencl_ask *ask, cl_id object, cl_uint what,
                                 char **text)
{
    size_t size = 0;
    if (ask(object, what, 0, NULL, &size) != 0)
        size = 0;
    TRY(MEM_NEW(*text, (int64_t)size + 1));
    if (size > 0 && ask(object, what, size, *text, NULL) != 0)
        **text = 0;
    return FARSUM_OK;
}

/* Prints a text of any length; by mem_alloc, the caller owns it. */
static farsum_status __attribute__((format(printf, 2, 3)))
opencl_print(char **text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = c_locale_vtext(NULL, 0, format, args);
    farsum_status status = MEM_RAW(*text, (int64_t)n + 1);
    if (status == FARSUM_OK)
        c_locale_vtext(*text, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
    return status;
}

enum { NAME, VERSION, MODEL, DEVICE, DRIVER, EXTENSIONS, TEXTS };

/* The compiler and its options: in full for the cache key, shortened for
 * messages.  If PoCL is asked for a binary, it compiles each kernel again for
 * any block size.  Files unpacked from a binary are rewritten, and PoCL aborts
 * if another program does the same.  Files of its own cache are written once
 * under another name and then renamed. */
static farsum_status opencl_makers(struct opencl *cl, char *const text[TEXTS],
                                   struct device_properties *f)
{
    const char *options = opencl_more(text[NAME]);
    cl->words = opencl_words(text[VERSION]);
    TRY(opencl_print(&cl->options, "-cl-std=CL1.2 -cl-mad-enable %s%s",
                     cl->words, options));
    cl->keeps = opencl_is_pocl(text[NAME]);
    TRY(opencl_print(&cl->makers, "%s\n%s\n%s\n%s\n%s\n%s%s", text[NAME],
                     text[VERSION], text[MODEL], text[DEVICE], text[DRIVER],
                     cl->options, cl->keeps ? "\nas text" : ""));
    f->makers = cl->makers;
    snprintf(f->model, sizeof f->model, "%s", text[MODEL]);
    snprintf(f->arch, sizeof f->arch, "%.60s", f->model);
    snprintf(f->compiler, sizeof f->compiler, "%.40s, %.40s, %.30s, %.40s",
             text[NAME], text[DEVICE], text[DRIVER], options);
    return FARSUM_OK;
}

farsum_status opencl_properties(struct opencl *cl, cl_id platform,
                                struct device_properties *f)
{
    const struct opencl_api *api = &cl->api;
    const struct {
        opencl_ask *ask;
        cl_id of;
        cl_uint what;
    } ask[TEXTS] = {
        [NAME] = {api->clGetPlatformInfo, platform, CL_PLATFORM_NAME},
        [VERSION] = {api->clGetPlatformInfo, platform, CL_PLATFORM_VERSION},
        [MODEL] = {api->clGetDeviceInfo, cl->device, CL_DEVICE_NAME},
        [DEVICE] = {api->clGetDeviceInfo, cl->device, CL_DEVICE_VERSION},
        [DRIVER] = {api->clGetDeviceInfo, cl->device, CL_DRIVER_VERSION},
        [EXTENSIONS] = {api->clGetDeviceInfo, cl->device, CL_DEVICE_EXTENSIONS},
    };
    farsum_status status = FARSUM_OK;
    char *text[TEXTS] = {NULL}, name[128] = "";
    int atomics = 0;
    for (int k = 0; k < TEXTS; k++)
        GO(opencl_text(ask[k].ask, ask[k].of, ask[k].what, &text[k]));
    GO(opencl_makers(cl, text, f));
    atomics = strstr(text[EXTENSIONS], "cl_khr_int64_base_atomics") != NULL;
    snprintf(name, sizeof name, "%s", text[NAME]);
done:
    for (int k = 0; k < TEXTS; k++)
        mem_free(text[k]);
    TRY(status);
    f->units = (int)number(cl, CL_DEVICE_MAX_COMPUTE_UNITS);
    f->group_max = (int)number(cl, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    f->subgroup = 1;
    f->f64 = number(cl, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    f->integrated = (int)number(cl, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
    cl->local = number(cl, CL_DEVICE_LOCAL_MEM_SIZE);
    f->local = cl->local - opencl_kept(name);
    f->memory = number(cl, CL_DEVICE_GLOBAL_MEM_SIZE);
    f->alloc_max = number(cl, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    f->cache = number(cl, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    f->clock = 1e6 * (double)number(cl, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    if (!f->f64)
        FAIL(ERR_UNSUPPORTED, "%s has no double precision", f->model);
    if (!atomics)
        FAIL(ERR_UNSUPPORTED, "%s has no 64-bit atomics", f->model);
    return FARSUM_OK;
}
