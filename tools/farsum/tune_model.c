/* SPDX-License-Identifier: Apache-2.0 */
/* tune_model.c: report of the cost model: operations of a plan's stages, rates
 * of the machine, predicted times, and measured times. */
#include "tune_model.h"

#include "io/output.h"
#include "report.h"
#include "say.h"
#include "words.h"

#include "base/c_locale.h"
#include "base/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void put_numbers(FILE *f, const double *v, int n, int digits,
                        const char *end)
{
    for (int k = 0; k < n; k++)
        fprintf(f, "%s%s", number_digits(v[k], digits).text,
                k < n - 1 ? "," : end);
}

/* Output arrays for all that the problem requests. */
struct stage {
    double *values;
    double energy, virial[9];
    farsum_result result;
};

/* The outputs of a kernel without the virial: a plan's default. */
static unsigned outputs_of(const char *kernel)
{
    farsum_kernel_info info = {.size = sizeof info};
    for (int k = 0; farsum_list_kernels(k, &info) == FARSUM_OK; k++)
        if (strcmp(info.name, kernel ? kernel : "laplace") == 0)
            return info.outputs & ~(unsigned)FARSUM_VIRIAL;
    return FARSUM_POTENTIAL;
}

static int stage_make(struct stage *stage, const farsum_problem *problem)
{
    size_t n = (size_t)(problem->n_targets ? problem->n_targets
                                           : problem->n_sources);
    unsigned outputs = problem->outputs ? problem->outputs
                                        : outputs_of(problem->kernel);
    *stage = (struct stage){.result = FARSUM_RESULT_INIT};
    stage->values = malloc(4 * n * sizeof *stage->values);
    if (!stage->values)
        return -1;
    if (outputs & FARSUM_VELOCITY) {
        stage->result.velocity = stage->values;
        return 0;
    }
    if (outputs & FARSUM_POTENTIAL)
        stage->result.potential = stage->values;
    if (outputs & FARSUM_FIELD)
        stage->result.field = stage->values + n;
    if (outputs & FARSUM_ENERGY)
        stage->result.energy = &stage->energy;
    if (outputs & FARSUM_VIRIAL)
        stage->result.virial = stage->virial;
    return 0;
}

/* Sums several times, after one time to warm up; keeps the fastest. */
static farsum_status sum_times(const farsum_problem *problem, farsum_plan *plan,
                               int repeats, int again, struct stage *stage,
                               farsum_model *best)
{
    farsum_model one = FARSUM_MODEL_INIT;
    int kept = 0;
    for (int k = 0; k <= repeats; k++) {
        farsum_status status =
            farsum_plan_execute(plan, 1, problem->sample_q, &stage->result);
        if (status == FARSUM_OK)
            status = farsum_plan_get_model(plan, again && k == 0, &one);
        if (status != FARSUM_OK)
            return status;
        if (k == 0)
            kept = one.machine.kept;
        if (k <= 1 || one.measured < best->measured)
            *best = one;
    }
    best->machine.kept = kept;
    return FARSUM_OK;
}

int model_take(const struct settings *s, const farsum_problem *problem,
               const double *y, farsum_plan *plan, farsum_model *model)
{
    struct stage stage;
    if (stage_make(&stage, problem) != 0) {
        say_error("tune: out of memory");
        return -1;
    }
    say_progress("measuring");
    farsum_status status =
        farsum_plan_set_points(plan, problem->n_sources, problem->sample_x,
                               problem->n_targets, y);
    if (status == FARSUM_OK)
        status = sum_times(problem, plan, s->repeats > 0 ? s->repeats : 3,
                           s->measure, &stage, model);
    free(stage.values);
    say_progress("%s", "");
    if (status != FARSUM_OK)
        say_error("tune: %s", words_message());
    return status == FARSUM_OK ? 0 : -1;
}

/* about: "f64: " if a plan has two machines. */
static void print_machine(const char *about, const farsum_model_machine *m,
                          FILE *out)
{
    c_locale_write(out, "\n%speak %.4g Gflop/s, memory %.4g GB/s", about,
                   m->peak / 1e9, m->memory / 1e9);
    if (m->cache_bytes > 0)
        c_locale_write(out, ", cache of %.3g MB %.4g GB/s",
                       m->cache_bytes / 1e6, m->cache / 1e9);
    if (m->launch > 0)
        c_locale_write(out, ", a launch %.3g us", 1e6 * m->launch);
    if (m->transfer > 0)
        c_locale_write(out, ", to the device %.3g GB/s", m->transfer / 1e9);
    fprintf(out, "; %s\n", m->kept ? "kept" : "measured now");
    fprintf(out, "%-18s", "operation");
    for (int k = 0; k < FARSUM_MODEL_KINDS; k++)
        fprintf(out, "%9s", farsum_model_kind(k));
    fprintf(out, "\n%-18s", "G/s");
    for (int k = 0; k < FARSUM_MODEL_KINDS; k++)
        c_locale_write(out, "%9.4g", 1e-9 / m->seconds[k]);
    fprintf(out, "\n%-18s", "flop-equivalents");
    for (int k = 0; k < FARSUM_MODEL_KINDS; k++)
        c_locale_write(out, "%9.3g", m->flop_equivalents[k]);
    fputc('\n', out);
}

static void print_share(double share, FILE *out)
{
    if (share > 0)
        c_locale_write(out, " %6.1f%%", 100 * share);
    else
        fprintf(out, " %7s", "-");
}

