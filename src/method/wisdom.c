/* wisdom.c: load, keep, forget. */
#include "method/wisdom.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "device/cache.h"

enum { LINE = WISDOM_KEY + 128, PATH = 1300, LINES_MOST = 5000 };

/* 0: there is no place. */
static int wisdom_path(char file[PATH])
{
    *file = 0;
    if (cache_where(file, PATH - 100) <= 0) {
        *file = 0;
        return 0;
    }
    strcat(file, "/wisdom");
    return 1;
}

void wisdom_key(char key[WISDOM_KEY], const struct device *device, enum isa isa,
                int threads, const struct stage *stage, const void *args)
{
    char place[256], what[200] = "";
    *key = 0;
    if (!stage->key)
        return;
    if (device)
        snprintf(place, sizeof place, "%s %.80s %.40s %.100s",
                 device->backend->name, device->facts.model, device->facts.arch,
                 device->facts.compiler);
    else {
        char name[128];
        machine_name(name, sizeof name);
        snprintf(place, sizeof place, "host %.120s %s %d", name, isa_name(isa),
                 threads);
    }
    stage->key(args, what, sizeof what);
    snprintf(key, WISDOM_KEY, "%s|%s|", place, what);
    for (char *c = key; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
}

static void wisdom_text(const void *args, char *text, size_t size)
{
    snprintf(text, size, "%s", (const char *)args);
}

void wisdom_key_of(char key[WISDOM_KEY], const struct machine_place *place,
                   const char *what)
{
    static const struct stage any = {.name = "machine", .key = wisdom_text};
    char text[100];
    snprintf(text, sizeof text, "%s %s", what,
             place->precision == FARSUM_F32 ? "f32" : "f64");
    wisdom_key(key, place->device, place->isa, place->threads, &any, text);
}

double wisdom_run(const struct choose_time *times, int n, const char *row)
{
    for (int i = 0; i < n; i++)
        if (strcmp(times[i].row, row) == 0)
            return times[i].run;
    return 0;
}

/* " seconds", of a line; NULL: something else. */
static const char *wisdom_seconds(const char *p, double *seconds)
{
    const char *end = NULL;
    if (!p || *p != ' ')
        return NULL;
    *seconds = number_take(p + 1, &end);
    return end > p + 1 && *seconds >= 0 && *seconds < 1e5 ? end : NULL;
}

/* "key row set run" */
static int wisdom_parse(const char *line, const char *key,
                        struct choose_time *time)
{
    struct choose_time t = {0};
    size_t n = strlen(key), row;
    if (strncmp(line, key, n) != 0)
        return 0;
    line += n;
    row = strcspn(line, " \n");
    if (row == 0 || row >= sizeof t.row)
        return 0;
    memcpy(t.row, line, row);
    line = wisdom_seconds(line + row, &t.set);
    line = wisdom_seconds(line, &t.run);
    if (!line || t.run <= 0 || line[strspn(line, " \n")])
        return 0;
    *time = t;
    return 1;
}

int wisdom_load(const char *key, struct choose_time times[CHOOSE_MOST])
{
    char file[PATH], line[LINE];
    int n = 0;
    if (!*key || !wisdom_path(file))
        return 0;
    FILE *f = fopen(file, "r");
    while (f && n < CHOOSE_MOST && fgets(line, sizeof line, f))
        n += wisdom_parse(line, key, &times[n]);
    if (f)
        fclose(f);
    return n;
}

static int wisdom_replaced(const char *line, const char *key,
                           const struct choose_time *times, int n)
{
    struct choose_time old;
    if (strncmp(line, key, strlen(key)) != 0)
        return 0;
    if (!wisdom_parse(line, key, &old))
        return 1;
    for (int i = 0; i < n; i++)
        if (strcmp(times[i].row, old.row) == 0)
            return 1;
    return 0;
}

static void wisdom_folder(char *file)
{
    for (char *p = file + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            mkdir(file, 0777);
            *p = '/';
        }
}

void wisdom_keep(const char *key, const struct choose_time *times, int n)
{
    char file[PATH], beside[PATH + 32], line[LINE];
    int64_t lines, bytes;
    if (!*key || n == 0 || !wisdom_path(file))
        return;
    wisdom_about(beside, sizeof beside, &lines, &bytes);
    wisdom_folder(file);
    snprintf(beside, sizeof beside, "%s.%ld", file, (long)getpid());
    FILE *old = fopen(file, "r"), *f = fopen(beside, "w");
    int64_t skip = lines + n - LINES_MOST;
    while (f && old && fgets(line, sizeof line, old))
        if (--skip < 0 && strchr(line, '\n')
            && !wisdom_replaced(line, key, times, n))
            fputs(line, f);
    if (old)
        fclose(old);
    if (!f)
        return;
    for (int i = 0; i < n; i++)
        fprintf(f, "%s%s %s %s\n", key, times[i].row,
                number_digits(times[i].set, 5).text,
                number_digits(times[i].run, 5).text);
    int bad = ferror(f) | fclose(f);
    if (bad || rename(beside, file) != 0)
        remove(beside);
}

void wisdom_about(char *file, size_t size, int64_t *lines, int64_t *bytes)
{
    char path[PATH];
    struct stat about;
    *lines = *bytes = 0;
    int there = wisdom_path(path);
    snprintf(file, size, "%s", path);
    FILE *f = there && stat(path, &about) == 0 && S_ISREG(about.st_mode)
                  ? fopen(path, "r")
                  : NULL;
    if (!f)
        return;
    *bytes = (int64_t)about.st_size;
    for (int c = getc(f); c != EOF; c = getc(f))
        *lines += c == '\n';
    fclose(f);
}

int wisdom_clear(void)
{
    char path[PATH];
    return wisdom_path(path) && remove(path) == 0;
}
