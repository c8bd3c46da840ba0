/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_grid_tables.c: tables that gpu_grid's kernels read. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stage/device.h"
#include "stage/lattice/fft_symbol.h"
#include "stage/lattice/gpu_grid.h"

enum { TURN = 1 << 16 }; /* modes that are copied to the device together */

/* A_n^m of (10.4) times a^n, with a power of two a that keeps it near 1, and
 * the sign of (10.41). */
static double grid_scale(int p, int n, int m)
{
    double product = 1;
    int down = p ? (int)lround(log2(2 * p / M_E)) : 0;
    for (int k = 2; k <= n - m; k++)
        product *= k;
    double other = 1;
    for (int k = 2; k <= n + m; k++)
        other *= k;
    return ldexp(sqrt(product) * sqrt(other), -down * n) * (n / 2 % 2 ? -1 : 1);
}

/* Sets the indices of the meshes' coefficients, and their factors. */
static farsum_status grid_numbers(struct grid_state *s)
{
    const struct boxes_args *a = &s->args;
    farsum_status status = FARSUM_OK;
    int n = 2 * s->cut.meshes, at = 0;
    int32_t *number = NULL;
    double *in = NULL, *out = NULL;
    GO(MEM_RAW(number, n));
    GO(MEM_NEW(in, n));
    GO(MEM_NEW(out, n));
    for (int i = 0; i < n; i++)
        number[i] = -1;
    for (int m = 0; m <= a->p; m++) {
        for (int k = m; k <= a->p; k++)
            for (int part = 0; part <= (m > 0); part++, at++) {
                double scale = 1 / grid_scale(a->p, k, m);
                number[at] = multipole_at(k, part ? -m : m);
                in[at] = m ? scale : scale / 2;
                out[at] = k % 2 ? -scale : scale;
            }
        at += at % 2;
    }
    GO(buf_alloc(&s->number, a->device, 4 * n));
    GO(buf_upload(&s->number, 0, number, 4 * n));
    GO(buf_alloc(&s->factor, a->device, n * gpu_real(a->precision)));
    GO(boxes_gpu_upload(&s->factor, a->precision, 0, in, n));
    GO(buf_alloc(&s->factor_out, a->device, n * gpu_real(a->precision)));
    GO(boxes_gpu_upload(&s->factor_out, a->precision, 0, out, n));
done:
    mem_free(number);
    mem_free(in);
    mem_free(out);
    return status;
}

/* Position at which a transform leaves mode k. */
static int grid_position(const struct grid_cut *cut, int axis, int k)
{
    const int *factor = cut->factor[axis];
    return k % factor[0] * factor[1] + k / factor[0];
}

/* Ranks modes 0 .. N/2 of an axis by their positions: rank[k].  Those of y stay
 * in order, so that they can be cut. */
static void grid_ranks(const struct grid_cut *cut, int axis, int32_t *rank)
{
    for (int k = 0; k < cut->half[axis]; k++) {
        rank[k] = axis == 1 ? k : 0;
        if (axis == 1)
            continue;
        for (int l = 0; l < cut->half[axis]; l++)
            rank[k] +=
                grid_position(cut, axis, l) < grid_position(cut, axis, k);
    }
}

static farsum_status grid_axes(struct grid_state *s, int32_t *rank)
{
    const struct grid_cut *cut = &s->cut;
    farsum_status status = FARSUM_OK;
    int32_t *position = NULL;
    double *root = NULL;
    int64_t n = 0, halves = 0;
    for (int c = 0; c < 3; c++) {
        n += cut->mesh[c];
        halves += cut->half[c];
    }
    GO(MEM_RAW(position, halves));
    GO(MEM_RAW(root, 2 * n));
    int32_t *at = position, *place = rank;
    double *to = root;
    for (int c = 0; c < 3; c++) {
        int mesh = cut->mesh[c];
        grid_ranks(cut, c, place);
        for (int k = 0; k < cut->half[c]; k++) {
            at[place[k]] = grid_position(cut, c, k)
                           | grid_position(cut, c, (mesh - k) % mesh) << 16;
        }
        for (int t = 0; t < mesh; t++) {
            *to++ = cos(2 * M_PI * t / mesh);
            *to++ = sin(2 * M_PI * t / mesh);
        }
        at += cut->half[c];
        place += cut->half[c];
    }
    GO(buf_alloc(&s->position, s->args.device, 4 * halves));
    GO(buf_upload(&s->position, 0, position, 4 * halves));
    GO(buf_alloc(&s->root, s->args.device,
                 2 * n * gpu_real(s->args.precision)));
    GO(boxes_gpu_upload(&s->root, s->args.precision, 0, root, 2 * n));
done:
    mem_free(position);
    mem_free(root);
    return status;
}

struct grid_tile {
    int32_t order, first, rows, mesh;
};

static int grid_weight(const struct grid_tile *t)
{
    return t->order ? 2 * t->rows : t->rows;
}

static int grid_heavier(const void *a, const void *b)
{
    return grid_weight(b) - grid_weight(a);
}

/* Element i of a sequence that reverses at the ends of rows of length
 * `wide`. */
static int grid_snake(int i, int wide)
{
    return i / wide % 2 ? wide - 1 - i % wide : i % wide;
}

/* Assigns tiles: equally to the parts, and in a part to teams, every fourth of
 * which has one scheduler. */
