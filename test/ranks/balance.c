/* SPDX-License-Identifier: Apache-2.0 */
/* balance.c: plans over ranks that cut the mesh by the work in its planes:
 * clustered points against a plan of one process, when plans cut, and what they
 * report. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "plan/ranks.h"
#include "ranks/balance_case.h"

/* Most points of a rank if slabs were even, over the mean. */
static double even_slabs(enum places places, int size, int64_t mesh0)
{
    int64_t most = 0;
    for (int r = 0; r < size; r++) {
        int64_t own = 0;
        for (int i = 0; i < MANY; i++) {
            double at = x[places][3 * i] / 2;
            int64_t plane = (int64_t)(at * (double)mesh0);
            own += plane >= mesh0 * r / size && plane < mesh0 * (r + 1) / size;
        }
        most = own > most ? own : most;
    }
    return (double)most * size / MANY;
}

static void clusters(void)
{
    static const enum places steps[] = {CLUSTER, CLUSTER, NEAR_IT, TWO, PLANE,
                                        EVEN, SETS};
    static const int sizes[] = {1, 2, 3, 4, 7, 13};
    static struct shared s, right;
    shared_make(&right, steps);
    alone(&right);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int size = sizes[k];
        shared_make(&s, steps);
        share(&s, size, size % 3 == 1);
        CHECK(ranks_run(size, NULL, work, &s) == 0, "a rank failed");
        for (int step = 0; step < STEPS; step++) {
            const struct ranks_info *i = &s.info[step][0];
            double even = even_slabs(steps[step], size, s.about[step].mesh[0]);
            printf("  %d ranks, points %d: imbalance %.2f, of even slabs "
                   "%.2f; work %.2f, cut %lld\n",
                   size, (int)steps[step], i->imbalance, even,
                   i->work_imbalance, (long long)i->recuts);
            same(&s, &right, step, size);
        }
        CHECK(memcmp(s.potential[0], s.potential[1], sizeof s.potential[0])
                  == 0, "the same points, other results");
        for (int step = 1; step < 3; step++)
            CHECK(s.info[step][0].recuts == s.info[0][0].recuts,
                  "%d ranks: points that hardly move are cut again", size);
        right_cuts(&s, size);
    }
}

/* A rank's mesh, halos included, is at most twice that of an even slab. */
static void memory(void)
{
    static const enum places steps[] = {CLUSTER, SETS};
    static struct shared s;
    for (int size = 2; size <= MOST_RANKS; size += 5) {
        shared_make(&s, steps);
        share(&s, size, 0);
        CHECK(ranks_run(size, NULL, work, &s) == 0, "a rank failed");
        double mesh0 = (double)s.about[0].mesh[0], most = 0;
        double halo = ceil(s.about[0].cutoff * mesh0 / 2) + 1;
        for (int r = 0; r < size; r++)
            most = fmax(most, s.high[0][r] - s.low[0][r]);
        double bound = 2 * (ceil(mesh0 / size) + 2 * halo) - 2 * halo;
        CHECK(s.info[0][0].recuts == 1 && most * mesh0 <= bound + 1e-9
                  && most * mesh0 > mesh0 / size + 1,
              "%d ranks: %g of %g planes, at most %g", size, most * mesh0,
              mesh0, bound);
    }
}

/* Evenly spread points are never cut again; few ranks lack planes.  Only their
 * first set counts them: two calls and their effects.  Later ones make no call
 * for the balance. */
static void even(void)
{
    static const enum places steps[] = {EVEN, EVEN, EVEN, SETS};
    static struct shared s;
    for (int size = 1; size <= MOST_RANKS; size++) {
        shared_make(&s, steps);
        share(&s, size, 0);
        CHECK(ranks_run(size, NULL, work, &s) == 0, "a rank failed");
        right_cuts(&s, size);
        int64_t calls[3];
        for (int step = 0; step < 3; step++)
            calls[step] = s.costs[step].calls;
        CHECK(calls[0] >= calls[1] + 1 + (size > 1) && calls[2] == calls[1],
              "%d ranks: sets make %lld, %lld, %lld calls", size,
              (long long)calls[0], (long long)calls[1], (long long)calls[2]);
        for (int r = 0; r < size; r++) {
            double mesh0 = (double)s.about[1].mesh[0];
            int64_t low = (int64_t)(mesh0 * s.low[1][r] + 0.5);
            CHECK(s.info[1][r].recuts == 0
                      && low == (int64_t)mesh0 * r / size
                      && s.info[1][r].work_imbalance >= 1,
                  "%d ranks, rank %d begins at %g of %g planes", size, r,
                  s.low[1][r] * mesh0, mesh0);
        }
    }
}

/* A new cell keeps the cuts: one that follows, and one that needs new
 * states. */
