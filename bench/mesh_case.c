/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_case.c: points, strengths and mesh of one case of mesh_rows. */
#include "mesh_case.h"

#include "base/mem.h"
#include "points/bins.h"
#include "points/clustering.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bench_need(farsum_status status)
{
    if (status == FARSUM_OK)
        return;
    fprintf(stderr, "mesh_rows: %s\n", farsum_message());
    exit(1);
}

/* Increment of the state per number; it gives direct access to the k-th
 * number. */
static const uint64_t step = 0x9e3779b97f4a7c15u;

double bench_number(uint64_t *state)
{
    uint64_t z = *state += step;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Uniform in the ball of radius 1. */
static double in_ball(uint64_t *seed, double *x)
{
    double r2;
    do {
        r2 = 0;
        for (int d = 0; d < 3; d++) {
            x[d] = 2 * bench_number(seed) - 1;
            r2 += x[d] * x[d];
        }
    } while (r2 > 1 || r2 == 0);
    return sqrt(r2);
}

void bench_position(const struct bench *b, int64_t i, uint64_t *seed, double *x)
{
    double edge = 1, scale = 0;
    if (strcmp(b->dist, "cell") == 0)
        edge = 1.0 / (double)b->spread.mesh[0];
    for (int d = 0; d < 3; d++)
        x[d] = 0.3 * (edge < 1) + edge * bench_number(seed);
    if (strcmp(b->dist, "clustered") == 0 && i % 2 == 0) {
        in_ball(seed, x);
        scale = 0.1;
    } else if (strcmp(b->dist, "shell") == 0) {
        scale = 0.4 / in_ball(seed, x);
    } else if (strcmp(b->dist, "gauss") == 0) {
        for (int d = 0; d < 3; d++) /* Box and Muller */
            x[d] = sqrt(-2 * log(1 - bench_number(seed)))
                   * cos(2 * M_PI * bench_number(seed));
        scale = 0.125;
    }
    for (int d = 0; d < 3 && scale > 0; d++)
        x[d] = 0.5 + scale * x[d];
}

static void put(const struct bench *b, void *to, int64_t i, double v)
{
    if (bench_f32(b))
        ((float *)to)[i] = (float)v;
    else
        ((double *)to)[i] = v;
}

static double get(const struct bench *b, const void *from, int64_t i)
{
    return bench_f32(b) ? (double)((const float *)from)[i]
                        : ((const double *)from)[i];
}

static void points(struct bench *b)
{
    double *x = NULL;
    uint64_t seed = 1;
    const double cell[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    bench_need(cell_set(&b->cell, cell, 1));
    bench_need(MEM_RAW(x, 3 * b->n));
    if (strcmp(b->dist, "uniform") == 0) {
#pragma omp parallel for
        for (int64_t i = 0; i < b->n; i++) {
            uint64_t own = seed + 3 * (uint64_t)i * step;
            bench_position(b, i, &own, x + 3 * i);
        }
    } else { /* a point may take any number of random numbers */
        for (int64_t i = 0; i < b->n; i++)
            bench_position(b, i, &seed, x + 3 * i);
    }
    if (b->device) {
        bench_need(points_gpu_create(b->device, &b->points.gpu));
        bench_need(buf_alloc(&b->x_there, b->device, 24 * b->n));
        bench_need(buf_upload(&b->x_there, 0, x, 24 * b->n));
        b->points.n = b->n;
        bench_points_again(b);
    } else {
        int32_t nb[3];
        bench_need(points_set(&b->points, &b->cell, b->n, x, FARSUM_F64,
                              "source", b->spread.threads));
        spread_tiles(&b->spread, nb);
        bench_need(bins_build(&b->points, nb, b->spread.threads));
    }
    mem_free(x);
}

void bench_points_again(struct bench *b)
{
    bench_need(points_gpu_set_device(b->points.gpu, &b->cell, b->n, &b->x_there,
                                     FARSUM_F64, "source"));
    /* sorting from an old order would be too cheap */
    for (struct gpu_ordering *o = b->points.gpu->orderings; o; o = o->next)
        o->path = GPU_SORT_NONE;
}

static int64_t most(const struct bench *b)
{
    return b->q_reals > b->mesh_reals ? b->q_reals : b->mesh_reals;
}

static void fill(const struct bench *b, void *to, int64_t count, uint64_t seed)
{
#pragma omp parallel for
    for (int64_t i = 0; i < count; i++) {
        uint64_t own = seed + (uint64_t)i * step;
        put(b, to, i, bench_number(&own) - 0.5);
    }
}

static void arrays(struct bench *b)
{
    int size = bench_size(b);
    bench_need(mem_alloc(&b->q, b->q_reals, (size_t)size, 0));
    bench_need(mem_alloc(&b->mesh, b->mesh_reals, (size_t)size, 0));
    bench_need(mem_alloc(&b->out, most(b), (size_t)size, 0));
    fill(b, b->q, b->q_reals, 7);
    fill(b, b->mesh, b->mesh_reals, 8);
    if (b->field)
        bench_need(mem_alloc(&b->field_out, 3 * b->q_reals, (size_t)size, 0));
    if (!b->device)
        return;
    if (b->field)
        bench_need(
            buf_alloc(&b->field_there, b->device, 3 * size * b->q_reals));
    bench_need(buf_alloc(&b->q_there, b->device, size * b->q_reals));
    bench_need(buf_alloc(&b->mesh_there, b->device, size * b->mesh_reals));
    bench_need(buf_alloc(&b->out_there, b->device, size * most(b)));
    bench_need(buf_upload(&b->q_there, 0, b->q, size * b->q_reals));
    bench_need(buf_upload(&b->mesh_there, 0, b->mesh, size * b->mesh_reals));
}

void bench_create(struct bench *b)
{
    const struct spread_args *s = &b->spread;
    int64_t parts = (int64_t)spread_channels(s) * spread_parts(s);
    b->mesh_reals = parts * s->mesh[0] * s->mesh[1] * s->mesh[2];
    b->q_reals = parts * b->n;
    points(b);
    bench_need(clustering_measure(&b->points, s->mesh, &b->spread.clustering));
    arrays(b);
    b->interp = (struct interp_args){
        .precision = s->precision,
        .device = s->device,
        .isa = s->isa,
        .threads = s->threads,
        .outputs = FARSUM_POTENTIAL | (b->field ? FARSUM_FIELD : 0),
        .mesh = {s->mesh[0], s->mesh[1], s->mesh[2]},
        .ldz = s->ldz,
        .channels = s->channels,
        .parts = s->parts,
        .repeats = s->repeats,
        .clustering = s->clustering,
        .window = s->window,
        .cell = &b->cell,
        .n = b->n};
}

void bench_clear(struct bench *b)
{
    struct buf *all[] = {&b->x_there, &b->q_there, &b->mesh_there,
                         &b->out_there, &b->field_there};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
    points_gpu_destroy(b->points.gpu);
    device_close(b->device);
}

void bench_out_zero(struct bench *b)
{
    if (b->device)
        bench_need(buf_fill(&b->out_there, 0));
    else
        memset(b->out, 0, (size_t)most(b) * (size_t)bench_size(b));
}

double bench_difference(struct bench *b, int stage)
{
    double sum = 0, norm = 0;
    int64_t count = stage ? b->q_reals : b->mesh_reals;
    int first = !b->reference[stage];
    if (b->device)
        bench_need(
            buf_download(&b->out_there, 0, b->out, count * bench_size(b)));
    if (first)
        bench_need(MEM_RAW(b->reference[stage], count));
#pragma omp parallel for reduction(+ : sum, norm)
    for (int64_t i = 0; i < count; i++) {
        double v = get(b, b->out, i);
        if (first)
            b->reference[stage][i] = v;
        double r = b->reference[stage][i];
        sum += (v - r) * (v - r);
        norm += r * r;
    }
    return norm > 0 ? sqrt(sum / norm) : sqrt(sum);
}
