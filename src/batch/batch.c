/* SPDX-License-Identifier: Apache-2.0 */
/* batch.c: the public functions of batches, and their sums. */
#include "batch/device.h"

#include <math.h>
#include <string.h>

#include "base/args.h"
#include "base/arrays.h"
#include "base/fpenv.h"
#include "base/mem.h"
#include "base/par.h"
#include "plan/plan.h"

/* The options that a batch has, the others 0. */
static farsum_status create_options(struct farsum_batch *b,
                                    farsum_options given)
{
    static const char *const methods[] = {"spectral", "fmm", "direct", "ewald"};
    farsum_options rest = given;
    b->options = (farsum_options)FARSUM_OPTIONS_INIT;
    for (int i = 0; given.method && i < 4; i++)
        if (strcmp(given.method, methods[i]) == 0)
            b->options.method = methods[i];
    if (given.method && !b->options.method
        && strcmp(given.method, "auto") != 0)
        FAIL(ERR_UNKNOWN, "method \"%s\" is not known", given.method);
    if (given.threads < 0 || given.threads > 4096)
        FAIL(ERR_ARGUMENT, "threads is %d, not 0 .. 4096", given.threads);
    if ((int)given.on_excess < 0 || given.on_excess > FARSUM_EXCESS_FAIL)
        FAIL(ERR_ARGUMENT, "on_excess is %d, not 0, 1 (say) or 2 (fail)",
             (int)given.on_excess);
    TRY(isa_find(given.isa, &b->isa));
    b->options.isa = isa_name(b->isa);
    b->threads = par_threads(given.threads);
#define TAKEN(field) b->options.field = given.field, rest.field = 0
    TAKEN(deterministic);
    TAKEN(measure);
    TAKEN(memory_limit);
    TAKEN(verify);
    TAKEN(log);
    TAKEN(log_data);
    TAKEN(on_excess);
#undef TAKEN
    rest.method = rest.isa = rest.device.name = NULL;
    rest.device.handle = NULL;
    rest.threads = 0;
    const farsum_options none = FARSUM_OPTIONS_INIT;
    if (memcmp(&rest, &none, sizeof none) != 0)
        FAIL(ERR_UNSUPPORTED,
             "a batch has the options method, isa, device, threads, "
             "deterministic, measure, verify, memory_limit, log and on_excess; "
             "it chooses the others for each system");
    return FARSUM_OK;
}

static farsum_status create_problem(struct farsum_batch *b,
                                    const farsum_problem *problem)
{
    farsum_problem given = FARSUM_PROBLEM_INIT;
    if (!problem)
        FAIL(ERR_ARGUMENT, "problem is NULL");
    TRY(struct_take(&given, sizeof given, problem, problem->size,
                    "FARSUM_PROBLEM_INIT"));
    if (given.n_targets != 0)
        FAIL(ERR_UNSUPPORTED, "n_targets is %lld; batches have no separate "
                              "targets",
             (long long)given.n_targets);
    if (given.n_exclusions != 0)
        FAIL(ERR_UNSUPPORTED, "n_exclusions is %lld; batches have no "
                              "exclusions",
             (long long)given.n_exclusions);
    if (given.part > FARSUM_WHOLE)
        FAIL(ERR_UNSUPPORTED, "part is %d; batches sum only the whole",
             (int)given.part);
    if (given.outputs & FARSUM_PARTICLE_VIRIAL)
        FAIL(ERR_UNSUPPORTED, "batches do not sum particle_virial, the virial "
                              "of each particle");
    int cell = 0;
    for (int d = 0; d < 9; d++)
        cell |= given.cell[d] != 0;
    if (!cell)
        given.cell[0] = given.cell[4] = given.cell[8] = 1;
    given.n_sources = given.n_sources ? given.n_sources : 1;
    TRY(problem_check(&given, &b->problem, &b->pair));
    const farsum_problem *p = &b->problem;
    double q2 = 0;
    if (p->sample_q)
        for (int64_t i = 0; i < p->n_sources; i++) {
            double q = array_get(p->sample_q, p->arrays, i);
            q2 += q * q;
        }
    b->typical_q = q2 > 0 && isfinite(q2) ? sqrt(q2 / (double)p->n_sources) : 1;
    b->problem.sample_x = b->problem.sample_q = NULL;
    b->small = strcmp(p->kernel, "laplace") == 0 && cell_axes(p->periodic) == 3
               && p->softening == 0 && p->surface == FARSUM_TINFOIL
               && !b->options.method && p->error <= FARSUM_ERROR_ABSOLUTE;
    return FARSUM_OK;
}

