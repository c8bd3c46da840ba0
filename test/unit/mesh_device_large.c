/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_device_large.c: tests with more products of points and window points
 * than 32 bits can count: the variants' own limits, and runs. */
#include "mesh_device.h"

#include "stage/interp/interp.h"
#include "stage/spread/spread.h"

enum { P = 8, CUBE = P * P * P };

static void args_set(struct spread_args *s, struct interp_args *i,
                     const struct window *w, const struct cell *cell)
{
    *s = (struct spread_args){.precision = FARSUM_F64,
                              .device = device->device,
                              .threads = 1,
                              .mesh = {128, 128, 128},
                              .ldz = 128,
                              .channels = 1,
                              .parts = 1,
                              .repeats = 10,
                              .window = w};
    *i = (struct interp_args){.precision = FARSUM_F64,
                              .device = device->device,
                              .threads = 1,
                              .outputs = FARSUM_POTENTIAL,
                              .mesh = {128, 128, 128},
                              .ldz = 128,
                              .channels = 1,
                              .parts = 1,
                              .repeats = 10,
                              .window = w,
                              .cell = cell};
}

/* A variant accepts or refuses with a reason.  Its predicted memory grows with
 * the points and has not overflowed, visibly so if it keeps the products.  1:
 * it fits. */
static int row_limits(const struct variant_row *row, const void *args,
                      int64_t *n)
{
    static const int64_t counts[] = {100000,   1000000,   9000000,
                                     60000000, 900000000, 5000000000};
    double last = 0;
    int fit = 0;
    *n = 60000000;
    if (row->variant->fits && row->variant->fits(args) != FARSUM_OK)
        return 0; /* never fits here */
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        *n = counts[k];
        farsum_status status =
            row->variant->fits ? row->variant->fits(args) : FARSUM_OK;
        fit += status == FARSUM_OK;
        CHECK(status == FARSUM_OK || status == FARSUM_ERR_UNSUPPORTED,
              "%s, %lld points: %s", row->name, (long long)*n,
              farsum_message());
        if (status != FARSUM_OK) {
            CHECK_SAYS("at most");
            continue;
        }
        double bytes = (double)row->variant->bytes(args);
        double cost = row->variant->cost(args);
        CHECK(bytes >= last
                  && bytes
                         < 2000.0 * (double)*n + 1e9 + 64.0 * CUBE * (double)*n,
              "%s, %lld points: %g bytes after %g", row->name, (long long)*n,
              bytes, last);
        CHECK(cost > 0 && cost < 1e7, "%s: %g s", row->name, cost);
        last = bytes;
    }
    /* no row counts more points than indices do */
    CHECK(fit < 6, "%s takes 5e9 points", row->name);
    return fit;
}

