/* SPDX-License-Identifier: Apache-2.0 */
/* opencl.c: OpenCL 1.2 by its ICD loader. */
#include "device/opencl/opencl.h"

#include "base/mem.h"
#include "device/dl.h"

#include <stdlib.h>
#include <string.h>

enum { DEVICES = 64 };

static farsum_status opencl_count(int *n)
{
    struct opencl cl = {0};
    TRY(opencl_library(&cl));
    farsum_status status = opencl_devices(&cl.api, NULL, NULL, 0, n);
    dl_close(cl.loader);
    return status;
}

static void opencl_close(struct device *device)
{
    struct opencl *cl = device->inside;
    if (!cl)
        return;
    if (cl->probe)
        cl->api.clReleaseMemObject(cl->probe);
    if (cl->queue)
        cl->api.clReleaseCommandQueue(cl->queue);
    if (cl->context)
        cl->api.clReleaseContext(cl->context);
    /* the library stays loaded: the drivers' threads may still run in it */
    mem_free(cl->options);
    mem_free(cl->makers);
    mem_free(cl);
    device->inside = NULL;
}

static farsum_status opencl_own(struct opencl *cl, cl_id platform)
{
    const intptr_t properties[] = {CL_CONTEXT_PLATFORM, (intptr_t)platform, 0};
    cl_int error = 0;
    if (cl->keeps)
        opencl_kept_context(cl);
    if (!cl->context) {
        cl->context = cl->api.clCreateContext(properties, 1, &cl->device, NULL,
                                              NULL, &error);
        CL_TRY(error, "clCreateContext");
        if (cl->keeps)
            opencl_keep_context(cl);
    }
    cl->queue = cl->api.clCreateCommandQueue(cl->context, cl->device,
                                             CL_QUEUE_PROFILING_ENABLE, &error);
    CL_TRY(error, "clCreateCommandQueue");
    cl->profiling = 1;
    return FARSUM_OK;
}

static farsum_status opencl_adopt(struct opencl *cl, cl_id context,
                                  cl_id queue)
{
    cl_bits properties = 0;
    CL_TRY(cl->api.clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES,
                                         sizeof properties, &properties, NULL),
           "clGetCommandQueueInfo");
    if (properties & 1)
        FAIL(ERR_ARGUMENT, "the queue is out of order; an in-order one is "
             "wanted");
    CL_TRY(cl->api.clRetainContext(context), "clRetainContext");
    cl->context = context;
    CL_TRY(cl->api.clRetainCommandQueue(queue), "clRetainCommandQueue");
    cl->queue = queue;
    cl->profiling = (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
    return FARSUM_OK;
}

static farsum_status opencl_probe(struct opencl *cl)
{
    cl_int error = 0;
    cl->probe = cl->api.clCreateBuffer(cl->context, CL_MEM_READ_WRITE, 8, NULL,
                                       &error);
    CL_TRY(error, "clCreateBuffer");
    return FARSUM_OK;
}

static farsum_status opencl_open(struct device *device, int index,
                                 void *context, void *queue)
{
    farsum_status status = FARSUM_OK;
    cl_id devices[DEVICES], platforms[DEVICES];
    struct opencl *cl = NULL;
    int n = 0;
    if (!context != !queue)
        FAIL(ERR_ARGUMENT, "OpenCL requires the caller's context and queue "
             "together");
    TRY(MEM_NEW(cl, 1));
    device->inside = cl;
    GO(opencl_library(cl));
    GO(opencl_devices(&cl->api, devices, platforms, DEVICES, &n));
    if (index >= n)
        GO_FAIL(ERR_DEVICE, "there are %d OpenCL devices", n);
    cl->device = devices[index];
    GO(opencl_properties(cl, platforms[index], &device->properties));
    GO(queue ? opencl_adopt(cl, context, queue)
              : opencl_own(cl, platforms[index]));
    GO(opencl_probe(cl));
done:
    if (status != FARSUM_OK)
        opencl_close(device);
    return status;
}

static farsum_status opencl_alloc(struct device *device, int64_t bytes,
                                  void **handle)
{
    struct opencl *cl = device->inside;
    cl_int error = 0;
    cl_id memory = cl->api.clCreateBuffer(cl->context, CL_MEM_READ_WRITE,
                                          (size_t)bytes, NULL, &error);
    if (error != 0)
        return status_prefix(opencl_failed(error, "clCreateBuffer"),
                             "%lld bytes", (long long)bytes);
    *handle = memory;
    return FARSUM_OK;
}

static void opencl_release(struct device *device, void *handle)
{
    struct opencl *cl = device->inside;
    cl->api.clReleaseMemObject(handle);
}

static farsum_status opencl_view(struct device *device, void *handle,
                                 int64_t offset, int64_t bytes, void **part)
{
    struct opencl *cl = device->inside;
    const size_t region[2] = {(size_t)offset, (size_t)bytes};
    cl_int error = 0;
    cl_id made = cl->api.clCreateSubBuffer(
        handle, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, region,
        &error);
    CL_TRY(error, "clCreateSubBuffer");
    *part = made;
    return FARSUM_OK;
}

