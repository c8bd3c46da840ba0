/* check.h: what every test program uses.  A failed CHECK is printed and
 * counted and the program goes on; check_end is main's exit status.
 *
 *     int main(void) { RUN(test_one); RUN(test_two); return check_end(); }
 */
#ifndef FARSUM_TEST_CHECK_H
#define FARSUM_TEST_CHECK_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "farsum/farsum.h"

/* Exit status that ctest reads as "skipped". */
enum { CHECK_SKIPPED = 77 };

static int check_count, check_failed;

__attribute__((format(printf, 4, 5), unused)) static int
check_that(int good, const char *file, int line, const char *format, ...)
{
    check_count++;
    if (good)
        return 1;
    check_failed++;
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s:%d: FAIL: ", file, line);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return 0;
}

/* CHECK(condition, "format", ...): the format says what was found. */
#define CHECK(good, ...) check_that(!!(good), __FILE__, __LINE__, __VA_ARGS__)
/* |found - wanted| <= most. */
#define CHECK_NEAR(found, wanted, most)                                        \
    check_near(found, wanted, most, #found, __FILE__, __LINE__)
/* The call succeeds. */
#define CHECK_OK(call) check_status(call, FARSUM_OK, #call, __FILE__, __LINE__)
/* The call fails with this status, and says something. */
#define CHECK_FAILS(call, wanted)                                              \
    check_status(call, wanted, #call, __FILE__, __LINE__)
#define RUN(test) check_run(test, #test)

__attribute__((unused)) static int check_near(double found, double wanted,
                                              double most, const char *text,
                                              const char *file, int line)
{
    return check_that(fabs(found - wanted) <= most, file, line,
                      "%s is %.17g, not %.17g within %.3g (off by %.3g)", text,
                      found, wanted, most, found - wanted);
}

__attribute__((unused)) static int
check_status(farsum_status found, farsum_status wanted, const char *text,
             const char *file, int line)
{
    int good = check_that(found == wanted, file, line, "%s: %s (%s), not %s",
                          text, farsum_status_text(found), farsum_message(),
                          farsum_status_text(wanted));
    if (good && found != FARSUM_OK)
        good = check_that(farsum_message()[0] != 0, file, line,
                          "%s failed without a message", text);
    return good;
}

__attribute__((unused)) static void check_run(void (*test)(void),
                                              const char *name)
{
    int before = check_failed;
    test();
    printf("%s %s\n", check_failed == before ? "PASS" : "FAIL", name);
    fflush(stdout);
}

/* Stops the program: what it needs to test anything is missing. */
__attribute__((format(printf, 1, 2), noreturn, unused)) static void
check_stop(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "FAIL: cannot go on: ");
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(2);
}

/* Exit status of main: a program that checked nothing has failed. */
__attribute__((unused)) static int check_end(void)
{
    printf("%d checks, %d failed\n", check_count, check_failed);
    return check_failed == 0 && check_count > 0 ? 0 : 1;
}
#endif
