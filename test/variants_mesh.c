/* SPDX-License-Identifier: Apache-2.0 */
/* variants_mesh.c: cases of spread and interp.  Each is generated from its
 * number: supports from 2 to 16 in turn, the rest at random. */
#include "variants_mesh.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "points/device/set.h"

static const int64_t meshes[][3] = {
    {16, 16, 16}, {24, 18, 20}, {40, 6, 33}, {5, 7, 4},    {2, 2, 2},
    {30, 64, 10}, {17, 29, 37}, {1, 9, 3},   {70, 5, 50},  {3, 1, 2},
    {33, 35, 65}, {4, 4, 3},    {1, 1, 1},   {9, 130, 11}, {6, 6, 5},
    {21, 13, 8},  {8, 15, 64},  {12, 11, 9}, {27, 40, 21},
};
/* Points per mesh point; more than MOST points are no case. */
static const double densities[] = {1e-3, 0.02, 0.3, 1, 8, 100};
static const char *const dists[] = {"uniform", "clustered", "one cell",
                                    "lattice", "faces"};
static const int channels[] = {1, 2, 3, 5, 1};
enum {
    MESHES = sizeof meshes / sizeof *meshes,
    DENSITIES = sizeof densities / sizeof *densities,
    SUPPORTS = WINDOW_MAX - WINDOW_MIN + 1,
    MOST = 4000,
};
/* Maximum number of products for plain. */
static const double work_most = 5e6;

static int draw(uint64_t *state, int n)
{
    return (int)(trial_random(state) * n);
}

struct mesh_case mesh_case(int k)
{
    static const unsigned outputs[] = {FARSUM_POTENTIAL | FARSUM_FIELD,
                                       FARSUM_POTENTIAL, FARSUM_FIELD};
    uint64_t seed = 1000 + 17 * (uint64_t)k;
    struct mesh_case c = {.support = WINDOW_MIN + k % SUPPORTS};
    double points, work;
    int windows = 0;
    while (window_names[windows])
        windows++;
    if (k >= MESH_CASES - MESH_MOMENTS) {
        static const int supports[MESH_MOMENTS] = {4, 7, 16, 5, 8, 12, 6, 10};
        c.moments = 1;
        c.support = supports[k - (MESH_CASES - MESH_MOMENTS)];
    }
    const int64_t *mesh = meshes[draw(&seed, MESHES)];
    memcpy(c.mesh, mesh, sizeof c.mesh);
    c.channels = channels[draw(&seed, 5)];
    c.parts = 1 + draw(&seed, 2);
    if (c.moments)
        c.channels = c.parts = 1;
    do {
        double density = densities[draw(&seed, DENSITIES)];
        points = ceil(density * (double)(mesh[0] * mesh[1] * mesh[2]));
        work = points * pow(c.support, 3) * c.channels * c.parts;
    } while (points > MOST || work > work_most);
    c.n = k % 10 == 3 ? 0 : k % 10 == 7 ? 1 : (int64_t)points;
    for (int d = 0; d < 3; d++)
        c.open[d] = draw(&seed, 2) && k % 3;
    c.padded = draw(&seed, 3);
    c.ldz = c.mesh[2] + draw(&seed, 4);
    c.dist = dists[draw(&seed, 5)];
    c.window = window_names[draw(&seed, windows)];
    c.outputs = outputs[draw(&seed, 3)];
    if (c.moments) {
        c.padded = 0;
        c.outputs |= FARSUM_GRADIENT;
        if (strcmp(c.dist, "lattice") == 0) /* see mesh_edge */
            c.dist = "uniform";
    }
    return c;
}

void mesh_name(int k, char *text, size_t size)
{
    struct mesh_case c = mesh_case(k);
    snprintf(text, size,
             "P=%d mesh %lldx%lldx%lld ldz=%lld open %d%d%d n=%lld %s, "
             "%d channels, %d parts%s%s, %s",
             c.support, (long long)c.mesh[0], (long long)c.mesh[1],
             (long long)c.mesh[2], (long long)c.ldz, c.open[0], c.open[1],
             c.open[2], (long long)c.n, c.dist, c.channels, c.parts,
             c.padded == 1   ? ", padded"
             : c.padded == 2 ? ", interleaved"
                             : "",
             c.moments ? ", moments" : "", c.window);
}

