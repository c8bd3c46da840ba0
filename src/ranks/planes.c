/* SPDX-License-Identifier: Apache-2.0 */
/* planes.c: halo planes by one exchange.  Two lists describe it, in the order
 * in which the planes travel: this rank's halo planes by owner, and this rank's
 * own planes that are in halos, by rank and halo plane. */
#include "ranks/planes.h"

#include <string.h>

#include "base/mem.h"
#include "base/par.h"

enum { CHUNK = 8192 }; /* bytes that a thread adds or copies at a time */

struct list {
    int64_t n;
    int64_t *at;    /* owned, [n]: plane of the extended mesh */
    int64_t *count; /* owned, [size]: entries by rank */
    int64_t *bytes; /* owned, [size]: the same for a run's channels */
    char *data;     /* owned, [n][channels][plane] */
};

struct planes {
    struct planes_args args;
    int64_t bytes; /* of a plane */
    struct list halo, own;
};

static int64_t wrap(int64_t plane, int64_t mesh0)
{
    plane %= mesh0;
    return plane < 0 ? plane + mesh0 : plane;
}

/* Appends the halo planes of rank r that rank `owner` owns: as planes of the
 * extended mesh of r, or of the owner (by_owner).  list->at NULL: only
 * counts. */
static void list_add(struct list *list, const struct planes_args *a, int r,
                     int owner, int by_owner)
{
    const int64_t *begin = a->begin;
    int64_t first = begin[r] - a->halo, n = begin[r + 1] - begin[r];
    int64_t mesh0 = begin[a->comm->size], before = list->n;
    for (int64_t p = 0; n > 0 && p < n + 2 * a->halo; p++) {
        int64_t plane = wrap(first + p, mesh0);
        if ((p >= a->halo && p < a->halo + n) || plane < begin[owner]
            || plane >= begin[owner + 1])
            continue;
        if (list->at)
            list->at[list->n] = by_owner ? plane - begin[owner] + a->halo : p;
        list->n++;
    }
    list->count[by_owner ? r : owner] = list->n - before;
}

/* The entries of this rank's list, in order. */
static void list_fill(struct list *list, const struct planes_args *a,
                      int by_owner)
{
    int rank = a->comm->rank;
    list->n = 0;
    for (int r = 0; r < a->comm->size; r++)
        list_add(list, a, by_owner ? r : rank, by_owner ? rank : r, by_owner);
}

static farsum_status list_create(struct list *list, const struct planes *planes,
                                 int by_owner)
{
    const struct planes_args *a = &planes->args;
    int size = a->comm->size;
    TRY(MEM_NEW(list->count, size));
    TRY(MEM_NEW(list->bytes, size));
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            TRY(MEM_RAW(list->at, list->n));
        list_fill(list, a, by_owner);
    }
    return mem_alloc((void **)&list->data, list->n * a->channels,
                     (size_t)planes->bytes, 0);
}

static void list_clear(struct list *list)
{
    mem_free(list->at);
    mem_free(list->count);
    mem_free(list->bytes);
    mem_free(list->data);
}

farsum_status planes_sent(const struct planes_args *args, int64_t sent[2],
                          int64_t *stored)
{
    struct list list = {0};
    *stored = 0;
    TRY(MEM_NEW(list.count, args->comm->size));
    for (int by_owner = 0; by_owner < 2; by_owner++) {
        list_fill(&list, args, by_owner);
        sent[by_owner] = list.n - list.count[args->comm->rank];
        *stored += list.n;
    }
    mem_free(list.count);
    return FARSUM_OK;
}

void planes_destroy(struct planes *planes)
{
    if (!planes)
        return;
    list_clear(&planes->halo);
    list_clear(&planes->own);
    mem_free(planes);
}

farsum_status planes_create(const struct planes_args *args,
                            struct planes **planes)
{
    farsum_status status = FARSUM_OK;
    struct planes *p = NULL;
    GO(MEM_NEW(p, 1));
    p->args = *args;
    p->bytes = args->plane * (args->precision == FARSUM_F32 ? 4 : 8);
    GO(list_create(&p->halo, p, 0));
    GO(list_create(&p->own, p, 1));
done:
    status = comm_agree(args->comm, status);
    if (status == FARSUM_OK) {
        p->args.begin = NULL;
        *planes = p;
        return FARSUM_OK;
    }
    planes_destroy(p);
    return status;
}

