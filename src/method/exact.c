/* exact.c: copies in, sum, copies out. */
#include "method/exact.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "method/arrays.h"

static farsum_status exact_copy(double **to, int64_t n, const void *x,
                                farsum_precision type, const char *what)
{
    mem_free(*to);
    TRY(MEM_RAW(*to, 3 * n));
    for (int64_t i = 0; i < 3 * n; i++) {
        (*to)[i] = array_get(x, type, i);
        if (!isfinite((*to)[i]))
            FAIL(ERR_POSITION, "%s %lld: %c = %g is not finite", what,
                 (long long)(i / 3), "xyz"[i % 3], (*to)[i]);
    }
    return FARSUM_OK;
}

static farsum_status exact_room(double **p, int64_t n)
{
    mem_free(*p);
    return MEM_RAW(*p, n);
}

farsum_status exact_set_points(struct exact *s, const struct farsum_plan *plan,
                               int64_t n, const void *x, int64_t m,
                               const void *y)
{
    farsum_precision type = plan->problem.arrays;
    int64_t targets = m > 0 ? m : n;
    s->n = s->m = 0;
    TRY(exact_copy(&s->x, n, x, type, "source"));
    mem_free(s->y);
    s->y = NULL;
    if (m > 0)
        TRY(exact_copy(&s->y, m, y, type, "target"));
    TRY(exact_room(&s->q, n));
    TRY(exact_room(&s->potential, targets));
    TRY(exact_room(&s->field, 3 * targets));
    s->n = n;
    s->m = m;
    return FARSUM_OK;
}

/* C times the sums into row r of the caller's arrays; the norm of the
 * tolerance on the way. */
static void exact_out(struct farsum_plan *plan, const struct exact *s, int r,
                      farsum_result *result)
{
    int64_t targets = s->m > 0 ? s->m : s->n;
    double c = plan->problem.coulomb;
    farsum_precision type = plan->problem.arrays;
    for (int64_t i = 0; result->potential && i < targets; i++)
        array_put(result->potential, type, r * targets + i,
                  c * s->potential[i]);
    for (int64_t i = 0; result->field && i < 3 * targets; i++)
        array_put(result->field, type, 3 * r * targets + i, c * s->field[i]);
}

farsum_status exact_execute(struct farsum_plan *plan, int rhs, const void *q,
                            farsum_result *result)
{
    struct exact *s = plan->state;
    double start = clock_seconds(), c = plan->problem.coulomb;
    for (int r = 0; r < rhs; r++) {
        double energy = 0, virial[9] = {0};
        for (int64_t i = 0; i < s->n; i++)
            s->q[i] = array_get(q, plan->problem.arrays, r * s->n + i);
        TRY(s->sum(plan, s, result->potential ? s->potential : NULL,
                   result->field ? s->field : NULL,
                   result->energy ? &energy : NULL,
                   result->virial ? virial : NULL));
        exact_out(plan, s, r, result);
        if (result->energy)
            result->energy[r] = c * energy;
        for (int a = 0; result->virial && a < 9; a++)
            result->virial[9 * r + a] = c * virial[a];
        plan->info.net_strength = 0;
        for (int64_t i = 0; i < s->n; i++)
            plan->info.net_strength += s->q[i];
    }
    plan->info.stages[0].seconds = clock_seconds() - start;
    return FARSUM_OK;
}

void exact_clear(struct exact *s)
{
    mem_free(s->x);
    mem_free(s->y);
    mem_free(s->q);
    mem_free(s->potential);
    mem_free(s->field);
}

void exact_stage(struct farsum_plan *plan, const char *name, const char *reason)
{
    plan->info.n_stages = 1;
    plan->info.stages[0] = (farsum_stage_info){name, name, reason, 0, 1};
}
