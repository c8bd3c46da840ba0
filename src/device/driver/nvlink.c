/* SPDX-License-Identifier: Apache-2.0 */
/* nvlink.c: kernels that launch kernels.  Their binary is linked with CUDA's
 * device runtime by nvJitLink. */
#include "device/driver/cuda.h"

#include "base/mem.h"
#include "device/dl.h"

#include <stdio.h>
#include <string.h>

static const char *const nvlink_symbols[] = {
#define SYM(result, name, parameters) #name,
#include "device/driver/nvlink.sym"
#undef SYM
    NULL};

/* From the enumeration nvJitLinkInputType. */
enum { NVLINK_CUBIN = 1, NVLINK_LIBRARY = 6 };

farsum_status nvlink_find(struct nvlink *link, const struct nvrtc *nvrtc)
{
    struct nvlink l = {0};
    char name[32];
    snprintf(name, sizeof name, "libnvJitLink.so.%d", nvrtc->rtc.major);
    TRY(dl_file(nvrtc->library, nvrtc_folders, name, l.path, sizeof l.path));
    TRY(dl_file(nvrtc->library, nvrtc_folders, "libcudadevrt.a", l.runtime,
                sizeof l.runtime));
    *link = l;
    return FARSUM_OK;
}

static farsum_status nvlink_load(struct nvlink *link, int major)
{
    const char *const names[] = {link->path, NULL};
    void *library = NULL;
    unsigned is = 0, minor = 0;
    if (link->loaded)
        return FARSUM_OK;
    TRY(dl_open(&library, names, NULL, nvlink_symbols, (void **)&link->api));
    if (link->api.nvJitLinkVersion(&is, &minor) != 0 || is != (unsigned)major)
        FAIL(ERR_DEVICE, "nvJitLink %u.%u cannot link what NVRTC %d compiles",
             is, minor, major);
    snprintf(link->name, sizeof link->name, "nvJitLink %u.%u", is, minor);
    link->loaded = 1;
    return FARSUM_OK;
}

/* Fails with the linker's log, or with its error number. */
static farsum_status nvlink_failed(const struct nvlink *link, void *job,
                                   int error, const char *what)
{
    char *log = NULL;
    size_t size = 0;
    if (job && link->api.nvJitLinkGetErrorLogSize(job, &size) == 0 && size > 0
        && MEM_NEW(log, (int64_t)size + 1) == FARSUM_OK
        && link->api.nvJitLinkGetErrorLog(job, log) != 0)
        log[0] = 0;
    farsum_status status =
        status_fail(FARSUM_ERR_DEVICE, "%s: %s: error %d%s%s", link->name, what,
                    error, log && log[0] ? ": " : "", log ? log : "");
    mem_free(log);
    return status;
}

/* Links a compiled part with the device runtime into a binary. */
static farsum_status nvlink_link(const struct nvlink *link, const char *arch,
                                 const void *part, int64_t part_bytes,
                                 void **binary, int64_t *bytes)
{
    farsum_status status = FARSUM_OK;
    char target[64], *linked = NULL;
    const char *options[] = {target};
    void *job = NULL;
    size_t size = 0;
    snprintf(target, sizeof target, "-arch=%s", arch);
    int error = link->api.nvJitLinkCreate(&job, 1, options);
    if (error != 0)
        return nvlink_failed(link, NULL, error, target);
    error = link->api.nvJitLinkAddData(job, NVLINK_CUBIN, part,
                                       (size_t)part_bytes, "kernel");
    if (error == 0)
        error = link->api.nvJitLinkAddFile(job, NVLINK_LIBRARY, link->runtime);
    if (error == 0)
        error = link->api.nvJitLinkComplete(job);
    if (error == 0)
        error = link->api.nvJitLinkGetLinkedCubinSize(job, &size);
    if (error != 0 || size == 0) {
        status = nvlink_failed(link, job, error, link->runtime);
        goto done;
    }
    GO(MEM_RAW(linked, (int64_t)size));
    error = link->api.nvJitLinkGetLinkedCubin(job, linked);
    if (error != 0) {
        status = nvlink_failed(link, job, error, "the binary");
        goto done;
    }
    *binary = linked;
    *bytes = (int64_t)size;
    linked = NULL;
done:
    mem_free(linked);
    link->api.nvJitLinkDestroy(&job);
    return status;
}

farsum_status nvlink_compile(const struct nvrtc *nvrtc, struct nvlink *link,
                             const char *arch, const char *text, void **binary,
                             int64_t *bytes, char **log)
{
    farsum_status status = FARSUM_OK;
    void *part = NULL;
    int64_t part_bytes = 0;
    if (!nvrtc_knows(nvrtc, arch))
        FAIL(ERR_DEVICE,
             "%s does not know %s, and what launches kernels is "
             "linked for one architecture",
             nvrtc->rtc.name, arch);
    TRY(nvlink_load(link, nvrtc->rtc.major));
    TRY(nvrtc_compile(nvrtc, arch, text, 1, &part, &part_bytes, log));
    status = nvlink_link(link, arch, part, part_bytes, binary, bytes);
    if (status != FARSUM_OK && log) {
        mem_free(*log);
        *log = NULL;
    }
    mem_free(part);
    return status;
}

farsum_status cuda_compile_nested_for(const char *arch, const char *text,
                                      void **binary, int64_t *bytes, char **log)
{
    struct nvrtc nvrtc;
    struct nvlink link;
    TRY(nvrtc_open(&nvrtc, 0));
    TRY(nvlink_find(&link, &nvrtc));
    return nvlink_compile(&nvrtc, &link, arch, text, binary, bytes, log);
}
