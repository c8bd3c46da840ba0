/* SPDX-License-Identifier: Apache-2.0 */
#include "ranks_device/life_device.h"

#include <stdio.h>

#include <farsum/device.h>

#include "check.h"
#include "ranks_device/rank_device.h"

static farsum_device *devices[LIFE_RANKS];
static int opened;

farsum_status life_devices_open(int ranks)
{
    for (; opened < ranks; opened++)
        TRY(rank_device_public(opened, &devices[opened]));
    return FARSUM_OK;
}

void life_devices_close(void)
{
    while (opened > 0)
        farsum_device_close(devices[--opened]);
}

static void no_device_memory(const struct life *life, const char *name)
{
    (void)life;
    for (int r = 0; r < opened; r++)
        CHECK(devices[r]->device->bytes == 0, "%s: rank %d keeps %lld bytes on "
              "its device", name, r, (long long)devices[r]->device->bytes);
}

void life_on_devices(struct life *life)
{
    life->devices = devices;
    life->after_run = no_device_memory;
}

void life_small_device(struct life *life, int part)
{
    int64_t failed = 0;
    life_make(life);
    life->spent = 1;
    for (int r = 0; r < life->size; r++) {
        struct device *device = devices[r]->device;
        int ends = 0;
        for (int64_t limit = 500; !ends; limit += limit / part) {
            char name[80];
            snprintf(name, sizeof name, "%lld bytes on the device of rank %d",
                     (long long)limit, r);
            device->limit = limit;
            life_run(life, NULL, name);
            ends = life->ended == STEPS;
            if (!ends)
                life_ends(life, name, life->ended, FARSUM_ERR_MEMORY, "bytes",
                          r);
            failed += !ends;
        }
        device->limit = 0;
    }
    printf("  %lld sizes are too small\n", (long long)failed);
}
