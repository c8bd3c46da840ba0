/* SPDX-License-Identifier: Apache-2.0 */
/* asked.c: agreement of ranks on what a sum computes. */
#include "ranks/asked.h"

farsum_status ranks_asked(struct comm *comm, int64_t targets, int rhs,
                          const farsum_result *result, unsigned *asked)
{
    const struct {
        const char *array; /* NULL: a total, which any rank may leave out */
        const void *given;
        unsigned output;
    } here[] = {
        {"potential", result->potential, FARSUM_POTENTIAL},
        {"velocity", result->velocity, FARSUM_VELOCITY},
        {"field", result->field, FARSUM_FIELD},
        {"gradient", result->gradient, FARSUM_GRADIENT},
        {"particle_virial", result->particle_virial, FARSUM_PARTICLE_VIRIAL},
        {NULL, result->energy, FARSUM_ENERGY},
        {NULL, result->virial, FARSUM_VIRIAL}};
    enum { OUTPUTS = sizeof here / sizeof *here, RHS = OUTPUTS, ALL = RHS + 2 };
    double any[ALL];
    farsum_status status = FARSUM_OK;
    for (int i = 0; i < OUTPUTS; i++)
        any[i] = here[i].given != NULL;
    any[RHS] = rhs;
    any[RHS + 1] = -rhs;
    *asked = 0;
    TRY(comm_max(comm, any, ALL));
    for (int i = 0; i < OUTPUTS; i++) {
        if (!(any[i] > 0))
            continue;
        *asked |= here[i].output;
        if (here[i].array && !here[i].given && targets > 0)
            status = status_fail(FARSUM_ERR_ARGUMENT,
                                 "result.%s is NULL, but another rank requests "
                                 "it; request the same outputs on all ranks",
                                 here[i].array);
    }
    if (any[RHS] != -any[RHS + 1])
        status = status_fail(FARSUM_ERR_ARGUMENT,
                             "rhs differs among the ranks: %.0f and %.0f",
                             -any[RHS + 1], any[RHS]);
    return comm_agree(comm, status);
}

farsum_status ranks_asked_results(struct comm *comm, int64_t targets, int rhs,
                                  const farsum_result *result,
                                  farsum_result *asked)
{
    static double other; /* only its address counts */
    unsigned outputs = 0;
    TRY(ranks_asked(comm, targets, rhs, result, &outputs));
    asked->potential = outputs & FARSUM_POTENTIAL ? &other : NULL;
    asked->velocity = outputs & FARSUM_VELOCITY ? &other : NULL;
    asked->field = outputs & FARSUM_FIELD ? &other : NULL;
    asked->gradient = outputs & FARSUM_GRADIENT ? &other : NULL;
    asked->particle_virial = outputs & FARSUM_PARTICLE_VIRIAL ? &other : NULL;
    asked->energy = outputs & FARSUM_ENERGY ? &other : NULL;
    asked->virial = outputs & FARSUM_VIRIAL ? &other : NULL;
    return FARSUM_OK;
}
