/* SPDX-License-Identifier: Apache-2.0 */
/* slab_simulated.c: the kernels of ranks/device/slab.k on the simulated driver,
 * which has memory that all ranks can use. */
#include "ranks_device/slab_simulated.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device/fake.h"
#include "ranks/device/slab_inside.h"

static struct fake *driver;
static _Thread_local int64_t size; /* bytes of a complex number */

void slab_simulated_precision(farsum_precision precision)
{
    size = precision == FARSUM_F32 ? 8 : 16;
}

static void *at(void **parameter, int64_t number)
{
    return *(char **)parameter + number * size;
}

static void turn(void **parameters, int in)
{
    const struct slab_turn *a = parameters[3];
    const int32_t *place = *(int32_t **)parameters[1];
    for (int64_t l = 0; l < a->count; l++)
        for (int64_t p = 0; p < a->planes; p++) {
            void *mesh =
                at(parameters[0], a->mesh + p * a->plane + place[a->first + l]);
            void *line = at(parameters[2], a->at + l * a->step + p);
            memcpy(in ? mesh : line, in ? line : mesh, (size_t)size);
        }
}

static void clear(void **parameters)
{
    const struct slab_turn *a = parameters[2];
    const int32_t *zero = *(int32_t **)parameters[1];
    for (int64_t i = 0; i < a->count; i++)
        for (int64_t p = 0; p < a->planes; p++)
            memset(at(parameters[0], a->mesh + p * a->plane + zero[i]), 0,
                   (size_t)size);
}

static void points(void **parameters)
{
    const struct slab_points *a = parameters[4];
    const int64_t *part = *(int64_t **)parameters[1];
    int back = *(int32_t *)parameters[3];
    for (int64_t l = 0; l < a->lines; l++)
        for (int64_t x = 0; x < a->points - a->planes; x++) {
            int64_t to = x < a->own ? x : x + a->planes;
            void *block = at(parameters[0], part[2 * x] + part[2 * x + 1] * l);
            void *line = at(parameters[2], a->spectrum + l * a->points + to);
            memcpy(back ? block : line, back ? line : block, (size_t)size);
        }
}

/* The simulated driver's kernels are the rest of the text from their name
 * on. */
static int is(const char *kernel, const char *name)
{
    size_t n = strlen(name);
    return strncmp(kernel, name, n) == 0 && kernel[n] == '(';
}

static void run(const char *kernel, const struct fake *fake, void **parameters)
{
    (void)fake;
    if (is(kernel, "slab_out") || is(kernel, "slab_in"))
        turn(parameters, is(kernel, "slab_in"));
    else if (is(kernel, "slab_clear"))
        clear(parameters);
    else if (is(kernel, "slab_join"))
        points(parameters);
    else
        check_stop("a kernel is unknown: %.20s", kernel);
}

void slab_simulated_start(void)
{
    struct fake *(*state)(void);
    void *library = dlopen(FARSUM_FAKES "/libcuda.so.1", RTLD_NOW);
    *(void **)&state = library ? dlsym(library, "fake_state") : NULL;
    if (!state)
        check_stop("%s", dlerror());
    driver = state();
    driver->run = run;
    setenv("FARSUM_LIBRARY_PATH", FARSUM_FAKES, 1);
}

void slab_simulated_end(void)
{
    CHECK(driver->peers > 0, "no device uses another's memory");
    CHECK(driver->blocks == 0 && driver->streams == 0, "%d blocks, %d streams",
          driver->blocks, driver->streams);
}
