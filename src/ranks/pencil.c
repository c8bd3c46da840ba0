/* SPDX-License-Identifier: Apache-2.0 */
/* pencil.c: rows of a pencil are transformed, travel to the owners of their
 * modes k2, and are transformed along axis 1.  What arises is a slab whose
 * planes are in modes already (slab_args.modes). */
#include "ranks/pencil.h"

#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "ranks/lines.h"

struct pencil {
    struct pencil_args args;
    struct slab *slab;
    /* The rest is used if ranks[1] > 1. */
    struct group group;   /* the ranks with the same planes */
    int64_t planes, rows; /* of this rank */
    int64_t *modes;       /* owned, [ranks[1] + 1]: as args.modes */
    int64_t size;         /* bytes of a complex number */
    int64_t tile, tiles;  /* rows of a transform; transforms of a plane */
    char *packed; /* owned: for each other rank [rows][planes][its modes] */
    char *column; /* owned: [rows of the others][planes][own modes] */
    char *data;   /* owned: [planes][mesh1][own modes] */
    int64_t *to, *from; /* owned, [comm->size]: bytes of the first exchange */
    struct transforms transforms; /* of rows */
    struct lines lines;           /* along axis 1 */
};

static int64_t part(const int64_t *begin, int r)
{
    return begin[r + 1] - begin[r];
}

/* The slab behind the first exchange. */
static struct slab_args pencil_slab(const struct pencil_args *args)
{
    struct slab_args slab = args->slab;
    int rank = args->slab.comm->rank;
    if (args->ranks[1] == 1)
        return slab;
    struct group row = group_axis(rank, args->ranks, 1);
    slab.group = group_axis(rank, args->ranks, 0);
    slab.modes = 1;
    slab.first = args->modes[row.rank];
    slab.mesh[2] = part(args->modes, row.rank);
    slab.ldz = 2 * slab.mesh[2];
    return slab;
}

void pencil_sent(const struct pencil_args *args, int64_t sent[2][2],
                 int64_t *columns, int64_t *stored)
{
    struct slab_args slab = pencil_slab(args);
    slab_sent(&slab, sent[1], columns);
    sent[0][0] = sent[0][1] = *stored = 0;
    if (args->ranks[1] == 1)
        return;
    struct group row = group_axis(slab.comm->rank, args->ranks, 1);
    int64_t planes = part(slab.begin0, slab.group.rank);
    int64_t rows = part(args->rows, row.rank), own = slab.mesh[2];
    int64_t size = slab.precision == FARSUM_F32 ? 8 : 16;
    sent[0][0] = planes * rows * (args->modes[row.size] - own) * size;
    sent[0][1] = planes * (slab.mesh[1] - rows) * own * size;
    *stored = planes * slab.mesh[1] * own * size;
}

static farsum_status pencil_check(const struct pencil_args *a)
{
    const struct slab_args *s = &a->slab;
    int columns = a->ranks[1];
    if (a->ranks[0] < 1 || columns < 1
        || (int64_t)a->ranks[0] * columns != s->comm->size)
        FAIL(ERR_ARGUMENT, "pencils: %d x %d ranks, not %d", a->ranks[0],
             columns, s->comm->size);
    if (columns == 1)
        return FARSUM_OK;
    if (s->order || s->kept_rows || s->batch > 1
        || s->begin0[a->ranks[0]] != s->mesh[0] || a->rows[0] != 0
        || a->rows[columns] != s->mesh[1] || a->modes[0] != 0
        || a->modes[columns] > s->mesh[2] / 2 + 1)
        FAIL(ERR_INTERNAL, "pencils: rows, modes or options of slabs");
    for (int64_t k = 0; k < s->mesh[1]; k++)
        if ((s->columns ? s->columns[k] : s->mesh[2] / 2 + 1)
            > a->modes[columns])
            FAIL(ERR_INTERNAL, "pencils: row %lld keeps more than %lld modes",
                 (long long)k, (long long)a->modes[columns]);
    return FARSUM_OK;
}

/* Bytes that travel to and from the ranks of the row. */
static farsum_status pencil_exchange(struct pencil *p)
{
    int64_t own = part(p->modes, p->group.rank), packed = 0;
    for (int q = 0; q < p->group.size; q++) {
        int64_t modes = part(p->modes, q), rows = part(p->args.rows, q);
        int at = group_rank(&p->group, q);
        if (q == p->group.rank)
            continue;
        packed += p->rows * p->planes * modes;
        p->to[at] = p->rows * p->planes * modes * p->size;
        p->from[at] = rows * p->planes * own * p->size;
    }
    int64_t others = p->args.slab.mesh[1] - p->rows;
    TRY(mem_alloc((void **)&p->packed, packed, (size_t)p->size, 0));
    return mem_alloc((void **)&p->column, others * p->planes * own,
                     (size_t)p->size, 0);
}

