/* spectral_mixed.c: a plan whose near pairs are f32 and all else f64: strengths
 * to the pairs, their results to the sums. */
#include <string.h>

#include "base/mem.h"
#include "method/spectral.h"

farsum_status spectral_mixed_reserve(const struct farsum_plan *plan,
                                     struct spectral *s, int64_t n, int64_t m)
{
    const struct pair *pair = &plan->pair;
    TRY(MEM_RESERVE(s->near_q, &s->have_near_q, n * pair->strengths));
    TRY(MEM_RESERVE(s->near_potential, &s->have_near_potential,
                    m * pair->values));
    if (!pair->kind->gradient)
        return FARSUM_OK;
    return MEM_RESERVE(s->near_field, &s->have_near_field, 3 * m);
}

struct near_io spectral_mixed_in(const struct farsum_plan *plan,
                                 struct spectral *s,
                                 const struct near_io *near)
{
    const double *q = near->q;
    struct near_io mixed = *near;
    int64_t n = s->n * plan->pair.strengths;
    size_t targets = (size_t)(s->m > 0 ? s->m : s->n);
#pragma omp parallel for num_threads(plan->threads) schedule(static)
    for (int64_t k = 0; k < n; k++)
        s->near_q[k] = (float)q[k];
    mixed.q = s->near_q;
    if (near->potential) {
        mixed.potential = s->near_potential;
        memset(s->near_potential, 0,
               targets * (size_t)plan->pair.values * sizeof(float));
    }
    if (near->field) {
        mixed.field = s->near_field;
        memset(s->near_field, 0, 3 * targets * sizeof(float));
    }
    return mixed;
}

static void mixed_add(double *to, const float *from, int64_t n, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k < n; k++)
        to[k] += (double)from[k];
}

void spectral_mixed_out(const struct farsum_plan *plan,
                        const struct near_io *mixed,
                        const struct near_io *near, int64_t targets)
{
    if (near->potential)
        mixed_add(near->potential, mixed->potential,
                  targets * plan->pair.values, plan->threads);
    if (near->field)
        mixed_add(near->field, mixed->field, 3 * targets, plan->threads);
}
