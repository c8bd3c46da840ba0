/* SPDX-License-Identifier: Apache-2.0 */
/* bench_plot.c: bar chart of the times, drawn by gnuplot. */
#include "bench.h"
#include "io/output.h"
#include "report.h"

#include "base/number.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_CAPACITY = 1200 };

static int found_gnuplot(void)
{
    const char *path = getenv("PATH");
    char name[PATH_CAPACITY];
    while (path && *path) {
        size_t n = strcspn(path, ":");
        snprintf(name, sizeof name, "%.*s/gnuplot", (int)(n < 1000 ? n : 1000),
                 path);
        if (access(name, X_OK) == 0)
            return 1;
        path += n + (path[n] == ':');
    }
    return 0;
}

int bench_plot_ready(const char *path, char *error, size_t size)
{
    if (found_gnuplot())
        return report_ready(path, error, size);
    snprintf(error, size, "--plot needs gnuplot (Debian: apt-get install "
             "gnuplot-nox)");
    return -1;
}

/* In gnuplot's single quotes a quote is written twice. */
static void put_quoted(FILE *f, const char *text)
{
    fputc('\'', f);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', f);
        fputc(*text == '\n' ? ' ' : *text, f);
    }
    fputc('\'', f);
}

static void put_script(FILE *f, const struct bench *b)
{
    fputs("set terminal svg size 900,480 font 'sans,13' noenhanced\n"
          "set title ", f);
    put_quoted(f, b->case_text);
    fprintf(f, "\nset label 1 ");
    char foot[200];
    snprintf(foot, sizeof foot, "%s, %d threads, farsum %s", b->machine,
             b->threads, farsum_version());
    put_quoted(f, foot);
    fputs(" at screen 0.99,0.03 right font 'sans,10'\n"
          "set bmargin 6\nset style fill solid 0.8 border -1\n"
          "set boxwidth 0.7\nset grid ytics\nset yrange [0:*]\n"
          "set ylabel 'milliseconds (bar: least, mark: median)'\n"
          "set xtics rotate by -20\nset key off\n$rows << EOD\n", f);
    int bar = 0;
    for (int r = 0; r < b->n_rows; r++)
        if (b->rows[r].plan >= 0)
            fprintf(f, "%d \"%s %s\" %s %s\n", bar++, b->rows[r].stage,
                    b->rows[r].variant,
                    number_digits(1e3 * b->rows[r].min, 9).text,
                    number_digits(1e3 * b->rows[r].median, 9).text);
    fprintf(f, "EOD\nset xrange [-0.7:%s]\n", number_text(bar - 0.3).text);
    fputs("plot $rows using 1:3:xtic(2) with boxes lc rgb '#3b6ea5', "
          "$rows using 1:4 with points pt 2 lc rgb '#c0392b'\n", f);
}

/* Starts gnuplot, which reads a script from *script and draws into `to`.
 * Returns its process number, or -1. */
static pid_t start_gnuplot(int to, int *script)
{
    char *const words[] = {(char[]){"gnuplot"}, NULL};
    posix_spawn_file_actions_t actions;
    int ends[2];
    pid_t child = -1;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    if (posix_spawnp(&child, words[0], &actions, NULL, words, environ) != 0)
        child = -1;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    *script = ends[1];
    if (child < 0)
        close(ends[1]);
    return child;
}

/* Returns 0 if gnuplot has drawn something into `to`. */
static int draw(const struct bench *b, int to)
{
    struct stat st;
    int script = -1, status = -1;
    pid_t child = start_gnuplot(to, &script);
    FILE *f = child > 0 ? fdopen(script, "w") : NULL;
    if (child > 0 && !f)
        close(script);
    if (f)
        put_script(f, b);
    int bad = !f || ferror(f) != 0;
    if (f)
        bad |= fclose(f) != 0;
    if (child > 0 && waitpid(child, &status, 0) != child)
        status = -1;
    return bad || status != 0 || fstat(to, &st) != 0
           || (S_ISREG(st.st_mode) && st.st_size == 0);
}

int bench_plot(const struct bench *b, const char *path, char *error,
               size_t size)
{
    struct output *out = NULL;
    int drawn = 0, bad;
    for (int r = 0; r < b->n_rows; r++)
        drawn += b->rows[r].plan >= 0;
    if (drawn == 0) {
        snprintf(error, size, "--plot: no variant was timed");
        return -1;
    }
    bad = output_create(path, &out) != 0;
    if (!bad && draw(b, out->fd) != 0)
        bad = output_fail(out, "gnuplot failed");
    bad = bad || output_commit(out) != 0;
    if (bad)
        snprintf(error, size, "%s", out ? out->message : "out of memory");
    output_destroy(out);
    return bad ? -1 : 0;
}