void many_products(void)
{
    const double rows[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    struct window *w = check_memory(1, sizeof *w);
    struct spread_args s;
    struct interp_args i;
    struct cell cell;
    int fit = 0;
    CHECK_OK(cell_set(&cell, rows, 1));
    CHECK_OK(window_set(w, "prolate", P, 0, 2, 1e-14));
    args_set(&s, &i, w, &cell);
    for (const struct variant_row *r = spread_stage.rows; r->name; r++)
        fit += row_limits(r, &s, &s.n) > 0;
    for (const struct variant_row *r = interp_stage.rows; r->name; r++)
        fit += row_limits(r, &i, &i.n) > 0;
    CHECK(fit >= 10, "%d variants fit", fit);
    free(w);
}

/* With little shared memory, variants report the lack, and a mesh selects
 * others. */
void little_local(void)
{
    const double rows[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    struct window *w = check_memory(1, sizeof *w);
    int64_t local = device->device->properties.local;
    farsum_mesh_problem p = skewed();
    farsum_mesh_options o = FARSUM_MESH_OPTIONS_INIT;
    farsum_mesh *mesh = NULL;
    struct spread_args s;
    struct interp_args i;
    struct arrays a;
    struct cell cell;
    int lacks = 0;
    CHECK_OK(cell_set(&cell, rows, 1));
    CHECK_OK(window_set(w, "prolate", P, 0, 2, 1e-14));
    args_set(&s, &i, w, &cell);
    s.n = i.n = 1000;
    device->device->properties.local = 500;
    for (int capacity = 0; capacity < 2; capacity++)
        for (const struct variant_row *r =
                 (capacity ? &interp_stage : &spread_stage)->rows;
             r->name; r++) {
            const void *args = capacity ? (const void *)&i : &s;
            if (!r->variant->fits || r->variant->fits(args) == FARSUM_OK
                || !strstr(farsum_message(), "shared memory"))
                continue;
            lacks++;
            CHECK_SAYS("has 500");
        }
    CHECK(lacks >= 5, "%d variants need more", lacks);
    o.on_device = device;
    o.spread = "gpu_cell_hybrid";
    CHECK_FAILS(farsum_mesh_create(&p, &o, &mesh), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("bytes of shared memory");
    o.spread = NULL;
    /* kernels of every mesh may lack it too, where drivers count it */
    if (farsum_mesh_create(&p, &o, &mesh) != FARSUM_OK)
        CHECK_SAYS("bytes of");
    device->device->properties.local = local;
    if (strcmp(device->device->backend->name, "opencl") == 0)
        CHECK(mesh != NULL, "no mesh: %s", farsum_message());
    arrays_make(&a, &p, 100, 1);
    if (mesh)
        work(mesh, &a);
    farsum_mesh_destroy(mesh);
    arrays_free(&a);
    free(w);
}

/* One variant by name; its mesh or values go into `out`.  0: it does not
 * fit. */
static int large_row(const farsum_mesh_problem *p, const char *spread,
                     const char *interp, struct buf *const b[4], int64_t n,
                     double *out)
{
    farsum_mesh_options o = FARSUM_MESH_OPTIONS_INIT;
    farsum_mesh *mesh = NULL;
    farsum_mesh_info info = FARSUM_MESH_INFO_INIT;
    const char *row = spread ? spread : interp;
    o.on_device = device;
    o.spread = spread;
    o.interp = interp;
    farsum_status status = farsum_mesh_create(p, &o, &mesh);
    if (status == FARSUM_OK)
        status = farsum_mesh_set_points(mesh, n, b[X]->handle);
    if (status == FARSUM_OK)
        status = spread
                     ? farsum_mesh_spread(mesh, b[Q]->handle, b[GRID]->handle)
                     : farsum_mesh_interp(mesh, b[GRID]->handle,
                                          b[VALUE]->handle, NULL);
    if (status == FARSUM_OK)
        status = farsum_mesh_finish(mesh);
    if (status == FARSUM_OK)
        CHECK_OK(farsum_mesh_get_info(mesh, &info));
    farsum_mesh_destroy(mesh);
    CHECK(status == FARSUM_OK || status == FARSUM_ERR_UNSUPPORTED
              || status == FARSUM_ERR_MEMORY,
          "%s: %s", row, farsum_message());
    if (status != FARSUM_OK) {
        printf("%-24s %s\n", row, farsum_message());
        return 0;
    }
    printf("%-24s %8.3g ms, set %8.3g ms, %6.3g GB\n", row,
           1e3 * info.stages[0].seconds, 1e3 * info.seconds_set_points,
           1e-9 * (double)info.device_bytes);
    struct buf *from = b[spread ? GRID : VALUE];
    CHECK_OK(buf_download(from, 0, out, from->bytes));
    return 1;
}

static void large_capacity(const struct stage *stage, farsum_mesh_problem *p,
                           struct buf *const b[4], int64_t n)
{
    int spread = stage == &spread_stage, ran = 0;
    struct buf *result = b[spread ? GRID : VALUE];
    int64_t count = result->bytes / 8;
    double *first = check_memory((size_t)count, sizeof *first);
    double *out = check_memory((size_t)count, sizeof *out);
    p->uses = spread ? FARSUM_MESH_SPREAD : FARSUM_MESH_VALUE;
    for (const struct variant_row *r = stage->rows; r->name; r++) {
        double off = 0, size = 0;
        if (!large_row(p, spread ? r->name : NULL, spread ? NULL : r->name, b,
                       n, ran ? out : first))
            continue;
        for (int64_t k = 0; k < count; k++) {
            off = fmax(off, ran ? fabs(out[k] - first[k]) : 0);
            size = fmax(size, fabs(first[k]));
        }
        ran++;
        CHECK(off <= 1e-11 * size && size > 0, "%s: off by %g of %g", r->name,
              off, size);
    }
    CHECK(ran >= 2, "%d variants of %s ran", ran, stage->name);
    free(first);
    free(out);
}

void large(int64_t n)
{
    farsum_mesh_problem p = FARSUM_MESH_PROBLEM_INIT;
    struct buf x = {0}, q = {0}, grid = {0}, value = {0};
    struct buf *const b[] = {
        [X] = &x, [Q] = &q, [GRID] = &grid, [VALUE] = &value};
    double *host = check_memory((size_t)(3 * n), sizeof *host);
    uint64_t state = 1;
    for (int64_t k = 0; k < 3 * n; k++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        host[k] = (double)(state >> 11) * 0x1p-53;
    }
    for (int d = 0; d < 3; d++) {
        p.cell[4 * d] = p.periodic[d] = 1;
        p.mesh[d] = 128;
    }
    p.window = "prolate";
    p.support = P;
    p.memory = FARSUM_DEVICE;
    p.n_points = n;
    p.repeats = 10;
    printf("%s: %lld points, %.3g products\n", device->device->properties.model,
           (long long)n, (double)n * CUBE);
    CHECK_OK(buf_alloc(&x, device->device, 24 * n));
    CHECK_OK(buf_alloc(&q, device->device, 8 * n));
    CHECK_OK(buf_alloc(&value, device->device, 8 * n));
    CHECK_OK(buf_alloc(&grid, device->device, 8 * 128 * 128 * 128));
    CHECK_OK(buf_upload(&x, 0, host, 24 * n));
    CHECK_OK(buf_upload(&q, 0, host, 8 * n));
    free(host);
    large_capacity(&spread_stage, &p, b, n);
    large_capacity(&interp_stage, &p, b, n);
    for (int k = 0; k < 4; k++)
        buf_clear(b[k]);
}
