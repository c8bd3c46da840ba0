/* SPDX-License-Identifier: Apache-2.0 */
/* fake_rtc.c: simulated NVRTC (FAKE_HIP 0) or hipRTC (1).  The binary is the
 * text after a line with the options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { DOES_NOT_COMPILE = 6, SIZE = 1 << 18 };

struct program {
    char *text, log[512], options[512];
};

static int programs; /* existing now */
EXPORT int fake_programs(void)
{
    return programs;
}

static const char *fake_error_text(int error)
{
    return error == DOES_NOT_COMPILE ? "RTC_ERROR_COMPILATION" : "RTC_PLAYED";
}
static int fake_version(int *major, int *minor)
{
    *major = FAKE_HIP ? 6 : 13;
    *minor = 4;
    return 0;
}
static int fake_create(void **program, const char *text, const char *name,
                       int n_headers, const char *const *headers,
                       const char *const *names)
{
    struct program *p = calloc(1, sizeof *p);
    (void)headers;
    (void)names;
    p->text = strdup(text);
    *program = p;
    programs++;
    return name && n_headers == 0 ? 0 : 1;
}
static int fake_destroy(void **program)
{
    struct program *p = *program;
    free(p->text);
    free(p);
    programs--;
    *program = NULL;
    return 0;
}
static int fake_compile(void *program, int n_options,
                        const char *const *options)
{
    struct program *p = program;
    for (int i = 0; i < n_options; i++) {
        size_t n = strlen(p->options);
        snprintf(p->options + n, sizeof p->options - n, " %s", options[i]);
    }
    if (!strstr(p->text, "NOT_CODE"))
        return 0;
    for (int i = 0; i < 8; i++)
        strcat(p->log, "some.k(1): warning: it goes on and on\n");
    strcat(p->log, "some.k(3): error: NOT_CODE is none\n1 of them\n");
    return DOES_NOT_COMPILE;
}
static int fake_log_size(void *program, size_t *bytes)
{
    *bytes = strlen(((struct program *)program)->log) + 1;
    return 0;
}
static int fake_log(void *program, char *log)
{
    strcpy(log, ((struct program *)program)->log);
    return 0;
}
static int fake_code_size(void *program, size_t *bytes)
{
    struct program *p = program;
    *bytes = strlen(p->text) + strlen(p->options) + 16;
    return 0;
}
static int fake_code(void *program, char *code)
{
    struct program *p = program;
    sprintf(code, "FAKE code%s\n%s", p->options, p->text);
    return 0;
}

#if FAKE_HIP
#define SYM(result, word, nvrtc, hiprtc, parameters)                           \
    EXPORT result hiprtc parameters __attribute__((alias("fake_" #word)));
#else
#define SYM(result, word, nvrtc, hiprtc, parameters)                           \
    EXPORT result nvrtc parameters __attribute__((alias("fake_" #word)));

EXPORT int nvrtcGetPTXSize(void *program, size_t *bytes)
{
    return fake_code_size(program, bytes);
}
EXPORT int nvrtcGetPTX(void *program, char *text)
{
    struct program *p = program;
    sprintf(text, "FAKE text%s\n%s", p->options, p->text);
    return 0;
}
EXPORT int nvrtcGetNumSupportedArchs(int *n)
{
    *n = 4;
    return 0;
}
EXPORT int nvrtcGetSupportedArchs(int *archs)
{
    static const int known[] = {75, 80, 90, 100};
    memcpy(archs, known, sizeof known);
    return 0;
}
#endif
#include "device/driver/rtc.sym"
