/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_rows.c: whole sums on one device, with times and measured errors; one
 * CSV line each.
 *
 *     ewald_rows DEVICE CASE [reference=HOW] [threads=T] [header=0] PLAN...
 *
 *     ewald_rows cuda:0 "stokeslet n=4e6" reference=ewald:1000 tol=1e-9 \
 *         tol=1e-9,split=gaussian tol=1e-3,split=gaussian,s=224,c=41.45,P=8
 *     ewald_rows host data/water_spce_3k.xyz:4 reference=ewald \
 *         want=1e-4,prec=f32
 *
 * CASE: the notation of `farsum help cases`, or FILE.xyz:COPIES.  HOW: the
 * reference for errors (sum_case.h).  PLAN: words separated by commas.
 *     tol=E         tolerance
 *     want=E        measured error; the tolerance is changed a few times until
 *                   the error is below and near E
 *     prec=         f64, f32, mixed or auto
 *     cells=K       device only: cells per cutoff of near variants
 *     split=        split
 *     s=S           cutoff, by the sources in a cube with this edge
 *     c=C           bandwidth
 *     mesh=M        mesh points along each edge
 *     P=P           support
 *     near=, spread=, interp=, fft=      variants
 *     method=       spectral or fmm
 *     fmm only: order=P, separation=W, boxes=K (root boxes along each edge),
 *               levels=L, tree=dense or sparse, leaf=N, m2l=, lattice=
 *     potential=1   also the potential, besides the forces of charges
 *     repeats=R     executes per set of points that the plan expects
 *     tag=WORD      for the report
 *
 * Arrays are f64 and on the device.  total: one execute of many that are
 * enqueued one after another.  one: an execute that is waited for.  set: new
 * positions in an unrelated order.  again: the same positions once more.  All
 * are minima, in ms.  A stage's time is from the plan's clocks in the last
 * execute.  Forces (laplace) or velocities are summed, and errors are
 * theirs. */
#include "sum_case.h"

#include "base/clock.h"
#include "device/buf.h"
#include "farsum/device.h"
#include "plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 3, TRIES = 5, WORDS = 12 };
#define LONG 0.3 /* approximate seconds of a batch */

struct asked {
    const char *text;
    char word[WORDS][40]; /* its words, ending with 0 */
    double tolerance, want, s, c;
    int mesh, support, order, separation, boxes, levels, leaf, potential;
    int cells, repeats;
    farsum_precision precision;
    const char *split, *near, *spread, *fft, *interp, *tag, *method, *m2l;
    const char *lattice, *tree;
};

struct whole {
    struct sum_case c;
    const char *device;
    farsum_device *on; /* NULL: the host */
    int threads;
    double *v, *phi, *back; /* results; positions in the opposite order */
    struct buf x_there, back_there, q_there, v_there, phi_there;
};

struct timed {
    double total, one, set, again, error;
    farsum_plan_info info;
    char line[2400];
};

static const char *value(const char *word, const char *name)
{
    size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && word[length] == '='
               ? word + length + 1
               : NULL;
}

static int number(const char *word, const char *name, double *to)
{
    const char *v = value(word, name);
    if (v)
        *to = atof(v);
    return v != NULL;
}

static int text(const char *word, const char *name, const char **to)
{
    const char *v = value(word, name);
    if (v)
        *to = v;
    return v != NULL;
}

static int count(const char *word, const char *name, int *to)
{
    const char *v = value(word, name);
    if (v)
        *to = atoi(v);
    return v != NULL;
}

static const char *const precisions[] = {"", "f64", "f32", "mixed", "auto"};

