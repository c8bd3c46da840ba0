/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.c: a plan over ranks.
 *
 * Rank 0 chooses all parameters from the sample of all ranks, and sends them to
 * the others as options.  So every rank makes the same plan, also where their
 * machines or measured times differ. */
#include "plan/ranks.h"

#include <math.h>
#include <string.h>

#include "base/args.h"
#include "base/mem.h"
#include "plan/options.h"
#include "plan/ranks/device.h"
#include "plan/ranks/exclusions.h"
#include "plan/ranks/sample.h"
#include "plan/ranks/shape.h"

enum {
    TEXT = 48,          /* bytes of a variant's name */
    CHOICES = 64,       /* options that rank 0 sends, at most */
    SAMPLE_MOST = 1 << 23, /* particles whose sample rank 0 receives */
};

/* What rank 0 has chosen. */
struct chosen {
    farsum_options options; /* texts are unset */
    char text[CHOICES][TEXT];
    farsum_precision precision;
    double finer; /* as task.finer */
    struct plan_reasons reasons;
};

/* The problem of all ranks, with the samples of all on rank 0. */
struct whole {
    farsum_problem problem;
    farsum_problem own; /* with this rank's part of the sample */
    struct ranks_pairs pairs;
    struct ranks_sample sample;
    struct heights heights; /* of all samples */
};

/* Brings the samples to rank 0.  Other ranks see that a sample exists. */
static farsum_status whole_sample(struct comm *comm, struct whole *w,
                                  const struct pair *pair,
                                  const int64_t *counts)
{
    static const char elsewhere;
    TRY(ranks_sample_gather(comm, &w->sample, pair, w->problem.arrays,
                            counts));
    int first = comm->rank == 0;
    w->problem.sample_x = first ? w->sample.all_x : &elsewhere;
    w->problem.sample_q = first ? w->sample.all_q : &elsewhere;
    return FARSUM_OK;
}

/* Where the particles of all ranks' samples are. */
static farsum_status whole_heights(struct comm *comm, struct whole *w)
{
    const farsum_problem *p = &w->problem;
    struct task task = {.problem = *p};
    double most = 0, extent[2] = {-INFINITY, -INFINITY}, count[HEIGHTS] = {0};
    struct cell cell;
    for (int i = 0; i < 9; i++)
        most = fmax(most, p->periodic[i / 3] ? fabs(p->cell[i]) : 0);
    task.units.length = scale_exponent(most);
    for (int i = 0; i < 9; i++)
        task.problem.cell[i] = ldexp(p->cell[i], -task.units.length);
    cell_right(task.problem.cell, p->periodic); /* open rows may be 0 */
    TRY(comm_agree(comm, task_cell(&task, &cell)));
    heights_extent(&cell, w->sample.n, w->sample.x, p->arrays, extent);
    TRY(comm_max(comm, extent, 2));
    heights_count(&cell, w->sample.n, w->sample.x, p->arrays, extent, count);
    TRY(comm_sum(comm, count, HEIGHTS));
    heights_set(&w->heights, count);
    return comm_agree(comm, FARSUM_OK);
}

/* Checks this rank's problem, and sets that of all ranks. */
static farsum_status whole_problem(struct comm *comm,
                                   const farsum_problem *problem,
                                   struct whole *w)
{
    farsum_status status = FARSUM_OK;
    struct pair pair = {0};
    farsum_problem given = FARSUM_PROBLEM_INIT, checked;
    int64_t *counts = NULL, n = 0;
    int64_t all[3] = {0}, targets = 0;
    KEEP_ON(MEM_NEW(counts, comm->size));
    KEEP_ON(struct_take(&given, sizeof given, problem, problem->size,
                        "FARSUM_PROBLEM_INIT")); /* ranks_same has done so */
    n = given.n_sources;
    targets = given.n_targets;
    if (n < 0 || targets < 0)
        status = status_fail(FARSUM_ERR_ARGUMENT, "n_%s is %lld, below 0",
                             n < 0 ? "sources" : "targets",
                             (long long)(n < 0 ? n : targets));
    if (n > 0 && (given.sample_x == NULL) != (given.sample_q == NULL))
        status = status_fail(FARSUM_ERR_ARGUMENT,
                             "sample_x and sample_q must both be set or both "
                             "be NULL");
    GO(comm_agree(comm, status));
    GO(comm_gather(comm, &n, counts, sizeof n));
    all[0] = n;
    all[1] = n > 0 && !given.sample_x;
    all[2] = targets;
    GO(comm_sum_counts(comm, all, 3));
    given.n_sources = all[0];
    given.n_targets = all[2];
    int sampled = all[1] == 0, known = sampled && all[0] <= SAMPLE_MOST;
    w->sample = (struct ranks_sample){
        .n = n, .x = given.sample_x, .q = given.sample_q};
    given.sample_x = given.sample_q = NULL;
    GO(ranks_pairs_take(&w->pairs, comm, &given,
                        known && all[2] == 0 ? counts : NULL));
    given.n_exclusions = w->pairs.all.count;
    given.exclusions = w->pairs.all.pair;
    given.exclusion_factors = w->pairs.all.factor;
    GO(comm_agree(comm, problem_check(&given, &checked, &pair)));
    w->problem = given;
    w->problem.arrays = checked.arrays;
    w->own = w->problem;
    w->own.n_sources = n;
    if (sampled) { /* a rank without points has none, but is checked */
        w->own.sample_x = n > 0 ? w->sample.x : w;
        w->own.sample_q = n > 0 ? w->sample.q : w;
    }
    if (known)
        GO(whole_sample(comm, w, &pair, counts));
    if (sampled)
        GO(whole_heights(comm, w));
done:
    mem_free(counts);
    return status;
}

