/* SPDX-License-Identifier: Apache-2.0 */
/* check.c: checks of a caller's mesh problem. */
#include <math.h>
#include <string.h>

#include "base/args.h"
#include "base/par.h"
#include "base/text.h"
#include "mesh/mesh.h"
#include "task/units.h"

/* Mesh points along an axis, at most: kernels use 32-bit mesh indices. */
enum { AXIS_MOST = 1 << 30 };
/* Particles per thread, at least. */
enum { PER_THREAD = 256 };

static double det(const double *a)
{
    return a[0] * (a[4] * a[8] - a[5] * a[7])
           + a[1] * (a[5] * a[6] - a[3] * a[8])
           + a[2] * (a[3] * a[7] - a[4] * a[6]);
}

farsum_status mesh_cell(struct cell *cell, const double rows[9])
{
    struct cell made = {.reduced = 0, .unit = 1};
    double edges = 1;
    for (int i = 0; i < 9; i++)
        if (!isfinite(rows[i]))
            FAIL(ERR_CELL, "cell: vector %d, component %d is %g", i / 3, i % 3,
                 rows[i]);
    for (int i = 0; i < 3; i++) {
        edges *=
            sqrt(rows[3 * i] * rows[3 * i] + rows[3 * i + 1] * rows[3 * i + 1]
                 + rows[3 * i + 2] * rows[3 * i + 2]);
        if (edges == 0)
            FAIL(ERR_CELL,
                 "cell: vector %d is zero, along an open axis too it "
                 "is needed",
                 i);
    }
    memcpy(made.a, rows, sizeof made.a);
    made.volume = fabs(det(rows));
    if (!(made.volume > 1e-12 * edges))
        FAIL(ERR_CELL, "cell: its vectors lie in a plane (volume %.3g)",
             made.volume);
    for (int j = 0; j < 3; j++)
        for (int d = 0; d < 3; d++) {
            int p = (j + 1) % 3, q = (j + 2) % 3; /* cofactor, with cyclic
                                                     indices */
            int s = (d + 1) % 3, t = (d + 2) % 3;
            made.inv[3 * j + d] = (rows[3 * s + p] * rows[3 * t + q]
                                   - rows[3 * s + q] * rows[3 * t + p])
                                  / det(rows);
        }
    for (int d = 0; d < 3; d++)
        made.height[d] =
            1
            / sqrt(made.inv[d] * made.inv[d] + made.inv[3 + d] * made.inv[3 + d]
                   + made.inv[6 + d] * made.inv[6 + d]);
    *cell = made;
    return FARSUM_OK;
}

int mesh_threads(int wanted, int64_t points)
{
    int threads = par_threads(wanted);
    if (wanted == 0 && points / PER_THREAD < threads)
        threads = points / PER_THREAD > 1 ? (int)(points / PER_THREAD) : 1;
    return threads;
}

static farsum_status check_mesh(farsum_mesh_problem *p)
{
    for (int d = 0; d < 3; d++)
        if (p->mesh[d] < 1 || p->mesh[d] > AXIS_MOST)
            FAIL(ERR_ARGUMENT,
                 "mesh is %lld x %lld x %lld: each axis has 1 .. "
                 "%d points",
                 (long long)p->mesh[0], (long long)p->mesh[1],
                 (long long)p->mesh[2], AXIS_MOST);
    if (p->ldz == 0)
        p->ldz = p->mesh[2];
    if (p->ldz < p->mesh[2])
        FAIL(ERR_ARGUMENT, "ldz is %lld, below the %lld points of a row",
             (long long)p->ldz, (long long)p->mesh[2]);
    if (p->channels < 0 || p->channels > 1 << 20)
        FAIL(ERR_ARGUMENT, "channels is %d, not 1 .. %d", p->channels, 1 << 20);
    p->channels = p->channels > 0 ? p->channels : 1;
    TRY(count_product(
        (int64_t[]){p->mesh[0], p->mesh[1], p->ldz, p->channels}, 4,
        "mesh, with ldz and channels"));
    /* some variants store the weights of each point: 2^48 of them belong to
     * 2^43 points */
    TRY(count_product((int64_t[]){p->n_points, p->channels, 32}, 3,
                      "n_points and channels"));
    if (p->n_points == 0)
        p->n_points = p->mesh[0] * p->mesh[1] * p->mesh[2];
    return FARSUM_OK;
}

