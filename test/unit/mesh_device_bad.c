/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_device_bad.c: failures of meshes on a device; devices by name. */
#include "mesh_device.h"

#include "base/mem.h"
#include "device/driver/driver.h"
#include "device/opencl/opencl.h"

/* Bad positions that only the device detects fail in finish, or in a call that
 * returns results to the host.  Then points must be set again. */
void late_failures(void)
{
    farsum_mesh_problem p = skewed();
    struct arrays a;
    p.periodic[1] = 0;
    p.x_memory = FARSUM_DEVICE;
    arrays_make(&a, &p, 700, 1);
    farsum_mesh *mesh = made(&p, device, 0);
    for (int turn = 0; turn < 3; turn++) {
        static const double bad[] = {NAN, 1e9, 40};
        static const char *const says[] = {"point 123: y = nan is not finite",
                                           "cells away", "open axis 1"};
        double kept = get(&a, X, 3 * 123 + 1);
        double first = get(&a, GRID, 5);
        put(&a, X, 3 * 123 + 1, bad[turn]);
        put(&a, X, 3 * 600 + 1, turn ? bad[turn] : kept);
        if (turn == 1)
            put(&a, X, 3 * 600 + 1, kept);
        up(&a, X);
        CHECK_OK(farsum_mesh_set_points(mesh, a.n, pointer(&a, X)));
        if (turn == 0)
            CHECK_FAILS(
                farsum_mesh_spread(mesh, pointer(&a, Q), pointer(&a, GRID)),
                FARSUM_ERR_POSITION);
        else
            CHECK_FAILS(farsum_mesh_finish(mesh), FARSUM_ERR_POSITION);
        CHECK_SAYS("point 123");
        if (turn != 1) /* positions far away are also outside the open axis */
            CHECK_SAYS(says[turn]);
        CHECK(get(&a, GRID, 5) == first, "a failure wrote its output");
        CHECK_FAILS(farsum_mesh_spread(mesh, pointer(&a, Q), pointer(&a, GRID)),
                    FARSUM_ERR_STATE);
        put(&a, X, 3 * 123 + 1, kept);
        put(&a, X, 3 * 600 + 1, kept);
        up(&a, X);
        CHECK_OK(farsum_mesh_set_points(mesh, 130, pointer(&a, X)));
        CHECK_OK(farsum_mesh_spread(mesh, pointer(&a, Q), pointer(&a, GRID)));
        CHECK_OK(farsum_mesh_finish(mesh));
        CHECK(get(&a, GRID, 5) != first, "nothing was spread");
        put(&a, GRID, 5, 0.25);
    }
    farsum_mesh_destroy(mesh);
    arrays_free(&a);
}

/* With arrays on a device, finish reports once which results are not finite. */
void results_not_finite(void)
{
    farsum_mesh_problem p = skewed();
    struct arrays a;
    p.memory = FARSUM_DEVICE;
    p.x_memory = p.q_memory = p.grid_memory = p.value_memory = FARSUM_DEVICE;
    p.uses = FARSUM_MESH_SPREAD | FARSUM_MESH_VALUE | FARSUM_MESH_GRADIENT;
    arrays_make(&a, &p, 300, 1);
    farsum_mesh *mesh = made(&p, device, 0);
    CHECK_OK(farsum_mesh_set_points(mesh, a.n, pointer(&a, X)));
    for (int turn = 0; turn < 3; turn++) {
        const double bad[] = {NAN, INFINITY, -INFINITY};
        double q = get(&a, Q, 7), v = get(&a, GRID, 0);
        put(&a, Q, 7, bad[turn]);
        up(&a, Q);
        CHECK_OK(farsum_mesh_spread(mesh, pointer(&a, Q), pointer(&a, GRID)));
        CHECK_FAILS(farsum_mesh_finish(mesh), FARSUM_ERR_STRENGTH);
        CHECK_SAYS("sums on the mesh");
        CHECK_OK(farsum_mesh_finish(mesh));
        put(&a, Q, 7, q);
        up(&a, Q);
        CHECK_OK(farsum_mesh_spread(mesh, pointer(&a, Q), pointer(&a, GRID)));
        CHECK_OK(farsum_mesh_finish(mesh));
        for (int64_t k = 0; k < a.count[GRID]; k++)
            put(&a, GRID, k, bad[turn]);
        up(&a, GRID);
        CHECK_OK(farsum_mesh_interp(mesh, pointer(&a, GRID),
                                    turn == 1 ? NULL : pointer(&a, VALUE),
                                    turn == 0 ? NULL : pointer(&a, GRADIENT)));
        CHECK_FAILS(farsum_mesh_finish(mesh), FARSUM_ERR_STRENGTH);
        CHECK_SAYS(turn == 1 ? "gradients" : "values");
        for (int64_t k = 0; k < a.count[GRID]; k++)
            put(&a, GRID, k, v);
        up(&a, GRID);
        CHECK_OK(farsum_mesh_interp(mesh, pointer(&a, GRID), pointer(&a, VALUE),
                                    pointer(&a, GRADIENT)));
        CHECK_OK(farsum_mesh_finish(mesh));
    }
    farsum_mesh_destroy(mesh);
    arrays_free(&a);
}

