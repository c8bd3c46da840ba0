/* SPDX-License-Identifier: Apache-2.0 */
/* locale.c: tests that the library prints and reads the same in every
 * locale. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/number.h"
#include "device/compile/jit.h"
#include "cost/kept_times.h"
#include "stage/m2l/rotation/gpu_rotation_make.h"
#include "unit/locales.h"

/* Exact doubles, or the nearest ones to the text. */
static const struct {
    const char *text;
    double value;
} reals[] = {{"0", 0},
             {"-0.25", -0.25},
             {"1234567.5", 1234567.5},
             {"1e-05", 0x1.4f8b588e368f1p-17},
             {"0.1", 0x1.999999999999ap-4},
             {"2.2250738585072014e-308", 0x1p-1022},
             {"4.94065645841247e-324", 0x1p-1074},
             {"1.7976931348623157e+308", 0x1.fffffffffffffp+1023},
             {"1.2676506002282294e+30", 0x1p100},
             {"-7.888609052210118e-31", -0x1p-100}};
enum { REALS = sizeof reals / sizeof reals[0] };

/* Returns how many of them are wrong. */
static int wrong_reals(void)
{
    int wrong = 0;
    for (int i = 0; i < REALS; i++) {
        double v = 1, w;
        const char *end;
        size_t n = strlen(reals[i].text);
        wrong += number_real(reals[i].text, n, &v) != NUMBER_OK
                 || v != reals[i].value;
        w = number_take(reals[i].text, &end);
        wrong += w != reals[i].value || *end
                 || number_of(reals[i].text) != reals[i].value;
        wrong += strcmp(number_text(reals[i].value).text, reals[i].text) != 0;
        w = number_of(number_scientific(reals[i].value, 16).text);
        wrong += w != reals[i].value;
        w = number_of(number_digits(reals[i].value, 17).text);
        wrong += w != reals[i].value;
    }
    return wrong;
}

static void words(const char *where)
{
    double v = 0;
    const char *end, *text = "1,5";
    CHECK(number_take(text, &end) == 1 && end == text + 1, "%s: 1,5", where);
    CHECK(isnan(number_of("1,5")) && isnan(number_of("")), "%s: of", where);
    CHECK(isnan(number_of("0x10")) && isnan(number_of("1e999")), "%s", where);
    CHECK(number_real("INFINITY", 8, &v) == NUMBER_NOT_FINITE && isinf(v),
          "%s: INFINITY", where);
    text = "1.234.567";
    CHECK(number_take(text, &end) == 1.234 && end == text + 5, "%s: groups",
          where);
    text = "2.5ex";
    CHECK(number_take(text, &end) == 2.5 && end == text + 3, "%s: e", where);
    text = ".e5";
    CHECK(number_take(text, &end) == 0 && end == text, "%s: none", where);
    CHECK(strcmp(number_digits(1234567.5, 9).text, "1234567.5") == 0
              && strcmp(number_digits(0.00015, 5).text, "0.00015") == 0
              && strcmp(number_scientific(-1.5, 3).text, "-1.500e+00") == 0,
          "%s: digits", where);
}

static void numbers(void)
{
    for (int k = 0; k < LOCALES; k++) {
        const char *where = enter(k);
        CHECK(wrong_reals() == 0, "%s: %d", where, wrong_reals());
        words(where);
        CHECK(strcmp(setlocale(LC_ALL, NULL), where) == 0, "%s: changed",
              where);
        leave();
        /* the locale of the thread, not of the program */
        locale_t own = newlocale(LC_ALL_MASK, where, (locale_t)0);
        locale_t before = uselocale(own);
        CHECK(wrong_reals() == 0, "%s, the thread's: %d", where, wrong_reals());
        words(where);
        CHECK(uselocale(before) == own, "%s: the thread's changed", where);
        freelocale(own);
    }
}

/* All kinds of text in a kernel: reals of both precisions, long tables. */
static char *kernel_text(farsum_precision precision)
{
    struct jit jit;
    char *text = NULL;
    double table[REALS];
    for (int i = 0; i < REALS; i++)
        table[i] = reals[i].value;
    jit_begin(&jit, NULL, "stage/spread/gpu_particle.k", precision);
    jit_define_table(&jit, "TABLE", table, REALS);
    jit_define_real(&jit, "REAL", 0.1);
    jit_define(&jit, "WHOLE", "%lld", 123456789LL);
    CHECK_OK(rotation_text(&jit, 4, 1));
    CHECK_OK(jit_text(&jit, "dialect/opencl.h", &text));
    jit_clear(&jit);
    return text;
}

