/* SPDX-License-Identifier: Apache-2.0 */
/* bench_exchange.c: times of messages among ranks, as sums over ranks send
 * them. */
#include "bench.h"
#include "command.h"
#include "files.h"
#include "ranks/run.h"
#include "say.h"

#include "io/output.h"

#include "base/c_locale.h"
#include "base/clock.h"
#include "base/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REPEATS = 1000, MOST_ROWS = 64 };
#define LEAST_BYTES INT64_C(8)
#define MOST_BYTES (INT64_C(64) << 20) /* of a message */
#define MOST_SENT (INT64_C(1) << 30)   /* by a rank in an exchange */
#define SHORT INT64_C(8192)            /* bytes; below, the time of one exchange
                                          is too short for the clock */

/* The transform sends to all ranks, halo planes to the next ones. */
enum pattern { AGREEMENT, ALL, NEIGHBOURS };
static const char *const names[] = {"agreement", "all", "neighbours"};

struct row {
    enum pattern pattern;
    int64_t bytes, sent; /* of a message; by a rank */
    double min, median;
};

struct exchange {
    struct ranks *ranks;
    int repeats, n_rows;
    char *send, *got;   /* owned */
    int64_t *to;        /* owned, [ranks]: bytes to each rank, and from it */
    double *seconds;    /* owned, [repeats] */
    struct row rows[MOST_ROWS];
};

/* Sets x->to; returns the bytes that a rank sends to others. */
static int64_t messages(struct exchange *x, enum pattern pattern, int64_t bytes)
{
    int size = ranks_size(x->ranks), rank = ranks_rank(x->ranks);
    for (int r = 0; r < size; r++)
        x->to[r] = pattern == ALL && r != rank ? bytes : 0;
    if (pattern == ALL)
        return (size - 1) * bytes;
    /* with two ranks both neighbours are one, which gets both messages */
    x->to[(rank + 1) % size] += bytes;
    x->to[(rank + size - 1) % size] += bytes;
    return 2 * bytes;
}

/* Adds a row: the time of the slowest rank, after one repeat to warm up. */
static void measure(struct exchange *x, enum pattern pattern, int64_t bytes)
{
    struct row *row = &x->rows[x->n_rows++];
    int size = ranks_size(x->ranks), times = bytes < SHORT ? 32 : 1;
    double one = 0, *t = x->seconds;
    *row = (struct row){pattern, bytes, (size - 1) * bytes, 0, 0};
    if (pattern != AGREEMENT)
        row->sent = messages(x, pattern, bytes);
    for (int k = -1; k < x->repeats; k++) {
        (void)ranks_any(x->ranks, 0); /* they begin together */
        double start = clock_seconds();
        for (int i = 0; i < times; i++)
            if (pattern == AGREEMENT)
                ranks_gather(x->ranks, &one, x->got, sizeof one);
            else
                ranks_trade(x->ranks, x->send, x->to, x->got, x->to);
        double seconds = (clock_seconds() - start) / times;
        ranks_max(x->ranks, &seconds, 1);
        t[k < 0 ? 0 : k] = seconds;
    }
    row->median = bench_median(t, x->repeats, &row->min);
}

static int64_t next_size(int64_t bytes)
{
    return bytes < MOST_BYTES && 4 * bytes > MOST_BYTES ? MOST_BYTES
                                                        : 4 * bytes;
}

