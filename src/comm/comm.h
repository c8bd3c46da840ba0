/* SPDX-License-Identifier: Apache-2.0 */
/* comm.h: communication among the ranks of a plan.
 *
 * A rank is a process of MPI, or a thread in tests.  Functions with a comm are
 * collective, except for comm_create: all ranks call the same functions in the
 * same order.  A rank that failed therefore continues with empty data until the
 * next comm_agree, which makes all ranks fail with the same words.
 *
 * If the network fails in a call, the call still returns FARSUM_OK, and its
 * outputs are 0.  So the rank makes the same later calls as the others.  The
 * next comm_agree fails on all ranks.  Before it, no output may decide which
 * call follows, or be an index.
 *
 * With patience, a call that waits for other ranks for longer loses them: it
 * and all later ones return without waiting, and each comm_agree fails on this
 * rank.  The others then lose this rank. */
#ifndef FARSUM_COMM_COMM_H
#define FARSUM_COMM_COMM_H

#include <stdint.h>

#include "base/status.h"

struct comm;
struct links;

/* What a back end provides.  Sizes are in bytes and may exceed 2^31. */
struct comm_calls {
    /* all [size][bytes]: what each rank gave, in rank order. */
    farsum_status (*gather)(struct comm *comm, const void *one, void *all,
                            int64_t bytes);
    /* from[r]: the number that rank r gave for this rank in its `to`. */
    farsum_status (*counts)(struct comm *comm, const int64_t *to,
                            int64_t *from);
    /* Sends to[r] bytes to each rank r, and receives from[r] bytes from it.
     * Both arrays hold the parts of the ranks in rank order, without gaps.
     * from[r] must be what rank r sends. */
    farsum_status (*trade)(struct comm *comm, const void *send,
                           const int64_t *to, void *got, const int64_t *from);
    void (*destroy)(struct comm *comm); /* NULL is legal */
    /* Gets ready for comm->patience > 0.  Not collective.  NULL: nothing to
     * do. */
    farsum_status (*ready)(struct comm *comm);
};

enum { COMM_PIECE = 256 }; /* bytes per rank of a reduction's gather */
enum { COMM_AGREED = 8 };  /* most values of comm_agree_max */

/* What an exchange is for. */
enum comm_part {
    COMM_TALK, /* agreements, sums, counts, samples */
    COMM_ROUTE,
    COMM_GHOSTS,
    COMM_PLANES,
    COMM_TRANSFORM,
    COMM_PARTS
};
/* The exchanges of a part so far. */
struct comm_spent {
    int64_t bytes;  /* that this rank sent to other ranks */
    double seconds; /* waiting for other ranks included */
};

/* Something that must end when the ranks agree on FARSUM_ERR_COMM, before any
 * memory is freed: exchanges that devices wait for. */
struct comm_guard {
    void (*broke)(struct comm_guard *guard);
    struct comm_guard *next;
};

struct comm {
    int rank, size;
    int node_rank;    /* its number among the ranks on its machine */
    const char *name; /* "self", "threads", "mpi" */
    const struct comm_calls *calls;
    struct comm_spent spent[COMM_PARTS];
    const struct links *links; /* borrowed, cost/links.h; NULL: as expected */
    void *inside; /* the back end's, zeroed by comm_create */
    void *pieces; /* [size][COMM_PIECE], so that reductions do not allocate */
    farsum_status failed;   /* the first failure of a call, until the ranks
                               agree on it */
    char words[COMM_PIECE]; /* its message */
    int broken;             /* 1: the ranks agreed on FARSUM_ERR_COMM */
    double patience;        /* seconds that a call waits; 0: for ever */
    int lost;               /* 1: a call waited in vain, set by its back end */
    struct comm_guard *guards; /* borrowed; called when `broken` becomes 1 */
};

/* For back ends: makes a comm with `bytes` bytes of `inside`.  Not collective:
 * the back end makes all ranks fail if one does.  Sets node_rank to rank. */
farsum_status comm_create(int rank, int size, const char *name,
                          const struct comm_calls *calls, int64_t bytes,
                          struct comm **comm);
/* self.c: one rank.  comm_destroy frees it. */
farsum_status comm_self(struct comm **comm);
void comm_destroy(struct comm *comm); /* NULL is legal */

/* Sets the patience.  Collective, for a comm that has none yet.  Errors:
 * ERR_ARGUMENT if it is not a number >= 0, or not the same on all ranks;
 * ERR_MEMORY. */
farsum_status comm_patience(struct comm *comm, double seconds);
/* For back ends: loses the other ranks.  who: "ranks 1, 3" or the like.
 * Returns FARSUM_ERR_COMM. */
farsum_status comm_lose(struct comm *comm, const char *who);

/* The back end's calls, counted in comm->spent.  They return FARSUM_OK. */
farsum_status comm_gather(struct comm *comm, const void *one, void *all,
                          int64_t bytes);
farsum_status comm_counts(struct comm *comm, const int64_t *to, int64_t *from);
farsum_status comm_trade(struct comm *comm, enum comm_part part,
                         const void *send, const int64_t *to, void *got,
                         const int64_t *from);

/* Keeps the first failure, with the thread's message, for the next comm_agree.
 * For exchanges that do not return their failures.  Not collective. */
void comm_remember(struct comm *comm, farsum_status status);
/* Calls the guards: exchanges that devices wait for must end now.  Not
 * collective; no exchange between devices works afterwards. */
void comm_let_go(struct comm *comm);
/* Not collective. */
void comm_guard_add(struct comm *comm, struct comm_guard *guard);
void comm_guard_remove(struct comm *comm, const struct comm_guard *guard);
/* The status of the lowest rank that failed, or FARSUM_OK, on all ranks.
 * FARSUM_ERR_COMM precedes all others, which may be its consequences.  The
 * message becomes that rank's, after "rank R: "; with one rank it stays as it
 * is.  A message that ranks agreed on before gets no second "rank R: ".  Does
 * not allocate.  If the network fails in an agreement, only this rank knows of
 * it; the next agreement tells all. */
farsum_status comm_agree(struct comm *comm, farsum_status status);
/* The same call, which also replaces values[0 .. n) by their largest over the
 * ranks, as comm_max does.  They decide nothing before the next agreement, as
 * all outputs. */
farsum_status comm_agree_max(struct comm *comm, farsum_status status,
                             double *values, int n);
/* Replaces values[0 .. n) by their sums over the ranks, added in rank order, so
 * that all ranks get the same bits.  It and the following return FARSUM_OK; if
 * the network fails, values stay as they are. */
farsum_status comm_sum(struct comm *comm, double *values, int n);
farsum_status comm_sum_counts(struct comm *comm, int64_t *values, int n);
/* The same for the largest values; NaN is larger than any number. */
farsum_status comm_max(struct comm *comm, double *values, int n);
/* Replaces data by rank 0's; bytes are the same on all ranks.  Returns the same
 * status on all ranks, also that of failed memory. */
farsum_status comm_share(struct comm *comm, void *data, int64_t bytes);
#endif
