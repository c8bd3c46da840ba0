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

/* A row of the planes, k1, in an exchange of n channels: row k1 of plane p and
 * channel c is `kept` numbers at n start + (n p + c) step + column of `packed`.
 * Own rows are not exchanged. */
struct row {
    int64_t kept, start, step, column;
    int own;
};
/* Channel first + c of a run, one of n of an exchange. */
struct turn {
    int first, c, n;
};

struct slab {
    struct slab_args args;
    struct group group;
    int64_t planes;       /* of this rank */
    int64_t rows;         /* of its spectrum */
    int64_t *stored;      /* owned, [rows]: k1 of these rows */
    int64_t size;         /* bytes of a complex number */
    struct row *row;      /* owned, [mesh1] */
    char *packed; /* owned: for each other rank [planes][channel][columns of its
                     rows] */
    char *column; /* owned, [planes of the others][channel][columns of this
                     rank's rows] */
    int64_t *packed_bytes, *column_bytes; /* owned, [group.size]: parts of
                                             ranks, for one channel */
    int64_t *to, *from; /* owned, [comm->size]: for an exchange */
    struct transforms transforms;         /* of a plane */
    struct lines lines;
};

static int64_t slab_half(const struct slab_args *args)
{
    return args->modes ? args->mesh[2] : args->mesh[2] / 2 + 1;
}

/* k1 of a row of the spectrum. */
static int64_t slab_order(const struct slab_args *args, int64_t row)
{
    return args->order ? args->order[row] : row;
}

/* Columns of row k1. */
static int64_t slab_kept(const struct slab_args *args, int64_t k1)
{
    int64_t half = slab_half(args), kept = half;
    if (args->columns)
        kept = args->columns[k1];
    if (args->modes && args->columns) {
        kept -= args->first;
        kept = kept < 0 ? 0 : kept > half ? half : kept;
    }
    return kept;
}

/* Columns of the rows of a rank. */
static int64_t slab_columns(const struct slab_args *args, int rank)
{
    int64_t sum = 0;
    for (int64_t i = args->begin1[rank]; i < args->begin1[rank + 1]; i++)
        sum += slab_kept(args, slab_order(args, i));
    return sum;
}

/* Channels of an exchange. */
static int slab_batch(const struct slab_args *args)
{
    return args->batch > 1 ? args->batch : 1;
}

static farsum_status slab_rows(struct slab *s)
{
    const struct slab_args *a = &s->args;
    int64_t at = 0, columns = slab_columns(a, s->group.rank);
    for (int r = 0; r < s->group.size; r++) {
        int64_t step = slab_columns(a, r), column = 0;
        int own = r == s->group.rank;
        for (int64_t i = a->begin1[r]; i < a->begin1[r + 1]; i++) {
            int64_t k1 = slab_order(a, i), kept = slab_kept(a, k1);
            if (kept < 0 || kept > slab_half(a))
                FAIL(ERR_INTERNAL, "row %lld keeps %lld of %lld columns",
                     (long long)k1, (long long)kept, (long long)slab_half(a));
            s->row[k1] = (struct row){kept, at, step, column, own};
            column += kept;
        }
        if (own)
            continue;
        at += s->planes * step;
        s->packed_bytes[r] = s->planes * step * s->size;
        s->column_bytes[r] =
            (a->begin0[r + 1] - a->begin0[r]) * columns * s->size;
    }
    return mem_alloc((void **)&s->packed, slab_batch(a) * at, (size_t)s->size,
                     0);
}

/* Lists the rows of the spectrum. */
static farsum_status slab_stored(struct slab *s)
{
    const struct slab_args *a = &s->args;
    const int64_t *begin = a->begin1 + s->group.rank;
    TRY(MEM_RAW(s->stored, begin[1] - begin[0]));
    for (int64_t i = begin[0]; i < begin[1]; i++)
        if (!a->kept_rows || slab_kept(a, slab_order(a, i)) > 0)
            s->stored[s->rows++] = slab_order(a, i);
    return FARSUM_OK;
}

