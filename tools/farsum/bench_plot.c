/* bench_plot.c: the times as bars, drawn by gnuplot. */
#include "bench.h"
#include "signals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 1200 };

static int found_gnuplot(void)
{
    const char *path = getenv("PATH");
    char name[PATH_ROOM];
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

static int temporary(const char *path, char *name, size_t size)
{
    int n = snprintf(name, size, "%s.tmp-%ld", path, (long)getpid());
    return n > 0 && (size_t)n < size ? 0 : -1;
}

int bench_plot_ready(const char *path, char *error, size_t size)
{
    char name[PATH_ROOM];
    if (!found_gnuplot()) {
        snprintf(error, size, "--plot needs gnuplot (Debian: apt-get install "
                 "gnuplot-nox)");
        return -1;
    }
    if (temporary(path, name, sizeof name) != 0) {
        snprintf(error, size, "--plot: the name is too long");
        return -1;
    }
    FILE *f = fopen(name, "w");
    if (!f) {
        snprintf(error, size, "%s: cannot be written: %s", path,
                 strerror(errno));
        return -1;
    }
    fclose(f);
    unlink(name);
    return 0;
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

static void put_script(FILE *f, const struct bench *b, const char *name)
{
    fputs("set terminal svg size 900,480 font 'sans,13' noenhanced\n"
          "set output ", f);
    put_quoted(f, name);
    fputs("\nset title ", f);
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
            fprintf(f, "%d \"%s %s\" %.9g %.9g\n", bar++, b->rows[r].stage,
                    b->rows[r].variant, 1e3 * b->rows[r].min,
                    1e3 * b->rows[r].median);
    fprintf(f, "EOD\nset xrange [-0.7:%g]\n", bar - 0.3);
    fputs("plot $rows using 1:3:xtic(2) with boxes lc rgb '#3b6ea5', "
          "$rows using 1:4 with points pt 2 lc rgb '#c0392b'\n", f);
}

int bench_plot(const struct bench *b, const char *path, char *error,
               size_t size)
{
    char name[PATH_ROOM];
    struct stat st;
    int drawn = 0;
    for (int r = 0; r < b->n_rows; r++)
        drawn += b->rows[r].plan >= 0;
    if (drawn == 0 || temporary(path, name, sizeof name) != 0) {
        snprintf(error, size, "--plot: there is nothing to draw");
        return -1;
    }
    int slot = signals_watch(name);
    FILE *f = popen("gnuplot", "w");
    int bad = !f;
    if (f) {
        put_script(f, b, name);
        bad = ferror(f) != 0;
        bad |= pclose(f) != 0;
    }
    bad = bad || stat(name, &st) != 0 || st.st_size == 0;
    if (bad) {
        snprintf(error, size, "%s: gnuplot did not draw it", path);
        unlink(name);
    } else if (rename(name, path) != 0) {
        snprintf(error, size, "%s: cannot be written: %s", path,
                 strerror(errno));
        unlink(name);
        bad = 1;
    }
    signals_unwatch(slot);
    return bad ? -1 : 0;
}
