/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_nufft.c: NUFFTs and meshes over ranks, compared with one process.
 *
 *     mpirun -n 1 ranks_nufft 10000000 216 1e-6 alone device=cuda
 *     mpirun -n 2 ranks_nufft 20000000 432x216x216 1e-6 device=cuda
 *     mpirun -n 2 ranks_nufft 20000 16 1e-6 f32 device=opencl:0
 *
 * N random points in all, and N0xN1xN2 modes, or N0 along each axis; each rank
 * gives an equal part of the points, from everywhere.  alone: a NUFFT without
 * ranks.  f32: the precision.  here: each rank gives points of its own slab.
 * device=NAME: each rank has a device, with arrays there.
 *
 * One line each for NUFFTs of types 1 and 2, and for spread and interp of a
 * real mesh with as many points as the NUFFT's: minimum milliseconds of
 * set_points and of the transform, on the slowest rank; rank 0's of its stage,
 * of the Fourier transform with its exchanges, and of the exchanges; megabytes
 * that rank 0 sends; relative error of NUFFTs against direct sums at some modes
 * or points. */
#include "ranks_case.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/random.h"
#include "device/buf.h"
#include "farsum/mesh.h"
#include "farsum/mpi.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 15, SAMPLES = 8 };
enum { TYPE_1, TYPE_2, SPREAD, INTERP };
static const char *const names[] = {"type1", "type2", "spread", "interp"};
#define PERIOD (2 * M_PI)

struct bench {
    int rank, ranks, alone, here;
    const char *device_name; /* NULL: the host */
    farsum_device *device;
    farsum_precision precision;
    double tolerance;
    int64_t total, n;          /* points of all ranks, of this one */
    int64_t modes[3], mesh[3]; /* mesh: of the NUFFT */
    int64_t first, own;        /* modes along axis 0 of this rank */
    void *x, *c, *f;           /* where the device is */
};

/* A NUFFT or a mesh, and the array of its modes or of its planes. */
struct job {
    int what;
    farsum_nufft *nufft;
    farsum_mesh *mesh;
    void *grid;
};

/* What is found. */
struct row {
    double set, run, stage, fft, error; /* error < 0: none */
    const char *variant;                /* of the stage */
    farsum_mpi_info before, after;      /* of the fastest run */
};

static int ask(int argc, char **argv, struct bench *b)
{
    if (argc < 4)
        return 0;
    long long m[3];
    int axes = sscanf(argv[2], "%lldx%lldx%lld", &m[0], &m[1], &m[2]);
    for (int d = 0; d < 3; d++)
        b->modes[d] = axes == 3 ? m[d] : m[0];
    b->total = atoll(argv[1]);
    b->tolerance = atof(argv[3]);
    b->precision = FARSUM_F64;
    for (int k = 4; k < argc; k++) {
        if (strcmp(argv[k], "alone") == 0)
            b->alone = 1;
        else if (strcmp(argv[k], "f32") == 0)
            b->precision = FARSUM_F32;
        else if (strcmp(argv[k], "here") == 0)
            b->here = 1;
        else if (strncmp(argv[k], "device=", 7) == 0)
            b->device_name = argv[k] + 7;
        else
            return 0;
    }
    return (axes == 1 || axes == 3) && !(b->alone && b->ranks > 1);
}

static int64_t real_of(const struct bench *b)
{
    return b->precision == FARSUM_F32 ? 4 : 8;
}

/* The rank's points, strengths or modes; on the host the same numbers. */
static void *numbers(const struct bench *b, farsum_device *device, int64_t n,
                     int what)
{
    const struct ranks_range all = {0, PERIOD}, charge = {-1, 1};
    const struct ranks_range slab = {PERIOD * b->rank / b->ranks,
                                     PERIOD * (b->rank + 1) / b->ranks};
    uint64_t state = 17 + (uint64_t)(3 * b->rank + what);
    if (what == 0)
        return ranks_array(device, b->precision, n, 3, b->here ? slab : all,
                           all, 0, &state);
    return ranks_array(device, b->precision, n, 2, charge, charge, 0, &state);
}

static double real_at(const struct bench *b, const void *a, int64_t i)
{
    return b->precision == FARSUM_F32 ? (double)((const float *)a)[i]
                                      : ((const double *)a)[i];
}

