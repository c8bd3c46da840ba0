/* SPDX-License-Identifier: Apache-2.0 */
/* cuda.c: NVIDIA's GPUs by the driver API and NVRTC.
 *
 * Loaded libraries stay loaded, because their threads may still run. */
#include "device/driver/cuda.h"

#include "base/mem.h"
#include "device/dl.h"
#include "device/driver/driver.h"

#include <stdio.h>

struct cuda_api {
#define SYM(result, name, parameters) result(*name) parameters;
#include "device/driver/cuda.sym"
#undef SYM
};

struct cuda_limits {
#define SYM(result, name, parameters) result(*name) parameters;
#include "device/driver/cuda_limits.sym"
#undef SYM
};

struct cuda_managed {
#define SYM(result, name, parameters) result(*name) parameters;
#include "device/driver/cuda_managed.sym"
#undef SYM
};

struct cuda {
    struct driver driver; /* first member: driver.h's functions see only this
                             one */
    struct cuda_api own;
    struct cuda_limits limits;
    struct cuda_managed managed;
    struct nvrtc nvrtc;
    struct nvlink link; /* searched for at first use */
    void *context;
    int retained; /* 1: we hold the device's primary context */
};

static const char *const driver_symbols[] = {
#define SYM(result, word, cuda, hip, parameters) #cuda,
#include "device/driver/driver.sym"
#undef SYM
    NULL};
static const char *const graph_symbols[] = {
#define SYM(result, word, cuda, hip, parameters) #cuda,
#include "device/driver/driver_graph.sym"
#undef SYM
    NULL};
static const char *const mark_symbols[] = {
#define SYM(result, word, cuda, hip, parameters) #cuda,
#include "device/driver/driver_graph_marks.sym"
#undef SYM
    NULL};
static const char *const cuda_symbols[] = {
#define SYM(result, name, parameters) #name,
#include "device/driver/cuda.sym"
#undef SYM
    NULL};

static const char *const limits_symbols[] = {
#define SYM(result, name, parameters) #name,
#include "device/driver/cuda_limits.sym"
#undef SYM
    NULL};
static const char *const managed_symbols[] = {
#define SYM(result, name, parameters) #name,
#include "device/driver/cuda_managed.sym"
#undef SYM
    NULL};

/* From the enumerations CUdevice_attribute and CUfunction_attribute. */
static const struct driver_numbers cuda_numbers = {.units = 16,
                                                   .group_max = 1,
                                                   .subgroup = 10,
                                                   .integrated = 18,
                                                   .local = 97,
                                                   .cache = 38,
                                                   .clock = 13,
                                                   .memory_clock = 36,
                                                   .bus = 37};
enum {
    CUDA_CAPABILITY_MAJOR = 75,
    CUDA_CAPABILITY_MINOR = 76,
    CUDA_MAX_DYNAMIC_LOCAL = 8,
    CUDA_LIMIT_PENDING = 4,
    CUDA_MANAGED = 83,
    CUDA_MANAGED_CONCURRENT = 89,
    CUDA_ATTACH_GLOBAL = 1,    /* usable in any stream */
    CUDA_STREAM_PER_THREAD = 2 /* 1 and 2 denote streams of any context */
};

static void cuda_words(const struct driver *driver, int error,
                       const char **name, const char **text)
{
    const struct cuda *cuda = (const struct cuda *)driver;
    cuda->own.cuGetErrorName(error, name);
    cuda->own.cuGetErrorString(error, text);
}

static int cuda_enter(struct driver *driver, int *before)
{
    struct cuda *cuda = (struct cuda *)driver;
    (void)before; /* a thread's contexts form a stack */
    return cuda->own.cuCtxPushCurrent_v2(cuda->context);
}

static int cuda_leave(struct driver *driver, int before)
{
    struct cuda *cuda = (struct cuda *)driver;
    void *ours = NULL;
    (void)before;
    return cuda->own.cuCtxPopCurrent_v2(&ours);
}

static int cuda_grant(struct driver *driver, void *function, int bytes)
{
    struct cuda *cuda = (struct cuda *)driver;
    return cuda->own.cuFuncSetAttribute(function, CUDA_MAX_DYNAMIC_LOCAL,
                                        bytes);
}

