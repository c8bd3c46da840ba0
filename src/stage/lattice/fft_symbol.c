/* SPDX-License-Identifier: Apache-2.0 */
/* fft_symbol.c: the field between root boxes in the modes of their grid,
 * (10.23).
 *
 * One or two periodic axes: image_fields.c sums each difference.  Three:
 * Ewald summation as in multipole_lattice.c.  Since the positions are
 * a grid, the transforms are known.  Each term of the real-space part becomes a
 * cosine or sine per axis.  The reciprocal part of a mode is a sum over the
 * wave vectors that alias to it.  a balances the two.
 *
 * The result depends on the order and on the shapes of the box and the grid,
 * but not on lengths.  The process keeps the last SYMBOLS results of at most
 * SYMBOL_NUMBERS numbers (12 MB). */
#include "stage/lattice/fft_symbol.h"

#include <math.h>
#include <string.h>

#include "base/kept.h"
#include "base/mem.h"
#include "base/par.h"
#include "base/progress.h"
#include "stage/lattice/fft_modes.h"
#include "stage/lattice/image_fields.h"

/* Ewald's splitting parameter a, times the longest edge of a box: the candidate
 * with the smallest work.  A term in real or reciprocal space costs as much as
 * TERM additions to a mode. */
static const double splittings[] = {0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9};
enum { SPLITTINGS = sizeof splittings / sizeof *splittings, TERM = 5 };

/* Seconds of an addition to a coefficient of a mode, as measured. */
#define ADDITION 4e-10

enum { SYMBOLS = 6, SYMBOL_NUMBERS = 1 << 18 };

/* What a symbol depends on. */
struct symbol_key {
    int64_t p, ws, periodic[3], mesh[3], root[3], first, rows;
    double box[3];
};
static uint64_t symbols_used[SYMBOLS];
static struct symbol_key symbols_key[SYMBOLS];
static double symbols_value[SYMBOLS][SYMBOL_NUMBERS];
static struct kept symbols = KEPT(symbols);

struct symbol {
    const struct boxes_args *args;
    int axes;                        /* periodic ones */
    struct image_fields images;      /* owned; one or two axes, else empty */
    int q, size;      /* degrees to q = 2p; (q + 1)^2 */
    int64_t mesh[3], half[3];  /* modes 0 .. half */
    int64_t first, rows;       /* of y: modes first .. first + rows */
    int64_t reach[3]; /* differences of positions 0 .. reach */
    double a, most;   /* the sums include a^2 r^2, k^2/4a^2 <= most */
    double *odd[3];   /* owned, [size]: 1: changes sign with the axis */
    double *field;    /* owned: [x][y][size], one plane of differences */
    double *lines;    /* owned: [x][mode y][size] */
    double *plane;    /* owned: [mode y][mode x][size] */
    double *sum;      /* owned: [mode z][mode y][mode x][size] */
};

int lattice_odd(int n, int m, int axis)
{
    int by_x = m < 0 ? m + 1 : m;
    return (axis == 0 ? by_x : axis == 1 ? m < 0 : n + m) & 1;
}

static void symbol_clear(struct symbol *s)
{
    image_fields_clear(&s->images);
    for (int c = 0; c < 3; c++)
        mem_free(s->odd[c]);
    mem_free(s->field);
    mem_free(s->lines);
    mem_free(s->plane);
    mem_free(s->sum);
}

static farsum_status symbol_capacity(struct symbol *s)
{
    int64_t size = s->size;
    if (s->axes % 3 != 0)
        TRY(image_fields_make(s->args, &s->images));
    for (int c = 0; c < 3; c++)
        TRY(MEM_RAW(s->odd[c], size));
    for (int n = 0; n <= s->q; n++)
        for (int m = -n; m <= n; m++)
            for (int c = 0; c < 3; c++)
                s->odd[c][multipole_at(n, m)] = lattice_odd(n, m, c);
    TRY(MEM_RAW(s->field, (s->reach[1] + 1) * (s->reach[0] + 1) * size));
    TRY(MEM_RAW(s->lines, (s->reach[0] + 1) * s->rows * size));
    return MEM_RAW(s->plane, s->rows * (s->half[0] + 1) * size);
}

