/* SPDX-License-Identifier: Apache-2.0 */
/* split_error_table.c: error data of prolate splits, as polynomials of the
 * bandwidth.
 *
 * The tuner tries some hundred bandwidths.  Computing the series, its transform
 * at the nodes and their integrals takes longer than everything else it does
 * for one bandwidth.  Each number of a band is smooth in c.  It is interpolated
 * in pieces of WIDTH from NODES Chebyshev nodes, with an error below the
 * rounding of the series.  A piece is computed on first use and kept until the
 * process ends: at most PIECES per kernel, 2.4 MB in total.  The first thread
 * to finish a piece stores it.  No lock is taken, so a forked child can
 * continue. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tune/error_shared.h"

enum {
    FIRST = 4, /* below it, the transform beyond the band oscillates too fast */
    WIDTH = 3,
    PIECES = 31,
    NODES = 22,
    NUMBERS = 144,
    KERNELS = 3,
};

/* The numbers of a band that depend on c only. */
static const struct {
    size_t at;
    int n;
} columns[] = {
#define COLUMN(member)                                                         \
    {offsetof(struct band, member),                                            \
     (int)(sizeof(((struct band *)0)->member) / sizeof(double))}
    COLUMN(gamma),   COLUMN(start),    COLUMN(tail),   COLUMN(tail_g),
    COLUMN(tail_sum), COLUMN(lost),    COLUMN(centre), COLUMN(edge),
    COLUMN(cut_near), COLUMN(cut_far), COLUMN(self),
#undef COLUMN
};
enum { COLUMNS = sizeof columns / sizeof *columns };

struct piece {
    double value[NODES][NUMBERS];
};
static struct piece *pieces[KERNELS][PIECES]; /* kept until the process ends */

static double piece_node(int piece, int i)
{
    return FIRST + WIDTH * (piece + 0.5 - 0.5 * cos(M_PI * (i + 0.5) / NODES));
}

/* The kernel's row; -1: its bands depend on more than c, or not smoothly. */
static int table_row(const struct pair *pair)
{
    static const char *const names[KERNELS] = {"laplace", "stokeslet",
                                               "rotlet"};
    if (pair->kind->moments) /* those of 1/r */
        return 0;
    for (int k = 0; k < KERNELS; k++)
        if (strcmp(pair->name, names[k]) == 0)
            return k;
    return -1;
}

static void numbers_of(const struct band *band, double *to)
{
    for (int k = 0; k < COLUMNS; k++) {
        memcpy(to, (const char *)band + columns[k].at,
               (size_t)columns[k].n * sizeof *to);
        to += columns[k].n;
    }
}

/* Returns NULL if there is no memory. */
static struct piece *piece_make(int at, const struct pair *pair)
{
    struct piece *piece = calloc(1, sizeof *piece);
    for (int i = 0; i < NODES && piece; i++) {
        struct split split;
        struct band band;
        if (split_set(&split, "prolate", piece_node(at, i)) != FARSUM_OK) {
            free(piece);
            return NULL;
        }
        band_set(&band, &split, pair);
        numbers_of(&band, piece->value[i]);
    }
    return piece;
}

static const struct piece *piece_get(int row, int at, const struct pair *pair)
{
    struct piece **kept = &pieces[row][at], *none = NULL, *made;
    struct piece *there = __atomic_load_n(kept, __ATOMIC_ACQUIRE);
    if (there || !(made = piece_make(at, pair)))
        return there;
    if (__atomic_compare_exchange_n(kept, &none, made, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return made;
    free(made); /* another thread was first */
    return none;
}

/* The weights of the nodes at c: second barycentric form. */
static void piece_weights(int at, double c, double weight[NODES])
{
    double sum = 0;
    for (int i = 0; i < NODES; i++) {
        double off = c - piece_node(at, i);
        if (off == 0) {
            memset(weight, 0, NODES * sizeof *weight);
            weight[i] = 1;
            return;
        }
        weight[i] = (i % 2 ? -1 : 1) * sin(M_PI * (i + 0.5) / NODES) / off;
        sum += weight[i];
    }
    for (int i = 0; i < NODES; i++)
        weight[i] /= sum;
}

int band_table(struct band *band, double c, const struct pair *pair)
{
    int row = table_row(pair), at = (int)((c - FIRST) / WIDTH);
    double weight[NODES], sum[NUMBERS] = {0};
    const struct piece *piece;
    if (row < 0 || !(c >= FIRST) || at >= PIECES
        || !(piece = piece_get(row, at, pair)))
        return 0;
    piece_weights(at, c, weight);
    for (int i = 0; i < NODES; i++)
        for (int k = 0; k < NUMBERS; k++)
            sum[k] += weight[i] * piece->value[i][k];
    band_begin(band, c, pair);
    const double *from = sum;
    for (int k = 0; k < COLUMNS; k++) {
        memcpy((char *)band + columns[k].at, from,
               (size_t)columns[k].n * sizeof *from);
        from += columns[k].n;
    }
    for (int p = 0; p < 2; p++) /* squares, limited by their rounding */
        band->cut_far[p] = fmax(band->cut_far[p], 0);
    return 1;
}
