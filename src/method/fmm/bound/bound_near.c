/* SPDX-License-Identifier: Apache-2.0 */
/* bound_near.c: bound of the rounding error of near pairs at any target,
 * (10.44) of math.md. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "base/arrays.h"
#include "method/fmm/bound/bound.h"
#include "stage/p2p/host_simd_kern.h"

/* Rounding errors of one term of a potential and of a field.  The cube of the
 * inverse root has three times the 9 of a term. */
enum { TERM = 9, TERM_FIELD = 40 };
/* In a periodic cell the far field cancels most of the near pairs' sum, images
 * included.  The far field is as large and has more rounding errors. */
enum { FAR = 256 };
/* Factor over the root mean square of independent rounding errors; RMS of one,
 * over a unit; RMS of a coordinate below 1, whose last bit is that of 1. */
#define LAMBDA 4
#define ONE 0.42
#define PLACE 0.29

struct near_job {
    const struct task *task;
    const struct tree *t;
    const double *q;   /* caller's order; NULL: unknown */
    double like, mean; /* root mean square, mean */
    int field;
    double unit;        /* half a last bit of 1 */
    double edge;        /* the length that positions are rounded relative to */
    double place, skip; /* of a leaf: that rounding in units of h; squared
                           distance below which pairs are skipped */
    double lanes;       /* SIMD lanes or threads that share the terms of a
                           chunk */
    int64_t chunk;      /* terms after which partial sums are flushed */
};

/* Sums over a target's near sources: squares of the terms, squares of their
 * changes with the positions, squares of the rounded partial sums.  For unknown
 * charges, the mean and the variance of a partial sum. */
struct near_sizes {
    double squares, moved, partial;
    double sum[3], vary; /* of the current chunk */
    double most;         /* square of its largest partial sum */
    double all[3], all_vary;
    int64_t n;
};

/* Ends a chunk.  Each lane has as many partial sums as terms, smaller by the
 * lane's share.  Then the lanes are added up, and added to the total. */
static void near_chunk(const struct near_job *job, struct near_sizes *s)
{
    double lanes = job->lanes, all = 0;
    double terms = (double)(s->n < job->chunk ? s->n : job->chunk);
    for (int a = 0; a < 3; a++) {
        s->all[a] += s->sum[a];
        all += s->all[a] * s->all[a];
        s->sum[a] = 0;
    }
    s->all_vary += s->vary;
    s->partial += (terms / lanes + lanes) * s->most + all + s->all_vary;
    s->vary = s->most = 0;
}

/* Error of a distance r between leaves, in units of h: of coordinates up to 1/2
 * + r, relative to a box's centre, and of the input positions. */
static double near_step(const struct near_job *job, double r, int own)
{
    double place = job->unit * PLACE * (0.5 + r);
    if (own)
        place = ONE * 0x1p-35 + 0x1p-24 * PLACE * r;
    return LAMBDA * M_SQRT2 * (place + job->place);
}

/* Adds one source at d, r2 = d.d, to the target's sums. */
static void near_term(const struct near_job *job, const double d[3], double r2,
                      int64_t j, int own, struct near_sizes *sum)
{
    double step = near_step(job, sqrt(r2), own);
    double q = job->q ? job->q[job->t->source.order[j]] : job->mean;
    double over = 1 / sqrt(r2), g = job->field ? over * over : over, now = 0;
    double spare = job->q ? 0 : job->like * job->like - q * q;
    double one = (q * q + fmax(spare, 0)) * g * g;
    /* a pair nearer than computed has a larger slope */
    double sure = 1 / fmax(1 - step * over, 0.5);
    double moved = (job->field ? 2 * sure : 1) * sure * step * over;
    sum->squares += one;
    sum->moved += one * moved * moved;
    sum->vary += fmax(spare, 0) * g * g;
    for (int a = 0; a < (job->field ? 3 : 1); a++) {
        sum->sum[a] += job->field ? q * g * over * d[a] : q * g;
        now += sum->sum[a] * sum->sum[a];
    }
    sum->most = fmax(sum->most, now + sum->vary);
    if (++sum->n % job->chunk == 0)
        near_chunk(job, sum);
}

