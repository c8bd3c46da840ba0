/* SPDX-License-Identifier: Apache-2.0 */
/* check.c: counts of passed and failed checks. */
#include "check.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static _Atomic int count, failed; /* a test may have threads */

int check_that(int good, const char *file, int line, const char *format, ...)
{
    count++;
    if (good)
        return 1;
    failed++;
    const char *name = strrchr(file, '/');
    va_list args;
    va_start(args, format);
    fflush(stdout);
    fprintf(stderr, "%s:%d: FAIL: ", name ? name + 1 : file, line);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return 0;
}

int check_near(double found, double wanted, double most, const char *text,
               const char *file, int line)
{
    return check_that(fabs(found - wanted) <= most, file, line,
                      "%s is %.17g, not %.17g within %.3g (off by %.3g)", text,
                      found, wanted, most, found - wanted);
}

int check_status(farsum_status found, farsum_status wanted, const char *text,
                 const char *file, int line)
{
    const char *said = found == FARSUM_OK ? "" : farsum_message();
    int good = check_that(found == wanted, file, line,
                          "%s gives \"%s\", not \"%s\": %s", text,
                          farsum_status_text(found),
                          farsum_status_text(wanted), said);
    if (good && found != FARSUM_OK)
        good = check_that(said[0] != 0, file, line,
                          "%s failed without a message", text);
    return good;
}

int check_says(const char *text, const char *file, int line)
{
    const char *said = farsum_message();
    return check_that(strstr(said, text) != NULL, file, line,
                      "the message does not say \"%s\": %s", text, said);
}

void check_run(void (*test)(void), const char *name)
{
    int before = failed;
    const char *only = getenv("FARSUM_TEST_ONLY");
    if (only && strcmp(only, name) != 0)
        return;
    double start = clock_seconds();
    test();
    printf("%s %s (%.1f s)\n", failed == before ? "PASS" : "FAIL", name,
           clock_seconds() - start);
    fflush(stdout);
}

void check_stop(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "FAIL: cannot go on: ");
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(2);
}

void *check_memory(size_t number, size_t size)
{
    void *p = calloc(number, size);
    if (!p)
        check_stop("no memory for %zu x %zu bytes", number, size);
    return p;
}

int check_end(void)
{
    printf("%d checks, %d failed\n", count, failed);
    return failed == 0 && count > 0 ? 0 : 1;
}
