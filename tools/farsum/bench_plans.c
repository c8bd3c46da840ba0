/* SPDX-License-Identifier: Apache-2.0 */
/* bench_plans.c: plans that a benchmark times, and its result rows. */
#include "bench.h"

#include "farsum/expert.h"
#include "say.h"
#include "strengths.h"
#include "words.h"

#include "base/clock.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

static void find_machine(char *text, size_t size)
{
    char line[512];
    FILE *f = fopen("/proc/cpuinfo", "r");
    snprintf(text, size, "unknown");
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(text, size, "%s", colon + 2);
        break;
    }
    if (f)
        fclose(f);
}

/* Names the device, if it is not the processor. */
static void find_device(const char *name, char *text, size_t size)
{
    farsum_device_info info = FARSUM_DEVICE_INFO_INIT;
    farsum_device *device = NULL;
    if (!name || strcmp(name, "host") == 0)
        return;
    if (farsum_device_open(name, &device) == FARSUM_OK &&
        farsum_device_get_info(device, &info) == FARSUM_OK)
        snprintf(text, size, "%.90s (%s)", info.model, info.name);
    farsum_device_close(device);
}

/* Makes a case's particles.  Exclusions count particles from 1. */
static int make_case(struct bench *b, char *error, size_t size)
{
    if (case_make(&b->spec, &b->particles, error, size) != 0)
        return -1;
    const struct io_frame frame = {.n = b->particles.n};
    return exclude_make(b->settings, &frame, NULL, &b->exclude, error, size);
}

/* Appends to the case's name, which identifies older rows for comparison. */
static void bench_say(struct bench *b, const char *text)
{
    size_t used = strlen(b->case_text);
    snprintf(b->case_text + used, sizeof b->case_text - used, "%s", text);
}

/* Allocates the arrays on the device, if that is where they should be. */
static int make_there(struct bench *b, char *error, size_t size)
{
    const struct settings *s = b->settings;
    const struct case_particles *p = &b->particles;
    const int64_t each = p->n * (int64_t)sizeof(double);
    const int64_t bytes[4] = {3 * each, p->strengths * each, each, 3 * each};
    const void *from[4] = {p->x, p->q, NULL, NULL};
    if (!s->device || strcmp(s->device, "host") == 0 || s->arrays == 1) {
        if (s->arrays == 2)
            snprintf(error, size, "--arrays device requires --device");
        return s->arrays == 2 ? -1 : 0;
    }
    farsum_status status = farsum_device_open(s->device, &b->device);
    for (int k = 0; k < 4 && status == FARSUM_OK; k++)
        status = farsum_device_alloc(b->device, bytes[k], from[k],
                                     &b->there[k]);
    if (status != FARSUM_OK)
        snprintf(error, size, "%s", farsum_message());
    return status == FARSUM_OK ? 0 : -1;
}

int bench_prepare(struct bench *b, char *error, size_t size)
{
    const struct settings *s = b->settings;
    struct case_spec *spec = &b->spec;
    if (case_parse(s->problem ? s->problem : "", spec, error, size) != 0)
        return -1;
    if (s->tolerance > 0)
        spec->tolerance = s->tolerance;
    if (s->precision)
        spec->precision = (farsum_precision)s->precision;
    if (s->error)
        spec->error = (farsum_error_kind)s->error;
    if (s->kernel)
        snprintf(spec->kernel, sizeof spec->kernel, "%s", s->kernel);
    case_print(spec, b->case_text, sizeof b->case_text);
    find_machine(b->machine, sizeof b->machine);
    find_device(s->device, b->machine, sizeof b->machine);
    say_progress("making the particles");
    if (s->input ? bench_read(b, error, size) : make_case(b, error, size))
        return -1;
    if (s->exclude)
        bench_say(b, " exclude=coincident");
    if (b->exclude.count > 0) {
        char text[48];
        snprintf(text, sizeof text, " exclusions=%lld",
                 (long long)b->exclude.count);
        bench_say(b, text);
    }
    size_t n = (size_t)spec->n;
    b->potential = malloc(n * sizeof *b->potential);
    b->field = malloc(n * 3 * sizeof *b->field);
    b->repeats = s->repeats ? s->repeats : 5;
    if (b->potential && b->field) {
        int failed = make_there(b, error, size);
        if (b->device) /* not compared with rows of host arrays */
            bench_say(b, " arrays=device");
        return failed;
    }
    snprintf(error, size, "no memory for %lld results", (long long)spec->n);
    return -1;
}