/* Finds the smallest memory limit of a rank, and one that has it.  Each rank's
 * limit is for its own part. */
static void ranks_memory(struct comm *comm, const farsum_options *options,
                         uint64_t *limit, int *rank)
{
    const struct farsum_device *handle = options->device.handle;
    uint64_t mine = options->memory_limit
                        ? options->memory_limit
                        : plan_memory(handle ? handle->device : NULL);
    double least = -(double)(mine < INT64_MAX / 2 ? mine : INT64_MAX / 2);
    const double own = least;
    (void)comm_max(comm, &least, 1);
    double first = own == least ? -comm->rank : -comm->size;
    (void)comm_max(comm, &first, 1);
    *limit = (uint64_t)-least;
    *rank = (int)-first;
}

/* Chooses on rank 0, for ranks with such a memory limit. */
static farsum_status ranks_choose(const farsum_problem *problem,
                                  const farsum_options *options,
                                  struct plan_aim aim, uint64_t limit,
                                  struct chosen *chosen,
                                  struct plan_known *known)
{
    farsum_status status = FARSUM_OK;
    farsum_plan *plan = NULL;
    int k = 0;
    farsum_options whole = *options;
    chosen->options = (farsum_options)FARSUM_OPTIONS_INIT;
    whole.memory_limit = limit;
    aim.comm = NULL;
    status = plan_make_for(problem, &whole, PLAN_DRY, aim, &plan);
    if (status != FARSUM_OK && plan)
        status = progress_end(&plan->progress, status);
    GO(status);
    GO(farsum_plan_get_options(plan, &chosen->options));
    /* else chosen with the points, the same on all ranks */
    chosen->options.fmm.order = options->fmm.order;
    chosen->precision = plan->report.info.precision;
    chosen->finer = plan->task.finer;
    plan_reasons_take(&chosen->reasons, plan);
    plan_known_take(known, plan);
    for (const struct option_row *row = option_rows; row->name; row++) {
        const char *text;
        if (row->kind != FARSUM_OPTION_TEXT
            && row->kind != FARSUM_OPTION_VARIANT)
            continue;
        memcpy(&text, (char *)&chosen->options + row->at, sizeof text);
        if (k == CHOICES || (text && strlen(text) >= TEXT))
            GO_FAIL(ERR_INTERNAL, "option %s: %s is too long", row->name, text);
        snprintf(chosen->text[k++], TEXT, "%s", text ? text : "");
        option_clear(&chosen->options, row);
    }
done:
    farsum_plan_destroy(plan);
    return status;
}

/* Takes what rank 0 has chosen; options keeps pointers into chosen. */
static void ranks_take(struct chosen *chosen, farsum_options *options)
{
    int k = 0;
    for (const struct option_row *row = option_rows; row->name; row++) {
        char *to = (char *)options + row->at;
        const void *from = (char *)&chosen->options + row->at;
        const char *text = NULL;
        if (row->kind == FARSUM_OPTION_TEXT
            || row->kind == FARSUM_OPTION_VARIANT) {
            text = chosen->text[k++];
            text = *text ? text : NULL;
            from = &text;
        }
        if (row->methods != SETTING) /* such as threads, which ranks set */
            memcpy(to, from, row->size);
    }
}

