/* SPDX-License-Identifier: Apache-2.0 */
/* kiss: KISS FFT (Borgerding), lines of all meshes shared by threads, always in
 * f64.  For users whom FFTW's licence does not suit. */
#include "base/mem.h"
#include "base/par.h"
#include "stage/fft/copy.h"
#include "stage/fft/kiss_line.h"

struct worker {
    struct kiss_line *line[3][2]; /* owned: axis, backward */
    double *in, *out;             /* owned */
};

struct state {
    struct fft_args args;
    struct worker *worker; /* owned, [threads] */
    struct fft_copy copy;
};

static double kiss_cost(const void *args)
{
    return fft_cost(args, 0.7e9);
}

static int64_t kiss_longest(const struct fft_args *a)
{
    int64_t n = a->mesh[0] > a->mesh[1] ? a->mesh[0] : a->mesh[1];
    return a->mesh[2] > n ? a->mesh[2] : n;
}

static int64_t kiss_bytes(const void *args)
{
    const struct fft_args *a = args;
    int64_t lines = a->mesh[0] + a->mesh[1] + a->mesh[2];
    return a->threads * (32 * kiss_longest(a) + 48 * lines)
           + fft_copy_bytes(a);
}

static void kiss_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    for (int t = 0; s->worker && t < s->args.threads; t++) {
        for (int d = 0; d < 6; d++)
            kiss_line_destroy(s->worker[t].line[d / 2][d % 2]);
        mem_free(s->worker[t].in);
        mem_free(s->worker[t].out);
    }
    mem_free(s->worker);
    fft_copy_clear(&s->copy);
    mem_free(s);
}

static farsum_status kiss_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *(const struct fft_args *)args;
    GO(MEM_NEW(s->worker, s->args.threads));
    for (int t = 0; t < s->args.threads; t++) {
        struct worker *w = &s->worker[t];
        GO(MEM_RAW(w->in, 2 * kiss_longest(&s->args)));
        GO(MEM_RAW(w->out, 2 * kiss_longest(&s->args)));
        for (int d = 0; d < 6; d++) {
            w->line[d / 2][d % 2] = kiss_line_create(s->args.mesh[d / 2],
                                                     d % 2);
            if (!w->line[d / 2][d % 2])
                GO_FAIL(ERR_MEMORY, "fft kiss: no memory for %lld points",
                        (long long)s->args.mesh[d / 2]);
        }
    }
    GO(fft_copy_create(&s->copy, &s->args));
    *state = s;
    s = NULL;
done:
    kiss_destroy(s);
    return status;
}

static inline double kiss_get(int f32, const void *data, int64_t k)
{
    return f32 ? (double)((const float *)data)[k] : ((const double *)data)[k];
}

static inline void kiss_put(int f32, void *data, int64_t k, double v)
{
    if (f32)
        ((float *)data)[k] = (float)v;
    else
        ((double *)data)[k] = v;
}

/* The z axis, two real rows per transform, at a and b: one as real, one as
 * imaginary part; a = b: one row.  Forward: with Z = F(a + i b), F(a) = (Z_k +
 * conj Z_-k)/2 and F(b) = (Z_k - conj Z_-k)/2i. */
static void kiss_rows_forward(const struct state *s, struct worker *w,
                              void *data, int64_t a, int64_t b)
{
    int64_t n = s->args.mesh[2];
    int f32 = s->args.precision == FARSUM_F32;
    for (int64_t m = 0; m < n; m++) {
        w->in[2 * m] = kiss_get(f32, data, a + m);
        w->in[2 * m + 1] = kiss_get(f32, data, b + m);
    }
    kiss_line_run(w->line[2][0], w->in, w->out);
    for (int64_t k = 0; k <= n / 2; k++) {
        int64_t r = k ? n - k : 0;
        double re = w->out[2 * k], im = w->out[2 * k + 1];
        double rre = w->out[2 * r], rim = w->out[2 * r + 1];
        kiss_put(f32, data, a + 2 * k, (re + rre) / 2);
        kiss_put(f32, data, a + 2 * k + 1, (im - rim) / 2);
        if (b == a)
            continue;
        kiss_put(f32, data, b + 2 * k, (im + rim) / 2);
        kiss_put(f32, data, b + 2 * k + 1, (rre - re) / 2);
    }
}

