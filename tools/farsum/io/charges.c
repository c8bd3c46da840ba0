/* SPDX-License-Identifier: Apache-2.0 */
/* charges.c: charges by type, for files without charges: --charge 2=0.4,
 * --charge Na=1. */
#include "charges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The types of a frame's particles: names, numbers, or both. */
struct types {
    char *const *name;
    const int64_t *number;
};

static struct types find_types(const struct io_frame *frame) {
    static const char *const names[] = {"species", "type", "element", "name"};
    struct types out = {NULL, NULL};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        const struct io_column *c = io_frame_column(frame, names[k]);
        if (!c || c->width != 1) continue;
        if (c->type == IO_TEXT && !out.name) out.name = c->data;
        if (c->type == IO_INT && !out.number) out.number = c->data;
    }
    return out;
}

static bool matches(const struct io_type_charge *c, const struct types *types,
                    int64_t i) {
    if (!c->name) return types->number && types->number[i] == c->type;
    return types->name && strlen(types->name[i]) == c->length &&
           memcmp(types->name[i], c->name, c->length) == 0;
}

static int find_charge(struct text *t, const struct io_options *options,
                       const struct types *types, int64_t i, int64_t before,
                       double *q) {
    long long number = (long long)(before + i + 1);
    char what[100] = "", option[100] = "";
    const struct io_type_charge *found = NULL;
    for (int k = 0; k < options->n_type_charges; k++) {
        const struct io_type_charge *c = &options->type_charges[k];
        if (!matches(c, types, i)) continue;
        if (found && found->q != c->q && !found->name != !c->name)
            return text_fail(t, "particle %lld has two charges by --charge, "
                                "%g and %g", number, found->q, c->q);
        found = c;
    }
    if (found) {
        *q = found->q;
        return 0;
    }
    if (types->number) {
        snprintf(what, sizeof what, "%lld", (long long)types->number[i]);
        snprintf(option, sizeof option, "%s", what);
    }
    if (types->name) {
        size_t used = strlen(what);
        snprintf(what + used, sizeof what - used, "%s\"%.40s\"",
                 used ? ", " : "", types->name[i]);
        snprintf(option, sizeof option, "%.40s", types->name[i]);
    }
    return text_fail(t, "particle %lld has the type %s, which has no charge: "
                        "--charge %s=Q", number, what, option);
}

int charges_by_type(struct text *t, const struct io_options *options,
                    struct io_frame *frame, int64_t before) {
    if (options->n_type_charges == 0) return 0;
    if (frame->q)
        return text_fail(t, "the particles have charges of their own: --charge "
                            "is for files without them");
    const struct types types = find_types(frame);
    if (frame->n > 0 && !types.name && !types.number)
        return text_fail(t, "the particles have no types (a column type or "
                            "species) for --charge");
    frame->q = calloc((size_t)(frame->n > 0 ? frame->n : 1), sizeof(double));
    if (!frame->q) return text_no_memory(t);
    for (int64_t i = 0; i < frame->n; i++)
        if (find_charge(t, options, &types, i, before, &frame->q[i]))
            return -1;
    return 0;
}
