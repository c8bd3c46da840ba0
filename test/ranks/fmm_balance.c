/* SPDX-License-Identifier: Apache-2.0 */
/* fmm_balance.c: plans of method fmm over ranks that cut their layers of root
 * boxes by the work in them: clustered points against a plan of one process,
 * the near pairs of the ranks, and when plans cut. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "ranks/balance_case.h"

/* --- near pairs --- */

/* Near pairs of the targets in each layer of root boxes, counted by leaves of a
 * periodic cell. */
static void pairs_count(const struct shared *s, const double *at,
                        double layer[LAYERS])
{
    static int64_t count[4 * LAYERS * LAYERS * LAYERS];
    int below = s->options.fmm.levels - 1, n[3];
    for (int d = 0; d < 3; d++)
        n[d] = (int)s->options.fmm.boxes[d] << below;
    memset(count, 0, sizeof count);
    memset(layer, 0, LAYERS * sizeof *layer);
    for (int i = 0; i < MANY; i++) {
        int64_t box = 0;
        for (int d = 0; d < 3; d++) {
            double f = at[3 * i + d] / 2;
            box = box * n[d] + (int)((f - floor(f)) * n[d]) % n[d];
        }
        count[box]++;
    }
    for (int box = 0; box < n[0] * n[1] * n[2]; box++)
        for (int near = 0; near < 27; near++) {
            int i = box / n[2] / n[1], j = box / n[2] % n[1], k = box % n[2];
            int other = (i + near / 9 - 1 + n[0]) % n[0] * n[1]
                        + (j + near / 3 % 3 - 1 + n[1]) % n[1];
            other = other * n[2] + (k + near % 3 - 1 + n[2]) % n[2];
            layer[i >> below] += (double)(count[box] * count[other]);
        }
}

/* The most pairs of a rank over the mean. */
static double pairs_most(const double layer[LAYERS], const int64_t *begin,
                         int size)
{
    double most = 0, all = 0;
    for (int r = 0; r < size; r++) {
        double own = 0;
        for (int64_t k = begin[r]; k < begin[r + 1]; k++)
            own += layer[k];
        most = fmax(most, own);
        all += own;
    }
    return most * size / all;
}

/* How many times as many pairs the fullest rank would have with even cuts. */
static double pairs_won(const struct shared *s, int step, int size)
{
    int64_t even[MOST_RANKS + 1], cut[MOST_RANKS + 1] = {0};
    double layer[LAYERS];
    pairs_count(s, x[s->steps[step]], layer);
    for (int r = 0; r <= size; r++)
        even[r] = (int64_t)LAYERS * r / size;
    for (int r = 0; r < size; r++)
        cut[r + 1] = (int64_t)(s->high[step][r] * LAYERS + 0.5);
    double most = pairs_most(layer, cut, size);
    double before = pairs_most(layer, even, size);
    printf("  %d ranks, points %d: pairs %.2f, of even cuts %.2f; work %.2f, "
           "cut %lld\n",
           size, (int)s->steps[step], most, before,
           s->info[step][0].work_imbalance, (long long)s->info[step][0].recuts);
    return before / most;
}

/* --- sums --- */

static void make(struct shared *s, const enum places *steps, int open,
                 int levels)
{
    shared_make(s, steps);
    shared_fmm(s, open, levels);
}

/* The parts of an open region, which has a corner, as fractions of it. */
static void parts_of(struct shared *s, int step, int size)
{
    double corner = s->low[step][0];
    for (int r = 0; r < size; r++) {
        double low = s->low[step][r] - corner, high = s->high[step][r] - corner;
        s->low[step][r] = floor(low * LAYERS + 0.5) / LAYERS;
        s->high[step][r] = floor(high * LAYERS + 0.5) / LAYERS;
    }
}

