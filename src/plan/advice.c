/* SPDX-License-Identifier: Apache-2.0 */
/* advice.c: advice for a refused plan: one or two changes of the request that
 * have been tried and work. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/args.h"
#include "base/c_locale.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/arrays.h"
#include "task/method.h"
#include "plan/options.h"
#include "plan/plan.h"

/* Seconds after which no other change is tried. */
static const double patience = 2;
enum { CHANGES = 48, WORDS = 64 };
/* Seconds of an execute that are worth saying, bytes that are soon tried. */
#define LONG 10
#define SMALL (1 << 28)

/* The request, with changes. */
struct attempt {
    farsum_problem problem;
    farsum_options options;
    struct farsum_device device; /* owned by the refused plan, if it has one */
    int narrow;         /* 1: results go to f32 arrays */
    const char *method; /* if the plan can be made: its own */
    double seconds;     /* and of an execute */
};

/* One possible change. */
struct change {
    char words[WORDS]; /* "use precision f64", "leave out mesh" */
    farsum_precision precision;
    const char *method;
    int arrays, host;
    const struct option_row *option; /* to leave out; NULL: none */
};

struct advice {
    const struct farsum_plan *plan; /* as complete as it got */
    const farsum_problem *problem;
    const farsum_options *options;
    farsum_status refused;
    struct change change[CHANGES];
    int n;
    double stop; /* clock time to stop at */
};

static void advice_add(struct advice *a, struct change change,
                       const char *verb, const char *name, const char *value)
{
    if (a->n == CHANGES)
        return;
    snprintf(change.words, sizeof change.words, "%s %s%s%s", verb, name,
             *value ? " " : "", value);
    a->change[a->n++] = change;
}

static void attempt_change(const struct advice *a, struct attempt *t,
                           const struct change *c)
{
    if (c->precision)
        t->problem.precision = c->precision;
    if (c->arrays || (c->precision == FARSUM_F64 && !a->problem->arrays))
        t->narrow = 0; /* the sample's type stays what it is */
    if (c->method)
        t->options.method = c->method;
    if (c->host)
        t->options.device.handle = NULL;
    if (c->option)
        option_clear(&t->options, c->option);
}

/* 1: such a plan can be made. */
static int attempt_holds(struct attempt *t)
{
    struct farsum_plan *plan = NULL;
    if ((t->narrow && plan_arrays(&t->problem) != FARSUM_OK)
        || plan_make(&t->problem, &t->options, PLAN_DRY | PLAN_INNER, &plan)
               != FARSUM_OK)
        return 0;
    t->seconds = plan->method_seconds;
    t->method = plan->report.info.method;
    farsum_plan_destroy(plan);
    return 1;
}

static void attempt_begin(const struct advice *a, struct attempt *t)
{
    *t = (struct attempt){.problem = *a->problem, .options = *a->options};
    farsum_problem *p = &t->problem;
    if (!p->arrays)
        p->arrays = p->precision == FARSUM_F32 ? FARSUM_F32 : FARSUM_F64;
    t->narrow = p->arrays == FARSUM_F32;
    t->options.log = NULL;
    t->options.progress = NULL;
    t->options.measure = 0;
    if (a->plan->task.device) { /* open already */
        t->device.device = a->plan->task.device;
        t->options.device.name = NULL;
        t->options.device.handle = &t->device;
    }
}

/* "auto" is reported by the name of its choice. */
static void change_say(const struct change *c, const struct attempt *t,
                       char *text, size_t size)
{
    size_t used = strlen(text);
    if (c->method)
        snprintf(text + used, size - used, "use method %s", t->method);
    else
        snprintf(text + used, size - used, "%s", c->words);
}

