/* SPDX-License-Identifier: Apache-2.0 */
/* recipe.c: parser of the lines in kernel files that tell the tests how to
 * compile them. */
#include "device/recipe.h"

#include "math/window.h"
#include "stage/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "compile:";

/* Where the words of the k-th recipe start, and their number of bytes. */
static const char *recipe_find(const char *text, int64_t bytes, int k,
                               int64_t *n)
{
    for (int64_t at = 0; at < bytes;) {
        const char *line = text + at;
        const char *end = memchr(line, '\n', (size_t)(bytes - at));
        int64_t all = end ? end - line : bytes - at, i = 0;
        while (i < all && strchr(" /*", line[i]))
            i++;
        if (all - i >= (int64_t)sizeof mark - 1
            && memcmp(line + i, mark, sizeof mark - 1) == 0 && k-- == 0) {
            const char *from = line + i + sizeof mark - 1;
            const char *stop =
                memmem(from, (size_t)(line + all - from), "*/", 2);
            *n = (stop ? stop : line + all) - from;
            return from;
        }
        at += all + 1;
    }
    return NULL;
}

static const char *recipe_word(struct recipe *r, const char *word)
{
    const char *value = strchr(word, '=');
    if (!value) {
        static const char *const vendors[] = {"CUDA", "HIP", "OPENCL"};
        for (int v = 0; v < 3; v++)
            if (strcmp(word, vendors[v]) == 0) {
                snprintf(r->vendor, sizeof r->vendor, "%s", word);
                return NULL;
            }
        if (strcmp(word, "WINDOW") == 0)
            r->window = 1;
        else if (strcmp(word, "NESTED") == 0) {
            r->nested = 1;
            snprintf(r->vendor, sizeof r->vendor, "CUDA");
        } else if (strcmp(word, "F32") == 0 || strcmp(word, "F64") == 0)
            r->bits = atoi(word + 1);
        else if (strncmp(word, "sm_", 3) == 0 && atoi(word + 3) > 0) {
            r->sm = atoi(word + 3);
            snprintf(r->vendor, sizeof r->vendor, "CUDA");
        } else
            return "a word without = that is none of WINDOW NESTED F32 F64 "
                   "CUDA HIP OPENCL sm_NN";
        return NULL;
    }
    if (r->n == RECIPE_WORDS || value == word || value - word >= RECIPE_WORD
        || strlen(value + 1) >= RECIPE_WORD)
        return "too many words, or one that is too long";
    snprintf(r->name[r->n], RECIPE_WORD, "%.*s", (int)(value - word), word);
    snprintf(r->value[r->n], RECIPE_WORD, "%s", value + 1);
    r->n++;
    return NULL;
}

int recipe_get(const char *text, int64_t bytes, int k, struct recipe *recipe,
               const char **wrong)
{
    char words[sizeof recipe->line], *rest = words;
    int64_t n = 0;
    const char *from = recipe_find(text, bytes, k, &n);
    *recipe = (struct recipe){0};
    if (!from)
        return k == 0;
    if (n >= (int64_t)sizeof words) {
        *wrong = "a line that is too long";
        return -1;
    }
    snprintf(words, sizeof words, "%.*s", (int)n, from);
    for (char *word; (word = strtok_r(rest, " \t\r", &rest)) != NULL;) {
        size_t have = strlen(recipe->line);
        snprintf(recipe->line + have, sizeof recipe->line - have, " %s", word);
        *wrong = recipe_word(recipe, word);
        if (*wrong)
            return -1;
    }
    return 1;
}

farsum_status recipe_define(const struct recipe *recipe, struct jit *jit)
{
    int support = 0;
    for (int i = 0; i < recipe->n; i++) {
        if (recipe->window && strcmp(recipe->name[i], "SUPPORT") == 0)
            support = atoi(recipe->value[i]); /* the window defines it */
        else
            jit_define(jit, recipe->name[i], "%s", recipe->value[i]);
    }
    if (recipe->window) {
        struct window window;
        TRY(window_set(&window, window_names[0], support, 0, 2,
                       jit->precision == FARSUM_F32 ? 1e-7 : 1e-14));
        gpu_define_window(jit, &window);
    }
    return jit->failed;
}
