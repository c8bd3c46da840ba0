/* SPDX-License-Identifier: Apache-2.0 */
/* api_device_bad.c: failures of plans on a device; devices by name; their
 * list. */
#include "api_device.h"

#include "base/mem.h"
#include "device/driver/driver.h"
#include "device/opencl/opencl.h"

/* An error that only the device detects is reported by finish; afterwards the
 * plan works again. */
void late_failures(void)
{
    struct box b;
    struct there t, bad;
    farsum_options options = on(device);
    box_set(&b);
    b.problem.memory = FARSUM_DEVICE;
    farsum_plan *plan = plan_of(&b.problem, &options);
    there_make(&t, &b);
    b.q[N + 9] = NAN;
    b.q[N + 30] = INFINITY;
    there_make(&bad, &b);
    CHECK_OK(farsum_plan_set_points(plan, N, t.x.handle, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, RHS, bad.q.handle, &bad.out));
    CHECK_FAILS(farsum_plan_finish(plan), FARSUM_ERR_STRENGTH);
    CHECK_SAYS("strength 9 of right-hand side 1");
    CHECK_OK(farsum_plan_execute(plan, RHS, t.q.handle, &t.out));
    CHECK_OK(farsum_plan_finish(plan));
    there_clear(&bad);
    b.x[13][2] = 1e30;
    there_make(&bad, &b);
    CHECK_OK(farsum_plan_set_points(plan, N, bad.x.handle, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, t.q.handle, &t.out));
    CHECK_FAILS(farsum_plan_finish(plan), FARSUM_ERR_POSITION);
    CHECK_SAYS("source 13");
    there_clear(&bad);
    memcpy(b.x[13], b.x[40], sizeof b.x[13]);
    memcpy(b.x[41], b.x[3], sizeof b.x[3]);
    there_make(&bad, &b);
    CHECK_OK(farsum_plan_set_points(plan, N, bad.x.handle, 0, NULL));
    CHECK_FAILS(farsum_plan_finish(plan), FARSUM_ERR_COINCIDENT);
    CHECK_SAYS("sources 13 and 40 coincide");
    CHECK_OK(farsum_plan_set_points(plan, N, t.x.handle, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, RHS, t.q.handle, &t.out));
    CHECK_OK(farsum_plan_finish(plan));
    there_clear(&bad);
    there_clear(&t);
    farsum_plan_destroy(plan);
}

