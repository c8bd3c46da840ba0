/* SPDX-License-Identifier: Apache-2.0 */
/* sends.h: a repeated exchange: which points go to which ranks.
 *
 * route.h and ghosts.h decide the targets of each plane and sort once per set.
 * Later exchanges pack values by `index` and send them.  What arrives is
 * ordered by sending rank, then by the sender's points, then by image: it
 * depends neither on threads nor on which message came first. */
#ifndef FARSUM_RANKS_SENDS_H
#define FARSUM_RANKS_SENDS_H

#include "comm/comm.h"
#include "ranks/domain.h"

/* A part of an axis (domain.h) that needs a plane's points, moved by `image`
 * periods. */
struct target {
    int rank;
    int64_t image;
};
/* The targets of planes first <= k < first + planes.  Pencils have targets of
 * each axis, and a point is sent to all pairs of them. */
struct targets {
    int64_t first, planes;
    int64_t *start;      /* owned, [planes + 1]: where each plane's targets
                            begin in list */
    struct target *list; /* owned, [start[planes]]: by plane, image, rank */
    int64_t start_capacity, list_capacity;
};

struct sends {
    int size, threads;
    enum comm_part part;   /* COMM_ROUTE or COMM_GHOSTS */
    int64_t bytes_most;    /* of a value */
    int64_t n_sent, n_got; /* points sent and received; a rank may send to
                              itself */
    int64_t *to, *from;    /* owned, [size]: points for and from each rank */
    int64_t *index;        /* owned, [n_sent]: the sent points, by target */
    char *packed;          /* owned, [n_sent * bytes_most] */
    int64_t index_capacity, packed_capacity;
    int64_t *count; /* owned: each thread's points for each rank */
    int64_t *to_bytes, *from_bytes; /* owned, [size] */
};

/* bytes_most: the size of the largest value that will be exchanged, at least
 * 8.  Not collective, and it owns nothing on failure.  The caller agrees with
 * the other ranks before the first set. */
farsum_status sends_create(struct sends *sends, enum comm_part part, int size,
                           int64_t bytes_most, int threads);
void sends_destroy(struct sends *sends); /* a zeroed struct is legal */
void targets_clear(struct targets *targets);

/* What a sort writes to `packed`: nothing, or each sent point's fraction in its
 * target's own cell along an axis, to ((double *)packed)[k]. */
enum sends_packs { SENDS_NOTHING = -1, SENDS_AXIS_0, SENDS_AXIS_1 };

/* Sorts the points by target: sets n_sent, `to` and `index`.  targets: of each
 * cut axis.  s [axes][n]: fractions of the whole cell; their planes must be
 * among the targets'.  keep: 1: a point is not sent to this rank's own parts
 * without an image.  Not collective.  If it fails on one rank, all ranks call
 * sends_forget before the next exchange. */
farsum_status sends_sort(struct sends *sends, const struct domain *domain,
                         const struct targets *targets, int64_t n,
                         double *const s[], int keep, enum sends_packs packs);
/* Exchanges the numbers of points: sets `from` and n_got.  Collective. */
farsum_status sends_count(struct sends *sends, struct comm *comm);
/* Forgets the points of the last set. */
void sends_forget(struct sends *sends);

/* Sends values[index[k]] of `bytes` each; got [n_got] of `bytes` each receives
 * what was sent to this rank.  It allocates nothing.  Collective, and so are
 * the next two. */
farsum_status sends_there(struct sends *sends, struct comm *comm,
                          const void *values, int64_t bytes, void *got);
/* Sends what is in `packed` already. */
farsum_status sends_packed(struct sends *sends, struct comm *comm,
                           int64_t bytes, void *got);
/* The reverse: `got` returns to its senders, which store it in
 * values[index[k]]. */
farsum_status sends_back(struct sends *sends, struct comm *comm,
                         const void *got, int64_t bytes, void *values);
#endif
