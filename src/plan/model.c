/* SPDX-License-Identifier: Apache-2.0 */
/* model.c: counted operations and predicted times of a plan's stages. */
#include "plan/plan.h"
#include "plan/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/args.h"
#include "base/fpenv.h"
#include "method/spectral/spectral.h"
#include "cost/expected_rates.h"

_Static_assert((int)FARSUM_MODEL_KINDS == (int)COUNT_KINDS
                   && (int)FARSUM_MODEL_ERFC == (int)COUNT_ERFC,
               "as math/count.h has them");

const char *farsum_model_kind(int kind)
{
    return kind >= 0 && kind < COUNT_KINDS ? count_names[kind] : NULL;
}

extern const struct method method_spectral;

/* State while stages are added. */
struct modelled {
    const farsum_plan *plan;
    const struct spectral *s;
    struct model_rates rates, near; /* near: pairs of a mixed plan, in f32 */
    union stage_args args[STAGE_COUNT];
    farsum_model *model;
};

double model_flops(const struct model_rates *rates, const struct count *count)
{
    double seconds = 0;
    for (int k = 0; k < COUNT_KINDS; k++)
        seconds += count->calls[k] * rates->seconds[k];
    return 2 * seconds / rates->seconds[COUNT_FMA];
}

double model_seconds(const struct model_rates *rates, const struct work *work,
                     double inside, double sum, const char **bound)
{
    int cached = rates->cache_byte > 0 && inside <= rates->cache;
    double byte = cached ? rates->cache_byte : rates->byte;
    const struct {
        const char *name;
        double seconds;
    } parts[] = {
        {"flops", model_flops(rates, &work->count) * rates->seconds[COUNT_FMA]
                      / 2},
        {cached ? "cache" : "bytes", (work->read + work->written) * byte},
        {"sums", work->sums * sum},
        {"launches", work->launches * rates->launch},
    };
    int longest = 0;
    for (int k = 1; k < 4; k++)
        if (parts[k].seconds > parts[longest].seconds)
            longest = k;
    *bound = parts[longest].name;
    return parts[longest].seconds;
}

/* Work of sorting the points.  Conversion to fractions of the cell and back
 * costs 3 multiply-adds and a floor per axis.  On a device, 32-bit keys then
 * pass through a radix sort in four passes; on the host, through a counting
 * sort in one.  The positions are moved last. */
void model_ops_points(double n, int on_device, struct work *work)
{
    int passes = on_device ? 4 : 1;
    count_calls(&work->count, COUNT_FMA, 9 * n);
    count_calls(&work->count, COUNT_ADD, 6 * n);
    count_calls(&work->count, COUNT_MUL, 3 * n); /* which tile */
    work->read += n * (24 + 4 + passes * 8 + 24);
    work->written += n * (24 + 4 + passes * 8 + 24);
    work->launches += on_device ? 3 + 3 * passes : 0;
}

/* Bytes that a stage uses repeatedly, for the choice between cache and memory.
 * A transform reads and writes the mesh three times, so the mesh counts once;
 * other stages use the bytes that they move. */
static double modelled_inside(const struct modelled *m, int stage,
                              const struct work *work)
{
    double real = m->plan->task.problem.precision == FARSUM_F32 ? 4 : 8;
    if (stage == STAGE_FFT)
        return real
               * (double)parameters_channel(&m->s->parameters,
                                            m->plan->task.device);
    return work->read + work->written;
}

static double sum_seconds(const struct modelled *m)
{
    const struct device *device = m->plan->task.device;
    double real = m->plan->task.problem.precision == FARSUM_F32 ? 4 : 8;
    if (!device)
        return 0;
    struct gpu_rates rates = gpu_rates(device, m->plan->task.problem.precision);
    double mesh = real * m->plan->task.pair.channels
                  * (double)parameters_channel(&m->s->parameters, device);
    return gpu_seconds(&rates, rates.scattered, mesh);
}

static farsum_model_stage *add(struct modelled *m,
                               const struct model_rates *rates,
                               const char *stage, const char *variant,
                               const struct work *work, double inside,
                               double measured)
{
    farsum_model_stage *to = &m->model->stages[m->model->n_stages++];
    double bytes = work->read + work->written;
    *to = (farsum_model_stage){.stage = stage,
                               .variant = variant,
                               .flops = model_flops(rates, &work->count),
                               .read = work->read,
                               .written = work->written,
                               .sums = work->sums,
                               .measured = measured};
    memcpy(to->calls, work->count.calls, sizeof to->calls);
    to->predicted =
        model_seconds(rates, work, inside, sum_seconds(m), &to->bound);
    if (measured > 0) {
        to->share_of_peak =
            to->flops * rates->seconds[COUNT_FMA] / 2 / measured;
        to->share_of_memory = bytes * rates->byte / measured;
    }
    return to;
}

/* Adds the variant of the stage, with `times` its work. */
static void add_stage(struct modelled *m, int stage, const char *name,
                      double times, double measured)
{
    const struct choice *choice = &m->s->parameters.choice[stage];
    double factor = choice->measured ? 1 : m->plan->task.machine.factor[stage];
    struct work one = {.launches = 0}, all;
    stage_work(choice->stage, choice->row, &m->args[stage], &one);
    all = one;
    for (int k = 0; k < COUNT_KINDS; k++)
        all.count.calls[k] *= times;
    all.read *= times;
    all.written *= times;
    all.sums *= times;
    all.launches *= times;
    add(m, stage == STAGE_NEAR ? &m->near : &m->rates, name, choice->row->name,
        &all, modelled_inside(m, stage, &one), measured)
        ->planned = times * choice->cost * factor;
}

