/* SPDX-License-Identifier: Apache-2.0 */
/* recipe.h: parser of the lines in kernel files that tell the tests how to
 * compile them (src/dialect/README.md). */
#ifndef FARSUM_TEST_DEVICE_RECIPE_H
#define FARSUM_TEST_DEVICE_RECIPE_H

#include "device/compile/jit.h"

enum { RECIPE_WORDS = 40, RECIPE_WORD = 160 };

struct recipe {
    int n; /* number of definitions */
    char name[RECIPE_WORDS][RECIPE_WORD];
    char value[RECIPE_WORDS][RECIPE_WORD];
    int window;      /* 1: adds the window of SUPPORT */
    int nested;      /* 1: its kernels launch kernels */
    char vendor[16]; /* the only one, or "": all */
    int sm;          /* CUDA: minimum architecture; 0: any */
    int bits;        /* the only precision, or 0 */
    char line[512];  /* as written in the file */
};

/* The k-th recipe of a text; a text without one has a single empty recipe.  1:
 * it exists; 0: there are no more; -1: *wrong is the error. */
int recipe_get(const char *text, int64_t bytes, int k, struct recipe *recipe,
               const char **wrong);
/* Defines the macros of the recipe. */
farsum_status recipe_define(const struct recipe *recipe, struct jit *jit);
#endif
