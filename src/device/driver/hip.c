/* SPDX-License-Identifier: Apache-2.0 */
/* hip.c: AMD's GPUs by HIP's runtime and hipRTC.
 *
 * It is compiled and tested against a mock driver; it has not run on hardware.
 * Loaded libraries stay loaded, because their threads may still run. */
#include "device/driver/hip.h"

#include "base/mem.h"
#include "device/dl.h"
#include "device/driver/driver.h"

#include <stdio.h>
#include <string.h>

struct hip_api {
#define SYM(result, name, parameters) result(*name) parameters;
#include "device/driver/hip.sym"
#undef SYM
};

struct hip {
    struct driver driver; /* first member: driver.h's functions see only this
                             one */
    struct hip_api own;
    struct rtc rtc;
};

static const char *const driver_symbols[] = {
#define SYM(result, word, cuda, hip, parameters) #hip,
#include "device/driver/driver.sym"
#undef SYM
    NULL};
static const char *const graph_symbols[] = {
#define SYM(result, word, cuda, hip, parameters) #hip,
#include "device/driver/driver_graph.sym"
#undef SYM
    NULL};
static const char *const mark_symbols[] = {
#define SYM(result, word, cuda, hip, parameters) #hip,
#include "device/driver/driver_graph_marks.sym"
#undef SYM
    NULL};
static const char *const hip_symbols[] = {
#define SYM(result, name, parameters) #name,
#include "device/driver/hip.sym"
#undef SYM
    NULL};

/* From hipDeviceAttribute_t; the numbers are equal in ROCm 5, 6 and 7. */
static const struct driver_numbers hip_numbers = {.units = 63,
                                                  .group_max = 56,
                                                  .subgroup = 87,
                                                  .integrated = 16,
                                                  .local = 74,
                                                  .cache = 19,
                                                  .clock = 5,
                                                  .memory_clock = 60,
                                                  .bus = 59};

static void hip_words(const struct driver *driver, int error, const char **name,
                      const char **text)
{
    const struct hip *hip = (const struct hip *)driver;
    *name = hip->own.hipGetErrorName(error);
    *text = hip->own.hipGetErrorString(error);
}

/* HIP's contexts are deprecated; each thread has a current device. */
static int hip_enter(struct driver *driver, int *before)
{
    struct hip *hip = (struct hip *)driver;
    int error = hip->own.hipGetDevice(before);
    if (error == 0 && *before != driver->device)
        error = hip->own.hipSetDevice(driver->device);
    return error;
}

static int hip_leave(struct driver *driver, int before)
{
    struct hip *hip = (struct hip *)driver;
    return before == driver->device ? 0 : hip->own.hipSetDevice(before);
}

static farsum_status hip_library(struct hip *hip)
{
    static const char *const names[] = {"libamdhip64.so.7", "libamdhip64.so.6",
                                        "libamdhip64.so.5", "libamdhip64.so",
                                        NULL};
    static const char *const folders[] = {"/opt/rocm/lib", NULL};
    void *library = NULL;
    TRY(dl_open(&library, names, folders, driver_symbols,
                (void **)&hip->driver.api));
    TRY(dl_open(&library, names, folders, hip_symbols, (void **)&hip->own));
    driver_graphs_open(&hip->driver, library, graph_symbols, mark_symbols);
    hip->driver.vendor = "HIP";
    hip->driver.words = hip_words;
    hip->driver.enter = hip_enter;
    hip->driver.leave = hip_leave;
    hip->driver.threads_max = UINT32_MAX;
    return FARSUM_OK;
}

static farsum_status hip_count(int *n)
{
    struct hip hip = {0};
    TRY(hip_library(&hip));
    return driver_count(&hip.driver, n);
}

static void hip_close(struct device *device)
{
    struct hip *hip = device->inside;
    if (!hip)
        return;
    driver_graphs_close(&hip->driver);
    driver_queue_destroy(&hip->driver);
    mem_free(hip);
    device->inside = NULL;
}

