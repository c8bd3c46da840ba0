/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c: tests of the choice of variants (named, cheapest, refused) and of
 * the stages' tables. */
#include <string.h>

#include "check.h"
#include "stage/stage.h"

static farsum_status fits_never(const void *args)
{
    (void)args;
    FAIL(ERR_UNSUPPORTED, "it requires the moon");
}
static double cost_of(const void *args)
{
    return *(const double *)args;
}
static double cost_half(const void *args)
{
    return *(const double *)args / 2;
}
static double cost_tiny(const void *args)
{
    (void)args;
    return 1e-9;
}

static const struct variant exact = {.cost = cost_of, .deterministic = 1};
static const struct variant quick = {.cost = cost_half};
static const struct variant never = {.fits = fits_never, .cost = cost_tiny};
static const struct variant_row rows[] = {{"exact", "", &exact, 0},
                                          {"quick", "", &quick, 0},
                                          {"never", "", &never, 0},
                                          {NULL, NULL, NULL, 0}};
static const struct stage stage = {.name = "toy", .rows = rows};
static const struct variant_row none[] = {{"never", "", &never, 0},
                                          {NULL, NULL, NULL, 0}};
static const struct stage empty = {.name = "void", .rows = none};
static const double cost = 0.004;

static void cheapest_that_fits(void)
{
    struct choice choice;
    struct choose_options options = {.name = NULL};
    CHECK_OK(choose(&stage, &cost, &options, &choice));
    CHECK(choice.row == &rows[1], "%s is chosen", choice.row->name);
    CHECK_NEAR(choice.cost, 0.002, 1e-15);
    CHECK(choice.stage == &stage, "another stage");
    CHECK(strstr(choice.reason, "fits 2 of 3") && strstr(choice.reason, "exact")
              && strstr(choice.reason, "2 ms"), "reason: %s", choice.reason);
    options.deterministic = 1;
    CHECK_OK(choose(&stage, &cost, &options, &choice));
    CHECK(choice.row == &rows[0], "%s is chosen to repeat", choice.row->name);
}

static void named(void)
{
    struct choice choice;
    struct choose_options options = {.name = "exact"};
    CHECK_OK(choose(&stage, &cost, &options, &choice));
    CHECK(choice.row == &rows[0], "%s is chosen", choice.row->name);
    options.name = "never";
    CHECK_FAILS(choose(&stage, &cost, &options, &choice),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("toy never: it requires the moon");
    options.name = "quick";
    options.deterministic = 1;
    CHECK_FAILS(choose(&stage, &cost, &options, &choice),
                FARSUM_ERR_UNSUPPORTED);
    options.name = "quik";
    CHECK_FAILS(choose(&stage, &cost, &options, &choice), FARSUM_ERR_UNKNOWN);
    CHECK_SAYS("did you mean quick?");
    CHECK_SAYS("exact, quick, never");
}

static void nothing_fits(void)
{
    struct choice choice;
    struct choose_options options = {.name = NULL};
    CHECK_FAILS(choose(&empty, &cost, &options, &choice),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("it requires the moon");
}

/* The shape of every stage's table. */
static void tables(void)
{
    int stages = 0;
    for (; all_stages[stages]; stages++) {
        const struct stage *one = all_stages[stages];
        CHECK(stage_find(one->name) == one, "%s is not found", one->name);
        CHECK(strcmp(one->rows->name, "plain") == 0, "%s: plain is not first",
              one->name);
        for (const struct variant_row *r = one->rows; r->name; r++) {
            const struct variant *v = r->variant;
            CHECK(r->note && r->note[0], "%s %s has no note", one->name,
                  r->name);
            CHECK(v->cost && v->bytes && v->create && v->run && v->destroy
                      && v->needs,
                  "%s %s lacks a function", one->name, r->name);
            v->destroy(NULL);
            for (const struct variant_row *s = r + 1; s->name; s++)
                CHECK(strcmp(s->name, r->name) != 0, "%s has %s twice",
                      one->name, r->name);
        }
    }
    CHECK(stages == 12, "%d stages", stages);
    CHECK(stage_find("nowhere") == NULL, "a stage that does not exist");
}

/* The same with the public list. */
static void lists(void)
{
    farsum_variant_info info = FARSUM_VARIANT_INFO_INIT;
    int stages = 0;
    for (const char *name; (name = farsum_list_stages(stages)); stages++) {
        int rows_seen = 0;
        const struct stage *one = stage_find(name);
        while (farsum_list_variants(name, rows_seen, &info) == FARSUM_OK) {
            CHECK(strcmp(info.name, one->rows[rows_seen].name) == 0,
                  "%s %d is %s", name, rows_seen, info.name);
            rows_seen++;
        }
        CHECK(rows_seen > 0 && one->rows[rows_seen].name == NULL,
              "%s lists %d variants", name, rows_seen);
    }
    CHECK(stages == 12, "%d stages are listed", stages);
    int methods = 0;
    while (farsum_list_variants("method", methods, &info) == FARSUM_OK)
        methods++;
    CHECK(methods == 4, "%d methods", methods);
    CHECK_FAILS(farsum_list_variants("spred", 0, &info), FARSUM_ERR_UNKNOWN);
    CHECK_SAYS("spread");
    CHECK_FAILS(farsum_list_variants("spread", 99, &info), FARSUM_ERR_ARGUMENT);
    CHECK(strcmp(farsum_list_names("split", 0), "prolate") == 0
              && strcmp(farsum_list_names("window", 0), "prolate") == 0,
          "the first split and window are the defaults");
    CHECK(farsum_list_names("nothing", 0) == NULL, "names of nothing");
    CHECK(farsum_list_names("split", 2) == NULL, "a third split");
}

int main(void)
{
    RUN(cheapest_that_fits);
    RUN(named);
    RUN(nothing_fits);
    RUN(tables);
    RUN(lists);
    return check_end();
}