/* Refuses what ranks do not have, and names the method. */
static farsum_status ranks_options(farsum_options *options)
{
    const char *method = options->method;
    if (method && strcmp(method, "auto") == 0)
        options->method = NULL;
    else if (method && strcmp(method, "spectral") != 0
             && strcmp(method, "fmm") != 0)
        FAIL(ERR_UNSUPPORTED,
             "method %s: plans over ranks have only spectral and fmm", method);
    return FARSUM_OK;
}

farsum_status plan_make_ranks(const farsum_problem *problem,
                              const farsum_options *options,
                              struct plan_aim aim, farsum_plan **plan)
{
    farsum_status status = FARSUM_OK;
    struct comm *comm = aim.comm;
    struct chosen chosen = {.precision = FARSUM_F64};
    farsum_options taken = *options;
    farsum_problem same = *problem;
    struct plan_known known = {.sample = {0}};
    uint64_t limit;
    int least;
    *plan = NULL;
    ranks_memory(comm, options, &limit, &least);
    if (comm->rank == 0)
        status = ranks_choose(problem, options, aim, limit, &chosen, &known);
    if (status == FARSUM_ERR_MEMORY && comm->size > 1)
        status =
            status_prefix(status, "with the memory limit of rank %d", least);
    GO(comm_agree(comm, status));
    GO(comm_share(comm, &chosen, sizeof chosen));
    GO(plan_known_send(&known, comm));
    ranks_take(&chosen, &taken);
    same.precision = chosen.precision;
    aim.finer = chosen.finer;
    aim.most = 0; /* rank 0 kept it */
    aim.known = &known;
    status = plan_make_for(&same, &taken, PLAN_INNER, aim, plan);
    if (status == FARSUM_OK)
        status = plan_reasons_give(&chosen.reasons, *plan);
    GO(comm_agree(comm, status));
    (*plan)->task.given.precision = problem->precision;
done:
    if (status != FARSUM_OK) {
        farsum_plan_destroy(*plan);
        *plan = NULL;
    }
    plan_known_clear(&known);
    return status;
}

farsum_status plan_over_ranks(struct comm *comm, const farsum_problem *problem,
                              const farsum_options *options, farsum_plan **plan)
{
    return plan_over_ranks_by(comm, problem, options, NULL, plan);
}

farsum_status plan_over_ranks_by(struct comm *comm,
                                 const farsum_problem *problem,
                                 const farsum_options *options,
                                 const char *transport, farsum_plan **plan)
{
    const struct ranks_shape any = {{0, 0}};
    return plan_over_ranks_as(comm, problem, options, transport, &any, plan);
}

farsum_status
plan_over_ranks_as(struct comm *comm, const farsum_problem *problem,
                   const farsum_options *options, const char *transport,
                   const struct ranks_shape *shape, farsum_plan **plan)
{
    farsum_status status = FARSUM_OK;
    farsum_options own = FARSUM_OPTIONS_INIT;
    struct whole w = {.sample = {0}};
    struct ranks_device device = {.opened = 0};
    struct plan_aim aim = {.comm = comm};
    farsum_plan *made = NULL;
    if (options)
        status = struct_take(&own, sizeof own, options, options->size,
                             "FARSUM_OPTIONS_INIT");
    if (status == FARSUM_OK)
        status = ranks_options(&own);
    KEEP_ON(ranks_transport(transport, &own, &aim.transport));
    KEEP_ON(ranks_shape_take(shape, &own, comm->size, &aim.shape));
    GO(comm_agree(comm, status));
    GO(ranks_same(comm, problem, &own, aim.transport, &aim.shape));
    GO(whole_problem(comm, problem, &w));
    GO(comm_agree(comm, ranks_device_open(comm, &own, &device)));
    GO(ranks_links_of(comm, &own, transport, &aim.links));
    aim.heights = &w.heights;
    status = plan_make_ranks(&w.problem, &own, aim, &made);
    if (plan_refuses(status) && w.problem.error > FARSUM_ERROR_VELOCITY) {
        aim.finer = 1;
        status = plan_make_ranks(&w.problem, &own, aim, &made);
    }
    GO(status);
    GO(comm_agree(comm, plan_exclude_as(&w.pairs.own, w.pairs.count, made)));
    GO(plan_verify(&w.problem, &own, &w.own, &made));
    GO(plan_part(&made));
    made->owns_device = device.opened;
    device.opened = 0;
    *plan = made;
    made = NULL;
done:
    farsum_plan_destroy(made);
    ranks_device_close(&device);
    ranks_pairs_clear(&w.pairs);
    mem_free(w.sample.all_x);
    mem_free(w.sample.all_q);
    return status;
}
