/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.c: agreement and sums among the copies of the command. */
#include "ranks/ranks.h"

#include "say.h"
#include "words.h"

#include "comm/exported.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NUMBERS = 32 }; /* of one sum */

struct ranks {
    int rank, size;
    const char *command;
    struct ranks_library library;
    struct comm *comm;
    char (*texts)[SAY_LONGEST]; /* [size]; owned, so that an agreement needs no
                                   memory */
    double *numbers;            /* [size][NUMBERS]; owned */
};

int ranks_rank(const struct ranks *r)
{
    return r ? r->rank : 0;
}

int ranks_size(const struct ranks *r)
{
    return r ? r->size : 1;
}

/* Ends all copies if they cannot communicate. */
static void check(struct ranks *r, farsum_status status)
{
    if (status == FARSUM_OK)
        return;
    say_show();
    say_error("%s: rank %d: %s", r->command, r->rank, words_message());
    r->library.world_abort(EXIT_FAILED);
}

void ranks_gather(struct ranks *r, const void *one, void *all, size_t bytes)
{
    check(r, r->comm->calls->gather(r->comm, one, all, (int64_t)bytes));
}

void ranks_counts(struct ranks *r, const int64_t *to, int64_t *from)
{
    check(r, r->comm->calls->counts(r->comm, to, from));
}

void ranks_trade(struct ranks *r, const void *send, const int64_t *to,
                 void *got, const int64_t *from)
{
    check(r, r->comm->calls->trade(r->comm, send, to, got, from));
}

/* --- agreement --- */

int ranks_agree(struct ranks *r, int status)
{
    double mine = status, *all;
    char text[SAY_LONGEST];
    int low = 0;
    if (!r)
        return status;
    all = r->numbers;
    ranks_gather(r, &mine, all, sizeof mine);
    while (low < r->size && all[low] == 0)
        low++;
    if (low == r->size)
        return 0;
    int agreed = (int)all[low];
    say_take(text);
    ranks_gather(r, text, r->texts, sizeof text);
    if (r->rank == 0 && *r->texts[low])
        say_told(low, r->texts[low]);
    return agreed;
}

/* --- sums --- */

static void reduce(struct ranks *r, double *values, int n, int largest)
{
    if (!r)
        return;
    ranks_gather(r, values, r->numbers, (size_t)n * sizeof *values);
    for (int k = 0; k < n; k++) {
        double out = r->numbers[k];
        for (int other = 1; other < r->size; other++) {
            double one = r->numbers[other * n + k];
            out = largest ? fmax(out, one) : out + one;
        }
        values[k] = out;
    }
}

void ranks_sum(struct ranks *r, double *values, int n)
{
    reduce(r, values, n, 0);
}

void ranks_max(struct ranks *r, double *values, int n)
{
    reduce(r, values, n, 1);
}

int ranks_any(struct ranks *r, int failed)
{
    double any = failed != 0;
    ranks_max(r, &any, 1);
    return any > 0;
}

/* --- start and end --- */

/* Says that the copies cannot work together: once on each node, because the
 * copies on other nodes may not know. */
static int fail_alone(const struct ranks_marks *marks, const char *command,
                      const char *why)
{
    if (marks->local == 0)
        say_show();
    say_error("%s: %s started several copies (%s), and libfarsum_mpi does not "
              "connect them: %s; use a libfarsum_mpi of the launcher's MPI, or "
              "start one copy, or give --ranks 1 if each sums a file of its "
              "own",
              command,
              strncmp(marks->name, "SLURM", 5) == 0 ? "srun" : "a launcher",
              marks->name, why);
    return EXIT_FAILED;
}

int ranks_open(const struct ranks_marks *marks, const char *command,
               struct ranks **ranks)
{
    struct ranks_library library = {0};
    struct comm *comm = NULL;
    char why[1200];
    if (ranks_library(&library, why, sizeof why) != 0)
        return fail_alone(marks, command, why);
    if (library.world(&comm) != FARSUM_OK)
        return fail_alone(marks, command, farsum_message());
    if (marks->size > 0 && comm->size != marks->size) {
        snprintf(why, sizeof why, "it found %d of %d copies, so its MPI is not "
                 "that of the launcher", comm->size, marks->size);
        library.world_end(comm);
        return fail_alone(marks, command, why);
    }
    struct ranks *r = calloc(1, sizeof *r);
    size_t size = (size_t)comm->size;
    char(*texts)[SAY_LONGEST] = calloc(size, sizeof *texts);
    double *numbers = calloc(size * NUMBERS, sizeof *numbers);
    if (!r || !texts || !numbers) {
        say_show();
        say_error("%s: rank %d: out of memory", command, comm->rank);
        library.world_abort(EXIT_FAILED);
        return EXIT_FAILED;
    }
    *r = (struct ranks){comm->rank, comm->size, command, library,
                        comm,       texts,      numbers};
    say_keep(comm->rank == 0);
    *ranks = r;
    return 0;
}

void ranks_close(struct ranks *r)
{
    if (!r)
        return;
    r->library.world_end(r->comm);
    free(r->texts);
    free(r->numbers);
    free(r);
}

struct comm *ranks_comm(struct ranks *r)
{
    struct comm *comm = NULL;
    return r->library.world(&comm) == FARSUM_OK ? comm : NULL;
}

void ranks_patience(struct ranks *r, double seconds)
{
    check(r, farsum_comm_patience(r->comm, seconds));
}

farsum_status ranks_end(struct ranks *r, farsum_status status)
{
    if (r && r->comm->patience > 0 && status == FARSUM_ERR_COMM)
        check(r, status);
    return status;
}

/* --- threads --- */

/* The processors of a copy. */
struct place {
    char host[64];
    cpu_set_t set;
};

int ranks_threads(struct ranks *r)
{
    struct place mine, *all = malloc((size_t)r->size * sizeof *all);
    int same = 0, bad = ranks_agree(r, all ? 0 : EXIT_FAILED);
    if (bad) {
        free(all);
        return 0;
    }
    memset(&mine, 0, sizeof mine);
    gethostname(mine.host, sizeof mine.host - 1);
    sched_getaffinity(0, sizeof mine.set, &mine.set);
    ranks_gather(r, &mine, all, sizeof mine);
    for (int k = 0; k < r->size; k++)
        same += memcmp(&mine, &all[k], sizeof mine) == 0;
    free(all);
    if (getenv("OMP_NUM_THREADS")) /* which some nodes may lack */
        return 0;
    int threads = CPU_COUNT(&mine.set) / (same > 0 ? same : 1);
    return threads > 0 ? threads : 1;
}
