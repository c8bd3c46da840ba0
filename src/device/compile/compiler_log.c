/* SPDX-License-Identifier: Apache-2.0 */
/* compiler_log.c: replaces line numbers of the whole text in a compiler's log
 * by files and lines of our kernels. */
#include "device/compile/compiler_log.h"

#include "base/mem.h"
#include "base/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "#line ";

/* Returns 1 if text starts with a line number; *end is behind it. */
static int log_number(const char *text, const char **end, int64_t *number)
{
    uint64_t found = 0;
    if (number_count(text, end, &found) != NUMBER_OK || found > INT64_MAX)
        return 0;
    *number = (int64_t)found;
    return 1;
}

/* Parses a line `#line 12 "name"`: its number, the name and the name's
 * length. */
static int log_mark(const char *line, int64_t *number, const char **name,
                    int64_t *length)
{
    const char *at = NULL;
    if (strncmp(line, mark, sizeof mark - 1) != 0
        || !log_number(line + sizeof mark - 1, &at, number))
        return 0;
    if (*number < 1 || strncmp(at, " \"", 2) != 0)
        return 0;
    *name = at + 2;
    *length = (int64_t)strcspn(*name, "\"\n");
    return (*name)[*length] == '"';
}

static const char *log_next(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : NULL;
}

/* Returns 1 if a #line of the text names this file. */
static int log_known(const char *text, const char *file, int64_t n)
{
    for (const char *line = text; line; line = log_next(line)) {
        const char *name = NULL;
        int64_t number = 0, length = 0;
        if (log_mark(line, &number, &name, &length) && length == n
            && memcmp(name, file, (size_t)n) == 0)
            return 1;
    }
    return 0;
}

/* Finds the file and line of line `wanted` of the whole text, from the last
 * #line before it. */
static int log_place(const char *text, int64_t wanted, int64_t *number,
                     const char **name, int64_t *length)
{
    int64_t here = 1, next = 0;
    *length = 0;
    for (const char *line = text; line && *line; line = log_next(line)) {
        const char *file = NULL;
        int64_t from = 0, n = 0;
        if (here == wanted) {
            *number = next;
            return *length > 0;
        }
        if (log_mark(line, &from, &file, &n)) {
            *name = file;
            *length = n;
            next = from;
        } else {
            next++;
        }
        here++;
    }
    return 0;
}

/* Returns 1 if a log's line starts with a place FILE:LINE: whose file no #line
 * of the text names.  *wanted: LINE; *end: the colon after LINE. */
static int log_foreign(const char *text, const char *line, int64_t *wanted,
                       const char **end)
{
    int64_t file = (int64_t)strcspn(line, ":\n");
    return file > 0 && line[file] == ':' && !log_known(text, line, file)
           && log_number(line + file + 1, end, wanted) && **end == ':';
}

farsum_status log_named(const char *text, const char *log, char **named)
{
    char *out = NULL;
    int64_t lines = 1, longest = 0, n = 0;
    for (const char *at = log; at; at = log_next(at))
        lines++;
    for (const char *at = text; at; at = log_next(at)) {
        const char *name = NULL;
        int64_t number = 0, length = 0;
        if (log_mark(at, &number, &name, &length) && length > longest)
            longest = length;
    }
    int64_t capacity = (int64_t)strlen(log) + lines * (longest + 24) + 1;
    TRY(MEM_RAW(out, capacity));
    for (const char *line = log; line; line = log_next(line)) {
        const char *end = line, *name = NULL, *next = log_next(line);
        int64_t wanted = 0, number = 0, length = 0;
        if (log_foreign(text, line, &wanted, &end)
            && log_place(text, wanted, &number, &name, &length))
            n += snprintf(out + n, (size_t)(capacity - n), "%.*s:%lld",
                          (int)length, name, (long long)number);
        else
            end = line;
        int64_t rest = next ? next - end : (int64_t)strlen(end);
        memcpy(out + n, end, (size_t)rest);
        n += rest;
    }
    out[n] = 0;
    *named = out;
    return FARSUM_OK;
}