static void print_time(double seconds, FILE *out)
{
    if (seconds > 0)
        c_locale_write(out, " %9.4g", 1e3 * seconds);
    else
        fprintf(out, " %9s", "-");
}

void model_print(const farsum_plan_info *info, const farsum_model *model,
                 FILE *out)
{
    int mixed = info->precision == FARSUM_MIXED;
    print_machine(mixed ? "f64: " : "", &model->machine, out);
    if (mixed)
        print_machine("f32, near pairs: ", &model->near_machine, out);
    fprintf(out, "\n%-10s %-14s %9s %9s %-8s %9s %9s %9s %7s %7s\n", "stage",
            "variant", "Gflop", "MB", "bound", "model ms", "tuner ms",
            "real ms", "of peak", "of mem.");
    for (int k = 0; k < model->n_stages; k++) {
        const farsum_model_stage *t = &model->stages[k];
        c_locale_write(out, "%-10s %-14s %9.4g %9.4g %-8s", t->stage,
                       t->variant, t->flops / 1e9, (t->read + t->written) / 1e6,
                       t->bound);
        print_time(t->predicted, out);
        print_time(t->planned, out);
        print_time(t->measured, out);
        print_share(t->share_of_peak, out);
        print_share(t->share_of_memory, out);
        fputc('\n', out);
    }
    fprintf(out, "%-54s", "execute");
    print_time(model->predicted, out);
    print_time(model->planned, out);
    print_time(model->measured, out);
    fputc('\n', out);
}

static json_t *machine_of(const farsum_model_machine *m)
{
    json_t *ops = json_object();
    for (int k = 0; ops && k < FARSUM_MODEL_KINDS; k++)
        json_object_set_new(
            ops, farsum_model_kind(k),
            json_pack("{s:o, s:o}", "seconds", report_real(m->seconds[k]),
                      "flop_equivalents",
                      report_real(m->flop_equivalents[k])));
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o}", "peak",
        report_real(m->peak), "memory", report_real(m->memory), "cache",
        report_real(m->cache), "cache_bytes", report_real(m->cache_bytes),
        "launch", report_real(m->launch), "transfer", report_real(m->transfer),
        "kept", m->kept, "operations", ops);
}

static json_t *stage_of(const farsum_model_stage *t)
{
    json_t *calls = json_object();
    for (int k = 0; calls && k < FARSUM_MODEL_KINDS; k++)
        json_object_set_new(calls, farsum_model_kind(k),
                            report_real(t->calls[k]));
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o}",
        "stage", t->stage, "variant", t->variant, "calls", calls, "flops",
        report_real(t->flops), "read", report_real(t->read), "written",
        report_real(t->written), "sums", report_real(t->sums), "predicted",
        report_real(t->predicted), "bound", t->bound, "planned",
        report_real(t->planned), "measured", report_real(t->measured),
        "share_of_peak", report_real(t->share_of_peak), "share_of_memory",
        report_real(t->share_of_memory));
}

json_t *model_report(const farsum_plan_info *info, const farsum_model *model)
{
    json_t *stages = json_array();
    for (int k = 0; stages && k < model->n_stages; k++)
        json_array_append_new(stages, stage_of(&model->stages[k]));
    json_t *report = json_pack(
        "{s:o, s:o, s:o, s:o, s:o}", "machine", machine_of(&model->machine),
        "stages", stages, "predicted", report_real(model->predicted), "planned",
        report_real(model->planned), "measured", report_real(model->measured));
    if (info->precision == FARSUM_MIXED)
        json_object_set_new(report, "near_machine",
                            machine_of(&model->near_machine));
    return report;
}

static void put_csv(FILE *f, const farsum_plan_info *info,
                    const farsum_model *model)
{
    for (int k = 0; k < model->n_stages; k++) {
        const farsum_model_stage *t = &model->stages[k];
        fprintf(f, "%s,%s,%s,%s,%d,%lld,%lld,%s,%s,", farsum_version(),
                info->device, info->kernel,
                options_word("precision", (int)info->precision), info->threads,
                (long long)info->n_sources, (long long)info->n_targets,
                t->stage, t->variant);
        put_numbers(f, (double[]){t->flops, t->read, t->written, t->sums}, 4,
                    6, ",");
        fprintf(f, "%s,", t->bound);
        put_numbers(f, (double[]){t->predicted, t->planned, t->measured}, 3, 6,
                    ",");
        put_numbers(f, (double[]){t->share_of_peak, t->share_of_memory}, 2, 4,
                    "\n");
    }
}

int model_csv(const struct settings *s, const farsum_plan_info *info,
              const farsum_model *model, char *error, size_t size)
{
    static const char header[] =
        "version,device,kernel,precision,threads,sources,targets,stage,"
        "variant,flops,read,written,sums,bound,predicted,planned,"
        "measured,share_of_peak,share_of_memory\n";
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    if (f) {
        fputs(header, f);
        put_csv(f, info, model);
    }
    int bad = !f || fclose(f) != 0;
    if (bad) {
        snprintf(error, size, "out of memory");
    } else if (output_append(s->csv, text, n, strlen(header)) != 0) {
        snprintf(error, size, "%s: cannot be written: %s", s->csv,
                 strerror(errno));
        bad = 1;
    }
    free(text);
    return bad ? -1 : 0;
}