/* Threads take whole planes, or equal parts of them if planes are few. */
static farsum_status pencil_transforms(struct pencil *p)
{
    const struct slab_args *a = &p->args.slab;
    int threads = a->threads > 1 ? a->threads : 1;
    int64_t all = p->planes * p->rows;
    if (all == 0)
        return FARSUM_OK;
    p->tile = p->rows;
    while (p->tile > 1
           && (p->rows % p->tile != 0
               || (p->planes < threads && p->tile * threads > all)))
        p->tile--;
    p->tiles = p->rows / p->tile;
    struct fft_args fft = {.precision = a->precision,
                           .threads = 1,
                           .mesh = {1, 1, a->mesh[2]},
                           .ldz = a->ldz,
                           .patient = a->patient,
                           .batch = {(int)p->tile, (int)p->tile}};
    return transforms_create(&p->transforms, a, &fft, threads);
}

/* Lines along axis 1, one for each own plane and mode. */
static farsum_status pencil_lines(struct pencil *p)
{
    const struct slab_args *a = &p->args.slab;
    int64_t own = part(p->modes, p->group.rank), c = 0;
    struct slab_args along = {.comm = a->comm,
                              .group = p->group,
                              .begin0 = p->args.rows,
                              .mesh = {a->mesh[1], 1, 1},
                              .ldz = a->ldz,
                              .precision = a->precision,
                              .threads = a->threads,
                              .patient = a->patient,
                              .choose = a->choose};
    TRY(mem_alloc((void **)&p->data, p->planes * a->mesh[1] * own,
                  (size_t)p->size, 0));
    TRY(lines_create(&p->lines, &along, p->planes * own));
    p->lines.row = own;
    p->lines.plane = a->ldz / 2;
    for (int64_t x = 0; x < p->planes; x++)
        for (int64_t k = 0; k < own; k++) {
            p->lines.place[c] = x * a->mesh[1] * own + k;
            p->lines.own_place[c++] =
                x * (p->args.plane / 2) + p->modes[p->group.rank] + k;
        }
    return FARSUM_OK;
}

/* What the first exchange needs. */
static farsum_status pencil_front(struct pencil *p)
{
    const struct pencil_args *a = &p->args;
    int size = a->slab.comm->size, rank = a->slab.comm->rank;
    p->group = group_axis(rank, a->ranks, 1);
    p->planes = part(a->slab.begin0, group_axis(rank, a->ranks, 0).rank);
    p->rows = part(a->rows, p->group.rank);
    p->size = a->slab.precision == FARSUM_F32 ? 8 : 16;
    TRY(MEM_RAW(p->modes, p->group.size + 1));
    memcpy(p->modes, a->modes, (size_t)(p->group.size + 1) * sizeof *p->modes);
    TRY(MEM_NEW(p->to, size));
    TRY(MEM_NEW(p->from, size));
    TRY(pencil_exchange(p));
    TRY(pencil_transforms(p));
    return pencil_lines(p);
}

void pencil_destroy(struct pencil *p)
{
    if (!p)
        return;
    slab_destroy(p->slab);
    transforms_clear(&p->transforms);
    lines_clear(&p->lines);
    mem_free(p->modes);
    mem_free(p->packed);
    mem_free(p->column);
    mem_free(p->data);
    mem_free(p->to);
    mem_free(p->from);
    mem_free(p);
}

farsum_status pencil_create(const struct pencil_args *args,
                            struct pencil **pencil)
{
    farsum_status status = FARSUM_OK;
    struct pencil *p = NULL;
    GO(MEM_NEW(p, 1));
    p->args = *args;
    GO(pencil_check(args));
    if (args->ranks[1] > 1)
        GO(pencil_front(p));
done:
    status = comm_agree(args->slab.comm, status);
    if (status == FARSUM_OK) {
        const struct slab_args slab = pencil_slab(args);
        status = slab_create(&slab, &p->slab);
    }
    if (status != FARSUM_OK) {
        pencil_destroy(p);
        return status;
    }
    p->args.rows = p->args.modes = NULL;
    p->args.slab.begin0 = p->args.slab.begin1 = p->args.slab.columns = NULL;
    *pencil = p;
    return FARSUM_OK;
}

