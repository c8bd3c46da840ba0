/* SPDX-License-Identifier: Apache-2.0 */
/* nearest.c: edit distance with transposed neighbours (Damerau 1964), and the
 * three best names. */
#include "nearest.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 40, SHOWN = 3 };

static int least(int a, int b, int c)
{
    a = a < b ? a : b;
    return a < c ? a : c;
}

static int distance(const char *a, const char *b)
{
    int d[LONGEST + 1][LONGEST + 1];
    int m = (int)strlen(a), n = (int)strlen(b);
    if (m > LONGEST || n > LONGEST)
        return LONGEST;
    for (int i = 0; i <= m; i++)
        d[i][0] = i;
    for (int j = 0; j <= n; j++)
        d[0][j] = j;
    for (int i = 1; i <= m; i++)
        for (int j = 1; j <= n; j++) {
            d[i][j] = least(d[i - 1][j] + 1, d[i][j - 1] + 1,
                            d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
                a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < d[i][j])
                d[i][j] = d[i - 2][j - 2] + 1;
        }
    return d[m][n];
}

/* A word that is a prefix of a name, or the reverse, counts as near. */
static int badness(const char *word, const char *name)
{
    size_t w = strlen(word), n = strlen(name), least_length = w < n ? w : n;
    int d = distance(word, name);
    if (least_length >= 3 && strncmp(word, name, least_length) == 0 && d > 1)
        d = 1;
    int limit = (int)(w + 2) / 3;
    return d <= (limit > 3 ? 3 : limit) ? d : LONGEST;
}

void nearest_prefixed(const char *word, const char *prefix,
                      const char *(*name)(int k, const void *data),
                      const void *data, char *text, size_t size)
{
    const char *best[SHOWN] = {NULL};
    int bad[SHOWN] = {LONGEST, LONGEST, LONGEST};
    for (int k = 0; name(k, data); k++) {
        int b = badness(word, name(k, data)), at = SHOWN;
        while (at > 0 && b < bad[at - 1])
            at--;
        if (at == SHOWN)
            continue;
        for (int j = SHOWN - 1; j > at; j--) {
            bad[j] = bad[j - 1];
            best[j] = best[j - 1];
        }
        bad[at] = b;
        best[at] = name(k, data);
    }
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < SHOWN && best[k] && used < size; k++) {
        const char *join =
            k == 0 ? "" : k + 1 < SHOWN && best[k + 1] ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%s%s%s", join,
                                 prefix, best[k]);
    }
}

void nearest(const char *word, const char *(*name)(int k, const void *data),
             const void *data, char *text, size_t size)
{
    nearest_prefixed(word, "", name, data, text, size);
}

static const char *word_at(int k, const void *data)
{
    return ((const char *const *)data)[k];
}

void nearest_word(const char *word, const char *const *words, char *text,
                  size_t size)
{
    nearest(word, word_at, words, text, size);
}
