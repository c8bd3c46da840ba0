/* SPDX-License-Identifier: Apache-2.0 */
/* cases.c: particles for the tests, with converged reference sums. */
#include "cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "io.h"
#include "strengths.h"

static int is_file(const char *what)
{
    const char *dot = strrchr(what, '.');
    return dot && !strchr(what, '=');
}

static void load_file(struct system *s, const char *what)
{
    char path[512], error[512] = "";
    struct io_reader *reader = NULL;
    struct io_frame frame = {0};
    snprintf(path, sizeof path, "%s/%s", FARSUM_DATA_DIR, what);
    if (io_open(path, NULL, &reader, error, sizeof error) != 0
        || io_read(reader, &frame, error, sizeof error) != 1)
        check_stop("%s: %s", path, error);
    if (!frame.q || !frame.has_cell)
        check_stop("%s has no charges or no cell", path);
    s->p.n = frame.n;
    s->p.x = frame.x;
    s->p.q = frame.q;
    frame.x = frame.q = NULL;
    memcpy(s->p.cell, frame.cell, sizeof s->p.cell);
    memcpy(s->p.periodic, frame.periodic, sizeof s->p.periodic);
    io_frame_clear(&frame);
    io_close(reader);
}

void system_load(struct system *system, const char *name, const char *what)
{
    char error[256] = "";
    memset(system, 0, sizeof *system);
    snprintf(system->name, sizeof system->name, "%s", name);
    snprintf(system->kernel, sizeof system->kernel, "laplace");
    if (is_file(what)) {
        load_file(system, what);
        return;
    }
    struct case_spec spec;
    if (case_parse(what, &spec, error, sizeof error) != 0
        || case_make(&spec, &system->p, error, sizeof error) != 0)
        check_stop("%s: %s", what, error);
    memcpy(system->kernel, spec.kernel, sizeof system->kernel);
    system->kappa = spec.kappa;
    system->flow = strengths_of(spec.kernel)->flow;
}

farsum_problem system_problem(const struct system *system)
{
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    problem.kernel = *system->kernel ? system->kernel : NULL;
    problem.kappa = system->kappa;
    memcpy(problem.cell, system->p.cell, sizeof problem.cell);
    memcpy(problem.periodic, system->p.periodic, sizeof problem.periodic);
    problem.arrays = FARSUM_F64;
    problem.precision = FARSUM_F64;
    problem.outputs = system->flow ? FARSUM_VELOCITY
                                   : FARSUM_POTENTIAL | FARSUM_FIELD
                                         | FARSUM_ENERGY | FARSUM_VIRIAL;
    problem.n_sources = system->p.n;
    problem.sample_x = system->p.x;
    problem.sample_q = system->p.q;
    return problem;
}

farsum_options cases_options(void)
{
    farsum_options options = FARSUM_OPTIONS_INIT;
    options.device.name = getenv("FARSUM_TEST_DEVICE");
    options.verify = FARSUM_VERIFY_OFF; /* estimates not corrected by a check */
    return options;
}

farsum_status sum_once(const farsum_problem *problem,
                       const farsum_options *options, int64_t n,
                       const double *x, int64_t m, const double *y,
                       const double *q, farsum_result *result,
                       farsum_plan_info *info)
{
    farsum_plan *plan = NULL;
    farsum_status status = farsum_plan_create(problem, options, &plan);
    if (status == FARSUM_OK)
        status = farsum_plan_set_points(plan, n, x, m, y);
    if (status == FARSUM_OK)
        status = farsum_plan_execute(plan, 1, q, result);
    if (status == FARSUM_OK && info) {
        *info = (farsum_plan_info)FARSUM_PLAN_INFO_INIT;
        status = farsum_plan_get_info(plan, info);
        /* borrowed from the plan, which is destroyed */
        for (int i = 0; i < FARSUM_MAX_STAGES; i++)
            info->stages[i].reason = "";
    }
    farsum_plan_destroy(plan);
    return status;
}

