/* SPDX-License-Identifier: Apache-2.0 */
/* designs.c: cache of the windows used most recently, and of the sums of their
 * aliases. */
#include "tune/designs.h"

#include <string.h>

#include "base/kept.h"

enum { NAME = 16 };

struct design_key {
    char name[NAME];
    int64_t support;
    double shape, sigma, fit;
};
struct design {
    struct window window;
    struct alias alias;
};

static uint64_t designs_used[DESIGNS];
static struct design_key designs_key[DESIGNS];
static struct design designs_value[DESIGNS];
static struct kept designs = KEPT(designs);

farsum_status design_window(struct window *window, struct alias *alias,
                            const char *name, int support, double shape,
                            double sigma, double fit_error)
{
    struct design_key key = {.support = support,
                             .shape = shape,
                             .sigma = shape > 0 ? 0 : sigma,
                             .fit = fit_error};
    struct design design;
    size_t length = strlen(name);
    if (length < NAME)
        memcpy(key.name, name, length + 1);
    if (length < NAME && kept_find(&designs, &key, &design, sizeof design)) {
        *window = design.window;
        *alias = design.alias;
        return FARSUM_OK;
    }
    TRY(window_set(window, name, support, shape, sigma, fit_error));
    alias_set(alias, window);
    design.window = *window;
    design.alias = *alias;
    if (length < NAME)
        kept_store(&designs, &key, &design, sizeof design);
    return FARSUM_OK;
}

void design_counts(uint64_t *there, uint64_t *made)
{
    kept_counts(&designs, there, made);
}
