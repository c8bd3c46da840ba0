/* SPDX-License-Identifier: Apache-2.0 */
/* opencl_stream.c: the second queue of an OpenCL device. */
#include "base/mem.h"
#include "device/opencl/opencl.h"

struct opencl_second_stream {
    cl_id queue, done; /* owned: a queue, the event of its last work */
    cl_id kept;        /* the device's own queue between enter and leave */
};

farsum_status opencl_second_stream_create(struct device *device, void **aside)
{
    struct opencl *cl = device->inside;
    struct opencl_second_stream *a = NULL;
    cl_int error = 0;
    TRY(MEM_NEW(a, 1));
    a->queue = cl->api.clCreateCommandQueue(
        cl->context, cl->device, cl->profiling ? CL_QUEUE_PROFILING_ENABLE : 0,
        &error);
    if (error != 0) {
        mem_free(a);
        return opencl_failed(error, "clCreateCommandQueue");
    }
    *aside = a;
    return FARSUM_OK;
}

void opencl_second_stream_destroy(struct device *device, void *aside)
{
    struct opencl *cl = device->inside;
    struct opencl_second_stream *a = aside;
    if (a->done)
        cl->api.clReleaseEvent(a->done);
    cl->api.clReleaseCommandQueue(a->queue);
    mem_free(a);
}

/* Makes an event for all work enqueued so far.  The queue must be flushed,
 * because another queue waits for the event. */
static farsum_status second_stream_event(struct opencl *cl, cl_id queue,
                                         cl_id *event)
{
    CL_TRY(cl->api.clEnqueueMarkerWithWaitList(queue, 0, NULL, event),
           "clEnqueueMarkerWithWaitList");
    CL_TRY(cl->api.clFlush(queue), "clFlush");
    return FARSUM_OK;
}

/* Makes all later work of the queue wait for the event, which is released. */
static farsum_status second_stream_follow(struct opencl *cl, cl_id queue,
                                          cl_id *event)
{
    cl_int error = cl->api.clEnqueueBarrierWithWaitList(queue, 1, event, NULL);
    cl->api.clReleaseEvent(*event);
    *event = NULL;
    CL_TRY(error, "clEnqueueBarrierWithWaitList");
    return FARSUM_OK;
}

farsum_status opencl_second_stream_fork(struct device *device, void *aside)
{
    struct opencl *cl = device->inside;
    struct opencl_second_stream *a = aside;
    cl_id event = NULL;
    TRY(second_stream_event(cl, cl->queue, &event));
    return second_stream_follow(cl, a->queue, &event);
}

void opencl_second_stream_enter(struct device *device, void *aside)
{
    struct opencl *cl = device->inside;
    struct opencl_second_stream *a = aside;
    a->kept = cl->queue;
    cl->queue = a->queue;
}

farsum_status opencl_second_stream_leave(struct device *device, void *aside)
{
    struct opencl *cl = device->inside;
    struct opencl_second_stream *a = aside;
    cl->queue = a->kept;
    if (a->done)
        cl->api.clReleaseEvent(a->done);
    a->done = NULL;
    return second_stream_event(cl, a->queue, &a->done);
}

farsum_status opencl_second_stream_join(struct device *device, void *aside)
{
    struct opencl *cl = device->inside;
    struct opencl_second_stream *a = aside;
    if (!a->done)
        FAIL(ERR_INTERNAL, "a second queue is joined that did no work");
    return second_stream_follow(cl, cl->queue, &a->done);
}
