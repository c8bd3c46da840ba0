/* SPDX-License-Identifier: Apache-2.0 */
/* slab.c: planes are transformed where they are.  The kept columns go to the
 * owners of their rows, arrive in order of axis 0, and are transformed along
 * it.  Columns of own rows stay in the planes.  Backward goes the same way in
 * reverse. */
#include "ranks/slab.h"

#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "ranks/lines.h"

/* A row of the planes, k1, in the exchange: row k1 of plane p is `kept` numbers
 * at start + p step of `packed`.  Own rows are not exchanged. */
struct row {
    int64_t kept, start, step;
    int own;
};

struct slab {
    struct slab_args args;
    int64_t planes;       /* of this rank */
    int64_t rows;         /* of its spectrum */
    int64_t *stored;      /* owned, [rows]: k1 of these rows */
    int64_t size;         /* bytes of a complex number */
    struct row *row;      /* owned, [mesh1] */
    char *packed; /* owned: for each other rank [planes][columns of its rows] */
    char *column; /* owned, [planes of the others][columns of this rank's
                     rows] */
    int64_t *packed_bytes, *column_bytes; /* owned, [size]: parts of ranks */
    struct transforms transforms;         /* of a plane */
    struct lines lines;
};

static int64_t slab_half(const struct slab_args *args)
{
    return args->mesh[2] / 2 + 1;
}

/* Columns of row k1. */
static int64_t slab_kept(const struct slab_args *args, int64_t k1)
{
    return args->columns ? args->columns[k1] : slab_half(args);
}

/* Columns of the rows of a rank. */
static int64_t slab_columns(const struct slab_args *args, int rank)
{
    int64_t sum = 0;
    for (int64_t k1 = args->begin1[rank]; k1 < args->begin1[rank + 1]; k1++)
        sum += slab_kept(args, k1);
    return sum;
}

static farsum_status slab_rows(struct slab *s)
{
    const struct slab_args *a = &s->args;
    int64_t at = 0;
    for (int r = 0; r < a->comm->size; r++) {
        int64_t step = slab_columns(a, r), start = at;
        int own = r == a->comm->rank;
        for (int64_t k1 = a->begin1[r]; k1 < a->begin1[r + 1]; k1++) {
            int64_t kept = slab_kept(a, k1);
            if (kept < 0 || kept > slab_half(a))
                FAIL(ERR_INTERNAL, "row %lld keeps %lld of %lld columns",
                     (long long)k1, (long long)kept, (long long)slab_half(a));
            s->row[k1] = (struct row){kept, start, step, own};
            start += kept;
        }
        if (own)
            continue;
        at += s->planes * step;
        s->packed_bytes[r] = s->planes * step * s->size;
        s->column_bytes[r] = (a->begin0[r + 1] - a->begin0[r])
                             * slab_columns(a, a->comm->rank) * s->size;
    }
    return mem_alloc((void **)&s->packed, at, (size_t)s->size, 0);
}

/* Lists the rows of the spectrum. */
static farsum_status slab_stored(struct slab *s)
{
    const struct slab_args *a = &s->args;
    const int64_t *begin = a->begin1 + a->comm->rank;
    TRY(MEM_RAW(s->stored, begin[1] - begin[0]));
    for (int64_t k1 = begin[0]; k1 < begin[1]; k1++)
        if (!a->kept_rows || slab_kept(a, k1) > 0)
            s->stored[s->rows++] = k1;
    return FARSUM_OK;
}

void slab_sent(const struct slab_args *a, int64_t sent[2], int64_t *columns)
{
    int rank = a->comm->rank;
    int64_t planes = a->begin0[rank + 1] - a->begin0[rank], all = 0;
    int64_t size = a->precision == FARSUM_F32 ? 8 : 16;
    for (int r = 0; r < a->comm->size; r++)
        all += slab_columns(a, r);
    *columns = slab_columns(a, rank);
    sent[0] = planes * (all - *columns) * size;
    sent[1] = (a->mesh[0] - planes) * *columns * size;
}

/* Threads take whole planes if there are enough. */
static farsum_status slab_transforms(struct slab *s)
{
    const struct slab_args *a = &s->args;
    int whole = s->planes >= a->threads;
    struct fft_args fft = {.precision = a->precision,
                           .threads = whole ? 1 : a->threads,
                           .mesh = {1, a->mesh[1], a->mesh[2]},
                           .ldz = a->ldz,
                           .patient = a->patient};
    if (s->planes == 0)
        return FARSUM_OK;
    return transforms_create(&s->transforms, a, &fft, whole ? a->threads : 1);
}

static farsum_status slab_lines(struct slab *s)
{
    const struct slab_args *a = &s->args;
    int64_t count = slab_columns(a, a->comm->rank), c = 0;
    TRY(mem_alloc((void **)&s->column, (a->mesh[0] - s->planes) * count,
                  (size_t)s->size, 0));
    TRY(lines_create(&s->lines, a, count));
    for (int64_t row = 0; row < s->rows; row++)
        for (int64_t k2 = 0; k2 < s->row[s->stored[row]].kept; k2++) {
            int64_t k1 = s->stored[row];
            s->lines.place[c] = row * a->mesh[0] * (a->ldz / 2) + k2;
            s->lines.own_place[c++] = k1 * (a->ldz / 2) + k2;
        }
    return FARSUM_OK;
}

