/* SPDX-License-Identifier: Apache-2.0 */
/* host_table: a table of the influence function for half of the mesh, planes
 * shared by threads; bound by memory.  Sums run plane by plane in fixed order,
 * so they do not depend on the threads. */
#include <string.h>

#include "base/isa.h"
#include "base/mem.h"
#include "base/par.h"
#include "stage/device.h"
#include "stage/scale/host_table_kern.h"
#include "stage/scale/truncated.h"

ISA_TABLE(struct scale_kern, scale_host_table)

struct state {
    struct scale_args args;
    struct modes modes;
    const struct scale_kern *kern;
    const struct scale_flow *flow; /* flow kernels; else NULL */
    void *table;       /* owned: [rows][mesh1][scale_line], type precision */
    double (*part)[7]; /* owned, [rows]: energy and virial xx xy xz yy yz zz */
    struct octant bend; /* a wire's virial of screened charges */
};

static int64_t table_points(const struct scale_args *a)
{
    return scale_rows(a) * a->mesh[1] * scale_line(a);
}

static farsum_status table_fits(const void *args)
{
    const struct scale_args *a = args;
    TRY(gpu_not_wanted(a->device));
    if (a->columns)
        FAIL(ERR_UNSUPPORTED, "does not support a spectrum of lines");
    const struct pair_kind *kind = scale_kernel(a)->kind;
    if (a->radius > 0 && !(kind->sheet && kind->gradient))
        FAIL(ERR_UNSUPPORTED, "cuts only 1/r and yukawa along open axes");
    return FARSUM_OK;
}

static double table_cost(const void *args)
{
    const struct scale_args *a = args;
    double bytes = a->precision == FARSUM_F32 ? 20 : 40;
    bytes *= scale_kernel(a)->channels;
    return bytes * (double)table_points(a) / (6e9 * (a->threads > 1 ? 1.6 : 1));
}

static int64_t table_bytes(const void *args)
{
    const struct scale_args *a = args;
    return table_points(a) * (a->precision == FARSUM_F32 ? 4 : 8)
           + 56 * scale_rows(a) + (a->radius > 0 ? octant_bytes(a) : 0);
}

static void table_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    modes_clear(&s->modes);
    mem_free(s->table);
    mem_free(s->part);
    octant_clear(&s->bend);
    mem_free(s);
}

static void table_put(struct state *s, int64_t at, double g)
{
    if (s->args.precision == FARSUM_F32)
        ((float *)s->table)[at] = (float)g;
    else
        ((double *)s->table)[at] = g;
}

/* The whole table, with open axes. */
static farsum_status table_open(struct state *s)
{
    const int64_t *mesh = s->args.mesh;
    int64_t half = scale_line(&s->args);
    struct octant octant = {.value = NULL};
    if (s->modes.shift > 0)
        TRY(octant_make(&s->bend, &s->args, &s->modes, 1));
    TRY(octant_make(&octant, &s->args, &s->modes, 0));
    PAR_FOR(s->args.threads)
    for (int64_t i0 = 0; i0 < mesh[0]; i0++)
        for (int64_t i1 = 0; i1 < mesh[1]; i1++)
            for (int64_t i2 = 0; i2 < half; i2++)
                table_put(s, (i0 * mesh[1] + i1) * half + i2,
                          octant_at(&octant, mesh, i0, i1, i2));
    octant_clear(&octant);
    return FARSUM_OK;
}

/* Plane `row` of the table. */
static void table_plane(struct state *s, int64_t row)
{
    const struct modes *m = &s->modes;
    const int64_t *mesh = m->mesh;
    int64_t n2 = scale_line(&s->args), at = row * mesh[1] * n2;
    int64_t i0 = s->args.first + row, first2 = s->args.first2;
    for (int64_t i1 = 0; i1 < mesh[1]; i1++)
        for (int64_t i2 = first2; i2 < first2 + n2; i2++, at++) {
            double k[3];
            double k2 = modes_wave(m, modes_signed(i0, mesh[0]),
                                   modes_signed(i1, mesh[1]), i2, k);
            double g = modes_influence(
                m, k2, m->decon[0][i0] * m->decon[1][i1] * m->decon[2][i2],
                NULL);
            table_put(s, at, g);
        }
}