double mesh_get(const struct mesh_work *w, const struct mesh_array *a,
                int64_t i)
{
    return trial_get(&w->trial, a->host, i);
}

void mesh_put(const struct mesh_work *w, struct mesh_array *a, int64_t i,
              double v)
{
    trial_put(&w->trial, a->host, i, v);
}

/* Never zero: an array has some extra bytes. */
static int64_t array_bytes(const struct mesh_work *w,
                           const struct mesh_array *a)
{
    return (a->n > 0 ? a->n : 1)
           * (w->trial.precision == FARSUM_F32 ? 4 : 8);
}

void mesh_up(struct mesh_work *w, struct mesh_array *a)
{
    trial_send(&w->trial, &a->buf, a->host, array_bytes(w, a));
}

void mesh_down(struct mesh_work *w, struct mesh_array *a)
{
    trial_fetch(&w->trial, &a->buf, a->host, array_bytes(w, a));
}

void *mesh_io(struct mesh_work *w, struct mesh_array *a)
{
    return trial_io(&w->trial, &a->buf, a->host);
}

static void array_make(struct mesh_work *w, struct mesh_array *a, int64_t n)
{
    a->n = n;
    a->host = trial_array(&w->trial, n);
}

int64_t mesh_at(const struct mesh_work *w, int ch, int64_t row, int64_t z,
                int part)
{
    struct spread_io io = spread_strides(&w->spread, &w->spread_io, w->c.n);
    return ch * io.mesh_channel + (row * w->c.ldz + z) * w->c.parts + part;
}

/* Fractional coordinates; some lie outside the cell and are wrapped. */
static void place(const struct mesh_case *c, int64_t i, uint64_t *seed,
                  double s[3])
{
    for (int d = 0; d < 3; d++) {
        double u = trial_random(seed);
        double mesh = (double)c->mesh[d];
        if (strcmp(c->dist, "clustered") == 0 && i % 10)
            u = 0.31 + u / 50;
        else if (strcmp(c->dist, "one cell") == 0)
            u = (floor(0.6 * mesh) + u) / mesh;
        else if (strcmp(c->dist, "lattice") == 0)
            u = i % 7 ? floor(24 * u) / 24 : 1 - 0x1p-40;
        else if (strcmp(c->dist, "faces") == 0)
            u = (u - 0.5) * (double)c->support / mesh;
        else
            u = 3 * u - 1;
        s[d] = u;
    }
}

static farsum_status points_make(struct mesh_work *w)
{
    const struct mesh_case *c = &w->c;
    farsum_status status = FARSUM_OK;
    double *x = check_memory((size_t)(3 * c->n + 1), sizeof *x), s[3];
    uint64_t seed = 5;
    int32_t nb[3];
    for (int64_t i = 0; i < c->n; i++) {
        place(c, i, &seed, s);
        for (int j = 0; j < 3; j++)
            x[3 * i + j] = s[0] * w->cell.a[j] + s[1] * w->cell.a[3 + j]
                           + s[2] * w->cell.a[6 + j];
    }
    if (w->trial.device) {
        GO(points_gpu_create(w->trial.device, &w->points.gpu));
        GO(points_gpu_set(w->points.gpu, &w->cell, c->n, x, FARSUM_F64,
                          "source"));
        w->points.n = c->n;
    } else {
        GO(points_set(&w->points, &w->cell, c->n, x, FARSUM_F64, "source", 1));
        spread_tiles(&w->spread, nb);
        GO(bins_build(&w->points, nb, w->trial.threads));
    }
done:
    free(x);
    return status;
}

static void args_make(struct mesh_work *w)
{
    const struct mesh_case *c = &w->c;
    const struct trial *t = &w->trial;
    w->spread = (struct spread_args){.precision = t->precision,
                                     .device = t->device,
                                     .isa = t->isa,
                                     .threads = t->threads,
                                     .ldz = c->ldz,
                                     .channels = c->channels,
                                     .parts = c->parts,
                                     .slopes = c->moments,
                                     .window = &w->window,
                                     .n = c->n};
    w->interp = (struct interp_args){.precision = t->precision,
                                     .device = t->device,
                                     .isa = t->isa,
                                     .threads = t->threads,
                                     .outputs = c->outputs,
                                     .ldz = c->ldz,
                                     .channels = c->channels,
                                     .parts = c->parts,
                                     .window = &w->window,
                                     .cell = &w->cell,
                                     .n = c->n};
    for (int d = 0; d < 3; d++) {
        w->spread.mesh[d] = w->interp.mesh[d] = c->mesh[d];
        w->spread.open[d] = w->interp.open[d] = c->open[d];
    }
}

