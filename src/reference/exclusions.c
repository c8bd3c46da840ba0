/* SPDX-License-Identifier: Apache-2.0 */
/* exclusions.c: subtraction of excluded pairs, (7.14), from the references and
 * from fmm on the host. */
#include <math.h>
#include <string.h>

#include "math/tied_images.kh"
#include "reference/ewald/ewald_sum.h"
#include "reference/exclusions.h"
#include "reference/kernels.h"
#include "points/cell.h"

enum { IMAGES = 2, SIDE = 2 * IMAGES + 1 };

/* The lattice of images. */
struct lattice {
    struct cell cell;
    double sure; /* up to this r^2, an image is the only nearest one */
};

/* Images of a difference of positions, `all` of them around one near 0. */
struct images {
    const struct cell *cell;
    double from[3], s[3]; /* the difference; lattice steps to one near 0 */
    double d[3], least;   /* the nearest image, its square */
    int first, all;       /* its number; all = 1: no other image is as near */
};

/* True if the n-th image differs from others: its steps along open axes are
 * 0. */
static int is_image(const struct cell *cell, int n)
{
    const int k[3] = {n / SIDE / SIDE, n / SIDE % SIDE, n % SIDE};
    for (int a = 0; a < 3; a++)
        if (cell->open[a] && k[a] != IMAGES)
            return 0;
    return 1;
}

/* Sets d to the n-th image.  Returns its square. */
static double image(const struct images *m, int n, double d[3])
{
    const double *a = m->cell->a;
    const double k[3] = {m->s[0] + n / SIDE / SIDE - IMAGES,
                         m->s[1] + n / SIDE % SIDE - IMAGES,
                         m->s[2] + n % SIDE - IMAGES};
    double r2 = 0;
    for (int c = 0; c < 3; c++) {
        d[c] = m->from[c] - k[0] * a[c] - k[1] * a[3 + c] - k[2] * a[6 + c];
        r2 += d[c] * d[c];
    }
    return r2;
}

/* Returns the images of a difference d in a lattice, or in open space
 * (NULL). */
static struct images nearest(const struct lattice *lattice, const double d[3])
{
    enum { ALL = SIDE * SIDE * SIDE };
    struct images m = {.all = 1};
    memcpy(m.d, d, sizeof m.d);
    m.least = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (!lattice)
        return m;
    m.cell = &lattice->cell;
    memcpy(m.from, d, sizeof m.from);
    for (int a = 0; a < 3; a++)
        if (!m.cell->open[a])
            m.s[a] = nearbyint(d[0] * m.cell->inv[a] + d[1] * m.cell->inv[3 + a]
                           + d[2] * m.cell->inv[6 + a]);
    m.first = ALL / 2;
    m.least = image(&m, m.first, m.d);
    if (m.least <= lattice->sure)
        return m;
    m.all = ALL;
    for (int n = 0; n < ALL; n++) {
        double e[3], r2 = image(&m, n, e);
        if (r2 < m.least && is_image(m.cell, n)) {
            m.first = n;
            m.least = r2;
            memcpy(m.d, e, sizeof e);
        }
    }
    return m;
}

/* Sets d and r2 to the next image from *n on that ties with the nearest one
 * (math/tied_images.kh).  Returns 0 after the last one. */
static int next_tied(const struct images *m, int *n, double d[3], double *r2)
{
    while (*n < m->all) {
        double apart = 0;
        int at = (*n)++;
        memcpy(d, m->d, sizeof m->d);
        *r2 = m->least;
        if (m->all == 1 || at == m->first)
            return 1;
        if (!is_image(m->cell, at))
            continue;
        *r2 = image(m, at, d);
        for (int c = 0; c < 3; c++)
            apart += (d[c] - m->d[c]) * (d[c] - m->d[c]);
        if (TIED_IMAGE(*r2, m->least, apart))
            return 1;
    }
    return 0;
}

struct pass {
    const struct task *task;
    const struct positions *source, *target;
    const double *q;
    const struct host_sums *sums;
    struct reference_kind kind;
    struct reference_split split; /* xi = 0: the kernel itself */
    struct lattice lattice;
    double skip; /* square of the distance below which points coincide */
    double soft; /* square of Plummer's softening: open space */
    double radius; /* of the softening: periodic cells, (3.11) */
};

#define FN static inline
#define SOFTEN_REAL double
#include "math/soften_pair.kh"

/* The values of a charge that is softened within h. */
static void soft_pair(double h, const double d[3], double r2, double q,
                      double v[REFERENCE_VIRIAL])
{
    double f[2], g;
    soften_pair(r2, h, f);
    v[0] = q * f[0];
    g = q * f[1];
    for (int a = 0; a < 3; a++) {
        v[1 + a] = g * d[a];
        v[4 + a] = g * d[a] * d[a];
    }
    v[7] = g * d[0] * d[1];
    v[8] = g * d[0] * d[2];
    v[9] = g * d[1] * d[2];
}