/* Reads one word of a plan; ends the program if it is unknown. */
static void ask(const char *from, struct asked *a)
{
    const char *at = from, *precision = "f64";
    *a = (struct asked){
        .text = from, .tolerance = 1e-5, .tag = "", .method = "spectral"};
    for (int k = 0; *at; k++) {
        size_t length = strcspn(at, ",");
        char *w = a->word[k < WORDS ? k : WORDS - 1];
        snprintf(w, sizeof a->word[0], "%.*s", (int)length, at);
        if (k == WORDS
            || !(number(w, "tol", &a->tolerance) || number(w, "want", &a->want)
                 || number(w, "s", &a->s) || number(w, "c", &a->c)
                 || count(w, "mesh", &a->mesh) || count(w, "P", &a->support)
                 || text(w, "prec", &precision) || text(w, "split", &a->split)
                 || text(w, "near", &a->near) || text(w, "spread", &a->spread)
                 || text(w, "fft", &a->fft) || text(w, "interp", &a->interp)
                 || text(w, "method", &a->method) || text(w, "m2l", &a->m2l)
                 || text(w, "lattice", &a->lattice) || text(w, "tree", &a->tree)
                 || count(w, "order", &a->order)
                 || count(w, "separation", &a->separation)
                 || count(w, "boxes", &a->boxes)
                 || count(w, "levels", &a->levels) || count(w, "leaf", &a->leaf)
                 || count(w, "potential", &a->potential)
                 || count(w, "repeats", &a->repeats)
                 || count(w, "cells", &a->cells) || text(w, "tag", &a->tag))) {
            fprintf(stderr, "ewald_rows: %s: what is %s?\n", from, w);
            exit(2);
        }
        at += length + (at[length] == ',');
    }
    for (int k = FARSUM_F64; k <= FARSUM_AUTO; k++)
        if (strcmp(precision, precisions[k]) == 0)
            a->precision = (farsum_precision)k;
    if (!a->precision) {
        fprintf(stderr, "ewald_rows: %s: no precision %s\n", from, precision);
        exit(2);
    }
}

static void *there(const struct whole *w, const struct buf *buf, void *host)
{
    return w->on ? buf->handle : host;
}

static farsum_status create(const struct whole *w, const struct asked *a,
                            double tolerance, farsum_plan **plan)
{
    farsum_problem problem = sum_case_problem(&w->c);
    farsum_options how = FARSUM_OPTIONS_INIT;
    const double *h = w->c.p.cell;
    double volume = h[0] * h[4] * h[8]; /* of an orthogonal cell */
    if (a->potential && sum_case_charges(&w->c))
        problem.outputs |= FARSUM_POTENTIAL;
    problem.tolerance = tolerance;
    problem.precision = a->precision;
    problem.arrays = FARSUM_F64;
    problem.memory = w->on ? FARSUM_DEVICE : FARSUM_HOST;
    how.method = a->method;
    how.fmm.order = a->order;
    how.fmm.separation = a->separation;
    how.fmm.levels = a->levels;
    how.fmm.leaf = a->leaf;
    how.fmm.tree = a->tree;
    how.fmm.m2l = a->m2l;
    how.fmm.lattice = a->lattice;
    how.device.handle = w->on;
    how.threads = w->threads;
    how.spectral.split = a->split;
    how.spectral.bandwidth = a->c;
    how.spectral.support = a->support;
    how.spectral.near = a->near;
    how.spectral.near_cells = a->cells;
    how.repeats = a->repeats;
    how.spectral.spread = a->spread;
    how.spectral.fft = a->fft;
    how.spectral.interp = a->interp;
    if (a->s > 0)
        how.cutoff = cbrt(a->s * volume / (double)w->c.p.n);
    for (int d = 0; d < 3; d++)
        how.spectral.mesh[d] = a->mesh, how.fmm.boxes[d] = a->boxes;
    return farsum_plan_create(&problem, &how, plan);
}

/* Seconds of one of `runs` executes, the minimum over a few batches. */
static farsum_status batches(struct whole *w, farsum_plan *plan, int runs,
                             farsum_result *out, double *best)
{
    const void *q = there(w, &w->q_there, w->c.p.q);
    *best = INFINITY;
    for (int b = 0; b < BATCHES; b++) {
        double at = clock_seconds();
        for (int k = 0; k < runs; k++)
            TRY(farsum_plan_execute(plan, 1, q, out));
        TRY(farsum_plan_finish(plan));
        *best = fmin(*best, (clock_seconds() - at) / runs);
    }
    return FARSUM_OK;
}

static farsum_status set_points(struct whole *w, farsum_plan *plan, int back,
                                double *best)
{
    double at = clock_seconds();
    TRY(farsum_plan_set_points(plan, w->c.p.n,
                               back ? there(w, &w->back_there, w->back)
                                    : there(w, &w->x_there, w->c.p.x),
                               0, NULL));
    TRY(farsum_plan_finish(plan));
    *best = fmin(*best, clock_seconds() - at);
    return FARSUM_OK;
}

