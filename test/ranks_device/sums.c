/* SPDX-License-Identifier: Apache-2.0 */
/* sums.c: whole sums over ranks on devices, with arrays on either side. */
#include "ranks_device/sums.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device/buf.h"
#include "ranks_device/rank_device.h"

void share(struct shared *s, int size, enum share how)
{
    for (int r = 0; r <= size; r++)
        s->first[r] = how == ALL                ? (r == size ? MANY : 0)
                      : how == NONE && size > 1 ? MANY * (r > 0 ? r - 1 : 0)
                                                      / (size - 1)
                                                : MANY * r / size;
}

/* Copies one rank's part of all right-hand sides: width numbers per point. */
static void part_in(double *part, const struct part *p, int rhs, int width,
                    const double *all)
{
    for (int r = 0; r < rhs; r++)
        memcpy(part + r * p->n * width, all + (r * MANY + p->first) * width,
               (size_t)(p->n * width) * sizeof *part);
}

static void part_out(double *all, const struct part *p, int rhs, int width,
                     const double *part)
{
    for (int r = 0; r < rhs; r++)
        memcpy(all + (r * MANY + p->first) * width, part + r * p->n * width,
               (size_t)(p->n * width) * sizeof *part);
}

void part_make(struct part *p, const struct shared *s, int rank)
{
    *p = (struct part){.rank = rank, .first = s->first[rank]};
    p->n = s->first[rank + 1] - p->first;
    const int64_t counts[ARRAYS] = {[SOURCES] = 3 * p->n,
                                    [TARGETS] = 3 * p->n,
                                    [STRENGTHS] = s->rhs * s->strengths * p->n,
                                    [VALUES] = s->rhs * s->values * p->n,
                                    [FIELD] = s->rhs * 3 * p->n,
                                    [GRADIENT] = s->rhs * 6 * p->n,
                                    [ENERGY] = s->rhs,
                                    [VIRIAL] = 9 * s->rhs};
    p->there = s->there;
    if (s->options.device.name && !s->named) {
        CHECK_OK(farsum_device_open(s->options.device.name, &p->device));
        rank_device_turns(p->device->device);
    }
    for (int k = 0; k < ARRAYS; k++) {
        p->bytes[k] = 8 * counts[k];
        p->host[k] = check_memory((size_t)counts[k] + 1, sizeof(double));
    }
    part_in(p->host[SOURCES], p, 1, 3, x);
    part_in(p->host[TARGETS], p, 1, 3, y);
    part_in(p->host[STRENGTHS], p, s->rhs, s->strengths, q);
    for (int k = 0; k < ARRAYS; k++) {
        p->array[k] = p->host[k];
        if (p->there)
            CHECK_OK(farsum_device_alloc(p->device, p->bytes[k] + 8,
                                         p->host[k], &p->array[k]));
    }
}

void part_free(struct part *p)
{
    for (int k = 0; k < ARRAYS; k++) {
        if (p->there)
            farsum_device_free(p->device, p->array[k]);
        free(p->host[k]);
    }
    farsum_device_close(p->device);
}

farsum_status part_plan(struct part *p, const struct shared *s,
                        struct comm *comm, farsum_plan **plan)
{
    farsum_problem problem = s->problem;
    farsum_options options = s->options;
    int sampled = p->n > 0 && !s->unsampled;
    problem.n_sources = p->n;
    problem.n_targets = s->apart ? p->n : 0;
    problem.sample_x = sampled ? p->host[SOURCES] : NULL;
    problem.sample_q = sampled ? p->host[STRENGTHS] : NULL;
    if (p->there)
        problem.memory = FARSUM_DEVICE;
    if (p->device) {
        options.device.name = NULL;
        options.device.handle = p->device;
    }
    if (comm)
        return plan_over_ranks_by(comm, &problem, &options,
                                  options.device.name || p->device
                                      ? getenv("FARSUM_TEST_TRANSPORT")
                                      : NULL,
                                  plan);
    options.method = "spectral";
    return farsum_plan_create(&problem, &options, plan);
}

