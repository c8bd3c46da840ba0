/* SPDX-License-Identifier: Apache-2.0 */
/* frames.c: frames whose particles are spread over copies of the
 * command. */
#include "ranks/frames.h"

#include "io/frame.h"
#include "io/pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1 << 14 }; /* particles of a slice */

static const char no_memory[] = "no memory for the particles";

/* --- slices from one rank to another --- */

/* Arrays of an exchange. */
struct post {
    struct ranks *ranks;
    int rank, size;
    struct pack pack;     /* what is sent or was received */
    struct pack copies;   /* the same for each rank */
    int64_t *to, *from;   /* owned, [size] */
    void *notes;          /* owned, [size] of the largest note */
    int failed;           /* 1: this rank has no memory */
};

/* What rank 0 does next. */
enum { SLICE, END, NONE, FAILED };
struct note {
    int64_t kind, to, rows, bytes; /* to: -1 for all other ranks */
};

static int post_open(struct post *p, struct ranks *ranks)
{
    size_t size = (size_t)ranks_size(ranks);
    *p = (struct post){.ranks = ranks, .rank = ranks_rank(ranks),
                       .size = (int)size};
    p->to = calloc(size, sizeof *p->to);
    p->from = calloc(size, sizeof *p->from);
    p->notes = calloc(size, sizeof(struct note));
    return p->to && p->from && p->notes ? 0 : -1;
}

static void post_close(struct post *p)
{
    pack_clear(&p->pack);
    pack_clear(&p->copies);
    free(p->to);
    free(p->from);
    free(p->notes);
}

/* The note of one rank, on all. */
static struct note post_note(struct post *p, int from, struct note note)
{
    struct note *all = p->notes;
    ranks_gather(p->ranks, &note, all, sizeof note);
    return all[from];
}

/* Copies the pack for each other rank. */
static int copy_for_all(struct post *p)
{
    size_t n = p->pack.n;
    if (pack_reserve(&p->copies, n * (size_t)p->size))
        return -1;
    for (int r = 1; r < p->size; r++)
        memcpy(p->copies.data + (size_t)(r - 1) * n, p->pack.data, n);
    return 0;
}

/* Moves the pack of a rank to another one, or to all (then from rank 0).
 * Returns 0, or -1 on all ranks. */
static int post_move(struct post *p, int from, int to, int64_t bytes)
{
    const char *send = p->pack.data;
    memset(p->to, 0, (size_t)p->size * sizeof *p->to);
    memset(p->from, 0, (size_t)p->size * sizeof *p->from);
    if (p->rank == from)
        for (int r = 0; r < p->size; r++)
            p->to[r] = r != from && (to == r || to < 0) ? bytes : 0;
    else if (to == p->rank || to < 0)
        p->from[from] = bytes;
    if (p->from[from] > 0 && pack_reserve(&p->pack, (size_t)bytes))
        p->failed = 1;
    if (p->rank == from && to < 0) {
        p->failed |= copy_for_all(p) != 0;
        send = p->copies.data;
    }
    if (ranks_any(p->ranks, p->failed))
        return -1;
    if (from == to)
        return 0;
    ranks_trade(p->ranks, send, p->to, p->pack.data, p->from);
    if (p->from[from] > 0)
        p->pack.n = (size_t)bytes;
    return 0;
}

/* --- where particles are --- */

static int add_run(struct spread *s, int rank, int64_t rows)
{
    s->all += rows;
    if (s->n_runs > 0 && s->runs[s->n_runs - 1].rank == rank) {
        s->runs[s->n_runs - 1].rows += rows;
        return 0;
    }
    struct spread_run *grown =
        realloc(s->runs, ((size_t)s->n_runs + 1) * sizeof *grown);
    if (!grown)
        return -1;
    s->runs = grown;
    s->runs[s->n_runs++] = (struct spread_run){rank, rows};
    return 0;
}

int64_t spread_number(const struct spread *s, int rank, int64_t i)
{
    int64_t before = 0;
    for (int k = 0; k < s->n_runs; k++) {
        const struct spread_run *run = &s->runs[k];
        if (run->rank == rank && i < run->rows)
            return before + i + 1;
        if (run->rank == rank)
            i -= run->rows;
        before += run->rows;
    }
    return before + i + 1;
}

int64_t spread_before(const struct spread *s, int rank)
{
    int64_t before = 0;
    for (int k = 0; s && k < s->n_runs; k++)
        before += s->runs[k].rank < rank ? s->runs[k].rows : 0;
    return before;
}

int64_t spread_planned(const struct spread *s, int64_t number)
{
    int64_t before = 0; /* of the run, in the file */
    int k = 0;
    while (k < s->n_runs - 1 && number > before + s->runs[k].rows)
        before += s->runs[k++].rows;
    if (s->n_runs == 0)
        return number - 1;
    int64_t at = spread_before(s, s->runs[k].rank) + number - 1 - before;
    for (int j = 0; j < k; j++)
        at += s->runs[j].rank == s->runs[k].rank ? s->runs[j].rows : 0;
    return at;
}