/* The reverse: Z = A + i B over all k, A_-k = conj A_k. */
static void kiss_rows_backward(const struct state *s, struct worker *w,
                               void *data, int64_t a, int64_t b)
{
    int64_t n = s->args.mesh[2];
    int f32 = s->args.precision == FARSUM_F32;
    for (int64_t k = 0; k <= n / 2; k++) {
        int64_t r = k ? n - k : 0;
        /* for modes 0 and n/2 a real transform has only the real part */
        double on = k == 0 || 2 * k == n ? 0 : 1;
        double are = kiss_get(f32, data, a + 2 * k);
        double aim = on * kiss_get(f32, data, a + 2 * k + 1);
        double bre = kiss_get(f32, data, b + 2 * k);
        double bim = on * kiss_get(f32, data, b + 2 * k + 1);
        w->in[2 * k] = are - bim;
        w->in[2 * k + 1] = aim + bre;
        w->in[2 * r] = on != 0 ? are + bim : w->in[2 * r];
        w->in[2 * r + 1] = on != 0 ? bre - aim : w->in[2 * r + 1];
    }
    kiss_line_run(w->line[2][1], w->in, w->out);
    for (int64_t m = 0; m < n; m++) {
        kiss_put(f32, data, a + m, w->out[2 * m]);
        if (b != a)
            kiss_put(f32, data, b + m, w->out[2 * m + 1]);
    }
}

/* Transforms one complex line of the mesh at `start`.  Axes 0 and 1: `at`
 * counts the used points of the plane across the axis, those of a row fastest.
 * Axis 2: `at` counts rows. */
static void kiss_axis_line(const struct state *s, struct worker *w, void *data,
                           int64_t start, int axis, int backward, int64_t at)
{
    const int64_t *mesh = s->args.mesh;
    int64_t half = fft_half(&s->args), n = mesh[axis], ldz = s->args.ldz;
    int64_t step = axis == 0 ? mesh[1] * ldz : axis == 1 ? ldz : 2;
    int64_t base = axis == 2 ? at * ldz
                             : at / half * (axis == 0 ? ldz : mesh[1] * ldz)
                                   + 2 * (at % half);
    base += start;
    int f32 = s->args.precision == FARSUM_F32;
    for (int64_t m = 0; m < n; m++) {
        w->in[2 * m] = kiss_get(f32, data, base + m * step);
        w->in[2 * m + 1] = kiss_get(f32, data, base + m * step + 1);
    }
    kiss_line_run(w->line[axis][backward], w->in, w->out);
    for (int64_t m = 0; m < n; m++) {
        kiss_put(f32, data, base + m * step, w->out[2 * m]);
        kiss_put(f32, data, base + m * step + 1, w->out[2 * m + 1]);
    }
}

static void kiss_axis(struct state *s, void *data, int count, int axis,
                      int backward)
{
    const int64_t *mesh = s->args.mesh;
    if (mesh[axis] == 1) /* the identity */
        return;
    int64_t step = fft_step(&s->args);
    int64_t lines = axis == 2 ? mesh[0] * mesh[1]
                              : mesh[axis == 0 ? 1 : 0] * fft_half(&s->args);
    PAR_FOR(s->args.threads, schedule(static))
    for (int64_t at = 0; at < count * lines; at++)
        kiss_axis_line(s, &s->worker[omp_get_thread_num()], data,
                       at / lines * step, axis, backward, at % lines);
}

static void kiss_rows(struct state *s, void *data, int count, int backward)
{
    int64_t rows = s->args.mesh[0] * s->args.mesh[1], pairs = (rows + 1) / 2;
    int64_t ldz = s->args.ldz, step = fft_step(&s->args);
    PAR_FOR(s->args.threads, schedule(static))
    for (int64_t at = 0; at < count * pairs; at++) {
        struct worker *w = &s->worker[omp_get_thread_num()];
        int64_t row = at % pairs * 2, a = at / pairs * step + row * ldz;
        int64_t b = row + 1 < rows ? a + ldz : a;
        if (backward)
            kiss_rows_backward(s, w, data, a, b);
        else
            kiss_rows_forward(s, w, data, a, b);
    }
}

static void kiss_transform(void *state, void *data, int count, int backward)
{
    struct state *s = state;
    for (int axis = 0; s->args.is_complex && axis < 3; axis++)
        kiss_axis(s, data, count, axis, backward);
    if (s->args.is_complex)
        return;
    if (backward) {
        kiss_axis(s, data, count, 0, 1);
        kiss_axis(s, data, count, 1, 1);
    }
    kiss_rows(s, data, count, backward);
    if (!backward) {
        kiss_axis(s, data, count, 1, 0);
        kiss_axis(s, data, count, 0, 0);
    }
}

static farsum_status kiss_run(void *state, const void *io)
{
    struct state *s = state;
    return fft_copy_run(&s->copy, &s->args, io, kiss_transform, s);
}

const struct variant fft_kiss = {
    .cost = kiss_cost,
    .bytes = kiss_bytes,
    .create = kiss_create,
    .run = kiss_run,
    .destroy = kiss_destroy,
    .deterministic = 1,
    .needs = "",
};
