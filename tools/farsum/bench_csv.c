/* SPDX-License-Identifier: Apache-2.0 */
/* bench_csv.c: CSV file of a benchmark: appends one row per variant, reads
 * older rows for comparison. */
#include "bench.h"

#include "io/output.h"

#include "base/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIELDS = 11, LINE = 2048 };
enum { VERSION, MACHINE, DATE, CASE, STAGE, VARIANT, PRECISION, THREADS, MIN,
       MEDIAN, PARAMETERS };
static const char header[] = "version,machine,date,case,stage,variant,"
                             "precision,threads,min,median,parameters\n";

/* Writes a text that may contain commas or quotes. */
static void put_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', f);
        fputc(*text, f);
    }
    fputs("\",", f);
}

static void put_row(FILE *f, const struct bench *b, const struct bench_row *row)
{
    char date[32] = "";
    time_t now = time(NULL);
    struct tm tm;
    if (gmtime_r(&now, &tm))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &tm);
    fprintf(f, "%s,", farsum_version());
    put_text(f, b->machine);
    fprintf(f, "%s,", date);
    put_text(f, b->case_text);
    put_text(f, row->stage);
    put_text(f, row->variant);
    fprintf(f, "%s,%d,%s,%s,",
            options_word("precision", (int)b->spec.precision), b->threads,
            number_digits(row->min, 6).text,
            number_digits(row->median, 6).text);
    fprintf(f, "\"%s\"\n", row->parameters);
}

int bench_csv_append(const struct bench *b, const char *path, char *error,
                     size_t size)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    if (!f) {
        snprintf(error, size, "out of memory");
        return -1;
    }
    fputs(header, f);
    for (int r = 0; r < b->n_rows; r++)
        if (b->rows[r].plan >= 0)
            put_row(f, b, &b->rows[r]);
    int bad = fclose(f) != 0;
    if (bad)
        snprintf(error, size, "out of memory");
    else if ((bad = output_append(path, text, n, strlen(header))) != 0)
        snprintf(error, size, "%s: cannot be written: %s", path,
                 strerror(errno));
    free(text);
    return bad ? -1 : 0;
}

struct old_row {
    char line[LINE];      /* cut into fields */
    char *field[FIELDS];
    double min, median;
};

struct bench_old {
    size_t count, capacity;
    struct old_row *rows; /* owned */
};

/* Splits a line in place; returns the number of fields. */
static int cut(char *line, char **field)
{
    int n = 0;
    char *from = line, *to = line;
    while (n < FIELDS) {
        int quoted = *from == '"';
        from += quoted;
        field[n++] = to;
        while (*from && (quoted || (*from != ',' && *from != '\n'))) {
            if (quoted && *from == '"' && *++from != '"')
                break;
            *to++ = *from++;
        }
        int more = *from == ',';
        from += more;
        *to++ = '\0';
        if (!more)
            break;
    }
    return n;
}

static int add_line(struct bench_old *old, const char *line)
{
    if (old->count == old->capacity) {
        size_t capacity = old->capacity ? 2 * old->capacity : 64;
        struct old_row *rows = realloc(old->rows, capacity * sizeof *rows);
        if (!rows)
            return -1;
        old->rows = rows;
        old->capacity = capacity;
    }
    struct old_row *row = &old->rows[old->count++];
    snprintf(row->line, sizeof row->line, "%s", line);
    return 0;
}

int bench_csv_read(const char *path, struct bench_old **out, char *error,
                   size_t size)
{
    char line[LINE];
    int number = 0, bad = 0;
    FILE *f = fopen(path, "r");
    struct bench_old *old = calloc(1, sizeof *old);
    if (!f || !old) {
        snprintf(error, size, "%s: %s", path,
                 f ? "out of memory" : strerror(errno));
        if (f)
            fclose(f);
        free(old);
        return -1;
    }
    while (!bad && fgets(line, sizeof line, f)) {
        if (++number == 1 && strcmp(line, header) == 0)
            continue;
        bad = number == 1 || !strchr(line, '\n') || add_line(old, line) != 0;
    }
    fclose(f);
    /* the lines no longer move, so fields may point into them */
    for (size_t k = 0; k < old->count && !bad; k++) {
        struct old_row *row = &old->rows[k];
        bad = cut(row->line, row->field) != FIELDS;
        if (bad) {
            number = (int)k + 2;
            break;
        }
        row->min = number_of(row->field[MIN]);
        row->median = number_of(row->field[MEDIAN]);
        bad = !(row->min >= 0 && row->median >= row->min);
        number = (int)k + 2;
    }
    if (bad) {
        snprintf(error, size, "%s:%d:1: expected a row that 'farsum bench "
                 "--csv' wrote", path, number);
        bench_csv_free(old);
        return -1;
    }
    *out = old;
    return 0;
}

static const struct old_row *find(const struct bench *b,
                                  const struct bench_row *row,
                                  const struct bench_old *old)
{
    char threads[16];
    snprintf(threads, sizeof threads, "%d", b->threads);
    for (size_t k = old->count; k-- > 0;) {
        const struct old_row *o = &old->rows[k];
        if (strcmp(o->field[CASE], b->case_text) == 0 &&
            strcmp(o->field[STAGE], row->stage) == 0 &&
            strcmp(o->field[VARIANT], row->variant) == 0 &&
            strcmp(o->field[THREADS], threads) == 0)
            return o;
    }
    return NULL;
}

/* The relative gap between median and minimum, the larger of both runs.  At
 * least three per cent, which no timer on a shared machine can resolve. */
static double noise_of(const struct bench_row *row, const struct old_row *o)
{
    double noise = 0.03;
    if (row->min > 0 && row->median / row->min - 1 > noise)
        noise = row->median / row->min - 1;
    if (o->min > 0 && o->median / o->min - 1 > noise)
        noise = o->median / o->min - 1;
    return noise;
}

void bench_csv_compare(const struct bench *b, const struct bench_old *old,
                       FILE *out)
{
    for (int r = 0; r < b->n_rows; r++) {
        const struct bench_row *row = &b->rows[r];
        if (row->plan < 0)
            continue;
        const struct old_row *o = find(b, row, old);
        fprintf(out, "against   %s %s: ", row->stage, row->variant);
        if (!o || o->median <= 0) {
            fputs("no earlier row for this case\n", out);
            continue;
        }
        double ratio = row->median / o->median, noise = noise_of(row, o);
        fprintf(out, "%s (%s of the older median, noise %s %%)%s\n",
                ratio < 1 - noise   ? "faster"
                : ratio > 1 + noise ? "slower"
                                    : "within noise",
                number_fixed(ratio, 3).text, number_fixed(100 * noise, 1).text,
                strcmp(o->field[MACHINE], b->machine) ? "; another machine"
                                                      : "");
    }
}

void bench_csv_free(struct bench_old *old)
{
    if (old)
        free(old->rows);
    free(old);
}
