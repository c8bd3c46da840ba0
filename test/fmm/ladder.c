/* SPDX-License-Identifier: Apache-2.0 */
/* ladder.c: tolerance sweep of the method fmm: errors stay within the tolerance
 * and near the estimate for all distributions, charges of both signs and of
 * one, periodic and open, f64 and f32.  The references are `ewald` and
 * `direct`.
 *
 * On a device the same, for a few rows unless all are requested.
 *
 * FARSUM_TEST_ALL=1: the whole table instead of a part.  FARSUM_TEST_SHOW=1:
 * prints it.  FARSUM_TEST_ROW=nacl: only rows whose name contains this. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "crystal.h"
#include "fmm/fmm.h"

struct row {
    const char *name, *what; /* what NULL: a crystal; "sparse" in the name
                              * selects a sparse tree */
    int positive;            /* all charges 1 */
    int part;                /* when it runs, see below */
};

/* Runs only in the whole table; on the host; on the host and on a device. */
enum { WHOLE = -1, HERE, THERE };

static const struct row rows[] = {
    {"periodic", "laplace n=2000", 0, HERE},
    {"periodic charged", "laplace n=2000 seed=2", 1, HERE},
    {"periodic net", "laplace n=2000 seed=3 net=0.5", 0, WHOLE},
    {"periodic brick", "laplace n=1500 cell=1x1.3x2", 0, WHOLE},
    {"periodic clustered", "laplace n=2000 dist=clustered", 0, THERE},
    {"periodic clustered charged", "laplace n=2000 dist=clustered", 1, HERE},
    {"periodic slab", "laplace n=2000 dist=slab", 0, WHOLE},
    {"nacl", NULL, 0, HERE},
    {"open", "laplace n=5000 cell=open", 0, HERE},
    {"open stars", "laplace n=5000 cell=open seed=2", 1, WHOLE},
    {"open net", "laplace n=5000 cell=open seed=3 net=0.5", 0, WHOLE},
    {"clustered", "laplace n=5000 cell=open dist=clustered", 0, HERE},
    {"clustered stars", "laplace n=5000 cell=open dist=clustered", 1, HERE},
    {"clustered many", "laplace n=20000 cell=open dist=clustered", 1, WHOLE},
    {"plummer", "laplace n=5000 cell=open dist=plummer", 0, HERE},
    {"plummer stars", "laplace n=5000 cell=open dist=plummer", 1, THERE},
    {"plummer many", "laplace n=20000 cell=open dist=plummer", 1, WHOLE},
    {"slab", "laplace n=5000 cell=open dist=slab", 0, WHOLE},
    {"slab stars", "laplace n=5000 cell=open dist=slab", 1, HERE},
    {"dense", "laplace n=4000 cell=open dist=dense", 0, WHOLE},
    {"dense stars", "laplace n=4000 cell=open dist=dense", 1, WHOLE},
    {"sediment stars", "laplace n=4000 cell=open dist=sediment", 1, WHOLE},
    {"periodic sparse", "laplace n=3000 dist=clustered seed=4", 0, THERE},
    {"periodic sparse charged", "laplace n=3000 dist=clustered seed=4", 1,
     HERE},
    {"periodic sparse brick", "laplace n=3000 dist=clustered cell=1x1.3x2", 0,
     HERE},
    {"periodic sparse even", "laplace n=3000 seed=5", 0, WHOLE},
    {"periodic sparse slab", "laplace n=3000 dist=slab", 0, WHOLE},
    {"periodic plummer", "laplace n=5000 dist=plummer", 0, HERE},
    {"periodic plummer charged", "laplace n=5000 dist=plummer", 1, WHOLE},
    {"periodic plummer sparse", "laplace n=5000 dist=plummer seed=2", 1, WHOLE},
};
enum { ROWS = sizeof rows / sizeof *rows };

static const double tolerances[] = {1e-3, 1e-4, 1e-5,  1e-6, 1e-7,
                                    1e-8, 1e-9, 1e-10, 1e-11};
enum { TOLERANCES = sizeof tolerances / sizeof *tolerances };
enum { MOST = ROWS * (TOLERANCES + 3) * 4 };

struct cell {
    const struct row *row;
    farsum_precision precision;
    farsum_error_kind error;
    double tolerance, estimate, measured;
    int order; /* set by hand; 0: chosen */
};

/* Results. */
struct table {
    double share[MOST];  /* measured over tolerance */
    double honest[MOST]; /* estimate over measured */
    int shares, n, cells, refused;
};

static void load(const struct row *row, struct system *s)
{
    char error[200] = "";
    const int64_t cells[3] = {5, 5, 5};
    if (row->what) {
        fmm_system(s, row->name, row->what, row->positive);
        snprintf(s->name, sizeof s->name, "%s", row->name);
    } else {
        memset(s, 0, sizeof *s);
        snprintf(s->name, sizeof s->name, "%s", row->name);
        if (crystal_make(crystal_find(row->name), cells, 0, &s->p, NULL, error,
                         sizeof error)
            != 0)
            check_stop("%s", error);
    }
    system_reference(s);
}

