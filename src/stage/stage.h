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

struct points;

struct variant {
    /* Can it do what args ask?  OK, or a status whose message says why not.
     * NULL: it fits everything. */
    farsum_status (*fits)(const void *args);
    /* Seconds one run should take, by the machine's constants; not NULL. */
    double (*cost)(const void *args);
    /* Bytes that its state will hold. */
    int64_t (*bytes)(const void *args);
    farsum_status (*create)(const void *args, void **state);
    /* New points: sort, list, bin.  May allocate.  NULL: nothing to do. */
    farsum_status (*set)(void *state, const struct points *sources,
                         const struct points *targets);
    /* Works; allocates nothing. */
    farsum_status (*run)(void *state, const void *io);
    void (*destroy)(void *state); /* NULL is legal */
    int deterministic;            /* 1: results repeat bitwise for one plan */
    const char *needs;            /* "", or what it needs: "fftw3", ... */
};

struct variant_row {
    const char *name, *note;
    const struct variant *variant;
};

/* A room's table, ended by a row whose name is NULL. */
struct stage {
    const char *name;
    const struct variant_row *rows;
};

/* All rooms, ended by NULL. */
extern const struct stage *const stage_rooms[];
const struct stage *stage_find(const char *name);

/* What choose picked, and why. */
struct choice {
    const struct stage *stage;
    const struct variant_row *row;
    double cost;
    char reason[160];
};

struct choose_options {
    const char *name;  /* NULL: the cheapest that fits */
    int deterministic; /* 1: only rows whose sums repeat */
};

/* Named: that one, or an error that lists the names or says why it does not
 * fit.  Else the cheapest that fits. */
farsum_status choose(const struct stage *stage, const void *args,
                     const struct choose_options *options,
                     struct choice *choice);
#endif