/* Copies row y of plane x to `packed`, or back.  back: modes that no rank has
 * become 0. */
static void pencil_pack(const struct pencil *p, char *row, int64_t x, int64_t y,
                        int back)
{
    int64_t start = 0, half = p->args.slab.mesh[2] / 2 + 1;
    int64_t kept = p->modes[p->group.size];
    for (int q = 0; q < p->group.size; q++) {
        int64_t modes = part(p->modes, q);
        char *at = row + p->modes[q] * p->size;
        char *packed =
            p->packed + (start + (y * p->planes + x) * modes) * p->size;
        if (q == p->group.rank)
            continue;
        memcpy(back ? at : packed, back ? packed : at,
               (size_t)(modes * p->size));
        start += p->rows * p->planes * modes;
    }
    if (back)
        memset(row + kept * p->size, 0, (size_t)((half - kept) * p->size));
}

/* Transforms the own rows of a channel, and copies them to or from `packed`. */
static farsum_status pencil_rows(const struct pencil *p, char *mesh,
                                 int backward)
{
    int64_t line = p->args.slab.ldz / 2 * p->size;
    int64_t plane = p->args.plane / 2 * p->size;
    int worst = FARSUM_OK;
    if (p->transforms.n == 0)
        return FARSUM_OK;
    PAR_FOR(p->transforms.n, schedule(static) reduction(max : worst))
    for (int64_t i = 0; i < p->planes * p->tiles; i++) {
        int64_t x = i / p->tiles, y = i % p->tiles * p->tile;
        char *at = mesh + x * plane + y * line;
        for (int64_t k = 0; backward && k < p->tile; k++)
            pencil_pack(p, at + k * line, x, y + k, 1);
        int status =
            transforms_run(&p->transforms, omp_get_thread_num(), at, backward);
        worst = status > worst ? status : worst;
        for (int64_t k = 0; !backward && k < p->tile; k++)
            pencil_pack(p, at + k * line, x, y + k, 0);
    }
    return transforms_status(worst);
}

/* The lines of a channel along axis 1. */
static farsum_status pencil_axis(const struct pencil *p, char *mesh,
                                 int backward)
{
    const struct lines_sides sides = {.columns = p->column,
                                      .row = p->lines.count,
                                      .planes = mesh,
                                      .spectrum = p->data};
    return lines_run(&p->lines, &sides, backward);
}

/* Channel c, and its planes in modes. */
static char *pencil_mesh(const struct pencil *p, const struct slab_io *io,
                         int c)
{
    return (char *)io->mesh + c * io->mesh_channel * (p->size / 2);
}

static struct slab_io pencil_inner(const struct pencil *p,
                                   const struct slab_io *io, int c)
{
    int64_t at = c * io->spectrum_channel * (p->size / 2);
    return (struct slab_io){
        .mesh = p->data, .spectrum = (char *)io->spectrum + at, .channels = 1};
}

farsum_status pencil_forward(struct pencil *p, const struct slab_io *io)
{
    farsum_status status = FARSUM_OK;
    struct comm *comm = p->args.slab.comm;
    if (p->args.ranks[1] == 1)
        return slab_forward(p->slab, io);
    for (int c = 0; c < io->channels; c++) {
        char *mesh = pencil_mesh(p, io, c);
        const struct slab_io inner = pencil_inner(p, io, c);
        KEEP_ON(pencil_rows(p, mesh, 0));
        KEEP_ON(comm_trade(comm, COMM_TRANSFORM, p->packed, p->to, p->column,
                           p->from));
        KEEP_ON(pencil_axis(p, mesh, 0));
        KEEP_ON(slab_forward(p->slab, &inner));
    }
    return status;
}

farsum_status pencil_backward(struct pencil *p, const struct slab_io *io)
{
    farsum_status status = FARSUM_OK;
    struct comm *comm = p->args.slab.comm;
    if (p->args.ranks[1] == 1)
        return slab_backward(p->slab, io);
    for (int c = 0; c < io->channels; c++) {
        char *mesh = pencil_mesh(p, io, c);
        const struct slab_io inner = pencil_inner(p, io, c);
        KEEP_ON(slab_backward(p->slab, &inner));
        KEEP_ON(pencil_axis(p, mesh, 1));
        KEEP_ON(comm_trade(comm, COMM_TRANSFORM, p->column, p->from, p->packed,
                           p->to));
        KEEP_ON(pencil_rows(p, mesh, 1));
    }
    return status;
}