static int64_t symbol_modes(const struct symbol *s)
{
    return (s->half[2] + 1) * s->rows * (s->half[0] + 1);
}

/* Field of boxes whose positions differ by d: of one lattice vector, in real
 * space, or with one or two periodic axes of all.  Returns 0 if it is 0, and
 * sets nothing. */
static int symbol_field(const struct symbol *s, const int64_t d[3],
                        double *field)
{
    const struct boxes_args *args = s->args;
    double at[3], high[MULTIPOLE_DEGREES], low[MULTIPOLE_DEGREES];
    double r2 = 0;
    int near = 1;
    for (int c = 0; c < 3; c++) {
        at[c] = (double)d[c] * args->box[c];
        r2 += at[c] * at[c];
        near &= d[c] <= args->ws;
    }
    if (s->images.field) {
        memcpy(field, image_field(&s->images, d),
               (size_t)s->size * sizeof *field);
        return 1;
    }
    double x = s->a * s->a * r2;
    if (s->axes == 3 ? x > s->most && !near : near)
        return 0;
    if (r2 == 0) {
        memset(field, 0, (size_t)s->size * sizeof *field);
        field[0] = -2 * s->a / sqrt(M_PI);
        return 1;
    }
    if (s->axes == 0) {
        multipole_singular(s->q, at, field);
        return 1;
    }
    multipole_gammas(s->q, x, high, low);
    multipole_singular(s->q, at, field);
    for (int n = 0, k = 0; n <= s->q; n++)
        for (; k < multipole_size(n); k++)
            field[k] *= near ? -low[n] : high[n];
    return 1;
}

/* to += from, times the sum of mode i along an axis over differences r and -r:
 * 2 cos, or 2 sin for elements that change sign.  Half a row of images is one
 * difference. */
static void symbol_add(const struct symbol *s, int axis, int64_t i, int64_t r,
                       const double *from, double *to)
{
    /* angle modulo a turn: products of integers are exact */
    double turn = (double)(i * r % s->mesh[axis]) / (double)s->mesh[axis];
    int once = r == 0 || (s->images.field && 2 * r == s->mesh[axis]);
    double even = once ? cos(2 * M_PI * turn) : 2 * cos(2 * M_PI * turn);
    double more = (r ? 2 * sin(2 * M_PI * turn) : 0) - even;
    const double *odd = s->odd[axis];
    for (int k = 0; k < s->size; k++)
        to[k] += (even + more * odd[k]) * from[k];
}

/* y first, of which others may have modes too. */
static void symbol_plane(struct symbol *s, int64_t z)
{
    const int64_t *reach = s->reach, *half = s->half;
    int64_t size = s->size, rows = s->rows, modes = rows * (half[0] + 1);
    PAR_FOR(s->args->threads, schedule(dynamic))
    for (int64_t x = 0; x <= reach[0]; x++) {
        double *line = s->lines + x * rows * size;
        memset(line, 0, (size_t)(rows * size) * sizeof *line);
        for (int64_t y = 0; y <= reach[1]; y++) {
            double *field = s->field + (x * (reach[1] + 1) + y) * size;
            if (!symbol_field(s, (const int64_t[3]){x, y, z}, field))
                continue;
            for (int64_t j = 0; j < rows; j++)
                symbol_add(s, 1, s->first + j, y, field, line + j * size);
        }
    }
    PAR_FOR(s->args->threads, schedule(dynamic))
    for (int64_t j = 0; j < rows; j++) {
        double *to = s->plane + j * (half[0] + 1) * size;
        memset(to, 0, (size_t)((half[0] + 1) * size) * sizeof *to);
        for (int64_t x = 0; x <= reach[0]; x++)
            for (int64_t i = 0; i <= half[0]; i++)
                symbol_add(s, 0, i, x, s->lines + (x * rows + j) * size,
                           to + i * size);
    }
    PAR_FOR(s->args->threads, schedule(dynamic))
    for (int64_t l = 0; l <= half[2]; l++)
        for (int64_t i = 0; i < modes; i++)
            symbol_add(s, 2, l, z, s->plane + i * size,
                       s->sum + (l * modes + i) * size);
}

