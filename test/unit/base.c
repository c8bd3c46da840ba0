/* SPDX-License-Identifier: Apache-2.0 */
/* base.c: tests of statuses and messages, names, memory, threads' shares,
 * instruction sets. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hypot.h"
#include "base/isa.h"
#include "base/mem.h"
#include "base/par.h"
#include "base/text.h"
#include "check.h"

static farsum_status inner(int good)
{
    if (!good)
        FAIL(ERR_CELL, "inner %d", 7);
    return FARSUM_OK;
}

static farsum_status outer(int good, int *after)
{
    farsum_status status = FARSUM_OK;
    GO(inner(good));
    *after = 1;
done:
    return status;
}

static farsum_status passes(int good, int *after)
{
    TRY(inner(good));
    *after = 1;
    return FARSUM_OK;
}

static void statuses_travel(void)
{
    int after = 0;
    CHECK_FAILS(outer(0, &after), FARSUM_ERR_CELL);
    CHECK_FAILS(passes(0, &after), FARSUM_ERR_CELL);
    CHECK(after == 0, "work went on after a failure");
    CHECK_SAYS("inner 7");
    CHECK_OK(outer(1, &after));
    CHECK(after == 1, "GO left a success");
    CHECK(status_prefix(FARSUM_ERR_STATE, "out %c", 'x') == FARSUM_ERR_STATE,
          "prefix changes the status");
    CHECK(strcmp(farsum_message(), "out x: inner 7") == 0, "message is \"%s\"",
          farsum_message());
    for (int s = 0; s < FARSUM_STATUS_COUNT; s++)
        CHECK(farsum_status_text((farsum_status)s)[0] != 0, "status %d has no "
              "text", s);
    CHECK(farsum_status_text((farsum_status)-1) != NULL, "a status below all");
    CHECK(farsum_status_text(FARSUM_STATUS_COUNT) != NULL, "one above all");
}

static void long_messages_are_cut(void)
{
    char text[3000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    CHECK(status_fail(FARSUM_ERR_INTERNAL, "%s", text) == FARSUM_ERR_INTERNAL,
          "the status is lost");
    CHECK(strlen(farsum_message()) == 1023, "%zu characters kept",
          strlen(farsum_message()));
    for (int i = 0; i < 5; i++)
        CHECK(status_prefix(FARSUM_ERR_INTERNAL, "%.500s", text)
                  == FARSUM_ERR_INTERNAL, "the status is lost");
    CHECK(strlen(farsum_message()) <= 1023, "%zu characters kept",
          strlen(farsum_message()));
}

static void *other_thread(void *data)
{
    int *empty = data;
    *empty = farsum_message()[0] == 0;
    if (inner(0) == FARSUM_OK)
        *empty = 0;
    return NULL;
}

static void messages_are_a_threads_own(void)
{
    pthread_t thread;
    int empty = 0;
    CHECK(status_fail(FARSUM_ERR_STATE, "mine") == FARSUM_ERR_STATE, "lost");
    pthread_create(&thread, NULL, other_thread, &empty);
    pthread_join(thread, NULL);
    CHECK(empty, "a new thread starts with a message");
    CHECK(strcmp(farsum_message(), "mine") == 0, "another thread's failure is "
          "seen here: %s", farsum_message());
}

static void names_are_told(void)
{
    static const char *const names[] = {"spectral", "ewald", "direct", NULL};
    CHECK(text_distance("kitten", "sitting") == 3, "kitten to sitting is %d",
          text_distance("kitten", "sitting"));
    CHECK(text_distance("", "abc") == 3 && text_distance("abc", "") == 3
              && text_distance("abc", "abc") == 0, "simple distances");
    CHECK_FAILS(text_unknown("method", "spektral", names), FARSUM_ERR_UNKNOWN);
    CHECK_SAYS("did you mean spectral?");
    CHECK_SAYS("spectral, ewald, direct");
    CHECK_FAILS(text_unknown("method", "qqqqqqqqqqqq", names),
                FARSUM_ERR_UNKNOWN);
    CHECK(!strstr(farsum_message(), "did you mean"), "a far name is offered: "
          "%s", farsum_message());
    CHECK_SAYS("known: spectral");
    char endless[500];
    memset(endless, 'x', sizeof endless - 1);
    endless[sizeof endless - 1] = 0;
    CHECK_FAILS(text_unknown("method", endless, names), FARSUM_ERR_UNKNOWN);
    CHECK_SAYS("known: spectral");
}

static void memory_is_counted(void)
{
    int64_t before = mem_bytes();
    double *p = NULL;
    CHECK_OK(MEM_NEW(p, 1000));
    CHECK(((uintptr_t)p & 63) == 0, "%p is not aligned", (void *)p);
    for (int i = 0; i < 1000; i++)
        if (p[i] != 0) {
            CHECK(0, "element %d is not cleared", i);
            break;
        }
    CHECK(mem_bytes() - before >= 8000, "%lld bytes counted",
          (long long)(mem_bytes() - before));
    mem_free(p);
    CHECK(mem_bytes() == before, "%lld bytes are left",
          (long long)(mem_bytes() - before));
    mem_free(NULL);
    CHECK_OK(MEM_RAW(p, 0));
    mem_free(p);
}

static void memory_grows(void)
{
    int64_t before = mem_bytes(), have = 0;
    int32_t *p = NULL, *first;
    CHECK_OK(MEM_RESERVE(p, &have, 10));
    first = p;
    CHECK(have >= 10, "capacity %lld", (long long)have);
    CHECK_OK(MEM_RESERVE(p, &have, 4));
    CHECK(p == first && have >= 10, "it shrank");
    CHECK_OK(MEM_RESERVE(p, &have, 100000));
    CHECK(have >= 100000, "capacity %lld", (long long)have);
    mem_fail_at(1);
    CHECK_FAILS(MEM_RESERVE(p, &have, 200000), FARSUM_ERR_MEMORY);
    CHECK(have == 0, "a failed reserve has capacity %lld", (long long)have);
    mem_free(p);
    CHECK(mem_bytes() == before, "%lld bytes are left",
          (long long)(mem_bytes() - before));
}

static void memory_fails(void)
{
    char *a = NULL, *b = NULL, *c = NULL;
    int64_t before = mem_bytes();
    mem_fail_at(2);
    CHECK_OK(MEM_NEW(a, 1));
    CHECK_FAILS(MEM_NEW(b, 1), FARSUM_ERR_MEMORY);
    CHECK(b == NULL, "a failed allocation gives a pointer");
    CHECK_OK(MEM_NEW(c, 1));
    mem_free(a);
    mem_free(c);
    CHECK_FAILS(mem_alloc((void **)&a, INT64_MAX, 8, 0), FARSUM_ERR_MEMORY);
    CHECK_SAYS("9223372036854775807");
    CHECK_FAILS(mem_alloc((void **)&a, -1, 8, 0), FARSUM_ERR_MEMORY);
    CHECK_FAILS(mem_alloc((void **)&a, INT64_MAX / 64, 8, 0),
                FARSUM_ERR_MEMORY);
    CHECK(mem_bytes() == before, "failures are counted");
    CHECK(mem_machine() > 1 << 20, "the machine has %llu bytes",
          (unsigned long long)mem_machine());
}

static void shares_cover_all(void)
{
    static const int64_t counts[] = {0, 1, 2, 7, 100, 1000003};
    for (int k = 0; k < 6; k++)
        for (int parts = 1; parts <= 9; parts++) {
            int64_t n = counts[k], least = n, most = 0;
            CHECK(par_start(n, parts, 0) == 0
                      && par_start(n, parts, parts) == n,
                  "%lld in %d parts does not cover all", (long long)n, parts);
            for (int t = 0; t < parts; t++) {
                int64_t size = par_start(n, parts, t + 1)
                               - par_start(n, parts, t);
                least = size < least ? size : least;
                most = size > most ? size : most;
            }
            CHECK(least >= 0 && most - least <= 1, "parts of %lld .. %lld",
                  (long long)least, (long long)most);
        }
    CHECK(par_threads(3) == 3 && par_threads(0) >= 1, "threads");
}

/* Against 64 bits of mantissa; the same bits at any scale. */
static void lengths(void)
{
    static const double values[] = {0, 1, 3, 4, 0.1, 1e-9, 7e5, 1e300};
    enum { N = sizeof values / sizeof values[0] };
    CHECK(hypot_of(3, -4) == 5 && hypot_of(-0.0, 0) == 0, "3, 4");
    CHECK(hypot_of(0x1p1023, 0x1p1000) == 0x1p1023 * (1 + 0x1p-47),
          "the largest");
    CHECK(hypot_of(3e-310, 4e-310) > 4.9e-310, "the smallest");
    CHECK(isinf(hypot_of(INFINITY, 1)) && isinf(hypot_of(2, -INFINITY))
              && isinf(hypot_of(INFINITY, INFINITY)),
          "infinity");
    CHECK(isnan(hypot_of(NAN, 1)) && isnan(hypot_of(1, NAN))
              && isnan(hypot_of(NAN, 0)),
          "NaN");
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            long double a = values[i], b = values[j];
            double found = hypot_of(values[i], -values[j]);
            long double right = sqrtl(a * a + b * b);
            CHECK(fabsl(found - right) <= 3.4e-16L * right, "%g, %g: %.17g",
                  values[i], values[j], found);
            CHECK(0x1p-60 * found
                      == hypot_of(0x1p-60 * values[i], 0x1p-60 * values[j]),
                  "%g, %g: another scale", values[i], values[j]);
        }
}

