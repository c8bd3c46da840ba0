/* SPDX-License-Identifier: Apache-2.0 */
/* rtc.h: NVRTC and hipRTC, two compilers that differ only in their names. */
#ifndef FARSUM_DEVICE_DRIVER_RTC_H
#define FARSUM_DEVICE_DRIVER_RTC_H

#include "base/status.h"

struct rtc_api {
#define SYM(result, word, nvrtc, hiprtc, parameters) result(*word) parameters;
#include "device/driver/rtc.sym"
#undef SYM
};

struct rtc {
    struct rtc_api api;
    const char *const *options; /* for every compilation; ended by NULL */
    int major;                  /* major version */
    char name[32];              /* "NVRTC 13.0" */
    char named[160];            /* name and options */
    char makers[1400];          /* name, options and the library's file, for the
                                   cache key */
};

/* One compilation. */
struct rtc_job {
    const char *text;   /* one self-contained source */
    const char *target; /* option that sets the architecture */
    const char *extra[2]; /* more options, or NULL */
    /* Functions that return the result: the api's code_size and code, or
     * others. */
    int (*size)(void *program, size_t *bytes);
    int (*get)(void *program, char *code);
};

enum { RTC_OPTIONS = 8 };

/* Sets names and options after the library is open. */
farsum_status rtc_named(struct rtc *rtc, void *library, const char *vendor,
                        const char *const *options);
/* Compiles a text.  binary and log: by mem_alloc, owned by the caller; log may
 * be NULL.  If the text does not compile, the message begins with the first
 * error. */
farsum_status rtc_compile(const struct rtc *rtc, const struct rtc_job *job,
                          void **binary, int64_t *bytes, char **log);
#endif