static farsum_status opencl_upload(struct device *device, void *to,
                                   int64_t offset, const void *from,
                                   int64_t bytes)
{
    struct opencl *cl = device->inside;
    CL_TRY(cl->api.clEnqueueWriteBuffer(cl->queue, to, 1, (size_t)offset,
                                        (size_t)bytes, from, 0, NULL, NULL),
           "clEnqueueWriteBuffer");
    return FARSUM_OK;
}

static farsum_status opencl_download(struct device *device, void *to,
                                     void *from, int64_t offset, int64_t bytes)
{
    struct opencl *cl = device->inside;
    CL_TRY(cl->api.clEnqueueReadBuffer(cl->queue, from, 1, (size_t)offset,
                                       (size_t)bytes, to, 0, NULL, NULL),
           "clEnqueueReadBuffer");
    return FARSUM_OK;
}

static farsum_status opencl_copy(struct device *device, void *to,
                                 int64_t to_offset, void *from,
                                 int64_t from_offset, int64_t bytes)
{
    struct opencl *cl = device->inside;
    CL_TRY(cl->api.clEnqueueCopyBuffer(cl->queue, from, to,
                                       (size_t)from_offset, (size_t)to_offset,
                                       (size_t)bytes, 0, NULL, NULL),
           "clEnqueueCopyBuffer");
    return FARSUM_OK;
}

static farsum_status opencl_fill(struct device *device, void *to,
                                 int64_t offset, int byte, int64_t bytes)
{
    struct opencl *cl = device->inside;
    unsigned char pattern = (unsigned char)byte;
    CL_TRY(cl->api.clEnqueueFillBuffer(cl->queue, to, &pattern, 1,
                                       (size_t)offset, (size_t)bytes, 0, NULL,
                                       NULL),
           "clEnqueueFillBuffer");
    return FARSUM_OK;
}

static void opencl_unload(struct device *device, void *module)
{
    struct opencl *cl = device->inside;
    cl->api.clReleaseProgram(module);
}

/* Fails unless shared memory suffices for the kernel, its arena and the part
 * that the driver reports in addition. */
static farsum_status opencl_local_fits(struct device *device, cl_id kernel,
                                       const char *name, int64_t arena)
{
    struct opencl *cl = device->inside;
    cl_uint args = 0;
    uint64_t wanted = 0;
    CL_TRY(cl->api.clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof args,
                                   &args, NULL),
           "clGetKernelInfo");
    if (arena > 0 && args > 0)
        CL_TRY(cl->api.clSetKernelArg(kernel, args - 1, (size_t)arena, NULL),
               "clSetKernelArg");
    CL_TRY(cl->api.clGetKernelWorkGroupInfo(
               kernel, cl->device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof wanted,
               &wanted, NULL),
           "clGetKernelWorkGroupInfo");
    if ((int64_t)wanted > cl->local)
        FAIL(ERR_UNSUPPORTED,
             "%s needs %llu bytes of local memory, %lld of them by its launch; "
             "%s has %lld",
             name, (unsigned long long)wanted, (long long)arena, device->name,
             (long long)device->properties.local);
    return FARSUM_OK;
}

static farsum_status opencl_kernel(struct device *device, void *module,
                                   const char *name, int64_t arena,
                                   void **kernel)
{
    struct opencl *cl = device->inside;
    cl_int error = 0;
    cl_id made = cl->api.clCreateKernel(module, name, &error);
    if (error != 0)
        return status_prefix(opencl_failed(error, "clCreateKernel"), "%s",
                             name);
    farsum_status status = opencl_local_fits(device, made, name, arena);
    if (status != FARSUM_OK)
        cl->api.clReleaseKernel(made);
    else
        *kernel = made;
    return status;
}

static void opencl_release_kernel(struct device *device, void *kernel)
{
    struct opencl *cl = device->inside;
    cl->api.clReleaseKernel(kernel);
}