void slab_sent(const struct slab_args *a, int64_t sent[2], int64_t *columns)
{
    struct group group = group_or_all(&a->group, a->comm);
    int rank = group.rank;
    int64_t planes = a->begin0[rank + 1] - a->begin0[rank], all = 0;
    int64_t size = a->precision == FARSUM_F32 ? 8 : 16;
    for (int r = 0; r < group.size; r++)
        all += slab_columns(a, r);
    *columns = slab_columns(a, rank);
    sent[0] = planes * (all - *columns) * size;
    sent[1] = (a->begin0[group.size] - planes) * *columns * size;
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
    if (s->planes == 0 || a->modes)
        return FARSUM_OK;
    return transforms_create(&s->transforms, a, &fft, whole ? a->threads : 1);
}

static farsum_status slab_lines(struct slab *s)
{
    const struct slab_args *a = &s->args;
    int64_t count = slab_columns(a, s->group.rank), c = 0;
    int64_t others = a->begin0[s->group.size] - s->planes;
    TRY(mem_alloc((void **)&s->column, slab_batch(a) * others * count,
                  (size_t)s->size, 0));
    TRY(lines_create(&s->lines, a, count));
    for (int64_t row = 0; row < s->rows; row++)
        for (int64_t k2 = 0; k2 < s->row[s->stored[row]].kept; k2++) {
            s->lines.place[c] = row * a->mesh[0] * (a->ldz / 2) + k2;
            s->lines.own_place[c++] = s->stored[row] * (a->ldz / 2) + k2;
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
    mem_free(slab->to);
    mem_free(slab->from);
    mem_free(slab);
}

farsum_status slab_create(const struct slab_args *args, struct slab **slab)
{
    farsum_status status = FARSUM_OK;
    struct slab *s = NULL;
    int size = args->comm->size;
    struct group group = group_or_all(&args->group, args->comm);
    GO(MEM_NEW(s, 1));
    s->args = *args;
    s->group = group;
    s->planes = args->begin0[group.rank + 1] - args->begin0[group.rank];
    s->size = args->precision == FARSUM_F32 ? 8 : 16;
    GO(MEM_NEW(s->row, args->mesh[1]));
    GO(MEM_NEW(s->packed_bytes, group.size));
    GO(MEM_NEW(s->column_bytes, group.size));
    GO(MEM_NEW(s->to, size));
    GO(MEM_NEW(s->from, size));
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
    s->args.begin0 = s->args.begin1 = NULL;
    s->args.order = s->args.columns = NULL;
    *slab = s;
    return FARSUM_OK;
}

static char *slab_mesh(const struct slab *s, struct turn turn,
                       const struct slab_io *io)
{
    return (char *)io->mesh
           + (turn.first + turn.c) * io->mesh_channel * (s->size / 2);
}

static char *slab_spectrum(const struct slab *s, struct turn turn,
                           const struct slab_io *io)
{
    return (char *)io->spectrum
           + (turn.first + turn.c) * io->spectrum_channel * (s->size / 2);
}

/* Copies the kept numbers of plane p to `packed`, or back.  back: the others
 * become 0. */
static void slab_pack(const struct slab *s, struct turn turn, char *plane,
                      int64_t p, int back)
{
    int64_t line = s->args.ldz / 2 * s->size;
    size_t half = (size_t)(slab_half(&s->args) * s->size);
    for (int64_t k1 = 0; k1 < s->args.mesh[1]; k1++) {
        const struct row *row = &s->row[k1];
        int64_t start = turn.n * row->start + (turn.n * p + turn.c) * row->step
                        + row->column;
        char *packed = s->packed + start * s->size;
        char *at = plane + k1 * line;
        size_t kept = (size_t)(row->kept * s->size);
        if (!row->own)
            memcpy(back ? at : packed, back ? packed : at, kept);
        if (back)
            memset(at + kept, 0, half - kept);
    }
}

/* Transforms the planes, and copies them to or from `packed`. */
static farsum_status slab_planes(const struct slab *s, struct turn turn,
                                 const struct slab_io *io, int backward)
{
    char *mesh = slab_mesh(s, turn, io);
    int64_t bytes = s->args.mesh[1] * (s->args.ldz / 2) * s->size;
    int worst = FARSUM_OK, threads = s->transforms.n;
    if (s->planes == 0)
        return FARSUM_OK;
    if (s->args.modes)
        threads = s->args.threads > 1 ? s->args.threads : 1;
    PAR_FOR(threads, schedule(static) reduction(max : worst))
    for (int64_t p = 0; p < s->planes; p++) {
        char *plane = mesh + p * bytes;
        int t = omp_get_thread_num(), status = FARSUM_OK;
        if (backward)
            slab_pack(s, turn, plane, p, 1);
        if (!s->args.modes)
            status = transforms_run(&s->transforms, t, plane, backward);
        worst = status > worst ? status : worst;
        if (!backward)
            slab_pack(s, turn, plane, p, 0);
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

/* Exchanges n channels. */
static farsum_status slab_trade(struct slab *s, int n, int backward)
{
    for (int r = 0; r < s->group.size; r++) {
        int at = group_rank(&s->group, r);
        s->to[at] = n * (backward ? s->column_bytes : s->packed_bytes)[r];
        s->from[at] = n * (backward ? s->packed_bytes : s->column_bytes)[r];
    }
    return comm_trade(s->args.comm, COMM_TRANSFORM,
                      backward ? s->column : s->packed, s->to,
                      backward ? s->packed : s->column, s->from);
}

/* The columns of a channel along axis 0. */
static farsum_status slab_axis(const struct slab *s, struct turn turn,
                               const struct slab_io *io, int backward)
{
    const struct lines_sides sides = {
        .columns = s->column + turn.c * s->lines.count * s->size,
        .row = turn.n * s->lines.count,
        .planes = slab_mesh(s, turn, io),
        .spectrum = slab_spectrum(s, turn, io)};
    return lines_run(&s->lines, &sides, backward);
}

/* The channels of the exchange after `turn`; n = 0: none. */
static struct turn slab_next(const struct slab *s, struct turn turn,
                             const struct slab_io *io)
{
    int first = turn.first + turn.n, left = io->channels - first;
    int batch = slab_batch(&s->args);
    return (struct turn){first, 0, left < batch ? left : batch};
}

farsum_status slab_forward(struct slab *s, const struct slab_io *io)
{
    farsum_status status = FARSUM_OK;
    struct turn t = {0};
    for (t = slab_next(s, t, io); t.n > 0; t = slab_next(s, t, io)) {
        for (t.c = 0; t.c < t.n; t.c++)
            KEEP_ON(slab_planes(s, t, io, 0));
        KEEP_ON(slab_trade(s, t.n, 0));
        for (t.c = 0; t.c < t.n; t.c++) {
            KEEP_ON(slab_axis(s, t, io, 0));
            slab_clear(s, slab_spectrum(s, t, io));
        }
    }
    return status;
}

farsum_status slab_backward(struct slab *s, const struct slab_io *io)
{
    farsum_status status = FARSUM_OK;
    struct turn t = {0};
    for (t = slab_next(s, t, io); t.n > 0; t = slab_next(s, t, io)) {
        for (t.c = 0; t.c < t.n; t.c++)
            KEEP_ON(slab_axis(s, t, io, 1));
        KEEP_ON(slab_trade(s, t.n, 1));
        for (t.c = 0; t.c < t.n; t.c++)
            KEEP_ON(slab_planes(s, t, io, 1));
    }
    return status;
}
