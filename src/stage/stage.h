/* SPDX-License-Identifier: Apache-2.0 */
/* stage.h: what a variant is.
 *
 * A stage's room has a header with its `args` (known when a plan is made) and
 * its `io` (what changes between calls), a table variants.def of rows
 *
 *     VARIANT(room, stem, "note")
 *
 * and a file for each stem that defines `const struct variant room_stem`. */
#ifndef FARSUM_STAGE_STAGE_H
#define FARSUM_STAGE_STAGE_H

#include "base/status.h"
#include "cost/kept_times.h"
#include "cost/work.h"

struct points;

struct variant {
    /* Can it do what args ask?  OK, or a status whose message says why not.
     * NULL: it fits everything. */
    farsum_status (*fits)(const void *args);
    /* Seconds one run should take, with its share of the set, by the machine's
     * constants; not NULL. */
    double (*cost)(const void *args);
    /* Bytes that its state will hold. */
    int64_t (*bytes)(const void *args);
    /* What of them lies with the points: rows of two rooms that give the same
     * *key have the same bytes, made once.  *cost: seconds of that making, a
     * run's share, which both rows' cost has in it.  NULL: nothing. */
    int64_t (*shared)(const void *args, uint64_t *key, double *cost);
    farsum_status (*create)(const void *args, void **state);
    /* New points: sort, list, bin.  May allocate.  NULL: nothing to do. */
    farsum_status (*set)(void *state, const struct points *sources,
                         const struct points *targets);
    /* Works; allocates nothing. */
    farsum_status (*run)(void *state, const void *io);
    void (*destroy)(void *state); /* NULL is legal */
    int deterministic;            /* 1: results repeat bitwise for one plan */
    const char *needs;            /* "", or what it needs: "fftw3", ... */
    int lists;                    /* 1: of near: keeps lists, as args' skin
                                     says */
    /* Adds what one run does.  NULL: what the stage says. */
    void (*work)(const void *args, struct work *work);
    /* Error by design, relative to the RMS of what it gives.  NULL: rounding's
     * alone. */
    double (*error)(const void *args);
    /* What of it follows from args, for a person: "3 cells per cutoff".  NULL:
     * nothing. */
    void (*says)(const void *args, char *text, size_t size);
};

struct variant_row {
    const char *name, *note;
    const struct variant *variant;
};

/* A room's table, ended by a row whose name is NULL. */
struct stage {
    const char *name;
    const struct variant_row *rows;
    /* NULL, or of rows whose set-up is paid once for several runs: */
    double (*repeats)(const void *args);
    /* what costs hang on, for a person, and */
    void (*about)(const void *args, char *text, size_t size);
    /* what measured times are kept by: the args, numbers of points and
     * crowding roughly, without repeats. */
    void (*key)(const void *args, char *text, size_t size);
    /* Adds what one run must do, whatever the row. */
    void (*work)(const void *args, struct work *work);
};

/* All rooms, ended by NULL. */
extern const struct stage *const stage_rooms[];
const struct stage *stage_find(const char *name);

/* Adds what a run of a row does. */
static inline void stage_work(const struct stage *stage,
                              const struct variant_row *row, const void *args,
                              struct work *work)
{
    if (row->variant->work)
        row->variant->work(args, work);
    else
        stage->work(args, work);
}

/* What choose picked, and why: how many rows fit, the estimate, the next one
 * and by how much it is dearer, and what the costs hang on. */
struct choice {
    const struct stage *stage;
    const struct variant_row *row;
    double cost;  /* seconds of a run, with its share of the set-up */
    int measured; /* 1: not modelled */
    char reason[256];
};

struct choose_options {
    const char *name;  /* NULL: the cheapest that fits */
    int deterministic; /* 1: only rows whose sums repeat */
    int exact;         /* 1: only rows that have no error by design */
    const struct choose_time *times; /* borrowed: they count instead of the
                                        rows' own costs */
    int n_times;
    double kind; /* what the other rows' costs are multiplied by; 0: 1 */
    int brief;   /* 1: no reason in words */
};

enum { CHOOSE_MOST = WISDOM_MOST /* rows of a room */ };

/* Seconds of a run by a row, by what was measured, if it was, or the model. */
double choose_cost(const struct stage *stage, const struct variant_row *row,
                   const void *args, const struct choose_options *options,
                   int *measured);
/* The rows that fit, cheapest first; how many. */
int choose_rank(const struct stage *stage, const void *args,
                const struct choose_options *options,
                const struct variant_row *ranked[CHOOSE_MOST],
                double cost[CHOOSE_MOST]);
/* Named: that one, or an error that lists the names or says why it does not
 * fit.  Else the cheapest that fits. */
farsum_status choose(const struct stage *stage, const void *args,
                     const struct choose_options *options,
                     struct choice *choice);
#endif