/* Strides: the default ones, with gaps, or the channels of a point next to each
 * other; then the arrays. */
static void arrays_make(struct mesh_work *w)
{
    const struct mesh_case *c = &w->c;
    int64_t size = c->mesh[0] * c->mesh[1] * c->ldz * c->parts;
    int64_t point = c->parts, chs = c->channels;
    if (c->padded == 1) {
        w->spread_io.q_point = point + 2;
        w->spread_io.q_channel = c->n * (point + 2) + 5;
        w->spread_io.mesh_channel = w->interp_io.mesh_channel = size + 7;
        w->interp_io.potential_channel = c->n * point + 3;
        w->interp_io.field_channel = 3 * c->n * point + 1;
    } else if (c->padded == 2) {
        w->spread_io.q_point = point * chs;
        w->spread_io.q_channel = point;
    }
    struct spread_io s = spread_strides(&w->spread, &w->spread_io, c->n);
    struct interp_io i = interp_strides(&w->interp, &w->interp_io, c->n);
    array_make(w, &w->q, chs * s.q_channel + c->n * s.q_point);
    array_make(w, &w->mesh, chs * s.mesh_channel);
    array_make(w, &w->potential, chs * i.potential_channel);
    array_make(w, &w->field, chs * i.field_channel);
    array_make(w, &w->gradient, c->moments * 6 * c->n);
    w->spread_io.q = mesh_io(w, &w->q);
    w->spread_io.mesh = mesh_io(w, &w->mesh);
    w->interp_io.mesh = mesh_io(w, &w->mesh);
    if (c->outputs & FARSUM_POTENTIAL)
        w->interp_io.potential = mesh_io(w, &w->potential);
    if (c->outputs & FARSUM_FIELD)
        w->interp_io.field = mesh_io(w, &w->field);
    if (c->outputs & FARSUM_GRADIENT)
        w->interp_io.gradient = mesh_io(w, &w->gradient);
}

farsum_status mesh_make(int k, const struct trial *trial,
                        struct mesh_work **work)
{
    static const double rows[9] = {2, 0.1, 0, 0.7, 1.9, -0.2, -0.4, 0.5, 2.2};
    struct mesh_work *w = *work = check_memory(1, sizeof *w);
    uint64_t seed = 3;
    w->c = mesh_case(k);
    w->trial = *trial;
    TRY(window_set(&w->window, w->c.window, w->c.support, 0, 1.5,
                   trial->precision == FARSUM_F32 ? 1e-8 : 1e-14));
    TRY(cell_set(&w->cell, rows, 1));
    args_make(w);
    arrays_make(w);
    TRY(points_make(w));
    for (int64_t i = 0; i < w->q.n; i++)
        mesh_put(w, &w->q, i, (double)(float)(trial_random(&seed) - 0.5));
    for (int64_t i = 0; i < w->mesh.n; i++) /* padding and gaps: arbitrary */
        mesh_put(w, &w->mesh, i, 1e3);
    for (int ch = 0; ch < w->c.channels; ch++)
        for (int64_t r = 0; r < w->c.mesh[0] * w->c.mesh[1]; r++)
            for (int64_t z = 0; z < w->c.mesh[2]; z++)
                for (int part = 0; part < w->c.parts; part++)
                    mesh_put(w, &w->mesh, mesh_at(w, ch, r, z, part),
                             (double)(float)(trial_random(&seed) - 0.5));
    mesh_up(w, &w->q);
    mesh_up(w, &w->mesh);
    return FARSUM_OK;
}

void mesh_free(struct mesh_work *w)
{
    if (!w)
        return;
    struct mesh_array *const array[] = {&w->q, &w->mesh, &w->potential,
                                        &w->field, &w->gradient};
    for (int i = 0; i < 5; i++) {
        free(array[i]->host);
        buf_clear(&array[i]->buf);
    }
    points_clear(&w->points);
    free(w);
}