static farsum_status grid_tiles(struct grid_state *s)
{
    enum { SCHEDULERS = 4 };
    const struct grid_cut *cut = &s->cut;
    farsum_status status = FARSUM_OK;
    int p = s->args.p, n = 0, mesh = 0, all = cut->teams * cut->parts;
    struct grid_tile *tile = NULL, *dealt = NULL;
    int *taken = NULL;
    GO(MEM_NEW(tile, cut->tiles));
    GO(MEM_NEW(dealt, all));
    GO(MEM_NEW(taken, cut->parts));
    for (int m = 0; m <= p; m++) {
        int run = grid_run(cut, m), count = p + 1 - m;
        for (int k = 0; k < count; k += run)
            tile[n++] =
                (struct grid_tile){m, m + k, count - k < run ? count - k : run,
                                   mesh + (m ? k : k / 2)};
        mesh += m ? count : (count + 1) / 2;
    }
    qsort(tile, (size_t)n, sizeof *tile, grid_heavier);
    for (int i = 0; i < n; i++) {
        int part = grid_snake(i, cut->parts), team = taken[part]++;
        int whole = team / SCHEDULERS * SCHEDULERS + SCHEDULERS <= cut->teams;
        if (whole)
            team =
                team / SCHEDULERS * SCHEDULERS + grid_snake(team, SCHEDULERS);
        dealt[part * cut->teams + team] = tile[i];
    }
    GO(buf_alloc(&s->tile, s->args.device, 16 * all));
    GO(buf_upload(&s->tile, 0, dealt, 16 * all));
done:
    mem_free(tile);
    mem_free(dealt);
    mem_free(taken);
    return status;
}

/* Tables of grid_field in addition to the fields: positions of modes, and
 * target and factor of their coefficients. */
static farsum_status grid_field_tables(const struct grid_state *s,
                                       const int32_t *rank, struct buf *place,
                                       struct buf *number, struct buf *factor)
{
    const struct boxes_args *a = &s->args;
    farsum_status status = FARSUM_OK;
    int q = 2 * a->p, size = multipole_size(q);
    int64_t halves = s->cut.half[0] + s->cut.half[1] + s->cut.half[2];
    int32_t *to = NULL;
    double *f = NULL;
    GO(MEM_RAW(to, size));
    GO(MEM_RAW(f, size));
    for (int n = 0; n <= q; n++)
        for (int m = -n; m <= n; m++) {
            int k = multipole_at(n, m), order = abs(m);
            int first = 2 * (order * (q + 1) - order * (order - 1) / 2);
            to[k] = first + (m < 0 ? q + 1 - order : 0) + n - order;
            f[k] = grid_scale(a->p, n, order);
        }
    GO(buf_alloc(place, a->device, 4 * halves));
    GO(buf_upload(place, 0, rank, 4 * halves));
    GO(buf_alloc(number, a->device, 4 * size));
    GO(buf_upload(number, 0, to, 4 * size));
    GO(buf_alloc(factor, a->device, size * gpu_real(a->precision)));
    GO(boxes_gpu_upload(factor, a->precision, 0, f, size));
done:
    mem_free(to);
    mem_free(f);
    return status;
}

/* Computes the field in modes and copies it into blocks of modes. */
static farsum_status grid_field(struct grid_state *s, const int32_t *rank)
{
    const struct boxes_args *a = &s->args;
    const struct grid_cut *cut = &s->cut;
    farsum_status status = FARSUM_OK;
    int64_t real = gpu_real(a->precision), size = multipole_size(2 * a->p);
    int64_t mesh[3], rows = cut->end - cut->first;
    int64_t all = rows * cut->half[0] * cut->half[2];
    double points = 1;
    struct buf some = {0}, place = {0}, number = {0}, factor = {0};
    void *symbol = NULL;
    for (int c = 0; c < 3; c++) {
        mesh[c] = cut->mesh[cut->ranks ? 2 - c : c];
        points *= cut->mesh[c];
    }
    GO(mem_alloc(&symbol, all, (size_t)(size * real), 0));
    /* two real numbers are halves of a complex one */
    GO(lattice_symbol(a, mesh, cut->first, cut->end, 0.5 / points, symbol));
    GO(grid_field_tables(s, rank, &place, &number, &factor));
    GO(buf_alloc(&s->field, a->device, grid_field_reals(a, cut) * real));
    GO(buf_fill(&s->field, 0));
    GO(buf_alloc(&some, a->device, size * real * (all < TURN ? all : TURN)));
    for (int64_t first = 0; first < all; first += TURN) {
        int64_t n = all - first < TURN ? all - first : TURN;
        GO(buf_upload(&some, 0, (char *)symbol + first * size * real,
                      n * size * real));
        GO(LAUNCH(&s->field_in, kernel_groups(&s->field_in, n * size),
                  ARG_BUF(&some), ARG_BUF(&s->field), ARG_BUF(&place),
                  ARG_BUF(&number), ARG_BUF(&factor), ARG_I64(first),
                  ARG_I64(n), ARG_I32(rows)));
    }
    GO(device_finish(a->device));
done:
    buf_clear(&some);
    buf_clear(&place);
    buf_clear(&number);
    buf_clear(&factor);
    mem_free(symbol);
    return status;
}

farsum_status grid_tables(struct grid_state *s)
{
    const int *half = s->cut.half;
    farsum_status status = FARSUM_OK;
    int32_t *rank = NULL;
    GO(MEM_RAW(rank, half[0] + half[1] + half[2]));
    GO(grid_numbers(s));
    GO(grid_axes(s, rank));
    GO(grid_tiles(s));
    GO(grid_field(s, rank));
done:
    mem_free(rank);
    return status;
}