static int flow_of(const struct bench *b)
{
    return strengths_of(b->spec.kernel)->flow;
}

farsum_result bench_result(const struct bench *b)
{
    farsum_result out = FARSUM_RESULT_INIT;
    void *potential = b->device ? b->there[2] : b->potential;
    void *field = b->device ? b->there[3] : b->field;
    if (flow_of(b)) {
        out.velocity = field;
    } else {
        out.potential = potential;
        out.field = field;
    }
    return out;
}

farsum_status bench_sum(const struct bench *b, farsum_plan *plan, int points,
                        double seconds[2])
{
    farsum_result out = bench_result(b);
    const void *x = b->device ? b->there[0] : b->particles.x;
    const void *q = b->device ? b->there[1] : b->particles.q;
    farsum_status status = FARSUM_OK;
    double start = clock_seconds();
    if (points) {
        status = farsum_plan_set_points(plan, b->particles.n, x, 0, NULL);
        if (status == FARSUM_OK)
            status = farsum_plan_finish(plan);
    }
    seconds[0] = points ? clock_seconds() - start : 0;
    start = clock_seconds();
    if (status == FARSUM_OK)
        status = farsum_plan_execute(plan, 1, q, &out);
    if (status == FARSUM_OK)
        status = farsum_plan_finish(plan);
    seconds[1] = clock_seconds() - start;
    return status;
}

void bench_free(struct bench *b)
{
    for (int k = 0; k < b->n_plans; k++)
        farsum_plan_destroy(b->plans[k]);
    farsum_plan_destroy(b->base);
    for (int k = 0; k < b->n_rows; k++)
        free(b->rows[k].seconds);
    for (int k = 0; k < 4; k++)
        farsum_device_free(b->device, b->there[k]);
    farsum_device_close(b->device);
    case_free(&b->particles);
    exclude_clear(&b->exclude);
    free(b->potential);
    free(b->field);
    free(b);
}

static farsum_options options_of(const struct bench *b)
{
    farsum_options how = options_how(b->settings);
    if (b->device) {
        how.device.name = NULL;
        how.device.handle = b->device;
    }
    return how;
}

static farsum_problem problem_of(const struct bench *b)
{
    farsum_problem p;
    case_problem(&b->spec, &b->particles, &p);
    p.outputs = flow_of(b) ? FARSUM_VELOCITY : FARSUM_POTENTIAL | FARSUM_FIELD;
    p.surface = (farsum_surface)b->settings->surface;
    if (b->device)
        p.memory = FARSUM_DEVICE;
    p.exclude_coincident = b->settings->exclude;
    p.n_exclusions = b->exclude.count;
    p.exclusions = b->exclude.pair;
    p.exclusion_factors = b->exclude.factor;
    return p;
}

static struct bench_row *add_row(struct bench *b, int plan, const char *stage,
                                 const char *variant)
{
    if (b->n_rows == BENCH_ROWS)
        return NULL;
    struct bench_row *row = &b->rows[b->n_rows];
    row->plan = plan;
    snprintf(row->stage, sizeof row->stage, "%s", stage);
    snprintf(row->variant, sizeof row->variant, "%s", variant);
    row->seconds = calloc((size_t)b->repeats, sizeof *row->seconds);
    if (!row->seconds)
        return NULL;
    b->n_rows++;
    return row;
}

static void describe(const farsum_plan_info *info, char *text, size_t size)
{
    if (info->support > 0)
        snprintf(text, size,
                 "%s split=%s window=%s cutoff=%s mesh=%lldx%lldx%lld "
                 "support=%d isa=%s", info->method,
                 info->split ? info->split : "-",
                 info->window ? info->window : "-",
                 number_digits(info->cutoff, 6).text,
                 (long long)info->mesh[0], (long long)info->mesh[1],
                 (long long)info->mesh[2], info->support,
                 info->isa ? info->isa : "-");
    else
        snprintf(text, size, "%s", info->method);
}