void slab_destroy(struct slab *slab)
{
    if (!slab)
        return;
    transforms_clear(&slab->transforms);
    lines_clear(&slab->lines);
    mem_free(slab->row);
    mem_free(slab->stored);
    mem_free(slab->packed);
    mem_free(slab->column);
    mem_free(slab->packed_bytes);
    mem_free(slab->column_bytes);
    mem_free(slab);
}

farsum_status slab_create(const struct slab_args *args, struct slab **slab)
{
    farsum_status status = FARSUM_OK;
    struct slab *s = NULL;
    int rank = args->comm->rank, size = args->comm->size;
    GO(MEM_NEW(s, 1));
    s->args = *args;
    s->planes = args->begin0[rank + 1] - args->begin0[rank];
    s->size = args->precision == FARSUM_F32 ? 8 : 16;
    GO(MEM_NEW(s->row, args->mesh[1]));
    GO(MEM_NEW(s->packed_bytes, size));
    GO(MEM_NEW(s->column_bytes, size));
    GO(slab_rows(s));
    GO(slab_stored(s));
    GO(slab_transforms(s));
    GO(slab_lines(s));
done:
    status = comm_agree(args->comm, status);
    if (status != FARSUM_OK) {
        slab_destroy(s);
        return status;
    }
    s->args.begin0 = s->args.begin1 = s->args.columns = NULL;
    *slab = s;
    return FARSUM_OK;
}

/* Copies the kept numbers of plane p to `packed`, or back.  back: the others
 * become 0. */
static void slab_pack(const struct slab *s, char *plane, int64_t p, int back)
{
    int64_t line = s->args.ldz / 2 * s->size;
    size_t half = (size_t)(slab_half(&s->args) * s->size);
    for (int64_t k1 = 0; k1 < s->args.mesh[1]; k1++) {
        const struct row *row = &s->row[k1];
        char *packed = s->packed + (row->start + p * row->step) * s->size;
        char *at = plane + k1 * line;
        size_t kept = (size_t)(row->kept * s->size);
        if (!row->own)
            memcpy(back ? at : packed, back ? packed : at, kept);
        if (back)
            memset(at + kept, 0, half - kept);
    }
}

/* Transforms the planes, and copies them to or from `packed`. */
static farsum_status slab_planes(const struct slab *s, char *mesh, int backward)
{
    int64_t bytes = s->args.mesh[1] * (s->args.ldz / 2) * s->size;
    int worst = FARSUM_OK;
    if (s->planes == 0)
        return FARSUM_OK;
    PAR_FOR(s->transforms.n, schedule(static) reduction(max : worst))
    for (int64_t p = 0; p < s->planes; p++) {
        char *plane = mesh + p * bytes;
        int t = omp_get_thread_num();
        if (backward)
            slab_pack(s, plane, p, 1);
        int status = transforms_run(&s->transforms, t, plane, backward);
        worst = status > worst ? status : worst;
        if (!backward)
            slab_pack(s, plane, p, 0);
    }
    return transforms_status(worst);
}

/* Sets what is not kept to 0. */
static void slab_clear(const struct slab *s, char *spectrum)
{
    int64_t mesh0 = s->args.mesh[0], line = s->args.ldz / 2 * s->size;
    int64_t half = slab_half(&s->args);
    PAR_FOR(s->args.threads, schedule(static))
    for (int64_t i = 0; i < s->rows * mesh0; i++) {
        int64_t kept = s->row[s->stored[i / mesh0]].kept;
        memset(spectrum + i * line + kept * s->size, 0,
               (size_t)((half - kept) * s->size));
    }
}

farsum_status slab_forward(struct slab *s, const struct slab_io *io)
{
    farsum_status status = FARSUM_OK;
    int64_t real = s->size / 2;
    for (int c = 0; c < io->channels; c++) {
        char *mesh = (char *)io->mesh + c * io->mesh_channel * real;
        char *spectrum = (char *)io->spectrum + c * io->spectrum_channel * real;
        KEEP_ON(slab_planes(s, mesh, 0));
        KEEP_ON(comm_trade(s->args.comm, COMM_TRANSFORM, s->packed,
                           s->packed_bytes, s->column, s->column_bytes));
        KEEP_ON(lines_forward(&s->lines, s->column, mesh, spectrum));
        slab_clear(s, spectrum);
    }
    return status;
}

farsum_status slab_backward(struct slab *s, const struct slab_io *io)
{
    farsum_status status = FARSUM_OK;
    int64_t real = s->size / 2;
    for (int c = 0; c < io->channels; c++) {
        char *mesh = (char *)io->mesh + c * io->mesh_channel * real;
        char *spectrum = (char *)io->spectrum + c * io->spectrum_channel * real;
        KEEP_ON(lines_backward(&s->lines, spectrum, s->column, mesh));
        KEEP_ON(comm_trade(s->args.comm, COMM_TRANSFORM, s->column,
                           s->column_bytes, s->packed, s->packed_bytes));
        KEEP_ON(slab_planes(s, mesh, 1));
    }
    return status;
}