farsum_status part_points(struct part *p, const struct shared *s,
                          farsum_plan *plan)
{
    void *sources = p->n > 0 ? p->array[SOURCES] : NULL;
    void *targets = p->n > 0 && s->apart ? p->array[TARGETS] : NULL;
    int64_t m = s->apart ? p->n : 0;
    double cell[9];
    TRY(farsum_plan_set_points(plan, p->n, sources, m, targets));
    for (const double *by = s->stretch; *by > 0; by++) {
        for (int k = 0; k < 9; k++)
            cell[k] = s->problem.cell[k] * (k < 3 ? *by : 1);
        TRY(farsum_plan_set_cell(plan, cell));
        TRY(farsum_plan_set_points(plan, p->n, sources, m, targets));
    }
    return FARSUM_OK;
}

static farsum_status part_download(struct part *p, enum array k)
{
    struct buf given = {0};
    if (!p->there || p->bytes[k] == 0)
        return FARSUM_OK;
    buf_borrow(&given, p->device->device, p->array[k], p->bytes[k]);
    return buf_download(&given, 0, p->host[k], p->bytes[k]);
}

farsum_status part_results(struct part *p)
{
    for (enum array k = VALUES; k < ARRAYS; k++)
        TRY(part_download(p, k));
    return FARSUM_OK;
}

void part_upload(struct part *p, enum array k)
{
    struct buf given = {0};
    if (!p->there || p->bytes[k] == 0)
        return;
    buf_borrow(&given, p->device->device, p->array[k], p->bytes[k]);
    CHECK_OK(buf_upload(&given, 0, p->host[k], p->bytes[k]));
}

farsum_status part_sum(struct part *p, const struct shared *s,
                       farsum_plan *plan)
{
    farsum_result result = FARSUM_RESULT_INIT;
    if (s->values == 3) {
        result.velocity = p->array[VALUES];
    } else {
        result.potential = p->array[VALUES];
        result.field = p->array[FIELD];
        result.gradient =
            s->problem.outputs & FARSUM_GRADIENT ? p->array[GRADIENT] : NULL;
        result.energy = s->apart ? NULL : p->array[ENERGY];
        result.virial = s->apart ? NULL : p->array[VIRIAL];
    }
    TRY(farsum_plan_execute(plan, s->rhs, p->array[STRENGTHS], &result));
    TRY(farsum_plan_finish(plan));
    return part_results(p);
}

void part_store(struct whole *to, const struct shared *s, const struct part *p)
{
    part_out(to->values, p, s->rhs, s->values, p->host[VALUES]);
    part_out(to->field, p, s->rhs, 3, p->host[FIELD]);
    part_out(to->gradient, p, s->rhs, 6, p->host[GRADIENT]);
    memcpy(to->energy[p->rank], p->host[ENERGY], (size_t)p->bytes[ENERGY]);
    memcpy(to->virial[p->rank], p->host[VIRIAL], (size_t)p->bytes[VIRIAL]);
}

void part_strength(struct part *p, double to)
{
    p->host[STRENGTHS][0] = to;
    part_upload(p, STRENGTHS);
}

/* A whole sum of one rank, or of one process. */
static farsum_status sum_part(struct shared *s, int rank, struct comm *comm)
{
    farsum_status status = FARSUM_OK;
    struct part p;
    struct whole *to = s->found;
    farsum_plan *plan = NULL;
    part_make(&p, s, rank);
    to->info[rank] = (farsum_plan_info)FARSUM_PLAN_INFO_INIT;
    GO(part_plan(&p, s, comm, &plan));
    GO(part_points(&p, s, plan));
    GO(part_sum(&p, s, plan));
    GO(farsum_plan_get_info(plan, &to->info[rank]));
    snprintf(to->device[rank], sizeof to->device[rank], "%s",
             to->info[rank].device);
    part_store(to, s, &p);
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", rank, farsum_message());
    farsum_plan_destroy(plan);
    part_free(&p);
    return status;
}

farsum_status sum_rank(struct comm *comm, void *data)
{
    return sum_part(data, comm->rank, comm);
}

void sum_alone(struct shared *s)
{
    share(s, 1, EVEN);
    CHECK_OK(sum_part(s, 0, NULL));
}
