/* SPDX-License-Identifier: Apache-2.0 */
/* m2l_micro.c: lower and upper time limits of m2l by dense operators (Kohnke et
 * al., IJHPCA 2020).  The kernels do as many multiplications and additions as
 * (10.7) for all pairs of boxes, once with all factors and sums in memory, once
 * in registers.  CSV lines as those of m2l_rows.
 *
 *     m2l_micro DEVICE PRECISION P DEPTH [header=0]
 *
 * For long sums a part is timed and its time is scaled. */
#include "mesh_case.h"

#include "base/clock.h"
#include "device/buf.h"
#include "device/compile/jit.h"
#include "stage/expansions/device.h"
#include "cost/expected_rates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP = 128, REPEATS = 3, WAYS = 8 };
#define MEMORY_MOST 5e7 /* terms of a timed part */
#define COMPUTE_MOST 2e11

struct micro {
    struct device *device;
    struct jit jit;
    struct kernel memory, compute;
    struct buf a, b, sums;
    struct stopwatch watch;
    farsum_precision precision;
    int p, depth;
    int64_t boxes, pairs;
    double create;
};

/* Complex multiplications per pair. */
static double terms_of_pair(const struct micro *m)
{
    return (m->p + 1.0) * (m->p + 2.0) / 2 * (m->p + 1.0) * (m->p + 1.0);
}

static void print(const struct micro *m, const char *name, double seconds)
{
    double fma = 4 * terms_of_pair(m) * (double)m->pairs;
    double rate = gpu_rates(m->device, m->precision).flops;
    printf("%s,%s,%s,%d,%d,%d,%d,%lld,%.5g,%.5g,%.5g,%.3g,0,0\n",
           m->device->name, name, m->precision == FARSUM_F32 ? "f32" : "f64",
           m->p, m->depth, 1, 1, (long long)m->boxes, m->create, seconds, fma,
           fma / seconds / rate);
    fflush(stdout);
}

static double launch(struct micro *m, int memory, int64_t groups, int64_t n,
                     int64_t pairs)
{
    double best = INFINITY, seconds;
    for (int i = 0; i <= REPEATS; i++) {
        bench_need(stopwatch_start(&m->watch));
        if (memory)
            bench_need(LAUNCH(&m->memory, groups, ARG_BUF(&m->a),
                              ARG_BUF(&m->b), ARG_BUF(&m->sums), ARG_I64(n)));
        else
            bench_need(LAUNCH(&m->compute, groups, ARG_BUF(&m->a),
                              ARG_BUF(&m->b), ARG_BUF(&m->sums), ARG_I64(n),
                              ARG_I64(pairs)));
        bench_need(stopwatch_stop(&m->watch));
        bench_need(stopwatch_seconds(&m->watch, &seconds));
        if (i > 0) /* the first warms up */
            best = fmin(best, seconds);
    }
    return best;
}

/* Allocates memory for this many complex numbers, three times. */
static void take(struct micro *m, int64_t numbers)
{
    int64_t bytes = numbers * (m->precision == FARSUM_F32 ? 8 : 16);
    bench_need(buf_reserve(&m->a, m->device, bytes));
    bench_need(buf_reserve(&m->b, m->device, bytes));
    bench_need(buf_reserve(&m->sums, m->device, bytes));
    bench_need(buf_fill(&m->a, 0));
    bench_need(buf_fill(&m->b, 0));
    bench_need(buf_fill(&m->sums, 0));
}

static void memory(struct micro *m)
{
    double all = terms_of_pair(m) * (double)m->pairs, part;
    int64_t groups = 8 * (int64_t)m->device->properties.units;
    int64_t wide = groups * GROUP, terms;
    part = fmin(all, MEMORY_MOST);
    terms = (int64_t)ceil(part / (double)wide);
    take(m, terms * wide);
    double seconds = launch(m, 1, groups, terms, 0);
    print(m, "micro_memory", seconds * all / (double)(terms * wide));
}

static void compute(struct micro *m)
{
    double of_pair = terms_of_pair(m), half = (m->p + 1) * (m->p + 2) / 2;
    double done = of_pair * ceil(half / WAYS) * WAYS / half;
    int64_t pairs = m->pairs;
    if (done * (double)pairs > COMPUTE_MOST)
        pairs = (int64_t)(COMPUTE_MOST / done);
    int64_t numbers = multipole_size(m->p);
    take(m, (numbers > WAYS ? numbers : WAYS) * m->boxes);
    double seconds = launch(m, 0, (pairs + GROUP - 1) / GROUP, m->boxes, pairs);
    print(m, "micro_compute",
          seconds * (double)m->pairs / (double)pairs * of_pair / done);
}

int main(int argc, char **argv)
{
    static struct micro m;
    struct boxes_args args = {.ws = 1, .dense = 1, .root = {1, 1, 1}};
    if (argc < 5) {
        fprintf(stderr, "usage: m2l_micro DEVICE PRECISION P DEPTH "
                        "[header=0]\n");
        return 2;
    }
    m.precision = strcmp(argv[2], "f32") == 0 ? FARSUM_F32 : FARSUM_F64;
    m.p = atoi(argv[3]);
    m.depth = args.depth = atoi(argv[4]);
    m.boxes = boxes_gpu_boxes(&args);
    m.pairs = (m.boxes - 1) * boxes_gpu_far_most(1);
    bench_need(device_open(argv[1], &m.device));
    double at = clock_seconds();
    jit_begin(&m.jit, m.device, "stage/m2l/papers/dense_bounds.k", m.precision);
    jit_define(&m.jit, "ORDER", "%d", m.p);
    jit_define(&m.jit, "GROUP", "%d", GROUP);
    bench_need(jit_build(&m.jit));
    bench_need(jit_kernel(&m.jit, "bounds_memory", GROUP, 0, &m.memory));
    bench_need(jit_kernel(&m.jit, "bounds_compute", GROUP, 0, &m.compute));
    m.create = clock_seconds() - at;
    bench_need(stopwatch_create(&m.watch, m.device));
    if (argc < 6 || strcmp(argv[5], "header=0") != 0)
        printf("device,row,precision,p,depth,ws,root,boxes,create_s,seconds,"
               "fma,share,off,cost_s\n");
    memory(&m);
    compute(&m);
    stopwatch_clear(&m.watch);
    buf_clear(&m.a);
    buf_clear(&m.b);
    buf_clear(&m.sums);
    jit_clear(&m.jit);
    device_close(m.device);
    return 0;
}