int64_t spread_filed(const struct spread *s, int64_t planned)
{
    for (int k = 0; k < s->n_runs; k++) { /* each rank has a run */
        int rank = s->runs[k].rank;
        int64_t row = planned - spread_before(s, rank);
        if (row >= 0 && planned < spread_before(s, rank + 1))
            return spread_number(s, rank, row);
    }
    return planned + 1;
}

void spread_clear(struct spread *s)
{
    free(s->runs);
    texts_clear(&s->texts);
    *s = (struct spread){.all = 0};
}

/* --- reading --- */

struct spread_reader {
    struct post post;
    struct io_reader *file; /* on rank 0 */
    struct io_slices slices;
    struct io_frame *frame; /* this rank's particles */
    struct spread *spread;
    int64_t capacity;       /* of the frame's arrays */
    int slice, stopped;     /* slice: its index; stopped: all ranks know that
                               one failed */
};

/* Takes a slice's run, and the slice if it is this rank's. */
static int take_slice(struct spread_reader *sr, const struct note *note)
{
    struct post *p = &sr->post;
    p->failed |= add_run(sr->spread, (int)note->to, note->rows) != 0;
    if (post_move(p, 0, (int)note->to, note->bytes) != 0) {
        sr->stopped = 1;
        return -1;
    }
    if (note->to == p->rank)
        p->failed |= unpack_frame(&p->pack, sr->frame, &sr->capacity) != 0;
    return 0;
}

/* Rank 0 gives a slice away (struct io_slices).  Blocks of the file go to the
 * ranks in order; if the number of particles is unknown, slices go in turn. */
static int give_slice(void *data, const struct io_frame *slice, int64_t all)
{
    struct spread_reader *sr = data;
    struct post *p = &sr->post;
    int64_t at = all > 0 ? (int64_t)((double)sr->spread->all / (double)all
                                     * p->size)
                         : sr->slice++ % p->size;
    int to = at < p->size ? (int)at : p->size - 1;
    p->failed |= texts_add(&sr->spread->texts, slice) != 0;
    p->failed |= pack_frame(&p->pack, slice, 0, slice->n) != 0;
    struct note note = post_note(p, 0, (struct note){
        SLICE, to, slice->n, (int64_t)p->pack.n});
    return take_slice(sr, &note);
}

/* Rank 0 reads. */
static struct note read_file(struct spread_reader *sr, char *error,
                             size_t size)
{
    struct post *p = &sr->post;
    struct io_frame end = {0};
    int got = io_read(sr->file, &end, error, size);
    if (sr->stopped) {
        snprintf(error, size, "%s", p->failed ? no_memory : "");
        io_frame_clear(&end);
        return (struct note){.kind = FAILED};
    }
    if (got == 1 && pack_frame(&p->pack, &end, 0, 0) != 0) {
        snprintf(error, size, "%s", no_memory);
        got = -1;
    }
    memcpy(sr->frame->joins, end.joins, sizeof end.joins); /* they stay here */
    memset(end.joins, 0, sizeof end.joins);
    io_frame_clear(&end);
    struct note note = {got == 1 ? END : got == 0 ? NONE : FAILED, -1, 0,
                        (int64_t)p->pack.n};
    return post_note(p, 0, note);
}

/* Another rank takes slices until no more follow. */
static struct note read_slices(struct spread_reader *sr)
{
    for (;;) {
        struct note note = post_note(&sr->post, 0, (struct note){0, 0, 0, 0});
        if (note.kind != SLICE)
            return note;
        if (take_slice(sr, &note) != 0)
            return (struct note){.kind = FAILED};
    }
}

/* Takes what a frame has besides particles. */
static int take_end(struct spread_reader *sr, const struct note *note)
{
    struct post *p = &sr->post;
    struct io_frame *f = sr->frame;
    if (post_move(p, 0, -1, note->bytes) != 0)
        return -1;
    p->failed |= unpack_frame(&p->pack, f, &sr->capacity) != 0
                 || frame_fit(f, f->q != NULL) != 0;
    f->all = sr->spread->all;
    f->first = spread_number(sr->spread, p->rank, 0) - 1;
    f->line += f->line > 0 ? f->first : 0;
    return p->failed ? -1 : 0;
}