/* 1: the plan can be made with these changes; reports them. */
static int advice_try(const struct advice *a, const struct change *one,
                      const struct change *two, char *text, size_t size)
{
    struct attempt t;
    char time[48], words[2 * WORDS + 8] = "";
    if (clock_seconds() > a->stop)
        return 0;
    attempt_begin(a, &t);
    attempt_change(a, &t, one);
    if (two)
        attempt_change(a, &t, two);
    if (!attempt_holds(&t))
        return 0;
    change_say(one, &t, words, sizeof words);
    if (two) {
        strcat(words, " and ");
        change_say(two, &t, words, sizeof words);
    }
    *text = 0;
    if (one->precision && a->refused == FARSUM_ERR_TOLERANCE)
        c_locale_text(text, size, "f64 reaches %g: ",
                      t.problem.tolerance ? t.problem.tolerance : 1e-5);
    size_t used = strlen(text);
    text_time(t.seconds, time, sizeof time);
    if (t.seconds >= LONG)
        snprintf(text + used, size - used, "%s (%s)", words, time);
    else
        snprintf(text + used, size - used, "%s", words);
    return 1;
}

/* The changes, smallest first. */
static void advice_changes(struct advice *a)
{
    const farsum_problem *p = a->problem;
    const farsum_options *o = a->options;
    const char *was = o->method ? o->method : "auto";
    int narrow = p->precision == FARSUM_F32 || p->precision == FARSUM_MIXED;
    int memory = a->refused == FARSUM_ERR_MEMORY;
    if (narrow != memory)
        advice_add(a,
                   (struct change){.precision = memory ? FARSUM_F32
                                                       : FARSUM_F64},
                   "use", "precision", memory ? "f32" : "f64");
    if (p->arrays == FARSUM_F32 && plan_arrays(p) != FARSUM_OK)
        advice_add(a, (struct change){.arrays = 1}, "use", "arrays", "f64");
    for (const struct option_row *row = option_rows; row->name; row++)
        if (row->methods != SETTING && option_is_set(o, row))
            advice_add(a, (struct change){.option = row}, "leave out",
                       row->name, "");
    if (a->plan->task.device && p->memory != FARSUM_DEVICE)
        advice_add(a, (struct change){.host = 1}, "use", "device", "host");
    if (strcmp(was, "auto") != 0)
        advice_add(a, (struct change){.method = "auto"}, "use", "method",
                   "auto");
    for (const struct method_row *row = method_rows; row->name; row++)
        if (strcmp(was, row->name) != 0)
            advice_add(a, (struct change){.method = row->name}, "use",
                       "method", row->name);
}

/* One change, or two. */
static int advice_find(const struct advice *a, char *text, size_t size)
{
    const struct change *c = a->change;
    for (int i = 0; i < a->n; i++)
        if (advice_try(a, &c[i], NULL, text, size))
            return 1;
    for (int i = 0; i < a->n; i++)
        for (int j = i + 1; j < a->n; j++)
            if (!(c[i].method && c[j].method)
                && advice_try(a, &c[i], &c[j], text, size))
                return 1;
    return 0;
}

static int tolerance_holds(const struct advice *a, double tolerance)
{
    struct attempt t;
    attempt_begin(a, &t);
    t.problem.tolerance = tolerance;
    return clock_seconds() <= a->stop && attempt_holds(&t);
}

/* The smallest power of ten that can be kept as tolerance. */
static int advice_tolerance(const struct advice *a, char *text, size_t size)
{
    double asked = a->problem->tolerance ? a->problem->tolerance : 1e-5;
    int low = (int)floor(log10(asked) + 1e-9), high = low + 24;
    if (a->problem->error != FARSUM_ERROR_ABSOLUTE)
        high = -1;
    if (high <= low || !tolerance_holds(a, pow(10, high)))
        return 0;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (tolerance_holds(a, pow(10, middle)))
            high = middle;
        else
            low = middle;
    }
    snprintf(text, size, "use tolerance 1e%d", high);
    return 1;
}

/* 1: the plan itself can be made, and it accepts the sample as its points. */
static int attempt_takes(struct attempt *t)
{
    const farsum_problem *p = &t->problem;
    struct farsum_plan *plan = NULL;
    if (plan_make(&t->problem, &t->options, PLAN_INNER, &plan) != FARSUM_OK)
        return 0;
    struct plan_limit old = plan_limit(plan);
    farsum_status status = plan->method->set_points(
        &plan->task, plan->state, p->n_sources, p->sample_x, 0, NULL);
    plan_unlimit(plan, old);
    farsum_plan_destroy(plan);
    return status == FARSUM_OK;
}