/* A host pointer where a device pointer is declared, and the reverse. */
void wrong_kind(void)
{
    struct box b;
    struct there t;
    farsum_options options = on(device);
    farsum_result out = FARSUM_RESULT_INIT;
    double phi[N];
    box_set(&b);
    out.potential = phi;
    farsum_plan *host = plan_of(&b.problem, &options);
    b.problem.memory = FARSUM_DEVICE;
    farsum_plan *plan = plan_of(&b.problem, &options);
    there_make(&t, &b);
    CHECK_FAILS(farsum_plan_set_points(plan, N, b.x, 0, NULL),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("source: said to be on the device");
    CHECK_FAILS(farsum_plan_set_points(host, N, t.x.handle, 0, NULL),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("source: said to be on the host");
    CHECK_OK(farsum_plan_set_points(plan, N, t.x.handle, 0, NULL));
    CHECK_OK(farsum_plan_set_points(host, N, b.x, 0, NULL));
    CHECK_FAILS(farsum_plan_execute(plan, 1, b.q, &t.out), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("strengths");
    CHECK_FAILS(farsum_plan_execute(plan, 1, t.q.handle, &out),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("potential");
    CHECK_FAILS(farsum_plan_execute(host, 1, t.q.handle, &out),
                FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_plan_execute(host, 1, b.q, &t.out), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("potential: said to be on the host");
    CHECK_OK(farsum_plan_execute(plan, 1, t.q.handle, &t.out));
    CHECK_OK(farsum_plan_finish(plan));
    CHECK_OK(farsum_plan_execute(host, 1, b.q, &out));
    /* an array where a freed buffer lay begins with that buffer's first word */
    memset(phi, 0, sizeof phi);
    if (strcmp(device->device->backend->name, "opencl") == 0)
        memcpy(phi, t.q.handle, sizeof(void *));
    CHECK_OK(farsum_plan_execute(host, 1, b.q, &out));
    farsum_plan_destroy(plan);
    farsum_plan_destroy(host);
    there_clear(&t);
}

/* Errors detected on the host are reported immediately. */
void failures_at_once(void)
{
    struct box b;
    farsum_options options = on(device);
    farsum_result out = FARSUM_RESULT_INIT;
    double phi[N];
    box_set(&b);
    out.potential = phi;
    farsum_plan *plan = plan_of(&b.problem, &options);
    CHECK_OK(farsum_plan_finish(plan));
    memcpy(b.x[41], b.x[3], sizeof b.x[3]);
    CHECK_FAILS(farsum_plan_set_points(plan, N, b.x, 0, NULL),
                FARSUM_ERR_COINCIDENT);
    CHECK_SAYS("sources 3 and 41 coincide");
    b.x[41][0] = NAN;
    CHECK_FAILS(farsum_plan_set_points(plan, N, b.x, 0, NULL),
                FARSUM_ERR_POSITION);
    CHECK_SAYS("source 41");
    CHECK_FAILS(farsum_plan_execute(plan, 1, b.q, &out), FARSUM_ERR_STATE);
    farsum_plan_destroy(plan);
    b.problem.exclude_coincident = 1;
    memcpy(b.x[41], b.x[3], sizeof b.x[3]);
    plan = plan_of(&b.problem, &options);
    CHECK_OK(farsum_plan_set_points(plan, N, b.x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, b.q, &out));
    CHECK(fabs(phi[41] - phi[3]) < 1e-10 * fabs(phi[3]), "%g and %g", phi[41],
          phi[3]);
    farsum_plan_destroy(plan);
}

/* The device runs out of memory: a status, nothing leaks, a smaller set
 * works. */
void memory_ends(void)
{
    struct box b;
    struct sums *s = check_memory(1, sizeof *s);
    struct device *d = device->device;
    farsum_options options = on(device);
    farsum_plan *plan = NULL;
    int64_t held = d->bytes, big = 200000;
    double *x = check_memory((size_t)big * 3, sizeof *x);
    box_set(&b);
    for (int64_t i = 0; i < 3 * big; i++)
        x[i] = fmod((double)i * 0.754877666, SIDE);
    for (int64_t capacity = 1; capacity < 1 << 20; capacity = 4 * capacity) {
        d->limit = held + capacity;
        farsum_status status = farsum_plan_create(&b.problem, &options, &plan);
        if (status == FARSUM_OK)
            break;
        CHECK(status == FARSUM_ERR_MEMORY, "%lld bytes: %s",
              (long long)capacity, farsum_message());
        CHECK(d->bytes == held, "%lld bytes are lost",
              (long long)(d->bytes - held));
    }
    d->limit = 0;
    if (!plan)
        plan = plan_of(&b.problem, &options);
    sum(plan, &b, s);
    d->limit = d->bytes + 1000000;
    CHECK_FAILS(farsum_plan_set_points(plan, big, x, 0, NULL),
                FARSUM_ERR_MEMORY);
    CHECK_SAYS(d->name);
    sum(plan, &b, s);
    d->limit = 0;
    farsum_plan_destroy(plan);
    CHECK(d->bytes == held, "%lld bytes are left",
          (long long)(d->bytes - held));
    free(x);
    free(s);
}

/* The host runs out of memory anywhere in create: nothing leaks. */
void host_memory_ends(void)
{
    struct box b;
    struct device *d = device->device;
    farsum_options options = on(device);
    int64_t held = d->bytes, host = mem_bytes(), last = 1, failed = 0;
    box_set(&b);
    for (int64_t n = 1, more; n < 2000; more = n + last, last = n, n = more) {
        farsum_plan *plan = NULL;
        mem_fail_at(n);
        farsum_status status = farsum_plan_create(&b.problem, &options, &plan);
        mem_fail_at(0);
        CHECK(status == FARSUM_OK || status == FARSUM_ERR_MEMORY,
              "allocation %lld: %s", (long long)n, farsum_message());
        farsum_plan_destroy(plan);
        CHECK(d->bytes == held && mem_bytes() == host,
              "allocation %lld: %lld and %lld bytes are lost", (long long)n,
              (long long)(d->bytes - held), (long long)(mem_bytes() - host));
        failed += status != FARSUM_OK;
    }
    CHECK(failed >= 8, "%lld creates failed", (long long)failed);
}

/* A plan opens the device that it names; a queue of the caller works like its
 * own. */
void by_name_and_adopted(void)
{
    struct box b;
    struct sums *s = check_memory(2, sizeof *s);
    farsum_options options = on(NULL);
    farsum_device *adopted = NULL;
    struct device *d = device->device;
    box_set(&b);
    options.device.name = name;
    farsum_plan *plan = plan_of(&b.problem, &options);
    sum(plan, &b, s);
    farsum_plan_destroy(plan);
    if (strcmp(d->backend->name, "opencl") == 0) {
        struct opencl *cl = d->inside;
        CHECK_OK(farsum_device_adopt(name, cl->context, cl->queue, &adopted));
        CHECK_FAILS(farsum_device_adopt(name, cl->context, NULL, &adopted),
                    FARSUM_ERR_ARGUMENT);
    } else {
        struct driver *driver = d->inside;
        CHECK_OK(farsum_device_adopt(name, NULL, driver->queue, &adopted));
    }
    options = on(adopted);
    plan = plan_of(&b.problem, &options);
    sum(plan, &b, s + 1);
    same_sums(s + 1, s, N, 1e-12);
    farsum_plan_destroy(plan);
    farsum_device_close(adopted);
    free(s);
}

void misuse(void)
{
    struct box b;
    farsum_options options = on(device);
    farsum_plan *plan = NULL;
    farsum_device *none = NULL;
    box_set(&b);
    options.device.name = name;
    CHECK_FAILS(farsum_plan_create(&b.problem, &options, &plan),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("device.handle");
    options.device.handle = NULL;
    options.device.name = "opencl:999";
    CHECK_FAILS(farsum_plan_create(&b.problem, &options, &plan),
                FARSUM_ERR_DEVICE);
    options.device.name = "opencl:x";
    CHECK_FAILS(farsum_plan_create(&b.problem, &options, &plan),
                FARSUM_ERR_UNKNOWN);
    options.device.name = "openkl";
    CHECK_FAILS(farsum_plan_create(&b.problem, &options, &plan),
                FARSUM_ERR_UNKNOWN);
    CHECK_SAYS("did you mean opencl");
    options = on(NULL);
    b.problem.memory = FARSUM_DEVICE;
    CHECK_FAILS(farsum_plan_create(&b.problem, &options, &plan),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("this plan runs on the host");
    b.problem.memory = (farsum_memory)3;
    CHECK_FAILS(farsum_plan_create(&b.problem, &options, &plan),
                FARSUM_ERR_ARGUMENT);
    b.problem.memory = FARSUM_HOST;
    options = on(device);
    options.spectral.spread = "host_tile";
    CHECK_FAILS(farsum_plan_create(&b.problem, &options, &plan),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("runs only on the host");
    options = on(NULL);
    options.spectral.near = "gpu_cells";
    CHECK_FAILS(farsum_plan_create(&b.problem, &options, &plan),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("runs only on a device");
    options = on(device);
    options.method = "ewald";
    CHECK_FAILS(farsum_plan_create(&b.problem, &options, &plan),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_FAILS(farsum_device_open("host", &none), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_device_open(NULL, &none), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_device_open(name, NULL), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_plan_finish(NULL), FARSUM_ERR_ARGUMENT);
    CHECK(!plan && !none, "a failure wrote to its output");
    farsum_device_close(NULL);
}

void lists(void)
{
    farsum_device_info info = FARSUM_DEVICE_INFO_INIT, ours = info;
    int n = 0, found = 0, same = 0;
    CHECK_OK(farsum_device_get_info(device, &ours));
    CHECK(ours.available && ours.f64 && ours.units > 0 && ours.memory > 0
              && ours.used <= ours.peak && ours.model[0] && ours.arch[0],
          "%s has %d units and %llu bytes", ours.name, ours.units,
          (unsigned long long)ours.memory);
    for (; farsum_list_devices(n, &info) == FARSUM_OK; n++) {
        CHECK(info.available ? !info.missing[0] && info.model[0]
                             : info.missing[0],
              "%s: \"%s\"", info.name, info.missing);
        found += info.available;
        same += strcmp(info.name, ours.name) == 0;
    }
    CHECK(found >= 2 && same == 1, "%d devices, %d of this name", found, same);
    CHECK_FAILS(farsum_list_devices(n, &info), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_list_devices(-1, &info), FARSUM_ERR_ARGUMENT);
    info.size = 3;
    CHECK_FAILS(farsum_list_devices(0, &info), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_device_get_info(device, &info), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_device_get_info(NULL, &ours), FARSUM_ERR_ARGUMENT);
}
