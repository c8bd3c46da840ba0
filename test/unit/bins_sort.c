/* SPDX-License-Identifier: Apache-2.0 */
/* bins_sort.c: tests that the sort is complete, ordered, stable, and
 * independent of the number of threads. */
#include "unit/spread_case.h"

static int64_t bin_of(const struct points *p, const int32_t nb[3], int64_t i)
{
    int64_t b[3];
    for (int d = 0; d < 3; d++) {
        b[d] = (int64_t)floor(p->s[d][i] * nb[d]);
        assert_in_range(b[d], 0, nb[d] - 1);
    }
    return (b[0] * nb[1] + b[1]) * nb[2] + b[2];
}

static void check_bins(const struct points *p, const int32_t nb[3])
{
    const struct bins *bins = &p->bins;
    unsigned char *seen = calloc((size_t)p->n + 1, 1);
    assert_non_null(seen);
    assert_int_equal(bins->n, p->n);
    assert_int_equal(bins->n_bins, (int64_t)nb[0] * nb[1] * nb[2]);
    assert_int_equal(bins->start[0], 0);
    assert_int_equal(bins->start[bins->n_bins], p->n);
    for (int64_t b = 0; b < bins->n_bins; b++)
        for (int64_t k = bins->start[b]; k < bins->start[b + 1]; k++) {
            int64_t i = bins->order[k];
            assert_in_range(i, 0, p->n - 1);
            assert_int_equal(bin_of(p, nb, i), b);
            assert_false(seen[i]);
            seen[i] = 1;
            if (k > bins->start[b])
                assert_true(bins->order[k - 1] < i);
            for (int d = 0; d < 3; d++)
                assert_true(bins->s[d][k] == p->s[d][i]);
        }
    free(seen);
}

static void sorts(void **unused)
{
    (void)unused;
    static const int32_t counts[][3] = {
        {1, 1, 1}, {3, 5, 7}, {20, 20, 4}, {50, 60, 70}, {1, 1, 1000}};
    static const int64_t sizes[] = {0, 1, 2, 1000, 30011};
    for (int c = 0; c < 5; c++)
        for (int s = 0; s < 5; s++)
            for (int dist = UNIFORM; dist <= LATTICE; dist++) {
                struct points p;
                case_points(&p, sizes[s], (enum dist)dist);
                for (int threads = 1; threads <= 4; threads++) {
                    OK(bins_build(&p, counts[c], threads));
                    check_bins(&p, counts[c]);
                }
                case_clear(&p);
            }
}

/* The largest double below 1 is in the last bin, for any number of bins. */
static void edge(void **unused)
{
    (void)unused;
    struct points p;
    case_points(&p, 3, UNIFORM);
    for (int d = 0; d < 3; d++)
        p.s[d][1] = 1 - 0x1p-53;
    for (int32_t n = 1; n < 3000; n++) {
        int32_t nb[3] = {1, 1, n};
        OK(bins_build(&p, nb, 1));
        check_bins(&p, nb);
    }
    case_clear(&p);
}

static void reuse(void **unused)
{
    (void)unused;
    struct points p;
    int32_t small[3] = {2, 2, 2}, large[3] = {30, 20, 10};
    int64_t held = mem_bytes();
    case_points(&p, 5000, UNIFORM);
    OK(bins_build(&p, small, 2));
    OK(bins_build(&p, large, 2));
    check_bins(&p, large);
    int64_t capacity = mem_bytes();
    p.n = 100;
    OK(bins_build(&p, small, 2));
    check_bins(&p, small);
    p.n = 5000;
    OK(bins_build(&p, large, 1));
    check_bins(&p, large);
    assert_int_equal(mem_bytes(), capacity);
    case_clear(&p);
    assert_int_equal(mem_bytes(), held);
}

static void fails(void **unused)
{
    (void)unused;
    struct points p;
    int32_t nb[3] = {4, 4, 4}, bad[3] = {4, 0, 4};
    int failures = 0;
    case_points(&p, 50, UNIFORM);
    int64_t held = mem_bytes();
    assert_int_equal(bins_build(&p, bad, 1), FARSUM_ERR_ARGUMENT);
    for (int k = 1; k < 100; k++) {
        mem_fail_at(k);
        farsum_status status = bins_build(&p, nb, 1);
        mem_fail_at(0);
        if (status == FARSUM_OK)
            break;
        assert_int_equal(status, FARSUM_ERR_MEMORY);
        assert_int_equal(mem_bytes(), held);
        failures++;
    }
    assert_int_equal(failures, 7);
    check_bins(&p, nb);
    case_clear(&p);
}

int main(int argc, char **argv)
{
    (void)argc;
    case_start(argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts),
        cmocka_unit_test(edge),
        cmocka_unit_test(reuse),
        cmocka_unit_test(fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