static farsum_status table_fill(struct state *s)
{
    if (s->args.radius > 0)
        return table_open(s);
    PAR_FOR(s->args.threads, schedule(dynamic))
    for (int64_t row = 0; row < scale_rows(&s->args); row++)
        table_plane(s, row);
    return FARSUM_OK;
}

static farsum_status table_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *(const struct scale_args *)args;
    s->kern = isa_scale_host_table[s->args.isa]
                                  [s->args.precision == FARSUM_F32];
    for (const struct scale_flow *f = s->kern->flows; f->name; f++)
        if (strcmp(f->name, scale_kernel(args)->name) == 0)
            s->flow = f;
    GO(modes_create(&s->modes, &s->args));
    size_t size = s->args.precision == FARSUM_F32 ? 4 : 8;
    GO(mem_alloc(&s->table, table_points(&s->args), size, 0));
    GO(MEM_NEW(s->part, scale_rows(args)));
    GO(table_fill(s));
    *state = s;
    s = NULL;
done:
    table_destroy(s);
    return status;
}

static farsum_status table_set(void *state, const struct points *sources,
                               const struct points *targets)
{
    struct state *s = state;
    (void)sources, (void)targets;
    if (memcmp(s->modes.cell_inv, s->args.cell->inv, sizeof s->modes.cell_inv)
        != 0) {
        modes_set_cell(&s->modes, s->args.cell);
        farsum_status status = table_fill(s);
        if (status != FARSUM_OK) /* the next call fills it again */
            memset(s->modes.cell_inv, 0, sizeof s->modes.cell_inv);
        return status;
    }
    return FARSUM_OK;
}

/* part += (5.3), (5.4) of one plane, before it is multiplied. */
static void table_virial(const struct state *s, const char *plane, int64_t i0,
                         double part[7])
{
    const struct modes *m = &s->modes;
    const int64_t *mesh = m->mesh;
    int64_t first2 = s->args.first2, end2 = first2 + scale_line(&s->args);
    int f32 = s->args.precision == FARSUM_F32;
    for (int64_t i1 = 0; i1 < mesh[1]; i1++)
        for (int64_t i2 = first2; i2 < end2; i2++) {
            int64_t at = i1 * s->args.ldz + 2 * (i2 - first2);
            double re = f32 ? (double)((const float *)plane)[at]
                            : ((const double *)plane)[at];
            double im = f32 ? (double)((const float *)plane)[at + 1]
                            : ((const double *)plane)[at + 1];
            double k[3], bend;
            double k2 = modes_wave(m, modes_signed(i0, mesh[0]),
                                   modes_signed(i1, mesh[1]), i2, k);
            double g = modes_influence(
                m, k2, m->decon[0][i0] * m->decon[1][i1] * m->decon[2][i2],
                &bend);
            double w = modes_weight(i2, mesh[2]) * (re * re + im * im);
            int t = 1;
            for (int a = 0; a < 3; a++)
                for (int b = a; b < 3; b++)
                    part[t++] += w * ((a == b ? g : 0) + bend * k[a] * k[b]);
        }
}

/* The same for the virial along a wire, (9.36); that of 1/r follows from the
 * energy. */