/* Complex number i of a result. */
static double complex result_at(const struct bench *b, void *a, int64_t i)
{
    char one[16];
    int64_t bytes = 2 * real_of(b);
    if (b->device) {
        struct buf buf;
        buf_borrow(&buf, b->device->device, a, (i + 1) * bytes);
        ranks_need(buf_download(&buf, i * bytes, one, bytes));
    } else {
        memcpy(one, (char *)a + i * bytes, (size_t)bytes);
    }
    return real_at(b, one, 0) + I * real_at(b, one, 1);
}

/* The sum over the ranks. */
static double complex all_of(double complex v)
{
    double own[2] = {creal(v), cimag(v)}, sum[2];
    MPI_Allreduce(own, sum, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum[0] + I * sum[1];
}

/* Mode m, an index among all modes, of this rank's points. */
static double complex direct_1(const struct bench *b, const void *x,
                               const void *c, const int64_t m[3])
{
    double re = 0, im = 0;
#pragma omp parallel for reduction(+ : re, im)
    for (int64_t j = 0; j < b->n; j++) {
        double phase = 0, u = real_at(b, c, 2 * j),
               v = real_at(b, c, 2 * j + 1);
        for (int d = 0; d < 3; d++)
            phase +=
                (double)(m[d] - b->modes[d] / 2) * real_at(b, x, 3 * j + d);
        re += u * cos(phase) - v * sin(phase);
        im += u * sin(phase) + v * cos(phase);
    }
    return re + I * im;
}

/* The sum of this rank's modes at a point. */
static double complex direct_2(const struct bench *b, const void *f,
                               const double x[3])
{
    double re = 0, im = 0;
    int64_t rest = b->modes[1] * b->modes[2];
    double complex *e = NULL;
    ranks_need(MEM_RAW(e, b->modes[2]));
    for (int64_t i = 0; i < b->modes[2]; i++)
        e[i] = cexp(I * (double)(i - b->modes[2] / 2) * x[2]);
#pragma omp parallel for reduction(+ : re, im)
    for (int64_t row = 0; row < b->own * b->modes[1]; row++) {
        int64_t i0 = b->first + row / b->modes[1], i1 = row % b->modes[1];
        int64_t at = row / b->modes[1] * rest + i1 * b->modes[2];
        double complex sum = 0;
        for (int64_t i = 0; i < b->modes[2]; i++)
            sum += e[i]
                   * (real_at(b, f, 2 * (at + i))
                      + I * real_at(b, f, 2 * (at + i) + 1));
        sum *= cexp(I
                    * ((double)(i0 - b->modes[0] / 2) * x[0]
                       + (double)(i1 - b->modes[1] / 2) * x[1]));
        re += creal(sum);
        im += cimag(sum);
    }
    mem_free(e);
    return re + I * im;
}

/* Exact sum s, and this rank's part of the result. */
static double complex sample(const struct bench *b, int what, const void *x,
                             const void *in, uint64_t *state,
                             double complex *found)
{
    *found = 0;
    if (what == TYPE_1) {
        int64_t m[3];
        for (int d = 0; d < 3; d++)
            m[d] = (int64_t)(random_next(state) % (uint64_t)b->modes[d]);
        if (m[0] >= b->first && m[0] < b->first + b->own)
            *found = result_at(
                b, b->f,
                ((m[0] - b->first) * b->modes[1] + m[1]) * b->modes[2] + m[2]);
        return direct_1(b, x, in, m);
    }
    uint64_t pick = random_next(state);
    int giver = (int)(pick % (uint64_t)b->ranks);
    int64_t j = (int64_t)(pick / 1024 % (uint64_t)b->n);
    double at[3] = {0};
    for (int d = 0; d < 3 && b->rank == giver; d++)
        at[d] = real_at(b, x, 3 * j + d);
    MPI_Bcast(at, 3, MPI_DOUBLE, giver, MPI_COMM_WORLD);
    if (b->rank == giver)
        *found = result_at(b, b->c, j);
    return direct_2(b, in, at);
}

/* Relative to the direct sums, in the 2-norm. */
static double error_of(const struct bench *b, int what)
{
    uint64_t state = 5;
    double off = 0, all = 0;
    int64_t modes = b->own * b->modes[1] * b->modes[2];
    void *x = numbers(b, NULL, b->n, 0);
    void *in = numbers(b, NULL, what == TYPE_1 ? b->n : modes, 1 + what);
    for (int s = 0; s < SAMPLES; s++) {
        double complex found, exact = sample(b, what, x, in, &state, &found);
        exact = all_of(exact);
        off += pow(cabs(all_of(found) - exact), 2);
        all += pow(cabs(exact), 2);
    }
    mem_free(x);
    mem_free(in);
    return sqrt(off / all);
}

static void job_points(const struct bench *b, const struct job *j)
{
    if (j->nufft) {
        ranks_need(farsum_nufft_set_points(j->nufft, b->n, b->x));
        ranks_need(farsum_nufft_finish(j->nufft));
    } else {
        ranks_need(farsum_mesh_set_points(j->mesh, b->n, b->x));
        ranks_need(farsum_mesh_finish(j->mesh));
    }
}

static void job_run(const struct bench *b, const struct job *j)
{
    if (j->nufft) {
        ranks_need(farsum_nufft_execute(j->nufft, b->c, b->f));
        ranks_need(farsum_nufft_finish(j->nufft));
        return;
    }
    ranks_need(j->what == SPREAD
                   ? farsum_mesh_spread(j->mesh, b->c, j->grid)
                   : farsum_mesh_interp(j->mesh, j->grid, b->c, NULL));
    ranks_need(farsum_mesh_finish(j->mesh));
}

static void job_spent(const struct bench *b, const struct job *j,
                      farsum_mpi_info *info)
{
    *info = (farsum_mpi_info)FARSUM_MPI_INFO_INIT;
    if (!b->alone)
        ranks_need(j->nufft ? farsum_mpi_nufft_get_info(j->nufft, info)
                            : farsum_mpi_mesh_get_info(j->mesh, info));
}

static void job_info(const struct job *j, farsum_mesh_info *info)
{
    *info = (farsum_mesh_info)FARSUM_MESH_INFO_INIT;
    ranks_need(j->nufft ? farsum_nufft_get_info(j->nufft, info)
                        : farsum_mesh_get_info(j->mesh, info));
}

static void print_row(const struct bench *b, const struct job *j,
                      const struct row *r)
{
    const farsum_mpi_info *from = &r->before, *to = &r->after;
    if (b->rank > 0)
        return;
    printf("%s,%d,%s,%s,%lld,%lldx%lldx%lld,%g,%lldx%lldx%lld,%s,%s",
           b->alone ? "alone" : "ranks", b->ranks,
           b->device_name ? b->device_name : "host",
           b->precision == FARSUM_F32 ? "f32" : "f64", (long long)b->total,
           (long long)b->modes[0], (long long)b->modes[1],
           (long long)b->modes[2], b->tolerance, (long long)b->mesh[0],
           (long long)b->mesh[1], (long long)b->mesh[2],
           b->here ? "here" : "anywhere", names[j->what]);
    printf(",%s,%.3f,%.3f,%.3f,%.3f", r->variant, 1e3 * r->set, 1e3 * r->run,
           1e3 * r->stage, 1e3 * r->fft);
    if (b->alone)
        printf(",,,,,,,");
    else
        printf(",%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f",
               1e3 * (to->seconds_route - from->seconds_route),
               1e3 * (to->seconds_planes - from->seconds_planes),
               1e3 * (to->seconds_transform - from->seconds_transform),
               1e3 * (to->seconds_waiting - from->seconds_waiting),
               1e-6 * (double)(to->bytes_route - from->bytes_route),
               1e-6 * (double)(to->bytes_planes - from->bytes_planes),
               1e-6 * (double)(to->bytes_transform - from->bytes_transform));
    if (r->error >= 0)
        printf(",%.3g\n", r->error);
    else
        printf(",\n");
    fflush(stdout);
}

/* Times a job, and prints its line. */
static void measure(const struct bench *b, const struct job *j)
{
    struct row row = {.set = INFINITY, .run = INFINITY, .error = -1};
    for (int k = 0; k < RUNS; k++) {
        farsum_mpi_info before, after;
        farsum_mesh_info info;
        MPI_Barrier(MPI_COMM_WORLD);
        double start = clock_seconds();
        job_points(b, j);
        row.set = fmin(row.set, ranks_slowest(clock_seconds() - start));
        job_spent(b, j, &before);
        MPI_Barrier(MPI_COMM_WORLD);
        start = clock_seconds();
        job_run(b, j);
        double took = ranks_slowest(clock_seconds() - start);
        job_spent(b, j, &after);
        if (took >= row.run)
            continue;
        job_info(j, &info);
        row.run = took;
        row.stage = info.stages[j->what == INTERP].seconds;
        row.variant = info.stages[j->what == INTERP].variant;
        row.fft = j->nufft ? info.stages[1].seconds : 0;
        row.before = before;
        row.after = after;
    }
    if (j->nufft)
        row.error = error_of(b, j->what);
    print_row(b, j, &row);
}

static void nufft_case(struct bench *b, int what)
{
    farsum_nufft_problem p = FARSUM_NUFFT_PROBLEM_INIT;
    farsum_mesh_options o = FARSUM_MESH_OPTIONS_INIT;
    farsum_mesh_info info;
    struct job j = {.what = what};
    p.type = 1 + what;
    p.sign = 1;
    p.tolerance = b->tolerance;
    p.precision = b->precision;
    p.memory = b->device ? FARSUM_DEVICE : FARSUM_HOST;
    p.n_points = b->n;
    memcpy(p.modes, b->modes, sizeof p.modes);
    o.on_device = b->device;
    ranks_need(b->alone ? farsum_nufft_create(&p, &o, &j.nufft)
                        : farsum_mpi_nufft_create(&p, &o, NULL, MPI_COMM_WORLD,
                                                  &j.nufft));
    b->first = 0;
    b->own = b->modes[0];
    if (!b->alone)
        ranks_need(farsum_mpi_nufft_modes(j.nufft, &b->first, &b->own));
    b->c = numbers(b, b->device, b->n, 1 + TYPE_1);
    b->f =
        numbers(b, b->device, b->own * b->modes[1] * b->modes[2], 1 + TYPE_2);
    job_info(&j, &info);
    memcpy(b->mesh, info.mesh, sizeof b->mesh);
    measure(b, &j);
    farsum_nufft_destroy(j.nufft);
    ranks_array_free(b->device, b->c);
    ranks_array_free(b->device, b->f);
}

static void mesh_case(struct bench *b)
{
    farsum_mesh_problem p = FARSUM_MESH_PROBLEM_INIT;
    farsum_mesh_options o = FARSUM_MESH_OPTIONS_INIT;
    struct job j = {.what = SPREAD};
    int64_t first = 0, own = b->mesh[0];
    p.upsampling = INFINITY;
    for (int d = 0; d < 3; d++) {
        p.cell[4 * d] = PERIOD;
        p.periodic[d] = 1;
        p.mesh[d] = b->mesh[d];
        p.upsampling =
            fmin(p.upsampling, (double)b->mesh[d] / (double)b->modes[d]);
    }
    p.ldz = 2 * (b->mesh[2] / 2 + 1);
    p.tolerance = b->tolerance;
    p.precision = b->precision;
    p.memory = b->device ? FARSUM_DEVICE : FARSUM_HOST;
    p.n_points = b->n;
    p.uses = FARSUM_MESH_SPREAD | FARSUM_MESH_VALUE;
    o.on_device = b->device;
    ranks_need(b->alone ? farsum_mesh_create(&p, &o, &j.mesh)
                        : farsum_mpi_mesh_create(&p, &o, NULL, MPI_COMM_WORLD,
                                                 &j.mesh));
    if (!b->alone)
        ranks_need(farsum_mpi_mesh_planes(j.mesh, &first, &own));
    b->c = numbers(b, b->device, b->n, 1);
    j.grid = numbers(b, b->device, own * b->mesh[1] * p.ldz / 2, 2);
    for (; j.what <= INTERP; j.what++)
        measure(b, &j);
    farsum_mesh_destroy(j.mesh);
    ranks_array_free(b->device, b->c);
    ranks_array_free(b->device, j.grid);
}

int main(int argc, char **argv)
{
    struct bench b = {0};
    int threads;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
    MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &b.ranks);
    if (!ask(argc, argv, &b)) {
        if (b.rank == 0)
            fprintf(stderr, "ranks_nufft POINTS MODES TOLERANCE [alone] [f32] "
                            "[here] [device=NAME]\n");
        MPI_Finalize();
        return 2;
    }
    b.n = b.total / b.ranks;
    b.total = b.n * b.ranks;
    b.device = ranks_open(b.device_name, b.rank);
    b.x = numbers(&b, b.device, b.n, 0);
    if (b.rank == 0)
        printf(
            "plan,ranks,device,precision,points,modes,tolerance,mesh,given,"
            "what,variant,set_points_ms,ms,stage_ms,fft_ms,route_ms,planes_ms,"
            "transform_ms,waiting_ms,route_mb,planes_mb,transform_mb,"
            "error\n");
    nufft_case(&b, TYPE_1);
    nufft_case(&b, TYPE_2);
    mesh_case(&b);
    ranks_array_free(b.device, b.x);
    farsum_device_close(b.device);
    MPI_Finalize();
    return 0;
}
