/* SPDX-License-Identifier: Apache-2.0 */
/* text.c: lines and words of a text file, and error messages with positions. */
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/c_locale.h"
#include "base/number.h"
#include "gunzip.h"

#define TEXT_CHUNK ((size_t)256 << 10)

/* --- messages --- */

/* Long names keep their end, to leave space for the error. */
static const char *text_name(const struct text *t) {
    size_t n = strlen(t->name);
    return n > 400 ? t->name + n - 400 : t->name;
}

static void place_message(struct text *t, int64_t line, size_t column,
                          const char *expected, const char *found) {
    snprintf(t->message, sizeof t->message,
             "%s:%lld:%zu: expected %s, found %s", text_name(t),
             (long long)line, column, expected, found);
}

/* The word in quotes, shortened and escaped where necessary. */
static void describe(char *out, size_t size, struct text_word word) {
    if (word.n == 0) {
        snprintf(out, size, "the end of the line");
        return;
    }
    size_t used = 0, shown = word.n > 40 ? 37 : word.n;
    out[used++] = '"';
    for (size_t i = 0; i < shown && used + 8 < size; i++) {
        unsigned char c = (unsigned char)word.p[i];
        if (c >= 32 && c < 127)
            out[used++] = (char)c;
        else
            used += (size_t)snprintf(out + used, 5, "\\x%02x", c);
    }
    snprintf(out + used, size - used, shown < word.n ? "...\"" : "\"");
}

static int expected(struct text *t, struct text_word word, const char *what) {
    char found[200];
    describe(found, sizeof found, word);
    place_message(t, t->number, (size_t)(word.p - t->line) + 1, what, found);
    return -1;
}

int text_expected(struct text *t, struct text_word word, const char *format,
                  ...) {
    char what[400];
    va_list list;
    va_start(list, format);
    c_locale_vtext(what, sizeof what, format, list);
    va_end(list);
    return expected(t, word, what);
}

int text_expected_more(struct text *t, const char *format, ...) {
    char what[400];
    va_list list;
    va_start(list, format);
    c_locale_vtext(what, sizeof what, format, list);
    va_end(list);
    place_message(t, t->number + 1, 1, what, "the end of the file");
    return -1;
}

int text_fail(struct text *t, const char *format, ...) {
    int used = snprintf(t->message, sizeof t->message, "%s: ", text_name(t));
    va_list list;
    va_start(list, format);
    c_locale_vtext(t->message + used, sizeof t->message - (size_t)used, format,
              list);
    va_end(list);
    return -1;
}

int text_no_memory(struct text *t) {
    t->no_memory = true;
    return text_fail(t, "out of memory");
}

/* --- bytes --- */

static int start(struct text *t, const char *name, size_t capacity) {
    memset(t, 0, sizeof *t);
    t->fd = -1;
    t->name = strdup(name);
    t->buffer = malloc(capacity + 1); /* space for a final 0 */
    t->capacity = capacity;
    if (t->name && t->buffer) return 0;
    snprintf(t->message, sizeof t->message, "out of memory");
    return -1;
}

/* Reads up to `capacity` bytes as stored in the file; 0: end; < 0: error. */
static ptrdiff_t read_bytes(struct text *t, char *out, size_t capacity)
{
    if (t->fd < 0) {
        size_t n = t->source_left < capacity ? t->source_left : capacity;
        memcpy(out, t->source, n);
        t->source += n;
        t->source_left -= n;
        return (ptrdiff_t)n;
    }
    ssize_t n;
    do
        n = read(t->fd, out, capacity);
    while (n < 0 && errno == EINTR);
    if (n < 0) return text_fail(t, "cannot read: %s", strerror(errno));
    return n;
}

static ptrdiff_t read_packed(void *data, char *out, size_t capacity)
{
    return read_bytes(data, out, capacity);
}

/* Reads more text at the buffer's end. */
static int fill(struct text *t) {
    char *out = t->buffer + t->end;
    size_t capacity = t->capacity - t->end;
    const char *why = NULL;
    ptrdiff_t n = t->gunzip ? gunzip_read(t->gunzip, out, capacity, &why)
                            : read_bytes(t, out, capacity);
    if (n < 0) return why ? text_fail(t, "%s", why) : -1;
    t->end += (size_t)n;
    t->ended = n == 0;
    return 0;
}

/* Tests the first bytes, which are all that was read, for compression. */
static int unpack(struct text *t) {
    size_t n = t->end;
    const char *other = gunzip_other(t->buffer, n);
    if (other)
        return text_fail(t, "compressed by %s, of which only gzip's files are "
                            "read: %s -dc FILE | farsum ... - reads it", other,
                         other);
    if (!gunzip_begins(t->buffer, n)) return 0;
    t->gunzip = gunzip_open(read_packed, t, t->buffer, n);
    if (!t->gunzip) return text_no_memory(t);
    t->end = 0;
    t->ended = false;
    return 0;
}

int text_open(struct text *t, const char *path) {
    bool standard = strcmp(path, "-") == 0;
    if (start(t, standard ? "standard input" : path, TEXT_CHUNK)) return -1;
    t->own_fd = !standard;
    t->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (t->fd < 0) return text_fail(t, "cannot open: %s", strerror(errno));
    /* The first bytes determine the format. */
    while (t->end < 4096 && !t->ended)
        if (fill(t)) return -1;
    if (unpack(t)) return -1;
    while (t->gunzip && t->end < 4096 && !t->ended)
        if (fill(t)) return -1;
    if (t->end >= 3 && memcmp(t->buffer, "\xef\xbb\xbf", 3) == 0)
        t->begin = 3; /* byte order mark */
    return 0;
}

