/* SPDX-License-Identifier: Apache-2.0 */
/* choice.c: the method that rank 0 chooses: by the memory that one rank has, by
 * points that ranks share unevenly; and the reasons that a plan reports. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "plan/exported.h"
#include "plan/plan.h"
#include "plan/ranks.h"
#include "ranks/comm_threads.h"
#include "task/ranks_model.h"

enum { MANY = 20000, RANKS = 3 };

static const struct ranks_shape any;
static double x[3 * MANY], q[MANY];

/* Points of which nine tenths are in this part of the cell along an axis; none
 * if it is -1. */
static void place(int axis, double part)
{
    uint64_t state = 5;
    for (int64_t i = 0; i < 3 * MANY; i++)
        x[i] = ldexp((double)(random_next(&state) >> 11), -53);
    for (int64_t i = 0; i < MANY; i++) {
        q[i] = 1 - 2 * (double)(i % 2);
        if (axis >= 0 && i % 10 < 9)
            x[3 * i + axis] *= part;
    }
}

static farsum_problem periodic(void)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    p.n_sources = MANY;
    p.tolerance = 1e-3;
    p.precision = FARSUM_F64;
    p.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    p.sample_x = x;
    p.sample_q = q;
    for (int d = 0; d < 3; d++) {
        p.periodic[d] = 1;
        p.cell[4 * d] = 1;
    }
    return p;
}

/* What the ranks share. */
struct shared {
    farsum_options options;
    struct links links;
    uint64_t limit[RANKS]; /* of memory; 0: the default */
    int unit;              /* lengths are times 2^unit */
    int slab;              /* 1: axis 2 is open, and its row of the cell is 0 */
    farsum_status status;
    char words[400], method[RANKS][32], text[RANKS][8000];
    double seconds;
    struct ranks_info info; /* of rank 0, after points */
};

static void take_print(const farsum_plan *plan, char *text, size_t size)
{
    FILE *out = fmemopen(text, size, "w");
    farsum_plan_print(plan, out);
    fclose(out);
}

static farsum_status work(struct comm *comm, void *data)
{
    struct shared *s = data;
    int r = comm->rank;
    int64_t first = MANY * (int64_t)r / comm->size;
    int64_t n = MANY * (int64_t)(r + 1) / comm->size - first;
    farsum_problem p = periodic();
    farsum_options options = s->options;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_plan *plan = NULL;
    p.n_sources = n;
    p.sample_x = x + 3 * first;
    p.sample_q = q + first;
    options.memory_limit = s->limit[r];
    for (int i = 0; i < 9; i++)
        p.cell[i] = ldexp(p.cell[i], s->unit);
    if (s->slab)
        p.cell[8] = p.periodic[2] = 0;
    if (r == 0) /* all ranks' points, before the others look */
        for (int64_t i = 0; i < 3 * MANY; i++)
            x[i] = ldexp(x[i], s->unit);
    TRY(comm_agree(comm, FARSUM_OK));
    comm->links = &s->links;
    farsum_status status = plan_over_ranks(comm, &p, &options, &plan);
    if (r == 0) {
        s->status = status;
        snprintf(s->words, sizeof s->words, "%s", farsum_message());
    }
    if (status != FARSUM_OK)
        return FARSUM_OK; /* the checks see it */
    TRY(farsum_plan_get_info(plan, &info));
    snprintf(s->method[r], sizeof s->method[r], "%s", info.method);
    take_print(plan, s->text[r], sizeof s->text[r]);
    status = farsum_plan_set_points(plan, n, p.sample_x, 0, NULL);
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", r, farsum_message());
    if (r == 0) {
        s->seconds = plan->method_seconds;
        CHECK_OK(farsum_ranks_get_info(plan, &s->info));
    }
    farsum_plan_destroy(plan);
    return status;
}

static struct shared *shared(double latency)
{
    static struct shared s;
    memset(&s, 0, sizeof s);
    s.options = (farsum_options)FARSUM_OPTIONS_INIT;
    s.options.threads = 1;
    s.options.verify = FARSUM_VERIFY_OFF;
    s.links = links_expected(LINKS_HOST, RANKS, 1);
    s.links.within.latency = latency;
    return &s;
}

static void make(struct shared *s, const char *method)
{
    CHECK(ranks_run(RANKS, NULL, work, s) == 0, "a rank failed: %s", s->words);
    for (int r = 0; r < RANKS && method; r++)
        CHECK(strcmp(s->method[r], method) == 0, "rank %d: method %s, not %s",
              r, s->method[r], method);
}