farsum_status farsum_batch_create(const farsum_problem *problem,
                                  const farsum_options *options,
                                  farsum_batch **batch)
{
    FP_GUARD;
    farsum_status status;
    struct farsum_batch *b = NULL;
    farsum_options given = FARSUM_OPTIONS_INIT;
    if (!batch)
        FAIL(ERR_ARGUMENT, "batch is NULL");
    if (options)
        TRY(struct_take(&given, sizeof given, options, options->size,
                        "FARSUM_OPTIONS_INIT"));
    GO(MEM_NEW(b, 1));
    b->systems = -1;
    GO(create_options(b, given));
    GO(create_problem(b, problem));
    GO(batch_gpu_create(b, &given));
    GO(MEM_NEW(b->work, b->threads));
    *batch = b;
    return FARSUM_OK;
done:
    farsum_batch_destroy(b);
    return status;
}

void farsum_batch_destroy(farsum_batch *b)
{
    FP_GUARD;
    /* a forked child must not touch a device: its memory stays */
    if (!b || (b->gpu && device_usable(b->gpu->device) != FARSUM_OK))
        return;
    for (int i = 0; i < BATCH_LEVELS; i++) {
        if (b->level[i])
            mem_free(b->level[i]->gamma);
        mem_free(b->level[i]);
    }
    for (int64_t i = 0; i < b->plans; i++)
        farsum_plan_destroy(b->plan[i].plan);
    for (int t = 0; b->work && t < b->threads; t++) {
        mem_free(b->work[t].real);
        mem_free(b->work[t].row);
    }
    for (int d = 0; d < 3; d++)
        mem_free(b->s[d]);
    batch_gpu_destroy(b->gpu);
    mem_free(b->work);
    mem_free(b->plan);
    mem_free(b->x);
    mem_free(b->order);
    mem_free(b->system);
    mem_free(b);
}

