/* SPDX-License-Identifier: Apache-2.0 */
/* fake_driver.c: simulated CUDA driver (FAKE_HIP 0) or HIP runtime (1). */
#include "device/fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/fake_lock.h"

#define EXPORT __attribute__((visibility("default")))

enum {
    INVALID = 1,
    NO_MEMORY = 2,
    NO_DEVICE = 101,
    NO_CONTEXT = 201,
    NOT_FOUND = 500, STACK = 8
};

static struct fake fake;
static struct fake_context primary[FAKE_DEVICES] = {{0, 1, 0}, {1, 1, 0}};

EXPORT struct fake *fake_state(void)
{
    return &fake;
}

/* 1: this call is to fail. */
static int told(const char *word)
{
    const char *fail = getenv("FAKE_FAIL");
    size_t n = strlen(word);
    return fail && strncmp(fail, word, n) == 0 && fail[n] == '='
               ? atoi(fail + n + 1)
               : 0;
}
#define TOLD(word)                                                             \
    do {                                                                       \
        int told_error = told(#word);                                          \
        if (told_error)                                                        \
            return told_error;                                                 \
    } while (0)

static int number(const char *variable, int otherwise)
{
    const char *text = getenv(variable);
    return text && *text ? atoi(text) : otherwise;
}

#if FAKE_HIP
static _Thread_local int current;

/* HIP always has a current device. */
static int here(int *device)
{
    *device = current;
    return 0;
}
EXPORT int hipSetDevice(int device)
{
    if (device < 0 || device >= FAKE_DEVICES)
        return NO_DEVICE;
    current = device;
    return 0;
}
EXPORT int hipGetDevice(int *device)
{
    return here(device);
}
EXPORT const char *hipGetErrorName(int error)
{
    return error == NO_MEMORY ? "hipErrorOutOfMemory" : "hipErrorPlayed";
}
EXPORT const char *hipGetErrorString(int error)
{
    return error == NO_MEMORY ? "out of memory" : "it was told to fail";
}
/* Offsets of fields in hipDeviceProp_t of ROCm 5 and of ROCm 6. */
EXPORT int hipGetDeviceProperties(void *properties, int device)
{
    int six = number("FAKE_LAYOUT", 6) == 6;
    char *p = properties;
    if (device < 0 || device >= FAKE_DEVICES)
        return NO_DEVICE;
    memset(p, six ? 0x11 : 0, six ? 1472 : 792);
    memset(p, 0, 256);
    strcpy(p, "gfx of the player");
    if (six)
        memset(p + 700, 0, 460);
    memset(p + (six ? 1160 : 396), 0, 256);
    strcpy(p + (six ? 1160 : 396), "gfx90a:sramecc+:xnack-");
    return 0;
}
#else
static _Thread_local struct fake_context *stack[STACK];
static _Thread_local int depth;

static int here(int *device)
{
    if (depth == 0)
        return NO_CONTEXT;
    *device = stack[depth - 1]->device;
    return 0;
}
EXPORT int cuCtxPushCurrent_v2(void *context)
{
    if (!context || depth == STACK)
        return NO_CONTEXT;
    stack[depth++] = context;
    return 0;
}
EXPORT int cuCtxPopCurrent_v2(void **context)
{
    if (depth == 0)
        return NO_CONTEXT;
    *context = stack[--depth];
    return 0;
}
EXPORT int cuCtxGetDevice(int *device)
{
    return here(device);
}
EXPORT int cuStreamGetCtx(void *stream, void **context)
{
    *context = ((struct fake_stream *)stream)->context;
    return 0;
}
EXPORT int cuDevicePrimaryCtxRetain(void **context, int device)
{
    if (device < 0 || device >= FAKE_DEVICES)
        return NO_DEVICE;
    LOCKED;
    fake.contexts += primary[device].held++ == 0;
    *context = &primary[device];
    return 0;
}
EXPORT int cuDevicePrimaryCtxRelease_v2(int device)
{
    LOCKED;
    fake.contexts -= --primary[device].held == 0;
    return 0;
}
EXPORT int cuGetErrorName(int error, const char **text)
{
    *text =
        error == NO_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_PLAYED";
    return 0;
}
EXPORT int cuGetErrorString(int error, const char **text)
{
    *text = error == NO_MEMORY ? "out of memory" : "it was told to fail";
    return 0;
}
EXPORT int cuCtxGetLimit(size_t *value, int limit)
{
    TOLD(limit);
    *value = 2048;
    return depth > 0 && limit == 4 ? 0 : INVALID;
}
EXPORT int cuFuncSetAttribute(void *function, int attribute, int value)
{
    if (!function || attribute != 8)
        return INVALID;
    fake.granted = value;
    return 0;
}
static int fake_alloc(void **address, size_t bytes);
EXPORT int cuMemAllocManaged(void **address, size_t bytes, unsigned flags)
{
    TOLD(managed);
    fake.managed++;
    return flags == 1 ? fake_alloc(address, bytes) : INVALID;
}
#endif

EXPORT void *fake_current(int *device)
{
    *device = -1;
    here(device);
#if FAKE_HIP
    return NULL;
#else
    return depth ? stack[depth - 1] : NULL;
#endif
}
EXPORT void *fake_make_context(int device)
{
    struct fake_context *context = calloc(1, sizeof *context);
    context->device = device;
    return context;
}
EXPORT void fake_end_context(void *context)
{
    free(context);
}
EXPORT void *fake_make_stream(void *context, int device)
{
    struct fake_stream *stream = calloc(1, sizeof *stream);
    stream->context = context ? context : &primary[device];
    stream->device = device;
    LOCKED;
    fake.streams++;
    return stream;
}
EXPORT void fake_end_stream(void *stream)
{
    LOCKED;
    fake.streams--;
    free(stream);
}

#include "device/fake_properties.h"

/* All that follows requires a current device. */
#define HERE(word)                                                             \
    LOCKED;                                                                    \
    int device = -1, here_error = here(&device);                               \
    if (here_error)                                                            \
        return here_error;                                                     \
    TOLD(word)

static int fake_memory_info(size_t *left, size_t *all)
{
    HERE(memory_info);
    *left = (size_t)(FAKE_BYTES - fake.bytes);
    *all = FAKE_BYTES;
    return 0;
}
static int fake_alloc(void **address, size_t bytes)
{
    HERE(alloc);
    if (fake.bytes + (int64_t)bytes > FAKE_BYTES)
        return NO_MEMORY;
    for (int i = 0; i < FAKE_LIVE; i++)
        if (!fake.block[i].from) {
            fake.block[i].from = malloc(bytes);
            fake.block[i].bytes = bytes;
            fake.bytes += (int64_t)bytes;
            fake.blocks++;
            *address = fake.block[i].from;
            return 0;
        }
    return NO_MEMORY;
}
/* Knows the device's memory; it has no host address. */
static int fake_pointer_attributes(unsigned n, int *attributes, void **values,
                                   const void *pointer)
{
    HERE(pointer_attributes);
    const char *p = pointer;
    int known = 0;
    for (int i = 0; i < FAKE_LIVE; i++)
        known |= fake.block[i].from && p >= fake.block[i].from
                 && p < fake.block[i].from + fake.block[i].bytes;
    for (unsigned i = 0; i < n; i++)
        if (attributes[i] == 2)
            *(unsigned *)values[i] = known ? 2 : 0;
        else if (attributes[i] == 8)
            *(unsigned *)values[i] = 0;
        else
            *(const void **)values[i] =
                known && attributes[i] == 3 ? pointer : NULL;
    return 0;
}
static int fake_release(void *address)
{
    LOCKED;
    int device = -1, error = here(&device);
    for (int i = 0; !error && i < FAKE_LIVE; i++)
        if (fake.block[i].from == address) {
            free(address);
            fake.bytes -= (int64_t)fake.block[i].bytes;
            fake.blocks--;
            fake.block[i].from = NULL;
            return told("release");
        }
    return error ? error : INVALID;
}
/* 1: the bytes are in one block. */
static int inside(const void *at, size_t bytes)
{
    const char *p = at;
    for (int i = 0; i < FAKE_LIVE; i++)
        if (fake.block[i].from && p >= fake.block[i].from
            && p + bytes <= fake.block[i].from + fake.block[i].bytes)
            return 1;
    return 0;
}
static int ours(const void *stream, int device)
{
    const struct fake_stream *s = stream;
    return s && s->device == device;
}
#include "device/fake_graphs.h"

static int fake_upload(void *to, const void *from, size_t bytes, void *stream)
{
    HERE(upload);
    if (captured || !inside(to, bytes) || !ours(stream, device))
        return INVALID;
    memcpy(to, from, bytes);
    return 0;
}
static int fake_download(void *to, void *from, size_t bytes, void *stream)
{
    HERE(download);
    if (captured || !inside(from, bytes) || !ours(stream, device))
        return INVALID;
    memcpy(to, from, bytes);
    return 0;
}
static int fake_copy(void *to, void *from, size_t bytes, void *stream)
{
    HERE(copy);
    if (!inside(to, bytes) || !inside(from, bytes) || !ours(stream, device))
        return INVALID;
    if (capture(stream, (struct fake_call){to, from, bytes, 0, 2}))
        return 0;
    memmove(to, from, bytes);
    return 0;
}
static int fake_fill(void *to, unsigned char byte, size_t bytes, void *stream)
{
    HERE(fill);
    if (!inside(to, bytes) || !ours(stream, device))
        return INVALID;
    if (capture(stream, (struct fake_call){to, NULL, bytes, byte, 1}))
        return 0;
    memset(to, byte, bytes);
    return 0;
}
static int fake_stream_create(void **stream, unsigned flags)
{
    HERE(stream_create);
    if (flags > 1)
        return INVALID;
    *stream = fake_make_stream(NULL, device);
    return 0;
}
static int fake_stream_destroy(void *stream)
{
    fake_end_stream(stream);
    return told("stream_destroy");
}
static int fake_stream_wait(void *stream)
{
    HERE(stream_wait);
    return captured ? INVALID : ours(stream, device) ? 0 : INVALID;
}
static int fake_stream_query(void *stream)
{
    HERE(stream_query);
    if (fake.busy)
        return 600;
    return captured ? INVALID : ours(stream, device) ? 0 : INVALID;
}
/* An event stores the number of marks at the time of recording.  An event
 * without timing may be recorded while a stream is captured; it then only
 * orders the graph. */
static int fake_event_create(void **event, unsigned flags)
{
    HERE(event_create);
    struct fake_event *e = calloc(1, sizeof *e);
    e->timeless = flags == 2;
    *event = e;
    fake.events++;
    return flags == 0 || flags == 2 ? 0 : INVALID;
}
static int fake_event_destroy(void *event)
{
    LOCKED;
    fake.events--;
    free(event);
    return told("event_destroy");
}
static int fake_event_record(void *event, void *stream)
{
    HERE(event_record);
    struct fake_event *e = event;
    if (capturing(stream)) /* a mark would not be part of the graph */
        return e->timeless ? capture_event(stream, e) : INVALID;
    e->of_capture = NULL;
    e->mark = e->timeless ? 1 : ++fake.marks;
    return ours(stream, device) ? 0 : INVALID;
}
static int fake_event_wait(void *event)
{
    HERE(event_wait);
    return event ? 0 : INVALID;
}
static int fake_event_query(void *event)
{
    HERE(event_query);
    return fake.busy ? 600 : event ? 0 : INVALID;
}
static int fake_event_elapsed(float *milliseconds, void *from, void *to)
{
    HERE(event_elapsed);
    const struct fake_event *a = from, *b = to;
    *milliseconds = 1.5f * (float)(b->mark - a->mark);
    return a->mark > 0 && b->mark > 0 && !a->timeless && !b->timeless
               ? 0
               : INVALID;
}
/* A module is the output of fake_rtc.c; a kernel's handle is its name there. */
static int fake_module_load(void **module, const void *image)
{
    HERE(module_load);
    if (strncmp(image, "FAKE", 4) != 0)
        return 200;
    *module = strdup(image);
    fake.modules++;
    return 0;
}
static int fake_module_unload(void *module)
{
    fake.modules--;
    free(module);
    return told("module_unload");
}
static int fake_module_function(void **function, void *module, const char *name)
{
    HERE(module_function);
    *function = strstr(module, name);
    return *function ? 0 : NOT_FOUND;
}
static int fake_function_attribute(int *value, int attribute, void *function)
{
    HERE(function_attribute);
    *value = number("FAKE_STATIC", 0);
    return function && attribute == 1 ? 0 : INVALID;
}
static int fake_launch(void *function, unsigned grid_x, unsigned grid_y,
                       unsigned grid_z, unsigned group_x, unsigned group_y,
                       unsigned group_z, unsigned arena, void *stream,
                       void **parameters, void **extra)
{
    HERE(launch);
    if (grid_y != 1 || grid_z != 1 || group_y != 1 || group_z != 1 || extra
        || !ours(stream, device))
        return INVALID;
    if (capture(stream, (struct fake_call){NULL, NULL, 0, 0, 0}))
        return 0;
    fake.launches++;
    fake.groups = grid_x;
    fake.group = group_x;
    fake.arena = arena;
    if (fake.run)
        fake.run(function, &fake, parameters);
    return 0;
}

#if FAKE_HIP
#define SYM(result, word, cuda, hip, parameters)                               \
    EXPORT result hip parameters __attribute__((alias("fake_" #word)));
#else
#define SYM(result, word, cuda, hip, parameters)                               \
    EXPORT result cuda parameters __attribute__((alias("fake_" #word)));
#endif
#include "device/driver/driver.sym"
#include "device/driver/driver_graph.sym"
#include "device/driver/driver_graph_marks.sym"
