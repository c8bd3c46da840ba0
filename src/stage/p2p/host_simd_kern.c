/* SPDX-License-Identifier: Apache-2.0 */
/* host_simd_kern.c: the pairs of one leaf of targets.
 *
 * Sources of all near leaves are copied contiguously, in the frame of the
 * targets' leaf, so that vectors are full however few a leaf holds.  One target
 * at a time: two or four that share a vector of sources are no faster, since
 * they spill registers.  In f32 the leaf's own sources come last, with the low
 * bits of their positions. */
#include "stage/p2p/host_simd_kern.h"

#include "base/simd.h"

struct job {
    real *chunk;
    int n, rhs; /* sources; sets of strengths, or numbers per source */
    int softened; /* as in sum_target */
    int own;    /* 1: sources of the leaf itself, with the low bits of their
                   positions */
    vreal soft, skip;
    vreal per[3];        /* balls of radius e: e^-2, e^-1, e^-3 */
    double value, slope; /* factors of the sums */
    const real *t[3];
    const uint32_t *low;
    real *potential, *field; /* of the first set; NULL: not wanted */
    int64_t n_targets;
    /* another kernel than 1/r: its sums, and p2p_outputs */
    void (*pairs)(const struct job *job, int64_t begin, int64_t end);
    double *to[P2P_VALUES], unit[P2P_VALUES], strength[P2P_STRENGTHS];
};

/* 1/sqrt(x) to rounding.  In f64 one step of fifth order in h = 1 - x y^2, |h|
 * below 8e-4.  It leaves 63/256 h^5, 6e-17, and takes two operations less than
 * v_rsqrt's two steps. */
SIMD_FN vreal sum_rsqrt(vreal x)
{
#if FARSUM_BITS == 64
    vreal y = v_rsqrt_seed(x), h = R(1) - x * y * y;
    vreal p = (R(0.2734375) * h + R(0.3125)) * h + R(0.375);
    return y + y * h * (p * h + R(0.5));
#else
    return v_rsqrt(x);
#endif
}

#define FN SIMD_FN
#define SOFTEN_REAL vreal
#include "math/soften.kh"

/* Sums target i; all arguments except job and i are compile-time constants.
 * softened: 1: Plummer; 2: balls. */
SIMD_FN void sum_target(const struct job *job, int64_t i, int rhs, int softened,
                        int field, int own)
{
    vreal x[3], low[3], sum[SIMD_RHS][4] = {{{0}}};
    for (int a = 0; a < 3; a++)
        x[a] = v_set(job->t[a][i]);
    for (int a = 0; own && a < 3; a++)
        low[a] = v_set((real)tree_low_part(job->low[i], a));
    for (int j = 0; j < job->n; j += W) {
        const real *s = job->chunk + j;
        vreal dx = x[0] - v_load(s), dy = x[1] - v_load(s + SIMD_ROW);
        vreal dz = x[2] - v_load(s + 2 * SIMD_ROW);
        if (own) {
            dx += low[0] - v_load(s + (SIMD_LOW + 0) * SIMD_ROW);
            dy += low[1] - v_load(s + (SIMD_LOW + 1) * SIMD_ROW);
            dz += low[2] - v_load(s + (SIMD_LOW + 2) * SIMD_ROW);
        }
        vreal d2 = dx * dx + (dy * dy + dz * dz);
        vmask apart = d2 > job->skip;
        vreal y =
            v_where(apart, sum_rsqrt(softened == 1 ? d2 + job->soft : d2));
        vreal y2 = y * y;
        if (softened == 2) { /* y2 becomes the slope over y */
            vmask in = apart & (d2 < job->soft);
            vreal w = d2 * job->per[0], v = soften_value(w) * job->per[1];
            y2 = v_select(in, soften_slope(w) * job->per[2] / v, y2);
            y = v_select(in, v, y);
        }
        for (int r = 0; r < rhs; r++) {
            vreal qy = v_load(s + (3 + r) * SIMD_ROW) * y;
            sum[r][3] += qy;
            if (!field)
                continue;
            vreal g = qy * y2;
            sum[r][0] += g * dx;
            sum[r][1] += g * dy;
            sum[r][2] += g * dz;
        }
    }
    int64_t m = job->n_targets;
    for (int r = 0; r < rhs; r++) {
        if (job->potential)
            job->potential[r * m + i] += (real)(job->value * v_sum(sum[r][3]));
        for (int a = 0; field && a < 3; a++)
            job->field[(3 * r + a) * m + i] +=
                (real)(job->slope * v_sum(sum[r][a]));
    }
}

#if FARSUM_BITS == 32
#define SUM_OWN(job, i, rhs, softened, field)                                  \
    if ((job)->own) {                                                          \
        sum_target(job, i, rhs, softened, field, 1);                           \
        continue;                                                              \
    }
