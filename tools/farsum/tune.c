/* SPDX-License-Identifier: Apache-2.0 */
/* tune.c: the plan that run would create, with its reasons, without running. */
#include "command.h"
#include "case.h"
#include "kept.h"
#include "kernel.h"
#include "report.h"
#include "say.h"
#include "summary.h"
#include "tune_model.h"
#include "tune_nufft.h"
#include "tune_ranks.h"
#include "words.h"

#include "base/c_locale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Source of a problem: a case or a frame. */
struct input {
    struct case_particles particles;
    struct case_spec spec;
    struct io_frame frame, at;
    struct system sys;
};

static int read_frame(const char *path, const struct io_options *io,
                      struct io_frame *frame, char *error, size_t size)
{
    struct io_reader *reader = NULL;
    say_progress("reading %s", path);
    if (io_open(path, io, &reader, error, size) != 0)
        return -1;
    int got = io_read(reader, frame, error, size);
    io_close(reader);
    say_progress("%s", "");
    if (got == 0)
        snprintf(error, size, "%s: found no particles", path);
    return got > 0 ? 0 : -1;
}

static int problem_of_file(const struct settings *s, struct input *in,
                           farsum_problem *problem, char *error, size_t size)
{
    struct io_options io = options_io(s), plain = options_io_points(s);
    char why[400];
    if (read_frame(s->words[0], &io, &in->frame, error, size) != 0 ||
        (s->targets &&
         read_frame(s->targets, &plain, &in->at, error, size) != 0))
        return -1;
    if (system_make(s, &in->frame, s->targets ? &in->at : NULL, &in->sys,
                    why, sizeof why) != 0) {
        snprintf(error, size, "%s: %s", s->words[0], why);
        return -1;
    }
    *problem = system_problem(s, &in->sys);
    return 0;
}

/* Makes the particles, or only their number and cell. */
static int make_particles(const struct settings *s, struct input *in,
                          char *error, size_t size)
{
    struct case_particles *p = &in->particles;
    if (!tune_ranks_large(s, &in->spec))
        return case_make(&in->spec, p, error, size);
    p->n = in->spec.n;
    return case_cell(in->spec.cell, (double)p->n / in->spec.density, p->cell,
                     p->periodic, error, size);
}

/* Sets the case's problem, with changes by options. */
static int problem_of_case(const struct settings *s, struct input *in,
                           farsum_problem *problem, char *error, size_t size)
{
    if (case_parse(s->problem, &in->spec, error, size) != 0)
        return -1;
    if (s->kernel)
        snprintf(in->spec.kernel, sizeof in->spec.kernel, "%s", s->kernel);
    if (make_particles(s, in, error, size) != 0)
        return -1;
    if (s->kappa > 0)
        in->spec.kappa = s->kappa;
    case_problem(&in->spec, &in->particles, problem);
    if (s->tolerance > 0)
        problem->tolerance = s->tolerance;
    if (s->error)
        problem->error = (farsum_error_kind)s->error;
    if (s->precision)
        problem->precision = (farsum_precision)s->precision;
    if (s->viscosity > 0)
        problem->coulomb = 1 / (8 * M_PI * s->viscosity);
    problem->surface = (farsum_surface)s->surface;
    return 0;
}

static void tell(const struct settings *s, const farsum_plan *plan,
                 const farsum_plan_info *info, const farsum_model *model,
                 const struct tune_ranks *sums)
{
    FILE *out = summary_stream(NULL, s->report);
    farsum_plan_print(plan, out);
    kept_say(plan, out);
    c_locale_write(out, "memory    %.4g MB (%.4g bytes a particle)\n",
                   (double)info->bytes / 1e6,
                   (double)info->bytes
                       / (double)(info->n_sources ? info->n_sources : 1));
    c_locale_write(out, "error     tolerance %.3g, estimated %.3g%s\n",
                   info->tolerance, info->estimated_error,
                   outcome_warning(s, info));
    if (model)
        model_print(info, model, out);
    if (sums)
        tune_ranks_print(s, sums, out);
}

static int write_report(const struct settings *s, const farsum_plan *plan,
                        const farsum_plan_info *info,
                        const farsum_model *model,
                        const struct tune_ranks *sums, char *error,
                        size_t size)
{
    json_t *plan_json = report_plan(plan, info);
    json_t *report = plan_json ? json_pack(
        "{s:s, s:I, s:I, s:s?, s:s?, s:s?, s:s, s:i, s:o, s:o, s:o}",
        "version", farsum_version(), "n_sources", (json_int_t)info->n_sources,
        "n_targets",
        (json_int_t)(info->n_targets ? info->n_targets : info->n_sources),
        "kernel", info->kernel, "method", info->method, "device", info->device,
        "precision", options_word("precision", (int)info->precision), "threads",
        info->threads, "tolerance", report_real(info->tolerance),
        "estimated_error", report_real(info->estimated_error), "plan",
        plan_json) : NULL;
    int bad =
        report && model
        && json_object_set_new(report, "model", model_report(info, model)) != 0;
    bad = bad
          || (report && sums
              && json_object_set_new(report, "ranks", tune_ranks_report(sums)));
    bad = bad || !report || report_write(report, s->report, error, size);
    json_decref(report);
    return bad;
}