/* Checks the arguments; a batch has the outputs of its problem. */
static farsum_status execute_check(const struct farsum_batch *b, int rhs,
                                   const void *q, const farsum_result *result,
                                   farsum_result *out)
{
    if (!result)
        FAIL(ERR_ARGUMENT, "result is NULL");
    TRY(struct_take(out, sizeof *out, result, result->size,
                    "FARSUM_RESULT_INIT"));
    if (b->systems < 0)
        FAIL(ERR_STATE, "no systems are set; call farsum_batch_set first");
    if (rhs < 1)
        FAIL(ERR_ARGUMENT, "rhs is %d, not at least 1", rhs);
    if (!q && b->sources > 0)
        FAIL(ERR_ARGUMENT, "q is NULL");
    const int64_t counts[] = {rhs, b->sources > b->systems ? b->sources
                                                           : b->systems};
    TRY(count_product(counts, 2, "right-hand sides times sources"));
    const void *const given[] = {
        out->potential, out->field,    out->energy,          out->virial,
        out->velocity,  out->gradient, out->particle_virial, out->third};
    static const char *const names[] = {
        "potential", "field",    "energy",          "virial",
        "velocity",  "gradient", "particle_virial", "third"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (given[i] && !(b->problem.outputs & (1u << i)))
            FAIL(ERR_ARGUMENT, "%s is not among the problem's outputs",
                 names[i]);
    return FARSUM_OK;
}

static farsum_status execute_empty(struct farsum_batch *b, int rhs, int64_t s,
                                   const farsum_result *out)
{
    if (b->problem.memory == FARSUM_DEVICE)
        return batch_gpu_empty(b, rhs, s, out);
    for (int r = 0; r < rhs; r++) {
        if (out->energy)
            out->energy[r * b->systems + s] = 0;
        for (int k = 0; k < 9 && out->virial; k++)
            out->virial[9 * (r * b->systems + s) + k] = 0;
    }
    return FARSUM_OK;
}

static int execute_missed(const struct farsum_batch *b,
                          const struct batch_system *s)
{
    return s->status == FARSUM_OK && s->sums > 0
           && !(s->error <= b->problem.tolerance);
}

/* Sums the small systems of order[0 .. count - 1]. */
static farsum_status execute_waves(struct farsum_batch *b, const int64_t *order,
                                   int64_t count, int rhs, const void *q,
                                   const farsum_result *out)
{
    if (b->gpu)
        return batch_gpu_waves(b, order, count, rhs, q, out);
    PAR_FOR(b->threads, schedule(dynamic))
    for (int64_t i = 0; i < count; i++) {
        struct batch_system *s = &b->system[order[i]];
        farsum_status status =
            batch_sum(b, s, rhs, q, out, &b->work[omp_get_thread_num()]);
        if (status != FARSUM_OK)
            batch_fail(b, &b->faults[1], s, status);
    }
    return FARSUM_OK;
}

/* Chooses again for the systems that missed the tolerance; *count is left.  The
 * finest choice stays as it is. */
static farsum_status execute_finer(struct farsum_batch *b, int64_t *again,
                                   int64_t *count)
{
    int64_t left = 0;
    for (int64_t i = 0; i < *count; i++) {
        struct batch_system *s = &b->system[again[i]];
        struct batch_choice c;
        if (!execute_missed(b, s))
            continue;
        double miss = s->error / b->problem.tolerance;
        s->finer *= isfinite(miss) ? 2 * miss : 1e6;
        TRY(batch_choose(b, s, s->finer, &c));
        if (b->problem.precision != FARSUM_F32)
            c.f32 = 0;
        if (c.level == s->now.level && c.f32 == s->now.f32
            && c.rc == s->now.rc)
            continue;
        TRY(batch_reserve(b, &c, s->padded));
        s->now = c;
        again[left++] = again[i];
    }
    *count = left;
    return FARSUM_OK;
}

static farsum_status execute_small(struct farsum_batch *b, int rhs,
                                   const void *q, const farsum_result *out)
{
    farsum_status status = FARSUM_OK;
    int64_t *again = NULL, count = 0;
    GO(MEM_RAW(again, b->systems));
    for (int64_t i = 0; i < b->systems; i++)
        if (b->system[b->order[i]].kind == BATCH_WAVES)
            again[count++] = b->order[i];
    GO(execute_waves(b, again, count, rhs, q, out));
    for (int round = 1; round < BATCH_ROUNDS && count > 0; round++) {
        GO(execute_finer(b, again, &count));
        if (count > 0)
            GO(execute_waves(b, again, count, rhs, q, out));
    }
done:
    mem_free(again);
    return status;
}

static void execute_plans(struct farsum_batch *b, int rhs, const void *q,
                          const farsum_result *out)
{
    PAR_FOR(b->gpu ? 1 : b->threads, schedule(dynamic))
    for (int64_t p = 0; p < b->plans; p++)
        if (b->plan[p].n < BATCH_WHOLE)
            batch_plan_run(b, p, rhs, q, out);
    for (int64_t p = 0; p < b->plans; p++)
        if (b->plan[p].n >= BATCH_WHOLE)
            batch_plan_run(b, p, rhs, q, out);
}

/* Names the systems whose estimates exceed the tolerance. */
static void execute_excess(struct farsum_batch *b)
{
    const farsum_options *o = &b->options;
    for (int64_t i = 0; i < b->systems; i++) {
        struct batch_system *s = &b->system[i];
        if (!execute_missed(b, s))
            continue;
        farsum_status status = status_fail(
            FARSUM_ERR_TOLERANCE, "the estimated error is %.2g, above the "
                                  "tolerance %.2g",
            s->error, b->problem.tolerance);
        if (o->on_excess == FARSUM_EXCESS_FAIL) {
            batch_fail(b, &b->faults[1], s, status);
        } else if (o->log) {
            status_prefix(status, "system %lld", (long long)i);
            int held = fp_suspend();
            o->log(farsum_message(), o->log_data);
            fp_resume(held);
        }
    }
}

farsum_status farsum_batch_execute(farsum_batch *b, int rhs, const void *q,
                                   farsum_result *result)
{
    FP_GUARD;
    farsum_result out = FARSUM_RESULT_INIT;
    if (!b)
        FAIL(ERR_ARGUMENT, "batch is NULL");
    TRY(execute_check(b, rhs, q, result, &out));
    if (b->gpu)
        TRY(device_usable(b->gpu->device));
    b->faults[1] = b->faults[0];
    for (int64_t i = 0; i < b->systems; i++) {
        struct batch_system *s = &b->system[i];
        s->status = s->set;
        s->now = s->chosen;
        s->finer = 1;
        s->error = s->norm = 0;
        s->sums = 0;
        if (s->kind == BATCH_EMPTY)
            TRY(execute_empty(b, rhs, i, &out));
    }
    TRY(execute_small(b, rhs, q, &out));
    execute_plans(b, rhs, q, &out);
    execute_excess(b);
    if (b->problem.memory == FARSUM_DEVICE)
        TRY(device_finish(b->gpu->device));
    const struct batch_fault *fault = &b->faults[1];
    return fault->system < 0
               ? FARSUM_OK
               : status_fail(fault->status, "system %lld: %s",
                             (long long)fault->system, fault->text);
}

farsum_status farsum_batch_get_system(const farsum_batch *b, int64_t system,
                                      farsum_batch_system *info)
{
    FP_GUARD;
    if (!b || !info)
        FAIL(ERR_ARGUMENT, "%s is NULL", b ? "info" : "batch");
    if (b->systems < 0 || system < 0 || system >= b->systems)
        FAIL(ERR_ARGUMENT, "system is %lld, not one of %lld",
             (long long)system, (long long)(b->systems < 0 ? 0 : b->systems));
    const struct batch_system *s = &b->system[system];
    int waves = s->kind == BATCH_WAVES && s->sums > 0;
    farsum_batch_system got = {
        .size = sizeof got,
        .status = s->status,
        .n = s->n,
        .method = s->method,
        .estimated_error = s->error,
        .norm = s->norm,
        .cutoff = ldexp(s->now.rc, s->length),
        .bandwidth = waves ? s->now.level->c : 0,
        .waves = waves ? s->waves : 0,
        .images = waves ? s->now.images : 0,
        .sums = s->sums,
        .f32_pairs = waves && s->now.f32,
    };
    return struct_give(info, info->size, &got, sizeof got,
                       "FARSUM_BATCH_SYSTEM_INIT");
}