/* (-i)^(number of odd axes) is real for even degrees, and i times that for
 * odd. */
static void symbol_signs(const struct symbol *s, double *field)
{
    for (int k = 0; k < s->size; k++) {
        int odd = (int)(s->odd[0][k] + s->odd[1][k] + s->odd[2][k]);
        field[k] = odd == 1 || odd == 2 ? -field[k] : field[k];
    }
}

/* Adds one wave vector; k and its images are the same mode. */
static void symbol_wave(const struct symbol *s, const double k[3],
                        double volume, double *field)
{
    double half[3], r[MULTIPOLE_FIELD], k2 = 0;
    for (int c = 0; c < 3; c++) {
        half[c] = k[c] / (2 * s->a);
        k2 += half[c] * half[c];
    }
    if (k2 > s->most || k2 == 0)
        return;
    double front = M_PI * exp(-k2) / (volume * s->a * s->a * k2);
    multipole_regular(s->q, half, r);
    for (int n = 0, j = 0; n <= s->q; n++) {
        /* (-i)^n, as above */
        double f = (n + 1) / 2 % 2 ? -front : front;
        for (; j < multipole_size(n); j++)
            field[j] += f * r[j];
        front *= s->a / (n + 0.5);
    }
}

static void symbol_waves(const struct symbol *s, const int64_t mode[3],
                         double *field)
{
    const double *box = s->args->box;
    double most = 2 * s->a * sqrt(s->most), k[3];
    double volume = box[0] * box[1] * box[2];
    int64_t low[3], high[3], g[3];
    for (int c = 0; c < 3; c++) {
        double turn = (double)mode[c] / (double)s->mesh[c];
        low[c] = (int64_t)ceil(-most * box[c] / (2 * M_PI) - turn);
        high[c] = (int64_t)floor(most * box[c] / (2 * M_PI) - turn);
    }
    for (g[2] = low[2]; g[2] <= high[2]; g[2]++)
        for (g[1] = low[1]; g[1] <= high[1]; g[1]++)
            for (g[0] = low[0]; g[0] <= high[0]; g[0]++) {
                for (int c = 0; c < 3; c++)
                    k[c] = 2 * M_PI / box[c]
                           * ((double)(g[c] * s->mesh[c] + mode[c])
                              / (double)s->mesh[c]);
                symbol_wave(s, k, volume, field);
            }
    if (mode[0] == 0 && mode[1] == 0 && mode[2] == 0)
        field[0] -= M_PI / (s->a * s->a * volume);
}

/* The differences are summed: adds the wave vectors. */
static void symbol_finish(struct symbol *s)
{
    PAR_FOR(s->args->threads, schedule(dynamic))
    for (int64_t i = 0; i < symbol_modes(s); i++) {
        double *field = s->sum + i * s->size;
        int64_t x = i % (s->half[0] + 1), y = i / (s->half[0] + 1);
        int64_t z = y / s->rows;
        y = s->first + y % s->rows;
        symbol_signs(s, field);
        if (s->axes == 3)
            symbol_waves(s, (const int64_t[3]){x, y, z}, field);
    }
}

static farsum_status symbol_make(struct symbol *s)
{
    TRY(symbol_capacity(s));
    for (int64_t z = 0; z <= s->reach[2] && s->rows > 0; z++) {
        TRY(progress_step(z, s->reach[2] + 1,
                          "transforming the fields of root boxes"));
        symbol_plane(s, z);
    }
    symbol_finish(s);
    return FARSUM_OK;
}

static struct symbol_key symbol_key(const struct symbol *s)
{
    const struct boxes_args *args = s->args;
    struct symbol_key key = {.p = args->p,
                             .ws = args->ws,
                             .first = s->first,
                             .rows = s->rows};
    for (int c = 0; c < 3; c++) {
        key.mesh[c] = s->mesh[c];
        key.root[c] = args->root[c];
        key.periodic[c] = args->periodic[c];
        key.box[c] = args->box[c];
    }
    return key;
}

/* The work of a periodic symbol, in additions to a mode.  The part of the mesh
 * that is computed does not matter, so all ranks split alike. */