int hip_arch(const char *properties, int64_t bytes, char *arch,
             int64_t capacity)
{
    enum { AFTER_NAME = 256, LONGEST = 64 };
    for (int64_t i = AFTER_NAME; i + LONGEST <= bytes; i++) {
        const char *at = properties + i;
        size_t length = strnlen(at, LONGEST);
        if (at[-1] != 0 || strncmp(at, "gfx", 3) != 0 || length == LONGEST
            || (int64_t)length >= capacity || length < strlen("gfx900"))
            continue;
        if (strspn(at + 3, "0123456789abcdefghijklmnopqrstuvwxyz-+:")
            != length - 3)
            continue;
        memcpy(arch, at, length + 1);
        return 1;
    }
    return 0;
}

/* Between ROCm 5 and 6 the struct of properties grew and its fields moved.  The
 * plain name does not determine which of them is filled.  The two fields needed
 * can be found without the layout.  `name` is the first field, of 256 bytes,
 * and gcnArchName is the only later text that begins with gfx.  The buffer is
 * several times larger than either struct. */
static farsum_status hip_target(struct hip *hip, char *arch, int64_t capacity)
{
    farsum_status status = FARSUM_OK;
    enum { SIZE = 16384 };
    char *properties = NULL;
    TRY(MEM_NEW(properties, SIZE));
    GO(driver_status(
        &hip->driver,
        hip->own.hipGetDeviceProperties(properties, hip->driver.device),
        "asking for the device's properties"));
    if (!hip_arch(properties, SIZE, arch, capacity))
        GO_FAIL(ERR_DEVICE, "HIP does not say the device's architecture");
done:
    mem_free(properties);
    return status;
}

/* Sets the queue: the caller's stream, or one of our own. */
static farsum_status hip_queue(struct hip *hip, void *queue)
{
    int before = 0;
    if (queue) {
        hip->driver.queue = queue;
        return FARSUM_OK;
    }
    TRY(driver_enter(&hip->driver, &before));
    farsum_status status = driver_queue_create(&hip->driver);
    farsum_status left = driver_leave(&hip->driver, before, 0, "");
    return status != FARSUM_OK ? status : left;
}

static farsum_status hip_open(struct device *device, int index, void *context,
                              void *queue)
{
    farsum_status status = FARSUM_OK;
    struct hip *hip = NULL;
    struct device_properties *properties = &device->properties;
    int version = 0;
    if (context)
        FAIL(ERR_ARGUMENT, "HIP has no contexts: give only the stream");
    TRY(MEM_NEW(hip, 1));
    device->inside = hip;
    GO(hip_library(hip));
    const struct driver_api *api = &hip->driver.api;
    GO(driver_status(&hip->driver, api->init(0), "starting the driver"));
    GO(driver_status(&hip->driver, api->device_get(&hip->driver.device, index),
                     "finding the device"));
    GO(driver_status(&hip->driver, api->version(&version),
                     "asking for the runtime's version"));
    GO(hiprtc_open(&hip->rtc, version / 10000000));
    GO(hip_queue(hip, queue));
    GO(driver_properties(&hip->driver, &hip_numbers, properties));
    GO(hip_target(hip, properties->arch, sizeof properties->arch));
    snprintf(properties->compiler, sizeof properties->compiler,
             "%.100s (runtime %d)", hip->rtc.named, version);
    properties->makers = hip->rtc.makers;
done:
    if (status != FARSUM_OK)
        hip_close(device);
    return status;
}

static farsum_status hip_compile(struct device *device, const char *text,
                                 void **binary, int64_t *bytes)
{
    const struct hip *hip = device->inside;
    return hiprtc_compile(&hip->rtc, device->properties.arch, text, binary,
                          bytes, NULL);
}

const struct device_backend device_hip = {
    .name = "hip",
    .words = "dialect/hip.h",
    .count = hip_count,
    .open = hip_open,
    .close = hip_close,
    .compile = hip_compile,
    DRIVER_FUNCTIONS,
};
