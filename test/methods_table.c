/* SPDX-License-Identifier: Apache-2.0 */
/* methods_table.c: output of the tolerance sweep as a file and a table, and its
 * verdict. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "methods.h"

const char *ladder_precision(farsum_precision precision)
{
    static const char *const names[] = {"", "f64", "f32", "mixed"};
    return names[precision];
}

static const char *precision_name(const struct ladder_cell *c)
{
    return ladder_precision(c->precision);
}

static void csv_row(FILE *out, const struct ladder_cell *c)
{
    const farsum_plan_info *i = &c->info;
    fprintf(out, "%s,%s,%lld,%s,%s,%s,%.3g,%s,", c->group, c->system->name,
            (long long)c->system->p.n, precision_name(c), c->split, c->window,
            c->tolerance, c->status == FARSUM_OK ? "ok" : "refused");
    if (c->status == FARSUM_OK)
        fprintf(out,
                "%.4g,%.4g,%d,%.5g,%.4g,%.4g,%.5g,%lldx%lldx%lld,%d,%.4g,"
                "%.4g,%.4g,%.4g,%.4g,%.3f,%.3f\n",
                c->estimate, c->measured, i->support, i->bandwidth,
                i->upsampling, i->shape, i->cutoff, (long long)i->mesh[0],
                (long long)i->mesh[1], (long long)i->mesh[2],
                i->near_coefficients, c->force_error, c->potential_error,
                c->energy_error, c->virial_error, c->velocity_error,
                i->seconds_create, c->seconds);
    else
        fprintf(out, ",,,,,,,,,,,,,,,%.3f\n", c->seconds);
}

void ladder_csv(const struct ladder *ladder, const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out)
        check_stop("%s cannot be written", path);
    fprintf(out, "group,system,n,precision,split,window,tol,status,estimate,"
                 "measured,P,c,sigma,shape,cutoff,mesh,near_coefficients,"
                 "force_error,potential_error,energy_error,virial_error,"
                 "velocity_error,seconds_create,seconds\n");
    for (int i = 0; i < ladder->n; i++)
        csv_row(out, &ladder->cell[i]);
    if (fclose(out) != 0)
        check_stop("%s cannot be written", path);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* 1: the names are equal, or any is accepted. */
static int is_named(const char *wanted, const char *name)
{
    return !wanted || strcmp(wanted, name) == 0;
}

struct ladder_summary ladder_summarise(const struct ladder *ladder,
                                       struct ladder_wanted w)
{
    struct ladder_summary s = {0};
    double *share = check_memory(2 * (size_t)(ladder->n + 1), sizeof *share);
    double *trust = share + ladder->n + 1;
    int n = 0;
    for (int i = 0; i < ladder->n; i++) {
        const struct ladder_cell *c = &ladder->cell[i];
        if (!is_named(w.group, c->group) || !is_named(w.split, c->split)
            || !is_named(w.window, c->window)
            || !is_named(w.kernel, c->system->kernel)
            || (w.system && w.system != c->system)
            || (w.precision && w.precision != (int)c->precision))
            continue;
        s.cells++;
        s.refused += c->status != FARSUM_OK;
        if (c->status != FARSUM_OK)
            continue;
        share[n] = c->measured / c->tolerance;
        trust[n] = c->estimate / c->measured;
        s.over += !(share[n] <= 1);
        s.honest += trust[n] >= 0.2 && trust[n] <= 5;
        n++;
    }
    if (n > 0) {
        qsort(share, (size_t)n, sizeof *share, ascending);
        qsort(trust, (size_t)n, sizeof *trust, ascending);
        s.median = share[n / 2];
        s.worst = share[n - 1];
        s.low = trust[0];
        s.middle = trust[n / 2];
        s.high = trust[n - 1];
    }
    free(share);
    return s;
}

static void print_summary(const char *name, const char *second,
                          const struct ladder_summary *s)
{
    if (s->cells == 0)
        return;
    printf("%-28s %-14s %5d %7d %5d %8.3f %8.3f %6.1f%% %8.3g %8.3g %8.3g\n",
           name, second, s->cells, s->refused, s->over, s->median, s->worst,
           100.0 * s->honest / fmax(1, s->cells - s->refused), s->low,
           s->middle, s->high);
}

/* Prints measured / tolerance of the default split and window. */
static void print_grid(const struct ladder *ladder)
{
    printf("\nmeasured / tolerance, default split and window\n%-16s", "");
    for (int k = 2; k <= 12; k++)
        printf("  1e-%02d", k);
    const struct ladder_cell *row = NULL;
    for (int i = 0; i < ladder->n; i++) {
        const struct ladder_cell *c = &ladder->cell[i];
        if (strcmp(c->group, "ladder") != 0 || !ladder_is_default(c))
            continue;
        if (!row || row->system != c->system || row->precision != c->precision)
            printf("\n%-11s %s ", c->system->name, precision_name(c));
        row = c;
        if (c->status == FARSUM_OK)
            printf(" %6.3f", c->measured / c->tolerance);
        else
            printf(" %6s", "-");
    }
    printf("\n");
}

