/* text.c: names that were mistyped. */
#include "base/text.h"

#include <string.h>

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
