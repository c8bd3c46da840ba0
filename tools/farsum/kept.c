/* SPDX-License-Identifier: Apache-2.0 */
/* kept.c: a plan's choices as options of the command, named after those of
 * farsum_options. */
#include "kept.h"

#include <string.h>

#include "base/c_locale.h"
#include "farsum/expert.h"

/* Prints an option with - instead of the library's _. */
static void option_say(const farsum_options *o, const char *name, FILE *out)
{
    char value[200], dashed[32];
    if (farsum_options_get(o, name, value, sizeof value) != FARSUM_OK
        || !*value)
        return;
    snprintf(dashed, sizeof dashed, "%s", name);
    for (char *c = dashed; *c; c++)
        *c = *c == '_' ? '-' : *c;
    c_locale_write(out, " --%s %s", dashed, value);
}

void kept_say(const farsum_plan *plan, FILE *out)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_option_info info = FARSUM_OPTION_INFO_INIT;
    if (farsum_plan_get_options(plan, &o) != FARSUM_OK)
        return;
    c_locale_write(out, "options  ");
    option_say(&o, "method", out);
    for (int k = 0; farsum_list_options(k, &info) == FARSUM_OK; k++)
        if (info.chosen)
            option_say(&o, info.name, out);
    c_locale_write(out, "\n");
}