#else
#define SUM_OWN(job, i, rhs, softened, field)
#endif
#define SUM_ALL(rhs, softened, field)                                          \
    static void sum_##rhs##_##softened##_##field(const struct job *job,        \
                                                 int64_t begin, int64_t end)   \
    {                                                                          \
        for (int64_t i = begin; i < end; i++) {                                \
            SUM_OWN(job, i, rhs, softened, field)                              \
            sum_target(job, i, rhs, softened, field, 0);                       \
        }                                                                      \
    }
#define SUM_RHS(rhs)                                                           \
    SUM_ALL(rhs, 0, 0)                                                         \
    SUM_ALL(rhs, 0, 1)                                                         \
    SUM_ALL(rhs, 1, 0)                                                         \
    SUM_ALL(rhs, 1, 1)                                                         \
    SUM_ALL(rhs, 2, 0)                                                         \
    SUM_ALL(rhs, 2, 1)
SUM_RHS(1)
SUM_RHS(2)
SUM_RHS(3)
SUM_RHS(4)

#define SUM_ROW(rhs)                                                           \
    {                                                                          \
        {sum_##rhs##_0_0, sum_##rhs##_0_1},                                    \
            {sum_##rhs##_1_0, sum_##rhs##_1_1},                                \
        {                                                                      \
            sum_##rhs##_2_0, sum_##rhs##_2_1                                   \
        }                                                                      \
    }
static void (*const sums[SIMD_RHS][3][2])(const struct job *, int64_t,
                                          int64_t) = {SUM_ROW(1), SUM_ROW(2),
                                                      SUM_ROW(3), SUM_ROW(4)};

#if FARSUM_BITS == 64
#define PAIR_REAL vreal
#include "stage/p2p/pairs.kh"

/* Sums target i of another kernel than 1/r. */
SIMD_FN void pair_target(const struct job *job, int64_t i, int strengths,
                         int values, p2p_pair *pair)
{
    vreal x[3], sum[P2P_VALUES] = {{0}};
    for (int a = 0; a < 3; a++)
        x[a] = v_set(job->t[a][i]);
    for (int j = 0; j < job->n; j += W) {
        const real *s = job->chunk + j;
        vreal d[3], q[P2P_STRENGTHS], d2 = v_set(0);
        for (int a = 0; a < 3; a++) {
            d[a] = x[a] - v_load(s + a * SIMD_ROW);
            d2 += d[a] * d[a];
        }
        for (int c = 0; c < strengths; c++)
            q[c] = v_load(s + (3 + c) * SIMD_ROW);
        pair(d, v_where(d2 > job->skip, sum_rsqrt(d2)), q, sum);
    }
    for (int a = 0; a < values; a++)
        if (job->to[a])
            job->to[a][i] += job->unit[a] * v_sum(sum[a]);
}

#define PAIRS(name, strengths, values)                                         \
    static void pairs_##name(const struct job *job, int64_t begin,             \
                             int64_t end)                                      \
    {                                                                          \
        for (int64_t i = begin; i < end; i++)                                  \
            pair_target(job, i, strengths, values, p2p_##name);                \
    }
P2P_KERNELS(PAIRS)

/* Sets what a leaf of edge h needs of another kernel than 1/r. */
static void job_pairs(const struct simd_thread *thread, double h,
                      struct job *job)
{
    static void (*const rows[])(const struct job *, int64_t, int64_t) = {
#define ROW(name, strengths, values) pairs_##name,
        P2P_KERNELS(ROW)
#undef ROW
    };
    job->pairs = rows[p2p_kernel(thread->args)];
    p2p_outputs(thread->args, thread->io, h, job->to, job->unit, job->strength);
}
#else
static void job_pairs(const struct simd_thread *thread, double h,
                      struct job *job)
{
    (void)thread, (void)h, (void)job; /* p2p_check has refused f32 */
}
#endif

/* Fills the last vector with distant sources of strength 0. */
static void job_flush(struct job *job, int64_t begin, int64_t end)
{
    for (int k = job->n; k % W != 0; k++) {
        for (int row = 0; row < 3 + job->rhs; row++)
            job->chunk[row * SIMD_ROW + k] = row < 3 ? R(1e3) : R(0);
        for (int row = SIMD_LOW; job->own && row < SIMD_ROWS; row++)
            job->chunk[row * SIMD_ROW + k] = R(0);
    }
    if (job->n > 0 && job->pairs)
        job->pairs(job, begin, end);
    else if (job->n > 0)
        sums[job->rhs - 1][job->softened][job->field != NULL](job, begin, end);
    job->n = 0;
}

/* Copies n numbers, by whole vectors if the array extends beyond the last of
 * them. */
SIMD_FN void row_copy(real *to, const real *from, int64_t n, int64_t there,
                      real scale, real offset)
{
    int64_t k = 0;
    if (there >= n + W)
        for (; k < n; k += W)
            v_store(to + k, v_load(from + k) * scale + offset);
    for (; k < n; k++)
        to[k] = from[k] * scale + offset;
}

/* Copies the low bits of the last n sources, from j on. */
static void job_take_low(const struct tree_points *s, const struct job *job,
                         int64_t j, int64_t n)
{
    real *to = job->chunk + SIMD_LOW * SIMD_ROW + job->n - n;
    for (int64_t k = 0; k < n; k++)
        for (int a = 0; a < 3; a++)
            to[a * SIMD_ROW + k] = (real)tree_low_part(s->low[j + k], a);
}

/* Copies sources from j on of a near leaf, as many as fit; returns their
 * number. */
static int64_t job_take(const struct tree *tree, const struct tree_near *near,
                        const real *q, struct job *job, int64_t j)
{
    const struct tree_points *s = &tree->source;
    int64_t n = s->begin[near->leaf + 1] - j, there = s->n - j;
    real *to = job->chunk + job->n, scale = (real)near->scale;
    n = n < SIMD_CHUNK - job->n ? n : SIMD_CHUNK - job->n;
    for (int a = 0; a < 3; a++)
        row_copy(to + a * SIMD_ROW, (const real *)s->x[a] + j, n, there, scale,
                 (real)near->offset[a]);
    for (int r = 0; r < job->rhs; r++)
        row_copy(to + (3 + r) * SIMD_ROW, q + r * s->n + j, n, there,
                 job->pairs ? (real)job->strength[r] : R(1), 0);
    job->n += (int)n;
    if (job->own)
        job_take_low(s, job, j, n);
    return n;
}

/* Adds all sources of a near leaf to targets begin .. end. */
static void job_near(const struct simd_thread *thread, struct job *job,
                     const struct tree_near *near, const real *q, int64_t begin,
                     int64_t end)
{
    const struct tree *tree = thread->io->tree;
    int64_t j = tree->source.begin[near->leaf];
    while (j < tree->source.begin[near->leaf + 1]) {
        j += job_take(tree, near, q, job, j);
        if (job->n == SIMD_CHUNK)
            job_flush(job, begin, end);
    }
}

/* Adds all near leaves to targets begin .. end; the leaf itself last, with its
 * low bits. */
static void job_leaf(const struct simd_thread *thread, struct job *job,
                     int64_t n_near, int64_t leaf, const real *q, int64_t begin,
                     int64_t end)
{
    const struct tree *tree = thread->io->tree;
    for (job->own = 0; job->own < 2; job->own++) {
        for (int64_t e = 0; e < n_near; e++)
            if (p2p_own(tree, &thread->near[e], leaf) == job->own)
                job_near(thread, job, &thread->near[e], q, begin, end);
        job_flush(job, begin, end);
    }
}

static void simd_leaf(const struct simd_thread *thread, int64_t leaf)
{
    const struct p2p_args *args = thread->args;
    const struct p2p_io *io = thread->io;
    const struct tree *tree = io->tree;
    const struct tree_points *t = tree_targets(tree), *s = &tree->source;
    int64_t begin = t->begin[leaf], end = t->begin[leaf + 1];
    if (begin == end)
        return;
    double h = tree_h(tree, tree_level(tree, tree_leaf_box(tree, leaf)));
    double eps = args->softening / h;
    int64_t n_near = tree_near(tree, leaf, thread->near);
    struct job job = {
        .chunk = thread->chunk,
        .softened = args->softening > 0 ? 1 + args->balls : 0,
        .soft = v_set((real)(eps * eps)),
        .skip = v_set((real)p2p_skip(args, h)),
        .per = {v_set((real)(1 / (eps * eps))), v_set((real)(1 / eps)),
                v_set((real)(1 / (eps * eps * eps)))},
        .value = 1 / h,
        .slope = 1 / (h * h),
        .t = {t->x[0], t->x[1], t->x[2]},
        .low = t->low,
        .n_targets = t->n,
    };
    if (args->pair) {
        job_pairs(thread, h, &job);
        job.rhs = p2p_strengths(args);
        job_leaf(thread, &job, n_near, leaf, io->q, begin, end);
        return;
    }
    for (int r = 0; r < args->rhs; r += SIMD_RHS) {
        job.rhs = args->rhs - r < SIMD_RHS ? args->rhs - r : SIMD_RHS;
        job.potential = io->potential ? (real *)io->potential + r * t->n : NULL;
        job.field = io->field ? (real *)io->field + 3 * r * t->n : NULL;
        job_leaf(thread, &job, n_near, leaf, (const real *)io->q + r * s->n,
                 begin, end);
    }
}

const struct simd_kern ISA_NAME(p2p_host_simd) = {simd_leaf};