static double symbol_work(const struct symbol *s, double a)
{
    double real = TERM + 1.0 + (double)s->half[1], waves = TERM * 4.19;
    for (int c = 0; c < 3; c++) {
        double box = s->args->box[c], radius = sqrt(s->most);
        real *= radius / a / box + 1;
        waves *= ((double)s->half[c] + 1) * a * radius * box / M_PI;
    }
    return real + waves;
}

static struct symbol symbol_shape(const struct boxes_args *args,
                                  const int64_t mesh[3], int64_t first,
                                  int64_t rows)
{
    struct symbol s = {.args = args,
                       .axes = boxes_axes(args),
                       .q = 2 * args->p,
                       .a = splittings[0],
                       .first = first,
                       .rows = rows};
    s.size = multipole_size(s.q);
    s.most = 50 + s.q + 6 * sqrt(s.q);
    for (int c = 0; c < 3; c++) {
        s.mesh[c] = mesh[c];
        s.half[c] = mesh[c] / 2;
    }
    for (int k = 1; k < SPLITTINGS; k++)
        if (symbol_work(&s, splittings[k]) < symbol_work(&s, s.a))
            s.a = splittings[k];
    for (int c = 0; c < 3; c++) {
        double radius = sqrt(s.most) / s.a / args->box[c];
        s.reach[c] = s.axes == 3         ? (int64_t)radius
                     : args->periodic[c] ? args->root[c] / 2
                                         : args->root[c] - 1;
        if (s.axes == 3 && s.reach[c] < args->ws)
            s.reach[c] = args->ws;
    }
    return s;
}

int64_t lattice_symbol_bytes(const struct boxes_args *args,
                             const int64_t mesh[3], int64_t rows)
{
    const struct symbol s = symbol_shape(args, mesh, 0, rows);
    int64_t x = s.half[0] + 1, z = s.half[2] + 1;
    int images = s.axes == 1 || s.axes == 2;
    return (images ? image_fields_bytes(args) : 0)
           + 8 * s.size
                 * (3 + (s.reach[0] + 1) * (s.reach[1] + 1 + rows)
                    + (1 + z) * rows * x);
}

double lattice_making(const struct boxes_args *args)
{
    int64_t mesh[3];
    double modes[3], reach[3];
    if (boxes_axes(args) % 3 == 0)
        return 0;
    lattice_mesh(args, mesh);
    const struct symbol s = symbol_shape(args, mesh, 0, mesh[1] / 2 + 1);
    for (int c = 0; c < 3; c++) {
        modes[c] = (double)s.half[c] + 1;
        reach[c] = (double)s.reach[c] + 1;
    }
    double sums = reach[2]
                  * (reach[0] * modes[1] * (reach[1] + modes[0])
                     + modes[0] * modes[1] * modes[2]);
    return image_fields_cost(args)
           + ADDITION * sums * s.size
                 / pow(args->threads > 0 ? args->threads : 1, 0.9);
}

farsum_status lattice_symbol(const struct boxes_args *args,
                             const int64_t mesh[3], int64_t first, int64_t end,
                             double scale, void *symbol)
{
    farsum_status status = FARSUM_OK;
    struct symbol s = symbol_shape(args, mesh, first, end - first);
    struct symbol_key key = symbol_key(&s);
    int64_t numbers = symbol_modes(&s) * s.size;
    size_t bytes = (size_t)numbers * sizeof *s.sum;
    GO(MEM_NEW(s.sum, numbers));
    if (!kept_find(&symbols, &key, s.sum, bytes)) {
        GO(symbol_make(&s));
        kept_store(&symbols, &key, s.sum, bytes);
    }
    for (int64_t k = 0; k < numbers; k++)
        if (args->precision == FARSUM_F32)
            ((float *)symbol)[k] = (float)(scale * s.sum[k]);
        else
            ((double *)symbol)[k] = scale * s.sum[k];
done:
    symbol_clear(&s);
    return status;
}

void lattice_symbol_counts(uint64_t *there, uint64_t *made)
{
    kept_counts(&symbols, there, made);
}
