/* SPDX-License-Identifier: Apache-2.0 */
/* nufft.c: NUFFTs over ranks against direct sums, and against a NUFFT of one
 * process.  ON_DEVICE 1: each rank has a device; the one process then works on
 * the host and on a device. */
#include "check.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "mesh/ranks/nufft.h"
#include "ranks/comm_threads.h"
#include "ranks_device/rank_device.h"

enum { MANY = 90, MOST_RANKS = 13, CHANNELS = 9, MODES_MOST = 1200 };

/* What the ranks' threads share. */
struct shared {
    farsum_nufft_problem problem;
    farsum_mesh_options options;
    int64_t n, modes;
    int64_t first[MOST_RANKS + 1]; /* points that each rank gives */
    int set_again;
    int there;         /* 1: arrays are on the ranks' devices */
    double upsampling; /* 0: chosen */
    double x[3 * MANY];
    /* [channel][n], [channel][modes]: given, and found by all ranks */
    double complex c[CHANNELS * MANY], f[CHANNELS * MODES_MOST];
    double complex found[CHANNELS * (MANY + MODES_MOST)];
    int batch;
};

static int f32(const struct shared *s)
{
    return s->problem.precision == FARSUM_F32;
}

/* n numbers to or from the problem's precision. */
static void convert(const struct shared *s, void *packed, double *v, int64_t n,
                    int back)
{
    for (int64_t i = 0; i < n; i++) {
        if (f32(s) && back)
            v[i] = (double)((float *)packed)[i];
        else if (f32(s))
            ((float *)packed)[i] = (float)v[i];
        else if (back)
            v[i] = ((double *)packed)[i];
        else
            ((double *)packed)[i] = v[i];
    }
}

/* Copies rows first .. first + n - 1 of each channel to `part`, or back. */
static void slice(const struct shared *s, double complex *all, int64_t rows,
                  int64_t first, int64_t n, char *part, int back)
{
    size_t one = f32(s) ? 8 : 16;
    for (int c = 0; c < s->problem.channels; c++)
        convert(s, part + (size_t)(c * n) * one,
                (double *)(all + c * rows + first), 2 * n, back);
}

enum { X, C, F, ARRAYS };

static int on_device(const struct shared *s, int array)
{
    return s->there >> array & 1;
}

/* Sets the points, and executes, of one rank. */
static farsum_status execute(struct shared *s, struct farsum_nufft *nufft,
                             int rank, struct rank_device *of,
                             char *const here[ARRAYS],
                             struct rank_array array[ARRAYS])
{
    const farsum_nufft_problem *p = &s->problem;
    int64_t first = s->first[rank], n = s->first[rank + 1] - first;
    int64_t rest = p->modes[1] * p->modes[2], channels = p->channels;
    int64_t begin = nufft->ranks->first * rest;
    int64_t modes = nufft->ranks->own * rest, real = f32(s) ? 4 : 8;
    const int64_t bytes[ARRAYS] = {3 * n * real, 2 * channels * n * real,
                                   2 * channels * modes * real};
    convert(s, here[X], s->x + 3 * first, 3 * n, 0);
    TRY(rank_array_put(of, on_device(s, X), &array[X], here[X], bytes[X]));
    if (s->set_again)
        TRY(farsum_nufft_set_points(nufft, rank == 1 ? 1 : 0,
                                    rank == 1 ? array[X].at : NULL));
    TRY(farsum_nufft_set_points(nufft, n, array[X].at));
    for (int i = 0; i < 1 + s->set_again; i++) {
        slice(s, s->c, s->n, first, n, here[C], 0);
        slice(s, s->f, s->modes, begin, modes, here[F], 0);
        for (int k = C; k <= F; k++)
            TRY(rank_array_put(of, on_device(s, k), &array[k], here[k],
                               bytes[k]));
        TRY(farsum_nufft_execute(nufft, array[C].at, array[F].at));
    }
    TRY(farsum_nufft_finish(nufft));
    for (int k = C; k <= F; k++)
        TRY(rank_array_get(&array[k], here[k], bytes[k]));
    if (p->type == 1)
        slice(s, s->found, s->modes, begin, modes, here[F], 1);
    else
        slice(s, s->found, s->n, first, n, here[C], 1);
    return FARSUM_OK;
}

