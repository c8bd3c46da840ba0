/* SPDX-License-Identifier: Apache-2.0 */
/* hvp.c: product of the energy's Hessian with a vector, by dipoles (math.md
 * 7.6). */
#include "farsum/expert.h"

#include "base/arrays.h"
#include "base/mem.h"
#include "base/par.h"
#include "math/pair_quadrupole.h"
#include "plan/plan.h"

/* Strengths and results of both right-hand sides, of the caller's type. */
struct hvp {
    farsum_precision type;
    int64_t n;
    void *strengths; /* owned, [2][n][4]: charges; dipoles */
    void *field;     /* owned, [2][n][3] */
    void *gradient;  /* owned, [2][n][6] */
};

static farsum_status hvp_check(const struct farsum_plan *plan, const void *q,
                               const void *v, const void *product)
{
    const unsigned needed = FARSUM_FIELD | FARSUM_GRADIENT;
    const farsum_problem *p = &plan->task.problem;
    if (!q || !v || !product)
        FAIL(ERR_ARGUMENT, "%s is NULL", !q ? "q" : !v ? "v" : "product");
    if (plan->task.pair.kind->moments != 1)
        FAIL(ERR_UNSUPPORTED,
             "the Hessian requires a plan of kernel charge_dipole or "
             "yukawa_dipole; this is %s",
             plan->task.pair.name);
    if ((p->outputs & needed) != needed)
        FAIL(ERR_ARGUMENT, "the Hessian requires the outputs field and "
                           "gradient, which the problem does not list");
    if (plan->task.comm || p->memory == FARSUM_DEVICE)
        FAIL(ERR_UNSUPPORTED, "the Hessian is only for host arrays and one "
                              "process");
    if (!plan->has_points)
        FAIL(ERR_STATE, "no points are set; call farsum_plan_set_points first");
    if (plan->apart)
        FAIL(ERR_UNSUPPORTED,
             "the Hessian requires targets that are the sources");
    return FARSUM_OK;
}

static farsum_status hvp_memory(struct hvp *h)
{
    size_t size = (size_t)array_size(h->type);
    TRY(mem_alloc(&h->strengths, 8 * h->n, size, 1));
    TRY(mem_alloc(&h->field, 6 * h->n, size, 0));
    return mem_alloc(&h->gradient, 12 * h->n, size, 0);
}

/* (7.26): the field of the dipoles q v, the gradient of the charges. */
static void hvp_product(const struct hvp *h, void *product, int threads)
{
    const int64_t n = h->n;
    PAR_FOR(threads)
    for (int64_t j = 0; j < n; j++)
        for (int a = 0; a < 3; a++) {
            double sum = -array_get(h->strengths, h->type, 4 * j)
                         * array_get(h->field, h->type, 3 * (n + j) + a);
            for (int b = 0; b < 3; b++)
                sum += array_get(h->gradient, h->type, 6 * j + pair_two[a][b])
                       * array_get(h->strengths, h->type, 4 * (n + j) + 1 + b);
            array_put(product, h->type, 3 * j + a, sum);
        }
}

farsum_status farsum_plan_hvp(farsum_plan *plan, const void *q, const void *v,
                              void *product)
{
    farsum_status status = FARSUM_OK;
    struct hvp h = {.n = 0};
    farsum_result result = FARSUM_RESULT_INIT;
    if (!plan)
        FAIL(ERR_ARGUMENT, "plan is NULL");
    TRY(hvp_check(plan, q, v, product));
    h.type = plan->task.problem.arrays;
    h.n = plan->n;
    GO(hvp_memory(&h));
    for (int64_t j = 0; j < h.n; j++) {
        double charge = array_get(q, h.type, j);
        array_put(h.strengths, h.type, 4 * j, charge);
        for (int a = 0; a < 3; a++)
            array_put(h.strengths, h.type, 4 * (h.n + j) + 1 + a,
                      charge * array_get(v, h.type, 3 * j + a));
    }
    result.field = h.field;
    result.gradient = h.gradient;
    GO(farsum_plan_execute(plan, 2, h.strengths, &result));
    hvp_product(&h, product, plan->task.threads);
done:
    mem_free(h.strengths);
    mem_free(h.field);
    mem_free(h.gradient);
    return status;
}
