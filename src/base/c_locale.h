/* SPDX-License-Identifier: Apache-2.0 */
/* c_locale.h: printing in the C locale, whichever locale the program or the
 * thread has set.  The locale is set for the calling thread only. */
#ifndef FARSUM_BASE_C_LOCALE_H
#define FARSUM_BASE_C_LOCALE_H

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>

/* Returns the C locale, which is never freed. */
locale_t c_locale(void);
/* Sets the C locale for this thread.  Returns the previous locale, to be passed
 * to c_locale_leave. */
locale_t c_locale_enter(void);
void c_locale_leave(locale_t before);

/* vsnprintf, snprintf, vfprintf and fprintf in the C locale, for messages.
 * Numbers that a program reads are printed by base/number.h. */
int c_locale_vtext(char *to, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
int c_locale_text(char *to, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int c_locale_vwrite(FILE *to, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
int c_locale_write(FILE *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
#endif
