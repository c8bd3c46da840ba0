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
    char *data; /* owned, [list.n][channels][blocks][plane] */
};

struct planes {
    struct planes_args args;
    int64_t bytes; /* of a block */
    struct side halo, own;
};

static farsum_status side_create(struct side *side, const struct planes *planes,
                                 enum planes_kind kind)
{
    const struct planes_args *a = &planes->args;
    TRY(planes_list_create(&side->list, a, kind));
    return mem_alloc((void **)&side->data,
                     side->list.n * a->channels * a->blocks * a->plane,
                     a->precision == FARSUM_F32 ? 4 : 8, 0);
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
    if (args->step == 0) {
        p->args.step = args->plane;
        p->args.first = 0;
        p->args.blocks = 1;
    }
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

/* Block b of channel c of the list's plane k. */
static char *run_mesh(const struct run *run, const struct side *side, int64_t k,
                      int c, int64_t b)
{
    const struct planes_args *a = &run->planes->args;
    int64_t real = a->precision == FARSUM_F32 ? 4 : 8;
    int64_t at = side->list.at[k] * a->step + a->first + b * a->block_step;
    return run->mesh + c * run->channel + at * real;
}

static char *run_data(const struct run *run, const struct side *side, int64_t k,
                      int c, int64_t b)
{
    int64_t blocks = run->planes->args.blocks;
    return side->data
           + ((k * run->channels + c) * blocks + b) * run->planes->bytes;
}

/* Copies the list's planes of the mesh to its data, or back. */
static void run_copy(const struct run *run, const struct side *side, int back)
{
    size_t bytes = (size_t)run->planes->bytes;
    int64_t blocks = run->planes->args.blocks, each = run->channels * blocks;
    PAR_FOR(run->planes->args.threads, schedule(static))
    for (int64_t i = 0; i < side->list.n * each; i++) {
        int64_t k = i / each, b = i % blocks;
        int c = (int)(i % each / blocks);
        char *mesh = run_mesh(run, side, k, c, b);
        char *data = run_data(run, side, k, c, b);
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

/* Adds the list's data to the mesh.  Each thread takes chunks of a block
 * through the whole list, so that the order of the sums is the list's. */
static void run_add(const struct run *run, const struct side *side)
{
    int64_t bytes = run->planes->bytes, chunks = (bytes + CHUNK - 1) / CHUNK;
    int f32 = run->planes->args.precision == FARSUM_F32;
    int64_t blocks = run->planes->args.blocks;
    PAR_FOR(run->planes->args.threads, schedule(static))
    for (int64_t i = 0; i < chunks * blocks * run->channels; i++) {
        int c = (int)(i / chunks / blocks);
        int64_t b = i / chunks % blocks, at = i % chunks * CHUNK;
        int64_t some = bytes - at < CHUNK ? bytes - at : CHUNK;
        for (int64_t k = 0; k < side->list.n; k++)
            add(run_mesh(run, side, k, c, b) + at,
                run_data(run, side, k, c, b) + at, some, f32);
    }
}

/* Sends the data of `from` and receives the data of `to`. */
static farsum_status run_trade(const struct run *run, struct side *from,
                               struct side *to)
{
    struct comm *comm = run->planes->args.comm;
    int64_t each =
        run->channels * run->planes->args.blocks * run->planes->bytes;
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
