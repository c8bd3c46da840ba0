/* number.h: decimal text to numbers and back, correctly rounded and fast.
 *
 * Both directions need the C locale in force (io.c sets it for the calling
 * thread): the slow paths are strtod and snprintf. */
#ifndef FARSUM_IO_NUMBER_H
#define FARSUM_IO_NUMBER_H

#include <stddef.h>
#include <stdint.h>

enum number_status {
    NUMBER_OK,
    NUMBER_MALFORMED,
    NUMBER_TOO_LARGE,
    NUMBER_NOT_FINITE /* "nan", "inf"; *value holds it */
};

/* The text p[0..n) as a whole.  p[n] must be readable and no part of a number.
 * Decimal only; the exponent's letter is e, E, d or D. */
enum number_status number_real(const char *p, size_t n, double *value);
enum number_status number_integer(const char *p, size_t n, int64_t *value);

/* The fewest of 15, 16 or 17 digits that read back as the same value.  The
 * length is returned. */
#define NUMBER_TEXT 40
size_t number_print_real(char out[NUMBER_TEXT], double value);
size_t number_print_integer(char out[NUMBER_TEXT], int64_t value);

#endif