static farsum_status cuda_library(struct cuda *cuda)
{
    static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
    static const char *const folders[] = {"/usr/lib/wsl/lib",
                                          "/usr/local/nvidia/lib64", NULL};
    void *library = NULL;
    TRY(dl_open(&library, names, folders, driver_symbols,
                (void **)&cuda->driver.api));
    TRY(dl_open(&library, names, folders, cuda_symbols, (void **)&cuda->own));
    driver_graphs_open(&cuda->driver, library, graph_symbols, mark_symbols);
    if (!dl_more(library, limits_symbols, (void **)&cuda->limits))
        cuda->limits = (struct cuda_limits){0};
    if (!dl_more(library, managed_symbols, (void **)&cuda->managed))
        cuda->managed = (struct cuda_managed){0};
    cuda->driver.vendor = "CUDA";
    cuda->driver.words = cuda_words;
    cuda->driver.enter = cuda_enter;
    cuda->driver.leave = cuda_leave;
    cuda->driver.grant = cuda_grant;
    return FARSUM_OK;
}

static farsum_status cuda_count(int *n)
{
    struct cuda cuda = {0};
    TRY(cuda_library(&cuda));
    return driver_count(&cuda.driver, n);
}

static void cuda_close(struct device *device)
{
    struct cuda *cuda = device->inside;
    if (!cuda)
        return;
    driver_graphs_close(&cuda->driver);
    driver_queue_destroy(&cuda->driver);
    if (cuda->retained)
        cuda->own.cuDevicePrimaryCtxRelease_v2(cuda->driver.device);
    mem_free(cuda);
    device->inside = NULL;
}

/* Checks that the context belongs to this device and the queue to the
 * context. */
static farsum_status cuda_check(struct cuda *cuda, void *queue)
{
    void *of_queue = cuda->context;
    int device = -1, before = 0;
    TRY(driver_enter(&cuda->driver, &before));
    int error = cuda->own.cuCtxGetDevice(&device);
    if (error == 0 && (uintptr_t)queue > CUDA_STREAM_PER_THREAD)
        error = cuda->own.cuStreamGetCtx(queue, &of_queue);
    TRY(driver_leave(&cuda->driver, before, error,
                     "asking what the context and the stream belong to"));
    if (device != cuda->driver.device)
        FAIL(ERR_ARGUMENT, "the caller's context is one of another device");
    if (of_queue != cuda->context)
        FAIL(ERR_ARGUMENT, "the caller's stream is one of another context");
    return FARSUM_OK;
}

/* Sets context and queue: the caller's, or the primary context and our own
 * queue. */
static farsum_status cuda_where(struct cuda *cuda, void *context, void *queue)
{
    struct driver *driver = &cuda->driver;
    int before = 0;
    cuda->context = context;
    if (!context) {
        TRY(driver_status(
            driver,
            cuda->own.cuDevicePrimaryCtxRetain(&cuda->context, driver->device),
            "making the device's context"));
        cuda->retained = 1;
    }
    if (context || queue) {
        driver->queue = queue;
        return cuda_check(cuda, queue);
    }
    TRY(driver_enter(driver, &before));
    farsum_status status = driver_queue_create(driver);
    farsum_status left = driver_leave(driver, before, 0, "");
    return status != FARSUM_OK ? status : left;
}

static farsum_status cuda_open(struct device *device, int index, void *context,
                               void *queue)
{
    farsum_status status = FARSUM_OK;
    struct cuda *cuda = NULL;
    struct device_properties *properties = &device->properties;
    int version = 0, major = 0, minor = 0;
    TRY(MEM_NEW(cuda, 1));
    device->inside = cuda;
    GO(cuda_library(cuda));
    const struct driver_api *api = &cuda->driver.api;
    GO(driver_status(&cuda->driver, api->init(0), "starting the driver"));
    GO(driver_status(&cuda->driver,
                     api->device_get(&cuda->driver.device, index),
                     "finding the device"));
    GO(driver_status(&cuda->driver, api->version(&version),
                     "asking for the driver's version"));
    GO(nvrtc_open(&cuda->nvrtc, version / 1000));
    GO(cuda_where(cuda, context, queue));
    GO(driver_properties(&cuda->driver, &cuda_numbers, properties));
    api->device_attribute(&major, CUDA_CAPABILITY_MAJOR, cuda->driver.device);
    api->device_attribute(&minor, CUDA_CAPABILITY_MINOR, cuda->driver.device);
    snprintf(properties->arch, sizeof properties->arch, "sm_%d%d", major,
             minor);
    snprintf(properties->compiler, sizeof properties->compiler, "%s",
             cuda->nvrtc.rtc.named);
    properties->makers = cuda->nvrtc.rtc.makers;
done:
    if (status != FARSUM_OK)
        cuda_close(device);
    return status;
}

