/* SPDX-License-Identifier: Apache-2.0 */
/* c_locale.c: the C locale as an object, and printing and reading in it.  Only
 * this file uses POSIX' locales. */
#include "base/c_locale.h"

#include <locale.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Returns the C locale, which is never freed. */
static locale_t c_locale(void)
{
    static _Atomic(locale_t) kept;
    locale_t now = atomic_load(&kept), none = (locale_t)0;
    if (now != none)
        return now;
    now = newlocale(LC_ALL_MASK, "C", none);
    if (atomic_compare_exchange_strong(&kept, &none, now))
        return now;
    freelocale(now); /* another thread was first */
    return none;
}

void *c_locale_enter(void)
{
    return uselocale(c_locale());
}

void c_locale_leave(void *before)
{
    uselocale(before);
}

double c_locale_read(const char *text, char **end)
{
    return strtod_l(text, end, c_locale());
}

int c_locale_vtext(char *to, size_t size, const char *format, va_list args)
{
    void *before = c_locale_enter();
    int n = vsnprintf(to, size, format, args);
    c_locale_leave(before);
    return n;
}

int c_locale_text(char *to, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = c_locale_vtext(to, size, format, args);
    va_end(args);
    return n;
}

int c_locale_vwrite(FILE *to, const char *format, va_list args)
{
    void *before = c_locale_enter();
    int n = vfprintf(to, format, args);
    c_locale_leave(before);
    return n;
}

int c_locale_write(FILE *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = c_locale_vwrite(to, format, args);
    va_end(args);
    return n;
}
