/* SPDX-License-Identifier: Apache-2.0 */
/* bench.c: timing of a stage's variants, or of a whole method, on a case.
 * After one repeat to warm up, the repeats are interleaved, so that other load
 * on the machine affects all of them alike. */
#include "bench.h"
#include "command.h"
#include "kernel.h"
#include "nearest.h"
#include "report.h"
#include "say.h"
#include "summary.h"
#include "words.h"

#include "base/c_locale.h"

#include <stdlib.h>
#include <string.h>

static int stage_exists(const char *name)
{
    for (int k = 0; farsum_list_stages(k); k++)
        if (strcmp(farsum_list_stages(k), name) == 0)
            return 1;
    return 0;
}

static int method_exists(const char *name)
{
    farsum_variant_info info = FARSUM_VARIANT_INFO_INIT;
    for (int k = 0; farsum_list_variants("method", k, &info) == FARSUM_OK; k++)
        if (strcmp(info.name, name) == 0)
            return 1;
    return 0;
}

/* Names of stages, then methods, then "exchange"; for `nearest`. */
static const char *name_at(int k, const void *data)
{
    farsum_variant_info info = FARSUM_VARIANT_INFO_INIT;
    int stages = 0;
    (void)data;
    while (farsum_list_stages(stages))
        stages++;
    if (k < stages)
        return farsum_list_stages(k);
    if (farsum_list_variants("method", k - stages, &info) == FARSUM_OK)
        return info.name;
    return k > stages && farsum_list_variants("method", k - stages - 1, &info)
                             == FARSUM_OK
               ? "exchange"
               : NULL;
}

/* calls: seconds of set_points and execute. */
static double seconds_of(const struct bench_row *row,
                         const farsum_plan_info *info, const double calls[2])
{
    if (strcmp(row->stage, "set_points") == 0)
        return calls[0];
    if (strcmp(row->stage, "total") == 0)
        return calls[0] + calls[1];
    for (int k = 0; k < info->n_stages; k++)
        if (strcmp(info->stages[k].stage, row->stage) == 0 &&
            strcmp(info->stages[k].variant, row->variant) == 0)
            return info->stages[k].seconds;
    return 0;
}

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *t, int n, double *min)
{
    qsort(t, (size_t)n, sizeof *t, compare_seconds);
    *min = t[0];
    return (t[(n - 1) / 2] + t[n / 2]) / 2;
}

/* points: the timing includes set_points. */
static int time_plans(struct bench *b, int points, char *error, size_t size)
{
    for (int repeat = 0; repeat < b->repeats; repeat++)
        for (int k = 0; k < b->n_plans; k++) {
            farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
            farsum_plan *plan = b->plans[k];
            double calls[2];
            say_progress("repeat %d of %d, plan %d of %d", repeat + 1,
                         b->repeats, k + 1, b->n_plans);
            if (bench_sum(b, plan, points, calls) != FARSUM_OK ||
                farsum_plan_get_info(plan, &info) != FARSUM_OK) {
                snprintf(error, size, "%s", words_message());
                return -1;
            }
            for (int r = 0; r < b->n_rows; r++)
                if (b->rows[r].plan == k)
                    b->rows[r].seconds[repeat] =
                        seconds_of(&b->rows[r], &info, calls);
        }
    say_progress("%s", "");
    for (int r = 0; r < b->n_rows; r++) {
        struct bench_row *row = &b->rows[r];
        row->median = bench_median(row->seconds, b->repeats, &row->min);
    }
    return 0;
}

static void print_rows(const struct bench *b, int ratios, FILE *out)
{
    double fastest = 0;
    for (int r = 0; r < b->n_rows; r++)
        if (b->rows[r].plan >= 0 && (fastest == 0 || b->rows[r].min < fastest))
            fastest = b->rows[r].min;
    fprintf(out, "%s\n%s, %d thread%s, %d repeats, arrays on the %s\n",
            b->case_text, b->machine, b->threads, b->threads == 1 ? "" : "s",
            b->repeats, b->device ? "device" : "host");
    fprintf(out, "%-11s %-16s %11s %11s %13s%s\n", "stage", "variant", "min s",
            "median s", "particles/s", ratios ? "   ratio" : "");
    for (int r = 0; r < b->n_rows; r++) {
        const struct bench_row *row = &b->rows[r];
        if (row->plan < 0) {
            fprintf(out, "%-11s %-16s refused: %s\n", row->stage, row->variant,
                    row->reason);
            continue;
        }
        c_locale_write(out, "%-11s %-16s %11.4g %11.4g %13.4g", row->stage,
                       row->variant, row->min, row->median,
                       row->min > 0 ? (double)b->spec.n / row->min : 0);
        if (ratios && fastest > 0)
            c_locale_write(out, " %7.2f", row->min / fastest);
        fputc('\n', out);
    }
    for (int r = 0; r < b->n_rows; r++)
        if (b->rows[r].plan >= 0) {
            fprintf(out, "plan: %s\n", b->rows[r].parameters);
            break;
        }
}