static const char *words(const struct cell *c)
{
    static char text[80];
    snprintf(text, sizeof text, "%-26s %s %-9s %.0e", c->row->name,
             c->precision == FARSUM_F32 ? "f32" : "f64",
             c->error == FARSUM_ERROR_POTENTIAL ? "potential" : "force",
             c->tolerance);
    return text;
}

/* Tolerances that f32 may not reach: 1e-6, and potentials of charged cells,
 * which are small differences of large sums. */
static int may_refuse(const struct cell *c)
{
    int charged = c->row->positive && strstr(c->row->name, "periodic");
    if (c->precision == FARSUM_F64)
        return 0;
    return c->tolerance < 5e-6
           || (c->error == FARSUM_ERROR_POTENTIAL && charged
               && c->tolerance < 5e-4);
}

static void judge_one(struct cell *c, const struct fmm_sums *sums,
                      struct table *t)
{
    const farsum_plan_info *i = &sums->info;
    if (getenv("FARSUM_TEST_SHOW"))
        printf("%s measured/tol %.3f est/measured %6.2f p=%d%s ws=%d %s "
               "leaves=%lld levels=%d\n",
               words(c), c->measured / c->tolerance, c->estimate / c->measured,
               i->order, c->order ? " by hand" : "", i->separation, i->tree,
               (long long)i->leaves, i->levels);
    /* below the reference's own rounding nothing can be measured; if all points
     * lie alike in boxes, the error is random */
    if (c->measured > 3e-14 && c->row->what)
        t->honest[t->n++] = c->estimate / c->measured;
    if (c->order)
        return;
    t->share[t->shares++] = c->measured / c->tolerance;
    CHECK(c->measured <= c->tolerance,
          "%s: measured %.3g, estimated %.3g, order %d, ws %d, %lld leaves",
          words(c), c->measured, c->estimate, i->order, i->separation,
          (long long)i->leaves);
}

static void run(struct cell *c, const struct system *s, struct table *t)
{
    farsum_problem p = fmm_problem(s, c->tolerance);
    farsum_options o = fmm_options();
    struct fmm_sums sums;
    p.precision = c->precision;
    p.error = c->error;
    o.fmm.order = c->order;
    o.fmm.tree = strstr(c->row->name, "sparse") ? "sparse" : NULL;
    t->cells++;
    farsum_status status = fmm_try(s, &p, &o, &sums);
    if (status == FARSUM_ERR_TOLERANCE) {
        t->refused++;
        CHECK(may_refuse(c), "%s: refused: %s", words(c), farsum_message());
        CHECK(strstr(farsum_message(), "reach"), "%s: %s", words(c),
              farsum_message());
        if (getenv("FARSUM_TEST_SHOW"))
            printf("%s refused\n", words(c));
    } else if (CHECK(status == FARSUM_OK, "%s: %s: %s", words(c),
                     farsum_status_text(status), farsum_message())) {
        c->measured = c->error == FARSUM_ERROR_POTENTIAL
                          ? fmm_gap(s->p.n, sums.potential, s->potential)
                          : fmm_force_gap(s, sums.field, s->field);
        c->estimate = sums.info.estimated_error;
        judge_one(c, &sums, t);
    }
    fmm_free(&sums);
}

static int wanted(const struct cell *c, int k, int row)
{
    if (c->precision == FARSUM_F32 && c->tolerance < 5e-7)
        return 0;
    if (fmm_all())
        return 1;
    if (fmm_device()) /* kernels are compiled for each order */
        return (c->precision == FARSUM_F32) == (c->error != FARSUM_ERROR_FORCE)
               && k == (c->precision == FARSUM_F32 ? 1 : 4);
    /* each row with each kind of error and precision, tolerances alternate */
    int turn = (int)c->error + 2 * (c->precision == FARSUM_F32) + row;
    return c->precision == FARSUM_F32 ? k % 3 == turn % 3 : k % 4 == turn % 4;
}