static void add_points(struct modelled *m)
{
    const farsum_plan *plan = m->plan;
    struct work work = {.launches = 0};
    model_ops_points((double)(plan->task.sample.n + plan->task.sample.m),
                     plan->task.device != NULL, &work);
    add(m, &m->rates, "set_points", plan->task.device ? "gpu_sort" : "bins",
        &work, work.read + work.written, plan->report.info.seconds_set_points);
}

/* Adds the stage `ends`: strengths in and results out.  They are read and
 * written in the units of either side, and cross the bus if the caller's arrays
 * are on the host. */
static void add_ends(struct modelled *m, double measured)
{
    const farsum_plan *plan = m->plan;
    const struct pair *pair = &plan->task.pair;
    const unsigned outputs = plan->task.problem.outputs;
    double real = plan->task.problem.precision == FARSUM_F32 ? 4 : 8;
    double given = plan->task.problem.arrays == FARSUM_F32 ? 4 : 8;
    double n = (double)plan->task.sample.n;
    double to = plan->task.sample.m > 0 ? (double)plan->task.sample.m : n;
    int flow = !pair->kind->gradient;
    double in = n * pair->strengths;
    double out = to * ((flow ? pair->values : 0)
                       + (outputs & FARSUM_POTENTIAL ? 1 : 0)
                       + (outputs & FARSUM_FIELD ? 3 : 0));
    struct work work = {.launches = plan->task.device ? 8 : 0};
    count_calls(&work.count, COUNT_MUL, in + out);
    count_calls(&work.count, COUNT_FMA, in + out); /* sums of squares */
    work.read = in * 2 * given + out * real;
    work.written = in * real + out * (real + given);
    farsum_model_stage *stage =
        add(m, &m->rates, "ends", plan->task.device ? "gpu" : "host", &work,
            work.read + work.written, measured);
    double bus = plan->task.problem.memory == FARSUM_DEVICE
                     ? 0
                     : (in + out) * given * m->rates.transfer;
    if (bus > stage->predicted) {
        stage->predicted = bus;
        stage->bound = "transfer";
    }
}

static void fill_machine(const struct model_rates *rates,
                         farsum_model_machine *to)
{
    double fma = rates->seconds[COUNT_FMA];
    double cache = rates->cache_byte > 0 ? rates->cache_byte : rates->byte;
    for (int k = 0; k < COUNT_KINDS; k++) {
        to->seconds[k] = rates->seconds[k];
        to->flop_equivalents[k] = 2 * rates->seconds[k] / fma;
    }
    to->peak = 2 / fma;
    to->memory = 1 / rates->byte;
    to->cache = 1 / cache;
    to->cache_bytes = rates->cache;
    to->launch = rates->launch;
    to->transfer = rates->transfer > 0 ? 1 / rates->transfer : 0;
    to->kept = rates->kept;
}

static void fill_stages(struct modelled *m)
{
    const farsum_plan *plan = m->plan;
    const struct pair *pair = &plan->task.pair;
    const farsum_stage_info *info = plan->report.info.stages;
    double back = m->s->seconds_back, sum = 0;
    int first = 1; /* of an execute */
    add_points(m);
    add_stage(m, STAGE_NEAR, "near", 1, info[STAGE_NEAR].seconds);
    add_stage(m, STAGE_SPREAD, "spread", 1, info[STAGE_SPREAD].seconds);
    add_stage(m, STAGE_FFT, "fft", pair->channels,
              fmax(info[STAGE_FFT].seconds - back, 0));
    add_stage(m, STAGE_SCALE, "scale", 1, info[STAGE_SCALE].seconds);
    add_stage(m, STAGE_FFT, "ifft", pair->values, back);
    add_stage(m, STAGE_INTERP, "interp", 1, info[STAGE_INTERP].seconds);
    for (int r = 0; r < STAGE_COUNT; r++)
        sum += info[r].seconds;
    add_ends(m, fmax(plan->report.info.seconds_execute - sum, 0));
    for (int k = first; k < m->model->n_stages; k++) {
        m->model->predicted += m->model->stages[k].predicted;
        m->model->planned += m->model->stages[k].planned;
    }
    m->model->measured = plan->report.info.seconds_execute;
}

farsum_status farsum_plan_get_model(const farsum_plan *plan, int again,
                                    farsum_model *model)
{
    FP_GUARD;
    if (!plan || !model)
        FAIL(ERR_ARGUMENT, "%s is NULL", plan ? "model" : "plan");
    TRY(device_usable(plan->task.device));
    if (plan->method != &method_spectral)
        FAIL(ERR_UNSUPPORTED, "method %s has no performance model; only "
                              "spectral has one",
             plan->report.info.method);
    farsum_model made = FARSUM_MODEL_INIT;
    struct modelled m = {.plan = plan, .s = plan->state, .model = &made};
    struct machine_place place = {plan->task.device, plan->task.isa,
                                  plan->task.problem.precision,
                                  plan->task.threads};
    TRY(model_rates_get(&place, again, &m.rates));
    m.near = m.rates;
    place.precision = plan->task.pairs;
    if (task_is_mixed(&plan->task))
        TRY(model_rates_get(&place, again, &m.near));
    fill_machine(&m.rates, &made.machine);
    fill_machine(&m.near, &made.near_machine);
    parameters_args(&m.s->parameters, &plan->task, m.args);
    fill_stages(&m);
    return struct_give(model, model->size, &made, sizeof made,
                       "FARSUM_MODEL_INIT");
}