/* A run's mesh, in bytes. */
struct run {
    const struct planes *planes;
    char *mesh;
    int64_t channel;
    int channels;
};

static char *run_mesh(const struct run *run, const struct list *list, int64_t k,
                      int c)
{
    return run->mesh + c * run->channel + list->at[k] * run->planes->bytes;
}

static char *run_data(const struct run *run, const struct list *list, int64_t k,
                      int c)
{
    return list->data + (k * run->channels + c) * run->planes->bytes;
}

/* Copies the list's planes of the mesh to its data, or back. */
static void run_copy(const struct run *run, const struct list *list, int back)
{
    size_t bytes = (size_t)run->planes->bytes;
    PAR_FOR(run->planes->args.threads, schedule(static))
    for (int64_t i = 0; i < list->n * run->channels; i++) {
        int64_t k = i / run->channels;
        int c = (int)(i % run->channels);
        char *mesh = run_mesh(run, list, k, c);
        char *data = run_data(run, list, k, c);
        memcpy(back ? mesh : data, back ? data : mesh, bytes);
    }
}

static void add(char *to, const char *from, int64_t bytes, int f32)
{
    float *to32 = (float *)to;
    const float *from32 = (const float *)from;
    double *to64 = (double *)to;
    const double *from64 = (const double *)from;
    for (int64_t i = 0; f32 && i < bytes / 4; i++)
        to32[i] += from32[i];
    for (int64_t i = 0; !f32 && i < bytes / 8; i++)
        to64[i] += from64[i];
}

/* Adds the list's data to the mesh.  Each thread takes chunks of a plane
 * through the whole list, so that the order of the sums is the list's. */
static void run_add(const struct run *run, const struct list *list)
{
    int64_t bytes = run->planes->bytes, chunks = (bytes + CHUNK - 1) / CHUNK;
    int f32 = run->planes->args.precision == FARSUM_F32;
    PAR_FOR(run->planes->args.threads, schedule(static))
    for (int64_t i = 0; i < chunks * run->channels; i++) {
        int c = (int)(i / chunks);
        int64_t at = i % chunks * CHUNK;
        int64_t some = bytes - at < CHUNK ? bytes - at : CHUNK;
        for (int64_t k = 0; k < list->n; k++)
            add(run_mesh(run, list, k, c) + at, run_data(run, list, k, c) + at,
                some, f32);
    }
}

/* Sends the data of `from` and receives the data of `to`. */
static farsum_status run_trade(const struct run *run, struct list *from,
                               struct list *to)
{
    struct comm *comm = run->planes->args.comm;
    for (int r = 0; r < comm->size; r++) {
        from->bytes[r] = from->count[r] * run->channels * run->planes->bytes;
        to->bytes[r] = to->count[r] * run->channels * run->planes->bytes;
    }
    return comm_trade(comm, COMM_PLANES, from->data, from->bytes, to->data,
                      to->bytes);
}

static struct run run_of(const struct planes *planes, void *mesh,
                         int64_t mesh_channel, int channels)
{
    int64_t real = planes->args.precision == FARSUM_F32 ? 4 : 8;
    return (struct run){planes, mesh, mesh_channel * real, channels};
}

farsum_status planes_add(struct planes *planes, void *mesh,
                         int64_t mesh_channel, int channels)
{
    struct run run = run_of(planes, mesh, mesh_channel, channels);
    run_copy(&run, &planes->halo, 0);
    TRY(run_trade(&run, &planes->halo, &planes->own));
    run_add(&run, &planes->own);
    return FARSUM_OK;
}

farsum_status planes_fill(struct planes *planes, void *mesh,
                          int64_t mesh_channel, int channels)
{
    struct run run = run_of(planes, mesh, mesh_channel, channels);
    run_copy(&run, &planes->own, 0);
    TRY(run_trade(&run, &planes->own, &planes->halo));
    run_copy(&run, &planes->halo, 1);
    return FARSUM_OK;
}