/* Errors detected on the host are reported immediately. */
void failures_at_once(void)
{
    farsum_mesh_problem p = skewed();
    struct arrays a;
    p.periodic[2] = 0;
    arrays_make(&a, &p, 20, 1);
    farsum_mesh *mesh = made(&p, device, 0);
    CHECK_FAILS(farsum_mesh_spread(mesh, a.host[Q], a.host[GRID]),
                FARSUM_ERR_STATE);
    CHECK_FAILS(farsum_mesh_set_points(mesh, -1, a.host[X]),
                FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_mesh_set_points(mesh, 3, NULL), FARSUM_ERR_ARGUMENT);
    put(&a, X, 3 * 7, INFINITY);
    CHECK_FAILS(farsum_mesh_set_points(mesh, 20, a.host[X]),
                FARSUM_ERR_POSITION);
    CHECK_SAYS("point 7");
    put(&a, X, 3 * 7, 0);
    put(&a, X, 3 * 7 + 2, 99);
    CHECK_FAILS(farsum_mesh_set_points(mesh, 20, a.host[X]),
                FARSUM_ERR_POSITION);
    CHECK_SAYS("open axis 2");
    CHECK_FAILS(farsum_mesh_spread(mesh, a.host[Q], a.host[GRID]),
                FARSUM_ERR_STATE);
    CHECK_OK(farsum_mesh_set_points(mesh, 7, a.host[X]));
    CHECK_FAILS(farsum_mesh_spread(mesh, NULL, a.host[GRID]),
                FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_mesh_interp(mesh, NULL, a.host[VALUE], NULL),
                FARSUM_ERR_ARGUMENT);
    CHECK_OK(farsum_mesh_spread(mesh, a.host[Q], a.host[GRID]));
    farsum_mesh_destroy(mesh);
    arrays_free(&a);
}

/* The device, then the host, runs out of memory. */
void memory_ends(void)
{
    farsum_mesh_problem p = skewed();
    struct device *d = device->device;
    struct arrays a, many;
    int64_t held = d->bytes, failed = 0, last = 1;
    farsum_mesh *mesh = NULL;
    farsum_mesh_options o = FARSUM_MESH_OPTIONS_INIT;
    o.on_device = device;
    arrays_make(&a, &p, 50, 1);
    arrays_make(&many, &p, 20000, 1);
    for (int64_t capacity = 1; capacity < 1 << 20 && !mesh;
         capacity = 4 * capacity) {
        d->limit = held + capacity;
        farsum_status status = farsum_mesh_create(&p, &o, &mesh);
        CHECK(status == FARSUM_OK || status == FARSUM_ERR_MEMORY,
              "%lld bytes: %s", (long long)capacity, farsum_message());
        CHECK(mesh || d->bytes == held, "%lld bytes are lost",
              (long long)(d->bytes - held));
    }
    d->limit = 0;
    if (!mesh)
        check_stop("no memory sufficed");
    work(mesh, &a);
    d->limit = d->bytes + 100000;
    CHECK_FAILS(farsum_mesh_set_points(mesh, many.n, many.host[X]),
                FARSUM_ERR_MEMORY);
    CHECK_FAILS(farsum_mesh_spread(mesh, a.host[Q], a.host[GRID]),
                FARSUM_ERR_STATE);
    work(mesh, &a);
    d->limit = 0;
    farsum_mesh_destroy(mesh);
    int64_t host = mem_bytes(); /* with the programs that the back end keeps */
    for (int64_t n = 1, more; n < 2000; more = n + last, last = n, n = more) {
        mesh = NULL;
        mem_fail_at(n);
        farsum_status status = farsum_mesh_create(&p, &o, &mesh);
        if (status == FARSUM_OK)
            status = farsum_mesh_set_points(mesh, 50, a.host[X]);
        mem_fail_at(0);
        CHECK(status == FARSUM_OK || status == FARSUM_ERR_MEMORY,
              "allocation %lld: %s", (long long)n, farsum_message());
        farsum_mesh_destroy(mesh);
        CHECK(d->bytes == held && mem_bytes() == host,
              "allocation %lld: %lld and %lld bytes are lost", (long long)n,
              (long long)(d->bytes - held), (long long)(mem_bytes() - host));
        failed += status != FARSUM_OK;
    }
    CHECK(failed >= 8, "%lld creates failed", (long long)failed);
    arrays_free(&a);
    arrays_free(&many);
}

/* A mesh opens the device that it names; a queue of the caller works like its
 * own. */
