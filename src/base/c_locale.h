/* SPDX-License-Identifier: Apache-2.0 */
/* c_locale.h: printing and reading in the C locale, whichever locale the
 * program or the thread has set.  The locale is set for the calling thread
 * only. */
#ifndef FARSUM_BASE_C_LOCALE_H
#define FARSUM_BASE_C_LOCALE_H

#include <stdarg.h>
#include <stdio.h>

/* Sets the C locale for this thread.  Returns the previous locale, to be passed
 * to c_locale_leave. */
void *c_locale_enter(void);
void c_locale_leave(void *before);

/* strtod in the C locale. */
double c_locale_read(const char *text, char **end);
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
