/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c: columns to lines and back, in tiles. */
#include "ranks/lines.h"

#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "stage/fft/fft.h"

enum {
    LINE_BYTES = 64,        /* of a processor's cache line */
    TILE_BYTES = 256 << 10, /* of a thread's part of a tile */
    LINES_LEAST = 8,        /* a tile has multiples */
    LINES_MOST = 64,
    BLOCK = 8, /* numbers along each side of a transposed block */
};

/* Lines start at addresses an odd number of cache lines apart: powers of two
 * would share a few places of the cache. */
static void lines_shape(struct lines *l)
{
    int64_t per = LINE_BYTES / l->size;
    l->lead = (l->n + per - 1) / per * per;
    l->lead += l->lead / per % 2 == 0 ? per : 0;
    int64_t most = TILE_BYTES / (l->lead * l->size);
    most = most < LINES_LEAST ? LINES_LEAST : most;
    most = (most > LINES_MOST ? LINES_MOST : most) * l->threads;
    int64_t tiles = (l->count + most - 1) / most;
    l->tile = (l->count + tiles - 1) / tiles;
    l->tile = (l->tile + LINES_LEAST - 1) / LINES_LEAST * LINES_LEAST;
}

farsum_status lines_create(struct lines *lines, const struct slab_args *args,
                           int64_t count)
{
    *lines = (struct lines){.n = args->mesh[0],
                            .count = count,
                            .size = args->precision == FARSUM_F32 ? 8 : 16,
                            .row = args->ldz / 2,
                            .threads = args->threads};
    if (count == 0)
        return FARSUM_OK;
    lines_shape(lines);
    int tile = (int)lines->tile;
    struct fft_args fft = {.precision = args->precision,
                           .threads = args->threads,
                           .mesh = {1, 1, lines->n},
                           .ldz = 2 * lines->lead,
                           .patient = args->patient,
                           .is_complex = 1,
                           .batch = {tile, tile}};
    struct choice choice;
    TRY(choose(&fft_stage, &fft, &args->choose, &choice));
    lines->variant = choice.row->variant;
    TRY(MEM_RAW(lines->place, count));
    TRY(mem_alloc((void **)&lines->data, lines->tile * lines->lead,
                  (size_t)lines->size, 1));
    return lines->variant->create(&fft, &lines->state);
}

void lines_clear(struct lines *lines)
{
    if (lines->variant)
        lines->variant->destroy(lines->state);
    mem_free(lines->place);
    mem_free(lines->data);
    memset(lines, 0, sizeof *lines);
}

/* to[b * to_step + a] = from[a * from_step + b] for a < n, b < m; numbers of
 * `size` bytes, steps in bytes. */
static inline void turn_block(char *to, int64_t to_step, const char *from,
                              int64_t from_step, int64_t n, int64_t m,
                              int64_t size)
{
    for (int64_t b = 0; b < m; b++)
        for (int64_t a = 0; a < n; a++)
            memcpy(to + b * to_step + a * size, from + a * from_step + b * size,
                   (size_t)size);
}

/* The same in blocks.  side: 1: the outer loop runs over b, 0: over a.  It is
 * the axis whose steps are long, so that these rows are read or written in one
 * piece. */
static inline void turn(char *to, int64_t to_step, const char *from,
                        int64_t from_step, int64_t n, int64_t m, int side,
                        int64_t size)
{
    int64_t outer = side ? m : n, inner = side ? n : m;
    to_step *= size;
    from_step *= size;
    for (int64_t o = 0; o < outer; o += BLOCK)
        for (int64_t i = 0; i < inner; i += BLOCK) {
            int64_t a = side ? i : o, b = side ? o : i;
            char *block = to + b * to_step + a * size;
            const char *source = from + a * from_step + b * size;
            if (a + BLOCK <= n && b + BLOCK <= m)
                turn_block(block, to_step, source, from_step, BLOCK, BLOCK,
                           size);
            else
                turn_block(block, to_step, source, from_step,
                           a + BLOCK < n ? BLOCK : n - a,
                           b + BLOCK < m ? BLOCK : m - b, size);
        }
}

static void turn_sized(char *to, int64_t to_step, const char *from,
                       int64_t from_step, int64_t n, int64_t m, int side,
                       int64_t size)
{
    if (size == 16)
        turn(to, to_step, from, from_step, n, m, side, 16);
    else
        turn(to, to_step, from, from_step, n, m, side, 8);
}

/* Line b of the tile is column first + b; this is for lines b0 .. b1. */
static void part_columns(const struct lines *l, char *columns, int64_t first,
                         int64_t b0, int64_t b1, int back)
{
    char *data = l->data + b0 * l->lead * l->size;
    char *side = columns + (first + b0) * l->size;
    if (back)
        turn_sized(side, l->count, data, l->lead, b1 - b0, l->n, 1, l->size);
    else
        turn_sized(data, l->lead, side, l->count, l->n, b1 - b0, 0, l->size);
}

/* The same for the spectrum: columns of one row of it are neighbours. */
static void part_spectrum(const struct lines *l, char *spectrum, int64_t first,
                          int64_t b0, int64_t b1, int back)
{
    for (int64_t a = b0, b; a < b1; a = b) {
        const int64_t *place = l->place + first;
        for (b = a + 1; b < b1 && place[b] == place[a] + b - a; b++)
            ;
        char *data = l->data + a * l->lead * l->size;
        char *side = spectrum + place[a] * l->size;
        if (back)
            turn_sized(side, l->row, data, l->lead, b - a, l->n, 1, l->size);
        else
            turn_sized(data, l->lead, side, l->row, l->n, b - a, 0, l->size);
    }
}

typedef void part(const struct lines *lines, char *side, int64_t first,
                  int64_t b0, int64_t b1, int back);

/* Shares n lines of the tile among threads. */
static void tile_turn(const struct lines *l, part *part_turn, char *side,
                      int64_t first, int64_t n, int back)
{
    PAR_FOR(l->threads, schedule(static))
    for (int t = 0; t < l->threads; t++)
        part_turn(l, side, first, par_start(n, l->threads, t),
                  par_start(n, l->threads, t + 1), back);
}

static farsum_status lines_run(const struct lines *l, char *from,
                               part *from_part, char *to, part *to_part,
                               int backward)
{
    struct fft_io io = {l->data, backward};
    farsum_status status = FARSUM_OK;
    for (int64_t first = 0; first < l->count; first += l->tile) {
        int64_t n = l->count - first < l->tile ? l->count - first : l->tile;
        tile_turn(l, from_part, from, first, n, 0);
        /* lines behind the last column are transformed too, and not read */
        status = l->variant->run(l->state, &io);
        if (status != FARSUM_OK)
            return status;
        tile_turn(l, to_part, to, first, n, 1);
    }
    return status;
}

farsum_status lines_forward(const struct lines *lines, const void *columns,
                            void *spectrum)
{
    return lines_run(lines, (char *)columns, part_columns, spectrum,
                     part_spectrum, 0);
}

farsum_status lines_backward(const struct lines *lines, const void *spectrum,
                             void *columns)
{
    return lines_run(lines, (char *)spectrum, part_spectrum, columns,
                     part_columns, 1);
}
