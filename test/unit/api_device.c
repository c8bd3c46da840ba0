/* SPDX-License-Identifier: Apache-2.0 */
/* api_device.c: tests of plans on a device, FARSUM_TEST_DEVICE (default:
 * opencl:0): comparison with the host's sums, arrays on either side,
 * failures. */
#include "api_device.h"

const char *name;
farsum_device *device;

void box_set(struct box *b)
{
    uint64_t state = 7;
    memset(b, 0, sizeof *b);
    for (int i = 0; i < N; i++) {
        const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        for (int d = 0; d < 3; d++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            b->x[i][d] = at[d] + 0.3 * ((double)(state >> 40) * 0x1p-24 - 0.5)
                         + (i % 5 == 0) * SIDE * (d == 1);
        }
        b->q[i] = (at[0] + at[1] + at[2]) % 2 ? -1 : 1;
        b->q[N + i] = b->q[i] + 0.125 * (i % 3);
    }
    for (int i = 0; i < TARGETS; i++)
        for (int d = 0; d < 3; d++)
            b->y[i][d] = i == 2 ? b->x[5][d] : b->x[7 * i][d] + 0.37;
    for (int i = 0; i < N; i++)
        for (int d = 0; d < 3; d++)
            b->x32[i][d] = (float)b->x[i][d];
    for (int i = 0; i < TARGETS; i++)
        for (int d = 0; d < 3; d++)
            b->y32[i][d] = (float)b->y[i][d];
    for (int i = 0; i < VALUES; i++)
        b->q32[i] = (float)b->q[i];
    b->problem = (farsum_problem)FARSUM_PROBLEM_INIT;
    const double cell[9] = {SIDE, 0, 0, 0, SIDE, 0, 0.5, 0, SIDE};
    memcpy(b->problem.cell, cell, sizeof cell);
    for (int d = 0; d < 3; d++)
        b->problem.periodic[d] = 1;
    b->problem.n_sources = N;
    b->problem.sample_x = b->x;
    b->problem.sample_q = b->q;
    b->problem.tolerance = 1e-4;
    b->problem.coulomb = 2.5;
    b->problem.outputs =
        FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY | FARSUM_VIRIAL;
}

farsum_plan *plan_of(const farsum_problem *problem,
                     const farsum_options *options)
{
    farsum_plan *plan = NULL;
    if (farsum_plan_create(problem, options, &plan) != FARSUM_OK)
        check_stop("no plan: %s", farsum_message());
    return plan;
}

void parameters(const farsum_plan_info *info, farsum_options *options)
{
    options->spectral.split = info->split;
    options->spectral.window = info->window;
    options->cutoff = info->cutoff;
    options->spectral.bandwidth = info->bandwidth;
    memcpy(options->spectral.mesh, info->mesh, sizeof options->spectral.mesh);
    options->spectral.support = info->support;
    options->spectral.shape = info->shape;
}

farsum_options on(farsum_device *where)
{
    farsum_options options = FARSUM_OPTIONS_INIT;
    options.method = "spectral";
    options.verify = FARSUM_VERIFY_OFF; /* unit/verify.c tests this */
    options.device.handle = where;
    options.threads = 2;
    return options;
}

void sum(farsum_plan *plan, const struct box *b, struct sums *s)
{
    int f32 = b->problem.arrays == FARSUM_F32, apart = b->problem.n_targets > 0;
    int64_t m = apart ? TARGETS : N;
    static float potential32[VALUES], field32[3 * VALUES];
    farsum_result out = FARSUM_RESULT_INIT;
    memset(s, 0, sizeof *s);
    out.potential = f32 ? (void *)potential32 : s->potential;
    out.field = f32 ? (void *)field32 : s->field;
    out.energy = apart ? NULL : s->energy;
    out.virial = apart ? NULL : s->virial;
    CHECK_OK(farsum_plan_set_points(plan, N, f32 ? (const void *)b->x32 : b->x,
                                    apart ? TARGETS : 0,
                                    !apart ? NULL
                                    : f32  ? (const void *)b->y32
                                           : b->y));
    CHECK_OK(farsum_plan_execute(plan, RHS, f32 ? (const void *)b->q32 : b->q,
                                 &out));
    CHECK_OK(farsum_plan_finish(plan));
    for (int64_t i = 0; f32 && i < RHS * m; i++)
        s->potential[i] = (double)potential32[i];
    for (int64_t i = 0; f32 && i < 3 * RHS * m; i++)
        s->field[i] = (double)field32[i];
    s->info = (farsum_plan_info)FARSUM_PLAN_INFO_INIT;
    CHECK_OK(farsum_plan_get_info(plan, &s->info));
}

