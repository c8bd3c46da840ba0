/* SPDX-License-Identifier: Apache-2.0 */
/* nvrtc.c: CUDA's compiler. */
#include "device/driver/cuda.h"

#include "base/mem.h"
#include "base/number.h"
#include "device/dl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const rtc_symbols[] = {
#define SYM(result, word, nvrtc, hiprtc, parameters) #nvrtc,
#include "device/driver/rtc.sym"
#undef SYM
    NULL};
static const char *const nvrtc_symbols[] = {
#define SYM(result, name, parameters) #name,
#include "device/driver/nvrtc.sym"
#undef SYM
    NULL};

/* Newest first.  A driver cannot run binaries of a newer major version. */
static const char *const nvrtc_names[] = {"libnvrtc.so.13", "libnvrtc.so.12",
                                          "libnvrtc.so.11.2", "libnvrtc.so",
                                          NULL};
enum { NVRTC_NEWEST = 13, NVRTC_OLDEST = 11 };
const char *const nvrtc_folders[] = {
    "/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib",
    "/usr/local/cuda/targets/sbsa-linux/lib", "/opt/cuda/lib64", NULL};

/* Line numbers help profilers and sanitizers and cost nothing. */
static const char *const nvrtc_options[] = {"--std=c++17",
                                            "--generate-line-info", NULL};

farsum_status nvrtc_open(struct nvrtc *nvrtc, int driver)
{
    void *library = NULL;
    const char *const *names = nvrtc_names;
    if (driver >= NVRTC_OLDEST && driver < NVRTC_NEWEST)
        names += NVRTC_NEWEST - driver;
    TRY(dl_open(&library, names, nvrtc_folders, rtc_symbols,
                (void **)&nvrtc->rtc.api));
    TRY(dl_open(&library, names, nvrtc_folders, nvrtc_symbols,
                (void **)&nvrtc->own));
    nvrtc->library = library;
    return rtc_named(&nvrtc->rtc, library, "NVRTC", nvrtc_options);
}

/* Finds the newest architecture that the library knows, at most `most`; 0:
 * none. */
static farsum_status nvrtc_newest(const struct nvrtc *nvrtc, int most,
                                  int *newest)
{
    int n = 0, *archs = NULL, best = 0;
    int error = nvrtc->own.nvrtcGetNumSupportedArchs(&n);
    if (error == 0) {
        TRY(MEM_NEW(archs, n + 1));
        error = nvrtc->own.nvrtcGetSupportedArchs(archs);
    }
    for (int i = 0; i < n; i++)
        if (archs && archs[i] <= most && archs[i] > best)
            best = archs[i];
    mem_free(archs);
    if (error != 0)
        FAIL(ERR_DEVICE, "%s does not say what it compiles for: %s",
             nvrtc->rtc.name, nvrtc->rtc.api.error_text(error));
    *newest = best;
    return FARSUM_OK;
}

/* Returns 90 for "sm_90" and "sm_90a"; 0 for other names. */
static int nvrtc_number(const char *arch)
{
    const char *end;
    uint64_t found = 0;
    if (strncmp(arch, "sm_", 3) == 0)
        (void)number_count(arch + 3, &end, &found);
    return (int)found;
}

int nvrtc_knows(const struct nvrtc *nvrtc, const char *arch)
{
    int newest = 0, number = nvrtc_number(arch);
    return number > 0 && nvrtc_newest(nvrtc, number, &newest) == FARSUM_OK
           && newest == number;
}

farsum_status nvrtc_compile(const struct nvrtc *nvrtc, const char *arch,
                            const char *text, int part, void **binary,
                            int64_t *bytes, char **log)
{
    int number = nvrtc_number(arch), newest = 0;
    char target[64];
    if (number == 0)
        FAIL(ERR_DEVICE, "\"%s\" is no architecture; \"sm_90\" is one", arch);
    TRY(nvrtc_newest(nvrtc, number, &newest));
    if (newest == 0)
        FAIL(ERR_DEVICE, "%s no longer compiles for %s: an older one is wanted",
             nvrtc->rtc.name, arch);
    int known = newest == number;
    if (known)
        snprintf(target, sizeof target, "--gpu-architecture=%s", arch);
    else
        snprintf(target, sizeof target, "--gpu-architecture=compute_%d",
                 newest);
    const struct rtc_job job = {
        text,
        target,
        {log && known ? "--ptxas-options=-v" : NULL,
         part ? "--relocatable-device-code=true" : NULL},
        known ? nvrtc->rtc.api.code_size : nvrtc->own.nvrtcGetPTXSize,
        known ? nvrtc->rtc.api.code : nvrtc->own.nvrtcGetPTX};
    return rtc_compile(&nvrtc->rtc, &job, binary, bytes, log);
}

farsum_status cuda_compile_for(const char *arch, const char *text,
                               void **binary, int64_t *bytes, char **log)
{
    struct nvrtc nvrtc;
    TRY(nvrtc_open(&nvrtc, 0));
    return nvrtc_compile(&nvrtc, arch, text, 0, binary, bytes, log);
}
