/* SPDX-License-Identifier: Apache-2.0 */
/* plan_stop.c: plans over ranks when a listener stops one rank, or ranks are
 * late. */
#include <unistd.h>

#include "check.h"
#include "ranks/plan_life.h"

enum { PATIENCE = 900 }; /* seconds, after which a rank waits for ever */

static void delays(void)
{
    for (int size = 2; size <= LIFE_RANKS; size++) {
        struct life life;
        life = (struct life){.size = size, .verify = FARSUM_VERIFY_OFF};
        life_make(&life);
        for (uint64_t seed = 0; seed < 4; seed++) {
            struct ranks_play play = {.delay = 300, .seed = seed};
            life_run(&life, &play, "delays");
            CHECK(life.ended == STEPS, "step %d fails", life.ended);
        }
        life_free(&life);
    }
}

/* A listener on one rank stops in its stop_at-th call. */
static int calls, stop_at;

static int listener(int64_t done, int64_t all, const char *what, void *data)
{
    (void)done;
    (void)all;
    (void)what;
    (void)data;
    return ++calls == stop_at;
}

static void change_listener(struct life *life, struct comm *comm,
                            enum step step, struct given *given)
{
    const enum step *slow = life->bad;
    if (comm->rank != life->bad_rank)
        return;
    if (step == CREATE)
        given->options.progress = listener;
    else if (step == *slow)
        usleep(110000); /* a listener hears at most 10 times a second */
}

/* The step's first report stops it. */
static void stopped_first(int size, int rank, enum step step)
{
    struct life life;
    life = (struct life){
        .size = size, .verify = FARSUM_VERIFY_OFF, .sampled = 1};
    life_make(&life);
    life.change = change_listener;
    life.bad = &step;
    life.bad_rank = rank;
    life.creates_again = 1;
    calls = 0;
    stop_at = step == CREATE ? 1 : rank == 0 ? 3 : 2; /* rank 0 chooses too */
    life_run(&life, NULL, "stop");
    life_ends(&life, "stop", step, FARSUM_ERR_STATE, "stopped", rank);
    life_free(&life);
}

static void stopped(void)
{
    static const enum step steps[] = {CREATE, POINTS, SUM, SUMS, OTHER_POINTS};
    for (int size = 1; size <= LIFE_RANKS; size++)
        for (int r = 0; r < size; r++)
            for (int k = 0; k < 5; k++)
                stopped_first(size, r, steps[k]);
}

/* The listener of rank 1 stops anywhere. */
static void stopped_later(void)
{
    static const enum step none = STEPS;
    struct ranks_play play = {.delay = 4000, .seed = 1};
    int in_a_sum = 0;
    for (int k = 2; k < 7; k++) {
        struct life life;
        life = (struct life){.size = 2, .verify = FARSUM_VERIFY_OFF};
        life_make(&life);
        life.change = change_listener;
        life.bad = &none;
        life.bad_rank = 1;
        calls = 0;
        stop_at = k;
        life_run(&life, &play, "stop");
        CHECK(life.ended < STEPS, "call %d does not stop", k);
        if (life.ended < STEPS)
            life_ends(&life, "stop", life.ended, FARSUM_ERR_STATE, "stopped",
                      1);
        in_a_sum += life.ended != CREATE && life.ended != POINTS;
        life_free(&life);
    }
    CHECK(in_a_sum > 0, "no sum was stopped");
}

int main(void)
{
    alarm(PATIENCE);
    RUN(delays);
    RUN(stopped);
    RUN(stopped_later);
    return check_end();
}
