/* SPDX-License-Identifier: Apache-2.0 */
/* outputs.c: ranks with devices that request different outputs of a sum. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "ranks_device/rank_device.h"
#include "ranks_device/sums.h"

double x[3 * MANY], y[3 * MANY], q[RHS * WIDTH * MANY];

/* What a rank leaves out of a sum. */
struct request {
    const char *name;
    int none;          /* the rank that passes NULL everywhere; -1: none */
    int no[ARRAYS];    /* ranks that leave out an array, as bits */
    int fewer;         /* the rank that passes one right-hand side fewer */
    const char *words; /* the error on all ranks; NULL: it works */
};

enum { R0 = 1, R1 = 2, R2 = 4 };

static const struct request even[] = {
    {"all", -1, {0}, -1, NULL},
    {"rank 1 has no energy", -1, {[ENERGY] = R1}, -1, NULL},
    {"rank 2 alone has energy", -1, {[ENERGY] = R0 + R1}, -1, NULL},
    {"rank 0 has no totals", -1, {[ENERGY] = R0, [VIRIAL] = R0}, -1, NULL},
    {"totals of different ranks",
     -1,
     {[ENERGY] = R0 + R2, [VIRIAL] = R1},
     -1,
     NULL},
    {"no field", -1, {[FIELD] = R0 + R1 + R2}, -1, NULL},
    {"rank 1 has no field",
     -1,
     {[FIELD] = R1},
     -1,
     "rank 1: result.field is NULL, but another rank requests it"},
    {"rank 2 has no values",
     -1,
     {[VALUES] = R2},
     -1,
     "rank 2: result.potential is NULL, but another rank requests it"},
    {"rhs", -1, {0}, 2, "rank 0: rhs differs among the ranks: 1 and 2"},
    {"all again", -1, {0}, -1, NULL},
};
static const struct request lone[] = {
    {"all", -1, {0}, -1, NULL},
    {"rank 0 passes nothing", 0, {0}, -1, NULL},
    {"rank 0 has no field, rank 1 no virial",
     -1,
     {[FIELD] = R0, [VIRIAL] = R1},
     -1,
     NULL},
    {"rank 1 has no field",
     0,
     {[FIELD] = R1},
     -1,
     "rank 1: result.field is NULL, but another rank requests it"},
};
static const struct request flow[] = {
    {"all", -1, {0}, -1, NULL},
    {"rank 0 passes nothing", 0, {0}, -1, NULL},
    {"rank 1 has no values",
     0,
     {[VALUES] = R1},
     -1,
     "rank 1: result.velocity is NULL, but another rank requests it"},
};
#define CASES(of) of, sizeof(of) / sizeof *(of)

/* Requests of one set of plans. */
struct set {
    struct shared shared;
    const struct request *requests;
    size_t count;
};

static int leaves(const struct request *r, int rank, enum array k)
{
    return r->none == rank || (r->no[k] >> rank & 1);
}

static farsum_status request_sum(struct part *p, const struct shared *s,
                                 farsum_plan *plan, const struct request *r)
{
    farsum_result result = FARSUM_RESULT_INIT;
    void *to[ARRAYS];
    for (enum array k = 0; k < ARRAYS; k++)
        to[k] = leaves(r, p->rank, k) ? NULL : p->array[k];
    if (s->values == 3) {
        result.velocity = to[VALUES];
    } else {
        result.potential = to[VALUES];
        result.field = to[FIELD];
        result.energy = s->apart ? NULL : to[ENERGY];
        result.virial = s->apart ? NULL : to[VIRIAL];
    }
    int rhs = s->rhs - (r->fewer == p->rank);
    TRY(farsum_plan_execute(plan, rhs, to[STRENGTHS], &result));
    TRY(farsum_plan_finish(plan));
    return part_results(p);
}

/* Fills the results, so that those of no sum are recognised. */
static void fill(struct part *p)
{
    for (enum array k = VALUES; k < ARRAYS; k++) {
        for (int64_t i = 0; i < p->bytes[k] / 8; i++)
            p->host[k][i] = -7;
        part_upload(p, k);
    }
}

