/* SPDX-License-Identifier: Apache-2.0 */
/* number.c: decimal text to numbers and back.  Where the fast paths cannot be
 * sure to round correctly, the C library does the work in the C locale. */
#include "base/number.h"

#include "base/c_locale.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The fast paths need x87 long doubles.  Their 64 bits hold any 19 digits, and
 * powers of ten up to 27 are exact.  So one operation gives the value to half a
 * unit of the 64th bit. */
#define NUMBER_WIDE (LDBL_MANT_DIG == 64)
#define POWER_MAX 27

static const long double power[POWER_MAX + 1] = {
    1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
    1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
    1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

/* *value = digits * 10^exponent.  Returns false if correct rounding is not
 * certain. */
static bool scale(uint64_t digits, int exponent, double *value)
{
    if (digits == 0) {
        *value = 0;
        return true;
    }
    if (!NUMBER_WIDE || exponent < -POWER_MAX || exponent > POWER_MAX)
        return false;
    if (digits < (UINT64_C(1) << 53) && exponent >= -22 && exponent <= 22) {
        /* Clinger 1990: both factors are exact doubles, so the result is
         * rounded once. */
        double f = (double)power[exponent < 0 ? -exponent : exponent];
        *value = exponent < 0 ? (double)digits / f : (double)digits * f;
        return true;
    }
    long double wide = (long double)digits;
    wide = exponent < 0 ? wide / power[-exponent] : wide * power[exponent];
    uint64_t mantissa;
    memcpy(&mantissa, &wide, sizeof mantissa);
    /* The 11 bits that a double lacks.  If they are half-way, the exact value
     * may lie on either side.  If they are zero, the result may be exact or
     * not.  Zero is also the only value seen where doubles emulate long doubles
     * (valgrind). */
    uint64_t rest = mantissa & 0x7ff;
    *value = (double)wide;
    return rest != 0 && rest != 0x400;
}

struct decimal {
    bool negative, inexact, letter_d;
    uint64_t digits;
    int64_t exponent;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads one run of digits.  `fraction`: the digits follow the point. */
static size_t take_digits(const char *p, size_t n, bool fraction,
                          struct decimal *d)
{
    size_t i = 0;
    for (; i < n && is_digit(p[i]); i++) {
        unsigned digit = (unsigned)(p[i] - '0');
        if (d->digits < UINT64_C(1000000000000000000)) {
            d->digits = d->digits * 10 + digit;
            d->exponent -= fraction;
        } else {
            d->inexact = d->inexact || digit != 0;
            d->exponent += !fraction;
        }
    }
    return i;
}

static bool take_exponent(const char *p, size_t n, struct decimal *d)
{
    size_t i = 0;
    bool negative = false;
    if (i < n && (p[i] == '+' || p[i] == '-'))
        negative = p[i++] == '-';
    if (i == n)
        return false;
    int64_t e = 0;
    for (; i < n; i++) {
        if (!is_digit(p[i]))
            return false;
        if (e < 100000000)
            e = e * 10 + (p[i] - '0');
    }
    d->exponent += negative ? -e : e;
    return true;
}

static bool take_decimal(const char *p, size_t n, struct decimal *d)
{
    memset(d, 0, sizeof *d);
    size_t i = 0;
    if (i < n && (p[i] == '+' || p[i] == '-'))
        d->negative = p[i++] == '-';
    size_t whole = take_digits(p + i, n - i, false, d), part = 0;
    i += whole;
    if (i < n && p[i] == '.') {
        i++;
        part = take_digits(p + i, n - i, true, d);
        i += part;
    }
    if (whole + part == 0)
        return false;
    if (i == n)
        return true;
    d->letter_d = p[i] == 'd' || p[i] == 'D';
    if (!d->letter_d && p[i] != 'e' && p[i] != 'E')
        return false;
    return take_exponent(p + i + 1, n - i - 1, d);
}

/* Not strcasecmp: in Turkish "INF" and "inf" differ. */
static bool is_word(const char *p, size_t n, const char *word)
{
    if (n != strlen(word))
        return false;
    for (size_t i = 0; i < n; i++)
        if ((p[i] | 0x20) != word[i])
            return false;
    return true;
}

static enum number_status not_finite(const char *p, size_t n, double *value)
{
    bool negative = n > 0 && p[0] == '-';
    if (n > 0 && (p[0] == '+' || p[0] == '-')) {
        p++;
        n--;
    }
    if (is_word(p, n, "nan"))
        *value = NAN;
    else if (is_word(p, n, "inf") || is_word(p, n, "infinity"))
        *value = negative ? -INFINITY : INFINITY;
    else
        return NUMBER_MALFORMED;
    return NUMBER_NOT_FINITE;
}

/* Reads a text that is known to be a decimal number. */
static enum number_status slow_real(const char *p, size_t n, bool letter_d,
                                    double *value)
{
    char copy[512];
    if (letter_d) {
        if (n >= sizeof copy)
            return NUMBER_MALFORMED;
        for (size_t i = 0; i < n; i++)
            copy[i] = p[i] == 'd' || p[i] == 'D' ? 'e' : p[i];
        copy[n] = 0;
        p = copy;
    }
    char *end;
    *value = c_locale_read(p, &end);
    if (end != p + n)
        return NUMBER_MALFORMED;
    return isinf(*value) ? NUMBER_TOO_LARGE : NUMBER_OK;
}

enum number_status number_real(const char *p, size_t n, double *value)
{
    struct decimal d;
    if (!take_decimal(p, n, &d))
        return not_finite(p, n, value);
    if (!d.inexact && d.exponent >= -POWER_MAX && d.exponent <= POWER_MAX
        && scale(d.digits, (int)d.exponent, value)) {
        if (d.negative)
            *value = -*value;
        return NUMBER_OK;
    }
    return slow_real(p, n, d.letter_d, value);
}

static size_t skip_digits(const char *p)
{
    size_t n = 0;
    while (is_digit(p[n]))
        n++;
    return n;
}

/* A letter of an exponent without digits after it is not part of the number. */
double number_take(const char *text, const char **end)
{
    const char *p = text + (*text == '+' || *text == '-');
    double value = 0;
    size_t whole = skip_digits(p), part = 0;
    p += whole;
    if (*p == '.') {
        part = skip_digits(p + 1);
        p += whole + part > 0 ? 1 + part : 0;
    }
    *end = text;
    if (whole + part == 0)
        return 0;
    if (*p == 'e' || *p == 'E') {
        const char *e = p + 1 + (p[1] == '+' || p[1] == '-');
        if (is_digit(*e))
            p = e + skip_digits(e);
    }
    number_real(text, (size_t)(p - text), &value);
    *end = p;
    return value;
}

double number_of(const char *text)
{
    const char *end;
    double value = number_take(text, &end);
    return end != text && !*end && isfinite(value) ? value : NAN;
}

enum number_status number_integer(const char *p, size_t n, int64_t *value)
{
    size_t i = 0;
    bool negative = false;
    if (i < n && (p[i] == '+' || p[i] == '-'))
        negative = p[i++] == '-';
    if (i == n)
        return NUMBER_MALFORMED;
    int64_t v = 0;
    bool large = false;
    for (; i < n; i++) {
        if (!is_digit(p[i]))
            return NUMBER_MALFORMED;
        int digit = p[i] - '0';
        /* accumulated below zero, where INT64_MIN fits */
        large = large || __builtin_mul_overflow(v, (int64_t)10, &v)
                || __builtin_sub_overflow(v, (int64_t)digit, &v);
    }
    if (large || (!negative && v == INT64_MIN))
        return NUMBER_TOO_LARGE;
    *value = negative ? v : -v;
    return NUMBER_OK;
}

enum number_status number_count(const char *text, const char **end,
                                uint64_t *value)
{
    const char *p = text;
    uint64_t v = 0;
    bool large = false;
    for (; is_digit(*p); p++)
        large = large || __builtin_mul_overflow(v, (uint64_t)10, &v)
                || __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v);
    *end = p;
    if (p == text)
        return NUMBER_MALFORMED;
    *value = large ? UINT64_MAX : v;
    return large ? NUMBER_TOO_LARGE : NUMBER_OK;
}

/* Prints digits * 10^exponent, digits > 0, laid out as by %g. */
static size_t lay_out(char *out, bool negative, uint64_t digits, int exponent)
{
    char text[24];
    int n = 0;
    for (; digits % 10 == 0; digits /= 10)
        exponent++;
    for (; digits > 0; digits /= 10)
        text[n++] = (char)('0' + digits % 10);
    int point = n + exponent; /* digits before the point */
    char *p = out;
    if (negative)
        *p++ = '-';
    if (point > 17 || point < -3) {
        *p++ = text[--n];
        if (n > 0)
            *p++ = '.';
        while (n > 0)
            *p++ = text[--n];
        return (size_t)(p - out) + (size_t)snprintf(p, 8, "e%+03d", point - 1);
    }
    if (point <= 0) {
        *p++ = '0', *p++ = '.';
        for (int k = point; k < 0; k++)
            *p++ = '0';
    }
    for (; n > 0; point--) {
        *p++ = text[--n];
        if (point == 1 && n > 0)
            *p++ = '.';
    }
    for (; point > 0; point--)
        *p++ = '0';
    *p = 0;
    return (size_t)(p - out);
}

static size_t slow_print(char out[NUMBER_TEXT], double value)
{
    char text[NUMBER_TEXT];
    uint64_t digits = 0, power_of_ten = 0;
    int exponent = 0;
    for (int n = 14; n <= 16; n++) {
        c_locale_text(text, NUMBER_TEXT, "%.*e", n, fabs(value));
        exponent = -n;
        if (c_locale_read(text, NULL) == fabs(value))
            break;
    }
    const char *p = text; /* d.ddde+xx */
    for (; *p != 'e'; p++)
        if (*p != '.')
            digits = 10 * digits + (uint64_t)(*p - '0');
    char sign = p[1];
    number_count(p + 2, &p, &power_of_ten);
    exponent += sign == '-' ? -(int)power_of_ten : (int)power_of_ten;
    return lay_out(out, value < 0, digits, exponent);
}

size_t number_print_real(char out[NUMBER_TEXT], double value)
{
    double size = fabs(value);
    if (size == 0 || !isfinite(value))
        return (size_t)c_locale_text(out, NUMBER_TEXT, "%g", value);
    if (!NUMBER_WIDE || size < 1e-9 || size > 1e25)
        return slow_print(out, value);
    int binary;
    frexp(size, &binary);
    int point = (int)floor((binary - 1) * 0.30102999566398120) + 1;
    if (size >= (point > 0 ? power[point] : 1 / power[-point]))
        point++;
    /* 17 digits, the last of which may be off by one: every candidate is read
     * back. */
    int shift = 17 - point;
    long double wide = shift < 0 ? size / power[-shift] : size * power[shift];
    uint64_t seventeen = (uint64_t)(wide + 0.5L), drop = 100;
    for (int k = 2; k >= 0; k--, drop /= 10) {
        int exponent = k - shift;
        uint64_t digits = (seventeen + drop / 2) / drop;
        double back;
        if (scale(digits, exponent, &back) && back == size)
            return lay_out(out, value < 0, digits, exponent);
    }
    return slow_print(out, value);
}

size_t number_print_integer(char out[NUMBER_TEXT], int64_t value)
{
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    char text[24];
    int n = 0;
    do
        text[n++] = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    char *p = out;
    if (value < 0)
        *p++ = '-';
    while (n > 0)
        *p++ = text[--n];
    *p = 0;
    return (size_t)(p - out);
}

struct number_text number_text(double value)
{
    struct number_text out;
    number_print_real(out.text, value);
    return out;
}

struct number_text number_digits(double value, int digits)
{
    struct number_text out;
    c_locale_text(out.text, NUMBER_TEXT, "%.*g", digits, value);
    return out;
}

struct number_text number_scientific(double value, int digits)
{
    struct number_text out;
    c_locale_text(out.text, NUMBER_TEXT, "%.*e", digits, value);
    return out;
}

struct number_text number_fixed(double value, int digits)
{
    struct number_text out;
    int n = c_locale_text(out.text, NUMBER_TEXT, "%.*f", digits, value);
    return n < NUMBER_TEXT ? out : number_text(value);
}
