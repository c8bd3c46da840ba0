/* SPDX-License-Identifier: Apache-2.0 */
/* locales.h: locales of the tests: those of test/locales.sh, found by
 * LOCPATH. */
#ifndef FARSUM_TEST_UNIT_LOCALES_H
#define FARSUM_TEST_UNIT_LOCALES_H

#include <locale.h>
#include <string.h>

#include "check.h"

static const char *const locales[] = {"C", "de_DE.UTF-8", "ps_AF.UTF-8",
                                      "tr_TR.ISO-8859-9"};
enum { LOCALES = sizeof locales / sizeof locales[0] };

/* Sets locale k for the program; without the locale the test would test
 * nothing. */
static inline const char *enter(int k)
{
    if (!setlocale(LC_ALL, locales[k]))
        check_stop("no locale %s: LOCPATH is the folder that test/locales.sh "
                   "made",
                   locales[k]);
    int point = strcmp(localeconv()->decimal_point, ".") == 0;
    CHECK(point == (k == 0), "the point of %s is %s", locales[k],
          localeconv()->decimal_point);
    return locales[k];
}

static inline void leave(void)
{
    setlocale(LC_ALL, "C");
}
#endif