/* Results against those where all ranks request all, or as they were. */
static void right(const struct part *p, const struct shared *s,
                  const struct request *r, double *const wanted[ARRAYS])
{
    for (enum array k = VALUES; k < ARRAYS; k++) {
        int flows = s->values == 3, total = k == ENERGY || k == VIRIAL;
        int none = leaves(r, p->rank, k) || (total && s->apart)
                   || (flows && k != VALUES);
        double most = 0, scale = 0;
        for (int64_t i = 0; i < p->bytes[k] / 8; i++) {
            double v = none ? -7 : wanted[k][i];
            most = fmax(most, fabs(p->host[k][i] - v));
            scale = fmax(scale, fabs(v));
        }
        CHECK(most <= (none ? 0 : 1e-12) * scale,
              "%s: rank %d, array %d: differs by %g of %g", r->name, p->rank,
              (int)k, most, scale);
    }
}

static farsum_status set_rank(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    const struct set *set = data;
    const struct shared *s = &set->shared;
    struct part part;
    double *wanted[ARRAYS] = {NULL};
    farsum_plan *plan = NULL;
    part_make(&part, s, comm->rank);
    GO(part_plan(&part, s, comm, &plan));
    GO(part_points(&part, s, plan));
    for (size_t c = 0; c < set->count; c++) {
        const struct request *r = &set->requests[c];
        fill(&part);
        if (r->words) {
            CHECK_FAILS(request_sum(&part, s, plan, r), FARSUM_ERR_ARGUMENT);
            CHECK_SAYS(r->words);
            continue;
        }
        GO(request_sum(&part, s, plan, r));
        for (enum array k = VALUES; c == 0 && k < ARRAYS; k++) {
            size_t n = (size_t)part.bytes[k] / 8;
            wanted[k] = check_memory(n + 1, sizeof(double));
            memcpy(wanted[k], part.host[k], n * sizeof(double));
        }
        right(&part, s, r, wanted);
    }
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", comm->rank, farsum_message());
    farsum_plan_destroy(plan);
    part_free(&part);
    for (enum array k = 0; k < ARRAYS; k++)
        free(wanted[k]);
    return status;
}

static void sets(const char *kernel, int width, int apart, enum share how,
                 const struct request *requests, size_t count)
{
    struct set set = {.requests = requests, .count = count};
    struct shared *s = &set.shared;
    s->options = (farsum_options)FARSUM_OPTIONS_INIT;
    s->problem =
        sums_problem(kernel, width, 1e-6, 0, FARSUM_F64, FARSUM_TINFOIL);
    s->options.threads = 1;
    s->options.verify = FARSUM_VERIFY_OFF;
    s->options.device.name = rank_device_name();
    s->strengths = s->values = width;
    s->rhs = RHS;
    s->apart = apart;
    share(s, RANKS, how);
    for (s->there = 0; s->there < 2; s->there++)
        CHECK(ranks_run(RANKS, NULL, set_rank, &set) == 0, "%s: a rank failed",
              kernel);
}

static void with_points(void)
{
    sets("laplace", 1, 0, EVEN, CASES(even));
}

static void without_points(void)
{
    sets("laplace", 1, 0, NONE, CASES(lone));
    sets("laplace", 1, 1, NONE, CASES(lone));
    sets("stokeslet", 3, 0, NONE, CASES(flow));
}

int main(void)
{
    uint64_t random = 5;
    farsum_device *first = NULL;
    /* PoCL cannot begin in several threads */
    CHECK_OK(farsum_device_open(rank_device_name(), &first));
    farsum_device_close(first);
    for (int i = 0; i < 3 * MANY; i++) {
        x[i] = 2 * ldexp((double)(random_next(&random) >> 11), -53);
        y[i] = 2 * ldexp((double)(random_next(&random) >> 11), -53);
    }
    for (int i = 0; i < RHS * WIDTH * MANY; i++)
        q[i] = ldexp((double)(random_next(&random) >> 11), -52) - 1;
    RUN(with_points);
    RUN(without_points);
    return check_end();
}