void ladder_print(const struct ladder *ladder)
{
    static const char *const groups[] = {"ladder", "potential", "absolute",
                                         "fixed"};
    struct ladder_summary s;
    printf("\n%-28s %-14s %5s %7s %5s %17s %7s %26s\n", "", "", "cells",
           "refused", "over", "measured/tol", "within", "estimate/measured");
    printf("%-28s %-14s %5s %7s %5s %8s %8s %7s %8s %8s %8s\n", "", "", "", "",
           "", "median", "worst", "5x", "least", "median", "most");
    for (int g = 0; g < 4; g++) {
        s = ladder_summarise(ladder,
                             (struct ladder_wanted){.group = groups[g]});
        print_summary(groups[g], "", &s);
    }
    for (int k = 0; ladder_kernels[k]; k++)
        for (int a = 0; farsum_list_names("split", a); a++) {
            struct ladder_wanted wanted = {.group = "kernels",
                                           .kernel = ladder_kernels[k]};
            wanted.split = farsum_list_names("split", a);
            s = ladder_summarise(ladder, wanted);
            print_summary(ladder_kernels[k], wanted.split, &s);
        }
    s = ladder_summarise(ladder, (struct ladder_wanted){.group = "cross"});
    print_summary("cross", "", &s);
    const char *split, *window;
    for (int a = 0; (split = farsum_list_names("split", a)); a++)
        for (int b = 0; (window = farsum_list_names("window", b)); b++) {
            s = ladder_summarise(ladder, (struct ladder_wanted){
                                             .group = "ladder",
                                             .split = split,
                                             .window = window});
            print_summary(split, window, &s);
        }
    const struct system *last = NULL;
    for (int i = 0; i < ladder->n; i++) {
        const struct system *system = ladder->cell[i].system;
        if (system == last)
            continue;
        last = system;
        for (int p = FARSUM_F64; p <= FARSUM_MIXED; p++) {
            s = ladder_summarise(ladder, (struct ladder_wanted){
                                             .group = ladder->cell[i].group,
                                             .system = system,
                                             .precision = p});
            print_summary(system->name,
                          ladder_precision((farsum_precision)p), &s);
        }
    }
    print_grid(ladder);
}

static void check_cell(const struct ladder_cell *c)
{
    char what[200];
    snprintf(what, sizeof what, "%s %s %s %s+%s tol=%.2g", c->group,
             c->system->name, precision_name(c), c->split, c->window,
             c->tolerance);
    if (strcmp(c->group, "fixed") == 0)
        snprintf(what + strlen(what), sizeof what - strlen(what),
                 " rc=%.3g P=%d mesh=%lldx%lldx%lld", c->cutoff, c->support,
                 (long long)c->mesh[0], (long long)c->mesh[1],
                 (long long)c->mesh[2]);
    if (c->status == FARSUM_ERR_TOLERANCE) {
        CHECK(ladder_may_refuse(c), "%s: refused: %s", what, c->message);
        CHECK(strstr(c->message, "reach") || strstr(c->message, "best"),
              "%s: does not report the limit: %s", what, c->message);
        return;
    }
    if (!CHECK(c->status == FARSUM_OK, "%s: %s: %s", what,
               farsum_status_text(c->status), c->message))
        return;
    CHECK(c->measured <= c->tolerance,
          "%s: measured %.3g, estimated %.3g (P=%d c=%.4g sigma=%.3g rc=%.4g)",
          what, c->measured, c->estimate, c->info.support, c->info.bandwidth,
          c->info.upsampling, c->info.cutoff);
}

void ladder_check(const struct ladder *ladder)
{
    for (int i = 0; i < ladder->n; i++)
        check_cell(&ladder->cell[i]);
    struct ladder_summary s = ladder_summarise(
        ladder, (struct ladder_wanted){.group = "ladder"});
    int done = s.cells - s.refused;
    if (done >= 20) {
        CHECK(s.median >= 0.1, "sweep: the median of measured / tolerance is "
                               "%.3g, below 0.1", s.median);
        CHECK(s.honest >= 0.9 * done,
              "sweep: the estimate is within a factor 5 of the measured error "
              "in %d of %d cells, not in 90 %%", s.honest, done);
    }
    s = ladder_summarise(ladder, (struct ladder_wanted){.group = "fixed"});
    done = s.cells - s.refused;
    if (done >= 20)
        CHECK(s.honest >= 0.9 * done,
              "fixed: the estimate is within a factor 5 of the measured error "
              "in %d of %d cells, not in 90 %%", s.honest, done);
    ladder_check_kernels(ladder);
    ladder_check_cross(ladder);
}