static farsum_status cuda_compile(struct device *device, const char *text,
                                  void **binary, int64_t *bytes)
{
    const struct cuda *cuda = device->inside;
    return nvrtc_compile(&cuda->nvrtc, device->properties.arch, text, 0, binary,
                         bytes, NULL);
}

/* The limit belongs to the context, which others may share: it is not
 * changed. */
static farsum_status cuda_nested(struct device *device)
{
    struct cuda *cuda = device->inside;
    struct device_properties *properties = &device->properties;
    size_t pending = 0;
    int before = 0;
    if (cuda->link.path[0])
        return FARSUM_OK;
    if (!cuda->limits.cuCtxGetLimit)
        FAIL(ERR_UNSUPPORTED, "%s: the driver has no cuCtxGetLimit",
             device->name);
    TRY(driver_enter(&cuda->driver, &before));
    int error = cuda->limits.cuCtxGetLimit(&pending, CUDA_LIMIT_PENDING);
    TRY(driver_leave(&cuda->driver, before, error,
                     "asking how many launches may be pending"));
    TRY(nvlink_find(&cuda->link, &cuda->nvrtc));
    properties->linker = cuda->link.path;
    properties->pending = (int64_t)pending;
    return FARSUM_OK;
}

static farsum_status cuda_compile_nested(struct device *device,
                                         const char *text, void **binary,
                                         int64_t *bytes)
{
    struct cuda *cuda = device->inside;
    return nvlink_compile(&cuda->nvrtc, &cuda->link, device->properties.arch,
                          text, binary, bytes, NULL);
}

/* Returns OK if the host may access managed memory while kernels run that do
 * not use it.  Otherwise the host would have to wait for other programs'
 * kernels too. */
static farsum_status cuda_has_managed(struct device *device)
{
    const struct cuda *cuda = device->inside;
    const struct driver *driver = &cuda->driver;
    int has = 0, concurrent = 0;
    if (!cuda->managed.cuMemAllocManaged
        || driver->api.device_attribute(&has, CUDA_MANAGED, driver->device) != 0
        || !has)
        FAIL(ERR_UNSUPPORTED, "%s has no managed memory", device->name);
    if (driver->api.device_attribute(&concurrent, CUDA_MANAGED_CONCURRENT,
                                     driver->device)
            != 0
        || !concurrent)
        FAIL(ERR_UNSUPPORTED,
             "%s has managed memory that the host may not use while any kernel "
             "runs",
             device->name);
    return FARSUM_OK;
}

static farsum_status cuda_alloc_managed(struct device *device, int64_t bytes,
                                        void **handle, void **host)
{
    struct cuda *cuda = device->inside;
    void *address = NULL;
    int before = 0;
    TRY(driver_enter(&cuda->driver, &before));
    int error = cuda->managed.cuMemAllocManaged(&address, (size_t)bytes,
                                                CUDA_ATTACH_GLOBAL);
    TRY(driver_leave(&cuda->driver, before, error,
                     "allocating managed memory"));
    *handle = *host = address;
    return FARSUM_OK;
}

static void cuda_release_managed(struct device *device, void *handle,
                                 void *host)
{
    (void)host;
    driver_release(device, handle);
}

const struct device_backend device_cuda = {
    .name = "cuda",
    .words = "dialect/cuda.h",
    .count = cuda_count,
    .open = cuda_open,
    .close = cuda_close,
    .compile = cuda_compile,
    DRIVER_FUNCTIONS,
    .apart = 1,
    .nested = cuda_nested,
    .compile_nested = cuda_compile_nested,
    .managed = cuda_has_managed,
    .alloc_managed = cuda_alloc_managed,
    .release_managed = cuda_release_managed,
};
