/* SPDX-License-Identifier: Apache-2.0 */
#include "ranks_case.h"

#include "base/mem.h"
#include "base/random.h"
#include "farsum/mpi.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void ranks_need(farsum_status status)
{
    if (status == FARSUM_OK)
        return;
    fprintf(stderr, "%s\n", farsum_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

farsum_device *ranks_open(const char *name, int rank)
{
    farsum_device *device = NULL;
    char own[64];
    if (!name)
        return NULL;
    snprintf(own, sizeof own, strchr(name, ':') ? "%s" : "%s:%d", name, rank);
    ranks_need(farsum_device_open(own, &device));
    return device;
}

double ranks_slowest(double seconds)
{
    double most = seconds;
    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static double random_real(uint64_t *state)
{
    return ldexp((double)(random_next(state) >> 11), -53);
}

void *ranks_array(farsum_device *device, farsum_precision type, int64_t n,
                  int64_t width, struct ranks_range first,
                  struct ranks_range rest, int clustered, uint64_t *state)
{
    int64_t real = type == FARSUM_F32 ? 4 : 8;
    void *host = NULL, *array = NULL;
    ranks_need(mem_alloc(&host, n * width, (size_t)real, 0));
    for (int64_t i = 0; i < n * width; i++) {
        struct ranks_range range = i % width == 0 ? first : rest;
        double v = range.low + (range.high - range.low) * random_real(state);
        if (clustered && i / width % 2)
            v = 0.5 + 0.05 * (random_real(state) + random_real(state) - 1);
        if (type == FARSUM_F32)
            ((float *)host)[i] = (float)v * 0.9999999F; /* below `high` */
        else
            ((double *)host)[i] = v;
    }
    if (!device)
        return host;
    if (n > 0)
        ranks_need(farsum_device_alloc(device, n * width * real, host, &array));
    mem_free(host);
    return array;
}

void ranks_array_free(farsum_device *device, void *array)
{
    if (device)
        farsum_device_free(device, array);
    else
        mem_free(array);
}
