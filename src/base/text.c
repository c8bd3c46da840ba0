/* SPDX-License-Identifier: Apache-2.0 */
/* text.c: spelling suggestions for names, and times in words. */
#include "base/text.h"

#include <string.h>

#include "base/c_locale.h"

enum { LONGEST = 63 };

int text_distance(const char *a, const char *b)
{
    int row[LONGEST + 1];
    int na = (int)strnlen(a, LONGEST), nb = (int)strnlen(b, LONGEST);
    for (int j = 0; j <= nb; j++)
        row[j] = j;
    for (int i = 1; i <= na; i++) {
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            int change = corner + (a[i - 1] != b[j - 1]);
            corner = row[j];
            int gap = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
            row[j] = change < gap ? change : gap;
        }
    }
    return row[nb];
}

farsum_status text_unknown(const char *what, const char *name,
                           const char *const *names)
{
    char known[512] = "";
    const char *nearest = NULL;
    int least = 4;
    for (int i = 0; names[i]; i++) {
        size_t n = strlen(known);
        snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "", names[i]);
        int d = text_distance(name, names[i]);
        if (d < least) {
            least = d;
            nearest = names[i];
        }
    }
    if (nearest)
        FAIL(ERR_UNKNOWN,
             "%s \"%.60s\" is not known; did you mean %s? (known: %s)", what,
             name, nearest, known);
    FAIL(ERR_UNKNOWN, "%s \"%.60s\" is not known; known: %s", what, name,
         known);
}

void text_time(double seconds, char *text, size_t size)
{
    static const struct {
        const char *name;
        double seconds;
    } unit[] = {{"years", 31557600}, {"days", 86400}, {"hours", 3600},
                {"minutes", 60}};
    for (size_t k = 0; k < sizeof unit / sizeof *unit; k++)
        if (seconds >= 2 * unit[k].seconds) {
            c_locale_text(text, size, "about %.3g %s",
                          seconds / unit[k].seconds, unit[k].name);
            return;
        }
    c_locale_text(text, size, "about %.2g s", seconds);
}
