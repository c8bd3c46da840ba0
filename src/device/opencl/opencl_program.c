/* SPDX-License-Identifier: Apache-2.0 */
/* opencl_program.c: OpenCL programs: text to binary, binary to kernels. */
#include "device/opencl/opencl.h"

#include "base/c_locale.h"
#include "base/mem.h"
#include "device/compile/compiler_log.h"

#include <string.h>

/* Attempts to build a program. */
enum { BUILDS = 3 };

/* Fails with the compiler's log about the text. */
static farsum_status opencl_log(struct opencl *cl, cl_id program, cl_int error,
                                const char *text)
{
    farsum_status status = FARSUM_OK;
    char *log = NULL, *named = NULL;
    size_t size = 0;
    cl->api.clGetProgramBuildInfo(program, cl->device, CL_PROGRAM_BUILD_LOG, 0,
                                  NULL, &size);
    TRY(MEM_NEW(log, (int64_t)size + 1));
    cl->api.clGetProgramBuildInfo(program, cl->device, CL_PROGRAM_BUILD_LOG,
                                  size, log, NULL);
    GO(log_named(text, log, &named));
    GO_FAIL(ERR_DEVICE, "the kernel does not compile (%d):\n%s", error, named);
done:
    mem_free(named);
    mem_free(log);
    return status;
}

farsum_status opencl_binary(struct opencl *cl, cl_id program, void **binary,
                            int64_t *bytes)
{
    size_t size = 0;
    unsigned char *image = NULL;
    CL_TRY(cl->api.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
                                    sizeof size, &size, NULL),
           "clGetProgramInfo");
    if (size == 0)
        FAIL(ERR_DEVICE, "the OpenCL driver keeps no binary of a program");
    TRY(MEM_RAW(image, (int64_t)size));
    cl_int error = cl->api.clGetProgramInfo(program, CL_PROGRAM_BINARIES,
                                            sizeof image, &image, NULL);
    if (error != 0) {
        mem_free(image);
        return opencl_failed(error, "clGetProgramInfo");
    }
    *binary = image;
    *bytes = (int64_t)size;
    return FARSUM_OK;
}

cl_int opencl_build(const struct opencl *cl, cl_id program,
                    const char *options)
{
    cl_int error = 0;
    void *before = c_locale_enter(); /* the compiler reads the text's numbers
                                           in the locale */
    for (int tries = cl->keeps ? BUILDS : 1; tries > 0; tries--) {
        error = cl->api.clBuildProgram(program, 1, &cl->device, options, NULL,
                                       NULL);
        if (error != CL_BUILD_PROGRAM_FAILURE)
            break;
    }
    c_locale_leave(before);
    return error;
}

/* Builds a program.  `text` gives the lines for compiler messages. */
static farsum_status opencl_built(struct opencl *cl, cl_id program,
                                  const char *text)
{
    cl_int error = opencl_build(cl, program, cl->options);
    return error == 0 ? FARSUM_OK : opencl_log(cl, program, error, text);
}

static farsum_status opencl_from_text(struct opencl *cl, const char *text,
                                      cl_id *program)
{
    cl_int error = 0;
    cl_id made = cl->keeps ? opencl_kept_program(cl, text) : NULL;
    if (made) {
        *program = made;
        return FARSUM_OK;
    }
    made = cl->api.clCreateProgramWithSource(cl->context, 1, &text, NULL,
                                             &error);
    CL_TRY(error, "clCreateProgramWithSource");
    farsum_status status = opencl_built(cl, made, text);
    if (status != FARSUM_OK) {
        cl->api.clReleaseProgram(made);
        return status;
    }
    if (cl->keeps)
        opencl_keep_program(cl, text, made);
    *program = made;
    return FARSUM_OK;
}

/* The driver caches programs by text: the text, with its final 0, is the
 * binary. */
static farsum_status opencl_same(const char *text, void **binary,
                                 int64_t *bytes)
{
    char *copy = NULL;
    *bytes = (int64_t)strlen(text) + 1;
    TRY(MEM_RAW(copy, *bytes));
    memcpy(copy, text, (size_t)*bytes);
    *binary = copy;
    return FARSUM_OK;
}

farsum_status opencl_compile(struct device *device, const char *text,
                             void **binary, int64_t *bytes)
{
    struct opencl *cl = device->inside;
    cl_id program = NULL;
    TRY(opencl_from_text(cl, text, &program));
    farsum_status status = cl->keeps
                               ? opencl_same(text, binary, bytes)
                               : opencl_binary(cl, program, binary, bytes);
    cl->api.clReleaseProgram(program);
    return status;
}

farsum_status opencl_load(struct device *device, const void *binary,
                          int64_t bytes, void **module)
{
    struct opencl *cl = device->inside;
    const unsigned char *image = binary;
    const size_t size = (size_t)bytes;
    cl_int error = 0, state = 0;
    if (cl->keeps)
        return opencl_from_text(cl, binary, module);
    cl_id program = cl->api.clCreateProgramWithBinary(
        cl->context, 1, &cl->device, &size, &image, &state, &error);
    CL_TRY(error, "clCreateProgramWithBinary");
    farsum_status status = opencl_built(cl, program, "");
    if (status != FARSUM_OK)
        cl->api.clReleaseProgram(program);
    else
        *module = program;
    return status;
}