static void kernels(void)
{
    for (int f64 = 0; f64 < 2; f64++) {
        farsum_precision precision = f64 ? FARSUM_F64 : FARSUM_F32;
        char *plain = NULL;
        for (int k = 0; k < LOCALES; k++) {
            const char *where = enter(k);
            char *text = kernel_text(precision);
            leave();
            if (!plain)
                plain = text;
            CHECK(text && plain && strcmp(text, plain) == 0, "%s: f%d", where,
                  f64 ? 64 : 32);
            if (text != plain)
                mem_free(text);
        }
        const char *table = f64 ? "TABLE 0.00000000000000000e+00,-2.5000"
                                : "TABLE 0.000000000e+00f,-2.500000000e-01f,";
        CHECK(plain && strstr(plain, table), "not as the compiler expects");
        CHECK(plain && strstr(plain, "#define REAL 0.1\n"), "REAL");
        mem_free(plain);
    }
}

/* Written in one locale, read in another: both lines are unchanged. */
static void wisdom(void)
{
    const struct choose_time times[2] = {
        {.row = "a", .set = 0.25, .run = 0.0015},
        {.row = "b", .set = 0, .run = 2e-7}};
    for (int from = 0; from < LOCALES; from++)
        for (int to = 0; to < LOCALES; to++) {
            struct choose_time got[CHOOSE_MOST] = {0};
            const char *where = enter(from);
            kept_times_keep("k|", times, 2);
            kept_times_keep("k|", times, 2); /* rewrites what it can read */
            enter(to);
            int n = kept_times_load("k|", got);
            CHECK(n == 2, "%s, %s: %d lines", where, locales[to], n);
            for (int i = 0; i < 2; i++)
                CHECK(strcmp(got[i].row, times[i].row) == 0
                          && got[i].set == times[i].set
                          && got[i].run == times[i].run,
                      "%s, %s: line %d: %s %g %g", where, locales[to], i,
                      got[i].row, got[i].set, got[i].run);
            leave();
            kept_times_clear();
        }
}

/* All texts that a plan prints; freed by the caller. */
static char *said(void)
{
    static const double x[6] = {1, 2, 3, 4, 5, 6}, q[2] = {1, -1};
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        check_stop("no memory for a text");
    p.tolerance = -0.5;
    CHECK_FAILS(farsum_plan_create(&p, &o, &plan), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("-0.5");
    fprintf(to, "%s\n", farsum_message());
    p.tolerance = 2.5e-6;
    for (int d = 0; d < 3; d++) {
        p.cell[4 * d] = 10.25;
        p.periodic[d] = 1;
    }
    p.n_sources = 2;
    p.sample_x = x;
    p.sample_q = q;
    o.threads = 1;
    if (CHECK_OK(farsum_plan_create(&p, &o, &plan)))
        farsum_plan_print(plan, to);
    farsum_plan_destroy(plan);
    fclose(to);
    return text;
}

static void messages(void)
{
    char *plain = NULL;
    for (int k = 0; k < LOCALES; k++) {
        const char *where = enter(k);
        char *text = said();
        leave();
        if (!plain)
            plain = text;
        CHECK(text && strcmp(text, plain) == 0, "%s: %s\nin C: %s", where,
              text ? text : "", plain ? plain : "");
        if (text != plain)
            free(text);
    }
    CHECK(plain && strstr(plain, "tolerance 2.5e-06, "), "%s",
          plain ? plain : "no words");
    free(plain);
}

static atomic_int stop;

static void *turn(void *data)
{
    for (int k = 0; !atomic_load(&stop); k = (k + 1) % LOCALES)
        setlocale(LC_ALL, locales[k]);
    return data;
}

/* Another thread sets the program's locale meanwhile. */
static void threads(void)
{
    pthread_t other;
    int wrong = 0;
    if (pthread_create(&other, NULL, turn, NULL) != 0)
        check_stop("no thread");
    for (int i = 0; i < 5000; i++)
        wrong += wrong_reals();
    atomic_store(&stop, 1);
    pthread_join(other, NULL);
    leave();
    CHECK(wrong == 0, "%d numbers", wrong);
}

int main(void)
{
    char folder[] = "/tmp/farsum-locale-XXXXXX";
    if (!mkdtemp(folder) || setenv("FARSUM_CACHE_DIR", folder, 1) != 0)
        check_stop("no folder");
    RUN(numbers);
    RUN(kernels);
    RUN(wisdom);
    RUN(messages);
    RUN(threads);
    rmdir(folder);
    return check_end();
}
