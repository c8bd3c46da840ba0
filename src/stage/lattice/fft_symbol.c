/* SPDX-License-Identifier: Apache-2.0 */
/* fft_symbol.c: the field between root boxes in the modes of their grid,
 * (10.23).
 *
 * Periodic: Ewald summation as in multipole_lattice.c.  Since the positions are
 * a grid, the transforms are known.  Each term of the real-space part becomes a
 * cosine or sine per axis.  The reciprocal part of a mode is a sum over the
 * wave vectors that alias to it.  a is chosen so that few of these are
 * needed. */
#include "stage/lattice/fft_symbol.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"

/* Ewald's splitting parameter a, times the longest edge of a box. */
static const double splitting = 0.45;

struct symbol {
    const struct boxes_args *args;
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
    for (int c = 0; c < 3; c++)
        TRY(MEM_RAW(s->odd[c], size));
    for (int n = 0; n <= s->q; n++)
        for (int m = -n; m <= n; m++)
            for (int c = 0; c < 3; c++)
                s->odd[c][multipole_at(n, m)] = lattice_odd(n, m, c);
    TRY(MEM_RAW(s->field, (s->reach[1] + 1) * (s->reach[0] + 1) * size));
    TRY(MEM_RAW(s->lines, (s->reach[0] + 1) * s->rows * size));
    TRY(MEM_RAW(s->plane, s->rows * (s->half[0] + 1) * size));
    return MEM_NEW(s->sum,
                   (s->half[2] + 1) * s->rows * (s->half[0] + 1) * size);
}

/* Field of boxes whose positions differ by d, for one lattice vector, in real
 * space. */
static void symbol_field(const struct symbol *s, const int64_t d[3],
                         double *field)
{
    const struct boxes_args *args = s->args;
    double at[3], high[MULTIPOLE_DEGREES], low[MULTIPOLE_DEGREES];
    double r2 = 0;
    int near = 1;
    memset(field, 0, (size_t)s->size * sizeof *field);
    for (int c = 0; c < 3; c++) {
        at[c] = (double)d[c] * args->box[c];
        r2 += at[c] * at[c];
        near &= d[c] <= args->ws;
    }
    if (!args->periodic[0]) {
        if (!near)
            multipole_singular(s->q, at, field);
        return;
    }
    double x = s->a * s->a * r2;
    if (r2 == 0)
        field[0] = -2 * s->a / sqrt(M_PI);
    if (r2 == 0 || (x > s->most && !near))
        return;
    multipole_gammas(s->q, x, high, low);
    multipole_singular(s->q, at, field);
    for (int n = 0, k = 0; n <= s->q; n++)
        for (; k < multipole_size(n); k++)
            field[k] *= near ? -low[n] : high[n];
}

/* to += from, times the sum of mode i along an axis over differences r and -r:
 * 2 cos, or 2 sin for elements that change sign. */
static void symbol_add(const struct symbol *s, int axis, int64_t i, int64_t r,
                       const double *from, double *to)
{
    /* angle modulo a turn: products of integers are exact */
    double turn = (double)(i * r % s->mesh[axis]) / (double)s->mesh[axis];
    double even = r ? 2 * cos(2 * M_PI * turn) : 1;
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
            symbol_field(s, (const int64_t[3]){x, y, z}, field);
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

static void symbol_put(const struct symbol *s, double scale, void *symbol)
{
    int64_t modes = (s->half[2] + 1) * s->rows * (s->half[0] + 1);
    int f32 = s->args->precision == FARSUM_F32;
    PAR_FOR(s->args->threads, schedule(dynamic))
    for (int64_t i = 0; i < modes; i++) {
        double *field = s->sum + i * s->size;
        int64_t x = i % (s->half[0] + 1), y = i / (s->half[0] + 1);
        int64_t z = y / s->rows;
        y = s->first + y % s->rows;
        symbol_signs(s, field);
        if (s->args->periodic[0])
            symbol_waves(s, (const int64_t[3]){x, y, z}, field);
        for (int64_t k = 0; k < s->size; k++)
            if (f32)
                ((float *)symbol)[i * s->size + k] = (float)(scale * field[k]);
            else
                ((double *)symbol)[i * s->size + k] = scale * field[k];
    }
}

static struct symbol symbol_shape(const struct boxes_args *args,
                                  const int64_t mesh[3], int64_t first,
                                  int64_t rows)
{
    struct symbol s = {.args = args,
                       .q = 2 * args->p,
                       .a = splitting,
                       .first = first,
                       .rows = rows};
    s.size = multipole_size(s.q);
    s.most = 50 + s.q + 6 * sqrt(s.q);
    for (int c = 0; c < 3; c++) {
        double radius = sqrt(s.most) / s.a / args->box[c];
        s.mesh[c] = mesh[c];
        s.half[c] = mesh[c] / 2;
        s.reach[c] = args->periodic[0] ? (int64_t)radius : args->root[c] - 1;
        if (args->periodic[0] && s.reach[c] < args->ws)
            s.reach[c] = args->ws;
    }
    return s;
}

int64_t lattice_symbol_bytes(const struct boxes_args *args,
                             const int64_t mesh[3], int64_t rows)
{
    const struct symbol s = symbol_shape(args, mesh, 0, rows);
    int64_t x = s.half[0] + 1, z = s.half[2] + 1;
    return 8 * s.size
           * (3 + (s.reach[0] + 1) * (s.reach[1] + 1 + rows)
              + (1 + z) * rows * x);
}

farsum_status lattice_symbol(const struct boxes_args *args,
                             const int64_t mesh[3], int64_t first, int64_t end,
                             double scale, void *symbol)
{
    farsum_status status = FARSUM_OK;
    struct symbol s = symbol_shape(args, mesh, first, end - first);
    GO(symbol_capacity(&s));
    for (int64_t z = 0; z <= s.reach[2] && s.rows > 0; z++)
        symbol_plane(&s, z);
    symbol_put(&s, scale, symbol);
done:
    symbol_clear(&s);
    return status;
}
