/* SPDX-License-Identifier: Apache-2.0 */
/* hiprtc.c: HIP's compiler. */
#include "device/driver/hip.h"

#include "device/dl.h"

#include <stdio.h>
#include <string.h>

static const char *const rtc_symbols[] = {
#define SYM(result, word, nvrtc, hiprtc, parameters) #hiprtc,
#include "device/driver/rtc.sym"
#undef SYM
    NULL};
static const char *const comgr_symbols[] = {
#define SYM(result, name, parameters) #name,
#include "device/driver/comgr.sym"
#undef SYM
    NULL};
struct comgr_api {
#define SYM(result, name, parameters) result(*name) parameters;
#include "device/driver/comgr.sym"
#undef SYM
};

static const char *const rocm_folders[] = {"/opt/rocm/lib", NULL};

/* Newest first, two for each major version: until ROCm 5.2 the compiler was
 * part of the runtime's library. */
static const char *const hiprtc_names[] = {
    "libhiprtc.so.7",   "libamdhip64.so.7", "libhiprtc.so.6",
    "libamdhip64.so.6", "libhiprtc.so.5",   "libamdhip64.so.5",
    "libhiprtc.so",     "libamdhip64.so",   NULL};
enum { HIPRTC_NEWEST = 7, HIPRTC_OLDEST = 5 };

farsum_status hiprtc_open(struct rtc *rtc, int runtime)
{
    void *library = NULL;
    static const char *const options[] = {"-O3", NULL};
    const char *const *names = hiprtc_names;
    if (runtime >= HIPRTC_OLDEST && runtime < HIPRTC_NEWEST)
        names += 2 * (HIPRTC_NEWEST - runtime);
    TRY(dl_open(&library, names, rocm_folders, rtc_symbols,
                (void **)&rtc->api));
    return rtc_named(rtc, library, "hipRTC", options);
}

int hiprtc_knows(const char *arch)
{
    static const char *const names[] = {"libamd_comgr.so.3",
                                        "libamd_comgr.so.2", NULL};
    struct comgr_api api;
    void *library = NULL;
    size_t n = 0, length = strcspn(arch, ":");
    if (dl_open(&library, names, rocm_folders, comgr_symbols, (void **)&api)
            != FARSUM_OK
        || api.amd_comgr_get_isa_count(&n) != 0 || n == 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const char *name = NULL, *last;
        if (api.amd_comgr_get_isa_name(i, &name) != 0 || !name)
            continue;
        last = strrchr(name, '-'); /* amdgcn-amd-amdhsa--gfx90a */
        last = last ? last + 1 : name;
        if (strcspn(last, ":") == length && strncmp(last, arch, length) == 0)
            return 1;
    }
    return 0;
}

farsum_status hiprtc_compile(const struct rtc *rtc, const char *arch,
                             const char *text, void **binary, int64_t *bytes,
                             char **log)
{
    char target[96];
    /* hipRTC 5.2 ends the process for an architecture that it does not know */
    if (hiprtc_knows(arch) == 0)
        FAIL(ERR_DEVICE, "%s does not compile for %s", rtc->name, arch);
    snprintf(target, sizeof target, "--offload-arch=%s", arch);
    const struct rtc_job job = {
        text, target, {NULL}, rtc->api.code_size, rtc->api.code};
    return rtc_compile(rtc, &job, binary, bytes, log);
}

farsum_status hip_compile_for(const char *arch, const char *text, void **binary,
                              int64_t *bytes, char **log)
{
    struct rtc rtc;
    TRY(hiprtc_open(&rtc, 0));
    return hiprtc_compile(&rtc, arch, text, binary, bytes, log);
}