static farsum_status measure(struct whole *w, const struct asked *a,
                             farsum_plan *plan, struct timed *t)
{
    farsum_result out = FARSUM_RESULT_INIT;
    void *v = there(w, &w->v_there, w->v);
    double ignored = INFINITY;
    if (sum_case_charges(&w->c))
        out.field = v;
    else
        out.velocity = v;
    if (a->potential && sum_case_charges(&w->c))
        out.potential = there(w, &w->phi_there, w->phi);
    t->set = t->again = INFINITY;
    TRY(set_points(w, plan, 0, &ignored));
    for (int k = 0; k < 2; k++) {
        TRY(set_points(w, plan, 1, &ignored));
        TRY(set_points(w, plan, 0, &t->set));
    }
    for (int k = 0; k < 2; k++)
        TRY(set_points(w, plan, 0, &t->again));
    TRY(batches(w, plan, 1, &out, &t->one)); /* the first ones warm up */
    if (w->on)
        TRY(buf_download(&w->v_there, 0, w->v, 24 * w->c.p.n));
    t->error = sum_case_error(&w->c, w->v);
    double runs = fmin(fmax(LONG / BATCHES / t->one, 1), 100);
    TRY(batches(w, plan, (int)runs, &out, &t->total));
    TRY(batches(w, plan, 1, &out, &t->one));
    t->info = (farsum_plan_info)FARSUM_PLAN_INFO_INIT;
    return farsum_plan_get_info(plan, &t->info);
}

static const char *const stages[] = {"near", "spread", "fft", "scale",
                                     "interp"};
enum { STAGES = sizeof stages / sizeof *stages };

#define HEADER                                                                 \
    "device,model,case,n,tag,asked,precision,tolerance,split,s,c,mesh,P,"      \
    "near,spread,fft,scale,interp,near_ms,spread_ms,fft_ms,scale_ms,"          \
    "interp_ms,total_ms,one_ms,set_ms,again_ms,create_s,estimate,error,"       \
    "reference,bytes,threads,method,order,separation,levels,boxes,rows"

/* Names and milliseconds of the stages, by the columns' order. */
static int stages_text(const farsum_plan_info *info, char *to, size_t size)
{
    double ms[STAGES] = {0};
    const char *row[STAGES];
    int at = 0;
    for (int s = 0; s < STAGES; s++) {
        row[s] = "";
        for (int k = 0; k < info->n_stages; k++)
            if (strcmp(info->stages[k].stage, stages[s]) == 0) {
                row[s] = info->stages[k].variant;
                ms[s] += 1e3 * info->stages[k].seconds;
            }
    }
    for (int s = 0; s < STAGES; s++)
        at += snprintf(to + at, size - (size_t)at, "%s,", row[s]);
    for (int s = 0; s < STAGES; s++)
        at += snprintf(to + at, size - (size_t)at, "%.5g,", ms[s]);
    return at;
}

/* All stages of a plan: variant and ms. */
static void rows_text(const farsum_plan_info *info, char *to, size_t size)
{
    to[0] = '\0';
    for (int k = 0, at = 0; k < info->n_stages && at < (int)size; k++)
        at += snprintf(to + at, size - (size_t)at, "%s%s %s %.5g",
                       k ? "; " : "", info->stages[k].stage,
                       info->stages[k].variant, 1e3 * info->stages[k].seconds);
}

static void write_line(const struct whole *w, const struct asked *a,
                       struct timed *t)
{
    const farsum_plan_info *f = &t->info;
    const double *h = w->c.p.cell;
    char *to = t->line, plan[200], rows[600];
    size_t size = sizeof t->line;
    double s = pow(f->cutoff, 3) * (double)w->c.p.n / (h[0] * h[4] * h[8]);
    snprintf(plan, sizeof plan, "%s", a->text);
    for (char *p = plan; *p; p++)
        *p = *p == ',' ? ' ' : *p;
    int at =
        snprintf(to, size,
                 "%s,%s,%s,%lld,%s,%s,%s,%.4g,%s,%.5g,%.5g,"
                 "%lldx%lldx%lld,%d,",
                 f->device, f->device_model ? f->device_model : "", w->c.text,
                 (long long)w->c.p.n, a->tag, plan, precisions[f->precision],
                 f->tolerance, f->split ? f->split : "", s, f->bandwidth,
                 (long long)f->mesh[0], (long long)f->mesh[1],
                 (long long)f->mesh[2], f->support);
    at += stages_text(f, to + at, size - (size_t)at);
    rows_text(f, rows, sizeof rows);
    snprintf(to + at, size - (size_t)at,
             "%.5g,%.5g,%.5g,%.5g,%.3g,%.3g,%.3g,%s,%llu,%d,%s,%d,%d,%d,"
             "%lldx%lldx%lld,%s\n",
             1e3 * t->total, 1e3 * t->one, 1e3 * t->set, 1e3 * t->again,
             f->seconds_create, f->estimated_error, t->error, w->c.reference,
             (unsigned long long)f->bytes, f->threads, a->method, f->order,
             f->separation, f->levels, (long long)f->boxes[0],
             (long long)f->boxes[1], (long long)f->boxes[2], rows);
}

