/* SPDX-License-Identifier: Apache-2.0 */
/* planes.c: halo planes by one exchange, which two lists describe. */
#include "ranks/planes_lists.h"

#include <string.h>

#include "base/mem.h"
#include "base/par.h"

enum { CHUNK = 8192 }; /* bytes that a thread adds or copies at a time */

/* One of the lists. */
struct side {
    struct planes_list list;
    char *data; /* owned, [list.n][channels][plane] */
};

struct planes {
    struct planes_args args;
    int64_t bytes; /* of a plane */
    struct side halo, own;
};

static farsum_status side_create(struct side *side, const struct planes *planes,
                                 enum planes_kind kind)
{
    const struct planes_args *a = &planes->args;
    TRY(planes_list_create(&side->list, a, kind));
    return mem_alloc((void **)&side->data, side->list.n * a->channels,
                     (size_t)planes->bytes, 0);
}

static void side_clear(struct side *side)
{
    planes_list_clear(&side->list);
    mem_free(side->data);
}

void planes_destroy(struct planes *planes)
{
    if (!planes)
        return;
    side_clear(&planes->halo);
    side_clear(&planes->own);
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
    GO(side_create(&p->halo, p, PLANES_HALO));
    GO(side_create(&p->own, p, PLANES_OWN));
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

static char *run_mesh(const struct run *run, const struct side *side, int64_t k,
                      int c)
{
    return run->mesh + c * run->channel + side->list.at[k] * run->planes->bytes;
}

static char *run_data(const struct run *run, const struct side *side, int64_t k,
                      int c)
{
    return side->data + (k * run->channels + c) * run->planes->bytes;
}

/* Copies the list's planes of the mesh to its data, or back. */
static void run_copy(const struct run *run, const struct side *side, int back)
{
    size_t bytes = (size_t)run->planes->bytes;
    PAR_FOR(run->planes->args.threads, schedule(static))
    for (int64_t i = 0; i < side->list.n * run->channels; i++) {
        int64_t k = i / run->channels;
        int c = (int)(i % run->channels);
        char *mesh = run_mesh(run, side, k, c);
        char *data = run_data(run, side, k, c);
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
static void run_add(const struct run *run, const struct side *side)
{
    int64_t bytes = run->planes->bytes, chunks = (bytes + CHUNK - 1) / CHUNK;
    int f32 = run->planes->args.precision == FARSUM_F32;
    PAR_FOR(run->planes->args.threads, schedule(static))
    for (int64_t i = 0; i < chunks * run->channels; i++) {
        int c = (int)(i / chunks);
        int64_t at = i % chunks * CHUNK;
        int64_t some = bytes - at < CHUNK ? bytes - at : CHUNK;
        for (int64_t k = 0; k < side->list.n; k++)
            add(run_mesh(run, side, k, c) + at, run_data(run, side, k, c) + at,
                some, f32);
    }
}

/* Sends the data of `from` and receives the data of `to`. */
static farsum_status run_trade(const struct run *run, struct side *from,
                               struct side *to)
{
    struct comm *comm = run->planes->args.comm;
    int64_t each = run->channels * run->planes->bytes;
    planes_list_bytes(&from->list, comm->size, each);
    planes_list_bytes(&to->list, comm->size, each);
    return comm_trade(comm, COMM_PLANES, from->data, from->list.bytes, to->data,
                      to->list.bytes);
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