/* Adds the target's loss by source j: the mean over the nearest images. */
static void exclude_pair(const struct pass *p, const struct images *m,
                         double lost, int64_t j, double *value)
{
    double d[3], r2, c[REFERENCE_CHANNELS], sum[REFERENCE_VALUES] = {0};
    int values = p->kind.values, many = 0;
    p->kind.load(p->q + j * p->kind.strengths, c);
    for (int n = 0; next_tied(m, &n, d, &r2); many++) {
        double v[REFERENCE_VALUES] = {0};
        if (p->radius > 0 && r2 < p->radius * p->radius)
            soft_pair(p->radius, d, r2, c[0], v);
        else
            p->kind.near(&p->split, d, r2 + p->soft, c, v);
        for (int a = 0; a < values; a++)
            sum[a] += v[a];
    }
    for (int a = 0; a < values; a++)
        value[a] += lost * (sum[a] / many);
}

/* Adds the row's losses. */
static void exclude_row(const struct pass *p, int64_t r, double *value)
{
    const struct exclusions *e = &p->task->exclusions;
    const struct positions *from = p->source, *to = p->target;
    int64_t i = e->target[r];
    int periodic = task_axes(p->task) > 0;
    for (int64_t k = e->start[r]; k < e->start[r + 1]; k++) {
        double d[3];
        int64_t j = e->source[k];
        for (int a = 0; a < 3; a++)
            d[a] = to->x[a][to->step * i] - from->x[a][from->step * j];
        const struct images m = nearest(periodic ? &p->lattice : NULL, d);
        if (m.least > p->skip) /* else the sum does not have this pair */
            exclude_pair(p, &m, e->lost[k], j, value);
    }
}

static void exclude_target(const struct pass *p, int64_t i, const double *v)
{
    const struct host_sums *sums = p->sums;
    const double *q = p->q + i * p->kind.strengths;
    double virial[9];
    for (int a = 0; sums->velocity && a < 3; a++)
        sums->velocity[3 * i + a] -= v[a];
    if (sums->potential)
        sums->potential[i] -= v[0];
    for (int a = 0; sums->field && a < 3; a++)
        sums->field[3 * i + a] -= v[1 + a];
    for (int a = 0; sums->gradient && a < 6; a++)
        sums->gradient[6 * i + a] -= v[REFERENCE_FIELD + a];
    for (int a = 0; sums->third && a < 10; a++)
        sums->third[10 * i + a] -= v[REFERENCE_GRADIENT + a];
    if (sums->energy)
        *sums->energy -= reference_energy(&p->kind, q, v);
    if (!sums->virial && !sums->particle)
        return;
    reference_virial(&p->kind, q, v, virial);
    for (int a = 0; a < 9; a++) {
        if (sums->virial)
            sums->virial[a] -= virial[a];
        if (sums->particle)
            sums->particle[9 * i + a] -= virial[a];
    }
}

farsum_status reference_exclude(const struct task *task,
                                const struct positions *source,
                                const struct positions *target, const double *q,
                                const struct host_sums *sums)
{
    const struct exclusions *e = &task->exclusions;
    const struct reference_kind *kind = reference_kind_find(task->pair.name);
    struct pass p = {.task = task,
                     .source = source,
                     .target = target->n > 0 ? target : source,
                     .q = q,
                     .sums = sums,
                     .kind = kind ? *kind : reference_laplace,
                     .split = {.screen = task->pair.kappa}};
    double soft = task->problem.softening;
    if (task_axes(task) > 0)
        p.radius = soft;
    else
        p.soft = soft * soft;
    if (e->rows == 0)
        return FARSUM_OK;
    if (task_axes(task) > 0) {
        double longest = 0, shortest = INFINITY;
        TRY(task_cell(task, &p.lattice.cell));
        for (int d = 0; d < 3; d++) {
            const double *a = p.lattice.cell.a + 3 * d;
            double square = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
            if (p.lattice.cell.open[d])
                continue;
            longest = fmax(longest, square);
            shortest = fmin(shortest, square);
        }
        p.lattice.sure = TIED_SURE * shortest / 4;
        p.skip = EWALD_COINCIDE * EWALD_COINCIDE * longest;
    }
    for (int64_t r = 0; r < e->rows; r++) {
        double value[REFERENCE_VALUES] = {0};
        exclude_row(&p, r, value);
        exclude_target(&p, e->target[r], value);
    }
    return FARSUM_OK;
}