static farsum_status work(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct shared *s = data;
    farsum_nufft_problem own = s->problem;
    farsum_mesh_options options = s->options;
    farsum_mesh_info info = FARSUM_MESH_INFO_INIT;
    farsum_nufft *nufft = NULL;
    struct rank_device of = {NULL, NULL};
    struct farsum_device handle;
    struct rank_array array[ARRAYS] = {{.at = NULL}};
    char *here[ARRAYS] = {check_memory(3 * MANY, 8),
                          check_memory(CHANNELS * MANY, 16),
                          check_memory(CHANNELS * MODES_MOST, 16)};
    if (ON_DEVICE) {
        if (rank_device_open(&of, comm) != FARSUM_OK)
            check_stop("%s", farsum_message());
        handle.device = of.device;
        options.on_device = &handle;
        own.x_memory = on_device(s, X) ? FARSUM_DEVICE : FARSUM_HOST;
        own.c_memory = on_device(s, C) ? FARSUM_DEVICE : FARSUM_HOST;
        own.f_memory = on_device(s, F) ? FARSUM_DEVICE : FARSUM_HOST;
    }
    own.n_points = s->first[comm->rank + 1] - s->first[comm->rank];
    GO(nufft_ranks_create(comm, &own, &options, NULL, &nufft));
    if (comm->rank == 0)
        s->batch = nufft->batch;
    GO(execute(s, nufft, comm->rank, &of, here, array));
    GO(farsum_nufft_get_info(nufft, &info));
    CHECK(info.n_points == own.n_points && info.n_stages == 2
              && strcmp(info.stages[1].stage, "fft") == 0,
          "%lld points, %d stages", (long long)info.n_points, info.n_stages);
done:
    if (status != FARSUM_OK)
        printf("rank %d of %d: %s\n", comm->rank, comm->size, farsum_message());
    farsum_nufft_destroy(nufft);
    for (int k = 0; k < ARRAYS; k++) {
        buf_clear(&array[k].buf);
        free(here[k]);
    }
    if (ON_DEVICE)
        rank_device_close(&of);
    return status;
}

static double uniform(uint64_t *state)
{
    return ldexp((double)(random_next(state) >> 11), -53);
}

/* The direct sums: of modes (type 1) or values. */
static void direct(const struct shared *s, double complex *right)
{
    const farsum_nufft_problem *p = &s->problem;
    int one = p->type == 1;
    int64_t rows = one ? s->modes : s->n;
    memset(right, 0, (size_t)(p->channels * rows) * sizeof *right);
    for (int64_t j = 0; j < s->n; j++)
        for (int64_t m = 0; m < s->modes; m++) {
            int64_t i[3] = {m / p->modes[2] / p->modes[1],
                            m / p->modes[2] % p->modes[1], m % p->modes[2]};
            double phase = 0;
            for (int d = 0; d < 3; d++)
                phase += (double)(i[d] - p->modes[d] / 2) * s->x[3 * j + d];
            double complex turn = cexp(I * p->sign * phase);
            for (int c = 0; c < p->channels; c++)
                if (one)
                    right[c * rows + m] += s->c[c * s->n + j] * turn;
                else
                    right[c * rows + j] += s->f[c * s->modes + m] * turn;
        }
}

/* In the 2-norm. */
static double apart(const double complex *found, const double complex *right,
                    int64_t n)
{
    double off = 0, all = 0;
    for (int64_t i = 0; i < n; i++) {
        off += pow(cabs(found[i] - right[i]), 2);
        all += pow(cabs(right[i]), 2);
    }
    return all > 0 ? sqrt(off / all) : sqrt(off);
}

static void inputs(struct shared *s)
{
    uint64_t state = 3;
    for (int64_t i = 0; i < 3 * s->n; i++) {
        s->x[i] = 20 * (uniform(&state) - 0.5);
        if (i % 3 == 0 && i % 2) /* some in a thin layer */
            s->x[i] = 0.3 * uniform(&state);
        if (f32(s))
            s->x[i] = (double)(float)s->x[i];
    }
    for (int64_t i = 0; i < CHANNELS * MANY; i++)
        s->c[i] = uniform(&state) - 0.5 + I * (uniform(&state) - 0.5);
    for (int64_t i = 0; i < CHANNELS * MODES_MOST; i++)
        s->f[i] = uniform(&state) - 0.5 + I * (uniform(&state) - 0.5);
}

