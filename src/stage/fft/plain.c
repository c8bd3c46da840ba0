/* SPDX-License-Identifier: Apache-2.0 */
/* plain: reference variant.  Each axis is summed directly, n^2 per line, any
 * size: the definition for the others.  Never the fastest; needs no library. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "stage/fft/copy.h"

struct state {
    struct fft_args args;
    double *line[2], *root[3]; /* owned: lines; cos, sin of 2 pi k / n */
    struct fft_copy copy;
};

static double plain_cost(const void *args)
{
    const struct fft_args *a = args;
    double n = (double)a->mesh[0] * (double)a->mesh[1] * (double)a->mesh[2];
    double each = a->is_complex ? 8e-9 : 4e-9;
    return each * n * (double)(a->mesh[0] + a->mesh[1] + a->mesh[2])
           + fft_copy_cost(a);
}

static int64_t plain_bytes(const void *args)
{
    const struct fft_args *a = args;
    return 48 * (a->mesh[0] + a->mesh[1] + a->mesh[2]) + fft_copy_bytes(a);
}

static void plain_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    for (int d = 0; d < 3; d++)
        mem_free(s->root[d]);
    mem_free(s->line[0]);
    mem_free(s->line[1]);
    fft_copy_clear(&s->copy);
    mem_free(s);
}

static farsum_status plain_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *(const struct fft_args *)args;
    int64_t longest = 0;
    for (int d = 0; d < 3; d++) {
        int64_t n = s->args.mesh[d];
        longest = n > longest ? n : longest;
        GO(MEM_RAW(s->root[d], 2 * n));
        for (int64_t k = 0; k < n; k++) {
            s->root[d][2 * k] = cos(2 * M_PI * (double)k / (double)n);
            s->root[d][2 * k + 1] = sin(2 * M_PI * (double)k / (double)n);
        }
    }
    GO(MEM_RAW(s->line[0], 2 * longest));
    GO(MEM_RAW(s->line[1], 2 * longest));
    GO(fft_copy_create(&s->copy, &s->args));
    *state = s;
    s = NULL;
done:
    plain_destroy(s);
    return status;
}

/* out_k = sum_m in_m e^{sign i 2 pi k m / n} */
static void plain_dft(const double *root, int64_t n, double sign,
                      const double *in, double *out)
{
    for (int64_t k = 0; k < n; k++) {
        double re = 0, im = 0;
        for (int64_t m = 0, at = 0; m < n; m++) {
            double c = root[2 * at], s = sign * root[2 * at + 1];
            re += in[2 * m] * c - in[2 * m + 1] * s;
            im += in[2 * m] * s + in[2 * m + 1] * c;
            at += k;
            at -= at >= n ? n : 0;
        }
        out[2 * k] = re;
        out[2 * k + 1] = im;
    }
}

static double plain_get(const struct state *s, const void *data, int64_t k)
{
    return s->args.precision == FARSUM_F32 ? (double)((const float *)data)[k]
                                           : ((const double *)data)[k];
}

static void plain_put(const struct state *s, void *data, int64_t k, double v)
{
    if (s->args.precision == FARSUM_F32)
        ((float *)data)[k] = (float)v;
    else
        ((double *)data)[k] = v;
}

/* Transforms the z axis: real to half a complex line, or back. */
static void plain_real(struct state *s, void *data, int64_t base, int backward)
{
    int64_t n = s->args.mesh[2], half = n / 2 + 1;
    double *in = s->line[0], *out = s->line[1];
    for (int64_t m = 0; m < n; m++) {
        int64_t k = m < half ? m : n - m;
        in[2 * m] = plain_get(s, data, backward ? base + 2 * k : base + m);
        in[2 * m + 1] = backward ? (m < half ? 1 : -1)
                                       * plain_get(s, data, base + 2 * k + 1)
                                 : 0;
    }
    plain_dft(s->root[2], n, backward ? 1 : -1, in, out);
    for (int64_t m = 0; backward && m < n; m++)
        plain_put(s, data, base + m, out[2 * m]);
    for (int64_t m = 0; !backward && m < 2 * half; m++)
        plain_put(s, data, base + m, out[m]);
}

static void plain_axis(struct state *s, void *data, int axis, double sign)
{
    const int64_t *mesh = s->args.mesh;
    int64_t n = mesh[axis], ldz = s->args.ldz;
    int64_t half = axis == 2 ? 1 : fft_half(&s->args);
    int64_t step = axis == 0 ? mesh[1] * ldz : axis == 1 ? ldz : 2;
    int64_t next = axis == 1 ? mesh[1] * ldz : ldz;
    int64_t others = axis == 0   ? mesh[1]
                     : axis == 1 ? mesh[0]
                                 : mesh[0] * mesh[1];
    for (int64_t o = 0; o < others; o++)
        for (int64_t k = 0; k < half; k++) {
            int64_t base = o * next + 2 * k;
            for (int64_t m = 0; m < 2 * n; m++)
                s->line[0][m] = plain_get(s, data,
                                          base + m / 2 * step + m % 2);
            plain_dft(s->root[axis], n, sign, s->line[0], s->line[1]);
            for (int64_t m = 0; m < 2 * n; m++)
                plain_put(s, data, base + m / 2 * step + m % 2, s->line[1][m]);
        }
}

static void plain_mesh(struct state *s, void *data, int backward)
{
    int64_t rows = s->args.mesh[0] * s->args.mesh[1];
    for (int axis = 0; s->args.is_complex && axis < 3; axis++)
        plain_axis(s, data, axis, backward ? 1 : -1);
    if (s->args.is_complex)
        return;
    if (backward) {
        plain_axis(s, data, 0, 1);
        plain_axis(s, data, 1, 1);
    }
    for (int64_t r = 0; r < rows; r++)
        plain_real(s, data, r * s->args.ldz, backward);
    if (!backward) {
        plain_axis(s, data, 1, -1);
        plain_axis(s, data, 0, -1);
    }
}

static void plain_transform(void *state, void *data, int count, int backward)
{
    struct state *s = state;
    int64_t real = s->args.precision == FARSUM_F32 ? 4 : 8;
    for (int k = 0; k < count; k++)
        plain_mesh(s, (char *)data + k * fft_step(&s->args) * real, backward);
}

static farsum_status plain_run(void *state, const void *io)
{
    struct state *s = state;
    return fft_copy_run(&s->copy, &s->args, io, plain_transform, s);
}

const struct variant fft_plain = {
    .cost = plain_cost,
    .bytes = plain_bytes,
    .create = plain_create,
    .run = plain_run,
    .destroy = plain_destroy,
    .deterministic = 1,
    .needs = "",
};
