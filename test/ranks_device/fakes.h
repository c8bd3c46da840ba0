/* SPDX-License-Identifier: Apache-2.0 */
/* fakes.h: counters and switches of the simulated driver and NCCL, for tests
 * that define FARSUM_FAKES, the folder of the simulated libraries. */
#ifndef FARSUM_TEST_RANKS_DEVICE_FAKES_H
#define FARSUM_TEST_RANKS_DEVICE_FAKES_H

#include <dlfcn.h>
#include <stdlib.h>

#include "check.h"
#include "device/fake.h"
#include "device/fake_nccl.h"

static void *fakes_find(const char *file, const char *symbol)
{
    void *library = dlopen(file, RTLD_NOW);
    void *found = library ? dlsym(library, symbol) : NULL;
    if (!found)
        check_stop("%s", dlerror());
    return found;
}

/* Makes the library open the simulated libraries. */
static inline void fakes_open(struct fake_nccl **nccl, struct fake **driver)
{
    struct fake_nccl *(*nccl_state)(void);
    struct fake *(*driver_state)(void);
    *(void **)&nccl_state =
        fakes_find(FARSUM_FAKES "/libnccl.so.2", "fake_nccl_state");
    *(void **)&driver_state =
        fakes_find(FARSUM_FAKES "/libcuda.so.1", "fake_state");
    *nccl = nccl_state();
    *driver = driver_state();
    *(void **)&(*nccl)->current =
        fakes_find(FARSUM_FAKES "/libcuda.so.1", "fake_current");
    setenv("FARSUM_LIBRARY_PATH", FARSUM_FAKES, 1);
}
#endif