static void close_to(const char *what, const double *found,
                     const double *wanted, int64_t n, double most)
{
    double scale = 0, worst = 0;
    for (int64_t i = 0; i < n; i++) {
        double d = fabs(found[i] - wanted[i]);
        scale = fmax(scale, fabs(wanted[i]));
        worst = d <= worst ? worst : d; /* a NaN stays */
    }
    CHECK(worst <= most * scale, "%s: off by %.3g of %.3g, above %.3g", what,
          worst, scale, most);
}

void same_sums(const struct sums *a, const struct sums *b, int64_t m,
               double most)
{
    close_to("potential", a->potential, b->potential, RHS * m, most);
    close_to("field", a->field, b->field, 3 * RHS * m, most);
    close_to("energy", a->energy, b->energy, RHS, most);
    close_to("virial", a->virial, b->virial, 9 * RHS, most);
    CHECK_NEAR(a->info.net_strength, b->info.net_strength, 1e-12 * N);
    CHECK_NEAR(a->info.norm, b->info.norm, most * b->info.norm);
    CHECK_NEAR(a->info.estimated_error, b->info.estimated_error,
               0.1 * b->info.estimated_error);
}

/* On the device, then on the host with the parameters that were chosen. */
static void like_the_host(const struct box *b, double most)
{
    struct sums *found = check_memory(2, sizeof *found), *wanted = found + 1;
    farsum_options options = on(device);
    farsum_plan *plan = plan_of(&b->problem, &options);
    sum(plan, b, found);
    const farsum_plan_info *i = &found->info;
    CHECK(strcmp(i->device, device->device->name) == 0, "on %s", i->device);
    CHECK(i->device_model && i->device_bytes > 0 && i->bytes > i->device_bytes,
          "%s, %llu of %llu bytes", i->device_model ? i->device_model : "?",
          (unsigned long long)i->device_bytes, (unsigned long long)i->bytes);
    options = on(NULL);
    parameters(i, &options);
    farsum_plan *host = plan_of(&b->problem, &options);
    sum(host, b, wanted);
    CHECK(strcmp(wanted->info.device, "host") == 0
              && !wanted->info.device_model,
          "on %s", wanted->info.device);
    same_sums(found, wanted, b->problem.n_targets ? TARGETS : N, most);
    farsum_plan_destroy(host);
    farsum_plan_destroy(plan);
    free(found);
}

static void as_on_the_host(void)
{
    struct box b;
    box_set(&b);
    like_the_host(&b, 2e-10); /* the host's 1/r is right to 1e-10 */
    b.problem.surface = FARSUM_VACUUM;
    like_the_host(&b, 2e-10);
    b.problem.n_targets = TARGETS;
    b.problem.arrays = FARSUM_F32;
    b.problem.sample_x = b.problem.sample_q = NULL;
    like_the_host(&b, 1e-5);
}

static void in_f32(void)
{
    struct box b;
    box_set(&b);
    b.problem.precision = FARSUM_F32;
    b.problem.arrays = FARSUM_F64;
    like_the_host(&b, 1e-4);
}

/* Compares the whole sum with Ewald's on the host. */
static void against_ewald(void)
{
    struct box b;
    struct sums *found = check_memory(2, sizeof *found), *exact = found + 1;
    farsum_options options = on(device), reference = on(NULL);
    double error = 0;
    box_set(&b);
    farsum_plan *plan = plan_of(&b.problem, &options);
    sum(plan, &b, found);
    reference.method = "ewald";
    b.problem.tolerance = 1e-9;
    farsum_plan *ewald = plan_of(&b.problem, &reference);
    sum(ewald, &b, exact);
    for (int i = 0; i < 3 * N; i++) {
        double d = b.q[N + i / 3]
                   * (found->field[3 * N + i] - exact->field[3 * N + i]);
        error += d * d / N;
    }
    error = sqrt(error) / found->info.norm;
    CHECK(error <= 1e-4 && error > 1e-9, "the error is %g", error);
    close_to("energy", found->energy, exact->energy, RHS, 1e-4);
    close_to("virial", found->virial, exact->virial, 9 * RHS, 1e-3);
    farsum_plan_destroy(ewald);
    farsum_plan_destroy(plan);
    free(found);
}