static void near_leaf(const struct near_job *job, const struct tree_near *near,
                      int own, int64_t i, struct near_sizes *sum)
{
    const struct tree_points *s = &job->t->source, *t = tree_targets(job->t);
    farsum_precision type = job->task->problem.precision;
    double x[3], d[3];
    for (int a = 0; a < 3; a++)
        x[a] = array_get(t->x[a], type, i) - near->offset[a]
               + (own ? (double)tree_low_part(t->low[i], a) : 0);
    for (int64_t j = s->begin[near->leaf]; j < s->begin[near->leaf + 1]; j++) {
        double r2 = 0;
        for (int a = 0; a < 3; a++) {
            d[a] = x[a] - near->scale * array_get(s->x[a], type, j)
                   - (own ? (double)tree_low_part(s->low[j], a) : 0);
            r2 += d[a] * d[a];
        }
        if (r2 > job->skip)
            near_term(job, d, r2, j, own, sum);
    }
}

static double near_target(const struct near_job *job,
                          const struct tree_near *near, int64_t n_near,
                          int64_t leaf, int64_t i)
{
    struct near_sizes sum = {0};
    for (int64_t e = 0; e < n_near; e++) {
        int own = job->t->source.low && near[e].leaf == leaf
                  && near[e].offset[0] == 0 && near[e].offset[1] == 0
                  && near[e].offset[2] == 0;
        near_leaf(job, &near[e], own, i, &sum);
    }
    near_chunk(job, &sum);
    double terms = (job->field ? TERM_FIELD : TERM) * sum.squares;
    for (int a = 0; a < 3 && job->edge > 0; a++)
        terms += FAR * (sum.all[a] * sum.all[a] + sum.all_vary / 3);
    return sqrt(sum.moved)
           + LAMBDA * ONE * job->unit * sqrt(terms + sum.partial);
}

/* The strength of target i; separate targets: the RMS strength. */
static double near_own(const struct near_job *job, int64_t i)
{
    if (!job->field)
        return 1;
    return job->q && !job->t->separate
               ? fabs(job->q[tree_targets(job->t)->order[i]])
               : job->like;
}

static void near_job_set(struct near_job *job, const struct fmm *s)
{
    const struct task *task = job->task;
    int f32 = task->problem.precision == FARSUM_F32;
    const struct choice *pairs = &s->choice[FMM_P2P];
    job->mean = s->input.q1;
    job->chunk = INT64_MAX;
    job->lanes = 1;
    job->unit = f32 ? 0x1p-24 : 0x1p-53;
    /* positions in a cell are wrapped, which rounds them; in open space the
     * boxes' centres are subtracted from the input positions */
    job->edge = 0;
    for (int d = 0; d < 3 && s->input.periodic; d++)
        job->edge = fmax(job->edge, s->input.edge[d]);
    if (s->input.periodic)
        job->edge = fmax(job->edge, s->strict->reach);
    job->edge *= M_SQRT2;
    if (pairs->row && strcmp(pairs->row->name, "host_simd") == 0) {
        job->chunk = SIMD_CHUNK;
        job->lanes = (double)(16 << task->isa) / (f32 ? 4 : 8);
    }
}

farsum_status strict_rounded(const struct task *task, const struct fmm *s,
                             const struct tree *tree, const double *q,
                             double like, double *bound)
{
    farsum_status status = FARSUM_OK;
    struct near_job job = {.task = task,
                           .t = tree,
                           .q = q,
                           .like = like,
                           .field = strict_field(task)};
    const struct tree_points *t = tree_targets(tree);
    int64_t each = tree_near_most(tree);
    struct tree_near *near = NULL;
    double most = 0;
    *bound = 0;
    if (s->gpu)
        return FARSUM_OK;
    near_job_set(&job, s);
    GO(MEM_RAW(near, each * task->threads));
    PAR_FOR(task->threads, schedule(dynamic, 16) reduction(max : most))
    for (int64_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        struct tree_near *mine = near + each * omp_get_thread_num();
        int64_t n_near = tree_near(tree, leaf, mine);
        double h = tree_h(tree, tree_level(tree, tree_leaf_box(tree, leaf)));
        struct near_job here = job;
        here.place = PLACE * 0x1p-53 * job.edge / h;
        here.skip = p2p_skip(&s->pairs, h);
        for (int64_t i = t->begin[leaf]; i < t->begin[leaf + 1]; i++)
            most = fmax(most, near_own(&here, i)
                                  * near_target(&here, mine, n_near, leaf, i)
                                  / (job.field ? h * h : h));
    }
    *bound = most;
done:
    mem_free(near);
    return status;
}
