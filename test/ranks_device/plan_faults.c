/* SPDX-License-Identifier: Apache-2.0 */
/* plan_faults.c: plans over ranks on devices when an allocation or the network
 * fails on one rank.  All ranks fail with the same words, outputs stay as they
 * are, no memory is lost, and no rank waits for ever. */
#include <string.h>
#include <unistd.h>

#include <farsum/device.h>

#include "check.h"
#include "ranks/plan_life.h"
#include "ranks_device/rank_device.h"

enum { PATIENCE = 550 }; /* seconds, after which a rank waits for ever */

#ifndef STRIDE
#define STRIDE 97 /* tries every such allocation and call */
#endif

static farsum_device *devices[LIFE_RANKS];

static void change_device(struct life *life, struct comm *comm, enum step step,
                          struct given *given)
{
    (void)life;
    if (step != CREATE)
        return;
    given->options.device.handle = devices[comm->rank];
    given->options.deterministic = 1;
}

/* Three ranks exclude pairs. */
static struct life life_of(int size, int flow)
{
    return (struct life){.size = size,
                         .flow = flow,
                         .sampled = !flow,
                         .excluded = size > 2,
                         .verify = FARSUM_VERIFY_OFF,
                         .change = change_device};
}

static void no_device_memory(const char *name)
{
    for (int r = 0; r < LIFE_RANKS; r++)
        CHECK(devices[r]->device->bytes == 0, "%s: rank %d keeps %lld bytes on "
              "its device", name, r, (long long)devices[r]->device->bytes);
}

static void no_memory_in(int size, int flow)
{
    struct life life = life_of(size, flow);
    life_make(&life);
    for (int r = 0; r < size; r++) {
        int64_t n = 1 + r, failed = 0;
        life.fail_rank = r;
        do {
            char name[80];
            life.fail_at = n;
            n += STRIDE;
            snprintf(name, sizeof name, "flow %d, allocation %lld of rank %d "
                     "of %d", flow, (long long)life.fail_at, r, size);
            life_run(&life, NULL, name);
            no_device_memory(name);
            if (life.ended == STEPS)
                continue;
            life_ends(&life, name, life.ended, FARSUM_ERR_MEMORY,
                      "could not be allocated", r);
            failed++;
        } while (life.allocated);
        printf("  flow %d, rank %d of %d: %lld allocations, %lld fail\n", flow,
               r, size, (long long)life.fail_at - 1, (long long)failed);
    }
    life_free(&life);
}

static void no_memory(void)
{
    no_memory_in(2, 0);
    no_memory_in(3, 1);
}

/* One rank's device is too small. */
static void small_device(void)
{
    struct life life = life_of(2, 0);
    int64_t failed = 0;
    life_make(&life);
    life.spent = 1;
    for (int r = 0; r < 2; r++) {
        struct device *device = devices[r]->device;
        int ends = 0;
        for (int64_t limit = 500; !ends; limit += limit / 3) {
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
static void broken_network_in(int size, int flow, int verify)
{
    struct life life = life_of(size, flow);
    life.verify = verify;
    life.sampled = flow == 0 && verify < 0;
    life.brief = verify > 0;
    life_make(&life);
    int64_t calls = life.ends[EXCLUDED_SUM][0].calls;
    for (int r = 0; r < size; r++)
        for (int64_t k = 1 + r; k <= calls; k += STRIDE) {
            struct ranks_play play = {.fail_rank = r, .fail_call = k};
            char name[80];
            snprintf(name, sizeof name, "flow %d, call %lld of rank %d of %d",
                     flow, (long long)k, r, size);
            life_run(&life, &play, name);
            no_device_memory(name);
            CHECK((life.ended == STEPS) == (k == calls), "%s: step %d ends",
                  name, life.ended);
            if (life.ended == STEPS)
                continue;
            life_ends(&life, name, life.ended, FARSUM_ERR_COMM,
                      "is made to fail", r);
        }
    printf("  flow %d, %d ranks: %lld calls\n", flow, size, (long long)calls);
    life_free(&life);
}

static void broken_network(void)
{
    broken_network_in(2, 0, FARSUM_VERIFY_OFF);
    broken_network_in(3, 1, FARSUM_VERIFY_OFF);
}

static void checked(void)
{
    broken_network_in(2, 0, 1);
}

int main(void)
{
    alarm(PATIENCE);
    for (int r = 0; r < LIFE_RANKS; r++) {
        CHECK_OK(farsum_device_open(rank_device_name(), &devices[r]));
        rank_device_turns(devices[r]->device);
    }
    RUN(no_memory);
    RUN(small_device);
    RUN(broken_network);
    RUN(checked);
    for (int r = 0; r < LIFE_RANKS; r++)
        farsum_device_close(devices[r]);
    return check_end();
}
