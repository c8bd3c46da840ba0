/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c: columns to lines and back, in tiles. */
#include "ranks/lines.h"

#include <string.h>

#include "base/mem.h"
#include "base/par.h"

enum {
    LINE_BYTES = 64, /* of a processor's cache line */
    TILE_BYTES = 256 << 10,
    LINES_LEAST = 8, /* a tile has multiples */
    LINES_MOST = 64,
    BLOCK = 8, /* numbers along each side of a transposed block */
};

/* Lines start at addresses an odd number of cache lines apart: powers of two
 * would share a few places of the cache.  Each thread gets a tile. */
static void lines_shape(struct lines *l, int threads)
{
    int64_t per = LINE_BYTES / l->size;
    l->lead = (l->n + per - 1) / per * per;
    l->lead += l->lead / per % 2 == 0 ? per : 0;
    int64_t most = TILE_BYTES / (l->lead * l->size);
    most = most < LINES_LEAST ? LINES_LEAST : most;
    most = most > LINES_MOST ? LINES_MOST : most;
    int64_t tiles = (l->count + most - 1) / most;
    tiles = (tiles + threads - 1) / threads * threads;
    l->tile = (l->count + tiles - 1) / tiles;
    l->tile = (l->tile + LINES_LEAST - 1) / LINES_LEAST * LINES_LEAST;
}

farsum_status lines_create(struct lines *lines, const struct slab_args *args,
                           int64_t count)
{
    struct group group = group_or_all(&args->group, args->comm);
    int rank = group.rank;
    *lines =
        (struct lines){.n = args->mesh[0],
                       .count = count,
                       .own = args->begin0[rank],
                       .own_n = args->begin0[rank + 1] - args->begin0[rank],
                       .known = args->begin0[group.size],
                       .plane = args->mesh[1] * (args->ldz / 2),
                       .size = args->precision == FARSUM_F32 ? 8 : 16,
                       .row = args->ldz / 2};
    if (count == 0)
        return FARSUM_OK;
    lines_shape(lines, args->threads);
    int tile = (int)lines->tile;
    struct fft_args fft = {.precision = args->precision,
                           .threads = 1,
                           .mesh = {1, 1, lines->n},
                           .ldz = 2 * lines->lead,
                           .patient = args->patient,
                           .is_complex = 1,
                           .batch = {tile, tile}};
    TRY(transforms_create(&lines->transforms, args, &fft, args->threads));
    TRY(MEM_RAW(lines->place, count));
    TRY(MEM_RAW(lines->own_place, count));
    return mem_alloc((void **)&lines->data,
                     args->threads * lines->tile * lines->lead,
                     (size_t)lines->size, 1);
}

void lines_clear(struct lines *lines)
{
    transforms_clear(&lines->transforms);
    mem_free(lines->place);
    mem_free(lines->own_place);
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

/* Copies points x .. x + n_x of lines that are columns of an array, to the tile
 * or back: number (x, k) of the array is at x row + place[k], k < n. */
static void tile_placed(const struct lines *l, char *tile, int64_t x,
                        int64_t n_x, char *array, int64_t row,
                        const int64_t *place, int64_t n, int back)
{
    for (int64_t a = 0, b; a < n; a = b) {
        for (b = a + 1; b < n && place[b] == place[a] + b - a; b++)
            ;
        char *line = tile + (a * l->lead + x) * l->size;
        char *side = array + place[a] * l->size;
        if (back)
            turn_sized(side, row, line, l->lead, b - a, n_x, 1, l->size);
        else
            turn_sized(line, l->lead, side, row, n_x, b - a, 0, l->size);
    }
}

/* Copies points x .. x + n_x of columns first .. first + n; `at` is their first
 * row in the array of the others' points. */
static void tile_others(const struct lines *l, char *tile,
                        const struct lines_sides *sides, int64_t x, int64_t n_x,
                        int64_t at, int64_t first, int64_t n, int back)
{
    char *line = tile + x * l->size;
    char *side = sides->columns + (at * sides->row + first) * l->size;
    if (back)
        turn_sized(side, sides->row, line, l->lead, n, n_x, 1, l->size);
    else
        turn_sized(line, l->lead, side, sides->row, n_x, n, 0, l->size);
}

/* Copies columns first .. first + n to the tile's lines, or back. */
static void tile_columns(const struct lines *l, char *tile,
                         const struct lines_sides *sides, int64_t first,
                         int64_t n, int back)
{
    int64_t end = l->own + l->own_n;
    tile_others(l, tile, sides, 0, l->own, 0, first, n, back);
    tile_placed(l, tile, l->own, l->own_n, sides->planes, l->plane,
                l->own_place + first, n, back);
    tile_others(l, tile, sides, end, l->known - end, l->own, first, n, back);
    for (int64_t i = 0; i < n && !back; i++)
        memset(tile + (i * l->lead + l->known) * l->size, 0,
               (size_t)((l->n - l->known) * l->size));
}

/* The same for the spectrum: columns of one row of it are neighbours. */
static void tile_spectrum(const struct lines *l, char *tile,
                          const struct lines_sides *sides, int64_t first,
                          int64_t n, int back)
{
    tile_placed(l, tile, 0, l->n, sides->spectrum, l->row, l->place + first, n,
                back);
}

farsum_status lines_run(const struct lines *l, const struct lines_sides *sides,
                        int backward)
{
    int worst = FARSUM_OK;
    if (l->count == 0)
        return FARSUM_OK;
    PAR_FOR(l->transforms.n, schedule(static) reduction(max : worst))
    for (int64_t first = 0; first < l->count; first += l->tile) {
        int64_t n = l->count - first < l->tile ? l->count - first : l->tile;
        int t = omp_get_thread_num();
        char *tile = l->data + t * l->tile * l->lead * l->size;
        if (backward)
            tile_spectrum(l, tile, sides, first, n, 0);
        else
            tile_columns(l, tile, sides, first, n, 0);
        /* lines behind the last column are transformed too, and not read */
        int status = transforms_run(&l->transforms, t, tile, backward);
        worst = status > worst ? status : worst;
        if (backward)
            tile_columns(l, tile, sides, first, n, 1);
        else
            tile_spectrum(l, tile, sides, first, n, 1);
    }
    return transforms_status(worst);
}