/* Measures all rows.  Returns 0, or a status on all ranks. */
static int measure_all(struct exchange *x)
{
    int size = ranks_size(x->ranks);
    int64_t most = MOST_BYTES;
    while ((size - 1) * most > MOST_SENT && most > LEAST_BYTES)
        most /= 4;
    int64_t all = (size > 2 ? size - 1 : 2) * most;
    x->send = calloc((size_t)all, 1);
    x->got = calloc((size_t)all + 8 * (size_t)size, 1);
    x->to = calloc((size_t)size, sizeof *x->to);
    x->seconds = calloc((size_t)x->repeats, sizeof *x->seconds);
    int bad = !x->send || !x->got || !x->to || !x->seconds;
    if (bad)
        say_error("bench: out of memory for messages of %lld bytes",
                  (long long)all);
    bad = ranks_agree(x->ranks, bad ? EXIT_FAILED : 0);
    if (bad)
        return bad;
    measure(x, AGREEMENT, sizeof(double));
    for (int pattern = ALL; pattern <= NEIGHBOURS; pattern++)
        for (int64_t b = LEAST_BYTES; b <= most; b = next_size(b)) {
            say_progress("%s: %lld bytes", names[pattern], (long long)b);
            measure(x, (enum pattern)pattern, b);
        }
    say_progress("%s", "");
    return 0;
}

static void print_rows(const struct exchange *x)
{
    int size = ranks_size(x->ranks);
    printf("%d ranks, %d repeats\n", size, x->repeats);
    printf("%-10s %12s %11s %11s %10s\n", "pattern", "bytes", "min s",
           "median s", "GB/s");
    for (int k = 0; k < x->n_rows; k++) {
        const struct row *row = &x->rows[k];
        printf("%-10s %12lld", names[row->pattern], (long long)row->bytes);
        c_locale_write(stdout, " %11.4g %11.4g %10.4g\n", row->min, row->median,
                       row->min > 0 ? 1e-9 * (double)row->sent / row->min : 0);
    }
}

static int write_csv(const struct exchange *x, const char *path)
{
    static const char header[] = "ranks,pattern,bytes,min,median\n";
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    if (f) {
        fputs(header, f);
        for (int k = 0; k < x->n_rows; k++)
            fprintf(f, "%d,%s,%lld,%s,%s\n", ranks_size(x->ranks),
                    names[x->rows[k].pattern], (long long)x->rows[k].bytes,
                    number_digits(x->rows[k].min, 6).text,
                    number_digits(x->rows[k].median, 6).text);
    }
    int bad = !f || fclose(f) != 0;
    if (bad)
        say_error("bench: out of memory");
    else if ((bad = output_append(path, text, n, strlen(header)) != 0) != 0)
        say_error("bench: %s: cannot be written: %s", path, strerror(errno));
    free(text);
    return bad;
}

/* The same on all ranks. */
static int refuse(const struct settings *s)
{
    static const char *const allowed[] = {"ranks", "repeats", "csv", NULL};
    const char *other = options_other(s, allowed);
    if (s->n_words > 1 || s->repeats > MOST_REPEATS)
        say_error("bench: exchange accepts no further word, and at most %d "
                  "repeats; see 'farsum help bench'", (int)MOST_REPEATS);
    else if (other)
        say_error("bench: exchange does not accept --%s, only --ranks, "
                  "--repeats and --csv", other);
    return s->n_words > 1 || s->repeats > MOST_REPEATS || other;
}

int exchange_main(struct settings *s)
{
    struct exchange x = {.repeats = s->repeats > 0 ? s->repeats : 5};
    if (refuse(s))
        return EXIT_USAGE;
    int status = ranks_begin(s, &x.ranks);
    if (status)
        return status;
    int first = ranks_rank(x.ranks) == 0;
    if (ranks_size(x.ranks) < 2) {
        say_error("bench: exchange requires several ranks; start it by mpirun "
                  "-n 2 farsum bench exchange, or give --ranks 2");
        status = EXIT_USAGE;
    }
    if (!status && first && files_check(s, "bench") != 0)
        status = EXIT_USAGE;
    status = ranks_agree(x.ranks, status);
    if (!status)
        status = measure_all(&x);
    if (!status && first) {
        status = s->csv && write_csv(&x, s->csv) ? EXIT_FAILED : 0;
        print_rows(&x);
    }
    status = ranks_agree(x.ranks, status);
    ranks_close(x.ranks);
    free(x.send);
    free(x.got);
    free(x.to);
    free(x.seconds);
    return status;
}