static void instruction_sets(void)
{
    enum isa isa, best;
    unsetenv("FARSUM_ISA");
    best = isa_best();
    CHECK_OK(isa_find(NULL, &isa));
    CHECK(isa == best, "no name gives %s", isa_name(isa));
    for (int i = 0; i <= (int)best; i++) {
        CHECK_OK(isa_find(isa_name((enum isa)i), &isa));
        CHECK((int)isa == i, "%s gives %d", isa_name((enum isa)i), (int)isa);
    }
    for (int i = best + 1; i < ISA_COUNT; i++)
        CHECK_FAILS(isa_find(isa_name((enum isa)i), &isa),
                    FARSUM_ERR_UNSUPPORTED);
    CHECK_FAILS(isa_find("sse9", &isa), FARSUM_ERR_UNKNOWN);
    setenv("FARSUM_ISA", "base", 1);
    CHECK(isa_best() == ISA_BASE, "FARSUM_ISA=base gives %s",
          isa_name(isa_best()));
    setenv("FARSUM_ISA", "nonsense", 1);
    CHECK(isa_best() == best, "an unknown FARSUM_ISA changes the choice");
    unsetenv("FARSUM_ISA");
}

int main(void)
{
    RUN(statuses_travel);
    RUN(long_messages_are_cut);
    RUN(messages_are_a_threads_own);
    RUN(names_are_told);
    RUN(memory_is_counted);
    RUN(memory_grows);
    RUN(memory_fails);
    RUN(shares_cover_all);
    RUN(lengths);
    RUN(instruction_sets);
    return check_end();
}
