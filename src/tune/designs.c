/* SPDX-License-Identifier: Apache-2.0 */
/* designs.c: cache of the windows used most recently, and of the sums of their
 * aliases. */
#include "tune/designs.h"

#include <string.h>

#include "base/fork.h"

enum { NAME = 16 };

struct key {
    char name[NAME];
    int support;
    double shape, sigma, fit;
};

static struct {
    struct fork_lock lock;
    uint64_t now, there, made;
    uint64_t used[DESIGNS]; /* 0: the slot is free */
    struct key key[DESIGNS];
    struct {
        struct window window;
        struct alias alias;
    } design[DESIGNS];
} kept = {.lock = FORK_LOCK};

static int same(const struct key *a, const struct key *b)
{
    return a->support == b->support && a->shape == b->shape
           && a->sigma == b->sigma && a->fit == b->fit
           && strcmp(a->name, b->name) == 0;
}

/* Returns 1 if the key was found. */
static int design_find(const struct key *key, struct window *window,
                       struct alias *alias)
{
    int found = 0;
    fork_lock(&kept.lock);
    for (int k = 0; k < DESIGNS && !found; k++) {
        if (kept.used[k] == 0 || !same(&kept.key[k], key))
            continue;
        *window = kept.design[k].window;
        *alias = kept.design[k].alias;
        kept.used[k] = ++kept.now;
        kept.there++;
        found = 1;
    }
    fork_unlock(&kept.lock);
    return found;
}

static void design_keep(const struct key *key, const struct window *window,
                        const struct alias *alias)
{
    int oldest = 0;
    fork_lock(&kept.lock);
    for (int k = 0; k < DESIGNS; k++) {
        if (kept.used[k] != 0 && same(&kept.key[k], key))
            oldest = -1; /* another thread has stored it first */
        if (oldest < 0)
            break;
        oldest = kept.used[k] < kept.used[oldest] ? k : oldest;
    }
    kept.made++;
    if (oldest >= 0) {
        kept.key[oldest] = *key;
        kept.design[oldest].window = *window;
        kept.design[oldest].alias = *alias;
        kept.used[oldest] = ++kept.now;
    }
    fork_unlock(&kept.lock);
}

farsum_status design_window(struct window *window, struct alias *alias,
                            const char *name, int support, double shape,
                            double sigma, double fit_error)
{
    struct key key = {.support = support, .shape = shape,
                      .sigma = shape > 0 ? 0 : sigma, .fit = fit_error};
    size_t length = strlen(name);
    if (length < NAME) {
        memcpy(key.name, name, length + 1);
        if (design_find(&key, window, alias))
            return FARSUM_OK;
    }
    TRY(window_set(window, name, support, shape, sigma, fit_error));
    alias_set(alias, window);
    if (length < NAME)
        design_keep(&key, window, alias);
    return FARSUM_OK;
}

void design_counts(uint64_t *there, uint64_t *made)
{
    fork_lock(&kept.lock);
    *there = kept.there;
    *made = kept.made;
    fork_unlock(&kept.lock);
}
