/* SPDX-License-Identifier: Apache-2.0 */
/* api.c: public interface: tests that provoke every status and check the facts
 * that each message must name. */
#include "api.h"

#include <stdlib.h>

void salt_set(struct salt *s)
{
    uint64_t state = 12345;
    memset(s, 0, sizeof *s);
    for (int i = 0; i < SALT_N; i++) {
        int at[3] = {i % SALT_SIDE, i / SALT_SIDE % SALT_SIDE,
                     i / SALT_SIDE / SALT_SIDE};
        for (int d = 0; d < 3; d++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            s->x[i][d] = at[d] + 0.2 * ((double)(state >> 40) * 0x1p-24 - 0.5);
        }
        s->q[i] = (at[0] + at[1] + at[2]) % 2 ? -1 : 1;
    }
    s->problem = (farsum_problem)FARSUM_PROBLEM_INIT;
    for (int d = 0; d < 3; d++) {
        s->problem.cell[4 * d] = SALT_SIDE;
        s->problem.periodic[d] = 1;
    }
    s->problem.n_sources = SALT_N;
    s->problem.sample_x = s->x;
    s->problem.sample_q = s->q;
    s->problem.tolerance = 1e-4;
    s->problem.outputs = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY
                         | FARSUM_VIRIAL;
    s->options = (farsum_options)FARSUM_OPTIONS_INIT;
    s->options.threads = 2;
    s->options.method = "spectral";
}

farsum_plan *salt_plan(const struct salt *s)
{
    farsum_plan *plan = NULL;
    if (farsum_plan_create(&s->problem, &s->options, &plan) != FARSUM_OK)
        check_stop("no plan: %s", farsum_message());
    return plan;
}

farsum_plan *salt_ready(const struct salt *s)
{
    farsum_plan *plan = salt_plan(s);
    if (farsum_plan_set_points(plan, SALT_N, s->x, 0, NULL) != FARSUM_OK)
        check_stop("no points: %s", farsum_message());
    return plan;
}

farsum_status salt_create(const struct salt *s)
{
    farsum_plan *const none = (farsum_plan *)(uintptr_t)64;
    farsum_plan *plan = none;
    farsum_status status = farsum_plan_create(&s->problem, &s->options, &plan);
    if (status == FARSUM_OK)
        farsum_plan_destroy(plan);
    else
        CHECK(plan == none, "a failed create wrote to its output");
    return status;
}

static void versions(void)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", FARSUM_VERSION_MAJOR,
             FARSUM_VERSION_MINOR, FARSUM_VERSION_PATCH);
    CHECK(strcmp(farsum_version(), text) == 0, "library %s, header %s",
          farsum_version(), text);
    CHECK(strcmp(farsum_message(), "") == 0, "a message before any failure: %s",
          farsum_message());
}

/* Each status has its own text; an unknown one does not crash. */
static void texts(void)
{
    for (int i = 0; i < FARSUM_STATUS_COUNT; i++)
        for (int j = 0; j < i; j++)
            CHECK(strcmp(farsum_status_text((farsum_status)i),
                         farsum_status_text((farsum_status)j)) != 0,
                  "statuses %d and %d have one text", i, j);
    CHECK(farsum_status_text((farsum_status)1000) != NULL, "status 1000");
}

int main(void)
{
    RUN(versions);
    RUN(texts);
    api_problems();
    api_choices();
    api_methods();
    api_points();
    api_precisions();
    api_results();
    api_advice();
    api_progress();
    return check_end();
}