/* Writes files, then text.  model, sums: NULL, or what to print too. */
static int give(const struct settings *s, const farsum_plan *plan,
                const farsum_model *model, const struct tune_ranks *sums)
{
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    char error[1200] = "out of memory";
    if (farsum_plan_get_info(plan, &info) != FARSUM_OK) {
        say_error("tune: %s", words_message());
        return -1;
    }
    int bad = (s->csv && model_csv(s, &info, model, error, sizeof error)) ||
              (s->report && write_report(s, plan, &info, model, sums,
                                         error, sizeof error));
    tell(s, plan, &info, model, sums);
    if (bad)
        say_error("%s", error);
    return bad ? -1 : 0;
}

/* Creates the plan that run would create, to compile its kernels. */
static farsum_status warm(const farsum_problem *problem,
                          const farsum_options *how, farsum_plan **plan)
{
    farsum_status status = farsum_plan_create(problem, how, plan);
    if (status != FARSUM_OK)
        return status;
    return farsum_plan_set_points(*plan, problem->n_sources, problem->sample_x,
                                  0, NULL);
}

/* The kernel named by the options or else by the case. */
static const char *kernel_of(const struct settings *s, struct case_spec *spec)
{
    char error[8];
    if (s->kernel || !s->problem ||
        case_parse(s->problem, spec, error, sizeof error) != 0)
        return kernel_name(s);
    return spec->kernel;
}

/* name: the subcommand; what: its action on the problem. */
static int plan_main(struct settings *s, const char *name,
                     farsum_status (*what)(const farsum_problem *problem,
                                           const farsum_options *how,
                                           farsum_plan **plan),
                     int quiet)
{
    struct input in = {0};
    farsum_problem problem;
    farsum_plan *plan = NULL;
    farsum_model model = FARSUM_MODEL_INIT;
    struct tune_ranks *sums = NULL;
    char error[1200];
    if (s->n_words + (s->problem != NULL) != 1) {
        say_error("%s: expected one file or --case; see 'farsum help %s'", name,
                  name);
        return EXIT_USAGE;
    }
    farsum_options how = options_how(s);
    int bad;
    if (s->model && how.device.queues == 0)
        how.device.queues = 1; /* the model is compared with the times of single
                           stages */
    tune_ranks_options(s, &how);
    if (kernel_check(s, kernel_of(s, &in.spec), error, sizeof error) != 0) {
        say_error("%s: %s", name, error);
        return EXIT_USAGE;
    }
    if (s->problem) {
        bad = problem_of_case(s, &in, &problem, error, sizeof error);
    } else {
        options_defaults(s);
        bad = problem_of_file(s, &in, &problem, error, sizeof error);
    }
    if (bad) {
        say_error("%s%s%s", s->problem ? name : "", s->problem ? ": " : "",
                  error);
    } else {
        say_progress("choosing a plan");
        farsum_status status =
            s->ranks > 0 ? tune_ranks_plan(s, &problem, &how, &plan)
                         : what(&problem, &how, &plan);
        if (status != FARSUM_OK) {
            say_error("%s: %s", s->problem ? name : s->words[0],
                      words_message());
            bad = status == FARSUM_ERR_UNKNOWN ? EXIT_USAGE : EXIT_FAILED;
        } else {
            say_progress("%s", "");
            bad = s->model && model_take(s, &problem, in.sys.y, plan, &model);
            if (!bad && s->ranks > 0)
                bad = !(sums = tune_ranks_take(s, &problem, &how, plan));
            bad = bad
                  || (!quiet
                      && give(s, plan, s->model ? &model : NULL, sums));
        }
    }
    free(sums);
    farsum_plan_destroy(plan);
    case_free(&in.particles);
    system_free(&in.sys);
    io_frame_clear(&in.frame);
    io_frame_clear(&in.at);
    return bad ? bad == EXIT_USAGE ? EXIT_USAGE : EXIT_FAILED : EXIT_DONE;
}

int tune_main(struct settings *s)
{
    if (tune_ranks_check(s) != 0)
        return EXIT_USAGE;
    if (s->map && s->model) {
        say_error("tune: --map and --model exclude each other; see 'farsum "
                  "help tune'");
        return EXIT_USAGE;
    }
    if (s->map && (s->n_words > 0 || s->problem)) {
        say_error("tune: --map accepts neither a file nor --case; give "
                  "--mesh, --support and --components; see 'farsum help tune'");
        return EXIT_USAGE;
    }
    if (s->map)
        return map_main(s);
    if (s->modes[0] > 0)
        return tune_nufft(s);
    if (s->components || s->crowding > 0) {
        say_error("tune: --components and --crowding require --map");
        return EXIT_USAGE;
    }
    if ((s->csv || s->repeats > 0) && !s->model) {
        say_error("tune: --csv and --repeats require --model");
        return EXIT_USAGE;
    }
    return plan_main(s, "tune", s->model ? farsum_plan_create
                                         : farsum_plan_tune, 0);
}

int warm_main(struct settings *s)
{
    if (!s->device || strcmp(s->device, "host") == 0) {
        say_error("cache: warm requires --device; see 'farsum list devices'");
        return EXIT_USAGE;
    }
    if (s->n_words == 0 && !s->problem)
        s->problem = "laplace n=1e4";
    return plan_main(s, "cache", warm, 1);
}