static farsum_status once(struct whole *w, const struct asked *a,
                          double tolerance, struct timed *t)
{
    farsum_status status = FARSUM_OK;
    farsum_plan *plan = NULL;
    *t = (struct timed){.error = -1};
    GO(create(w, a, tolerance, &plan));
    GO(measure(w, a, plan, t));
    write_line(w, a, t); /* the plan owns the names */
done:
    farsum_plan_destroy(plan);
    return status;
}

/* Finds the plan whose measured error is just below the requested one. */
static void row(struct whole *w, const struct asked *a)
{
    struct timed now, best = {.total = INFINITY};
    double tolerance = a->want > 0 ? 1.3 * a->want : a->tolerance;
    for (int k = 0; k < (a->want > 0 ? TRIES : 1); k++) {
        if (once(w, a, tolerance, &now) != FARSUM_OK) {
            fprintf(stderr, "# %s %s at %.3g: %s\n", w->c.text, a->text,
                    tolerance, farsum_message());
            tolerance *= 3; /* this tolerance is out of reach */
            continue;
        }
        if (a->want <= 0 || (now.error <= a->want && now.total < best.total))
            best = now;
        if (now.error <= a->want && now.error > 0.5 * a->want)
            break;
        tolerance *= fmin(fmax(0.8 * a->want / now.error, 0.1), 5);
    }
    if (isfinite(best.total))
        printf("%s", best.line);
    fflush(stdout);
}

static void prepare(struct whole *w)
{
    int64_t n = w->c.p.n, strengths = w->c.p.strengths;
    w->v = malloc((size_t)n * 24);
    w->phi = malloc((size_t)n * 8);
    w->back = malloc((size_t)n * 24);
    if (!w->v || !w->phi || !w->back) {
        fprintf(stderr, "ewald_rows: out of memory\n");
        exit(1);
    }
    for (int64_t i = 0; i < n; i++)
        memcpy(w->back + 3 * i, w->c.p.x + 3 * (n - 1 - i), 24);
    if (device_is_host(w->device))
        return;
    sum_need(farsum_device_open(w->device, &w->on));
    struct device *device = w->on->device;
    sum_need(buf_alloc(&w->x_there, device, 24 * n));
    sum_need(buf_alloc(&w->back_there, device, 24 * n));
    sum_need(buf_alloc(&w->q_there, device, 8 * n * strengths));
    sum_need(buf_alloc(&w->v_there, device, 24 * n));
    sum_need(buf_alloc(&w->phi_there, device, 8 * n));
    sum_need(buf_upload(&w->x_there, 0, w->c.p.x, 24 * n));
    sum_need(buf_upload(&w->back_there, 0, w->back, 24 * n));
    sum_need(buf_upload(&w->q_there, 0, w->c.p.q, 8 * n * strengths));
}

static void clear(struct whole *w)
{
    buf_clear(&w->x_there);
    buf_clear(&w->back_there);
    buf_clear(&w->q_there);
    buf_clear(&w->v_there);
    buf_clear(&w->phi_there);
    farsum_device_close(w->on);
    free(w->v);
    free(w->phi);
    free(w->back);
    sum_case_clear(&w->c);
}

int main(int argc, char **argv)
{
    static struct whole w;
    const char *reference = NULL, *v;
    int header = 1, first = 3;
    if (argc < 4) {
        fprintf(stderr, "usage: ewald_rows DEVICE CASE [reference=HOW] "
                        "[threads=T] [header=0] PLAN...\n");
        return 2;
    }
    for (; first < argc; first++) {
        if ((v = value(argv[first], "reference")))
            reference = v;
        else if (!count(argv[first], "threads", &w.threads)
                 && !count(argv[first], "header", &header))
            break;
    }
    w.device = argv[1];
    sum_case_make(argv[2], &w.c);
    if (reference) {
        double at = clock_seconds();
        sum_case_reference(&w.c, reference, w.device);
        fprintf(stderr, "# %s: reference %s, %.2f s\n", argv[2], reference,
                clock_seconds() - at);
    }
    prepare(&w);
    if (header)
        printf("%s\n", HEADER);
    for (int k = first; k < argc; k++) {
        struct asked a;
        ask(argv[k], &a);
        row(&w, &a);
    }
    clear(&w);
    return 0;
}