static void clusters_in(int open, int levels)
{
    static const enum places steps[] = {CLUSTER, CLUSTER, NEAR_IT, TWO,
                                        PLANE,   EVEN,    SETS};
    static const int sizes[] = {1, 2, 3, 4, 7, 13};
    static struct shared s, right;
    int64_t recuts = 0;
    make(&right, steps, open, levels);
    alone(&right);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int size = sizes[k];
        make(&s, steps, open, levels);
        share(&s, size, size % 3 == 1);
        CHECK(ranks_run(size, NULL, work, &s) == 0, "a rank failed");
        for (int step = 0; step < STEPS; step++) {
            parts_of(&s, step, size);
            same(&s, &right, step, size);
        }
        CHECK(memcmp(s.potential[0], s.potential[1], sizeof s.potential[0])
                  == 0,
              "the same points, other results");
        for (int step = 1; step < 3; step++)
            CHECK(s.info[step][0].recuts == s.info[0][0].recuts,
                  "%d ranks: points that hardly move are cut again", size);
        recuts += s.info[STEPS - 1][0].recuts;
        for (int step = 0; step < STEPS && !open; step++) {
            double won = pairs_won(&s, step, size);
            if (step < 3 && size > 1 && size < 5)
                CHECK(won > 1.3 && s.info[step][0].recuts == 1,
                      "%d ranks, %d levels: even cuts have only %g times the "
                      "pairs",
                      size, levels, won);
        }
    }
    CHECK(recuts > 0, "open %d, %d levels: cut %lld times", open, levels,
          (long long)recuts);
}

/* Results, and how many times fewer pairs the fullest rank has than with even
 * cuts. */
static void clusters(void)
{
    clusters_in(0, 1);
    clusters_in(0, 2);
    clusters_in(1, 1);
}

/* Evenly spread points are never cut again.  Only their first set counts
 * them. */
static void even(void)
{
    static const enum places steps[] = {EVEN, EVEN, EVEN, SETS};
    static struct shared s;
    for (int open = 0; open < 2; open++)
        for (int size = 1; size <= MOST_RANKS; size += 2 - open) {
            make(&s, steps, open, 1);
            share(&s, size, 0);
            CHECK(ranks_run(size, NULL, work, &s) == 0, "a rank failed");
            int64_t calls[3];
            for (int step = 0; step < 3; step++)
                calls[step] = s.costs[step].calls;
            CHECK(calls[0] > calls[1] && calls[2] == calls[1],
                  "%d ranks: sets make %lld, %lld, %lld calls", size,
                  (long long)calls[0], (long long)calls[1],
                  (long long)calls[2]);
            parts_of(&s, 1, size);
            for (int r = 0; r < size; r++)
                CHECK(s.info[1][r].recuts == 0
                          && s.low[1][r] * LAYERS == LAYERS * r / size
                          && s.info[1][r].work_imbalance >= 1,
                      "%d ranks, rank %d begins at %g", size, r, s.low[1][r]);
        }
}

/* Separate targets, and excluded pairs, whose partners move to other ranks. */
static void kinds(void)
{
    static const enum places steps[] = {EVEN, CLUSTER, TWO, SETS};
    static struct shared s, right;
    for (int apart = 0; apart < 2; apart++) {
        make(&right, steps, 0, 1);
        right.apart = apart;
        right.excluded = !apart;
        alone(&right);
        for (int size = 2; size <= 5; size += 3) {
            make(&s, steps, 0, 1);
            s.apart = apart;
            s.excluded = !apart;
            share(&s, size, 0);
            CHECK(ranks_run(size, NULL, work, &s) == 0, "a rank failed");
            for (int step = 0; step < 3; step++) {
                parts_of(&s, step, size);
                same(&s, &right, step, size);
            }
            CHECK(size > 2 || s.info[2][0].recuts > 0, "not cut again");
        }
    }
}

int main(void)
{
    draw();
    RUN(kinds);
    RUN(even);
    RUN(clusters);
    return check_end();
}
