/* SPDX-License-Identifier: Apache-2.0 */
/* exclusions.c: what excluded pairs lose, (7.14), in the caller's unit. */
#include <math.h>
#include <string.h>

#include "reference/ewald/ewald_sum.h"
#include "reference/reference.h"
#include "reference/kernels.h"
#include "points/cell.h"

enum { IMAGES = 2, SIDE = 2 * IMAGES + 1 };

/* phi, E, w of a charge, as the functions of reference/kernels.h. */
static void coulomb_near(const struct exact_split *p, const double d[3],
                         double r2, const double *c, double *v)
{
    double phi = c[0] / sqrt(r2), f = phi / r2;
    (void)p;
    v[0] = phi;
    for (int a = 0; a < 3; a++) {
        v[1 + a] = f * d[a];
        v[4 + a] = f * d[a] * d[a];
    }
    v[7] = f * d[0] * d[1];
    v[8] = f * d[0] * d[2];
    v[9] = f * d[1] * d[2];
}

static void coulomb_load(const double *q, double *c)
{
    c[0] = q[0];
}

/* The nearest image of d; its square. */
static double nearest(const struct cell *cell, double d[3])
{
    double s[3], from[3], least = INFINITY;
    for (int a = 0; a < 3; a++)
        s[a] = nearbyint(d[0] * cell->inv[a] + d[1] * cell->inv[3 + a]
                         + d[2] * cell->inv[6 + a]);
    memcpy(from, d, sizeof from);
    for (int n = 0; n < SIDE * SIDE * SIDE; n++) {
        const double k[3] = {s[0] + n / SIDE / SIDE - IMAGES,
                             s[1] + n / SIDE % SIDE - IMAGES,
                             s[2] + n % SIDE - IMAGES};
        double e[3], r2 = 0;
        for (int a = 0; a < 3; a++) {
            e[a] = from[a] - k[0] * cell->a[a] - k[1] * cell->a[3 + a]
                   - k[2] * cell->a[6 + a];
            r2 += e[a] * e[a];
        }
        if (r2 < least) {
            least = r2;
            memcpy(d, e, sizeof e);
        }
    }
    return least;
}

struct pass {
    const struct task *task;
    struct exact *s;
    const struct exact_sums *sums;
    struct exact_kind kind;
    struct exact_split split; /* xi = 0: the kernel itself */
    struct cell cell;
    double skip; /* square of what is no distance */
    double soft; /* square of the softening */
};

/* Adds the row's losses. */
static void exclude_row(const struct pass *p, int64_t r, double *value)
{
    const struct exclusions *e = &p->task->exclusions;
    const struct exact *s = p->s;
    int64_t i = e->target[r];
    int flow = p->kind.values == EXACT_FLOW;
    for (int64_t k = e->start[r]; k < e->start[r + 1]; k++) {
        double d[3], r2 = 0, c[EXACT_CHANNELS], v[EXACT_VALUES] = {0};
        int64_t j = e->source[k];
        for (int a = 0; a < 3; a++) {
            d[a] = (s->m > 0 ? s->y : s->x)[3 * i + a] - s->x[3 * j + a];
            r2 += d[a] * d[a];
        }
        if (p->task->problem.periodic[0])
            r2 = nearest(&p->cell, d);
        if (!(r2 > p->skip))
            continue; /* the sum is without that pair as it is */
        p->kind.load(s->q + j * p->kind.strengths, c);
        p->kind.near(&p->split, d, r2 + p->soft, c, v);
        for (int a = 0; a < (flow ? EXACT_FLOW : EXACT_VIRIAL); a++)
            value[a] += e->lost[k] * v[a];
    }
}

static void exclude_target(const struct pass *p, int64_t i, const double *v)
{
    static const int at[9] = {4, 7, 8, 7, 5, 9, 8, 9, 6};
    const struct exact_sums *sums = p->sums;
    for (int a = 0; sums->velocity && a < 3; a++)
        sums->velocity[3 * i + a] -= v[a];
    if (sums->potential)
        sums->potential[i] -= v[0];
    for (int a = 0; sums->field && a < 3; a++)
        sums->field[3 * i + a] -= v[1 + a];
    if (sums->energy)
        *sums->energy -= 0.5 * p->s->q[i] * v[0];
    for (int a = 0; sums->virial && a < 9; a++)
        sums->virial[a] -= 0.5 * p->s->q[i] * v[at[a]];
}

farsum_status exact_exclude(const struct task *task, struct exact *s,
                            const struct exact_sums *sums)
{
    const struct exclusions *e = &task->exclusions;
    const struct exact_kind *kind = exact_kind_find(task->pair.name);
    const struct exact_kind coulomb = {.strengths = 1,
                                       .values = EXACT_VIRIAL,
                                       .load = coulomb_load,
                                       .near = coulomb_near};
    struct pass p = {.task = task,
                     .s = s,
                     .sums = sums,
                     .kind = kind ? *kind : coulomb,
                     .split = {0, task->pair.kappa},
                     .soft = task->problem.softening * task->problem.softening};
    if (e->rows == 0)
        return FARSUM_OK;
    if (task->problem.periodic[0]) {
        double longest = 0;
        TRY(cell_set(&p.cell, task->problem.cell, 1));
        for (const double *a = p.cell.a; a < p.cell.a + 9; a += 3)
            longest = fmax(longest, a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        p.skip = EWALD_COINCIDE * EWALD_COINCIDE * longest;
    }
    for (int64_t r = 0; r < e->rows; r++) {
        double value[EXACT_VALUES] = {0};
        exclude_row(&p, r, value);
        exclude_target(&p, e->target[r], value);
    }
    return FARSUM_OK;
}