static void to_device(struct buf *buf, const void *from, size_t bytes)
{
    CHECK_OK(buf_alloc(buf, device->device, (int64_t)bytes));
    CHECK_OK(buf_upload(buf, 0, from, (int64_t)bytes));
}

void there_make(struct there *t, const struct box *b)
{
    static const double nothing[3 * VALUES];
    memset(t, 0, sizeof *t);
    to_device(&t->x, b->x, sizeof b->x);
    to_device(&t->q, b->q, sizeof b->q);
    to_device(&t->potential, nothing, sizeof *nothing * VALUES);
    to_device(&t->field, nothing, sizeof nothing);
    to_device(&t->energy, nothing, sizeof *nothing * RHS);
    to_device(&t->virial, nothing, sizeof *nothing * RHS * 9);
    t->out = (farsum_result)FARSUM_RESULT_INIT;
    t->out.potential = t->potential.handle;
    t->out.field = t->field.handle;
    t->out.energy = t->energy.handle;
    t->out.virial = t->virial.handle;
}

void there_clear(struct there *t)
{
    struct buf *all[] = {&t->x,     &t->q,      &t->potential,
                         &t->field, &t->energy, &t->virial};
    for (int i = 0; i < 6; i++)
        buf_clear(all[i]);
}

static void arrays_on_the_device(void)
{
    struct box b;
    struct there t;
    struct sums *found = check_memory(2, sizeof *found), *wanted = found + 1;
    farsum_options options = on(device);
    options.verify = 1;
    box_set(&b);
    farsum_plan *plan = plan_of(&b.problem, &options);
    sum(plan, &b, wanted);
    farsum_plan_destroy(plan);
    b.problem.memory = FARSUM_DEVICE;
    plan = plan_of(&b.problem, &options);
    there_make(&t, &b);
    CHECK_OK(farsum_plan_set_points(plan, N, t.x.handle, 0, NULL));
    int64_t held = device->device->bytes;
    CHECK_OK(farsum_plan_execute(plan, RHS, t.q.handle, &t.out));
    CHECK(device->device->bytes == held, "execute took %lld bytes",
          (long long)(device->device->bytes - held));
    CHECK_OK(farsum_plan_finish(plan));
    CHECK_OK(buf_download(&t.potential, 0, found->potential,
                          sizeof found->potential));
    CHECK_OK(buf_download(&t.field, 0, found->field, sizeof found->field));
    CHECK_OK(buf_download(&t.energy, 0, found->energy, sizeof found->energy));
    CHECK_OK(buf_download(&t.virial, 0, found->virial, sizeof found->virial));
    found->info = (farsum_plan_info)FARSUM_PLAN_INFO_INIT;
    CHECK_OK(farsum_plan_get_info(plan, &found->info));
    same_sums(found, wanted, N, 1e-12);
    /* measured by the check, also with arrays on the device */
    CHECK(wanted->info.estimated_virial_error > 0, "not measured");
    CHECK_NEAR(found->info.estimated_energy_error,
               wanted->info.estimated_energy_error,
               1e-3 * wanted->info.estimated_energy_error);
    CHECK_NEAR(found->info.estimated_virial_error,
               wanted->info.estimated_virial_error,
               1e-3 * wanted->info.estimated_virial_error);
    /* no work is pending now */
    CHECK_OK(farsum_plan_finish(plan));
    there_clear(&t);
    farsum_plan_destroy(plan);
    free(found);
}

int main(void)
{
    name = getenv("FARSUM_TEST_DEVICE");
    name = name ? name : "opencl:0";
    if (farsum_device_open(name, &device) != FARSUM_OK) {
        printf("no device: %s\n", farsum_message());
        return CHECK_SKIPPED;
    }
    RUN(as_on_the_host);
    RUN(in_f32);
    RUN(against_ewald);
    RUN(arrays_on_the_device);
    RUN(two_queues);
    RUN(parts_alone);
    RUN(points_that_move);
    RUN(repeats_bitwise);
    RUN(bytes_said);
    RUN(late_failures);
    RUN(failures_at_once);
    RUN(wrong_kind);
    RUN(memory_ends);
    RUN(host_memory_ends);
    RUN(by_name_and_adopted);
    RUN(misuse);
    RUN(lists);
    farsum_device_close(device);
    return check_end();
}
