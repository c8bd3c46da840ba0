/* SPDX-License-Identifier: Apache-2.0 */
/* methods_cross.c: tolerance sweep over each kernel with each cell and
 * distribution of points.
 *
 * The full sweep has every split, precision and tolerance with the default
 * window and with another one in turn.  A partial sweep takes cells one by one,
 * each the one with the most pairs of values that no cell has yet, until no
 * such pair is left. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "methods.h"

enum { KERNEL, CELL, DIST, SPLIT, WINDOW, PRECISION, TOLERANCE, KEYS };
enum { VALUES = 8 };

static const char *const kernels[] = {"laplace",   "stokeslet", "rotlet",
                                      "stresslet", "yukawa",    "r6"};
static const char *const cells[] = {"cubic", "1x2x3", "triclinic"};
static const char *const dists[] = {"uniform", "clustered", "slab", "lattice"};
static const double tolerances[] = {1e-3, 1e-5, 1e-7, 1e-9, 1e-11};
enum {
    N_KERNELS = sizeof kernels / sizeof *kernels,
    N_CELLS = sizeof cells / sizeof *cells,
    N_DISTS = sizeof dists / sizeof *dists,
};
_Static_assert(N_KERNELS * N_CELLS * N_DISTS == METHODS_CROSS, "methods.h");

/* Number of values of each key. */
static void count_values(int count[KEYS])
{
    count[KERNEL] = N_KERNELS;
    count[CELL] = N_CELLS;
    count[DIST] = N_DISTS;
    for (count[SPLIT] = 0; farsum_list_names("split", count[SPLIT]);)
        count[SPLIT]++;
    for (count[WINDOW] = 0; farsum_list_names("window", count[WINDOW]);)
        count[WINDOW]++;
    count[PRECISION] = FARSUM_MIXED;
    count[TOLERANCE] = sizeof tolerances / sizeof *tolerances;
    for (int k = 0; k < KEYS; k++)
        if (count[k] > VALUES)
            check_stop("methods_cross.c: a key has more than %d values",
                       VALUES);
}

static void values_of(int64_t index, const int count[KEYS], int value[KEYS])
{
    for (int k = KEYS - 1; k >= 0; k--) {
        value[k] = (int)(index % count[k]);
        index /= count[k];
    }
}

/* 1: such cells can be summed.  Pairs in f32 do not reach all tolerances; the
 * Gaussian window's limit is higher (accuracy.md). */
static int is_possible(const int value[KEYS])
{
    const char *window = farsum_list_names("window", value[WINDOW]);
    double tolerance = tolerances[value[TOLERANCE]];
    return tolerance >= (value[PRECISION] ? 1e-5 : 0)
           && (strcmp(window, "gaussian") != 0 || tolerance > 1e-8);
}

/* 1: the default window, or the other one in turn. */
static int is_turn(const int value[KEYS], const int count[KEYS])
{
    int sum = 0;
    for (int k = 0; k < KEYS; k++)
        sum += k == WINDOW ? 0 : value[k];
    return value[WINDOW] == 0
           || value[WINDOW] == 1 + sum % (count[WINDOW] - 1);
}

/* The system of a cell, loaded. */
static const struct system *system_of(struct system *systems,
                                      const int value[KEYS],
                                      const char *filter)
{
    char name[32], what[200];
    const char *kernel = kernels[value[KERNEL]];
    int index = (value[KERNEL] * N_CELLS + value[CELL]) * N_DISTS + value[DIST];
    struct system *system = &systems[index];
    snprintf(name, sizeof name, "%s/%s/%s", kernel, cells[value[CELL]],
             dists[value[DIST]]);
    if (!ladder_wanted(filter, "kernel", kernel)
        || !ladder_wanted(filter, "system", name))
        return NULL;
    if (system->p.x)
        return system;
    snprintf(what, sizeof what, "%s n=300 cell=%s dist=%s seed=%d%s", kernel,
             cells[value[CELL]], dists[value[DIST]], 41 + index,
             strcmp(kernel, "yukawa") == 0 ? " kappa=1" : "");
    system_load(system, name, what);
    system_reference(system);
    return system;
}

