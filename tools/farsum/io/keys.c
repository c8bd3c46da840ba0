/* SPDX-License-Identifier: Apache-2.0 */
/* keys.c: key=value pairs of an extended XYZ comment line. */
#include "keys.h"

#include <stdlib.h>
#include <string.h>

#include "frame.h"

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static size_t skip_space(const char *line, size_t at) {
    while (is_space(line[at])) at++;
    return at;
}

static int no_memory(const char **expected) {
    *expected = NULL;
    return -1;
}

int keys_quoted(const char *line, size_t *cursor, char **value,
                const char **expected) {
    char quote = line[*cursor];
    size_t at = *cursor + 1, n = 0;
    char *out = malloc(strlen(line + *cursor) + 1);
    if (!out) return no_memory(expected);
    while (line[at] && line[at] != quote) {
        char c = line[at++];
        if (c == '\\' && line[at]) {
            c = line[at++];
            if (c == 'n') c = '\n';
        }
        out[n++] = c;
    }
    if (!line[at]) {
        free(out);
        *cursor = at;
        *expected = quote == '"' ? "a closing \"" : "a closing '";
        return -1;
    }
    out[n] = 0;
    *value = out;
    *cursor = at + 1;
    return 1;
}

/* Parses {...} without its brackets, or [...] with them; nested brackets are
 * counted. */
static int bracketed(const char *line, size_t *cursor, char **value,
                     const char **expected) {
    char open = line[*cursor], close = open == '{' ? '}' : ']';
    size_t at = *cursor, depth = 0;
    do {
        if (line[at] == open) depth++;
        if (line[at] == close) depth--;
        if (line[at]) at++;
    } while (depth > 0 && line[at]);
    if (depth > 0) {
        *cursor = at;
        *expected = open == '{' ? "a closing }" : "a closing ]";
        return -1;
    }
    size_t cut = open == '{';
    *value = frame_text(line + *cursor + cut, at - *cursor - 2 * cut);
    if (!*value) return no_memory(expected);
    *cursor = at;
    return 1;
}

static int take_value(const char *line, size_t *cursor,
                      struct keys_pair *pair, const char **expected) {
    char first = line[*cursor];
    int got;
    pair->at = *cursor + (first == '"' || first == '\'' || first == '{');
    if (first == '"' || first == '\'') {
        got = keys_quoted(line, cursor, &pair->value, expected);
    } else if (first == '{' || first == '[') {
        got = bracketed(line, cursor, &pair->value, expected);
    } else {
        size_t n = 0;
        while (line[*cursor + n] && !is_space(line[*cursor + n])) n++;
        if (n == 0) {
            *expected = "a value after =";
            return -1;
        }
        pair->value = frame_text(line + *cursor, n);
        *cursor += n;
        return pair->value ? 1 : no_memory(expected);
    }
    if (got == 1 && line[*cursor] && !is_space(line[*cursor])) {
        *expected = "a space after the value";
        return -1;
    }
    return got;
}

/* True if another pair begins here.  The value before it is then empty, as ASE
 * writes it: key= next=1. */
static bool begins_pair(const char *line, size_t at) {
    char quote = line[at];
    if (quote == '"' || quote == '\'') {
        for (at++; line[at] && line[at] != quote; at++)
            if (line[at] == '\\' && line[at + 1]) at++;
        if (!line[at]) return false;
        at++;
    } else {
        size_t from = at;
        while (line[at] && !is_space(line[at]) && line[at] != '=') at++;
        if (at == from) return false;
    }
    return line[skip_space(line, at)] == '=';
}

static int take_pair(const char *line, size_t *cursor, struct keys_pair *pair,
                     const char **expected) {
    if (line[*cursor] == '"' || line[*cursor] == '\'') {
        if (keys_quoted(line, cursor, &pair->key, expected) < 0) return -1;
    } else {
        size_t n = 0;
        const char *p = line + *cursor;
        while (p[n] && !is_space(p[n]) && p[n] != '=') n++;
        if (n == 0) {
            *expected = "a key before =";
            return -1;
        }
        pair->key = frame_text(p, n);
        if (!pair->key) return no_memory(expected);
        *cursor += n;
    }
    size_t next = skip_space(line, *cursor);
    if (line[next] == '=') {
        size_t value = skip_space(line, next + 1);
        if (!line[value] || (value > next + 1 && begins_pair(line, value))) {
            *cursor = pair->at = next + 1;
            pair->value = frame_text("", 0);
            return pair->value ? 1 : no_memory(expected);
        }
        *cursor = value;
        return take_value(line, cursor, pair, expected);
    }
    if (line[*cursor] && !is_space(line[*cursor])) {
        *expected = "= after the key";
        return -1;
    }
    pair->at = *cursor;
    pair->value = frame_text("T", 1); /* a key without value is a flag that is
                                         set */
    return pair->value ? 1 : no_memory(expected);
}

int keys_next(const char *line, size_t *cursor, struct keys_pair *pair,
              const char **expected) {
    memset(pair, 0, sizeof *pair);
    *cursor = skip_space(line, *cursor);
    if (!line[*cursor]) return 0;
    int got = take_pair(line, cursor, pair, expected);
    if (got < 0) keys_clear(pair);
    return got;
}

void keys_clear(struct keys_pair *pair) {
    free(pair->key);
    free(pair->value);
    memset(pair, 0, sizeof *pair);
}

bool keys_is_bare(const char *value) {
    if (!*value) return false;
    return strpbrk(value, " \t\n\v\f\r\"'={}[]\\,") == NULL;
}

/* True for one bracket from the first to the last character, without characters
 * to escape. */
static bool is_array(const char *value) {
    size_t n = strlen(value), depth = 0;
    if (n < 2 || value[0] != '[' || strpbrk(value, "\n\v\f\r\"'\\"))
        return false;
    for (size_t i = 0; i < n; i++) {
        depth += value[i] == '[';
        if (value[i] == ']' && --depth == 0) return i + 1 == n;
    }
    return false;
}

char *keys_quote(const char *value) {
    if (keys_is_bare(value) || is_array(value)) return strdup(value);
    size_t n = 0;
    char *out = malloc(2 * strlen(value) + 3);
    if (!out) return NULL;
    out[n++] = '"';
    for (; *value; value++) {
        if (*value == '"' || *value == '\\' || *value == '\n') out[n++] = '\\';
        out[n++] = *value == '\n' ? 'n' : *value;
    }
    out[n++] = '"';
    out[n] = 0;
    return out;
}
