/* SPDX-License-Identifier: Apache-2.0 */
/* check.h: macros of every test program.  A failed CHECK is printed and
 * counted, and the program continues; check_end returns main's exit status.
 *
 *     int main(void) { RUN(test_one); RUN(test_two); return check_end(); } */
#ifndef FARSUM_TEST_CHECK_H
#define FARSUM_TEST_CHECK_H

#include <math.h>
#include <stdio.h>

#include "farsum/farsum.h"

/* Exit status that ctest reads as "skipped". */
enum { CHECK_SKIPPED = 77 };

/* CHECK(condition, "format", ...): the format prints the values found. */
#define CHECK(good, ...) check_that(!!(good), __FILE__, __LINE__, __VA_ARGS__)
/* |found - wanted| <= most. */
#define CHECK_NEAR(found, wanted, most)                                        \
    check_near(found, wanted, most, #found, __FILE__, __LINE__)
/* The call succeeds. */
#define CHECK_OK(call) check_status(call, FARSUM_OK, #call, __FILE__, __LINE__)
/* The call fails with this status and sets a message. */
#define CHECK_FAILS(call, wanted)                                              \
    check_status(call, wanted, #call, __FILE__, __LINE__)
/* Runs a test and prints PASS or FAIL with its name.  FARSUM_TEST_ONLY in the
 * environment selects one test. */
#define RUN(test) check_run(test, #test)

/* All return 1 if the check passes. */
int check_that(int good, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int check_near(double found, double wanted, double most, const char *text,
               const char *file, int line);
int check_status(farsum_status found, farsum_status wanted, const char *text,
                 const char *file, int line);
/* The thread's message contains this text. */
int check_says(const char *text, const char *file, int line);
#define CHECK_SAYS(text) check_says(text, __FILE__, __LINE__)
void check_run(void (*test)(void), const char *name);
/* Stops the program if a precondition of the tests is missing. */
void check_stop(const char *format, ...)
    __attribute__((format(printf, 1, 2), noreturn));
/* Memory; stops the program if there is none. */
void *check_memory(size_t count, size_t size);
/* Exit status of main; a program without any check has failed. */
int check_end(void);
#endif
