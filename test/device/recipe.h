/* SPDX-License-Identifier: Apache-2.0 */
/* recipe.h: the lines of a kernel file that say how the tests compile it
 * (src/dialect/README.md). */
#ifndef FARSUM_TEST_DEVICE_RECIPE_H
#define FARSUM_TEST_DEVICE_RECIPE_H

#include "device/compile/jit.h"

enum { RECIPE_WORDS = 40, RECIPE_WORD = 160 };

struct recipe {
    int n; /* definitions */
    char name[RECIPE_WORDS][RECIPE_WORD];
    char value[RECIPE_WORDS][RECIPE_WORD];
    int window;      /* 1: that of SUPPORT */
    int nested;      /* 1: its kernels launch kernels */
    char vendor[16]; /* the only one, or "" for all */
    int sm;          /* CUDA: from this on; 0: any */
    int bits;        /* the only precision, or 0 */
    char line[512];  /* as written in the file */
};

/* The k-th recipe of a text; a text without one has a single empty recipe.
 * 1: it is there, 0: there are no more, -1: *wrong says what is wrong. */
int recipe_get(const char *text, int64_t bytes, int k, struct recipe *recipe,
               const char **wrong);
/* Defines what it says. */
farsum_status recipe_define(const struct recipe *recipe, struct jit *jit);
#endif
