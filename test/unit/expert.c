/* SPDX-License-Identifier: Apache-2.0 */
/* expert.c: tests of options by name, initial structs, the stages of a plan,
 * and a plan as text. */
#include "farsum/expert.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

static farsum_problem problem_small(void)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    for (int d = 0; d < 3; d++) {
        p.cell[4 * d] = 10;
        p.periodic[d] = 1;
    }
    p.n_sources = 200;
    p.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    p.tolerance = 1e-4;
    return p;
}

/* A value of each kind goes in and comes out; "" and "auto" unset it. */
static void round_trip(void)
{
    static const char *const values[] = {
        [FARSUM_OPTION_TEXT] = "some_name",
        [FARSUM_OPTION_VARIANT] = "gpu_dense",
        [FARSUM_OPTION_REAL] = "0.125",
        [FARSUM_OPTION_INTEGER] = "3",
        [FARSUM_OPTION_COUNT] = "5000000000",
        [FARSUM_OPTION_PAIR] = "8x4",
        [FARSUM_OPTION_TRIPLE] = "32x33x48",
    };
    farsum_option_info info = FARSUM_OPTION_INFO_INIT;
    farsum_options empty = FARSUM_OPTIONS_INIT;
    int n = 0, chosen = 0;
    for (; farsum_list_options(n, &info) == FARSUM_OK; n++) {
        farsum_options o = FARSUM_OPTIONS_INIT;
        char text[64] = "?";
        chosen += info.chosen;
        CHECK_OK(farsum_options_get(&o, info.name, text, sizeof text));
        CHECK(!*text, "%s is \"%s\" at first", info.name, text);
        CHECK_OK(farsum_options_set(&o, info.name, values[info.kind]));
        CHECK_OK(farsum_options_get(&o, info.name, text, sizeof text));
        CHECK(strcmp(text, values[info.kind]) == 0, "%s: \"%s\" for \"%s\"",
              info.name, text, values[info.kind]);
        CHECK(memcmp(&o, &empty, sizeof o) != 0, "%s sets nothing", info.name);
        CHECK_OK(farsum_options_set(&o, info.name, n % 2 ? "" : "auto"));
        CHECK(memcmp(&o, &empty, sizeof o) == 0, "%s stays", info.name);
    }
    CHECK(n == 41 && chosen == 28, "%d options, %d chosen", n, chosen);
    CHECK_FAILS(farsum_list_options(-1, &info), FARSUM_ERR_ARGUMENT);
}

/* Each byte of farsum_options belongs to one option, or to one of the fields
 * without a text: no field is forgotten, none has two names. */
static void all_fields(void)
{
#define FIELD(field)                                                           \
    {offsetof(farsum_options, field), sizeof(((farsum_options *)0)->field)}
    static const struct {
        size_t at, size;
    } others[] = {FIELD(size),
                  FIELD(device.handle),
                  FIELD(device.reserved),
                  FIELD(spectral.reserved),
                  FIELD(fmm.reserved),
                  FIELD(log),
                  FIELD(log_data),
                  FIELD(progress),
                  FIELD(progress_data)};
#undef FIELD
    int reached[sizeof(farsum_options)] = {0};
    farsum_option_info info = FARSUM_OPTION_INFO_INIT;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        for (size_t b = 0; b < others[k].size; b++)
            reached[others[k].at + b]++;
    for (int n = 0; farsum_list_options(n, &info) == FARSUM_OK; n++) {
        farsum_options o;
        memset(&o, 255, sizeof o);
        o.size = sizeof o;
        CHECK_OK(farsum_options_set(&o, info.name, ""));
        for (size_t b = sizeof o.size; b < sizeof o; b++)
            reached[b] += ((unsigned char *)&o)[b] == 0;
        const char *dot = strrchr(info.field, '.');
        const char *last = dot ? dot + 1 : info.field;
        CHECK(strcmp(last, info.name) == 0
                  || (strcmp(info.name, "device") == 0
                      && strcmp(info.field, "device.name") == 0),
              "option %s is the field %s", info.name, info.field);
    }
    for (size_t b = 0; b < sizeof(farsum_options); b++)
        CHECK(reached[b] == 1, "byte %zu belongs to %d options", b, reached[b]);
}

/* A name sets the field of its group. */
static void in_groups(void)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    CHECK_OK(farsum_options_set(&o, "device", "cuda:1"));
    CHECK_OK(farsum_options_set(&o, "queues", "1"));
    CHECK_OK(farsum_options_set(&o, "skin", "0.5"));
    CHECK_OK(farsum_options_set(&o, "near_team", "8x4"));
    CHECK_OK(farsum_options_set(&o, "levels", "5"));
    CHECK_OK(farsum_options_set(&o, "m2l", "gpu_dense"));
    CHECK(strcmp(o.device.name, "cuda:1") == 0, "%s", o.device.name);
    CHECK(o.device.queues == 1, "%d queues", o.device.queues);
    CHECK(o.spectral.skin == 0.5, "skin %g", o.spectral.skin);
    CHECK(o.spectral.near_team[0] == 8 && o.spectral.near_team[1] == 4,
          "%d x %d", o.spectral.near_team[0], o.spectral.near_team[1]);
    CHECK(o.fmm.levels == 5, "%d levels", o.fmm.levels);
    CHECK(strcmp(o.fmm.m2l, "gpu_dense") == 0, "%s", o.fmm.m2l);
}

