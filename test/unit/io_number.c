/* SPDX-License-Identifier: Apache-2.0 */
/* io_number.c: numbers: every text and every value against the C library's
 * conversions. */
#include "io_check.h"

#include <float.h>
#include <locale.h>
#include <math.h>

#include "base/number.h"

static uint64_t next(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void same_as_strtod(const char *text) {
    double mine = 0, theirs = strtod(text, NULL);
    enum number_status status = number_real(text, strlen(text), &mine);
    if (isinf(theirs)) {
        assert_int_equal(status, NUMBER_TOO_LARGE);
        return;
    }
    assert_int_equal(status, NUMBER_OK);
    if (memcmp(&mine, &theirs, sizeof mine) != 0)
        fail_msg("%s: %.17g is not %.17g", text, mine, theirs);
}

static void reals_are_correctly_rounded(void **state) {
    (void)state;
    static const char *const edges[] = {
        "0", "-0", "+1", ".5", "5.", "1e5", "1E+05", "1e-400", "1e400",
        "9007199254740993", "9007199254740992.5", "9007199254740993.0000000001",
        "1.7976931348623157e308", "1.7976931348623159e308", "4.9e-324",
        "2.2250738585072011e-308", "18446744073709551615",
        "18446744073709551616", "123456789012345678901234567890",
        "0.000000000000000000000000000000000000000001", "1e27", "1e-27",
        "1e28", "0.1e-26", "1e22", "1e23", "99999999999999999999e-20",
        "000000000000000000000000000000001.5", "8.5e0", "3e99999999999999999"};
    for (size_t k = 0; k < IO_COUNT(edges); k++) same_as_strtod(edges[k]);
    uint64_t s = 88172645463325252u;
    for (int k = 0; k < 300000; k++) {
        char text[64];
        uint64_t digits = next(&s) >> (next(&s) % 60);
        int exponent = (int)(next(&s) % 61) - 30;
        int point = (int)(next(&s) % 20);
        snprintf(text, sizeof text, "%s%llue%d", k & 1 ? "-" : "",
                 (unsigned long long)digits, exponent);
        same_as_strtod(text);
        snprintf(text, sizeof text, "%.*f", point,
                 (double)(int64_t)digits * pow(10, exponent % 10));
        same_as_strtod(text);
    }
    /* half-way cases and their neighbours */
    for (int k = 0; k < 100000; k++) {
        char text[64];
        uint64_t top = UINT64_C(1) << 53;
        uint64_t odd = (next(&s) | top) & (2 * top - 1);
        snprintf(text, sizeof text, "%llu", (unsigned long long)(odd | 1));
        same_as_strtod(text);
        snprintf(text, sizeof text, "%llu.5", (unsigned long long)(odd >> 1));
        same_as_strtod(text);
    }
}

static void letter_d_is_an_exponent(void **state) {
    (void)state;
    double v = 0;
    assert_int_equal(number_real("1.25d-30", 8, &v), NUMBER_OK);
    assert_true(v == 1.25e-30);
    assert_int_equal(number_real("-2D3", 4, &v), NUMBER_OK);
    assert_true(v == -2000);
}

static void malformed_numbers_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "", "+", "-", ".", "e5", "1e", "1e+", "--1", "1..2", "1.2.3", "0x10",
        "1,5", "1_000", "abc", "1e5.5", "nano", "infinit", "1 ", " 1", "+-1"};
    double v;
    for (size_t k = 0; k < IO_COUNT(bad); k++)
        assert_int_equal(number_real(bad[k], strlen(bad[k]), &v),
                         NUMBER_MALFORMED);
    static const char *const special[] = {"nan", "NaN", "-nan", "inf", "-INF",
                                          "+Infinity"};
    for (size_t k = 0; k < IO_COUNT(special); k++)
        assert_int_equal(number_real(special[k], strlen(special[k]), &v),
                         NUMBER_NOT_FINITE);
}

