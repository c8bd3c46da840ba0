/* SPDX-License-Identifier: Apache-2.0 */
/* api.h: common code of the tests of the public interface: a small rock salt
 * box, and one-line functions to create a plan for it. */
#ifndef FARSUM_TEST_API_H
#define FARSUM_TEST_API_H

#include <string.h>

#include "check.h"

enum { SALT_N = 64, SALT_SIDE = 4 };

struct salt {
    double x[SALT_N][3], q[SALT_N];
    farsum_problem problem; /* its samples point into this struct */
    farsum_options options;
};

/* Ions at distance 1, each displaced a little, so that forces are not zero. */
void salt_set(struct salt *salt);
/* Makes a plan of it, or stops the program. */
farsum_plan *salt_plan(const struct salt *salt);
/* The same with its points set. */
farsum_plan *salt_ready(const struct salt *salt);
/* Calls create with the salt's problem and options; a plan that should not
 * exist is destroyed. */
farsum_status salt_create(const struct salt *salt);

/* Changes a valid salt; CHECKs the status and the message. */
#define REFUSED(change, status, ...)                                           \
    do {                                                                       \
        struct salt s;                                                         \
        salt_set(&s);                                                          \
        change;                                                                \
        CHECK_FAILS(salt_create(&s), FARSUM_##status);                         \
        static const char *const words[] = {__VA_ARGS__};                      \
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)              \
            CHECK_SAYS(words[w]);                                              \
    } while (0)

void api_advice(void);   /* api_advice.c */
void api_progress(void); /* api_progress.c */
void api_problems(void); /* api_problem.c */
void api_choices(void);  /* api_choice.c */
void api_methods(void);  /* api_method.c */
void api_points(void);   /* api_points.c */
void api_precisions(void); /* api_precision.c */
void api_results(void);  /* api_result.c */
#endif