/* A sufficient memory limit, in bytes, where a limit was set.  For a small
 * plan: the memory that it takes with its points.  For others: three times the
 * predicted memory. */
static int advice_memory(const struct advice *a, char *text, size_t size)
{
    struct attempt t;
    struct farsum_plan *made = NULL;
    attempt_begin(a, &t);
    t.options.memory_limit = 0; /* its default */
    if (a->refused != FARSUM_ERR_MEMORY || !a->options->memory_limit
        || plan_make(&t.problem, &t.options, PLAN_DRY | PLAN_INNER, &made)
               != FARSUM_OK)
        return 0;
    uint64_t bytes = made->report.info.bytes, given = a->options->memory_limit;
    farsum_plan_destroy(made);
    int small = bytes < SMALL && t.problem.sample_x && !t.problem.n_targets
                && t.problem.memory == FARSUM_HOST;
    if (bytes < given)
        bytes = given;
    if (!small)
        bytes *= 3;
    for (int k = 0; k < 16 && clock_seconds() <= a->stop; k++) {
        t.options.memory_limit = bytes;
        if (bytes > given && (small ? attempt_takes(&t) : attempt_holds(&t))) {
            snprintf(text, size, "use memory_limit %llu",
                     (unsigned long long)bytes);
            return 1;
        }
        bytes += bytes / 4;
    }
    return 0;
}

/* If memory has run out, no prediction helps: nothing can be tried. */
static int advice_may(farsum_status status)
{
    return plan_refuses(status)
           && !strstr(farsum_message(), "could not be allocated");
}

farsum_status plan_advise(farsum_status status, const struct farsum_plan *plan,
                          const farsum_problem *problem,
                          const farsum_options *options)
{
    farsum_problem asked = FARSUM_PROBLEM_INIT;
    farsum_options how = FARSUM_OPTIONS_INIT;
    struct advice a = {.plan = plan,
                       .problem = &asked,
                       .options = &how,
                       .refused = status,
                       .stop = clock_seconds() + patience};
    char why[1024], text[2 * WORDS + 160] = "";
    if (!advice_may(status))
        return status;
    snprintf(why, sizeof why, "%s", farsum_message());
    /* the caller's structs may be shorter: those of an older version */
    TRY(struct_take(&asked, sizeof asked, problem, problem->size,
                    "FARSUM_PROBLEM_INIT"));
    if (options)
        TRY(struct_take(&how, sizeof how, options, options->size,
                        "FARSUM_OPTIONS_INIT"));
    advice_changes(&a);
    if (advice_memory(&a, text, sizeof text)
        || advice_find(&a, text, sizeof text)
        || advice_tolerance(&a, text, sizeof text))
        return status_fail(status, "%.760s; %s", why, text);
    return status_fail(status, "%s", why);
}

/* A method states its limits for points, not for their strengths. */
static farsum_status advice_units(const struct farsum_plan *plan, int64_t n,
                                  void **q)
{
    int64_t count = n * plan->task.pair.strengths;
    int f32 = plan->task.problem.arrays == FARSUM_F32;
    TRY(mem_alloc(q, count, f32 ? sizeof(float) : sizeof(double), 0));
    for (int64_t i = 0; i < count; i++)
        array_put(*q, plan->task.problem.arrays, i, 1);
    return FARSUM_OK;
}

farsum_status plan_advise_points(farsum_status status, struct farsum_plan *plan,
                                 int64_t n, const void *x, int64_t m)
{
    farsum_problem problem = plan->task.given;
    farsum_options options = plan->task.options;
    void *q = NULL;
    char why[1024];
    if (!advice_may(status))
        return status;
    snprintf(why, sizeof why, "%s", farsum_message());
    options.cutoff = plan->task.given_cutoff;
    options.spectral.skin = plan->task.given_skin;
    problem.precision = plan->report.info.precision;
    problem.n_sources = n;
    problem.n_targets = m;
    if (problem.memory == FARSUM_HOST
        && advice_units(plan, n, &q) == FARSUM_OK) {
        problem.sample_x = x;
        problem.sample_q = q;
    }
    options.method = plan->report.info.method;
    status_fail(status, "%s", why);
    status = plan_advise(status, plan, &problem, &options);
    mem_free(q);
    return status;
}

