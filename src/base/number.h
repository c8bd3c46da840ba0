/* SPDX-License-Identifier: Apache-2.0 */
/* number.h: decimal text to numbers and back, correctly rounded and fast.  All
 * numbers that programs read are printed and read here.  No locale that the
 * program or another thread sets affects them. */
#ifndef FARSUM_BASE_NUMBER_H
#define FARSUM_BASE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

enum number_status {
    NUMBER_OK,
    NUMBER_MALFORMED,
    NUMBER_TOO_LARGE,
    NUMBER_NOT_FINITE /* "nan" or "inf", which *value then holds */
};

/* Reads the text p[0..n) as a whole.  p[n] must be readable and must not
 * continue the number.  Decimal only; the exponent's letter is e, E, d or D. */
enum number_status number_real(const char *p, size_t n, double *value);
enum number_status number_integer(const char *p, size_t n, int64_t *value);
/* Reads the digits at the start of text; *end points behind them.  If the
 * number is too large, *value is UINT64_MAX. */
enum number_status number_count(const char *text, const char **end,
                                uint64_t *value);
/* Reads the longest number at the start of text, which may not start with a
 * space.  *end points behind it, or is text if there is no number.  A number
 * that is too large becomes infinity. */
double number_take(const char *text, const char **end);
/* Returns the finite number that makes up the whole text, else NaN. */
double number_of(const char *text);

/* Prints the fewest of 15, 16 or 17 digits that read back as the same value,
 * laid out as by %g.  Returns the length. */
#define NUMBER_TEXT 40
size_t number_print_real(char out[NUMBER_TEXT], double value);
size_t number_print_integer(char out[NUMBER_TEXT], int64_t value);

/* A number as an argument of %s: number_text(x).text.  It lives until the end
 * of the full expression. */
struct number_text {
    char text[NUMBER_TEXT];
};
/* The text that number_print_real prints. */
struct number_text number_text(double value);
/* As %.*g and %.*e. 17 digits and 16 decimals, respectively, read back as the
 * same value. */
struct number_text number_digits(double value, int digits);
struct number_text number_scientific(double value, int digits);
/* As %.*f; if that text is too long, as number_text. */
struct number_text number_fixed(double value, int digits);
#endif
