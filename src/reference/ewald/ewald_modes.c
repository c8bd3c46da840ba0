/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_modes.c: wave vectors of the far sum. */
#include "base/mem.h"
#include "reference/ewald/ewald_part.h"

#include <math.h>
#include <string.h>

static void wave(const struct ewald_lattice *l, long double n1, long double n2,
                 long double n3, long double k[3])
{
    for (int d = 0; d < 3; d++)
        k[d] = 2 * EWALD_PI *
               (n1 * l->inv[3 * d] + n2 * l->inv[3 * d + 1] +
                n3 * l->inv[3 * d + 2]);
}

static long double square(const long double k[3])
{
    return k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
}

/* Number of entries of a row: 1 + the largest |n3| with |k| <= kmax, or 0. */
static int32_t row_length(const struct ewald_lattice *l, double kmax,
                          int32_t n1, int32_t n2)
{
    long double p[3], b[3];
    wave(l, n1, n2, 0, p);
    wave(l, 0, 0, 1, b);
    long double b2 = square(b);
    long double pb = p[0] * b[0] + p[1] * b[1] + p[2] * b[2];
    long double root = pb * pb - b2 * (square(p) - (long double)kmax * kmax);
    if (root < 0)
        return 0;
    root = sqrtl(root);
    /* n3 lies between the two roots of |p + n3 b| = kmax */
    long double low = ceill((-pb - root) / b2);
    long double high = floorl((-pb + root) / b2);
    if (low > high)
        return 0;
    return 1 + (int32_t)fmaxl(fabsl(low), fabsl(high));
}

/* Counts the rows of the half space and their entries; also fills rows if they
 * are allocated. */
static void visit_rows(struct ewald_modes *modes, const struct ewald_lattice *l,
                       double kmax)
{
    int64_t rows = 0, entries = 0;
    for (int32_t n1 = 0; n1 <= modes->most[0]; n1++)
        for (int32_t n2 = n1 ? -modes->most[1] : 0; n2 <= modes->most[1];
             n2++) {
            int32_t length = row_length(l, kmax, n1, n2);
            if (length == 0)
                continue;
            if (rows < modes->row_capacity)
                modes->row[rows] =
                    (struct ewald_row){n1, n2, length, entries, 0};
            rows++;
            entries += length;
        }
    modes->rows = rows;
    modes->entries = entries;
}

farsum_status ewald_modes_set(struct ewald_modes *modes,
                              const struct ewald_lattice *l, double kmax)
{
    for (int d = 0; d < 3; d++) {
        /* n_d = k.a_d / 2 pi */
        long double most = floorl(kmax * l->length[d] / (2 * EWALD_PI));
        if (most >= 1 << 20)
            FAIL(ERR_UNSUPPORTED,
                 "ewald: %Lg wave vectors along an axis are too many", most);
        modes->most[d] = (int32_t)most;
    }
    mem_free(modes->row);
    modes->row = NULL;
    modes->row_capacity = 0;
    visit_rows(modes, l, kmax);
    TRY(MEM_RAW(modes->row, modes->rows));
    modes->row_capacity = modes->rows;
    visit_rows(modes, l, kmax);
    for (int64_t i = 0; i < modes->rows; i++)
        if (modes->row[i].length > modes->most[2] + 1)
            modes->most[2] = modes->row[i].length - 1;
    return FARSUM_OK;
}

void ewald_modes_free(struct ewald_modes *modes)
{
    mem_free(modes->row);
    mem_free(modes->node);
    memset(modes, 0, sizeof *modes);
}

int ewald_wave(const struct ewald_lattice *l, double kmax,
               const struct ewald_row *row, int32_t n3, int sign,
               long double k[3])
{
    wave(l, row->n1, row->n2, sign * n3, k);
    /* -n3 would repeat n3 = 0, and in the first row the other half space. */
    int first = row->n1 == 0 && row->n2 == 0;
    return !((sign < 0 && (n3 == 0 || first)) || (first && n3 == 0) ||
             square(k) > (long double)kmax * kmax);
}

long double ewald_mode(const struct ewald_lattice *l, double xi, double kmax,
                       const struct ewald_row *row, int32_t n3, int sign,
                       long double k[3])
{
    if (!ewald_wave(l, kmax, row, n3, sign, k))
        return 0;
    long double k2 = square(k);
    return 8 * EWALD_PI / l->volume *
           expl(-k2 / (4 * (long double)xi * xi)) / k2;
}
