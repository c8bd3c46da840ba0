/* SPDX-License-Identifier: Apache-2.0 */
/* plan_faults.c: plans over ranks on devices when an allocation or the network
 * fails on one rank.  All ranks fail with the same words, outputs stay as they
 * are, no memory is lost, and no rank waits for ever. */
#include <stdio.h>
#include <unistd.h>

#include "check.h"
#include "ranks_device/life_device.h"

enum { PATIENCE = 550 }; /* seconds, after which a rank waits for ever */

#ifndef STRIDE
#define STRIDE 97 /* tries every such allocation and call */
#endif

static void repeatable(struct life *life, struct comm *comm, enum step step,
                       struct given *given)
{
    (void)life;
    (void)comm;
    if (step == CREATE)
        given->options.deterministic = 1;
}

/* Three ranks exclude pairs. */
static struct life life_of(int size, int flow)
{
    struct life life = {.size = size,
                        .flow = flow,
                        .sampled = !flow,
                        .excluded = size > 2,
                        .verify = FARSUM_VERIFY_OFF,
                        .change = repeatable};
    life_on_devices(&life);
    return life;
}

static void no_memory(void)
{
    for (int flow = 0; flow < 2; flow++) {
        struct life life = life_of(2 + flow, flow);
        int64_t failed[LIFE_RANKS];
        life_no_memory(&life, flow ? "flows" : "charges", STRIDE, failed);
        life_free(&life);
    }
}

/* One rank's device is too small. */
static void small_device(void)
{
    struct life life = life_of(2, 0);
    life_small_device(&life, 3);
    life_free(&life);
}

static void broken_network(void)
{
    for (int flow = 0; flow < 2; flow++) {
        struct life life = life_of(2 + flow, flow);
        life_no_network(&life, flow ? "flows" : "charges", STRIDE);
        life_free(&life);
    }
}

static void checked(void)
{
    struct life life = life_of(2, 0);
    life.verify = 1;
    life.sampled = 0;
    life.brief = 1;
    life_no_network(&life, "a checked plan", STRIDE);
    life_free(&life);
}

int main(void)
{
    alarm(PATIENCE);
    CHECK_OK(life_devices_open(LIFE_RANKS));
    RUN(no_memory);
    RUN(small_device);
    RUN(broken_network);
    RUN(checked);
    life_devices_close();
    return check_end();
}