static farsum_status opencl_launch(struct device *device,
                                   const struct launch *what)
{
    struct opencl *cl = device->inside;
    for (int i = 0; i < what->n_args; i++) {
        const struct arg *a = &what->args[i];
        const struct buf *buf = a->value;
        cl_int error = a->bytes == 0
                           ? cl->api.clSetKernelArg(what->kernel, (cl_uint)i,
                                                    sizeof buf->handle,
                                                    &buf->handle)
                           : cl->api.clSetKernelArg(what->kernel, (cl_uint)i,
                                                    (size_t)a->bytes,
                                                    a->value);
        if (error != 0)
            FAIL(ERR_INTERNAL, "argument %d: OpenCL error %d", i, error);
    }
    if (what->arena > 0)
        CL_TRY(cl->api.clSetKernelArg(what->kernel, (cl_uint)what->n_args,
                                      (size_t)what->arena, NULL),
               "clSetKernelArg");
    const size_t local = (size_t)what->group;
    const size_t global = local * (size_t)what->groups;
    cl_int error = cl->api.clEnqueueNDRangeKernel(
        cl->queue, what->kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    if (error == CL_OUT_OF_RESOURCES && what->arena > 0)
        FAIL(ERR_UNSUPPORTED,
             "%lld bytes of local memory for %d threads are more than the "
             "driver has for the kernel",
             (long long)what->arena, what->group);
    CL_TRY(error, "clEnqueueNDRangeKernel");
    return FARSUM_OK;
}

static farsum_status opencl_finish(struct device *device)
{
    struct opencl *cl = device->inside;
    CL_TRY(cl->api.clFinish(cl->queue), "clFinish");
    return FARSUM_OK;
}

/* A mark holds an event. */
static farsum_status opencl_mark_create(struct device *device, void **mark)
{
    cl_id *event = NULL;
    (void)device;
    TRY(MEM_NEW(event, 1));
    *mark = event;
    return FARSUM_OK;
}

static farsum_status opencl_mark(struct device *device, void *mark)
{
    struct opencl *cl = device->inside;
    cl_id *event = mark;
    if (*event)
        cl->api.clReleaseEvent(*event);
    *event = NULL;
    CL_TRY(cl->api.clEnqueueMarkerWithWaitList(cl->queue, 0, NULL, event),
           "clEnqueueMarkerWithWaitList");
    return FARSUM_OK;
}

static farsum_status opencl_seconds(struct device *device, void *from,
                                    void *to, double *seconds)
{
    struct opencl *cl = device->inside;
    cl_id *event[2] = {from, to};
    uint64_t t[2] = {0, 0};
    if (!cl->profiling)
        FAIL(ERR_UNSUPPORTED, "the caller's queue does not keep times");
    for (int i = 0; i < 2; i++) {
        if (!*event[i])
            FAIL(ERR_STATE, "a mark was never set");
        CL_TRY(cl->api.clWaitForEvents(1, event[i]), "clWaitForEvents");
        CL_TRY(cl->api.clGetEventProfilingInfo(*event[i],
                                               CL_PROFILING_COMMAND_END,
                                               sizeof t[i], &t[i], NULL),
               "clGetEventProfilingInfo");
    }
    *seconds = 1e-9 * (double)(int64_t)(t[1] - t[0]);
    return FARSUM_OK;
}

static void opencl_mark_destroy(struct device *device, void *mark)
{
    struct opencl *cl = device->inside;
    cl_id *event = mark;
    if (*event)
        cl->api.clReleaseEvent(*event);
    mem_free(event);
}

/* Returns 1 if `given` is an OpenCL object.  Objects of an ICD driver begin
 * with the address of the driver's table (cl_khr_icd), which is the same for
 * all its buffers.  An array is unlikely to begin with just this address. */
static int opencl_object(const struct opencl *cl, const void *given)
{
    void *ours = NULL, *theirs = NULL;
    if ((uintptr_t)given % sizeof(void *) != 0)
        return 0;
    memcpy(&ours, cl->probe, sizeof ours);
    memcpy(&theirs, given, sizeof theirs);
    return ours == theirs;
}

/* A host array may lie where a freed buffer did and still hold its words, of
 * which the count of references is 0. */
static void opencl_look(struct device *device, const void *given,
                        struct device_pointer *found)
{
    struct opencl *cl = device->inside;
    cl_id memory = (void *)(uintptr_t)given, context = NULL;
    size_t bytes = 0;
    cl_uint references = 0;
    found->host = 1;
    found->here = 0;
    if (!opencl_object(cl, given)
        || cl->api.clGetMemObjectInfo(memory, CL_MEM_REFERENCE_COUNT,
                                      sizeof references, &references, NULL)
               != 0
        || references == 0
        || cl->api.clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof context,
                                      &context, NULL)
               != 0
        || cl->api.clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof bytes, &bytes,
                                      NULL)
               != 0)
        return;
    found->host = 0;
    found->here = context == cl->context;
    found->bytes = (int64_t)bytes;
}

const struct device_backend device_opencl = {
    .name = "opencl",
    .words = "dialect/opencl.h",
    .count = opencl_count,
    .open = opencl_open,
    .close = opencl_close,
    .alloc = opencl_alloc,
    .release = opencl_release,
    .view = opencl_view,
    .release_view = opencl_release,
    .upload = opencl_upload,
    .download = opencl_download,
    .copy = opencl_copy,
    .fill = opencl_fill,
    .compile = opencl_compile,
    .load = opencl_load,
    .unload = opencl_unload,
    .kernel = opencl_kernel,
    .release_kernel = opencl_release_kernel,
    .launch = opencl_launch,
    .finish = opencl_finish,
    .mark_create = opencl_mark_create,
    .mark = opencl_mark,
    .seconds = opencl_seconds,
    .mark_destroy = opencl_mark_destroy,
    .look = opencl_look,
    /* no graphs */
    .second_stream_create = opencl_second_stream_create,
    .second_stream_destroy = opencl_second_stream_destroy,
    .second_stream_fork = opencl_second_stream_fork,
    .second_stream_enter = opencl_second_stream_enter,
    .second_stream_leave = opencl_second_stream_leave,
    .second_stream_join = opencl_second_stream_join,
    /* no kernels that launch kernels */
    .managed = opencl_managed,
    .alloc_managed = opencl_alloc_managed,
    .release_managed = opencl_release_managed,
};
