/* SPDX-License-Identifier: Apache-2.0 */
/* given.c: points that ranks give, for tests. */
#include "ranks/given.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check.h"

const int given_sizes[] = {1, 2, 3, 4, 7, 13, 0};

static double uniform(uint64_t *state)
{
    return (double)(random_next(state) >> 11) * 0x1p-53;
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Ends of `size` random parts of 0 .. n. */
static void random_parts(int64_t *end, int size, int64_t n, uint64_t *state)
{
    end[0] = 0;
    for (int r = 1; r < size; r++)
        end[r] = (int64_t)(uniform(state) * (double)(n + 1));
    end[size] = n;
    qsort(end, (size_t)size + 1, sizeof *end, ascending);
}

static void even_parts(int64_t *end, int size, int64_t n)
{
    for (int r = 0; r <= size; r++)
        end[r] = n * r / size;
}

static double place(const struct given *given, enum given_places places,
                    uint64_t *state)
{
    double planes = (double)given->mesh0, s = uniform(state);
    if (places == PLACES_PLANE)
        s = ((double)(given->mesh0 / 2) + s) / planes;
    if (places == PLACES_EDGES) {
        s = floor(s * planes) / planes;
        uint64_t side = random_next(state) % 4;
        if (side == 1)
            s = nextafter(s, -1);
        if (side == 2)
            s = nextafter(s, 2);
        if (side == 3)
            s = random_next(state) % 2 ? 1 - 0x1p-53 : 0x1p-1074;
    }
    return s >= 0 && s < 1 ? s : 0;
}

void given_make(struct given *given, int size, int64_t mesh0, int64_t halo,
                enum given_cut cut, int64_t n, enum given_share share,
                enum given_places places, uint64_t seed)
{
    uint64_t state = seed;
    *given = (struct given){.size = size, .mesh0 = mesh0, .halo = halo, .n = n};
    even_parts(given->begin, size, mesh0);
    even_parts(given->first, size, n);
    if (cut == CUT_UNEVEN)
        random_parts(given->begin, size, mesh0, &state);
    if (share == SHARE_RANDOM)
        random_parts(given->first, size, n, &state);
    for (int r = 1; r < size; r++) {
        if (cut == CUT_ONE)
            given->begin[r] = 0;
        if (share == SHARE_ALL || (share == SHARE_RANDOM && r == size - 1))
            given->first[r] = n;
    }
    for (int d = 0; d < 3; d++) {
        given->s[d] = check_memory((size_t)n + 1, sizeof(double));
        for (int64_t i = 0; i < n; i++)
            given->s[d][i] = d ? uniform(&state) : place(given, places, &state);
    }
}

void given_free(struct given *given)
{
    for (int d = 0; d < 3; d++)
        free(given->s[d]);
}

int64_t given_plane(const struct given *given, int64_t i)
{
    return (int64_t)floor(given->s[0][i] * (double)given->mesh0);
}

int given_owner(const struct given *given, int64_t i)
{
    int64_t plane = given_plane(given, i);
    for (int r = 0; r < given->size; r++)
        if (given->begin[r] <= plane && plane < given->begin[r + 1])
            return r;
    check_stop("point %lld has no owner", (long long)i);
}

static farsum_status counted_gather(struct comm *comm, const void *one,
                                    void *all, int64_t bytes)
{
    struct counted *c = comm->inside;
    c->gathers++;
    return c->inner->calls->gather(c->inner, one, all, bytes);
}

static farsum_status counted_counts(struct comm *comm, const int64_t *to,
                                    int64_t *from)
{
    struct counted *c = comm->inside;
    c->counts++;
    return c->inner->calls->counts(c->inner, to, from);
}

static farsum_status counted_trade(struct comm *comm, const void *send,
                                   const int64_t *to, void *got,
                                   const int64_t *from)
{
    struct counted *c = comm->inside;
    c->trades++;
    for (int r = 0; r < comm->size; r++)
        *(r == comm->rank ? &c->bytes_self : &c->bytes_others) += to[r];
    return c->inner->calls->trade(c->inner, send, to, got, from);
}

static const struct comm_calls counted_calls = {
    .gather = counted_gather, .counts = counted_counts, .trade = counted_trade};

struct comm *counted_make(struct counted *counted, struct comm *inner)
{
    *counted = (struct counted){.comm = *inner, .inner = inner};
    counted->comm.calls = &counted_calls;
    counted->comm.inside = counted;
    return &counted->comm;
}
