/* SPDX-License-Identifier: Apache-2.0 */
/* rtc.c: compilation of one text by NVRTC or hipRTC. */
#include "device/driver/rtc.h"

#include "base/mem.h"
#include "device/dl.h"

#include <stdio.h>
#include <string.h>

farsum_status rtc_named(struct rtc *rtc, void *library, const char *vendor,
                        const char *const *options)
{
    char file[1200];
    int major = 0, minor = 0, error = rtc->api.version(&major, &minor);
    if (error != 0)
        FAIL(ERR_DEVICE, "%s does not say its version: %s", vendor,
             rtc->api.error_text(error));
    snprintf(rtc->name, sizeof rtc->name, "%s %d.%d", vendor, major, minor);
    snprintf(rtc->named, sizeof rtc->named, "%s", rtc->name);
    rtc->options = options;
    rtc->major = major;
    for (int i = 0; options[i]; i++) {
        size_t n = strlen(rtc->named);
        if (strlen(options[i]) + 2 > sizeof rtc->named - n)
            FAIL(ERR_INTERNAL, "the options of %s are too long", vendor);
        snprintf(rtc->named + n, sizeof rtc->named - n, " %s", options[i]);
    }
    /* the version has only major and minor number; the file identifies the
     * build */
    dl_path(library, file, sizeof file);
    snprintf(rtc->makers, sizeof rtc->makers, "%s\n%s", rtc->named, file);
    return FARSUM_OK;
}

static farsum_status rtc_failed(const struct rtc *rtc, int error,
                                const char *what)
{
    FAIL(ERR_DEVICE, "%s: %s: %s", rtc->name, what, rtc->api.error_text(error));
}

/* Gets the compiler's log; "" if there is none. */
static farsum_status rtc_log(const struct rtc *rtc, void *program, char **log)
{
    char *text = NULL;
    size_t size = 0;
    int error = rtc->api.log_size(program, &size);
    if (error != 0)
        return rtc_failed(rtc, error, "the size of the log");
    TRY(MEM_NEW(text, (int64_t)size + 1));
    error = size > 0 ? rtc->api.log(program, text) : 0;
    if (error != 0) {
        mem_free(text);
        return rtc_failed(rtc, error, "the log");
    }
    *log = text;
    return FARSUM_OK;
}

/* Returns the log from the line of the first error on, because warnings may
 * fill a message before it. */
static const char *rtc_first_error(const char *log)
{
    const char *at = strstr(log, "error");
    if (!at)
        return log;
    while (at > log && at[-1] != '\n')
        at--;
    return at;
}

static farsum_status rtc_code(const struct rtc *rtc, const struct rtc_job *job,
                              void *program, void **binary, int64_t *bytes)
{
    char *code = NULL;
    size_t size = 0;
    int error = job->size(program, &size);
    if (error != 0 || size == 0)
        return rtc_failed(rtc, error, "the size of the binary");
    TRY(MEM_RAW(code, (int64_t)size));
    error = job->get(program, code);
    if (error != 0) {
        mem_free(code);
        return rtc_failed(rtc, error, "the binary");
    }
    *binary = code;
    *bytes = (int64_t)size;
    return FARSUM_OK;
}

farsum_status rtc_compile(const struct rtc *rtc, const struct rtc_job *job,
                          void **binary, int64_t *bytes, char **log)
{
    farsum_status status = FARSUM_OK;
    void *program = NULL;
    char *words = NULL;
    const char *options[RTC_OPTIONS + 3] = {job->target};
    int n = 1;
    for (int i = 0; rtc->options[i] && i < RTC_OPTIONS; i++)
        options[n++] = rtc->options[i];
    for (int i = 0; i < 2; i++)
        if (job->extra[i])
            options[n++] = job->extra[i];
    int error = rtc->api.create(&program, job->text, "kernel", 0, NULL, NULL);
    if (error != 0)
        return rtc_failed(rtc, error, "a program");
    error = rtc->api.compile(program, n, options);
    GO(rtc_log(rtc, program, &words));
    if (error != 0)
        GO_FAIL(ERR_DEVICE, "%s %s: %s\n%s", rtc->name, job->target,
                rtc->api.error_text(error), rtc_first_error(words));
    GO(rtc_code(rtc, job, program, binary, bytes));
    if (log) {
        *log = words;
        words = NULL;
    }
done:
    mem_free(words);
    rtc->api.destroy(&program);
    return status;
}
