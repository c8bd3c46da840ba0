/* SPDX-License-Identifier: Apache-2.0 */
/* fmm_faults.c: plans of method fmm over ranks on devices when an allocation or
 * the network fails on one rank, as plan_faults.c has it for spectral. */
#include <string.h>
#include <unistd.h>

#include <farsum/device.h>

#include "check.h"
#include "ranks/plan_life.h"
#include "ranks_device/rank_device.h"

enum { PATIENCE = 550, SIZE = 2 }; /* seconds, after which a rank waits for
                                      ever */

#ifndef STRIDE
#define STRIDE 61 /* tries every such allocation and call */
#endif

static farsum_device *devices[LIFE_RANKS];

static void periodic(struct life *life, struct comm *comm, enum step step,
                     struct given *g)
{
    if (step != CREATE)
        return;
    g->options = (farsum_options)FARSUM_OPTIONS_INIT;
    g->options.method = "fmm";
    g->options.threads = 1;
    g->options.verify = life->verify;
    g->options.device.handle = devices[comm->rank];
    g->options.fmm.boxes[0] = 3;
    g->options.fmm.boxes[1] = g->options.fmm.boxes[2] = 2;
    g->options.fmm.order = 2;
    g->options.fmm.separation = 1;
}

static void open_space(struct life *life, struct comm *comm, enum step step,
                       struct given *g)
{
    periodic(life, comm, step, g);
    for (int d = 0; d < 3; d++)
        g->problem.periodic[d] = 0;
}

static struct life life_of(int open, int verify)
{
    return (struct life){.size = SIZE,
                         .sampled = 1,
                         .excluded = 1,
                         .brief = open || verify > 0,
                         .verify = verify,
                         .change = open ? open_space : periodic};
}

static void no_device_memory(const char *name)
{
    for (int r = 0; r < SIZE; r++)
        CHECK(devices[r]->device->bytes == 0, "%s: rank %d keeps %lld bytes on "
              "its device", name, r, (long long)devices[r]->device->bytes);
}

static void no_memory(void)
{
    for (int open = 0; open < 2; open++) {
        struct life life = life_of(open, FARSUM_VERIFY_OFF);
        int64_t failed = 0;
        life_make(&life);
        for (int r = 0; r < SIZE; r++) {
            int64_t n = 1 + r;
            life.fail_rank = r;
            do {
                char name[80];
                life.fail_at = n;
                n += STRIDE;
                snprintf(name, sizeof name, "open %d, allocation %lld of rank "
                         "%d", open, (long long)life.fail_at, r);
                life_run(&life, NULL, name);
                no_device_memory(name);
                if (life.ended == STEPS)
                    continue;
                life_ends(&life, name, life.ended, FARSUM_ERR_MEMORY,
                          "could not be allocated", r);
                failed++;
            } while (life.allocated);
            printf("  open %d, rank %d: %lld allocations, %lld fail\n", open, r,
                   (long long)life.fail_at - 1, (long long)failed);
        }
        CHECK(failed > 200 / STRIDE, "%lld allocations fail",
              (long long)failed);
        life_free(&life);
    }
}

/* One rank's device is too small. */
static void small_device(void)
{
    struct life life = life_of(0, FARSUM_VERIFY_OFF);
    int64_t failed = 0;
    life_make(&life);
    life.spent = 1;
    for (int r = 0; r < SIZE; r++) {
        struct device *device = devices[r]->device;
        int ends = 0;
        for (int64_t limit = 500; !ends; limit += limit / 2) {
            char name[80];
            snprintf(name, sizeof name, "%lld bytes on the device of rank %d",
                     (long long)limit, r);
            device->limit = limit;
            life_run(&life, NULL, name);
            no_device_memory(name);
            ends = life.ended == STEPS;
            if (!ends)
                life_ends(&life, name, life.ended, FARSUM_ERR_MEMORY, "bytes",
                          r);
            failed += !ends;
        }
        device->limit = 0;
    }
    printf("  %lld sizes are too small\n", (long long)failed);
    life_free(&life);
}

/* If a failing call is the last one of a step, the next step fails. */
static void broken_network(void)
{
    struct life life = life_of(0, FARSUM_VERIFY_OFF);
    life_make(&life);
    int64_t calls = life.ends[EXCLUDED_SUM][0].calls;
    for (int r = 0; r < SIZE; r++)
        for (int64_t k = 1 + r; k <= calls; k += STRIDE) {
            struct ranks_play play = {.fail_rank = r, .fail_call = k};
            char name[80];
            snprintf(name, sizeof name, "call %lld of rank %d", (long long)k,
                     r);
            life_run(&life, &play, name);
            no_device_memory(name);
            CHECK((life.ended == STEPS) == (k == calls), "%s: step %d ends",
                  name, life.ended);
            if (life.ended == STEPS)
                continue;
            life_ends(&life, name, life.ended, FARSUM_ERR_COMM,
                      "is made to fail", r);
        }
    printf("  %lld calls\n", (long long)calls);
    life_free(&life);
}

int main(void)
{
    alarm(PATIENCE);
    for (int r = 0; r < SIZE; r++) {
        if (farsum_device_open(rank_device_name(), &devices[r])
            != FARSUM_OK) {
            printf("skipped: %s\n", farsum_message());
            return CHECK_SKIPPED;
        }
        rank_device_turns(devices[r]->device);
    }
    RUN(no_memory);
    RUN(small_device);
    RUN(broken_network);
    for (int r = 0; r < SIZE; r++)
        farsum_device_close(devices[r]);
    return check_end();
}