int text_open_memory(struct text *t, const char *name, const char *source,
                     size_t n) {
    /* A small buffer, so that lines that cross its end are tested too. */
    if (start(t, name, 64)) return -1;
    t->source = source;
    t->source_left = n;
    if (fill(t) || unpack(t)) return -1;
    return t->gunzip ? fill(t) : 0;
}

void text_close(struct text *t) {
    if (t->own_fd && t->fd >= 0) close(t->fd);
    gunzip_close(t->gunzip);
    t->gunzip = NULL;
    free(t->name);
    free(t->buffer);
    t->name = NULL;
    t->buffer = t->line = NULL;
    t->fd = -1;
    t->own_fd = false;
}

/* --- lines --- */

/* Moves the unread part to the front, or doubles the size of a full buffer. */
static int make_memory(struct text *t)
{
    if (t->begin > 0) {
        memmove(t->buffer, t->buffer + t->begin, t->end - t->begin);
        t->end -= t->begin;
        t->begin = 0;
        return 0;
    }
    if (t->end < t->capacity) return 0;
    if (t->capacity >= TEXT_LINE_MAX) {
        char what[60];
        snprintf(what, sizeof what, "a line of at most %zu bytes",
                 TEXT_LINE_MAX);
        place_message(t, t->number + 1, TEXT_LINE_MAX + 1, what,
                      "a longer one");
        return -1;
    }
    char *grown = realloc(t->buffer, t->capacity * 2 + 1);
    if (!grown) return text_no_memory(t);
    t->buffer = grown;
    t->capacity *= 2;
    return 0;
}

static int take_line(struct text *t, size_t length, bool line_end) {
    t->line = t->buffer + t->begin;
    t->begin += length + line_end;
    t->line[length] = 0;
    t->cursor = 0;
    t->number++;
    char *zero = memchr(t->line, 0, length);
    if (zero) {
        place_message(t, t->number, (size_t)(zero - t->line) + 1, "text",
                      "a zero byte");
        return -1;
    }
    if (length > 0 && t->line[length - 1] == '\r') t->line[--length] = 0;
    t->length = length;
    return 1;
}

int text_next_line(struct text *t) {
    size_t scanned = 0;
    for (;;) {
        size_t have = t->end - t->begin;
        char *p = t->buffer + t->begin;
        char *mark = memchr(p + scanned, '\n', have - scanned);
        if (mark) return take_line(t, (size_t)(mark - p), true);
        if (t->ended) return have == 0 ? 0 : take_line(t, have, false);
        scanned = have;
        if (make_memory(t) || fill(t))
            return -1;
    }
}

/* --- words --- */

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n');
}

bool text_blank(const struct text *t) {
    const char *p = t->line + t->cursor;
    while (is_space(*p)) p++;
    return *p == 0;
}

struct text_word text_next_word(struct text *t) {
    const char *p = t->line + t->cursor;
    while (is_space(*p)) p++;
    const char *end = p;
    while (*end && !is_space(*end)) end++;
    t->cursor = (size_t)(end - t->line);
    return (struct text_word){p, (size_t)(end - p)};
}

bool text_is(struct text_word word, const char *what) {
    return strlen(what) == word.n && memcmp(word.p, what, word.n) == 0;
}

void text_cut(struct text *t, char mark) {
    char *p = memchr(t->line, mark, t->length);
    if (!p) return;
    *p = 0;
    t->length = (size_t)(p - t->line);
}

static int expected_item(struct text *t, struct text_word word,
                         struct text_item item, const char *kind) {
    char component[24] = "", particle[40] = "";
    if (item.component)
        snprintf(component, sizeof component, " %d", item.component);
    if (item.particle)
        snprintf(particle, sizeof particle, " of particle %lld",
                 (long long)item.particle);
    return text_expected(t, word, "%s (%s%s%s)", kind, item.what, component,
                         particle);
}

int text_real(struct text *t, struct text_word word, struct text_item item,
              bool finite, double *value) {
    double v = 0;
    switch (number_real(word.p, word.n, &v)) {
    case NUMBER_OK: break;
    case NUMBER_MALFORMED:
        return expected_item(t, word, item, "a real number");
    case NUMBER_TOO_LARGE:
        return expected_item(t, word, item, "a number within 1.8e308");
    case NUMBER_NOT_FINITE:
        if (finite) return expected_item(t, word, item, "a finite number");
        break;
    }
    *value = v;
    return 0;
}

int text_integer(struct text *t, struct text_word word, struct text_item item,
                 int64_t *value) {
    switch (number_integer(word.p, word.n, value)) {
    case NUMBER_OK: return 0;
    case NUMBER_TOO_LARGE:
        return expected_item(t, word, item, "an integer of 64 bits");
    default: return expected_item(t, word, item, "an integer");
    }
}

int text_finish_line(struct text *t) {
    struct text_word word = text_next_word(t);
    return word.n == 0 ? 0 : text_expected(t, word, "the end of the line");
}
