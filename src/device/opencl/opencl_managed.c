/* SPDX-License-Identifier: Apache-2.0 */
/* opencl_managed.c: managed memory as OpenCL 2.0's shared virtual memory,
 * fine-grained (without mapping), in a buffer. */
#include "device/dl.h"
#include "device/opencl/opencl.h"

static const char *const shared_symbols[] = {
#define SYM(result, name, parameters) #name,
#include "device/opencl/opencl_managed.sym"
#undef SYM
    NULL};

farsum_status opencl_managed(struct device *device)
{
    struct opencl *cl = device->inside;
    cl_bits can = 0;
    if (cl->shared.clSVMAlloc)
        return FARSUM_OK;
    if (cl->api.clGetDeviceInfo(cl->device, CL_DEVICE_SVM_CAPABILITIES,
                                sizeof can, &can, NULL)
            != 0
        || !(can & CL_DEVICE_SVM_FINE_GRAIN_BUFFER))
        FAIL(ERR_UNSUPPORTED,
             "%s has no fine-grained shared virtual memory (OpenCL 2.0)",
             device->name);
    if (!dl_more(cl->loader, shared_symbols, (void **)&cl->shared)) {
        cl->shared = (struct opencl_shared){0};
        FAIL(ERR_UNSUPPORTED, "%s: OpenCL's loader has no clSVMAlloc",
             device->name);
    }
    return FARSUM_OK;
}

farsum_status opencl_alloc_managed(struct device *device, int64_t bytes,
                                   void **handle, void **host)
{
    struct opencl *cl = device->inside;
    cl_int error = 0;
    void *memory = cl->shared.clSVMAlloc(
        cl->context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER,
        (size_t)bytes, 0);
    if (!memory)
        FAIL(ERR_MEMORY, "%s: clSVMAlloc has no %lld bytes", device->name,
             (long long)bytes);
    cl_id buffer = cl->api.clCreateBuffer(
        cl->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, (size_t)bytes,
        memory, &error);
    if (error != 0) {
        cl->shared.clSVMFree(cl->context, memory);
        return opencl_failed(error, "clCreateBuffer");
    }
    *handle = buffer;
    *host = memory;
    return FARSUM_OK;
}

/* Releases the memory immediately, even if enqueued work still uses it. */
void opencl_release_managed(struct device *device, void *handle, void *host)
{
    struct opencl *cl = device->inside;
    cl->api.clFinish(cl->queue);
    cl->api.clReleaseMemObject(handle);
    cl->shared.clSVMFree(cl->context, host);
}
