/* SPDX-License-Identifier: Apache-2.0 */
/* marks.c: what launchers of MPI leave in the environment of the copies
 * that they start.  Plain shells on a cluster do not have these variables. */
#include "ranks/ranks.h"

#include <stdlib.h>

#include "base/number.h"

struct launcher {
    const char *size, *rank, *local; /* size NULL: the rank is the only mark */
};

/* The first that is found counts.  Slurm's batch scripts have SLURM_NTASKS, but
 * only the tasks of srun have a step of several tasks. */
static const struct launcher launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK",
     "OMPI_COMM_WORLD_LOCAL_RANK"},                      /* Open MPI */
    {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK",
     "MV2_COMM_WORLD_LOCAL_RANK"},                       /* MVAPICH */
    {"PMI_SIZE", "PMI_RANK", "MPI_LOCALRANKID"},         /* MPICH, Intel MPI */
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "SLURM_LOCALID"},
    {NULL, "PMIX_RANK", "PMIX_LOCAL_RANK"},
};

/* A variable's number; -1: it has none. */
static int number_in(const char *name)
{
    const char *text = name ? getenv(name) : NULL, *end;
    uint64_t value = 0;
    if (!text || number_count(text, &end, &value) != NUMBER_OK || *end
        || value > 1 << 30)
        return -1;
    return (int)value;
}

struct ranks_marks ranks_marks(void)
{
    for (size_t k = 0; k < sizeof launchers / sizeof *launchers; k++) {
        const struct launcher *one = &launchers[k];
        int size = one->size ? number_in(one->size) : 0;
        int rank = number_in(one->rank), local = number_in(one->local);
        if (size < 0 || rank < 0)
            continue;
        return (struct ranks_marks){size, rank, local < 0 ? rank : local,
                                    one->size ? one->size : one->rank};
    }
    return (struct ranks_marks){.size = 1};
}

int ranks_are_marked(const struct ranks_marks *marks)
{
    return marks->size != 1;
}
