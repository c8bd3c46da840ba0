/* SPDX-License-Identifier: Apache-2.0 */
/* stage.h: stages and their variants.
 *
 * The folder of a stage has a header with the stage's `args` (known when a plan
 * is made) and its `io` (different for each call).  Its list variants.def has a
 * line for each variant (stage/variant_table.h); the file named after the stem
 * defines `const struct variant stage_stem`. */
#ifndef FARSUM_STAGE_STAGE_H
#define FARSUM_STAGE_STAGE_H

#include "base/status.h"
#include "cost/kept_times.h"
#include "cost/work.h"

struct points;

struct variant {
    /* OK if the variant supports args; else a status whose message gives the
     * reason.  NULL: it supports everything. */
    farsum_status (*fits)(const void *args);
    /* Expected seconds of one run, including its share of the set, from the
     * machine's constants; not NULL. */
    double (*cost)(const void *args);
    /* Bytes that its state will hold. */
    int64_t (*bytes)(const void *args);
    /* Bytes of these that are stored with the points.  Variants of two stages
     * that return the same *key share the same bytes, built once.  *cost:
     * seconds to build them, per run; the cost of both variants includes it.
     * NULL: none. */
    int64_t (*shared)(const void *args, uint64_t *key, double *cost);
    farsum_status (*create)(const void *args, void **state);
    /* Takes new points: sorts, lists, bins.  May allocate.  NULL: nothing to
     * do. */
    farsum_status (*set)(void *state, const struct points *sources,
                         const struct points *targets);
    /* Executes one run; does not allocate. */
    farsum_status (*run)(void *state, const void *io);
    void (*destroy)(void *state); /* NULL is legal */
    int deterministic;            /* 1: results repeat bitwise for one plan */
    const char *needs;            /* "", or a requirement: "a device", ... */
    int lists;                    /* near only: 1: reuses lists, according to
                                     the skin of args */
    /* Adds the work of one run.  NULL: the stage's work. */
    void (*work)(const void *args, struct work *work);
    /* Error by design, relative to the RMS of the result.  NULL: only rounding
     * errors. */
    double (*error)(const void *args);
    /* Describes parameters that follow from args, for a person: "3 cells per
     * cutoff".  NULL: none. */
    void (*says)(const void *args, char *text, size_t size);
};

struct variant_row {
    const char *name, *note;
    const struct variant *variant;
    int paper; /* 1: reproduces a paper; chosen by name, or if no other fits */
};

/* A stage and the table of its variants, ended by a NULL name. */
struct stage {
    const char *name;
    const struct variant_row *rows;
    /* Expected runs per set.  NULL, as the next two: set-up is not paid once
     * for several runs. */
    double (*repeats)(const void *args);
    /* Describes the inputs of the cost, for a person. */
    void (*about)(const void *args, char *text, size_t size);
    /* Key of the timing cache: args, and rounded numbers of points and
     * clustering factor, without repeats. */
    void (*key)(const void *args, char *text, size_t size);
    /* Adds the minimum work of one run, for any variant. */
    void (*work)(const void *args, struct work *work);
    /* Names of variants that this build lacks, ended by NULL; NULL: none. */
    const char *const *absent;
};

/* All stages, ended by NULL. */
extern const struct stage *const all_stages[];
const struct stage *stage_find(const char *name);

/* Adds the work of one run of a variant. */
static inline void stage_work(const struct stage *stage,
                              const struct variant_row *row, const void *args,
                              struct work *work)
{
    if (row->variant->work)
        row->variant->work(args, work);
    else
        stage->work(args, work);
}

/* Result of choose, with its reason in words: how many variants support the
 * problem, the estimate, the next variant with the ratio of costs, and the
 * inputs of the costs. */
struct choice {
    const struct stage *stage;
    const struct variant_row *row;
    double cost;  /* seconds of a run, including its share of the set-up */
    int measured; /* 1: measured, 0: modelled */
    char reason[256];
};

struct choose_options {
    const char *name;  /* NULL: the cheapest that supports the problem */
    int deterministic; /* 1: only variants that repeat bitwise */
    int exact;         /* 1: only variants without an error by design */
    const struct choose_time *times; /* borrowed: measured times that replace
                                        the variants' own costs */
    int n_times;
    double kind; /* factor on the costs of variants without measured times;
                    0: 1 */
    int brief;   /* 1: no reason in words */
};

enum { CHOOSE_MOST = KEPT_TIMES_MOST /* maximum variants of a stage */ };

/* Seconds of a run of a variant: measured if available, else modelled. */
double choose_cost(const struct stage *stage, const struct variant_row *row,
                   const void *args, const struct choose_options *options,
                   int *measured);
/* Ranks the variants that support the problem, cheapest first; returns their
 * number. */
int choose_rank(const struct stage *stage, const void *args,
                const struct choose_options *options,
                const struct variant_row *ranked[CHOOSE_MOST],
                double cost[CHOOSE_MOST]);
/* If a variant is named: selects it, or fails with a list of names or the
 * reason.  Otherwise selects the cheapest that supports the problem. */
farsum_status choose(const struct stage *stage, const void *args,
                     const struct choose_options *options,
                     struct choice *choice);
#endif
