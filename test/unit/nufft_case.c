/* SPDX-License-Identifier: Apache-2.0 */
/* nufft_case.c: one NUFFT and its direct sums. */
#include "nufft_case.h"

#include <stdlib.h>
#include <string.h>

#include "device/buf.h"
#include "plan/plan.h"

const int64_t shapes[SHAPES][3] = {{12, 13, 14}, {9, 24, 5}, {1, 40, 7},
                                   {2, 3, 32},   {17, 1, 2}, {45, 4, 3}};

uint64_t seed = 7;
double random_unit(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

void try_set(struct try *t, int type, int sign, int64_t n,
             const int64_t modes[3], double tolerance, int f32, int channels)
{
    memset(t, 0, sizeof *t);
    t->problem = (farsum_nufft_problem)FARSUM_NUFFT_PROBLEM_INIT;
    t->options = (farsum_mesh_options)FARSUM_MESH_OPTIONS_INIT;
    t->options.threads = 2;
    t->problem.type = type;
    t->problem.sign = sign;
    t->problem.tolerance = tolerance;
    t->problem.precision = f32 ? FARSUM_F32 : FARSUM_F64;
    t->problem.channels = channels;
    t->problem.n_points = t->n = n;
    t->modes = 1;
    for (int d = 0; d < 3; d++)
        t->modes *= t->problem.modes[d] = modes[d];
    t->x = check_memory((size_t)(3 * n + 1), sizeof *t->x);
    t->c = check_memory((size_t)(n * channels + 1), sizeof *t->c);
    t->f = check_memory((size_t)(t->modes * channels), sizeof *t->f);
    for (int64_t i = 0; i < 3 * n; i++) { /* a few periods around 0 */
        t->x[i] = 20 * (random_unit() - 0.5);
        if (f32)
            t->x[i] = (double)(float)t->x[i];
    }
    for (int64_t i = 0; i < n * channels; i++)
        t->c[i] = random_unit() - 0.5 + I * (random_unit() - 0.5);
    for (int64_t i = 0; i < t->modes * channels; i++)
        t->f[i] = random_unit() - 0.5 + I * (random_unit() - 0.5);
}

void try_clear(struct try *t)
{
    free(t->x);
    free(t->c);
    free(t->f);
}

/* n reals of the try's precision, from or to doubles. */
static void *packed(const struct try *t, const void *from, int64_t n)
{
    int f32 = t->problem.precision == FARSUM_F32;
    void *to = check_memory((size_t)n + 1, f32 ? 4 : 8);
    for (int64_t i = 0; i < n; i++)
        if (f32)
            ((float *)to)[i] = (float)((const double *)from)[i];
        else
            ((double *)to)[i] = ((const double *)from)[i];
    return to;
}
static void unpack(const struct try *t, const void *from, void *to, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        ((double *)to)[i] = t->problem.precision == FARSUM_F32
                                ? (double)((const float *)from)[i]
                                : ((const double *)from)[i];
}

/* The array in the memory that the problem states. */
static void *placed(const struct try *t, farsum_memory memory, void *host,
                    int64_t n, struct buf *buf)
{
    int64_t bytes =
        (n > 0 ? n : 1) * (t->problem.precision == FARSUM_F32 ? 4 : 8);
    if (!memory)
        memory = t->problem.memory;
    if (memory != FARSUM_DEVICE)
        return host;
    CHECK_OK(buf_alloc(buf, t->options.on_device->device, bytes));
    CHECK_OK(buf_upload(buf, 0, host, bytes));
    return buf->handle;
}

static void taken(void *host, struct buf *buf)
{
    if (buf->device)
        CHECK_OK(buf_download(buf, 0, host, buf->bytes));
    buf_clear(buf);
}

void run(struct try *t, farsum_mesh_info *info)
{
    const farsum_nufft_problem *p = &t->problem;
    farsum_nufft *nufft = NULL;
    struct buf there[3] = {0};
    int64_t nc = 2 * p->channels * t->n, nf = 2 * p->channels * t->modes;
    void *x = packed(t, t->x, 3 * t->n);
    void *c = packed(t, t->c, nc), *f = packed(t, t->f, nf);
    size_t size = p->precision == FARSUM_F32 ? 4 : 8;
    if (farsum_nufft_create(p, &t->options, &nufft) != FARSUM_OK)
        check_stop("create: %s", farsum_message());
    /* results are set, not added */
    memset(p->type == 1 ? f : c, 0xff, (size_t)(p->type == 1 ? nf : nc) * size);
    void *px = placed(t, p->x_memory, x, 3 * t->n, &there[0]);
    void *pc = placed(t, p->c_memory, c, nc, &there[1]);
    void *pf = placed(t, p->f_memory, f, nf, &there[2]);
    CHECK_OK(farsum_nufft_set_points(nufft, t->n, px));
    /* repeated work on a device may become a graph */
    for (int again = 0; again < (t->options.on_device ? 4 : 1); again++)
        CHECK_OK(farsum_nufft_execute(nufft, pc, pf));
    CHECK_OK(farsum_nufft_finish(nufft));
    if (info)
        CHECK_OK(farsum_nufft_get_info(nufft, info));
    taken(x, &there[0]);
    taken(c, &there[1]);
    taken(f, &there[2]);
    unpack(t, c, t->c, nc);
    unpack(t, f, t->f, nf);
    farsum_nufft_destroy(nufft);
    free(x);
    free(c);
    free(f);
}

/* e^(i sign k x_d) for all k along an axis. */
static void powers(const struct try *t, int64_t j, int d, double complex *e)
{
    int64_t n = t->problem.modes[d];
    for (int64_t i = 0; i < n; i++)
        e[i] =
            cexp(I * t->problem.sign * (double)(i - n / 2) * t->x[3 * j + d]);
}

/* The direct sums, into `want`. */
static void direct(const struct try *t, double complex *want)
{
    const int64_t *N = t->problem.modes;
    double complex *e[3];
    for (int d = 0; d < 3; d++)
        e[d] = check_memory((size_t)N[d], sizeof **e);
    for (int64_t j = 0; j < t->n; j++) {
        for (int d = 0; d < 3; d++)
            powers(t, j, d, e[d]);
        for (int ch = 0; ch < t->problem.channels; ch++) {
            const double complex c = t->c[ch * t->n + j];
            int64_t k = ch * t->modes;
            for (int64_t a = 0; a < N[0]; a++)
                for (int64_t b = 0; b < N[1]; b++) {
                    double complex ab = e[0][a] * e[1][b];
                    for (int64_t z = 0; z < N[2]; z++, k++)
                        if (t->problem.type == 1)
                            want[k] += c * (ab * e[2][z]);
                        else
                            want[ch * t->n + j] += t->f[k] * (ab * e[2][z]);
                }
        }
    }
    for (int d = 0; d < 3; d++)
        free(e[d]);
}

double error(struct try *t, farsum_mesh_info *info)
{
    int64_t n = t->problem.channels * (t->problem.type == 1 ? t->modes : t->n);
    double complex *want = check_memory((size_t)n, sizeof *want);
    double off = 0, all = 0;
    direct(t, want);
    run(t, info);
    const double complex *got = t->problem.type == 1 ? t->f : t->c;
    for (int64_t i = 0; i < n; i++) {
        off += pow(cabs(got[i] - want[i]), 2);
        all += pow(cabs(want[i]), 2);
    }
    free(want);
    return sqrt(off / all);
}
