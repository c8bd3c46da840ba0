/* SPDX-License-Identifier: Apache-2.0 */
/* faults.c: failing allocations.  The n-th allocation fails, for n = 1, 2, ...
 * until none does, in create, set_points and set_cell.  Each failure returns
 * its status and message and leaks nothing; the remaining objects can be used
 * or destroyed.  execute allocates nothing: neither the library, by its
 * counters, nor other code in the process, by replacing malloc. */
#include "faults.h"

#include <stdlib.h>

#include "base/mem.h"
#include "heap.h"

/* No call has more allocations than this. */
enum { MOST = 2000 };

static int is_memory(farsum_status status, const char *name, int64_t n)
{
    return CHECK(status == FARSUM_ERR_MEMORY
                     && strstr(farsum_message(), "bytes"),
                 "%s, allocation %lld: \"%s\": %s", name, (long long)n,
                 farsum_status_text(status), farsum_message());
}

/* CHECKs that a failure reached the caller. */
static void is_done(const char *what, const char *name, int64_t n)
{
    CHECK(n > 1, "%s: %s allocates nothing", name, what);
    CHECK(fault_waits(n), "%s: %s did not say that allocation %lld failed",
          name, what, (long long)n);
    printf("  %s: %s: %lld allocations\n", name, what, (long long)n - 1);
}

static farsum_plan *made(const struct fault_case *c)
{
    farsum_plan *plan = NULL;
    if (farsum_plan_create(&c->problem, &c->options, &plan) != FARSUM_OK)
        check_stop("%s: %s", c->name, farsum_message());
    return plan;
}

/* The results of the plan without failures. */
static void sums_of(const struct fault_case *c, struct fault_sums *sums)
{
    farsum_plan *plan = made(c);
    memset(sums, 0, sizeof *sums);
    CHECK_OK(fault_points(plan, c));
    CHECK_OK(fault_execute(plan, c, sums));
    CHECK(sums->potential[0] != 0, "%s: the first potential is 0", c->name);
    farsum_plan_destroy(plan);
}

static void gives(farsum_plan *plan, const struct fault_case *c,
                  const struct fault_sums *wanted, const char *when)
{
    struct fault_sums got;
    memset(&got, 0, sizeof got);
    CHECK_OK(fault_execute(plan, c, &got));
    CHECK(memcmp(&got, wanted, sizeof got) == 0, "%s: other sums %s", c->name,
          when);
}

static void fails_in_create(const struct fault_case *c)
{
    int64_t before = mem_bytes();
    for (int64_t n = 1; n < MOST; n++) {
        farsum_plan *plan = NULL;
        mem_fail_at(n);
        farsum_status status = farsum_plan_create(&c->problem, &c->options,
                                                  &plan);
        if (status == FARSUM_OK) {
            is_done("create", c->name, n);
            farsum_plan_destroy(plan);
            break;
        }
        mem_fail_at(0);
        if (!is_memory(status, c->name, n))
            break;
        CHECK(plan == NULL, "%s: a failed create wrote a plan", c->name);
        CHECK(mem_bytes() == before, "%s: create leaks %lld bytes at %lld",
              c->name, (long long)(mem_bytes() - before), (long long)n);
    }
    CHECK(mem_bytes() == before, "%s: create and destroy leak", c->name);
}

/* If set_points fails, the plan has no points and accepts them the next
 * time. */
static void fails_in_points(const struct fault_case *c,
                            const struct fault_sums *wanted)
{
    int64_t before = mem_bytes();
    for (int64_t n = 1; n < MOST; n++) {
        struct fault_sums got;
        farsum_plan *plan = made(c);
        mem_fail_at(n);
        farsum_status status = fault_points(plan, c);
        if (status == FARSUM_OK) {
            is_done("set_points", c->name, n);
            farsum_plan_destroy(plan);
            break;
        }
        mem_fail_at(0);
        int good = is_memory(status, c->name, n);
        CHECK_FAILS(fault_execute(plan, c, &got), FARSUM_ERR_STATE);
        if (n % 2) { /* the others are destroyed in this state */
            CHECK_OK(fault_points(plan, c));
            gives(plan, c, wanted, "after points failed once");
        }
        farsum_plan_destroy(plan);
        CHECK(mem_bytes() == before, "%s: set_points leaks %lld bytes at %lld",
              c->name, (long long)(mem_bytes() - before), (long long)n);
        if (!good)
            break;
    }
    CHECK(mem_bytes() == before, "%s: set_points and destroy leak", c->name);
}

/* A growing number of points, in a plan that survives every failure. */
static void fails_in_growth(const struct fault_case *c,
                            const struct fault_sums *wanted)
{
    int64_t before = mem_bytes(), n;
    farsum_plan *plan = made(c);
    CHECK_OK(farsum_plan_set_points(plan, 1, c->x, c->m > 0, c->m > 0 ? c->y
                                                                      : NULL));
    for (n = 1; n < MOST; n++) {
        mem_fail_at(n);
        farsum_status status = fault_points(plan, c);
        if (status == FARSUM_OK)
            break;
        mem_fail_at(0);
        if (!is_memory(status, c->name, n))
            break;
    }
    CHECK(fault_waits(n), "%s: growth did not say that it failed", c->name);
    gives(plan, c, wanted, "after points that grew");
    farsum_plan_destroy(plan);
    CHECK(mem_bytes() == before, "%s: growth leaks", c->name);
}

