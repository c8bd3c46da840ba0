/* SPDX-License-Identifier: Apache-2.0 */
/* world.c: tests of a program that opens libfarsum_mpi at run time.
 *
 *     mpiexec -n N test_ranks_world LIBRARY ends N
 *     mpiexec -n N test_ranks_world LIBRARY aborts N   the last rank aborts */
#include "mpi/world.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "comm/exported.h"

static int ranks; /* of the job */
static farsum_mpi_world_fn *world;
static farsum_mpi_world_end_fn *world_end;
static farsum_mpi_world_abort_fn *world_abort;

static void open_library(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        check_stop("%s", dlerror());
    *(void **)&world = dlsym(library, "farsum_mpi_world");
    *(void **)&world_end = dlsym(library, "farsum_mpi_world_end");
    *(void **)&world_abort = dlsym(library, "farsum_mpi_world_abort");
    if (!world || !world_end || !world_abort)
        check_stop("%s lacks a function", path);
}

/* Each rank gets all ranks' numbers, by each of two comms. */
static void test_two(void)
{
    struct comm *one[2] = {NULL, NULL};
    int64_t all[64];
    for (int k = 0; k < 2; k++) {
        CHECK_OK(world(&one[k]));
        CHECK(one[k]->size == ranks && strcmp(one[k]->name, "mpi") == 0,
              "%d ranks of %s", one[k]->size, one[k]->name);
    }
    for (int k = 1; k >= 0; k--) {
        int64_t mine = 10 * one[k]->rank + k;
        CHECK_OK(one[k]->calls->gather(one[k], &mine, all, sizeof mine));
        for (int r = 0; r < ranks; r++)
            CHECK(all[r] == 10 * r + k, "%lld of rank %d", (long long)all[r],
                  r);
    }
    farsum_comm_destroy(one[1]);
    world_end(one[0]);
    CHECK_FAILS(world(&one[0]), FARSUM_ERR_STATE);
    CHECK_SAYS("MPI is finalized");
    world_end(NULL);
}

/* The last rank aborts while the others wait for it. */
static void aborts(void)
{
    struct comm *comm = NULL;
    char all[64];
    CHECK_OK(world(&comm));
    if (comm->rank == ranks - 1) {
        printf("rank %d aborts\n", comm->rank);
        fflush(stdout);
        world_abort(5);
    }
    comm->calls->gather(comm, "", all, 1);
    printf("rank %d goes on\n", comm->rank);
    exit(0);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        check_stop("the arguments are LIBRARY, WHAT and the number of ranks");
    ranks = atoi(argv[3]);
    open_library(argv[1]);
    if (strcmp(argv[2], "aborts") == 0)
        aborts();
    RUN(test_two);
    return check_end();
}