/* By a NUFFT of one process, with the same mesh. */
static void alone(struct shared *s, const char *device, double complex *right)
{
    farsum_nufft *nufft = NULL;
    farsum_mesh_options options = s->options;
    farsum_nufft_problem p = s->problem;
    char *x = check_memory(3 * MANY, 8);
    char *c = check_memory(CHANNELS * MANY, 16);
    char *f = check_memory(CHANNELS * MODES_MOST, 16);
    p.n_points = s->n;
    options.device = device;
    convert(s, x, s->x, 3 * s->n, 0);
    slice(s, s->c, s->n, 0, s->n, c, 0);
    slice(s, s->f, s->modes, 0, s->modes, f, 0);
    if (farsum_nufft_create(&p, &options, &nufft) != FARSUM_OK
        || farsum_nufft_set_points(nufft, s->n, x) != FARSUM_OK
        || farsum_nufft_execute(nufft, c, f) != FARSUM_OK)
        check_stop("one process: %s", farsum_message());
    if (p.type == 1)
        slice(s, right, s->modes, 0, s->modes, f, 1);
    else
        slice(s, right, s->n, 0, s->n, c, 1);
    farsum_nufft_destroy(nufft);
    free(x);
    free(c);
    free(f);
}

/* Uneven shares: rank 0 gives none, if there is another rank. */
static void shares(struct shared *s, int size)
{
    int64_t all = (int64_t)(size - 1) * size / 2, sum = 0;
    for (int r = 0; r <= size; r++) {
        s->first[r] = all > 0 ? s->n * sum / all : r * s->n;
        sum += r;
    }
}

/* Where the right numbers come from. */
enum { DIRECT, ONE_HOST, ONE_DEVICE, SOURCES };

/* Sets the right numbers, and the most that the found ones may differ; NULL:
 * no such numbers.  same: 1: the ranks use the mesh of one process. */
static void rights(struct shared *s, int same, int64_t all,
                   double complex *right[SOURCES], double most[SOURCES])
{
    for (int k = 0; k < SOURCES; k++) {
        int wanted = k == DIRECT     ? ON_DEVICE || !same
                     : k == ONE_HOST ? same
                                     : ON_DEVICE;
        right[k] = NULL;
        if (!wanted)
            continue;
        most[k] = k == DIRECT ? s->problem.tolerance : f32(s) ? 1e-6 : 1e-12;
        right[k] = check_memory((size_t)all + 1, sizeof **right);
        if (k == DIRECT)
            direct(s, right[k]);
        else
            alone(s, k == ONE_DEVICE ? rank_device_name() : NULL, right[k]);
    }
}

static void compare(struct shared *s, const char *name)
{
    static const int sizes[] = {1, 2, 3, 4, 7, MOST_RANKS};
    static const char *const sources[SOURCES] = {"direct", "one process",
                                                 "one process on a device"};
    int n_sizes = ON_DEVICE ? 5 : 6;
    int64_t rows = s->problem.type == 1 ? s->modes : s->n;
    int64_t all = rows * s->problem.channels;
    double complex *right[SOURCES];
    double most[SOURCES] = {0};
    inputs(s);
    s->options = (farsum_mesh_options)FARSUM_MESH_OPTIONS_INIT;
    for (int same = ON_DEVICE; same < 2; same++) {
        s->options.upsampling = same ? 2 : s->upsampling;
        s->options.threads = 1;
        rights(s, same, all, right, most);
        for (int i = 0; i < n_sizes; i++) {
            int size = sizes[i];
            s->options.threads = size == 3 ? 2 : 1;
            shares(s, size);
            memset(s->found, -1, sizeof s->found);
            CHECK(ranks_run(size, NULL, work, s) == 0, "%s: %d ranks fail",
                  name, size);
            for (int k = 0; k < SOURCES; k++) {
                double error = right[k] ? apart(s->found, right[k], all) : 0;
                CHECK(error <= most[k], "%s, %d ranks, %s: error %g", name,
                      size, sources[k], error);
            }
        }
        for (int k = 0; k < SOURCES; k++)
            free(right[k]);
    }
}