static void cells(void)
{
    static const enum places steps[] = {CLUSTER, CLUSTER, SETS};
    static const double edges[] = {2.004, 1.7};
    static struct shared s, right;
    for (int k = 0; k < 2; k++) {
        shared_make(&right, steps);
        right.edge = edges[k];
        alone(&right);
        for (int size = 2; size <= 4; size++) {
            shared_make(&s, steps);
            s.edge = edges[k];
            share(&s, size, 0);
            CHECK(ranks_run(size, NULL, work, &s) == 0, "a rank failed");
            same(&s, &right, 0, size);
            same(&s, &right, 1, size);
            CHECK(s.info[0][0].recuts == 1, "%d ranks: not cut again", size);
        }
    }
}

/* New cuts need new neighbour lists; later sets reuse them. */
static void lists(void)
{
    static const enum places steps[] = {EVEN,    EVEN,    CLUSTER,
                                        CLUSTER, CLUSTER, SETS};
    static struct shared s, right;
    shared_make(&right, steps);
    right.options.spectral.skin = 0.05;
    alone(&right);
    for (int size = 2; size <= 4; size += 2) {
        shared_make(&s, steps);
        s.options.spectral.skin = 0.05;
        share(&s, size, 0);
        CHECK(ranks_run(size, NULL, work, &s) == 0, "a rank failed");
        for (int step = 0; step < 5; step++)
            same(&s, &right, step, size);
        CHECK(s.info[4][0].recuts == 1, "cut %lld times",
              (long long)s.info[4][0].recuts);
        CHECK(s.about[4].lists_kept - s.about[2].lists_kept == 2
                  && s.about[4].lists_made == s.about[2].lists_made,
              "lists made %lld, %lld, kept %lld, %lld",
              (long long)s.about[2].lists_made,
              (long long)s.about[4].lists_made,
              (long long)s.about[2].lists_kept,
              (long long)s.about[4].lists_kept);
    }
}

/* Separate targets, and excluded pairs, whose partners move to other ranks. */
static void kinds(void)
{
    static const enum places steps[] = {EVEN, CLUSTER, TWO, SETS};
    static struct shared s, right;
    for (int apart = 0; apart < 2; apart++) {
        shared_make(&right, steps);
        right.apart = apart;
        right.excluded = !apart;
        alone(&right);
        for (int size = 2; size <= 5; size += 3) {
            shared_make(&s, steps);
            s.apart = apart;
            s.excluded = !apart;
            share(&s, size, 0);
            CHECK(ranks_run(size, NULL, work, &s) == 0, "a rank failed");
            for (int step = 0; step < 3; step++)
                same(&s, &right, step, size);
            CHECK(s.info[2][0].recuts > 0, "not cut again");
        }
    }
}

/* --- reports --- */

static char said[4096];

static void say(const char *line, void *data)
{
    (void)data;
    size_t have = strlen(said);
    snprintf(said + have, sizeof said - have, "%s\n", line);
}

static farsum_status report_work(struct comm *comm, void *data)
{
    struct shared *s = data;
    farsum_status status = FARSUM_OK;
    farsum_problem p = s->problem;
    farsum_options o = s->options;
    farsum_plan *plan = NULL;
    int64_t first = s->first[comm->rank], n = s->first[comm->rank + 1] - first;
    char text[4096] = "";
    p.n_sources = n;
    if (comm->rank == 1)
        o.log = say;
    const struct ranks_shape slabs = {{comm->size, 1}};
    GO(plan_over_ranks_as(comm, &p, &o, NULL, &slabs, &plan));
    for (int step = 0; step < 3; step++) {
        GO(set(s, plan, step, first, n));
        FILE *out = tmpfile();
        if (comm->rank != 1 || !out)
            continue;
        farsum_plan_print(plan, out);
        rewind(out);
        text[fread(text, 1, sizeof text - 1, out)] = 0;
        fclose(out);
        int uneven = s->steps[step] == PLANE;
        CHECK((strstr(text, "times the mean work") != NULL) == uneven,
              "step %d prints \"%s\"", step, text);
    }
done:
    farsum_plan_destroy(plan);
    return status;
}

/* A plan says what the best cuts leave, once. */
static void reports(void)
{
    static const enum places steps[] = {EVEN, PLANE, PLANE, SETS};
    static struct shared s;
    shared_make(&s, steps);
    share(&s, 4, 0);
    said[0] = 0;
    CHECK(ranks_run(4, NULL, report_work, &s) == 0, "a rank failed");
    const char *first = strstr(said, "with the best cuts");
    CHECK(first && !strstr(first + 1, "with the best cuts"), "it says \"%s\"",
          said);
}

int main(void)
{
    draw();
    RUN(clusters);
    RUN(memory);
    RUN(even);
    RUN(cells);
    RUN(lists);
    RUN(kinds);
    RUN(reports);
    return check_end();
}