static void add_cell(struct ladder *ladder, struct system *systems,
                     const int value[KEYS], const char *filter)
{
    if (!ladder_wanted(filter, "group", "cross"))
        return;
    struct ladder_cell cell = {
        .group = "cross",
        .precision = (farsum_precision)(1 + value[PRECISION]),
        .split = farsum_list_names("split", value[SPLIT]),
        .window = farsum_list_names("window", value[WINDOW]),
        .tolerance = tolerances[value[TOLERANCE]],
        .system = system_of(systems, value, filter),
    };
    if (!cell.system)
        return;
    cell.error = cell.system->flow ? FARSUM_ERROR_VELOCITY : FARSUM_ERROR_FORCE;
    ladder_add(ladder, &cell, filter);
}

/* Pairs of values that have occurred: [key][value][key][value]. */
struct pairs {
    char met[KEYS][VALUES][KEYS][VALUES];
};

/* Number of pairs of a cell that have not occurred; take: records them. */
static int new_pairs(struct pairs *pairs, const int value[KEYS], int take)
{
    int n = 0;
    for (int k = 0; k < KEYS; k++)
        for (int m = 0; m < k; m++) {
            char *met = &pairs->met[k][value[k]][m][value[m]];
            n += !*met;
            *met |= (char)take;
        }
    return n;
}

void ladder_fill_cross(struct ladder *ladder, struct system *systems, int full,
                       const char *filter)
{
    struct pairs *pairs = check_memory(1, sizeof *pairs);
    int count[KEYS], value[KEYS], most = 1;
    int64_t all = 1, best = 0;
    full = full || getenv("FARSUM_TEST_ALL");
    memset(pairs, 0, sizeof *pairs);
    count_values(count);
    for (int k = 0; k < KEYS; k++)
        all *= count[k];
    for (int64_t i = 0; full && i < all; i++) {
        values_of(i, count, value);
        if (is_possible(value) && is_turn(value, count))
            add_cell(ladder, systems, value, filter);
    }
    while (!full && most > 0) {
        most = 0;
        for (int64_t i = 0; i < all; i++) {
            /* start elsewhere each time, so that ties alternate */
            int64_t at = (i + best + 1) % all;
            values_of(at, count, value);
            int n = is_possible(value) ? new_pairs(pairs, value, 0) : 0;
            if (n > most) {
                most = n;
                best = at;
            }
        }
        values_of(best, count, value);
        new_pairs(pairs, value, 1);
        if (most > 0)
            add_cell(ladder, systems, value, filter);
    }
    free(pairs);
}

void ladder_check_cross(const struct ladder *ladder)
{
    for (int k = -1; k < N_KERNELS; k++)
        for (int a = -1; a < 0 || farsum_list_names("split", a); a++) {
            struct ladder_wanted wanted = {.group = "cross"};
            wanted.kernel = k < 0 ? NULL : kernels[k];
            wanted.split = a < 0 ? NULL : farsum_list_names("split", a);
            struct ladder_summary s = ladder_summarise(ladder, wanted);
            int done = s.cells - s.refused;
            if (done < 20)
                continue;
            CHECK(s.median >= 0.1,
                  "cross %s %s: the median of measured / tolerance is %.3g, "
                  "below 0.1", k < 0 ? "" : kernels[k],
                  a < 0 ? "" : wanted.split, s.median);
            CHECK(s.honest >= 0.9 * done,
                  "cross %s %s: the estimate is within a factor 5 of the "
                  "measured error in %d of %d cells, not in 90 %%",
                  k < 0 ? "" : kernels[k], a < 0 ? "" : wanted.split, s.honest,
                  done);
        }
}