static void order_0(void)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    char text[8];
    CHECK_OK(farsum_options_set(&o, "order", "0"));
    CHECK(o.fmm.order == FARSUM_ORDER_0, "order %d", o.fmm.order);
    CHECK_OK(farsum_options_get(&o, "order", text, sizeof text));
    CHECK(strcmp(text, "0") == 0, "order is \"%s\"", text);
    CHECK_OK(farsum_options_set(&o, "verify", "-1"));
    CHECK(o.verify == FARSUM_VERIFY_OFF, "verify %d", o.verify);
}

#define BAD(name, value, words)                                                \
    do {                                                                       \
        CHECK_FAILS(farsum_options_set(&o, name, value), FARSUM_ERR_ARGUMENT); \
        CHECK_SAYS(words);                                                     \
        CHECK(memcmp(&o, &empty, sizeof o) == 0, "%s is set", name);           \
    } while (0)

static void malformed(void)
{
    farsum_options o = FARSUM_OPTIONS_INIT, empty = FARSUM_OPTIONS_INIT;
    BAD("cutoff", "1,5", "cutoff");
    BAD("cutoff", "inf", "finite");
    BAD("support", "6.5", "whole number");
    BAD("support", "99999999999", "1e9");
    BAD("mesh", "32x32", "32x32x48");
    BAD("mesh", "32x32x32x32", "32x32x48");
    BAD("mesh", "32x-2x32", "0 or more");
    BAD("near_team", "8", "8x4");
    BAD("leaf", "x", "whole number");
    BAD("memory_limit", "8G", "whole number");
    CHECK_FAILS(farsum_options_set(&o, "suport", "6"), FARSUM_ERR_UNKNOWN);
    CHECK_SAYS("did you mean support");
    CHECK_FAILS(farsum_options_set(NULL, "support", "6"), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_options_set(&o, NULL, "6"), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_options_set(&o, "support", NULL), FARSUM_ERR_ARGUMENT);
    /* a struct that ends before the option */
    o.size = offsetof(farsum_options, verify);
    CHECK_FAILS(farsum_options_set(&o, "verify", "1"), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("too few");
    CHECK(o.verify == 0, "written behind the struct");
}

static void initial(void)
{
    farsum_problem p, p0 = FARSUM_PROBLEM_INIT;
    farsum_options o, o0 = FARSUM_OPTIONS_INIT;
    farsum_result r, r0 = FARSUM_RESULT_INIT;
    farsum_plan_info i, i0 = FARSUM_PLAN_INFO_INIT;
    memset(&p, 255, sizeof p);
    memset(&o, 255, sizeof o);
    memset(&r, 255, sizeof r);
    memset(&i, 255, sizeof i);
    CHECK_OK(farsum_problem_init(&p, sizeof p));
    CHECK_OK(farsum_options_init(&o, sizeof o));
    CHECK_OK(farsum_result_init(&r, sizeof r));
    CHECK_OK(farsum_plan_info_init(&i, sizeof i));
    CHECK(p.size == p0.size && p.tolerance == 0 && !p.sample_x, "problem");
    CHECK(o.size == o0.size && !o.method && o.verify == 0, "options");
    CHECK(r.size == r0.size && !r.potential, "result");
    CHECK(i.size == i0.size && i.n_stages == 0, "info");
    /* an older, shorter struct: nothing behind it is written */
    memset(&o, 255, sizeof o);
    CHECK_OK(farsum_options_init(&o, offsetof(farsum_options, verify)));
    CHECK(o.size == offsetof(farsum_options, verify) && o.verify == -1,
          "written behind the struct");
    CHECK_FAILS(farsum_options_init(&o, 3), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_options_init(&o, sizeof o + 8), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_options_init(NULL, sizeof o), FARSUM_ERR_ARGUMENT);
}

/* A plan by options that were set by name, its stages, its text. */
static void plan_told(void)
{
    farsum_problem p = problem_small();
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_stage_info stage;
    farsum_plan *plan = NULL;
    CHECK_OK(farsum_options_set(&o, "method", "spectral"));
    CHECK_OK(farsum_options_set(&o, "spread", "plain"));
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    CHECK(info.n_stages == 5, "%d stages", info.n_stages);
    for (int k = 0; k < info.n_stages; k++) {
        CHECK_OK(farsum_plan_stage(plan, k, &stage));
        CHECK(strcmp(stage.stage, info.stages[k].stage) == 0, "%s",
              stage.stage);
        if (strcmp(stage.stage, "spread") == 0)
            CHECK(strcmp(stage.variant, "plain") == 0, "%s", stage.variant);
    }
    CHECK_FAILS(farsum_plan_stage(plan, info.n_stages, &stage),
                FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_plan_stage(plan, -1, &stage), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_plan_stage(NULL, 0, &stage), FARSUM_ERR_ARGUMENT);
    char few[8];
    size_t length = farsum_plan_print_text(plan, NULL, 0);
    char *text = check_memory(length + 1, 1);
    CHECK(farsum_plan_print_text(plan, text, length + 1) == length
              && strlen(text) == length && strstr(text, "method spectral"),
          "%s", text);
    CHECK(farsum_plan_print_text(plan, few, sizeof few) == length
              && strlen(few) == 7 && strncmp(few, text, 7) == 0,
          "\"%s\"", few);
    CHECK(farsum_plan_print_text(NULL, few, sizeof few) == 0 && !*few, "%s",
          few);
    free(text);
    farsum_plan_destroy(plan);
}

int main(void)
{
    RUN(round_trip);
    RUN(all_fields);
    RUN(in_groups);
    RUN(order_0);
    RUN(malformed);
    RUN(initial);
    RUN(plan_told);
    return check_end();
}