void by_name_and_adopted(void)
{
    farsum_mesh_problem p = skewed();
    farsum_mesh_options o = FARSUM_MESH_OPTIONS_INIT;
    farsum_device *adopted = NULL;
    farsum_mesh *mesh = NULL;
    struct device *d = device->device;
    struct arrays a, b;
    arrays_make(&a, &p, 60, 1);
    arrays_make(&b, &p, 60, 1);
    o.device = name;
    o.deterministic = 1;
    CHECK_OK(farsum_mesh_create(&p, &o, &mesh));
    work(mesh, &a);
    farsum_mesh_destroy(mesh);
    if (strcmp(d->backend->name, "opencl") == 0) {
        struct opencl *cl = d->inside;
        CHECK_OK(farsum_device_adopt(name, cl->context, cl->queue, &adopted));
    } else {
        struct driver *driver = d->inside;
        CHECK_OK(farsum_device_adopt(name, NULL, driver->queue, &adopted));
    }
    mesh = made(&p, adopted, 1);
    work(mesh, &b);
    for (int k = GRID; k < ARRAYS; k++)
        same(&a, &b, k, 1e-13);
    farsum_mesh_destroy(mesh);
    farsum_device_close(adopted);
    arrays_free(&a);
    arrays_free(&b);
}

/* A host pointer where a device pointer is declared, and the reverse. */
void wrong_kind(void)
{
    farsum_mesh_problem p = skewed(), h = skewed();
    struct arrays a, b;
    p.memory = FARSUM_DEVICE;
    arrays_make(&a, &p, 30, 1);
    arrays_make(&b, &h, 30, 1);
    farsum_mesh *mesh = made(&p, device, 0), *host = made(&h, device, 0);
    CHECK_FAILS(farsum_mesh_set_points(mesh, 30, b.host[X]),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("positions: said to be on the device");
    CHECK_FAILS(farsum_mesh_set_points(host, 30, a.there[X].handle),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("positions: said to be on the host");
    CHECK_OK(farsum_mesh_set_points(mesh, 30, a.there[X].handle));
    CHECK_OK(farsum_mesh_set_points(host, 30, b.host[X]));
    CHECK_FAILS(farsum_mesh_spread(mesh, b.host[Q], a.there[GRID].handle),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("strengths");
    CHECK_FAILS(farsum_mesh_spread(mesh, a.there[Q].handle, b.host[GRID]),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("the mesh");
    CHECK_FAILS(farsum_mesh_spread(host, a.there[Q].handle, b.host[GRID]),
                FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_mesh_spread(host, b.host[Q], a.there[GRID].handle),
                FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(
        farsum_mesh_interp(mesh, a.there[GRID].handle, b.host[VALUE], NULL),
        FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("values");
    CHECK_FAILS(
        farsum_mesh_interp(host, b.host[GRID], NULL, a.there[GRADIENT].handle),
        FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("gradients: said to be on the host");
    /* no device memory, whatever it is */
    CHECK_FAILS(farsum_mesh_set_points(mesh, 30, &p), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_mesh_set_points(mesh, 30, (char *)&p + 4),
                FARSUM_ERR_ARGUMENT);
    work(mesh, &a);
    work(host, &b);
    same(&a, &b, GRID, 1e-12);
    /* OpenCL's buffers know their size */
    if (strcmp(device->device->backend->name, "opencl") == 0) {
        CHECK_FAILS(farsum_mesh_set_points(mesh, 31, a.there[X].handle),
                    FARSUM_ERR_ARGUMENT);
        CHECK_SAYS("744 bytes are wanted, the buffer has 720");
    }
    farsum_mesh_destroy(mesh);
    farsum_mesh_destroy(host);
    arrays_free(&a);
    arrays_free(&b);
}

#define REFUSED(change, wanted, says)                                          \
    do {                                                                       \
        farsum_mesh_problem p = skewed();                                      \
        farsum_mesh_options o = FARSUM_MESH_OPTIONS_INIT;                      \
        farsum_mesh *none = NULL;                                              \
        o.on_device = device;                                                  \
        change;                                                                \
        CHECK_FAILS(farsum_mesh_create(&p, &o, &none), FARSUM_##wanted);       \
        CHECK(!none, "a failed create wrote its output");                      \
        CHECK_SAYS(says);                                                      \
    } while (0)

void refusals(void)
{
    REFUSED((o.device = name, (void)p), ERR_ARGUMENT, "on_device");
    REFUSED((o.on_device = NULL, o.device = "opencl:999"), ERR_DEVICE, "");
    REFUSED((o.on_device = NULL, o.device = "openkl"), ERR_UNKNOWN,
            "did you mean opencl");
    REFUSED((o.on_device = NULL, p.memory = FARSUM_DEVICE), ERR_ARGUMENT,
            "the mesh is on the host");
    REFUSED((o.on_device = NULL, p.grid_memory = FARSUM_DEVICE), ERR_ARGUMENT,
            "the mesh is on the host");
    REFUSED(p.value_memory = (farsum_memory)3, ERR_ARGUMENT,
            "value_memory is 3");
    REFUSED(o.spread = "host_tile", ERR_UNSUPPORTED, "runs only on the host");
    REFUSED(o.interp = "gpu_cel", ERR_UNKNOWN, "did you mean gpu_cell");
    REFUSED((o.on_device = NULL, o.spread = "gpu_stream"), ERR_UNSUPPORTED,
            "runs only on a device");
    CHECK_FAILS(farsum_mesh_finish(NULL), FARSUM_ERR_ARGUMENT);
}