static void set_modes(struct shared *s, const int64_t modes[3])
{
    s->modes = 1;
    for (int d = 0; d < 3; d++)
        s->modes *= s->problem.modes[d] = modes[d];
    if (s->modes > MODES_MOST)
        check_stop("too many modes");
}

static struct shared *case_of(int type, int sign, const int64_t modes[3])
{
    struct shared *s = check_memory(1, sizeof *s);
    memset(s, 0, sizeof *s);
    s->problem = (farsum_nufft_problem)FARSUM_NUFFT_PROBLEM_INIT;
    s->problem.type = type;
    s->problem.sign = sign;
    s->problem.tolerance = 1e-7;
    s->problem.channels = 1;
    s->n = MANY;
    set_modes(s, modes);
    return s;
}

/* Odd, even and few modes; both types and signs. */
static void test_modes(void)
{
    static const int64_t shapes[][3] = {
        {8, 7, 6}, {5, 10, 9},  {1, 12, 7}, {3, 1, 2},   {2, 2, 20},
        {1, 1, 1}, {16, 1, 10}, {6, 5, 1},  {20, 3, 11}, {4, 4, 4}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int kind = 0; kind < 4; kind++) {
            char name[64];
            struct shared *s =
                case_of(1 + kind / 2, kind % 2 ? 1 : -1, shapes[i]);
            snprintf(name, sizeof name, "type %d, sign %d, %lld x %lld x %lld",
                     s->problem.type, s->problem.sign, (long long)shapes[i][0],
                     (long long)shapes[i][1], (long long)shapes[i][2]);
            compare(s, name);
            free(s);
        }
}

static void test_tolerances(void)
{
    static const int64_t modes[3] = {9, 8, 7};
    for (int digits = 1; digits <= 13; digits += 2)
        for (int type = 1; type <= 2; type++)
            for (int single = 0; single < 2; single++) {
                char name[64];
                struct shared *s = case_of(type, 1, modes);
                s->problem.tolerance = pow(10, -digits);
                s->problem.precision = single ? FARSUM_F32 : FARSUM_F64;
                if (!single || digits <= 5) {
                    snprintf(name, sizeof name, "type %d, 1e-%d, %s", type,
                             digits, single ? "f32" : "f64");
                    compare(s, name);
                }
                free(s);
            }
}

/* Several vectors, in batches; other points before. */
static void test_channels(void)
{
    static const int64_t modes[3] = {6, 7, 8};
    for (int type = 1; type <= 2; type++)
        for (int channels = 2; channels <= CHANNELS; channels++) {
            char name[64];
            struct shared *s = case_of(type, -1, modes);
            s->problem.channels = channels;
            s->set_again = 1;
            snprintf(name, sizeof name, "type %d, %d channels", type, channels);
            compare(s, name);
            CHECK(s->batch > 1, "%s: batches of %d", name, s->batch);
            free(s);
        }
}

static void test_no_points(void)
{
    static const int64_t modes[3] = {6, 7, 8};
    for (int type = 1; type <= 2; type++) {
        struct shared *s = case_of(type, 1, modes);
        s->n = 0;
        compare(s, "no points");
        free(s);
    }
}

/* Types, signs, precisions, vectors, arrays on the host and on devices; odd,
 * even and few modes, so that ranks have none. */
static void test_device(void)
{
    static const int64_t shapes[][3] = {
        {8, 7, 6}, {5, 10, 9}, {20, 3, 11}, {3, 1, 2}};
    for (int kind = 0; kind < 16; kind++) {
        char name[64];
        struct shared *s =
            case_of(1 + kind % 2, kind & 2 ? 1 : -1, shapes[kind / 4]);
        s->there = kind * 3 % 8;
        s->set_again = kind % 3 == 1;
        if (s->set_again) /* 9: three batches */
            s->problem.channels = kind < 5 ? 2 : 9;
        if (kind % 7 == 3) {
            s->problem.precision = FARSUM_F32;
            s->problem.tolerance = 1e-4;
        }
        snprintf(name, sizeof name, "device, kind %d", kind);
        compare(s, name);
        free(s);
    }
}

int main(void)
{
    if (ON_DEVICE) {
        RUN(test_device);
        RUN(test_no_points);
        return check_end();
    }
    RUN(test_modes);
    RUN(test_tolerances);
    RUN(test_channels);
    RUN(test_no_points);
    return check_end();
}