static void table_virial_open(const struct state *s, const char *plane,
                              int64_t i0, double part[7])
{
    const struct cell *cell = s->args.cell;
    const int64_t *mesh = s->args.mesh;
    int f32 = s->args.precision == FARSUM_F32, t = 1;
    double sum = 0, e[3] = {0};
    for (int64_t i1 = 0; s->bend.value && i1 < mesh[1]; i1++)
        for (int64_t i2 = 0; i2 <= mesh[2] / 2; i2++) {
            int64_t at = i1 * s->args.ldz + 2 * i2;
            double re = f32 ? (double)((const float *)plane)[at]
                            : ((const double *)plane)[at];
            double im = f32 ? (double)((const float *)plane)[at + 1]
                            : ((const double *)plane)[at + 1];
            double w = modes_weight(i2, mesh[2]) * (re * re + im * im);
            sum += w * octant_at(&s->bend, mesh, i0, i1, i2);
        }
    for (int d = 0; d < 3; d++)
        for (int k = 0; k < 3 && !s->args.open[d]; k++)
            e[k] = cell->a[3 * d + k] / cell->height[d];
    for (int a = 0; a < 3; a++)
        for (int b = a; b < 3; b++)
            part[t++] += sum * e[a] * e[b];
}

/* Multiplies row i0, i1 of a flow kernel. */
static void table_flow(const struct state *s, char *row, int64_t channel,
                       const char *table, int64_t i0, int64_t i1)
{
    const struct modes *m = &s->modes;
    int64_t n0 = modes_signed(i0, m->mesh[0]);
    int64_t n1 = modes_signed(i1, m->mesh[1]);
    double k[3], step[3];
    modes_wave(m, n0, n1, s->args.first2, k);
    modes_wave(m, 0, 0, 1, step);
    s->flow->row(row, channel, table, scale_line(&s->args), k, step);
}

/* Which modes of a row are their own opposites. */
static int table_alone(const struct scale_args *a)
{
    int last =
        a->mesh[2] % 2 == 0 && a->first2 + scale_line(a) == a->mesh[2] / 2 + 1;
    return (a->first2 == 0 ? SCALE_FIRST : 0) | (last ? SCALE_LAST : 0);
}

static farsum_status table_run(void *state, const void *io)
{
    struct state *s = state;
    const struct scale_io *f = io;
    const int64_t *mesh = s->args.mesh;
    int64_t half = scale_line(&s->args), ldz = s->args.ldz;
    int alone = table_alone(&s->args);
    int64_t size = s->args.precision == FARSUM_F32 ? 4 : 8;
    int64_t channel = scale_channel(&s->args, f), rows = scale_rows(&s->args);
    PAR_FOR(s->args.threads, schedule(static))
    for (int64_t row = 0; row < rows; row++) {
        char *plane = (char *)f->spectrum + row * mesh[1] * ldz * size;
        const char *table = (char *)s->table + row * mesh[1] * half * size;
        int64_t i0 = s->args.first + row;
        memset(s->part[row], 0, sizeof s->part[row]);
        if (f->virial && s->args.radius > 0)
            table_virial_open(s, plane, i0, s->part[row]);
        else if (f->virial)
            table_virial(s, plane, i0, s->part[row]);
        for (int64_t i1 = 0; s->flow && f->keep && i1 < mesh[1]; i1++)
            table_flow(s, plane + i1 * ldz * size, channel,
                       table + i1 * half * size, i0, i1);
        for (int64_t i1 = 0; !s->flow && i1 < mesh[1]; i1++)
            s->part[row][0] +=
                s->kern->row(plane + i1 * ldz * size, table + i1 * half * size,
                             half, alone, f->keep, f->energy != NULL);
    }
    static const int entry[9] = {1, 2, 3, 2, 4, 5, 3, 5, 6};
    double *energy = f->energy, *virial = f->virial;
    for (int64_t row = 0; row < rows; row++) {
        if (energy)
            *energy += 0.5 * s->part[row][0];
        for (int a = 0; virial && a < 9; a++)
            virial[a] += 0.5 * s->part[row][entry[a]];
    }
    return FARSUM_OK;
}

const struct variant scale_host_table = {
    .fits = table_fits,
    .cost = table_cost,
    .bytes = table_bytes,
    .create = table_create,
    .set = table_set,
    .run = table_run,
    .destroy = table_destroy,
    .deterministic = 1,
    .needs = "",
};
