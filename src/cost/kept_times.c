/* SPDX-License-Identifier: Apache-2.0 */
/* kept_times.c: loading, keeping and removing measured times. */
#include "cost/kept_times.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/store.h"

enum { LINE = KEPT_TIMES_KEY + 128, LINES_MOST = 5000 };
static const int64_t kept_times_most =
    (int64_t)LINE * 2 * LINES_MOST; /* bytes */
static const char kept_times_name[] = "wisdom";

void kept_times_key(char key[KEPT_TIMES_KEY], const struct device *device,
                    enum isa isa, int threads, const char *text)
{
    char place[256];
    *key = 0;
    if (!*text)
        return;
    if (device)
        snprintf(
            place, sizeof place, "%s %.80s %.40s %.60s %016llx",
            device->backend->name, device->properties.model,
            device->properties.arch, device->properties.compiler,
            (unsigned long long)XXH3_64bits(device->properties.makers,
                                            strlen(device->properties.makers)));
    else {
        char name[128];
        machine_name(name, sizeof name);
        snprintf(place, sizeof place, "host %.120s %s %d", name, isa_name(isa),
                 threads);
    }
    snprintf(key, KEPT_TIMES_KEY, "%s|%s|", place, text);
    for (char *c = key; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
}

void kept_times_key_of(char key[KEPT_TIMES_KEY],
                       const struct machine_place *place, const char *what)
{
    char text[100];
    snprintf(text, sizeof text, "%s %s", what,
             place->precision == FARSUM_F32 ? "f32" : "f64");
    kept_times_key(key, place->device, place->isa, place->threads, text);
}

double kept_times_run(const struct choose_time *times, int n, const char *row)
{
    for (int i = 0; i < n; i++)
        if (strcmp(times[i].row, row) == 0)
            return times[i].run;
    return 0;
}

/* Parses " seconds" in a line; NULL: something else. */
static const char *kept_times_seconds(const char *p, double *seconds)
{
    const char *end = NULL;
    if (!p || *p != ' ')
        return NULL;
    *seconds = number_take(p + 1, &end);
    return end > p + 1 && *seconds >= 0 && *seconds < 1e5 ? end : NULL;
}

/* "key row set run" */
static int kept_times_parse(const char *line, const char *key,
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
    line = kept_times_seconds(line + row, &t.set);
    line = kept_times_seconds(line, &t.run);
    if (!line || t.run <= 0 || line[strspn(line, " \n")])
        return 0;
    *time = t;
    return 1;
}

/* Returns a line of the text without its end, and the start of the next one.
 * NULL: no whole line is left. */
static char *kept_times_line(char *text, char **next)
{
    char *end = text ? strchr(text, '\n') : NULL;
    if (!end)
        return NULL;
    *end = 0;
    *next = end + 1;
    return text;
}

int kept_times_load(const char *key, struct choose_time times[KEPT_TIMES_MOST])
{
    struct store store;
    char *text = NULL, *next = NULL;
    int64_t bytes;
    int n = 0;
    if (!*key)
        return 0;
    if (store_open(&store, 0) == FARSUM_OK)
        store_read(&store, kept_times_name, kept_times_most, &text, &bytes);
    store_close(&store);
    for (char *line = kept_times_line(text, &next); line && n < KEPT_TIMES_MOST;
         line = kept_times_line(next, &next))
        n += kept_times_parse(line, key, &times[n]);
    mem_free(text);
    return n;
}

static int kept_times_replaced(const char *line, const char *key,
                               const struct choose_time *times, int n)
{
    struct choose_time old;
    if (strncmp(line, key, strlen(key)) != 0)
        return 0;
    if (!kept_times_parse(line, key, &old))
        return 1;
    for (int i = 0; i < n; i++)
        if (strcmp(times[i].row, old.row) == 0)
            return 1;
    return 0;
}

/* Writes the lines to keep, then the new ones, which `add` already holds. */
static farsum_status kept_times_write(struct store *store, const char *key,
                                      const struct choose_time *times, int n,
                                      char *add, int64_t added)
{
    farsum_status status = FARSUM_OK;
    char *text = NULL, *kept = NULL, *next = NULL;
    int64_t bytes = 0, lines = n, used = 0;
    if (store_read(store, kept_times_name, kept_times_most, &text, &bytes))
        GO(MEM_RAW(kept, bytes + 1));
    for (int64_t i = 0; i < bytes; i++)
        lines += text[i] == '\n';
    for (char *line = kept_times_line(text, &next); line;
         line = kept_times_line(next, &next)) {
        size_t length = strlen(line);
        if (lines-- > LINES_MOST || length >= LINE
            || kept_times_replaced(line, key, times, n))
            continue;
        memcpy(kept + used, line, length);
        used += (int64_t)length;
        kept[used++] = '\n';
    }
    const struct store_part part[] = {{kept, used}, {add, added}};
    GO(store_write(store, kept_times_name, part, 2));
done:
    mem_free(text);
    mem_free(kept);
    return status;
}

/* A failure only costs time later. */
static farsum_status kept_times_try(const char *key,
                                    const struct choose_time *times, int n)
{
    farsum_status status = FARSUM_OK;
    struct store store;
    char *add = NULL;
    int64_t capacity = (int64_t)n * LINE, used = 0;
    GO(store_open(&store, 1));
    if (store.folder < 0)
        goto done;
    GO(MEM_RAW(add, capacity));
    for (int i = 0; i < n; i++)
        used += snprintf(add + used, (size_t)(capacity - used), "%s%s %s %s\n",
                         key, times[i].row, number_digits(times[i].set, 5).text,
                         number_digits(times[i].run, 5).text);
    GO(store_lock(&store));
    GO(kept_times_write(&store, key, times, n, add, used));
done:
    mem_free(add);
    store_close(&store);
    return status;
}

void kept_times_keep(const char *key, const struct choose_time *times, int n)
{
    if (*key && n > 0)
        (void)!kept_times_try(key, times, n);
}

void kept_times_about(char *file, size_t size, int64_t *lines, int64_t *bytes)
{
    struct store store;
    char *text = NULL;
    *lines = *bytes = 0;
    *file = 0;
    if (store_open(&store, 0) == FARSUM_OK && store.folder >= 0)
        snprintf(file, size, "%s/%s", store.path, kept_times_name);
    if (*file
        && store_read(&store, kept_times_name, kept_times_most, &text, bytes))
        for (const char *c = text; c < text + *bytes; c++)
            *lines += *c == '\n';
    store_close(&store);
    mem_free(text);
}

int kept_times_clear(void)
{
    struct store store;
    int gone = store_open(&store, 0) == FARSUM_OK
               && store_remove(&store, kept_times_name);
    store_close(&store);
    return gone;
}