/* Bytes of the fullest rank by the model. */
static double held(const struct shared *s, const char *method)
{
    farsum_problem p = periodic();
    farsum_options options = s->options;
    farsum_plan *plan = NULL;
    struct ranks_model m;
    options.method = method;
    CHECK_OK(farsum_ranks_tune(&p, &options, &s->links, &any, &plan));
    CHECK_OK(farsum_ranks_model(plan, &s->links, &m));
    farsum_plan_destroy(plan);
    return m.held;
}

/* One rank has less memory than the faster method takes. */
static void memory(void)
{
    struct shared *s = shared(0);
    place(-1, 1);
    double spectral = held(s, "spectral"), fmm = held(s, "fmm");
    CHECK(1.25 * fmm < spectral, "fmm holds %g bytes, spectral %g", fmm,
          spectral);
    make(s, "spectral");
    for (int r = 0; r < RANKS; r++) {
        char rank[32];
        memset(s->limit, 0, sizeof s->limit);
        s->limit[r] = (uint64_t)((fmm + 3 * spectral) / 4);
        make(s, "fmm");
        CHECK(strstr(s->text[0], "spectral: a mesh of"), "%s", s->text[0]);
        s->limit[r] = 1000;
        make(s, NULL);
        snprintf(rank, sizeof rank, "limit of rank %d: ", r);
        CHECK(s->status == FARSUM_ERR_MEMORY && strstr(s->words, rank)
                  && strstr(s->words, "1000"),
              "%d, %s", s->status, s->words);
    }
}

/* Ranks of fmm cannot share a cluster that is thinner than a layer. */
static void thin(void)
{
    struct shared *s = shared(2e-3);
    place(2, 0.02);
    make(s, "fmm");
    double even = s->seconds;
    place(0, 0.02);
    make(s, "spectral");
    s->options.method = "fmm";
    make(s, "fmm");
    printf("  %g s along axis 0, %g along axis 2; work %g\n", s->seconds, even,
           s->info.work_imbalance);
    CHECK(s->seconds > 1.3 * even, "%g s, even %g s", s->seconds, even);
}

/* Ranks of fmm cut layers by the work in them, so thick clusters take as long
 * along axis 0 as along others.  With even cuts one rank had 3/4 of them. */
static void thick(void)
{
    struct shared *s = shared(2e-3);
    place(2, 0.4);
    make(s, "fmm");
    double even = s->seconds;
    place(0, 0.4);
    make(s, "fmm");
    printf("  %g s along axis 0, %g along axis 2; work %g\n", s->seconds, even,
           s->info.work_imbalance);
    CHECK(s->seconds < 1.2 * even, "%g s, even %g s", s->seconds, even);
    CHECK(s->info.recuts == 1 && s->info.work_imbalance < 1.25,
          "cut %lld times, work %g", (long long)s->info.recuts,
          s->info.work_imbalance);
}

/* Any unit of length, also in slabs, whose open row may be 0. */
static void units(void)
{
    struct shared *s = shared(0);
    for (int slab = 0; slab < 2; slab++)
        for (int unit = 0; unit <= 600; unit += 300) {
            s->unit = unit - 300;
            s->slab = slab;
            place(-1, 1);
            make(s, "spectral");
            CHECK(s->status == FARSUM_OK, "2^%d, slab %d: %s", s->unit, slab,
                  s->words);
        }
}

/* Only what the user names is "named". */
static void reasons(void)
{
    struct shared *s = shared(0);
    place(-1, 1);
    make(s, "spectral");
    for (int r = 0; r < RANKS; r++) {
        CHECK(!strstr(s->text[r], "named"), "%s", s->text[r]);
        CHECK(strcmp(s->text[r], s->text[0]) == 0 || r > 0, "%s", s->text[r]);
        CHECK(strstr(s->text[r], "near: ") && strstr(s->text[r], "(fits "),
              "%s", s->text[r]);
    }
    s->options.spectral.scale = "plain";
    make(s, "spectral");
    for (int r = 0; r < RANKS; r++) {
        const char *scale = strstr(s->text[r], "scale: plain (named");
        CHECK(scale && !strstr(scale + 20, "named"), "%s", s->text[r]);
    }
}

int main(void)
{
    RUN(memory);
    RUN(thin);
    RUN(thick);
    RUN(units);
    RUN(reasons);
    return check_end();
}
