/* SPDX-License-Identifier: Apache-2.0 */
/* near_team.c: refusals of the team variants of the near field, and their
 * reasons; requires no device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"
#include "stage/near/near.h"

extern const struct variant near_gm_1d, near_gm_2d, near_sm_1d, near_sm_2d;
static const struct variant *const rows[] = {&near_gm_1d, &near_gm_2d,
                                             &near_sm_1d, &near_sm_2d};
static struct device device = {
    .name = "some:0",
    .properties = {.group_max = 512, .local = 16384, .f64 = 1},
};

static struct near_args args_of(const struct split *split, const char *kernel)
{
    static const struct cell cell = {.volume = 27};
    return (struct near_args){.precision = FARSUM_F64,
                              .outputs = FARSUM_VELOCITY,
                              .cell = &cell,
                              .n_sources = 1000,
                              .neighbours = 150,
                              .device = &device,
                              .pair = pair_find(kernel),
                              .split = split};
}

static void refused(const struct variant *row, const struct near_args *args,
                    const char *why)
{
    assert_int_equal(row->fits(args), FARSUM_ERR_UNSUPPORTED);
    if (!strstr(farsum_message(), why))
        fail_msg("\"%s\" does not say \"%s\"", farsum_message(), why);
}

static void test_split(void **state)
{
    (void)state;
    struct split gaussian, prolate;
    assert_int_equal(split_set(&gaussian, "gaussian", 40), FARSUM_OK);
    assert_int_equal(split_set(&prolate, "prolate", 20), FARSUM_OK);
    for (int r = 0; r < 4; r++) {
        struct near_args args = args_of(&gaussian, "stokeslet");
        assert_int_equal(rows[r]->fits(&args), FARSUM_OK);
        assert_true(rows[r]->cost(&args) > 0);
        assert_true(rows[r]->bytes(&args) > 0);
        args.split = &prolate;
        refused(rows[r], &args, "Gaussian");
        args.split = NULL;
        refused(rows[r], &args, "Gaussian");
        args.split = &gaussian;
        args.device = NULL;
        refused(rows[r], &args, "device");
        struct pair other = *pair_find("stokeslet");
        other.name = "another";
        args = args_of(&gaussian, "stokeslet");
        args.pair = &other;
        refused(rows[r], &args, "another");
    }
}

static void test_team(void **state)
{
    (void)state;
    struct split split;
    assert_int_equal(split_set(&split, "gaussian", 40), FARSUM_OK);
    for (int r = 0; r < 4; r++) {
        struct near_args args = args_of(&split, "stokeslet");
        args.team[0] = 128;
        assert_int_equal(rows[r]->fits(&args),
                         r == 1 ? FARSUM_ERR_UNSUPPORTED : FARSUM_OK);
        args.team[0] = 24;
        refused(rows[r], &args, "24");
        args.team[0] = -1;
        refused(rows[r], &args, "powers of two");
        args.team[0] = 1024;
        refused(rows[r], &args, "512");
        args.team[0] = 16;
        args.team[1] = 2;
        if (r % 2 == 0)
            refused(rows[r], &args, "this variant has one");
        else
            assert_int_equal(rows[r]->fits(&args), FARSUM_OK);
    }
    /* 512 threads with 6 strengths and 3 coordinates need 45 KB */
    struct near_args args = args_of(&split, "stresslet");
    args.team[0] = 256;
    assert_int_equal(near_gm_1d.fits(&args), FARSUM_OK);
    refused(&near_sm_2d, &args, "shared memory");
    device.properties.local = 1 << 18;
    assert_int_equal(near_sm_2d.fits(&args), FARSUM_OK);
    args.team[1] = 4;
    device.properties.group_max = 1024;
    refused(&near_sm_2d, &args, "declared");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_team),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
