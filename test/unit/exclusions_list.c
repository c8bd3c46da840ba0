/* SPDX-License-Identifier: Apache-2.0 */
/* exclusions_list.c: tests of lists of exclusions: refusals and their messages,
 * the state after a refusal, and lists that are part of the problem. */
#include "exclude_check.h"

static void refused(farsum_plan *plan, int64_t count, const int64_t *pair,
                    const double *factor, const char *says)
{
    assert_int_equal(farsum_plan_set_exclusions(plan, count, pair, factor),
                     FARSUM_ERR_ARGUMENT);
    if (!strstr(farsum_message(), says))
        fail_msg("\"%s\" does not say \"%s\"", farsum_message(), says);
}

static void bad_lists(void **state)
{
    (void)state;
    static double x[3 * N], q[RHS * N];
    static struct sums before, after;
    const int64_t good[] = {0, 1, 4, 2}, self[] = {0, 1, 7, 7};
    const int64_t twice[] = {3, 9, 5, 6, 9, 3}, high[] = {0, 1, 5, N};
    const int64_t low[] = {-1, 2};
    const double half[] = {0.5, 0.25}, over[] = {0, 1.5}, nan[] = {0, NAN};
    farsum_problem p = make_problem(0, 1, 0);
    farsum_plan *plan = make_plan(&p, "spectral");
    assert_int_equal(farsum_plan_set_exclusions(NULL, 0, NULL, NULL),
                     FARSUM_ERR_ARGUMENT);
    flow_points(skewed, N, RHS, 5, x, q);
    /* before set_points: errors that depend on the number of points come
     * later */
    refused(plan, 2, good, nan, "exclusion 1, pair 4 2: factor nan");
    assert_int_equal(farsum_plan_set_exclusions(plan, 2, high, NULL),
                     FARSUM_OK);
    assert_int_equal(farsum_plan_set_points(plan, N, x, 0, NULL),
                     FARSUM_ERR_ARGUMENT);
    assert_non_null(strstr(farsum_message(),
                           "exclusion 1, pair 5 48: there is no source 48"));
    assert_int_equal(farsum_plan_set_exclusions(plan, 2, good, half),
                     FARSUM_OK);
    assert_int_equal(farsum_plan_set_points(plan, N, x, 0, NULL), FARSUM_OK);
    run(plan, 0, 0, q, &before);
    refused(plan, 2, high, NULL, "there is no source 48, they are 0 .. 47");
    refused(plan, 1, low, NULL, "exclusion 0, pair -1 2: there is no source");
    refused(plan, 2, self, NULL, "exclusion 1, pair 7 7: a particle with");
    refused(plan, 3, twice, NULL, "exclusions 0 and 2 name the same pair, 9 3");
    refused(plan, 2, good, over, "exclusion 1, pair 4 2: factor 1.5 is not");
    refused(plan, 1, NULL, NULL, "1 exclusions with no pairs");
    refused(plan, -1, good, NULL, "-1 exclusions");
    /* the old ones stayed */
    run(plan, 0, 0, q, &after);
    assert_memory_equal(&before, &after, sizeof before);
    /* fewer points than the list names */
    assert_int_equal(farsum_plan_set_points(plan, 4, x, 0, NULL),
                     FARSUM_ERR_ARGUMENT);
    farsum_plan_destroy(plan);
}

/* Separate targets: (target, source), one way; an index may be both. */
static void apart(void **state)
{
    (void)state;
    static double x[3 * N], y[3 * N], q[RHS * N];
    const int64_t same[] = {7, 7, 3, 40, 40 - 37, 4}, high[] = {20, 1};
    const int64_t twice[] = {3, 9, 9, 3, 3, 9};
    farsum_problem p = make_problem(0, 1, 20);
    farsum_plan *plan = make_plan(&p, "spectral");
    flow_points(skewed, N, RHS, 5, x, q);
    flow_points(skewed, N, 0, 6, y, NULL);
    assert_int_equal(farsum_plan_set_points(plan, N, x, 20, y), FARSUM_OK);
    assert_int_equal(farsum_plan_set_exclusions(plan, 3, same, NULL),
                     FARSUM_OK);
    refused(plan, 1, high, NULL, "there is no target 20, they are 0 .. 19");
    refused(plan, 3, twice, NULL, "exclusions 0 and 2 name the same pair");
    /* now the targets are the sources: 7 with itself */
    assert_int_equal(farsum_plan_set_points(plan, N, x, 0, NULL),
                     FARSUM_ERR_ARGUMENT);
    farsum_plan_destroy(plan);
}

static void of_the_problem(void **state)
{
    (void)state;
    static double x[3 * N], q[RHS * N];
    static struct sums whole, want, got;
    struct list l = make_list(N);
    farsum_problem p = make_problem(0, 1, 0);
    farsum_plan *plan = NULL;
    flow_points(skewed, N, RHS, 5, x, q);
    p.sample_x = x;
    p.sample_q = q;
    plan = make_plan(&p, "spectral");
    assert_int_equal(farsum_plan_set_points(plan, N, x, 0, NULL), FARSUM_OK);
    run(plan, 0, 0, q, &whole);
    farsum_plan_destroy(plan);
    p.n_exclusions = l.count;
    p.exclusions = l.pair[0];
    p.exclusion_factors = l.factor;
    plan = make_plan(&p, "spectral");
    assert_int_equal(farsum_plan_set_points(plan, N, x, 0, NULL), FARSUM_OK);
    run(plan, 0, 0, q, &got);
    want = whole;
    lose_all(0, 1, &l, 0, x, NULL, q, &want);
    compare(&got, &want, &whole, 1e-8);
    farsum_plan_destroy(plan);
    l.pair[3][1] = N + 5;
    assert_int_equal(farsum_plan_create(&p, NULL, &plan), FARSUM_ERR_ARGUMENT);
    assert_non_null(strstr(farsum_message(), "exclusion 3, pair"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_lists),
        cmocka_unit_test(apart),
        cmocka_unit_test(of_the_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