void system_reference(struct system *s)
{
    farsum_problem problem = system_problem(s);
    farsum_options options = FARSUM_OPTIONS_INIT;
    farsum_result result = FARSUM_RESULT_INIT;
    if (s->potential || s->velocity)
        return;
    problem.tolerance = 1e-14;
    options.method = s->p.periodic[0] ? "ewald" : "direct";
    if (s->flow) {
        s->velocity = check_memory(3 * (size_t)s->p.n, sizeof *s->velocity);
        result.velocity = s->velocity;
    } else {
        s->potential = check_memory((size_t)s->p.n, sizeof *s->potential);
        s->field = check_memory(3 * (size_t)s->p.n, sizeof *s->field);
        result.potential = s->potential;
        result.field = s->field;
        result.energy = &s->energy;
        result.virial = s->virial;
    }
    if (sum_once(&problem, &options, s->p.n, s->p.x, 0, NULL, s->p.q, &result,
                 NULL) != FARSUM_OK)
        check_stop("reference of %s: %s", s->name, farsum_message());
}

void system_free(struct system *system)
{
    case_free(&system->p);
    free(system->potential);
    free(system->field);
    free(system->velocity);
    memset(system, 0, sizeof *system);
}

struct system system_copy(const struct system *s)
{
    struct system c = *s;
    size_t n = (size_t)s->p.n;
    c.potential = c.field = NULL;
    c.p.x = check_memory(3 * n, sizeof *c.p.x);
    c.p.q = check_memory(n, sizeof *c.p.q);
    memcpy(c.p.x, s->p.x, 3 * n * sizeof *c.p.x);
    memcpy(c.p.q, s->p.q, n * sizeof *c.p.q);
    return c;
}

double system_momentum(const struct system *s, const double *field)
{
    double sum[3] = {0}, f2 = 0;
    for (int64_t i = 0; i < 3 * s->p.n; i++) {
        double f = s->p.q[i / 3] * field[i];
        sum[i % 3] += f;
        f2 += f * f;
    }
    double all = sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2];
    return f2 > 0 ? sqrt(all / f2) : 0;
}

double cell_determinant(const double a[9])
{
    return a[0] * (a[4] * a[8] - a[5] * a[7])
           - a[1] * (a[3] * a[8] - a[5] * a[6])
           + a[2] * (a[3] * a[7] - a[4] * a[6]);
}

void system_unit(const struct system *s, double r, double v[2])
{
    if (strcmp(s->kernel, "r6") == 0) {
        v[1] = 1 / pow(r, 6);
        v[0] = 6 * v[1] / r;
    } else {
        v[1] = exp(-s->kappa * r) / r;
        v[0] = v[1] * (1 / r + s->kappa);
    }
}

double system_force_norm(const struct system *s)
{
    double f2 = 0, q2 = 0, n = (double)s->p.n;
    for (int64_t i = 0; i < s->p.n; i++)
        for (int d = 0; d < 3; d++) {
            double f = s->p.q[i] * s->field[3 * i + d];
            f2 += f * f;
            q2 += d == 0 ? s->p.q[i] * s->p.q[i] : 0;
        }
    double volume = cell_determinant(s->p.cell);
    double v[2];
    system_unit(s, cbrt(volume / n), v);
    return fmax(sqrt(f2 / n), q2 / n * v[0]);
}

double system_force_error(const struct system *s, const double *field)
{
    double sum = 0;
    for (int64_t i = 0; i < s->p.n; i++)
        for (int d = 0; d < 3; d++) {
            double e = s->p.q[i] * (field[3 * i + d] - s->field[3 * i + d]);
            sum += e * e;
        }
    return sqrt(sum / (double)s->p.n) / system_force_norm(s);
}

double system_potential_norm(const struct system *s)
{
    double sum = 0;
    for (int64_t i = 0; i < s->p.n; i++)
        sum += s->potential[i] * s->potential[i];
    return sqrt(sum / (double)s->p.n);
}

double system_potential_error(const struct system *s, const double *potential)
{
    double sum = 0;
    for (int64_t i = 0; i < s->p.n; i++) {
        double e = potential[i] - s->potential[i];
        sum += e * e;
    }
    return sqrt(sum / (double)s->p.n) / system_potential_norm(s);
}

double system_velocity_norm(const struct system *s)
{
    double sum = 0;
    for (int64_t i = 0; i < 3 * s->p.n; i++)
        sum += s->velocity[i] * s->velocity[i];
    return sqrt(sum / (double)s->p.n);
}

double system_velocity_error(const struct system *s, const double *velocity)
{
    double sum = 0;
    for (int64_t i = 0; i < 3 * s->p.n; i++) {
        double e = velocity[i] - s->velocity[i];
        sum += e * e;
    }
    return sqrt(sum / (double)s->p.n) / system_velocity_norm(s);
}