static void integers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum number_status status;
        int64_t value;
    } cases[] = {
        {"0", NUMBER_OK, 0},
        {"-0", NUMBER_OK, 0},
        {"+17", NUMBER_OK, 17},
        {"9223372036854775807", NUMBER_OK, INT64_MAX},
        {"-9223372036854775808", NUMBER_OK, INT64_MIN},
        {"9223372036854775808", NUMBER_TOO_LARGE, 0},
        {"-9223372036854775809", NUMBER_TOO_LARGE, 0},
        {"99999999999999999999999", NUMBER_TOO_LARGE, 0},
        {"", NUMBER_MALFORMED, 0},
        {"-", NUMBER_MALFORMED, 0},
        {"1.0", NUMBER_MALFORMED, 0},
        {"12a", NUMBER_MALFORMED, 0},
    };
    for (size_t k = 0; k < IO_COUNT(cases); k++) {
        int64_t v = 0;
        assert_int_equal(
            number_integer(cases[k].text, strlen(cases[k].text), &v),
            cases[k].status);
        if (cases[k].status == NUMBER_OK) assert_true(v == cases[k].value);
        char text[NUMBER_TEXT];
        size_t n = number_print_integer(text, cases[k].value);
        assert_int_equal(n, strlen(text));
        assert_true(strtoll(text, NULL, 10) == cases[k].value);
    }
}

static void counts(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum number_status status;
        uint64_t value;
        int length;
    } cases[] = {
        {"0", NUMBER_OK, 0, 1},
        {"007:", NUMBER_OK, 7, 3},
        {"90a", NUMBER_OK, 90, 2},
        {"18446744073709551615", NUMBER_OK, UINT64_MAX, 20},
        {"18446744073709551616 ", NUMBER_TOO_LARGE, UINT64_MAX, 20},
        {"99999999999999999999999", NUMBER_TOO_LARGE, UINT64_MAX, 23},
        {"", NUMBER_MALFORMED, 5, 0},
        {" 1", NUMBER_MALFORMED, 5, 0},
        {"-1", NUMBER_MALFORMED, 5, 0},
        {"+1", NUMBER_MALFORMED, 5, 0},
        {"max\n", NUMBER_MALFORMED, 5, 0},
    };
    for (size_t k = 0; k < IO_COUNT(cases); k++) {
        uint64_t v = 5;
        const char *end = NULL;
        assert_int_equal(number_count(cases[k].text, &end, &v),
                         cases[k].status);
        assert_true(v == cases[k].value);
        assert_int_equal(end - cases[k].text, cases[k].length);
    }
}

static void printed(double value, const char *expected) {
    char text[NUMBER_TEXT + 1];
    size_t n = number_print_real(text, value);
    assert_true(n < NUMBER_TEXT);
    text[n] = 0;
    if (expected) assert_string_equal(text, expected);
    double back = strtod(text, NULL);
    if (memcmp(&back, &value, sizeof back) != 0 && !isnan(value))
        fail_msg("%.17g was printed as %s", value, text);
}

static void reals_print_and_come_back(void **state) {
    (void)state;
    printed(0, "0");
    printed(-0.0, "-0");
    printed(0.1, "0.1");
    printed(-1.5, "-1.5");
    printed(1.0 / 3, "0.3333333333333333");
    printed(0.1 + 0.2, "0.30000000000000004");
    printed(1e-5, "1e-05");
    printed(0.0001, "0.0001");
    printed(123456789012345678.0, "1.2345678901234568e+17");
    printed(1e17, "1e+17");
    printed(1e16, "10000000000000000");
    printed(332.06371, "332.06371");
    printed(DBL_MAX, "1.7976931348623157e+308");
    printed(DBL_TRUE_MIN, "4.94065645841247e-324");
    printed(INFINITY, "inf");
    printed(NAN, NULL);
    printed(9.9999999999999999e22, NULL);
    printed(0.99999999999999989, "0.9999999999999999");
    uint64_t s = 1234567891011121314u;
    for (int k = 0; k < 300000; k++) {
        uint64_t bits = next(&s);
        double v;
        memcpy(&v, &bits, sizeof v);
        if (isfinite(v)) printed(v, NULL);
        v = (double)(bits >> 11) * 0x1p-53 * pow(10, (int)(bits % 40) - 14);
        printed(v, NULL);
        printed(round(v * 1000) / 1000, NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reals_are_correctly_rounded),
        cmocka_unit_test(letter_d_is_an_exponent),
        cmocka_unit_test(malformed_numbers_are_refused),
        cmocka_unit_test(integers),
        cmocka_unit_test(counts),
        cmocka_unit_test(reals_print_and_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
