/* SPDX-License-Identifier: Apache-2.0 */
/* kept.c: a plan's choices as options of the command, named after those of
 * farsum_options. */
#include "kept.h"

#include <stddef.h>

#include "base/c_locale.h"
#include "base/number.h"

enum kind { TEXT, REAL, INT, COUNT, THREE };

static const struct {
    const char *name;
    enum kind kind;
    size_t at;
} rows[] = {
#define ROW(name, kind) {#name, kind, offsetof(farsum_options, name)}
    ROW(method, TEXT),  ROW(split, TEXT),     ROW(window, TEXT),
    ROW(cutoff, REAL),  ROW(bandwidth, REAL), ROW(mesh, THREE),
    ROW(support, INT),  ROW(shape, REAL),     ROW(tree, TEXT),
    ROW(order, INT),    ROW(separation, INT), ROW(levels, INT),
    ROW(boxes, THREE),  ROW(leaf, COUNT),     ROW(near, TEXT),
    ROW(spread, TEXT),  ROW(fft, TEXT),       ROW(scale, TEXT),
    ROW(interp, TEXT),  ROW(p2p, TEXT),       ROW(p2m, TEXT),
    ROW(m2m, TEXT),     ROW(m2l, TEXT),       ROW(lattice, TEXT),
    ROW(l2l, TEXT),     ROW(l2p, TEXT),
#undef ROW
};

static void row_say(const char *name, enum kind kind, const void *at, FILE *out)
{
    const int64_t *three = at;
    if (kind == TEXT && *(const char *const *)at)
        c_locale_write(out, " --%s %s", name, *(const char *const *)at);
    if (kind == REAL && *(const double *)at != 0)
        c_locale_write(out, " --%s %s", name,
                       number_text(*(const double *)at).text);
    if (kind == INT && *(const int *)at != 0)
        c_locale_write(out, " --%s %d", name,
                       *(const int *)at == FARSUM_ORDER_0 ? 0
                                                          : *(const int *)at);
    if (kind == COUNT && *three != 0)
        c_locale_write(out, " --%s %lld", name, (long long)*three);
    if (kind == THREE && *three != 0)
        c_locale_write(out, " --%s %lldx%lldx%lld", name, (long long)three[0],
                       (long long)three[1], (long long)three[2]);
}

void kept_say(const farsum_plan *plan, FILE *out)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    if (farsum_plan_get_options(plan, &o) != FARSUM_OK)
        return;
    c_locale_write(out, "options  ");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        row_say(rows[k].name, rows[k].kind, (const char *)&o + rows[k].at, out);
    c_locale_write(out, "\n");
}