int spread_read(struct spread_reader *sr, struct io_frame *frame,
                struct spread *spread, char *error, size_t size)
{
    struct post *p = &sr->post;
    io_frame_clear(frame);
    spread_clear(spread);
    sr->frame = frame;
    sr->spread = spread;
    sr->capacity = 0;
    sr->slice = 0;
    *error = '\0';
    if (!p->ranks) {
        int read = io_read(sr->file, frame, error, size);
        spread->all = frame->all = frame->n;
        return read;
    }
    struct note note = p->rank == 0 ? read_file(sr, error, size)
                                    : read_slices(sr);
    int got = note.kind == END ? 1 : note.kind == NONE ? 0 : -1;
    if (note.kind == END && take_end(sr, &note) != 0)
        got = -1;
    if (got < 0 && p->failed)
        snprintf(error, size, "%s", no_memory);
    return got;
}

int spread_open(struct ranks *ranks, const char *path,
                struct io_options *options, struct spread_reader **reader,
                char *error, size_t size)
{
    struct spread_reader *sr = calloc(1, sizeof *sr);
    if (!sr || post_open(&sr->post, ranks) != 0) {
        snprintf(error, size, "out of memory");
        spread_close(sr);
        return -1;
    }
    sr->slices = (struct io_slices){ROWS, sr->post.size, give_slice, sr};
    options->slices = ranks ? &sr->slices : NULL;
    if (sr->post.rank == 0
        && io_open(path, options, &sr->file, error, size) != 0) {
        spread_close(sr);
        return -1;
    }
    *reader = sr;
    return 0;
}

const char *spread_note(const struct spread_reader *sr)
{
    return sr->file ? io_reader_note(sr->file) : NULL;
}

void spread_close(struct spread_reader *sr)
{
    if (!sr)
        return;
    io_close(sr->file);
    post_close(&sr->post);
    free(sr);
}

/* --- writing --- */

struct spread_writer {
    struct post post;
    struct io_writer *file; /* on rank 0 */
    char *error;
    size_t size;
    int broken;             /* 1: the file could not be written */
};

/* Writes the slice that was received. */
static void write_slice(struct spread_writer *sw)
{
    struct io_frame slice = {0};
    int64_t capacity = 0;
    struct post *p = &sw->post;
    if (unpack_frame(&p->pack, &slice, &capacity) != 0)
        p->failed = 1;
    else if (io_write_slice(sw->file, &slice, sw->error, sw->size) != 0)
        sw->broken = 1;
    io_frame_clear(&slice);
}

/* Moves rows of a rank to rank 0, which writes them.  Returns 0, or -1 on all
 * ranks. */
static int move_slice(struct spread_writer *sw, int from,
                      const struct io_frame *frame, int64_t first, int64_t n)
{
    struct post *p = &sw->post;
    if (p->rank == from)
        p->failed |= pack_frame(&p->pack, frame, first, n) != 0;
    struct note note = post_note(p, from,
                                 (struct note){.bytes = (int64_t)p->pack.n});
    int own = p->failed;
    p->failed |= sw->broken; /* by an earlier slice */
    if (post_move(p, from, 0, note.bytes) != 0) {
        p->failed = own || (p->failed && !sw->broken);
        return -1;
    }
    if (p->rank == 0)
        write_slice(sw);
    return 0;
}

/* Moves and writes all slices, in the file's order. */
static int move_all(struct spread_writer *sw, const struct io_frame *frame,
                    const struct spread *s)
{
    int64_t mine = 0; /* rows of this rank that were written */
    for (int k = 0; k < s->n_runs; k++)
        for (int64_t at = 0; at < s->runs[k].rows; at += ROWS) {
            int64_t left = s->runs[k].rows - at, n = left < ROWS ? left : ROWS;
            int from = s->runs[k].rank;
            if (move_slice(sw, from, frame, mine, n) != 0)
                return -1;
            mine += from == sw->post.rank ? n : 0;
        }
    return 0;
}

int spread_write(struct ranks *ranks, struct io_writer *writer,
                 const struct io_frame *frame, const struct spread *spread,
                 char *error, size_t size)
{
    struct spread_writer sw = {.file = writer, .error = error, .size = size};
    struct io_frame head = {0};
    if (!ranks)
        return io_write(writer, frame, error, size);
    int bad = post_open(&sw.post, ranks) != 0;
    *error = '\0';
    if (!bad && writer) {
        bad = texts_head(&spread->texts, frame, &head) != 0;
        sw.broken = !bad && io_write_begin(writer, &head, spread->all, error,
                                           size) != 0;
    }
    if (bad)
        snprintf(error, size, "%s", no_memory);
    if (ranks_any(ranks, bad || sw.broken) != 0) {
        bad = -1;
        goto done;
    }
    bad = move_all(&sw, frame, spread);
    if (!bad && writer && !sw.broken)
        sw.broken = io_write_end(writer, &head, error, size) != 0;
    if (!bad)
        bad = ranks_any(ranks, sw.broken || sw.post.failed);
    if (sw.post.failed && !sw.broken)
        snprintf(error, size, "%s", no_memory);
done:
    texts_head_clear(&head);
    post_close(&sw.post);
    return bad ? -1 : 0;
}