static int ascending(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

static void judge(struct table *t)
{
    int close = 0, near = 0;
    for (int i = 0; i < t->n; i++) {
        close += t->honest[i] > 1.0 / 3 && t->honest[i] < 3;
        near += t->honest[i] > 1.0 / 5 && t->honest[i] < 5;
    }
    qsort(t->share, (size_t)t->shares, sizeof *t->share, ascending);
    qsort(t->honest, (size_t)t->n, sizeof *t->honest, ascending);
    double median = t->share[t->shares / 2];
    printf("%d cells, %d refused; measured/tolerance: median %.3f, largest "
           "%.3f; estimate/measured: %.2f .. %.2f, median %.2f; of %d %d "
           "within 3, %d within 5\n",
           t->cells, t->refused, median, t->share[t->shares - 1], t->honest[0],
           t->honest[t->n - 1], t->honest[t->n / 2], t->n, close, near);
    CHECK(median >= 0.1, "median of measured over tolerance %.3g", median);
    CHECK(close >= 0.9 * t->n,
          "the estimate is within a factor 3 of the measured error in %d of "
          "%d cells",
          close, t->n);
    CHECK(near >= 0.95 * t->n,
          "the estimate is within a factor 5 of the measured error in %d of "
          "%d cells",
          near, t->n);
}

/* Tolerances, and orders set by hand, whose error is not limited but
 * estimated. */
static void ladder_row(int row, const struct system *s, struct table *t)
{
    static const int orders[] = {3, 6, 10};
    struct cell c = {.row = &rows[row]};
    for (int i = 0; i < 4; i++) {
        c.precision = i & 1 ? FARSUM_F32 : FARSUM_F64;
        c.error = i & 2 ? FARSUM_ERROR_POTENTIAL : FARSUM_ERROR_FORCE;
        c.order = 0;
        for (int k = 0; k < TOLERANCES; k++) {
            c.tolerance = tolerances[k];
            if (wanted(&c, k, row))
                run(&c, s, t);
        }
        c.tolerance = 1e-4;
        for (int k = 0; k < 3; k++) {
            c.order = orders[k];
            if (!(i & 1) && (fmm_all() || (!fmm_device() && k == row % 3)))
                run(&c, s, t);
        }
    }
}

static void ladder(void)
{
    struct table *t = check_memory(1, sizeof *t);
    const char *some = getenv("FARSUM_TEST_ROW");
    memset(t, 0, sizeof *t);
    for (int row = 0; row < ROWS; row++) {
        struct system s = {0};
        if (!fmm_all() && rows[row].part < (fmm_device() ? THERE : HERE))
            continue;
        if (some && !strstr(rows[row].name, some))
            continue;
        load(&rows[row], &s);
        ladder_row(row, &s, t);
        system_free(&s);
    }
    judge(t);
    free(t);
}

/* With separate targets, nothing known about sums at the sources predicts how
 * large the sums are there. */
static void apart(const struct system *from, const struct system *to,
                  farsum_error_kind error, double tolerance)
{
    farsum_problem p = fmm_problem(from, tolerance);
    farsum_options o = fmm_options();
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    int64_t m = to->p.n;
    double *v[2];
    p.n_targets = m;
    p.error = error;
    p.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    for (int k = 0; k < 2; k++) {
        farsum_result r = FARSUM_RESULT_INIT;
        v[k] = check_memory(4 * (size_t)m, sizeof *v[k]);
        r.potential = v[k];
        r.field = v[k] + m;
        o.method = k ? "fmm" : "direct";
        o.device.handle = k ? fmm_device() : NULL;
        CHECK_OK(sum_once(&p, &o, from->p.n, from->p.x, m, to->p.x, from->p.q,
                          &r, &info));
    }
    double gap = error == FARSUM_ERROR_POTENTIAL
                     ? fmm_gap(m, v[1], v[0])
                     : fmm_gap(3 * m, v[1] + m, v[0] + m);
    double honest = info.estimated_error / gap;
    CHECK(gap <= tolerance, "%s at %s, %s to %g: measured %.3g, estimated %.3g",
          from->name, to->name,
          error == FARSUM_ERROR_POTENTIAL ? "potential" : "force", tolerance,
          gap, info.estimated_error);
    /* below the reference's own rounding nothing can be measured */
    CHECK(gap <= 3e-14 || (honest > 1.0 / 3 && honest < 3),
          "%s at %s: measured %.3g, estimated "
          "%.3g",
          from->name, to->name, gap, info.estimated_error);
    free(v[0]);
    free(v[1]);
}

static void targets_apart(void)
{
    static const char *const clouds[] = {
        "laplace n=1500 cell=open dist=uniform seed=3",
        "laplace n=1500 cell=open dist=plummer seed=4",
        "laplace n=400 cell=open dist=clustered seed=5"};
    for (int k = 0; k < (fmm_device() && !fmm_all() ? 1 : 6); k++) {
        struct system from, to;
        fmm_system(&from, k % 2 ? "stars" : "plummer",
                   "laplace n=3000 cell=open dist=plummer", k % 2);
        fmm_system(&to, clouds[k / 2] + 22, clouds[k / 2], 0);
        apart(&from, &to, FARSUM_ERROR_FORCE, k % 2 ? 1e-3 : 1e-5);
        apart(&from, &to, FARSUM_ERROR_POTENTIAL, k % 2 ? 1e-5 : 1e-3);
        apart(&from, &to, k % 2 ? FARSUM_ERROR_FORCE : FARSUM_ERROR_POTENTIAL,
              1e-8);
        system_free(&from);
        system_free(&to);
    }
}

void fmm_ladder(void)
{
    RUN(ladder);
    RUN(targets_apart);
}
