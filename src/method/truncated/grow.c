/* SPDX-License-Identifier: Apache-2.0 */
/* grow.c: a larger cell for points that spread along open axes. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "method/truncated/truncated.h"

/* Points move: a plan that grows has room for more.  Longest axis of a mesh. */
#define MARGIN 1.1
#define LONGEST 1e6

/* Widens low .. high by the coordinates of n points along axis d. */
static void widen(const struct cell *cell, int d, const double *x, int64_t n,
                  double *low, double *high)
{
    for (int64_t i = 0; i < n; i++) {
        double z = 0;
        for (int k = 0; k < 3; k++)
            z += x[3 * i + k] * cell->a[3 * d + k] / cell->height[d];
        *low = fmin(*low, z);
        *high = fmax(*high, z);
    }
}

/* Returns 1 if the points exceed the plan's cell.  across: out: extents, with a
 * margin. */
static int exceeds(const struct task *task, const struct spectral *s, int64_t n,
                   int64_t m, double across[3])
{
    const struct parameters *t = &s->parameters;
    double square = 0;
    int beyond = 0;
    memcpy(across, task->sample.across, 3 * sizeof *across);
    for (int d = 0; d < 3; d++) {
        double low = INFINITY, high = -INFINITY;
        double edge = t->rc * t->cell.height[d];
        double window = t->window.support * edge / (double)t->mesh[d];
        if (task->problem.periodic[d])
            continue;
        widen(&t->cell, d, s->x, n, &low, &high);
        widen(&t->cell, d, s->y, m, &low, &high);
        beyond |= high - low > fmin(edge / 2 - window, edge - t->rc);
        square += (high - low) * (high - low);
        across[d] = fmax(across[d], MARGIN * (high - low));
    }
    /* the split smears the kernel's end by a cutoff */
    return beyond || sqrt(square) > (t->radius - TASK_CUT) * t->rc;
}

/* Sets *to to the plan's parameters with a cell and a mesh for points of these
 * extents. */
static farsum_status larger(const struct task *task, const struct spectral *s,
                            const double across[3], struct parameters *to)
{
    const struct parameters *t = &s->parameters;
    union stage_args args[STAGE_COUNT];
    double square = 0;
    *to = *t;
    for (int d = 0; d < 3; d++) {
        double spacing = t->cell.height[d] / (double)t->mesh[d];
        double window = t->window.support * spacing, extent = across[d] / t->rc;
        double points = fmax(2 * (extent + window), extent + 1) / spacing;
        if (task->problem.periodic[d])
            continue;
        if (!(points < LONGEST))
            FAIL(ERR_POSITION,
                 "the points extend over %.6g along the open axis %c, too far "
                 "for a mesh of spacing %.6g: give a sample that extends as "
                 "far",
                 task_length(task, across[d] / MARGIN), 'a' + d,
                 task_length(task, spacing * t->rc));
        int64_t mesh = fft_good_size((int64_t)ceil(points));
        to->mesh[d] = mesh > t->mesh[d] ? mesh : t->mesh[d];
        cell_stretch(&to->cell, d, spacing * (double)to->mesh[d]);
        square += across[d] * across[d];
    }
    to->ldz = 2 * (to->mesh[2] / 2 + 1);
    to->radius = fmax(t->radius, sqrt(square) / t->rc + TASK_CUT);
    to->fill = t->fill * t->cell.volume / to->cell.volume;
    parameters_args(to, task, args);
    for (int r = 0; r < STAGE_COUNT; r++)
        TRY(to->choice[r].row->variant->fits(&args[r]));
    to->bytes = parameters_bytes(to, task);
    parameters_error(to, task);
    return FARSUM_OK;
}

/* Makes the stages again, for other parameters; on failure the old ones
 * stay. */
static farsum_status remake(struct task *task, struct spectral *s,
                            const struct parameters *fresh,
                            truncated_make *make)
{
    farsum_status status = FARSUM_OK;
    struct parameters *old = NULL;
    void *states[STAGE_COUNT], *mesh = s->mesh;
    TRY(task_has_memory(task, (double)fresh->bytes));
    TRY(MEM_NEW(old, 1));
    *old = s->parameters;
    memcpy(states, s->states, sizeof states);
    memset(s->states, 0, sizeof s->states);
    s->mesh = NULL;
    s->parameters = *fresh;
    status = make(task, s);
    for (int r = 0; r < STAGE_COUNT; r++) {
        void *unused = status == FARSUM_OK ? states[r] : s->states[r];
        if (unused)
            old->choice[r].row->variant->destroy(unused);
        if (status != FARSUM_OK)
            s->states[r] = states[r];
    }
    if (status == FARSUM_OK) {
        mem_free(mesh);
    } else {
        mem_free(s->mesh);
        s->mesh = mesh;
        s->parameters = *old;
    }
    mem_free(old);
    return status;
}

farsum_status truncated_follow(struct task *task, struct spectral *s, int64_t n,
                               int64_t m, truncated_make *make, int *grown)
{
    farsum_status status = FARSUM_OK;
    struct parameters *fresh = NULL;
    double across[3];
    *grown = task_is_truncated(task) && exceeds(task, s, n, m, across);
    if (!*grown)
        return FARSUM_OK;
    GO(MEM_NEW(fresh, 1));
    GO(larger(task, s, across, fresh));
    GO(remake(task, s, fresh, make));
    memcpy(task->sample.across, across, sizeof across);
    for (int d = 0; d < 3; d++)
        task->sample.reach[d] = fmax(task->sample.reach[d], across[d] / MARGIN);
done:
    mem_free(fresh);
    return status;
}
