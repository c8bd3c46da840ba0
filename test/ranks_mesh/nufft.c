/* SPDX-License-Identifier: Apache-2.0 */
/* nufft.c: NUFFTs over ranks against direct sums, and against a NUFFT of one
 * process. */
#include "check.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "mesh/ranks/nufft.h"
#include "ranks/comm_threads.h"

enum { MANY = 90, MOST_RANKS = 13, CHANNELS = 6, MODES_MOST = 1200 };

/* What the ranks' threads share. */
struct shared {
    farsum_nufft_problem problem;
    farsum_mesh_options options;
    int64_t n, modes;
    int64_t first[MOST_RANKS + 1]; /* points that each rank gives */
    int set_again;
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

static farsum_status work(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct shared *s = data;
    const farsum_nufft_problem *p = &s->problem;
    int rank = comm->rank, one = p->type == 1;
    int64_t first = s->first[rank], n = s->first[rank + 1] - first;
    int64_t rest = p->modes[1] * p->modes[2];
    farsum_nufft_problem own = *p;
    farsum_mesh_info info = FARSUM_MESH_INFO_INIT;
    farsum_nufft *nufft = NULL;
    char *x = check_memory(3 * MANY, 8);
    char *c = check_memory(CHANNELS * MANY, 16);
    char *f = check_memory(CHANNELS * MODES_MOST, 16);
    own.n_points = n;
    convert(s, x, s->x + 3 * first, 3 * n, 0);
    GO(nufft_ranks_create(comm, &own, &s->options, NULL, &nufft));
    if (rank == 0)
        s->batch = nufft->batch;
    int64_t begin = nufft->ranks->first * rest,
            modes = nufft->ranks->own * rest;
    if (s->set_again)
        GO(farsum_nufft_set_points(nufft, rank == 1 ? 1 : 0,
                                   rank == 1 ? x : NULL));
    GO(farsum_nufft_set_points(nufft, n, n > 0 ? x : NULL));
    for (int i = 0; i < 1 + s->set_again; i++) {
        slice(s, s->c, s->n, first, n, c, 0);
        slice(s, s->f, s->modes, begin, modes, f, 0);
        GO(farsum_nufft_execute(nufft, n > 0 ? c : NULL, modes > 0 ? f : NULL));
    }
    if (one)
        slice(s, s->found, s->modes, begin, modes, f, 1);
    else
        slice(s, s->found, s->n, first, n, c, 1);
    GO(farsum_nufft_get_info(nufft, &info));
    CHECK(info.n_points == n && info.n_stages == 2
              && strcmp(info.stages[1].stage, "fft") == 0,
          "%lld points, %d stages", (long long)info.n_points, info.n_stages);
done:
    if (status != FARSUM_OK)
        printf("rank %d of %d: %s\n", rank, comm->size, farsum_message());
    farsum_nufft_destroy(nufft);
    free(x);
    free(c);
    free(f);
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
static void alone(struct shared *s, double complex *right)
{
    farsum_nufft *nufft = NULL;
    farsum_nufft_problem p = s->problem;
    char *x = check_memory(3 * MANY, 8);
    char *c = check_memory(CHANNELS * MANY, 16);
    char *f = check_memory(CHANNELS * MODES_MOST, 16);
    p.n_points = s->n;
    convert(s, x, s->x, 3 * s->n, 0);
    slice(s, s->c, s->n, 0, s->n, c, 0);
    slice(s, s->f, s->modes, 0, s->modes, f, 0);
    if (farsum_nufft_create(&p, &s->options, &nufft) != FARSUM_OK
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

static void compare(struct shared *s, const char *name)
{
    static const int sizes[] = {1, 2, 3, 4, 7, MOST_RANKS};
    int64_t rows = s->problem.type == 1 ? s->modes : s->n;
    int64_t all = rows * s->problem.channels;
    double complex *right = check_memory((size_t)all + 1, sizeof *right);
    double complex *single = check_memory((size_t)all + 1, sizeof *single);
    inputs(s);
    direct(s, right);
    s->options = (farsum_mesh_options)FARSUM_MESH_OPTIONS_INIT;
    s->options.threads = 1;
    for (int same = 0; same < 2; same++) {
        s->options.upsampling = same ? 2 : s->upsampling;
        if (same) {
            s->options.threads = 1;
            alone(s, single);
        }
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            int size = sizes[i];
            s->options.threads = size == 3 ? 2 : 1;
            shares(s, size);
            memset(s->found, -1, sizeof s->found);
            CHECK(ranks_run(size, NULL, work, s) == 0, "%s: %d ranks fail",
                  name, size);
            double error = apart(s->found, same ? single : right, all);
            CHECK(error <= (!same    ? s->problem.tolerance
                            : f32(s) ? 1e-6
                                     : 1e-12),
                  "%s, %d ranks, %s: error %g", name, size,
                  same ? "one process" : "direct", error);
        }
    }
    free(right);
    free(single);
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

int main(void)
{
    RUN(test_modes);
    RUN(test_tolerances);
    RUN(test_channels);
    RUN(test_no_points);
    return check_end();
}
