/* SPDX-License-Identifier: Apache-2.0 */
/* plans.c: systems that plans sum.  A plan depends only on the count and the
 * cell, so that the results of a system do not depend on the others. */
#include <math.h>
#include <string.h>

#include "base/arrays.h"
#include "base/mem.h"
#include "batch/device.h"

/* Kept although no current system uses them. */
enum { PLANS_KEPT = 64 };

static int64_t plan_copies(const struct farsum_batch *b,
                           const struct batch_system *s)
{
    return s->n >= BATCH_WHOLE || b->gpu ? 1 : b->threads;
}

farsum_status batch_plan_find(struct farsum_batch *b, struct batch_system *s)
{
    int64_t alike = 0, copies = plan_copies(b, s), uses = -1;
    /* spread systems of one shape evenly over that many copies of the plan */
    for (int64_t i = 0; i < b->plans; i++) {
        struct batch_plan *p = &b->plan[i];
        if (p->n != s->n || memcmp(p->rows, s->rows, sizeof p->rows) != 0)
            continue;
        if (uses < 0 || p->used < uses) {
            uses = p->used;
            s->plan = i;
        }
        alike++;
    }
    if (uses < 0 || (uses > 0 && alike < copies)) {
        if (b->plans == b->plans_have) {
            int64_t have = 0, more = 2 * b->plans + 16;
            struct batch_plan *grown = NULL;
            TRY(MEM_RESERVE(grown, &have, more));
            if (b->plans > 0)
                memcpy(grown, b->plan, (size_t)b->plans * sizeof *grown);
            mem_free(b->plan);
            b->plan = grown;
            b->plans_have = have;
        }
        s->plan = b->plans++;
        b->plan[s->plan] = (struct batch_plan){.n = s->n};
        memcpy(b->plan[s->plan].rows, s->rows, sizeof s->rows);
    }
    b->plan[s->plan].used++;
    return FARSUM_OK;
}

void batch_plans_trim(struct farsum_batch *b)
{
    int64_t kept = 0, spare = 0;
    for (int64_t i = 0; i < b->plans; i++) {
        struct batch_plan *p = &b->plan[i];
        if (p->used == 0 && ++spare > PLANS_KEPT) {
            farsum_plan_destroy(p->plan);
            continue;
        }
        p->used = 0;
        b->plan[kept++] = *p;
    }
    b->plans = kept;
}

static farsum_status plan_new(const struct farsum_batch *b,
                              const struct batch_system *s,
                              const void *sample_x, const void *sample_q,
                              farsum_plan **plan)
{
    farsum_problem problem = b->problem;
    farsum_options options = b->options;
    memcpy(problem.cell, s->rows, sizeof problem.cell);
    problem.n_sources = s->n;
    problem.sample_x = sample_x;
    problem.sample_q = sample_q;
    options.threads = s->n >= BATCH_WHOLE ? b->threads : 1;
    options.log = NULL; /* several threads would call it */
    options.progress = NULL;
    options.on_excess = FARSUM_EXCESS_SAY;
    /* a check would make the plan depend on the first system that uses it */
    if (!sample_x)
        options.verify = FARSUM_VERIFY_OFF;
    return farsum_plan_create(&problem, &options, plan);
}

/* Pointer to element i of an array of the batch's type, or NULL. */
static void *element(const struct farsum_batch *b, const void *array, int64_t i)
{
    return array ? (char *)array + i * array_size(b->problem.arrays) : NULL;
}

/* Sums right-hand side r by a plan, with the caller's arrays on the host. */
static farsum_status plan_host(const struct farsum_batch *b,
                               const struct batch_system *s, farsum_plan *plan,
                               int r, const void *q, const farsum_result *out)
{
    farsum_result one = FARSUM_RESULT_INIT;
    int64_t at = r * b->sources + s->first;
    int64_t u = r * b->systems + (s - b->system);
    if (r == 0)
        TRY(farsum_plan_set_points(plan, s->n, element(b, b->x, 3 * s->first),
                                   0, NULL));
    one.potential = element(b, out->potential, at);
    one.field = element(b, out->field, 3 * at);
    one.velocity = element(b, out->velocity, 3 * at);
    one.gradient = element(b, out->gradient, 6 * at);
    one.third = element(b, out->third, 10 * at);
    one.energy = out->energy ? out->energy + u : NULL;
    one.virial = out->virial ? out->virial + 9 * u : NULL;
    return farsum_plan_execute(plan, 1, element(b, q, at * b->pair.strengths),
                               &one);
}

