/* SPDX-License-Identifier: Apache-2.0 */
/* transport_mpi.c: tests of exchanges between devices of MPI's ranks, on
 * FARSUM_TEST_DEVICE (default: opencl:0), or from its device 0 on if the
 * machine has one for each rank.
 *
 *     mpiexec -n N test_ranks_device_mpi N */
#include "mpi/comm_mpi.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ranks_device/transport_cases.h"

static struct comm *comm;

/* Returns the number of devices; 0: none. */
static int devices(void)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    struct device *device = NULL;
    int n = 0;
    if (name && *name)
        device_name = name;
    if (device_open(device_name, &device) != FARSUM_OK)
        return 0;
    CHECK_OK(device_count(device->backend, &n));
    device_close(device);
    return n;
}

static void run(const char *name)
{
    struct job job = {.name = name};
    CHECK_OK(transport_cases(comm, &job));
}

static void staged(void)
{
    run("staged");
}

static void chosen(void)
{
    run(NULL);
}

static void nccl(void)
{
    run("nccl");
}

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    int n = devices(), gpus = n > 0 && strncmp(device_name, "opencl", 6) != 0;
    if (n == 0)
        printf("skipped: %s\n", farsum_message());
    if (n > 0 && comm_mpi(MPI_COMM_WORLD, 0, &comm) != FARSUM_OK)
        check_stop("%s", farsum_message());
    if (comm && (argc != 2 || comm->size != atoi(argv[1])))
        check_stop("%d ranks instead of %s: the launcher is that of another "
                   "MPI; set FARSUM_MPIEXEC", comm->size, argv[argc - 1]);
    if (comm) {
        device_apart = gpus && comm->size <= n;
        RUN(staged);
        RUN(chosen);
        if (device_apart)
            RUN(nccl);
    }
    comm_destroy(comm);
    MPI_Finalize();
    return n > 0 ? check_end() : CHECK_SKIPPED;
}
