/* SPDX-License-Identifier: Apache-2.0 */
/* device_points.c: common code of p2m and l2p on devices: tables of the
 * unnormalised harmonics, checks, threads per leaf. */
#include "stage/expansions/device_points.h"

#include <stdio.h>

#include "base/mem.h"
#include "points/tree/tree_device_set.h"
#include "stage/expansions/device.h"

int boxes_monic_count(int p, int m0, int m1)
{
    int n = 0;
    for (int m = m0; m < m1; m++)
        n += (m ? 2 : 1) * (p + 1 - m);
    return n;
}

int boxes_monic_pieces(int p, int most, int first[MULTIPOLE_MOST + 2])
{
    int pieces = 0;
    first[0] = 0;
    for (int m = 1; m <= p + 1; m++)
        if (m == p + 1 || boxes_monic_count(p, first[pieces], m + 1) > most)
            first[++pieces] = m;
    return pieces;
}

farsum_status boxes_monic(int p, struct boxes_monic *m)
{
    farsum_status status = FARSUM_OK;
    double *table = NULL;
    int at = 0, number = 0;
    *m = (struct boxes_monic){.p = p, .size = multipole_size(p)};
    m->terms = (p + 1) * (p + 2) / 2;
    GO(MEM_RAW(table, 2 * (int64_t)m->size));
    GO(MEM_RAW(m->c, m->terms));
    GO(MEM_RAW(m->factor, m->size));
    GO(MEM_RAW(m->which, m->size));
    multipole_table(p, table);
    double sectoral = 1;
    for (int k = 0; k <= p; k++) {
        double one, two = 0;
        if (k > 0)
            sectoral *= table[2 * multipole_at(k, k)];
        one = sectoral;
        for (int n = k; n <= p; n++) {
            const double *t = table + 2 * multipole_at(n, k);
            double here = n == k ? sectoral : t[0] * one;
            m->c[at++] = n < k + 2 ? 0 : t[1] * two / here;
            if (n > k)
                two = one;
            one = here;
            for (int part = 0; part < (k ? 2 : 1); part++) {
                m->factor[number] = here;
                m->which[number++] = multipole_at(n, part ? -k : k);
            }
        }
    }
done:
    mem_free(table);
    if (status != FARSUM_OK)
        boxes_monic_clear(m);
    return status;
}

void boxes_monic_clear(struct boxes_monic *m)
{
    mem_free(m->c);
    mem_free(m->factor);
    mem_free(m->which);
    *m = (struct boxes_monic){0};
}

void boxes_monic_define(struct jit *jit, const struct boxes_monic *m, int most)
{
    int first[MULTIPOLE_MOST + 2], largest = 0, at = 0;
    char text[8 * (MULTIPOLE_MOST + 2)];
    jit_define(jit, "P", "%d", m->p);
    jit_define_table(jit, "MONIC", m->c, m->terms);
    if (most == 0)
        return;
    int pieces = boxes_monic_pieces(m->p, most, first);
    for (int i = 0; i <= pieces; i++) {
        int n = i < pieces ? boxes_monic_count(m->p, first[i], first[i + 1])
                           : 0;
        largest = n > largest ? n : largest;
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%d",
                       i ? "," : "", first[i]);
    }
    jit_define(jit, "PIECES", "%d", pieces);
    jit_define(jit, "PIECE", "%s", text);
    jit_define(jit, "MOST", "%d", largest);
}

farsum_status boxes_points_fits(const void *args)
{
    return boxes_gpu_fits_any(args, MULTIPOLE_MOST);
}

farsum_status boxes_points_io(const struct boxes_args *a,
                              const struct boxes_io *io)
{
    const struct tree *t = io->tree;
    int same = t->dense == a->dense && (!t->dense || t->depth == a->depth)
               && t->gpu && t->gpu->device == a->device
               && t->precision == a->precision;
    for (int d = 0; d < 3; d++)
        same = same && t->root[d] == a->root[d];
    if (!same || io->stride < t->n_boxes)
        FAIL(ERR_ARGUMENT, "the points are not on the variant's device or "
                           "not in the tree that it was created for");
    return FARSUM_OK;
}

const struct buf *boxes_points_leaf(const struct tree *t)
{
    return t->dense ? &t->gpu->source.begin : &t->gpu->sparse.leaf;
}

int boxes_points_team(const struct boxes_args *a, double points, int group)
{
    double leaves = (double)boxes_gpu_leaves(a);
    double each = points / leaves;
    double threads = 512.0 * a->device->properties.units;
    int team = 4;
    while (team < group
           && (each > 3.5 * team
               || (each > team && leaves * team < threads)))
        team *= 2;
    return team;
}