/* Accepts a window by its name or by the tolerance, not both. */
static farsum_status check_window(farsum_mesh_problem *p)
{
    const double numbers[] = {p->tolerance, p->upsampling, p->shape,
                              p->repeats, p->crowding};
    static const char *const names[] = {"tolerance", "upsampling", "shape",
                                        "repeats", "crowding"};
    for (int i = 0; i < 5; i++)
        if (!(numbers[i] >= 0) || !isfinite(numbers[i]))
            FAIL(ERR_ARGUMENT, "%s is %g, not a positive number", names[i],
                 numbers[i]);
    if (p->upsampling == 0)
        p->upsampling = 2;
    if (p->upsampling <= 1)
        FAIL(ERR_ARGUMENT, "upsampling is %g, not above 1", p->upsampling);
    if (p->repeats == 0)
        p->repeats = 1;
    if (!p->window && !p->support && p->shape == 0) {
        p->tolerance = p->tolerance > 0 ? p->tolerance : 1e-5;
        p->window = "prolate";
        return FARSUM_OK;
    }
    if (p->tolerance > 0)
        FAIL(ERR_ARGUMENT, "found a tolerance and a window, its support or "
                           "shape; give either the tolerance or the window");
    if (!p->window)
        p->window = "prolate";
    int known = 0;
    for (int i = 0; window_names[i]; i++)
        known |= strcmp(window_names[i], p->window) == 0;
    if (!known)
        return text_unknown("window", p->window, window_names);
    if (p->support < WINDOW_MIN || p->support > WINDOW_MAX)
        FAIL(ERR_ARGUMENT, "window %s: support is %d, not %d .. %d", p->window,
             p->support, WINDOW_MIN, WINDOW_MAX);
    return FARSUM_OK;
}

farsum_status mesh_memory(farsum_memory *memory, farsum_memory otherwise,
                          const char *name)
{
    if (*memory == 0)
        *memory = otherwise;
    if (*memory != FARSUM_HOST && *memory != FARSUM_DEVICE)
        FAIL(ERR_ARGUMENT, "%s is %d, not FARSUM_HOST or FARSUM_DEVICE", name,
             (int)*memory);
    return FARSUM_OK;
}

static farsum_status check_memory(farsum_mesh_problem *p)
{
    TRY(mesh_memory(&p->memory, FARSUM_HOST, "memory"));
    TRY(mesh_memory(&p->x_memory, p->memory, "x_memory"));
    TRY(mesh_memory(&p->q_memory, p->memory, "q_memory"));
    TRY(mesh_memory(&p->grid_memory, p->memory, "grid_memory"));
    return mesh_memory(&p->value_memory, p->memory, "value_memory");
}

farsum_status mesh_problem_check(const farsum_mesh_problem *given,
                                 farsum_mesh_problem *problem)
{
    const unsigned all =
        FARSUM_MESH_SPREAD | FARSUM_MESH_VALUE | FARSUM_MESH_GRADIENT;
    if (!given)
        FAIL(ERR_ARGUMENT, "problem is NULL");
    farsum_mesh_problem p;
    TRY(struct_take(&p, sizeof p, given, given->size,
                    "FARSUM_MESH_PROBLEM_INIT"));
    for (int d = 0; d < 3; d++)
        if (p.periodic[d] != 0 && p.periodic[d] != 1)
            FAIL(ERR_ARGUMENT, "periodic[%d] is %d, not 0 or 1", d,
                 p.periodic[d]);
    if (p.is_complex != 0 && p.is_complex != 1)
        FAIL(ERR_ARGUMENT, "is_complex is %d, not 0 or 1", p.is_complex);
    if (p.precision == 0)
        p.precision = FARSUM_F64;
    if (p.precision != FARSUM_F64 && p.precision != FARSUM_F32)
        FAIL(ERR_ARGUMENT, "precision is %d, not FARSUM_F64 or FARSUM_F32",
             (int)p.precision);
    if (p.uses == 0)
        p.uses = all;
    if (p.uses & ~all)
        FAIL(ERR_ARGUMENT, "uses is %u: it has a bit that means nothing",
             p.uses);
    TRY(check_memory(&p));
    TRY(check_mesh(&p));
    TRY(check_window(&p));
    *problem = p;
    return FARSUM_OK;
}

farsum_status mesh_device(const farsum_mesh_options *options,
                          struct device **device, int *owned)
{
    *device = options->on_device ? options->on_device->device : NULL;
    *owned = 0;
    TRY(device_usable(*device));
    if (*device || device_is_host(options->device))
        return FARSUM_OK;
    TRY(device_open(options->device, device));
    *owned = 1;
    return FARSUM_OK;
}

farsum_status mesh_options_check(const farsum_mesh_options *given,
                                 farsum_mesh_options *options)
{
    farsum_mesh_options o = FARSUM_MESH_OPTIONS_INIT;
    if (given)
        TRY(struct_take(&o, sizeof o, given, given->size,
                        "FARSUM_MESH_OPTIONS_INIT"));
    if (o.device && o.on_device)
        FAIL(ERR_ARGUMENT, "device \"%s\" and on_device: one of them at most",
             o.device);
    if (o.threads < 0 || o.threads > 4096)
        FAIL(ERR_ARGUMENT, "threads is %d, not 0 .. 4096", o.threads);
    if (!(o.upsampling == 0 || (o.upsampling >= 1.2 && o.upsampling <= 8)))
        FAIL(ERR_ARGUMENT, "upsampling is %g, not 1.2 .. 8", o.upsampling);
    *options = o;
    return FARSUM_OK;
}