/* If set_cell fails, the plan is as before, including its points. */
static void fails_in_cell(const struct fault_case *c,
                          const struct fault_sums *wanted)
{
    if (!c->problem.periodic[0])
        return;
    int64_t before = mem_bytes(), n;
    struct fault_sums other;
    farsum_plan *plan = made(c);
    CHECK_OK(fault_points(plan, c));
    for (n = 1; n < MOST; n++) {
        mem_fail_at(n);
        farsum_status status = farsum_plan_set_cell(plan, c->cell);
        if (status == FARSUM_OK)
            break;
        mem_fail_at(0);
        if (!is_memory(status, c->name, n))
            break;
        gives(plan, c, wanted, "after a cell that failed");
    }
    CHECK(fault_waits(n), "%s: set_cell did not say that it failed", c->name);
    CHECK_OK(fault_points(plan, c));
    CHECK_OK(fault_execute(plan, c, &other));
    CHECK(memcmp(&other, wanted, sizeof other) != 0,
          "%s: another cell, the same sums", c->name);
    farsum_plan_destroy(plan);
    CHECK(mem_bytes() == before, "%s: set_cell leaks", c->name);
}

/* If setting exclusions fails, the old ones (first none) stay.  With them
 * execute allocates nothing. */
static void fails_in_exclusions(const struct fault_case *c,
                                const struct fault_sums *wanted)
{
    const int64_t pairs[] = {0, 1, 2, 5, 3, 1};
    int64_t before = mem_bytes(), n;
    struct fault_sums other;
    farsum_plan *plan = made(c);
    CHECK_OK(fault_points(plan, c));
    for (n = 1; n < MOST; n++) {
        mem_fail_at(n);
        farsum_status status = farsum_plan_set_exclusions(plan, 3, pairs,
                                                          NULL);
        if (status == FARSUM_OK)
            break;
        mem_fail_at(0);
        if (!is_memory(status, c->name, n))
            break;
        gives(plan, c, wanted, "after exclusions that failed");
    }
    CHECK(n > 4, "%s: exclusions allocate %lld times", c->name,
          (long long)n - 1);
    CHECK(fault_waits(n), "%s: exclusions did not say that they failed",
          c->name);
    mem_fail_at(1);
    CHECK_OK(fault_execute(plan, c, &other));
    CHECK(fault_waits(1), "%s: execute allocates", c->name);
    CHECK(memcmp(&other, wanted, sizeof other) != 0,
          "%s: pairs excluded, the same sums", c->name);
    CHECK_OK(farsum_plan_set_exclusions(plan, 0, NULL, NULL));
    gives(plan, c, wanted, "after exclusions went");
    farsum_plan_destroy(plan);
    CHECK(mem_bytes() == before, "%s: set_exclusions leaks", c->name);
}

/* The first execute may start threads, in the OpenMP library.  From the second
 * one on, nothing in the process allocates. */
static void executes_without(const struct fault_case *c,
                             const struct fault_sums *wanted)
{
    farsum_plan *plan = made(c);
    CHECK_OK(fault_points(plan, c));
    int64_t before = mem_bytes();
    mem_fail_at(1);
    gives(plan, c, wanted, "where any allocation fails");
    CHECK(fault_waits(1), "%s: execute allocates", c->name);
    CHECK(mem_bytes() == before, "%s: execute keeps memory", c->name);
    int64_t calls = heap_calls();
    gives(plan, c, wanted, "the second time");
    CHECK(heap_calls() == calls, "%s: %lld allocations in the second execute",
          c->name, (long long)(heap_calls() - calls));
    farsum_plan_destroy(plan);
}

/* Tests the counter itself. */
static void counts(void)
{
    int64_t calls = heap_calls();
    void *volatile p = malloc(100), *volatile q = NULL;
    CHECK(heap_calls() == calls + 1, "malloc is not counted");
    CHECK(posix_memalign((void **)&q, 64, 100) == 0, "posix_memalign");
    CHECK(heap_calls() == calls + 2, "posix_memalign is not counted");
    free(p);
    free(q);
}

int main(void)
{
    /* kept times are read only if memory allows, without a message */
    setenv("FARSUM_CACHE_DIR", "", 1);
    if (heap_counts())
        counts();
    else
        printf("sanitized: the process's own allocations are not counted\n");
    for (int k = 0; k < FAULT_CASES; k++) {
        struct fault_case c;
        struct fault_sums wanted;
        fault_case(&c, k);
        sums_of(&c, &wanted);
        fails_in_create(&c);
        if (c.parameters)
            continue; /* made slowly; the same as the first one from now on */
        fails_in_points(&c, &wanted);
        fails_in_growth(&c, &wanted);
        fails_in_cell(&c, &wanted);
        fails_in_exclusions(&c, &wanted);
        executes_without(&c, &wanted);
        printf("%s\n", c.name);
        fflush(stdout);
    }
    return check_end();
}