static int write_report(const struct bench *b, char *error, size_t size)
{
    json_t *rows = json_array();
    int bad = !rows;
    for (int r = 0; r < b->n_rows && !bad; r++) {
        const struct bench_row *row = &b->rows[r];
        int ran = row->plan >= 0;
        bad = json_array_append_new(
            rows, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "stage",
                            row->stage, "variant", row->variant, "min",
                            ran ? report_real(row->min) : json_null(), "median",
                            ran ? report_real(row->median) : json_null(),
                            "refused", ran ? json_null()
                                           : report_text(row->reason),
                            "parameters",
                            ran ? report_text(row->parameters) : json_null()));
    }
    json_t *report = json_pack(
        "{s:s, s:s, s:s, s:I, s:s, s:i, s:i, s:s, s:O?}", "version",
        farsum_version(), "machine", b->machine, "case", b->case_text,
        "n_sources", (json_int_t)b->spec.n, "precision",
        options_word("precision", (int)b->spec.precision), "threads",
        b->threads, "repeats", b->repeats, "arrays",
        b->device ? "device" : "host", "rows", rows);
    snprintf(error, size, "out of memory");
    bad = bad || !report ||
          report_write(report, b->settings->report, error, size);
    json_decref(report);
    json_decref(rows);
    return bad ? -1 : 0;
}

/* Runs the benchmark; its words are checked already. */
static int bench_all(struct bench *b, const char *what, char *error,
                     size_t size)
{
    const struct settings *s = b->settings;
    int stage = stage_exists(what);
    struct bench_old *old = NULL;
    int bad = (s->plot && bench_plot_ready(s->plot, error, size)) ||
              (s->against && bench_csv_read(s->against, &old, error, size)) ||
              bench_prepare(b, error, size);
    if (!bad)
        bad = stage ? bench_add_variants(b, what, error, size)
                    : bench_add_method(b, strcmp(what, "all") ? what : NULL,
                                       error, size);
    bad = bad || time_plans(b, !stage, error, size);
    say_progress("%s", "");
    if (!bad) { /* files first: the reader of standard output may have closed it
                   by then */
        FILE *out = summary_stream(NULL, s->report);
        bad = (s->csv && bench_csv_append(b, s->csv, error, size)) ||
              (s->plot && bench_plot(b, s->plot, error, size)) ||
              (s->report && write_report(b, error, size));
        print_rows(b, stage, out);
        if (old)
            bench_csv_compare(b, old, out);
    }
    bench_csv_free(old);
    return bad ? -1 : 0;
}

int bench_main(struct settings *s)
{
    const char *what = s->n_words ? s->words[0] : "all";
    char text[160], error[1200];
    if (strcmp(what, "exchange") == 0)
        return exchange_main(s);
    if (s->ranks > 0) {
        say_error("bench: --ranks requires exchange; see 'farsum help bench'");
        return EXIT_USAGE;
    }
    if (s->n_words > 1 || s->repeats > BENCH_REPEATS) {
        say_error("bench: expected one stage or method, and at most %d "
                  "repeats; see 'farsum help bench'", (int)BENCH_REPEATS);
        return EXIT_USAGE;
    }
    if (s->input ? s->problem != NULL : s->copies[0] > 0) {
        say_error("bench: %s", s->input ? "give --case or --input, not both"
                                        : "--copies requires --input");
        return EXIT_USAGE;
    }
    if (!stage_exists(what) && !method_exists(what) && strcmp(what, "all")) {
        nearest(what, name_at, NULL, text, sizeof text);
        say_error("bench: unknown stage or method '%s'%s%s", what,
                  *text ? "; similar names: " : "; see 'farsum help bench'",
                  text);
        return EXIT_USAGE;
    }
    struct case_spec spec = {0};
    if (s->problem && case_parse(s->problem, &spec, error, sizeof error) != 0)
        spec.kernel[0] = '\0';
    if (kernel_check(s, s->kernel || !*spec.kernel ? kernel_name(s)
                                                   : spec.kernel,
                     error, sizeof error) != 0) {
        say_error("bench: %s", error);
        return EXIT_USAGE;
    }
    struct bench *b = calloc(1, sizeof *b);
    if (!b) {
        say_error("bench: out of memory");
        return EXIT_FAILED;
    }
    if (!s->has_factors) /* as in options_defaults */
        s->factors[IO_DIHEDRALS] = 1;
    b->settings = s;
    int bad = bench_all(b, what, error, sizeof error);
    if (bad)
        say_error("bench: %s", error);
    bench_free(b);
    return bad ? EXIT_FAILED : EXIT_DONE;
}