static farsum_status plan_sum(const struct farsum_batch *b,
                              struct batch_system *s, farsum_plan *plan,
                              int rhs, const void *q, const farsum_result *out)
{
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    int device = b->problem.memory == FARSUM_DEVICE;
    double error = 0;
    for (int r = 0; r < rhs; r++) {
        TRY(device ? batch_gpu_plan(b, s, plan, r, q, out)
                   : plan_host(b, s, plan, r, q, out));
        TRY(farsum_plan_get_info(plan, &info));
        if (error == error && !(info.estimated_error < error)) {
            error = info.estimated_error;
            s->norm = info.norm;
        }
    }
    s->error = error;
    s->now.rc = ldexp(info.cutoff, -s->length);
    s->method = strcmp(info.method, "spectral") == 0 ? "spectral"
                : strcmp(info.method, "fmm") == 0    ? "fmm"
                : strcmp(info.method, "direct") == 0 ? "direct"
                                                     : "ewald";
    s->sums++;
    return FARSUM_OK;
}

/* Copies a device's positions and strengths of a system to the host, for a
 * sample: *x and *q, which the caller frees. */
static farsum_status plan_sample(const struct farsum_batch *b,
                                 const struct batch_system *s, const void *q,
                                 char **x, char **strengths)
{
    int64_t size = array_size(b->problem.arrays);
    int64_t each = b->pair.strengths * size, bytes = s->n * each;
    struct buf given;
    TRY(MEM_RAW(*x, 3 * s->n * size));
    TRY(MEM_RAW(*strengths, bytes));
    TRY(buf_given(&given, b->gpu->device, q, s->first * each + bytes,
                  "strengths"));
    TRY(buf_download(&b->gpu->x, 3 * s->first * size, *x, 3 * s->n * size));
    return buf_download(&given, s->first * each, *strengths, bytes);
}

/* If the estimate exceeds the tolerance, a plan made for this very system sums
 * it again. */
static farsum_status plan_system(const struct farsum_batch *b,
                                 struct batch_system *s, farsum_plan *plan,
                                 int rhs, const void *q,
                                 const farsum_result *out)
{
    farsum_plan *finer = NULL;
    char *own_x = NULL, *own_q = NULL;
    farsum_status status = FARSUM_OK;
    TRY(plan_sum(b, s, plan, rhs, q, out));
    if (s->error <= b->problem.tolerance)
        return FARSUM_OK;
    const void *x = element(b, b->x, 3 * s->first);
    const void *strengths = element(b, q, s->first * b->pair.strengths);
    if (b->problem.memory == FARSUM_DEVICE) {
        GO(plan_sample(b, s, q, &own_x, &own_q));
        x = own_x, strengths = own_q;
    }
    /* if it fails, the estimate stays, and names the system */
    if (plan_new(b, s, x, strengths, &finer) == FARSUM_OK)
        status = plan_sum(b, s, finer, rhs, q, out);
done:
    farsum_plan_destroy(finer);
    mem_free(own_x);
    mem_free(own_q);
    return status;
}

void batch_plan_run(struct farsum_batch *b, int64_t p, int rhs, const void *q,
                    const farsum_result *out)
{
    for (int64_t i = 0; i < b->systems; i++) {
        struct batch_system *s = &b->system[i];
        farsum_status status = FARSUM_OK;
        if (s->kind != BATCH_PLAN || s->plan != p)
            continue;
        if (!b->plan[p].plan)
            status = plan_new(b, s, NULL, NULL, &b->plan[p].plan);
        if (status == FARSUM_OK)
            status = plan_system(b, s, b->plan[p].plan, rhs, q, out);
        if (status != FARSUM_OK)
            batch_fail(b, &b->faults[1], s, status);
    }
}