/* Creates a plan for the case's points and warms it up by one execute. */
static int add_plan(struct bench *b, const farsum_options *how,
                    farsum_plan_info *info)
{
    farsum_problem problem = problem_of(b);
    farsum_plan *plan = NULL;
    double seconds[2];
    if (b->n_plans == BENCH_PLANS)
        return -1;
    if (farsum_plan_create(&problem, how, &plan) != FARSUM_OK ||
        bench_sum(b, plan, 1, seconds) != FARSUM_OK ||
        farsum_plan_get_info(plan, info) != FARSUM_OK) {
        farsum_plan_destroy(plan);
        return -1;
    }
    b->threads = info->threads;
    b->plans[b->n_plans] = plan;
    return b->n_plans++;
}

/* Fixes the tuner's choices for the case, so that the variants differ in one
 * stage only. */
static void freeze(farsum_options *how, const farsum_plan_info *info)
{
    how->method = info->method;
    how->fmm.order =
        info->tree && info->order == 0 ? FARSUM_ORDER_0 : info->order;
    how->fmm.separation = info->separation;
    how->fmm.levels = info->levels;
    how->fmm.tree = info->tree;
    memcpy(how->fmm.boxes, info->boxes, sizeof how->fmm.boxes);
    if (info->support <= 0)
        return;
    how->spectral.split = info->split;
    how->spectral.window = info->window;
    how->cutoff = info->cutoff;
    how->spectral.bandwidth = info->bandwidth;
    memcpy(how->spectral.mesh, info->mesh, sizeof how->spectral.mesh);
    how->spectral.upsampling = 0; /* follows from the mesh */
    how->spectral.support = info->support;
    how->spectral.shape = info->shape;
}

static int has_stage(const farsum_plan_info *info, const char *stage)
{
    for (int k = 0; k < info->n_stages; k++)
        if (strcmp(info->stages[k].stage, stage) == 0)
            return 1;
    return 0;
}

int bench_add_variants(struct bench *b, const char *stage, char *error,
                       size_t size)
{
    farsum_problem problem = problem_of(b);
    farsum_options how = options_of(b);
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_variant_info variant = FARSUM_VARIANT_INFO_INIT;
    how.log = NULL;
    if (!how.device.queues)
        how.device.queues = 1; /* times this stage without concurrent ones */
    say_progress("choosing a plan");
    if (farsum_plan_tune(&problem, &how, &b->base) != FARSUM_OK ||
        farsum_plan_get_info(b->base, &info) != FARSUM_OK) {
        snprintf(error, size, "%s", words_message());
        return -1;
    }
    if (!has_stage(&info, stage)) {
        snprintf(error, size, "method %s, which the case gets, has no stage "
                 "'%s'", info.method, stage);
        return -1;
    }
    freeze(&how, &info);
    for (int k = 0; farsum_list_variants(stage, k, &variant) ==
                    FARSUM_OK; k++) {
        farsum_plan_info made = FARSUM_PLAN_INFO_INIT;
        if (farsum_options_set(&how, stage, variant.name) != FARSUM_OK)
            continue;
        say_progress("%s %s: making the plan", stage, variant.name);
        int plan = add_plan(b, &how, &made);
        struct bench_row *row = add_row(b, plan, stage, variant.name);
        if (!row) {
            snprintf(error, size, "too many variants, or no memory");
            return -1;
        }
        if (plan < 0)
            snprintf(row->reason, sizeof row->reason, "%s", words_message());
        else
            describe(&made, row->parameters, sizeof row->parameters);
    }
    return 0;
}

int bench_add_method(struct bench *b, const char *method, char *error,
                     size_t size)
{
    farsum_options how = options_of(b);
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    if (method)
        how.method = method;
    say_progress("making the plan");
    int plan = add_plan(b, &how, &info), bad;
    if (plan < 0) {
        snprintf(error, size, "%s", words_message());
        return -1;
    }
    bad = !add_row(b, plan, "total", info.method) ||
          !add_row(b, plan, "set_points", info.method);
    for (int k = 0; k < info.n_stages && !bad; k++)
        bad = !add_row(b, plan, info.stages[k].stage, info.stages[k].variant);
    for (int k = 0; k < b->n_rows; k++)
        describe(&info, b->rows[k].parameters, sizeof b->rows[k].parameters);
    if (bad)
        snprintf(error, size, "out of memory");
    return bad ? -1 : 0;
}
